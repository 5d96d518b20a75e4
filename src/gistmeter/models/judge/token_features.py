"""What the judge knows of a pair beside its layers: plain comparisons of tokens and digits.

One vector a pair, the same in training and in use. All of it is symmetric in meaning only where
its name says so; each lies between -2 and 2.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Float32 = npt.NDArray[np.float32]
NAMES = (
    "length_ratio",  # log of tokens second / first
    "digits_lost",  # runs of digits of the first text that the second has not
    "digits_new",  # runs of digits of the second text that the first has not
    "tokens_kept",  # share of the first text's tokens that the second has
    "tokens_known",  # share of the second text's tokens that the first has
    "same_tokens",  # whether both have the same tokens in any order
    "bigrams_kept",
    "lost_tokens",  # number of tokens lost, log
    "new_tokens",
)
COUNT = len(NAMES)
DIGITS = re.compile(r"\d+")


def compare(first: Sequence[int], second: Sequence[int], texts: tuple[str, str]) -> Float32:
    """The features of two texts' content tokens and normalised texts, in the order of `NAMES`."""
    left, right = Counter(first), Counter(second)
    kept = (left & right).total()
    lost, new = len(first) - kept, len(second) - kept
    digits = [Counter(DIGITS.findall(text)) for text in texts]
    pairs = set(pairwise(first)), set(pairwise(second))
    return np.asarray(
        [
            max(-2.0, min(2.0, math.log((len(second) + 1) / (len(first) + 1)))),
            min(2, (digits[0] - digits[1]).total()),
            min(2, (digits[1] - digits[0]).total()),
            kept / max(1, len(first)),
            kept / max(1, len(second)),
            float(not lost and not new),
            len(pairs[0] & pairs[1]) / max(1, len(pairs[0])),
            min(2.0, math.log1p(lost) / 2),
            min(2.0, math.log1p(new) / 2),
        ],
        dtype=np.float32,
    )


def mark(first: Sequence[int], second: Sequence[int]) -> tuple[Float32, Float32]:
    """For each token of the first text: is it in the second, and is it there with its neighbour."""
    there = set(second)
    pairs = set(pairwise(second))
    exact = [float(token in there) for token in first]
    after = [float(pair in pairs) for pair in pairwise(first)]
    bigram = [
        max(before, behind) for before, behind in zip([0.0, *after], [*after, 0.0], strict=True)
    ]
    return np.asarray(exact, dtype=np.float32), np.asarray(bigram[: len(first)], dtype=np.float32)
