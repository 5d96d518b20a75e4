"""Work cut into batches by tokens, tried again smaller where memory runs out.

Items are sorted by length, longest first, so that a batch wastes little on padding and a lack of
memory shows at once. A batch holds as many items as fit `budget` tokens, padding included; where
the back end does not pad, only items of one length share a batch. Out of memory halves the budget
for the rest of the work; an item that fails by itself becomes a `Failure` with its reason, and the
others are answered all the same.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gistmeter.core.errors import InputError

logger = logging.getLogger(__name__)
Result = TypeVar("Result")
Run = Callable[[Sequence[int]], Sequence[Result]]  # indices of items -> an answer for each


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an item has no answer."""

    reason: str


NOT_FINITE = Failure("the model gave numbers that are not finite")


def run_in_batches(
    lengths: Sequence[int], run: Run[Result], *, budget: int, pads: bool
) -> Iterator[tuple[int, Result | Failure]]:
    """Answers as they come, each with the index of its item, in no particular order."""
    waiting = sorted(range(len(lengths)), key=lambda item: (lengths[item], item))
    while waiting:
        batch = _next_batch(waiting, lengths, budget, pads)
        del waiting[len(waiting) - len(batch) :]
        try:
            answers = run(batch)
        except InputError:
            raise
        except Exception as error:  # a model may fail in any way; the rest of the run must not
            if len(batch) == 1:
                yield batch[0], Failure(describe_failure(error))
            elif is_out_of_memory(error):
                budget = max(1, budget // 2, len(batch) // 2 * lengths[batch[0]])
                logger.warning("Out of memory: trying again with %d tokens a batch", budget)
                waiting += reversed(batch)
            else:
                yield from _one_by_one(batch, run)
            continue
        yield from zip(batch, answers, strict=True)


def _next_batch(waiting: list[int], lengths: Sequence[int], budget: int, pads: bool) -> list[int]:
    """The longest items that fit, at least one, from the end of the list."""
    longest = lengths[waiting[-1]]
    room = max(1, budget // max(longest, 1))
    batch = waiting[-room:][::-1]
    if not pads:
        batch = [item for item in batch if lengths[item] == longest]
    return batch


def _one_by_one(batch: Sequence[int], run: Run[Result]) -> Iterator[tuple[int, Result | Failure]]:
    """A batch that failed as a whole, item by item, to find the one at fault."""
    for item in batch:
        try:
            answer: Result | Failure = run([item])[0]
        except InputError:
            raise
        except Exception as error:
            answer = Failure(describe_failure(error))
        yield item, answer


def is_out_of_memory(error: Exception) -> bool:
    """Memory errors as Python, torch and ONNX Runtime raise them."""
    if isinstance(error, MemoryError):
        return True
    text = str(error).lower()
    signs = ("out of memory", "bad_alloc", "failed to allocate memory", "can't allocate memory")
    return any(sign in text for sign in signs)


def describe_failure(error: Exception) -> str:
    """A reason short enough to be counted."""
    if is_out_of_memory(error):
        return "out of memory"
    lines = str(error).strip().splitlines() or [""]
    return f"the model failed ({type(error).__name__}: {lines[0][:120]})"
