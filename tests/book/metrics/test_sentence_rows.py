"""gist of a book: is what each sentence says in the original?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from book.book_doubles import book, make_metric
from gistmeter.book.metrics.book_comparison import Thresholds
from gistmeter.book.metrics.sentence_rows import FEATURES, gist_of
from gistmeter.metrics.gist import weights_of
from gistmeter.models.protocols import Verdicts

SOURCE = (
    "The fox found a red lantern in the snow. It carried the lantern over the frozen lake. "
    "An owl watched from the old birch. The owl asked for the light."
)
HELD = {
    "calibrated": {"en": Thresholds(coverage=0.6, support=0.6)},
    "weights": weights_of("book"),
}


class Judge:
    """Finds that a sentence with the word "green" contradicts, and fails on "mute"."""

    id = "judge-double"

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def judge(self, pairs):
        self.asked += pairs
        wrong = np.array([float("green" in second) for _, second in pairs])
        mute = {at: "it is mute" for at, (_, second) in enumerate(pairs) if "mute" in second}
        wrong[list(mute)] = np.nan
        nothing = np.zeros(len(pairs))
        right = 1 - wrong
        return Verdicts(
            entailment=right, neutral=nothing, contradiction=wrong, entails=right, opposes=wrong,
            survives=right, similarity=right, changed=wrong, unseen=nothing, failures=mute,
        )  # fmt: skip


def measured(summary: str, judge: Judge | None = None):
    item = book("Book", SOURCE, summary)
    metric = replace(make_metric([item]), judge=judge or Judge(), **HELD)
    return metric, metric.measure([item])


def test_a_sentence_that_is_its_source_is_in_it_and_the_judge_is_not_asked():
    judge = Judge()
    metric, rows = measured("The fox found a red lantern. The owl asked for the light.", judge)
    assert judge.asked == []
    assert metric.pool(rows)["gist"] > 0.9


def test_what_contradicts_or_has_no_source_is_not_in_the_original():
    _, rows = measured(
        "The fox found a red lantern in snow. The fox brought in the snow a green lantern. "
        "Seven spaceships landed near Boston on Tuesday."
    )
    kept, against, invented = rows.values("gist")[:3]
    assert kept > 0.9
    assert against < 0.5
    assert invented < 0.5


def test_a_judge_that_fails_leaves_the_sentence_unscored_with_its_reason():
    _, rows = measured("The fox found a mute lantern there in the snow.")
    assert np.isnan(rows.values("gist")[0])
    assert rows.reasons["gist"] == {0: "it is mute"}


@pytest.mark.parametrize("without", ["judge", "calibrated", "weights"])
def test_without_a_judge_or_with_another_model_there_is_none(without):
    item = book("Book", SOURCE, SOURCE)
    held = {"judge": Judge(), **HELD}
    held[without] = None if without == "judge" else {}
    metric = replace(make_metric([item]), **held)
    assert "gist" not in metric.pool(metric.measure([item]))


def test_more_evidence_is_never_less_gist():
    columns = {name: np.array([0.5, 0.5]) for name in FEATURES}
    for name in FEATURES:
        changed = {**columns, name: np.array([0.4, 0.6])}
        low, high = gist_of(changed, 0.5, weights_of("book"))
        assert low >= high if name in {"contradicts", "differs", "changed"} else low <= high
