"""Batches: all questions at once, at half the price, answered within a day.

Which batch a question is in is kept in the cache from the moment the batch is made: a command that
was stopped, or a machine that went down, finds its batches again and pays for nothing twice.
Answers are those of the same model to the same question, so they share the cache with answers that
were asked for one by one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from gistmeter.core.cache import Cache, keys
from gistmeter.core.errors import InputError, ModelError
from gistmeter.models.llm import Budget, Keep, LanguageModelSettings, Question, service
from gistmeter.models.llm.asking import model_id
from gistmeter.models.protocols import Answer

logger = logging.getLogger(__name__)
OURS, LIBRARY = ("openai", "openai-chat"), ("anthropic", "google")
MOST = 20_000  # questions in one batch; the providers take 50,000 and more


class BatchLost(ModelError):
    """The service does not know a batch any more."""


class Batches(Protocol):
    """The batch interface of a provider."""

    def create(self, questions: Sequence[Question]) -> str:
        """Hand the questions in; what is returned finds the batch again, on any day."""

    def answers(
        self, batch: str, asked: Mapping[str, Question]
    ) -> Iterator[tuple[str, Answer[Any]]]:
        """Wait for a batch, and give the answers that it has by the questions' names."""


def batches_of(name: str, settings: LanguageModelSettings, api_key: str | None) -> Batches:
    """OpenAI's interface is spoken here, since other servers have it too; others by the library."""
    provider = name.partition(":")[0]
    if provider in OURS:
        from gistmeter.models.llm.batch_openai import OpenAIBatches

        return OpenAIBatches(name, settings, api_key)
    if provider in LIBRARY:
        from gistmeter.models.llm.batch_library import LibraryBatches

        return LibraryBatches(name, settings, api_key)
    raise InputError(
        f"'{name}' has no batch interface that is known here. Models of OpenAI, Anthropic and "
        "Google have one, and servers of your own with the same interface as OpenAI's "
        "(--llm openai:NAME --llm-url)"
    )


@dataclass(slots=True)
class BatchAsker:
    """A language model behind a batch interface."""

    name: str
    settings: LanguageModelSettings
    cache: Cache
    api_key: str | None = field(default=None, repr=False)
    budget: Budget | None = field(default=None, repr=False)
    batches: Batches = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.batches = batches_of(self.name, self.settings, self.api_key)

    @property
    def id(self) -> str:
        return model_id(self.name, self.settings)

    def answer(self, questions: Sequence[Question], keep: Keep) -> None:
        asked = {question.key.hex(): question for question in questions}
        waiting = self._known(questions)
        fresh = [each for each in questions if each.key.hex() not in set().union(*waiting.values())]
        for part in self._admitted(fresh, keep):
            batch = self.batches.create(part)
            self._remember(part, batch)
            logger.info("%d questions are in a batch of %s", len(part), self.name)
            waiting[batch] = {question.key.hex() for question in part}
        for batch, names in waiting.items():
            self._collect(batch, {name: asked[name] for name in names}, keep)

    def _collect(self, batch: str, asked: Mapping[str, Question], keep: Keep) -> None:
        """Hand a batch's answers on; what it did not answer can be asked again."""
        left, reason = dict(asked), "the batch ended without an answer"
        try:
            for name, answer in self.batches.answers(batch, asked):
                if name in left:
                    self._settle(left.pop(name), answer, keep)
        except BatchLost as error:
            reason = str(error)
        for question in left.values():
            self._settle(question, Answer(None, failure=reason), keep)

    def _settle(self, question: Question, answer: Answer[Any], keep: Keep) -> None:
        taken, given = answer.input_tokens, answer.output_tokens
        if (taken or given) and not self.settings.base_url:
            whole = service.estimate_cost(self.name, taken, given)
            answer = replace(answer, cost=None if whole is None else whole * service.BATCH_SHARE)
        if self.budget:
            self.budget.settle(answer.cost)
        keep(question, answer)
        if answer.failure:
            self._remember([question], "")  # the next run asks it anew

    # Which batch a question is in

    def _places(self, questions: Sequence[Question]) -> list[bytes]:
        return keys(f"batch/{self.id}", [question.key.hex() for question in questions])

    def _known(self, questions: Sequence[Question]) -> dict[str, set[str]]:
        """Batches that were made before, with those of the questions that they hold."""
        places = self._places(questions)
        stored = self.cache.get_many(places)
        batches: dict[str, set[str]] = {}
        for place, question in zip(places, questions, strict=True):
            if batch := stored.get(place, b"").decode("utf-8", "replace"):
                batches.setdefault(batch, set()).add(question.key.hex())
        return batches

    def _remember(self, questions: Sequence[Question], batch: str) -> None:
        self.cache.put_many(dict.fromkeys(self._places(questions), batch.encode()))

    def _admitted(self, fresh: Sequence[Question], keep: Keep) -> Iterator[list[Question]]:
        """The questions that may be paid for, in batches."""
        admitted = []
        for question in fresh:
            reason = self.budget.admit() if self.budget else ""
            if reason:
                keep(question, Answer(None, failure=reason))
            else:
                admitted.append(question)
        for start in range(0, len(admitted), MOST):
            yield admitted[start : start + MOST]
