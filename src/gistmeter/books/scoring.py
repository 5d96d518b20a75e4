"""`evaluate_corpus` and `evaluate_alignment`: texts in, reports out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from gistmeter.books.config import (
    TOKENS_A_SENTENCE,
    EvaluationConfig,
    build_metric,
    with_languages,
)
from gistmeter.books.reports import BookReport, book_intervals, macro_metrics, make_reports
from gistmeter.cache import Cache
from gistmeter.errors import InputError
from gistmeter.models.protocols import Embedder
from gistmeter.types import Book

PROGRESS = "Evaluating summaries"
SYSTEM = "summary"


def evaluate_corpus(
    source_map: Mapping[str, str],
    summary_map: Mapping[str, str],
    config: EvaluationConfig | None = None,
    show_progress: bool = False,
    *,
    embedder: Embedder | None = None,
    cache: Cache | None = None,
    seed: int = 20260,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> tuple[dict[str, BookReport], dict[str, float | None]]:
    """Reports by title, and the macro averages over books.

    Both maps must have the same titles. `embedder` takes the place of the configured model;
    `cache` keeps what models said, by default for this call only.
    """
    from gistmeter.evaluate import evaluate

    config = config or EvaluationConfig()
    differing = sorted(set(source_map) ^ set(summary_map))
    if differing:
        raise InputError(f"These titles are not on both sides: {', '.join(differing[:5])}")
    books = with_languages(
        [Book(title, source_map[title], summary_map[title], SYSTEM) for title in source_map],
        config.language,
    )
    model = embedder or load_embedder(config, books[0].language if books else "", cache)
    metric = build_metric(config, books, model)
    with _progress(show_progress) as progress:
        run = evaluate(
            books,
            {"alignment": metric},
            command="book",
            seed=seed,
            resamples=resamples,
            confidence=confidence,
            chunk=1,
            progress=progress,
            notes=book_intervals(metric, seed=seed, resamples=resamples, confidence=confidence),
        )
    assert run.rows is not None
    return make_reports(run, SYSTEM, run.rows.details.get), macro_metrics(run, SYSTEM)


def evaluate_alignment(
    source: str, summary: str, config: EvaluationConfig | None = None, **options: Any
) -> BookReport:
    """The report of one book; `options` as for `evaluate_corpus`."""
    title = "book"
    reports, _ = evaluate_corpus({title: source}, {title: summary}, config, **options)
    return reports[title]


def load_embedder(
    config: EvaluationConfig,
    language: str,
    cache: Cache | None,
    progress: Callable[[str, int, int], None] | None = None,
    profiles: Mapping[str, Mapping[str, Any]] | None = None,
) -> Embedder:
    """The model that the configuration names; `profiles` are further ones, by name."""
    from gistmeter.models.loading import ModelSettings, load_models

    models = load_models(
        ["embedder"],
        profile=config.profile_name,
        names={"embedder": config.model_name} if config.model_name else {},
        language=language,
        settings=ModelSettings(
            device=config.device,
            pooling=config.pooling,
            batch_size=config.batch_size * TOKENS_A_SENTENCE,
            max_length=config.max_length,
        ),
        cache=cache or Cache(None),
        progress=progress,
        profiles=profiles,
    )
    if models.embedder is None:
        raise InputError(models.absent.get("embedder", "There is no embedder in this profile"))
    if not models.embedder.id.endswith(f"/{config.pooling}" if config.pooling else ""):
        raise InputError(
            f"The model {models.embedder.id} does not pool by '{config.pooling}'. Leave the pooling"
            " out, or name another model"
        )
    return models.embedder


def _progress(
    shown: bool,
) -> AbstractContextManager[Callable[[str, int, int], None] | None]:
    return _Bar() if shown else nullcontext(None)


class _Bar:
    """A progress bar on stderr, because the caller asked for one."""

    def __enter__(self) -> Callable[[str, int, int], None]:
        from rich.console import Console
        from rich.progress import Progress

        self.bar = Progress(console=Console(stderr=True))
        self.bar.start()
        task = self.bar.add_task(PROGRESS, total=None)
        return lambda _, done, total: self.bar.update(task, completed=done, total=total)

    def __exit__(self, *_: object) -> None:
        self.bar.stop()
