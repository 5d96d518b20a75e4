"""Runs that are too large to be held: pooled part by part, the same on every engine."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars
import pytest

import gistmeter
from core.engines import test_streamed_tables
from gistmeter.core import evaluation
from gistmeter.core.errors import FormatError
from gistmeter.core.evaluation import evaluate
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.runs import RunFolder
from gistmeter.core.statistics import bootstrap
from gistmeter.core.types import Pair, ScoreInfo
from gistmeter.text import family, streaming

SIZE = 700
SCORES = ["lexical_cosine", "s_info", "alarms"]
WORDS = ("rain", "snow", "light", "heavy", "much", "not", "never", "two", "three", "town", "came")


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is large here, so that tests stay small."""
    for where, name, value in (
        (bootstrap, "LARGE", 100), (family, "HELD_BYTES", 1000), (streaming, "HELD_ROWS", 64),
        (evaluation, "SAMPLE", 200),
    ):  # fmt: skip
        monkeypatch.setattr(where, name, value)
    yield


@pytest.fixture
def no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for all rows at once fails."""

    def refuse(_: RunFolder) -> None:
        raise AssertionError("all rows were asked for")

    monkeypatch.setattr(RunFolder, "rows", refuse)


def write(name: str, systems: str = "ab", *, skip: int = -1) -> Path:
    """Predictions of systems that change a word now and then, the second a little less often."""
    rows: list[dict[str, Any]] = []
    for system in systems:
        draw = np.random.default_rng(5)
        for at in range(SIZE):
            said = [WORDS[word] for word in draw.integers(0, len(WORDS), 7)]
            heard, chance, place = list(said), draw.random(), int(draw.integers(0, 7))
            if chance < (0.5 if system == "a" else 0.4):
                heard[place] = "town"
            text = None if at % 90 == 7 else " ".join(heard)
            if at != skip:
                rows.append(
                    {"id": str(at), "system": system, "prediction": text,
                     "reference": " ".join(said)}
                )  # fmt: skip
    return test_streamed_tables.write(name, rows, group=100)


def score(path: Path, **options: Any) -> gistmeter.Run:
    return gistmeter.score_text(path, **{"language": "en", "metrics": SCORES, **options})


def numbers(run: gistmeter.Run) -> dict[tuple[str, str], list[float]]:
    return {
        (system, name): [one.value, one.low, one.high, one.n, one.unscored]
        for system, held in run.systems.items()
        for name, one in held.scores.items()
    }


def same(first: gistmeter.Run, second: gistmeter.Run) -> None:
    """The same run but for the last bits of sums that were added in another order."""
    assert first.to_polars().equals(second.to_polars())
    assert first.signature == second.signature
    assert first.unscored == second.unscored
    assert first.notes == second.notes
    ours, theirs = numbers(first), numbers(second)
    assert list(ours) == list(theirs)
    for key, values in ours.items():
        assert values == pytest.approx(theirs[key], rel=1e-11, nan_ok=True), key


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "rows.parquet"])
def test_a_large_run_is_pooled_from_its_parts(
    name: str, in_folder: Path, request: pytest.FixtureRequest
) -> None:
    whole = score(write(name))  # held in memory, where there is no folder
    assert whole.excerpt is None
    request.getfixturevalue("no_rows")
    parts = score(Path(name), output="parts")
    assert parts.rows is None and parts.excerpt is not None
    same(parts, whole)
    assert sorted(path.name for path in Path("parts").iterdir()) == [
        "items.parquet", "report.html", "run.json",
    ]  # fmt: skip
    assert parts.excerpt.items == SIZE
    kept = parts.excerpt.rows
    assert 60 < len({*kept.keys["id"]}) < 140
    shown = kept.by("system")
    assert shown["a"].keys["id"] == shown["b"].keys["id"]
    page = Path("parts/report.html").read_text()
    assert "are of an even sample" in page and "of 700" in page
    loaded = gistmeter.load_run("parts")
    assert numbers(loaded) == numbers(parts)
    assert loaded.answer().split(",")[0] == parts.answer().split(",")[0]


@pytest.mark.parametrize("shares", [True, False])
def test_another_engine_gives_the_same(in_folder: Path, no_rows: None, shares: bool) -> None:
    path = write("rows.csv")
    there, here = (
        score(path, engine=test_streamed_tables.Elsewhere(shares=shares), output="there"),
        score(path, output="here"),
    )
    same(there, here)
    found, known = (run.findings.comparisons[0].pairs[0].to_dict() for run in (there, here))
    assert found == {
        key: pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
        for key, value in known.items()
    }


def test_differences_are_tested_on_all_items(in_folder: Path) -> None:
    path = write("rows.csv")
    parts = score(path, output="parts", resamples=2000)
    whole = score(path)
    for ours, theirs in zip(parts.findings.comparisons, whole.findings.comparisons, strict=True):
        assert ours.metric == theirs.metric
        a, b = ours.pairs[0], theirs.pairs[0]
        assert (a.a, a.b, a.n) == (b.a, b.b, b.n)
        assert a.difference == pytest.approx(b.difference, rel=1e-9)
        assert a.high - a.low == pytest.approx(b.high - b.low, rel=0.15)
        assert (a.p_value < 0.05) == (b.p_value < 0.05), ours.metric


def test_systems_of_different_items_are_not_tested(in_folder: Path) -> None:
    one = polars.read_csv(write("a.csv", "a"))
    other = polars.read_csv(write("b.csv", "b", skip=3))
    polars.concat([one, other]).write_csv("rows.csv")
    pair = score(Path("rows.csv"), output="parts").findings.comparisons[0].pairs[0]
    assert pair.test == "none" and math.isnan(pair.p_value)
    assert "gistmeter compare" in pair.note


def test_who_skips_items_is_not_tested_on_the_rest(in_folder: Path) -> None:
    """A system that leaves out what it cannot do would win on what is left."""
    frame = polars.read_csv(write("rows.csv"))
    skipped = (polars.col("system") == "b") & (polars.col("id") % 40 == 3)
    empty = polars.when(skipped).then(None).otherwise(polars.col("prediction"))
    frame.with_columns(prediction=empty).write_csv("rows.csv")
    run = score(Path("rows.csv"), output="parts")
    pair = run.findings.comparisons[0].pairs[0]
    assert pair.test == "none" and math.isnan(pair.p_value)
    assert "Whether that is real was not tested." in run.answer()


def test_a_large_run_can_do_what_others_can(in_folder: Path) -> None:
    run, whole = score(write("rows.csv"), output="parts"), score(Path("rows.csv"))
    copied = run.save("copy")
    same(gistmeter.load_run("copy"), whole)
    assert copied.path == Path("copy") and Path("copy/report.html").exists()
    labels = "".join(f"{at},{system},{at % 5}\n" for system in "ab" for at in range(SIZE))
    Path("people.csv").write_text("id,system,human\n" + labels)
    assert run.validate("people.csv", resamples=20).agreements
    assert len(run.to_pandas() if importlib.util.find_spec("pandas") else run.to_polars()) == 1400
    assert run.write("out.csv") and run.plot().names


def test_a_killed_run_goes_on_from_its_shards(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("rows.csv")
    put, calls = RunFolder.add, list[Any]()

    def stop(folder: RunFolder, chunk: Any) -> None:
        put(folder, chunk)
        calls.append(chunk)
        if len(calls) == 4:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(RunFolder, "add", stop)
        score(path, output="run")
    assert len(list(Path("run/shards").glob("*.parquet"))) == 4

    def late(folder: RunFolder, chunk: Any) -> None:
        put(folder, chunk)  # a worker of the killed run was still writing, and was killed then
        Path("run/shards/.gistmeter-late.draft").write_bytes(b"half")

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "add", late)
        remarks = score(path, output="run", resume=True).remarks
    assert f"Resuming run: {4 * 64} of {2 * SIZE} items are done" in remarks
    assert not Path("run/shards").exists()
    same(gistmeter.load_run("run"), score(path))


@dataclass(frozen=True, slots=True)
class Middle:
    """A median, which no sums give."""

    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("middle"),)

    def measure(self, items: Sequence[Pair]) -> Rows:
        sizes = [float(len(item.candidate or "")) for item in items]
        return Rows.of(items).with_numbers({"middle": sizes})

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {"middle": float(np.median(rows.values("middle")))}


def test_scores_that_need_all_rows_get_them(tmp_path: Path) -> None:
    items = [Pair(str(at), "x" * (at % 17), ("y",)) for at in range(300)]
    options: dict[str, Any] = {"chunk": 16, "resamples": 20, "count": lambda _: {}}
    run = evaluate(
        items, {"middle": Middle()}, **options,
        open_folder=lambda plan: RunFolder.start(tmp_path / "run", plan),
    )  # fmt: skip
    assert run.excerpt is None and not (tmp_path / "run" / "shards").exists()
    assert run["middle"].value == 8
    same(run, evaluate(items, {"middle": Middle()}, **options))


def test_tables_with_a_column_for_each_system_keep_their_order(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = polars.read_csv(write("rows.csv")).fill_null("it rained in town")
    wide = frame.pivot("system", index=["id", "reference"], values="prediction")
    wide.rename({"a": "model a", "b": "model b"}).write_csv("wide.csv")
    cut = score(Path("wide.csv"), metrics=["s_info"])
    monkeypatch.setattr(family, "HELD_BYTES", 1 << 30)
    same(cut, score(Path("wide.csv"), metrics=["s_info"]))
    assert list(cut.systems) == ["model a", "model b"]


def test_a_repetition_is_refused_at_its_line(in_folder: Path) -> None:
    frame = polars.read_csv(write("rows.csv"))
    polars.concat([frame, frame[5:6]]).write_csv("rows.csv")
    with pytest.raises(FormatError, match=rf"rows.csv, line {2 * SIZE + 2}: repeats the item '5'"):
        score(Path("rows.csv"))


def test_what_was_guessed_is_said(in_folder: Path) -> None:
    path = write("rows.csv")
    path.write_bytes(path.read_text().replace("town", "městečko").encode("cp1250"))
    run = score(path, language="cs", metrics=["s_info"])
    assert any("which is a guess" in remark for remark in run.remarks)
    assert f"{2 * SIZE} of {2 * SIZE} predictions have references" in run.remarks
