"""A finished run read back, with the metrics that pool its rows."""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.core import registry
from gistmeter.core.errors import FormatError, InputError, UnknownName
from gistmeter.core.family import family_of
from gistmeter.core.run import Run
from gistmeter.core.runs.document import check
from gistmeter.core.runs.layout import (
    ITEMS,
    JOURNAL,
    NONSENSE,
    REMEDY,
    RUN,
    read_document,
    read_items,
)
from gistmeter.core.signature import UNSIGNED
from gistmeter.core.types import Metric, Score, SystemScores

if TYPE_CHECKING:
    from gistmeter.core.family import Family
    from gistmeter.core.rows import Rows

logger = logging.getLogger(__name__)


def read_run(path: Path) -> Run:
    """A finished run with the metrics that pool its rows.

    A metric is found by its registered name and has its plain settings back, which is all that
    `pool` may use; models are not loaded.
    """
    if path.name == RUN:
        path = path.parent
    if (path / JOURNAL).exists():
        raise InputError(f"{path}: the run was not finished: resume it first")
    if not (path / RUN).exists():
        raise InputError(f"{path}: holds no run ({RUN} is missing)")
    document = read_document(path)
    check(document, path)
    rows = read_items(path)
    _refuse_other_rows(rows, document, path)
    metrics = _metrics(document["metrics"], document["command"], path)
    _refuse_unpoolable(rows, metrics, path)
    return Run(
        command=document["command"],
        signature=document["signature"],
        systems={
            system: _read_scores(held, document["signatures"])
            for system, held in document["systems"].items()
        },
        unscored=document["unscored"],
        settings=document["settings"],
        timings=document["timings"],
        versions=document["versions"],
        signatures=document["signatures"],
        notes=document["notes"],
        path=path,
        rows=rows,
        metrics=metrics,
        inputs=document["plan"]["inputs"],
        headline=_family(document["command"], path).leads(document["settings"]),
        seed=document["seed"],
        resamples=document["resamples"],
        confidence=document["confidence"],
    )


def _family(command: str, path: Path) -> Family[Any, Any]:
    try:
        return family_of(command)
    except InputError as error:
        raise InputError(f"{path / RUN}: {error}") from error


def _refuse_other_rows(rows: Rows, document: Mapping[str, Any], path: Path) -> None:
    """The rows must be of the run's systems and items."""
    strange = set(rows.keys["system"]) ^ set(document["systems"])
    if strange:
        raise FormatError(
            f"has other systems than {RUN} ({', '.join(sorted(strange)[:3])}). {REMEDY}",
            path=path / ITEMS,
        )
    if len(rows) and not 0 <= rows.item.min() <= rows.item.max() < document["plan"]["items"]:
        raise FormatError(f"has items that are not in the plan of {RUN}. {REMEDY}",
                          path=path / ITEMS)  # fmt: skip


def _refuse_unpoolable(rows: Rows, metrics: Mapping[str, Metric], path: Path) -> None:
    """Every metric must be able to make its scores of the rows again."""
    for name, metric in metrics.items():
        try:
            metric.pool(rows)
        except NONSENSE as error:
            raise FormatError(
                f"has settings of the metric '{name}' by which {ITEMS} cannot be pooled "
                f"({error!r}). {REMEDY}",
                path=path / RUN,
            ) from error


def _metrics(entries: Mapping[str, Any], shape: str, path: Path) -> dict[str, Metric]:
    """The run's metrics; none where one of them is not installed here: its scores still show."""
    try:
        return {name: revive(name, entry["settings"], shape) for name, entry in entries.items()}
    except NONSENSE as error:
        raise FormatError(f"has metrics with other settings ({error!r}). {REMEDY}",
                          path=path / RUN) from error  # fmt: skip
    except InputError as error:
        logger.warning("%s", error)
        return {}


def revive(name: str, settings: Mapping[str, Any], shape: str = "") -> Metric:
    """A metric as its run had it, but for its models."""
    try:
        target = registry.find_metric(name, shape)
    except UnknownName as error:
        raise InputError(
            f"The run was scored with a metric that is not installed. {error}"
        ) from error
    if set(settings) == {"by_language"}:  # pooling uses what all languages share
        settings = next(iter(settings["by_language"].values()))
    metric: Metric = object.__new__(target)
    for field in dataclasses.fields(target):
        unsigned = field.metadata.get(UNSIGNED)  # it changes no score, so it is not kept
        value = field.default if unsigned else _frozen(settings[field.name])
        object.__setattr__(metric, field.name, value)
    return metric


def _frozen(value: Any) -> Any:
    return tuple(_frozen(inner) for inner in value) if isinstance(value, list) else value


def _read_scores(held: Mapping[str, Any], signatures: Mapping[str, str]) -> SystemScores:
    def number(value: float | None) -> float:
        return math.nan if value is None else float(value)

    only = next(iter(signatures.values())) if len(signatures) == 1 else ""
    return SystemScores(
        {
            name: Score(
                name=name,
                value=number(score["value"]),
                low=number(score["low"]),
                high=number(score["high"]),
                n=score["n"],
                unscored=score["unscored"],
                higher_is_better=score["higher_is_better"],
                unit=score.get("unit", ""),
                partial=tuple(score.get("partial", ())),
                signature=only,
                reasons=score.get("reasons", {}),
            )
            for name, score in held["scores"].items()
        },
        {
            group: {name: number(cell["value"]) for name, cell in values.items()}
            for group, values in held["groups"].items()
        },
    )
