"""Comparisons as tables to paste, and on the terminal."""

from __future__ import annotations

import csv
import io
from typing import Any

from rich.cells import cell_len
from rich.console import Console

from gistmeter.report.comparison_text import print_comparison, to_csv, to_latex, to_markdown


def comparison(a: str = "model_a", b: str = "模型乙") -> dict[str, Any]:
    pair = {
        "a": a, "b": b, "difference": -12.5, "low": -20.25, "high": -3.5, "p_value": 0.0004,
        "p_corrected": 0.0008, "effect": -0.61, "superiority": 0.8, "detectable": 8.0, "n": 40,
        "clusters": 20, "left_out": 3, "test": "permutation",
    }  # fmt: skip
    return {
        "metric": "wer", "pairs": [pair], "ranks": {a: 1, b: 2}, "values": {a: 10.0, b: 22.5},
        "answer": f"{a} is ahead.", "rule": "Shared items (left out: up to 3).",
        "order": [a, b], "letters": {a: "a", b: "b"},
        "higher_is_better": False, "unit": "%", "confidence": 0.95, "correction": "bh",
        "resamples": 10_000, "forced": ["beta: 1 | 2"], "notes": [],
    }  # fmt: skip


def printed(found: dict[str, Any], width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    print_comparison(found, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_terminal_table_fits_80_columns_and_stays_aligned() -> None:
    text = printed(comparison("模型" * 12, "a_rather_long_name_of_a_system"))
    widths = [cell_len(line) for line in text.splitlines()]
    assert max(widths) <= 80
    frames = [cell_len(line) for line in text.splitlines() if line[:1] in "┏┡│└"]
    assert len(set(frames)) == 2  # two tables, each of one width


def test_ansi_codes_and_direction_marks_do_not_reach_the_terminal() -> None:
    text = printed(comparison("\x1b[31mred", "\u202eevil"))
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_what_was_forced_and_left_out_is_said() -> None:
    text = printed(comparison())
    assert "Forced although the signatures differ: beta: 1 | 2" in text
    assert "left out: up to 3" in text
    assert "Smallest difference these items would show (80% power): 8.00 points." in text


def test_an_interval_that_disagrees_with_p_is_told_which_decides() -> None:
    found = comparison()
    assert "p decides" not in printed(found)
    found["pairs"][0]["p_corrected"] = 0.06
    assert "p decides, being corrected for the number of pairs" in " ".join(printed(found).split())
    found["pairs"][0] |= {"high": 0.5}
    assert "p decides" not in printed(found)
    found["pairs"][0] |= {"low": None, "high": None, "p_corrected": 0.01}
    assert "p decides" not in printed(found)


def test_markdown_holds_its_cells() -> None:
    text = to_markdown([comparison("a|b\nc", "<b>*x*</b>")])
    rows = [line for line in text.splitlines() if line.startswith("| a\\|b c")]
    assert len(rows) == 1
    assert "&lt;b&gt;\\*x\\*" in text
    assert "| -12.50 | -20.25 -3.50 | &lt;0.001 | -0.61 | 40 |" in rows[0]


def test_latex_uses_booktabs_and_escapes_names() -> None:
    text = to_latex([comparison("model_a & co", "50%")])
    assert "\\toprule" in text
    assert "model\\_a \\& co & 50\\% & -12.50" in text
    assert text.count("{") == text.count("}")


def test_csv_has_full_precision_and_no_formula() -> None:
    found = comparison("=cmd()", "b")
    found["pairs"][0]["difference"] = 0.1 + 0.2
    (row,) = csv.DictReader(io.StringIO(to_csv([found])))
    assert float(row["difference"]) == 0.1 + 0.2
    assert row["a"] == "'=cmd()"
