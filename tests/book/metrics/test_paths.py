"""The kernels against plain loops, the golden paths, and the laws of paths and bands."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from book import plain_loops
from conftest import shared_path
from gistmeter.book.metrics import similarity
from gistmeter.book.metrics.paths import align, align_sentences, cell_band, node_band
from gistmeter.book.metrics.similarity import SimilarityTable
from gistmeter.core.errors import InputError, UnknownName

SIZES = st.tuples(st.integers(1, 9), st.integers(1, 20))
WIDTHS = st.none() | st.integers(0, 6)
KINDS = st.sampled_from(["slanted", "absolute"])
VALUES = st.one_of(
    st.floats(-1, 1),  # rounding decides some of these ties
    st.floats(-1, 1, width=32).map(float),
    st.integers(-10, 10).map(lambda tenth: tenth / 10),
    st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5]),
)


def tables() -> st.SearchStrategy[np.ndarray]:
    return SIZES.flatmap(lambda size: arrays(np.float64, size, elements=VALUES, fill=VALUES))


def windows(band) -> list[tuple[int, int]]:
    return list(zip(band.low.tolist(), band.high.tolist(), strict=True))


@given(tables(), st.sampled_from([0.0, -0.1, -0.25, -0.3, -0.5, -1.0]), WIDTHS, KINDS)
def test_needleman_wunsch_is_the_loops_path(table, gap, width, kind):
    band = windows(node_band(*table.shape, width, kind))
    expected = plain_loops.needleman_wunsch(table.tolist(), gap, band)
    assert align_sentences(table, "nw", gap, width, kind) == expected


@given(tables(), WIDTHS, KINDS)
def test_dtw_is_the_loops_path(table, width, kind):
    band = windows(cell_band(*table.shape, width, kind, corners=True))
    expected = plain_loops.dtw(table.tolist(), band)
    assert align_sentences(table, "dtw", bandwidth=width, band=kind) == expected


@given(tables(), WIDTHS, KINDS)
def test_monotone_is_the_best_of_its_kind(table, width, kind):
    band = windows(cell_band(*table.shape, width, kind, corners=False))
    path = align_sentences(table, "monotone", bandwidth=width, band=kind)
    assert [row for row, _ in path] == list(range(len(table)))
    columns = [column for _, column in path]
    assert columns == sorted(columns)
    assert all(band[row][0] <= column <= band[row][1] for row, column in path)
    total = sum(table[row, column] for row, column in path)
    assert total == pytest.approx(plain_loops.monotone(table.tolist(), band), abs=1e-9)


@pytest.mark.parametrize("algorithm", ["nw", "dtw"])
@pytest.mark.parametrize("spread", [1e-17, 1e-15, 1e-9])
def test_near_ties_are_decided_as_the_loop_does(algorithm, spread):
    random = np.random.default_rng(7)
    table = np.round(random.random((30, 90)), 1) + spread * random.random((30, 90))
    loop = {
        "nw": lambda: plain_loops.needleman_wunsch(table.tolist(), -0.5),
        "dtw": lambda: plain_loops.dtw(table.tolist()),
    }[algorithm]
    assert align_sentences(table, algorithm) == loop()


def test_large_values_leave_room_for_their_sum():
    table = np.random.default_rng(3).random((12, 40)) * 1e7
    assert align_sentences(table, "nw", -0.5) == plain_loops.needleman_wunsch(table.tolist(), -0.5)


def test_blocks_change_nothing(monkeypatch):
    table = np.random.default_rng(5).random((40, 70))
    whole = {
        (name, width): align_sentences(table, name, bandwidth=width)
        for name in ("monotone", "nw", "dtw")
        for width in (None, 9)
    }
    monkeypatch.setattr(similarity, "BLOCK_BYTES", 3 * 8 * 70)
    for (name, width), path in whole.items():
        assert align_sentences(table, name, bandwidth=width) == path


def test_golden_paths():
    table: object = None
    for case in json.loads(shared_path("golden/align.json").read_text(encoding="utf-8")):
        table = table if isinstance(case["similarity"], str) else case["similarity"]
        found = align_sentences(table, "nw", case["gap_penalty"])
        assert [list(pair) for pair in found] == case["expected"]["path"]


def test_dtw_is_a_proper_path():
    path = align_sentences(np.random.default_rng(1).random((6, 25)), "dtw")
    steps = {(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(path)}
    assert path[0] == (0, 0)
    assert path[-1] == (5, 24)
    assert steps <= {(0, 1), (1, 0), (1, 1)}


def test_a_slanted_band_holds_a_path_of_a_long_book():
    table = np.random.default_rng(2).random((20, 200))
    path = align(SimilarityTable.of(table), "nw", bandwidth=10)
    assert not path.widened
    assert all(abs(j + 0.5 - (i + 0.5) * 10) <= 10 for i, j in path.pairs.tolist())


@pytest.mark.parametrize("algorithm", ["nw", "dtw"])
def test_an_absolute_band_without_a_path_is_widened(algorithm):
    path = align(SimilarityTable.of(np.ones((20, 200))), algorithm, bandwidth=4, band="absolute")
    assert path.widened
    assert path.bandwidth == 180
    assert len(path.pairs) >= 20


@given(SIZES, st.integers(0, 5), KINDS)
def test_the_band_is_widened_no_further_than_needed(size, width, kind):
    band = node_band(*size, width, kind)
    assert band.width is not None
    if band.widened:
        assert node_band(*size, band.width - 1, kind).widened
        assert not node_band(*size, band.width, kind).widened
    assert band.low[0] == 0
    assert band.high[-1] == size[1]


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
@pytest.mark.parametrize("algorithm", ["monotone", "nw", "dtw"])
def test_an_empty_side_gives_no_pairs(shape, algorithm):
    assert align_sentences(np.zeros(shape), algorithm) == []


def test_single_sentences():
    row = [[0.2, 0.9, 0.1]]
    assert align_sentences(row, "monotone") == [(0, 1)]
    assert align_sentences(row, "nw") == [(0, 1)]
    assert align_sentences(row, "dtw") == [(0, 0), (0, 1), (0, 2)]
    assert align_sentences([[0.1], [0.8]], "monotone") == [(0, 0), (1, 0)]


@pytest.mark.parametrize(
    ("table", "options", "error"),
    [
        ([[0.1, float("nan")]], {}, InputError),
        ([[0.1, float("inf")]], {}, InputError),
        ([0.1, 0.2], {}, InputError),
        ([[0.1]], {"algorithm": "needleman"}, UnknownName),
        ([[0.1]], {"band": "straight"}, UnknownName),
        ([[0.1]], {"gap_penalty": 0.5}, InputError),
        ([[0.1]], {"bandwidth": -1}, InputError),
    ],
)
def test_what_cannot_be_aligned_is_refused(table, options, error):
    with pytest.raises(error):
        align_sentences(table, **options)
