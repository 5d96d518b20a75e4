"""What the papers' own systems compute, and the faults that scores must not have."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import gistmeter
from conftest import shared_path
from gistmeter.cli import app
from gistmeter.core.errors import InputError
from gistmeter.core.evaluation import evaluate
from gistmeter.core.rows import Rows
from gistmeter.text.family import Text, TextSettings
from gistmeter.text.metrics.consistency import (
    NO_ORIGINAL,
    Consistency,
    SequenceRobustness,
    StructuralRobustness,
)
from gistmeter.text.metrics.information import Recovery
from gistmeter.text.metrics.logic import LogicalValidity
from text.orderprobe_words import NEGATIONS, NEGATIVE, OVERRIDES, POSITIVE
from text.text_doubles import PACKS, Given, pair

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")


# Faults that scores must not have


def test_recovery_leaves_the_unscrambled_original_out() -> None:
    items = [
        pair("x", id="ab", arrangement=order, recovered="ab" if order == "original" else "ba")
        for order in ("original", "p1", "p2", "p3")
    ]  # fmt: skip
    run = evaluate(items, {"recovery": Recovery()}, resamples=0)
    assert run["recovery"].value == 0.0 and run["recovery"].n == 3
    assert run["recovery"].reasons == {"the form was not scrambled": 1}


def test_both_directions_are_asked_of_the_same_reference() -> None:
    """A dog is an animal, a poodle is a dog: neither means the same as "dog"."""
    known = {
        ("poodle", "dog"): 1.0,
        ("dog", "animal"): 1.0,
        ("dog", "poodle"): 0.0,
        ("animal", "dog"): 0.0,
    }
    metric = LogicalValidity(Given(known), "both")
    item = pair("dog", "poodle", "animal")
    run = evaluate([item], {"s_logic": metric}, resamples=0)
    assert run["s_logic"].value == 0.0
    assert run["s_logic_reference_to_prediction"].value == 1.0
    assert run["s_logic_prediction_to_reference"].value == 1.0


def test_structure_without_classes_says_why() -> None:
    scored = rows([("1", "p1", 0.5), ("2", "p1", 0.6)])
    measured = StructuralRobustness().measure([pair("x"), pair("y")])
    run = evaluate(
        [pair("x"), pair("y")], {"structure": StructuralRobustness()}, resamples=0
    )  # fmt: skip
    assert len(scored) == len(measured)
    for name in ("s_struct", "s_rob"):
        assert math.isnan(run[name].value)
        assert run[name].reasons == {"no structure classes": 1}


def test_why_a_composite_is_undefined_is_said_at_every_door(tmp_path: Path) -> None:
    """In Python, on the screen, in --format json and in the run's folder."""
    write(tmp_path / "m.csv", "idiom,Prediction,arrangement\na,喜欢,p1\na,学习,p2\n")
    write(tmp_path / "refs.csv", "idiom,explanation\na,喜欢学习\n")
    asked = ["text", str(tmp_path / "m.csv"), "--references", str(tmp_path / "refs.csv"),
             "--language", "zh", "--no-judge", "--metrics", "s_acc,s_struct,s_seq"]  # fmt: skip
    got = CliRunner().invoke(app, [*asked, "-o", str(tmp_path / "run"), "--format", "json"])
    assert got.exit_code == 0, got.output
    told = json.loads(got.stdout)
    kept = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    loaded = gistmeter.load_run(tmp_path / "run")
    expected = {"s_struct": "no structure classes", "s_rob": "no structure classes",
                "s_seq": NO_ORIGINAL, "mdr": NO_ORIGINAL}  # fmt: skip
    for name, why in expected.items():
        for document in (told, kept):
            score = document["systems"]["m"]["scores"][name]
            assert score["value"] is None and score["reasons"] == {why: 1}, name
        assert loaded["s_struct"].reasons == {"no structure classes": 1}
    assert "reasons" not in told["systems"]["m"]["scores"]["s_acc"]  # nothing to say: no key
    assert told["unscored"] == {NO_ORIGINAL: 1, "no structure classes": 1}
    shown = CliRunner().invoke(app, asked)
    assert "no structure classes (1)" in shown.output


# Missing predictions

CSV = "idiom,Prediction\n"


@pytest.mark.parametrize("missing", ["。。。", "🙂🙂", "nan", "N/A", "null", "--", "[]", "…"])
def test_what_says_nothing_is_no_prediction(missing: str) -> None:
    run = gistmeter.score_text(
        [missing, "喜欢"], ["喜欢", "喜欢"], language="zh", metrics=["s_info"]
    )
    assert (run["s_info"].n, run["s_info"].unscored) == (1, 1)
    assert run["s_info"].reasons == {"no prediction": 1}


@pytest.mark.parametrize("said", ["无", "Nancy", "不", "42", "none of them"])
def test_what_says_little_is_a_prediction(said: str) -> None:
    run = gistmeter.score_text([said], ["无"], language="zh", metrics=["s_info"])
    assert run["s_info"].unscored == 0


def abstaining() -> dict[str, list[str | None]]:
    return {"honest": ["喜欢", "学习", "害怕"], "silent": ["喜欢学习", None, None]}


def test_abstaining_is_warned_of_and_can_count_as_zero() -> None:
    references = ["喜欢学习", "努力学习", "害怕困难"]
    ask = {"language": "zh", "metrics": ["s_info"], "ids": ["1", "2", "3"]}
    run = gistmeter.score_text(abstaining(), references, **ask)
    assert run.systems["silent"].scores["s_info"].value == 1.0
    assert run.systems["silent"].scores["s_info"].unscored == 2
    run = gistmeter.score_text(abstaining(), references, missing_prediction="zero", **ask)
    silent = run.systems["silent"].scores["s_info"]
    assert silent.value == pytest.approx(1 / 3) and silent.n == 3
    assert silent.reasons == {"no prediction, counted as 0": 2}


def test_the_table_counts_what_is_unscored_and_the_ranking_is_warned_of(tmp_path: Path) -> None:
    write(tmp_path / "honest.csv", CSV + "a,喜欢\nb,学习\nc,害怕\n")
    write(tmp_path / "silent.csv", CSV + "a,喜欢学习\nb,\nc,N/A\n")
    write(tmp_path / "refs.csv", "idiom,explanation\na,喜欢学习\nb,努力学习\nc,害怕困难\n")
    given = [str(tmp_path / "honest.csv"), str(tmp_path / "silent.csv"), "--references",
             str(tmp_path / "refs.csv"), "--language", "zh", "-o",
             str(tmp_path / "run")]  # fmt: skip
    got = CliRunner().invoke(app, ["text", *given, "--metrics", "s_acc"])
    assert got.exit_code == 0, got.output
    assert "unscored" in got.stdout and "silent 2" in got.stderr
    assert "gistmeter compare takes the items that they share" in got.stderr
    got = CliRunner().invoke(
        app, ["text", *given, "--metrics", "s_acc", "--missing-prediction", "zero", "--overwrite"]
    )
    assert "counted as 0 (2)" in got.stdout and "silent 2" not in got.stderr


# S_Cons: the system's own definition, and one that measures consistency


def rows(table: Sequence[tuple[str, str, float]]) -> Rows:
    made = Rows.of([pair("x", id=name, arrangement=group) for name, group, _ in table])
    values = [line[2] for line in table]
    return made.with_numbers({"s_acc": values, "s_acc_max": values, "s_acc_mean": values})


def cons(by: str, table: Sequence[tuple[str, str, float]]) -> Mapping[str, Any]:
    metric = Consistency(by=by)  # type: ignore[arg-type]
    return metric.pool(metric.derive(rows(table)))


def made_system(kind: str, idioms: int = 40, orders: int = 12) -> list[tuple[str, str, float]]:
    """Systems whose consistency is known."""
    chance = np.random.default_rng(7)
    table = []
    for idiom in range(idioms):
        known = idiom % 2 == 0
        for order in range(orders):
            score = {
                "perfect": 1.0,
                "good": 0.8,
                "nonsense": 0.05 + 0.1 * (idiom % 3 == 0),  # 不知道 shares a word now and then
                "half the idioms, in every order": 0.95 if known else 0.15,
                "half the answers, at random": 0.95 if chance.random() < 0.5 else 0.15,
                "half the orders": 0.95 if order % 2 else 0.15,
                "one bad order": 0.8 if order else 0.1,
            }[kind]
            table.append((str(idiom), f"p{order}", score))
    return table


def test_consistency_by_hand() -> None:
    table = [
        ("1", "a", 0.8),
        ("2", "a", 0.6),
        ("1", "b", 0.4),
        ("2", "b", 0.4),
        ("1", "original", 1.0),
    ]
    got = cons("orders", table)
    assert got["e_perf"] == pytest.approx(math.sqrt((0.04 + 0.04 + 0.01 + 0.01) / 4))
    assert got["r_sens"] == pytest.approx(0.55 - 0.4)
    assert got["s_cons"] == pytest.approx(0.55 * (1 - got["e_perf"]) * (1 - 0.15))
    got = cons("idioms", table)
    assert got["e_perf"] == pytest.approx((0.1 + 0.0) / 2) and got["r_sens"] == pytest.approx(0.1)
    assert got["s_cons"] == pytest.approx(0.95 * 0.9)


def test_the_default_ranks_made_systems_by_their_consistency() -> None:
    ours = {kind: float(cons("orders", made_system(kind))["s_cons"]) for kind in (
        "perfect", "good", "one bad order", "half the idioms, in every order",
        "half the answers, at random", "half the orders", "nonsense",
    )}  # fmt: skip
    assert ours["perfect"] == pytest.approx(1.0)
    assert ours["nonsense"] < 0.15
    assert ours["perfect"] > ours["good"] > ours["one bad order"]
    # The same mean accuracy: what tells them apart is whether the order matters.
    steady = ours["half the idioms, in every order"]
    assert steady > 1.5 * ours["half the answers, at random"]
    assert steady > 1.5 * ours["half the orders"]


def test_the_systems_own_definition_punishes_uneven_idioms_instead() -> None:
    theirs = {kind: float(cons("idioms", made_system(kind))["s_cons"]) for kind in (
        "nonsense", "good", "half the idioms, in every order", "half the orders",
    )}  # fmt: skip
    assert theirs["nonsense"] > 0.85 and theirs["good"] == pytest.approx(1.0)
    assert theirs["half the orders"] > theirs["half the idioms, in every order"]


def test_one_arrangement_says_nothing_of_consistency() -> None:
    run = evaluate(
        [pair("x y", "x", arrangement="p1")], {
            "s_acc": gistmeter_accuracy(), "consistency": Consistency(),
        }, resamples=0,
    )  # fmt: skip
    assert math.isnan(run["s_cons"].value)
    assert run["s_cons"].reasons == {"fewer than two arrangements": 1}


def gistmeter_accuracy() -> Any:
    from gistmeter.text.metrics.accuracy import SemanticAccuracy

    return SemanticAccuracy(PACKS)


# The preset


def test_the_preset_sets_everything_and_what_is_given_wins() -> None:
    ours, theirs = TextSettings(), TextSettings(preset="orderprobe")
    for name, value in TextSettings.presets["orderprobe"].items():
        assert getattr(theirs, name) == value != getattr(ours, name), name
    kept = TextSettings(preset="orderprobe", missing_prediction="unscored", tokenizer="")
    assert (kept.missing_prediction, kept.tokenizer) == ("unscored", "")
    assert kept.consistency == "idioms"


def golden() -> list[dict[str, Any]]:
    text = shared_path("golden/text.json").read_text(encoding="utf-8")
    cases: list[dict[str, Any]] = json.loads(text)["cases"]
    return cases


def orderprobe_lists(
    folder: Path, code: str, cases: Sequence[Mapping[str, Any]]
) -> dict[str, Path]:
    """The system's lists as files; its stop words are those that the given tokens lack."""
    from gistmeter.languages.zh.words import converter, segmenter

    stop: set[str] = set()
    for case in cases:
        for text, content in zip(
            [case["clean_prediction"], *case["references"]], case["jieba_content"], strict=True
        ):
            stop |= {word for word in segmenter().cut(text) if word not in content}
    turn = converter("s2t").convert if code == "zh-Hant" else str
    files = {name: folder / f"{code}-{name}.txt" for name in ("stopwords", "negations")}
    write(files["stopwords"], "\n".join(sorted(word for word in stop if word.strip())))
    write(files["negations"], "\n".join(map(turn, NEGATIONS)))
    polar = [f"{turn(word)},positive" for word in POSITIVE] + [
        f"{turn(word)},negative" for word in NEGATIVE
    ]
    files["polarity_words"] = folder / f"{code}-polar.csv"
    write(files["polarity_words"], "word,polarity\n" + "\n".join(polar))
    files["polarity_overrides"] = folder / f"{code}-overrides.csv"
    lines = [f"{turn(idiom)},{sign}" for idiom, sign in OVERRIDES.items()]
    write(files["polarity_overrides"], "idiom,polarity\n" + "\n".join(lines))
    return files


@pytest.mark.torch
@pytest.mark.parametrize("aggregate", ["max", "mean"])
def test_the_preset_reproduces_the_golden_composites(aggregate: str, tmp_path: Path) -> None:
    folder = shared_path("golden/models")
    models = {
        "embedder": str(folder / "tiny-encoder"), "matcher": str(folder / "tiny-encoder"),
        "cross_encoder": str(folder / "tiny-cross-encoder"),
    }  # fmt: skip
    for code in ("zh", "zh-Hant"):
        cases = [
            case for case in golden() if case["language"].lower().replace("_", "-") == code.lower()
        ]
        assert len(cases) > 20
        table = [
            {"idiom": case["idiom"], "Prediction": case["prediction"], "arrangement": str(at),
             "Reference": case["reference_cell"]}
            for at, case in enumerate(cases)
        ]  # fmt: skip
        path = write(tmp_path / f"{code}.json", json.dumps(table, ensure_ascii=False))
        run = gistmeter.score_text(
            path, language=code, preset="orderprobe", aggregate=aggregate, models=models, layer=2,
            metrics=["s_acc"], resamples=0, **orderprobe_lists(tmp_path, code, cases),
        )  # fmt: skip
        got = run.measured
        for at, case in enumerate(cases):
            expected = case["expected"][aggregate]
            for name in ("f_beta", "lexical_cosine", "s_acc"):
                assert got.values(name)[at] == pytest.approx(expected[name], abs=1e-5), (
                    case["idiom"],
                    name,
                )


@pytest.mark.parametrize(("words", "sign"), [(POSITIVE, 1), (NEGATIVE, -1)])
def test_the_systems_polar_words_have_its_signs(words: Sequence[str], sign: int) -> None:
    from gistmeter import languages
    from gistmeter.text.metrics.polarity_conflict import sign as sign_of

    pack = languages.get("zh")
    assert [word for word in words if sign_of(pack.polarity(word)) != sign] == []


def test_the_preset_is_said(tmp_path: Path) -> None:
    write(tmp_path / "m.csv", CSV + "a,喜欢\n")
    write(tmp_path / "refs.csv", "idiom,explanation\na,喜欢学习\n")
    got = CliRunner().invoke(
        app, ["text", str(tmp_path / "m.csv"), "--references", str(tmp_path / "refs.csv"), "--as",
              "orderprobe", "--profile", "embedded", "--metrics", "s_info", "--language", "zh",
              "-o", str(tmp_path / "run")],
    )  # fmt: skip
    assert got.exit_code == 0, got.output
    assert "Scored as orderprobe does, but for profile; see docs/differences.md" in got.stderr
    run = gistmeter.load_run(tmp_path / "run")
    assert (
        run.settings["preset"] == "orderprobe" and run.settings["information_unit"] == "characters"
    )


def test_composites_by_the_systems_formulas() -> None:
    table = rows([("1", "p1", 0.8), ("2", "p1", 0.6), ("3", "p1", 0.5)]).with_numbers(
        {"structure=a": [1.0, np.nan, np.nan], "structure=b": [np.nan, 1.0, np.nan],
         "structure=c": [np.nan, np.nan, 1.0], "s_acc_mean": [0.4, 0.2, 0.1]}
    )  # fmt: skip
    by_range = StructuralRobustness(spread="range", on="mean").pool(table)["s_struct"]
    means = [0.4, 0.2, 0.1]
    assert by_range == pytest.approx(1 - np.std(means) / 0.3)
    even = StructuralRobustness(spread="range").pool(
        rows([("1", "p1", 0.5), ("2", "p1", 0.5)]).with_numbers(
            {"structure=a": [1.0, np.nan], "structure=b": [np.nan, 1.0]}
        )
    )
    assert even["s_struct"] == 1.0
    table = rows([("1", "original", 0.8), ("1", "p1", 0.4)]).with_numbers(
        {"s_acc_mean": [0.5, 0.1]}
    )
    assert SequenceRobustness(on="mean").pool(table)["mdr"] == pytest.approx(0.8)
    assert SequenceRobustness().pool(table)["mdr"] == pytest.approx(0.5)


def test_the_golden_vectors_have_one_sigmoid_and_so_has_the_preset() -> None:
    """A sigmoid over a probability lies between 0.5 and 0.7311: most golden values do not."""
    values = [value for case in golden() for value in case["cross_encoder_reference_first"]]
    twice = [value for value in values if 0.5 <= value <= 1 / (1 + math.exp(-1))]
    assert min(values) < 0.01 and max(values) > 0.9 and len(twice) < len(values) / 2
    assert TextSettings(preset="orderprobe").sigmoids == 1


@pytest.mark.parametrize("own_column", [True, False])
def test_the_preset_compares_with_the_whole_cell(own_column: bool, tmp_path: Path) -> None:
    """S_Info of its code: the share of different characters, times the penalty for their number."""
    cell = "喜欢||很想学习"
    table = {True: f"idiom,Prediction,Reference\na,喜欢学,{cell}\n", False: CSV + "a,喜欢学\n"}
    predictions = write(tmp_path / "m.csv", table[own_column])
    references = write(tmp_path / "refs.csv", f"idiom,explanation\na,{cell}\n")
    asked = {"language": "zh", "metrics": ["s_info"], "resamples": 0, "profile": "embedded"}
    files = (predictions,) if own_column else (predictions, references)
    run = gistmeter.score_text(*files, preset="orderprobe", **asked)
    # All three characters occur; three against the eight of the cell, separator included.
    assert run["s_info"].value == pytest.approx(math.exp(1 - 8 / 3))
    each = gistmeter.score_text(*files, preset="orderprobe", against="references", **asked)
    assert each["s_info"].value == pytest.approx(2 / 3)  # of 喜欢学, 喜欢 has two


def test_the_cells_of_several_files_are_joined(tmp_path: Path) -> None:
    predictions = write(tmp_path / "m.csv", CSV + "a,喜欢\n")
    paths = [write(tmp_path / f"r{at}.csv", f"idiom,explanation\na,{text}\n")
             for at, text in enumerate(("喜欢", "热爱"))]  # fmt: skip
    run = gistmeter.score_text(
        predictions, paths, against="cell", information_unit="characters", language="zh",
        metrics=["s_info"], resamples=0,
    )  # fmt: skip
    assert run["s_info"].value == pytest.approx(math.exp(1 - len("喜欢 || 热爱") / 2))


def test_two_sigmoids() -> None:
    from gistmeter.text.metrics.accuracy import SemanticAccuracy

    once = SemanticAccuracy(PACKS, cross_encoder=Given({("b", "a"): 0.9}))
    twice = SemanticAccuracy(PACKS, cross_encoder=Given({("b", "a"): 0.9}), sigmoids=2)
    item = pair("a", "b")
    assert once.measure([item]).values("cross_encoder")[0] == 0.9
    got = twice.measure([item]).values("cross_encoder")[0]
    assert got == pytest.approx(1 / (1 + math.exp(-0.9)))


def test_the_traditional_script_has_its_own_bertscore_model() -> None:
    from gistmeter.models.settings import profile_names

    assert profile_names("orderprobe", "zh-Hant")["matcher"] == "bert-base-multilingual-cased"
    assert profile_names("paper", "zh-Hant")["matcher"] == "bert-base-chinese"
    assert profile_names("orderprobe", "zh") == profile_names("paper", "zh")


# Files as the system's users have them


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def said(path: Path | Sequence[Path], references: Any, **more: Any) -> gistmeter.Run:
    return gistmeter.score_text(path, references, metrics=["s_info"], resamples=0, **more)


def test_a_base_file_stands_for_its_arrangements(tmp_path: Path) -> None:
    for name, text in (
        ("arrangement1", "喜欢"),
        ("arrangement2", "学习"),
        ("original", "喜欢学习"),
    ):
        write(tmp_path / f"base_{name}.csv", CSV + f"a,{text}\n")
    write(tmp_path / "base_summary.csv", "Sheet,Average\nx,1\n")
    refs = write(tmp_path / "refs.csv", "idiom,explanation\na,喜欢学习\n")
    run = said(tmp_path / "base.csv", refs, language="zh")
    assert list(run.systems) == ["base"]
    assert sorted(run.measured.keys["group"]) == ["arrangement1", "arrangement2", "original"]
    write(tmp_path / "base.csv", CSV + "a,完全不同\n")
    run = said(tmp_path / "base.csv", refs, language="zh")
    assert len(run.measured) == 3
    assert any("base.csv itself is not read" in remark for remark in run.remarks)


def test_another_system_beside_it_is_no_arrangement(tmp_path: Path) -> None:
    write(tmp_path / "model.csv", CSV + "a,喜欢\n")
    write(tmp_path / "model_b.csv", CSV + "a,学习\n")
    write(tmp_path / "model_original.csv", CSV + "a,学习\n")
    refs = write(tmp_path / "refs.csv", "idiom,explanation\na,喜欢学习\n")
    run = said(tmp_path / "model.csv", refs, language="zh")
    assert len(run.measured) == 1


def test_a_folder_of_references_is_chosen_from_by_language(tmp_path: Path) -> None:
    write(tmp_path / "refs/chinese_explanations.csv", "idiom,explanation\na,喜欢学习\n")
    write(tmp_path / "refs/korean_explanations.csv", "idiom,explanation\na,배우는 것을 좋아한다\n")
    one = write(tmp_path / "m_chinese.csv", CSV + "a,喜欢学习\n")
    other = write(tmp_path / "m_korean.csv", CSV + "a,배우는 것을 좋아한다\n")
    for path in (one, other):
        assert said(path, tmp_path / "refs")["s_info"].value == 1.0
    nameless = write(tmp_path / "m.csv", CSV + "a,喜欢学习\n")
    with pytest.raises(InputError, match=r"neither the name of m\.csv nor its items say which one"):
        said(nameless, tmp_path / "refs")


def test_items_choose_the_file_of_references_where_the_name_says_nothing(tmp_path: Path) -> None:
    """baseline_mean/Model_A.csv beside one file of explanations per language."""
    write(tmp_path / "refs/chinese_explanations.csv", "idiom,explanation\n甲,喜欢学习\n乙,害怕\n")
    write(tmp_path / "refs/korean_explanations.csv", "idiom,explanation\n가,배우는 것을 좋아한다\n")
    models = {
        "Model_A": "甲,喜欢学习\n乙,害怕\n", "Model_B": "가,배우는 것을 좋아한다\n",
        "Model_C": "甲,喜欢学习\n가,배우는 것을 좋아한다\n",
    }  # fmt: skip
    for name, rows in models.items():
        run = said(write(tmp_path / f"{name}.csv", CSV + rows), tmp_path / "refs")
        assert (run["s_info"].value, run["s_info"].unscored) == (1.0, 0), name


def test_references_given_twice_all_count(tmp_path: Path) -> None:
    refs = [
        write(tmp_path / f"{n}.csv", f"idiom,explanation\na,{text}\n")
        for n, text in (("1", "喜欢学习"), ("2", "害怕困难"))
    ]
    model = write(tmp_path / "m.csv", CSV + "a,喜欢学习\n")
    got = CliRunner().invoke(
        app, ["text", str(model), "--references", str(refs[0]), "--references", str(refs[1]),
              "--metrics", "s_info", "--language", "zh", "--format", "json", "-o",
              str(tmp_path / "run")],
    )  # fmt: skip
    assert json.loads(got.stdout)["systems"]["m"]["scores"]["s_info"]["value"] == 1.0
    run = gistmeter.load_run(tmp_path / "run")
    assert run.measured.texts["reference"] == ["喜欢学习 || 害怕困难"]


def test_an_idiom_of_two_classes_counts_in_both(tmp_path: Path) -> None:
    model = write(tmp_path / "m.csv", CSV + "a,喜欢学习\nb,害怕\nc,努力\n")
    refs = write(tmp_path / "r.csv", "idiom,explanation\na,喜欢学习\nb,害怕困难\nc,努力学习\n")
    classes = write(tmp_path / "s.csv", "a,parallel\na,serial\nb,parallel\nc,serial\n")
    run = gistmeter.score_text(
        model, refs, language="zh", structure=classes, metrics=["s_struct"], resamples=0
    )
    assert math.isfinite(run["s_struct"].value)
    assert any("1 items have several structure classes" in remark for remark in run.remarks)
    parts = run.measured.values("structure=parallel"), run.measured.values("structure=serial")
    assert [np.count_nonzero(part == 1) for part in parts] == [2, 2]


def test_ref_agg_mode_in_a_configuration_file(tmp_path: Path) -> None:
    config = write(tmp_path / "c.toml", '[text]\nREF_AGG_MODE = "mean"\n')
    model = write(tmp_path / "m.csv", CSV + "a,喜欢学习\n")
    refs = write(tmp_path / "r.csv", "idiom,explanation\na,喜欢学习 || 害怕困难\n")
    got = CliRunner().invoke(
        app, ["text", str(model), "--references", str(refs), "--metrics", "s_info", "--language",
              "zh", "--config", str(config), "--format", "json", "-o", str(tmp_path / "run")],
    )  # fmt: skip
    assert got.exit_code == 0, got.output
    assert json.loads(got.stdout)["systems"]["m"]["scores"]["s_info"]["value"] < 1.0


def test_s_logic_has_a_file_per_model(tmp_path: Path) -> None:
    run = gistmeter.score_text(
        {"model a": ["x", "y"], "b": ["x", "z"]}, ["x", "y"], language="en", nli=Given(),
        arrangements=["p1", "p2"], metrics=["s_logic"], resamples=0,
    )  # fmt: skip
    run.write(tmp_path / "out.csv")
    names = {path.name for path in tmp_path.iterdir()}
    assert {
        "s_log_results.csv",
        "model_a_s_log.csv",
        "model_a_s_log_summary.csv",
        "b_s_log.csv",
    } <= names
    lines = (tmp_path / "b_s_log.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[0] == "Sheet,Idiom,Reference,Prediction,S_Log" and len(lines) == 3
    summary = (tmp_path / "b_s_log_summary.csv").read_text(encoding="utf-8-sig").splitlines()
    assert summary[-1].startswith("Overall,0.5")


def test_the_results_of_s_logic_grow_by_a_line_per_model(tmp_path: Path) -> None:
    """As the seed's do: the next model adds its line, the same model replaces its own."""

    def results(model: str, prediction: str) -> list[list[str]]:
        run = gistmeter.score_text(
            {model: [prediction]}, ["x"], language="en", nli=Given({("y", "x"): 1.0}),
            metrics=["s_logic"], resamples=0,
        )  # fmt: skip
        run.write(tmp_path / f"{len(model)}.csv")
        text = (tmp_path / "s_log_results.csv").read_text(encoding="utf-8-sig")
        return [line.split(",")[:2] for line in text.splitlines()[1:]]

    assert results("Model_A", "y") == [["Model_A", "1.0"]]
    assert results("=Model", "z") == [["Model_A", "1.0"], ["'=Model", "0.5"]]
    assert results("=Model", "y") == [["Model_A", "1.0"], ["'=Model", "1.0"]]
    assert results("Model_A", "z") == [["'=Model", "1.0"], ["Model_A", "0.5"]]
    (tmp_path / "s_log_results.csv").write_text("mine,too\n1,2\n")
    with pytest.raises(InputError, match="not a table of ours to add to"):
        results("Model_A", "y")


# What the seed's scripts are told by: a value of each, and the setting that has it.
SEED_NAMES: dict[str, tuple[Any, str]] = {
    "EMBED_MODEL_NAME": ("BAAI/bge-small-zh-v1.5", "embedder"),
    "CROSS_ENCODER_MODEL": ("BAAI/bge-reranker-base", "cross_encoder"),
    "BERTSCORE_LANG": ("ja", "language"),
    "REF_AGG_MODE": ("mean", "aggregate"),
    "USE_BERTSCORE": (False, "use_bertscore"),
    "BETA_F": (1.5, "beta_f"),
    "MAX_LEN": (64, "max_length"),
    "BATCH_SIZE_EMB": (16, "batch_size_emb"),
    "POLARITY_PENALTY": (0.25, "polarity_penalty"),
    "POLARITY_MODE": ("any", "polarity_mode"),
    "POLARITY_RATIO": (0.75, "polarity_ratio"),
}
FILES = {"MODEL_FILE": "m.csv", "ORIGINAL_FILE": "r.csv", "OUTPUT_FILE": "o.csv"}


@pytest.mark.parametrize("place", ["environment", "file"])
def test_every_name_of_the_seed_is_heard(
    place: str, in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(in_folder / "m.csv", CSV + "a,喜欢学习\n")
    write(in_folder / "r.csv", "idiom,explanation\na,喜欢学习\n")
    given = {**FILES, **{name: value for name, (value, _) in SEED_NAMES.items()}}
    told = []
    if place == "file":
        lines = (f"{name} = {json.dumps(value)}\n" for name, value in given.items())
        told = [
            "--config",
            str(write(in_folder / "c.toml", "[text]\n" + "".join(lines))),
            "--trust",
        ]
    else:
        for name, value in given.items():
            monkeypatch.setenv(name, str(value))
    scored: list[TextSettings] = []
    monkeypatch.setattr(Text, "prepare", spied(Text.prepare, scored))
    got = CliRunner().invoke(app, ["text", "--metrics", "s_info", *told])
    assert got.exit_code == 0, got.output
    assert {name: getattr(scored[0], own) for name, (_, own) in SEED_NAMES.items()} == {
        name: value for name, (value, _) in SEED_NAMES.items()
    }
    assert (in_folder / "o.csv").is_file() and "Systems: m\n" in got.stderr
    for name, value in given.items() if place == "environment" else ():
        assert f"{name}={value}" in got.stderr


def spied(prepare: Callable[..., Any], scored: list[TextSettings]) -> Callable[..., Any]:
    def noted(self: Text, read: Any, settings: TextSettings, context: Any) -> Any:
        scored.append(settings)
        return prepare(self, read, settings, context)

    return noted


def test_an_encoding_can_be_named(tmp_path: Path) -> None:
    model = tmp_path / "m.csv"
    model.write_bytes((CSV + "ключ,любит учиться\n").encode("koi8-r"))
    refs = tmp_path / "r.csv"
    refs.write_bytes("idiom,explanation\nключ,любит учиться\n".encode("koi8-r"))
    assert said(model, refs, language="ru", encoding="koi8-r")["s_info"].value == 1.0
    with pytest.raises(InputError, match="expected a name such as gb18030"):
        said(model, refs, language="ru", encoding="klingon")
