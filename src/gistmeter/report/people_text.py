"""What labels say, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gistmeter.core.wording import count, figure, signed, span

if TYPE_CHECKING:
    from gistmeter.people.corrected import CorrectedValue
    from gistmeter.people.statements import LabelSummary, PairStatement, SystemStatement

GOAL = "± 0.03"


def summary_lines(summary: LabelSummary) -> list[str]:
    """All that can be said, one sentence or two per line."""
    raters = count(len(summary.raters), "rater")
    lines = [f"{count(summary.labels, 'label')} of {count(summary.items, 'output')} by {raters}."]
    if summary.outside:
        lines.append(
            f"{count(summary.outside, 'label')} of items that no design drew: estimates do without."
        )
    lines += [_system(one, summary.score) for one in summary.systems]
    lines += [_pair(one) for one in summary.pairs]
    return [*lines, *_agreement(summary), *_misleading(summary), *summary.notes]


def _system(one: SystemStatement, score: str) -> str:
    found, alone = one.corrected, one.labels_alone
    line = f"{one.system}: people would say {_spelled(found)}"
    if math.isfinite(found.low):
        line += (
            f", ± {figure(found.half_width)}; with no judge ± {figure(alone.half_width)}; "
            f"{score} alone says {figure(one.score_alone.value)}"
        )
    line += f" ({count(found.labelled, 'label')} of {found.population:,} items)."
    if one.more_labels is None:
        return f"{line} For {GOAL} all items would not do." if math.isfinite(found.low) else line
    if one.more_labels == 0:
        return f"{line} That is within {GOAL}."
    return f"{line} For {GOAL} it takes about {count(one.more_labels, 'more label')}."


def _pair(one: PairStatement) -> str:
    found = one.corrected
    if one.kind == "preference":
        return f"{one.first} is preferred to {one.second} in {_spelled(found)} of items."
    if not math.isfinite(found.low):
        return f"{one.first} − {one.second}: {signed(found.value)}, too few labels for an interval."
    verdict = "The difference is real" if found.low > 0 or found.high < 0 else "It can be chance"
    within = f"{signed(found.low)} to {signed(found.high)}"
    return f"{one.first} − {one.second}: {signed(found.value)} ({within}). {verdict}."


def _agreement(summary: LabelSummary) -> Iterator[str]:
    among = summary.agreement
    if among:
        interval = span(among.alpha.low, among.alpha.high)
        yield (
            f"Raters agree with each other by Krippendorff's alpha {figure(among.alpha.value)}"
            f"{f' ({interval})' if interval else ''} on {count(among.items, 'item')}."
        )
    if summary.with_score:
        r, rho = summary.with_score["pearson"], summary.with_score["spearman"]
        yield (
            f"People and {summary.score}: Pearson {figure(r.value)} ({span(r.low, r.high)}), "
            f"Spearman {figure(rho.value)} ({span(rho.low, rho.high)})."
        )


def _misleading(summary: LabelSummary) -> Iterator[str]:
    for one in summary.misleading:
        mild = "too mild" if one.gap.value > 0 else "too strict"
        yield (
            f"{summary.score} misleads for {one.column} {one.value}: {mild} by "
            f"{figure(abs(one.gap.value))} beside the rest ({count(one.labelled, 'label')})."
        )


def _spelled(found: CorrectedValue) -> str:
    interval = span(found.low, found.high)
    return figure(found.value) + (f" ({interval})" if interval else "")
