"""Language models: a prompt to a validated answer, through the cache.

Names are `provider:model` (google:gemini-…, openai:…, anthropic:…, ollama:…); a plain gemini-…,
claude-… or gpt-… finds its provider by itself, and with a base URL any OpenAI-compatible server
does (Ollama, vLLM, llama.cpp). An object with an `id` and a method `ask` is as good as a name.
Every answer is kept as soon as it is there: it was paid for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from gistmeter.core.cache import Cache, Key, keys
from gistmeter.core.errors import InputError
from gistmeter.core.signature import digest
from gistmeter.models.cached import Progress
from gistmeter.models.protocols import Answer

if TYPE_CHECKING:
    from gistmeter.models.protocols import LanguageModel

WRONG_FORM = "the answer was not of the form asked for"
KEPT_WRONG = f"{WRONG_FORM} (kept from an earlier run; --no-cache asks again)"
Keep = Callable[["Question", Answer[Any]], None]


@dataclass(frozen=True, slots=True)
class LanguageModelSettings:
    """How a language model is asked; temperature, seed and limits are part of its id."""

    temperature: float = 0.0
    seed: int | None = None
    max_tokens: int = 0  # of an answer; 0: the service's own limit
    base_url: str = field(default="", repr=False)  # of an OpenAI-compatible server; may hold a key
    key_env: str = ""  # the variable of the key; needed where base_url is not the provider's own
    concurrency: int = 4  # questions under way at once
    attempts: int = 5  # of each question, before it is left unanswered
    pause: float = 1.0  # seconds before the second attempt; doubles with each
    timeout: float = 120.0  # seconds for an answer
    batch: bool = False  # through the provider's batch interface: half the price, within a day
    poll: float = 30.0  # seconds between two looks at a batch
    give_up: int = 8  # failures in a row, over at least 30 pauses, before nothing more is asked


@dataclass(slots=True)
class Usage:
    """What a run asked and what it cost. Answers from the cache cost nothing."""

    calls: int = 0
    cached: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0  # answers of unknown price

    def add(self, answer: Answer[Any]) -> None:
        if answer.cached:
            self.cached += 1
            return
        self.calls += 1
        self.failed += bool(answer.failure)
        self.input_tokens += answer.input_tokens
        self.output_tokens += answer.output_tokens
        self.cost += answer.cost or 0.0
        self.unpriced += answer.cost is None and (not answer.failure or answer.output_tokens > 0)


@dataclass(slots=True)
class Budget:
    """Money that may be spent: nothing is asked that could go over the limit.

    A call is taken to cost as much as the dearest one so far, or the estimate before any was made.
    """

    limit: float
    a_call: float
    spent: float = 0.0
    under_way: int = 0
    calls: int = 0
    dearest: float = 0.0

    def admit(self) -> str:
        """Count a call as under way, or say why it is not made."""
        price = self.dearest if self.calls else self.a_call
        if self.spent + (self.under_way + 1) * price > self.limit:
            return (
                f"not asked: ${self.spent:.4f} is spent, and another call of about ${price:.4f}"
                f" could go over the limit of ${self.limit:g}"
            )
        self.under_way += 1
        return ""

    def settle(self, cost: float | None) -> None:
        """A call is done, and cost so much."""
        self.under_way -= 1
        self.calls += 1
        self.spent += cost or 0.0
        self.dearest = max(self.dearest, cost or 0.0)


@dataclass(frozen=True, slots=True)
class Question:
    key: Key
    prompt: str
    schema: type[Any]
    instructions: str
    sample: int


class Asker(Protocol):
    """Whoever answers what is not in the cache."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    def answer(self, questions: Sequence[Question], keep: Keep) -> None:
        """Call `keep` with every question and its answer, as soon as that is there."""


def load_language_model(
    name: str | LanguageModel,
    *,
    cache: Cache,
    settings: LanguageModelSettings | None = None,
    api_key: str | None = None,
    progress: Progress | None = None,
) -> CachedLanguageModel:
    """The model behind a name, or an object of the caller's own, with the cache before it.

    An error where the library or the key of a service is missing, or the object is no model.
    """
    settings = settings or LanguageModelSettings()
    if isinstance(name, CachedLanguageModel):
        return name
    if not isinstance(name, str):
        from gistmeter.models.own_models import check

        check("llm", name)
        return CachedLanguageModel(PlainAsker(name), cache, settings=settings, progress=progress)
    from gistmeter.models.llm import service
    from gistmeter.models.llm.asking import ServiceAsker

    full = service.full_name(name, settings.base_url)
    api_key = service.find_key(full, settings, api_key)
    asker: Asker = ServiceAsker(full, settings, api_key)
    if settings.batch:
        from gistmeter.models.llm.batch import BatchAsker

        asker = BatchAsker(full, settings, cache, api_key)
    return CachedLanguageModel(asker, cache, settings=settings, progress=progress)


@dataclass(slots=True)
class CachedLanguageModel:
    """A `LanguageModel` that remembers its answers and counts what they cost."""

    asker: Asker
    cache: Cache
    settings: LanguageModelSettings = field(default_factory=LanguageModelSettings)
    progress: Progress | None = field(default=None, repr=False)
    usage: Usage = field(default_factory=Usage)

    def __reduce__(self) -> Any:
        raise InputError(
            f"{self.name} is asked by one process, which counts what it costs: use --engine local,"
            " or leave its scores out by --metrics"
        )

    @property
    def id(self) -> str:
        return self.asker.id

    @property
    def name(self) -> str:
        return self.asker.name

    def ask(
        self, prompts: Sequence[str], schema: type[Any], *, instructions: str = "", sample: int = 0
    ) -> list[Answer[Any]]:
        """An answer of the given pydantic model for each prompt, or why there is none."""
        wanted = self._keys(prompts, schema, instructions, sample)
        answers = self._recall(wanted, schema)
        for answer in answers.values():
            self.usage.add(answer)
        missing = dict(zip(wanted, prompts, strict=True))
        questions = [
            Question(key, prompt, schema, instructions, sample)
            for key, prompt in missing.items()
            if key not in answers
        ]
        done: dict[Key, Answer[Any]] = {}

        def keep(question: Question, answer: Answer[Any]) -> None:
            done[question.key] = answer
            self.usage.add(answer)
            if answer.failure in {"", WRONG_FORM}:  # a wrong one was paid for, too
                self._keep(question.key, answer)
            if self.progress is not None:
                self.progress("asking", len(done), len(questions))

        if questions:
            self.asker.answer(questions, keep)
        answers |= done
        return [answers[key] for key in wanted]

    def known(
        self, prompts: Sequence[str], schema: type[Any], *, instructions: str = "", sample: int = 0
    ) -> list[bool]:
        """For each prompt whether its answer is there already, so that asking costs nothing."""
        wanted = self._keys(prompts, schema, instructions, sample)
        answers = self._recall(wanted, schema)
        return [key in answers for key in wanted]

    def _keys(
        self, prompts: Sequence[str], schema: type[Any], instructions: str, sample: int
    ) -> list[Key]:
        form = digest(schema.model_json_schema())
        return keys(self.id, ([prompt, instructions, form, sample] for prompt in prompts))

    def _recall(self, wanted: Sequence[Key], schema: type[Any]) -> dict[Key, Answer[Any]]:
        """Earlier answers that still have the right form."""
        answers = {}
        for key, raw in self.cache.get_many(wanted).items():
            try:
                answers[key] = _read_stored(json.loads(raw), schema)
            except (ValueError, KeyError, TypeError):
                continue
        return answers

    def _keep(self, key: Key, answer: Answer[Any]) -> None:
        value: Any = answer.value
        stored = {
            "value": None if answer.failure else value.model_dump_json(),
            "raw": answer.raw,
            "input": answer.input_tokens,
            "output": answer.output_tokens,
            "cost": answer.cost,
        }
        self.cache.put_many(
            {key: json.dumps(stored, ensure_ascii=False).encode("utf-8", "replace")}
        )


def read_json(raw: str, schema: type[Any], input_tokens: int, output_tokens: int) -> Answer[Any]:
    """The answer that stands in a text; a failure where it has not the form asked for."""
    try:
        value, failure = schema.model_validate_json(raw), ""
    except ValueError:
        value, failure = None, WRONG_FORM
    return Answer(value, raw, failure, input_tokens, output_tokens)


def _read_stored(stored: Mapping[str, Any], schema: type[Any]) -> Answer[Any]:
    kept = stored["value"]
    return Answer(
        None if kept is None else schema.model_validate_json(kept),
        str(stored["raw"]),
        KEPT_WRONG if kept is None else "",
        input_tokens=int(stored["input"]),
        output_tokens=int(stored["output"]),
        cost=None if stored["cost"] is None else float(stored["cost"]),
        cached=True,
    )


@dataclass(frozen=True, slots=True)
class PlainAsker:
    """The caller's own language model; what it answers is checked."""

    model: LanguageModel

    @property
    def id(self) -> str:
        return self.model.id

    @property
    def name(self) -> str:
        return self.model.id

    def answer(self, questions: Sequence[Question], keep: Keep) -> None:
        first = questions[0]
        try:
            given = list(
                self.model.ask(
                    [question.prompt for question in questions],
                    first.schema,
                    instructions=first.instructions,
                    sample=first.sample,
                )
            )
        except InputError:
            raise
        except Exception as error:  # the caller's own code
            from gistmeter.models.batching import describe_failure

            given = [Answer(None, failure=describe_failure(error))] * len(questions)
        if len(given) != len(questions):
            reason = f"the model gave {len(given)} answers to {len(questions)} prompts"
            given = [Answer(None, failure=reason)] * len(questions)
        for question, answer in zip(questions, given, strict=True):
            keep(question, _checked(answer, question.schema))


def _checked(answer: Any, schema: type[Any]) -> Answer[Any]:
    if not isinstance(answer, Answer):
        return Answer(None, failure=f"the model gave {type(answer).__name__}, not an Answer")
    if answer.failure:
        return replace(answer, value=None)
    if not isinstance(answer.value, schema):
        return replace(answer, value=None, failure=WRONG_FORM)
    return answer
