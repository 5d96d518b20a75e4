"""The trained part of the judge: a safetensors file with matrices in blocks of few bits.

A safetensors file is the length of a header (8 bytes, little-endian), the header (JSON: for each
tensor its type, shape and place, and a table of texts under `__metadata__`), and the numbers. Here
matrices are of type U8 and shape (rows, blocks, bytes): blocks of 32 weights, each a float16 scale
followed by 16 bytes (4 bits a weight, as in `e5_weights`) or 32 bytes (8 bits a weight, value =
(byte - 128) * scale). All else is float32. The file is checked against its SHA-256 first, and
every length against the file's size all the same.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import FormatError
from gistmeter.models.e5 import e5_weights
from gistmeter.models.e5.e5_weights import BLOCK, BLOCK_BYTES, Sizes

FILE = Path(__file__).parents[1] / "data" / "gistmeter-judge-small.safetensors"
SHA256 = "00ba9e2d1f113cfd504fbdc89ae6f240a193cd9444897c47b30a480a604f65cf"
GRAPH_SHA256 = "5c0b8270c8da52df7685fa7c7be4fbe5e5719953dedfe083e22526c6c5c52fad"  # `network.build`
LICENCE = "CC BY-SA 4.0"
TYPES = {"U8": "u1", "F32": "<f4"}
BYTE_BLOCK = 2 + BLOCK  # a block with 8 bits a weight
LONGEST_HEADER = 1 << 20

Bytes = npt.NDArray[np.uint8]
Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class JudgeWeights:
    """Tensors by name, and the sizes that the network shares with the embedded model."""

    sizes: Sizes
    data: Bytes
    places: Mapping[str, tuple[str, tuple[int, ...], int, int]]  # type, shape, start, stop
    notes: Mapping[str, str]

    def tensor(self, name: str) -> Float32:
        """A tensor in float32; a matrix as (outputs, inputs)."""
        if name not in self.places:
            raise FormatError(f"the judge's tensor '{name}' is missing", path=FILE)
        kind, shape, start, stop = self.places[name]
        raw = self.data[start:stop]
        if kind == "U8":
            array = expand(raw.reshape(shape)).reshape(shape[0], -1)
        else:  # a copy first: the bytes need not stand where a float may
            array = raw.copy().view(TYPES[kind]).astype(np.float32).reshape(shape)
        if not np.isfinite(array).all():
            raise FormatError(f"the judge's tensor '{name}' is not finite", path=FILE)
        return array


def expand(blocks: Bytes) -> Float32:
    """Blocks of 4-bit or 8-bit weights (…, 18 or 34) as float32 (…, 32)."""
    if blocks.shape[-1] == BLOCK_BYTES:
        return e5_weights.expand(blocks)
    scale = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    with np.errstate(invalid="ignore"):
        return (blocks[..., 2:].astype(np.float32) - np.float32(128)) * scale


def read(sizes: Sizes, path: Path = FILE, *, sha256: str = "") -> JudgeWeights:
    """The weights in the file, after its SHA-256 was checked."""
    try:
        data = np.fromfile(path, dtype=np.uint8)
    except OSError as error:
        raise FormatError(f"the judge cannot be read ({error})", path=path) from error
    found, expected = hashlib.sha256(data.tobytes()).hexdigest(), sha256 or SHA256
    if found != expected:
        raise FormatError(
            f"the judge's file is damaged: SHA-256 {found}, expected {expected}. Get it again "
            "with: pip install --force-reinstall gistmeter",
            path=path,
        )
    try:
        places, notes = parse(data)
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"not a safetensors file of the judge ({error})", path=path) from error
    return JudgeWeights(sizes, data, places, notes)


def parse(data: Bytes) -> tuple[dict[str, tuple[str, tuple[int, ...], int, int]], dict[str, str]]:
    """Where each tensor stands, and the notes; ValueError where the file does not hold together."""
    (length,) = struct.unpack("<Q", data[:8].tobytes())
    if not 2 <= length <= min(LONGEST_HEADER, len(data) - 8):
        raise ValueError("the header leaves the file")
    header = json.loads(data[8 : 8 + length].tobytes().decode("utf-8"))
    notes = {str(name): str(text) for name, text in header.pop("__metadata__", {}).items()}
    begin = 8 + length
    return {name: _place(name, entry, begin, len(data)) for name, entry in header.items()}, notes


def _place(
    name: str, entry: Mapping[str, Any], begin: int, size: int
) -> tuple[str, tuple[int, ...], int, int]:
    kind, shape = str(entry["dtype"]), tuple(int(size) for size in entry["shape"])
    start, stop = (begin + int(offset) for offset in entry["data_offsets"])
    if kind not in TYPES or any(size < 0 for size in shape):
        raise ValueError(f"tensor '{name}' is of an unknown type or shape")
    if kind == "U8" and (len(shape) != 3 or shape[-1] not in (BLOCK_BYTES, BYTE_BLOCK)):
        raise ValueError(f"tensor '{name}' is not in blocks")
    count = int(np.prod(shape, dtype=np.int64))
    if not begin <= start <= stop <= size or stop - start != count * np.dtype(TYPES[kind]).itemsize:
        raise ValueError(f"tensor '{name}' leaves the file")
    return kind, shape, start, stop
