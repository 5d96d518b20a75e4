"""A signature: everything that could change a score, in one line and one short hash.

It is derived, not written: the fields of a metric's dataclass, and of whatever dataclasses or
models stand in them, become `key:value` parts in the order of declaration, so that no setting can
be forgotten. A model stands in it by its `id`, which names weights, revision and settings.

    s_acc|aggregate:max|embedder:e5-small@1571fc98|beta:2.0|gistmeter:0.1.0|#a1b2c3d4
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from gistmeter.core.errors import GistmeterError
from gistmeter.version import __version__

ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
UNSIGNED = "unsigned"  # in the metadata of a field that changes no score
SEAL = "sha256"  # the key under which a document carries its digest


def describe(value: Any) -> Any:
    """A value as JSON can hold it, with nothing lost that could change a score."""
    if isinstance(value, enum.Enum):
        return describe(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    identity = getattr(value, "id", None)
    if isinstance(identity, str):
        return identity
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            part.name: describe(getattr(value, part.name))
            for part in dataclasses.fields(value)
            if not part.metadata.get(UNSIGNED)
        }
    if isinstance(value, Mapping):
        return {str(key): describe(inner) for key, inner in sorted(value.items())}
    if isinstance(value, set | frozenset):
        return sorted(describe(inner) for inner in value)
    if isinstance(value, Sequence):
        return [describe(inner) for inner in value]
    raise GistmeterError(
        f"A setting of type {type(value).__name__} cannot stand in a signature: "
        "give it an `id`, or make it a dataclass"
    )


def canonical(value: Any) -> str:
    """One spelling of a JSON value, for hashing and comparing."""
    return ENCODE(value)


def digest(value: Any) -> str:
    """SHA-256 of the canonical spelling, in hexadecimal."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


def seal(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document with its digest in it, so that damage shows when it is read again."""
    return {**document, SEAL: digest(document)}


def is_whole(document: Mapping[str, Any]) -> bool:
    """Whether a sealed document is as it was sealed."""
    rest = {key: value for key, value in document.items() if key != SEAL}
    try:
        return bool(document.get(SEAL) == digest(rest))
    except RecursionError:  # nested deeper than anything that was ever sealed
        return False


def sign(name: str, metric: Any, **more: Any) -> str:
    """The signature of a metric under a name; `more` holds seed, resamples and versions."""
    settings = describe(metric)
    if not isinstance(settings, dict):
        settings = {"metric": settings}
    parts = {**settings, **{key: describe(value) for key, value in more.items()}}
    parts["gistmeter"] = __version__
    line = "|".join([name, *(f"{key}:{spell(value)}" for key, value in parts.items())])
    return f"{line}|#{digest([name, parts])[:8]}"


def combine(signatures: Mapping[str, str]) -> str:
    """One signature for a run of several metrics."""
    if len(signatures) == 1:
        return next(iter(signatures.values()))
    return " + ".join(signatures.values()) + f" = #{digest(dict(signatures))[:8]}"


def spell(value: Any) -> str:
    """A setting as it reads in the line; by its hash if it is long or has the line's own mark."""
    text = value if isinstance(value, str) else canonical(value)
    return text if len(text) <= 80 and "|" not in text else f"#{digest(value)[:8]}"
