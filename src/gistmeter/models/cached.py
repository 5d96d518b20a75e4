"""The faces that metrics meet: models that remember.

Each asks its source only for distinct inputs that are neither in memory nor in the cache, and keeps
what comes. A source is whatever reads inputs and yields (index, answer) in any order: an encoder
or a reader of pairs (`encoders.py`), token matching (`bertscore.py`) or a caller's own model
(`own_models.py`). Answers are written in parts, so that a run that is killed keeps what it had
done. An answer is kept as the bytes of its numbers: sentence vectors of our back ends as float32
rounded to six decimals, which takes off what a padded batch adds; other numbers in float64 to
seven. Each row ends with the share of its input that was not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gistmeter.core.cache import Cache, Form
from gistmeter.models.batching import Failure
from gistmeter.models.bertscore import Baseline
from gistmeter.models.encoders import TextVectors
from gistmeter.models.protocols import Embeddings, Judgements, Matches, PairScores, TextPair

Numbers = npt.NDArray[np.floating[Any]]
Progress = Callable[[str, int, int], None]
VECTOR_DECIMALS = 6
PART = 512  # answers written to the cache at once
BESIDE = 256  # bytes that an answer takes in memory beside its numbers, roughly
OTHER_WIDTH = "the model gave vectors of different widths under one id"


@dataclass(eq=False)
class Cached:
    """What the faces share: a row of numbers for each input, NaN where there is none."""

    stage: ClassVar[str]
    kind: ClassVar[Any] = np.dtype("<f8")
    numbers: ClassVar[int] = 0  # of a row; 0: whatever the model gives

    id: str
    source: Any
    cache: Cache
    _: KW_ONLY
    stored: str = ""  # the name that answers are kept under, where it is not the id
    progress: Progress | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.stored = self.stored or self.id

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process: whoever watches the progress stays here."""
        return {**self.__dict__, "progress": None}

    @property
    def form(self) -> Form:
        """The bytes of a row."""
        size = self.kind.itemsize

        def decode(raw: bytes) -> bytes | None:
            whole = len(raw) == self.numbers * size if self.numbers else raw and not len(raw) % size
            return raw if whole else None

        return Form(f"{self.numbers or ''}{self.kind.str}", decode, bytes, _size)

    def _read(self, inputs: Sequence[Any]) -> Iterable[tuple[int, Numbers | Failure]]:
        answers: Iterable[tuple[int, Numbers | Failure]] = self.source.read(inputs)
        return answers

    def _keep(self, answers: Mapping[Any, Numbers]) -> dict[Any, bytes]:
        """Remember answers; gives them as they are kept."""
        kept = {entry: numbers.astype(self.kind).tobytes() for entry, numbers in answers.items()}
        self.cache.keep(self.stored, kept, self.form)
        return kept

    def _answer(self, inputs: Sequence[Any]) -> tuple[npt.NDArray[Any], dict[int, str]]:
        """One row per input, and the reasons of those that have none."""
        inputs = [tuple(entry) if isinstance(entry, list) else entry for entry in inputs]
        answers = self.cache.find(self.stored, inputs, self.form)
        missing = [entry for entry in dict.fromkeys(inputs) if entry not in answers]
        failed, fresh = dict[Any, str](), dict[Any, Numbers]()
        for done, (index, answer) in enumerate(self._read(missing) if missing else (), start=1):
            if isinstance(answer, Failure):
                failed[missing[index]] = answer.reason
            else:
                fresh[missing[index]] = answer
            if len(fresh) >= PART:
                answers |= self._keep(fresh)
                fresh = {}
            if self.progress is not None:
                self.progress(self.stage, done, len(missing))
        answers |= self._keep(fresh)
        return self._table(inputs, answers, failed)

    def _table(
        self, inputs: Sequence[Any], answers: Mapping[Any, bytes], failed: Mapping[Any, str]
    ) -> tuple[npt.NDArray[Any], dict[int, str]]:
        # Two columns at least: a product of rows without any would be 0, not NaN.
        width = self.numbers or next(
            (len(answers[entry]) // self.kind.itemsize for entry in inputs if entry in answers), 2
        )
        blank = np.full(width, np.nan, dtype=self.kind).tobytes()
        rows, failures = [], {}
        for at, entry in enumerate(inputs):
            row = answers.get(entry, blank)
            if entry in failed:
                failures[at] = failed[entry]
            elif len(row) != len(blank):
                failures[at] = OTHER_WIDTH
            rows.append(blank if at in failures else row)
        return np.frombuffer(b"".join(rows), dtype=self.kind).reshape(-1, width), failures


def _size(answer: bytes) -> int:
    return len(answer) + BESIDE


@dataclass(eq=False)
class CachedEmbedder(Cached):
    """Sentences to unit vectors."""

    stage, kind = "embedding", np.dtype("<f4")

    decimals: int = VECTOR_DECIMALS

    def embed(self, texts: Sequence[str]) -> Embeddings:
        table, failures = self._answer(texts)
        unseen = np.nan_to_num(table[:, -1].astype(np.float64))
        return Embeddings(table[:, :-1].copy(), unseen, failures)

    def _read(self, inputs: Sequence[str]) -> Iterable[tuple[int, Numbers | Failure]]:
        for index, answer in self.source.read(inputs):
            yield index, answer if isinstance(answer, Failure) else self._rounded(answer)

    def learn(self, texts: Sequence[tuple[str, TextVectors]]) -> None:
        """Keep vectors that came by the way, when a matcher read the texts with the same model."""
        self._keep({text: self._rounded(vectors) for text, vectors in texts})

    def _rounded(self, text: TextVectors) -> npt.NDArray[np.float32]:
        """A text's vector as it is kept, its unseen share last; minus zero is zero."""
        rounded = np.round(text.vector.astype(np.float64), self.decimals) + 0.0
        return np.append(rounded, text.unseen).astype(np.float32)


@dataclass(eq=False)
class CachedMatcher(Cached):
    """BERTScore of each (candidate, reference); never the token vectors."""

    stage, numbers = "matching", 4

    baseline: Baseline | None = None

    def __post_init__(self) -> None:
        # Rescaling is arithmetic on what is stored: both ways share their entries.
        super().__post_init__()
        self.id += "" if self.baseline is None else f"/rescaled={self.baseline}"

    def match(self, pairs: Sequence[TextPair]) -> Matches:
        table, failures = self._answer(pairs)
        scores, unseen = table[:, :3], np.nan_to_num(table[:, 3])
        if self.baseline is not None:
            scores = self.baseline.rescale(scores)
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
