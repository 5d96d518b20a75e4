"""The one place where items, metrics, models and the run on disk meet.

Items go through every metric in chunks; the metrics' rows are joined, journalled if there is a
folder, put back in input order, pooled, and given intervals. Models keep what they know of all
texts over the whole run, so chunks cost nothing and a killed run loses one chunk at most.
"""

from __future__ import annotations

import importlib.metadata
import logging
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gistmeter import registry
from gistmeter.errors import InputError, ModelError
from gistmeter.rows import Rows
from gistmeter.runs import Plan, RunFolder
from gistmeter.signature import combine, sign
from gistmeter.statistics import SEED, count_reasons, summarise
from gistmeter.types import Item, Metric, Run

logger = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]  # stage, done, total
OpenFolder = Callable[[Plan], RunFolder]
VERSIONED = ("numpy", "onnxruntime", "tokenizers", "torch", "transformers", "polars")


def evaluate(
    items: Sequence[Item],
    metrics: Mapping[str, Metric] | Sequence[Metric],
    *,
    command: str = "python",
    settings: Mapping[str, Any] | None = None,
    reading: Mapping[str, Any] | None = None,
    inputs: Mapping[str, str] | None = None,
    open_folder: OpenFolder | None = None,
    seed: int = SEED,
    resamples: int = 1000,
    confidence: float = 0.95,
    chunk: int = 1024,
    progress: Progress | None = None,
    notes: Mapping[str, Any] | Callable[[Rows], Mapping[str, Any]] | None = None,
) -> Run:
    """Score items with metrics.

    `reading` says how the items were read from their files, as far as that changes a score: it is
    part of every signature. `open_folder` gets the plan and gives the run's folder, new or
    resumed; without it nothing is written. `notes` may be a function of the rows, called at the
    end. Returns the run with its rows; an item that cannot be scored is in it with its reason.
    """
    if not len(items):
        raise InputError("There is nothing to score: no items were given")
    named = metrics if isinstance(metrics, Mapping) else {name_of(one): one for one in metrics}
    signatures = {
        name: sign(
            name,
            metric,
            **_missing(metric),
            **(reading or {}),
            seed=seed,
            resamples=resamples,
            confidence=confidence,
        )
        for name, metric in named.items()
    }
    signature = combine(signatures)
    plan = Plan(command, dict(settings or {}), signature, dict(inputs or {}), len(items))
    folder = open_folder(plan) if open_folder else None

    started = time.perf_counter()
    rows = _measure_all(items, named, folder, chunk, progress)
    rows = _add_documents(rows, items, named, folder)
    measured = time.perf_counter()
    systems = summarise(
        named, rows, signatures=signatures, seed=seed, resamples=resamples, confidence=confidence
    )
    run = Run(
        command=command,
        signature=signature,
        systems=systems,
        unscored=count_reasons(rows),
        settings=dict(settings or {}),
        timings={
            "measure_seconds": measured - started,
            "statistics_seconds": time.perf_counter() - measured,
        },
        versions=versions(),
        signatures=signatures,
        notes=dict(notes(rows) if callable(notes) else notes or {}),
        path=folder.path if folder else None,
        rows=rows,
        metrics=named,
    )
    if folder:
        folder.finish(run, named, {"confidence": confidence, "resamples": resamples, "seed": seed})
    return run


def _missing(metric: Metric) -> dict[str, str]:
    """What a metric's scores lack, for the signature of a partial one."""
    partial: Mapping[str, Sequence[str]] = getattr(metric, "partial", {})
    parts = dict.fromkeys(part for missing in partial.values() for part in missing)
    return {"partial": ",".join(parts)} if parts else {}


def _measure_all(
    items: Sequence[Item],
    metrics: Mapping[str, Metric],
    folder: RunFolder | None,
    chunk: int,
    progress: Progress | None,
) -> Rows:
    missing = folder.missing() if folder else list(range(len(items)))
    total, done = len(items), len(items) - len(missing)
    parts: list[Rows] = []
    for places in _chunks(missing, chunk):
        part = measure(items[places[0] : places[-1] + 1], metrics)
        part = replace(part, item=part.item + places[0])
        if folder:
            folder.add(part)
        else:
            parts.append(part)
        done += len(places)
        if progress:
            progress("Scoring", done, total)
    return folder.rows() if folder else Rows.merge(parts)


def _add_documents(
    rows: Rows, items: Sequence[Item], metrics: Mapping[str, Metric], folder: RunFolder | None
) -> Rows:
    """The documents that metrics make of all rows together."""
    for metric in metrics.values():
        make = getattr(metric, "documents", None)
        found: Mapping[str, Any] = make(rows, items) if make is not None else {}
        for name, document in found.items():
            if folder:
                folder.write_detail(name, document)
        rows = rows.with_details(found)
    return rows


def _chunks(missing: Sequence[int], size: int) -> list[list[int]]:
    """Runs of neighbouring items, none longer than the chunk, so that slices of items serve."""
    chunks: list[list[int]] = []
    for at in missing:
        if chunks and chunks[-1][-1] == at - 1 and len(chunks[-1]) < size:
            chunks[-1].append(at)
        else:
            chunks.append([at])
    return chunks


def measure(items: Sequence[Item], metrics: Mapping[str, Metric]) -> Rows:
    """The joined rows of some items; a failing model leaves them unscored with its reason."""
    joined: Rows | None = None
    for name, metric in metrics.items():
        try:
            rows = metric.measure(items)
        except ModelError as error:
            logger.warning("%s failed on %d items: %s", name, len(items), error)
            rows = _unscored(items, metric, str(error))
        joined = rows if joined is None else joined.join(rows)
    assert joined is not None
    for metric in metrics.values():
        # A metric may add columns made from those of the others, once they are joined.
        derive = getattr(metric, "derive", None)
        joined = derive(joined) if derive is not None else joined
    return joined


def _unscored(items: Sequence[Item], metric: Metric, reason: str) -> Rows:
    rows = Rows.of(items)
    for info in metric.scores:
        column = info.basis or info.name
        rows = rows.with_numbers({column: np.full(len(items), np.nan)})
        rows = rows.with_reasons(column, dict.fromkeys(range(len(items)), reason))
    return rows


def name_of(metric: Metric) -> str:
    """The name a metric is registered under, else its class's name."""
    module, kind = type(metric).__module__, type(metric).__qualname__
    points = importlib.metadata.entry_points(group="gistmeter.metrics")
    known = {
        **{point.name: point.value for point in points},
        **registry.TABLES["gistmeter.metrics"],
    }
    for name, target in known.items():
        home, _, attribute = target.partition(":")
        if attribute == kind and (module == home or module.startswith(home + ".")):
            return name
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


def input_digests(paths: Sequence[Path]) -> dict[str, str]:
    """The content of the input files, so that a changed file is not resumed by mistake.

    Files are named without their folder, since a run may be resumed from another one; a name that
    occurs again is numbered.
    """
    from gistmeter.files import sha256

    digests: dict[str, str] = {}
    for path in paths:
        name, number = path.name, 1
        while name in digests:
            number += 1
            name = f"{path.name} ({number})"
        digests[name] = sha256(path)
    return digests
