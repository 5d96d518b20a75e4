"""The first law: it does not matter how items were cut into chunks and shards.

Every registered metric, any size of chunk, any shards merged in any order, a run that was killed:
the same scores with the same intervals, the same documents, the same bytes of items.
"""

from __future__ import annotations

import io
import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gistmeter.core import registry
from gistmeter.core.engines import measure
from gistmeter.core.evaluation import evaluate
from gistmeter.core.rows import Rows
from gistmeter.core.run import Run
from gistmeter.core.runs import RunFolder, to_json
from gistmeter.core.statistics import summarise
from gistmeter.core.types import SEED
from gistmeter.parse.formats.pairs import ParsePairs
from laws.shard_cases import CASES, Case

NAMES = sorted(registry.TABLES["gistmeter.metrics"])
RESAMPLES = 40


def items_bytes(rows: Rows) -> bytes:
    stream = io.BytesIO()
    rows.to_polars().write_parquet(stream)
    return stream.getvalue()


def whole(run: Run) -> dict[str, Any]:
    """All of a run that must not depend on how it was made."""
    assert run.rows is not None
    scores = run.to_dict() | {"run": None}
    return {"scores": scores, "reasons": {s: {n: dict(v.reasons) for n, v in held.scores.items()}
                                          for s, held in run.systems.items()}}  # fmt: skip


@pytest.fixture(params=NAMES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    assert request.param in CASES, f"'{request.param}' needs a case in shard_cases.py"
    made = CASES[request.param](tmp_path)
    assert list(made.metrics)[-1] == request.param.rpartition("/")[2]
    return made


def score(case: Case, **options: Any) -> Run:
    return evaluate(case.items, case.metrics, resamples=RESAMPLES, **options)


def test_the_case_is_one(case: Case) -> None:
    """It has several chunks, systems, scores and unscored items, or the law would be idle."""
    run = score(case)
    assert run.rows is not None
    assert len(case.items) >= 5
    assert len(run.systems) == 2
    names = {info.name for metric in case.metrics.values() for info in metric.scores}
    assert names & {name for held in run.systems.values() for name in held.scores}
    assert any(np.isfinite(s.value) for held in run.systems.values() for s in held.scores.values())


def test_any_chunk_gives_the_same_run(case: Case) -> None:
    first = score(case, chunk=len(case.items))
    assert first.rows is not None
    for chunk in (1, 3):
        other = score(case, chunk=chunk)
        assert other.rows is not None
        assert to_json(whole(other)) == to_json(whole(first))
        assert to_json(other.rows.details) == to_json(first.rows.details)
        assert items_bytes(other.rows) == items_bytes(first.rows)


@pytest.mark.parametrize("seed", range(5))
def test_shards_in_any_order_merge_to_the_whole(case: Case, seed: int) -> None:
    random = np.random.default_rng(seed)
    size = len(case.items)
    cuts = sorted({0, size, *random.integers(0, size, 3).tolist()})
    shards = []
    for start, stop in itertools.pairwise(cuts):
        rows = measure(case.items[start:stop], case.metrics)
        shards.append(replace(rows, item=rows.item + start))
    random.shuffle(shards)  # type: ignore[arg-type]
    merged = Rows.merge(Rows.from_polars(shard.to_polars()) for shard in shards)
    expected = score(case)
    assert expected.rows is not None
    assert items_bytes(merged) == items_bytes(expected.rows)
    found = summarise(
        case.metrics, merged, signatures=expected.signatures, seed=SEED, resamples=RESAMPLES,
        confidence=0.95,
    )  # fmt: skip
    assert to_json(whole(replace(expected, systems=found))) == to_json(whole(expected))
    for metric in case.metrics.values():
        make = getattr(metric, "documents", None)
        if make is not None:
            documents = make(merged, case.items)
            assert to_json(documents) == to_json(make(expected.rows, case.items))


class Killed(Exception):
    pass


def test_a_killed_run_goes_on_midway(case: Case, tmp_path: Path) -> None:
    def kill(stage: str, done: int, total: int) -> None:
        if done >= 3:
            raise Killed

    expected = score(case, open_folder=lambda plan: RunFolder.start(tmp_path / "whole", plan))
    with pytest.raises(Killed):
        score(
            case, chunk=2, progress=kill,
            open_folder=lambda plan: RunFolder.start(tmp_path / "killed", plan),
        )  # fmt: skip
    left = []

    def resume(plan: Any) -> RunFolder:
        folder = RunFolder.resume(tmp_path / "killed", plan)
        assert folder is not None
        left.extend(folder.missing())
        return folder

    found = score(case, chunk=2, open_folder=resume)
    assert 0 < len(left) < len(case.items)
    assert to_json(whole(found)) == to_json(whole(expected))
    files = [
        {path.name: path.read_bytes() for path in (tmp_path / name).rglob("*") if path.is_file()}
        for name in ("whole", "killed")
    ]
    runs = [json.loads(held.pop("run.json")) for held in files]
    assert files[0] == files[1]
    for run in runs:
        del run["timings"], run["run"], run["sha256"]  # the seal covers them
    assert runs[0] == runs[1]


def test_parses_given_one_by_one_pool_like_columns(tmp_path: Path) -> None:
    """A plain list of parses is cut and merged as columns are."""
    case = CASES["parse/parsing"](tmp_path)
    assert isinstance(case.items, ParsePairs)
    plain = Case(list(case.items), case.metrics)
    runs = [score(plain, chunk=chunk) for chunk in (1, 3, 1000)] + [score(case)]
    for run in runs[1:]:
        assert to_json(whole(run)) == to_json(whole(runs[0]))
        assert run.rows is not None and runs[0].rows is not None
        assert items_bytes(run.rows) == items_bytes(runs[0].rows)
        assert run.rows.details["breakdown.json"] == runs[0].rows.details["breakdown.json"]
        assert run.rows.details["confusions.json"] == runs[0].rows.details["confusions.json"]
