"""An embedder that remembers: distinct texts, looked up in one go, the rest read once.

Vectors are stored as float32 rounded to six decimals. Texts are batched so that nothing of their
neighbours enters a vector where the back end allows it (it does not pad); rounding takes off the
last trace where it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from gistmeter.cache import Cache
from gistmeter.models.batching import Failure
from gistmeter.models.encoding import SharedEncoder, TextVectors
from gistmeter.models.protocols import Embeddings
from gistmeter.models.recall import Numbers, Progress, Recall, recall_or_compute

DECIMALS = 6


class CachedEmbedder:
    """Sentences to unit vectors, through the cache. The encoder is made at the first miss."""

    def __init__(
        self,
        name: str,
        encoder: Callable[[], SharedEncoder],
        cache: Cache,
        *,
        progress: Progress | None = None,
    ) -> None:
        self._id, self._encoder, self._progress = name, encoder, progress
        self.recall = Recall(cache, name, "f4")

    @property
    def id(self) -> str:
        return self._id

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """A unit vector for each text, in order."""
        answers, failures = recall_or_compute(
            self.recall, texts, self._compute, stage="embedding", progress=self._progress
        )
        # One column at least: a product of rows without any would be 0, not NaN.
        width = next((len(answer) for answer in answers if answer is not None), 1)
        vectors = np.full((len(texts), width), np.nan, dtype=np.float32)
        for at, answer in enumerate(answers):
            if answer is not None:
                vectors[at] = answer
        return Embeddings(vectors, np.zeros(len(texts)), failures)

    def _compute(self, texts: Sequence[str]) -> Iterator[tuple[int, Numbers | Failure]]:
        for index, answer in self._encoder().read(texts):
            yield index, answer if isinstance(answer, Failure) else stored_vector(answer)

    def learn(self, texts: Sequence[tuple[str, TextVectors]]) -> None:
        """Keep vectors that came by the way, when a matcher read the texts with the same model."""
        keys = self.recall.keys(text for text, _ in texts)
        self.recall.keep(
            {key: stored_vector(read) for key, (_, read) in zip(keys, texts, strict=True)}
        )


def stored_vector(text: TextVectors) -> npt.NDArray[np.float32]:
    """A text's vector as it is kept; minus zero is zero."""
    rounded = np.round(text.vector.astype(np.float64), DECIMALS) + 0.0
    return rounded.astype(np.float32)
