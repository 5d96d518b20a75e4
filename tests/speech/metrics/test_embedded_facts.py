"""Tables of facts by clauses and a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from gistmeter import languages, score_speech
from gistmeter.models.protocols import TextPair, Verdicts
from gistmeter.speech.metrics.embedded_facts import EmbeddedFacts, clauses_of
from gistmeter.speech.metrics.normalizer import Normalisation

ENGLISH = Normalisation(languages.get("en"), "default")
SAID = "The clinic opens at nine, and Dr. Patel is in on Monday. Please do not eat before."


@dataclass
class SetJudge:
    """A judge with one answer for every pair."""

    entailment: float
    similarity: float = 0.0
    asked: list[TextPair] = field(default_factory=list)
    id: str = "set"

    def judge(self, pairs: Sequence[TextPair]) -> Verdicts:
        self.asked += pairs
        same = np.full(len(pairs), self.entailment)
        rest, alike = np.zeros(len(pairs)), np.full(len(pairs), self.similarity)
        return Verdicts(
            entailment=same, neutral=1 - same, contradiction=rest, entails=same, opposes=rest,
            survives=same, similarity=alike, changed=rest, unseen=rest,
        )  # fmt: skip


def table(got: str, entailment: float = 1.0) -> list[tuple[str, str]]:
    (judged,) = EmbeddedFacts(SetJudge(entailment)).tables([(SAID, got)], ENGLISH)
    return [(fact.verdict.value, fact.object) for fact in judged.facts]


def test_the_same_words_are_told_in_both_and_nobody_is_asked() -> None:
    judge = SetJudge(0.0)
    (judged,) = EmbeddedFacts(judge).tables([(SAID, SAID.lower().replace("nine", "9"))], ENGLISH)
    assert (judged.counts.both, judged.counts.missing, judged.counts.extra) == (3, 0, 0)
    assert judge.asked == []


def test_a_changed_fact_is_lost_and_another_put_in_whatever_the_judge_says() -> None:
    verdicts = table(
        "the clinic opens at ten and dr patel is in on monday please do not eat before"
    )
    assert ("expected", "The clinic opens at nine,") in verdicts
    assert ("got", "the clinic opens at ten") in verdicts
    assert [verdict for verdict, _ in verdicts].count("both") == 2


def test_silence_loses_all_and_one_word_again_and_again_too() -> None:
    assert {verdict for verdict, _ in table("")} == {"expected"}
    (copied,) = EmbeddedFacts(SetJudge(0.0)).tables([(SAID, "clinic " * 15)], ENGLISH)
    assert copied.counts.both == 0


def test_other_words_are_as_the_judge_says() -> None:
    got = "the clinic opens at nine and dr patel is there on monday please do not eat before"
    assert [verdict for verdict, _ in table(got, 1.0)].count("both") == 3


def test_all_facts_and_their_opposites_are_put_in() -> None:
    got = f"{SAID} The clinic opens at ten, and Dr. Battle is in on Friday. Please eat before."
    (judged,) = EmbeddedFacts(SetJudge(0.0)).tables([(SAID, got)], ENGLISH)
    assert judged.counts.extra > 0


@pytest.mark.parametrize(
    ("code", "text", "count"),
    [
        ("en", "Yes. He came on Monday, but she had left before him.", 2),
        ("zh", "他来了，我走了。", 1),
    ],
)
def test_clauses(code: str, text: str, count: int) -> None:
    assert len([one for one in clauses_of(text, languages.get(code)) if len(one) > 4]) == count


def test_the_run_says_whose_facts_they_are() -> None:
    run = score_speech([SAID] * 2, [SAID, ""], language="en", metrics=["ser"], facts="embedded")
    assert run.measured.values("ser").tolist() == [0.0, 100.0]
    assert "facts by the embedded judge" in str(run.measured.texts["ser_note"][0])
    assert "embedded-facts" in str(run.signature)
