"""One answer of the language model about one pair, read, checked and, where asked, disputed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gistmeter.models.protocols import Answer
from gistmeter.speech.metrics.facts.occurrence import check
from gistmeter.speech.metrics.facts.verdicts import FactCounts, SemanticFact, Verdict, count_facts

NO_FACTS = "no facts in the expected text"
NOT_THERE = "no fact of the answer occurs in the texts"
TOLD = {
    "both": Verdict.BOTH,
    "first": Verdict.GOT,  # the second question shows the transcript first
    "second": Verdict.EXPECTED,
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """The facts that one answer gives, on the sides where they occur."""

    facts: tuple[SemanticFact, ...] = ()
    failure: str = ""
    claimed: int = 0  # facts in the answer as it came
    corrected: int = 0  # facts whose verdict the texts contradict
    dropped: int = 0  # facts that occur nowhere; a strict check leaves them out
    untold: int = 0  # words that were lost, and no fact tells of
    disputed: int = 0  # facts that a second question saw elsewhere
    record: Mapping[str, Any] = field(default_factory=dict)  # the answers as they came

    @property
    def counts(self) -> FactCounts:
        return count_facts(self.facts)

    @property
    def reason(self) -> str:
        """Why there is no rate; empty where there is one."""
        if self.failure or not math.isnan(self.counts.ser):
            return self.failure
        return NOT_THERE if self.claimed and not self.facts and self.dropped else NO_FACTS


def read_answer(
    expected: str, got: str, answer: Answer[Any], normalise: Callable[[str], str] = str, **how: Any
) -> Judgement:
    """An answer's facts, each once, checked against the texts (see `occurrence.check`)."""
    record = {
        "raw": answer.raw,
        "input_tokens": answer.input_tokens,
        "output_tokens": answer.output_tokens,
        "cost": answer.cost,
    }
    if answer.value is None:
        return Judgement(failure=answer.failure or "the model gave no answer", record=record)
    facts: dict[tuple[str, str, str], SemanticFact] = {}
    for one in answer.value.facts:
        fact = SemanticFact(one.subject, one.predicate, one.object, Verdict(one.verdict))
        facts.setdefault(fact.key, fact)
    checked = check(list(facts.values()), expected, got, normalise, **how)
    return Judgement(
        checked.facts, "", len(facts), checked.corrected, checked.dropped, checked.untold,
        record=record,
    )  # fmt: skip


def dispute(judgement: Judgement, answer: Answer[Any]) -> Judgement:
    """Without the facts that a second answer sees elsewhere; it changes nothing where it failed."""
    record = {**judgement.record, "verification": answer.raw or answer.failure}
    if answer.value is None:
        return replace(judgement, record=record)
    told = {one.number: TOLD.get(one.told) for one in answer.value.verdicts}
    kept = tuple(
        fact
        for number, fact in enumerate(judgement.facts, 1)
        if number not in told or told[number] is fact.verdict
    )
    disputed = len(judgement.facts) - len(kept)
    return replace(judgement, facts=kept, disputed=disputed, record=record)


def median_judgement(answers: Sequence[Judgement]) -> Judgement:
    """The answer with the median rate (the lower middle one); the first where none has a rate."""
    valid = sorted((one for one in answers if not one.reason), key=lambda one: one.counts.ser)
    return valid[(len(valid) - 1) // 2] if valid else answers[0]


def flips(answers: Sequence[Judgement]) -> int:
    """How many facts got different verdicts in different answers."""
    seen: dict[tuple[str, str, str], set[Verdict]] = {}
    for one in answers:
        for fact in one.facts:
            seen.setdefault(fact.key, set()).add(fact.verdict)
    return sum(len(verdicts) > 1 for verdicts in seen.values())
