"""Who is said to be most faithful: no surer than the data are."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from book.book_doubles import SOURCE, book, make_metric
from gistmeter import evaluate
from gistmeter.book.book_document import BookDocument, ChapterFindings
from gistmeter.book.verdict import missing_chapters, rank_editions
from gistmeter.core.comparison import Comparison, Findings, PairedDifference
from gistmeter.core.comparison.ranking import rank
from gistmeter.core.types import Score


def run(**editions: dict[str, float]) -> Any:
    held = {
        name: SimpleNamespace(
            scores={
                score: Score(score, value, n=9, higher_is_better=score != "changed")
                for score, value in scores.items()
            }
        )
        for name, scores in editions.items()
    }
    return SimpleNamespace(
        systems=held, metrics={"alignment": SimpleNamespace(resampled="passages")}
    )


def findings(p: float, *, clusters: int = 20, note: str = "") -> Findings:
    pair = PairedDifference("one", "two", -0.3, p_corrected=p, clusters=clusters, note=note)
    scores = {name: Score("fidelity", value) for name, value in (("one", 0.5), ("two", 0.8))}
    return Findings((Comparison("fidelity", (pair,), scores, rank(scores, [pair])),))


def test_a_real_difference_is_said_as_one():
    told = rank_editions(run(one={"fidelity": 0.5}, two={"fidelity": 0.8}), [], findings(0.01))
    assert told.startswith("two is most faithful (fidelity 80% against 50%, p = 0.010)")
    assert "p-values are over 20 passages" in told


def test_a_difference_that_may_be_chance_is_said_as_one():
    told = rank_editions(run(one={"fidelity": 0.5}, two={"fidelity": 0.8}), [], findings(0.3))
    assert told.startswith("two comes first, but the data cannot tell it from one (fidelity 80%")


def test_too_few_passages_give_no_p_value():
    held = run(one={"fidelity": 0.5}, two={"fidelity": 0.8})
    told = rank_editions(held, [], findings(0.001, clusters=2, note="too few"))
    assert "p " not in told
    assert told.endswith("2 passages are too few for a test.")
    assert "most faithful" not in told


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_editions_of_one_fidelity_are_told_apart_by_gist(order):
    scores = {
        "one": {"fidelity": 0.75, "changed": 0.5, "gist": 0.2},
        "two": {"fidelity": 0.752, "changed": 0.0, "gist": 0.9},
    }
    told = rank_editions(run(**{name: scores[name] for name in order}), [], findings(1.0))
    assert told.startswith("two has the same fidelity as one (75%): one changes more facts (50%")
    assert "is less true to the original in what it says (20% against 90%)" in told


def test_a_few_passages_are_compared_without_a_p_value():
    books = [
        book("Book", SOURCE, SOURCE, "copy"),
        book("Book", SOURCE, "Zebras sleep. Trains depart. Clouds drift.", "invented"),
    ]
    run = evaluate(books, {"alignment": make_metric(books)}, resamples=200)
    (pair,) = run.compare(metric="unsupported", resamples=200).pairs
    assert pair.clusters < 6
    assert math.isnan(pair.p_value)
    assert "too few for a test" in pair.note


def test_an_edition_with_more_false_sentences_is_not_most_faithful():
    scores = {
        "one": {"fidelity": 0.5, "changed": 0.0, "unsupported": 0.0},
        "two": {"fidelity": 0.8, "changed": 0.02, "unsupported": 0.0},
    }
    told = rank_editions(run(**scores), [], findings(0.01))
    assert "most faithful" not in told
    assert told.startswith("two comes first (fidelity 80% against 50%, p = 0.010), but one has")


def chapter(title: str, words: int, kept: float, sentences: int = 0) -> ChapterFindings:
    return ChapterFindings(title, 0, 9, words, kept, 10.0, sentences, 0.0, 0, 0)


def test_missing_chapters_are_named_with_what_is_left_of_them():
    """One chance match per chapter used to hide that half of a book was gone."""
    chapters = (
        chapter("I", 500, 400.0, 20), chapter("II", 500, 10.0, 2), chapter("III", 400, 0.0, 1),
        chapter("IV", 500, 300.0, 20), chapter("V", 200, 0.0),
    )  # fmt: skip
    assert missing_chapters(BookDocument(chapters=chapters)) == [
        "“II” to “III” but for 3 sentences", "“V”",
    ]  # fmt: skip


def test_no_chapter_of_a_very_short_edition_is_missing_for_that():
    few = [chapter(str(number), 500, 10.0 + number, 1) for number in range(9)]
    assert missing_chapters(BookDocument(chapters=tuple(few))) == []
    gone = (*few, chapter("X", 500, 3.0, 1))
    assert missing_chapters(BookDocument(chapters=gone)) == ["“X” but for 1 sentence"]
    nothing = (chapter("I", 500, 0.0), chapter("II", 500, 0.0))
    assert missing_chapters(BookDocument(chapters=nothing)) == ["“I” to “II”"]


def scored(text: str, summary: str) -> dict[str, float]:
    one = book("Book", text, summary)
    run = evaluate([one], {"alignment": make_metric([one])}, resamples=0)
    return {name: score.value for name, score in run.systems["summary"].scores.items()}


LONG = (
    "The old captain of the northern harbour bought four green lanterns for his daughter Clara."
    " Clara carried the lanterns through the snow to the chapel on the hill before midnight."
    " Her uncle Martin found the door of the chapel locked and would not wait for the sexton."
    " The wind broke three windows, and a grey horse ran along the quay without its rider."
)


def test_of_a_shortened_sentence_only_the_words_that_are_there_are_kept():
    """It used to be all, since each sentence is supported."""
    short = (
        "The old captain of the harbour bought four lanterns for his daughter."
        " Clara carried the lanterns to the chapel on the hill."
        " Her uncle Martin found the door of the chapel locked."
        " The wind broke three windows, and a horse ran along the quay."
    )
    assert scored(LONG, LONG)["source_recall"] == 1
    assert scored(LONG, short)["unsupported"] == 0
    assert 0.55 < scored(LONG, short)["source_recall"] < 0.75


def test_fidelity_falls_with_every_kind_of_fault():
    whole = scored(LONG, LONG)["fidelity"]
    changed = LONG.replace("four green", "nine green").replace("uncle Martin", "uncle Clara")
    few = scored(LONG, changed)
    invented = scored(LONG, LONG + " Zebras eat purple melons under Jupiter every Wednesday.")
    assert few["source_recall"] > 0.9
    assert few["fidelity"] < whole
    assert invented["fidelity"] < whole
    assert scored(LONG, LONG[: len(LONG) // 2])["fidelity"] < whole
