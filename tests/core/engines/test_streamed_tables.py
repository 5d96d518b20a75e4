"""Tables that workers read: the same run as one that reads them whole, and never all rows here."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import polars
import pytest

import gistmeter
from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.family import Context
from gistmeter.text import streaming
from gistmeter.text.family import Text, TextSettings
from gistmeter.text.streaming import Streamed

ARRANGEMENTS = ("original", "arrangement1")
ROWS = [
    {
        "id": f"item {at // 4}",
        "system": ("careful", "hasty")[at % 2],
        "arrangement": ARRANGEMENTS[at // 2 % 2] if at % 2 else "",
        "prediction": f"the {at} cats sat on a mat" if at % 7 else None,
        "reference": f"{at} cats were sitting || the cats sat" if at % 11 else "",
        "structure": ("pairs", "lines")[at // 4 % 2],
    }
    for at in range(120)
    if at % 4 != 2
]


class Elsewhere:
    """An engine whose workers get copies, as on a cluster, in an order of their own."""

    apart = True

    def __init__(self, *, shares: bool = True) -> None:
        self.sent: list[Any] = []
        self.shares = shares

    def open(self) -> Any:
        return nullcontext()

    def sees(self, files: Sequence[Path]) -> bool:
        return self.shares

    def run(self, work: Callable[[Any], Any], parts: Sequence[Any]) -> Iterator[Any]:
        for at in reversed(range(len(parts))):
            self.sent.append(parts[at])
            yield copy.deepcopy(work)(copy.deepcopy(parts[at]))


def write(name: str, rows: Sequence[dict[str, Any]] = ROWS, *, group: int = 7) -> Path:
    frame = polars.DataFrame(rows)
    path = Path(name)
    if path.suffix == ".parquet":
        frame.write_parquet(path, row_group_size=group)
    elif path.suffix == ".csv":
        frame.write_csv(path)
    else:
        path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def score(*paths: Path, **more: Any) -> gistmeter.Run:
    wanted = ["s_info", "lexical_cosine"]
    return gistmeter.score_text(list(paths), language="en", **{"metrics": wanted, **more})


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv", "rows.jsonl"])
def test_the_run_is_that_of_the_whole_table(
    name: str, in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="comes with ray: pip install 'gistmeter[ray]'")
    monkeypatch.setattr(streaming, "ROWS", 20)
    path, engine = write(name), Elsewhere()
    streamed = score(path, engine=engine, output="streamed")
    whole = score(path, output="whole")
    assert streamed.to_polars().equals(whole.to_polars())
    assert Path("streamed/items.parquet").read_bytes() == Path("whole/items.parquet").read_bytes()
    assert streamed.signature == whole.signature
    assert streamed.inputs == whole.inputs
    scores = {key: value for key, value in streamed.to_dict().items() if key != "run"}
    assert scores == {key: value for key, value in whole.to_dict().items() if key != "run"}
    # Looked at and measured, each stretch once; what went to workers names rows and holds none.
    assert len(engine.sent) == (12 if name.endswith("parquet") else 2)
    assert "cats" not in repr(engine.sent)


def test_metrics_are_chosen_by_what_the_tables_hold(in_folder: Path) -> None:
    path = write("rows.csv")
    settings = TextSettings(predictions=(path,), language="en")
    context = Context(None, hear=lambda *_: None, engine=Elsewhere())  # type: ignore[arg-type]
    read = Text().read(settings, context)
    assert isinstance(read.items, Streamed)
    assert len(read.items) == len(ROWS)
    plain = Text().read(settings, Context(None, hear=lambda *_: None))  # type: ignore[arg-type]
    fields = [(pair.id, pair.system, pair.arrangement, dict(pair.fields)) for pair in read.items]
    assert fields == [(p.id, p.system, p.arrangement, dict(p.fields)) for p in plain.items]
    assert read.items[5].id == plain.items[5].id
    streamed = score(path, engine=Elsewhere(), metrics=["robustness", "consistency"], no_judge=True)
    whole = score(path, metrics=["robustness", "consistency"], no_judge=True)
    assert streamed.to_dict() == whole.to_dict()


def test_rows_without_a_name_are_numbered_through(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="comes with ray: pip install 'gistmeter[ray]'")
    monkeypatch.setattr(streaming, "ROWS", 10)
    frame = polars.DataFrame(ROWS).select("prediction", "reference")
    frame.write_parquet("rows.parquet", row_group_size=10)
    streamed = score(Path("rows.parquet"), engine=Elsewhere())
    assert streamed.to_polars().equals(score(Path("rows.parquet")).to_polars())


@pytest.mark.parametrize("other", [{"references": "refs.csv"}, {"language": None}])
def test_what_needs_all_rows_is_read_whole(in_folder: Path, other: dict[str, Any]) -> None:
    path = write("rows.csv")
    polars.DataFrame({"id": [row["id"] for row in ROWS], "reference": "cats"}).unique(
        "id"
    ).write_csv("refs.csv")
    options: dict[str, Any] = {"language": "en", "engine": Elsewhere(), "metrics": ["s_info"]}
    run = gistmeter.score_text([path], **{**options, **other})
    assert run.systems
    assert "cats" in repr(options["engine"].sent)


def test_rows_are_sent_to_workers_that_do_not_share_the_disk(in_folder: Path) -> None:
    path, engine = write("rows.csv"), Elsewhere(shares=False)
    assert score(path, engine=engine).to_polars().equals(score(path).to_polars())
    assert "cats" in repr(engine.sent)


def test_a_repetition_is_refused_wherever_it_stands(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="comes with ray: pip install 'gistmeter[ray]'")
    monkeypatch.setattr(streaming, "ROWS", 10)
    polars.DataFrame([*ROWS, ROWS[3]]).write_parquet("rows.parquet", row_group_size=10)
    with pytest.raises(FormatError, match=rf"line {len(ROWS) + 1}: repeats the item 'item 1'"):
        score(Path("rows.parquet"), engine=Elsewhere())


def test_tables_without_references_are_refused(in_folder: Path) -> None:
    polars.DataFrame(ROWS).drop("reference").write_csv("rows.csv")
    with pytest.raises(InputError, match="There are no references"):
        score(Path("rows.csv"), engine=Elsewhere())


def test_a_pattern_of_addresses_is_read_where_it_is(in_folder: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="pip install 'gistmeter[remote]'")
    pytest.importorskip("pyarrow", reason="comes with ray: pip install 'gistmeter[ray]'")
    system = fsspec.filesystem("memory")
    files = [write("one.parquet"), write("two.csv")]
    for at, file in enumerate(files):
        rows = polars.DataFrame(ROWS).with_columns(system=polars.lit(f"system{at}"))
        rows = rows.with_columns(id=polars.col("id") + rows["arrangement"] + str(at)).unique("id")
        rows = rows.sort("id")
        rows.write_parquet(file) if file.suffix == ".parquet" else rows.write_csv(file)
        system.pipe_file(f"/streams/{file.name}", file.read_bytes())
    try:
        engine = Elsewhere()
        streamed = score(Path("memory://streams/*"), engine=engine)
    finally:
        system.rm("/streams", recursive=True)
    assert "cats" not in repr(engine.sent)
    assert streamed.to_polars().equals(score(*files).to_polars())
    assert set(streamed.inputs) == {"one.parquet", "two.csv"}
