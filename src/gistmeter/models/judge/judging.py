"""How the judge reads pairs: short ones as they are, long ones by their parts.

A text of at most `ROOM` tokens is read as it is. A longer one is cut at its sentences: as the
hypothesis into claims (a sentence each), as the premise into windows of sentences that fit. A claim
is read with the `NEAREST` windows by cosine, and the one that supports it best counts, as SummaC
does (Laban et al. 2022). Claims of the second text are looked up in the first, and claims of the
first in the second. In each direction entailment is half the mean and half the minimum over claims,
contradiction half the mean and half the maximum: one false claim is not drowned by many true ones.
A changed fact counts as a contradiction does; what survives is half the mean and half the minimum
over both directions, the degree the mean of both. Nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gistmeter import languages
from gistmeter.core.cache import Memo
from gistmeter.models.batching import NOT_FINITE, Failure, run_in_batches
from gistmeter.models.e5 import LAYERS
from gistmeter.models.encoders import TextVectors, Window, vectors_name
from gistmeter.models.judge.network import (
    BACKWARD,
    CHANGED,
    DEGREE,
    FORWARD,
    SURVIVES,
    LayeredEncoder,
    Network,
    TextReading,
    compare_readings,
)
from gistmeter.models.products import products
from gistmeter.models.protocols import TextPair

ROOM = 230  # tokens of a text that is read as it is; training saw texts up to as many
NEAREST = 2
PART = 384  # pairs whose texts are held in memory at once
DECIMALS = 6
EMPTY = Failure("a text is empty")
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Row = Float64 | Failure
Count = Callable[[Sequence[str]], list[int]]  # tokens of each text


@dataclass(frozen=True, slots=True)
class TextParts:
    """A text as claims and as windows; both are the text itself where it is short."""

    claims: tuple[str, ...]
    windows: tuple[str, ...]


def split(text: str, count: Count, room: int = ROOM) -> TextParts:
    """A text's claims and windows, every character of it in some claim and some window."""
    if count([text])[0] <= room:
        return TextParts((text,), (text,))
    claims: list[str] = []
    for sentence in languages.get("generic").sentences(text) or [text]:
        claims += _halve(sentence, count, room)
    windows, lengths = [], count(claims)
    current: list[str] = []
    length_so_far = 0
    for claim, length in zip(claims, lengths, strict=True):
        if current and length_so_far + length > room:
            windows.append(" ".join(current))
            current, length_so_far = [], 0
        current.append(claim)
        length_so_far += length
    windows.append(" ".join(current))
    return TextParts(tuple(claims), tuple(windows))


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
    cosines = products(claims, windows)
    order = np.argsort(-cosines, axis=1, kind="stable")
    return [row[:number].tolist() for row in order]


def pool(forward: Sequence[Float64], backward: Sequence[Float64]) -> Float64:
    """One row of `OUTPUTS` from the best row of each claim of the second text, and of the first."""
    there, back = np.stack(forward), np.stack(backward)
    both = np.concatenate([there, back])
    survives, changed = both[:, SURVIVES], both[:, CHANGED]
    return np.asarray(
        [
            *pool_labels(there[:, FORWARD]),
            *pool_labels(back[:, BACKWARD]),
            (survives.mean() + survives.min()) / 2,
            (there[:, DEGREE].mean() + back[:, DEGREE].mean()) / 2,
            (changed.mean() + changed.max()) / 2,
        ]
    )


def pool_labels(table: Float64) -> tuple[float, float, float]:
    """Entailment, neutral and contradiction of a text from those of its claims."""
    yes = float(table[:, 0].mean() + table[:, 0].min()) / 2
    no = float(table[:, 2].mean() + table[:, 2].max()) / 2
    whole = max(1.0, yes + no)
    return yes / whole, max(0.0, 1 - (yes + no) / whole), no / whole


def finish(row: Float64) -> Row:
    """A row as it is kept: rounded, the unseen share last."""
    if not np.isfinite(row).all():
        return NOT_FINITE
    return np.append(np.round(row, DECIMALS), 0.0)


@dataclass(frozen=True, slots=True)
class LongPair:
    """The pairs of parts to read for a pair with a long text: for each claim its candidates."""

    forward: Sequence[Sequence[TextPair]]  # claims of the second text, beside windows of the first
    backward: Sequence[Sequence[TextPair]]  # claims of the first text, beside windows of the second

    def parts(self) -> Iterator[TextPair]:
        return (pair for claim in (*self.forward, *self.backward) for pair in claim)

    def pooled(self, answers: Mapping[TextPair, Row]) -> Row:
        """One row from the answers of all parts; the window that supports a claim best counts."""
        best: list[list[Float64]] = []
        for claims, label in ((self.forward, FORWARD), (self.backward, BACKWARD)):
            rows = []
            for claim in claims:
                found = [answers[pair] for pair in claim]
                good = [row for row in found if not isinstance(row, Failure)]
                if not good:
                    return found[0]
                rows.append(max(good, key=lambda row: float(row[label.start])))
            best.append(rows)
        return finish(pool(*best))


@dataclass(frozen=True, slots=True)
class JudgeReading:
    """The judge at work for a run, whose memory keeps the texts that it read."""

    encoder: LayeredEncoder
    network: Network
    budget: int  # tokens in a batch
    memo: Memo

    def read(self, pairs: Sequence[TextPair]) -> list[Row]:
        """A row for each pair."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        lengths = dict(zip(texts, self.encoder.count(texts), strict=True))
        long = {
            at: self._plan(pair)
            for at, pair in enumerate(pairs)
            if max(lengths[text] for text in pair) > ROOM and all(lengths[text] for text in pair)
        }
        whole = (pair for at, pair in enumerate(pairs) if at not in long)
        parts = (part for plan in long.values() for part in plan.parts())
        asked = list(dict.fromkeys([*whole, *parts]))
        answers = dict(zip(asked, self._read_short(asked), strict=True))
        return [
            long[at].pooled(answers) if at in long else answers[pair]
            for at, pair in enumerate(pairs)
        ]

    def _plan(self, pair: TextPair) -> LongPair:
        first, second = (split(text, self.encoder.count) for text in pair)
        return LongPair(
            [[(text, claim) for text in near] for claim, near in self._near(second, first)],
            [[(claim, text) for text in near] for claim, near in self._near(first, second)],
        )

    def _near(self, claims: TextParts, windows: TextParts) -> Iterator[tuple[str, list[str]]]:
        """Each claim of a text with the nearest windows of the other."""
        near = nearest(self._vectors(claims.claims), self._vectors(windows.windows))
        for claim, best in zip(claims.claims, near, strict=True):
            yield claim, [windows.windows[at] for at in best]

    def _vectors(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        read = self._readings(list(dict.fromkeys(texts)))
        zero = np.zeros(384, dtype=np.float32)
        return np.stack([read[text].vector if text in read else zero for text in texts])

    def _read_short(self, pairs: Sequence[TextPair]) -> list[Row]:
        """Pairs in parts of one memory, those of like length together."""
        sizes = dict.fromkeys(text for pair in pairs for text in pair)
        lengths = dict(zip(sizes, self.encoder.count(list(sizes)), strict=True))
        order = sorted(range(len(pairs)), key=lambda at: sum(lengths[text] for text in pairs[at]))
        rows: list[Row] = [EMPTY] * len(pairs)
        for start in range(0, len(order), PART):
            part = [
                at for at in order[start : start + PART] if all(lengths[text] for text in pairs[at])
            ]
            for at, row in zip(part, self._read_part([pairs[at] for at in part]), strict=True):
                rows[at] = row
        return rows

    def _read_part(self, pairs: Sequence[TextPair]) -> list[Row]:
        read = self._readings(list(dict.fromkeys(text for pair in pairs for text in pair)))
        rows: list[Row] = [Failure("the embedded model failed")] * len(pairs)
        ready = [at for at, pair in enumerate(pairs) if all(text in read for text in pair)]
        compared = [compare_readings(*(read[text] for text in pairs[at])) for at in ready]

        def run(batch: Sequence[int]) -> list[Row]:
            return [finish(row) for row in self.network.judge([compared[at] for at in batch])]

        lengths = [pair.length for pair in compared]
        for at, row in run_in_batches(lengths, run, budget=self.budget, pads=False):
            rows[ready[at]] = row
        return rows

    def _readings(self, texts: Sequence[str]) -> dict[str, TextReading]:
        """Readings of distinct short texts; those kept from before are not read again."""
        encoder, name = self.encoder, f"readings/{self.encoder.id}/layer={self.encoder.layer}"
        vectors = vectors_name(encoder.id, encoder.pooling, LAYERS)
        known = self.memo.find(name, texts)
        missing = [text for text in texts if text not in known]
        fresh: list[tuple[str, str, Window]] = []  # a text, normalised, its window
        for text, parts in zip(missing, encoder.tokenize(missing) if missing else (), strict=True):
            ready = encoder.normalise(text)
            if (recalled := encoder.recall(ready, parts[0], self.memo)) is not None:
                known[text] = recalled
            else:
                fresh.append((text, ready, parts[0]))

        def run(batch: Sequence[int]) -> list[TextReading]:
            _, ready, windows = zip(*(fresh[at] for at in batch), strict=True)
            return encoder.readings(ready, windows)

        lengths = [len(window.ids) for _, _, window in fresh]
        for at, reading in run_in_batches(lengths, run, budget=self.budget, pads=False):
            if isinstance(reading, TextReading):
                text = fresh[at][0]
                known[text] = reading
                self.memo.keep(name, {text: reading}, TextReading.size)
                self.memo.keep(vectors, {text: reading.whole}, TextVectors.size)
        return known
