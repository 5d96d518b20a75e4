"""What a report shows of runs beyond their scores: which can stand together, and who wins.

A report draws and never computes, so this is computed here. The systems of a large run are compared
from tallies alone: resamples weigh a cluster by its key, so systems of the same items are weighed
alike, and the difference between two of them in every resample is that of their values in it.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gistmeter.core.comparison import significance
from gistmeter.core.comparison.opponents import (
    Contender,
    contenders,
    known_scores,
    shared_scores,
    signature_differences,
)  # fmt: skip
from gistmeter.core.comparison.paired import compare, conclude, paired_interval
from gistmeter.core.comparison.results import Comparison, Findings, Options, PairedDifference
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.files import parse_json
from gistmeter.core.folders import Folder
from gistmeter.core.options import CompareSettings
from gistmeter.core.rows import Floats, Rows
from gistmeter.core.statistics import Tally, pool_all, pooled
from gistmeter.core.statistics.interval import ends_of
from gistmeter.core.types import Metric, ScoreInfo, Statistics, SystemScores

if TYPE_CHECKING:
    from gistmeter.core.run import Run

MOST_SCORES, MOST_TESTS = 12, 336  # of many systems, all pairs of fewer scores
FEWEST = 100  # resamples of a test
APART = "systems were scored on different items: gistmeter compare takes those that they share"


def findings_of(run: Run, options: Options | None = None) -> Findings:
    """The comparisons of a run's systems; none for a single system."""
    among = [system for system in contenders([run]) if len(system.rows)]
    scores = _most(known_scores(among), len(among)) if len(among) > 1 else []
    if not scores:
        return Findings()
    return Findings(tuple(compare(among, scores, options, force=True)))


def _most(scores: Sequence[str], systems: int) -> list[str]:
    """The scores that are tested without being asked for."""
    return list(scores[: min(MOST_SCORES, max(1, MOST_TESTS // math.comb(systems, 2)))])


def compare_all(runs: Sequence[Run], settings: CompareSettings) -> list[Comparison]:
    """The comparison of every score that the settings name, or of the headline."""
    for run in runs:
        if not run.metrics:
            raise InputError(
                f"{run.path or 'A run'}: was scored with metrics that are not installed here, so "
                "it cannot be compared"
            )
    among = contenders(runs)
    options = Options(
        settings.test, settings.correction, settings.resamples, settings.confidence, settings.seed,
        baseline=_baseline(among, settings.baseline) if settings.baseline else "",
        difference=settings.difference,
    )  # fmt: skip
    return compare(among, settings.metric, options, force=settings.force)


def _baseline(among: Sequence[Contender], given: str) -> str:
    """The contender meant by a system's name or a run's folder."""
    if any(system.name == given for system in among):
        return given
    folders = {system.name: system.run.path for system in among if system.run.path}
    place = Path(given).resolve()
    names = [name for name, folder in folders.items() if folder.resolve() == place]
    names = names or [name for name, folder in folders.items() if folder.name == given]
    if len(names) != 1:
        raise UnknownName("baseline", given, [system.name for system in among])
    return names[0]


def gather(runs: Sequence[Run]) -> list[Run]:
    """Runs that measured the same items in the same way become one, in order."""
    groups: list[list[Run]] = []
    for run in runs:
        group = next((group for group in groups if _together(group[0], run)), None)
        if group is None:
            groups.append([run])
        else:
            group.append(run)
    return [group[0] if len(group) == 1 else merge(group) for group in groups]


def _together(first: Run, second: Run) -> bool:
    if first.command != second.command or list(first.metrics) != list(second.metrics):
        return False
    a, b = contenders([first])[:1], contenders([second])[:1]
    if not a or not b or not ({*a[0].rows.keys["id"]} & {*b[0].rows.keys["id"]}):
        return False
    shared = shared_scores([*a, *b])
    return bool(shared) and not any(signature_differences(a[0], b[0], name) for name in shared)


def merge(runs: Sequence[Run]) -> Run:
    """Several runs as one, every system under a name of its own."""
    among, first = contenders(runs), runs[0]
    parts = [
        replace(one.rows, keys={**one.rows.keys, "system": [one.name] * len(one.rows)})
        for one in among
    ]
    unscored, details = Counter[str](), dict[str, Any]()
    for run in runs:
        unscored.update(run.unscored)
        details.update(_documents(run))
    return replace(
        first,
        systems={one.name: one.run.systems[one.system] for one in among},
        unscored=dict(unscored),
        settings={
            key: value
            for key, value in first.settings.items()
            if all(run.settings.get(key) == value for run in runs)
        },
        timings={},
        path=None,
        rows=replace(Rows.concat(parts), details=details),
    )


def _documents(run: Run) -> dict[str, Any]:
    """The documents beside a run, under its folder's name so that two runs' do not collide."""
    names = Folder(run.path).names("details") if run.path else []
    if run.path is None or not names:
        return dict(run.rows.details) if run.rows is not None else {}
    documents: dict[str, Any] = {}
    for name in names:
        try:
            content = parse_json(Folder(run.path).read(f"details/{name}"))
        except (InputError, ValueError):
            continue
        documents[f"{run.path.name}/{name}"] = content
    return documents


def compare_tallies(
    systems: Mapping[str, SystemScores],
    tally: Tally,
    metrics: Mapping[str, Metric],
    headline: Sequence[str],
    statistics: Statistics,
) -> Findings:
    """The comparisons of a large run, as `findings_of` gives them of rows."""
    if len(systems) < 2 or statistics["resamples"] < FEWEST:
        return Findings()
    options = Options("bootstrap", **statistics)
    first = next(iter(systems.values())).scores
    names = [
        name
        for name in dict.fromkeys([*(name for name in headline if name in first), *first])
        if all(name in system.scores for system in systems.values())
    ]
    drawn = {system: pool_all(metrics, pooled(part)[1]) for system, part in tally.systems.items()}
    infos = {info.name: info for metric in metrics.values() for info in metric.scores}
    comparisons = []
    for name in _most(names, len(systems)):
        scores = {system: held.scores[name] for system, held in systems.items()}
        higher, unit = first[name].higher_is_better, first[name].unit
        info = replace(infos.get(name, ScoreInfo(name)), higher_is_better=higher, unit=unit)
        basis = info.basis or name
        results = []
        for a, b in itertools.combinations(scores, 2):
            n = min(scores[a].n, scores[b].n)
            result = PairedDifference(a, b, scores[a].value - scores[b].value, n=n)
            if tally.systems[a].items.get(basis) != tally.systems[b].items.get(basis):
                results.append(replace(result, test="none", note=APART))
            else:
                gaps = np.atleast_1d(np.asarray(drawn[a][name] - drawn[b][name]))
                ends = ends_of(info, scores[a].value, np.asarray([scores[b].value]))
                results.append(_tested(result, gaps, options.confidence, ends))
        comparisons.append(conclude(info, results, scores, options))
    return Findings(tuple(comparisons))


def _tested(
    pair: PairedDifference, gaps: Floats, confidence: float, ends: tuple[float, float]
) -> PairedDifference:
    """A difference with what its resamples say."""
    low, high = paired_interval(pair.difference, gaps, pair.n, confidence, ends)
    p_value = significance.bootstrap_p(pair.difference, gaps)
    detectable = significance.detectable(gaps, confidence)
    return replace(
        pair, low=low, high=high, p_value=p_value, detectable=detectable, clusters=pair.n,
        test="bootstrap",
    )  # fmt: skip
