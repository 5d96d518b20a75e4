"""The server's side of its workers: one that reads at once, and one a run, in the queue's order."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gistmeter.core.errors import GistmeterError
from gistmeter.workbench.state import CANCELLED, DONE, FAILED, RUNNING, WAITING, Job, State

logger = logging.getLogger(__name__)
PATIENCE = 300.0  # seconds that reading may take
WORKER = "gistmeter.workbench.worker"
GRACE = 5.0  # seconds between a polite end and the other
LINE = 64 * 1024**2  # bytes of an answer


async def start_child(folder: Path) -> asyncio.subprocess.Process:
    """A worker in the opened folder, where the paths of commands begin."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", WORKER,  # -P: no module of the folder is imported
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=folder, limit=LINE,
        env={**os.environ, "PYTHONPATH": _modules(folder)},
    )  # fmt: skip


def _modules(folder: Path) -> str:
    """Where modules are found: as here, but for the opened folder, which may be a stranger's."""
    kept = (path for path in sys.path if path and Path(path).absolute() != folder)
    return os.pathsep.join(kept)


async def end_child(child: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        child.terminate()
        try:
            await asyncio.wait_for(child.wait(), GRACE)
        except TimeoutError:
            child.kill()
            await child.wait()


async def send(child: asyncio.subprocess.Process, request: Mapping[str, Any]) -> None:
    assert child.stdin is not None
    child.stdin.write(json.dumps(request).encode() + b"\n")
    await child.stdin.drain()


@dataclass
class ReadingChild:
    """A worker that stays, for what a page waits for; started anew where it ended."""

    folder: Path
    _child: asyncio.subprocess.Process | None = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request: `answer`, or `error` with its message."""
        async with self._turn:
            if self._child is None or self._child.returncode is not None:
                self._child = await start_child(self.folder)
            assert self._child.stdout is not None
            try:
                await send(self._child, request)
                line = await asyncio.wait_for(self._child.stdout.readline(), PATIENCE)
            except (TimeoutError, ConnectionError, ValueError):
                line = b""
            if not line:
                await self.close()
                return {"error": "These files could not be read: reading them takes too long or too"
                                 " much memory. Give them in parts"}  # fmt: skip
            answer: dict[str, Any] = json.loads(line)
            return answer

    async def close(self) -> None:
        if self._child is not None:
            await end_child(self._child)
            self._child = None


@dataclass
class Queue:
    """Runs in a row: one works, the others wait, and what a server left unfinished goes on."""

    folder: Path
    state: State
    _child: asyncio.subprocess.Process | None = None
    _current: int = 0
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        self._news.set()

    async def work(self) -> None:
        """Serve the queue until the server ends."""
        for job in self.state.jobs(RUNNING):  # of a server that was killed
            self.state.change_job(job.id, state=WAITING)
        try:
            while True:
                self._news.clear()
                waiting = self.state.jobs(WAITING)
                if waiting:
                    await self._run(waiting[0])
                else:
                    await self._news.wait()
        finally:
            if self._child is not None:
                await end_child(self._child)

    async def cancel(self, number: int) -> None:
        """End a run, or take it out of the queue; what it measured stays in its folder."""
        job = self.state.job(number)
        if job is None or job.state not in (WAITING, RUNNING):
            return
        self.state.change_job(number, state=CANCELLED, ended=time.time())
        if number == self._current and self._child is not None:
            await end_child(self._child)

    async def _run(self, job: Job) -> None:
        self.state.change_job(
            job.id, state=RUNNING, began=time.time(), ended=None, message="", stage="", done=0,
            total=0,
        )  # fmt: skip
        self._current = job.id
        try:
            self._child = await start_child(self.folder)
            request = {"task": "score", "shape": job.shape, "options": dict(job.options),
                       "run": job.run}  # fmt: skip
            await send(self._child, request)
            await self._follow(job, self._child)
        except (GistmeterError, OSError) as error:
            logger.warning("run %s: %s", job.run, error)
            self._finish(job, FAILED, str(error))
        finally:
            self._current = 0
            if self._child is not None and self._child.returncode is None:
                await end_child(self._child)
            self._child = None

    async def _follow(self, job: Job, child: asyncio.subprocess.Process) -> None:
        """Keep what the worker says, up to its answer."""
        assert child.stdout is not None
        stage = ""
        async for line in child.stdout:
            message = json.loads(line)
            if "stage" in message:
                now = {"moved": time.time(), **message}
                if message["stage"] != stage:
                    now |= {"stage_began": time.time(), "stage_first": message["done"]}
                    stage = message["stage"]
                self.state.change_job(job.id, **now)
            elif "answer" in message:
                self._finish(job, DONE)
                return
            elif "error" in message:
                self._finish(job, FAILED, message["error"])
                return
            else:
                self.state.change_job(job.id, remarks=json.dumps(message["remarks"]))
        code = await child.wait()
        reason = "memory ran out" if code == -9 else f"exit code {code}"
        self._finish(
            job, FAILED, f"The process of the run ended early ({reason}). What is done is kept:"
            " start it again to go on",
        )  # fmt: skip

    def _finish(self, job: Job, state: str, message: str = "") -> None:
        """The end of a run, unless it was cancelled meanwhile."""
        now = self.state.job(job.id)
        if now is not None and now.state == RUNNING:
            self.state.change_job(job.id, state=state, message=message, ended=time.time())
