"""What `gistmeter book` does once its options are parsed: read, load, score, write, show."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.cli.options import Format
from gistmeter.cli.shared import Session

if TYPE_CHECKING:
    from rich.table import Table

    from gistmeter.books.config import EvaluationConfig
    from gistmeter.report.tables import Sheet
    from gistmeter.types import Book, Run


def score_books(
    session: Session,
    config: EvaluationConfig,
    source_path: Path,
    summary_paths: Sequence[Path],
    output_path: Path | None,
    *,
    skip_missing: bool,
) -> None:
    """Score the books of these files; `output_path` gets every sentence's report."""
    from gistmeter.books.config import build_metric
    from gistmeter.books.reports import book_intervals
    from gistmeter.books.scoring import PROGRESS, load_embedder
    from gistmeter.cli.options import configured_profiles

    books, files = read_books(session, source_path, summary_paths, config.language, skip_missing)
    session.spare(files, [output_path] if output_path else [])
    profiles = configured_profiles(session.options.config)
    embedder = load_embedder(config, books[0].language, session.cache, session.progress, profiles)
    metric = build_metric(config, books, embedder)
    if metric.coverage_threshold is None and not metric.calibrated:
        session.warn(
            f"No threshold is calibrated for {embedder.id}: coverage_at and source_recall stay"
            " unscored. Give one by --coverage-threshold"
        )
    options = session.options
    intervals = book_intervals(
        metric, seed=options.seed, resamples=options.resamples, confidence=options.confidence
    )
    settings = {**config.to_dict(), "model": embedder.id}
    finished: list[Run] = []

    def finish(run: Run) -> None:
        finished.append(run)
        _write_report(session, run, settings, output_path)
        _tell_bands(session, run)

    try:
        session.score(
            books,
            {"alignment": metric},
            inputs=files,
            settings=settings,
            layout=book_sheets,
            chunk=1,
            stage=PROGRESS,
            notes=lambda rows: {"language": books[0].language, **intervals(rows)},
            finish=finish,
        )
    finally:  # a missed threshold ends the command, but not before the books are shown
        several = len({book.id for book in books}) > 1
        if finished and several and options.format is Format.table:
            session.stdout.print(books_table(finished[0]))


def read_books(
    session: Session, source: Path, summaries: Sequence[Path], language: str, skip_missing: bool
) -> tuple[list[Book], list[Path]]:
    """The books with their languages, and the files they came from."""
    from gistmeter.books.config import with_languages
    from gistmeter.formats.books import read_shelf

    shelf = read_shelf(source, summaries, skip_missing=skip_missing)
    for remark in shelf.remarks:
        session.warn(remark)
    books = with_languages(shelf.books, language)
    if language in ("", "auto"):
        found = ", ".join(sorted({book.language for book in books}))
        session.say(f"Language: {found} (found; name it by --language)")
    return books, list(shelf.files)


def _write_report(
    session: Session, run: Run, settings: Mapping[str, Any], path: Path | None
) -> None:
    from gistmeter.books.reports import corpus_report
    from gistmeter.files import write_atomically

    if path is None:
        return
    report = corpus_report(run, settings, lambda name: read_document(run, name))
    text = json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False)
    write_atomically(path, text + "\n")
    session.say(f"Wrote {path}")


def read_document(run: Run, name: str) -> dict[str, Any] | None:
    """A document that was kept with the run."""
    file = run.path / "details" / name if run.path else None
    if file is None or not file.is_file():
        return None
    document: dict[str, Any] = json.loads(file.read_bytes())
    return document


def _tell_bands(session: Session, run: Run) -> None:
    """Say where the band was widened, since the result is not of the band asked for."""
    from gistmeter.metrics.alignment.documents import document_name

    if run.settings.get("bandwidth") is None:
        return
    for system, held in run.systems.items():
        for title in held.groups:
            document = read_document(run, document_name(title, system)) or {}
            if document.get("widened"):
                session.warn(
                    f"'{title}': the band of {run.settings['bandwidth']} holds no path; it was"
                    f" widened to {document['bandwidth']}"
                )


def book_rows(run: Run) -> list[tuple[str, str, dict[str, tuple[float, float, float]]]]:
    """System, title, and for each score its value with the interval over sentences."""
    held = run.notes.get("book_intervals", {})
    found = []
    for system, scores in run.systems.items():
        for title, values in scores.groups.items():
            bounds = held.get(system, {}).get(title, {})
            missing = (math.nan, math.nan)
            found.append(
                (
                    system,
                    title,
                    {name: (value, *bounds.get(name, missing)) for name, value in values.items()},
                )
            )
    return found


def book_sheets(run: Run) -> list[Sheet]:
    """Sentences, books with intervals over their sentences, and the summary."""
    from gistmeter.report.tables import Sheet, items_sheet, summary_sheet

    rows = book_rows(run)
    names = list(rows[0][2]) if rows else []
    columns = ["system", "title"]
    for name in names:
        columns += [name, f"{name}_low", f"{name}_high"]
    cells: list[list[object]] = [
        [system, title, *(number for name in names for number in values[name])]
        for system, title, values in rows
    ]
    return [items_sheet(run), Sheet("books", columns, cells), summary_sheet(run)]


def books_table(run: Run) -> Table:
    """Every book's scores; their intervals take more room than a terminal has."""
    from rich.table import Table

    from gistmeter.report.terminal import safe

    rows = book_rows(run)
    several = len(run.systems) > 1
    table = Table(
        title="books",
        title_justify="left",
        caption="Intervals over each book's sentences: -o books.xlsx, --output-path, or run.json",
        caption_justify="left",
        box=None,
        padding=(0, 1, 0, 0),
    )
    table.add_column("title", overflow="fold", min_width=12)
    for name in rows[0][2]:
        table.add_column(name.replace("_", "_\n"), justify="right", no_wrap=True)
    for system, title, values in rows:
        label = f"{title} ({system})" if several else title
        table.add_row(safe(label), *(_cell(value) for value, _, _ in values.values()))
    return table


def _cell(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) else "–"
