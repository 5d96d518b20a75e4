"""What the workbench remembers: one SQLite file in WAL mode, written by one server alone.

Every change is on disk before it is answered (`synchronous=FULL`). A second server on the same
folder is refused, for two queues would run the same jobs. The file is among the user's own, and not
in the folder: a folder that came from somebody else must not bring a queue or a session along.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gistmeter.core.errors import FormatError, GistmeterError, InputError
from gistmeter.core.files import unwritable
from gistmeter.core.folders import TAKEN, lock
from gistmeter.core.trust import trust_file

FILE, LOCK = "state.sqlite", "lock"
SCHEMA = """
create table if not exists sessions (
  key text primary key, role text not null, who text not null, began real not null);
create table if not exists drops (
  id text primary key, shape text not null, files text not null, choices text not null,
  began real not null);
create table if not exists jobs (
  id integer primary key autoincrement, shape text not null, options text not null,
  run text not null, state text not null, stage text not null default '',
  done integer not null default 0, total integer not null default 0, items integer not null,
  began real, moved real, ended real, stage_began real, stage_first integer not null default 0,
  message text not null default '', remarks text not null default '[]', queued real not null);
create table if not exists rounds (
  id integer primary key autoincrement, run text not null, sheet text not null,
  question text not null);
"""
WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
LASTS = 12 * 3600  # seconds: a session of yesterday has ended


def state_place(folder: Path) -> Path:
    """Where the state of an opened folder is kept."""
    name = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogatepass")).hexdigest()
    return trust_file().parent / "workbench" / name[:24]


@dataclass(frozen=True, slots=True)
class Job:
    """A run that was asked for, from the queue to its end."""

    id: int
    shape: str
    options: Mapping[str, Any]
    run: str  # its folder below the opened one
    state: str
    stage: str
    done: int
    total: int
    items: int  # that were read when it was asked for
    began: float | None
    moved: float | None  # when it last reported
    ended: float | None
    stage_began: float | None
    stage_first: int  # how much was done when the stage began
    message: str
    remarks: Sequence[str]
    queued: float

    @property
    def rate(self) -> float | None:
        """Items a second in this stage; None before that is known."""
        seconds = (self.moved or 0) - (self.stage_began or 0)
        return (self.done - self.stage_first) / seconds if seconds > 0.5 else None

    @property
    def left(self) -> float | None:
        """Seconds to the end of the stage."""
        return (self.total - self.done) / self.rate if self.rate and self.total else None


@dataclass(frozen=True, slots=True)
class Drop:
    """Files that belong together, and what was said of them."""

    id: str
    shape: str
    files: Sequence[str]  # below the opened folder
    choices: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Round:
    """A sample of a run that people are asked about."""

    id: int
    run: str  # its folder below the opened one
    sheet: str  # the token of what is asked
    question: str  # in the asker's own words; empty: the usual one


@dataclass(frozen=True, slots=True)
class Visit:
    """Somebody's browser."""

    role: str  # owner, or rater
    who: str


@dataclass
class State:
    """The server's memory; a lock makes one writer of all its threads."""

    folder: Path
    _handle: int = -1
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _sessions: dict[str, Visit] = field(default_factory=dict)

    def __post_init__(self) -> None:
        place = state_place(self.folder)
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._handle = os.open(place / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise unwritable(place, error) from error
        try:
            lock(self._handle)
        except OSError as error:
            os.close(self._handle)
            if error.errno not in TAKEN:
                raise
            raise InputError(
                f"{self.folder}: another workbench is open on this folder. Use its page, or end it"
                " first"
            ) from error
        self._base = self._open(place / FILE)

    def _open(self, file: Path) -> sqlite3.Connection:
        try:
            base = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
            base.row_factory = sqlite3.Row
            base.execute("pragma journal_mode=wal")
            base.execute("pragma synchronous=full")
            base.executescript(SCHEMA)
        except sqlite3.DatabaseError as error:
            raise FormatError(
                f"is damaged ({error}). Move it away: runs, labels and decisions are kept"
                " elsewhere, and only the queue is lost",
                path=file,
            ) from error
        file.chmod(0o600)
        return base

    def close(self) -> None:
        with self._lock:
            self._base.close()
            if self._handle >= 0:
                os.close(self._handle)
                self._handle = -1

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._base.execute("begin immediate")
                yield self._base
                self._base.execute("commit")
            except BaseException as error:
                with contextlib.suppress(sqlite3.Error):
                    self._base.execute("rollback")
                if isinstance(error, sqlite3.OperationalError):  # a full disk, a read-only one
                    raise GistmeterError(
                        f"{state_place(self.folder) / FILE}: cannot be written ({error}). Nothing"
                        " was changed; make room on the disk and try again"
                    ) from error
                raise

    def _rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with self._lock:
            return self._base.execute(query, values).fetchall()

    # Sessions: the browser holds a random key, the file its hash alone.

    def keep_session(self, key: str, session: Visit) -> None:
        with self._writing() as base:
            base.execute("delete from sessions where began < ?", (time.time() - LASTS,))
            base.execute(
                "insert or replace into sessions values (?, ?, ?, ?)",
                (key, session.role, session.who, time.time()),
            )
        self._sessions.clear()

    def session(self, key: str) -> Visit | None:
        if key not in self._sessions:
            found = self._rows("select * from sessions where key = ?", key)
            if not found or found[0]["began"] < time.time() - LASTS:
                return None
            self._sessions[key] = Visit(found[0]["role"], found[0]["who"])
        return self._sessions[key]

    # Drops

    def keep_drop(self, drop: Drop) -> None:
        with self._writing() as base:
            base.execute(
                "insert or replace into drops values (?, ?, ?, ?, ?)",
                (drop.id, drop.shape, json.dumps(list(drop.files)), json.dumps(dict(drop.choices)),
                 time.time()),
            )  # fmt: skip

    def drop(self, name: str) -> Drop | None:
        found = self._rows("select * from drops where id = ?", name)
        if not found:
            return None
        row = found[0]
        return Drop(row["id"], row["shape"], json.loads(row["files"]), json.loads(row["choices"]))

    # Jobs

    def add_job(self, shape: str, options: Mapping[str, Any], run: str, items: int) -> int:
        with self._writing() as base:
            added = base.execute(
                "insert into jobs (shape, options, run, state, items, queued) values"
                " (?, ?, ?, ?, ?, ?)",
                (shape, json.dumps(dict(options)), run, WAITING, items, time.time()),
            )
        return int(added.lastrowid or 0)

    def jobs(self, *states: str) -> list[Job]:
        """Jobs in the order of the queue, of some states or all."""
        marks = ",".join("?" * len(states))
        where = f"where state in ({marks})" if states else ""
        return list(map(_job, self._rows(f"select * from jobs {where} order by id", *states)))  # noqa: S608

    def job(self, number: int) -> Job | None:
        found = self._rows("select * from jobs where id = ?", number)
        return _job(found[0]) if found else None

    def job_of(self, run: str) -> Job | None:
        found = self._rows("select * from jobs where run = ? order by id desc limit 1", run)
        return _job(found[0]) if found else None

    def change_job(self, number: int, **values: Any) -> None:
        """Set columns of a job; their names are ours and never come from outside."""
        names = ", ".join(f"{name} = ?" for name in values)
        with self._writing() as base:
            base.execute(f"update jobs set {names} where id = ?", (*values.values(), number))  # noqa: S608

    # Rounds of rating

    def add_round(self, run: str, sheet: str, question: str) -> None:
        with self._writing() as base:
            base.execute(
                "insert into rounds (run, sheet, question) values (?, ?, ?)", (run, sheet, question)
            )

    def rounds(self) -> dict[str, Round]:
        """The last round of each run, the newest run first."""
        found: dict[str, Round] = {}
        for row in self._rows("select * from rounds order by id desc"):
            found.setdefault(row["run"], Round(**dict(row)))
        return found

    def pace(self, shape: str) -> float | None:
        """Seconds an item took in this folder's last runs of a shape."""
        rows = self._rows(
            "select items, ended - began as seconds from jobs where shape = ? and state = ?"
            " and items > 0 order by id desc limit 5",
            shape, DONE,
        )  # fmt: skip
        items = sum(row["items"] for row in rows)
        return sum(row["seconds"] for row in rows) / items if items else None


def _job(row: sqlite3.Row) -> Job:
    values = dict(row)
    values["options"], values["remarks"] = json.loads(row["options"]), json.loads(row["remarks"])
    return Job(**values)
