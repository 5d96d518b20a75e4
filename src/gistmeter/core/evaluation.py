"""Items and metrics become a run: measured in chunks, kept, pooled, given intervals.

Items go through every metric in chunks; the metrics' rows are joined, journalled if there is a
folder, put back in input order, and pooled. Models keep what they know of all texts over the whole
run, so chunks cost nothing and a killed run loses one chunk at most. A large run is kept in shards
and pooled from their tallies.
"""

from __future__ import annotations

import importlib.metadata
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gistmeter.core import registry
from gistmeter.core.comparison.tallied import compare_tallies
from gistmeter.core.engines import Engine, Local, Work
from gistmeter.core.engines.measuring import Base, Parts, count_items
from gistmeter.core.engines.pooling import SAMPLE, Count, Tallying, add_tallies
from gistmeter.core.errors import InputError
from gistmeter.core.family import Progress
from gistmeter.core.rows import Rows
from gistmeter.core.run import Excerpt, Run
from gistmeter.core.runs import Plan, RunFolder, read_run
from gistmeter.core.signature import combine, sign
from gistmeter.core.statistics import (
    NeedsValues,
    count_reasons,
    keyed,
    reasons_of,
    summarise,
    summarise_tally,
)
from gistmeter.core.types import SEED, Item, Metric, SystemScores

HERE = Local()
OpenFolder = Callable[[Plan], RunFolder]
SHARD = 4  # chunks in a shard of a large run
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
    if folder and folder.finished:
        return replace(read_run(folder.path), metrics=named, headline=headline)

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
            return name.rpartition("/")[2]
    return kind


def versions() -> dict[str, str]:
    """What the numbers were computed with."""
    found = {"python": platform.python_version()}
    for package in VERSIONED:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
