"""Speech from Python: columns of texts, or paths, in; a `Run` out."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.core import api as given
from gistmeter.core.api import ROLES, Column, Files, open_cache, score_shape, settle
from gistmeter.core.cache import Cache
from gistmeter.core.configuration import profiles
from gistmeter.core.errors import InputError
from gistmeter.core.family import Context, Items, family_of
from gistmeter.core.run import Run
from gistmeter.core.score import estimate
from gistmeter.core.types import Clip
from gistmeter.speech.read import read_clip_table
from gistmeter.speech.settings import SpeechSettings

if TYPE_CHECKING:
    from gistmeter.speech.costs import CostEstimate

logger = logging.getLogger(__name__)


def score_speech(
    expected: Column | str | Path | None = None,
    got: Column | Mapping[str, Column] | str | Path | None = None,
    *,
    ids: Column | None = None,
    speakers: Column | str | None = None,
    groups: Column | str | None = None,
    samples: Column | None = None,
    language: Column | str = "auto",
    settings: SpeechSettings | None = None,
    models: Mapping[str, Any] | None = None,
    cache: Cache | Files | None = None,
    **options: Any,
) -> Run:
    """Score transcripts against what was said; rates are percentages.

    `expected` is a column of texts, one text, a whole data frame, or the path of a table or of a
    file of texts; `got` the same of one system, or a mapping from systems to columns. `samples`
    tell several transcripts of one id apart. `options` are those of `gistmeter speech` (metrics,
    normalizer, llm, assets, recognizers, output …); `models` may name or be the `matcher` and the
    `llm`.

    >>> run = score_speech(["hello world"], ["hello word"], language="en", metrics=["wer"])
    >>> run["wer"].value
    50.0
    """
    columns = {"ids": ids, "speakers": speakers, "groups": groups, "samples": samples,
               "language": language}  # fmt: skip
    options, items = _speech(expected, got, columns, models, options, settings=settings)
    return score_shape("speech", settings, options, cache, items)


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
    options, items = _speech(
        expected, got, {"language": language}, models, options, settings=settings
    )
    own, how = settle("speech", settings, options)
    context = Context(open_cache(cache) or Cache(None), profiles(how.config, trust=how.trust))
    cost: CostEstimate = estimate(family_of("speech"), own, context, items)
    return cost


def _speech(
    expected: Any,
    got: Any,
    columns: Mapping[str, Any],
    models: Mapping[str, Any] | None,
    options: Mapping[str, Any],
    *,
    settings: SpeechSettings | None,
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
    table = given.table_in(expected) if got is None else None
    if table is not None:
        own, _ = settle("speech", settings, options)
        assert isinstance(own, SpeechSettings)
        source = read_clip_table(table, own.column, own.systems)
        for remark in source.remarks:
            logger.info(remark)
        return options, Items(source.clips)
    said = given.texts([expected] if isinstance(expected, str) else expected, "expected")
    by_system = got if isinstance(got, Mapping) else {"system": got}
    count = len(said)
    numbers = [str(number) for number in range(1, count + 1)]
    ids = columns.get("ids")
    known = {
        "id": numbers if ids is None else given.repeated(ids, "ids", count),
        "speaker": given.repeated(columns.get("speakers"), "speakers", count),
        "group": given.repeated(columns.get("groups"), "groups", count),
        "sample": given.repeated(columns.get("samples"), "samples", count),
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
    given.refuse_repeated(clips)
    return options, Items(clips)


def _transcripts(column: Any, system: str, count: int) -> list[str | None]:
    if column is None:
        raise InputError("There are no transcripts: give a column of them as got")
    heard = given.texts([column] if isinstance(column, str) else column, "got")
    if len(heard) != count:
        raise InputError(f"'{system}' has {len(heard)} transcripts for {count} texts")
    return heard
