"""Charts outside the report: in a notebook."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gistmeter import InputError, UnknownName
from gistmeter.core.comparison import Findings
from gistmeter.core.family import family_of
from gistmeter.core.run import Run
from gistmeter.core.types import Score, SystemScores
from gistmeter.core.views import View
from gistmeter.report.html.page import build_page
from gistmeter.report.html.plot import plot
from report.sample_runs import book_run, parse_run, speech_run, text_run

RUNS = {"text": text_run, "book": book_run, "parse": parse_run, "speech": speech_run}


def made(name: str) -> Run:
    run, metrics = RUNS[name]()
    return replace(run, metrics=metrics)


@pytest.mark.parametrize("name", RUNS)
def test_a_plot_has_the_charts_of_the_report(name: str) -> None:
    run = made(name)
    titles = re.findall(r"<figcaption>(.*?) <span", run.plot()._repr_html_())
    page = build_page([run], views=[family_of(name).view()], findings=[run.findings])
    shown = re.findall(r"<figcaption>(.*?)(?: <span.*?)?</figcaption>", page)
    assert titles == shown
    assert run.plot().names[0] == "intervals"
    assert len(set(run.plot().names)) == len(titles)


@pytest.mark.parametrize("name", RUNS)
def test_each_chart_can_be_asked_for_by_its_name(name: str) -> None:
    run = made(name)
    for one in run.plot().names:
        found = run.plot(one)
        assert found.names == [one]
        assert found._repr_html_().count("<figure>") == 1


def test_an_unknown_chart_is_an_error_that_lists_those_there_are() -> None:
    with pytest.raises(UnknownName, match="intervals"):
        made("text").plot("interval")


def test_a_run_without_values_has_nothing_to_plot() -> None:
    empty = Run("text", "", {"a": SystemScores({"gist": Score("gist", float("nan"))})})
    with pytest.raises(InputError, match="carries no rows"):
        empty.plot()
    with pytest.raises(InputError, match="nothing to plot"):
        plot(replace(empty, systems={"a": SystemScores({})}), View(), Findings())


def test_the_style_reaches_nothing_else_on_the_page_and_loads_nothing() -> None:
    html = made("text").plot()._repr_html_()
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style
    assert style[1].startswith(".gistmeter-plot {")
    assert style[1].count("{") == style[1].count("}")
    assert ":root" not in style[1]
    assert "--c0: #0072b2" in style[1]
    assert "http" not in html and "<script" not in html


def test_names_of_systems_stay_text() -> None:
    run = made("text")
    evil = "<img src=x onerror=alert(1)>"
    name = next(iter(run.systems))
    assert run.rows is not None
    keys = {**run.rows.keys}
    keys["system"] = [evil if one == name else one for one in keys["system"]]
    systems = {evil if key == name else key: held for key, held in run.systems.items()}
    changed = replace(run, systems=systems, rows=replace(run.rows, keys=keys))
    assert "<img" not in changed.plot()._repr_html_()
