"""A score over time: the runs of a system in their order, and where it really changed.

Each run is compared with the one before it on the items that both have, by the paired test of
`compare`; p-values are corrected over the whole series (Benjamini-Hochberg). The last run is
compared with the first too: many small steps may make one that is real. Runs that were measured in
different ways, or that share no item, stand in the series with a remark and without a test.
"""

from __future__ import annotations

import datetime
import logging
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gistmeter.core.errors import GistmeterError, InputError, MeasuredDifferently
from gistmeter.core.options import TestingSettings
from gistmeter.core.settings import option
from gistmeter.core.types import Score, defined

if TYPE_CHECKING:
    from gistmeter.core.comparison import Contender
    from gistmeter.core.run import Run

logger = logging.getLogger(__name__)
STAMP = re.compile(r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)(?:[-_T](\d\d)[-:]?(\d\d)[-:]?(\d\d))?(?!\d)")


@dataclass(frozen=True, kw_only=True)
class HistorySettings(TestingSettings):
    """Which score of which runs."""

    title: ClassVar[str] = "history"
    folders: tuple[Path, ...] = option(
        (), "Folders of runs, each with all runs below it. Default: runs/.",
        panel="input", argument="only", metavar="FOLDER...",
    )  # fmt: skip
    system: tuple[str, ...] = option(
        (), "These systems only, separated by commas.", panel="input", metavar="NAME,…"
    )
    metric: str = option("", "The score. By default the first that a run is judged by.")


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between two runs of a system; positive: the later value is higher."""

    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    n: int = 0
    verdict: str = ""  # better, worse, or empty where nothing was shown
    remark: str = ""  # why it was not tested
    of_other_models: bool = False  # the signatures differ


@dataclass(frozen=True, slots=True)
class Moment:
    """A run in a series, and how it differs from the one before."""

    run: str
    when: str
    score: Score
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """One score of one system over time, oldest first."""

    command: str
    system: str
    metric: str
    moments: Sequence[Moment]
    overall: Change | None = None  # the last against the first

    def to_dict(self) -> dict[str, Any]:
        return {
            "command": self.command, "system": self.system, "metric": self.metric,
            "moments": [
                {"run": moment.run, "when": moment.when, "score": moment.score.to_dict(),
                 "change": _plain(moment.change)}
                for moment in self.moments
            ],
            "overall": _plain(self.overall),
        }  # fmt: skip


def history(*folders: str | Path, **options: Any) -> list[Series]:
    """A score over time. `options` are those of `gistmeter history`: metric, system, seed …"""
    return read_history(HistorySettings.of({"folders": folders, **options}))


def read_history(settings: HistorySettings) -> list[Series]:
    """The series of all runs below the folders."""
    from gistmeter.core.runs import runs_in
    from gistmeter.core.runs.saved import load_run

    runs: list[Run] = []
    for folder in settings.folders or (Path("runs"),):
        if not folder.is_dir():
            raise InputError(f"{folder}: is not a folder of runs")
        for place in runs_in(folder):
            try:
                runs.append(load_run(place))
            except GistmeterError as error:
                logger.warning("%s is left out: %s", place, error)
    return series_of(runs, settings)


def series_of(runs: Sequence[Run], settings: HistorySettings) -> list[Series]:
    """The series of all systems that two runs have at least."""
    from gistmeter.core import comparison

    grouped: dict[tuple[str, str], list[Contender]] = {}
    for run in sorted(runs, key=lambda run: (when(run), str(run.path))):
        for contender in comparison.contenders([run]) if run.metrics else ():
            if not settings.system or contender.system in settings.system:
                grouped.setdefault((run.command, contender.system), []).append(contender)
    all_series = []
    for (command, system), among in grouped.items():
        metric = settings.metric or next(iter(comparison.shared_scores(among)), "")
        scored = [contender for contender in among if metric in contender.scores]
        if len(scored) > 1:
            all_series.append(_series(command, system, metric, scored, settings))
    if not all_series:
        raise InputError(
            "There is no history: no system has "
            + (f"the score '{settings.metric}'" if settings.metric else "a score")
            + " in two runs. Name the folder above them: gistmeter history runs/"
        )
    return all_series


def _series(
    command: str, system: str, metric: str, scored: Sequence[Contender], settings: HistorySettings
) -> Series:
    pairs = [*zip(scored[1:], scored, strict=False)]
    if len(scored) > 2:
        pairs.append((scored[-1], scored[0]))
    changes = [_change(later, earlier, metric, settings) for later, earlier in pairs]
    changes = _judged(changes, settings, scored[0].scores[metric].higher_is_better)
    moments = [
        Moment(str(contender.run.path or ""), when(contender.run), contender.scores[metric], change)
        for contender, change in zip(scored, [None, *changes], strict=False)
    ]
    return Series(command, system, metric, moments, changes[-1] if len(scored) > 2 else None)


def _change(later: Contender, earlier: Contender, metric: str, settings: HistorySettings) -> Change:
    from gistmeter.core import comparison

    sides = [replace(later, name="later"), replace(earlier, name="earlier")]
    options = comparison.Options(
        resamples=settings.resamples, confidence=settings.confidence, seed=settings.seed,
        baseline="earlier", correction="none",
    )  # fmt: skip
    try:
        (compared,) = comparison.compare(sides, [metric], options)
    except MeasuredDifferently:
        return Change(remark="measured differently", of_other_models=True)
    except InputError:
        return Change(remark="no item in common")
    (pair,) = compared.pairs
    return Change(pair.difference, pair.low, pair.high, pair.p_value, pair.n, remark=pair.note)


def _judged(changes: Sequence[Change], settings: HistorySettings, higher: bool) -> list[Change]:
    """The changes with corrected p-values, and the verdict that these allow."""
    from gistmeter.core.comparison.significance import correct

    tested = [at for at, change in enumerate(changes) if math.isfinite(change.p)]
    corrected = correct([changes[at].p for at in tested], "bh")
    judged = list(changes)
    for at, p in zip(tested, corrected, strict=True):
        gained = changes[at].difference > 0 if higher else changes[at].difference < 0
        real = p < 1 - settings.confidence
        judged[at] = replace(
            changes[at], p=p, verdict=("better" if gained else "worse") if real else ""
        )
    return judged


def when(run: Run) -> str:
    """The time in a run's path, else that of its file, which a copy may have changed."""
    if run.path is None:
        return ""
    for part in reversed(run.path.parts):
        if match := STAMP.search(part):
            numbers = [int(part or 0) for part in match.groups()]
            try:
                stamped = datetime.datetime(*numbers)  # type: ignore[arg-type]
            except ValueError:
                continue
            return f"{stamped:%Y-%m-%d %H:%M:%S}"
    changed = datetime.datetime.fromtimestamp((run.path / "run.json").stat().st_mtime)
    return f"{changed:%Y-%m-%d %H:%M:%S}"


def _plain(change: Change | None) -> dict[str, Any] | None:
    if change is None:
        return None
    return {
        name: defined(value) if isinstance(value, float) else value
        for name, value in asdict(change).items()
    }
