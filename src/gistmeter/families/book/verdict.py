"""The verdict: what an edition kept, invented, moved and changed, in sentences with numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gistmeter.types import Score
from gistmeter.views import Details, shown

if TYPE_CHECKING:
    from gistmeter.run import Run

NAMED = 3  # moved blocks that a sentence names
QUESTIONS = ("source_recall", "unsupported", "moved", "changed")
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


def verdict(run: Run, details: Mapping[str, Any] | None = None) -> list[str]:
    """Who is more faithful and why, then three or four lines for each edition."""
    held = editions(run, details)
    lines = []
    if len(run.systems) > 1:
        lines.append(_ranking(run, held))
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


def _ranking(run: Run, held: Sequence[Edition]) -> str:
    """The first edition against each other, in words."""
    order = sorted(run.systems, key=lambda system: _worth(run, system), reverse=True)
    best = order[0]
    reasons = [f"{shown(other, 60)} {_reasons(run, held, best, other)}" for other in order[1:]]
    return (
        f"{shown(best, 60)} is the most faithful edition by what it keeps: "
        + "; ".join(reasons[:4])
        + (f"; and {len(reasons) - 4} more" if len(reasons) > 4 else "")
        + "."
    )


def _worth(run: Run, system: str) -> float:
    score = run.systems[system].scores.get("source_recall")
    return score.value if score is not None and math.isfinite(score.value) else -1.0


def _reasons(run: Run, held: Sequence[Edition], best: str, other: str) -> str:
    """In what an edition is worse than the best one, and in what it is better."""
    worse, better = [], []
    ours, theirs = run.systems[best].scores, run.systems[other].scores
    phrases = {
        "source_recall": ("keeps less", "keeps more"),
        "unsupported": ("invents more", "invents less"),
        "moved": ("moves more", "moves less"),
        "changed": ("changes more facts", "changes fewer facts"),
    }
    for name, (fault, merit) in phrases.items():
        if name not in ours or name not in theirs:
            continue
        gap = ours[name].value - theirs[name].value
        gap = gap if ours[name].higher_is_better else -gap
        if not math.isfinite(gap) or abs(gap) < LEVEL:
            continue
        said = f"{fault if gap > 0 else merit} ({percent(theirs[name].value)} against {percent(ours[name].value)})"
        moves = [str(move["text"]) for one in held if one.system == other for move in one.moves]
        if name == "moved" and gap > 0 and moves:
            said += f": {shown(moves[0], 120)}"
        (worse if gap > 0 else better).append(said)
    if not worse and not better:
        return "is its equal on every count"
    told = ", ".join(worse)
    return told + (f"{', but ' if told else ''}{', '.join(better)}" if better else "")
