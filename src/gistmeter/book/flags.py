"""What an editor is pointed to: every place that was cut, invented, moved or changed, as a value.

Page, tables, the JSON report and the commented edition all list the same flags, in the order of the
original. Nothing is left out here; who shows fewer says how many more there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gistmeter.book.book_document import BookDocument, Cut
from gistmeter.book.edition_alarms import ALARM_KINDS, ALARM_LEVELS, EditionAlarm, Span
from gistmeter.book.metrics.claims import CONTRADICTED, NOT_FOUND, SUPPORTED, VERDICTS


@dataclass(frozen=True, slots=True)
class Flag:
    """One place with the reason why it is flagged; sentences are counted from 0."""

    kind: str
    place: int  # in the original, where it is listed
    reason: str
    first: int | None = None  # sentences of the edition; None: the edition has none
    last: int | None = None
    start: int | None = None  # sentences of the original: its source, or the nearest
    end: int | None = None
    marks: tuple[Span, ...] = ()  # the words of the first sentence that differ
    source_marks: tuple[tuple[int, int, int], ...] = ()  # sentence of the original, span
    probability: float | None = None  # that an editor would agree; None: not known
    further: tuple[Span, ...] = ()  # other passages that a claim was read beside
    level: str = ALARM_LEVELS[0]  # the shortest list that has it

    def is_shown(self, level: str) -> bool:
        return ALARM_LEVELS.index(self.level) <= ALARM_LEVELS.index(level)

    def to_dict(self, book: BookDocument) -> dict[str, Any]:
        """As the JSON report has it, with both passages whole."""
        return {
            "kind": self.kind, "level": self.level, "reason": self.reason,
            "probability": self.probability, "chapter": book.chapter_title(self.place),
            "first": self.first, "last": self.last,
            "sentence": " ".join(stretch(book.summary_sentences, self.first, self.last)),
            "source_first": self.start, "source_last": self.end,
            "source_sentence": " ".join(stretch(book.source.sentences, self.start, self.end)),
            "further_passages": [list(span) for span in self.further],
            "marks": [list(span) for span in self.marks],
            "source_marks": [list(span) for span in self.source_marks],
        }  # fmt: skip


def stretch(sentences: Sequence[str], first: int | None, last: int | None) -> list[str]:
    """The sentences from one to another; none where there is no first."""
    return [] if first is None or last is None else list(sentences[first : last + 1])


def flags_of(book: BookDocument) -> list[Flag]:
    """Every flag of an edition in the order of the original, the gravest of one place first."""
    if book.is_summary:
        return sorted(_of_claims(book), key=lambda flag: (flag.place, flag.first or 0))
    order = {kind: at for at, kind in enumerate(ALARM_KINDS)}
    told: dict[tuple[str, int | None, int | None], str] = {
        **{("cut", cut.first, cut.last): _tell_cut(cut) for cut in book.cuts},
        **{("moved", move.first, move.last): move.text for move in book.moves},
    }
    flags = [_of_alarm(alarm, book, told) for alarm in book.alarms] or list(_of_sentences(book))
    if not any(flag.kind == "cut" for flag in flags):
        flags += [
            Flag("cut", cut.first, _tell_cut(cut), start=cut.first, end=cut.last)
            for cut in book.cuts
        ]
    return sorted(flags, key=lambda flag: (flag.place, order[flag.kind], flag.first or 0))


def _of_alarm(
    alarm: EditionAlarm, book: BookDocument, told: Mapping[tuple[str, int | None, int | None], str]
) -> Flag:
    entry = None if alarm.first is None else book.sentences[alarm.first]
    home = entry.home if entry is not None and alarm.kind == "invented" else alarm.start
    reasons = "; ".join(dict.fromkeys(str(reason) for reason in alarm.reasons))
    span = (alarm.start, alarm.end) if alarm.kind == "cut" else (alarm.first, alarm.last)
    reasons = told.get((alarm.kind, *span), reasons)
    return Flag(
        alarm.kind, home or alarm.start or 0, reasons, alarm.first, alarm.last, alarm.start,
        alarm.end,
        tuple(sorted({one.sentence_span for one in alarm.reasons if one.sentence_span})),
        tuple(sorted({
            (alarm.start or 0 if one.place is None else one.place, *one.source_span)
            for one in alarm.reasons
            if one.source_span
        })),
        alarm.probability, level=alarm.level,
    )  # fmt: skip


def _tell_cut(cut: Cut) -> str:
    """How much was cut, in words."""
    size = cut.last - cut.first + 1
    count = f"{size} sentence{'s' if size > 1 else ''}, {cut.words:,} words"
    return f"the whole chapter, {count}" if cut.whole else count


def kinds_of(book: BookDocument) -> tuple[str, ...]:
    """The kinds of a book's flags, the gravest first."""
    return VERDICTS if book.is_summary else ALARM_KINDS


def _of_claims(book: BookDocument) -> Iterator[Flag]:
    """Every claim of a summary, with the passages that it was read beside."""
    told = {CONTRADICTED: "{} say otherwise", SUPPORTED: "follows from {}",
            NOT_FOUND: "no passage says it; the nearest are {}"}  # fmt: skip
    for entry in book.sentences:
        (start, end), *further = entry.passages or ((0, 0),)
        named = [f"{first + 1}–{last + 1}" for first, last in entry.passages]
        first = named if entry.verdict == NOT_FOUND else named[:1]
        reason = told.get(entry.verdict, "{}").format(f"sentences {', '.join(first)}")
        yield Flag(
            entry.verdict, start, reason, entry.index, entry.index, start, end,
            probability=entry.probability, further=tuple(further),
        )  # fmt: skip


def _of_sentences(book: BookDocument) -> Iterator[Flag]:
    """The flags of a document without alarms."""
    for move in book.moves:
        span = (move.first, move.last, move.start, move.end)
        yield Flag("moved", move.start, move.text, *span)
    for entry in book.sentences:
        at = entry.index
        if entry.covered is False:
            nearest = entry.best_source_index
            reason = f"no passage says this; the nearest is sentence {nearest + 1}"
            place = nearest if entry.home is None else entry.home
            yield Flag("invented", place, reason, at, at, nearest, nearest)
        elif entry.changed:
            place, marks = entry.place or 0, entry.marks
            yield Flag(
                "changed", place, "; ".join(entry.changed), at, at, place, place,
                marks.sentence if marks else (),
                tuple((place, *span) for span in marks.source) if marks else (),
            )  # fmt: skip
