"""Progress bars on stderr, with rate and time left; plain lines where stderr is no terminal."""

from __future__ import annotations

import time

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from gistmeter.report.terminal import Screen

EVERY = 10.0  # seconds between plain lines


class SpeedColumn(ProgressColumn):
    """How many a second; nothing before that is known."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "")


class ProgressBars:
    """One bar per stage, made when the stage first reports."""

    def __init__(self, *, quiet: bool = False, every: float = EVERY, began: float = 0.0) -> None:
        self._every = every
        self._console = console = Screen(stderr=True, quiet=quiet)
        self._tasks: dict[str, TaskID] = {}
        self._started: dict[str, tuple[float, int]] = {}  # when, and how much was done by then
        self._last = began or time.monotonic()
        self._progress: Progress | None = None
        if console.is_terminal and not quiet:
            self._progress = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                SpeedColumn(),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                console=console,
                transient=True,
            )
            self._progress.start()

    def update(self, stage: str, done: int, total: int) -> None:
        if self._progress is None:
            self._plain(stage, done, total)
            return
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=total)
        self._progress.update(self._tasks[stage], completed=done, total=total)

    def _plain(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        # What a resumed or cached stage begins with was not done at this pace.
        since, before = self._started.setdefault(stage, (now, done))
        if now - self._last < self._every or done == 0:
            return
        self._last = now
        line = f"{stage}: {done:,}/{total:,}"
        passed, made = now - since, done - before
        if made > 0 and passed > 0:
            line += f", {made / passed:.1f}/s"
            if done < total:
                line += f", about {_duration((total - done) * passed / made)} left"
        self._console.print(line)

    def stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


def _duration(seconds: float) -> str:
    """Time as people say it: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
