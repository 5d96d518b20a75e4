"""The folder of a run while it is being made: started, journalled, resumed, finished."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.core.errors import InputError, ResumeError
from gistmeter.core.family import DETAILS
from gistmeter.core.files import is_draft
from gistmeter.core.folders import Folder
from gistmeter.core.rows import Rows
from gistmeter.core.runs.journal import Journal, Plan, refuse_other_plan
from gistmeter.core.runs.layout import (
    ITEMS,
    JOURNAL,
    RUN,
    SHARDS,
    default_folder,
    newest_unfinished,
    plain,
    read_document,
    to_json,
)
from gistmeter.core.runs.manifest import (
    WRITTEN,
    clear,
    contents,
    differing,
    hold,
    is_run,
    owned,
    refuse_foreign,
    refuse_links,
)
from gistmeter.core.runs.shards import Shard, Shelf, join_shards, spelled, to_parquet, write_details
from gistmeter.core.signature import describe, digest, seal

if TYPE_CHECKING:
    from gistmeter.core.run import Run

logger = logging.getLogger(__name__)
SHOWN = 5  # names that an error lists


class RunFolder:
    """The folder of one run while it is being made.

    A folder with a journal is unfinished, whatever else is in it. The journal comes first and goes
    last, so that a kill at any moment leaves a run that can be resumed or replaced.
    """

    def __init__(self, path: Path, plan: Plan, kept: Journal, *, finished: bool = False) -> None:
        self.path, self.plan, self._journal, self.finished = path, plan, kept, finished

    @classmethod
    def start(cls, path: Path, plan: Plan, *, overwrite: bool = False) -> RunFolder:
        """A new run in a new or empty folder; one that has a run needs `overwrite`."""
        cls.check_free(path, overwrite=overwrite)
        kept = Journal(path / JOURNAL, plan.to_dict(), claims=owned(path))
        kept.start()
        clear(path, kept.claims)
        return cls(path, plan, kept)

    @staticmethod
    def check_free(path: Path, *, overwrite: bool = False) -> None:
        """Refuse a folder that a new run cannot have, before any work is done."""
        if path.exists() and not path.is_dir():
            raise InputError(f"{path}: is a file; a run needs a folder")
        names = contents(path)
        if not names:
            return
        if not is_run(path):
            shown = ", ".join(sorted(names)[:SHOWN]) + (" …" if len(names) > SHOWN else "")
            raise InputError(
                f"{path}: is not empty and holds no run (it has {shown}). Choose another folder"
            )
        refuse_links(path)
        if not overwrite:
            raise InputError(
                f"{path}: holds a run already. Use --resume to go on with it, --overwrite to "
                "replace it, or choose another folder"
            )

    @classmethod
    def resume(cls, path: Path, plan: Plan) -> RunFolder | None:
        """Go on with a run; None where there is nothing to go on with.

        A finished run is left as it is, unless a document of it is gone: then it is made again.
        """
        names = contents(path)
        if not names:
            return None
        if JOURNAL in names:
            kept = Journal.read(path)
            if kept.rejected:
                logger.warning(
                    "%s: %d lines were damaged; their items are measured again",
                    kept.path, kept.rejected,
                )  # fmt: skip
            refuse_other_plan(path, plan, kept.plan)
        elif RUN in names:
            document = read_document(path)
            refuse_other_plan(path, plan, document.get("plan"))
            if not all(map(Folder(path).has, document["files"])):
                return cls.start(path, plan, overwrite=True)
            return cls(path, plan, Journal(path / JOURNAL, plan.to_dict()), finished=True)
        else:
            raise ResumeError(f"{path}: holds no run to resume. Choose another folder")
        keep = {f"{DETAILS}/{name}" for name in kept.details}
        keep |= {f"{SHARDS}/{chunk.name}" for chunk in kept.chunks if isinstance(chunk, Shard)}
        clear(path, kept.claims - keep)
        return cls(path, plan, kept)

    def missing(self) -> list[range]:
        """The stretches of items that no row stands for yet, in input order."""
        return [] if self.finished else self._journal.missing()

    @property
    def shelf(self) -> Shelf:
        """Where workers may put the rows of their chunks themselves."""
        claims = frozenset(self._journal.claims)
        return Shelf(self.path.resolve(), digest(self._journal.plan), claims)

    def add(self, chunk: Rows | Shard) -> None:
        """Journal a chunk: its details first, so that a journalled chunk is a whole one."""
        if isinstance(chunk, Shard):
            self._journal.add(chunk, chunk.details)
        else:
            self._journal.add(chunk, self._write(chunk.details))

    def _write(self, details: Mapping[str, Any]) -> dict[str, str]:
        """Details in their place, claimed before; their digests."""
        folder, documents = Folder(self.path), spelled(details)
        refuse_foreign(folder, differing(folder, documents), self._journal.claims)
        self._journal.claim(documents)
        return write_details(folder, documents)

    def rows(self) -> Rows:
        """All rows, in input order."""
        return Rows.merge(self._journal.rows())

    def shards(self) -> list[Shard]:
        """The shards in input order; none where some rows are in the journal itself."""
        shards = [chunk for chunk in self._journal.chunks if isinstance(chunk, Shard)]
        whole = len(shards) == len(self._journal.chunks)
        return sorted(shards, key=lambda shard: shard.first) if whole else []

    def finish(self, run: Run) -> None:
        """Write the run for good and let the journal go."""
        folder, details = Folder(self.path), dict(self._journal.details)
        if run.rows is None:
            join_shards(self.path, self.shards())
        else:
            details |= self._write(run.rows.details)
            folder.write(ITEMS, to_parquet(run.rows))
        document = {
            **run.outline(),
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
                ITEMS: folder.sha256(ITEMS),
                **{f"{DETAILS}/{name}": sha for name, sha in sorted(details.items())},
            },
            WRITTEN: [],
        }
        for system, scored in document["systems"].items():
            for name, score in scored["scores"].items():
                known = run.systems[system].scores[name]
                score.update(unit=known.unit, reasons=dict(known.reasons))
        folder.write(RUN, to_json(seal(plain(document))) + "\n")
        folder.remove(JOURNAL)  # workers that a killed run left write no more
        folder.sweep(SHARDS)
        clear(self.path, [name for name in owned(self.path) if name.startswith(f"{SHARDS}/")])


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
        say("Nothing to resume: starting from the beginning")
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
    folder = Folder(source) if source is not None else None
    names = folder.names(DETAILS) if folder else []
    return {
        name: folder.read(f"{DETAILS}/{name}").decode("utf-8")
        for name in names
        if folder and Path(name).suffix in {".json", ".jsonl"} and not is_draft(Path(name))
    }
