"""Language models: a prompt to a validated answer, through pydantic-ai and the cache.

Names are `provider:model` (google:gemini-…, openai:…, anthropic:…, ollama:…); a plain gemini-…,
claude-… or gpt-… finds its provider by itself, and with a base URL any OpenAI-compatible server
does (Ollama, vLLM, llama.cpp). Keys come from the environment, as each provider names them, and
appear nowhere. Busy or failing services (429, 5xx, timeouts, broken connections) are asked again
after a pause that doubles, or as long as the service says; what a service refuses for good ends the
asking. Every answer is kept as soon as it is there: it was paid for.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from gistmeter.cache import Cache, Key, keys
from gistmeter.models import llm_service as service
from gistmeter.models.protocols import Answer
from gistmeter.models.recall import Progress
from gistmeter.signature import digest

logger = logging.getLogger(__name__)
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class LanguageModelSettings:
    """How a language model is asked; temperature, seed and limits are part of its id."""

    temperature: float = 0.0
    seed: int | None = None
    max_tokens: int = 0  # of an answer; 0: the service's own limit
    base_url: str = ""  # of an OpenAI-compatible server, or another place of a provider
    concurrency: int = 4  # questions under way at once
    attempts: int = 5  # of each question, before it is left unanswered
    pause: float = 1.0  # seconds before the second attempt; doubles with each
    timeout: float = 120.0  # seconds for an answer


@dataclass(slots=True)
class Usage:
    """What a run asked and what it cost. Answers from the cache cost nothing."""

    calls: int = 0
    cached: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0  # answers whose price nobody knows

    def add(self, answer: Answer[Any]) -> None:
        if answer.cached:
            self.cached += 1
            return
        self.calls += 1
        self.failed += bool(answer.failure)
        self.input_tokens += answer.input_tokens
        self.output_tokens += answer.output_tokens
        self.cost += answer.cost or 0.0
        self.unpriced += answer.cost is None and not answer.failure


def load_language_model(
    name: str,
    *,
    cache: Cache,
    settings: LanguageModelSettings | None = None,
    api_key: str | None = None,
    progress: Progress | None = None,
) -> CachedLanguageModel:
    """The model behind a name; an error where its library or its key is missing."""
    settings = settings or LanguageModelSettings()
    full = service.full_name(name, settings.base_url)
    service.check(full, settings.base_url, api_key)
    return CachedLanguageModel(full, settings, cache, api_key=api_key, progress=progress)


@dataclass(frozen=True, slots=True)
class _Question:
    key: Key
    prompt: str
    schema: type[Any]
    instructions: str
    sample: int


@dataclass(slots=True)
class CachedLanguageModel:
    """A `LanguageModel` that remembers its answers and counts what they cost."""

    name: str
    settings: LanguageModelSettings
    cache: Cache
    api_key: str | None = field(default=None, repr=False)
    progress: Progress | None = field(default=None, repr=False)
    usage: Usage = field(default_factory=Usage)

    @property
    def id(self) -> str:
        parts = [self.name, f"t={self.settings.temperature:g}"]
        parts += [f"seed={self.settings.seed}"] if self.settings.seed is not None else []
        parts += [f"max={self.settings.max_tokens}"] if self.settings.max_tokens else []
        parts += [f"at={self.settings.base_url}"] if self.settings.base_url else []
        return "/".join(parts)

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
            _Question(key, prompt, schema, instructions, sample)
            for key, prompt in missing.items()
            if key not in answers
        ]
        if questions:
            with service.log_warnings(self.name):
                answers |= run_anywhere(self._ask_all(questions))
        return [answers[key] for key in wanted]

    def known(
        self, prompts: Sequence[str], schema: type[Any], *, instructions: str = "", sample: int = 0
    ) -> list[bool]:
        """For each prompt whether its answer is there already, so that asking costs nothing."""
        wanted = self._keys(prompts, schema, instructions, sample)
        found = self._recall(wanted, schema)
        return [key in found for key in wanted]

    def _keys(
        self, prompts: Sequence[str], schema: type[Any], instructions: str, sample: int
    ) -> list[Key]:
        form = digest(schema.model_json_schema())
        return keys(self.id, ([prompt, instructions, form, sample] for prompt in prompts))

    def _recall(self, wanted: Sequence[Key], schema: type[Any]) -> dict[Key, Answer[Any]]:
        """Earlier answers that still have the right form."""
        found = {}
        for key, raw in self.cache.get_many(wanted).items():
            try:
                stored = json.loads(raw)
                value = schema.model_validate_json(stored["value"])
                found[key] = Answer(
                    value,
                    str(stored["raw"]),
                    input_tokens=int(stored["input"]),
                    output_tokens=int(stored["output"]),
                    cost=stored["cost"],
                    cached=True,
                )
            except (ValueError, KeyError, TypeError):
                continue
        return found

    async def _ask_all(self, questions: Sequence[_Question]) -> dict[Key, Answer[Any]]:
        gate = asyncio.Semaphore(max(1, self.settings.concurrency))
        refused: list[str] = []  # why the service will answer nothing more
        done: dict[Key, Answer[Any]] = {}
        first = questions[0]
        agent = service.make_agent(
            self.name, first.schema, first.instructions, self.settings.base_url, self.api_key
        )

        async def work(question: _Question) -> None:
            async with gate:
                answer = await self._ask_one(agent, question, refused)
            done[question.key] = answer
            self.usage.add(answer)
            if self.progress is not None:
                self.progress("asking", len(done), len(questions))

        async with agent, asyncio.TaskGroup() as group:
            for question in questions:
                group.create_task(work(question))
        return done

    async def _ask_one(self, agent: Any, question: _Question, refused: list[str]) -> Answer[Any]:
        options = service.request_options(self.settings, question.sample)
        for attempt in range(max(1, self.settings.attempts)):
            if refused:
                return Answer(None, failure=refused[0])
            try:
                result = await agent.run(question.prompt, model_settings=options)
            except Exception as error:
                trouble = service.understand(error, self.api_key)
                if trouble.final:
                    refused.append(trouble.reason)
                if not trouble.passing or attempt + 1 >= self.settings.attempts:
                    return Answer(None, raw=trouble.raw, failure=trouble.reason)
                logger.info("%s: asking again (%s)", self.name, trouble.reason)
                await asyncio.sleep(trouble.wait or self.settings.pause * 2**attempt)
                continue
            answer = service.read_answer(result)
            # A server of one's own has no price, whatever its model is called.
            answer = replace(answer, cost=None) if self.settings.base_url else answer
            self._keep(question.key, answer, result.output.model_dump_json())
            return answer
        return Answer(None, failure="never asked")

    def _keep(self, key: Key, answer: Answer[Any], value: str) -> None:
        stored = {
            "value": value,
            "raw": answer.raw,
            "input": answer.input_tokens,
            "output": answer.output_tokens,
            "cost": answer.cost,
        }
        self.cache.put_many({key: json.dumps(stored, ensure_ascii=False).encode()})


def run_anywhere(coroutine: Coroutine[Any, Any, Value]) -> Value:
    """The result of a coroutine, also where an event loop already runs (in a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    outcome: dict[str, Any] = {}

    def work() -> None:
        try:
            outcome["value"] = asyncio.run(coroutine)
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    if "error" in outcome:
        raise outcome["error"]
    value: Value = outcome["value"]
    return value
