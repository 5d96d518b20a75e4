"""Is an abridgement faithful to its book? The metric: a row for each summary sentence.

A book's value of a score comes from its own rows, the pooled value is the mean over books. There is
a row for each summary sentence, and after them one for each passage of the source: a block of
neighbouring sentences, with how much it says and how much of that was kept. Rows of one book are
drawn together by the bootstrap where there are many books; with few, passages are, each with the
summary sentences that come from it (blocks: Künsch, Ann. Statist. 17, 1989). Passages belong to the
source, so two summaries of a book are compared passage by passage.

Undefined, with the reason: a book whose source or summary has no sentence; a sentence that the
model could not read; for what is measured on pairs, a sentence that the alignment skipped;
source_recall, unsupported and coverage_at for a model without calibrated thresholds. A single
sentence is aligned with its best source, or, under dtw, with all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from gistmeter import languages
from gistmeter.book.metrics import facts, gist
from gistmeter.book.metrics.comparison import AlignmentSettings, Compared, compare_book
from gistmeter.book.metrics.documents import describe_book, document_name
from gistmeter.book.metrics.evidence import Words
from gistmeter.book.metrics.paths import check_settings
from gistmeter.book.metrics.segmentation import Segments, SimpleSplitter, Splitter, fold, segment
from gistmeter.book.metrics.similarity import compare
from gistmeter.book.metrics.thresholds import Thresholds, thresholds_for
from gistmeter.core.errors import GistmeterError
from gistmeter.core.rows import KEYS, Floats, Pool, Rows, Value, divide
from gistmeter.core.types import Book, ScoreInfo
from gistmeter.core.wiring import Wiring, given, role
from gistmeter.metrics.gist import by_default, weights_of
from gistmeter.metrics.gist import judge_of as embedded_judge
from gistmeter.models.protocols import Embedder, JudgeModel

PAIRED = ("alignment_confidence", "position_weight", "order_violations")
SINGLE = ("coverage", "scs", "coverage_at", "unsupported", "moved")
JUDGED = ("gist", "follows", "contradicts", "differs")
BASES = (*PAIRED, *SINGLE, "source_words")
FURTHER = ("position_loss", "source_kept_words")
FEW_BOOKS = 6  # below these, no exchange of whole books could be rare


def splitters_of(wiring: Wiring) -> dict[str, Splitter]:
    """The sentence rules of each language, or the one rule for all."""
    simple = wiring.settings.splitter == "simple"
    return {
        code: SimpleSplitter() if simple else languages.get(code)
        for code in sorted(wiring.languages)
    }


def calibrated_for(wiring: Wiring) -> dict[str, Thresholds]:
    """The thresholds that were measured for the run's model; a warning where there are none."""
    embedder = wiring.models[wiring.language].embedder
    assert embedder is not None
    found = thresholds_for(embedder.id, sorted(wiring.languages))
    if wiring.settings.coverage_threshold is None and not found:
        wiring.context.warn(
            f"No threshold is calibrated for {embedder.id}: what was kept and invented stays"
            " unscored. Give one by --coverage-threshold"
        )
    return found


def resampled_by(wiring: Wiring) -> str:
    """The intervals of few books are over their passages."""
    return "books" if len({book.id for book in wiring.items}) >= FEW_BOOKS else "passages"


def judge_of(wiring: Wiring) -> JudgeModel | None:
    """The judge of facts that comes with gistmeter, unless it is left out or has no weights."""
    return embedded_judge(wiring) if by_default(wiring) else None


def gist_weights(wiring: Wiring) -> dict[str, float]:
    return weights_of("book") if wiring.once(judge_of) is not None else {}


@dataclass(frozen=True, slots=True)
class BookAlignment(AlignmentSettings):
    """Coverage, confidence, order and compactness of a summary on its alignment with the source.

    All scores lie in [0, 1] (confidence in [−1, 1]); higher is better but for unsupported, moved,
    changed and order_violations. The first five answer what a publisher asks: what was kept,
    invented, moved and changed, and fidelity, what was kept less what was invented and moved.
    """

    embedder: Embedder = role("embedder", required=True)
    splitters: Mapping[str, Splitter] = given(splitters_of, factory=dict)  # "" for any other
    calibrated: Mapping[str, Thresholds] = given(calibrated_for, factory=dict)  # by language
    resampled: str = given(resampled_by, "books")  # what intervals draw: books, or passages
    guard: str = given(lambda wiring: facts.identity(wiring.languages), "")  # rules for facts
    judge: JudgeModel | None = given(judge_of, None, shared=True)  # asked beside the rules
    sure: float = facts.SURE  # from which probability on
    weights: Mapping[str, float] = given(gist_weights, factory=dict)  # empty: no gist

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("fidelity", basis="source_words"),
        ScoreInfo("source_recall", basis="source_words"),
        ScoreInfo("unsupported", higher_is_better=False),
        ScoreInfo("moved", higher_is_better=False),
        ScoreInfo("changed", higher_is_better=False),
        ScoreInfo("gist"),
        ScoreInfo("coverage"),
        ScoreInfo("alignment_confidence", lowest=-1.0),
        ScoreInfo("pfs", basis="position_weight"),
        ScoreInfo("scs"),
        ScoreInfo("coverage_at"),
        ScoreInfo("order_violations", higher_is_better=False),
    )

    def measure(self, items: Sequence[Book]) -> Rows:
        """Rows of all books, in order."""
        check_settings(self.algorithm, self.gap_penalty, self.bandwidth, self.band)
        return Rows.concat([self._measure_book(at, book) for at, book in enumerate(items)])

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        """The mean over books of each score."""
        books = [self._pool_book(book) for book in rows.by("group").values()]
        # How often a book was drawn; each counts once where its passages are drawn.
        drawn = [
            book.sum("book_share") if self.resampled == "books" else book.sum("book_share") * 0 + 1
            for book in rows.by("group").values()
        ]
        return {
            info.name: _weighted_mean([book[info.name] for book in books], drawn)
            for info in self.scores
            if info.name not in self._absent
        }

    @property
    def _absent(self) -> set[str]:
        """The scores that cannot be had: without rules for facts, without a judge, or with a model
        whose evidence is of another scale than that which gist was fitted on."""
        judged = self.judge is not None and self.calibrated and self.weights
        return {
            *(() if self.guard else ("changed",)),
            *(() if self.guard and judged else ("gist",)),
        }

    def _pool_book(self, rows: Pool) -> dict[str, Value]:
        if not all(name in rows for name in (*BASES, *FURTHER)):
            return {info.name: float("nan") for info in self.scores}
        distance = rows.ratio("position_loss", "position_weight")
        kept = rows.ratio("source_kept_words", "source_words")
        invented, moved = rows.mean("unsupported"), rows.mean("moved")
        return {
            "fidelity": kept * (1 - invented) * (1 - moved),
            "source_recall": kept,
            "unsupported": invented,
            "moved": moved,
            **{name: rows.mean(name) if name in rows else math.nan for name in ("changed", "gist")},
            "coverage": rows.mean("coverage"),
            "alignment_confidence": rows.mean("alignment_confidence"),
            "pfs": np.maximum(1 - distance, 0.0) ** self.pfs_gamma,
            "scs": rows.mean("scs"),
            "coverage_at": rows.mean("coverage_at"),
            "order_violations": rows.mean("order_violations"),
        }

    def _measure_book(self, at: int, book: Book) -> Rows:
        splitter = self._splitter(book)
        source, summary = segment(book.source, splitter), segment(book.summary, splitter)
        for text, name in ((source, "source"), (summary, "summary")):
            if not text.sentences:
                return _unscored(at, book, f"the {name} has no sentence")
        return self.measure_sentences(book, source, summary, at)

    def _splitter(self, book: Book) -> Splitter:
        found = self.splitters.get(book.language) or self.splitters.get("")
        if found is None:
            raise GistmeterError(f"'{book.id}': there are no sentence rules for '{book.language}'")
        return found

    def measure_sentences(
        self, book: Book, source: Segments, summary: Segments, at: int = 0
    ) -> Rows:
        """Rows of a book that is already split; both sides must have sentences."""
        splitter = self._splitter(book)
        texts = [fold(one, splitter) for one in (*source.sentences, *summary.sentences)]
        places = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        found = self.embedder.embed(list(places))
        chosen = np.array([places[text] for text in texts])
        split = len(source.sentences)
        similarity = compare(found.vectors[chosen[split:]], found.vectors[chosen[:split]])
        settings = self.settings_for(book.language)
        content = [splitter.content_words(text) for text in texts]
        words = Words.of(content[:split], content[split:])
        compared = compare_book(similarity, settings, words)
        looked = self._look(book, source, summary, compared)
        changes = looked.changes if looked else None
        document = describe_book(
            book.id, (source, summary), similarity, compared, settings, words.sizes, changes
        )
        document |= {"system": book.system, "language": book.language, "model": self.embedder.id}
        rows = _rows(at, book, compared, passages=self.resampled != "books")
        if looked is not None:
            rows = rows.with_numbers({"changed": _changed(compared, looked.changes)})
            rows = self._judge(rows, (source.sentences, summary.sentences), compared, looked, book)
        rows = rows.with_texts(
            {
                "sentence": summary.sentences,
                "source_sentence": [
                    source.sentences[place] if place >= 0 else None
                    for place in compared.pairs.index.tolist()
                ],
            }
        ).with_details({document_name(book.id, book.system): document})
        failed = {
            row: found.failures[place]
            for row, place in enumerate(chosen[split:].tolist())
            if place in found.failures
        }
        rows = self._explain(_without(rows, failed), compared, settings)
        return Rows.concat([rows, self._passages(at, book, compared, words, settings)])

    def _look(
        self, book: Book, source: Segments, summary: Segments, compared: Compared
    ) -> facts.Looked | None:
        """The summary sentences whose facts differ from their source's, with what differs."""
        if not self.guard:
            return None
        places = {
            at: place for at, place in enumerate(compared.places.tolist()) if compared.sourced[at]
        }
        found = facts.find(source.sentences, summary.sentences, places)
        return facts.look(found, book.language, self.judge, self.sure)

    def _judge(
        self,
        rows: Rows,
        texts: tuple[Sequence[str], Sequence[str]],
        compared: Compared,
        looked: facts.Looked,
        book: Book,
    ) -> Rows:
        """What the judge says of every sentence, and gist."""
        if self.judge is None or "gist" in self._absent:
            return rows
        columns, failures = gist.read(texts, compared, looked, self.judge, book.language)
        rows = rows.with_numbers(columns)
        known = self.calibrated.get(book.language) or next(iter(self.calibrated.values()))
        chances = gist.gist(rows.numbers, known.coverage, self.weights)
        return rows.with_numbers({"gist": chances}).with_reasons("gist", failures)

    def _passages(
        self, at: int, book: Book, compared: Compared, words: Words, settings: AlignmentSettings
    ) -> Rows:
        """A row for each passage of the source."""
        size = len(words.sizes)
        home = np.arange(size) // block_length(size)
        count = int(home[-1]) + 1
        labels = [f"{book.id}#{number}" for number in range(count)]
        keys = {
            "id": [f"{book.id}#passage {number + 1}" for number in range(count)],
            "system": [book.system] * count,
            "group": [book.id] * count,
            "cluster": [book.id] * count if self.resampled == "books" else labels,
        }
        rows = Rows(keys, np.full(count, at, np.int64)).with_numbers(
            {
                "source_words": np.bincount(home, words.sizes * (compared.kept * 0 + 1), count),
                "source_kept_words": np.bincount(home, words.sizes * compared.kept, count),
                "passage": np.arange(count),
                "book_share": np.zeros(count),
            }
        )
        if settings.support_threshold is None:
            unknown = dict.fromkeys(range(count), self._unknown())
            rows = rows.with_reasons("source_words", unknown)
        return rows

    def _unknown(self) -> str:
        return f"no threshold is calibrated for {self.embedder.id}; give one"

    def settings_for(self, language: str) -> AlignmentSettings:
        """The settings for books of a language, thresholds that were not given included."""
        values = {part.name: getattr(self, part.name) for part in fields(AlignmentSettings)}
        known = self.calibrated.get(language) or self.calibrated.get("")
        if known is not None:
            for name, threshold in (
                ("coverage_threshold", known.coverage),
                ("support_threshold", known.support),
                ("word_weight", known.words),
                ("alpha", known.alpha),
            ):
                values[name] = threshold if values[name] is None else values[name]
        if values["support_threshold"] is None:
            # A threshold that was given for one use is a better guess for the other than none.
            values["support_threshold"] = values["coverage_threshold"]
        return AlignmentSettings(**values)

    def _explain(self, rows: Rows, compared: Compared, settings: AlignmentSettings) -> Rows:
        skipped = np.flatnonzero(~compared.pairs.aligned).tolist()
        for name in PAIRED:
            rows = rows.with_reasons(name, dict.fromkeys(skipped, "skipped by the alignment"))
        if settings.coverage_threshold is None:
            unknown = dict.fromkeys(range(len(rows)), self._unknown())
            for name in ("coverage_at", "unsupported"):
                rows = rows.with_reasons(name, unknown)
        return rows


def block_length(sentences: int) -> int:
    """How many neighbours are a passage: the cube root, as is usual for block bootstraps."""
    return max(1, int(np.ceil(np.cbrt(sentences))))


def passage_labels(rows: Rows) -> list[str]:
    """The passage of each row of a book, for resampling within it."""
    titles = rows.keys["group"]
    return [
        title if math.isnan(number) else f"{title}#{int(number)}"
        for title, number in zip(titles, rows.values("passage").tolist(), strict=True)
    ]


def _rows(at: int, book: Book, compared: Compared, *, passages: bool) -> Rows:
    count = len(compared.coverage)
    passage = compared.homes // block_length(len(compared.kept))
    keys = {
        "id": [f"{book.id}#{index + 1}" for index in range(count)],
        "system": [book.system] * count,
        "group": [book.id] * count,
        "cluster": [f"{book.id}#{one}" if passages else book.id for one in passage.tolist()],
    }
    pairs = compared.pairs
    return Rows(keys, np.full(count, at, np.int64)).with_numbers(
        {
            "unsupported": compared.unsupported,
            "moved": compared.moved,
            "evidence": compared.evidence,
            "coverage": compared.coverage,
            "alignment_confidence": pairs.similarity,
            "position_deviation": compared.deviation,
            "position_weight": compared.weight,
            "position_loss": compared.weight * compared.deviation,
            "scs": compared.scs,
            "coverage_at": compared.coverage_at,
            "order_violations": compared.order_violations,
            "best_similarity": compared.best.top,
            "best_source_index": compared.best.index[:, 0],
            "aligned_index": np.where(pairs.aligned, pairs.index, np.nan),
            "passage": passage,
            "book_share": np.full(count, 1 / count),
        }
    )


def _changed(compared: Compared, changes: facts.Changes) -> Floats:
    """1 where facts differ, 0 where not, NaN for a sentence without a source."""
    found = np.where(compared.sourced, 0.0, np.nan)
    found[list(changes)] = 1.0
    return found


def _unscored(at: int, book: Book, reason: str) -> Rows:
    """One row for a book that cannot be measured."""
    keys = {key: [str(getattr(book, key))] for key in KEYS}
    rows = Rows(keys, np.array([at], np.int64)).with_numbers(
        {name: [np.nan] for name in (*BASES, *FURTHER, "passage")}
    )
    for name in BASES:
        rows = rows.with_reasons(name, {0: reason})
    return rows.with_numbers({"book_share": [1.0]})


def _without(rows: Rows, failed: Mapping[int, str]) -> Rows:
    """Take back what was computed for summary sentences that the model could not read."""
    if not failed:
        return rows
    places = list(failed)
    columns = dict(rows.numbers)
    taken = (
        *PAIRED, *SINGLE, *JUDGED, "changed", "position_loss", "position_deviation",
        "best_similarity",
    )  # fmt: skip
    for name in (name for name in taken if name in columns):
        column = columns[name].copy()
        column[places] = np.nan
        columns[name] = column
    rows = rows.with_numbers(columns)
    for name in (*PAIRED, *SINGLE, *(("gist",) if "gist" in columns else ())):
        rows = rows.with_reasons(name, failed)
    return rows


def _weighted_mean(values: Sequence[Value], weights: Sequence[Value]) -> Value:
    """The mean of the defined values; NaN where there are none."""
    whole = np.array(np.broadcast_arrays(*values, *weights), dtype=np.float64)
    table, share = np.split(whole, [len(values)])
    share = np.where(np.isnan(table), 0.0, share)
    mean: Value = divide((np.nan_to_num(table) * share).sum(axis=0), share.sum(axis=0))
    return mean
