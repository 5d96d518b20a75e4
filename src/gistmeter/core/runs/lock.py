"""One writer per folder: a second one is refused and told who the first is.

The lock is the operating system's, on a file in the folder, so that it ends with its process: the
file that a killed process leaves behind locks no one out.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import platform
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from gistmeter.core.errors import InputError
from gistmeter.core.family import DETAILS
from gistmeter.core.files import sweep, unwritable
from gistmeter.core.folders import Folder, open_at
from gistmeter.core.runs.layout import LOCK, SHARDS

logger = logging.getLogger(__name__)
FORGOTTEN = 86_400  # seconds after which nobody goes on with a draft beside the folder
OURS = re.compile(rb"(process [0-9]+ on [^\n]*\n?)?")  # what a lock holds
TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


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
            _release(folder, handle)
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
            _lock(handle)
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
    """A file of this name that somebody else wrote is not ours to take."""
    os.lseek(handle, 0, os.SEEK_SET)
    if not OURS.fullmatch(os.read(handle, 4096)):
        os.close(handle)
        raise InputError(
            f"{file}: is not the lock of a run. Move it away, or choose another folder"
        )


def _release(folder: Path, handle: int) -> None:
    try:
        with contextlib.suppress(OSError):
            Folder(folder).remove(LOCK)
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(handle, 1 << 20, os.SEEK_SET)  # beyond the text, which others must read
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
