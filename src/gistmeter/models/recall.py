"""A model's earlier answers: in memory for the length of a run, over the cache on disk.

Every wrapper asks here first: inputs are deduplicated, looked up in one go, and what is computed
is written back in parts, so that a run that is killed keeps what it had done. An entry that is not
of the form that was stored is as good as none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.cache import Cache, Key, keys, pack
from gistmeter.models.batching import Failure

Numbers = npt.NDArray[np.floating[Any]]
Progress = Callable[[str, int, int], None]
MEMO_BYTES = 32 << 20
PART = 512  # answers written to the cache at once


class Recall:
    """Arrays of one type (and one length, where `width` is given) by input."""

    def __init__(
        self, cache: Cache, model: str, kind: str, width: int = 0, memory: int = MEMO_BYTES
    ) -> None:
        self.cache, self.model, self.width = cache, model, width
        self.kind = np.dtype(kind).newbyteorder("<")
        self._memo: dict[Key, Numbers] = {}
        self._memory, self._held = memory, 0

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process: it begins without a memory."""
        return {**self.__dict__, "_memo": {}, "_held": 0}

    def keys(self, inputs: Iterable[Any]) -> list[Key]:
        return keys(self.model, inputs)

    def find(self, wanted: Sequence[Key]) -> dict[Key, Numbers]:
        """What is known of these."""
        found = {key: self._memo[key] for key in wanted if key in self._memo}
        stored = self.cache.get_many([key for key in wanted if key not in found])
        for key, raw in stored.items():
            array = self._unpack(raw)
            if array is not None:
                found[key] = array
                self._remember(key, array)
        return found

    def keep(self, answers: Mapping[Key, Numbers]) -> None:
        for key, array in answers.items():
            self._remember(key, array)
        self.cache.put_many({key: pack(array) for key, array in answers.items()})

    def _unpack(self, raw: bytes) -> Numbers | None:
        size = self.kind.itemsize
        if not raw or len(raw) % size or (self.width and len(raw) != self.width * size):
            return None
        return np.frombuffer(raw, dtype=self.kind)

    def _remember(self, key: Key, array: Numbers) -> None:
        if key not in self._memo:
            self._memo[key] = array
            self._held += array.nbytes
            while self._held > self._memory:
                self._held -= self._memo.pop(next(iter(self._memo))).nbytes


def recall_or_compute(
    recall: Recall,
    inputs: Sequence[Any],
    compute: Callable[[Sequence[Any]], Iterable[tuple[int, Numbers | Failure]]],
    *,
    stage: str = "",
    progress: Progress | None = None,
) -> tuple[list[Numbers | None], dict[int, str]]:
    """An array for each input in order, None where the model failed, and the reasons why.

    `compute` is given the distinct inputs that are not known and yields (index, answer) in any
    order.
    """
    wanted = recall.keys(inputs)
    answers = recall.find(wanted)
    missing = {key: entry for key, entry in zip(wanted, inputs, strict=True) if key not in answers}
    names, failed, fresh = list(missing), dict[Key, str](), dict[Key, Numbers]()
    entries = list(missing.values())
    for done, (index, answer) in enumerate(compute(entries) if entries else (), start=1):
        if isinstance(answer, Failure):
            failed[names[index]] = answer.reason
        else:
            fresh[names[index]] = answer
        if len(fresh) >= PART:
            recall.keep(fresh)
            answers |= fresh
            fresh = {}
        if progress is not None:
            progress(stage, done, len(names))
    recall.keep(fresh)
    answers |= fresh
    reasons = {at: failed[key] for at, key in enumerate(wanted) if key in failed}
    return [answers.get(key) for key in wanted], reasons
