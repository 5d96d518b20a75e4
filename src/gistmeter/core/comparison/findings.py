"""What a report shows of runs beyond their scores: which can stand together, and who wins.

A report draws and never computes, so this is computed here and handed over as plain data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gistmeter.core.comparison.opponents import (
    Contender,
    contenders,
    shared_scores,
    signature_differences,
)
from gistmeter.core.comparison.paired import compare
from gistmeter.core.comparison.results import Options
from gistmeter.core.comparison.tallied import MOST_SCORES, MOST_SYSTEMS
from gistmeter.core.errors import InputError
from gistmeter.core.files import parse_json
from gistmeter.core.folders import Folder
from gistmeter.core.rows import Rows

if TYPE_CHECKING:
    from gistmeter.core.run import Run

RESAMPLES = 2000


def findings(run: Run, options: Options | None = None) -> dict[str, Any]:
    """The comparisons of a run's systems, as plain data; empty for a single system."""
    among = [one for one in contenders([run]) if len(one.rows)]
    scores = shared_scores(among)[:MOST_SCORES] if len(among) > 1 else []
    if not scores:
        return {"comparisons": []}
    options = options or Options(resamples=RESAMPLES)
    if len(among) > MOST_SYSTEMS and not options.baseline:
        options = replace(options, baseline=_best(among, scores[0]))
    try:
        compared = compare(among, scores, options, force=True)
    except InputError:  # systems of different items are shown side by side, not compared
        return {"comparisons": []}
    return {"comparisons": [one.to_dict() for one in compared]}


def _best(among: Sequence[Contender], score: str) -> str:
    sign = 1 if among[0].info(score).higher_is_better else -1
    return max(among, key=lambda one: (sign * one.scores[score].value, one.name)).name


def gather(runs: Sequence[Run]) -> list[Run]:
    """Runs that measured the same items with the same ruler become one, in order."""
    groups: list[list[Run]] = []
    for one in runs:
        for group in groups:
            if _together(group[0], one):
                group.append(one)
                break
        else:
            groups.append([one])
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
    among = contenders(runs)
    parts, unscored, details = [], Counter[str](), {}
    for one in among:
        names = [one.name] * len(one.rows)
        parts.append(replace(one.rows, keys={**one.rows.keys, "system": names}))
    for run in runs:
        unscored.update(run.unscored)
        details.update(_documents(run))
    first = runs[0]
    same = [
        key
        for key, value in first.settings.items()
        if all(run.settings.get(key) == value for run in runs)
    ]
    return replace(
        first,
        systems={one.name: one.run.systems[one.system] for one in among},
        unscored=dict(unscored),
        settings={key: first.settings[key] for key in same},
        timings={},
        path=None,
        rows=replace(Rows.concat(parts), details=details),
    )


def _documents(run: Run) -> dict[str, Any]:
    """The documents beside a run, under its folder's name so that two runs' do not collide."""
    names = Folder(run.path).names("details") if run.path else []
    if run.path is None or not names:
        return dict(run.rows.details) if run.rows is not None else {}
    found: dict[str, Any] = {}
    for name in names:
        try:
            document = parse_json(Folder(run.path).read(f"details/{name}"))
        except (InputError, ValueError):
            continue
        found[f"{run.path.name}/{name}"] = document
    return found
