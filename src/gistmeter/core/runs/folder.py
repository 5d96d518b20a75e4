"""The folder of a run while it is being made: started, journalled, resumed, finished."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gistmeter.core.errors import InputError, ResumeError
from gistmeter.core.family import DETAILS
from gistmeter.core.files import is_draft, sha256, write_atomically
from gistmeter.core.rows import Rows
from gistmeter.core.runs.journal import Journal
from gistmeter.core.runs.layout import (
    ITEMS,
    JOURNAL,
    LOCK,
    REPORT,
    RUN,
    SHARDS,
    default_folder,
    newest_unfinished,
    plain,
    read_document,
    read_items,
    to_json,
)
from gistmeter.core.runs.lock import hold
from gistmeter.core.runs.plan import Plan, refuse_other_plan
from gistmeter.core.runs.shards import Shard, Shelf, join_shards, to_parquet, write_details
from gistmeter.core.signature import describe, digest, seal

if TYPE_CHECKING:
    from gistmeter.core.run import Run

logger = logging.getLogger(__name__)
LEFT = {ITEMS, REPORT, DETAILS, SHARDS}  # what alone makes no run


class RunFolder:
    """The folder of one run while it is being made.

    A folder with a journal is unfinished, whatever else is in it. The journal comes first and goes
    last, so that a kill at any moment leaves a run that can be resumed or replaced.
    """

    def __init__(self, path: Path, plan: Plan, kept: Journal) -> None:
        self.path, self.plan, self._journal = path, plan, kept

    @classmethod
    def start(cls, path: Path, plan: Plan, *, overwrite: bool = False) -> RunFolder:
        """A new run in a new or empty folder; a folder with a run in it is kept unless told."""
        cls.check_free(path, overwrite=overwrite)
        kept = Journal(path / JOURNAL, plan.to_dict())
        kept.start()
        _clear(path)
        shutil.rmtree(path / SHARDS, ignore_errors=True)
        return cls(path, plan, kept)

    @staticmethod
    def check_free(path: Path, *, overwrite: bool = False) -> None:
        """Refuse a folder that a new run cannot have, before any work is done."""
        if path.exists() and not path.is_dir():
            raise InputError(f"{path}: is a file; a run needs a folder")
        held = contents(path)
        if not held or (overwrite and held & {JOURNAL, RUN}):
            return
        if held & {JOURNAL, RUN}:
            raise InputError(
                f"{path}: holds a run already. Use --resume to go on with it, --overwrite to "
                "replace it, or choose another folder"
            )
        if not overwrite or held - LEFT:
            raise InputError(f"{path}: is not empty and holds no run. Choose another folder")

    @classmethod
    def resume(cls, path: Path, plan: Plan) -> RunFolder | None:
        """Go on with a run; None where there is nothing to go on with."""
        held = contents(path)
        if not held - LEFT:
            return None
        if JOURNAL in held:
            kept = Journal.read(path / JOURNAL, path / DETAILS)
            if kept.rejected:
                logger.warning(
                    "%s: %d lines were damaged; their items are measured again",
                    kept.path, kept.rejected,
                )  # fmt: skip
            refuse_other_plan(path, plan, kept.plan)
        elif RUN in held:
            kept = _reopen(path, plan)
        else:
            raise ResumeError(f"{path}: holds no run to resume. Choose another folder")
        _clear(path, kept.details)
        return cls(path, plan, kept)

    def missing(self) -> list[range]:
        """The stretches of items that no row stands for yet, in input order."""
        return self._journal.missing()

    @property
    def shelf(self) -> Shelf:
        """Where workers may put the rows of their chunks themselves."""
        return Shelf(self.path.resolve(), digest(self._journal.plan))

    def add(self, chunk: Rows | Shard) -> None:
        """Journal a chunk: its details first, so that a journalled chunk is a whole one."""
        if isinstance(chunk, Shard):
            self._journal.add(chunk, chunk.details)
        else:
            self._journal.add(chunk, write_details(self.path, chunk.details))

    def rows(self) -> Rows:
        """All rows, in input order."""
        return Rows.merge(self._journal.rows())

    def shards(self) -> list[Shard]:
        """The shards in input order; none where some rows are in the journal itself."""
        found = [chunk for chunk in self._journal.chunks if isinstance(chunk, Shard)]
        whole = len(found) == len(self._journal.chunks)
        return sorted(found, key=lambda shard: shard.first) if whole else []

    def finish(self, run: Run) -> None:
        """Write the run for good and let the journal go."""
        details = dict(self._journal.details)
        if run.rows is None:
            join_shards([self.path / SHARDS / one.name for one in self.shards()], self.path / ITEMS)
        else:
            details |= write_details(self.path, run.rows.details)
            write_atomically(self.path / ITEMS, to_parquet(run.rows))
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
            "files": {
                ITEMS: sha256(self.path / ITEMS),
                **{f"{DETAILS}/{name}": sha for name, sha in sorted(details.items())},
            },
        }
        for system, held in document["systems"].items():
            for name, score in held["scores"].items():
                known = run.systems[system].scores[name]
                score.update(unit=known.unit, reasons=dict(known.reasons))
        write_atomically(self.path / RUN, to_json(seal(plain(document))) + "\n")
        (self.path / JOURNAL).unlink(missing_ok=True)
        shutil.rmtree(self.path / SHARDS, ignore_errors=True)


def contents(path: Path) -> set[str]:
    """The names in a folder, but for what belongs to no run: the lock and drafts."""
    if not path.is_dir():
        return set()
    return {file.name for file in path.iterdir() if file.name != LOCK and not is_draft(file)}


def _reopen(path: Path, plan: Plan) -> Journal:
    """The journal of a finished run, which counts as unfinished until it is written again."""
    document = read_document(path)
    refuse_other_plan(path, plan, document.get("plan", {}))
    details = {
        name.removeprefix(f"{DETAILS}/"): sha
        for name, sha in document.get("files", {}).items()
        if name != ITEMS
    }
    rows = read_items(path / ITEMS)
    kept = Journal(path / JOURNAL, plan.to_dict())
    kept.start()
    kept.add(rows, details)
    return kept


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
            left = sum(map(len, resumed.missing()))
            say(f"Resuming {path}: {plan.items - left} of {plan.items} items are done")
            return resumed
        say("Nothing to resume: starting afresh")
    return RunFolder.start(path, plan, overwrite=overwrite or resume)


def save_run(run: Run, *, overwrite: bool = False, source: Path | None = None) -> None:
    """Keep a run in its folder, with the details of the folder that it was loaded from."""
    if run.path is None:
        raise InputError("The run has no folder to be saved in")
    items = int(run.measured.item.max()) + 1 if len(run.measured) else 0
    plan = Plan(run.command, run.settings, run.signature, run.inputs, items)
    details = {**_details(source), **run.measured.details}
    with hold(run.path):
        folder = RunFolder.start(run.path, plan, overwrite=overwrite)
        folder.finish(replace(run, rows=run.measured.with_details(details)))


def _details(source: Path | None) -> dict[str, str]:
    """The documents in a run's folder; pages are made again."""
    if source is None or not (source / DETAILS).is_dir():
        return {}
    files = [file for file in (source / DETAILS).iterdir() if file.suffix in {".json", ".jsonl"}]
    return {file.name: file.read_text("utf-8") for file in files if not is_draft(file)}


def _clear(path: Path, details: Collection[str] = ()) -> None:
    """Remove what earlier runs have written here, but for the named details; no other file."""
    for name in (RUN, ITEMS, REPORT):
        (path / name).unlink(missing_ok=True)
    if (path / DETAILS).is_dir():
        for file in (path / DETAILS).iterdir():
            if file.is_file() and file.name not in details:
                file.unlink()
