"""Facts that differ between a sentence and its source."""

from __future__ import annotations

import numpy as np
import pytest

from book.book_doubles import book, make_metric
from gistmeter.book.metrics.changes import SourcedSentence, find_changes, pair_sources
from gistmeter.book.metrics.description import describe_change, document_name
from gistmeter.models.protocols import Verdicts

SOURCE = (
    "Nobody in the village had expected it.",
    "When Emma called on Harriet that evening, three lamps were burning in the hall.",
    "Their friend Mr. Weston did not stay.",
)


class Judge:
    """Contradicts every sentence with a word, and remembers what it was asked."""

    id = "judge-double"

    def __init__(self, word: str, passage: float = 1.0) -> None:
        self.word, self.passage, self.asked = word, passage, []

    def judge(self, pairs):
        self.asked += pairs
        wrong = np.array([
            (self.passage if len(first) > len(SOURCE[1]) else 1.0) * (self.word in second)
            for first, second in pairs
        ])  # fmt: skip
        nothing = np.zeros(len(pairs))
        right = 1 - wrong
        return Verdicts(
            entailment=right, neutral=nothing, contradiction=wrong, entails=right, opposes=wrong,
            survives=right, similarity=right, changed=wrong, unseen=nothing,
        )  # fmt: skip


def pairs(sentence: str, place: int = 1) -> list[SourcedSentence]:
    # Other sentences tell which words are names, wherever they stand.
    more = SourcedSentence(1, "So said Emma, and so said Harriet to Weston.", SOURCE[1])
    return [*pair_sources(SOURCE, [sentence], {0: place}), more]


def differing(sentence: str, place: int = 1, judge: Judge | None = None) -> list[str]:
    changes = find_changes(pairs(sentence, place), "en", judge).changes
    return [describe_change(alarm) for alarm in changes.get(0, [])]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Emma called on Harriet, and three lamps were burning.", []),
        ("When Emma called on Harriet, five lamps were burning.", ["number: three → five"]),
        ("When Harriet called on Emma that evening, three lamps were burning in the hall.",
         ["roles: Emma called on Harriet → Harriet called on Emma"]),
        ("When Elton called on Harriet that evening, three lamps were burning.",
         ["name: Emma → Elton"]),
        ("That evening Emma and Harriet saw three lamps burning in the hall.", []),
    ],
)  # fmt: skip
def test_the_rules_find_changed_facts(sentence, expected):
    assert differing(sentence) == expected


def test_a_denied_sentence_is_changed():
    assert differing("Their friend Mr. Weston stayed.", 2) == ["negation: not stay → stayed"]


def test_another_name_in_the_same_place_is_changed():
    assert differing("Their friend Mr. Harriet did not stay.", 2) == []  # the passage names her
    far = pair_sources((*SOURCE, "It rained.", "Mr. Weston rode home with Emma."), ["Mr. Knightley "
                     "rode home with Emma."], {0: 4})  # fmt: skip
    more = SourcedSentence(
        1, "Then Mr. Knightley and Mr. Weston rode.", "They saw Knightley, Weston."
    )
    changes = find_changes([*far, more], "en").changes
    assert [str(alarm) for alarm in changes[0]] == ["name: Weston → Knightley"]


def test_what_a_neighbour_tells_is_not_changed():
    merged = "Emma called on Harriet that evening, and Mr. Weston did not stay."
    assert differing(merged) == []


def test_the_judge_speaks_where_the_rules_are_silent_and_the_passage_agrees():
    sentence = "When Emma visited Harriet at night, the hall was dark."
    assert differing(sentence, judge=Judge("dark")) == ["meaning: contradicts its source"]
    assert differing(sentence, judge=Judge("dark", passage=0.2)) == []
    assert differing(sentence, judge=Judge("light")) == []


def test_the_judge_is_not_asked_about_cuts_and_copies_and_adds_nothing_to_what_the_rules_found():
    judge = Judge("lamps")
    assert differing("When Emma called, lamps were burning.", judge=judge) == []
    assert all("said" in second for _, second in judge.asked)
    found = differing("When Emma called on Harriet, five lamps were burning.", judge=judge)
    assert found == ["number: three → five"]


def test_changes_are_marked_in_both_texts():
    item = book("Book", " ".join(SOURCE), SOURCE[1].replace("three", "five"))
    metric = make_metric([item], coverage_threshold=0.5)
    rows = metric.measure([item])
    (entry,) = rows.details[document_name("Book", "summary")]["sentences"]
    start, end = entry["marks"]["sentence"][0]
    assert entry["sentence"][start:end] == "five"
    start, end = entry["marks"]["source"][0]
    assert SOURCE[1][start:end] == "three"
    assert metric.pool(rows)["changed"] == 1
