"""Work that blocks, away from the event loop.

The threads are daemons of our own and not those of an executor: a call that never returns can then
be left behind when its time is up, and neither the next clip nor the end of the program waits for
it.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


class Worker:
    """One thread that does one thing after the other."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    async def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()

        def settle(result: Result | None, error: BaseException | None) -> None:
            if future.done():  # its time was up
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)  # type: ignore[arg-type]

        def job() -> None:
            result, failure = None, None
            try:
                result = function(*arguments)
            except BaseException as error:  # handed over to who waits for it
                failure = error
            with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits
                loop.call_soon_threadsafe(settle, result, failure)

        self._jobs.put(job)
        return await future

    def stop(self, last: Callable[[], None] | None = None) -> None:
        """Finish what is queued, then `last`, then end. Does not wait."""
        if last is not None:
            self._jobs.put(last)
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


async def in_thread(function: Callable[..., Result], *arguments: Any) -> Result:
    """One call in a thread of its own."""
    worker = Worker(getattr(function, "__name__", "call"))
    try:
        return await worker.run(function, *arguments)
    finally:
        worker.stop()
