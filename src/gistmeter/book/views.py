"""Book: the sentence and its source, then the whole book once: heat map, both texts side by side.

A book's view is the same for all its sentences, so it is kept once in the page and every sentence
points to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gistmeter.book.book_document import Edition, EditionSentence, editions
from gistmeter.book.edition_alarms import Span
from gistmeter.book.map import ROOM, book_map, book_view, findings_by_chapter, who_is_who
from gistmeter.core.views import (
    LONGEST,
    Block,
    Chart,
    Lines,
    Opener,
    Point,
    Row,
    View,
    bars,
    marked,
    plain,
    shown,
)

if TYPE_CHECKING:
    from gistmeter.core.rows import Rows

SHOWN = 6  # editions whose map is drawn
SCORES = (
    "gist", "follows", "contradicts", "unsupported", "moved", "changed", "evidence", "coverage",
    "alignment_confidence", "scs", "coverage_at", "best_similarity", "position_deviation",
    "order_violations", "support", "contradiction",
)  # fmt: skip
NAMES = {
    "fidelity": "faithful", "source_recall": "kept", "unsupported": "invented",
    "moved": "moved", "changed": "changed", "gist": "is in the original",
    "follows": "follows from its source", "contradicts": "contradicts its source",
    "coverage": "coverage above the mean", "coverage_at": "supported", "pfs": "order kept",
    "alignment_confidence": "similarity to the source", "scs": "compactness",
    "order_violations": "sentences out of order",
    "position_deviation": "distance from its place", "claims_supported": "supported",
    "claims_contradicted": "contradicted", "claims_not_found": "not found",
    "plot_coverage": "chapters told", "support": "is supported",
    "contradiction": "is contradicted",
}  # fmt: skip
NOT_DRAWN = (
    "{} further editions are not drawn here: the page has room for {}. Their flags are in the"
    " tables (-o tables.xlsx); the report of a run of their own draws them."
)
TOO_LARGE: Block = {
    "k": "note",
    "x": "The view of this book is left out: the books before it fill the page. Report its run "
    "alone to see it.",
}


class BookView(View):
    """A summary sentence with its source, and its book."""

    def opening(self, opener: Opener) -> list[Block]:
        """Map and findings of each edition; its texts are kept for all that points to them."""
        every = _editions(opener)
        drawn = every[:SHOWN]
        blocks: list[Block] = []
        for edition in drawn:
            opener.share(edition.name, book_view(edition.book, ROOM // len(drawn)), limited=False)
            if edition.book.chapters:
                drawn_map = [] if edition.book.is_summary else [book_map(edition)]
                blocks += [*drawn_map, findings_by_chapter(edition), *who_is_who(edition)]
        if more := len(every) - len(drawn):
            blocks.append({"k": "note", "x": NOT_DRAWN.format(more, len(drawn))})
        return blocks

    def listed(self, rows: Rows) -> list[int]:
        """Sentences; the passages of the source are there for the statistics."""
        return [at for at, words in enumerate(rows.texts.get("sentence", ())) if words is not None]

    def blocks(self, row: Row, opener: Opener) -> list[Block]:
        if "sentence" not in row.rows.texts or "source_sentence" not in row.rows.texts:
            return []
        sentence, source = row.text("sentence") or "", row.text("source_sentence")
        edition, at = find_edition(row, opener, sentence)
        entry = edition.book.sentences[at] if edition else EditionSentence()
        marks = entry.marks
        blocks: list[Block] = []
        if sentence:
            spans = marks.sentence if marks else ()
            blocks.append(_marked("Sentence of the edition", sentence, spans, row))
        if 1.0 in (row.number("unsupported"), row.number("claims_not_found")):
            nearest = source or ""
            if edition and not entry.verdict:
                nearest = edition.book.source_text(entry.best_source_index)
            label = "The nearest passage, which is not a source"
            blocks.append(plain(label, nearest, row.lang(nearest)))
        elif source:
            label = "What the original says of it" if entry.verdict else "Its source"
            blocks.append(_marked(label, source, marks.source if marks else (), row))
            if marks:
                differing = "; ".join(entry.changed)
                blocks.append({"k": "note", "n": "What differs", "x": differing})
        elif sentence:
            blocks.append({"k": "note", "n": "Its source", "x": "none: the alignment skipped it"})
        known = [name for name in SCORES if math.isfinite(row.number(name))]
        lower = ["contradicts", "position_deviation"]
        blocks += bars("Scores of the sentence", row, opener, known, lower=lower)
        row.used |= set(row.rows.numbers)  # the rest is bookkeeping of sums
        if edition:  # let the row point to its book's view, made when first asked for
            name = edition.name
            if name not in opener.shared and not opener.share(name, book_view(edition.book)):
                opener.shared[name] = [TOO_LARGE]
            row.extra |= {"e": name, "h": at}
        return blocks

    def charts(self, opener: Opener) -> list[Chart]:
        """Shares in tenths of the book, the mean over books."""
        every = _editions(opener)
        recall: dict[str, list[Sequence[float | None]]] = {}
        coverage: dict[str, list[Sequence[float | None]]] = {}
        for edition in every:
            recall.setdefault(edition.system, []).append(edition.book.recall_along)
            coverage.setdefault(edition.system, []).append(edition.book.coverage_along)
        note = "mean over books" if len(every) > len(recall) else ""
        charts: list[Chart] = []
        for tenths, score, side in (
            (recall, "source_recall", "source"),
            (coverage, "coverage_at", "summary"),
        ):
            points = [
                Point(system, sum(known) / len(known), x=at + 1)
                for system, columns in tenths.items()
                for at, column in enumerate(zip(*columns, strict=False))
                if (known := [value for value in column if value is not None])
            ]
            title = f"{NAMES[score]} ({score}) along the {side}"
            axes = (f"tenth of the {side}", "higher is better")
            charts.append(Lines(title, points, *axes, note, (0.0, 1.0)))
        return [chart for chart in charts if len(chart.points) > 1]


VIEW = BookView(
    heading="Book: is the abridgement faithful?",
    noun="book",
    part="summary sentence",
    cluster="passage",
    names=NAMES,
    texts=("sentence",),
    rated=("source_sentence", "sentence"),
    decisive=(
        "fidelity",
        "source_recall",
        "unsupported",
        "moved",
        "changed",
        "gist",
        "claims_supported",
        "claims_contradicted",
        "claims_not_found",
        "plot_coverage",
    ),
    methods={
        "fidelity": "the faithfulness of an edition to its original, from what it kept, invented,"
        " moved and changed",
        "source_recall": "the share of the original's content words that the edition keeps",
        "unsupported": "the share of the edition's sentences that the original does not support",
        "moved": "the share of sentences in another order",
        "claims_supported": "the share of the summary's claims that passages of the original"
        " support",
        "plot_coverage": "the share of the original's chapters that supported claims come from",
        "changed": "the share of sentences whose facts differ",
    },
)


def _editions(opener: Opener) -> list[Edition]:
    """The run's editions, read once for all items."""
    if "editions" not in opener.kept:
        opener.kept["editions"] = editions(opener.run, opener.details)
    every: list[Edition] = opener.kept["editions"]
    return every


def find_edition(row: Row, opener: Opener, sentence: str) -> tuple[Edition | None, int]:
    """The edition that a row is of and the index of its sentence, which it must hold there."""
    number = row.key("id").rpartition("#")[2]
    at = int(number) - 1 if number.isdecimal() else -1
    for edition in _editions(opener):
        if (edition.system, edition.book.title) == (row.key("system"), row.key("group")):
            entries = edition.book.sentences
            if 0 <= at < len(entries) and entries[at].sentence == sentence:
                return edition, at
    return None, at


def _marked(label: str, text: str, spans: Sequence[Span], row: Row) -> Block:
    """A text with the words marked that differ."""
    runs: list[tuple[str, str]] = []
    end = 0
    for start, stop in sorted(spans):
        if start < end or stop > LONGEST:
            continue
        runs += [(shown(text[end:start]), ""), (shown(text[start:stop]), "alarm")]
        end = stop
    runs.append((shown(text[end:], max(1, LONGEST - end)), ""))
    return marked(label, [run for run in runs if run[0]], row.lang(text))
