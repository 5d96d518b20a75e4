"""Which metrics score some pairs, and with which settings.

Asked for nothing, a run has S_Acc, S_Logic where there is a model for it, S_Info, and of the family
around them whatever the pairs have the inputs for. Asked for scores by name, it has the metrics
that make them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Protocol

from gistmeter import languages, registry
from gistmeter.cache import Cache
from gistmeter.errors import InputError, UnknownName
from gistmeter.metrics.accuracy import Order, SemanticAccuracy, Weights
from gistmeter.metrics.consistency import Consistency, SequenceRobustness, StructuralRobustness
from gistmeter.metrics.information import Information, Recovery
from gistmeter.metrics.logic import Average, Direction, LogicalValidity
from gistmeter.metrics.polarity import PolarityRule
from gistmeter.metrics.reader import TextReader
from gistmeter.metrics.reading import Reading
from gistmeter.metrics.references import Aggregate
from gistmeter.models.protocols import CrossEncoder, Embedder, EntailmentModel, TokenMatcher
from gistmeter.texts.remembering import RememberingLanguage
from gistmeter.types import Metric, Pair

ROLES = ("embedder", "matcher", "cross_encoder", "nli")
MAKERS: Mapping[str, type[Metric]] = {
    "s_acc": SemanticAccuracy,
    "s_logic": LogicalValidity,
    "consistency": Consistency,
    "robustness": SequenceRobustness,
    "structure": StructuralRobustness,
    "s_info": Information,
    "recovery": Recovery,
}
FROM_S_ACC = ("consistency", "robustness", "structure")


class TextModels(Protocol):
    """The models at hand; None where one is absent."""

    @property
    def embedder(self) -> Embedder | None: ...
    @property
    def matcher(self) -> TokenMatcher | None: ...
    @property
    def cross_encoder(self) -> CrossEncoder | None: ...
    @property
    def nli(self) -> EntailmentModel | None: ...
    @property
    def absent(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class TextSettings:
    """Everything about the text metrics that can be set."""

    aggregate: Aggregate = "max"
    weights: Weights = field(default_factory=Weights)
    beta: float = 2.0
    bertscore: bool = True
    order: Order = "reference-first"
    polarity: PolarityRule = field(default_factory=PolarityRule)
    tokenizer: str = ""
    direction: Direction = "reference-to-prediction"
    average: Average = "arrangements"
    high_accuracy: float = 0.8
    high_logic: float = 0.8


def makers_of(wanted: Sequence[str]) -> list[str]:
    """Names of the metrics that make the wanted scores, after what they are made from."""
    chosen = dict.fromkeys(map(maker_of, wanted))
    first = ["s_acc"] if "s_acc" in chosen or any(name in FROM_S_ACC for name in chosen) else []
    return list(dict.fromkeys([*first, *chosen]))


def possible_metrics(pairs: Sequence[Pair], *, nli: bool) -> list[str]:
    """Names of the metrics that these pairs have the inputs for."""
    arranged = any(pair.arrangement for pair in pairs)
    inputs = {
        "s_acc": True,
        "s_logic": nli,
        "consistency": arranged,
        "robustness": arranged,
        "structure": any(pair.fields.get("structure") for pair in pairs),
        "s_info": True,
        "recovery": any(pair.fields.get("recovered") for pair in pairs),
    }
    return [name for name, there in inputs.items() if there]


def maker_of(score: str) -> str:
    """The metric that makes a score; an unknown one says which there are."""
    name = score.strip().lower().replace("-", "_")
    for metric, maker in MAKERS.items():
        if name == metric or any(name == info.name for info in maker.scores):
            return metric
    others = [one for one in registry.names("gistmeter.metrics") if one not in OWN]
    if name in others:
        return name
    known = {info.name for maker in MAKERS.values() for info in maker.scores}
    raise UnknownName("score", score, {*known, *MAKERS, *others})


# Metrics of other shapes than pairs, which cannot score texts.
OWN = frozenset(registry.TABLES["gistmeter.metrics"])


def roles_for(chosen: Sequence[str] | None, settings: TextSettings) -> list[str]:
    """The models to look for: only those that the chosen metrics ask."""
    further = {role for name in chosen or () if name not in MAKERS for role in _roles_of(name)}
    accuracy = chosen is None or "s_acc" in chosen
    wanted = {
        "embedder": accuracy,
        "matcher": accuracy and settings.bertscore,
        "cross_encoder": accuracy and settings.weights.cross_encoder > 0,
        "nli": chosen is None or "s_logic" in chosen,
    }
    return [role for role in ROLES if wanted[role] or role in further]


def _roles_of(name: str) -> list[str]:
    """The fields of another package's metric that bear a role's name: it gets those models."""
    kind = registry.find("gistmeter.metrics", name)
    if not is_dataclass(kind):
        raise InputError(f"The metric '{name}' is not a dataclass, so it cannot be signed")
    return [part.name for part in fields(kind) if part.name in ROLES]


def build_metrics(
    chosen: Sequence[str],
    models: TextModels,
    readers: Mapping[str, TextReader],
    settings: TextSettings,
) -> dict[str, Metric]:
    """The metrics by name, S_Acc first; a chosen one without its model is an error."""
    if "s_logic" in chosen and models.nli is None:
        raise InputError(
            "S_Logic needs an NLI model, and there is none. "
            + models.absent.get("nli", "Name one with --nli, or use --profile paper")
        )
    builders: dict[str, Callable[[], Any]] = {
        "s_acc": lambda: SemanticAccuracy(
            readers, models.embedder, models.matcher, models.cross_encoder,
            settings.aggregate, settings.weights, settings.beta, settings.bertscore,
            settings.order, settings.polarity,
        ),
        "s_logic": lambda: LogicalValidity(
            _present(models.nli), settings.direction, settings.aggregate, settings.average
        ),
        "s_info": lambda: Information(readers, settings.aggregate),
        "consistency": Consistency,
        "robustness": SequenceRobustness,
        "structure": StructuralRobustness,
        "recovery": Recovery,
    }  # fmt: skip
    made: dict[str, Metric] = {}
    for name in chosen:
        made[name] = builders[name]() if name in builders else _plugin(name, models)
        if name in FROM_S_ACC:
            missing: tuple[str, ...] = getattr(made["s_acc"], "partial", {}).get("s_acc", ())
            made[name] = replace(made[name], missing=missing)  # type: ignore[type-var]
    if "s_acc" in made and "s_logic" in made:
        made["reading"] = Reading(settings.high_accuracy, settings.high_logic)
    return made


def _plugin(name: str, models: TextModels) -> Metric:
    given = {role: getattr(models, role) for role in _roles_of(name)}
    made: Metric = registry.find("gistmeter.metrics", name)(**given)
    return made


def _present(model: EntailmentModel | None) -> EntailmentModel:
    assert model is not None
    return model


def language_readers(
    pairs: Sequence[Pair], settings: TextSettings, cache: Cache
) -> dict[str, RememberingLanguage]:
    """All languages that the pairs are in, each remembering in the cache what it read."""
    codes = dict.fromkeys(pair.language for pair in pairs)
    return {
        code: RememberingLanguage(languages.get(code, settings.tokenizer), cache) for code in codes
    }
