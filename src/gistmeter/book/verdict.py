"""The verdict: what an edition kept, invented, moved and changed, in sentences with numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from gistmeter.book.book_document import BookDocument, ChapterFindings, Edition, editions
from gistmeter.core.types import Score
from gistmeter.core.views import shown
from gistmeter.core.wording import probability

if TYPE_CHECKING:
    from gistmeter.core.comparison import Findings, PairedDifference
    from gistmeter.core.run import Run

NAMED = 3  # moved blocks that a sentence names
GONE = 0.05  # share of a chapter's content up to which it is missing
RANKED = "fidelity"
UNSCORED = Score(RANKED, math.nan)
QUESTIONS = ("source_recall", "unsupported", "moved", "changed")
MOST = 4  # other editions that a sentence compares with the first
PHRASES = {
    "source_recall": ("keeps less", "keeps more"),
    "unsupported": ("invents more", "invents less"),
    "moved": ("moves more", "moves less"),
    "changed": ("changes more facts", "changes fewer facts"),
    "gist": ("is less true to the original in what it says", "is truer to it in what it says"),
}
LEAST = 0.001  # p-values below are shown as a bound
LEVEL = 0.005  # shares that differ by less count as the same


@dataclass(frozen=True, slots=True)
class PairTest:
    """The paired test of two editions by one score; p is NaN where there was none."""

    p: float = math.nan
    clusters: int = 0
    too_few: bool = False  # passages for a test
    is_real: bool = False

    @classmethod
    def of(cls, pair: PairedDifference) -> Self:
        too_few = bool(pair.note)
        p = math.nan if too_few else pair.p_corrected
        return cls(p, pair.clusters, too_few, pair.is_real and not too_few)

    def __str__(self) -> str:
        if math.isnan(self.p):
            return ""
        return f", p {probability(self.p)}" if self.p < LEAST else f", p = {probability(self.p)}"


Tests = Mapping[str, PairTest]  # by score
UNTESTED = PairTest()


def pair_tests(findings: Findings, best: str, other: str) -> dict[str, PairTest]:
    """The tests of two editions by score, of the comparisons of all."""
    return {
        comparison.metric: PairTest.of(pair)
        for comparison in findings.comparisons
        if (pair := comparison.between(best, other))
    }


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
    several, every = len(run.systems) > 1, editions(run)
    lines = [rank_editions(run, every, findings)] if several else []
    answers = (_kept, _invented, _moved, _changed)
    for system, scored in run.systems.items():
        books = [edition.book for edition in every if edition.system == system]
        lead = f"{shown(system, 60)}: " if several else ""
        for name, answer in zip(QUESTIONS, answers, strict=True):
            score = scored.scores.get(name, Score(name, math.nan))
            if math.isfinite(score.value):
                lines.append(lead + answer(score, books))
            elif answer is _kept:
                why = next(iter(score.reasons), "")
                lines.append(f"{lead}Kept: not scored" + (f" ({why})" if why else "") + ".")
    return lines


def _kept(score: Score, books: Sequence[BookDocument]) -> str:
    gone = [stretch for book in books for stretch in missing_chapters(book)]
    named = "; ".join(gone[:NAMED])
    more = f"; and {len(gone) - NAMED} more" if len(gone) > NAMED else ""
    missing = f". Missing: {named}{more}" if gone else ""
    return f"Kept: {with_interval(score)} of the original's content{missing}."


def missing_chapters(book: BookDocument) -> list[str]:
    """Neighbouring chapters of which nearly nothing is there, in words."""
    if len(book.chapters) < 2:
        return []
    # Of a very short edition every chapter has little, and none is missing for that.
    words = sum(chapter.words for chapter in book.chapters)
    kept = math.fsum(chapter.kept_words or 0.0 for chapter in book.chapters) / max(1, words)
    least = min(GONE, kept / 2)
    runs: list[list[ChapterFindings]] = []
    last = -2
    for number, chapter in enumerate(book.chapters):
        if chapter.words and chapter.kept <= least:
            if last == number - 1:
                runs[-1].append(chapter)
            else:
                runs.append([chapter])
            last = number
    return [_missing(run) for run in runs]


def _missing(run: Sequence[ChapterFindings]) -> str:
    first, last = (
        f"“{shown(one.title, 60)}”" if one.title else f"sentences {one.first + 1}–{one.last + 1}"
        for one in (run[0], run[-1])
    )
    name = first if len(run) == 1 else f"{first} to {last}"
    left = sum(chapter.sentences for chapter in run)
    rest = f" but for {left} sentence{'s' if left > 1 else ''}" if left else ""
    return f"{name}{rest}"


def _invented(score: Score, books: Sequence[BookDocument]) -> str:
    count = sum(len(book.invented) for book in books)
    less = _less_sure(books, "invented")
    if not count:
        return f"Invented: nothing{less}."
    total = sum(len(book.sentences) for book in books)
    told = f"Invented: {with_interval(score)}, {count} of {total} sentences without a source"
    return f"{told}{less}."


def _less_sure(books: Sequence[BookDocument], kind: str) -> str:
    """How many suspicions of a kind are not counted."""
    count = sum(
        alarm.kind == kind and not alarm.is_shown("balanced")
        for book in books
        for alarm in book.alarms
    )
    return f"; {count} less sure: --alarms all" if count else ""


def _moved(score: Score, books: Sequence[BookDocument]) -> str:
    moves = [move.text for book in books for move in book.moves]
    if not moves:
        return "In order: yes, nothing moved."
    listed = "; ".join(shown(text, 160) for text in moves[:NAMED])
    more = f"; and {len(moves) - NAMED} more" if len(moves) > NAMED else ""
    return f"In order: {with_interval(score)} of its sentences stand elsewhere. {listed}{more}."


def _changed(score: Score, books: Sequence[BookDocument]) -> str:
    del score
    count = sum(len(book.changed) for book in books)
    less = _less_sure(books, "changed")
    if not count:
        return f"Changed: no fact was found to differ{less}."
    verb = "sentence has" if count == 1 else "sentences have"
    return f"Changed: {count} {verb} other facts than the source{less}."


def rank_editions(run: Run, every: Sequence[Edition], findings: Findings) -> str:
    """The first edition against each other, in words."""
    held = {system: own.scores.get(RANKED, UNSCORED) for system, own in run.systems.items()}
    order = findings.ranking(RANKED, held).order
    best, others = order[0], order[1 : MOST + 1]
    tests = [pair_tests(findings, best, other) for other in others]
    compared = [
        f"{shown(other, 60)} {_reasons(run, every, test, best, other)}"
        for other, test in zip(others, tests, strict=True)
    ]
    more = f"; and {len(order) - 1 - MOST} more" if len(order) - 1 > MOST else ""
    test = tests[0].get(RANKED, UNTESTED)
    note = ""
    if test.clusters and getattr(run.metrics.get("alignment"), "resampled", "") == "passages":
        over = (
            f"p-values are over {test.clusters} passages of the book: they speak of no other book"
        )
        note = f" {test.clusters} passages are too few for a test." if test.too_few else f" {over}."
    first = _lead(run, test, best, others[0])
    return f"{shown(best, 60)} {first}: {'; '.join(compared)}{more}.{note}"


def _lead(run: Run, test: PairTest, best: str, other: str) -> str:
    """The first edition against the second by fidelity, as sure as the data allow."""
    ours, theirs = _value(run, best, RANKED, -1.0), _value(run, other, RANKED, -1.0)
    if ours < 0:
        return "comes first"
    if abs(ours - theirs) < LEVEL:
        return f"has the same fidelity as {shown(other, 60)} ({percent(ours)})"
    values = f"(fidelity {percent(ours)} against {percent(theirs)}{test})"
    if not test.is_real:
        return f"comes first, but the data cannot tell it from {shown(other, 60)} {values}"
    if rival := _less_false(run, best):
        return f"comes first {values}, but {shown(rival, 60)} has fewer false sentences"
    return f"is most faithful {values}"


def _less_false(run: Run, best: str) -> str:
    """An edition of which clearly less is invented or changed; empty where there is none."""

    def wrong(system: str) -> float:
        return sum(_value(run, system, name, 0.0) for name in ("unsupported", "changed"))

    least = min(run.systems, key=wrong)
    return least if wrong(best) - wrong(least) >= LEVEL else ""


def _value(run: Run, system: str, name: str, undefined: float) -> float:
    score = run.systems[system].scores.get(name)
    return score.value if score is not None and math.isfinite(score.value) else undefined


def _reasons(run: Run, every: Sequence[Edition], tests: Tests, best: str, other: str) -> str:
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
        reason = f"{fault if gap > 0 else merit} ({values}{tests.get(name, UNTESTED)})"
        books = [edition.book for edition in every if edition.system == other]
        moves = [move.text for book in books for move in book.moves]
        if name == "moved" and gap > 0 and moves:
            reason += f": {shown(moves[0], 120)}"
        (worse if gap > 0 else better).append(reason)
    if not worse and not better:
        return "is equal to it in every respect"
    return ", but ".join(", ".join(reasons) for reasons in (worse, better) if reasons)
