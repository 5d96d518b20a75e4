"""`gist`: the share of the meaning that survived, as careful readers would rate it.

1 is all of it, 0 none of it or the contrary. It is made from what is known of a pair
(`pair_evidence.py`: the judge, cosine, BERTScore, letters, the guard's alarms) by a small model
(`fitted_model.py`) that is fitted on texts that people rated and on texts that were written to be
the same or not (`training/gist.py`); texts, transcripts, and candidates beside a much longer
source have models of their own. A source that is too long to be read at once is read sentence by
sentence of the candidate (`long_source.py`). With several references the best counts.

Beside the number stands why: the alarms, and which direction fails: a candidate that its reference
entails and that does not entail it *leaves out*; the other way round it *says more*. Where the
number is low, also the words of each text that the other has not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from gistmeter.core.family import EMBEDDED
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import ScoreInfo
from gistmeter.core.wiring import Wiring, given, setting, shape_of
from gistmeter.languages import guard
from gistmeter.languages.guard.remembered import guards_of
from gistmeter.metrics.gist.fitted_model import Floats, GistModel, fitted, model_of
from gistmeter.metrics.gist.long_source import SourceReading, pooled, readings
from gistmeter.metrics.gist.pair_evidence import Evidence, GistBaselines, gather
from gistmeter.metrics.missing import NO_PREDICTION, NO_REFERENCE, Missing, counted
from gistmeter.models.protocols import Embedder, JudgeModel, TokenMatcher

if TYPE_CHECKING:
    from gistmeter.models.loading import Models

Shape = Literal["text", "speech"]
EMBEDDED_ROLES = ("embedder", "matcher")
LONGEST = 400_000  # letters of all transcripts that the judge reads without being asked
HALF = 0.5
MOST = 12  # words that are named
ENCODE = json.JSONEncoder(ensure_ascii=False).encode
NOTHING_HEARD = ENCODE({"verdict": "says nothing"})


def weights_of(shape: str) -> dict[str, float]:
    """Feature -> weight of a logistic model (books), and the intercept under its own name."""
    model = fitted()[shape]
    return {"intercept": model["intercept"], **model["weights"]}


def probability(table: Floats, weights: Mapping[str, float], names: Sequence[str]) -> Floats:
    """A logistic model's answer for rows of features."""
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
    """Whether the judge reads the texts in good time: not many hours of transcripts."""
    letters = sum(len(getattr(item, "expected", "")) for item in wiring.items)
    if letters <= LONGEST:
        return True
    wiring.context.say(
        f"gist is left out: {letters:,} letters take the judge long. Ask for it with --metrics gist"
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


def source_model(wiring: Wiring) -> GistModel | None:
    """The model for candidates beside a much longer source; transcripts have none."""
    return model_of("source") if wiring.family.name == "text" else None


@dataclass(frozen=True, slots=True)
class PairGist:
    """Range [0, 1], higher is better; a missing text is unscored, an empty transcript is 0."""

    judge: JudgeModel = given(judge_of, shared=True, required=True)
    embedder: Embedder = given(embedder_of)
    matcher: TokenMatcher = given(matcher_of)
    shape: Shape = given(shape_of, "text")
    model: GistModel = given(
        lambda wiring: model_of(wiring.family.name), factory=lambda: model_of("text")
    )
    beside_source: GistModel | None = given(source_model, factory=lambda: model_of("source"))
    baselines: Mapping[str, GistBaselines] = given(baselines_of, factory=dict)  # by language
    guards: Mapping[str, guard.Guard] = given(guards_of, factory=dict, shared=True)
    missing: Missing = setting("unscored", "missing_prediction")

    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("gist"),)

    def measure(self, items: Sequence[Any]) -> Rows:
        texts = [_texts(item) for item in items]
        owner = [at for at, (_, references) in enumerate(texts) for _ in references]
        pairs = [(reference, said or "") for said, references in texts for reference in references]
        asked = [at for at, place in enumerate(owner) if (texts[place][0] or "").strip()]
        compared = [pairs[at] for at in asked]
        codes = [items[owner[at]].language for at in asked]
        read = (
            [SourceReading(at, *pair) for at, pair in enumerate(compared)]
            if self.beside_source is None
            else readings(compared, codes, self.embedder, self.baselines)
        )
        evidence = gather(
            [(one.passage, one.said) for one in read],
            [codes[one.pair] for one in read],
            judge=self.judge, embedder=self.embedder, matcher=self.matcher,
            baselines=self.baselines, guards=self.guards,
        )  # fmt: skip
        parts = np.array([one.part for one in read], dtype=bool)
        evidence = replace(evidence, sources=evidence.sources | parts)
        return self._rows(items, texts, evidence, [owner[at] for at in asked], read)

    def _rows(
        self, items: Sequence[Any], texts: Sequence[Any], evidence: Evidence, owner: Sequence[int],
        read: Sequence[SourceReading],
    ) -> Rows:  # fmt: skip
        chances, telling = pooled(self._answer(evidence), read)
        best: dict[int, int] = {}
        for at, place in enumerate(owner):
            if math.isfinite(chances[at]) and (
                place not in best or chances[at] > chances[best[place]]
            ):
                best[place] = at
        low = [at for at in best.values() if chances[at] < HALF]
        told = {at: read[telling[at]] for at in low}
        words = self._words(
            {at: (one.passage, one.said) for at, one in told.items()},
            [items[owner[at]] for at in low],
        )
        column = [math.nan] * len(items)
        explained: list[str | None] = [None] * len(items)
        reasons: dict[int, str] = {}
        for place, (said, references) in enumerate(texts):
            if place in best:
                at = best[place]
                column[place] = chances[at]
                one, code = read[telling[at]], items[place].language
                why = explain(evidence, telling[at], chances[at], code) | words.get(at, {})
                explained[place] = ENCODE(why | ({"sentence": one.said} if one.part else {}))
            elif self.shape == "speech" and said is not None and references and not said.strip():
                column[place] = 0.0  # heard nothing of what was said: all is lost
                explained[place] = NOTHING_HEARD
            else:
                failed = [evidence.failures[at] for at, one in enumerate(read)
                          if owner[one.pair] == place and at in evidence.failures]  # fmt: skip
                missing = (
                    NO_PREDICTION
                    if not (said or "").strip()
                    else NO_REFERENCE
                    if not references
                    else ""
                )
                reasons[place] = missing or (failed or ["the models gave no number"])[0]
        rows = Rows.of(items).with_numbers({"gist": column}).with_texts({"evidence": explained})
        return counted(rows.with_reasons("gist", reasons), ["gist"], self.missing)

    def _answer(self, evidence: Evidence) -> Floats:
        """gist of each pair, 1 of equal texts; beside a source by the source's model."""
        values = np.where(evidence.equal, 1.0, self.model.answer(evidence.measured))
        if self.beside_source is None:
            return values
        return np.where(evidence.sources, self.beside_source.answer(evidence.measured), values)

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


def explain(evidence: Evidence, at: int, gist: float, code: str) -> dict[str, Any]:
    """Why a pair has its number, in the words that a report shows."""
    said = evidence.verdicts
    kept, whole = float(said.entailment[at]), float(said.entails[at])
    against = float(max(said.contradiction[at], said.opposes[at]))
    beside_source = bool(evidence.sources[at])
    return {
        "verdict": verdict(gist, kept, 1.0 if beside_source else whole, against, cuts_of(code)),
        "follows": round(kept, 3),
        "says_all": round(whole, 3),
        "contradicts": round(against, 3),
        "changed": round(float(said.changed[at]), 3),
        "alarms": [_plain(alarm) for alarm in evidence.alarms[at]],
        **({"source": True} if beside_source else {}),
    }


def cuts_of(code: str) -> Mapping[str, float]:
    """From which gist on a text says the same, below which it may contradict, in a language."""
    labels: Mapping[str, Mapping[str, float]] = fitted()["labels"]
    return labels.get(code) or labels[""]


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


def verdict(
    gist: float, kept: float, whole: float, against: float, cuts: Mapping[str, float]
) -> str:
    """What a pair is called: never what its gist denies. The cuts are fitted by language."""
    one_way = abs(kept - whole) > HALF and gist < (1 + cuts["same"]) / 2
    both = gist >= cuts["opposite"] and min(kept, whole) >= HALF
    if both or (gist >= cuts["same"] and not one_way):
        return "says the same"
    if gist < cuts["opposite"] and against > max(HALF, kept, whole):
        return "contradicts"
    if kept >= HALF > whole:
        return "leaves out"
    return "says more" if whole >= HALF > kept else "says something else"


def _plain(alarm: guard.Alarm) -> dict[str, str]:
    return {
        "kind": alarm.kind,
        "reference": alarm.reference_words,
        "candidate": alarm.candidate_words,
    }
