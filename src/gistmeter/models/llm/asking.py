"""Asking a service with patience, and knowing when to stop.

Busy or failing services (429, 5xx, timeouts, broken connections) are asked again after a pause that
doubles, or as long as the service says; what a service refuses for good ends the asking at once. A
service that fails again and again is left alone: the rest of the run's questions stay unanswered
with the reason. What was answered is in the cache, so the same command asks only the rest.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from gistmeter.models.llm import Budget, Keep, LanguageModelSettings, Question, replies, service
from gistmeter.models.protocols import Answer

logger = logging.getLogger(__name__)
Value = TypeVar("Value")
LEAST_PAUSES = 30  # a service may be down for half a minute
WHOLE = 2  # times the time limit, for an answer and its correction together
RESUME = "Run the same command again later: what was answered is kept, and only the rest is asked"


@dataclass(slots=True)
class Breaker:
    """Counts failures in a row, whoever asked; once open it stays so."""

    limit: int
    least: float  # seconds from the first of them to the last
    failures: int = 0
    since: float = 0.0
    reason: str = ""

    def succeed(self) -> None:
        self.failures = 0

    def fail(self, reason: str, now: float) -> None:
        self.since = self.since if self.failures else now
        self.failures += 1
        if not self.reason and self.failures >= self.limit and now - self.since >= self.least:
            self.reason = f"not asked: {self.failures} failures in a row ({reason}). {RESUME}"
            logger.warning("No more questions are asked: %s. %s", reason, RESUME)


def model_id(name: str, settings: LanguageModelSettings) -> str:
    """The model with all that could change its answers, however it is asked."""
    parts = [name, f"t={settings.temperature:g}"]
    parts += [f"seed={settings.seed}"] if settings.seed is not None else []
    parts += [f"max={settings.max_tokens}"] if settings.max_tokens else []
    place = service.public_url(settings.base_url)
    return "/".join([*parts, f"at={place}"] if place else parts)


@dataclass(slots=True)
class ServiceAsker:
    """A language model behind an interface of the web."""

    name: str
    settings: LanguageModelSettings
    api_key: str | None = field(default=None, repr=False)
    budget: Budget | None = field(default=None, repr=False)
    breaker: Breaker = field(init=False, repr=False)

    def __post_init__(self) -> None:
        limit = max(self.settings.give_up, self.settings.attempts + 1)
        self.breaker = Breaker(limit, LEAST_PAUSES * self.settings.pause)

    @property
    def id(self) -> str:
        return model_id(self.name, self.settings)

    def answer(self, questions: Sequence[Question], keep: Keep) -> None:
        with service.log_warnings(self.name):
            run_anywhere(self._ask_all(questions, keep))

    async def _ask_all(self, questions: Sequence[Question], keep: Keep) -> None:
        gate = asyncio.Semaphore(max(1, self.settings.concurrency))
        refused: list[str] = []  # why the service will answer nothing more
        first = questions[0]
        client = service.http_client(
            self.settings.timeout, base_url=self.settings.base_url, api_key=self.api_key
        )
        agent = service.make_agent(
            self.name,
            first.schema,
            first.instructions,
            self.settings.base_url,
            self.api_key,
            client=client,
        )

        async def work(question: Question) -> None:
            async with gate:
                answer = await self._ask_within_budget(agent, question, refused)
            keep(question, answer)

        async with client, agent, asyncio.TaskGroup() as group:
            for question in questions:
                group.create_task(work(question))

    async def _ask_within_budget(
        self, agent: Any, question: Question, refused: list[str]
    ) -> Answer[Any]:
        if self.budget is None:
            return await self._ask_one(agent, question, refused)
        if reason := self.budget.admit():
            return Answer(None, failure=reason)
        answer: Answer[Any] = Answer(None)
        try:
            answer = await self._ask_one(agent, question, refused)
        finally:
            self.budget.settle(answer.cost)
        return answer

    async def _ask_one(self, agent: Any, question: Question, refused: list[str]) -> Answer[Any]:
        options = service.request_options(self.settings, question.sample)
        secrets = service.secrets_of(self.settings.base_url, self.api_key)
        trouble = replies.Trouble("never asked")
        spent = replies.Spent()
        for attempt in range(max(1, self.settings.attempts)):
            if refused or self.breaker.reason:
                why = refused[0] if refused else self.breaker.reason
                return self._priced(spent.failed(why))
            try:
                # The time limit of a request is one of silence: a drip would never end.
                with replies.record() as messages:
                    async with asyncio.timeout(WHOLE * self.settings.timeout):
                        result = await agent.run(question.prompt, model_settings=options)
            except Exception as error:
                spent.add(messages, secrets)
                trouble = replies.understand(error, secrets, keyed=bool(self.api_key))
                if trouble.final:
                    refused.append(trouble.reason)
                if not trouble.passing:
                    break
                self.breaker.fail(trouble.reason, time.monotonic())
                if attempt + 1 < self.settings.attempts:
                    logger.info("%s: asking again (%s)", self.name, trouble.reason)
                    await asyncio.sleep(trouble.wait or self.settings.pause * 2**attempt)
                continue
            self.breaker.succeed()
            return self._priced(spent.added_to(replies.read_answer(result, secrets)))
        return self._priced(spent.failed(trouble.reason, trouble.raw))

    def _priced(self, answer: Answer[Any]) -> Answer[Any]:
        """With its price, where that is known: a server of one's own has none."""
        if self.settings.base_url:
            return replace(answer, cost=None)
        if answer.cost is not None or not (answer.input_tokens or answer.output_tokens):
            return answer
        cost = service.estimate_cost(self.name, answer.input_tokens, answer.output_tokens)
        return replace(answer, cost=cost)


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
