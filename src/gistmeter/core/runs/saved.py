"""What a `run.json` must hold, checked before anything is made of it.

A shape is a type, a tuple of shapes (any of them), a list of one shape (a JSON array), a dict of
shapes by key (an object with these keys; an optional one ends in "?"), or `Each(shape)`: an object
with any keys. A digest vouches for what was written, not for who wrote it: so what is read is
looked at all the same.
"""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.core import registry
from gistmeter.core.errors import FormatError, InputError, UnknownName
from gistmeter.core.family import family_of
from gistmeter.core.run import Run
from gistmeter.core.runs.layout import (
    ITEMS,
    JOURNAL,
    NONSENSE,
    REMEDY,
    RUN,
    read_document,
    read_items,
)
from gistmeter.core.signature import UNSIGNED
from gistmeter.core.types import Metric, Score, SystemScores

if TYPE_CHECKING:
    from gistmeter.core.rows import Rows

LARGEST = 2**64  # of whole numbers
DEEPEST = 40  # levels of what is free in form


@dataclass(frozen=True, slots=True)
class Each:
    """An object whose values all have one shape."""

    shape: Any


class Free:
    """Anything that JSON can hold, of a depth that has an end."""


class Count:
    """A whole number from 0 on."""


NUMBER = (float, type(None))
NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false",
         Count: "a whole number from 0 on", dict: "an object", list: "an array",
         type(None): "null"}  # fmt: skip
SCORE = {
    "value": NUMBER, "low": NUMBER, "high": NUMBER, "n": Count, "unscored": Count,
    "higher_is_better": bool, "partial?": [str], "unit?": str, "reasons?": Each(Count),
}  # fmt: skip
SYSTEM = {"scores": Each(SCORE), "groups": Each(Each({"value": NUMBER}))}
SHAPE = {
    "gistmeter": str, "command": str, "signature": str, "run": (str, type(None)),
    "systems": Each(SYSTEM), "unscored": Each(Count), "settings": Each(Free),
    "plan": {"command": str, "inputs": Each(str), "items": Count, "settings": Each(Free),
             "signature": str},
    "signatures": Each(str), "timings": Each(NUMBER), "versions": Each(str), "notes": Each(Free),
    "metrics": Each({"settings": Free}), "confidence": float, "resamples": Count, "seed": int,
    "files": Each(str), "written?": [str], "sha256": str,
}  # fmt: skip


def check(document: Mapping[str, Any], folder: Path) -> None:
    """Raise where a document is not one of a run, saying where and what was expected."""
    wrong = _wrong(document, SHAPE, "")
    if not wrong and not 0 < document["confidence"] < 1:
        wrong = "confidence: is not between 0 and 1"
    if not wrong and not document["systems"]:
        wrong = "systems: is empty"
    if not wrong and set(document["metrics"]) != set(document["signatures"]):
        wrong = "metrics and signatures: are of different metrics"
    if wrong:
        raise FormatError(f"is not a run of gistmeter: {wrong}. {REMEDY}", path=folder / RUN)


def _wrong(value: Any, shape: Any, place: str) -> str:
    """What does not fit, with its place; "" where all does."""
    if isinstance(shape, tuple):
        found = [_wrong(value, one, place) for one in shape]
        return "" if "" in found else found[0]
    if shape is Free:
        return "" if _is_plain(value, DEEPEST) else f"{place}: is nested too deeply, or too large"
    if isinstance(shape, Each | dict):
        return _wrong_object(value, shape, place)
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{place}: is {_named(value)}, expected an array"
        each = (_wrong(one, shape[0], f"{place}[{at}]") for at, one in enumerate(value))
        return next(filter(None, each), "")
    return "" if _is(value, shape) else f"{place}: is {_named(value)}, expected {NAMES[shape]}"


def _wrong_object(value: Any, shape: Each | Mapping[str, Any], place: str) -> str:
    if not isinstance(value, dict):
        return f"{place or 'it'}: is {_named(value)}, expected an object"
    inside = f"{place}." if place else ""
    if isinstance(shape, Each):
        shapes = dict.fromkeys(value, shape.shape)
    else:
        shapes = {name.removesuffix("?"): one for name, one in shape.items()}
        needed = [name for name in shape if not name.endswith("?")]
        if lacking := [name for name in needed if name not in value]:
            return f"{inside}{lacking[0]}: is missing"
        if unknown := [name for name in value if name not in shapes]:
            return f"{inside}{unknown[0][:80]}: is unknown"
    found = (_wrong(one, shapes[name], f"{inside}{name[:80]}") for name, one in value.items())
    return next(filter(None, found), "")


def _is(value: Any, kind: type) -> bool:
    if kind is float:
        whole = isinstance(value, int) and not isinstance(value, bool)
        return (whole and abs(value) <= LARGEST) or (
            isinstance(value, float) and math.isfinite(value)
        )
    if kind in (int, Count):
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole and (0 if kind is Count else -LARGEST) <= value <= LARGEST
    return isinstance(value, kind)


def _is_plain(value: Any, depth: int) -> bool:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return depth > 0 and all(_is_plain(part, depth - 1) for part in inner)
    return value is None or isinstance(value, str | bool) or _is(value, float)


def _named(value: Any) -> str:
    if isinstance(value, float | int) and not isinstance(value, bool):
        return "a number" if _is(value, float) else "a number out of range"
    return NAMES[type(value)]


logger = logging.getLogger(__name__)


def load_run(path: str | Path) -> Run:
    """A finished run from its folder, with the metrics that pool its rows; models stay away.

    A metric is found by its registered name and has its plain settings back, which is all that
    `pool` may use; models are not loaded.
    """
    path = Path(path)
    path = path.parent if path.name == RUN else path
    if (path / JOURNAL).exists():
        raise InputError(f"{path}: the run was not finished: resume it first")
    if not (path / RUN).exists():
        raise InputError(f"{path}: holds no run ({RUN} is missing)")
    document = read_document(path)
    check(document, path)
    rows = read_items(path)
    _refuse_other_rows(rows, document, path)
    metrics = _metrics(document["metrics"], document["command"], path)
    _refuse_unpoolable(rows, metrics, path)
    return Run(
        command=document["command"],
        signature=document["signature"],
        systems={
            system: _read_scores(scored, document["signatures"])
            for system, scored in document["systems"].items()
        },
        unscored=document["unscored"],
        settings=document["settings"],
        timings=document["timings"],
        versions=document["versions"],
        signatures=document["signatures"],
        notes=document["notes"],
        path=path,
        rows=rows,
        metrics=metrics,
        inputs=document["plan"]["inputs"],
        headline=_headline(document, path),
        seed=document["seed"],
        resamples=document["resamples"],
        confidence=document["confidence"],
    )


def _headline(document: Mapping[str, Any], path: Path) -> Sequence[str]:
    try:
        return family_of(document["command"]).leads(document["settings"])
    except InputError as error:
        raise InputError(f"{path / RUN}: {error}") from error


def _refuse_other_rows(rows: Rows, document: Mapping[str, Any], path: Path) -> None:
    """The rows must be of the run's systems and items."""
    strange = set(rows.keys["system"]) ^ set(document["systems"])
    if strange:
        raise FormatError(
            f"has other systems than {RUN} ({', '.join(sorted(strange)[:3])}). {REMEDY}",
            path=path / ITEMS,
        )
    if len(rows) and not 0 <= rows.item.min() <= rows.item.max() < document["plan"]["items"]:
        raise FormatError(f"has items that are not in the plan of {RUN}. {REMEDY}",
                          path=path / ITEMS)  # fmt: skip


def _refuse_unpoolable(rows: Rows, metrics: Mapping[str, Metric], path: Path) -> None:
    """Every metric must be able to make its scores of the rows again."""
    for name, metric in metrics.items():
        try:
            metric.pool(rows)
        except NONSENSE as error:
            raise FormatError(
                f"has settings of the metric '{name}' by which {ITEMS} cannot be pooled "
                f"({error!r}). {REMEDY}",
                path=path / RUN,
            ) from error


def _metrics(entries: Mapping[str, Any], shape: str, path: Path) -> dict[str, Metric]:
    """The run's metrics; none where one of them is not installed here: its scores still show."""
    try:
        return {name: revive(name, entry["settings"], shape) for name, entry in entries.items()}
    except NONSENSE as error:
        raise FormatError(f"has metrics with other settings ({error!r}). {REMEDY}",
                          path=path / RUN) from error  # fmt: skip
    except InputError as error:
        logger.warning("%s", error)
        return {}


def revive(name: str, settings: Mapping[str, Any], shape: str = "") -> Metric:
    """A metric as its run had it, but for its models."""
    try:
        target = registry.find_metric(name, shape)
    except UnknownName as error:
        raise InputError(
            f"The run was scored with a metric that is not installed. {error}"
        ) from error
    if set(settings) == {"by_language"}:  # pooling uses what all languages share
        settings = next(iter(settings["by_language"].values()))
    metric: Metric = object.__new__(target)
    for field in dataclasses.fields(target):
        unsigned = field.metadata.get(UNSIGNED)  # it changes no score, and is not kept
        value = field.default if unsigned else _frozen(settings[field.name])
        object.__setattr__(metric, field.name, value)
    return metric


def _frozen(value: Any) -> Any:
    return tuple(_frozen(inner) for inner in value) if isinstance(value, list) else value


def _read_scores(held: Mapping[str, Any], signatures: Mapping[str, str]) -> SystemScores:
    def number(value: float | None) -> float:
        return math.nan if value is None else float(value)

    only = next(iter(signatures.values())) if len(signatures) == 1 else ""
    return SystemScores(
        {
            name: Score(
                name=name,
                value=number(score["value"]),
                low=number(score["low"]),
                high=number(score["high"]),
                n=score["n"],
                unscored=score["unscored"],
                higher_is_better=score["higher_is_better"],
                unit=score.get("unit", ""),
                partial=tuple(score.get("partial", ())),
                signature=only,
                reasons=score.get("reasons", {}),
            )
            for name, score in held["scores"].items()
        },
        {
            group: {name: number(cell["value"]) for name, cell in values.items()}
            for group, values in held["groups"].items()
        },
    )
