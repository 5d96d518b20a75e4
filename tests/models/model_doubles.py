"""Back ends small enough to reckon with by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gistmeter.models.encoders import PairTokens, States, Window
from gistmeter.models.protocols import TextPair

BEGIN, END = 1, 2


class LetterEncoder:
    """A token a letter; its vector is drawn from its code, the same wherever it stands."""

    id, pooling, layer, pads, budget = "letters@1/max=8", "mean", 1, False, 64
    room = 6

    def __init__(self) -> None:
        self.read: list[str] = []
        self.broken: set[str] = set()

    def tokenize(self, texts: Sequence[str]) -> list[list[Window]]:
        self.read += texts
        made = []
        for text in texts:
            parts = [text[at : at + self.room] for at in range(0, len(text), self.room)] or [""]
            made.append(
                [
                    Window([BEGIN, *map(ord, part), END], [True, *[False] * len(part), True])
                    for part in parts
                ]
            )
        return made

    def encode(self, windows: Sequence[Window]) -> list[States]:
        if self.broken & {chr(token) for window in windows for token in window.ids}:
            raise ValueError("broken letter")
        found = []
        for window in windows:
            rows = np.stack([letter(token) for token in window.ids])
            found.append(States(rows, rows.mean(axis=0)))
        return found


def letter(token: int) -> npt.NDArray[np.float32]:
    return np.random.default_rng(token).normal(size=8).astype(np.float32)


class LengthReader:
    """Pairs judged by their lengths; reads ten letters at most."""

    id, pads, budget, longest = "lengths@1", True, 64, 10

    def __init__(self, numbers: int) -> None:
        self.numbers, self.calls = numbers, 0

    def tokenize(self, pairs: Sequence[TextPair]) -> list[PairTokens]:
        made = []
        for first, second in pairs:
            whole = [*map(ord, first), *map(ord, second)]
            seen = whole[: self.longest]
            unseen = 1 - len(seen) / len(whole) if whole else 0.0
            made.append(PairTokens(seen, [0] * len(seen), unseen))
        return made

    def read(self, pairs: Sequence[PairTokens]) -> npt.NDArray[np.float64]:
        self.calls += len(pairs)
        shares = np.asarray([[len(pair.ids) / self.longest] for pair in pairs])
        if self.numbers == 1:
            return shares
        return np.concatenate([shares, (1 - shares) / 2, (1 - shares) / 2], axis=1)
