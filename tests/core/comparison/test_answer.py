"""One verdict: every place that ranks systems or says who is ahead says the same."""

from __future__ import annotations

import html
import io
import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from core.made_runs import MeanAndRatio, make_rows
from gistmeter.core.comparison import Comparison, compare_all, contenders
from gistmeter.core.comparison.ranking import ELSEWHERE
from gistmeter.core.errors import InputError
from gistmeter.core.options import CompareSettings
from gistmeter.core.rows import Rows
from gistmeter.core.run import Run, compare
from gistmeter.report.comparison_text import print_comparison, to_markdown
from gistmeter.report.ending import print_answer
from gistmeter.report.export import markdown, markdown_text
from gistmeter.report.html.page import build_page
from gistmeter.report.latex import sole_winner
from gistmeter.report.terminal import print_run
from report.sample_runs import VIEWS, finish

GAPS = ["complete", "one skips", "few gaps", "other items", "one has none"]
GAPS += ["one elsewhere", "two halves", "each its own"]
CONSTELLATIONS = [
    (systems, gaps, headline, step, 24)
    for systems, step in ((2, 0.2), (2, 0.0), (3, 0.04), (9, 0.02))
    for gaps in GAPS
    for headline in ("accuracy", "errors")
    if systems < 9 or gaps not in ("one elsewhere", "each its own")
] + [
    (50, "few gaps", "accuracy", 0.01, 24),
    *((3, kind, headline, 0.05, items)
      for kind in ("twins", "constant", "samples", "silent")
      for headline in ("accuracy", "errors")
      for items in (2, 8, 24)),
]  # fmt: skip


def made(systems: int, gaps: str, headline: str, step: float, items: int = 24) -> Run:
    """Systems whose quality falls by a step, some with gaps in their items."""
    seeded = np.random.default_rng(systems)
    hard, words = seeded.normal(0, 0.1, items), seeded.integers(5, 20, items).astype(float)
    parts = []
    for at in range(systems):
        value = np.clip(0.6 + hard - step * at + seeded.normal(0, 0.05, items), 0, 1)
        wrong = np.rint(words * (1 - value))
        skipped = {"one skips": 14 if at == 0 else 0, "few gaps": (at % 3) if items > 9 else 0}
        if gaps in {"twins", "constant"}:  # the first two are the same; all differ by the same
            value = np.round(0.6 + hard, 2) - step * (max(0, at - 1) if gaps == "twins" else at)
            wrong = np.rint(20 * (1 - np.round(0.6 + hard, 2))) + (at if gaps == "constant" else 0)
        if gaps == "silent" and at == 2:
            value, wrong = np.zeros(items), words.copy()
        lacking = items if gaps == "one has none" and at == systems - 1 else skipped.get(gaps, 0)
        value[:lacking], wrong[:lacking] = np.nan, np.nan
        away = {
            "other items": 4 * at,
            "one elsewhere": 99 * (at == 0),
            "two halves": 99 * (at % 2),
            "each its own": 99 * at,
        }
        ids = [f"item-{one + away.get(gaps, 0)}" for one in range(items)]
        if gaps == "samples":  # two answers to each item
            ids = [f"item-{one // 2}" for one in range(items)]
        columns = {
            "accuracy": value,
            "wrong": wrong,
            "words": np.where(np.isnan(value), np.nan, words),
        }
        parts.append(make_rows(f"system {at}", columns, ids=ids))
    return finish("text", Rows.concat(parts), {"m": MeanAndRatio()}, headline=(headline,))[0]


def apart(run: Run) -> list[Run]:
    """The same systems as runs of their own."""
    return [
        replace(run, systems={one.name: run.systems[one.name]}, rows=one.rows)
        for one in contenders([run])
    ]


def printed(show: object, *given: object) -> str:
    stream = io.StringIO()
    show(*given, Console(file=stream, width=300))  # type: ignore[operator]
    return stream.getvalue()


@pytest.mark.parametrize(("systems", "gaps", "headline", "step", "items"), CONSTELLATIONS)
def test_no_two_places_disagree(
    systems: int, gaps: str, headline: str, step: float, items: int
) -> None:
    run = made(systems, gaps, headline, step, items)
    said = run.answer()
    lead = run.findings.on(headline)
    assert lead is not None
    ranking = lead.ranking
    rows = [(ranking.rank(name), ranking.letters.get(name, ""), name) for name in ranking.order]

    page = build_page([run], views=[VIEWS["text"]], findings=[run.findings])
    assert said in html.unescape(page)
    board = re.findall(
        r'class="rank">([^<]*?)(?: <small>(.*?)</small>)?</td>\s*<th[^>]*>'
        r"(?:<svg.*?</svg>)?(.*?)</th>",
        page, re.DOTALL,
    )  # fmt: skip
    assert list(dict.fromkeys(board)) == rows
    table = printed(print_run, run).split(f"│ {headline} ")[1].split("├")[0]
    assert re.findall(r"(system \d+)", table) == list(ranking.order)
    assert said in " ".join(printed(lambda c: print_answer(run, VIEWS["text"], c)).split())
    text = markdown(run, VIEWS["text"])
    assert markdown_text(said) in text
    board = re.findall(r"^\| (system \d+) ", text, re.MULTILINE)
    assert board[: len(run.systems)] == list(ranking.order)

    ids = [set(one.rows.keys["id"]) for one in contenders([run])]
    shared = any(first & second for first, second in itertools.combinations(ids, 2))
    several = [apart(run)] if shared else []
    if not shared:
        with pytest.raises(InputError, match="have no item in common"):
            compare(apart(run))
    for found in (*map(compare, [[run], *several]), one_of(run, headline)):
        assert found.answer == said
        assert found.ranking == ranking
        plain = found.to_dict()
        assert plain["pairs"] == lead.to_dict()["pairs"]
        assert [plain["order"], plain["ranks"]] == [list(ranking.order), dict(ranking.ranks)]
        table = re.findall(r"│\s+(\S+) │ (\w*)\s+│ (system \d+)", printed(print_comparison, plain))
        assert table == rows
        text = to_markdown([plain])
        assert markdown_text(said) in text
        assert re.findall(r"^\| (\S+) \| (\w*) \| (system \d+) \|", text, re.MULTILINE) == rows
    agree(lead, said)


def one_of(run: Run, headline: str) -> Comparison:
    """The comparison on a score that is asked for among others."""
    other = "errors" if headline == "accuracy" else "accuracy"
    found = compare_all([run], CompareSettings(metric=(other, headline)))
    assert found[0].answer != found[1].answer
    assert other in found[0].answer
    return found[1]


def agree(lead: Comparison, said: str) -> None:
    """What the sentence says is what the pairs show."""
    ranked = lead.ranking.ranked
    for name, why in lead.ranking.excluded.items():
        assert name not in lead.ranks
        assert (f"{name} {why} and is not ranked" in said) == bool(ranked or why != ELSEWHERE)
    winner = sole_winner(lead)
    tied = set()
    for a, b in itertools.combinations(ranked, 2):
        pair = lead.between(a, b)
        assert pair is not None
        tied |= {b} if a == ranked[0] and not pair.is_real else set()
        assert pair.is_real == (not {*lead.ranking.letters[a]} & {*lead.ranking.letters[b]})
        assert lead.ranks[a] <= lead.ranks[b]
    first = "On " if len(lead.scores) == 2 else "No system can be called ahead on "
    assert said.startswith(ranked[0] if ranked else first)
    assert (winner == (ranked or [""])[0]) == (len(ranked) > 1 and not tied)
    assert "nan" not in said
    if len(ranked) > 1:
        runner = lead.between(*ranked[:2])
        assert runner is not None
        assert ("The difference is real" in said) == runner.is_real
        untested = runner.has_too_few or runner.clusters < 2
        assert ("cannot tell" in said) == (not runner.is_real and not untested)
        assert (f"{ranked[0]} is not shown to be ahead of" in said) == (
            runner.is_real and bool(tied)
        )
        assert ("too few to test" in said) == untested
        assert ("are level" in said) == (runner.difference == 0)
        same = runner.never_differs and not untested
        assert ("with the same value on every" in said) == same
        few = runner.clusters < 8
        assert ("too few for an interval" in said) == few
        assert math.isnan(runner.low) == few
        if runner.is_real and not few:
            assert runner.low > 0 or runner.high < 0
        assert ("that both have" in said) == (runner.left_out > 0)
    compared = [pair for pair in lead.pairs if math.isfinite(pair.difference)]
    assert bool(lead.rule) == any(pair.left_out for pair in compared)


@pytest.mark.parametrize("third", [False, True])
def test_systems_without_a_common_item_are_said_to_share_none(third: bool) -> None:
    parts = [
        make_rows(name, {"accuracy": np.full(len(items), value), "wrong": np.ones(len(items)),
                         "words": np.ones(len(items))}, ids=[f"item-{at}" for at in items])
        for name, value, items in (
            ("a", 0.9, range(9)), ("b", 0.7, range(9, 18)), ("c", 0.4, range(18)),
        )[: 3 if third else 2]
    ]  # fmt: skip
    run = finish("text", Rows.concat(parts), {"m": MeanAndRatio()}, headline=("accuracy",))[0]
    said = run.answer()
    assert said.startswith("On accuracy a has 0.900")
    assert "; they share no item and cannot be compared." in said
    assert "ahead" not in said and "tested" not in said
