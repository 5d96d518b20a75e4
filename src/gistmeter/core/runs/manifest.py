"""What a run wrote into its folder: only that is ever removed or replaced.

`run.json` lists the files with digests (`files`), and the names of those that follow it
(`written`: pages, transcripts). The journal of an unfinished run names every file before it is
written (`claims`). A run that lists less, because it is damaged or of an earlier version, has what
is called as the layout of a run's folder says.
"""

from __future__ import annotations

import contextlib
import logging
import os
import platform
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.family import DETAILS
from gistmeter.core.files import is_draft, parse_object, sweep, unwritable
from gistmeter.core.folders import TAKEN, Folder, lock, open_at
from gistmeter.core.runs.layout import ITEMS, JOURNAL, LOCK, REPORT, RUN, SHARDS, to_json
from gistmeter.core.signature import SEAL, is_whole, seal

CLAIMS, WRITTEN = "claims", "written"
PEOPLE = ("labels.jsonl", "decisions.jsonl")  # what people said: of no run, and never removed
FIXED = (RUN, ITEMS)  # of every run's folder
SHARD = re.compile(r"[0-9]{12}-[0-9]{12}\.(parquet|claims\.json)")
DOCUMENT = re.compile(r"[^/\\\0]+")
KNOWN = (".json", ".jsonl", ".html")  # of details
# What is in the first line of a journal and in a run.json, damaged or not
SIGNS = {
    JOURNAL: (b'"plan"', b'"command"', b'"signature"', b'"inputs"', b'"sha256"'),
    RUN: (b'"gistmeter"', b'"command"', b'"signature"', b'"systems"', b'"sha256"'),
}
ENOUGH = 3  # signs by which a file is known


def contents(path: Path) -> set[str]:
    """The names in a folder, but for what belongs to no run: the lock, drafts, labels."""
    if not path.is_dir():
        return set()
    return {file.name for file in path.iterdir() if not is_draft(file)} - {LOCK, *PEOPLE}


def is_run(path: Path) -> bool:
    """Whether a folder has a run, finished or not, and not just a file of such a name."""
    folder = Folder(path)
    contents = [(folder.read(name), signs) for name, signs in SIGNS.items() if folder.has(name)]
    return any(
        not content or sum(sign in content for sign in signs) >= ENOUGH
        for content, signs in contents
    )


def refuse_links(path: Path) -> None:
    """Refuse a folder in which a link, or anything else, has the name of what a run writes."""
    folder = Folder(path)
    for name in (JOURNAL, *FIXED, REPORT, f"{DETAILS}/x", f"{SHARDS}/x"):
        with contextlib.suppress(FileNotFoundError), folder.at(name) as place:
            place.refuse_others()


def is_of_layout(name: str) -> bool:
    """Whether a name is one that a run lists: no list leads out of its folder."""
    inner, _, file = name.rpartition("/")
    if inner == DETAILS:
        return bool(DOCUMENT.fullmatch(file)) and file not in {".", ".."}
    return name in (*FIXED, REPORT) or (inner == SHARDS and bool(SHARD.fullmatch(file)))


def owned(path: Path) -> set[str]:
    """The files that the run in a folder wrote, by their names in it."""
    folder = Folder(path)
    names: set[str] = set()
    if folder.has(RUN):
        names |= _of_document(folder)
    if folder.has(JOURNAL):
        names |= _of_journal(folder)
    shards = [name for name in folder.names(SHARDS) if SHARD.fullmatch(name)]
    for name in shards:
        if name.endswith(".json"):
            names |= _listed(parse_object(folder.read(f"{SHARDS}/{name}")).get(CLAIMS))
    names |= {f"{SHARDS}/{name}" for name in shards}
    return {*FIXED, *(name for name in names if is_of_layout(name))}


def _of_document(folder: Folder) -> set[str]:
    document = parse_object(folder.read(RUN))
    if not is_whole(document) or WRITTEN not in document:
        return _by_layout(folder) | _listed(document.get("files"))
    return _listed(document.get("files")) | _listed(document[WRITTEN])


def _of_journal(folder: Folder) -> set[str]:
    lines = [parse_object(line) for line in folder.read(JOURNAL).split(b"\n")]
    if not is_whole(lines[0]):
        return _by_layout(folder)
    names: set[str] = set()
    for line in filter(is_whole, lines):
        names |= _listed(line.get(CLAIMS)) | {f"{DETAILS}/{x}" for x in _listed(line.get(DETAILS))}
    return names


def _by_layout(folder: Folder) -> set[str]:
    documents = [name for name in folder.names(DETAILS) if name.endswith(KNOWN)]
    return {REPORT, *(f"{DETAILS}/{name}" for name in documents)}


def _listed(names: Any) -> set[str]:
    return {n for n in names if isinstance(n, str)} if isinstance(names, list | dict) else set()


def refuse_foreign(folder: Folder, names: Iterable[str], own: Collection[str]) -> None:
    """Refuse to replace files that the run did not write."""
    for name in names:
        try:
            with folder.at(name) as place:
                there = place.refuse_others()
        except FileNotFoundError:  # the folder that it will be in
            continue
        if there and name not in own:
            raise InputError(
                f"{folder.path / name}: is there already, and this run did not write it. Move it "
                "away, or choose another folder"
            )


def differing(folder: Folder, documents: Mapping[str, bytes]) -> dict[str, bytes]:
    """The documents that are not there already, just as they are."""
    return {
        name: content
        for name, content in documents.items()
        if not folder.has(name) or folder.read(name) != content
    }


def claim(path: Path, names: Collection[str]) -> None:
    """List files in a `run.json` before they are written beside it."""
    folder = Folder(path)
    refuse_foreign(folder, names, owned(path))
    document = parse_object(folder.read(RUN))
    if not is_whole(document):
        raise FormatError("is not as it was written", path=path / RUN)
    written = _listed(document.get(WRITTEN))
    if WRITTEN not in document or not written >= set(names):
        rest = {key: value for key, value in document.items() if key != SEAL}
        rest[WRITTEN] = sorted({*written, *names, *(_of_document(folder) - set(rest["files"]))})
        folder.write(RUN, to_json(seal(rest)) + "\n")


def write_beside(path: Path, documents: Mapping[str, bytes]) -> None:
    """Write details of a finished run that its `run.json` lists without a digest."""
    folder = Folder(path)
    changed = differing(folder, documents)
    claim(path, list(changed))
    for name, content in changed.items():
        folder.write(name, content)


def clear(path: Path, names: Iterable[str]) -> None:
    """Remove files that a run wrote, and the folder of its shards once that is empty."""
    folder = Folder(path)
    for name in sorted(names):
        folder.remove(name)
    folder.remove_folder(SHARDS)


logger = logging.getLogger(__name__)
FORGOTTEN = 86_400  # seconds after which a draft beside the folder is left over
OURS = re.compile(rb"(process [0-9]+ on [^\n]*\n?)?")  # what a lock holds


@contextlib.contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Be the folder's only writer; what killed writers left half-written is swept away.

    A folder that was made for this and stays empty goes again.
    """
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError(f"{folder}: is a file; a run needs a folder") from None
    except OSError as error:
        raise unwritable(folder, error, "made") from error
    try:
        handle = _acquire(folder)
        try:
            for inner in ("", DETAILS, SHARDS):
                Folder(folder).sweep(inner)
            sweep(folder.parent, age=FORGOTTEN)
            yield
        finally:
            try:
                with contextlib.suppress(OSError):
                    Folder(folder).remove(LOCK)
            finally:
                os.close(handle)
    finally:
        with contextlib.suppress(OSError):
            for place in made:
                place.rmdir()


def _acquire(folder: Path) -> int:
    file = folder / LOCK
    while True:
        try:
            with Folder(folder).at(LOCK) as place:
                place.refuse_others()
                handle = open_at(place, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise unwritable(folder, error) from error
        try:
            lock(handle)
            if os.path.samestat(os.fstat(handle), file.lstat()):
                _refuse_other_content(file, handle)
                os.lseek(handle, 0, os.SEEK_SET)
                os.ftruncate(handle, 0)
                os.write(handle, f"process {os.getpid()} on {platform.node()}\n".encode())
                return handle
        except FileNotFoundError:
            pass  # the holder let go of the file while we took it
        except OSError as error:
            if error.errno in TAKEN:
                os.lseek(handle, 0, os.SEEK_SET)
                owner = os.read(handle, 200).decode("utf-8", "replace").strip()
                os.close(handle)
                raise InputError(
                    f"{folder}: is being written by {owner or 'another process'}. Wait until it "
                    "has finished, or choose another folder"
                ) from None
            logger.warning("%s: cannot be locked (%s); start no second run there", folder, error)
            return handle
        os.close(handle)


def _refuse_other_content(file: Path, handle: int) -> None:
    """A file of this name that somebody else wrote is left alone."""
    os.lseek(handle, 0, os.SEEK_SET)
    if not OURS.fullmatch(os.read(handle, 4096)):
        os.close(handle)
        raise InputError(
            f"{file}: is not the lock of a run. Move it away, or choose another folder"
        )
