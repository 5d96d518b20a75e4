"""Files that are not on this machine: `s3://`, `gs://`, `https://` and all else that fsspec knows.

What the user names by such an address is fetched once, into a folder that goes when the run ends,
and is then read like any other file. Addresses count in options alone: nothing inside a file is
ever followed.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from gistmeter.core.errors import InputError, MissingDependency
from gistmeter.core.files import ADDRESS
from gistmeter.core.settings import Settings, options_of

EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs"}
TAME = re.compile(r"[^\w.=@ -]+")


def address_of(given: str | Path) -> str:
    """The address that a path spells; "" for one of this machine.

    >>> address_of(Path("s3://bucket/answers.csv"))
    's3://bucket/answers.csv'
    """
    found = ADDRESS.fullmatch(str(given))
    if found is None or Path(given).exists():
        return ""
    slashes = ":///" if found["scheme"].lower() in ("file", "local") else "://"
    return f"{found['scheme']}{slashes}{found['rest']}"


def fetch_inputs(
    settings: Settings, stack: contextlib.ExitStack, say: Callable[[str], None]
) -> Settings:
    """Settings whose inputs are all here."""
    changed: dict[str, Any] = {}
    for name, declared in options_of(type(settings)).items():
        value = getattr(settings, name)
        if not value or declared.panel != "input" or declared.kind not in ("path", "paths"):
            continue
        given: Sequence[Path] = value if declared.kind == "paths" else (value,)
        if not any(map(address_of, given)):
            continue
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gistmeter-")))
        here = [file for path in given for file in fetched(path, folder, say)]
        if declared.kind == "path" and len(here) > 1:
            raise InputError(f"{name} names {len(here)} files ({address_of(value)}); one is meant")
        changed[name] = tuple(here) if declared.kind == "paths" else here[0]
    return replace(settings, **changed) if changed else settings


def fetched(path: Path, folder: Path, say: Callable[[str], None] = lambda _: None) -> list[Path]:
    """The files that a path names, copied into the folder where they are elsewhere."""
    address = address_of(path)
    if not address:
        return [path]
    with _reaching(address):
        system, place = open_system(address)
        here = [_fetch(system, name, folder) for name in _matching(system, place, address)]
    size = sum(file.stat().st_size for file in here)
    say(f"Fetched {address}: {len(here)} file{'s' * (len(here) != 1)}, {size:,} bytes")
    return here


def listed(path: Path) -> list[str]:
    """The single files that a path or a pattern of addresses names."""
    address = address_of(path)
    if not address:
        return [str(path)]
    with _reaching(address):
        system, place = open_system(address)
        return [system.unstrip_protocol(name) for name in _matching(system, place, address)]


def version_of(place: str) -> str:
    """What stands for a file's content where it is not here: its size, time or tag, hashed."""
    with _reaching(place):
        system, name = open_system(address_of(place))
        return hashlib.sha256(str(system.ukey(name)).encode()).hexdigest()


@contextlib.contextmanager
def _reaching(address: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"{address}: cannot be read ({error})") from error
    except ImportError as error:
        raise _missing(address) from error


def open_system(address: str) -> tuple[Any, str]:
    """The file system behind an address, and the place in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise _missing(address) from error
    try:
        system, place = url_to_fs(address)
    except ImportError as error:  # of what this scheme needs
        raise _missing(address) from error
    except ValueError as error:
        raise InputError(f"{address}: cannot be read ({error})") from error
    return system, str(place)


def _missing(address: str) -> MissingDependency:
    scheme = address.partition("://")[0].lower()
    extra = EXTRAS.get(scheme, "remote")
    package = {"s3": "s3fs", "gcs": "gcsfs"}.get(extra, "fsspec")
    return MissingDependency(package, extra, f"Reading {address}")


def _matching(system: Any, place: str, address: str) -> list[str]:
    """The files of a pattern or a folder, by name; of a folder those directly in it."""
    if any(mark in place for mark in "*?[") and "?" not in PurePosixPath(place).suffix:
        names = sorted(name for name in system.glob(place) if not system.isdir(name))
    elif system.isdir(place):
        names = sorted(system.find(place, maxdepth=1))
    else:
        names = [place] if system.exists(place) else []
    if not names:
        raise InputError(f"{address}: no such file. Check the address")
    return names


def _fetch(system: Any, name: str, folder: Path) -> Path:
    """A copy under the folder, by the last part of its name and a folder of its own if need be."""
    bare = TAME.sub("_", PurePosixPath(name.partition("?")[0]).name).lstrip(".") or "file"
    target, number = folder / bare, 1
    while target.exists():
        number += 1
        target = folder / str(number) / bare
    target.parent.mkdir(exist_ok=True)
    system.get_file(name, str(target))
    return target
