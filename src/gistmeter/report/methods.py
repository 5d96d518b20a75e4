"""A paragraph on methods, ready to paste: what was scored, how, and whom to cite."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gistmeter.core.views import View
from gistmeter.core.wording import count, listed
from gistmeter.report.decisive import deciding
from gistmeter.version import __version__

if TYPE_CHECKING:
    from gistmeter.core.run import Run

TESTS = {
    "permutation": "paired approximate randomisation (Noreen 1989)",
    "bootstrap": "paired bootstrap (Koehn 2004)",
    "wilcoxon": "Wilcoxon's signed-rank test (Wilcoxon 1945)",
}
CORRECTIONS = {
    "bh": "corrected by Benjamini and Hochberg (1995)",
    "holm": "corrected by Holm (1979)",
    "none": "not corrected",
}


def methods(run: Run, view: View) -> str:
    """The paragraph; it says nothing that the run does not have. The signature belongs to it."""
    return " ".join([*_data(run, view), *_scores(run, view), *_statistics(run)])


def _data(run: Run, view: View) -> list[str]:
    rows = run.rows
    if rows is None:
        return []
    keys = set(zip(rows.keys["id"], rows.keys["group"], strict=True))
    size = run.excerpt.items if run.excerpt else len(keys)
    codes = sorted(filter(None, set(rows.texts.get("language", ()))))
    where = f" ({listed(codes, 6)})" if codes else ""
    text = f"{count(len(run.systems), 'system')} on {count(size, view.noun)}{where}"
    repeats = run.repeats
    if repeats:
        most = max(entry.samples for entry in repeats)
        text += f", with {most:g} answers to each; items are the unit, and answers nested in them"
    return [f"We scored {text}, with gistmeter {__version__}."]


def _scores(run: Run, view: View) -> list[str]:
    names = deciding(run, view)
    return [
        f"{name} is {view.methods[name]}{_partial(run, name)}."
        for name in names
        if name in view.methods
    ]


def _partial(run: Run, name: str) -> str:
    missing = {
        part for scored in run.systems.values() if name in scored.scores
        for part in scored.scores[name].partial
    }  # fmt: skip
    return f", here without {listed(sorted(missing))}" if missing else ""


def _statistics(run: Run) -> list[str]:
    lines = []
    scores = [score for scored in run.systems.values() for score in scored.scores.values()]
    if any(math.isfinite(score.low) for score in scores):
        lines.append(
            f"Intervals ({100 * run.confidence:g}%) have the limits of Wilson (1927), with the"
            f" standard error of a bootstrap over items ({run.resamples:,} resamples, seed"
            f" {run.seed}; Efron 1979), Student's quantile and a correction for skewness (Johnson"
            " 1978)."
        )
    tested = run.findings.comparisons
    if tested and tested[0].pairs:
        first = tested[0]
        kinds = [TESTS[pair.test] for pair in first.pairs if pair.test in TESTS]
        if kinds:
            lines.append(
                f"Differences were tested by {kinds[0]} with {first.resamples:,} resamples, "
                f"{CORRECTIONS.get(first.correction, first.correction)}."
            )
    if run.slices:
        columns = listed([one.column for one in run.slices])
        lines.append(f"Tests by {columns} are corrected for all slices together.")
    return lines
