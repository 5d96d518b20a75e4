"""The only way from inputs to a run, for Python, the command line, a cluster and plug-ins.

`score` asks a family for its items and metrics and hands them to `evaluate`, where items, metrics
and the run on disk meet: items go through every metric in chunks; the metrics' rows are joined,
journalled if there is a folder, put back in input order, pooled, and given intervals. Models keep
what they know of all texts over the whole run, so chunks cost nothing and a killed run loses one
chunk at most.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from gistmeter import registry
from gistmeter.cache import Cache
from gistmeter.comparison.tallied import compare_tallies
from gistmeter.engines import Engine, Local, Work, engine_of
from gistmeter.engines.measuring import Base, Parts, count_items
from gistmeter.engines.pooling import SAMPLE, Count, Tallying, add_tallies
from gistmeter.errors import InputError, UnknownName
from gistmeter.families.family import Context, Family, Items, Progress, RunSettings, Task
from gistmeter.files import sha256
from gistmeter.formats.encoding import reading_as
from gistmeter.formats.remote import fetch_inputs
from gistmeter.rows import Rows
from gistmeter.run import Excerpt, Run
from gistmeter.runs import Plan, RunFolder, hold, open_folder
from gistmeter.settings import OURS, PRESET, Settings
from gistmeter.signature import combine, sign
from gistmeter.statistics import (
    NeedsValues,
    count_reasons,
    keyed,
    reasons_of,
    summarise,
    summarise_tally,
)
from gistmeter.types import SEED, Item, Metric, SystemScores

HERE = Local()
OpenFolder = Callable[[Plan], RunFolder]
LISTED = 6  # systems named in a remark
SHARD = 4  # chunks in a shard of a large run
VERSIONED = ("numpy", "onnxruntime", "tokenizers", "torch", "transformers", "polars")


def score(
    family: Family[Any, Any],
    settings: Settings,
    *,
    items: Items[Any] | None = None,
    how: RunSettings | None = None,
    cache: Cache | None = None,
    profiles: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
    hear: Callable[[str, bool], None] | None = None,
    confirm: Callable[[str], bool] | None = None,
) -> Run:
    """Score what the settings name, or the given items, and keep the run where that is asked for.

    `hear` gets every remark and whether it is a warning; without it they are logged, and they are
    in `run.remarks` in any case.
    """
    how = how or RunSettings()
    files, folder = split_outputs(how.output)
    engine = engine_of(how, getattr(settings, "device", "auto"))
    with contextlib.ExitStack() as stack:
        if folder:
            stack.enter_context(hold(folder))
            RunFolder.check_free(folder, overwrite=how.overwrite or how.resume)
        stack.enter_context(engine.open())
        memory = stack.enter_context(contextlib.closing(Cache(None)))
        store = memory if cache is None or how.no_cache else cache
        context = Context(
            store, profiles or {}, progress, hear, confirm, folder, how.resume, how.overwrite,
            engine=engine,
        )  # fmt: skip
        if items is None and not family.streams(settings, context):
            settings = fetch_inputs(settings, stack, context.say)
        with reading_as(getattr(settings, "encoding", "")):
            read = items if items is not None else family.read(settings, context)
        read = family.prepare(read, settings, context)
        tell_preset(settings, context)
        spare(read.files, files)
        metrics = family.build(read, settings, context)
        know_thresholds(how.fail_under, metrics)
        statistics = {name: getattr(how, name) for name in ("seed", "resamples", "confidence")}
        task = Task(settings, read, metrics, statistics)
        run = _evaluate(family, task, how, context)
        family.finish(run, task, context)
        tell_uneven(run, context)
        return _written(run, files, how, context)


def _evaluate(
    family: Family[Any, Any], task: Task[Any, Any], how: RunSettings, context: Context
) -> Run:
    """`evaluate` with what a family says of its task, into the run's folder where there is one."""
    read, folder, progress = task.read, context.folder, context.progress
    settings = {**task.settings.to_dict(), **read.found}
    resume, overwrite = how.resume and not read.anew, how.overwrite or read.anew
    return evaluate(
        read.items,
        task.metrics,
        command=family.name,
        settings=settings,
        signed=read.signed,
        inputs={**input_digests(read.files), **read.digests},
        open_folder=(
            partial(open_folder, folder, resume=resume, overwrite=overwrite, say=context.say)
            if folder else None
        ),
        chunk=family.chunk,
        progress=(lambda _, *counts: progress(family.stage, *counts)) if progress else None,
        notes=read.notes if family.adds_up else lambda rows: family.notes(rows, task),
        count=family.count if family.adds_up else None,
        documents=family.documents(read),
        base=family.base,
        headline=family.leads(settings),
        engine=context.engine or HERE,
        **task.statistics,
    )  # fmt: skip


def _written(run: Run, files: Sequence[Path], how: RunSettings, context: Context) -> Run:
    """The run with its remarks, once its files, its pages and its report are written."""
    run = replace(run, remarks=tuple(context.remarks))
    for path in files:
        for file in run.write(path, bom=not how.no_bom):
            context.say(f"Wrote {file}")
    run = replace(run, remarks=tuple(context.remarks))  # the last: it keeps its findings
    if run.path:
        run.write_pages()
    if run.path and not how.no_report:
        run.report(title=how.heading)
    return run


def tell_preset(settings: Settings, context: Context) -> None:
    """Say whose system is followed, and where the user departs from it."""
    chosen = getattr(settings, PRESET, OURS)
    if chosen == OURS:
        return
    own = settings.presets[chosen]
    changed = [name for name, value in own.items() if getattr(settings, name) != value]
    but = f", but for {', '.join(changed)}" if changed else ""
    context.say(f"Scored as {chosen} does{but}; see docs/differences.md")


def tell_uneven(run: Run, context: Context) -> None:
    """Warn where systems are ranked by different items: whoever skips the hard ones would win."""
    for name in run.headline:
        held = [(system, own.scores[name]) for system, own in run.systems.items()
                if name in own.scores]  # fmt: skip
        if len({score.unscored for _, score in held}) > 1:
            listed = ", ".join(f"{system} {score.unscored}" for system, score in held[:LISTED])
            context.warn(
                f"{name}: systems left different numbers of items unscored ({listed}"
                f"{' …' if len(held) > LISTED else ''}), so their scores are of different items."
                " gistmeter compare takes the items that they share"
            )
            return


def evaluate(
    items: Sequence[Item],
    metrics: Mapping[str, Metric] | Sequence[Metric],
    *,
    command: str = "python",
    settings: Mapping[str, Any] | None = None,
    signed: Mapping[str, Any] | None = None,
    inputs: Mapping[str, str] | None = None,
    open_folder: OpenFolder | None = None,
    seed: int = SEED,
    resamples: int = 1000,
    confidence: float = 0.95,
    chunk: int = 1024,
    progress: Progress | None = None,
    notes: Mapping[str, Any] | Callable[[Rows], Mapping[str, Any]] | None = None,
    documents: Mapping[str, Any] | None = None,
    base: Base = Rows.of,
    headline: Sequence[str] = (),
    engine: Engine = HERE,
    count: Count | None = None,
) -> Run:
    """Score items with metrics.

    `signed` says how the items were read from their files, as far as that changes a score: it is
    part of every signature. `open_folder` gets the plan and gives the run's folder, new or
    resumed; without it nothing is written. `notes` may be a function of the rows, called at the
    end; `documents` are kept among the run's details; `engine` says where the work runs. `count`
    finds numbers for the notes in any part of the rows; with it a large run is pooled part by part
    and carries a sample of its rows. Returns the run with its rows; an item that cannot be scored
    is in it with its reason.
    """
    if not len(items):
        raise InputError("There is nothing to score: no items were given")
    named = metrics if isinstance(metrics, Mapping) else {name_of(one): one for one in metrics}
    if not named:
        raise InputError("Nothing to compute: every score that was asked for had to be left out")
    statistics: dict[str, Any] = {
        "seed": seed, "resamples": resamples, "confidence": confidence
    }  # fmt: skip
    signatures = {
        name: sign(name, metric, **_missing(metric), **(signed or {}), **statistics)
        for name, metric in named.items()
    }
    signature = combine(signatures)
    plan = Plan(command, dict(settings or {}), signature, dict(inputs or {}), len(items))
    folder = open_folder(plan) if open_folder else None

    started = time.perf_counter()
    apart = count is not None and folder is not None and len(items) > keyed.LARGE
    work = Work(named, base, folder.shelf if folder and (apart or engine.apart) else None, chunk)
    kept = _measure_all(engine, work, items, folder, apart=apart, progress=progress)
    measured = time.perf_counter()
    task = _Pooling(named, signatures, statistics, count or (lambda _: {}), headline)
    found = task.of_shards(engine, folder, len(items)) if apart and folder else None
    if found is None:
        rows = folder.rows() if folder else Rows.merge(kept)
        rows = rows.with_details({**(documents or {}), **_documents(named, rows, items)})
        found = task.of_rows(rows)
    told = notes(found.measured) if callable(notes) else notes or {}
    run = replace(
        found,
        command=command,
        signature=signature,
        settings=dict(settings or {}),
        timings={
            "measure_seconds": measured - started,
            "statistics_seconds": time.perf_counter() - measured,
        },
        versions=versions(),
        notes={**found.notes, **told},
        path=folder.path if folder else None,
        inputs=plan.inputs,
    )
    if folder:
        folder.finish(run)
    return run


@dataclass(frozen=True)
class _Pooling:
    """What becomes of rows once all are measured."""

    metrics: Mapping[str, Metric]
    signatures: Mapping[str, str]
    statistics: Mapping[str, Any]
    count: Count
    headline: Sequence[str]

    def _run(self, systems: Mapping[str, SystemScores], unscored: Mapping[str, int]) -> Run:
        return Run(
            "", "", systems, reasons_of(unscored, systems), signatures=self.signatures,
            metrics=self.metrics, headline=self.headline, **self.statistics,
        )  # fmt: skip

    def of_rows(self, rows: Rows) -> Run:
        systems = summarise(self.metrics, rows, signatures=self.signatures, **self.statistics)
        run = self._run(systems, count_reasons(rows))
        return replace(run, rows=rows, notes=dict(self.count(rows)))

    def of_shards(self, engine: Engine, folder: RunFolder, items: int) -> Run | None:
        """The same from sums, without all rows at once; None where a score needs them."""
        shards = folder.shards()
        if not shards or any(_tells(metric) for metric in self.metrics.values()):
            return None
        seed, resamples = self.statistics["seed"], self.statistics["resamples"]
        tallying = Tallying(
            folder.path.resolve(), self.metrics, self.count, resamples, seed, SAMPLE / items
        )
        try:
            tally, sample = add_tallies(engine, HERE, tallying, shards)
            systems = summarise_tally(
                self.metrics, tally, signatures=self.signatures,
                confidence=self.statistics["confidence"],
            )  # fmt: skip
            found = compare_tallies(systems, tally, self.metrics, self.headline, self.statistics)
        except NeedsValues:
            return None
        run = self._run(systems, tally.unscored)
        most = max(held.rows for held in tally.systems.values())
        return replace(run, excerpt=Excerpt(sample, found, most), notes=tally.counted)


def _tells(metric: Metric) -> bool:
    """Whether a metric says something of all rows together."""
    return hasattr(getattr(metric, "first", metric), "documents")


def _missing(metric: Metric) -> dict[str, str]:
    """What a metric's scores lack, for the signature of a partial one."""
    partial: Mapping[str, Sequence[str]] = getattr(metric, "partial", {})
    parts = dict.fromkeys(part for missing in partial.values() for part in missing)
    return {"partial": ",".join(parts)} if parts else {}


def _documents(metrics: Mapping[str, Metric], rows: Rows, items: Sequence[Item]) -> dict[str, Any]:
    """What metrics say of all rows together: breakdowns, the sentences that lose most."""
    found: dict[str, Any] = {}
    for metric in metrics.values():
        tell = getattr(metric, "documents", None)
        found |= tell(rows, items) if tell is not None else {}
    return found


def _measure_all(
    engine: Engine,
    work: Work,
    items: Sequence[Item],
    folder: RunFolder | None,
    *,
    apart: bool,
    progress: Progress | None,
) -> list[Rows]:
    """Have the chunks measured that the folder lacks; without a folder their rows are returned.

    `apart` keeps the chunks of a large run as shards, whoever measures them.
    """
    missing = folder.missing() if folder else [range(len(items))]
    total, done = len(items), len(items) - sum(map(len, missing))
    measured: list[Any] = []
    keep = folder.add if folder else measured.append
    for part in engine.run(work, Parts(items, missing, work.chunk * (SHARD if apart else 1))):
        keep(folder.shelf.put(part) if folder and apart and isinstance(part, Rows) else part)
        done += count_items(part)
        if progress:
            progress("Scoring", done, total)
    return measured


def name_of(metric: Metric) -> str:
    """The name a metric is registered under, else its class's name."""
    module, kind = type(metric).__module__, type(metric).__qualname__
    points = registry.installed("gistmeter.metrics")
    known = {
        **{point.name: point.value for point in points},
        **registry.TABLES["gistmeter.metrics"],
    }
    for name, target in known.items():
        home, _, attribute = target.partition(":")
        if attribute == kind and (module == home or module.startswith(home + ".")):
            return name
    return kind


def know_thresholds(thresholds: Mapping[str, float], metrics: Mapping[str, Metric]) -> None:
    """A threshold on a score that will not be computed is a mistake to report at once."""
    known = {info.name for metric in metrics.values() for info in metric.scores}
    for name in thresholds:
        if name not in known:
            raise UnknownName("score for fail_under", name, known)


def spare(inputs: Sequence[Path], outputs: Sequence[Path]) -> None:
    """No output may take the place of an input."""
    read = {path.resolve() for path in inputs}
    for path in outputs:
        if path.resolve() in read:
            raise InputError(f"{path}: is read by this command; choose another file to write")


# Suffixes of files that we do not write: a run's folder is hardly ever called so.
DOCUMENTS = (
    ".xls", ".xlsm", ".ods", ".doc", ".docx", ".odt", ".pdf", ".txt", ".tex", ".htm", ".xml",
    ".yaml", ".yml", ".jsonl", ".zip", ".png", ".svg",
)  # fmt: skip


def split_outputs(given: Sequence[Path]) -> tuple[list[Path], Path | None]:
    """The files among the outputs, and the folder, of which there may be one."""
    import os

    from gistmeter.report.suffixes import SUFFIXES

    files = [path for path in given if path.suffix.lower() in SUFFIXES and not path.is_dir()]
    folders = [path for path in given if path not in files]
    for path in folders:
        if path.suffix.lower() in DOCUMENTS and not path.is_dir():
            known = ", ".join(SUFFIXES)
            raise InputError(f"{path}: cannot write '{path.suffix}'. Known: {known}")
    if len(folders) > 1:
        listed = ", ".join(str(path) for path in folders)
        raise InputError(f"-o names several run folders ({listed}); give one")
    for path in files:
        if path.parent.exists() and not os.access(path.parent, os.W_OK):
            raise InputError(f"{path}: its folder cannot be written to")
    return files, folders[0] if folders else None


def versions() -> dict[str, str]:
    """What the numbers were computed with."""
    found = {"python": platform.python_version()}
    for package in VERSIONED:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def input_digests(paths: Sequence[Path]) -> dict[str, str]:
    """The content of the input files, so that a changed file is not resumed by mistake.

    Files are named without their folder, since a run may be resumed from another one; a name that
    occurs again is numbered.
    """
    digests: dict[str, str] = {}
    for path in paths:
        name, number = path.name, 1
        while name in digests:
            number += 1
            name = f"{path.name} ({number})"
        digests[name] = sha256(path)
    return digests
