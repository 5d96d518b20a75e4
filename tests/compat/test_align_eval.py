"""AlignEval's own names: its command with every flag, its calls with its defaults."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from book.book_doubles import SOURCE, SUMMARY, WordEmbedder
from conftest import ROOT, shared_path
from door import prepare
from gistmeter.book.family import Books
from gistmeter.book.metrics.book_comparison import compare_book
from gistmeter.book.metrics.similarity import SimilarityTable
from gistmeter.compat.align_eval import EvaluationConfig, evaluate_alignment, evaluate_corpus
from gistmeter.core.types import Book

FLAGS = [
    "--source_path", "original.json", "--summary_path", "summary.json",
    "--output_path", "result.json", "--batch_size", "8", "--alignment", "nw", "--bandwidth", "4",
    "--pfs_gamma", "3.0", "--alpha", "10", "--scs_beta", "0.1",
]  # fmt: skip


def test_the_defaults_are_those_of_aligneval():
    config = EvaluationConfig()
    assert (config.alignment, config.gap_penalty, config.splitter) == ("nw", -0.5, "simple")
    assert (config.pfs_gamma, config.alpha, config.scs_beta, config.top_k) == (3.0, 10.0, 0.1, 3)
    assert config.models_profile == "paper-book"
    assert EvaluationConfig(scs_beta=0.2, alignment="dtw").scs_beta == 0.2


def test_its_golden_vectors_hold_under_its_configuration():
    names = ("gap_penalty", "pfs_gamma", "alpha", "scs_beta", "top_k")
    table = None
    for case in json.loads(shared_path("golden/align.json").read_text(encoding="utf-8")):
        table = table if isinstance(case["similarity"], str) else np.array(case["similarity"])
        config = EvaluationConfig(
            model_name=WordEmbedder(), pooling="", **{name: case[name] for name in names}
        )
        book = Book("book", SOURCE, SUMMARY, "summary", "zh")
        metric = prepare(Books(), config, [book]).metrics["alignment"]
        compared = compare_book(SimilarityTable.of(table), metric.settings_for("zh"))
        expected = case["expected"]
        assert compared.path.pairs.tolist() == expected["path"]
        assert compared.scs == pytest.approx(expected["scs_per_sentence"], abs=1e-6)
        assert compared.coverage.mean() == pytest.approx(expected["coverage"], abs=1e-6)


def test_the_calls_of_its_readme(capsys):
    sources, summaries = {"a": SOURCE, "b": SOURCE}, {"a": SUMMARY, "b": SUMMARY}
    config = EvaluationConfig(model_name=WordEmbedder(), pooling="")
    reports, macro = evaluate_corpus(sources, summaries, config, show_progress=True)
    assert "Evaluating summaries" in capsys.readouterr().err
    for name in ("coverage", "alignment_confidence", "pfs", "scs"):
        assert macro[name] == pytest.approx(reports["a"].global_metrics[name])
    report, metrics = evaluate_alignment("a", SOURCE, SUMMARY, config)
    assert metrics == report.global_metrics == reports["a"].global_metrics


def test_its_command_takes_every_flag(tmp_path):
    for name, text in (("original", SOURCE), ("summary", SUMMARY)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"灯": text}), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "GISTMETER_CACHE_DIR": "cache"}
    command = [sys.executable, "-m", "gistmeter.compat.align_eval", *FLAGS]
    done = subprocess.run(
        [*command, "--profile", "embedded", "--no-judge", "--no-report"],
        capture_output=True, text=True, check=False, cwd=tmp_path, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert report["config"]["preset"] == "aligneval" and report["config"]["bandwidth"] == 4
    assert set(report["macro_metrics"]) >= {"coverage", "alignment_confidence", "pfs", "scs"}
    assert "灯" in report["books"]
