"""The report of a book as one JSON object, with every sentence of its summary."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.book.metrics.documents import document_name
from gistmeter.book.metrics.metric import passage_labels
from gistmeter.core.files import write_atomically
from gistmeter.core.folders import Folder
from gistmeter.core.rows import Rows
from gistmeter.core.statistics import intervals
from gistmeter.core.types import defined

if TYPE_CHECKING:
    from gistmeter.core.run import Run

SENTENCE_FIELDS = (
    "index", "sentence", "best_source_index", "best_similarity", "coverage_hit", "aligned_index",
    "aligned_similarity", "position_deviation", "scs", "topk",
)  # fmt: skip
Bounds = Mapping[str, tuple[float, float]]


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

    def __getitem__(self, name: str) -> Any:
        return self.to_dict()[name]

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "book_id": self.title,
            "summary_sentence_count": len(self.sentences),
            "source_sentence_count": len(self.source_sentences),
            "global_metrics": dict(self.global_metrics),
            "alignment_path": [list(pair) for pair in self.alignment_path],
            "sentences": [dict(sentence) for sentence in self.sentences],
            "intervals": {name: list(bounds) for name, bounds in self.intervals.items()},
            "source_sentences": list(self.source_sentences),
        }
        return {**found, "reason": self.reason} if self.reason else found


def make_reports(run: Run, system: str) -> dict[str, BookReport]:
    """The reports of a system's books, from the run and the documents kept with it."""
    held: Mapping[str, Mapping[str, Bounds]] = run.notes.get("book_intervals", {})
    return {
        title: _report(
            title,
            {name: defined(value) for name, value in values.items()},
            document_of(run, title, system),
            held.get(system, {}).get(title, {}),
            run,
        )
        for title, values in run.systems[system].groups.items()
    }


def _report(
    title: str,
    values: dict[str, float | None],
    document: Mapping[str, Any] | None,
    bounds: Bounds,
    run: Run,
) -> BookReport:
    if document is None:
        return BookReport(title, values, reason=_reason(title, run.rows))
    source = document["source"]["sentences"]
    return BookReport(
        title,
        {**values, "coverage_threshold": document["coverage_threshold"]},
        [(row, column) for row, column in document["path"]],
        [_sentence(entry, source) for entry in document["sentences"]],
        bounds,
        source_sentences=source,
    )


def _sentence(entry: Mapping[str, Any], source: Sequence[str]) -> dict[str, Any]:
    """A sentence of the summary as AlignEval reports it, the best sources spelled out."""
    best = [
        {"source_index": index, "similarity": similarity, "source_sentence": source[index]}
        for index, similarity in entry["topk"]
    ]
    return {name: entry[name] for name in SENTENCE_FIELDS} | {"topk": best}


def _reason(title: str, rows: Rows | None) -> str:
    own = rows.by("group").get(title) if rows is not None else None
    reasons = own.reasons.get("coverage", {}) if own is not None else {}
    return next(iter(reasons.values()), "not scored")


def book_intervals(
    pool: Callable[[Any], Mapping[str, Any]],
    rows: Rows,
    *,
    seed: int,
    resamples: int,
    confidence: float,
) -> dict[str, Any]:
    """Each book's own intervals, drawn over its passages."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for system, own in rows.by("system").items():
        for title, book in own.by("group").items():
            bounds = intervals(
                pool,
                book,
                seed=seed,
                resamples=resamples,
                confidence=confidence,
                cluster=passage_labels(book),
            )
            found.setdefault(system, {})[title] = {
                name: [low, high] for name, (low, high) in bounds.items()
            }
    return {"book_intervals": found}


def book_rows(run: Run) -> list[tuple[str, str, dict[str, tuple[float, float, float]]]]:
    """System, title, and for each score its value with the interval over sentences."""
    held = run.notes.get("book_intervals", {})
    found = []
    for system, scores in run.systems.items():
        for title, values in scores.groups.items():
            bounds = held.get(system, {}).get(title, {})
            missing = (math.nan, math.nan)
            own = {name: (value, *bounds.get(name, missing)) for name, value in values.items()}
            found.append((system, title, own))
    return found


def document_of(run: Run, title: str, system: str) -> dict[str, Any] | None:
    """The document of a book, from memory or from the run's folder."""
    name = document_name(title, system)
    held: dict[str, Any] | None = run.measured.details.get(name)
    folder = Folder(run.path) if run.path else None
    if held is None and folder is not None and folder.has(f"details/{name}"):
        held = json.loads(folder.read(f"details/{name}"))
    return held


def widened(run: Run) -> list[tuple[str, int]]:
    """Books whose band held no path, with the band that was taken instead."""
    if run.settings.get("bandwidth") is None:
        return []
    documents = [
        (title, document_of(run, title, system) or {})
        for system, held in run.systems.items()
        for title in held.groups
    ]
    return [(title, one["bandwidth"]) for title, one in documents if one.get("widened")]


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
