"""The folder of a run while it is being made: started, journalled, resumed, finished."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.errors import GistmeterError, InputError, ResumeError
from gistmeter.families.family import DETAILS
from gistmeter.files import write_atomically
from gistmeter.rows import Rows
from gistmeter.runs import journal
from gistmeter.runs.layout import (
    ITEMS,
    JOURNAL,
    REPORT,
    RUN,
    default_folder,
    newest_unfinished,
    read_items,
    read_json,
    to_json,
)
from gistmeter.runs.plan import Plan, refuse_other_plan
from gistmeter.signature import canonical, describe

if TYPE_CHECKING:
    from gistmeter.run import Run


class RunFolder:
    """The folder of one run while it is being made."""

    def __init__(self, path: Path, plan: Plan, done: Sequence[Rows] = ()) -> None:
        self.path, self.plan = path, plan
        self.done = list(done)

    @classmethod
    def start(cls, path: Path, plan: Plan, *, overwrite: bool = False) -> RunFolder:
        """A new run in a new or empty folder; a folder with a run in it is kept unless told."""
        cls.check_free(path, overwrite=overwrite)
        if path.exists():
            _empty(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path}: cannot be made ({error.strerror or error})") from error
        folder = cls(path, plan)
        write_atomically(path / JOURNAL, canonical(plan.to_dict()) + "\n")
        return folder

    @staticmethod
    def check_free(path: Path, *, overwrite: bool = False) -> None:
        """Refuse a folder that a new run cannot have, before any work is done."""
        if path.exists() and not path.is_dir():
            raise InputError(f"{path}: is a file; a run needs a folder")
        if not path.exists() or not any(path.iterdir()):
            return
        if not (path / RUN).exists() and not (path / JOURNAL).exists():
            raise InputError(f"{path}: is not empty and holds no run. Choose another folder")
        if not overwrite:
            raise InputError(
                f"{path}: holds a run already. Use --resume to go on with it, --overwrite to "
                "replace it, or choose another folder"
            )

    @classmethod
    def resume(cls, path: Path, plan: Plan) -> RunFolder | None:
        """Go on with a run; None where there is nothing to go on with."""
        if not path.is_dir() or not any(path.iterdir()):
            return None
        if (path / RUN).exists():
            stored = read_json(path / RUN).get("plan", {})
            refuse_other_plan(path, plan, stored)
            return cls(path, plan, [read_items(path / ITEMS)])
        if not (path / JOURNAL).exists():
            raise ResumeError(f"{path}: holds no run to resume. Choose another folder")
        stored, parts, good = journal.read(path / JOURNAL)
        refuse_other_plan(path, plan, stored)
        with (path / JOURNAL).open("r+b") as stream:
            stream.truncate(good)  # a half-written last line must not stand before the next one
        return cls(path, plan, parts)

    def missing(self) -> list[int]:
        """The items that no row stands for yet, in input order."""
        seen = {int(at) for part in self.done for at in part.item}
        return [at for at in range(self.plan.items) if at not in seen]

    def add(self, rows: Rows) -> None:
        """Journal a chunk: its details first, so that a journalled chunk is a whole one."""
        for name, document in rows.details.items():
            self.write_detail(name, document)
        journal.append(self.path / JOURNAL, rows)
        self.done.append(rows)

    def write_detail(self, name: str, document: Any) -> None:
        """A document beside the run: JSON, or text as it is."""
        safe = re.sub(r"[^\w.-]+", "_", name, flags=re.UNICODE).lstrip(".") or "detail"
        text = document if isinstance(document, str) else to_json(document)
        write_atomically(self.path / DETAILS / safe, text)

    def rows(self) -> Rows:
        """All rows, in input order."""
        return Rows.merge(self.done)

    def finish(self, run: Run) -> None:
        """Write the run for good and let the journal go."""
        for name, document in run.measured.details.items():
            self.write_detail(name, document)
        frame = run.to_polars()
        write_atomically(self.path / ITEMS, frame.write_parquet)
        document = {
            **run.to_dict(),
            "plan": self.plan.to_dict(),
            "settings": describe(run.settings),
            "signatures": dict(run.signatures),
            "timings": dict(run.timings),
            "versions": dict(run.versions),
            "notes": run.notes,
            "metrics": {
                name: {"settings": describe(metric)} for name, metric in run.metrics.items()
            },
            "confidence": run.confidence,
            "resamples": run.resamples,
            "seed": run.seed,
        }
        for system, held in document["systems"].items():
            for name, score in held["scores"].items():
                known = run.systems[system].scores[name]
                score.update(unit=known.unit, reasons=dict(known.reasons))
        write_atomically(self.path / RUN, to_json(document) + "\n")
        (self.path / JOURNAL).unlink(missing_ok=True)


def choose_folder(command: str, *, resume: bool) -> Path:
    """Where a run is kept that names no folder: the newest unfinished one, or a new one."""
    root = Path("runs")
    unfinished = newest_unfinished(command, root) if resume else None
    return unfinished or default_folder(command, root)


def open_folder(
    path: Path, plan: Plan, *, resume: bool, overwrite: bool, say: Callable[[str], None]
) -> RunFolder:
    """The folder of a run that starts, or goes on where it was stopped."""
    if resume:
        resumed = RunFolder.resume(path, plan)
        if resumed is not None:
            left = len(resumed.missing())
            say(f"Resuming {path}: {plan.items - left} of {plan.items} items are done")
            return resumed
        say("Nothing to resume: starting afresh")
    return RunFolder.start(path, plan, overwrite=overwrite)


def save_run(run: Run, *, overwrite: bool = False) -> None:
    """Keep a run that was made in memory in its folder."""
    if run.path is None:
        raise InputError("The run has no folder to be saved in")
    items = int(run.measured.item.max()) + 1 if len(run.measured) else 0
    plan = Plan(run.command, run.settings, run.signature, run.inputs, items)
    RunFolder.start(run.path, plan, overwrite=overwrite).finish(run)


def _empty(path: Path) -> None:
    """Remove what a run has written, and nothing else."""
    for name in (JOURNAL, RUN, ITEMS, REPORT):
        (path / name).unlink(missing_ok=True)
    if (path / DETAILS).is_dir():
        for file in (path / DETAILS).iterdir():
            if file.is_file():
                file.unlink()
    if any(file for file in path.iterdir() if file.name != DETAILS):
        raise GistmeterError(f"{path}: holds files that are not of a run; nothing more was removed")
