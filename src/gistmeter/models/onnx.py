"""A model's folder that has an ONNX file, run by ONNX Runtime without torch.

Looked for: `model.onnx` or `onnx/model.onnx`, beside `tokenizer.json` and `config.json`. Inputs are
found by name (`input_ids`, `attention_mask`, `token_type_ids`), outputs as exporters name them
(`last_hidden_state` or `token_embeddings`; `logits`). Such a file gives the last layer only, so
`--layer` with another one is an error. Windows of one length share a batch and nothing is padded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import FormatError, InputError
from gistmeter.models import model_files
from gistmeter.models.encoders import PairTokens, States, Window, frame_windows
from gistmeter.models.hub import ModelPlace, locate
from gistmeter.models.protocols import TextPair
from gistmeter.models.runtime import open_session
from gistmeter.models.settings import BackEndSettings

FILES = ("model.onnx", "onnx/model.onnx")
STATES = ("last_hidden_state", "token_embeddings", "hidden_states", "tokens")
BUDGET = 2048
Float64 = npt.NDArray[np.float64]


def load(
    roles: frozenset[str],
    name: str,
    settings: BackEndSettings,
    folder: Path,  # noqa: ARG001 - nothing is converted
) -> Any:
    """The back end for a role; its weights are read when the first text comes."""
    place = locate(" and ".join(sorted(roles)), name, settings)
    config = model_files.read_config(place.folder)
    head = model_files.read_head(roles, config, place.name, settings.activation)
    if head is not None:
        return OnnxPairs(place, config, settings, head)
    return OnnxEncoder(place, config, settings)


class _OnnxModel(model_files.FolderModel):
    pads = False
    runtime = "/onnx"

    def __init__(
        self,
        place: ModelPlace,
        config: dict[str, Any],
        settings: BackEndSettings,
        head: model_files.PairHead | None = None,
    ) -> None:
        super().__init__(place, config, settings, head)
        self.budget = settings.batch_size or BUDGET
        graphs = [place.folder / file for file in FILES if (place.folder / file).is_file()]
        if not graphs or not (place.folder / "tokenizer.json").is_file():
            raise FormatError("needs model.onnx and tokenizer.json", path=place.folder)
        self.file = graphs[0]

    @cached_property
    def session(self) -> Any:
        try:
            return open_session(str(self.file), threads=self.settings.threads)
        except Exception as error:  # ONNX Runtime has no base class of its own
            raise FormatError(f"cannot be run ({error})", path=self.file) from error

    @cached_property
    def tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self.place.folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def run(self, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]]) -> dict[str, Any]:
        """All outputs by name, for sequences of one length."""
        tokens = np.asarray(ids, dtype=np.int64)
        given = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.asarray(types, dtype=np.int64) if types else np.zeros_like(tokens),
        }
        names = [output.name for output in self.session.get_outputs()]
        wanted = {
            name: given[name]
            for name in (put.name for put in self.session.get_inputs())
            if name in given
        }
        return dict(zip(names, self.session.run(None, wanted), strict=True))


class OnnxEncoder(_OnnxModel):
    """A `TokenEncoder` on the last layer."""

    def __init__(
        self, place: ModelPlace, config: dict[str, Any], settings: BackEndSettings
    ) -> None:
        super().__init__(place, config, settings)
        self.layer = int(config.get("num_hidden_layers") or 0)
        if settings.layer not in (None, self.layer):
            raise InputError(
                f"'{place.name}' as ONNX gives layer {self.layer} only, not {settings.layer}"
            )
        self._pooling = model_files.read_pooling(place.folder, settings.pooling)

    @property
    def pooling(self) -> str:
        return self._pooling.id

    @cached_property
    def frame(self) -> tuple[list[int], list[int]]:
        """Special tokens before and after a text, the prefix included."""
        whole = self.tokenizer.encode("a")
        marks = whole.special_tokens_mask
        head = marks.index(0)
        tail = len(marks) - marks[::-1].index(0)
        prefix = self.tokenizer.encode(self.prefix.strip(), add_special_tokens=False).ids
        return [*whole.ids[:head], *(prefix if self.prefix else [])], whole.ids[tail:]

    def tokenize(self, texts: Sequence[str]) -> list[list[Window]]:
        encoded = self.tokenizer.encode_batch(
            [text.strip() for text in texts], add_special_tokens=False
        )
        return [frame_windows(text.ids, *self.frame, self.longest) for text in encoded]

    def encode(self, windows: Sequence[Window]) -> list[States]:
        outputs = self.run([window.ids for window in windows], [])
        name = next((state for state in STATES if state in outputs), None)
        if name is None:
            raise FormatError(f"has none of the outputs {', '.join(STATES)}", path=self.file)
        return [States(states, self._pooling.pool(states)) for states in outputs[name]]


class OnnxPairs(_OnnxModel):
    """A `PairReader`: a cross-encoder or an entailment model, by its head."""

    head: model_files.PairHead

    def tokenize(self, pairs: Sequence[TextPair]) -> list[PairTokens]:
        ready = [(first.strip(), second.strip()) for first, second in pairs]
        whole = self.tokenizer.encode_batch(ready)
        self.tokenizer.enable_truncation(self.longest, strategy="longest_first")
        seen = self.tokenizer.encode_batch(ready)
        self.tokenizer.no_truncation()
        extra = self.tokenizer.num_special_tokens_to_add(True)
        return [
            PairTokens(
                cut_off.ids,
                cut_off.type_ids,
                1 - (len(cut_off.ids) - extra) / max(1, len(full.ids) - extra)
                if len(full.ids) > len(cut_off.ids)
                else 0.0,
            )
            for cut_off, full in zip(seen, whole, strict=True)
        ]

    def read(self, pairs: Sequence[PairTokens]) -> Float64:
        outputs = self.run([pair.ids for pair in pairs], [pair.types for pair in pairs])
        if "logits" not in outputs:
            raise FormatError("has no output 'logits'", path=self.file)
        return self.head.read(np.asarray(outputs["logits"], dtype=np.float32))
