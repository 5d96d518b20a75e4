"""Batches by tokens, halved where memory runs out, with failures kept to their items."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter.core.errors import InputError
from gistmeter.models.batching import Failure, run_in_batches

LENGTHS = st.lists(st.integers(1, 50), max_size=60)


@given(LENGTHS, st.integers(1, 200), st.booleans())
def test_every_item_is_answered_once_within_the_budget(
    lengths: list[int], budget: int, pads: bool
) -> None:
    sizes = []

    def run(batch: Sequence[int]) -> list[int]:
        longest = max(lengths[item] for item in batch)
        sizes.append(len(batch) * longest if len(batch) > 1 else 0)
        if not pads:
            assert len({lengths[item] for item in batch}) == 1
        return list(batch)

    answers = list(run_in_batches(lengths, run, budget=budget, pads=pads))
    assert sorted(item for item, _ in answers) == list(range(len(lengths)))
    assert all(item == answer for item, answer in answers)
    assert max(sizes, default=0) <= budget


@given(LENGTHS.filter(bool), st.integers(1, 60))
def test_out_of_memory_halves_the_batch(lengths: list[int], memory: int) -> None:
    def run(batch: Sequence[int]) -> list[int]:
        if len(batch) * max(lengths[item] for item in batch) > memory:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        return list(batch)

    answers = dict(run_in_batches(lengths, run, budget=10_000, pads=True))
    assert len(answers) == len(lengths)
    for item, answer in answers.items():
        expected = Failure("out of memory") if lengths[item] > memory else item
        assert answer == expected


def test_an_item_that_fails_does_not_take_others_along() -> None:
    def run(batch: Sequence[int]) -> list[int]:
        if 3 in batch:
            raise ValueError("no such token\nsecond line")
        return [10 * item for item in batch]

    answers = dict(run_in_batches([5] * 6, run, budget=100, pads=True))
    assert answers[3] == Failure("the model failed (ValueError: no such token)")
    assert {item: answer for item, answer in answers.items() if item != 3} == {
        item: 10 * item for item in (0, 1, 2, 4, 5)
    }


def test_what_the_user_must_mend_is_raised() -> None:
    def run(batch: Sequence[int]) -> list[int]:
        raise InputError("install this")

    with pytest.raises(InputError, match="install this"):
        list(run_in_batches([1, 2], run, budget=10, pads=True))
