"""The page of a pair, and the table of pairs."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gistmeter.compat.speech import CustomMetricResult, SemanticMetricResult
from gistmeter.core.evaluation import evaluate
from gistmeter.core.pages import PairView
from gistmeter.core.run import Run
from gistmeter.core.types import Clip
from gistmeter.languages import get
from gistmeter.report.diff import render_diff, render_pair
from gistmeter.speech.clip_results import (
    ClipResult,
    edit_totals,
    gather,
    lost_words,
    page_name,
    results_sheet,
    view,
    worst,
)
from gistmeter.speech.family import Speech
from gistmeter.speech.formats.speakers import TimedClip
from gistmeter.speech.metrics.fact_prompt import SemanticFact, Verdict
from gistmeter.speech.metrics.latency import Latency
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.rates import ErrorRates

FACTS = (
    SemanticFact("Anna", "met", "Boris", Verdict.BOTH),
    SemanticFact("Clara", "left", "Prague", Verdict.EXPECTED),
    SemanticFact("<script>", "is", "evil", Verdict.GOT),
)
COLUMNS = (
    "provider file chars_expected chars_got words_expected words_got wer cer match_percent "
    "insertions deletions substitutions latency"
)


def scored(*clips: Clip, segmented: bool = False) -> Run:
    metrics = {"transcription": ErrorRates(Normalisation(get("en")), segmented=segmented)}
    timed = {"latency": Latency()} if isinstance(clips[0], TimedClip) else {}
    return evaluate(clips, {**metrics, **timed}, base=Speech().base)


def results(run: Run) -> list[ClipResult]:
    return gather(run.measured, run.metrics)


def page(clip: Clip) -> str:
    return render_pair(view(results(scored(replace(clip, language="en")))[0]))


def test_the_page_has_the_documented_classes_and_both_texts() -> None:
    html = page(Clip("talk", "One two three.", "one too three four", "deepgram"))
    for name in ("panel", "stats", "stat", "stat-label", "stat-value", "stat-detail"):
        assert f'class="{name}"' in html
    assert "<title>deepgram: talk</title>" in html
    assert "One two three." in html and "one too three four" in html
    assert '<html lang="en">' in html


def test_the_diff_is_readable_without_colour() -> None:
    html = render_diff([("=", "one", "one"), ("s", "two", "too"), ("d", "x", ""), ("i", "", "y")])
    assert html == "one <del>two</del> <ins>too</ins> <del>x</del> <ins>y</ins>"
    style = page(Clip("1", "a", "b"))
    assert "line-through" in style and "underline" in style and 'content: "+"' in style


@pytest.mark.parametrize(
    "evil", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</style><b>", "a & b"]
)
def test_hostile_text_stays_text(evil: str) -> None:
    html = page(Clip(evil, f"said {evil}", f"heard {evil}", evil))
    assert "<script" not in html and "<img" not in html and "</style><b>" not in html
    assert "script-src" in html or "default-src 'none'" in html


def test_the_semantic_section_has_four_cards_and_three_groups() -> None:
    result = SemanticMetricResult(50.0, "detail here", FACTS)
    html = result.to_html()
    assert "Semantic Understanding" in html and "<summary>Fact list</summary>" in html
    assert re.findall(r'stat-label">([^<]+)', html) == [
        "Semantic Error Rate", "Understanding", "Missing", "Extra",
    ]  # fmt: skip
    assert re.findall(r"<h3>([^<]+)", html) == [
        "Preserved (1)", "Missing from STT (1)", "Extra in STT (1)",
    ]  # fmt: skip
    assert "&lt;script&gt;" in html and "<script" not in html


def test_results_have_the_documented_properties() -> None:
    result = SemanticMetricResult(50.0, "detail", FACTS)
    assert (result.facts_both, result.facts_missing, result.facts_extra) == (1, 1, 1)
    assert (result.total_expected, result.total_got) == (2, 2)
    assert (result.understanding, result.pct_missing, result.pct_extra) == (50.0, 50.0, 50.0)
    assert math.isnan(SemanticMetricResult(math.nan, "no facts").understanding)
    custom = CustomMetricResult(score=12.5, detail="<b>")
    assert "12.5%" in custom.to_html() and "&lt;b&gt;" in custom.to_html()
    with pytest.raises(AttributeError):
        custom.score = 1.0  # type: ignore[misc]


def test_a_page_without_a_transcript_says_why() -> None:
    html = render_pair(PairView("x", [], [], "said", "", error="401 <Unauthorized>"))
    assert "401 &lt;Unauthorized&gt;" in html and "Word diff" not in html


def test_the_table_has_the_documented_columns() -> None:
    clips = [
        TimedClip("a", "one two three", "one too three", "moonshine", latency=0.25,
                  latency_first=0.1, elapsed=0.5, duration=1.0),
        TimedClip("b", "one two", None, "moonshine", failure="the file is damaged"),
    ]  # fmt: skip
    run = replace(scored(*clips), path=Path("folder"))
    items, summary = Speech().sheets(run)
    assert list(items.columns) == [*COLUMNS.split(), "diff_report", "error", "expected", "got"]
    assert list(items.rows[0]) == [
        "moonshine", "a", 13, 13, 3, 3, pytest.approx(100 / 3), pytest.approx(100 / 13),
        pytest.approx(200 / 3), 0, 0, 1, 0.25, f"details/{page_name('moonshine', 'a')}", None,
        "one two three", "one too three",
    ]  # fmt: skip
    assert list(items.rows[1][-4:]) == [None, "the file is damaged", "one two", None]
    assert summary.rows[0][0] == "moonshine"


def test_pages_of_names_that_look_alike_are_different_files() -> None:
    names = {page_name("system", key) for key in ("a/b", "a_b", "a b", "../b", "b" * 500)}
    assert len(names) == 5
    assert all("/" not in name and len(name) < 200 for name in names)


def test_only_the_worst_pairs_have_pages_where_there_are_many() -> None:
    clips = [Clip(str(at), "a b c d", "a b c d"[: 7 - 2 * at]) for at in range(4)]
    run = replace(scored(*clips), path=Path("folder"))
    assert worst(run.measured, 2) == [3, 2]
    assert len(worst(run.measured, 9)) == 4
    assert [clip.id for clip in gather(run.measured, run.metrics, [3, 1])] == ["1", "3"]
    linked = [row[-4] is not None for row in results_sheet(run, most=2).rows]
    assert linked == [False, False, True, True]


def test_segments_are_one_pair_again() -> None:
    said = " ".join(f"w{number}" for number in range(100))
    heard = said.replace("w50 ", "").replace("w70", "x")
    clip = Clip("a", said, heard)
    whole, cut = scored(clip), scored(clip, segmented=True)
    one, other = results(whole)[0], results(cut)[0]
    for name in ("words_expected", "words_got", "deletions", "substitutions", "char_edits"):
        assert one[name] == other[name]
    assert results_sheet(whole).rows == results_sheet(cut).rows


def test_lost_words_and_edit_totals() -> None:
    clips = [Clip("1", "the cat the dog", "cat a dog", "x"), Clip("2", "the end", "the end", "x")]
    rows = scored(*clips).measured
    assert lost_words(rows)["x"] == [{"word": "the", "lost": 2, "said": 3}]
    assert edit_totals(rows)["x"] == {
        "words_expected": 6, "matches": 4, "insertions": 0, "deletions": 1, "substitutions": 1,
    }  # fmt: skip
