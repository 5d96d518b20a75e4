"""Has the judge changed? A language model is asked again what it was asked in a run.

A run keeps the texts, the facts and the verdicts of every clip. Some of its clips, drawn by the
seed, are the anchors: the same questions are put to the model again, without the cache, and

- *flips* are facts that got another verdict than before. Whether they go one way is McNemar's exact
  test (1947) on facts that were found before and not now, and the reverse;
- the *shift* is the difference of the semantic error rate between now and then, with the interval
  and the paired permutation test of `compare`, over clips.

A judge that is the same as before flips now and then: the run's own repeats, where it has them,
show how often.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gistmeter.core.errors import InputError
from gistmeter.core.options import TestingSettings
from gistmeter.core.settings import Settings, option
from gistmeter.core.trust import permitted
from gistmeter.core.types import defined
from gistmeter.speech.metrics.fact_prompt import facts_from_json

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from gistmeter.core.rows import Rows
    from gistmeter.core.run import Run

ASKED = ("llm", "llm_url", "llm_key_env")  # whom to ask: the run's model, at the user's address
SCORE, METRIC = "ser", "facts"
KEPT = "both"  # the verdict of a fact that is in both texts
Key = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class DriftSettings(TestingSettings):
    """Which run, how many of its clips, and whom to ask. The seed draws the clips too."""

    title: ClassVar[str] = "drift"
    run: Path | None = option(
        None, "The folder of a finished run with a semantic error rate, or 'latest'.",
        panel="input", argument="only", metavar="RUN",
    )  # fmt: skip
    anchors: int = option(
        50, "How many clips, drawn by the seed, are asked about again; 0 for all.",
        panel="input", low=0,
    )  # fmt: skip
    llm: Any = option(
        "", "Another model than the run's.", panel="models", metavar="PROVIDER:MODEL", model=True
    )
    llm_url: str = option("", "Where the model is served.", panel="models", metavar="URL")
    llm_key_env: str = option(
        "", "The environment variable of the key for --llm-url.", panel="models", metavar="NAME"
    )


@dataclass(frozen=True, slots=True)
class Drift:
    """What has changed between a run and now."""

    model: str
    clips: int
    failed: int  # clips that have no rate now, or had none then
    facts: int  # that both answers name
    lost: int  # in both texts then, and not now
    gained: int  # the reverse
    flipped: int  # all other verdicts, these included
    flip_p: float  # McNemar's exact test of lost against gained
    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    confidence: float = 0.95
    own_flips: float = math.nan  # share of the run's own clips whose repeats flipped
    notes: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def real(self) -> bool:
        """Is there more than chance, in the rate or in the direction of flips?"""
        level = 1 - self.confidence
        return self.p < level or self.flip_p < level

    def to_dict(self) -> dict[str, Any]:
        return {"real": self.real} | {
            name: defined(value) if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }


def drift(run: Run | str | Path, **options: Any) -> Drift:
    """Ask a run's model again. `options` are those of `gistmeter drift`; `llm` may be an object."""
    from gistmeter.core.run import Run
    from gistmeter.core.runs.saved import load_run

    settings = DriftSettings.of(options)
    return ask_again(run if isinstance(run, Run) else load_run(run), settings)


def ask_again(
    run: Run, settings: DriftSettings, hear: Callable[[str, bool], None] | None = None
) -> Drift:
    """The run's anchors, then and now."""
    from gistmeter.core.family import Items
    from gistmeter.core.options import RunSettings
    from gistmeter.core.score import score
    from gistmeter.speech.family import Speech

    if METRIC not in run.metrics:
        raise InputError(
            f"{run.path or 'The run'}: has no semantic error rate (ser), so no judge was asked"
        )
    places = anchors_of(run.measured, settings)
    old = replace(run, rows=run.measured.take(places))
    new = score(
        Speech(), _settings(run, settings), items=Items(_clips(old.measured)),
        how=RunSettings(resamples=0, seed=run.seed, no_cache=True), hear=hear,
    )  # fmt: skip
    return _compared(old, new, settings)


def anchors_of(rows: Rows, settings: DriftSettings) -> npt.NDArray[np.int64]:
    """The places of clips that were judged, drawn by the seed, in their order."""
    import numpy as np

    if "expected" not in rows.texts or "facts" not in rows.texts:
        raise InputError("the run does not keep its texts, so nothing can be asked again")
    if len(np.unique(rows.item)) < len(rows):
        raise InputError("the run is of segments of one text: its clips cannot be asked apart")
    judged = np.flatnonzero([bool(cell) for cell in rows.texts["facts"]])
    if not len(judged):
        raise InputError("the run has no clip that the judge answered about")
    if not settings.anchors or settings.anchors >= len(judged):
        return judged
    drawn = np.random.default_rng(settings.seed).choice(judged, settings.anchors, replace=False)
    return np.sort(drawn)


def _settings(run: Run, settings: DriftSettings) -> Settings:
    """The run's own settings, as far as they decide what is asked and how answers are read."""
    from gistmeter.speech.consent import DEFAULT_MODEL
    from gistmeter.speech.family import SpeechSettings

    names = ("recognizers", "assets", "language", "metrics", "segments", *ASKED)
    kept = permitted(run.settings, run.document, SpeechSettings, names)
    asked = settings.llm or run.settings.get("llm") or DEFAULT_MODEL
    return SpeechSettings.of(
        {**kept, "metrics": [SCORE], "llm": asked, "llm_url": settings.llm_url,
         "llm_key_env": settings.llm_key_env, "diffs": False}
    )  # fmt: skip


def _clips(rows: Rows) -> list[Any]:
    from gistmeter.core.types import Clip

    languages = rows.texts.get("language") or [""] * len(rows)
    return [
        Clip(
            rows.keys["id"][at], rows.texts["expected"][at] or "", rows.texts["got"][at],
            rows.keys["system"][at], language=languages[at] or "", group=rows.keys["group"][at],
            speaker=rows.keys["cluster"][at],
        )
        for at in range(len(rows))
    ]  # fmt: skip


def _compared(old: Run, new: Run, settings: DriftSettings) -> Drift:
    then, now = verdicts_of(old.measured), verdicts_of(new.measured)
    shared = [key for key in then if key in now]
    moves = Counter((then[key] == KEPT, now[key] == KEPT) for key in shared)
    flipped = [key for key in shared if then[key] != now[key]]
    lost, gained = moves[True, False], moves[False, True]
    pair, notes = _shift(old, new, settings)
    flips = old.measured.numbers.get("verdict_flips")
    repeated = int(old.settings.get("repeats") or 1) > 1
    metric: Any = new.metrics[METRIC]
    return Drift(
        model=str(getattr(metric, "first", metric).llm.id),
        clips=len(old.measured),
        failed=len(old.measured) - pair.n,
        facts=len(shared), lost=lost, gained=gained, flipped=len(flipped),
        flip_p=mcnemar(lost, gained),
        before=_rate(old), after=_rate(new),
        difference=pair.difference, low=pair.low, high=pair.high, p=pair.p_value,
        confidence=settings.confidence,
        own_flips=float((flips > 0).mean()) if flips is not None and repeated else math.nan,
        notes=notes,
        examples=tuple(
            f"{key[1]}: {' '.join(key[2:])}: {then[key]} → {now[key]}" for key in flipped[:5]
        ),
    )  # fmt: skip


def _rate(run: Run) -> float:
    return float(run.metrics[METRIC].pool(run.measured)[SCORE])


def _shift(old: Run, new: Run, settings: DriftSettings) -> tuple[Any, tuple[str, ...]]:
    """All clips as one system, then and now."""
    from gistmeter.core import comparison
    from gistmeter.core.comparison import Contender

    sides = [
        Contender(name, next(iter(run.systems)), run, _together(run.measured))
        for name, run in (("now", new), ("then", old))
    ]
    options = comparison.Options(
        resamples=settings.resamples, confidence=settings.confidence, seed=settings.seed,
        baseline="then", correction="none",
    )  # fmt: skip
    (shift,) = comparison.compare(sides, [SCORE], options, force=True)
    return shift.pairs[0], tuple(f"measured differently: {part}" for part in shift.forced)


def _together(rows: Rows) -> Rows:
    """Clips of several systems under ids that tell them apart."""
    names = [
        f"{system}\0{name}"
        for system, name in zip(rows.keys["system"], rows.keys["id"], strict=True)
    ]
    keys: Mapping[str, Any] = {**rows.keys, "id": names, "system": [""] * len(names)}
    return replace(rows, keys=keys)


def verdicts_of(rows: Rows) -> dict[Key, str]:
    """System, clip and fact -> its verdict."""
    verdicts: dict[Key, str] = {}
    for at, cell in enumerate(rows.texts["facts"]):
        for fact in facts_from_json(cell) or ():
            words = (part.casefold() for part in (fact.subject, fact.predicate, fact.object))
            verdicts[rows.keys["system"][at], rows.keys["id"][at], *words] = fact.verdict
    return verdicts


def mcnemar(lost: int, gained: int) -> float:
    """The exact two-sided p of an uneven split of what changed; 1 where nothing did.

    >>> round(mcnemar(1, 9), 4)
    0.0215
    """
    changed = lost + gained
    tail: float = sum(math.comb(changed, at) for at in range(min(lost, gained) + 1)) / 2**changed
    return min(1.0, 2 * tail)
