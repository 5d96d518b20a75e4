"""A run's texts are scored again from its folder, and the old run stays as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import gistmeter
from gistmeter.cli import app
from gistmeter.core.errors import InputError
from gistmeter.tools.rescore import rescore

TEXTS = {
    "a": ["比喻做多余的事", "比喻 || 坚持", None],
    "b": ["形容人很懒", "坚持就会成功", "只要努力"],
}
REFERENCES = [["比喻做了多余的事"], ["只要坚持 || 就能成功", "有恒心就行"], ["努力就行"]]


def test_texts_keep_their_scores(tmp_path: Path) -> None:
    old = gistmeter.score_text(
        TEXTS, REFERENCES, ids=["画蛇添足", "持之以恒", "铁杵磨针"], language="zh",
        structures=["x", "y", "x"], metrics=["s_info"], aggregate="mean",
        resamples=20, seed=3, output=tmp_path / "old",
    )  # fmt: skip
    new = rescore(tmp_path / "old", tmp_path / "new")
    assert new.signature == old.signature
    assert new.path == tmp_path / "new"
    assert new.to_polars()["s_info"].to_list() == old.to_polars()["s_info"].to_list()
    assert new.to_polars()["reference"].to_list() == old.to_polars()["reference"].to_list()
    assert (new.seed, new.resamples) == (3, 20)
    assert new.systems["a"].to_dict() == old.systems["a"].to_dict()


def test_columns_samples_and_wrappings_stay(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text(
        "id,question,category,sample,reference,v1\n"
        "a,Who came?,law,1,He came.,**Who came?** He came.\na,Who came?,law,2,He came.,She came.\n"
        "b,Who went?,tax,1,He went.,He went.\nb,Who went?,tax,2,He went.,> He went.\n",
        encoding="utf-8",
    )
    command = ["text", str(table), "--metrics", "s_info", "--by", "category", "--language", "en"]
    with pytest.raises(SystemExit, match="0"):
        app.main([*command, "-o", str(tmp_path / "old"), "--resamples", "50"])
    old, new = gistmeter.load_run(tmp_path / "old"), rescore(tmp_path / "old", tmp_path / "new")
    for name in ("prediction", "question", "category", "sample", "stripped", "s_info"):
        assert new.to_polars()[name].to_list() == old.to_polars()[name].to_list()
    assert new.to_polars()["prediction"].to_list()[0] == "He came."
    assert set(new.by("category").scores) == {"law", "tax"}
    assert new.notes["by"] == old.notes["by"] == ["category"]
    assert len(old.repeats) == 1
    assert repr(new.repeats) == repr(old.repeats)


def test_transcripts_keep_their_scores(tmp_path: Path) -> None:
    old = gistmeter.score_speech(
        ["one two three", "four five"], {"x": ["one two tree", ""], "y": ["one", None]},
        language="en", metrics=["wer"], speakers=["p", "q"], resamples=0,
    )  # fmt: skip
    new = rescore(old)
    assert new.signature == old.signature
    for name in ("id", "system", "cluster", "wer", "expected", "got"):
        assert new.to_polars()[name].to_list() == old.to_polars()[name].to_list()


def test_answers_and_columns_are_kept(tmp_path: Path) -> None:
    """A rescored run has the slices and the repeated answers of the old one."""
    head = ["id", "sample", "topic", "language", "Item"]
    cells = [[f"i{at // 2}", str(at % 2), "ab"[at // 2 % 2], "en", "x"] for at in range(8)]
    said = ["one two three four"] * 4 + ["five six seven eight"] * 4
    heard = [text.rsplit(" ", at % 3)[0] for at, text in enumerate(said)]
    tables = {"text": ["reference", "prediction"], "speech": ["expected", "got"]}
    for shape, names in tables.items():
        path = tmp_path / f"{shape}.csv"
        rows = [[*head, *names], *([*c, s, h] for c, s, h in zip(cells, said, heard, strict=True))]
        path.write_text("\n".join(map(",".join, rows)))
        source, metric = ("table", "wer") if shape == "speech" else ("predictions", "s_info")
        old = gistmeter.score(shape, **{source: path}, metrics=[metric], by=["topic"], resamples=0)
        new = rescore(old)
        assert [one.to_dict() for one in new.repeats] == [one.to_dict() for one in old.repeats]
        assert old.repeats and [part.to_dict() for part in new.slices] == [
            part.to_dict() for part in old.slices
        ]
        for name in ("topic", "sample", "cluster", "Item (input)", metric):
            assert new.to_polars()[name].to_list() == old.to_polars()[name].to_list()


def test_books_keep_their_sentences(tmp_path: Path) -> None:
    source = "CHAPTER I\n\nThe bell rang twice. Nobody came.\n\nCHAPTER II\n\nShe left at dawn."
    old = gistmeter.score_book(
        source, "The bell rang. She left.", language="en", metrics=["alignment"], resamples=0,
        output=tmp_path / "old",
    )  # fmt: skip
    new = rescore(tmp_path / "old")
    assert new.to_polars()["sentence"].to_list() == old.to_polars()["sentence"].to_list()
    assert new.signature == old.signature


def test_the_command_makes_a_new_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gistmeter.score_text(
        ["坚持"], ["坚持"], language="zh", metrics=["s_info"], resamples=0, output=tmp_path / "old"
    )
    before = {path: path.read_bytes() for path in (tmp_path / "old").rglob("*") if path.is_file()}
    with pytest.raises(SystemExit, match="0"):
        app.main(["rescore", str(tmp_path / "old")])
    assert (tmp_path / "old-rescored" / "run.json").is_file()
    assert all(path.read_bytes() == content for path, content in before.items())
    assert "old-rescored" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        app.main(["rescore", str(tmp_path / "old")])
    with pytest.raises(SystemExit, match="2"):
        app.main(["rescore"])


def test_what_a_parse_was_made_of_is_not_kept(tmp_path: Path) -> None:
    run = gistmeter.score_text(["a"], ["a"], language="en", metrics=["s_info"], resamples=0)
    with pytest.raises(InputError, match="score its files again"):
        rescore(replace(run, command="parse"))


def test_a_refused_comparison_names_the_command() -> None:
    one = gistmeter.score_text(["a b"], ["a c"], language="en", metrics=["s_info"], resamples=0)
    other = gistmeter.score_text(
        ["a b"], ["a c"], language="en", metrics=["s_info"], extract="none", resamples=0
    )
    with pytest.raises(InputError, match="gistmeter rescore"):
        one.compare(other)
