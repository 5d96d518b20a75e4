"""What a user may set about models, and the profiles: which model plays which role.

`embedded` needs neither network nor torch; `paper` is, for each language, exactly what the papers
name. A profile from the configuration file is a mapping of the same kind: role -> model name, with
an own table for a language where it differs. A back end that needs no name behind its own stands by
that alone ("nli": "judge", once the registry has a `judge`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib import resources
from typing import Any, TypeVar

from gistmeter.core.errors import InputError, UnknownName

ROLES = ("embedder", "matcher", "cross_encoder", "nli")
ALIASES = {"token_encoder": "matcher", "crossencoder": "cross_encoder", "entailment": "nli"}
MULTILINGUAL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
Named = TypeVar("Named")
DEVICES = ("auto", "cpu", "cuda", "mps")


@dataclass(frozen=True, slots=True)
class BackEndSettings:
    """Settings of all models of a run; those that could change a score are in the models' ids."""

    device: str = "auto"  # auto, cpu, cuda or mps
    batch_size: int = 0  # tokens in a batch, padding included; 0: the back end's own choice
    max_length: int = 0  # tokens a model reads at once; 0: the model's own maximum
    layer: int | None = None  # for matching, as bert-score counts; None: as the profile says
    pooling: str = ""  # mean or cls; empty: as the model's own files say
    activation: str = ""  # of a cross-encoder: sigmoid or identity; empty: as its config says
    revision: str = ""  # of a hub model: branch, tag or commit
    rescale: bool = False  # BERTScore less its baseline
    baseline: str = ""  # a file of baselines; empty: those of the bert-score package
    idf_references: tuple[str, ...] = ()  # references whose rare tokens weigh more in BERTScore
    threads: int = 0  # of the processor; 0: all
    offline: bool = False  # never ask the hub

    def __post_init__(self) -> None:
        if self.device not in DEVICES:
            raise UnknownName("device", self.device, DEVICES)
        if self.pooling not in ("", "mean", "cls"):
            raise UnknownName("pooling", self.pooling, ("mean", "cls"))
        for name in ("batch_size", "max_length", "threads"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} must not be negative, but is {getattr(self, name)}")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> BackEndSettings:
        """From a mapping, as a configuration file has it."""
        known = {part.name for part in fields(cls)}
        for name in values:
            if name not in known:
                raise UnknownName("model setting", name, known)
        return cls(**values)


# bert-score's choice of the layer for a model
BERTSCORE_LAYERS = {
    "bert-base-chinese": 8,
    "bert-base-multilingual-cased": 9,
    "dbmdz/bert-base-turkish-cased": 10,
    "roberta-large": 17,
    "roberta-base": 10,
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "xlm-roberta-base": 9,
    "xlm-roberta-large": 17,
    "distilbert-base-multilingual-cased": 5,
    "microsoft/deberta-xlarge-mnli": 40,
    "microsoft/mdeberta-v3-base": 10,
}

PROFILES: Mapping[str, Mapping[str, Any]] = {
    "embedded": {
        "embedder": "e5-small",
        "matcher": "e5-small",
        "cross_encoder": "judge",
        "nli": "judge",
    },
    "embedded-plain": {"embedder": "e5-small", "matcher": "e5-small"},
    "paper": {
        "embedder": MULTILINGUAL,
        "matcher": "bert-base-multilingual-cased",
        "cross_encoder": "BAAI/bge-reranker-base",
        "nli": "MoritzLaurer/mDeBERTa-v3-base-mnli-xnli",
        "zh": {"embedder": "BAAI/bge-small-zh-v1.5", "matcher": "bert-base-chinese"},
        "en": {"matcher": "roberta-large"},
        "tr": {"matcher": "dbmdz/bert-base-turkish-cased"},
    },
    # OrderProbe asks bert-score for the language "zh_trad", which it does not know.
    "orderprobe": {"as": "paper", "zh-Hant": {"matcher": "bert-base-multilingual-cased"}},
    "paper-book": {"embedder": "hfl/chinese-bert-wwm-ext"},
}


def profile_names(
    profile: str, language: str = "", more: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, str]:
    """Role -> model name in a profile for a language (a code like zh-Hant falls back to zh)."""
    profiles = {**PROFILES, **(more or {})}
    if profile not in profiles:
        raise UnknownName("profile", profile, profiles)
    chosen = dict(profiles[profile])
    if "as" in chosen:  # another profile, but for what is said beside it
        chosen = {**profiles[chosen.pop("as")], **chosen}
    for code in (language.split("-", maxsplit=1)[0], language):
        special = chosen.get(code)
        if code and isinstance(special, Mapping):
            chosen.update(special)
    named = {role: name for role, name in chosen.items() if isinstance(name, str)}
    return canonical_roles(named, f"profile '{profile}'")


def canonical_roles(names: Mapping[str, Named], place: str) -> dict[str, Named]:
    """Names (or models) under their roles' own spelling; an unknown role is an error."""
    roles = {}
    for role, name in names.items():
        plain = role.lower().replace("-", "_")
        plain = ALIASES.get(plain, plain)
        if plain not in ROLES:
            raise UnknownName(f"role in {place}", role, (*ROLES, *ALIASES))
        roles[plain] = name
    return roles


def matching_layer(name: str) -> int | None:
    """bert-score's layer for a model; None where it has no opinion."""
    return BERTSCORE_LAYERS.get(name)


@dataclass(frozen=True, slots=True)
class Absence:
    """Why there is no model for a role, and the exact command to get one."""

    reason: str
    command: str

    @classmethod
    def of(cls, role: str, profile: str) -> Absence:
        """Of a role that a profile does not have."""
        spelled = role.replace("_", "-")
        return cls(
            f"the profile '{profile}' has no {spelled}",
            "pip install 'gistmeter[torch]' && gistmeter models pull paper, "
            f"then use --profile paper (or --{spelled} NAME)",
        )

    def __str__(self) -> str:
        return f"{self.reason}. Get one with: {self.command}"


WINDOW = re.compile(r"/max=\d+")  # in the id of a model


def baseline(component: str, model: str, language: str) -> float | None:
    """What a model says of unrelated texts; None for a model that was not measured.

    The numbers are made by `training/baselines.py` from random pairs of sentences, for the models
    that come with gistmeter. A language that was not measured takes the mean of those that were.
    How much of a long text a model reads at once does not matter here.
    """
    document = _baselines()
    if document["models"].get(component) != WINDOW.sub("", model):
        return None
    measured = document["by_language"]
    code = language.split("-", maxsplit=1)[0]
    if code in measured:
        return float(measured[code][component])
    return float(sum(scores[component] for scores in measured.values()) / len(measured))


@lru_cache(maxsize=1)
def _baselines() -> Any:
    return json.loads(
        resources.files("gistmeter.models").joinpath("data/baselines.json").read_text()
    )
