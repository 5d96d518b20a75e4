"""Items and metrics become a run: measured in chunks, kept, pooled, given intervals.

Items go through every metric in chunks; the metrics' rows are joined, journalled if there is a
folder, put back in input order, and pooled. Models keep what they know of all texts over the whole
run, so chunks cost nothing and a killed run loses one chunk at most.

A large run is kept in shards. Each is tallied where it lies, and the tallies are added up, so no
process ever holds all rows; what a report shows of single items is an even sample.
"""

from __future__ import annotations

import importlib.metadata
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from gistmeter.core import registry
from gistmeter.core.engines import Base, Engine, Local, Parts, Work, count_items
from gistmeter.core.errors import InputError
from gistmeter.core.family import Family, Items, Progress, Task
from gistmeter.core.rows import Rows
from gistmeter.core.run import Excerpt, Run
from gistmeter.core.runs import SHARDS, Plan, RunFolder, Shard
from gistmeter.core.runs.saved import load_run
from gistmeter.core.settings import Settings
from gistmeter.core.signature import combine, sign
from gistmeter.core.statistics import (
    NeedsValues,
    Tally,
    bootstrap,
    count_reasons,
    hash_of,
    pool_all,
    reasons_of,
    summarise,
    summarise_tally,
)  # fmt: skip
from gistmeter.core.types import SEED, Item, Metric, Statistics

HERE = Local()
OpenFolder = Callable[[Plan], RunFolder]
Count = Callable[[Rows], Mapping[str, Any]]
SHARD = 4  # chunks in a shard of a large run
SAMPLE = 20_000  # rows that a report shows, about
VERSIONED = ("numpy", "onnxruntime", "tokenizers", "torch", "transformers", "polars")


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
    if not isinstance(metrics, Mapping):
        metrics = {name_of(metric): metric for metric in metrics}
    further = notes if callable(notes) else None
    family = OwnItems(
        name=command, chunk=chunk, first=headline, kept=documents or {}, rows_of=base,
        numbers_of=count, notes_of=further, adds_up=count is not None and further is None,
    )  # fmt: skip
    kept = {} if notes is None or callable(notes) else notes
    read = Items(items, found=settings or {}, signed=signed or {}, notes=kept, digests=inputs or {})
    statistics = Statistics(seed=seed, resamples=resamples, confidence=confidence)
    task = Task(Settings(), read, metrics, statistics)
    return evaluate_task(family, task, open_folder, progress, engine)


@dataclass(frozen=True, kw_only=True)
class OwnItems(Family[Settings, Item]):
    """The family of items that no family read: what the caller of `evaluate` says of them."""

    name: str
    chunk: int
    first: Sequence[str]
    kept: Mapping[str, Any]
    rows_of: Base
    numbers_of: Count | None
    notes_of: Callable[[Rows], Mapping[str, Any]] | None
    adds_up: bool

    def base(self, items: Sequence[Item]) -> Rows:
        return self.rows_of(items)

    def count(self, rows: Rows) -> Mapping[str, Any]:
        return self.numbers_of(rows) if self.numbers_of else {}

    def notes(self, rows: Rows, task: Task[Settings, Item]) -> Mapping[str, Any]:
        further = self.notes_of(rows) if self.notes_of else {}
        return {**task.read.notes, **self.count(rows), **further}

    def documents(self, read: Items[Item]) -> Mapping[str, Any]:
        del read
        return self.kept

    def leads(self, settings: Mapping[str, Any]) -> Sequence[str]:
        del settings
        return self.first


def evaluate_task(
    family: Family[Any, Any],
    task: Task[Any, Any],
    open_folder: OpenFolder | None = None,
    progress: Progress | None = None,
    engine: Engine = HERE,
) -> Run:
    """Measure and pool what is settled, into a folder where one is opened for the plan."""
    read, metrics, statistics = task.read, task.metrics, task.statistics
    items = read.items
    if not len(items):
        raise InputError("There is nothing to score: no items were given")
    if not metrics:
        raise InputError("Nothing to compute: every score that was asked for had to be left out")
    settings = {**task.settings.to_dict(), **read.found}
    headline = family.leads(settings)
    signatures = {
        name: sign(name, metric, **_missing(metric), **read.signed, **statistics)
        for name, metric in metrics.items()
    }
    plan = Plan(family.name, settings, combine(signatures), dict(read.digests), len(items))
    folder = open_folder(plan) if open_folder else None
    if folder and folder.finished:
        return replace(load_run(folder.path), metrics=metrics, headline=headline)

    started = time.perf_counter()
    count = family.count if family.adds_up else None
    apart = count is not None and folder is not None and len(items) > bootstrap.LARGE
    shelf = folder.shelf if folder and (apart or engine.apart) else None
    work = Work(metrics, family.base, shelf, family.chunk)
    report = partial(progress, family.stage) if progress else None
    parts = _measure_all(engine, work, items, folder, apart=apart, report=report)
    measured = time.perf_counter()
    run = Run(
        family.name, plan.signature, {}, settings=settings, versions=versions(),
        signatures=signatures, path=folder.path if folder else None, metrics=metrics,
        inputs=plan.inputs, headline=headline, **statistics,
    )  # fmt: skip
    whole = _pool_shards(run, engine, folder, count) if folder and apart and count else None
    if whole is None:
        rows = folder.rows() if folder else Rows.merge(parts)
        details = {**family.documents(read), **_documents(run, rows, items)}
        whole = _pool_rows(run, rows.with_details(details), count)
    # A family that adds up counts in parts: its notes need no rows.
    notes = read.notes if family.adds_up else family.notes(whole.measured, task)
    ended = time.perf_counter()
    timings = {"measure_seconds": measured - started, "statistics_seconds": ended - measured}
    run = replace(whole, timings=timings, notes={**whole.notes, **notes})
    if folder:
        folder.finish(run)
    return run


def name_of(metric: Metric) -> str:
    """The name a metric is registered under, else its class's name."""
    module, kind = type(metric).__module__, type(metric).__qualname__
    added = {point.name: point.value for point in registry.installed(registry.METRICS)}
    for name, target in {**added, **registry.TABLES[registry.METRICS]}.items():
        home, _, attribute = target.partition(":")
        if attribute == kind and (module == home or module.startswith(home + ".")):
            return name.rpartition("/")[2]
    return kind


def versions() -> dict[str, str]:
    """What the numbers were computed with."""
    known = {"python": platform.python_version()}
    for package in VERSIONED:
        try:
            known[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return known


def _missing(metric: Metric) -> dict[str, str]:
    """What a metric's scores lack, for the signature of a partial one."""
    partly: Mapping[str, Sequence[str]] = getattr(metric, "partial", {})
    parts = dict.fromkeys(part for missing in partly.values() for part in missing)
    return {"partial": ",".join(parts)} if parts else {}


def _measure_all(
    engine: Engine,
    work: Work,
    items: Sequence[Item],
    folder: RunFolder | None,
    *,
    apart: bool,
    report: Callable[[int, int], None] | None,
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
        if report:
            report(done, total)
    return measured


def _documents(run: Run, rows: Rows, items: Sequence[Item]) -> dict[str, Any]:
    """What metrics say of all rows together: breakdowns, the sentences that lose most."""
    documents: dict[str, Any] = {}
    for metric in run.metrics.values():
        document = getattr(metric, "documents", None)
        documents |= document(rows, items) if document is not None else {}
    return documents


def _pool_rows(run: Run, rows: Rows, count: Count | None) -> Run:
    systems = summarise(
        run.metrics, rows, signatures=run.signatures,
        seed=run.seed, resamples=run.resamples, confidence=run.confidence,
    )  # fmt: skip
    notes = dict(count(rows)) if count else {}
    unscored = reasons_of(count_reasons(rows), systems)
    return replace(run, systems=systems, unscored=unscored, rows=rows, notes=notes)


def _pool_shards(run: Run, engine: Engine, folder: RunFolder, count: Count) -> Run | None:
    """The same from sums, without all rows at once; None where a score needs them."""
    from gistmeter.core.comparison import compare_tallies

    shards, metrics = folder.shards(), run.metrics
    # A metric that makes documents says something of all rows together.
    whole = any(
        hasattr(getattr(metric, "first", metric), "documents") for metric in metrics.values()
    )
    if not shards or whole:
        return None
    share = SAMPLE / folder.plan.items
    tallying = Tallying(folder.path.resolve(), metrics, count, run.resamples, run.seed, share)
    statistics = Statistics(seed=run.seed, resamples=run.resamples, confidence=run.confidence)
    try:
        tally, sample = add_tallies(engine, HERE, tallying, shards)
        systems = summarise_tally(
            metrics, tally, signatures=run.signatures, confidence=run.confidence
        )
        findings = compare_tallies(systems, tally, metrics, run.headline, statistics)
    except NeedsValues:
        return None
    excerpt = Excerpt(sample, findings, max(part.rows for part in tally.systems.values()))
    unscored = reasons_of(tally.unscored, systems)
    return replace(run, systems=systems, unscored=unscored, excerpt=excerpt, notes=tally.counted)


@dataclass(frozen=True, slots=True)
class Tallying:
    """What is done with each shard: its tally, and its rows of the sample."""

    folder: Path
    metrics: Mapping[str, Metric]
    count: Count
    resamples: int
    seed: int
    share: float  # of the items in the sample

    def __call__(self, shard: Shard) -> tuple[int, Tally | None, Rows]:
        """Where the shard begins, its tally (none where sums are not enough), and its sample."""
        rows = shard.read(self.folder)
        try:
            tally = Tally.of(rows, partial(pool_all, self.metrics), self.resamples, self.seed)
        except NeedsValues:
            return shard.first, None, rows.take([])
        tally.counted = dict(self.count(rows))
        limit = self.share * 2**64
        shown = [at for at, name in enumerate(rows.keys["id"]) if hash_of(name) < limit]
        return shard.first, tally, rows.take(shown)


def add_tallies(
    engine: Engine, here: Engine, tallying: Tallying, shards: Sequence[Shard]
) -> tuple[Tally, Rows]:
    """The tally of all shards, and the sample in the order of the input.

    They are added in the order of the input, whatever order they come in: sums of the same numbers
    in another order differ in their last bits. `here` does it where workers do not see the folder.
    """
    at_work = engine if engine.sees([tallying.folder / SHARDS / shards[0].name]) else here
    whole, sample = Tally(), list[Rows]()
    waiting: dict[int, tuple[Tally, Rows]] = {}
    firsts = iter([shard.first for shard in shards])
    following = next(firsts)
    for first, tally, rows in at_work.run(tallying, shards):
        if tally is None:
            raise NeedsValues("A score needs all rows at once")
        waiting[first] = (tally, rows)
        while following in waiting:
            part, shown = waiting.pop(following)
            whole.add(part)
            sample.append(shown)
            following = next(firsts, -1)
    return whole, Rows.merge(sample)
