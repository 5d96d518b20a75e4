"""Books: is an abridgement faithful to its original?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from gistmeter.book.edition_kinds import kind_of
from gistmeter.book.read import read_shelf
from gistmeter.book.settings import BookSettings
from gistmeter.core.errors import InputError
from gistmeter.core.family import EMBEDDED, Context, Family, Items, Task, summary_sheet
from gistmeter.core.item_columns import assign_languages, shared_by
from gistmeter.core.settings import Settings
from gistmeter.core.types import Book, Metric, Sheet

if TYPE_CHECKING:
    from gistmeter.core.comparison import Findings
    from gistmeter.core.rows import Rows
    from gistmeter.core.run import Run
    from gistmeter.models.settings import BackEndSettings

__all__ = ["BookSettings", "Books"]
TOKENS_A_SENTENCE = 128  # what one sentence of batch_size stands for
LONGER = 1.25  # an edition this many times as long as its original may be the original
BEGINNING = 5000  # characters of a source by which its language is found
ALIGNMENT = "alignment"


class Books(Family[BookSettings, Book]):
    """Sentences of original and abridgement aligned in order."""

    name = "book"
    noun = "sentence"
    summary = "Abridged books against their originals: are they faithful?"
    description = (
        "Aligns editions with their originals, sentence by sentence, and says what an edition kept,"
        " cut, invented, moved and changed, chapter by chapter."
    )
    examples = (
        "gistmeter book original.epub edition.docx",
        "gistmeter book original.txt ours.txt theirs.txt -o report.html -o tables.xlsx",
        "gistmeter book --source-path originals/ --summary-path ours/ --summary-path theirs/",
    )
    Settings: ClassVar[type[Settings]] = BookSettings
    # Half of any summary is "covered" by its mean similarity, whatever it says.
    headline = (
        "fidelity", "source_recall", "unsupported", "moved", "changed", "gist", "claims_supported",
        "claims_contradicted", "claims_not_found", "plot_coverage",
    )  # fmt: skip
    roles: ClassVar[Mapping[str, str]] = {"embedder": "model_name"}
    shows = "gistmeter.book.views:VIEW"
    chunk = 1
    stage = "Evaluating summaries"

    def read(self, settings: BookSettings, context: Context) -> Items[Book]:
        source, summaries = settings.paths
        shelf = read_shelf(
            source,
            summaries,
            skip_missing=settings.skip_missing,
            keep_matter=settings.keep_matter,
            chapters=settings.chapters,
        )
        for remark in shelf.remarks:
            context.warn(remark)
        return Items(list(shelf.books), files=list(shelf.files))

    def restore(self, run: Run) -> Items[Book]:
        """Both texts of each edition, sentence by sentence, under the titles of the chapters."""
        from gistmeter.book.book_document import editions

        return Items([
            Book(
                edition.book.title,
                edition.book.source_with_titles(),
                "\n\n".join(edition.book.summary.sentences),
                edition.system,
                edition.book.language,
            )
            for edition in editions(run)
        ])  # fmt: skip

    def prepare(self, read: Items[Book], settings: BookSettings, context: Context) -> Items[Book]:
        """Every book with its language, found from the beginning of its source; a remark on one
        that seems to be swapped with its edition."""
        path = settings.output_path
        if path is not None and path.is_dir():
            raise InputError(f"{path}: is a folder; --output-path names a file")
        if path is not None and path.resolve() in {file.resolve() for file in read.files}:
            raise InputError(f"{path}: is read by this command; choose another file to write")
        for book in read.items:
            if len(book.summary) > LONGER * max(len(book.source), 1):
                context.warn(
                    f"'{book.id}', {book.system}: the edition is longer than the original "
                    f"({len(book.summary):,} against {len(book.source):,} characters). The original"
                    " comes first: are they swapped?"
                )
        texts = [((book.source.strip() or book.summary)[:BEGINNING],) for book in read.items]
        named = assign_languages(
            read, settings.language, texts, context, [(book.id,) for book in read.items]
        )
        kinds = [kind_of(book, settings.kind) for book in named.items]
        for found in kinds:
            if found.remark:
                context.warn(found.remark)
        books = [
            replace(book, kind=found.kind, edition_language=found.language)
            for book, found in zip(named.items, kinds, strict=True)
        ]
        return replace(named, items=books)

    def profile(self, settings: BookSettings) -> str:
        plain = settings.no_judge and settings.profile == EMBEDDED
        return "embedded-plain" if plain else settings.models_profile

    def model_settings(self, settings: BookSettings) -> BackEndSettings:
        batch = settings.batch_size * TOKENS_A_SENTENCE
        known = super().model_settings(settings)
        return replace(known, pooling=settings.pooling, batch_size=batch)

    def collect(
        self,
        read: Items[Book],
        metrics: Mapping[str, Metric],
        settings: BookSettings,
        context: Context,
    ) -> Items[Book]:
        del context
        for metric in (shared_by(metric) for metric in metrics.values()):
            model = getattr(metric, "embedder", None)
            if settings.pooling and model and not model.id.endswith(f"/{settings.pooling}"):
                raise InputError(
                    f"The model {model.id} does not pool by '{settings.pooling}'. Leave the pooling"
                    " out, or name another model"
                )
        return read

    def notes(self, rows: Rows, task: Task[BookSettings, Book]) -> Mapping[str, Any]:
        from gistmeter.book.book_report import book_intervals

        metric = task.metrics.get(ALIGNMENT)
        notes = {"language": task.read.found["language"], **task.read.notes}
        if metric is not None:
            notes["book_intervals"] = book_intervals(metric, rows, **task.statistics)
        return notes

    def finish(self, run: Run, task: Task[BookSettings, Book], context: Context) -> None:
        from gistmeter.book.book_document import editions
        from gistmeter.book.book_report import write_report

        path, width = task.settings.output_path, task.settings.bandwidth
        if path is not None:
            write_report(run, task.settings.to_dict(), path)
            context.say(f"Wrote {path}")
        for book in () if width is None else [edition.book for edition in editions(run)]:
            if book.widened:
                context.warn(
                    f"'{book.title}': the band of {width} holds no path; it was widened to"
                    f" {book.bandwidth}"
                )

    def answer(self, run: Run, findings: Findings) -> str:
        """What was kept, invented, moved and changed; of several editions, first which is best."""
        from gistmeter.book.summaries import summary_verdict
        from gistmeter.book.verdict import verdict

        is_aligned = any("fidelity" in own.scores for own in run.systems.values())
        aligned = verdict(run, findings) if is_aligned else []
        return "\n".join([*summary_verdict(run, findings), *aligned])

    def sheets(self, run: Run) -> list[Sheet]:
        """The verdict, chapters, what was cut, moved, invented and changed, and every sentence."""
        from gistmeter.book.sheets import book_sheets

        return [*book_sheets(run), summary_sheet(run)]

    def overview(self, run: Run) -> list[Sheet]:
        """The largest cuts, what was invented and what moved; several books with their scores."""
        from gistmeter.book.sheets import overview_sheets

        return overview_sheets(run)
