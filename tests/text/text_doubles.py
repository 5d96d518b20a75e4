"""Small models and a language whose answers can be checked by hand."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gistmeter.core.types import Pair
from gistmeter.languages import Polarity
from gistmeter.models.protocols import (
    Embeddings,
    Judgements,
    Matches,
    PairScores,
    TextPair,
    Verdicts,
)


@dataclass(frozen=True)
class Letters:
    """Embeds a text as the counts of its letters; fails on texts with a question mark."""

    id: str = "letters"

    def embed(self, texts: Sequence[str]) -> Embeddings:
        vectors = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in enumerate(texts):
            for character in text:
                vectors[row, zlib.crc32(character.encode()) % 64] += 1
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        failures = {at: "too puzzling" for at, text in enumerate(texts) if "?" in text}
        vectors[list(failures)] = np.nan
        return Embeddings(vectors, np.zeros(len(texts)), failures)


@dataclass(frozen=True)
class Given:
    """Answers by pair, asked in whichever order; 0.5 for a pair it does not know."""

    values: Mapping[TextPair, float] = field(default_factory=dict)
    failing: frozenset[str] = frozenset()
    id: str = "given"

    def score(self, pairs: Sequence[TextPair]) -> PairScores:
        values = np.asarray([self.values.get(pair, 0.5) for pair in pairs], dtype=np.float64)
        failures = {at: "out of memory" for at, pair in enumerate(pairs) if self.failing & {*pair}}
        values[list(failures)] = np.nan
        return PairScores(values, np.zeros(len(pairs)), failures)

    def match(self, pairs: Sequence[TextPair]) -> Matches:
        got = self.score(pairs)
        return Matches(got.values, got.values, got.values, got.unseen, got.failures)

    def judge(self, pairs: Sequence[TextPair]) -> Verdicts:
        """What `classify` says, with half a similarity and no changed fact."""
        said, half = self.classify(pairs), np.full(len(pairs), 0.5)
        back = self.classify([(second, first) for first, second in pairs])
        half[list(said.failures)] = np.nan
        return Verdicts(
            entailment=said.entailment, neutral=said.neutral, contradiction=said.contradiction,
            entails=back.entailment, opposes=back.contradiction, survives=said.entailment,
            similarity=half, changed=np.zeros(len(pairs)), unseen=said.unseen,
            failures=said.failures,
        )  # fmt: skip

    def classify(self, pairs: Sequence[TextPair]) -> Judgements:
        got = self.score(pairs)
        rest = 1 - got.values
        return Judgements(got.values, rest * 0.75, rest * 0.25, got.unseen, got.failures)


@dataclass(frozen=True)
class Spaces:
    """A language of words between spaces: "the" is a stop word, + and - mark praise and blame."""

    code: str = "xx"
    lists: str = "none"
    plain: bool = False
    folds: tuple[str, ...] = ("spellings of its own",)

    @property
    def id(self) -> str:
        return self.code

    def words(self, text: str) -> list[str]:
        return text.split()

    def content_words(self, text: str) -> list[str]:
        return [word for word in text.split() if word != "the"]

    def normalise(self, text: str) -> str:
        return text

    def polarity(self, text: str) -> Polarity:
        return Polarity("+" in text, "-" in text, "not" in text.split())


PACKS = {"xx": Spaces()}


def pair(
    candidate: str | None, *references: str, id: str = "1", arrangement: str = "", **fields: str
) -> Pair:
    return Pair(id, candidate, references, "system", arrangement, "xx", fields)
