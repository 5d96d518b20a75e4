"""`gistmeter parse` as it is typed."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

from conftest import shared_path
from gistmeter import score_parses
from gistmeter.cli import app
from gistmeter.core.errors import GistmeterError
from gistmeter.core.runs.saved import load_run
from gistmeter.core.types import defined
from parse.parse_files import row, write

SAMPLES = Path(str(resources.files("gistmeter"))) / "samples" / "parse"
TAXONOMY = SAMPLES / "taxonomy.csv"
TOOLS = ("validate", "build-vocabulary", "erase", "estimate-weights", "estimate_weights", "--help")


def call(*words: object) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; our errors as the entry point shows them."""
    tool = not words or words[0] in TOOLS
    more = [] if tool else ["--no-report"]  # reports have tests of their own
    found = CliRunner().invoke(app, ["parse", *map(str, words), *more])
    if isinstance(found.exception, GistmeterError):
        return found.exception.exit_code, found.stdout, f"{found.stderr}Error: {found.exception}"
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return found.exit_code, found.stdout, found.stderr


@pytest.mark.parametrize("language", ["en", "cs"])
def test_the_samples_tell_the_systems_apart(in_folder: Path, language: str) -> None:
    files = [SAMPLES / f"{language}-{name}.conllu" for name in ("gold", "careful", "hasty")]
    code, out, err = call(*files, "--taxonomy", TAXONOMY, "--format", "json", "-o", "run")
    assert code == 0
    assert "read as CoBaLD (12 columns" in err
    assert err.count("the weights do not know some tags") == 1
    systems = json.loads(out)["systems"]
    careful, hasty = (systems[f"{language}-{name}"]["scores"] for name in ("careful", "hasty"))
    for score in ("total", "lemma", "upos", "feats", "uas", "las", "semslot", "semclass"):
        assert hasty[score]["value"] < careful[score]["value"] <= 1
        assert careful[score]["n"] == 6
    assert careful["total"]["low"] is None  # of six sentences
    sentences = json.loads((in_folder / "run" / "details" / "sentences.json").read_text())
    assert any(one["systems"][f"{language}-hasty"]["paths"] for one in sentences["sentences"])
    assert (in_folder / "run" / "items.parquet").exists()


def test_command_and_python_agree(in_folder: Path) -> None:
    files = [SAMPLES / f"en-{name}.conllu" for name in ("gold", "hasty")]
    _, out, _ = call(*files, "--flat-classes", "--conll18", "--format", "json")
    run = score_parses(*files, flat_classes=True, conll18=True)
    scores = json.loads(out)["systems"]["en-hasty"]["scores"]
    assert scores.keys() == run.systems["en-hasty"].scores.keys()
    for name, score in run.systems["en-hasty"].scores.items():
        assert scores[name]["value"] == score.value
        assert scores[name]["low"] == defined(score.low)


def test_plain_conllu_leads_with_las_and_misses_nothing(in_folder: Path) -> None:
    path = shared_path("data/parse/cs_pud-ud-test.conllu")
    code, out, err = call(path, path, "--format", "json", "--resamples", "10")
    assert code == 0
    assert "read as CoNLL-U (10 columns" in err
    assert "13 empty nodes are not scored" in err
    document = json.loads(out)
    scores = document["systems"]["cs_pud-ud-test"]["scores"]
    assert "partial" not in scores["total"]
    assert load_run(document["run"]).headline == ("las", "total")
    told = call(path, path, "--resamples", "10")[1]
    assert "(las) 1.000" in told
    assert "partial" not in told
    assert scores["semslot"]["value"] is None
    assert scores["semslot"]["unscored"] == 1000
    assert document["unscored"] == {"no column SEMSLOT": 1000, "no column SEMCLASS": 1000}


def test_a_misfit_writes_nothing(in_folder: Path) -> None:
    gold = write(in_folder / "gold.conllu", [[row(1, "a", head="0")]])
    system = write(in_folder / "system.conllu", [[row(1, "b", head="0")]])
    code, out, err = call(gold, system)
    assert code == 2
    assert out == ""
    assert "sentence 's1'" in err
    assert "--conll18" in err
    assert not (in_folder / "runs").exists()


def test_other_tokens_need_conll18(in_folder: Path) -> None:
    words = [row(1, "ab", head="0", deprel="root"), row(2, "c", head="1", deprel="obj")]
    split = [row(1, "a", head="0", deprel="root"), row(2, "b", head="1", deprel="dep"),
             row(3, "c", head="1", deprel="obj")]  # fmt: skip
    gold, system = write(in_folder / "g.conllu", [words]), write(in_folder / "s.conllu", [split])
    assert call(gold, system)[0] == 2
    code, out, _ = call(gold, system, "--conll18", "--format", "json", "--flat-classes")
    assert code == 0
    scores = json.loads(out)["systems"]["s"]["scores"]
    assert scores["words"]["value"] == pytest.approx(2 * 1 / 5)
    assert scores["las"]["value"] == scores["conll18_las"]["value"] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.conllu", "x.conllu"], "nowhere.conllu: no such file"),
        ([SAMPLES / "en-gold.conllu"], "give the gold's file"),
        ([], "give the gold's file"),
        ([SAMPLES / "en-gold.conllu", SAMPLES / "en-hasty.conllu", "--taxonomy", TAXONOMY,
          "--flat-classes"], "exclude each other"),
        ([SAMPLES / "en-gold.conllu", SAMPLES / "en-hasty.conllu", "--columns", "A B"], "need ID"),
        ([SAMPLES / "en-gold.conllu", SAMPLES / "en-hasty.conllu", "--lemma-weights", TAXONOMY],
         "is not JSON"),
    ],
)  # fmt: skip
def test_bad_usage(in_folder: Path, words: list[object], message: str) -> None:
    code, out, err = call(*words)
    assert code == 2
    assert message in err
    assert out == ""
    assert not (in_folder / "runs").exists()


def test_validate(in_folder: Path) -> None:
    assert call("validate", SAMPLES / "en-gold.conllu")[0] == 0
    path = write(in_folder / "a.conllu", [[row(1, "a", head="2")]])
    code, out, err = call("validate", path)
    assert code == 2
    assert f"{path}:2: HEAD '2' is not a word of the sentence (0 to 1)" in out
    assert "2 problems" in err


def test_vocabulary(in_folder: Path) -> None:
    assert call("build-vocabulary", SAMPLES / "en-gold.conllu", "-o", "known.json")[0] == 0
    assert call("validate", SAMPLES / "en-gold.conllu", "--vocabulary", "known.json")[0] == 0
    code, out, _ = call("validate", SAMPLES / "cs-gold.conllu", "--vocabulary", "known.json")
    assert code == 2
    assert "FEATS 'Animacy=Anim" in out


def test_erase(in_folder: Path) -> None:
    code, _, err = call("erase", SAMPLES / "en-gold.conllu", "-o", "blind.conllu")
    assert code == 0
    assert "Wrote blind.conllu" in err
    code, out, _ = call(
        SAMPLES / "en-gold.conllu", "blind.conllu", "--flat-classes", "--format", "json"
    )
    assert code == 0
    scores = json.loads(out)["systems"]["blind"]["scores"]
    assert scores["uas"]["value"] == scores["upos"]["value"] == 0
    assert call("erase", "blind.conllu", "-o", "blind.conllu")[0] == 2


def test_estimated_weights_serve_both_options(in_folder: Path) -> None:
    gold, system = SAMPLES / "cs-gold.conllu", SAMPLES / "cs-hasty.conllu"
    assert call("estimate_weights", gold, "-o", "weights.json")[0] == 0
    weights = json.loads((in_folder / "weights.json").read_text())
    assert weights["lemma"]["NOUN"] == 0.7
    assert weights["lemma"]["ADP"] == 0.3
    assert weights["feats"]["Case"] == 5
    code, _, err = call(
        gold, system, "--lemma_weights", "weights.json", "--feats-weights", "weights.json",
        "--flat_classes",
    )  # fmt: skip
    assert code == 0
    assert "the weights do not know" not in err


def test_configuration_and_environment_are_those_of_parse(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold, system = SAMPLES / "en-gold.conllu", SAMPLES / "en-hasty.conllu"
    (in_folder / "settings.toml").write_text("[parse]\nflat-classes = true\n")
    _, out, _ = call(gold, system, "--config", "settings.toml", "--format", "json")
    assert json.loads(out)["systems"]["en-hasty"]["scores"]["semclass"]["value"] is not None
    monkeypatch.setenv("GISTMETER_PARSE_FLAT_CLASSES", "1")
    _, out, _ = call(gold, system, "--format", "json")
    assert json.loads(out)["systems"]["en-hasty"]["scores"]["semclass"]["value"] is not None


def test_help_names_the_tools() -> None:
    code, out, _ = call("--help")
    assert code == 0
    for word in ("--conll18", "validate", "build-vocabulary", "erase", "estimate-weights"):
        assert word in out
    assert call("validate", "--help")[0] == 0


def test_systems_of_a_run_can_be_compared(in_folder: Path) -> None:
    files = [SAMPLES / f"en-{name}.conllu" for name in ("gold", "careful", "hasty")]
    code, _, _ = call(*files, "--taxonomy", TAXONOMY, "-o", "run", "--conll18")
    assert code == 0
    for score in ("total", "semslot_macro_f1", "mlas"):
        found = CliRunner().invoke(app, ["compare", "run", "--metric", score])
        assert found.exception is None, found.exception
        assert "en-careful" in found.stdout


def test_what_is_no_tree_is_scored_and_warned_of_with_its_line(
    in_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    words = [row(1, "a", head="0", deprel="root"), row(2, "b", head="1"), row(3, "c", head="1")]
    gold = write(in_folder / "gold.conllu", [words, words])
    broken = [[*words[:1], row(2, "b", head="3"), row(3, "c", head="2")],
              [row(1, "a", head="0"), row(2, "b", head="0"), row(3, "c", head="x")]]  # fmt: skip
    system = write(in_folder / "broken.conllu", broken)
    code, out, err = call(gold, system, "--format", "json")
    assert code == 0
    told = " ".join(err.split())
    assert (
        "broken.conllu: 2 sentences are not trees, and scored all the same: line 3: HEAD: a cycle, "
        "2 → 3 → 2; line 9: HEAD 'x' is not a word of the sentence (0 to 3); line 7: the sentence "
        "has 2 roots (lines 7, 8), expected one"
    ) in told
    assert "gold.conllu: " not in told.replace("gold.conllu: read as", "")
    assert json.loads(out)["systems"]["broken"]["scores"]["uas"]["value"] == pytest.approx(2 / 6)
    score_parses(gold, {"mine": system}, resamples=0)
    assert "2 sentences are not trees" in caplog.text


def test_a_class_name_used_twice_is_said(in_folder: Path) -> None:
    gold = write(in_folder / "gold.conllu", [[row(1, "a", head="0", semclass="TWICE")]])
    other = write(in_folder / "other.conllu", [[row(1, "a", head="0", semclass="B")]])
    (in_folder / "hierarchy.csv").write_text(
        "1,NULL,0,A,0,1\n2,1,1,TWICE,0,1\n3,1,1,B,0,1\n4,3,2,TWICE,0,1\n", encoding="utf-8"
    )
    code, out, err = call(gold, other, "--taxonomy", "hierarchy.csv", "--format", "json")
    assert code == 0
    assert err.count("of a name used twice the last node counts: TWICE") == 1
    assert json.loads(out)["systems"]["other"]["scores"]["semclass"]["value"] == 0.5


def test_the_official_table_is_printed_and_training_shows_unseen_words(in_folder: Path) -> None:
    files = [SAMPLES / f"en-{name}.conllu" for name in ("gold", "hasty")]
    train = write(in_folder / "train.conllu", [[row(1, "The", lemma="the", head="0")]])
    code, out, _ = call(
        *files, "--conll18", "--flat-classes", "--training", train, "-o", "run", "--resamples", "0"
    )
    assert code == 0
    assert re.search(r"Metric +Precision +Recall +F1 Score +AligndAcc", out)
    assert re.search(r"Words +100.00 +100.00 +100.00", out)
    details = json.loads((in_folder / "run" / "details" / "breakdown.json").read_text())
    kinds = details["en-hasty"]["by_lemma"]
    assert kinds["seen in training"]["words"] > 0 and kinds["unseen"]["words"] > 0


def test_estimated_weights_serve_another_scoring(in_folder: Path) -> None:
    files = [SAMPLES / f"en-{name}.conllu" for name in ("gold", "hasty")]
    assert call("estimate-weights", files[0], "-o", "task.json")[0] == 0
    code, out, _ = call(*files, "--weights", "task.json", "--flat-classes", "--format", "json")
    assert code == 0
    assert "weights_file:task.json@" in json.loads(out)["signature"]
    code, _, err = call(*files, "--weights", "absent.json", "--flat-classes")
    assert code == 2 and "absent.json" in err
