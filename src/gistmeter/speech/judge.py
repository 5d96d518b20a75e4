"""The language model behind the semantic error rate: which one, and what it would cost.

The estimate is made before anything is asked, and leaves out what the cache already answers. It
counts a token for every four bytes of UTF-8, and for the answer about one fact in ten words with
45 tokens a fact; a call takes two seconds and a second more for every 60 tokens of its answer.
A model that reasons before it answers is estimated with 1,500 tokens more and twice the answer.
Answers in the cache correct all that: the rest is taken to need as many tokens as they did.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from gistmeter.core.credentials import NoKey, Withheld
from gistmeter.core.errors import InputError, MissingDependency
from gistmeter.models.llm import Budget, CachedLanguageModel, Usage
from gistmeter.speech.metrics.fact_prompt import (
    INSTRUCTIONS,
    VERIFY_INSTRUCTIONS,
    build_prompt,
    fact_schema,
    verdict_schema,
)
from gistmeter.speech.settings import NO_MODEL

if TYPE_CHECKING:
    from gistmeter.core.cache import Cache
    from gistmeter.core.family import Context
    from gistmeter.core.types import Clip
    from gistmeter.speech.metrics.normalizer import Normalisation
    from gistmeter.speech.settings import SpeechSettings

DEFAULT_MODEL = "gemini-3-pro-preview"  # `--llm gemini`
KEY = "GEMINI_API_KEY"
TEMPERATURE = 0.2
BYTES_A_TOKEN, WORDS_A_FACT, TOKENS_A_FACT = 4, 10, 45
REASONING_TOKENS, REASONING_SHARE = 1500, 2  # before an answer: at least, and of its own length
REASONS = re.compile(
    r"gemini-(?:2\.5-pro|3|[4-9])|(?:^|[:/])o[1-9]\b|gpt-5|thinking|reason|deepseek-r|qwq|magistral",
    re.IGNORECASE,
)
SECONDS_A_CALL, TOKENS_A_SECOND = 2.0, 60


class NoJudge(InputError):
    """No language model can be asked: there is no key."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What asking would take, after the cache; as text, in lines for people."""

    model: str
    calls: int
    cached: int
    input_tokens: int
    output_tokens: int
    cost: float | None  # US dollars; None where the price is unknown
    seconds: float

    def __str__(self) -> str:
        money = "unknown price" if self.cost is None else f"about ${self.cost:.4f}"
        minutes, seconds = divmod(math.ceil(self.seconds), 60)
        return "\n".join(
            [
                f"Model   {self.model}",
                f"Calls   {self.calls} ({self.cached} answers are in the cache)",
                f"Tokens  about {self.input_tokens:,} in, {self.output_tokens:,} out",
                f"Money   {money if self.calls else 'nothing'}",
                f"Time    about {minutes} min {seconds} s",
            ]
        )

    def __add__(self, other: CostEstimate) -> CostEstimate:
        unknown = self.cost is None or other.cost is None
        return CostEstimate(
            self.model,
            self.calls + other.calls,
            self.cached + other.cached,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            None if unknown else (self.cost or 0.0) + (other.cost or 0.0),
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Judge:
    """A language model that can be asked, and what that would cost."""

    llm: Any  # of the protocol LanguageModel; its price is known of ours alone
    occurrence: Literal["report", "strict"] = "report"

    @property
    def name(self) -> str:
        return str(getattr(self.llm, "name", "") or self.llm.id)

    def total(
        self,
        clips: Sequence[Clip],
        normalisations: Mapping[str, Normalisation],
        repeats: int = 1,
        verify: bool = False,
    ) -> CostEstimate:
        """What clips of several languages would cost, each read as its language is."""
        parts = []
        for code, normalisation in normalisations.items():
            own = [clip for clip in clips if clip.language == code]
            parts.append(self.estimate(own, normalisation, repeats, verify))
        return sum(parts[1:], parts[0])

    def estimate(
        self,
        clips: Sequence[Clip],
        normalisation: Normalisation,
        repeats: int = 1,
        verify: bool = False,
    ) -> CostEstimate:
        """What the clips would cost; those without texts are not asked about."""
        from gistmeter.models.llm.service import BATCH_SHARE, estimate_cost

        asked = [
            clip
            for clip in clips
            if clip.got is not None and normalisation.normalise(clip.expected)
        ]
        prompts = [
            build_prompt(clip.expected, clip.got or "", normalisation.code) for clip in asked
        ]
        if not isinstance(self.llm, CachedLanguageModel):
            most = len(asked) * repeats * (2 if verify else 1)
            return CostEstimate(self.name, most, 0, 0, 0, None, most * SECONDS_A_CALL)
        calls = cached = taken = given = 0
        factor = self._measured(asked, prompts)
        for sample in range(repeats):
            known = self.llm.known(prompts, fact_schema(), instructions=INSTRUCTIONS, sample=sample)
            verified = (
                self._verified(asked, prompts, known, normalisation, sample) if verify else known
            )
            for clip, prompt, is_known, is_verified in zip(
                asked, prompts, known, verified, strict=True
            ):
                answer = round(
                    self._output_tokens(clip) if factor is None else factor * _answer_tokens(clip)
                )
                cached += is_known
                if not is_known:
                    calls, taken = calls + 1, taken + _tokens(INSTRUCTIONS + prompt)
                    given += answer
                if verify and not is_verified:
                    calls += 1
                    taken += _tokens(VERIFY_INSTRUCTIONS + prompt) + answer
                    given += answer // 3
        at_once = max(1, self.llm.settings.concurrency)
        seconds = (calls * SECONDS_A_CALL + given / TOKENS_A_SECOND) / at_once
        free = bool(self.llm.settings.base_url)  # a server of one's own
        cost = None if free else estimate_cost(self.name, taken, given)
        if cost is not None and self.llm.settings.batch:
            cost *= BATCH_SHARE
        return CostEstimate(self.name, calls, cached, taken, given, cost, seconds)

    def _output_tokens(self, clip: Clip) -> int:
        """Of an answer, with what a model reasons before it."""
        plain = _answer_tokens(clip)
        return plain + (
            REASONING_TOKENS + REASONING_SHARE * plain if REASONS.search(self.name) else 0
        )

    def _measured(self, clips: Sequence[Clip], prompts: Sequence[str]) -> float | None:
        """How many times our estimate the cached answers took; None where there is none."""
        llm = replace(self.llm, usage=Usage())  # nothing of this is to be counted
        known = llm.known(prompts, fact_schema(), instructions=INSTRUCTIONS)

        there = [at for at, is_known in enumerate(known) if is_known]
        if not there:
            return None
        answers = llm.ask([prompts[at] for at in there], fact_schema(), instructions=INSTRUCTIONS)
        tokens = sum(answer.output_tokens for answer in answers)
        return tokens / sum(_answer_tokens(clips[at]) for at in there) if tokens else None

    def _verified(
        self,
        clips: Sequence[Clip],
        prompts: Sequence[str],
        known: Sequence[bool],
        normalisation: Normalisation,
        sample: int,
    ) -> list[bool]:
        """For each clip whether its second question, too, is answered or need not be asked."""
        from gistmeter.speech.metrics.semantic_error import SemanticErrorRate

        there = [at for at, is_known in enumerate(known) if is_known]
        llm = replace(self.llm, usage=Usage())  # nothing of this is to be counted
        metric = SemanticErrorRate(llm, normalisation, verify=True, occurrence=self.occurrence)
        pairs = [(clips[at].expected, clips[at].got or "") for at in there]
        answers = llm.ask(
            [prompts[at] for at in there], fact_schema(), instructions=INSTRUCTIONS, sample=sample
        )
        questions = metric.verifications(pairs, metric.read(pairs, answers))
        answered = llm.known(
            list(questions.values()),
            verdict_schema(),
            instructions=VERIFY_INSTRUCTIONS,
            sample=sample,
        )
        missing = {there[at] for at, done in zip(questions, answered, strict=True) if not done}
        return [is_known and at not in missing for at, is_known in enumerate(known)]


def _tokens(text: str) -> int:
    return math.ceil(len(text.encode("utf-8", "replace")) / BYTES_A_TOKEN)


def _answer_tokens(clip: Clip) -> int:
    """Facts of both texts, most of them shared, so counted once, for the longer one."""
    longest = max(clip.expected, clip.got or "", key=len)
    words = max(len(longest.split()), len(longest.encode("utf-8", "replace")) // 8)
    return (1 + words // WORDS_A_FACT) * TOKENS_A_FACT


def find_judge(
    name: str,
    cache: Cache,
    *,
    base_url: str = "",
    key_env: str = "",
    batch: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> Judge:
    """The named model, or Gemini when its key is in the environment; `NoJudge` without a key.

    Nothing is asked yet: whether that may be is for `asking.may_ask` to say. A missing package is a
    `MissingDependency`; a name that cannot be understood an `InputError`.
    """
    if not name and not base_url and not os.environ.get(KEY):
        raise NoJudge(
            f"It asks a language model: set {KEY} in the environment and add --llm gemini, or name "
            "another model with --llm provider:model"
        )
    model = DEFAULT_MODEL if name in {"", "gemini"} else name
    return Judge(_load(model, cache, base_url, None, progress, key_env=key_env, batch=batch))


def judge_of(settings: SpeechSettings, context: Context) -> Judge | None:
    """The language model, or None after one warning that says how to get it."""
    if not isinstance(settings.llm, str):
        return Judge(settings.llm, settings.occurrence)
    if settings.llm == NO_MODEL:
        context.warn(
            f"The semantic error rate (ser) is left out: llm is '{NO_MODEL}', as it is where a "
            "configuration that is not trusted says what is scored. Name one with --llm, or trust "
            "the configuration: gistmeter trust FOLDER"
        )
        return None
    try:
        found = find_judge(
            settings.llm, context.cache, base_url=settings.llm_url, key_env=settings.llm_key_env,
            batch=settings.batch, progress=context.progress,
        )  # fmt: skip
        return replace(found, occurrence=settings.occurrence)
    except (NoJudge, MissingDependency) as error:
        context.leave_out(f"The semantic error rate (ser) is left out. {error}")
        return None


def limit_cost(
    judge: Judge,
    clips: Sequence[Clip],
    normalisations: Mapping[str, Normalisation],
    settings: SpeechSettings,
    context: Context,
) -> None:
    """Stop or ask before more is spent than the user allows."""
    limit = settings.max_cost
    if limit is None:
        return
    estimate = judge.total(clips, normalisations, settings.repeats, settings.verify)
    if estimate.cost is None and estimate.calls:
        context.warn(f"The price of {judge.name} is unknown, so --max-cost cannot be kept")
        return
    if not estimate.calls:
        return
    if (estimate.cost or 0.0) <= limit:
        # The estimate may be too low: the run stops before the limit all the same.
        asker = getattr(judge.llm, "asker", None)
        if asker is not None and hasattr(asker, "budget"):
            asker.budget = Budget(limit, (estimate.cost or 0.0) / estimate.calls)
        return
    context.say(str(estimate))
    question = f"That is over --max-cost {limit:g}. Go on?"
    if context.confirm is None or not context.confirm(question):
        raise InputError(
            f"About ${estimate.cost:.2f} would be spent, over --max-cost {limit:g}; nothing was run"
        )


def gemini(api_key: str | None, model: str = DEFAULT_MODEL) -> CachedLanguageModel:
    """Gemini with a key that is given or in the environment; nothing is kept on disk."""
    from gistmeter.core.cache import Cache

    return _load(model, Cache(None), "", api_key or None, None)


def _load(
    name: str,
    cache: Cache,
    base_url: str,
    api_key: str | None,
    progress: Callable[[str, int, int], None] | None,
    *,
    key_env: str = "",
    batch: bool = False,
) -> CachedLanguageModel:
    from gistmeter.models.llm import LanguageModelSettings, load_language_model, service

    full = service.full_name(name, base_url)
    settings = LanguageModelSettings(
        temperature=TEMPERATURE, base_url=base_url, key_env=key_env, batch=batch
    )
    try:
        key = service.find_key(full, settings, api_key)
        model = load_language_model(
            full, cache=cache, settings=settings, api_key=key, progress=progress
        )
        service.make_model(full, base_url, key)  # a provider's package may still be missing
    except (MissingDependency, Withheld):
        raise
    except InputError as error:
        if isinstance(error, NoKey) or "_API_KEY" in str(error):
            raise NoJudge(str(error)) from error
        raise
    return model
