"""A BERTScore matcher that remembers P, R and F of a pair, and never the token vectors.

Pairs that are not known are sorted by reference, so that a reference is read once for all its
predictions, and worked off in blocks, so that memory stays bounded however many there are. When an
embedder of the same run has the same model, the sentence vectors that fall off are handed to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gistmeter.cache import Cache
from gistmeter.models.batching import Failure
from gistmeter.models.embedder import CachedEmbedder
from gistmeter.models.encoding import SharedEncoder, TextVectors
from gistmeter.models.matching import Baseline, TokenWeights, match
from gistmeter.models.protocols import Matches, TextPair
from gistmeter.models.recall import Numbers, Progress, Recall, recall_or_compute

DECIMALS = 7
BLOCK = 1024  # pairs whose token vectors are in memory at once


class CachedMatcher:
    """BERTScore through the cache. The encoder is made at the first miss."""

    def __init__(
        self,
        name: str,
        encoder: Callable[[], SharedEncoder],
        cache: Cache,
        *,
        embedder: CachedEmbedder | None = None,
        baseline: Baseline | None = None,
        weights: TokenWeights | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._encoder, self._cache, self._progress = encoder, cache, progress
        self._name, self._embedder = name, embedder
        self._baseline, self._weights = baseline, weights or TokenWeights()
        # Rescaling is arithmetic on what is stored: both ways share their entries.
        stored = f"{name}/idf={self._weights.id}" if self._weights.id else name
        self._id = f"{stored}/rescaled={baseline}" if baseline is not None else stored
        self.recall = Recall(cache, stored, "f8", 3)

    @property
    def id(self) -> str:
        return self._id

    def with_idf(self, references: Sequence[str]) -> CachedMatcher:
        """The same matcher with tokens weighed by their rarity in these references."""
        windows = self._encoder().backend.tokenize(references)
        return CachedMatcher(
            self._name,
            self._encoder,
            self._cache,
            embedder=self._embedder,
            baseline=self._baseline,
            weights=TokenWeights.of(windows),
            progress=self._progress,
        )

    def match(self, pairs: Sequence[TextPair]) -> Matches:
        """Precision, recall and F of each (candidate, reference), in order."""
        answers, failures = recall_or_compute(
            self.recall, pairs, self._compute, stage="matching", progress=self._progress
        )
        scores = np.full((len(pairs), 3), np.nan)
        for at, answer in enumerate(answers):
            if answer is not None:
                scores[at] = answer
        if self._baseline is not None:
            scores = self._baseline.rescale(scores)
        precision, recall, f1 = (scores[:, at].copy() for at in range(3))
        return Matches(precision, recall, f1, np.zeros(len(pairs)), failures)

    def _compute(self, pairs: Sequence[TextPair]) -> Iterator[tuple[int, Numbers | Failure]]:
        order = sorted(range(len(pairs)), key=lambda at: (pairs[at][1], at))
        for start in range(0, len(order), BLOCK):
            block = order[start : start + BLOCK]
            read = self._read(dict.fromkeys(text for at in block for text in pairs[at]))
            for at in block:
                candidate, reference = (read[text] for text in pairs[at])
                yield at, self._match(candidate, reference)

    def _match(
        self, candidate: TextVectors | Failure, reference: TextVectors | Failure
    ) -> Numbers | Failure:
        for text in (candidate, reference):
            if isinstance(text, Failure):
                return text
        assert isinstance(candidate, TextVectors) and isinstance(reference, TextVectors)
        scores = match(candidate, reference, self._weights)
        return Failure("no token to match") if scores is None else np.round(scores, DECIMALS)

    def _read(self, distinct: dict[str, None]) -> dict[str, TextVectors | Failure]:
        texts = list(distinct)
        read = {texts[index]: answer for index, answer in self._encoder().read(texts)}
        if self._embedder is not None:
            good = [(text, one) for text, one in read.items() if isinstance(one, TextVectors)]
            self._embedder.learn(good)
        return read
