"""`labels.jsonl` and `decisions.jsonl`: lines are added, and never changed or removed.

A line is on the disk when `append` returns. Several processes may write: each holds the file's
lock for one write. A line that a killed process left unfinished stays as it is, and the next one
begins on a line of its own. Lines that cannot be read are told with file and line, and stay too.
A link of either name is refused.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.core.files import parse_json, printable, settle, unwritable
from gistmeter.core.folders import TAKEN, Folder, lock, open_at
from gistmeter.core.runs.manifest import PEOPLE
from gistmeter.people.records import (
    TYPES,
    DecisionRecord,
    LabelRecord,
    Record,
    Retraction,
    standing,
)

LABELS, DECISIONS = PEOPLE
LEVELS = 3  # folders in which a run's labels are looked for: its own, and two above
LONGEST_LINE = 100_000  # bytes
PATIENCE = 30.0  # seconds for others to let the file go


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A line that could not be read, and why."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class LedgerContent:
    """What the files of some folders say."""

    labels: Sequence[LabelRecord]  # those that stand
    decisions: Sequence[DecisionRecord]  # those that stand
    retracted: int
    damaged: Sequence[DamagedLine]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The labels and decisions of one folder."""

    folder: Path

    def append(self, *records: Record) -> None:
        """Add records; they are on the disk when this returns, or it raises."""
        for name in PEOPLE:
            lines = [record for record in records if _file_of(record) == name]
            if lines:
                self._add(name, b"".join(map(_spelled, lines)))

    def read(self) -> LedgerContent:
        """All that stands in the folder."""
        return read_ledgers([self.folder])

    def _add(self, name: str, lines: bytes) -> None:
        try:
            with Folder(self.folder).at(name) as place:
                place.refuse_others()
                handle = open_at(place, os.O_RDWR | os.O_CREAT | os.O_APPEND)
                with os.fdopen(handle, "r+b", buffering=0) as stream:
                    _wait_for(handle, self.folder / name)
                    size = stream.seek(0, os.SEEK_END)
                    if size and _last(stream, size) != b"\n":
                        lines = b"\n" + lines
                    _write(handle, lines)
                    os.fsync(handle)
                if not size:
                    settle(self.folder)
        except OSError as error:
            raise unwritable(self.folder / name, error) from error

    def _read(self, name: str) -> tuple[list[Record], list[DamagedLine]]:
        folder = Folder(self.folder)
        path = self.folder / name
        try:
            with folder.at(name) as place:
                if not place.refuse_others():
                    return [], []
        except FileNotFoundError:
            return [], []
        records: list[Record] = []
        damaged: list[DamagedLine] = []
        for number, line in enumerate(folder.read(name).split(b"\n"), start=1):
            if not line.strip():
                continue
            try:
                records.append(_parsed(line))
            except ValueError as error:
                damaged.append(DamagedLine(path, number, str(error)))
        return records, damaged


@dataclass
class LabelFollower:
    """The labels that stand in a folder, kept up as lines are added: each line is read once."""

    folder: Path
    standing: dict[tuple[str, ...], LabelRecord] = field(default_factory=dict)  # by subject
    ids: set[str] = field(default_factory=set)
    _seen: tuple[int, int, bytes] = (0, 0, b"")  # file, length and end of what was read

    def update(self) -> None:
        """Read what is new; all of it where the file is another, or a label was taken back."""
        with Folder(self.folder).at(LABELS) as place:
            if not place.refuse_others():
                return
            with os.fdopen(open_at(place, os.O_RDONLY), "rb") as stream:
                file, (known, length, end) = os.fstat(stream.fileno()).st_ino, self._seen
                stream.seek(max(0, length - len(end)))
                if known != file or stream.read(len(end)) != end:
                    stream.seek(length := 0)
                    self.standing, self.ids = {}, set()
                lines = stream.read()
        lines = lines[: lines.rfind(b"\n") + 1]
        self._seen = file, length + len(lines), (end + lines)[-64:]
        for line in lines.split(b"\n"):
            with contextlib.suppress(ValueError):
                record = _parsed(line)
                if isinstance(record, Retraction):
                    self._anew()
                    return
                if isinstance(record, LabelRecord) and record.id not in self.ids:
                    self.ids.add(record.id)
                    self.standing.pop(record.subject, None)
                    self.standing[record.subject] = record

    def _anew(self) -> None:
        labels = Ledger(self.folder).read().labels
        self.standing = {label.subject: label for label in labels}
        self.ids |= {label.id for label in labels}


def read_ledgers(folders: Sequence[Path]) -> LedgerContent:
    """What stands in the files of several folders, those of the first last, so that they count."""
    records: list[Record] = []
    damaged: list[DamagedLine] = []
    for folder in reversed(folders):
        for name in PEOPLE:
            found, broken = Ledger(folder)._read(name)
            records += found
            damaged += broken
    retractions = [record for record in records if isinstance(record, Retraction)]
    labels = [record for record in records if isinstance(record, LabelRecord)]
    decisions = [record for record in records if isinstance(record, DecisionRecord)]
    return LedgerContent(
        standing(labels, retractions), standing(decisions, retractions), len(retractions), damaged
    )


def ledger_folders(run: Path, top: Path | None = None) -> list[Path]:
    """The folders whose labels a run sees: its own and those above it, the nearest first.

    None above `top` is looked into, where one is given.
    """
    place = run.absolute()
    seen = [folder for folder in (place, *place.parents)[:LEVELS]
            if top is None or folder.is_relative_to(top)]  # fmt: skip
    return [folder for folder in seen if any(map(Folder(folder).has, PEOPLE))]


def ledger_of(run: Path, top: Path | None = None) -> Ledger:
    """Where labels of a run are kept: the nearest folder that has some, else beside `runs`."""
    for folder in ledger_folders(run, top):
        return Ledger(folder)
    parent = run.absolute().parent
    place = parent.parent if parent.name == "runs" else parent
    return Ledger(place if top is None or place.is_relative_to(top) else top)


def carry(source: Path, target: Path, items: set[str]) -> int:
    """Copy what was said of some items to where another run's labels are; how many lines."""
    new = ledger_of(target)
    old = [folder for folder in ledger_folders(source) if folder != new.folder]
    known = new.read()
    have = {record.id for record in _both(known)}
    said = [
        record
        for record in _both(read_ledgers(old))
        if record.item in items and record.id not in have
    ]
    if said:
        new.append(*said)
    return len(said)


def _both(content: LedgerContent) -> list[LabelRecord | DecisionRecord]:
    return [*content.labels, *content.decisions]


def _file_of(record: Record) -> str:
    if isinstance(record, Retraction):
        return LABELS if record.what == "label" else DECISIONS
    return LABELS if isinstance(record, LabelRecord) else DECISIONS


def _spelled(record: Record) -> bytes:
    """A line; U+2028 and its like are escaped, so that no reader cuts it there."""
    line = printable(json.dumps(record.to_dict(), ensure_ascii=False, allow_nan=False))
    line = "".join(c if c not in "\u0085\u2028\u2029" else f"\\u{ord(c):04x}" for c in line)
    content = line.encode() + b"\n"
    if len(content) > LONGEST_LINE:
        raise InputError(f"A record has {len(content):,} bytes, at most {LONGEST_LINE:,} are kept")
    return content


def _parsed(line: bytes) -> Record:
    if len(line) > LONGEST_LINE:
        raise ValueError(f"has {len(line):,} bytes, at most {LONGEST_LINE:,} are read")
    try:
        document = parse_json(line)
    except ValueError as error:
        raise ValueError(f"is not JSON ({error})") from error
    kind = document.get("type") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in TYPES:
        raise ValueError(f"is of no known type ({', '.join(TYPES)}); it stays as it is")
    return TYPES[kind].of(document)


def _wait_for(handle: int, path: Path) -> None:
    """Lock the file, waiting for others; a file system without locks has one writer."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return lock(handle)
        except OSError as error:
            if error.errno not in TAKEN:
                return None
            if time.monotonic() > end:
                raise GistmeterError(
                    f"{path}: another process has held it for {PATIENCE:g} seconds. Nothing was "
                    "written; end that process and try again"
                ) from None
            time.sleep(0.002)


def _last(stream: io.FileIO, size: int) -> bytes:
    stream.seek(size - 1)
    return stream.read(1)


def _write(handle: int, content: bytes) -> None:
    """All of it, or none: what a full disk cut off is taken away again."""
    before = os.fstat(handle).st_size
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(handle, left) :]
    except OSError as error:
        with contextlib.suppress(OSError):
            os.ftruncate(handle, before)
        raise error if error.errno else OSError(errno.EIO, str(error)) from error
