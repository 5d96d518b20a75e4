"""The faces that metrics meet: models that remember.

Each asks its source only for distinct inputs that are neither in memory nor in the cache, and keeps
what comes. A source is whatever reads inputs and yields (index, answer) in any order: an encoder
(`encoding.py`), its token matching (`bertscore.py`), a joint reading (`joint.py`) or a caller's own
model (`plain.py`). Sentence vectors of our back ends are stored as float32 rounded to six decimals,
which takes off what a padded batch adds; other numbers in float64 to seven. Each row ends with the
share of its input that was not seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from gistmeter.core.cache import Cache
from gistmeter.models.batching import Failure
from gistmeter.models.bertscore import Baseline
from gistmeter.models.encoding import TextVectors
from gistmeter.models.protocols import Embeddings, Judgements, Matches, PairScores, TextPair
from gistmeter.models.recall import Numbers, Progress, Recall, recall_or_compute

VECTOR_DECIMALS = 6
OTHER_WIDTH = Failure("the model gave vectors of different widths under one id")


class VectorSource(Protocol):
    def read(self, texts: Sequence[str], /) -> Iterable[tuple[int, TextVectors | Failure]]: ...


class PairSource(Protocol):
    def read(
        self, pairs: Sequence[TextPair], /
    ) -> Iterable[tuple[int, npt.NDArray[np.float64] | Failure]]: ...


class Cached:
    """What the faces share: a row of numbers for each input, NaN where there is none."""

    stage: ClassVar[str]
    kind: ClassVar[str] = "f8"
    numbers: ClassVar[int] = 0  # of a row; 0: whatever the model gives

    def __init__(
        self,
        name: str,
        source: Any,
        cache: Cache,
        *,
        stored: str = "",
        progress: Progress | None = None,
    ) -> None:
        """`stored` is the name that answers are kept under, where it is not the model's id."""
        self._id, self._source, self._progress = name, source, progress
        self.recall = Recall(cache, stored or name, self.kind, self.numbers)

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process: whoever watches the progress stays here."""
        return {**self.__dict__, "_progress": None}

    @property
    def id(self) -> str:
        return self._id

    def _read(self, inputs: Sequence[Any]) -> Iterable[tuple[int, Numbers | Failure]]:
        found: Iterable[tuple[int, Numbers | Failure]] = self._source.read(inputs)
        return found

    def _answer(self, inputs: Sequence[Any]) -> tuple[npt.NDArray[Any], dict[int, str]]:
        inputs = [tuple(one) if isinstance(one, list) else one for one in inputs]
        answers, failures = recall_or_compute(
            self.recall, inputs, self._read, stage=self.stage, progress=self._progress
        )
        # Two columns at least: a product of rows without any would be 0, not NaN.
        size = self.recall.kind.itemsize
        width = self.numbers or next((len(raw) // size for raw in answers if raw), 2)
        blank = np.full(width, np.nan, dtype=self.recall.kind).tobytes()
        failures |= {
            at: OTHER_WIDTH.reason
            for at, raw in enumerate(answers)
            if raw is not None and len(raw) != len(blank)
        }
        rows = b"".join(blank if at in failures else raw or blank for at, raw in enumerate(answers))
        table = np.frombuffer(rows, dtype=self.recall.kind).reshape(-1, width)
        return table, failures


class CachedEmbedder(Cached):
    """Sentences to unit vectors."""

    stage, kind = "embedding", "f4"

    def __init__(
        self,
        name: str,
        source: VectorSource,
        cache: Cache,
        *,
        stored: str = "",
        decimals: int = VECTOR_DECIMALS,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(name, source, cache, stored=stored, progress=progress)
        self._decimals = decimals

    def embed(self, texts: Sequence[str]) -> Embeddings:
        table, failures = self._answer(texts)
        unseen = np.nan_to_num(table[:, -1].astype(np.float64))
        return Embeddings(table[:, :-1].copy(), unseen, failures)

    def _read(self, inputs: Sequence[str]) -> Iterable[tuple[int, Numbers | Failure]]:
        for index, answer in self._source.read(inputs):
            yield index, answer if isinstance(answer, Failure) else self._stored(answer)

    def learn(self, texts: Sequence[tuple[str, TextVectors]]) -> None:
        """Keep vectors that came by the way, when a matcher read the texts with the same model."""
        self.recall.keep({text: self._stored(read) for text, read in texts})

    def _stored(self, text: TextVectors) -> npt.NDArray[np.float32]:
        """A text's vector as it is kept, its unseen share last; minus zero is zero."""
        rounded = np.round(text.vector.astype(np.float64), self._decimals) + 0.0
        return np.append(rounded, text.unseen).astype(np.float32)


class CachedMatcher(Cached):
    """BERTScore of each (candidate, reference); never the token vectors."""

    stage, numbers = "matching", 4

    def __init__(
        self,
        name: str,
        source: PairSource,
        cache: Cache,
        *,
        stored: str = "",
        baseline: Baseline | None = None,
        progress: Progress | None = None,
    ) -> None:
        # Rescaling is arithmetic on what is stored: both ways share their entries.
        title = name if baseline is None else f"{name}/rescaled={baseline}"
        super().__init__(title, source, cache, stored=stored or name, progress=progress)
        self._baseline = baseline

    def match(self, pairs: Sequence[TextPair]) -> Matches:
        table, failures = self._answer(pairs)
        scores, unseen = table[:, :3], np.nan_to_num(table[:, 3])
        if self._baseline is not None:
            scores = self._baseline.rescale(scores)
        precision, recall, f1 = (scores[:, at].copy() for at in range(3))
        return Matches(precision, recall, f1, unseen, failures)


class CachedCrossEncoder(Cached):
    """A score in [0, 1] for each pair."""

    stage, numbers = "cross-encoding", 2

    def score(self, pairs: Sequence[TextPair]) -> PairScores:
        table, failures = self._answer(pairs)
        return PairScores(table[:, 0].copy(), table[:, 1].copy(), failures)


class CachedEntailment(Cached):
    """Entailment, neutral and contradiction of each (premise, hypothesis)."""

    stage, numbers = "entailment", 4

    def classify(self, pairs: Sequence[TextPair]) -> Judgements:
        table, failures = self._answer(pairs)
        yes, neutral, no, unseen = (table[:, at].copy() for at in range(4))
        return Judgements(yes, neutral, no, unseen, failures)
