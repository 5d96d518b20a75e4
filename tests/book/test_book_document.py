"""The document of a book: the same after a round trip, and refused where it is not one."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

from book.book_doubles import SOURCE, SUMMARY, book, make_metric
from gistmeter import evaluate
from gistmeter.book.book_document import BookDocument, editions
from gistmeter.book.edition_alarms import AlarmReason, EditionAlarm, Person
from gistmeter.core.errors import FormatError

BOOK = book("The Lantern", SOURCE, f"{SUMMARY} Nine zebras flew to the moon.")


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    (document,) = make_metric([BOOK]).measure([BOOK]).details.values()
    return document


def test_a_document_is_the_same_after_a_round_trip(content):
    on_disk = json.loads(json.dumps(content))
    assert on_disk == content
    document = BookDocument.from_dict(on_disk)
    assert document.to_dict() == content
    assert document.title == "The Lantern" and document.system == "summary"
    assert [entry.sentence for entry in document.invented] == ["Nine zebras flew to the moon."]
    assert document.chapter_title(5) == "Chapter 2"
    assert document.largest_cuts == sorted(document.cuts, key=lambda cut: -cut.words)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["title"], 7),
        (["sentences"], {"0": "text"}),
        (["sentences", 0, "sentence"], None),
        (["sentences", 0, "place"], 99),
        (["sentences", 0, "home"], -1),
        (["sentences", 0, "best_source_index"], True),
        (["sentences", 0, "topk"], [[0, 0.5, 1]]),
        (["sentences", 0, "topk"], [[8, 0.5]]),
        (["sentences", 0, "changed"], "number: 3"),
        (["sentences", 0, "evidence"], float("nan")),
        (["chapters", 0, "last"], 8),
        (["chapters", 0], {"title": "I"}),
        (["cuts"], [{"first": 0, "last": 10**9, "words": 1, "chapter": 0, "whole": True}]),
        (["path"], [[0, 99]]),
        (["heat_map", "values"], [["1"]]),
        (["source"], ["a", "b"]),
    ],
)
def test_what_is_no_document_is_refused(content, path, value):
    broken = copy.deepcopy(content)
    holder = broken
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    with pytest.raises(FormatError):
        BookDocument.from_dict(broken)


def test_a_broken_document_is_left_out_of_a_runs_editions(content):
    run = evaluate([BOOK], {"alignment": make_metric([BOOK])}, resamples=0)
    (edition,) = editions(run)
    assert (edition.system, edition.book.title) == ("summary", "The Lantern")
    broken = {**content, "sentences": 3}
    assert editions(run, {"a.json": broken, "b.json": None, "c.json": {"kind": "other"}}) == []


def test_alarms_and_people_come_back_as_values(content):
    reason = AlarmReason("number", "two", "three", 1, (4, 7), (4, 9))
    alarms = (
        EditionAlarm("changed", 0.95, "sure", 0, 0, 0, 1, (reason,)),
        EditionAlarm("moved", 0.4, "all", 1, 2, 4, 5, (AlarmReason("order"),)),
    )
    document = replace(
        BookDocument.from_dict(content), alarms=alarms, people=(Person(("Mr. Hale", "Hale"), 3),)
    )
    same = BookDocument.from_dict(json.loads(json.dumps(document.to_dict())))
    assert same == document
    assert same.shown_alarms == [alarms[0]]
    assert str(reason) == "number: two → three"


@pytest.mark.parametrize(
    "wrong", [{"first": 999}, {"start": 999}, {"kind": "dull"}, {"level": "loud"}]
)
def test_an_alarm_that_has_no_place_or_kind_is_refused(content, wrong):
    alarm = replace(EditionAlarm("changed", 0.9, "sure", 0, 0, 0, 0), **wrong)
    document = replace(BookDocument.from_dict(content), alarms=(alarm,))
    with pytest.raises(FormatError, match="alarms"):
        BookDocument.from_dict(json.loads(json.dumps(document.to_dict())))
