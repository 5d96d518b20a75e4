"""What is known of the models that come with gistmeter."""

from __future__ import annotations

import pytest

import gistmeter
from gistmeter.models.settings import baseline


@pytest.mark.parametrize("longest", [64, 511, 512])
def test_the_length_that_is_read_at_once_does_not_change_what_unrelated_texts_score(
    longest: int,
) -> None:
    model = f"e5-small-q4@1571fc98/query/max={longest}/mean"
    assert baseline("sts", model, "zh") == 0.8357
    assert baseline("sts", model + "x", "zh") is None


def test_a_maximum_length_changes_no_score_of_a_short_text() -> None:
    texts = ["画蛇添足是说做了多余的事。"], ["比喻做多余的事，反而不恰当。"]
    whole, less = (
        gistmeter.score_text(*texts, language="zh", metrics=["s_acc"], resamples=0, max_length=size)
        for size in (512, 511)
    )
    assert less["s_acc"].value == pytest.approx(whole["s_acc"].value, abs=1e-9)
