"""The cache of models' answers.

An answer is kept under the SHA-256 of the canonical JSON of (model id, settings, input), in one
SQLite file in WAL mode, so that several processes may read and write at once. Numbers are stored
as their raw little-endian bytes, answers as UTF-8; nothing is ever unpickled. Every value is sealed
with a hash over its key and itself: a bit that flipped on the disk is a miss, never another score.

Without a file the cache lives in memory, for the length of a run. So it does when the file cannot
be used (damaged, locked, on a full or read-only disk): that is said once, what can be read is read,
and the run goes on.

Before the file stands a `Memo`, the one memory of a run: answers as they were stored, and what is
not stored at all because it is large and quickly made (vectors of tokens, analyses of texts). What
is too large for memory but will be asked for again in the same run lies in its `Spool`.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

from gistmeter.core.errors import GistmeterError
from gistmeter.core.signature import canonical

logger = logging.getLogger(__name__)
BATCH = 4096  # look-ups in one statement; SQLite allows 32,766 parameters
SEAL = 8  # bytes of hash before a value
PATIENCE = 60.0  # seconds for a file that another process has locked
REMARK = 2.0  # seconds after which that is said
MEMO_BYTES = 256 << 20
SPOOL_MEMORY, SPOOL_BYTES = 64 << 20, 2 << 30
REMEMBERED = 1 << 20  # values of which a memo knows that they were there before
ENDS = ("", "-wal", "-shm")  # of the names of SQLite's files
Key = bytes
Result = TypeVar("Result")
PREPARATION = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    # With row numbers: what was kept together lies together, and is read together again.
    "CREATE TABLE IF NOT EXISTS sealed (key BLOB PRIMARY KEY, value BLOB NOT NULL)",
)


def cache_folder() -> Path:
    """Where answers and converted models are kept: GISTMETER_CACHE_DIR or the user's cache."""
    given = os.environ.get("GISTMETER_CACHE_DIR")
    return Path(given) if given else Path(platformdirs.user_cache_dir("gistmeter"))


def cache_file() -> Path:
    """The file of the models' answers."""
    return cache_folder() / "answers.sqlite"


def keys(model: str, inputs: Iterable[Any], settings: Mapping[str, Any] | None = None) -> list[Key]:
    """The cache keys of a model's inputs, each anything that JSON can hold."""
    head = canonical([model, dict(settings or {})]).encode("utf-8", "surrogatepass") + b"\0"
    base = hashlib.sha256(head)
    digests = []
    for entry in inputs:
        hashed = base.copy()
        hashed.update(_spell(entry).encode("utf-8", "surrogatepass"))
        digests.append(hashed.digest())
    return digests


def _spell(entry: Any) -> str:
    """`canonical`, at a fraction of its cost for a pair of texts."""
    if isinstance(entry, tuple) and len(entry) == 2 and all(isinstance(e, str) for e in entry):
        return f"[{encode_basestring(entry[0])},{encode_basestring(entry[1])}]"
    return canonical(entry)


@dataclass(frozen=True, slots=True)
class CacheInfo:
    path: str
    entries: int
    size: int  # bytes on disk


def seal(key: Key, value: bytes) -> bytes:
    """A value as it is stored, its hash before it."""
    return hashlib.blake2b(key + value, digest_size=SEAL).digest() + value


def unseal(key: Key, stored: Any) -> bytes | None:
    """The value, or None where it is not what was stored under this key."""
    if not isinstance(stored, bytes) or seal(key, stored[SEAL:]) != stored:
        return None
    return stored[SEAL:]


@dataclass(frozen=True, slots=True)
class Form:
    """How the values of a model are kept."""

    name: str
    decode: Callable[[bytes], Any]  # None where an entry has not the form that was stored
    encode: Callable[[Any], bytes]
    size: Callable[[Any], int]  # in memory, roughly
    cheap: bool = False  # rather made again than kept beyond the memo where there is no file


class Spool:
    """Large values of a run: in memory up to a bound, beyond it in a file without a name.

    Where all that it may hold is full, it begins anew; where the disk refuses, it does without the
    disk. Whoever asks for what is gone makes it again.
    """

    def __init__(self, memory: int = SPOOL_MEMORY, limit: int = SPOOL_BYTES) -> None:
        self._memory, self._limit, self._owner = memory, limit, os.getpid()
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(self._memory)  # noqa: SIM115
        self._places: dict[Any, tuple[int, int]] = {}
        self._end = 0

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()

    @contextlib.contextmanager
    def _using_disk(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self._limit = self._memory
            self.__del__()
            self._begin()

    def keep(self, place: Any, value: bytes) -> None:
        with self._lock, self._using_disk():
            if place in self._places or self._owner != os.getpid():  # a fork shares the position
                return
            if self._end + len(value) > self._limit:
                self.__del__()
                self._begin()
            self._file.seek(self._end)
            self._file.write(value)
            self._places[place] = self._end, len(value)
            self._end += len(value)

    def get(self, place: Any) -> bytes | None:
        with self._lock, self._using_disk():
            if place in self._places and self._owner == os.getpid():
                start, size = self._places[place]
                self._file.seek(start)
                return self._file.read(size)
        return None


class Memo:
    """Recent values by model and input, within a bound of bytes, for all threads of a process.

    Predictions come once, references again and again with many predictions between: so a value that
    had to be made twice goes to a half of its own, from which new ones cannot push it out.
    """

    def __init__(self, limit: int = MEMO_BYTES) -> None:
        self._halves: tuple[dict[Any, tuple[Any, int]], ...] = ({}, {})
        self._sizes, self._limit = [0, 0], limit // 2
        self._seen: set[int] = set()
        self._lock = threading.Lock()
        self.spool: Spool | None = None  # where a model will ask for what another one made

    def get(self, model: str, entry: Any) -> Any:
        """The value of an input; None where it is not here."""
        place = (model, entry)
        with self._lock:
            for half in self._halves:
                if place in half:
                    half[place] = kept = half.pop(place)  # now the youngest
                    return kept[0]
        return None

    def find(self, model: str, inputs: Iterable[Any]) -> dict[Any, Any]:
        """Input -> value, of those that are here."""
        values = {entry: self.get(model, entry) for entry in inputs}
        return {entry: value for entry, value in values.items() if value is not None}

    def keep(self, model: str, values: Mapping[Any, Any], size: Callable[[Any], int]) -> None:
        """Remember values, each of so many bytes; one that is here already stays."""
        with self._lock:
            for entry, value in values.items():
                place = (model, entry)
                if any(place in half for half in self._halves):
                    continue
                if len(self._seen) > REMEMBERED:
                    self._seen.clear()
                at = int(hash(place) in self._seen)
                self._seen.add(hash(place))
                self._halves[at][place] = value, size(value)
                self._sizes[at] += size(value)
                while self._sizes[at] > self._limit:
                    oldest = next(iter(self._halves[at]))
                    self._sizes[at] -= self._halves[at].pop(oldest)[1]


class Cache:
    """A table from keys to bytes; `Cache(None)` keeps it in memory."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.memo = Memo()
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._owner = 0
        self._memory: dict[Key, bytes] = {}  # what no file takes
        self._writes = self._reads = path is not None

    def __reduce__(self) -> tuple[type[Cache], tuple[Path | None]]:
        """Another process opens the file for itself; what is in memory stays here."""
        return Cache, (self.path,)

    def get_many(self, wanted: Sequence[Key]) -> dict[Key, bytes]:
        """The answers that are there."""
        unique = list(dict.fromkeys(wanted))
        with self._lock:
            answers = {key: self._memory[key] for key in unique if key in self._memory}
            if self._reads:
                try:
                    missing = [key for key in unique if key not in answers]
                    answers |= _patiently(self.path, lambda: self._select(missing))
                except (sqlite3.Error, OSError) as error:
                    self._reads = self._writes = False
                    self._warn(error)
        return answers

    def put_many(self, answers: Mapping[Key, bytes]) -> None:
        """Keep answers, all or none of them."""
        if not answers:
            return
        with self._lock:
            if self._writes:
                try:
                    _patiently(self.path, lambda: self._insert(answers))
                except (sqlite3.Error, OSError) as error:
                    self._writes = False
                    self._warn(error)
            if not self._writes:
                self._memory.update(answers)

    def find(self, model: str, inputs: Iterable[Any], form: Form) -> dict[Any, Any]:
        """Input -> value of those that are known: from memory, else as they were stored."""
        wanted, name = dict.fromkeys(inputs), f"{model}/{form.name}"
        known = self.memo.find(name, wanted)
        missing = [entry for entry in wanted if entry not in known]
        if not missing or (form.cheap and self.path is None):  # then `keep` stores none
            return known
        places = keys(model, missing)
        stored = self.get_many(places)
        fresh = {}
        for entry, key in zip(missing, places, strict=True):
            if key in stored and (value := form.decode(stored[key])) is not None:
                fresh[entry] = value
        self.memo.keep(name, fresh, form.size)
        return known | fresh

    def keep(self, model: str, values: Mapping[Any, Any], form: Form) -> None:
        """Remember values, and store them."""
        if not values:
            return
        self.memo.keep(f"{model}/{form.name}", values, form.size)
        if self.path is not None or not form.cheap:
            stored = map(form.encode, values.values())
            self.put_many(dict(zip(keys(model, values), stored, strict=True)))

    def info(self) -> CacheInfo:
        """How many answers there are; an error where the file cannot be read."""
        if self.path is None:
            return CacheInfo("memory", len(self._memory), 0)
        if not self.path.exists():
            return CacheInfo(str(self.path), 0, 0)
        try:
            with self._lock:
                query = "SELECT count(*) FROM sealed"
                (entries,) = _patiently(self.path, lambda: self._open().execute(query).fetchone())
        except (sqlite3.Error, OSError) as error:
            raise GistmeterError(
                f"The cache {self.path} cannot be used ({error}). "
                "Clear it with: gistmeter cache clear, or do without: --no-cache"
            ) from error
        size = sum(file.stat().st_size for file in self.files())
        return CacheInfo(str(self.path), entries, size)

    def clear(self) -> None:
        """Forget everything, a damaged file included."""
        self.close()
        self._memory.clear()
        for file in self.files():
            file.unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None and self._owner == os.getpid():
                self._connection.close()
            self._connection = None

    def files(self) -> list[Path]:
        if self.path is None:
            return []
        names = (self.path.name + end for end in ENDS)
        return [file for name in names if (file := self.path.with_name(name)).exists()]

    def _select(self, wanted: Sequence[Key]) -> dict[Key, bytes]:
        answers = {}
        for start in range(0, len(wanted), BATCH):
            part = wanted[start : start + BATCH]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, value FROM sealed WHERE key IN ({marks})"  # noqa: S608
            for key, stored in self._open().execute(query, part):
                value = unseal(key, stored)
                if value is not None:
                    answers[key] = value
        return answers

    def _insert(self, answers: Mapping[Key, bytes]) -> None:
        with self._open() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO sealed VALUES (?, ?)",
                ((key, seal(key, value)) for key, value in answers.items()),
            )

    def _warn(self, error: Exception) -> None:
        logger.warning(
            "The cache %s cannot be %s (%s): new answers are kept for this run only. "
            "Free its disk, or clear it with: gistmeter cache clear",
            self.path,
            "written" if self._reads else "used",
            error,
        )

    def _open(self) -> sqlite3.Connection:
        """The connection of this process: one must not cross a fork."""
        if self._connection is None or self._owner != os.getpid():
            assert self.path is not None
            self._connection, self._owner = _connect(self.path), os.getpid()
        return self._connection


def _patiently(path: Path | None, action: Callable[[], Result]) -> Result:
    """Do what a file that another process has locked refuses, for as long as a run may wait."""
    start, said = time.monotonic(), False
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            waited = time.monotonic() - start
            # Turning a new file to WAL does not wait for others that do the same.
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or waited > PATIENCE:
                raise
            if waited > REMARK and not said:
                said = True
                logger.warning(
                    "Waiting for the cache %s: another process has locked it. If it still has "
                    "after %d seconds, the run goes on without the cache (as with --no-cache)",
                    path,
                    PATIENCE,
                )
            time.sleep(0.05)


def _connect(path: Path) -> sqlite3.Connection:
    """The file, made where there is none; only to be read where it cannot be written."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(OSError):  # the answers tell of texts: for their owner alone
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            for end in ENDS:
                with contextlib.suppress(FileNotFoundError):
                    path.with_name(path.name + end).chmod(0o600)
        return _patiently(path, lambda: _prepared(path, *PREPARATION))
    except (sqlite3.OperationalError, OSError):
        if not path.is_file():
            raise
        # On a read-only disk: `immutable`, for SQLite would make files beside it.
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        return _prepared(address, "SELECT count(*) FROM sealed")


def _prepared(place: Path | str, *statements: str) -> sqlite3.Connection:
    """A connection on which some statements have run; closed where one of them fails."""
    address = isinstance(place, str)
    connection = sqlite3.connect(place, timeout=REMARK / 2, uri=address, check_same_thread=False)
    try:
        for statement in statements:
            connection.execute(statement)
    except BaseException:
        connection.close()
        raise
    return connection
