"""`gist`: the probability that a person would say the meaning survived.

    gist = 1 / (1 + exp(−(b + Σ wᵢ·xᵢ)))

over the features xᵢ (`pair_evidence.py`): what the judge says both ways, cosine, BERTScore,
letters, and the guard's alarms. The weights are few and can be read (`data/gist.json`); they are
fitted by `training/gist.py` on pairs that people judged, and differ for texts and for transcripts,
whose errors are other ones. With several references the best counts.

Beside the number stands why: the alarms, and which direction fails: a candidate that its reference
entails and that does not entail it *leaves out*; the other way round it *says more*. Where the
number is low, also the words of each text that the other has not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from gistmeter.core.family import EMBEDDED
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import ScoreInfo
from gistmeter.core.wiring import Wiring, given, shape_of
from gistmeter.languages import guard
from gistmeter.languages.guard.remembered import guards_of
from gistmeter.metrics.gist.pair_evidence import FEATURES, Evidence, Floats, GistBaselines, gather
from gistmeter.models.protocols import Embedder, JudgeModel, TokenMatcher

if TYPE_CHECKING:
    from gistmeter.models.loading import Models

Shape = Literal["text", "speech"]
EMBEDDED_ROLES = ("embedder", "matcher")
LONGEST = 2000  # letters of a transcript that the judge reads without being asked
HALF = 0.5
MOST = 12  # words that are named
ENCODE = json.JSONEncoder(ensure_ascii=False).encode
NO_CANDIDATE, NO_REFERENCE = "no prediction", "no reference"


@lru_cache(maxsize=1)
def fitted() -> Mapping[str, Any]:
    """The weights by shape, as they were fitted."""
    file = resources.files("gistmeter.metrics.gist").joinpath("data", "gist.json")
    found: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def weights_of(shape: str) -> dict[str, float]:
    """Feature -> weight, and the intercept under its own name."""
    model = fitted()[shape]
    return {"intercept": model["intercept"], **model["weights"]}


def probability(
    table: Floats, weights: Mapping[str, float], names: Sequence[str] = FEATURES
) -> Floats:
    """The fitted model's answer for rows of features."""
    column = np.asarray([weights.get(name, 0.0) for name in names])
    # Row by row: a product of matrices rounds by how many rows there are.
    return np.asarray(1 / (1 + np.exp(-(weights["intercept"] + (table * column).sum(axis=1)))))


def by_default(wiring: Wiring) -> bool:
    """Whether a run has `gist` without being asked: offline, with the judge, its weights here."""
    from gistmeter.models.e5 import weights_path

    settings = wiring.settings
    return settings.profile == EMBEDDED and not settings.no_judge and weights_path() is not None


def judge_of(wiring: Wiring) -> JudgeModel | None:
    """The judge; none where a run does not ask for it."""
    from gistmeter.models.loading import load_judge

    if not wiring.by_name and not (by_default(wiring) and _short_enough(wiring)):
        return None
    for model in (wiring.model("nli"), wiring.model("cross_encoder")):
        if isinstance(model, JudgeModel):  # other scores ask it, too
            return model
    return load_judge(wiring.context.cache, progress=wiring.context.progress)


def _short_enough(wiring: Wiring) -> bool:
    """Whether the judge reads the texts in good time: not transcripts of many minutes."""
    lengths = (len(getattr(item, "expected", "")) for item in wiring.items)
    if max(lengths, default=0) <= LONGEST:
        return True
    wiring.context.say(
        "gist is left out: some texts are too long to be judged quickly. Ask for it with --metrics"
    )
    return False


def embedder_of(wiring: Wiring) -> Embedder | None:
    """The embedded embedder."""
    models: Models = wiring.once(embedded_models)
    return models.embedder


def matcher_of(wiring: Wiring) -> TokenMatcher | None:
    """The embedded model's tokens."""
    models: Models = wiring.once(embedded_models)
    return models.matcher


def baselines_of(wiring: Wiring) -> dict[str, GistBaselines]:
    """What unrelated texts score by these models, by language."""
    models = wiring.once(embedded_models)
    return {
        code: GistBaselines(
            wiring.baseline("sts", models.embedder, code) or 0.0,
            wiring.baseline("bertscore", models.matcher, code) or 0.0,
        )
        for code in wiring.languages
    }


def embedded_models(wiring: Wiring) -> Models:
    """The run's own models where they are the embedded ones as measured, else those apart."""
    from gistmeter.models.loading import Loader, Models, require

    if not (wiring.by_name or by_default(wiring)):
        return Models()
    of_run = next(iter(wiring.models.values()), Models())
    named = (("sts", of_run.embedder), ("bertscore", of_run.matcher))
    if all(wiring.baseline(name, model, "") is not None for name, model in named):
        return of_run
    loader = Loader(wiring.context.cache, progress=wiring.context.progress)
    models = loader.load(EMBEDDED_ROLES, EMBEDDED, {}, "")
    for role in EMBEDDED_ROLES:
        require(models, role)
    return models


@dataclass(frozen=True, slots=True)
class Gist:
    """Range [0, 1], higher is better; a missing text is unscored."""

    judge: JudgeModel = given(judge_of, shared=True, required=True)
    embedder: Embedder = given(embedder_of)
    matcher: TokenMatcher = given(matcher_of)
    shape: Shape = given(shape_of, "text")
    weights: Mapping[str, float] = given(
        lambda wiring: weights_of(wiring.family.name), factory=lambda: weights_of("text")
    )
    baselines: Mapping[str, GistBaselines] = given(baselines_of, factory=dict)  # by language
    guards: Mapping[str, guard.Guard] = given(guards_of, factory=dict, shared=True)

    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("gist"),)

    def measure(self, items: Sequence[Any]) -> Rows:
        texts = [_texts(item) for item in items]
        owner = [at for at, (_, references) in enumerate(texts) for _ in references]
        pairs = [(reference, said or "") for said, references in texts for reference in references]
        asked = [at for at, place in enumerate(owner) if texts[place][0]]
        compared = [pairs[at] for at in asked]
        evidence = gather(
            compared,
            [items[owner[at]].language for at in asked],
            judge=self.judge, embedder=self.embedder, matcher=self.matcher,
            baselines=self.baselines, guards=self.guards,
        )  # fmt: skip
        return self._rows(items, texts, evidence, [owner[at] for at in asked], compared)

    def _rows(
        self, items: Sequence[Any], texts: Sequence[Any], evidence: Evidence, owner: Sequence[int],
        compared: Sequence[tuple[str, str]],
    ) -> Rows:  # fmt: skip
        chances = probability(evidence.table, self.weights).tolist()
        best: dict[int, int] = {}
        for at, place in enumerate(owner):
            if math.isfinite(chances[at]) and (
                place not in best or chances[at] > chances[best[place]]
            ):
                best[place] = at
        low = [at for at in best.values() if chances[at] < HALF]
        words = self._words({at: compared[at] for at in low}, [items[owner[at]] for at in low])
        column = [math.nan] * len(items)
        explained: list[str | None] = [None] * len(items)
        reasons: dict[int, str] = {}
        for place, (said, references) in enumerate(texts):
            if place in best:
                at = best[place]
                column[place] = chances[at]
                explained[place] = ENCODE(explain(evidence, at) | words.get(at, {}))
            else:
                failed = [evidence.failures[at] for at, item in enumerate(owner)
                          if item == place and at in evidence.failures]  # fmt: skip
                missing = NO_CANDIDATE if not said else NO_REFERENCE if not references else ""
                reasons[place] = missing or (failed or ["the models gave no number"])[0]
        rows = Rows.of(items).with_numbers({"gist": column}).with_texts({"evidence": explained})
        return rows.with_reasons("gist", reasons)

    def _words(
        self, pairs: Mapping[int, tuple[str, str]], items: Sequence[Any]
    ) -> dict[int, dict[str, list[str]]]:
        """What is unmatched in each pair, asked by language."""
        asked: dict[str, list[int]] = {}
        for at, item in zip(pairs, items, strict=True):
            asked.setdefault(item.language, []).append(at)
        found: dict[int, dict[str, list[str]]] = {}
        for code, places in asked.items():
            reader = self.guards.get(code) or guard.Guard(code)
            words = unmatched([pairs[at] for at in places], reader)
            found.update(zip(places, words, strict=True))
        return found

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {"gist": rows.mean("gist")}


def _texts(item: Any) -> tuple[str | None, Sequence[str]]:
    """The candidate and its references, of a pair of texts or of a clip."""
    if hasattr(item, "references"):
        return item.candidate, item.references
    return item.got, (item.expected,) if item.expected.strip() else ()


def explain(evidence: Evidence, at: int) -> dict[str, Any]:
    """Why a pair has its number, in the words that a report shows."""
    kept = float(evidence.forward.entailment[at])
    whole = float(evidence.backward.entailment[at])
    against = float(max(evidence.forward.contradiction[at], evidence.backward.contradiction[at]))
    return {
        "verdict": verdict(kept, whole, against),
        "follows": round(kept, 3),
        "says_all": round(whole, 3),
        "contradicts": round(against, 3),
        "changed": round(
            float(evidence.forward.changed[at] + evidence.backward.changed[at]) / 2, 3
        ),
        "alarms": [_plain(alarm) for alarm in evidence.alarms[at]],
    }


def unmatched(pairs: Sequence[tuple[str, str]], reader: guard.Guard) -> list[dict[str, list[str]]]:
    """The content words of each text of (reference, candidate) that the other has not."""
    words = iter(reader.content_words([text for pair in pairs for text in pair]))
    return [
        {"unmatched": _lacking(expected, said), "added": _lacking(said, expected)}
        for expected, said in zip(words, words, strict=True)
    ]


def _lacking(words: Sequence[str], other: Sequence[str]) -> list[str]:
    there = set(other)
    return [word for word in dict.fromkeys(words) if word not in there][:MOST]


def verdict(kept: float, whole: float, against: float) -> str:
    """Which direction fails."""
    if against > max(HALF, kept, whole):
        return "contradicts"
    if kept >= HALF and whole >= HALF:
        return "says the same"
    if kept >= HALF:
        return "leaves out"
    return "says more" if whole >= HALF else "says something else"


def _plain(alarm: guard.Alarm) -> dict[str, str]:
    return {
        "kind": alarm.kind,
        "reference": alarm.reference_words,
        "candidate": alarm.candidate_words,
    }
