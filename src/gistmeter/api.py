"""The Python surface: each shape of data in, a `Run` out.

Every function takes Python's values or the path of a file that the command takes, and every
option of the command by its name. A `settings` object may be given instead of single options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gistmeter.cache import Cache
from gistmeter.errors import InputError
from gistmeter.families import family_of
from gistmeter.families import values as given
from gistmeter.families.book import BookSettings
from gistmeter.families.family import Items, RunSettings
from gistmeter.families.parse import Parses, ParseSettings
from gistmeter.families.text import TextSettings
from gistmeter.families.values import Column
from gistmeter.run import Run
from gistmeter.score import score
from gistmeter.settings import Settings, options_of, split
from gistmeter.types import Book, Pair

Files = str | Path
ROLES = {"matcher": "token_encoder"}  # a role's name where its option has another


def score_text(
    candidates: Column | Mapping[str, Column] | Files,
    references: Column | Files | None = None,
    *,
    ids: Column | None = None,
    systems: Column | str | None = None,
    arrangements: Column | str | None = None,
    structures: Column | None = None,
    recovered: Column | None = None,
    language: Column | str = "auto",
    settings: TextSettings | None = None,
    models: Mapping[str, Any] | None = None,
    cache: Cache | Files | None = None,
    **options: Any,
) -> Run:
    """Score candidates against their references, each one text or several.

    `candidates` is a column of texts, a mapping from systems to columns, or the path of a file of
    predictions; `language` one code or a column of codes. `options` are those of `gistmeter text`
    (metrics, aggregate, profile, embedder, seed, output …); `models` may name or be models by role.

    >>> run = score_text(["坚持做一件事就会成功"], ["只要有恒心，事情就能成功"], language="zh",
    ...                  metrics=["s_info"])
    >>> run["s_info"].value > 0, run["s_info"].n
    (True, 1)
    """
    options = {**{ROLES.get(role, role): one for role, one in (models or {}).items()}, **options}
    if given.is_path(candidates):
        options |= {"predictions": candidates, "references": references, "language": language}
        return _score("text", settings, options, cache)
    columns = {
        "ids": ids, "arrangements": arrangements, "structures": structures, "recovered": recovered,
    }  # fmt: skip
    by_system = candidates if isinstance(candidates, Mapping) else {"": candidates}
    if not by_system:
        raise InputError("There is nothing to score: no candidates were given")
    shared = [one for one in (references, *columns.values()) if one is not None]
    if len(by_system) > 1 and any(iter(one) is one for one in shared):  # a generator serves once
        references = list(references) if references is not None else None
        columns = {name: None if one is None else list(one) for name, one in columns.items()}
    pairs: list[Pair] = []
    for system, texts in by_system.items():
        pairs += _pairs(
            texts, references, systems=str(system) or systems, language=language, **columns
        )
    if isinstance(language, str):
        options["language"] = language
    return _score("text", settings, options, cache, Items(mark_originals(pairs)))


def _pairs(
    candidates: Any,
    references: Any,
    *,
    ids: Any,
    systems: Any,
    arrangements: Any,
    structures: Any,
    recovered: Any,
    language: Any,
) -> list[Pair]:
    """Pairs from parallel columns; a column of another length is an error."""
    from gistmeter.formats.references import clean

    said = given.texts(candidates, "candidates")
    if not said:
        raise InputError("There is nothing to score: no candidates were given")
    if references is None:
        raise InputError("There are no references: give a column of them")
    told = given.several(references, "references")
    count = len(said)
    given.same_length(told, count, "references", "candidates")
    numbers = [str(number) for number in range(1, count + 1)]
    names = numbers if ids is None else given.repeated(ids, "ids", count)
    codes = given.repeated(None if isinstance(language, str) else language, "language", count)
    rows = zip(
        names, said, told, codes,
        given.repeated(systems, "systems", count, "system"),
        given.repeated(arrangements, "arrangements", count),
        given.repeated(structures, "structures", count),
        given.repeated(recovered, "recovered", count),
        strict=True,
    )  # fmt: skip
    return [
        Pair(
            id=name,
            candidate=clean(text or "") or None,
            references=tuple(dict.fromkeys(filter(None, map(clean, own)))),
            system=system,
            arrangement=arrangement,
            language=code,
            fields={
                key: value
                for key, value in (("structure", structure), ("recovered", restored))
                if value
            },
        )
        for name, text, own, code, system, arrangement, structure, restored in rows
    ]


def mark_originals(pairs: list[Pair]) -> list[Pair]:
    """Pairs that know whether their system has the unscrambled forms too."""
    from gistmeter.metrics.consistency import HAS_ORIGINAL, is_original

    originals = {pair.system for pair in pairs if is_original(pair.arrangement)}
    told: set[str] = set()
    marked = []
    for pair in pairs:
        if pair.system in originals or pair.system not in told:
            mark = "yes" if pair.system in originals else "no"
            marked.append(replace(pair, fields={**pair.fields, HAS_ORIGINAL: mark}))
        else:
            marked.append(pair)
        told.add(pair.system)
    return marked


def score_book(
    source: Mapping[str, str] | Files,
    summary: Mapping[str, Any] | Column | Files,
    *,
    language: str = "auto",
    settings: BookSettings | None = None,
    models: Mapping[str, Any] | None = None,
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
    options = {**{"model_name" if role == "embedder" else role: one
                  for role, one in (models or {}).items()}, "language": language, **options}  # fmt: skip
    if given.is_path(source) and given.is_path(summary):
        options |= {"source_path": source, "summary_path": summary}
        return _score("book", settings, options, cache)
    originals = _texts_by_title(source, "source")
    nested = isinstance(summary, Mapping) and any(
        isinstance(held, Mapping) for held in summary.values()
    )
    by_system: Mapping[str, Any] = summary if nested else {"summary": summary}  # type: ignore[assignment]
    books: list[Book] = []
    for system, held in by_system.items():
        texts = _texts_by_title(held, "summary")
        if differing := sorted(set(originals) ^ set(texts)):
            raise InputError(f"These titles are not on both sides: {', '.join(differing[:5])}")
        books += [Book(title, originals[title], texts[title], str(system)) for title in originals]
    if not books:
        raise InputError("There is nothing to score: no books were given")
    return _score("book", settings, options, cache, Items(books))


def _texts_by_title(value: Any, name: str) -> dict[str, str]:
    if isinstance(value, str):
        return {"book": value}
    if not isinstance(value, Mapping):
        raise InputError(f"{name} is {type(value).__name__}; expected texts by title, or a path")
    for title, text in value.items():
        if not isinstance(text, str):
            raise InputError(f"{name}[{title!r}] is {type(text).__name__}; expected text")
    return {str(title): text for title, text in value.items()}


def score_parses(
    gold: Files,
    systems: Files | Sequence[Files] | Mapping[str, Files],
    *,
    settings: ParseSettings | None = None,
    cache: Cache | Files | None = None,
    **options: Any,
) -> Run:
    """Score systems' parses against the gold's.

    A system is named by its file's stem, or by its key where a mapping is given. `options` are
    those of `gistmeter parse`. With a `cache` a large taxonomy is parsed only once.
    """
    if isinstance(systems, Mapping):
        own = ParseSettings.of(
            {key: value for key, value in options.items() if key in options_of(ParseSettings)}
        )
        named = {str(name): Path(path) for name, path in systems.items()}
        items = Parses().read_named(Path(gold), named, settings or own)
        return _score("parse", settings, options, cache, items)
    options |= {"gold": gold, "systems": systems}
    return _score("parse", settings, options, cache)


def _score(
    name: str,
    settings: Settings | None,
    options: Mapping[str, Any],
    cache: Cache | Files | None,
    items: Items[Any] | None = None,
) -> Run:
    """One call of the only way, with a family's settings and a run's sorted out of the options."""
    family = family_of(name)
    own, how = split(_configured(name, family.Settings, options), family.Settings, RunSettings)
    assert isinstance(how, RunSettings)
    if settings is not None:
        changed = {key: value for key, value in options.items() if key in options_of(type(own))}
        own = replace(settings, **{key: getattr(own, key) for key in changed})
    store = Cache(Path(cache)) if isinstance(cache, str | Path) else cache
    run = score(
        family, own, items=items, how=how, cache=store, profiles=_profiles(how.config)
    )
    if how.fail_under:
        run.require(how.fail_under)
    return run


def _configured(name: str, kind: type[Settings], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with those of a configuration file behind them."""
    if not options.get("config"):
        return dict(options)
    from gistmeter.configuration import options_for

    known = {**options_of(kind), **options_of(RunSettings)}
    return {**options_for(Path(options["config"]), name, known), **options}


def _profiles(config: Path | None) -> dict[str, Mapping[str, Any]]:
    from gistmeter.configuration import profiles

    return profiles(config)
