"""Files that people drop: taken in with safe names and within limits, or found below the folder.

Nothing is read that was not dropped or does not lie below the opened folder, and nothing through a
link. A file is written under a draft's name and renamed when it is whole.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import AsyncIterator, Iterable
from pathlib import Path, PurePosixPath

from gistmeter.core.errors import InputError
from gistmeter.core.files import unwritable
from gistmeter.languages.normal_forms import normal_form

DROPPED = "dropped"
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".xlsx", ".parquet")
BOOKS = (".txt", ".md", ".markdown", ".html", ".htm", ".xhtml", ".epub", ".docx", ".fb2", ".fbz")
PARSES = (".conllu", ".conll")
TRANSCRIPTS = (".srt", ".vtt", ".stm", ".ctm", ".trn", ".textgrid", ".eaf")
SOUND = (".wav", ".flac", ".ogg", ".mp3")
KNOWN = frozenset((*TABLES, *BOOKS, *PARSES, *TRANSCRIPTS, *SOUND))
MOST_FILES = 500  # of a drop
LARGEST = 1024**3  # bytes of a file, as of what comes through a pipe
MOST_BYTES = 4 * 1024**3  # of a drop, as of any file
SPARE = 256 * 1024**2  # bytes that stay free on the disk
LONGEST = 120  # characters of a name
LISTED = 200  # files of the folder that are offered
DEPTH = 3  # levels below the folder that are looked through
ID = re.compile(r"[0-9a-z]{12}")
FORBIDDEN = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"|?*\\/]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]')
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # of Windows


def safe_name(given: str) -> str:
    """A name that stays in its folder on any system; an error where its kind is not read."""
    name = normal_form("NFC", given.replace("\\", "/").rsplit("/", 1)[-1])
    name = FORBIDDEN.sub("_", name).strip(" .")
    stem, dot, suffix = name.rpartition(".")
    if f"{dot}{suffix}".lower() not in KNOWN or not stem.strip(" ."):
        shown = " ".join(sorted(KNOWN))
        raise InputError(f"{name or 'A file without a name'}: is not a kind of file that is read."
                         f" Known: {shown}")  # fmt: skip
    if RESERVED.fullmatch(name):
        stem = f"_{stem}"
    room = LONGEST - len(suffix) - 1
    while len(stem.encode()) > room:
        stem = stem[:-1]
    return f"{stem}.{suffix}"


def new_drop(folder: Path) -> str:
    """A fresh place for files; returns its id."""
    name = secrets.token_hex(6)
    place = folder / DROPPED
    if place.is_symlink():
        raise InputError(f"{place}: is a link; dropped files are kept in a folder")
    try:
        (place / name).mkdir(parents=True)
    except OSError as error:
        raise unwritable(place / name, error) from error
    return name


def drop_place(folder: Path, name: str) -> Path:
    """Where a drop's files are; an id that is none of ours is refused."""
    place = folder / DROPPED / name
    if not ID.fullmatch(name) or not place.is_dir() or place.is_symlink():
        raise InputError("These files are not here any more. Drop them again")
    return place


async def take_in(folder: Path, drop: str, given: str, content: AsyncIterator[bytes]) -> str:
    """Keep a file as it arrives; returns its path below the opened folder."""
    place, name = drop_place(folder, drop), safe_name(given)
    held = [file for file in place.iterdir() if not file.name.startswith(".")]
    if len(held) >= MOST_FILES:
        raise InputError(f"More than {MOST_FILES} files at once are not taken in")
    before = sum(file.stat().st_size for file in held)
    target = _unused(place, name)
    draft = place / f".{secrets.token_hex(8)}.part"
    size = 0
    try:
        with draft.open("xb") as stream:
            async for part in content:
                size += len(part)
                if size > LARGEST or before + size > MOST_BYTES:
                    raise InputError(f"{name}: is larger than {LARGEST:,} bytes")
                if shutil.disk_usage(place).free < SPARE + len(part):
                    raise InputError(
                        f"{name}: the disk of {folder} is full. Make room, drop it again"
                    )
                stream.write(part)
            stream.flush()
            os.fsync(stream.fileno())
        draft.rename(target)
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        draft.unlink(missing_ok=True)
    if not size:
        target.unlink()
        raise InputError(f"{name}: is empty")
    return target.relative_to(folder).as_posix()


def _unused(place: Path, name: str) -> Path:
    stem, _, suffix = name.rpartition(".")
    target, number = place / name, 1
    while target.exists():
        number += 1
        target = place / f"{stem} ({number}).{suffix}"
    return target


def inside(folder: Path, given: str) -> Path:
    """A file below the opened folder, reached through no link; anything else is refused."""
    parts = PurePosixPath(given).parts
    place = folder
    if not parts or given.startswith("/") or ".." in parts or parts[0].startswith("."):
        raise InputError(f"{given}: is not below the opened folder")
    for part in parts:
        place = place / part
        if place.is_symlink():
            raise InputError(f"{given}: is a link; only files below the opened folder are read")
    if not place.is_file() or place.suffix.lower() not in KNOWN:
        raise InputError(f"{given}: is not here, or not a kind of file that is read")
    return place


def files_below(folder: Path) -> list[str]:
    """Files of the opened folder that can be scored, but for dropped ones and runs."""
    return sorted(_walk(folder, folder, DEPTH))[:LISTED]


def _walk(folder: Path, place: Path, depth: int) -> Iterable[str]:
    try:
        entries = sorted(os.scandir(place), key=lambda entry: entry.name)
    except OSError:
        return
    if any(entry.name == "run.json" for entry in entries):
        return
    for entry in entries[:2000]:
        if entry.name.startswith((".", "~")) or entry.is_symlink():
            continue
        path = Path(entry.path)
        if (
            entry.is_dir()
            and depth > 1
            and not (place == folder and entry.name in (DROPPED, "runs"))
        ):
            yield from _walk(folder, path, depth - 1)
        elif entry.is_file() and path.suffix.lower() in KNOWN:
            yield path.relative_to(folder).as_posix()
