"""Scoring from Python: a shape by its name, the options of its command by theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gistmeter.core.cache import Cache
from gistmeter.core.configuration import options_for, profiles
from gistmeter.core.family import Items, family_of
from gistmeter.core.options import RunSettings
from gistmeter.core.run import Run
from gistmeter.core.score import score as score_family
from gistmeter.core.settings import Settings, options_of, split
from gistmeter.core.wiring import settings_of

Files = str | Path
ROLES = {"matcher": "token_encoder"}  # a role's name where its option has another


def score(
    shape: str,
    items: Items[Any] | None = None,
    *,
    settings: Settings | None = None,
    cache: Cache | Files | None = None,
    **options: Any,
) -> Run:
    """Score a shape of data, one of an installed package included, by the options of its command.

    `items` are given where they do not come from the files that the options name.

    >>> score("text", predictions="answers.csv", metrics=["s_info"])  # doctest: +SKIP
    """
    return score_shape(shape, settings, options, cache, items)


def score_shape(
    shape: str,
    settings: Settings | None,
    options: Mapping[str, Any],
    cache: Cache | Files | None,
    items: Items[Any] | None = None,
) -> Run:
    """The run of a shape; an error where a score is below its threshold."""
    own, how = settle(shape, settings, options)
    run = score_family(
        family_of(shape), own, items=items, how=how, cache=open_cache(cache),
        profiles=profiles(how.config, trust=how.trust),
    )  # fmt: skip
    if how.fail_under:
        run.require(how.fail_under)
    return run


def open_cache(cache: Cache | Files | None) -> Cache | None:
    """The cache of a file, or the one given."""
    return Cache(Path(cache)) if isinstance(cache, str | Path) else cache


def settle(
    shape: str, settings: Settings | None, options: Mapping[str, Any]
) -> tuple[Settings, RunSettings]:
    """A family's settings and a run's, sorted out of the options."""
    own_names = [name for name in options if name not in options_of(RunSettings)]
    kind = settings_of(family_of(shape), own_names)
    file: dict[str, Any] = {}
    if options.get("config"):
        path, trust = Path(options["config"]), bool(options.get("trust"))
        file = options_for(path, shape, (kind, RunSettings), trust=trust)
    own, how = split(options, kind, RunSettings, file=file)
    assert isinstance(how, RunSettings)
    if settings is not None:
        changed = {key: getattr(own, key) for key in options if key in options_of(type(own))}
        own = replace(settings, **changed)
    return own, how
