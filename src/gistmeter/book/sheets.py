"""A book's tables: verdict, chapters, cut, moved, invented, changed, alignment.

Sentences and chapters are numbered from 1 in all of them, as in the report.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gistmeter.book.book_document import BookDocument, Edition, editions
from gistmeter.book.flags import Flag, flags_of, stretch
from gistmeter.book.metrics.claims import SUPPORTED, VERDICTS
from gistmeter.book.review import review_sheet
from gistmeter.book.verdict import QUESTIONS, percent
from gistmeter.core.types import Sheet
from gistmeter.core.views import shown

if TYPE_CHECKING:
    from gistmeter.core.run import Run

CUTS, INVENTED, MOVES, BOOKS = 5, 10, 10, 4  # that the terminal shows
TEXT = 200  # characters of a sentence in the terminal
Cells = Iterable[Sequence[object]]


def book_sheets(run: Run) -> list[Sheet]:
    """All tables, the alignment of every sentence last."""
    books = editions(run)

    def sheet(name: str, columns: Sequence[str], cells: Callable[[BookDocument], Cells]) -> Sheet:
        rows = [
            [edition.system, edition.book.title, *row]
            for edition in books
            for row in cells(edition.book)
        ]
        return Sheet(name, ["edition", "title", *columns], rows)

    claims_sheet = sheet("Claims", ["claim", "text", "verdict", "probability", "chapter", "from",
                                    "to", "passage"], lambda book: (
        [entry.index + 1, entry.sentence, entry.verdict, entry.probability,
         book.chapter_title(entry.home), first + 1, last + 1,
         " ".join(book.source.sentences[first : last + 1])]
        for entry in book.sentences
        for first, last in entry.passages
    ))  # fmt: skip
    alarms_sheet = sheet("Alarms", ["kind", "level", "probability", "reason", "chapter", "sentence",
                                    "text", "source from", "source to", "source text"],
                         lambda book: (
        [flag.kind, flag.level, flag.probability, flag.reason, book.chapter_title(flag.place),
         None if flag.first is None else flag.first + 1,
         " ".join(stretch(book.summary_sentences, flag.first, flag.last)),
         None if flag.start is None else flag.start + 1,
         None if flag.end is None else flag.end + 1,
         " ".join(stretch(book.source.sentences, flag.start, flag.end))]
        for flag in by_probability(book) if book.alarms
    ))  # fmt: skip
    return [
        verdict_sheet(run),
        sheet("Chapters", ["chapter", "from", "to", "words", "kept", "sentences from it",
                           "invented", "moved", "changed"], lambda book: (
            [chapter.title, chapter.first + 1, chapter.last + 1, chapter.words, chapter.kept,
             chapter.sentences, chapter.unsupported, chapter.moved, chapter.changed]
            for chapter in book.chapters
        )),
        sheet("Cut", ["chapter", "from", "to", "words", "text"], lambda book: (
            [book.chapter_title(cut.first), cut.first + 1, cut.last + 1, cut.words,
             " ".join(book.source.sentences[cut.first : cut.last + 1])]
            for cut in book.largest_cuts
        )),
        sheet("Moved", ["what", "from", "to", "source from", "source to"], lambda book: (
            [move.text, move.first + 1, move.last + 1, move.start + 1, move.end + 1]
            for move in book.moves
        )),
        sheet("Invented", ["sentence", "text", "evidence", "nearest", "nearest text"],
              lambda book: (
            [entry.index + 1, entry.sentence, entry.evidence, entry.best_source_index + 1,
             book.source_text(entry.best_source_index)]
            for entry in book.invented
        )),
        sheet("Changed", ["sentence", "text", "what differs", "source", "source text"],
              lambda book: (
            [entry.index + 1, entry.sentence, "; ".join(entry.changed),
             *_placed(book, entry.place)]
            for entry in book.changed
        )),
        *([alarms_sheet] if alarms_sheet.rows else []),
        review_sheet(books),
        *([claims_sheet] if claims_sheet.rows else []),
        sheet("Alignment", ["sentence", "text", "finding", "source", "chapter", "source_sentence",
                            "similarity", "evidence", "scs"], lambda book: (
            [entry.index + 1, entry.sentence, entry.finding, source,
             book.chapter_title(entry.place), text, entry.aligned_similarity, entry.evidence,
             entry.scs]
            for entry in book.sentences
            for source, text in [_placed(book, entry.place)]
        )),
    ]  # fmt: skip


def by_probability(book: BookDocument) -> list[Flag]:
    """Every flag but the cuts, those that an editor would agree with most first."""
    flags = [flag for flag in flags_of(book) if flag.kind != "cut"]
    return sorted(flags, key=lambda flag: -(flag.probability or 0))


def _placed(book: BookDocument, place: int | None) -> tuple[int | None, str | None]:
    """The number of a source sentence, and the sentence."""
    return (None, None) if place is None else (place + 1, book.source_text(place))


def verdict_sheet(run: Run) -> Sheet:
    """Every edition's scores with their intervals over passages."""
    bounds = run.notes.get("book_intervals", {})
    unknown = (math.nan, math.nan)
    names: list[str] = []
    cells = []
    for system, scores in run.systems.items():
        for title, values in scores.groups.items():
            names = names or list(values)
            known = bounds.get(system, {}).get(title, {})
            numbers = [(values[name], *known.get(name, unknown)) for name in names]
            cells.append([system, title, *(number for three in numbers for number in three)])
    columns = [part for name in names for part in (name, f"{name}_low", f"{name}_high")]
    return Sheet("Verdict", ["edition", "title", *columns], cells)


def span(first: int, last: int) -> str:
    """Sentences from one to another as people number them: 5, or 5–8."""
    return f"{first + 1}" if first == last else f"{first + 1}–{last + 1}"


def overview_sheets(run: Run) -> list[Sheet]:
    """What the terminal shows after the scores."""
    books = editions(run)
    sheets = [_books(run)] if len({edition.book.title for edition in books}) > 1 else []
    if len(books) > BOOKS:
        return sheets
    for edition in books:
        lead = f"{edition.system}, {edition.book.title}: " if len(books) > 1 else ""
        sheets += _edition(edition, lead)
    return sheets


def _books(run: Run) -> Sheet:
    """Every book's answers; their intervals take more room than a terminal has."""
    several = len(run.systems) > 1
    books = [
        (f"{title} ({system})" if several else title, values)
        for system, scores in run.systems.items()
        for title, values in scores.groups.items()
    ]
    asked = (*QUESTIONS, "claims_supported", "claims_contradicted", "plot_coverage")
    names = [name for name in asked if books and name in books[0][1]]
    cells = [[title, *(percent(values[name]) for name in names)] for title, values in books]
    note = "Intervals over each book's passages: -o books.xlsx, --output-path, or run.json"
    return Sheet("books", ["title", *names], cells, note=note)


def _edition(edition: Edition, lead: str) -> list[Sheet]:
    book = edition.book

    def sheet(
        name: str, columns: Sequence[str], entries: Sequence[Any], most: int,
        cells: Callable[[Any], Sequence[object]],
    ) -> Sheet:  # fmt: skip
        rest = len(entries) - most
        note = f"and {rest} more: -o tables.xlsx" if rest > 0 else ""
        return Sheet(lead + name, columns, [cells(entry) for entry in entries[:most]], note=note)

    if book.is_summary:
        return [_claims(book, lead)]
    sheets = [
        sheet("largest cuts", ["where", "words", "begins"], book.largest_cuts, CUTS, lambda cut: [
            f"{book.chapter_title(cut.first)} {span(cut.first, cut.last)}".strip(),
            cut.words, shown(book.source_text(cut.first), TEXT),
        ]),
        *_alarms(book, lead),
        sheet("invented", ["no", "sentence", "nearest, no source"], book.invented, INVENTED,
              lambda entry: [
            entry.index + 1, shown(entry.sentence, TEXT),
            f"{entry.best_source_index + 1}:"
            f" {shown(book.source_text(entry.best_source_index), TEXT)}",
        ]),
        sheet("moved", ["what", "sentences"], book.moves, MOVES, lambda move: [
            shown(move.text, TEXT), span(move.first, move.last),
        ]),
        sheet("changed", ["no", "sentence", "what differs"], book.changed, INVENTED,
              lambda entry: [
            entry.index + 1, shown(entry.sentence, TEXT), "; ".join(entry.changed),
        ]),
    ]  # fmt: skip
    if book.alarms:
        sheets = sheets[:2]
    return [sheet for sheet in sheets if sheet.rows]


def _alarms(book: BookDocument, lead: str) -> list[Sheet]:
    """The alarms of the chosen level, the most probable first; of the others how many there are."""
    every = by_probability(book)
    flags = [flag for flag in every if flag.is_shown(book.alarm_level)]
    cells = [
        [
            flag.kind,
            "" if flag.probability is None else percent(flag.probability),
            "" if flag.first is None else span(flag.first, flag.last or flag.first),
            shown(" ".join(stretch(book.summary_sentences, flag.first, flag.last)), TEXT),
            flag.reason,
        ]
        for flag in flags[:INVENTED]
    ]
    more, less = len(flags) - len(cells), len(every) - len(flags)
    told = [f"and {more} more: -o tables.xlsx"] if more else []
    told += [f"{less} less sure: --alarms all"] if less else []
    columns = ["", "probability", "no", "sentence", "why"]
    name = f"{lead}alarms, {book.alarm_level}"
    return [Sheet(name, columns, cells, note="; ".join(told))] if book.alarms else []


def _claims(book: BookDocument, lead: str) -> Sheet:
    """The claims that do not hold, with the nearest passage."""
    flags = [flag for flag in flags_of(book) if flag.kind != SUPPORTED]
    flags.sort(key=lambda flag: (VERDICTS.index(flag.kind), -(flag.probability or 0)))
    rest = len(flags) - INVENTED
    cells = [
        [
            flag.kind,
            shown(book.sentences[flag.first or 0].sentence, TEXT),
            shown(" ".join(stretch(book.source.sentences, flag.start, flag.end)), TEXT),
        ]
        for flag in flags[:INVENTED]
    ]
    note = f"and {rest} more: -o tables.xlsx" if rest > 0 else ""
    return Sheet(
        f"{lead}claims that do not hold", ["", "claim", "nearest passage"], cells, note=note
    )
