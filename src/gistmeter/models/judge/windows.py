"""Long texts for the judge: each claim of one text against the best window of the other.

A text of at most `ROOM` tokens is read as it is. A longer one is cut at its sentences: as the
hypothesis into claims (a sentence each), as the premise into windows of sentences that fit. A claim
is read with the `NEAREST` windows by cosine, and the one that supports it best counts, as SummaC
does (Laban et al. 2022). Entailment is then half the mean and half the minimum over claims,
contradiction and changed fact half the mean and half the maximum: one false claim is not drowned
by many true ones. Similarity is the mean over claims in both directions. Nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gistmeter import languages

ROOM = 120  # tokens of a text that is read as it is; training saw texts up to 112
NEAREST = 2
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Count = Callable[[Sequence[str]], list[int]]  # tokens of each text


@dataclass(frozen=True, slots=True)
class Parts:
    """A text as claims and as windows; both are the text itself where it is short."""

    claims: tuple[str, ...]
    windows: tuple[str, ...]


def split(text: str, count: Count, room: int = ROOM) -> Parts:
    """A text's claims and windows, every character of it in some claim and some window."""
    if count([text])[0] <= room:
        return Parts((text,), (text,))
    claims: list[str] = []
    for sentence in languages.get("generic").sentences(text) or [text]:
        claims += _halve(sentence, count, room)
    windows, lengths = [], count(claims)
    current: list[str] = []
    held = 0
    for claim, length in zip(claims, lengths, strict=True):
        if current and held + length > room:
            windows.append(" ".join(current))
            current, held = [], 0
        current.append(claim)
        held += length
    windows.append(" ".join(current))
    return Parts(tuple(claims), tuple(windows))


def _halve(sentence: str, count: Count, room: int) -> list[str]:
    """A sentence in pieces that fit, cut at the space (or character) nearest to the middle."""
    if count([sentence])[0] <= room or len(sentence) < 2:
        return [sentence]
    middle = len(sentence) // 2
    left, right = sentence.rfind(" ", 1, middle), sentence.find(" ", middle)
    spots = [spot for spot in (left, right) if spot > 0]
    at = min(spots, key=lambda spot: abs(spot - middle)) if spots else middle
    pieces = sentence[:at].strip(), sentence[at:].strip()
    return [part for piece in pieces if piece for part in _halve(piece, count, room)]


def nearest(claims: Float32, windows: Float32, number: int = NEAREST) -> list[list[int]]:
    """For each claim's vector the indices of the nearest windows, best first."""
    cosines = claims @ windows.T
    order = np.argsort(-cosines, axis=1, kind="stable")
    return [row[:number].tolist() for row in order]


def pool(forward: Sequence[Float64], backward: Sequence[Float64]) -> Float64:
    """One answer from the best answer of each claim, and of each claim the other way round.

    Columns: entailment, neutral, contradiction, similarity, changed.
    """
    table = np.stack(forward)
    yes = (table[:, 0].mean() + table[:, 0].min()) / 2
    no = (table[:, 2].mean() + table[:, 2].max()) / 2
    whole = max(1.0, yes + no)
    yes, no = yes / whole, no / whole
    changed = (table[:, 4].mean() + table[:, 4].max()) / 2
    similarity = (table[:, 3].mean() + np.stack(backward)[:, 3].mean()) / 2
    return np.asarray([yes, max(0.0, 1 - yes - no), no, similarity, changed])
