"""A run as a LaTeX table (booktabs): the scores that decide, with intervals.

The best system of a column is bold only where it is shown to be ahead of every other.
"""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from gistmeter.core.comparison.answer import Standing
from gistmeter.core.types import Score
from gistmeter.core.views import View
from gistmeter.core.wording import figure, listed
from gistmeter.report.decisive import deciding
from gistmeter.report.methods import methods
from gistmeter.report.terminal import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gistmeter.core.comparison import Comparison
    from gistmeter.core.run import Run
    from gistmeter.core.slices import Slices

LATEX = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "\n": " ",
        "[": "{[}", "]": "{]}", "*": "{*}",  # at the start of a row, an option of the row before
    }
)  # fmt: skip
BOLD = "Bold: shown to be ahead of every other system."


def latex(run: Run, view: View) -> str:
    """The table of a run, one for each column that it is sliced by; methods as a comment."""
    standing = Standing(run, view, run.findings)
    names, systems = deciding(run, view), standing.ordered
    winners = {name: sole_winner(run.findings.on(name)) for name in names}
    arrows = {True: r"$\uparrow$", False: r"$\downarrow$"}
    heads = [
        f"{latex_text(name)} {arrows[standing.score(name).higher_is_better]}" for name in names
    ]
    rows = [
        [latex_text(system), *(
            cell(run.systems[system].scores.get(name), system == winners[name]) for name in names
        )]
        for system in systems
    ]  # fmt: skip
    left = latex_text(_not_ranked(standing.lead))
    note = f"{_small_print(run)}{BOLD}{left}"
    parts = [_table(["system", *heads], rows, note)]
    parts += [latex_slices(part) for part in run.slices]
    said = safe(f"Methods: {methods(run, view)} Signature: {run.signature}").plain
    comment = textwrap.fill(said, 98, initial_indent="% ", subsequent_indent="% ",
                         break_long_words=False)  # fmt: skip
    return "% needs \\usepackage{booktabs}\n" + "\n".join(parts) + f"\n{comment}\n"


def _small_print(run: Run) -> str:
    share = f"{100 * run.confidence:g}"
    return f"In small print: {share}\\% intervals over items. " if run.resamples else ""


def latex_slices(slices: Slices) -> str:
    """Systems by slices, on one score."""
    labels, scores = list(slices.parts), slices.scores
    winners = {label: sole_winner(slices.comparisons.get(label)) for label in labels}
    rows = [
        [latex_text(system), *(
            cell(scores[label].get(system), system == winners[label]) for label in labels
        )]
        for system in slices.systems
    ]  # fmt: skip
    left = [_not_ranked(slices.comparisons.get(label), f" in {label}") for label in labels]
    note = (
        f"{latex_text(slices.score)} by {latex_text(slices.column)}. "
        f"{_small_print(next(iter(slices.parts.values())))}{BOLD} Tests are corrected for all"
        f" slices together.{latex_text(''.join(left))}"
    )
    heads = [f"{latex_text(label)} ($n={slices.size(label)}$)" for label in labels]
    return _table(["system", *heads], rows, note)


def sole_winner(comparison: Comparison | None) -> str | None:
    """The system that is shown to be ahead of every other; None where there is none."""
    first, *others = (comparison.ranking.ranked if comparison else []) or [""]
    if comparison is None or not others:
        return None
    for other in others:
        pair = comparison.between(first, other)
        ahead = pair is not None and (pair.difference > 0) == (
            comparison.higher_is_better == (pair.a == first)
        )
        if pair is None or not pair.is_real or not ahead:
            return None
    return first


def _not_ranked(comparison: Comparison | None, where: str = "") -> str:
    """Who has no part in the verdict, for a caption."""
    excluded = comparison.ranking.excluded if comparison else {}
    names = [f"{system} ({why})" for system, why in excluded.items()]
    return f" Not ranked{where}: {listed(names, 6)}." if names else ""


def cell(score: Score | None, bold: bool) -> str:
    if score is None or not math.isfinite(score.value):
        return "--"
    value = figure(score.value, score.unit).replace("%", r"\%")
    value = rf"\textbf{{{value}}}" if bold else value
    if not (math.isfinite(score.low) and math.isfinite(score.high)):
        return value
    low, high = (figure(bound).removesuffix("%") for bound in score.interval)
    return rf"{value} {{\scriptsize [{low}, {high}]}}"


def latex_text(text: str) -> str:
    return safe(text).plain.translate(LATEX)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    body = "\n".join(" & ".join(row) + r" \\" for row in rows)
    return (
        "\\begin{table}\n\\centering\n"
        f"\\caption{{{caption}}}\n"
        f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}\n\\toprule\n"
        f"{' & '.join(head)} \\\\\n\\midrule\n{body}\n\\bottomrule\n"
        "\\end{tabular}\n\\end{table}\n"
    )
