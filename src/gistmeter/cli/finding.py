"""Runs by the names that people give them: a folder, a folder of runs, or `latest`."""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gistmeter.core.errors import FormatError, InputError

logger = logging.getLogger(__name__)
ROOT = Path("runs")
LATEST = "latest"
RUN = "run.json"


def find_run(path: Path) -> Path:
    """The run that is meant by a path or by `latest`."""
    if str(path) != LATEST or path.exists():
        return path
    from gistmeter.core.runs import runs_in

    known = runs_in(ROOT) if ROOT.is_dir() else []
    if not known:
        raise InputError(f"There is no latest run: {ROOT}/ has none here. Name the run's folder")
    return known[-1]


def find_runs(paths: Sequence[Path]) -> list[Path]:
    """All runs that are meant; a folder that is no run stands for those below it."""
    from gistmeter.core.runs import runs_in

    found: list[Path] = []
    for path in paths:
        one = find_run(path)
        within = one.is_dir() and not (one / RUN).exists() and not (one / "journal.jsonl").exists()
        below = runs_in(one) if within else []
        found += below or [one]
    return list(dict.fromkeys(found))


@contextlib.contextmanager
def using(paths: Sequence[Path]) -> Iterator[None]:
    """Notes and documents of runs are free in form: nonsense in them is an error of their file.

    Their digests have been checked by then, so somebody wrote them so.
    """
    from gistmeter.core.runs.layout import NONSENSE

    try:
        yield
    except NONSENSE as error:
        logger.debug("a run cannot be used", exc_info=True)
        listed = ", ".join(map(str, paths))
        raise FormatError(
            f"the notes or details of a run hold what cannot be used ({error!r}). Score it again; "
            "if gistmeter wrote it so, that is a fault of gistmeter: please report it",
            path=listed,
        ) from error


def of_runs(work: Callable[..., int]) -> Callable[..., int]:
    """A command whose settings name runs, see `using`."""

    @functools.wraps(work)
    def careful(*settings: Any) -> int:
        given = [getattr(one, name, ()) or () for one in settings for name in ("runs", "run")]
        paths = [path for one in given for path in ([one] if isinstance(one, Path) else one)]
        with using(paths):
            return work(*settings)

    return careful
