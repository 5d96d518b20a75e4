"""A process of its own that reads or scores for the server, and ends with it.

Requests and answers are lines of JSON on its standard streams. So a file that brings a reader down
takes no page with it, and a run can be cancelled by ending its process. `score` is the one door:
a run here is the run of the command, and can be resumed by either.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gistmeter.core.api import settle
from gistmeter.core.cache import Cache, cache_file
from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.core.family import family_of
from gistmeter.core.runs import JOURNAL, RUN
from gistmeter.core.runs.saved import load_run
from gistmeter.core.score import score
from gistmeter.people.item_keys import labels_of
from gistmeter.people.ledger import ledger_of
from gistmeter.people.rating_sheet import read_sheet
from gistmeter.workbench.result_pages import prepare
from gistmeter.workbench.understanding import understand

logger = logging.getLogger(__name__)
EVERY = 0.2  # seconds between reports of progress
Say = Callable[[Mapping[str, Any]], None]


def main() -> None:
    """Answer requests until the server goes."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no answer

    def say(message: Mapping[str, Any]) -> None:
        os.write(answers, json.dumps(message, ensure_ascii=True).encode() + b"\n")

    for line in sys.stdin:
        request = json.loads(line)
        tasks = {"understand": _understand, "labels": _labels, "score": _score}
        try:
            say({"answer": tasks[request["task"]](request, say)})
        except GistmeterError as error:
            say({"error": str(error), "remarks": request.get("remarks", [])})
        except MemoryError:
            say({"error": "Memory ran out. Close other programs, or give the files in parts"})
        except OSError as error:  # a full disk, a drive that was pulled out
            place = f"{error.filename}: " if error.filename else ""
            say({"error": f"{place}{error.strerror or error}"})
        except Exception as error:
            logger.exception("a request failed")
            say({"error": f"This is a fault of gistmeter, please report it: {error!r}"})


def _understand(request: dict[str, Any], say: Say) -> dict[str, Any]:
    del say
    return understand(request["shape"], request["options"])


def _labels(request: dict[str, Any], say: Say) -> dict[str, Any]:
    """Check what a rater elsewhere filled in, and keep it."""
    del say
    run, top = load_run(Path(request["run"]).absolute()), Path.cwd()
    assert run.path is not None
    found = read_sheet(run, Path(request["file"]), request["rater"], labels_of(run, top))
    ledger_of(Path(run.path), top).append(*found.labels)
    return {"new": len(found.labels), "known": found.known, "empty": found.empty}


def _score(request: dict[str, Any], say: Say) -> dict[str, Any]:
    """Score as the command would, and prepare what the page shows of the run."""
    threading.Thread(target=_end_with_server, daemon=True).start()
    folder = Path(request["run"])
    if linked := next((place for place in folder.parents if place.is_symlink()), None):
        raise InputError(f"{linked}: is a link; runs are kept below the opened folder")
    own, how = settle(request["shape"], None, request["options"])
    begun = any((folder / name).exists() for name in (JOURNAL, RUN))
    how = replace(how, output=(folder,), resume=begun)
    last, stage = 0.0, ""
    remarks: list[str] = request.setdefault("remarks", [])

    def progress(name: str, done: int, total: int) -> None:
        nonlocal last, stage
        if name != stage or done >= total or time.monotonic() - last > EVERY:
            last, stage = time.monotonic(), name
            say({"stage": name, "done": done, "total": total})

    def hear(remark: str, warning: bool) -> None:
        del warning
        remarks.append(remark)
        say({"remarks": remarks})

    cache = Cache(cache_file())
    try:
        # No profiles: what a configuration file names is nothing that a page may ask for.
        run = score(
            family_of(request["shape"]), own, how=how, cache=cache, progress=progress, hear=hear
        )
    finally:
        cache.close()
    prepare(run, Path.cwd())
    return {"run": str(folder)}


def _end_with_server() -> None:
    """The server holds the other end: when that closes, nobody waits for the run any more."""
    while sys.stdin.readline():
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
