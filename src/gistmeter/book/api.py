"""Books from Python: texts by title, or paths, in; a `Run` out."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from gistmeter.book.settings import BookSettings
from gistmeter.core import api as given
from gistmeter.core.api import Column, Files, score_shape
from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError
from gistmeter.core.family import Items
from gistmeter.core.run import Run
from gistmeter.core.types import Book


def score_book(
    source: Mapping[str, str] | Files,
    summary: Mapping[str, Any] | Column | Files,
    *,
    language: str | None = None,
    settings: BookSettings | None = None,
    models: Mapping[str, Any] = MappingProxyType({}),
    cache: Cache | Files | None = None,
    **options: Any,
) -> Run:
    """Score abridgements against their originals.

    `source` is the path of the originals, a mapping from titles to texts, or one text; `summary`
    the same, several paths, or a mapping from systems to such mappings. `options` are those of
    `gistmeter book`.

    >>> run = score_book({"Fable": "A fox saw grapes. They hung high."},
    ...                  {"Fable": "A fox saw grapes."}, language="en")
    >>> run["coverage_at"].value
    1.0
    """
    named = {"model_name" if role == "embedder" else role: model for role, model in models.items()}
    options = {**named, **({} if language is None else {"language": language}), **options}
    if given.is_path(source) and given.is_path(summary):
        options |= {"source_path": source, "summary_path": summary}
        return score_shape("book", settings, options, cache)
    originals = _texts_by_title(source, "source")
    nested = isinstance(summary, Mapping) and any(
        isinstance(texts, Mapping) for texts in summary.values()
    )
    by_system: Mapping[str, Any] = summary if nested else {"summary": summary}  # type: ignore[assignment]
    books = [
        book
        for system, texts in by_system.items()
        for book in pair_books(originals, _texts_by_title(texts, "summary"), str(system))
    ]
    return score_shape("book", settings, options, cache, Items(books))


def pair_books(
    originals: Mapping[str, str], summaries: Mapping[str, str], system: str
) -> list[Book]:
    """The books of a system; both sides must have the same titles, and some."""
    if differing := sorted(set(originals) ^ set(summaries)):
        raise InputError(f"These titles are not on both sides: {', '.join(differing[:5])}")
    if not originals:
        raise InputError("There is nothing to score: no books were given")
    return [Book(title, text, summaries[title], system) for title, text in originals.items()]


def _texts_by_title(value: Any, name: str) -> dict[str, str]:
    if isinstance(value, str):
        return {"book": value}
    if not isinstance(value, Mapping):
        raise InputError(f"{name} is {type(value).__name__}; expected texts by title, or a path")
    for title, text in value.items():
        if not isinstance(text, str):
            raise InputError(f"{name}[{title!r}] is {type(text).__name__}; expected text")
    return {str(title): text for title, text in value.items()}
