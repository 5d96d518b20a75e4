"""Is an abridgement faithful to its book? The metric: one row per summary sentence.

A book's value of a score comes from its own rows, the pooled value is the mean over books. There is
a row for each summary sentence, and after them one for each passage of the source: a block of
neighbouring sentences, with how much it says and how much of that was kept. Rows of one book are
drawn together by the bootstrap where there are many books; with few, passages are, each with the
summary sentences that come from it (blocks: Künsch, Ann. Statist. 17, 1989). Passages belong to the
source, so two summaries of a book are compared passage by passage.

Undefined, with the reason: a book whose source or summary has no sentence, or that has too many to
compare; a sentence that the model could not read; for what is measured on pairs, a sentence that
the alignment skipped; source_recall, unsupported and coverage_at for a model without calibrated
thresholds. A single sentence is aligned with its best source, or, under dtw, with all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from gistmeter import languages
from gistmeter.book.metrics import changes as changes_of
from gistmeter.book.metrics import sentence_rows as made
from gistmeter.book.metrics.book_comparison import (
    AlignmentSettings,
    BookComparison,
    ReadBook,
    Thresholds,
    compare_book,
    thresholds_for,
)
from gistmeter.book.metrics.description import describe_book, document_name
from gistmeter.book.metrics.measures import ContentWords
from gistmeter.book.metrics.paths import check_settings
from gistmeter.book.metrics.people import Table, learn_people, read_people
from gistmeter.book.metrics.segmentation import (
    Segments,
    SentenceRules,
    SimpleSplitter,
    fold,
    hurdle,
    segment,
)
from gistmeter.book.metrics.similarity import compare
from gistmeter.book.metrics.suspicions import (
    AlarmedBook,
    count_alarms,
    fitted,
    judge_suspicions,
    suspicions,
)
from gistmeter.core.errors import GistmeterError
from gistmeter.core.rows import Floats, Pool, Rows, Value, divide
from gistmeter.core.types import Book, ScoreInfo
from gistmeter.core.wiring import Wiring, given, role, setting
from gistmeter.languages.codes import name_of
from gistmeter.metrics.gist import by_default, weights_of
from gistmeter.metrics.gist import judge_of as embedded_judge
from gistmeter.models.protocols import Embedder, JudgeModel

FAULT_POWER = 5  # a wrong sentence costs as much as five that were left out
FEW_BOOKS = 6  # with fewer, no p-value over whole books could be small


def splitters_of(wiring: Wiring) -> dict[str, SentenceRules]:
    """The sentence rules of each language, or the one rule for all."""
    simple = wiring.settings.splitter == "simple"
    return {
        code: SimpleSplitter() if simple else languages.get(code)
        for code in sorted(wiring.languages)
    }


def calibrated_for(wiring: Wiring) -> dict[str, Thresholds]:
    """The thresholds that were measured for the run's model; a warning where there are none."""
    embedder = wiring.model("embedder")
    assert embedder is not None
    thresholds = thresholds_for(embedder.id, sorted(wiring.languages))
    if wiring.settings.coverage_threshold is None and not thresholds:
        wiring.context.warn(
            f"No threshold is calibrated for {embedder.id}: what was kept and invented stays"
            " unscored. Give one by --coverage-threshold"
        )
    return thresholds


def resampled_by(wiring: Wiring) -> str:
    """The intervals of few books are over their passages."""
    return "books" if len({book.id for book in wiring.items}) >= FEW_BOOKS else "passages"


def judge_of(wiring: Wiring) -> JudgeModel | None:
    """The judge of facts that comes with gistmeter, unless it is left out or has no weights."""
    return embedded_judge(wiring) if by_default(wiring) else None


def gist_weights(wiring: Wiring) -> dict[str, float]:
    return weights_of("book") if wiring.once(judge_of) is not None else {}


def alarm_fit(wiring: Wiring) -> Mapping[str, Any]:
    """The fit of the alarms, where it holds for the run's model; a warning for another judge."""
    embedder, judge, fit = wiring.model("embedder"), wiring.once(judge_of), fitted()
    if judge is None or not embedder.id.startswith(fit["embedder"]):
        return {}
    if judge.id != fit["judge"]:
        wiring.context.warn(
            f"The probabilities of alarms were fitted with the judge {fit['judge']}, not with"
            f" {judge.id}: fit them again by `python -m training.alarms`"
        )
    return fit


@dataclass(frozen=True, slots=True)
class BookAlignment(AlignmentSettings):
    """Coverage, confidence, order and compactness of a summary on its alignment with the source.

    All scores lie in [0, 1] (confidence in [−1, 1]); higher is better but for unsupported, moved,
    changed and order_violations. The first five answer what a publisher asks: what was kept,
    invented, moved and changed, and fidelity, what was kept less what was invented and moved.
    """

    embedder: Embedder = role("embedder", required=True)
    splitters: Mapping[str, SentenceRules] = given(splitters_of, factory=dict)  # "" for any other
    calibrated: Mapping[str, Thresholds] = given(calibrated_for, factory=dict)  # by language
    resampled: str = given(resampled_by, "books")  # what intervals draw: books, or passages
    guard: str = given(lambda wiring: changes_of.identity(wiring.languages), "")  # rules for facts
    judge: JudgeModel | None = given(judge_of, None, shared=True)  # asked beside the rules
    sure: float = changes_of.SURE  # from which probability on
    weights: Mapping[str, float] = given(gist_weights, factory=dict)  # empty: no gist
    fit: Mapping[str, Any] = given(alarm_fit, factory=dict)  # of alarms; empty: no probabilities
    alarms: str = setting("balanced", signed=False)  # the list that is shown
    people: Table = setting((), via=read_people)  # empty: learned from each source

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

    def applies(self, items: Sequence[Book]) -> bool:
        return not items or any(book.kind != "summary" for book in items)

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
        """The scores that are not made: without rules for facts, without a judge, or with a model
        whose evidence has another scale than the one that gist was fitted on."""
        judged = self.judge is not None and self.calibrated and self.weights
        return {
            *(() if self.guard else ("changed",)),
            *(() if self.guard and judged else ("gist",)),
        }

    def _pool_book(self, rows: Pool) -> dict[str, Value]:
        if not all(name in rows for name in (*made.BASES, *made.FURTHER)):
            return {info.name: float("nan") for info in self.scores}
        distance = rows.ratio("position_loss", "position_weight")
        kept = rows.ratio("source_kept_words", "source_words")
        names = [info.name for info in self.scores]
        means = {name: rows.mean(name) if name in rows else math.nan for name in names}
        right = (1 - means["unsupported"]) * (1 - np.nan_to_num(means["changed"]))
        return {
            **means,
            # Where nothing has a source, nothing has a place to move from.
            "fidelity": kept * right**FAULT_POWER * (1 - np.nan_to_num(means["moved"])),
            "source_recall": kept,
            "pfs": np.maximum(1 - distance, 0.0) ** self.pfs_gamma,
        }

    def _measure_book(self, at: int, book: Book) -> Rows:
        if book.kind == "summary":
            return made.unscored_row(at, book, "a summary, which is read claim by claim")
        splitter = self._splitter(book)
        source, summary = segment(book.source, splitter), segment(book.summary, splitter)
        if why := hurdle(source, summary):
            return made.unscored_row(at, book, why)
        return self.measure_sentences(book, source, summary, at)

    def _splitter(self, book: Book) -> SentenceRules:
        rules = self.splitters.get(book.language) or self.splitters.get("")
        if rules is None:
            raise GistmeterError(f"'{book.id}': there are no sentence rules for '{book.language}'")
        return rules

    def measure_sentences(
        self, book: Book, source: Segments, summary: Segments, at: int = 0
    ) -> Rows:
        """Rows of a book that is already split; both sides must have sentences."""
        read = self.read_sentences(book, source, summary)
        compared, settings = read.compared, read.settings
        checked = self.check_facts(book, read)
        gist, unjudged = self._judge(compared, checked, book)
        alarmed = self._raise_alarms(book, read, checked)
        changes = checked.changes if checked else None
        if alarmed is not None:
            compared, changes = alarmed.compared, alarmed.changes
        document = describe_book(
            book, self.embedder.id, (source, summary), read.similarity, compared, settings,
            read.words.sizes, changes,
        )  # fmt: skip
        if checked is not None:
            document = replace(document, people=checked.people)
        if alarmed is not None:
            document = replace(document, alarms=alarmed.alarms, alarm_level=self.alarms)
        by_passage = self.resampled != "books"
        rows = made.sentence_rows(at, book, compared, by_passage=by_passage)
        if changes is not None:
            rows = rows.with_numbers({"changed": made.changed_column(compared, changes), **gist})
            rows = rows.with_reasons("gist", unjudged) if unjudged else rows
        if book.edition_language:
            rows = self._without_words(rows, book)
        aligned = compared.pairs.index.tolist()
        sources = [source.sentences[place] if place >= 0 else None for place in aligned]
        rows = rows.with_texts({"sentence": summary.sentences, "source_sentence": sources})
        rows = rows.with_details({document_name(book.id, book.system): document.to_dict()})
        rows = self._explain(made.without_failures(rows, read.failures), compared, settings, book)
        passages = made.passage_rows(at, book, compared, read.words.sizes, by_passage=by_passage)
        if settings.support_threshold is None:
            passages = passages.with_reasons("source_words", self._uncalibrated(passages, book))
        return Rows.concat([rows, passages])

    def read_sentences(self, book: Book, source: Segments, summary: Segments) -> ReadBook:
        """Both texts embedded, aligned and compared."""
        splitter = self._splitter(book)
        texts = [fold(sentence, splitter) for sentence in (*source.sentences, *summary.sentences)]
        places = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        embedded = self.embedder.embed(list(places))
        chosen = np.array([places[text] for text in texts])
        split = len(source.sentences)
        similarity = compare(embedded.vectors[chosen[split:]], embedded.vectors[chosen[:split]])
        across = bool(book.edition_language)
        settings = self.settings_for(book.language, across=across)
        content = [splitter.content_words(text) for text in texts]
        words = ContentWords.of(content[:split], content[split:])
        compared = compare_book(similarity, settings, None if across else words)
        failures = {
            row: embedded.failures[place]
            for row, place in enumerate(chosen[split:].tolist())
            if place in embedded.failures
        }
        return ReadBook(
            source.sentences, summary.sentences, similarity, compared, words, settings, failures
        )

    def check_facts(self, book: Book, read: ReadBook) -> changes_of.FactCheck | None:
        """The summary sentences whose facts differ from their source's, with what differs."""
        if not self.guard or book.edition_language:
            return None
        compared = read.compared
        places = {
            at: place for at, place in enumerate(compared.places.tolist()) if compared.sourced[at]
        }
        pairs = changes_of.pair_sources(read.source, read.summary, places)
        people = self.people or learn_people(read.source, book.language)
        found = changes_of.find_changes(pairs, book.language, self.judge, self.sure, people)
        if self.judge is None:
            return found
        unsourced = made.judge_unsourced(read, self.judge, book.language)
        return replace(found, judged={**found.judged, **unsourced})

    def _judge(
        self, compared: BookComparison, checked: changes_of.FactCheck | None, book: Book
    ) -> tuple[dict[str, Floats], dict[int, str]]:
        """What the judge says of every sentence, and gist; by sentence why there is none."""
        if checked is None or self.judge is None or "gist" in self._absent:
            return {}, {}
        columns, failures = made.judged_columns(len(compared.places), checked)
        read = {**columns, "evidence": compared.evidence,
                "changed": made.changed_column(compared, checked.changes)}  # fmt: skip
        known = self.calibrated.get(book.language) or next(iter(self.calibrated.values()))
        return {**columns, "gist": made.gist_of(read, known.coverage, self.weights)}, failures

    def _raise_alarms(
        self, book: Book, read: ReadBook, checked: changes_of.FactCheck | None
    ) -> AlarmedBook | None:
        """The alarms of an edition by their probability, where one is fitted: for the language, the
        model and the judge; unless thresholds were given, which decide then."""
        given = self.coverage_threshold is not None or self.support_threshold is not None
        if not self.fit or checked is None or given or book.language not in self.fit["languages"]:
            return None
        alarms = judge_suspicions(suspicions(read, checked, book.language), self.fit)
        return count_alarms(alarms, read.compared, checked)

    def settings_for(self, language: str, *, across: bool = False) -> AlignmentSettings:
        """The settings for books of a language, thresholds that were not given included. None are
        known for sentences of two languages."""
        known = self.calibrated.get(language) or self.calibrated.get("")
        return self.with_thresholds(None if across else known)

    def _without_words(self, rows: Rows, book: Book) -> Rows:
        """What needs words of one language stays unscored, with that reason."""
        reason = (
            f"the edition is in {name_of(book.edition_language)}, the original in"
            f" {name_of(book.language)}: facts are compared within one language"
        )
        for name in {"changed", "gist"} - self._absent:
            rows = rows.with_numbers({name: np.full(len(rows), np.nan)})
            rows = rows.with_reasons(name, dict.fromkeys(range(len(rows)), reason))
        return rows

    def _uncalibrated(self, rows: Rows, book: Book) -> dict[int, str]:
        reason = f"no threshold is calibrated for {self.embedder.id}; give one"
        if book.edition_language:
            reason = (
                f"the edition is in {name_of(book.edition_language)}, the original in"
                f" {name_of(book.language)}: no threshold is calibrated across languages; give one"
            )
        return dict.fromkeys(range(len(rows)), reason)

    def _explain(
        self, rows: Rows, compared: BookComparison, settings: AlignmentSettings, book: Book
    ) -> Rows:
        skipped = np.flatnonzero(~compared.pairs.aligned).tolist()
        for name in made.PAIRED:
            rows = rows.with_reasons(name, dict.fromkeys(skipped, "skipped by the alignment"))
        if settings.coverage_threshold is None:
            for name in ("coverage_at", "unsupported"):
                rows = rows.with_reasons(name, self._uncalibrated(rows, book))
        return rows


def _weighted_mean(values: Sequence[Value], weights: Sequence[Value]) -> Value:
    """The mean of the defined values; NaN where there are none."""
    whole = np.array(np.broadcast_arrays(*values, *weights), dtype=np.float64)
    table, share = np.split(whole, [len(values)])
    share = np.where(np.isnan(table), 0.0, share)
    mean: Value = divide((np.nan_to_num(table) * share).sum(axis=0), share.sum(axis=0))
    return mean
