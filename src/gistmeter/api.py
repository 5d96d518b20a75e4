"""The Python surface: each shape of data in, a `Run` out.

Every function takes Python's values or the path of a file that the command takes, and every
option of the command by its name. A `settings` object may be given instead of single options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gistmeter.cache import Cache
from gistmeter.errors import InputError
from gistmeter.families import family_of
from gistmeter.families import values as given
from gistmeter.families.book import BookSettings
from gistmeter.families.family import Context, Items, RunSettings
from gistmeter.families.parse import Parses, ParseSettings
from gistmeter.families.speech import Speech, SpeechSettings
from gistmeter.families.text import TextSettings
from gistmeter.families.values import Column
from gistmeter.run import Run
from gistmeter.score import score
from gistmeter.settings import Settings, aliases_of, options_of, split
from gistmeter.types import Book, Clip, Pair

if TYPE_CHECKING:
    from gistmeter.families.speech.judge import CostEstimate

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
    language: Column | str | None = None,
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
        options |= {"predictions": candidates, "references": references}
        options |= {} if language is None else {"language": language}
        return _score("text", settings, options, cache)
    columns = {
        "ids": ids, "arrangements": arrangements, "structures": structures, "recovered": recovered,
    }  # fmt: skip
    by_system = candidates if isinstance(candidates, Mapping) else {"": candidates}
    if not by_system:
        raise InputError("There is nothing to score: no candidates were given")
    if len(by_system) > 1:  # a generator serves once
        references = given.reusable(references)
        columns = {name: given.reusable(one) for name, one in columns.items()}
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
    from gistmeter.formats.references import answer_in, clean

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
            candidate=answer_in(text),
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
    from gistmeter.formats.predictions import marked
    from gistmeter.metrics.consistency import is_original

    return marked(pairs, {pair.system for pair in pairs if is_original(pair.arrangement)})


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
    named = {"model_name" if role == "embedder" else role: one for role, one in models.items()}
    options = {**named, **({} if language is None else {"language": language}), **options}
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


def score_speech(
    expected: Column | str | Path | None = None,
    got: Column | Mapping[str, Column] | str | Path | None = None,
    *,
    ids: Column | None = None,
    speakers: Column | str | None = None,
    groups: Column | str | None = None,
    language: Column | str = "auto",
    settings: SpeechSettings | None = None,
    models: Mapping[str, Any] | None = None,
    cache: Cache | Files | None = None,
    **options: Any,
) -> Run:
    """Score transcripts against what was said; rates are percentages.

    `expected` is a column of texts, one text, or the path of a table or of a file of texts; `got`
    the same of one system, or a mapping from systems to columns. `options` are those of `gistmeter
    speech` (metrics, normalizer, llm, assets, recognizers, output …); `models` may name or be the
    `matcher` and the `llm`.

    >>> run = score_speech(["hello world"], ["hello word"], language="en", metrics=["wer"])
    >>> run["wer"].value
    50.0
    """
    columns = {"ids": ids, "speakers": speakers, "groups": groups, "language": language}
    options, items = _speech(expected, got, columns, models, options)
    return _score("speech", settings, options, cache, items)


def estimate_speech(
    expected: Column | str | Path | None = None,
    got: Column | Mapping[str, Column] | str | Path | None = None,
    *,
    language: Column | str = "auto",
    settings: SpeechSettings | None = None,
    models: Mapping[str, Any] | None = None,
    cache: Cache | Files | None = None,
    **options: Any,
) -> CostEstimate:
    """What the semantic error rate of `score_speech` would cost; nothing is run."""
    options, items = _speech(expected, got, {"language": language}, models, options)
    family = Speech()
    own, how = _settled(family.name, settings, options)
    assert isinstance(own, SpeechSettings)
    store = Cache(Path(cache)) if isinstance(cache, str | Path) else cache or Cache(None)
    context = Context(store, _profiles(how.config))
    return family.cost(items or family.read(own, context), own, context)


def _speech(
    expected: Any,
    got: Any,
    columns: Mapping[str, Any],
    models: Mapping[str, Any] | None,
    options: Mapping[str, Any],
) -> tuple[dict[str, Any], Items[Clip] | None]:
    """The options of the command, and the clips where Python's values were given."""
    named = {ROLES.get(role, role): one for role, one in (models or {}).items()}
    options = {**named, **options}
    language = columns["language"]
    if isinstance(language, str) and language != "auto":
        options["language"] = language
    if expected is None and got is None:
        return options, None
    if given.is_path(expected):
        if got is None:
            return {**options, "table": expected}, None
        if isinstance(got, Mapping):
            raise InputError("got: give the files as a list; systems are named after their files")
        return {**options, "expected": expected, "got": got}, None
    said = given.texts([expected] if isinstance(expected, str) else expected, "expected")
    by_system = got if isinstance(got, Mapping) else {"system": got}
    count = len(said)
    numbers = [str(number) for number in range(1, count + 1)]
    ids = columns.get("ids")
    known = {
        "id": numbers if ids is None else given.repeated(ids, "ids", count),
        "speaker": given.repeated(columns.get("speakers"), "speakers", count),
        "group": given.repeated(columns.get("groups"), "groups", count),
        "language": given.repeated(
            None if isinstance(language, str) else language, "language", count
        ),
    }
    clips = [
        Clip(
            expected=text or "",
            got=heard,
            recognizer=str(system),
            **dict(zip(known, own, strict=True)),
        )
        for system, column in by_system.items()
        for text, heard, *own in zip(
            said, _transcripts(column, str(system), count), *known.values(), strict=True
        )
    ]
    return options, Items(clips)


def _transcripts(column: Any, system: str, count: int) -> list[str | None]:
    if column is None:
        raise InputError("There are no transcripts: give a column of them as got")
    heard = given.texts([column] if isinstance(column, str) else column, "got")
    if len(heard) != count:
        raise InputError(f"'{system}' has {len(heard)} transcripts for {count} texts")
    return heard


def _score(
    name: str,
    settings: Settings | None,
    options: Mapping[str, Any],
    cache: Cache | Files | None,
    items: Items[Any] | None = None,
) -> Run:
    """One call of the only way."""
    own, how = _settled(name, settings, options)
    store = Cache(Path(cache)) if isinstance(cache, str | Path) else cache
    run = score(
        family_of(name), own, items=items, how=how, cache=store, profiles=_profiles(how.config)
    )
    if how.fail_under:
        run.require(how.fail_under)
    return run


def _settled(
    name: str, settings: Settings | None, options: Mapping[str, Any]
) -> tuple[Settings, RunSettings]:
    """A family's settings and a run's, sorted out of the options."""
    kind = family_of(name).Settings
    own, how = split(options, kind, RunSettings, file=_configured(name, kind, options))
    assert isinstance(how, RunSettings)
    if settings is not None:
        changed = {key: value for key, value in options.items() if key in options_of(type(own))}
        own = replace(settings, **{key: getattr(own, key) for key in changed})
    return own, how


def _configured(name: str, kind: type[Settings], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the configuration file, where one is named."""
    if not options.get("config"):
        return {}
    from gistmeter.configuration import options_for

    known = [*options_of(kind), *options_of(RunSettings), *aliases_of(kind)]
    return options_for(Path(options["config"]), name, known)


def _profiles(config: Path | None) -> dict[str, Mapping[str, Any]]:
    from gistmeter.configuration import profiles

    return profiles(config)
