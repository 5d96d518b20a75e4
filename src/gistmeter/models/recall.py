"""A model's earlier answers: in memory for the length of a run, over the cache on disk.

Every wrapper asks here first: inputs are deduplicated, looked up in one go, and what is computed
is written back in parts, so that a run that is killed keeps what it had done. An answer is held as
the bytes of its numbers, so that many become a table at once. An entry that is not of the form
that was stored is as good as none.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.cache import Cache, Key, keys
from gistmeter.models.batching import Failure

Numbers = npt.NDArray[np.floating[Any]]
Progress = Callable[[str, int, int], None]
MEMO_BYTES = 32 << 20
BESIDE = 256  # bytes that an answer takes in memory beside its numbers, roughly
PART = 512  # answers written to the cache at once


class Recall:
    """Rows of numbers of one type (and one length, where `width` is given) by input."""

    def __init__(
        self, cache: Cache, model: str, kind: str, width: int = 0, memory: int = MEMO_BYTES
    ) -> None:
        self.cache, self.model, self.width = cache, model, width
        self.kind = np.dtype(kind).newbyteorder("<")
        self._memo: dict[Hashable, bytes] = {}
        self._memory, self._held = memory, 0

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process: it begins without a memory."""
        return {**self.__dict__, "_memo": {}, "_held": 0}

    def keys(self, inputs: Iterable[Any]) -> list[Key]:
        return keys(self.model, inputs)

    def find(self, inputs: Iterable[Any]) -> dict[Any, bytes]:
        """What is known of these."""
        wanted = dict.fromkeys(inputs)
        found = {one: self._memo[one] for one in wanted if one in self._memo}
        missing = [one for one in wanted if one not in found]
        places = self.keys(missing)
        stored = self.cache.get_many(places)
        read = ((one, stored.get(key, b"")) for one, key in zip(missing, places, strict=True))
        fresh = {one: raw for one, raw in read if self._is_whole(raw)}
        self._remember(fresh)
        return found | fresh

    def keep(self, answers: Mapping[Any, Numbers]) -> dict[Any, bytes]:
        """Remember answers; gives them as they are kept."""
        kept = {one: array.astype(self.kind).tobytes() for one, array in answers.items()}
        self._remember(kept)
        self.cache.put_many(dict(zip(self.keys(kept), kept.values(), strict=True)))
        return kept

    def _is_whole(self, raw: bytes) -> bool:
        size = self.kind.itemsize
        return len(raw) == self.width * size if self.width else bool(raw) and not len(raw) % size

    def _remember(self, answers: Mapping[Any, bytes]) -> None:
        if self._held > self._memory:
            self._memo, self._held = {}, 0
        self._memo.update(answers)
        self._held += sum(map(len, answers.values())) + BESIDE * len(answers)


def recall_or_compute(
    recall: Recall,
    inputs: Sequence[Any],
    compute: Callable[[Sequence[Any]], Iterable[tuple[int, Numbers | Failure]]],
    *,
    stage: str = "",
    progress: Progress | None = None,
) -> tuple[list[bytes | None], dict[int, str]]:
    """An answer for each input in order, None where the model failed, and the reasons why.

    `compute` is given the distinct inputs that are not known and yields (index, answer) in any
    order.
    """
    answers = recall.find(inputs)
    missing = [one for one in dict.fromkeys(inputs) if one not in answers]
    failed, fresh = dict[Any, str](), dict[Any, Numbers]()
    for done, (index, answer) in enumerate(compute(missing) if missing else (), start=1):
        if isinstance(answer, Failure):
            failed[missing[index]] = answer.reason
        else:
            fresh[missing[index]] = answer
        if len(fresh) >= PART:
            answers |= recall.keep(fresh)
            fresh = {}
        if progress is not None:
            progress(stage, done, len(missing))
    answers |= recall.keep(fresh)
    reasons = {at: failed[one] for at, one in enumerate(inputs) if one in failed}
    return [answers.get(one) for one in inputs], reasons
