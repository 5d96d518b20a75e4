"""`gistmeter text` from its arguments to its files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

from gistmeter.cli import main

SEED_COLUMNS = (
    "idiom Reference Prediction Cross_Encoder BERTScore STS Lexical_Cosine Representation F_Beta"
    " S_Acc Polarity_Conflict"
)
Call = Callable[..., tuple[int, dict[str, Any], str]]


@pytest.fixture
def call(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """Run the command; gives its exit code, its JSON (if it printed any) and its stderr.

    Without the judge, whose numbers are not what is tested here.
    """

    def run(*arguments: str) -> tuple[int, dict[str, Any], str]:
        more = ["--no-judge", "--format", "json", "--no-report"]
        monkeypatch.setattr("sys.argv", ["gistmeter", "text", *arguments, *more])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else {}, " ".join(err.split())

    for name, lines in {
        "refs.csv": ["idiom,explanation,structure", "ab,喜欢学习||热爱读书,one", "cd,害怕困难,two",
                     "ef,无人预测,one"],
        "good.csv": ["idiom,Prediction", "cd,害怕困难", "ab ,喜欢[学习]", "zz,没有参考"],
        "bad.csv": ["idiom,Prediction", "ab,天气晴朗", "cd,"],
    }.items():  # fmt: skip
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return run


def read(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_several_systems_matched_by_idiom(call: Call) -> None:
    code, found, said = call(
        "--predictions", "good.csv", "bad.csv", "--references", "refs.csv", "--language", "zh"
    )
    assert code == 0, said
    good, bad = found["systems"]["good"]["scores"], found["systems"]["bad"]["scores"]
    assert good["s_acc"]["value"] == pytest.approx(1.0, abs=1e-6)
    assert good["s_acc"]["n"] == 2 and good["s_acc"]["unscored"] == 1
    assert bad["s_acc"]["n"] == 1 and bad["s_acc"]["value"] < 0.5
    assert good["s_acc"]["partial"] == ["cross_encoder"]
    assert found["unscored"] == {
        "no reference": 1,
        "no prediction": 1,
        "no predictions for the unscrambled form": 1,  # of good, for s_rob
        "fewer than two structure classes": 1,  # of bad
    }
    assert "partial:cross_encoder" in found["signature"]
    assert "4 of 5 predictions have references" in said
    assert "1 predicted items have no reference: zz" in said
    assert "1 items of the references were not predicted: ef" in said
    assert "S_Acc is partial" in said and "gistmeter models pull paper" in said


def test_the_unmatched_are_listed_in_the_run(call: Call) -> None:
    _, found, _ = call("good.csv", "--references", "refs.csv", "--language", "zh", "-o", "run")
    notes = json.loads(Path("run/run.json").read_text(encoding="utf-8"))["notes"]
    assert notes["unmatched"] == {
        "predicted without reference": ["zz"],
        "references without prediction": ["ef"],
    }
    assert found["run"] == "run"


def test_files_with_the_known_columns(call: Call) -> None:
    Path("set").mkdir()
    for name, text in {"m_arrangement1": "喜欢学习", "m_original": "热爱读书"}.items():
        Path(f"set/{name}.csv").write_text(f"idiom,Prediction\nab,{text}\n", encoding="utf-8")
    code, found, said = call(
        "set", "--references", "refs.csv", "--language", "zh", "-o", "out/x.csv", "-o", "x.xlsx"
    )
    assert code == 0, said
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "x.arrangement1.csv", "x.csv", "x.original.csv", "x.summary.csv",
    ]  # fmt: skip
    assert Path("out/x.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    everything = read("out/x.csv")
    assert " ".join(everything[0]).startswith(SEED_COLUMNS)
    assert [(row["system"], row["arrangement"]) for row in everything] == [
        ("m", "arrangement1"), ("m", "original"),
    ]  # fmt: skip
    assert [row["Polarity_Conflict"] for row in everything] == ["False", "False"]
    assert everything[0]["Cross_Encoder"] == "" and float(everything[0]["S_Acc"]) > 0.99
    assert len(read("out/x.original.csv")) == 1
    assert [row["Sheet"] for row in read("out/x.summary.csv")] == [
        "arrangement1", "original", "Overall",
    ]  # fmt: skip
    from python_calamine import CalamineWorkbook

    assert CalamineWorkbook.from_path("x.xlsx").sheet_names == [
        "arrangement1",
        "original",
        "summary",
    ]
    scores = found["systems"]["m"]["scores"]
    assert {"s_cons", "e_perf", "r_sens", "mdr", "mda", "s_seq", "s_struct", "s_rob", "s_info"} <= {
        *scores
    }
    assert scores["mdr"]["value"] == pytest.approx(0.0, abs=1e-6)
    assert scores["s_cons"]["partial"] == scores["mdr"]["partial"] == ["cross_encoder"]
    assert "partial" not in scores["s_info"]


def test_settings_from_the_environment(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_FILE", "good.csv")
    monkeypatch.setenv("ORIGINAL_FILE", "refs.csv")
    monkeypatch.setenv("OUTPUT_FILE", "seen.csv")
    monkeypatch.setenv("REF_AGG_MODE", "mean")
    code, found, said = call("--language", "zh")
    assert code == 0, said
    assert "aggregate:mean" in found["signature"]
    assert len(read("seen.csv")) == 3 and Path("seen.summary.csv").exists()
    assert found["systems"]["good"]["scores"]["s_acc"]["value"] < 0.99
    _, flagged, _ = call("--language", "zh", "--aggregate", "max", "bad.csv")
    assert list(flagged["systems"]) == ["bad"] and "aggregate:max" in flagged["signature"]


def test_every_parameter_as_a_key_of_the_configuration(call: Call) -> None:
    Path("own.toml").write_text(
        "[text]\nUSE_BERTSCORE = false\nBETA_F = 1.5\nPOLARITY_PENALTY = 0.25\n"
        "POLARITY_MODE = 'ratio'\nPOLARITY_RATIO = 0.75\nBATCH_SIZE_EMB = 8\nMAX_LEN = 64\n"
        "weights = [0.0, 0.5, 0.5]\nlanguage = 'zh'\nmetrics = ['s_acc']\n",
        encoding="utf-8",
    )
    code, found, said = call("good.csv", "--references", "refs.csv", "--config", "own.toml")
    assert code == 0, said
    signature = found["signature"]
    for part in ("bertscore:false", "beta:1.5", '"penalty":0.25', '"mode":"ratio"', '"ratio":0.75',
                 '"cross_encoder":0.0', "max=64"):  # fmt: skip
        assert part in signature, part
    scores = found["systems"]["good"]["scores"]
    assert "bertscore" not in scores and "s_info" not in scores
    assert "partial" not in scores["s_acc"]  # without weight, the cross-encoder is not missed


@pytest.mark.parametrize(
    ("name", "code"),
    [("korean_refs.csv", "ko"), ("Traditional_Chinese.csv", "zh-Hant"), ("chinese.csv", "zh")],
)
def test_the_language_of_a_file_name_is_said(call: Call, name: str, code: str) -> None:
    Path(name).write_bytes(Path("refs.csv").read_bytes())
    _, found, said = call("good.csv", "--references", name, "--metrics", "s_info")
    assert f"Language: {code}, from the name of {name}" in said
    assert f'"{code}":' in found["signature"]


def test_the_language_of_the_texts_is_said(call: Call) -> None:
    _, found, said = call("good.csv", "--references", "refs.csv", "--metrics", "s_info")
    assert "Language: zh, from the texts" in said
    assert '"zh":' in found["signature"]


def test_a_guessed_encoding_is_said(call: Call) -> None:
    lines = [
        "idiom,Prediction",
        *(f"ab{at},天气晴朗，喜欢学习，害怕困难" for at in range(40)),
        "ab,喜欢学习",
    ]
    Path("old.csv").write_bytes("\n".join(lines).encode("gb18030"))
    code, found, said = call("old.csv", "--references", "refs.csv", "--metrics", "s_info",
                             "--language", "zh")  # fmt: skip
    assert code == 0, said
    assert "old.csv: read as gb" in said
    assert found["systems"]["old"]["scores"]["s_info"]["value"] == 1.0


def test_an_override_of_polarity(call: Call) -> None:
    Path("own.csv").write_text("idiom,polarity\nab,negative\n", encoding="utf-8")
    arguments = ("good.csv", "--references", "refs.csv", "--language", "zh", "--metrics", "s_acc")
    _, plain, _ = call(*arguments)
    _, changed, _ = call(*arguments, "--polarity-overrides", "own.csv")
    before, after = (run["systems"]["good"]["scores"] for run in (plain, changed))
    assert before["polarity_conflict"]["value"] == 0.0
    assert after["polarity_conflict"]["value"] == 0.5  # 喜欢 is praise, and the file says blame
    assert after["f_beta"]["value"] < before["f_beta"]["value"]


def test_an_original_of_its_own(call: Call) -> None:
    Path("good_original.csv").write_text("idiom,Prediction\nab,喜欢学习\n", encoding="utf-8")
    _, found, _ = call(
        "good.csv",
        "--references",
        "refs.csv",
        "--original",
        "good_original.csv",
        "--language",
        "zh",
    )
    held = found["systems"]["good"]
    assert set(held["groups"]) == {"", "original"}
    assert held["scores"]["mdr"]["value"] == pytest.approx(0.0, abs=1e-6)


def test_without_an_original_nothing_is_invented(call: Call) -> None:
    Path("m.csv").write_text("idiom,Prediction,arrangement\nab,喜欢学习,p1\n", encoding="utf-8")
    _, found, _ = call("m.csv", "--references", "refs.csv", "--language", "zh")
    scores = found["systems"]["m"]["scores"]
    assert scores["mdr"]["value"] is None and scores["s_seq"]["value"] is None
    assert scores["s_cons"]["value"] is None
    assert found["unscored"] == {
        "no predictions for the unscrambled form": 1,
        "fewer than two arrangements": 1,
        "fewer than two structure classes": 1,
    }


def test_recovery_of_forms(call: Call) -> None:
    Path("m.csv").write_text(
        "idiom,Prediction,Recovered\nab,喜欢学习,ab\ncd,害怕,dc\n", encoding="utf-8"
    )
    _, found, _ = call("m.csv", "--references", "refs.csv", "--language", "zh", "-o", "run")
    assert found["systems"]["m"]["scores"]["recovery"]["value"] == 0.5
    assert polars.read_parquet("run/items.parquet")["recovery"].to_list() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "No predictions were given"),
        (("none.csv", "--references", "refs.csv"), "none.csv: no such file"),
        (("good.csv", "--references", "none.csv"), "none.csv: no such file"),
        (("good.csv",), "no references"),
        (("good.csv", "--references", "refs.csv", "--aggregate", "median"), "Available: max, mean"),
        (("good.csv", "--references", "refs.csv", "--metrics", "s_ac"), "Did you mean 's_acc'?"),
        (("good.csv", "--references", "refs.csv", "--weights", "1,2"), "three numbers"),
        (("good.csv", "--references", "refs.csv", "--metrics", "s_logic"), "gistmeter models pull"),
        (("good.csv", "--references", "refs.csv", "--strict"), "S_Acc would be partial"),
        (("good.csv", "--references", "refs.csv", "--polarity-mode", "most"), "all, any, ratio"),
        (("good.csv", "--references", "refs.csv", "--tokenizer", "moses"), "jieba"),
        (("good.csv", "--references", "refs.csv", "--column", "prediction=X"), "no column 'X'"),
        (("good.csv", "--references", "bad.csv"), "no column 'explanation'"),
        (("good.csv", "good.csv", "--references", "refs.csv"), "repeats the item"),
        (("good.csv", "--references", "refs.csv", "--profile", "papre"), "Did you mean 'paper'?"),
    ],
)
def test_bad_input_ends_with_2_and_writes_nothing(
    call: Call, arguments: tuple[str, ...], message: str
) -> None:
    code, found, said = call(*arguments, "--language", "zh", "-o", "x.csv")
    assert code == 2 and not found
    assert message in said
    assert not Path("runs").exists() and not Path("x.csv").exists()


def test_a_threshold_that_is_missed_ends_with_3_and_writes_all_the_same(call: Call) -> None:
    code, found, said = call(
        "bad.csv", "--references", "refs.csv", "--language", "zh", "-o", "x.csv",
        "--fail-under", "s_acc=0.9",
    )  # fmt: skip
    assert code == 3 and found
    assert "worse than 0.9" in said and Path("x.csv").exists()


def test_hostile_cells_stay_cells(call: Call) -> None:
    nasty = '"=HYPERLINK(""x"")","<script>alert(1)</script>\x1b[31m"'
    Path("m.csv").write_text(f"idiom,Prediction\n{nasty}\n", encoding="utf-8")
    Path("r.csv").write_text('idiom,explanation\n"=HYPERLINK(""x"")",危险\n', encoding="utf-8")
    code, _, said = call("m.csv", "--references", "r.csv", "--language", "zh", "-o", "x.csv")
    assert code == 0, said
    assert read("x.csv")[0]["idiom"].startswith("'=")


def test_runs_against_other_references_have_other_signatures(call: Call) -> None:
    def signature(*separators: str) -> str:
        arguments = ("good.csv", "--references", "refs.csv", "--language", "zh")
        return str(call(*arguments, "--metrics", "s_info", *separators)[1]["signature"])

    assert "separators" not in signature()
    assert "|separators:wide|" in signature("--reference-separators", "wide")
    assert signature("--reference-separators", "|| ;") != signature("--reference-separators", "; |")


def test_each_arrangement_has_a_file_whatever_its_name(call: Call) -> None:
    lines = ["idiom,Arrangement,Prediction"]
    lines += [f"ab,{name},喜欢学习" for name in ("1+2", "1/2", "summary")]
    Path("many.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    arguments = ("many.csv", "--references", "refs.csv", "--language", "zh", "--metrics", "s_info")
    assert call(*arguments, "-o", "x.csv")[0] == 0
    written = sorted(path.name for path in Path().glob("x.*.csv"))
    assert written == ["x.1_2 (2).csv", "x.1_2.csv", "x.summary (2).csv", "x.summary.csv"]
    assert "s_info" in read("x.summary.csv")[0]


@pytest.mark.parametrize("output", ["good.csv", "./refs.csv"])
def test_no_input_is_overwritten(call: Call, output: str) -> None:
    before = Path(output).read_bytes()
    arguments = ("good.csv", "--references", "refs.csv", "--language", "zh", "--metrics", "s_info")
    code, _, said = call(*arguments, "-o", output)
    assert code == 2
    assert "is read by this command" in said
    assert Path(output).read_bytes() == before


def test_an_unknown_suffix_is_no_folder(call: Call) -> None:
    code, _, said = call("good.csv", "--references", "refs.csv", "-o", "x.xls")
    assert code == 2
    assert "cannot write '.xls'. Known: .json" in said
    assert not Path("x.xls").exists()


def test_composed_and_decomposed_names_are_the_same(call: Call) -> None:
    import unicodedata

    for name, form in (("nfc", "NFC"), ("nfd", "NFD")):
        text = unicodedata.normalize(form, "idiom,explanation\n가나,다라\n")
        Path(f"{name}.csv").write_text(text, encoding="utf-8")
    arguments = ("--language", "zh", "--metrics", "s_info", "--column", "prediction=explanation")
    code, found, said = call("nfd.csv", "--references", "nfc.csv", *arguments)
    assert code == 0, said
    assert found["systems"]["nfd"]["scores"]["s_info"]["n"] == 1


@pytest.mark.parametrize("language", ["koraen", "xx_yy!!"])
def test_a_language_is_named_by_its_code(call: Call, language: str) -> None:
    code, _, said = call("good.csv", "--references", "refs.csv", "--language", language)
    assert code == 2
    assert "Available: cs, de, en, es, fr, ja, ko" in said


def test_a_threshold_is_a_number(call: Call) -> None:
    assert call("good.csv", "--references", "refs.csv", "--fail-under", "s_acc=nan")[0] == 2
