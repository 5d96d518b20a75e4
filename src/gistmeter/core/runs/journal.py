"""The plan of a run, and its journal: one line per chunk of rows, each whole or not counted.

A line holds its chunk's table, or names the shard that a worker wrote of it (see `shards`); a line
of claims names files that are about to be written. Every line carries a digest; that of a chunk
covers the plan too, so that no line of another run counts. A line that does not fit (cut off by a
kill, damaged on the disk, there twice) is left out, and its items are measured again.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import ResumeError
from gistmeter.core.family import DETAILS
from gistmeter.core.files import parse_json
from gistmeter.core.folders import Folder
from gistmeter.core.rows import Rows
from gistmeter.core.runs.layout import JOURNAL
from gistmeter.core.runs.manifest import CLAIMS, is_of_layout, owned
from gistmeter.core.runs.shards import Shard, to_parquet
from gistmeter.core.signature import SEAL, canonical, describe, digest, is_whole, seal


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is about to do; a resumed run must have the same."""

    command: str
    settings: Mapping[str, Any]
    signature: str
    inputs: Mapping[str, str]  # name -> SHA-256
    items: int

    def to_dict(self) -> dict[str, Any]:
        plain = {
            "command": self.command,
            "settings": describe(self.settings),
            "signature": self.signature,
            "inputs": dict(self.inputs),
            "items": self.items,
        }
        spelled: dict[str, Any] = json.loads(canonical(plain))
        return spelled

    def differences(self, other: Any) -> list[str]:
        """Where another plan differs, each as "name: then -> now"."""
        return [
            f"{name}: {_short(then)} -> {_short(now)}"
            for name, (then, now) in _differing(other, self.to_dict()).items()
        ]


def _differing(then: Any, now: Any, name: str = "") -> dict[str, tuple[Any, Any]]:
    if isinstance(then, dict) and isinstance(now, dict):
        differences: dict[str, tuple[Any, Any]] = {}
        for key in sorted({*then, *now}):
            differences |= _differing(then.get(key), now.get(key), f"{name}.{key}" if name else key)
        return differences
    return {} if then == now else {name: (then, now)}


def _short(value: Any) -> str:
    text = canonical(value)
    return text if len(text) <= 120 else text[:117] + "..."


def refuse_other_plan(path: Path, plan: Plan, stored: Any) -> None:
    differences = plan.differences(stored)
    if differences:
        listed = "\n  ".join(differences)
        raise ResumeError(
            f"{path}: was made with other arguments or input and cannot be resumed:\n  {listed}\n"
            "Use the same arguments, or another folder"
        )


MOST = 10**10  # items of a plan; more are nonsense


@dataclass(slots=True)
class Journal:
    """The plan and the chunks so far, in memory and on disk."""

    path: Path
    plan: Mapping[str, Any]
    chunks: list[Rows | Shard] = field(default_factory=list)
    details: dict[str, str] = field(default_factory=dict)  # file name -> SHA-256
    claims: set[str] = field(default_factory=set)  # files that the run wrote, or is about to
    rejected: int = 0  # whole lines that did not fit

    @property
    def folder(self) -> Folder:
        return Folder(self.path.parent)

    def start(self) -> None:
        """Write the plan, and the claims that there are."""
        claims = self._claims(self.claims) if self.claims else ""
        self.folder.write(JOURNAL, self._line({"plan": dict(self.plan)}) + claims)

    def claim(self, names: Collection[str]) -> None:
        """Name files before they are written, on disk when this returns."""
        new = set(names) - self.claims
        if new:
            self.folder.append(JOURNAL, self._claims(new).encode())
            self.claims |= new

    def _claims(self, names: Collection[str]) -> str:
        return self._line({"of": digest(self.plan), CLAIMS: sorted(names)})

    def add(self, chunk: Rows | Shard, details: Mapping[str, str]) -> None:
        """Add a chunk, on disk when this returns."""
        if isinstance(chunk, Shard):
            content = chunk.to_dict()
        else:
            content = {"rows": base64.b64encode(to_parquet(chunk)).decode("ascii")}
        line = {"of": digest(self.plan), **content, DETAILS: dict(details)}
        self.folder.append(JOURNAL, self._line(line).encode())
        self.chunks.append(chunk)
        self.details.update(details)

    def missing(self) -> list[range]:
        """The stretches of items that no row stands for yet, in input order."""
        left = np.ones(int(self.plan["items"]), np.bool_)
        for chunk in self.chunks:
            left[_items(chunk)] = False
        edges = np.flatnonzero(np.diff(left, prepend=False, append=False)).tolist()
        return [range(first, stop) for first, stop in zip(edges[::2], edges[1::2], strict=True)]

    def rows(self) -> Iterator[Rows]:
        """The rows of every chunk, shards read when their turn comes."""
        for chunk in self.chunks:
            yield chunk.read(self.path.parent) if isinstance(chunk, Shard) else chunk

    def _line(self, document: Mapping[str, Any]) -> str:
        return canonical(seal(document)) + "\n"

    @classmethod
    def read(cls, folder: Path) -> Journal:
        """What fits of the journal in a run's folder; the file is left with that alone."""
        path, here = folder / JOURNAL, Folder(folder)
        lines = here.read(JOURNAL).split(b"\n")
        cut_off = lines.pop()
        head = _document(lines[0]) if lines else {}
        plan = head.get("plan")
        items = plan.get("items") if isinstance(plan, dict) else None
        if not isinstance(plan, dict) or not isinstance(items, int) or not 0 < items <= MOST:
            raise ResumeError(f"{path}: is damaged: it has no plan. Start again with --overwrite")
        journal, kept = cls(path, plan, claims=owned(folder)), [lines[0]]
        documents = [_document(line) for line in lines[1:]]
        newest = {name: sha for one in documents for name, sha in one.get(DETAILS, {}).items()}
        spoilt = {name for name, sha in newest.items() if not _is(here, name, sha)}
        left = np.ones(items, np.bool_)
        for line, document in zip(lines[1:], documents, strict=True):
            claims = CLAIMS in document and document.get("of") == digest(plan)
            if claims or journal._take(document, left, spoilt):
                kept.append(line)
        journal.rejected = len(lines) - len(kept)
        if cut_off or journal.rejected:
            here.write(JOURNAL, b"\n".join([*kept, b""]))
        return journal

    def _take(self, line: Mapping[str, Any], left: npt.NDArray[np.bool_], spoilt: set[str]) -> bool:
        """Count a chunk of this plan whose items are wanted and whose details are whole."""
        import polars

        if line.get("of") != digest(self.plan) or not spoilt.isdisjoint(line[DETAILS]):
            return False
        try:
            chunk = (
                Shard.of(line)
                if "shard" in line
                else Rows.from_polars(
                    polars.read_parquet(base64.b64decode(line["rows"], validate=True))
                )
            )
        except (ValueError, TypeError, KeyError, polars.exceptions.PolarsError):
            return False
        if isinstance(chunk, Shard) and not chunk.is_whole(self.path.parent):
            return False
        items = _items(chunk)
        if not _fits(items, len(left)) or not left[items].all():
            return False
        left[items] = False
        self.chunks.append(chunk)
        self.details.update(line[DETAILS])
        return True


def _is(folder: Folder, name: str, sha: Any) -> bool:
    file = f"{DETAILS}/{name}"
    return is_of_layout(file) and folder.has(file) and folder.sha256(file) == sha


def _document(line: bytes) -> dict[str, Any]:
    """A line's document; nothing where it is not what was written."""
    try:
        document = parse_json(line)
        whole = isinstance(document, dict) and SEAL in document and is_whole(document)
    except ValueError:
        return {}
    return document if whole and isinstance(document.get(DETAILS, {}), dict) else {}


def _items(chunk: Rows | Shard) -> slice | npt.NDArray[np.int64]:
    return slice(chunk.first, chunk.last + 1) if isinstance(chunk, Shard) else chunk.item


def _fits(items: slice | npt.NDArray[np.int64], size: int) -> bool:
    if isinstance(items, slice):
        return bool(0 <= items.start < items.stop <= size)
    return bool(((items >= 0) & (items < size)).all())
