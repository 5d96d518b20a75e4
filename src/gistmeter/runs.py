"""A run on disk: one folder that can be resumed, loaded, compared and reported.

    run.json        command, settings, signatures, scores with intervals, timings, versions
    items.parquet   one row an item, all statistics, in input order
    details/        what a family adds
    report.html     the report

While a run works, `journal.jsonl` holds the plan on its first line and then a line a chunk of
items; Parquet cannot be appended to, so `items.parquet` is written once, at the end, and the
journal goes. A last line cut off by a kill is not counted.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gistmeter import registry
from gistmeter.errors import FormatError, GistmeterError, InputError, ResumeError, UnknownName
from gistmeter.files import read_bytes, write_atomically
from gistmeter.rows import Rows
from gistmeter.signature import canonical, describe
from gistmeter.types import Metric, Run, Score, SystemScores
from gistmeter.version import __version__

JOURNAL, RUN, ITEMS, DETAILS, REPORT = (
    "journal.jsonl", "run.json", "items.parquet", "details", "report.html",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is about to do; a resumed run must have the same."""

    command: str
    settings: Mapping[str, Any]
    signature: str
    inputs: Mapping[str, str]  # name -> SHA-256
    items: int

    def to_dict(self) -> dict[str, Any]:
        plain = {
            "command": self.command,
            "settings": describe(self.settings),
            "signature": self.signature,
            "inputs": dict(self.inputs),
            "items": self.items,
        }
        spelled: dict[str, Any] = json.loads(canonical(plain))
        return spelled

    def differences(self, other: Mapping[str, Any]) -> list[str]:
        """Where another plan differs, each as "name: then -> now"."""
        return [
            f"{name}: {_short(then)} -> {_short(now)}"
            for name, (then, now) in _differing(other, self.to_dict()).items()
        ]


def _differing(then: Any, now: Any, name: str = "") -> dict[str, tuple[Any, Any]]:
    if isinstance(then, dict) and isinstance(now, dict):
        found: dict[str, tuple[Any, Any]] = {}
        for key in sorted({*then, *now}):
            found |= _differing(then.get(key), now.get(key), f"{name}.{key}" if name else key)
        return found
    return {} if then == now else {name: (then, now)}


def _short(value: Any) -> str:
    text = canonical(value)
    return text if len(text) <= 120 else text[:117] + "..."


class RunFolder:
    """The folder of one run while it is being made."""

    def __init__(self, path: Path, plan: Plan, done: Sequence[Rows] = ()) -> None:
        self.path, self.plan = path, plan
        self.done = list(done)

    @classmethod
    def start(cls, path: Path, plan: Plan, *, overwrite: bool = False) -> RunFolder:
        """A new run in a new or empty folder; a folder with a run in it is kept unless told."""
        if path.exists() and not path.is_dir():
            raise InputError(f"{path}: is a file; a run needs a folder")
        if path.exists() and any(path.iterdir()):
            if not (path / RUN).exists() and not (path / JOURNAL).exists():
                raise InputError(f"{path}: is not empty and holds no run. Choose another folder")
            if not overwrite:
                raise InputError(
                    f"{path}: holds a run already. Use --resume to go on with it, --overwrite to "
                    "replace it, or choose another folder"
                )
            _empty(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path}: cannot be made ({error.strerror or error})") from error
        folder = cls(path, plan)
        write_atomically(path / JOURNAL, canonical(plan.to_dict()) + "\n")
        return folder

    @classmethod
    def resume(cls, path: Path, plan: Plan) -> RunFolder | None:
        """Go on with a run; None where there is nothing to go on with."""
        if not path.is_dir() or not any(path.iterdir()):
            return None
        if (path / RUN).exists():
            stored = _read_json(path / RUN).get("plan", {})
            _refuse_other_plan(path, plan, stored)
            return cls(path, plan, [_read_items(path / ITEMS)])
        if not (path / JOURNAL).exists():
            raise ResumeError(f"{path}: holds no run to resume. Choose another folder")
        stored, parts, good = _read_journal(path / JOURNAL)
        _refuse_other_plan(path, plan, stored)
        with (path / JOURNAL).open("r+b") as stream:
            stream.truncate(good)  # a half-written last line must not stand before the next one
        return cls(path, plan, parts)

    def missing(self) -> list[int]:
        """The items that no row stands for yet, in input order."""
        seen = {int(at) for part in self.done for at in part.item}
        return [at for at in range(self.plan.items) if at not in seen]

    def add(self, rows: Rows) -> None:
        """Journal a chunk: its details first, so that a journalled chunk is a whole one."""
        for name, document in rows.details.items():
            self.write_detail(name, document)
        line = canonical(_encode(rows)) + "\n"
        with (self.path / JOURNAL).open("a", encoding="utf-8", errors="replace") as stream:
            stream.write(line)
            stream.flush()
            os.fsync(stream.fileno())
        self.done.append(rows)

    def write_detail(self, name: str, document: Any) -> None:
        """A document beside the run: JSON, or text as it is."""
        safe = re.sub(r"[^\w.-]+", "_", name, flags=re.UNICODE).lstrip(".") or "detail"
        text = document if isinstance(document, str) else to_json(document)
        write_atomically(self.path / DETAILS / safe, text)

    def rows(self) -> Rows:
        """All rows, in input order."""
        rows = Rows.concat(self.done)
        return rows.take(np.argsort(rows.item, kind="stable"))

    def finish(self, run: Run, metrics: Mapping[str, Metric], more: Mapping[str, Any]) -> None:
        """Write the run for good and let the journal go."""
        assert run.rows is not None
        frame = run.rows.to_polars()
        write_atomically(self.path / ITEMS, frame.write_parquet)
        document = {
            **run.to_dict(__version__),
            "plan": self.plan.to_dict(),
            "settings": describe(run.settings),
            "signatures": dict(run.signatures),
            "timings": dict(run.timings),
            "versions": dict(run.versions),
            "notes": run.notes,
            "metrics": {name: {"settings": describe(metric)} for name, metric in metrics.items()},
            **more,
        }
        for system, held in document["systems"].items():
            for name, score in held["scores"].items():
                known = run.systems[system].scores[name]
                score.update(unit=known.unit, reasons=dict(known.reasons))
        write_atomically(self.path / RUN, to_json(document) + "\n")
        (self.path / JOURNAL).unlink(missing_ok=True)


def to_json(document: Any) -> str:
    """JSON in which nothing is NaN: undefined numbers are null."""
    return json.dumps(_plain(document), ensure_ascii=False, indent=1, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, Path):
        return str(value)
    return value


def default_folder(command: str, root: Path, now: datetime.datetime | None = None) -> Path:
    """`runs/<command>-<timestamp>`, with a number behind it where that exists."""
    stamp = (now or datetime.datetime.now()).strftime("%Y%m%d-%H%M%S")
    path, number = root / f"{command}-{stamp}", 1
    while path.exists():
        number += 1
        path = root / f"{command}-{stamp}-{number}"
    return path


def newest_unfinished(command: str, root: Path) -> Path | None:
    """The last run of a command that was not finished, if any."""
    found = sorted(root.glob(f"{command}-*/{JOURNAL}"), key=lambda path: path.stat().st_mtime)
    return found[-1].parent if found else None


def load_run(path: Path) -> tuple[Run, dict[str, Metric]]:
    """A finished run and the metrics that pool its rows.

    A metric is found by its registered name and has its plain settings back, which is all that
    `pool` may use; models are not loaded.
    """
    if path.name == RUN:
        path = path.parent
    if not (path / RUN).exists():
        hint = " It was not finished: resume it first" if (path / JOURNAL).exists() else ""
        raise InputError(f"{path}: holds no run ({RUN} is missing).{hint}")
    document = _read_json(path / RUN)
    try:
        metrics = {
            name: revive(name, entry["settings"]) for name, entry in document["metrics"].items()
        }
        run = Run(
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
            notes=document.get("notes") or {},
            path=path,
            rows=_read_items(path / ITEMS),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"is not a run of gistmeter ({error!r})", path=path / RUN) from error
    return run, metrics


def revive(name: str, settings: Mapping[str, Any]) -> Metric:
    """A metric as its run had it, but for its models."""
    try:
        target = registry.find("gistmeter.metrics", name)
    except UnknownName as error:
        raise InputError(
            f"The run was scored with a metric that is not installed. {error}"
        ) from error
    metric: Metric = object.__new__(target)
    for field in dataclasses.fields(target):
        object.__setattr__(metric, field.name, _frozen(settings.get(field.name)))
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
                low=number(score.get("low")),
                high=number(score.get("high")),
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


def _encode(rows: Rows) -> dict[str, Any]:
    return {
        "keys": {key: list(column) for key, column in rows.keys.items()},
        "item": rows.item.tolist(),
        "numbers": {name: _plain(column) for name, column in rows.numbers.items()},
        "texts": {name: list(column) for name, column in rows.texts.items()},
        "reasons": [
            [name, at, why] for name, cells in rows.reasons.items() for at, why in cells.items()
        ],
    }


def _decode(line: Mapping[str, Any]) -> Rows:
    reasons: dict[str, dict[int, str]] = {}
    for name, at, why in line["reasons"]:
        reasons.setdefault(name, {})[at] = why
    return Rows(
        line["keys"],
        np.asarray(line["item"], dtype=np.int64),
        {name: np.asarray(column, dtype=np.float64) for name, column in line["numbers"].items()},
        line["texts"],
        reasons,
    )


def _read_journal(path: Path) -> tuple[dict[str, Any], list[Rows], int]:
    """The plan, the chunks, and how many bytes of the file are whole lines."""
    content = path.read_bytes()
    good = content.rfind(b"\n") + 1
    lines = content[:good].splitlines()
    if not lines:
        raise ResumeError(f"{path}: the journal has no plan. Start again with --overwrite")
    try:
        plan, *chunks = (json.loads(line) for line in lines)
        return plan, [_decode(chunk) for chunk in chunks], good
    except (ValueError, KeyError, TypeError) as error:
        raise ResumeError(f"{path}: is damaged. Start again with --overwrite") from error


def _refuse_other_plan(path: Path, plan: Plan, stored: Mapping[str, Any]) -> None:
    differences = plan.differences(stored)
    if differences:
        listed = "\n  ".join(differences)
        raise ResumeError(
            f"{path}: was made with other arguments or input and cannot be resumed:\n  {listed}\n"
            "Use the same arguments, or another folder"
        )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(read_bytes(path))
    except ValueError as error:
        raise FormatError(f"is not JSON ({error})", path=path) from error
    if not isinstance(document, dict):
        raise FormatError("is not a JSON object", path=path)
    return document


def _read_items(path: Path) -> Rows:
    import polars

    try:
        return Rows.from_polars(polars.read_parquet(path))
    except (OSError, polars.exceptions.PolarsError) as error:
        raise FormatError(f"cannot be read ({error})", path=path) from error


def _empty(path: Path) -> None:
    """Remove what a run has written, and nothing else."""
    for name in (JOURNAL, RUN, ITEMS, REPORT):
        (path / name).unlink(missing_ok=True)
    if (path / DETAILS).is_dir():
        for file in (path / DETAILS).iterdir():
            if file.is_file():
                file.unlink()
    if any(file for file in path.iterdir() if file.name != DETAILS):
        raise GistmeterError(f"{path}: holds files that are not of a run; nothing more was removed")
