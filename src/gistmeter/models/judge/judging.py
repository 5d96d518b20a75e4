"""How the judge reads pairs: short ones as they are, long ones by their parts.

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
from gistmeter.core.cache import Memo
from gistmeter.models.batching import NOT_FINITE, Failure, run_in_batches
from gistmeter.models.e5 import LAYERS
from gistmeter.models.encoders import TextVectors, vectors_name
from gistmeter.models.judge.network import LayeredEncoder, Network, TextReading, compare_readings
from gistmeter.models.protocols import TextPair

ROOM = 120  # tokens of a text that is read as it is; training saw texts up to 112
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


def finish(row: Float64) -> Row:
    """A row as it is kept: rounded, the unseen share last."""
    if not np.isfinite(row).all():
        return NOT_FINITE
    return np.append(np.round(row, DECIMALS), 0.0)


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
        short = [at for at, pair in enumerate(pairs) if all(lengths[text] <= ROOM for text in pair)]
        answers = self._read_short([pairs[at] for at in short])
        rows: dict[int, Row] = dict(zip(short, answers, strict=True))
        for at, pair in enumerate(pairs):
            if at in rows:
                continue
            empty = not all(lengths[text] for text in pair)
            premise, hypothesis = (split(text, self.encoder.count) for text in pair)
            rows[at] = EMPTY if empty else self._read_long(premise, hypothesis)
        return [rows[at] for at in range(len(pairs))]

    def _read_long(self, premise: TextParts, hypothesis: TextParts) -> Row:
        forward = self._read_claims(hypothesis.claims, premise.windows, turned=False)
        backward = self._read_claims(premise.claims, hypothesis.windows, turned=True)
        if isinstance(forward, Failure):
            return forward
        if isinstance(backward, Failure):
            return backward
        return finish(pool(forward, backward))

    def _read_claims(
        self, claims: Sequence[str], windows: Sequence[str], *, turned: bool
    ) -> list[Float64] | Failure:
        """The answer of the best window for each claim; `turned` puts the claim first."""
        near = nearest(self._vectors(claims), self._vectors(windows))
        asked = [
            (claim, windows[at]) for claim, best in zip(claims, near, strict=True) for at in best
        ]
        pairs = [pair if turned else pair[::-1] for pair in asked]
        answers = iter(self._read_short([(first, second) for first, second in pairs]))
        best_rows = []
        for best in near:
            rows = [next(answers) for _ in best]
            good = [row for row in rows if not isinstance(row, Failure)]
            if not good:
                return next(row for row in rows if isinstance(row, Failure))
            best_rows.append(max(good, key=lambda row: float(row[3 if turned else 0])))
        return best_rows

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
        fresh = [text for text in texts if text not in known]
        windows = [parts[0] for parts in encoder.tokenize(fresh)] if fresh else []

        def run(batch: Sequence[int]) -> list[TextReading]:
            ready = [encoder.normalise(fresh[at]) for at in batch]
            return encoder.readings(ready, [windows[at] for at in batch])

        lengths = [len(window.ids) for window in windows]
        for at, reading in run_in_batches(lengths, run, budget=self.budget, pads=False):
            if isinstance(reading, TextReading):
                known[fresh[at]] = reading
                self.memo.keep(name, {fresh[at]: reading}, TextReading.size)
                self.memo.keep(vectors, {fresh[at]: reading.whole}, TextVectors.size)
        return known
