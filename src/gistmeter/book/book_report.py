"""The report of a book as one JSON object, with every sentence of its summary."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.book.book_document import BookDocument, EditionSentence, editions
from gistmeter.book.flags import flags_of, stretch
from gistmeter.book.metrics.sentence_rows import passage_labels
from gistmeter.core.files import write_atomically
from gistmeter.core.rows import Rows
from gistmeter.core.statistics import intervals
from gistmeter.core.types import Metric, defined

if TYPE_CHECKING:
    from gistmeter.core.run import Run

SENTENCE_FIELDS = (
    "index", "sentence", "best_source_index", "best_similarity", "coverage_hit", "aligned_index",
    "aligned_similarity", "position_deviation", "scs", "topk",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BookReport:
    """What was measured of one book; undefined numbers are None."""

    title: str
    global_metrics: Mapping[str, float | None]
    alignment_path: Sequence[tuple[int, int]] = ()
    sentences: Sequence[Mapping[str, Any]] = ()
    intervals: Mapping[str, Sequence[float]] = field(default_factory=dict)  # over sentences
    reason: str = ""  # why there is no alignment
    source_sentences: Sequence[str] = ()  # what the indices of sources mean
    flags: Sequence[Mapping[str, Any]] = ()  # what was cut, invented, moved and changed
    chapters: Sequence[Mapping[str, Any]] = ()  # of the source
    cuts: Sequence[Mapping[str, Any]] = ()

    def __getitem__(self, name: str) -> Any:
        return self.to_dict()[name]

    def to_dict(self) -> dict[str, Any]:
        report: dict[str, Any] = {
            "book_id": self.title,
            "summary_sentence_count": len(self.sentences),
            "source_sentence_count": len(self.source_sentences),
            "global_metrics": dict(self.global_metrics),
            "alignment_path": [list(pair) for pair in self.alignment_path],
            "sentences": [dict(sentence) for sentence in self.sentences],
            "intervals": {name: list(bounds) for name, bounds in self.intervals.items()},
            "source_sentences": list(self.source_sentences),
            "flags": [dict(flag) for flag in self.flags],
            "chapters": [dict(chapter) for chapter in self.chapters],
            "cuts": [dict(cut) for cut in self.cuts],
        }
        return {**report, "reason": self.reason} if self.reason else report


def make_reports(run: Run, system: str) -> dict[str, BookReport]:
    """The reports of a system's books, from the run and the documents kept with it."""
    bounds = run.notes.get("book_intervals", {}).get(system, {})
    books = {
        edition.book.title: edition.book for edition in editions(run) if edition.system == system
    }
    reports = {}
    for title, values in run.systems[system].groups.items():
        metrics = {name: defined(value) for name, value in values.items()}
        book = books.get(title)
        if book is None:
            reports[title] = BookReport(title, metrics, reason=_reason(title, run.rows))
            continue
        source = book.source.sentences
        reports[title] = BookReport(
            title,
            {**metrics, "coverage_threshold": book.coverage_threshold},
            book.path,
            [_sentence(entry, book) for entry in book.sentences],
            bounds.get(title, {}),
            source_sentences=source,
            flags=[flag.to_dict(book) for flag in flags_of(book)],
            chapters=[
                {**asdict(chapter), "kept": defined(chapter.kept)} for chapter in book.chapters
            ],
            cuts=[
                {**asdict(cut), "text": " ".join(stretch(source, cut.first, cut.last))}
                for cut in book.cuts
            ],
        )
    return reports


def _sentence(entry: EditionSentence, book: BookDocument) -> dict[str, Any]:
    """A sentence of the summary as AlignEval reports it, the best sources spelled out."""
    best = [
        {"source_index": at, "similarity": similarity, "source_sentence": book.source_text(at)}
        for at, similarity in entry.topk
    ]
    return {name: getattr(entry, name) for name in SENTENCE_FIELDS} | {"topk": best}


def _reason(title: str, rows: Rows | None) -> str:
    book = rows.by("group").get(title) if rows is not None else None
    reasons = book.reasons.get("coverage", {}) if book is not None else {}
    return next(iter(reasons.values()), "not scored")


def book_intervals(
    metric: Metric, rows: Rows, **statistics: Any
) -> dict[str, dict[str, dict[str, list[float]]]]:
    """The intervals of each book by system and title, drawn over its passages; `statistics` are
    seed, resamples and confidence."""
    return {
        system: {
            title: {
                name: [low, high]
                for name, (low, high) in intervals(
                    metric.pool,
                    book,
                    infos=metric.scores,
                    cluster=passage_labels(book),
                    **statistics,
                ).items()
            }
            for title, book in edition.by("group").items()
        }
        for system, edition in rows.by("system").items()
    }


def write_report(run: Run, settings: Mapping[str, Any], path: Path) -> None:
    """The report with every sentence and its sources, as one JSON file."""
    embedder = getattr(run.metrics.get("alignment"), "embedder", None)
    config = {**settings, "model": getattr(embedder, "id", "")}
    text = json.dumps(corpus_report(run, config), ensure_ascii=False, indent=2, allow_nan=False)
    write_atomically(path, text + "\n")


def macro_metrics(run: Run, system: str) -> dict[str, float | None]:
    """The means over books."""
    return {name: defined(score.value) for name, score in run.systems[system].scores.items()}


def corpus_report(run: Run, config: Mapping[str, Any]) -> dict[str, Any]:
    """All books of a run as one object; with several systems, one such object for each."""
    parts = {
        system: {
            "macro_metrics": macro_metrics(run, system),
            "books": {
                title: report.to_dict() for title, report in make_reports(run, system).items()
            },
        }
        for system in run.systems
    }
    head = {"config": {**config, "signature": run.signature}}
    if len(parts) == 1:
        return {**head, **next(iter(parts.values()))}
    return {**head, "systems": parts}
