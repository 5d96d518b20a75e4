"""Models of the hub or a folder, run by torch: what the papers name, as the papers ran it.

Weights come from safetensors; a folder that has only `pytorch_model.bin` is read by torch's
weights-only loader, which makes tensors and nothing else. No code of a model is ever run
(`trust_remote_code` is never set). Layers are counted as bert-score counts: 0 is the embeddings,
and when nothing but layer N is wanted, the network ends there.

On a processor windows of one length share a batch and nothing is padded; on a GPU they are padded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import FormatError, InputError, MissingDependency
from gistmeter.models import model_files
from gistmeter.models.encoders import PairTokens, States, Window, frame_windows
from gistmeter.models.hub import ModelPlace, locate
from gistmeter.models.protocols import TextPair
from gistmeter.models.settings import BackEndSettings

BUDGET = {"cpu": 2048, "cuda": 32768, "mps": 8192}  # tokens in a batch
SPACE_FIRST = {"roberta", "gpt2"}  # bert-score puts a space before their texts
Float64 = npt.NDArray[np.float64]


def load(roles: frozenset[str], name: str, settings: BackEndSettings, folder: Path) -> Any:  # noqa: ARG001
    """The back end for a role; its weights are read when the first text comes."""
    _import()
    place = locate(" and ".join(sorted(roles)), name, settings)
    config = model_files.read_config(place.folder)
    head = model_files.read_head(roles, config, place.name, settings.activation)
    if head is None:
        return TorchEncoder(place, config, settings, roles)
    labels = config.get("id2label") or {}
    if head.activation and (len(labels) > 1 or config.get("num_labels", 1) > 1):
        raise InputError(f"'{place.name}' gives {len(labels)} numbers per pair, not one score")
    return TorchPairs(place, config, settings, head)


def _import() -> tuple[Any, Any]:
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingDependency("torch", "torch", "A model of the hub") from error
    return torch, transformers


def choose_device(wanted: str) -> str:
    """A device that is there; auto takes the fastest."""
    torch, _ = _import()
    there = {
        "cpu": True,
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    if wanted == "auto":
        return next(name for name in ("cuda", "mps", "cpu") if there[name])
    if not there[wanted]:
        raise InputError(f"This machine has no device '{wanted}' that torch can use")
    return wanted


class _TorchModel(model_files.FolderModel):
    """A tokenizer and a network from one folder."""

    kind = "AutoModel"

    @cached_property
    def device(self) -> str:
        return choose_device(self.settings.device)

    @property
    def pads(self) -> bool:
        return self.device != "cpu"

    @property
    def budget(self) -> int:
        return self.settings.batch_size or BUDGET[self.device]

    @cached_property
    def tokenizer(self) -> Any:
        _, transformers = _import()
        source = str(self.place.folder)
        return transformers.AutoTokenizer.from_pretrained(
            source, local_files_only=True, trust_remote_code=False
        )

    @cached_property
    def network(self) -> Any:
        return self._load_network({})

    def _load_network(self, changes: dict[str, Any]) -> Any:
        torch, transformers = _import()
        source = str(self.place.folder)
        if self.settings.threads:
            torch.set_num_threads(self.settings.threads)
        speech = transformers.utils.logging
        speech.disable_progress_bar()
        before = speech.get_verbosity()
        speech.set_verbosity_error()  # layers that are left out on purpose are no news
        try:
            network = getattr(transformers, self.kind).from_pretrained(
                source,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=any(self.place.folder.glob("*.safetensors")),
                weights_only=True,
                dtype=torch.float32,
                **changes,
            )
        except Exception as error:  # whatever a damaged or hostile file makes of the loader
            line = (str(error).strip().splitlines() or [""])[0][:200]
            raise FormatError(f"the weights cannot be read ({line})", path=source) from error
        finally:
            speech.set_verbosity(before)
        return network.eval().to(self.device)

    def tensors(
        self, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]]
    ) -> dict[str, Any]:
        """A batch, padded at the right where lengths differ; only then a mask, which takes time."""
        torch, _ = _import()
        width = max(map(len, ids))
        padding = self.tokenizer.pad_token_id or 0

        def fill(rows: Sequence[Sequence[int]], value: int) -> Any:
            full = [[*row, *[value] * (width - len(row))] for row in rows]
            return torch.tensor(full, device=self.device)

        batch = {"input_ids": fill(ids, padding)}
        if types and types[0] and "token_type_ids" in self.tokenizer.model_input_names:
            batch["token_type_ids"] = fill(types, 0)
        if any(len(row) < width for row in ids):
            batch["attention_mask"] = fill([[1] * len(row) for row in ids], 0)
        return batch


class TorchEncoder(_TorchModel):
    """A `TokenEncoder`: an embedder, a token encoder, or both at once."""

    def __init__(
        self,
        place: ModelPlace,
        config: dict[str, Any],
        settings: BackEndSettings,
        roles: frozenset[str],
    ) -> None:
        super().__init__(place, config, settings)
        self.embeds, self.matches = "embedder" in roles, "matcher" in roles
        self._pooling = model_files.read_pooling(place.folder, settings.pooling)
        self.layers = int(config.get("num_hidden_layers") or config.get("num_layers") or 0)
        self.layer = self.layers if settings.layer is None else settings.layer
        if not 0 <= self.layer <= self.layers:
            raise InputError(f"'{place.name}' has layers 0 to {self.layers}, not {self.layer}")

    @property
    def id(self) -> str:
        return super().id + ("/query" if self.prefix else "")

    @property
    def pooling(self) -> str:
        return self._pooling.id

    @property
    def shares(self) -> bool:
        """Whether embedder and matcher read the same tokens, so that one pass can serve both."""
        return self.config.get("model_type") not in SPACE_FIRST

    @cached_property
    def network(self) -> Any:
        if self.config.get("is_encoder_decoder"):
            whole = self._load_network({})
            return whole.get_encoder()
        ends_early = self.matches and not self.embeds and self.layer < self.layers
        return self._load_network({"num_hidden_layers": self.layer} if ends_early else {})

    @cached_property
    def frame(self) -> tuple[list[int], list[int]]:
        """Special tokens before and after a text, the prefix included."""
        inner = self.tokenizer("a", add_special_tokens=False)["input_ids"]
        whole = self.tokenizer("a")["input_ids"]
        start = next(at for at in range(len(whole) + 1) if whole[at : at + len(inner)] == inner)
        prefix = []
        if self.prefix:
            prefix = self.tokenizer(self.prefix.strip(), add_special_tokens=False)["input_ids"]
        return [*whole[:start], *prefix], whole[start + len(inner) :]

    def tokenize(self, texts: Sequence[str]) -> list[list[Window]]:
        space = " " if self.matches and not self.shares else ""
        ready = [space + text.strip() if text.strip() else "" for text in texts]
        encoded = self.tokenizer(ready, add_special_tokens=False, verbose=False)["input_ids"]
        return [frame_windows(ids, *self.frame, self.longest) for ids in encoded]

    def encode(self, windows: Sequence[Window]) -> list[States]:
        torch, _ = _import()
        batch = self.tensors([window.ids for window in windows], [])
        inner = self.matches and self.embeds and self.layer < self.layers
        with torch.inference_mode():
            answer = self.network(**batch, output_hidden_states=inner, return_dict=True)
        last = answer.last_hidden_state.float().cpu().numpy()
        matched = answer.hidden_states[self.layer].float().cpu().numpy() if inner else last
        states = []
        for at, window in enumerate(windows):
            length = len(window.ids)
            tokens = matched[at, :length]
            vector = self._pooling.pool(last[at, :length]) if self.embeds else tokens[0, :0]
            states.append(States(tokens if self.matches else tokens[:0], vector))
        return states


class TorchPairs(_TorchModel):
    """A `PairReader` on a network with a classifier's head: a cross-encoder or an NLI model."""

    kind = "AutoModelForSequenceClassification"

    head: model_files.PairHead

    def tokenize(self, pairs: Sequence[TextPair]) -> list[PairTokens]:
        firsts = [first.strip() for first, _ in pairs]
        seconds = [second.strip() for _, second in pairs]
        encoded = self.tokenizer(firsts, seconds, verbose=False)
        types = encoded.get("token_type_ids") or [[] for _ in pairs]
        read = []
        for at, ids in enumerate(encoded["input_ids"]):
            whole = PairTokens(ids, types[at], 0.0)
            fits = len(ids) <= self.longest
            read.append(whole if fits else self._cut(firsts[at], seconds[at], len(ids)))
        return read

    def _cut(self, first: str, second: str, whole: int) -> PairTokens:
        """A pair that is too long, cut at the longer text, with the share that is lost."""
        encoded = self.tokenizer(
            first, second, truncation="longest_first", max_length=self.longest, verbose=False
        )
        ids, extra = encoded["input_ids"], self.tokenizer.num_special_tokens_to_add(pair=True)
        unseen = 1 - (len(ids) - extra) / (whole - extra)
        return PairTokens(ids, encoded.get("token_type_ids") or [], unseen)

    def read(self, pairs: Sequence[PairTokens]) -> Float64:
        torch, _ = _import()
        batch = self.tensors([pair.ids for pair in pairs], [pair.types for pair in pairs])
        with torch.inference_mode():
            answer = self.network(**batch, return_dict=True)
        return self.head.read(answer.logits.float().cpu().numpy())
