"""What a model's folder says about itself, read as data and never run.

`config.json` (architecture, labels, activation), `modules.json` and `1_Pooling/config.json` (how
sentence-transformers makes a vector: by the mean over all tokens, the first token, the maximum),
`sentence_bert_config.json` (maximum length). A folder without them is pooled by the mean over all
tokens, special ones included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import parse_json
from gistmeter.models.hub import ModelPlace
from gistmeter.models.runtime import Unloaded
from gistmeter.models.settings import BackEndSettings

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
POOLING_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
}
ACTIVATIONS = {"sigmoid", "identity"}
LABELS = ("entailment", "neutral", "contradiction")
# Architectures whose positions start behind the padding token's
OFFSET_POSITIONS = {
    "roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "xmod", "data2vec-text",
}  # fmt: skip
PREFIXES = {f"intfloat/multilingual-e5-{size}": "query: " for size in ("small", "base", "large")}


def read_json(path: Path) -> dict[str, Any]:
    """An object in a file; empty where there is no such file."""
    if not path.is_file():
        return {}
    try:
        content = parse_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise FormatError(f"not JSON ({error})", path=path) from error
    if not isinstance(content, dict):
        raise FormatError("not a JSON object", path=path)
    return content


def read_config(folder: Path) -> dict[str, Any]:
    config = read_json(folder / "config.json")
    if not config:
        raise FormatError("a model's folder needs a config.json", path=folder)
    return config


def maximum_length(folder: Path, config: Mapping[str, Any], wanted: int) -> int:
    """The smallest of what tokenizer, positions, sentence-transformers and the user allow."""
    limits = [
        read_json(folder / "tokenizer_config.json").get("model_max_length"),
        read_json(folder / "sentence_bert_config.json").get("max_seq_length"),
        wanted or None,
    ]
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and positions > 0:
        limits.append(positions - 2 if config.get("model_type") in OFFSET_POSITIONS else positions)
    usable = [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < 1e6]
    return min(usable, default=512)


@dataclass(frozen=True, slots=True)
class Pooling:
    """From the states of a window's tokens to its vector."""

    mode: str = "mean"
    dense: tuple[tuple[Float32, Float32, str], ...] = ()  # weight, bias, activation

    @property
    def id(self) -> str:
        return self.mode + "+dense" * len(self.dense)

    def pool(self, states: Float32) -> Float32:
        if self.mode == "cls":
            vector = states[0]
        elif self.mode == "max":
            vector = states.max(axis=0)
        elif self.mode == "mean_sqrt_len_tokens":
            vector = states.sum(axis=0) / np.float32(np.sqrt(len(states)))
        else:
            vector = states.mean(axis=0)
        for weight, bias, activation in self.dense:
            vector = weight @ vector + bias
            vector = np.tanh(vector) if activation == "Tanh" else vector
        return np.asarray(vector, dtype=np.float32)


def read_pooling(folder: Path, wanted: str) -> Pooling:
    """The folder's own pooling, or the one the user wants."""
    path = folder / "modules.json"
    if wanted or not path.is_file():
        return Pooling(wanted or "mean")
    try:
        modules = parse_json(path.read_bytes())
        kinds = [
            (str(module["type"]).rsplit(".", 1)[-1], str(module["path"])) for module in modules
        ]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise FormatError(f"not a list of modules ({error})", path=path) from error
    mode, dense = "mean", []
    for kind, place in kinds:
        inside = (folder / place).resolve()
        if not inside.is_relative_to(folder.resolve()):
            raise FormatError(f"module path '{place}' leaves the folder", path=path)
        if kind == "Pooling":
            mode = _pooling_mode(inside / "config.json")
        elif kind == "Dense":
            dense.append(_read_dense(inside))
        elif kind not in {"Transformer", "Normalize"}:
            raise InputError(f"{path}: a module of type '{kind}' cannot be used here")
    return Pooling(mode, tuple(dense))


def _pooling_mode(path: Path) -> str:
    config = read_json(path)
    modes = [mode for key, mode in POOLING_MODES.items() if config.get(key) is True]
    modes = modes or [str(config.get("pooling_mode", "mean"))]
    if len(modes) != 1 or modes[0] not in POOLING_MODES.values():
        raise InputError(f"{path}: pooling by {' and '.join(modes)} is not supported")
    return modes[0]


def _read_dense(folder: Path) -> tuple[Float32, Float32, str]:
    from safetensors.numpy import load_file

    config = read_json(folder / "config.json")
    activation = str(config.get("activation_function", "torch.nn.Tanh")).rsplit(".", 1)[-1]
    if activation not in {"Tanh", "Identity"}:
        raise InputError(f"{folder}: a dense layer with activation '{activation}' is not supported")
    tensors = load_file(folder / "model.safetensors")
    weight = tensors["linear.weight"]
    return weight, tensors.get("linear.bias", np.zeros(len(weight), np.float32)), activation


@dataclass(frozen=True, slots=True)
class PairHead:
    """What a reader of pairs makes of a model's outputs, by the role that it plays."""

    activation: str = ""  # a cross-encoder's
    order: tuple[int, ...] = ()  # of the labels of an entailment model

    @property
    def id(self) -> str:
        return f"/{self.activation}" if self.activation else ""

    def read(self, logits: npt.NDArray[np.floating[Any]]) -> Float64:
        if self.order:
            return softmax(logits)[:, list(self.order)]
        return activate(logits[:, :1], self.activation)


def read_head(
    roles: frozenset[str], config: Mapping[str, Any], name: str, activation: str
) -> PairHead | None:
    """The head for a role; none for those that read one text at a time."""
    if roles == {"cross_encoder"}:
        return PairHead(activation=read_activation(config, activation))
    if roles == {"nli"}:
        return PairHead(order=tuple(label_order(config, name)))
    return None


class FolderModel(Unloaded):
    """What back ends share that run a model from its folder."""

    runtime = ""  # part of the id, where answers depend on what runs the model

    def __init__(
        self,
        place: ModelPlace,
        config: dict[str, Any],
        settings: BackEndSettings,
        head: PairHead | None = None,
    ) -> None:
        self.place, self.config, self.settings, self.head = place, config, settings, head
        self.longest = maximum_length(place.folder, config, settings.max_length)
        self.prefix = PREFIXES.get(place.name, "")

    @property
    def id(self) -> str:
        return (
            f"{self.place.id}{self.runtime}/max={self.longest}{self.head.id if self.head else ''}"
        )


def read_activation(config: Mapping[str, Any], wanted: str) -> str:
    """What a cross-encoder's logit passes through: once, and only if it has not already."""
    inner = config.get("sentence_transformers")
    named = inner.get("activation_fn") if isinstance(inner, Mapping) else None
    named = named or config.get("sbert_ce_default_activation_function") or "Sigmoid"
    activation = wanted or str(named).rsplit(".", 1)[-1].lower()
    if activation not in ACTIVATIONS:
        raise InputError(
            f"A cross-encoder with activation '{activation}' is not supported: "
            f"use one of {', '.join(sorted(ACTIVATIONS))}"
        )
    return activation


def activate(logits: npt.NDArray[np.floating[Any]], activation: str) -> Float64:
    """Scores of pairs; NaN where a model that is not to be squashed leaves [0, 1]."""
    values = logits.astype(np.float64)
    if activation == "sigmoid":
        return np.asarray(0.5 * (1 + np.tanh(0.5 * values)))
    return np.where((values >= -1e-6) & (values <= 1 + 1e-6), values.clip(0, 1), np.nan)


def label_order(config: Mapping[str, Any], name: str) -> list[int]:
    """Where entailment, neutral and contradiction stand among a model's outputs."""
    labels = {
        str(label).lower(): int(index)
        for index, label in dict(config.get("id2label") or {}).items()
    }
    order = [
        next((at for text, at in labels.items() if text.startswith(label[:6])), -1)
        for label in LABELS
    ]
    if sorted(order) != [0, 1, 2] or len(labels) != 3:
        known = ", ".join(labels) or "none"
        raise InputError(
            f"'{name}' is not a model of entailment: its config.json must name the labels "
            f"{', '.join(LABELS)}; found: {known}"
        )
    return order


def softmax(logits: npt.NDArray[np.floating[Any]]) -> Float64:
    values = logits.astype(np.float64)
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
