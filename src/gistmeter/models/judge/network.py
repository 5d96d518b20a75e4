"""The judge's network: what both texts are as the embedder reads them, read on together.

The embedded model reads each text apart. Its states after `JOINT` layers of both texts make one
sequence; each token is told its side, whether the other text has it (alone, and with a neighbour)
and how well its best match there fits; trained copies of the remaining layers read on. Means of
both sides, their distance, the highest value of each column, the first token and the pair's
features (cosine, BERTScore, weakest match, `compare`) go through one hidden layer to nine numbers
(`OUTPUTS`): one reading answers for both directions.

No padding: pairs of one total length share a batch, and heads are computed pair by pair, so a
pair's answer does not depend on what else is asked.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.cache import Memo
from gistmeter.models import e5
from gistmeter.models.e5 import e5_weights
from gistmeter.models.e5.graph import OnnxGraph, Shape, Transformer, open_graph
from gistmeter.models.encoders import States, TextVectors, Window, assemble, layers_place
from gistmeter.models.judge import judge_weights
from gistmeter.models.products import products, times

JOINT = e5.JOINT
GRAPH_VERSION = 2
OUTPUTS = (
    "entailment",  # of the second text by the first
    "neutral",
    "contradiction",
    "entailment_back",  # of the first text by the second
    "neutral_back",
    "contradiction_back",
    "survives",  # all of the meaning is kept
    "degree",  # the share of the meaning that is kept, as people rate it
    "changed",  # a fact differs
)
FORWARD, BACKWARD, REST = slice(0, 3), slice(3, 6), slice(6, None)
SURVIVES, DEGREE, CHANGED = 6, 7, 8
CENTRE, SPREAD = np.float32(0.9), np.float32(10)  # cosines of the embedded model: 0.7 to 1
# What is known of a pair beside its layers, the same in training and in use; each lies between
# -2 and 2.
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
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TextReading:
    """A text as the embedded model reads it: one window."""

    text: str  # normalised
    content: Sequence[int]  # ids of its own tokens
    states: Float32  # (1 + content, width) after `JOINT` layers: the first token and its own
    matched: Float32  # (content, width) of the last layer at unit length
    whole: TextVectors  # all of it as embedder and matcher take it

    @property
    def vector(self) -> Float32:
        return self.whole.vector

    def size(self) -> int:
        """In bytes; `matched` is a part of `whole`, which counts by itself."""
        return self.states.nbytes


@dataclass(frozen=True, slots=True)
class ReadPair:
    """A pair, ready for the joint layers."""

    first: TextReading
    second: TextReading
    marks: tuple[Float32, Float32]  # for each side (content, 3): exact, soft, with a neighbour
    features: Float32

    @property
    def length(self) -> int:
        return len(self.first.states) + len(self.second.states)


class LayeredEncoder(e5.E5Encoder):
    """The embedded model, giving the states that the judge reads on from."""

    def open_weights(self) -> e5_weights.WeightFile:
        return e5_weights.read(self.path)

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of each text's own tokens."""
        extra = sum(map(len, self.frame))
        return [
            sum(len(window.ids) - extra for window in windows) for windows in self.tokenize(texts)
        ]

    def readings(self, texts: Sequence[str], windows: Sequence[Window]) -> list[TextReading]:
        """Readings of windows that are all of one length."""
        return list(map(self.reading, texts, windows, *self.run(windows)))

    def reading(self, text: str, window: Window, last: Float32, joint: Float32) -> TextReading:
        """A text from the states of its window."""
        before, after = map(len, self.frame)
        inner = slice(before, len(last) - after)
        whole = assemble([window], [States(last, last.mean(axis=0))])
        read_on = np.concatenate([joint[:1], joint[inner]])
        return TextReading(text, list(window.ids[inner]), read_on, whole.tokens[inner], whole)

    def recall(self, text: str, window: Window, memo: Memo) -> TextReading | None:
        """The reading of a text that the embedder read in this run."""
        kept = memo.spool and memo.spool.get(layers_place(self.id, window))
        if not kept:
            return None
        layers = np.frombuffer(kept, dtype=np.float32).reshape(2, len(window.ids), -1)
        return self.reading(text, window, *layers)


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


def compare_readings(first: TextReading, second: TextReading) -> ReadPair:
    """Marks and features of a pair."""
    table = products(first.matched, second.matched)
    best = table.max(axis=1), table.max(axis=0)
    recall, precision = (float(side.mean()) for side in best)
    total = 2 * precision * recall / max(precision + recall, 1e-6)
    cosine = float(first.vector @ second.vector)
    least = [float(side.min()) for side in best]
    matches = np.asarray([cosine, precision, recall, total, *least], dtype=np.float32)
    texts = first.text, second.text
    features = np.concatenate(
        [(matches - CENTRE) * SPREAD, compare(first.content, second.content, texts)]
    )
    sides = []
    for (mine, other), soft in zip(((first, second), (second, first)), best, strict=True):
        exact, bigram = mark(mine.content, other.content)
        sides.append(np.stack([exact, (soft - CENTRE) * SPREAD, bigram], axis=1))
    return ReadPair(first, second, (sides[0], sides[1]), features)


class Network:
    """The trained layers and heads."""

    def __init__(self, weights: judge_weights.JudgeWeights, folder: Path, threads: int) -> None:
        self.weights, self.folder, self.threads = weights, folder, threads
        self.marks = weights.tensor("marks")  # two sides, exact, soft, bigram
        self.hidden = weights.tensor("hidden.w"), weights.tensor("hidden.b")
        self.out = weights.tensor("out.w"), weights.tensor("out.b")
        self.temperature = float(weights.notes.get("temperature", "1"))

    @cached_property
    def session(self) -> Any:
        path, digest = graph_path(self.folder), judge_weights.GRAPH_SHA256
        return open_graph(path, digest, lambda: build(self.weights), self.threads)

    def judge(self, pairs: Sequence[ReadPair]) -> list[Float64]:
        """`OUTPUTS` of each pair; all pairs are of one total length."""
        joined = np.stack([self._join(pair) for pair in pairs])
        (states,) = self.session.run(None, {"states": joined})
        return [self._read(pair, rows) for pair, rows in zip(pairs, states, strict=True)]

    def _join(self, pair: ReadPair) -> Float32:
        sides = []
        for side, (reading, marks) in enumerate(
            zip((pair.first, pair.second), pair.marks, strict=True)
        ):
            states = reading.states + self.marks[side]
            states[1:] += marks @ self.marks[2:]
            sides.append(states)
        return np.concatenate(sides)

    def _read(self, pair: ReadPair, states: Float32) -> Float64:
        edge = len(pair.first.states)
        first, second = states[:edge].mean(axis=0), states[edge:].mean(axis=0)
        pooled = [first, second, np.abs(first - second), states.max(axis=0), states[0]]
        given = np.concatenate([*pooled, pair.features])
        hidden = gelu(times(self.hidden[0], given) + self.hidden[1])
        outputs = times(self.out[0], np.concatenate([hidden, pair.features])) + self.out[1]
        return to_probabilities(outputs.astype(np.float64), self.temperature)


def gelu(values: Float32) -> Float32:
    """The exact GELU; the layer it follows is narrow, so one number at a time is quick enough."""
    erf = np.vectorize(math.erf, otypes=[np.float64])
    return np.asarray(values * (1 + erf(values / math.sqrt(2))) / 2, dtype=np.float32)


def to_probabilities(outputs: Float64, temperature: float) -> Float64:
    """Softmax of both directions' labels at their calibrated temperature; sigmoid of the rest."""
    labels = [
        np.exp(part - part.max()) for part in outputs[: REST.start].reshape(2, 3) / temperature
    ]
    rest = 1 / (1 + np.exp(-outputs[REST].clip(-60, 60)))
    return np.concatenate([*(part / part.sum() for part in labels), rest])


def graph_path(folder: Path) -> Path:
    return folder / f"judge-small-{judge_weights.SHA256[:8]}-v{GRAPH_VERSION}.onnx"


def build(weights: judge_weights.JudgeWeights) -> bytes:
    """The joint layers as a graph: states in, states out."""
    graph = OnnxGraph()
    body = Transformer(graph, weights)
    states = "states"
    for number in range(JOINT, weights.sizes.layers):
        states = body.layer(number, states)
    graph.node("Identity", [states], "tokens")
    shape: Shape = ["batch", "length", weights.sizes.width]
    return graph.serialise("gistmeter-judge-small", {"states": shape}, {"tokens": shape})
