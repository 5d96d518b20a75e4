"""A comparison as a table that can be pasted: terminal, Markdown, LaTeX (booktabs), CSV.

A comparison comes in as plain data, the shape of `compare --format json`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from rich.console import Console
from rich.table import Table

from gistmeter.core.comparison import RANKS, Ranking
from gistmeter.report.export import defused, delimited_text, markdown_slices, markdown_text
from gistmeter.report.latex import LATEX, latex_slices
from gistmeter.report.study_sheets import slices_sheet
from gistmeter.report.terminal import print_sheet, safe

if TYPE_CHECKING:
    from gistmeter.core.slices import Slices

Comparison = Mapping[str, Any]
COLUMNS = (
    "metric", "a", "b", "difference", "low", "high", "p_value", "p_corrected", "effect",
    "superiority", "detectable", "n", "clusters", "left_out", "test",
)  # fmt: skip
DISAGREE = (
    "Where an interval and p say different things of 0, p decides, being corrected for the number"
    " of pairs; --fail-if-worse goes by the interval."
)
BOARD = ["rank", "ties", "system", "value"]
HEADS = ["a", "b", "a − b", "interval", "p", "d", "n"]


def print_comparison(comparison: Comparison, console: Console) -> None:
    """The sentence, values and ranks, then every pair, within 80 columns."""
    arrow = "higher" if comparison["higher_is_better"] else "lower"
    console.print(safe(comparison["answer"]), style="bold")
    console.print(safe(f"{comparison['metric']} ({arrow} is better)"))
    board = Table()
    for name in BOARD:
        side: Literal["left", "right"] = "left" if name in ("system", "ties") else "right"
        board.add_column(name, justify=side, overflow="fold")
    for row in _board(comparison):
        board.add_row(*map(safe, row))
    console.print(board)
    pairs = Table()
    for name in HEADS:
        side = "left" if name in ("a", "b") else "right"
        pairs.add_column(name, justify=side, overflow="fold")
    for cells in _pair_cells(comparison, str):
        pairs.add_row(*map(safe, cells))
    console.print(pairs)
    for line in footnotes(comparison):
        console.print(safe(line), style="dim")


def print_slices(several: Sequence[Slices], console: Console) -> None:
    """Scores by slice, with a sentence for each."""
    for slices in several:
        console.print()
        print_sheet(slices_sheet(slices), console)
        for line in slices.sentences():
            console.print(safe(line))


def footnotes(comparison: Comparison) -> list[str]:
    """What a reader must know besides the numbers."""
    pairs = comparison["pairs"]
    unit = _unit(comparison)
    tests = ", ".join(dict.fromkeys(str(pair["test"]) for pair in pairs))
    share = f"{100 * float(comparison['confidence']):g}"
    lines = [
        f"Test: {tests}, {comparison['resamples']:,} resamples of whole items; p corrected: "
        f"{comparison['correction']}; {share}% intervals."
    ]
    least = [pair["detectable"] for pair in pairs if pair.get("detectable")]
    if least:
        low, high = min(least), max(least)
        shown = _number(low, unit)
        if not math.isclose(low, high, rel_tol=0.05):
            shown += f" to {_number(high, unit)}"
        shown = shown.replace("%", "") + (" points" if unit == "%" else "")
        lines.append(f"Smallest difference these items would show (80% power): {shown}.")
    level = 1 - float(comparison["confidence"])
    tested = [pair for pair in pairs if None not in (pair["low"], pair["p_corrected"])]
    if any((pair["low"] <= 0 <= pair["high"]) == (pair["p_corrected"] < level) for pair in tested):
        lines.append(DISAGREE)
    lines += [comparison["plan"]] if comparison.get("plan") else []
    lines += [comparison["rule"]] if comparison["rule"] else []
    lines += [RANKS] if comparison["letters"] else []
    lines += [f"Forced although the signatures differ: {line}" for line in comparison["forced"]]
    return [*lines, *comparison["notes"]]


def _board(comparison: Comparison) -> list[tuple[str, str, str, str]]:
    """Rank, letters, name and value of every system, the best first."""
    ranking = Ranking(comparison["order"], comparison["ranks"], comparison["letters"])
    values, unit = comparison["values"], _unit(comparison)
    return [
        (
            ranking.rank(system),
            ranking.letters.get(system, ""),
            system,
            _number(values[system], unit),
        )
        for system in ranking.order
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


def to_markdown(comparisons: Sequence[Comparison], slices: Sequence[Slices] = ()) -> str:
    """Tables in Markdown, for job summaries."""
    parts = []
    for comparison in comparisons:
        board = [
            (rank, ties, markdown_text(name), value)
            for rank, ties, name, value in _board(comparison)
        ]
        parts.append(f"### {markdown_text(str(comparison['metric']))}\n")
        parts.append(f"{markdown_text(str(comparison['answer']))}\n")
        parts.append(_grid(BOARD, board, "rllr"))
        parts.append(_grid(HEADS, _pair_cells(comparison, markdown_text), "llrrrrr"))
        parts.append("\n".join(f"- {markdown_text(line)}" for line in footnotes(comparison)) + "\n")
    parts += [
        "\n".join(markdown_slices(slices_sheet(part), part.sentences())) + "\n" for part in slices
    ]
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


def to_latex(comparisons: Sequence[Comparison], slices: Sequence[Slices] = ()) -> str:
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
    parts += map(latex_slices, slices)
    return "% needs \\usepackage{booktabs}\n" + "\n".join(parts)


def to_csv(comparisons: Sequence[Comparison], slices: Sequence[Slices] = ()) -> str:
    """One line per pair, those of slices last, in full precision; a name that looks like a formula
    is made text."""
    columns = [*COLUMNS, *(("by", "slice") if slices else ())]
    parts = [(comparison, "", "") for comparison in comparisons]
    parts += [
        (held.to_dict(), part.column, label)
        for part in slices
        for label, held in part.comparisons.items()
    ]
    rows: list[list[Any]] = [columns]
    for comparison, column, label in parts:
        for pair in comparison["pairs"]:
            cells = {"metric": comparison["metric"], "by": column, "slice": label, **pair}
            rows.append([_text(cells.get(name)) for name in columns])
    return delimited_text(rows)


def _text(value: Any) -> Any:
    if isinstance(value, str):
        return defused(value)
    return "" if value is None else value
