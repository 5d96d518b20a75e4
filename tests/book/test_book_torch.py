"""Books with a model from a folder, as the reference implementation is called."""

from __future__ import annotations

import pytest

from book.book_doubles import SOURCE, SUMMARY
from conftest import shared_path
from gistmeter import EvaluationConfig, evaluate_alignment

pytestmark = pytest.mark.torch


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
