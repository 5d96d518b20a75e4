"""The verdict: what an edition kept, invented, moved and changed, in sentences with numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gistmeter.core.types import Score
from gistmeter.core.views import Details, shown
from gistmeter.core.wording import probability

if TYPE_CHECKING:
    from gistmeter.core.comparison import Comparison, Findings
    from gistmeter.core.run import Run

NAMED = 3  # moved blocks that a sentence names
RANKED = "fidelity"
TIES = "gist"  # what decides between editions of one fidelity
QUESTIONS = ("source_recall", "unsupported", "moved", "changed")
MOST = 4  # other editions that a sentence compares with the first
PHRASES = {
    "source_recall": ("keeps less", "keeps more"),
    "unsupported": ("invents more", "invents less"),
    "moved": ("moves more", "moves less"),
    "changed": ("changes more facts", "changes fewer facts"),
    "gist": ("is less true to the original in what it says", "is truer to it in what it says"),
}
LEAST = 0.001  # p-values below are said to be so
UNCERTAIN = 0.05  # p-values from which on the data cannot tell two editions apart
LEVEL = 0.005  # shares that differ by less are said to be the same


@dataclass(frozen=True, slots=True)
class Edition:
    """One summary of one book, with the document that describes it."""

    system: str
    title: str
    document: Mapping[str, Any]
    name: str  # of the document

    @property
    def sentences(self) -> Sequence[Mapping[str, Any]]:
        found: Sequence[Mapping[str, Any]] = self.document.get("sentences") or []
        return found

    @property
    def source(self) -> Sequence[str]:
        found: Sequence[str] = (self.document.get("source") or {}).get("sentences") or []
        return found

    @property
    def invented(self) -> list[Mapping[str, Any]]:
        return [entry for entry in self.sentences if entry.get("covered") is False]

    @property
    def changed(self) -> list[Mapping[str, Any]]:
        return [entry for entry in self.sentences if entry.get("changed")]

    @property
    def moves(self) -> Sequence[Mapping[str, Any]]:
        found: Sequence[Mapping[str, Any]] = self.document.get("moves") or []
        return found

    @property
    def cuts(self) -> list[Mapping[str, Any]]:
        """What was cut, the largest first."""
        found: Sequence[Mapping[str, Any]] = self.document.get("cuts") or []
        return sorted(found, key=lambda cut: (-cut["words"], cut["first"]))

    def chapter_of(self, place: int | None) -> str:
        """The title of the chapter that a source sentence stands in."""
        for chapter in self.document.get("chapters") or []:
            if place is not None and chapter["first"] <= place <= chapter["last"]:
                return str(chapter["title"])
        return ""


def editions(run: Run, details: Mapping[str, Any] | None = None) -> list[Edition]:
    """Every edition of a run in the order of its systems; one without a document is left out."""
    held = Details(run) if details is None else details
    books = {
        name: content
        for name in held
        if isinstance(content := held[name], Mapping) and content.get("kind") == "book"
    }
    found = []
    for system in run.systems:
        for name, content in books.items():
            if _belongs(name, str(content.get("system", system)), system, run):
                found.append(Edition(system, str(content.get("title")), content, name))
    return found


def _belongs(name: str, made_by: str, system: str, run: Run) -> bool:
    """Whether a document is of a system; gathered runs keep theirs under a folder's name."""
    folder = name.rpartition("/")[0]
    if not folder:
        return made_by == system or len(run.systems) == 1
    return system in (folder, f"{folder}/{made_by}") or (
        made_by == system and not any(one.startswith(folder) for one in run.systems)
    )


def percent(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    share = 100 * value
    return f"{share:.0f}%" if share == round(share) or share >= 10 else f"{share:.1f}%"


def with_interval(score: Score) -> str:
    """A share with its interval: 64% (54% to 72%)."""
    if not math.isfinite(score.low) or score.low == score.high:
        return percent(score.value)
    return f"{percent(score.value)} ({percent(score.low)} to {percent(score.high)})"


def verdict(run: Run, findings: Findings) -> list[str]:
    """Who is more faithful and why, then three or four lines for each edition."""
    held = editions(run)
    lines = []
    if len(run.systems) > 1:
        lines.append(_ranking(run, held, findings))
    for system in run.systems:
        own = [one for one in held if one.system == system]
        lead = f"{shown(system, 60)}: " if len(run.systems) > 1 else ""
        lines += [lead + line for line in _lines(run, system, own)]
    return lines


def _lines(run: Run, system: str, own: Sequence[Edition]) -> list[str]:
    scores = run.systems[system].scores
    lines = []
    kept, invented, moved = (scores.get(name) for name in QUESTIONS[:3])
    if kept is not None and math.isfinite(kept.value):
        whole = [
            f"“{shown(edition.chapter_of(cut['first']), 60)}”"
            for edition in own
            for cut in edition.cuts
            if cut.get("whole") and edition.chapter_of(cut["first"])
        ]
        gone = f"; cut as a whole: {', '.join(whole[:NAMED])}" if whole else ""
        more = f" and {len(whole) - NAMED} more" if len(whole) > NAMED else ""
        lines.append(f"Kept: {with_interval(kept)} of the original's content{gone}{more}.")
    else:
        why = next(iter(kept.reasons), "") if kept is not None else ""
        lines.append("Kept: not scored" + (f" ({why})" if why else "") + ".")
    if invented is not None and math.isfinite(invented.value):
        count = sum(len(edition.invented) for edition in own)
        total = sum(len(edition.sentences) for edition in own)
        said = "nothing" if not count else f"{with_interval(invented)}, {count} of {total}"
        lines.append(f"Invented: {said}{' sentences without a source' if count else ''}.")
    if moved is not None and math.isfinite(moved.value):
        told = [str(move["text"]) for edition in own for move in edition.moves]
        listed = "; ".join(shown(text, 160) for text in told[:NAMED])
        more = f"; and {len(told) - NAMED} more" if len(told) > NAMED else ""
        share = f"{with_interval(moved)} of its sentences stand elsewhere. {listed}{more}"
        lines.append(f"In order: {share if told else 'yes, nothing moved'}.")
    changed = scores.get("changed")
    if changed is not None and math.isfinite(changed.value):
        count = sum(len(edition.changed) for edition in own)
        word = "sentence has" if count == 1 else "sentences have"
        said = (
            f"{count} {word} other facts than the source"
            if count
            else "no fact was found to differ"
        )
        lines.append(f"Changed: {said}.")
    return lines


def _ranking(run: Run, held: Sequence[Edition], findings: Findings) -> str:
    """The first edition against each other, in words."""
    order = sorted(run.systems, key=lambda system: _rank(run, system), reverse=True)
    best, others = order[0], order[1 : MOST + 1]
    told = [f"{shown(other, 60)} {_reasons(run, held, findings, best, other)}" for other in others]
    more = f"; and {len(order) - 1 - MOST} more" if len(order) - 1 > MOST else ""
    comparison = findings.on(RANKED)
    pair = comparison.between(best, others[0]) if comparison else None
    units = pair.clusters if pair else 0
    over = f" p-values are over {units} passages of the book: they speak of no other book."
    over = f" {units} passages are too few for a test." if pair and pair.note else over
    lead = _lead(run, comparison, best, others[0])
    by_passage = bool(units) and _over_passages(run)
    return f"{shown(best, 60)} {lead}: {'; '.join(told)}{more}.{over if by_passage else ''}"


def _lead(run: Run, comparison: Comparison | None, best: str, other: str) -> str:
    """How the first edition stands to the second by fidelity, no surer than the data are."""
    ours, theirs = _worth(run, best), _worth(run, other)
    if ours < 0:
        return "comes first"
    if abs(ours - theirs) < LEVEL:
        return f"has the same fidelity as {shown(other, 60)} ({percent(ours)})"
    said = f"(fidelity {percent(ours)} against {percent(theirs)}{_tested(comparison, best, other)})"
    if not _p_value(comparison, best, other) < UNCERTAIN:
        return f"comes first, but the data cannot tell it from {shown(other, 60)} {said}"
    return f"is most faithful {said}"


def _over_passages(run: Run) -> bool:
    metric = run.metrics.get("alignment")
    return getattr(metric, "resampled", "") == "passages"


def _rank(run: Run, system: str) -> tuple[float, float]:
    """By fidelity, as it is said; where that is the same, by gist."""
    tie = run.systems[system].scores.get(TIES)
    return round(_worth(run, system), 2), tie.value if tie and math.isfinite(tie.value) else 0.0


def _worth(run: Run, system: str) -> float:
    score = run.systems[system].scores.get(RANKED)
    return score.value if score is not None and math.isfinite(score.value) else -1.0


def _p_value(comparison: Comparison | None, best: str, other: str) -> float:
    """NaN where there was no test, or too little to test with."""
    pair = comparison.between(best, other) if comparison else None
    return pair.p_corrected if pair and not pair.note else math.nan


def _reasons(
    run: Run,
    held: Sequence[Edition],
    findings: Findings,
    best: str,
    other: str,
) -> str:
    """In what an edition is worse than the best one, and in what it is better."""
    worse: list[str] = []
    better: list[str] = []
    ours, theirs = run.systems[best].scores, run.systems[other].scores
    for name, (fault, merit) in PHRASES.items():
        if name not in ours or name not in theirs:
            continue
        gap = ours[name].value - theirs[name].value
        gap = gap if ours[name].higher_is_better else -gap
        if not math.isfinite(gap) or abs(gap) < LEVEL:
            continue
        values = f"{percent(theirs[name].value)} against {percent(ours[name].value)}"
        said = f"{fault if gap > 0 else merit} ({values}{_tested(findings.on(name), best, other)})"
        moves = [str(move["text"]) for one in held if one.system == other for move in one.moves]
        if name == "moved" and gap > 0 and moves:
            said += f": {shown(moves[0], 120)}"
        (worse if gap > 0 else better).append(said)
    if not worse and not better:
        return "is its equal on every count"
    told = ", ".join(worse)
    return told + (f"{', but ' if told else ''}{', '.join(better)}" if better else "")


def _tested(comparison: Comparison | None, best: str, other: str) -> str:
    p = _p_value(comparison, best, other)
    if math.isnan(p):
        return ""
    return f", p {probability(p)}" if p < LEAST else f", p = {probability(p)}"
