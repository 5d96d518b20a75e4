"""What metrics may ask of models. Metrics import this and never a back end.

Every model has an `id` that names weights, revision and settings: it goes into signatures and
cache keys, so two models that could answer differently must differ in it. A model takes all the
texts at once and answers in their order; it deduplicates, sorts and batches by itself. What it
could not see of a text (beyond its maximum length) it reports as a share, and what it could not
do as a reason by position: an answer is then NaN, and the rest is answered all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Float32 = npt.NDArray[np.float32]
    Float64 = npt.NDArray[np.float64]

TextPair = tuple[str, str]
Answered = TypeVar("Answered")


@dataclass(frozen=True, slots=True)
class Embeddings:
    """A unit vector for each text."""

    vectors: Float32  # (texts, width); a row of NaN where the model failed
    unseen: Float64  # share of each text's tokens beyond what the model could see
    failures: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Matches:
    """BERTScore of each pair (candidate, reference)."""

    precision: Float64
    recall: Float64
    f1: Float64
    unseen: Float64
    failures: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PairScores:
    """A score in [0, 1] for each pair."""

    values: Float64
    unseen: Float64
    failures: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgements:
    """What follows from a premise for a hypothesis: three probabilities that sum to 1."""

    entailment: Float64
    neutral: Float64
    contradiction: Float64
    unseen: Float64
    failures: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What a judge says of each (reference, candidate): probabilities, the first three sum to 1."""

    entailment: Float64  # the candidate follows from the reference
    neutral: Float64
    contradiction: Float64
    entails: Float64  # the reference follows from the candidate
    opposes: Float64  # the reference contradicts the candidate
    survives: Float64  # all of the meaning is kept
    similarity: Float64  # the share of the meaning that is kept, as people rate it, 0 to 1
    changed: Float64  # that a fact (number, name, negation, ...) differs
    unseen: Float64
    failures: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer(Generic[Answered]):
    """A language model's structured answer, or the reason why there is none."""

    value: Answered | None
    raw: str = ""  # as it came, for the record
    failure: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None  # in US dollars; None where the price is unknown
    cached: bool = False


class Embedder(Protocol):
    """Sentences to unit vectors."""

    @property
    def id(self) -> str: ...
    def embed(self, texts: Sequence[str]) -> Embeddings: ...


class TokenMatcher(Protocol):
    """Token vectors of two texts, matched greedily: BERTScore."""

    @property
    def id(self) -> str: ...
    def match(self, pairs: Sequence[TextPair]) -> Matches: ...


class CrossEncoder(Protocol):
    """Both texts read together."""

    @property
    def id(self) -> str: ...
    def score(self, pairs: Sequence[TextPair]) -> PairScores: ...


class EntailmentModel(Protocol):
    """Natural language inference on (premise, hypothesis)."""

    @property
    def id(self) -> str: ...
    def classify(self, pairs: Sequence[TextPair]) -> Judgements: ...


@runtime_checkable
class JudgeModel(Protocol):
    """What survives, entailment both ways and changed facts of a pair in one reading."""

    @property
    def id(self) -> str: ...
    def judge(self, pairs: Sequence[TextPair]) -> Verdicts: ...


@runtime_checkable
class PairJudge(JudgeModel, Protocol):
    """A judge as a back end: it reads what is not remembered yet."""

    def read(self, pairs: Sequence[TextPair], memo: Any = None) -> Iterable[tuple[int, Any]]:
        """(index, row of numbers or `Failure`) of distinct pairs."""


class LanguageModel(Protocol):
    """A prompt to an object of a given pydantic model."""

    @property
    def id(self) -> str: ...
    def ask(
        self, prompts: Sequence[str], schema: type[Any], *, instructions: str = "", sample: int = 0
    ) -> list[Answer[Any]]:
        """Answers in the order of the prompts. `sample` tells repeated questions apart."""
