"""Texts from Python: columns of candidates and references in, a `Run` out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gistmeter.core import api as given
from gistmeter.core.api import ROLES, Column, Files, score_shape
from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError
from gistmeter.core.family import Items
from gistmeter.core.run import Run
from gistmeter.core.types import Pair
from gistmeter.text.settings import TextSettings


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
        return score_shape("text", settings, options, cache)
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
    return score_shape("text", settings, options, cache, Items(mark_originals(pairs)))


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
    from gistmeter.text.formats.references import answer_in, clean

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
    from gistmeter.text.formats.predictions import marked
    from gistmeter.text.metrics.consistency import is_original

    return marked(pairs, {pair.system for pair in pairs if is_original(pair.arrangement)})
