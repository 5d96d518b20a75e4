"""A run in MLflow: scores with their intervals, settings, signature, and the report.

import mlflow
from gistmeter.tools.adapters.mlflow_logger import log_run
with mlflow.start_run():
    log_run(gistmeter.score_text(...))
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gistmeter.core.errors import MissingDependency
from gistmeter.core.folders import temporary_folder

if TYPE_CHECKING:
    from gistmeter.core.run import Run
    from gistmeter.core.types import SystemScores

LONGEST = 500  # characters of a parameter or tag
NOT_ALLOWED = re.compile(r"[^\w\-./ :]")  # in the name of a metric


def log_run(run: Run, *, prefix: str = "gistmeter", report: bool = True) -> None:
    """Log into MLflow's active run, which is started where there is none.

    With several systems a metric is called PREFIX/SYSTEM/SCORE. What is undefined is left out.
    """
    try:
        import mlflow
    except ImportError as error:
        raise MissingDependency("mlflow", "mlflow", "Logging into MLflow") from error
    for system, scored in run.systems.items():
        place = prefix if len(run.systems) == 1 else f"{prefix}/{system}"
        mlflow.log_metrics(dict(_metrics(place, scored)))
    settings = {
        key: value for key, value in run.settings.items() if value not in (None, "", (), [], {})
    }
    mlflow.log_params({f"{prefix}.{key}": str(value)[:LONGEST] for key, value in settings.items()})
    mlflow.set_tags({
        f"{prefix}.command": run.command,
        f"{prefix}.signature": run.signature[-LONGEST:],
        f"{prefix}.answer": run.answer()[:LONGEST],
    })  # fmt: skip
    if report:
        _log_files(mlflow, run, prefix)


def _metrics(place: str, scored: SystemScores) -> Iterator[tuple[str, float]]:
    for name, score in scored.scores.items():
        values = {"": score.value, "_low": score.low, "_high": score.high}
        for end, value in values.items():
            if math.isfinite(value):
                yield NOT_ALLOWED.sub("_", f"{place}/{name}{end}"), value
        yield NOT_ALLOWED.sub("_", f"{place}/{name}_n"), float(score.n)


def _log_files(mlflow: Any, run: Run, prefix: str) -> None:
    """The run's folder: a reader of the experiment can load, compare and open it."""
    with temporary_folder() as folder:
        kept = run if run.path else run.save(folder / "run", report=False)
        assert kept.path is not None
        if not (kept.path / "report.html").exists():
            kept.report()
        mlflow.log_artifacts(str(kept.path), artifact_path=prefix)
