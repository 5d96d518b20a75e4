"""Parses from Python: paths of treebanks in, a `Run` out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gistmeter.core.api import Files, score_shape
from gistmeter.core.cache import Cache
from gistmeter.core.run import Run
from gistmeter.core.settings import options_of
from gistmeter.parse.family import ParseSettings


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
    from gistmeter.parse.read import read_named

    if isinstance(systems, Mapping):
        own = ParseSettings.of(
            {key: value for key, value in options.items() if key in options_of(ParseSettings)}
        )
        named = {str(name): Path(path) for name, path in systems.items()}
        items = read_named(Path(gold), named, settings or own)
        return score_shape("parse", settings, options, cache, items)
    options |= {"gold": gold, "systems": systems}
    return score_shape("parse", settings, options, cache)
