"""S_Acc, semantic accuracy: does the prediction mean what its references mean?

Three layers, weighed:

    S_Acc = w_ce·S_ce + w_rep·mean(S_bert, S_sts, S_cos) + w_f·F_β        (0.5, 0.3, 0.2)

S_ce reads both texts together (cross-encoder), S_bert matches their tokens (BERTScore F1, Zhang et
al. 2020), S_sts is the cosine of their sentence embeddings, S_cos and F_β compare content words,
F_β being reduced where prediction and reference differ in polarity. Each component is compared
with every reference and aggregated by maximum or mean before it is weighed.

Models whose unrelated texts score far above 0 are rescaled by that baseline b, x → (x − b)/(1 − b),
cut at 0: the embedded model's are, the papers' are not (there the seeds' plain numbers stand).

A component whose model is absent is not counted as 0: the mean skips it, a missing cross-encoder's
weight goes to the representation, which judges meaning as it does, weights are divided by the sum
of those present, and the score is marked partial. Rows also hold S_Acc under both aggregations
(`s_acc_max`, `s_acc_mean`), which consistency is made of.

A score that is asked for alone costs what it needs: `components_of` says what that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from gistmeter.core.errors import InputError
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Pair, ScoreInfo
from gistmeter.core.wiring import Wiring, asked_for, given, readers_of, role, setting
from gistmeter.metrics.cosine import cosines
from gistmeter.metrics.missing import Missing, counted
from gistmeter.models.protocols import CrossEncoder, Embedder, TokenMatcher
from gistmeter.text.metrics.comparisons import (
    AGGREGATES,
    Aggregate,
    Comparisons,
    Floats,
    TextReader,
    assign_readers,
    mean_of_defined,
    require_known,
    shown_texts,
)
from gistmeter.text.metrics.lexical import compare_counts, content_counts, marks, negations_of
from gistmeter.text.metrics.polarity_conflict import PolarityRule, polarity_rule

Order = Literal["reference-first", "prediction-first"]
ORDERS: tuple[Order, ...] = ("reference-first", "prediction-first")
REPRESENTATION = ("bertscore", "sts", "lexical_cosine")
LEXICAL = ("lexical_cosine", "f_beta", "polarity_conflict")
MADE_OF = {
    "s_acc": ("cross_encoder", "representation", "f_beta"),
    "representation": REPRESENTATION,
    "f_beta": ("polarity_conflict",),
}


@dataclass(frozen=True, slots=True)
class Weights:
    """What each layer counts; divided by their sum, so they need not add up to 1."""

    cross_encoder: float = 0.5
    representation: float = 0.3
    f_beta: float = 0.2

    def __post_init__(self) -> None:
        parts = (self.cross_encoder, self.representation, self.f_beta)
        if not all(np.isfinite(part) and part >= 0 for part in parts) or not sum(parts) > 0:
            raise InputError(f"Weights {parts} cannot be used: none below 0, at least one above")


@dataclass(frozen=True, slots=True)
class UnrelatedScores:
    """What unrelated texts score, by language; a component without one is taken as it is."""

    sts: Mapping[str, float] = field(default_factory=dict)
    bertscore: Mapping[str, float] = field(default_factory=dict)

    def rescale(self, name: str, values: Floats, languages: Sequence[str]) -> Floats:
        known: Mapping[str, float] = getattr(self, name)
        if not known:
            return values
        base = np.asarray([known.get(code, 0.0) for code in languages])
        rescaled: Floats = np.clip((values - base) / (1.0 - base), 0.0, 1.0)
        return rescaled


def baselines_of(wiring: Wiring) -> UnrelatedScores:
    """The baselines of the run's models, unless scores are taken as they are."""
    if wiring.settings.rescaling != "baseline":
        return UnrelatedScores()

    def known(name: str, model: Any) -> dict[str, float]:
        bases = {code: wiring.baseline(name, model, code) for code in wiring.languages}
        return {code: base for code, base in bases.items() if base is not None}

    return UnrelatedScores(
        known("sts", wiring.model("embedder")), known("bertscore", wiring.model("matcher"))
    )


@dataclass(frozen=True, slots=True)
class SemanticAccuracy:
    """S_Acc and its components.

    Range [0, 1] (STS may go below 0), higher is better. Identical texts score 1 in every component
    but the cross-encoder, whose own opinion stands. A missing prediction or reference is unscored.
    """

    languages: Mapping[str, TextReader] = given(readers_of)  # an item without one takes the first
    embedder: Embedder | None = role("embedder", score="sts")
    matcher: TokenMatcher | None = role("matcher", score="bertscore")
    cross_encoder: CrossEncoder | None = role("cross_encoder", score="cross_encoder")
    aggregate: Aggregate = setting("max")
    weights: Weights = setting(Weights(), via=lambda parts: Weights(*parts))
    beta: float = setting(2.0, "beta_f")
    bertscore: bool = setting(True, "use_bertscore")
    order: Order = setting("reference-first", "cross_encoder_order")  # of the pair
    polarity: PolarityRule = given(polarity_rule, PolarityRule())
    missing: Missing = setting("unscored", "missing_prediction")
    sigmoids: int = setting(1)  # over the cross-encoder's logit; OrderProbe's can have two
    baselines: UnrelatedScores = given(baselines_of, UnrelatedScores())
    only: tuple[str, ...] = given(asked_for, ())  # the scores to give; none: all

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("s_acc", title="S_Acc"),
        ScoreInfo("cross_encoder"),
        ScoreInfo("bertscore"),
        ScoreInfo("sts", lowest=-1.0),
        ScoreInfo("lexical_cosine"),
        ScoreInfo("representation"),
        ScoreInfo("f_beta"),
        ScoreInfo("polarity_conflict", higher_is_better=False),
    )

    @staticmethod
    def roles(wiring: Wiring) -> set[str]:
        """The models that the wanted scores ask."""
        settings, needed = wiring.settings, components_of(wiring.asked or ["s_acc"])
        weighed = settings.weights[0] > 0 or "cross_encoder" in wiring.asked
        used = {
            "embedder": "sts" in needed,
            "matcher": "bertscore" in needed and settings.use_bertscore,
            "cross_encoder": "cross_encoder" in needed and weighed,
        }
        return {role for role, needed in used.items() if needed}

    def __post_init__(self) -> None:
        require_known("Aggregation", self.aggregate, AGGREGATES)
        require_known("Order", self.order, ORDERS)
        if not self.beta > 0:
            raise InputError(f"Beta must be above 0, not {self.beta}")
        if not self.languages:
            raise InputError("S_Acc needs a language")

    @property
    def partial(self) -> dict[str, tuple[str, ...]]:
        """What is missing from a score because its model is."""
        ensemble = []
        if self.matcher is None and self.bertscore:
            ensemble.append("bertscore")
        if self.embedder is None:
            ensemble.append("sts")
        absent = list(ensemble) if self.weights.representation else []
        if self.cross_encoder is None and self.weights.cross_encoder:
            absent.insert(0, "cross_encoder")
        named = {"s_acc": tuple(absent), "representation": tuple(ensemble)}
        return {name: missing for name, missing in named.items() if missing and self._gives(name)}

    @property
    def present(self) -> tuple[str, ...]:
        """The scores that can be given with the models at hand."""
        absent = {
            "cross_encoder": self.cross_encoder is None,
            "bertscore": self.matcher is None or not self.bertscore,
            "sts": self.embedder is None,
        }
        names = (info.name for info in self.scores if not absent.get(info.name))
        return tuple(name for name in names if self._gives(name))

    def _gives(self, name: str) -> bool:
        return not self.only or name in self.only

    def measure(self, pairs: Sequence[Pair]) -> Rows:
        comparisons = Comparisons.of(pairs)
        needed = components_of(self.present)
        judged = _Judged(comparisons, {}, np.zeros(len(comparisons)), {})
        self._ask_models(judged, needed)
        codes = [pairs[owner].language for owner in comparisons.owner.tolist()]
        for name in ("bertscore", "sts"):
            if name in judged.values:
                judged.values[name] = self.baselines.rescale(name, judged.values[name], codes)
        conflict = np.full(len(pairs), np.nan)
        texts = shown_texts(pairs)
        if needed.intersection(LEXICAL):
            languages = assign_readers(pairs, self.languages)
            self._compare_words(judged, languages)
            conflict = self.polarity.decide([pair.id for pair in pairs], languages, comparisons)
            read = zip(pairs, languages, strict=True)
            texts["marks"] = [marks(pair, pack) for pair, pack in read]
        columns = self._combine(judged, conflict, self.aggregate)
        scored = [*self.present]
        if self._gives("s_acc"):
            for how in AGGREGATES:
                scored.append(f"s_acc_{how}")
                columns[scored[-1]] = self._combine(judged, conflict, how)["s_acc"]
        columns = {name: columns[name] for name in columns if name in scored}
        columns["unseen"] = comparisons.aggregate(judged.unseen, "max")
        rows = Rows.of(pairs).with_numbers(columns).with_texts(texts)
        for name in scored:
            source = "cross_encoder" if name.startswith("s_acc") else name
            failures = judged.failures.get(source, {})
            rows = rows.with_reasons(name, comparisons.without_value(columns[name], failures))
        return counted(rows, scored, self.missing)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {name: rows.mean(name) for name in self.present}

    def _ask_models(self, judged: _Judged, needed: frozenset[str]) -> None:
        texts = judged.comparisons
        if self.cross_encoder is not None and "cross_encoder" in needed:
            sides = (texts.references, texts.candidates)
            first, second = sides if self.order == "reference-first" else sides[::-1]
            answer = self.cross_encoder.score(list(zip(first, second, strict=True)))
            values = answer.values
            for _ in range(self.sigmoids - 1):
                values = 1 / (1 + np.exp(-np.asarray(values, dtype=np.float64)))
            judged.add("cross_encoder", values, answer.unseen, answer.failures)
        if self.matcher is not None and self.bertscore and "bertscore" in needed:
            matched = self.matcher.match(list(zip(texts.candidates, texts.references, strict=True)))
            judged.add("bertscore", matched.f1, matched.unseen, matched.failures)
        if self.embedder is not None and "sts" in needed:
            found = cosines(self.embedder, texts.candidates, texts.references)
            judged.add("sts", np.clip(found.values, -1.0, 1.0), found.unseen, found.failures)

    def _compare_words(self, judged: _Judged, languages: Sequence[TextReader]) -> None:
        texts = judged.comparisons
        compared = []
        negations = {pack: negations_of(pack) for pack in set(languages)}
        for owner, candidate, reference in zip(
            texts.owner.tolist(), texts.candidates, texts.references, strict=True
        ):
            pack = languages[owner]
            said, expected = content_counts(pack, candidate), content_counts(pack, reference)
            compared.append(compare_counts(said, expected, self.beta, negations[pack]))
        columns = np.asarray(compared, dtype=np.float64).reshape(-1, 2)
        judged.values["lexical_cosine"], judged.values["f_beta"] = columns.T

    def _combine(self, judged: _Judged, conflict: Floats, how: Aggregate) -> dict[str, Floats]:
        columns = {
            name: judged.comparisons.aggregate(values, how)
            for name, values in judged.values.items()
        }
        columns |= representation_of(columns)
        if "f_beta" in columns:
            columns["f_beta"] *= np.where(conflict > 0, self.polarity.penalty, 1.0)
        columns["polarity_conflict"] = conflict
        if self._gives("s_acc"):
            columns["s_acc"] = weigh(columns, self.weights)
        return columns


def components_of(scores: Iterable[str]) -> frozenset[str]:
    """What has to be computed for scores: themselves, and what they are made of.

    >>> sorted(components_of(["f_beta"]))
    ['f_beta', 'polarity_conflict']
    """
    found = frozenset(scores)
    parts = frozenset(part for name in found for part in MADE_OF.get(name, ()))
    return found if parts <= found else components_of(found | parts)


@dataclass(slots=True)
class _Judged:
    """What each component says of each comparison, while it is being gathered."""

    comparisons: Comparisons
    values: dict[str, Floats]
    unseen: Floats
    failures: dict[str, dict[int, str]]  # component -> row -> reason

    def add(self, name: str, values: Floats, unseen: Floats, failures: Mapping[int, str]) -> None:
        self.values[name] = np.asarray(values, dtype=np.float64)
        self.unseen = np.fmax(self.unseen, unseen)
        self.failures[name] = self.comparisons.blame(failures)


def representation_of(columns: Mapping[str, Floats]) -> dict[str, Floats]:
    """The layer of representations, where any of its components is there."""
    members = [columns[name] for name in REPRESENTATION if name in columns]
    return {"representation": np.asarray(mean_of_defined(members))} if members else {}


def weigh(columns: Mapping[str, Floats], weights: Weights) -> Floats:
    """S_Acc from its layers; a layer that is no column is left out and the weights rescaled.

    A missing cross-encoder's weight goes to the representation, if that is there.

    >>> layers = {"cross_encoder": 0.8, "representation": 0.6, "f_beta": 0.5}
    >>> print(weigh({name: np.array([value]) for name, value in layers.items()}, Weights()))
    [0.68]
    """
    parts = {
        "cross_encoder": weights.cross_encoder,
        "representation": weights.representation,
        "f_beta": weights.f_beta,
    }
    if "cross_encoder" not in columns and "representation" in columns:
        parts["representation"] += parts.pop("cross_encoder")
    used = [(columns[name], weight) for name, weight in parts.items() if name in columns and weight]
    if not used:
        raise InputError("No component with a weight above 0 is there to make S_Acc of")
    total = sum(weight for _, weight in used)
    return np.asarray(sum(column * weight for column, weight in used) / total)
