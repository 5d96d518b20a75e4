"""A comparison as a table that can be pasted: terminal, Markdown, LaTeX (booktabs), CSV.

A comparison comes in as plain data, the shape of `compare --format json`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from rich.console import Console
from rich.table import Table

from gistmeter.report.export import defused, delimited_text, markdown_text
from gistmeter.report.terminal import safe

Comparison = Mapping[str, Any]
COLUMNS = (
    "metric", "a", "b", "difference", "low", "high", "p_value", "p_corrected", "effect",
    "superiority", "detectable", "n", "clusters", "left_out", "test",
)  # fmt: skip
HEADS = ["a", "b", "a − b", "interval", "p", "d", "n"]
LATEX = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "\n": " ",
    }
)  # fmt: skip


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Values and ranks, then every pair, within 80 columns."""
    arrow = "higher" if comparison["higher_is_better"] else "lower"
    console.print(safe(f"{comparison['metric']} ({arrow} is better)"), style="bold")
    board = Table()
    board.add_column("rank", justify="right")
    board.add_column("system", overflow="fold")
    board.add_column("value", justify="right")
    for row in _board(comparison):
        board.add_row(*map(safe, row))
    console.print(board)
    pairs = Table()
    for name in HEADS:
        side: Literal["left", "right"] = "left" if name in ("a", "b") else "right"
        pairs.add_column(name, justify=side, overflow="fold")
    for cells in _pair_cells(comparison, str):
        pairs.add_row(*map(safe, cells))
    console.print(pairs)
    for line in footnotes(comparison):
        console.print(safe(line), style="dim")


def footnotes(comparison: Comparison) -> list[str]:
    """What a reader must know besides the numbers."""
    pairs = comparison["pairs"]
    unit = _unit(comparison)
    tests = ", ".join(dict.fromkeys(str(pair["test"]) for pair in pairs))
    share = round(100 * float(comparison["confidence"]))
    lines = [
        f"Test: {tests}, {comparison['resamples']:,} resamples of whole items; p corrected: "
        f"{comparison['correction']}; {share}% intervals."
    ]
    least = [pair["detectable"] for pair in pairs if pair.get("detectable") is not None]
    if least:
        low, high = min(least), max(least)
        shown = _number(low, unit)
        if not math.isclose(low, high, rel_tol=0.05):
            shown += f" to {_number(high, unit)}"
        lines.append(f"Smallest difference these items would show (80% power): {shown}.")
    left = max((pair["left_out"] for pair in pairs), default=0)
    if left:
        lines.append(f"Items that only one side has, left out: up to {left:,}.")
    lines += [f"Forced although the signatures differ: {line}" for line in comparison["forced"]]
    return [*lines, *comparison["notes"]]


def _board(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Rank, name and value of every system, the best first; a shared rank is marked."""
    ranks, values, unit = comparison["ranks"], comparison["values"], _unit(comparison)
    sign, often = -1 if comparison["higher_is_better"] else 1, Counter(ranks.values())

    def place(system: str) -> tuple[int, float]:
        value = values.get(system)
        return ranks[system], sign * value if value is not None else math.inf

    return [
        (f"{rank}=" if often[rank] > 1 else str(rank), system, _number(values.get(system), unit))
        for system, rank in ((system, ranks[system]) for system in sorted(ranks, key=place))
    ]


def _unit(comparison: Comparison) -> str:
    return str(comparison.get("unit") or "")


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}%" if unit == "%" else f"{value:.4f}"


def _signed(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    return f"{value:+.2f}" if unit == "%" else f"{value:+.4f}"


def _interval(pair: Mapping[str, Any], unit: str) -> str:
    if pair["low"] is None or pair["high"] is None:
        return "–"
    return f"{_signed(pair['low'], unit)} {_signed(pair['high'], unit)}"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _plain(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def to_markdown(comparisons: Sequence[Comparison]) -> str:
    """Tables in Markdown, for job summaries."""
    parts = []
    for comparison in comparisons:
        board = [(rank, markdown_text(name), value) for rank, name, value in _board(comparison)]
        parts.append(f"### {markdown_text(str(comparison['metric']))}\n")
        parts.append(_grid(["rank", "system", "value"], board, "rlr"))
        parts.append(_grid(HEADS, _pair_cells(comparison, markdown_text), "llrrrrr"))
        parts.append("\n".join(f"- {markdown_text(line)}" for line in footnotes(comparison)) + "\n")
    return "\n".join(parts)


def _pair_cells(comparison: Comparison, spell: Callable[[str], str]) -> list[list[str]]:
    unit = _unit(comparison)
    return [
        [
            spell(str(pair["a"])), spell(str(pair["b"])), _signed(pair["difference"], unit),
            _interval(pair, unit), spell(_p(pair["p_corrected"])), _plain(pair["effect"]),
            str(pair["n"]),
        ]
        for pair in comparison["pairs"]
    ]  # fmt: skip


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]], sides: str) -> str:
    rule = ["---:" if side == "r" else "---" for side in sides]
    lines = [head, rule, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def to_latex(comparisons: Sequence[Comparison]) -> str:
    """Tables for a paper, with booktabs."""
    parts = []
    for comparison in comparisons:
        rows = _pair_cells(comparison, lambda text: safe(text).plain.translate(LATEX))
        body = "\n".join(" & ".join(row).replace("−", "$-$") + r" \\" for row in rows)
        metric = safe(str(comparison["metric"])).plain.translate(LATEX)
        notes = safe(" ".join(footnotes(comparison))).plain.translate(LATEX)
        parts.append(
            "\\begin{table}\n\\centering\n"
            f"\\caption{{Paired comparison on \\texttt{{{metric}}}. {notes}}}\n"
            "\\begin{tabular}{llrrrrr}\n\\toprule\n"
            "a & b & $a - b$ & interval & $p$ & $d$ & $n$ \\\\\n\\midrule\n"
            f"{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
        )
    return "% needs \\usepackage{booktabs}\n" + "\n".join(parts)


def to_csv(comparisons: Sequence[Comparison]) -> str:
    """One line per pair, in full precision; a name that looks like a formula is made text."""
    rows: list[list[Any]] = [list(COLUMNS)]
    for comparison in comparisons:
        for pair in comparison["pairs"]:
            cells = {"metric": comparison["metric"], **pair}
            rows.append([_text(cells.get(name)) for name in COLUMNS])
    return delimited_text(rows)


def _text(value: Any) -> Any:
    if isinstance(value, str):
        return defused(value)
    return "" if value is None else value
