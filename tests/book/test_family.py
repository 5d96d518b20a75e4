"""`gistmeter book` and the Python interface, end to end, with a small embedder in place."""

from __future__ import annotations

import json
import math
import re
import zipfile

import polars
import pytest
from click.testing import CliRunner

from book.book_doubles import SOURCE, SUMMARY, WordEmbedder
from conftest import shared_path
from gistmeter import EvaluationConfig, evaluate_alignment, evaluate_corpus, load_run
from gistmeter.cli import app
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.models.loading import Models

SEED_FLAGS = [
    "--batch_size", "8", "--alignment", "nw", "--bandwidth", "4", "--pfs_gamma", "3.0",
    "--alpha", "10", "--scs_beta", "0.1", "--top_k", "3", "--gap_penalty", "-0.5",
]  # fmt: skip
SENTENCE = {
    "index", "sentence", "best_source_index", "best_similarity", "coverage_hit", "aligned_index",
    "aligned_similarity", "position_deviation", "scs", "topk",
}  # fmt: skip
SCORES = [
    "fidelity", "source_recall", "unsupported", "moved", "changed", "coverage",
    "alignment_confidence", "pfs", "scs", "coverage_at", "order_violations",
]  # fmt: skip


@pytest.fixture
def embedder(monkeypatch) -> WordEmbedder:
    model = WordEmbedder()
    monkeypatch.setattr(
        "gistmeter.models.loading.Loader.by_language",
        lambda _, __, codes, **___: {code: Models(embedder=model) for code in codes},
    )
    return model


@pytest.fixture
def texts(in_folder):
    for name, text in (("source", SOURCE), ("summary", SUMMARY)):
        shelf = {"The Lantern": text, "灯": text}
        (in_folder / f"{name}.json").write_text(json.dumps(shelf), encoding="utf-8")
    return in_folder


def call(*arguments: str):
    result = CliRunner().invoke(app, ["book", *arguments], catch_exceptions=True)
    return result.exit_code, result.stdout if result.exit_code == 0 else result.output


def score(*arguments: str):
    paths = ("--source-path", "source.json", "--summary-path", "summary.json")
    return call(*paths, "--no-report", *arguments)


@pytest.mark.usefixtures("embedder")
def test_the_seeds_call_with_underscores(texts):
    code, _ = call(
        "--source_path", "source.json", "--summary_path", "summary.json",
        "--output_path", "reports/result.json", "--no-report", *SEED_FLAGS,
    )  # fmt: skip
    assert code == 0
    report = json.loads((texts / "reports" / "result.json").read_text(encoding="utf-8"))
    assert list(report) == ["config", "macro_metrics", "books"]
    assert report["config"]["alignment"] == "nw"
    own = report["books"]["The Lantern"]
    assert {"global_metrics", "alignment_path", "sentences"} <= set(own)
    assert own["book_id"] == "The Lantern"
    assert own["summary_sentence_count"] == len(own["sentences"])
    assert own["source_sentence_count"] == len(own["source_sentences"]) > 0
    for sentence in own["sentences"]:
        for one in sentence["topk"]:
            assert set(one) == {"source_index", "similarity", "source_sentence"}
            assert one["source_sentence"] == own["source_sentences"][one["source_index"]]
    assert all(set(sentence) == SENTENCE for sentence in own["sentences"])
    assert [len(pair) for pair in own["alignment_path"]] == [2] * len(own["alignment_path"])
    for name in ("coverage", "alignment_confidence", "pfs", "scs"):
        both = [book["global_metrics"][name] for book in report["books"].values()]
        assert report["macro_metrics"][name] == pytest.approx(sum(both) / 2)


@pytest.mark.usefixtures("embedder", "texts")
def test_json_has_the_shape_of_every_command():
    code, output = score("--format", "json", "--coverage-threshold", "0.6")
    document = json.loads(output)
    assert code == 0
    assert document["command"] == "book"
    held = document["systems"]["summary"]
    assert list(held["scores"]) == SCORES
    assert set(held["groups"]) == {"The Lantern", "灯"}
    assert held["scores"]["order_violations"]["higher_is_better"] is False
    assert held["scores"]["pfs"]["low"] <= held["scores"]["pfs"]["value"]


@pytest.mark.usefixtures("embedder", "texts")
def test_undefined_scores_are_null():
    _, output = score("--format", "json")
    document = json.loads(output)
    assert document["systems"]["summary"]["scores"]["coverage_at"]["value"] is None
    assert any("threshold" in why for why in document["unscored"])


@pytest.mark.usefixtures("embedder")
def test_the_run_can_be_loaded_and_pooled_again(texts):
    score("-o", "kept", "--coverage-threshold", "0.6")
    run = load_run(texts / "kept")
    metrics = run.metrics
    assert run.rows is not None
    pooled = metrics["alignment"].pool(run.rows)
    for name, value in pooled.items():
        assert run[name].value == pytest.approx(value), name
    assert run.notes["book_intervals"]["summary"]["The Lantern"] == {}  # of a few passages
    assert len(list((texts / "kept" / "details").iterdir())) == 2


@pytest.mark.usefixtures("embedder")
def test_tables_have_the_verdict_its_lists_and_every_sentence(texts):
    score("-o", "out.xlsx", "-o", "out.csv", "--coverage-threshold", "0.6")
    verdict = polars.read_csv(texts / "out.csv")
    assert verdict["title"].to_list() == ["The Lantern", "灯"]
    assert {"source_recall", "source_recall_low", "source_recall_high"} <= set(verdict.columns)
    sentences = polars.read_csv(texts / "out.Alignment.csv")
    assert sentences.height == 8
    assert sentences["sentence"].to_list() == [1, 2, 3, 4] * 2
    chapters = polars.read_csv(texts / "out.Chapters.csv")
    assert chapters["chapter"].to_list() == ["Chapter 1", "Chapter 2"] * 2
    with zipfile.ZipFile(texts / "out.xlsx") as workbook:
        listed = workbook.read("xl/workbook.xml").decode()
    names = ["Verdict", "Chapters", "Cut", "Moved", "Invented", "Changed", "Alignment"]
    assert re.findall('<sheet name="([^"]*)"', listed)[:7] == names


@pytest.mark.usefixtures("embedder")
def test_a_missed_threshold_still_writes_the_report(texts):
    code, output = score("--fail-under", "pfs=0.999", "--output-path", "r.json")
    assert code == 3
    assert (texts / "r.json").exists()
    assert "灯" in output


@pytest.mark.usefixtures("embedder")
def test_two_summaries_are_two_systems(texts):
    (texts / "other.json").write_text((texts / "summary.json").read_text(encoding="utf-8"))
    code, _ = score("--summary-path", "other.json", "--output-path", "r.json", "-o", "kept")
    assert code == 0
    report = json.loads((texts / "r.json").read_text(encoding="utf-8"))
    assert set(report["systems"]) == {"summary", "other"}
    run = load_run(texts / "kept")
    assert run.systems["summary"]["pfs"].value == run.systems["other"]["pfs"].value


@pytest.mark.usefixtures("embedder", "texts")
def test_a_widened_band_is_said():
    result = CliRunner().invoke(
        app,
        ["book", "--source-path", "source.json", "--summary-path", "summary.json",
         "--alignment", "nw", "--bandwidth", "1", "--band", "absolute", "--no-report"],
    )  # fmt: skip
    assert "widened to 4" in result.stderr


@pytest.mark.usefixtures("embedder", "texts")
@pytest.mark.parametrize(
    "arguments",
    [
        ["--alignment", "zigzag"],
        ["--band", "curved"],
        ["--splitter", "none"],
        ["--bandwidth", "-1"],
        ["--gap-penalty", "0.5"],
        ["--top-k", "0"],
        ["--scs-beta", "0"],
        ["--summary-path", "absent.json"],
        ["--fail-under", "accuracy=1"],
    ],
)
def test_bad_arguments_exit_with_2_and_write_nothing(in_folder, arguments):
    before = sorted(path.name for path in in_folder.iterdir())
    code, _ = score(*arguments)
    assert code == 2
    assert sorted(path.name for path in in_folder.iterdir()) == before


@pytest.mark.usefixtures("in_folder")
def test_paths_are_needed():
    assert call()[0] == 2


@pytest.mark.usefixtures("embedder")
def test_a_missing_title_is_an_error_that_names_it(texts):
    (texts / "summary.json").write_text(json.dumps({"灯": SUMMARY}), encoding="utf-8")
    code, message = score()
    assert code == 2
    assert "The Lantern" in message
    assert score("--skip-missing")[0] == 0


def test_reports_by_title_and_macro_averages():
    sources = {"a": SOURCE, "b": SOURCE}
    summaries = {"a": SUMMARY, "b": SUMMARY.split(". ")[0] + "."}
    config = EvaluationConfig(coverage_threshold=0.6)
    reports, macro = evaluate_corpus(sources, summaries, config, embedder=WordEmbedder())
    assert list(reports) == ["a", "b"]
    for name in SCORES:
        values = [report.global_metrics[name] for report in reports.values()]
        assert macro[name] == pytest.approx(sum(values) / 2), name
    assert reports["a"]["sentences"] == reports["a"].to_dict()["sentences"]
    assert not reports["a"].intervals  # of a few passages


def test_one_book():
    report, metrics = evaluate_alignment("book", SOURCE, SUMMARY, embedder=WordEmbedder())
    assert metrics == report.global_metrics and report.title == "book"
    assert len(report.sentences) == 4
    assert report.alignment_path[0] == (0, 1)
    assert report.global_metrics["coverage_at"] is None


def test_a_book_that_cannot_be_scored_says_why():
    report, _ = evaluate_alignment("book", SOURCE, "", embedder=WordEmbedder())
    assert report.reason == "the summary has no sentence"
    assert report.global_metrics["pfs"] is None
    assert report.to_dict()["alignment_path"] == []


def test_progress_is_shown_when_asked_for(capsys):
    evaluate_corpus({"a": SOURCE}, {"a": SUMMARY}, None, True, embedder=WordEmbedder())
    assert "Evaluating summaries" in capsys.readouterr().err


def test_titles_must_be_on_both_sides():
    with pytest.raises(InputError, match="Emma"):
        evaluate_corpus({"Emma": SOURCE}, {}, embedder=WordEmbedder())


@pytest.mark.parametrize(
    "options",
    [{"alignment": "x"}, {"band": "x"}, {"splitter": "x"}, {"top_k": 0}, {"pfs_gamma": 0.0},
     {"scs_beta": -1.0}, {"bandwidth": -2}, {"gap_penalty": math.nan}, {"batch_size": -1}],
)  # fmt: skip
def test_a_configuration_is_checked_when_it_is_made(options):
    with pytest.raises((InputError, UnknownName)):
        EvaluationConfig(**options)


def test_the_paper_profile_is_the_one_for_books():
    assert EvaluationConfig(profile="paper").models_profile == "paper-book"
    assert EvaluationConfig().models_profile == "embedded"


def test_swapped_files_are_remarked_on(embedder, in_folder):
    for name, text in (("short.txt", SUMMARY), ("long.txt", SOURCE)):
        (in_folder / name).write_text(text, encoding="utf-8")
    given = ("--no-report", "--no-judge", "--coverage-threshold", "0.5", "--language", "en")
    told = CliRunner().invoke(app, ["book", "short.txt", "long.txt", *given]).stderr
    assert "The original comes first: are they swapped?" in told
    told = CliRunner().invoke(app, ["book", "long.txt", "short.txt", *given]).stderr
    assert "swapped" not in told


@pytest.mark.torch
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_models_folder_with_either_pooling(pooling):
    pytest.importorskip("torch")
    folder = shared_path("golden/models/tiny-encoder")
    config = EvaluationConfig(
        model_name=str(folder), pooling=pooling, alignment="nw", language="en", batch_size=8
    )
    report, _ = evaluate_alignment("book", SOURCE, SUMMARY, config, resamples=0)
    assert len(report.alignment_path) == 4
    assert report.global_metrics["coverage_at"] is None
    assert -1 <= report.global_metrics["alignment_confidence"] <= 1
