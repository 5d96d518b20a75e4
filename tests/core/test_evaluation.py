"""Evaluation: chunks, failures, resuming; what is on disk at the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gistmeter.core import registry
from gistmeter.core.errors import InputError, ResumeError
from gistmeter.core.evaluation import evaluate
from gistmeter.core.runs import ITEMS, JOURNAL, RUN, Plan, RunFolder
from gistmeter.core.runs.saved import load_run
from gistmeter.core.types import Pair
from toys import Length, pairs


def opened(path: Path, resume: bool = False) -> Callable[[Plan], RunFolder]:
    def open_folder(plan: Plan) -> RunFolder:
        found = RunFolder.resume(path, plan) if resume else None
        return found or RunFolder.start(path, plan)

    return open_folder


def score(path: Path | None, items: list[Pair], resume: bool = False, **more: object) -> object:
    return evaluate(
        items,
        {"length": more.pop("metric", Length())},
        command="text",
        chunk=7,
        resamples=50,
        open_folder=opened(path, resume) if path else None,
        **more,
    )


def test_the_size_of_chunks_changes_nothing() -> None:
    items = pairs(30, arrangements=("p", "q"))
    runs = [evaluate(items, [Length()], chunk=size, resamples=20) for size in (1, 7, 1000)]
    assert runs[0].to_dict() == runs[1].to_dict() == runs[2].to_dict()


def test_json_has_the_documented_shape(tmp_path: Path) -> None:
    items = [*pairs(10, "model_a", ("p", "q")), Pair("none", "abc", (), "model_a", "p")]
    found = score(tmp_path / "run", items).to_dict()
    assert list(found) == ["gistmeter", "command", "signature", "run", "systems", "unscored"]
    kept = found["systems"]["model_a"]["scores"]["kept"]
    assert list(kept) == ["value", "low", "high", "n", "unscored", "higher_is_better"]
    assert (kept["n"], kept["unscored"]) == (20, 1)
    assert list(found["systems"]["model_a"]["groups"]["p"]["kept"]) == ["value"]
    assert found["unscored"] == {"no reference": 1}
    json.dumps(found, allow_nan=False)


class Killed(BaseException):
    """Stands for a kill between two chunks."""


@pytest.mark.parametrize("after", [7, 14, 28])
def test_a_killed_run_resumes_to_the_same_bytes(tmp_path: Path, after: int) -> None:
    items = pairs(20, arrangements=("p", "q"))
    score(tmp_path / "whole", items)

    def kill(stage: str, done: int, total: int) -> None:
        if done >= after:
            raise Killed

    with pytest.raises(Killed):
        score(tmp_path / "killed", items, progress=kill)
    assert (tmp_path / "killed" / JOURNAL).exists()
    assert not (tmp_path / "killed" / ITEMS).exists()
    # The kill may also cut a line in two.
    with (tmp_path / "killed" / JOURNAL).open("a") as journal:
        journal.write('{"keys": {"id": ["ite')

    counted = []
    score(
        tmp_path / "killed", items, resume=True, progress=lambda _, done, __: counted.append(done)
    )
    assert counted[0] > after
    first, second = (tmp_path / name / ITEMS for name in ("whole", "killed"))
    assert first.read_bytes() == second.read_bytes()
    assert not (tmp_path / "killed" / JOURNAL).exists()


def test_resuming_a_finished_run_computes_nothing(tmp_path: Path) -> None:
    items = pairs(10)
    first = score(tmp_path / "run", items)
    counted: list[int] = []
    again = score(tmp_path / "run", items, resume=True, progress=lambda _, d, __: counted.append(d))
    assert counted == []
    assert again.to_dict() == first.to_dict()


def test_other_arguments_are_refused_with_the_difference(tmp_path: Path) -> None:
    score(tmp_path / "run", pairs(10))
    with pytest.raises(ResumeError, match=r"items: 10 -> 11"):
        score(tmp_path / "run", pairs(11), resume=True)
    with pytest.raises(ResumeError, match="signature"):
        score(tmp_path / "run", pairs(10), resume=True, metric=Length(limit=0.5))
    with pytest.raises(ResumeError, match=r"inputs.x.csv: \"1\" -> \"2\""):
        score(tmp_path / "other", pairs(10), inputs={"x.csv": "1"})
        score(tmp_path / "other", pairs(10), inputs={"x.csv": "2"}, resume=True)


def test_a_folder_with_a_run_or_with_something_else_is_kept(tmp_path: Path) -> None:
    score(tmp_path / "run", pairs(3))
    with pytest.raises(InputError, match="holds a run already"):
        score(tmp_path / "run", pairs(3))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="holds no run"):
        score(tmp_path / "other", pairs(3))
    assert (tmp_path / "other" / "thesis.txt").read_text() == "years of work"


def test_a_failing_model_leaves_items_unscored_and_the_run_ends_well() -> None:
    items = [Pair("bad", "BOOM", ("xxxx",)), *pairs(20, "system")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gistmeter.core.engines.logger.warning", lambda *_: None)
        run = score(None, items, metric=Length(fail_on="BOOM"))
    assert run.unscored == {"the model is out of order": 7}
    assert run["kept"].n == 14


def test_nothing_to_score_is_an_error() -> None:
    with pytest.raises(InputError, match="nothing to score"):
        score(None, [])


def test_details_are_written_and_their_names_are_tame(tmp_path: Path) -> None:
    class Detailed(Length):
        def measure(self, items):  # type: ignore[no-untyped-def]
            rows = super().measure(items)
            return rows.with_details({"../../escape me.json": {"x": float("nan")}})

    score(tmp_path / "run", pairs(3), metric=Detailed())
    written = list((tmp_path / "run" / "details").iterdir())
    assert [json.loads(file.read_text()) for file in written] == [{"x": None}]
    assert not (tmp_path.parent / "escape me.json").exists()


def test_a_run_can_be_loaded_and_pooled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.TABLES[registry.METRICS], "toy/length", "toys:Length")
    made = score(tmp_path / "run", pairs(10), metric=Length(limit=0.5))
    run = load_run(tmp_path / "run")
    metrics = run.metrics
    assert run.to_dict() == made.to_dict()
    assert metrics["length"].limit == 0.5
    assert metrics["length"].pool(run.rows)["kept"] == made["kept"].value


def test_a_damaged_run_says_so(tmp_path: Path) -> None:
    score(tmp_path / "run", pairs(3))
    (tmp_path / "run" / RUN).write_text('{"command": "text"}')
    with pytest.raises(InputError, match="is not a run of gistmeter"):
        load_run(tmp_path / "run")
    with pytest.raises(InputError, match="holds no run"):
        load_run(tmp_path)
