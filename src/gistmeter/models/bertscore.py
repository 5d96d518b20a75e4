"""BERTScore: the tokens of two texts matched greedily by cosine.

    P = sum_i w(c_i) max_j cos(c_i, r_j) / sum_i w(c_i),  R likewise from the reference's side,
    F = 2PR / (P + R)

over the tokens c of the candidate and r of the reference. As in the `bert-score` package, special
tokens weigh nothing but may be matched; weights are 1, or the inverse document frequency
log((N + 1) / (n + 1)) of a token that occurs in n of N references; rescaling takes a baseline b
off, (x - b) / (1 - b), for P, R and F each. A text without tokens scores 0 there and is unscored
here.

Pairs are sorted by reference, so that a reference is read once for all its predictions, and worked
off in blocks, so that memory stays bounded however many there are. When an embedder of the same run
has the same model, the sentence vectors that fall off are handed to it.

Zhang et al. 2020, "BERTScore: Evaluating Text Generation with BERT", ICLR.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.signature import digest
from gistmeter.models.batching import Failure
from gistmeter.models.encoders import SharedEncoder, TextVectors, Window
from gistmeter.models.products import products
from gistmeter.models.protocols import TextPair

Float64 = npt.NDArray[np.float64]
Float32 = npt.NDArray[np.float32]
DECIMALS = 7
BLOCK = 256  # pairs whose token vectors are in memory at once


@dataclass(frozen=True, slots=True)
class TokenWeights:
    """Inverse document frequencies; all 1 where `documents` is 0."""

    documents: int = 0
    counts: Mapping[int, int] = field(default_factory=dict)  # documents that hold a token

    @classmethod
    def of(cls, texts: Iterable[Iterable[Window]]) -> TokenWeights:
        """From the references of a run, repetitions counted as they come."""
        counts: Counter[int] = Counter()
        documents = 0
        for windows in texts:
            documents += 1
            counts.update({token for window in windows for token in window.ids})
        return cls(documents, dict(counts))

    @property
    def id(self) -> str:
        return digest([self.documents, sorted(self.counts.items())])[:8] if self.documents else ""

    def weigh(self, text: TextVectors) -> Float32:
        if not self.documents:
            return np.asarray(~text.special, dtype=np.float32)
        top = self.documents + 1
        weights = [math.log(top / (self.counts.get(token, 0) + 1)) for token in text.ids.tolist()]
        return np.where(text.special, np.float32(0), np.asarray(weights, dtype=np.float32))


def match(candidate: TextVectors, reference: TextVectors, weights: TokenWeights) -> Float64 | None:
    """Precision, recall and F of a pair; None where a text has no token that weighs anything."""
    ours, theirs = weights.weigh(candidate), weights.weigh(reference)
    if not ours.any() or not theirs.any():
        return None
    similarity = products(candidate.tokens, reference.tokens)
    # Unit vectors in float32: a token's cosine with itself may be a hair above 1.
    precision = min(float(similarity.max(axis=1) @ (ours / ours.sum())), 1.0)
    recall = min(float(similarity.max(axis=0) @ (theirs / theirs.sum())), 1.0)
    total = precision + recall
    f1 = 2 * precision * recall / total if total else 0.0
    return np.asarray([precision, recall, f1], dtype=np.float64)


class TokenMatching:
    """Precision, recall and F of pairs by an encoder's token vectors; nothing is unseen."""

    def __init__(
        self,
        encoder: SharedEncoder,
        *,
        weights: TokenWeights | None = None,
        learn: Callable[[Sequence[tuple[str, TextVectors]]], None] | None = None,
    ) -> None:
        self.encoder, self.weights, self.learn = encoder, weights or TokenWeights(), learn

    def read(self, pairs: Sequence[TextPair]) -> Iterator[tuple[int, Float64 | Failure]]:
        order = sorted(range(len(pairs)), key=lambda at: (pairs[at][1], at))
        for start in range(0, len(order), BLOCK):
            block = order[start : start + BLOCK]
            read = self._read(dict.fromkeys(text for at in block for text in pairs[at]))
            for at in block:
                candidate, reference = (read[text] for text in pairs[at])
                yield at, self._match(candidate, reference)

    def _match(
        self, candidate: TextVectors | Failure, reference: TextVectors | Failure
    ) -> Float64 | Failure:
        if isinstance(candidate, Failure):
            return candidate
        if isinstance(reference, Failure):
            return reference
        scores = match(candidate, reference, self.weights)
        if scores is None:
            return Failure("no token to match")
        return np.round(np.append(scores, 0.0), DECIMALS)

    def _read(self, distinct: Mapping[str, None]) -> dict[str, TextVectors | Failure]:
        texts = list(distinct)
        read = {texts[index]: answer for index, answer in self.encoder.read(texts)}
        if self.learn is not None:
            self.learn(
                [(text, each) for text, each in read.items() if isinstance(each, TextVectors)]
            )
        return read


@dataclass(frozen=True, slots=True)
class Baseline:
    """What unrelated texts score; zeros rescale nothing."""

    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0

    def rescale(self, scores: Float64) -> Float64:
        base = np.asarray([self.precision, self.recall, self.f1])
        return np.asarray((scores - base) / (1 - base))


def find_baseline(path: str, model: str, language: str, layer: int) -> Baseline:
    """The baseline of a model's layer from a file, or from the bert-score package if none is given.

    The file has a header and the columns layer, P, R, F, as those of bert-score.
    """
    file = Path(path) if path else _packaged_baseline(model, language)
    if file is None or not file.is_file():
        raise InputError(
            f"There is no BERTScore baseline for '{model}' in '{language or 'any language'}'"
            f"{f' at {file}' if file else ''}. Name a file with columns LAYER,P,R,F "
            "(the model setting `baseline`), install bert-score for its own tables, or do not "
            "rescale"
        )
    with file.open(encoding="utf-8", newline="") as handle:
        for number, row in enumerate(csv.reader(handle), start=1):
            if row and row[0].strip() == str(layer):
                try:
                    return Baseline(*(float(cell) for cell in row[1:4]))
                except (TypeError, ValueError) as error:
                    raise FormatError("not a row LAYER,P,R,F", path=file, row=number) from error
    raise FormatError(f"no row for layer {layer}", path=file)


def _packaged_baseline(model: str, language: str) -> Path | None:
    package = find_spec("bert_score")
    if package is None or package.origin is None or ".." in Path(model).parts:
        return None
    code = language.split("-", maxsplit=1)[0]
    return Path(package.origin).parent / "rescale_baseline" / code / f"{model}.tsv"
