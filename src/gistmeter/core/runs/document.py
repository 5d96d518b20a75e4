"""What a `run.json` must hold, checked before anything is made of it.

A shape is a type, a tuple of shapes (any of them), a list of one shape (a JSON array), a dict of
shapes by key (an object with these keys; an optional one ends in "?"), or `Each(shape)`: an object
with any keys. A digest vouches for what was written, not for who wrote it: so what is read is
looked at all the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gistmeter.core.errors import FormatError
from gistmeter.core.runs.layout import REMEDY, RUN

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


COUNT, NUMBER = Count, (float, type(None))
NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false",
         Count: "a whole number from 0 on", dict: "an object", list: "an array",
         type(None): "null"}  # fmt: skip
SCORE = {
    "value": NUMBER, "low": NUMBER, "high": NUMBER, "n": COUNT, "unscored": COUNT,
    "higher_is_better": bool, "partial?": [str], "unit?": str, "reasons?": Each(COUNT),
}  # fmt: skip
SYSTEM = {"scores": Each(SCORE), "groups": Each(Each({"value": NUMBER}))}
SHAPE = {
    "gistmeter": str, "command": str, "signature": str, "run": (str, type(None)),
    "systems": Each(SYSTEM), "unscored": Each(COUNT), "settings": Each(Free),
    "plan": {"command": str, "inputs": Each(str), "items": COUNT, "settings": Each(Free),
             "signature": str},
    "signatures": Each(str), "timings": Each(NUMBER), "versions": Each(str), "notes": Each(Free),
    "metrics": Each({"settings": Free}), "confidence": float, "resamples": COUNT, "seed": int,
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
        return depth > 0 and all(_is_plain(one, depth - 1) for one in inner)
    return value is None or isinstance(value, str | bool) or _is(value, float)


def _named(value: Any) -> str:
    if isinstance(value, float | int) and not isinstance(value, bool):
        return "a number" if _is(value, float) else "a number out of range"
    return NAMES[type(value)]
