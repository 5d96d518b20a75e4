"""Book: the sentence and its source, then the whole book once: heat map, both texts side by side.

A book's view is the same for all its sentences, so it is kept once in the page and every sentence
points to it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gistmeter.book.map import book_map, findings_by_chapter
from gistmeter.book.verdict import editions
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
    rounded,
    script_language,
    shown,
)

if TYPE_CHECKING:
    from gistmeter.core.rows import Rows

CELLS = (40, 80)  # of a heat map: down, across
SENTENCE = 280  # characters shown of a sentence
SHORTEST = 60  # characters of a sentence that still tell which it is
ROOM = 1_800_000  # bytes of all texts in a page
OVERHEAD = 12  # bytes beside the words of a sentence
SHOWN = 6  # editions whose map is drawn
SHADES = 9  # of a heat map
AROUND = 2  # neighbours of a used source sentence that are shown in longer ones
SCORES = (
    "gist", "follows", "contradicts", "unsupported", "moved", "changed", "evidence", "coverage",
    "alignment_confidence", "scs", "coverage_at", "best_similarity", "position_deviation",
    "order_violations",
)  # fmt: skip


NAMES = {
    "fidelity": "faithful", "source_recall": "kept", "unsupported": "invented",
    "moved": "moved", "changed": "changed", "gist": "is in the original",
    "follows": "follows from its source", "contradicts": "contradicts its source",
    "coverage": "coverage above the mean", "coverage_at": "supported", "pfs": "order kept",
    "alignment_confidence": "similarity to the source", "scs": "compactness",
    "order_violations": "sentences out of order",
    "position_deviation": "distance from its place",
}  # fmt: skip
ALONG = (("recall_along", "source_recall", "source"), ("coverage_along", "coverage_at", "summary"))


class BookView(View):
    """A summary sentence with its source, and its book."""

    def opening(self, opener: Opener) -> list[Block]:
        """Map and findings of each edition; its texts are kept for all that points to them."""
        held = editions(opener.run, opener.details)
        found: list[Block] = []
        for one in held[:SHOWN]:
            view = book_view(one.document, ROOM // min(len(held), SHOWN))
            opener.share(one.name, view, limited=False)
            if one.document.get("chapters"):
                found += [book_map(one), findings_by_chapter(one)]
        return found

    def listed(self, rows: Rows) -> list[int]:
        """Sentences; the passages of the source are there for the statistics."""
        return [at for at, words in enumerate(rows.texts.get("sentence", ())) if words is not None]

    def blocks(self, row: Row, opener: Opener) -> list[Block]:
        if "sentence" not in row.rows.texts or "source_sentence" not in row.rows.texts:
            return []
        sentence, source = row.text("sentence"), row.text("source_sentence")
        found: list[Block] = []
        marks = _own_marks(row, opener, sentence or "")
        if sentence:
            found.append(_shown("Sentence of the edition", sentence, marks.get("sentence"), row))
        if row.number("unsupported") == 1.0:
            nearest = _nearest(row, opener, sentence or "") or source
            found.append(
                plain(
                    "The nearest passage, which is no source",
                    nearest or "",
                    row.lang(nearest or ""),
                )
            )
        elif source:
            found.append(_shown("Its source", source, marks.get("source"), row))
            if marks:
                found.append({"k": "note", "n": "What differs", "x": "; ".join(marks["told"])})
        elif sentence:
            found.append({"k": "note", "n": "Its source", "x": "none: the alignment skipped it"})
        known = [name for name in SCORES if math.isfinite(row.number(name))]
        found += bars(
            "Scores of the sentence",
            row,
            opener,
            known,
            lower=["contradicts", "position_deviation"],
        )
        row.used |= set(row.rows.numbers)  # the rest is bookkeeping of sums
        _attach(row, opener, sentence or "")
        return found

    def charts(self, opener: Opener) -> list[Chart]:
        """Shares in tenths of the book, the mean over books."""
        found: list[Chart] = []
        documents = [opener.details[name] for name in books(opener)]
        only = next(iter(opener.run.systems)) if len(opener.run.systems) == 1 else ""
        for key, score, side in ALONG:
            held: dict[str, list[list[float | None]]] = {}
            for document in documents:
                system = str(document.get("system") or only)
                if system in opener.run.systems and isinstance(document.get(key), list):
                    held.setdefault(system, []).append(document[key])
            points = [
                Point(system, value, x=at + 1)
                for system, columns in held.items()
                for at, column in enumerate(zip(*columns, strict=False))
                if (value := _mean(column)) is not None
            ]
            note = "mean over books" if len(documents) > len(held) else ""
            title = f"{NAMES[score]} ({score}) along the {side}"
            found.append(
                Lines(title, points, f"tenth of the {side}", "higher is better", note, (0.0, 1.0))
            )
        return [chart for chart in found if len(chart.points) > 1]


VIEW = BookView(
    heading="Book: is the abridgement faithful?",
    noun="book",
    part="summary sentence",
    names=NAMES,
    texts=("sentence",),
)


def _own_marks(row: Row, opener: Opener, sentence: str) -> Mapping[str, Any]:
    """Where a sentence and its source differ in facts, and what differs; empty where nothing."""
    number = row.key("id").rpartition("#")[2]
    found = find_document(opener, row.key("group"), row.key("system"), number, sentence)
    entry = (found[1].get("sentences") or [])[int(number) - 1] if found else {}
    return {**entry["marks"], "told": entry["changed"]} if entry.get("marks") else {}


def _shown(label: str, text: str, spans: Sequence[Sequence[int]] | None, row: Row) -> Block:
    """A text with the words marked that differ."""
    runs: list[tuple[str, str]] = []
    end = 0
    for start, stop in sorted((first, last) for first, last in spans or ()):
        if start < end or stop > LONGEST:
            continue
        runs += [(shown(text[end:start]), ""), (shown(text[start:stop]), "alarm")]
        end = stop
    runs.append((shown(text[end:], max(1, LONGEST - end)), ""))
    return marked(label, [run for run in runs if run[0]], row.lang(text))


def _nearest(row: Row, opener: Opener, sentence: str) -> str:
    """The source sentence that is most like a sentence without a source."""
    number = row.key("id").rpartition("#")[2]
    found = find_document(opener, row.key("group"), row.key("system"), number, sentence)
    best = row.number("best_source_index")
    if found is None or not math.isfinite(best):
        return ""
    source = (found[1].get("source") or {}).get("sentences") or []
    return str(source[int(best)]) if int(best) < len(source) else ""


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None and math.isfinite(value)]
    return sum(known) / len(known) if known else None


def _attach(row: Row, opener: Opener, sentence: str) -> None:
    """Let the row point to its book's view, made when first asked for."""
    number = row.key("id").rpartition("#")[2]
    document = find_document(opener, row.key("group"), row.key("system"), number, sentence)
    if document is None:
        return
    name, content = document
    if name not in opener.shared and not opener.share(name, book_view(content)):
        opener.shared[name] = [_too_large()]
    row.extra["e"] = name
    if number.isdigit():
        row.extra["h"] = int(number) - 1


def _too_large() -> Block:
    return {
        "k": "note",
        "x": "The view of this book is left out: the books before it fill the page. Report its run "
        "alone to see it.",
    }


def find_document(
    opener: Opener, title: str, system: str, number: str, sentence: str
) -> tuple[str, Mapping[str, Any]] | None:
    """The document that holds this very sentence."""
    at = int(number) - 1 if number.isdigit() else -1
    for name in books(opener):
        content = opener.details[name]
        if content.get("title") != title or content.get("system", system) != system:
            continue
        entries = content.get("sentences") or []
        if 0 <= at < len(entries) and entries[at].get("sentence") == sentence:
            return name, content
    return None


def books(opener: Opener) -> list[str]:
    """The names of the documents that describe books."""
    if "books" not in opener.kept:
        opener.kept["books"] = [
            name
            for name in opener.details
            if isinstance(content := opener.details[name], Mapping)
            and content.get("kind") == "book"
        ]
    found: list[str] = opener.kept["books"]
    return found


def book_view(content: Mapping[str, Any], room: int = ROOM) -> list[Block]:
    """The two texts side by side, and the heat map with the path."""
    return [parallel(content, room), *heat_map(content)]


def heat_map(content: Mapping[str, Any]) -> list[Block]:
    """The similarities in a few shades, a letter for each cell; none where there are none."""
    held = content.get("heat_map") or {}
    values, rows, columns = held.get("values"), held.get("rows"), held.get("columns")
    if not values or not rows or not columns:
        return []
    cells = pooled(values, *CELLS)
    known = [value for line in cells for value in line if math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    path = [[int(row), int(column)] for row, column in content.get("path") or []]
    return [
        {
            "k": "heat",
            "n": "Similarity of every summary sentence with every source sentence",
            "c": ["".join(_shade(value, low, high) for value in line) for line in cells],
            "p": path[:: max(1, len(path) // 150)],
            "s": [int(rows), int(columns)],
            "a": ["summary sentence", "source sentence"],
            "v": [rounded(low, 2), rounded(high, 2)],
        }
    ]


def _shade(value: float, low: float, high: float) -> str:
    if not math.isfinite(value):
        return "-"
    return str(min(SHADES - 1, int((value - low) / ((high - low) / SHADES or 1.0))))


def pooled(values: Sequence[Sequence[float]], down: int, across: int) -> list[list[float]]:
    """A smaller table of the largest values."""
    rows = [values[start:end] for start, end in _parts(len(values), down)]
    width = max((len(line) for line in values), default=0)
    return [
        [
            max((line[at] for line in group for at in range(start, min(end, len(line)))), default=0)
            for start, end in _parts(width, across)
        ]
        for group in rows
    ]


def _parts(size: int, most: int) -> list[tuple[int, int]]:
    count = min(size, most)
    return [(size * at // count, size * (at + 1) // count) for at in range(count)]


def parallel(content: Mapping[str, Any], room: int = ROOM) -> Block:
    """Source and summary in so many bytes: sentences of long books are cut short, and of the
    longest the used ones and their neighbours alone are shown."""
    source = list((content.get("source") or {}).get("sentences") or [])
    entries = list(content.get("sentences") or [])
    aligned = [entry.get("place", entry.get("aligned_index")) for entry in entries]
    weak = [at for at, place in enumerate(aligned) if place is None]
    longest = _longest(source, room / max(1, len(source) + len(entries)))
    kept = _kept(len(source), aligned, whole=longest >= SHORTEST)
    place = {index: at for at, index in enumerate(kept) if index >= 0}
    left: list[list[Any]] = [
        [index + 1, shown(source[index], max(SHORTEST, longest))] if index >= 0 else [0, "⋯"]
        for index in kept
    ]
    lang = script_language(" ".join(source[:5]), str(content.get("language") or ""))
    return {
        "k": "parallel",
        "n": [f"Original, {len(source):,} sentences", f"Edition, {len(entries):,} sentences"],
        "hint": "Choose a sentence of the edition to see its source. Coloured: without a source.",
        "lang": lang,
        "l": left,
        "r": [shown(str(entry.get("sentence") or ""), max(SHORTEST, longest)) for entry in entries],
        "a": [place.get(index) if index is not None else None for index in aligned],
        "v": [rounded(entry.get("aligned_similarity") or math.nan, 3) for entry in entries],
        "w": weak,
        "m": _marks(entries, place, max(SHORTEST, longest)),
    }


def _marks(
    entries: Sequence[Mapping[str, Any]], place: Mapping[int, int], longest: int
) -> list[dict[int, list[list[int]]]]:
    """The words that differ in facts, by line of the original and of the edition."""
    left: dict[int, list[list[int]]] = {}
    right: dict[int, list[list[int]]] = {}
    for at, entry in enumerate(entries):
        held = entry.get("marks")
        if not held or entry["place"] not in place:
            continue
        own = [span for span in held["sentence"] if span[1] <= longest]
        other = [span for span in held["source"] if span[1] <= longest]
        right[at] = sorted(own)
        left[place[entry["place"]]] = sorted([*left.get(place[entry["place"]], []), *other])
    return [left, right]


def _longest(sentences: Sequence[str], room: float) -> int:
    """The characters to show of a sentence so that each takes so many bytes at most."""
    sample = "".join(sentences[:: max(1, len(sentences) // 500)])
    size = len(sample.encode("utf-8", "replace")) / max(1, len(sample))
    return min(SENTENCE, int((room - OVERHEAD) / max(1.0, size)))


def _kept(size: int, aligned: Sequence[int | None], *, whole: bool) -> list[int]:
    """Indices of source sentences to show; -1 stands for some that are left out."""
    if whole:
        return list(range(size))
    near = {
        index + step
        for index in aligned
        if index is not None
        for step in range(-AROUND, AROUND + 1)
        if 0 <= index + step < size
    }
    kept: list[int] = []
    for index in sorted(near):
        if kept and index > kept[-1] + 1:
            kept.append(-1)
        kept.append(index)
    return kept
