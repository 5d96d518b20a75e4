"""The answer for summaries: how many claims hold, and which chapters they come from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gistmeter.book.book_document import BookDocument, editions
from gistmeter.book.metrics.claims import CONTRADICTED, NOT_FOUND, SUPPORTED
from gistmeter.book.verdict import UNTESTED, pair_tests, percent, with_interval
from gistmeter.core.types import Score
from gistmeter.core.views import shown

if TYPE_CHECKING:
    from gistmeter.core.comparison import Findings
    from gistmeter.core.run import Run

RANKED = "claims_supported"
NAMED = 5  # chapters that a sentence names
MOST = 4  # other summaries that a sentence compares with the first


def summary_verdict(run: Run, findings: Findings) -> list[str]:
    """Who claims what is true most often, then two or three lines for each summary."""
    scored = {
        system: own.scores[RANKED]
        for system, own in run.systems.items()
        if RANKED in own.scores and math.isfinite(own.scores[RANKED].value)
    }
    lines = [_rank(scored, findings)] if len(scored) > 1 else []
    every = editions(run)
    for system, score in scored.items():
        books = [one.book for one in every if one.system == system and one.book.is_summary]
        lead = f"{shown(system, 60)}: " if len(run.systems) > 1 else ""
        lines += [lead + line for line in _tell(score, books)]
    if not scored:
        reasons = [
            reason
            for own in run.systems.values()
            for reason in own.scores.get(RANKED, Score(RANKED, math.nan)).reasons
        ]
        lines += [f"Claims: not scored ({reasons[0]})."] if reasons else []
    return lines


def _rank(scored: dict[str, Score], findings: Findings) -> str:
    order = findings.ranking(RANKED, scored).order
    best, others = order[0], order[1 : MOST + 1]
    told = [
        f"{shown(other, 60)} has {percent(scored[other].value)}"
        f"{pair_tests(findings, best, other).get(RANKED, UNTESTED)}"
        for other in others
    ]
    sure = pair_tests(findings, best, others[0]).get(RANKED, UNTESTED).is_real
    first = "has the most claims that hold" if sure else "comes first, but the data cannot tell it"
    tail = "" if sure else f" from {shown(others[0], 60)}"
    return f"{shown(best, 60)} {first}{tail}: {percent(scored[best].value)}; {'; '.join(told)}."


def _tell(score: Score, books: Sequence[BookDocument]) -> list[str]:
    claims = [entry for book in books for entry in book.sentences]
    counts = Counter(one.verdict for one in claims)
    lines = [
        f"Supported: {with_interval(score)} of {len(claims)} claims; {counts[CONTRADICTED]}"
        f" contradicted, {counts[NOT_FOUND]} not found in the original."
    ]
    for book in books:
        told = {
            number
            for number, chapter in enumerate(book.chapters)
            for entry in book.sentences
            if entry.verdict == SUPPORTED and chapter.first <= (entry.home or 0) <= chapter.last
        }
        silent = [one.title for at, one in enumerate(book.chapters) if at not in told and one.title]
        named = ", ".join(f"“{shown(title, 60)}”" for title in silent[:NAMED])
        more = f" and {len(silent) - NAMED} more" if len(silent) > NAMED else ""
        lines.append(
            f"Plot: {len(told)} of {len(book.chapters)} chapters are told"
            + (f"; nothing comes from {named}{more}." if silent else ".")
        )
    return lines
