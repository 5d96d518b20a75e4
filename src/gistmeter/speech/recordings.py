"""The recordings that a report may carry: sound that plays, of the folder that was given.

A table names files, and whoever wrote it may name any. So a recording counts only where it lies
below the folder of an input and no link leads to it, and is put into a report only where it can be
decoded. The run keeps the digest of what was looked at: a report made later carries nothing else,
whatever the run's files say by then.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from gistmeter.core.errors import InputError
from gistmeter.core.files import read_plain
from gistmeter.core.views import MAX_AUDIO
from gistmeter.speech.formats.audio import plays


def is_below(path: Path, folder: Path) -> bool:
    """Whether a file lies below a folder, with no link on the way from there."""
    given, root = Path(os.path.abspath(path)), Path(os.path.abspath(folder))  # noqa: PTH100
    rest = path.relative_to(folder) if path.is_relative_to(folder) else path
    if ".." in rest.parts or not given.is_relative_to(root):
        return False
    return given.resolve() == root.resolve() / given.relative_to(root)


def playable(names: Iterable[str | None], inputs: Sequence[Path]) -> dict[str, str]:
    """Recording -> SHA-256, of those that a report may carry; none where they are too large.

    Without inputs, the recordings were named in Python, by the caller.
    """
    folders = [path if path.is_dir() else path.parent for path in inputs]
    paths = {name: Path(name) for name in names if name}
    if sum(path.stat().st_size for path in paths.values() if path.is_file()) > MAX_AUDIO:
        return {}
    digests = {}
    for name, path in paths.items():
        if folders and not any(is_below(path, folder) for folder in folders):
            continue
        try:
            content = read_plain(path, MAX_AUDIO)
        except InputError:
            continue
        if plays(content, path):
            digests[name] = hashlib.sha256(content).hexdigest()
    return digests
