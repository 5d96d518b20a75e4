"""What asking a language model about facts would cost.

The estimate is made before anything is asked, and leaves out what the cache already answers. It
counts a token for every four bytes of UTF-8, and for the answer about one fact in ten words with
45 tokens a fact; a call takes two seconds and a second more for every 60 tokens of its answer.
A model that reasons before it answers is estimated with 1,500 tokens more and twice the answer.
Answers in the cache correct all that: the rest is taken to need as many tokens as they did.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from gistmeter.core.types import Clip
from gistmeter.models.llm import CachedLanguageModel, Usage
from gistmeter.speech.metrics.fact_prompt import FACTS, VERDICTS, build_prompt
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.semantic_error import SemanticErrorRate

BYTES_A_TOKEN, WORDS_A_FACT, TOKENS_A_FACT = 4, 10, 45
REASONING_TOKENS, REASONING_SHARE = 1500, 2  # before an answer: at least, and of its own length
REASONS = re.compile(
    r"gemini-(?:2\.5-pro|3|[4-9])|(?:^|[:/])o[1-9]\b|gpt-5|thinking|reason|deepseek-r|qwq|magistral",
    re.IGNORECASE,
)
SECONDS_A_CALL, TOKENS_A_SECOND = 2.0, 60


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
class FactModel:
    """A language model that can be asked about facts, and what that would cost."""

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
        first, *others = (
            self.estimate(
                [clip for clip in clips if clip.language == code], normalisation, repeats, verify
            )
            for code, normalisation in normalisations.items()
        )
        return sum(others, first)

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
        if not isinstance(self.llm, CachedLanguageModel):
            most = len(asked) * repeats * (2 if verify else 1)
            return CostEstimate(self.name, most, 0, 0, 0, None, most * SECONDS_A_CALL)
        prompts = [
            build_prompt(clip.expected, clip.got or "", normalisation.code) for clip in asked
        ]
        answers = self._answer_sizes(asked, prompts)
        calls = cached = taken = given = 0
        for sample in range(repeats):
            known = FACTS.known(self.llm, prompts, sample)
            cached += sum(known)
            for prompt, size, is_known in zip(prompts, answers, known, strict=True):
                if not is_known:
                    calls += 1
                    taken += _tokens(FACTS.instructions + prompt)
                    given += size
            if not verify:
                continue
            verified = self._verified(asked, prompts, known, normalisation, sample)
            for prompt, size, is_verified in zip(prompts, answers, verified, strict=True):
                if not is_verified:
                    calls += 1
                    taken += _tokens(VERDICTS.instructions + prompt) + size
                    given += size // 3
        settings = self.llm.settings
        seconds = (calls * SECONDS_A_CALL + given / TOKENS_A_SECOND) / max(1, settings.concurrency)
        # A server of one's own has no price.
        cost = None if settings.base_url else estimate_cost(self.name, taken, given)
        if cost is not None and settings.batch:
            cost *= BATCH_SHARE
        return CostEstimate(self.name, calls, cached, taken, given, cost, seconds)

    def _answer_sizes(self, clips: Sequence[Clip], prompts: Sequence[str]) -> list[int]:
        """Tokens of each answer, with what a model reasons before it; by cached answers if any."""
        plain = [_answer_tokens(clip) for clip in clips]
        llm = replace(self.llm, usage=Usage())  # nothing of this is to be counted
        there = [at for at, is_known in enumerate(FACTS.known(llm, prompts)) if is_known]
        answers = FACTS.ask(llm, [prompts[at] for at in there])
        if tokens := sum(answer.output_tokens for answer in answers):
            factor = tokens / sum(plain[at] for at in there)
            return [round(factor * size) for size in plain]
        if REASONS.search(self.name):
            return [size + REASONING_TOKENS + REASONING_SHARE * size for size in plain]
        return plain

    def _verified(
        self,
        clips: Sequence[Clip],
        prompts: Sequence[str],
        known: Sequence[bool],
        normalisation: Normalisation,
        sample: int,
    ) -> list[bool]:
        """For each clip whether its second question, too, is answered or need not be asked."""
        there = [at for at, is_known in enumerate(known) if is_known]
        llm = replace(self.llm, usage=Usage())  # nothing of this is to be counted
        metric = SemanticErrorRate(llm, normalisation, verify=True, occurrence=self.occurrence)
        pairs = [(clips[at].expected, clips[at].got or "") for at in there]
        answers = FACTS.ask(llm, [prompts[at] for at in there], sample)
        questions = metric.verifications(pairs, metric.read(pairs, answers))
        answered = VERDICTS.known(llm, list(questions.values()), sample)
        missing = {there[at] for at, done in zip(questions, answered, strict=True) if not done}
        return [is_known and at not in missing for at, is_known in enumerate(known)]


def _tokens(text: str) -> int:
    return math.ceil(len(text.encode("utf-8", "replace")) / BYTES_A_TOKEN)


def _answer_tokens(clip: Clip) -> int:
    """Facts of both texts, most of them shared, so counted once, for the longer one."""
    longest = max(clip.expected, clip.got or "", key=len)
    words = max(len(longest.split()), len(longest.encode("utf-8", "replace")) // 8)
    return (1 + words // WORDS_A_FACT) * TOKENS_A_FACT
