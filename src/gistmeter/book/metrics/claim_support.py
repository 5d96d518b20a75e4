"""Does the book say what its summary claims? The metric: one row per claim (`claims`).

claims_supported     share of the claims that the book supports
claims_contradicted  share of the claims that a passage of the book contradicts; lower is better
claims_not_found     share of the claims that no passage of the book says; lower is better
plot_coverage        share of the book's chapters that a supported claim comes from

The first three add up to 1. Unscored, with the reason: an abridgement, which is aligned instead; a
book or summary without sentences; a run without the judge; a claim that the judge could not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np

from gistmeter import languages
from gistmeter.book.book_document import BookDocument, ChapterFindings, EditionSentence
from gistmeter.book.metrics import claims as checked
from gistmeter.book.metrics.book_alignment import judge_of, resampled_by, splitters_of
from gistmeter.book.metrics.claims import JudgedClaim, fitted, judge_claims, look_up, split_claims
from gistmeter.book.metrics.description import document_name
from gistmeter.book.metrics.measures import ContentWords
from gistmeter.book.metrics.segmentation import (
    Segments,
    SentenceRules,
    chapter_at,
    chapters_of,
    fold,
    hurdle,
    segment,
)
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.signature import digest
from gistmeter.core.types import Book, ScoreInfo, defined
from gistmeter.core.wiring import given, role
from gistmeter.models.protocols import Embedder, JudgeModel

SUMMARY = "summary"
NAMES = {
    checked.SUPPORTED: "claims_supported",
    checked.CONTRADICTED: "claims_contradicted",
    checked.NOT_FOUND: "claims_not_found",
}
COVERAGE = "plot_coverage"


@dataclass(frozen=True, slots=True)
class ClaimSupport:
    """Shares of a summary's claims that its book supports, contradicts and does not have.

    Range [0, 1]; an abridgement, an empty text and a run without the judge are unscored.
    """

    embedder: Embedder = role("embedder", required=True)
    splitters: Mapping[str, SentenceRules] = given(splitters_of, factory=dict)
    judge: JudgeModel | None = given(judge_of, None, shared=True)
    resampled: str = given(resampled_by, "books")  # what intervals draw: books, or claims
    fit: str = given(lambda _: digest(fitted())[:8], "")

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("claims_supported"),
        ScoreInfo("claims_contradicted", higher_is_better=False),
        ScoreInfo("claims_not_found", higher_is_better=False),
        ScoreInfo(COVERAGE),
    )
    family: ClassVar[str] = "book"

    def applies(self, items: Sequence[Book]) -> bool:
        return any(book.kind == SUMMARY for book in items)

    def measure(self, items: Sequence[Book]) -> Rows:
        """Rows of all books, in order."""
        return Rows.concat([self._measure_book(at, book) for at, book in enumerate(items)])

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        """The mean over the books that have claims."""
        books = [book for book in rows.by("group").values() if COVERAGE in book]
        found: dict[str, Value] = {}
        for name in NAMES.values():
            found[name] = _mean([book.mean(name) for book in books])
        # A chapter counts once however many claims come from it: each has its part of it.
        found[COVERAGE] = _mean([np.minimum(book.sum(COVERAGE), 1.0) for book in books])
        return found

    def _measure_book(self, at: int, book: Book) -> Rows:
        if book.kind != SUMMARY:
            return _unscored(at, book, "an abridgement, which is aligned and not read by claims")
        if self.judge is None:
            return _unscored(at, book, "claims need the judge, which this run is without")
        here = self.splitters.get(book.language) or languages.get(book.language)
        there = languages.get(book.edition_language) if book.edition_language else here
        source, summary = segment(book.source, here), segment(book.summary, there)
        if why := hurdle(source, summary):
            return _unscored(at, book, why)
        claims = split_claims(summary.sentences)
        texts = [claim.text for claim in claims]
        sides = ((source.sentences, here), (texts, there))
        folded = [[fold(sentence, rules) for sentence in side] for side, rules in sides]
        content = [
            [rules.content_words(one) for one in side]
            for side, (_, rules) in zip(folded, sides, strict=True)
        ]
        vectors = self.embedder.embed([*folded[0], *folded[1]]).vectors
        split, words = len(folded[0]), ContentWords.of(*content)
        reading = look_up(
            claims, vectors[split:], source.sentences, vectors[:split], words,
            room=fitted()["room"],
        )  # fmt: skip
        judged = judge_claims(reading, source.sentences, self.judge)
        document = describe_claims(book, source, judged, words, self.judge.id)
        rows = _claim_rows(at, book, judged, document, by_claim=self.resampled != "books")
        return rows.with_details({document_name(book.id, book.system): document.to_dict()})


def _mean(values: Sequence[Value]) -> Value:
    table = np.array(np.broadcast_arrays(*values), dtype=np.float64) if values else np.array([])
    known = ~np.isnan(table)
    if not known.any():
        return float("nan")
    mean: Value = np.nansum(table, axis=0) / np.maximum(known.sum(axis=0), 1)
    return mean


def _unscored(at: int, book: Book, reason: str) -> Rows:
    keys = {"id": [book.id], "system": [book.system], "group": [book.id], "cluster": [book.id]}
    rows = Rows(keys, np.array([at], np.int64))
    for name in (*NAMES.values(), COVERAGE):
        rows = rows.with_numbers({name: [np.nan]}).with_reasons(name, {0: reason})
    return rows


def _claim_rows(
    at: int, book: Book, judged: Sequence[JudgedClaim], document: BookDocument, *, by_claim: bool
) -> Rows:
    count = len(judged)
    names = [f"{book.id}#{number + 1}" for number in range(count)]
    keys = {
        "id": names, "system": [book.system] * count, "group": [book.id] * count,
        "cluster": names if by_claim else [book.id] * count,
    }  # fmt: skip
    failed = {place: one.failure for place, one in enumerate(judged) if one.failure}
    columns = {
        name: np.array([np.nan if one.failure else one.verdict == kind for one in judged], float)
        for kind, name in NAMES.items()
    }
    columns["support"] = np.array([one.supported for one in judged])
    columns["contradiction"] = np.array([one.contradicted for one in judged])
    columns[COVERAGE] = np.array(_plot_shares(judged, document.chapters))
    passages = [" ".join(document.source.sentences[first : last + 1]) for one in judged
                for first, last in one.passages[:1]]  # fmt: skip
    rows = Rows(keys, np.full(count, at, np.int64)).with_numbers(columns)
    rows = rows.with_texts(
        {"sentence": [one.claim.text for one in judged], "source_sentence": passages}
    )
    for name in NAMES.values():
        rows = rows.with_reasons(name, failed)
    return rows


def _plot_shares(
    judged: Sequence[JudgedClaim], chapters: Sequence[ChapterFindings]
) -> Sequence[float]:
    """What each claim adds to the share of chapters: nothing where it is not supported."""
    homes = [
        chapter_at(chapters, one.passages[0][0]) if one.verdict == checked.SUPPORTED else -1
        for one in judged
    ]
    often = Counter(homes)
    return [0.0 if home < 0 else 1 / often[home] / len(chapters) for home in homes]


def describe_claims(
    book: Book, source: Segments, judged: Sequence[JudgedClaim], words: ContentWords, model: str
) -> BookDocument:
    """The document of a summary: its claims take the place of sentences."""
    entries = tuple(
        EditionSentence(
            index=at,
            sentence=one.claim.text,
            best_source_index=one.passages[0][0],
            covered=one.verdict != checked.NOT_FOUND,
            place=None if one.verdict == checked.NOT_FOUND else one.passages[0][0],
            home=one.passages[0][0],
            changed=(checked.CONTRADICTED,) if one.verdict == checked.CONTRADICTED else (),
            verdict=one.verdict,
            probability=defined(one.probability),
            passages=one.passages,
        )
        for at, one in enumerate(judged)
    )
    return BookDocument(
        title=book.id,
        algorithm="claims",
        source=source,
        summary=Segments(tuple(one.claim.text for one in judged)),
        sentences=entries,
        chapters=_describe_chapters(source, entries, words),
        system=book.system,
        language=book.language,
        model=model,
        edition=SUMMARY,
    )


def _describe_chapters(
    source: Segments, entries: Sequence[EditionSentence], words: ContentWords
) -> tuple[ChapterFindings, ...]:
    chapters = chapters_of(source)
    homes = [chapter_at(chapters, entry.home or 0) for entry in entries]

    def count(number: int, *kinds: str) -> int:
        found = zip(homes, entries, strict=True)
        return sum(home == number and entry.verdict in kinds for home, entry in found)

    return tuple(
        ChapterFindings(
            **asdict(chapter),
            words=int(words.sizes[chapter.first : chapter.last + 1].sum()),
            kept_words=None,
            cut=None,
            sentences=count(number, checked.SUPPORTED, checked.CONTRADICTED),
            unsupported=float(count(number, checked.NOT_FOUND)),
            moved=0,
            changed=count(number, checked.CONTRADICTED),
        )
        for number, chapter in enumerate(chapters)
    )
