"""The formulas: golden values, small cases by hand, and bounds."""

from __future__ import annotations

import json

import numpy as np
import pytest

from conftest import shared_path
from gistmeter.book.metrics import measures, similarity
from gistmeter.book.metrics.book_comparison import AlignmentSettings, compare_book
from gistmeter.book.metrics.description import heat_map
from gistmeter.book.metrics.measures import (
    ContentWords,
    Pairs,
    source_evidence,
    summary_evidence,
    words_there,
)
from gistmeter.book.metrics.similarity import SimilarityTable


def golden_cases():
    table = None
    for case in json.loads(shared_path("golden/align.json").read_text(encoding="utf-8")):
        table = table if isinstance(case["similarity"], str) else np.array(case["similarity"])
        yield case, table


def test_golden_values():
    for case, table in golden_cases():
        names = ("gap_penalty", "pfs_gamma", "alpha", "scs_beta", "top_k")
        settings = AlignmentSettings(algorithm="nw", **{name: case[name] for name in names})
        found, expected = compare_book(SimilarityTable.of(table), settings), case["expected"]
        distance = np.nansum(found.weight * found.deviation) / np.nansum(found.weight)
        got = {
            "coverage": found.coverage.mean(),
            "threshold": found.threshold,
            "alignment_confidence": np.nanmean(found.pairs.similarity),
            "pfs": (1 - distance) ** settings.pfs_gamma,
            "scs": found.scs.mean(),
        }
        assert got == pytest.approx({name: expected[name] for name in got}, abs=1e-6)
        assert found.scs == pytest.approx(expected["scs_per_sentence"], abs=1e-6)


def test_the_best_sources_are_ordered_and_the_first_of_equals_wins(monkeypatch):
    table = [[0.5, 0.9, 0.5, 0.9], [0.1, 0.1, 0.1, 0.1], [0.0, 0.2, 0.4, 0.3]]
    for size in (32 << 20, 8):  # all rows at once, and one by one
        monkeypatch.setattr(similarity, "BLOCK_BYTES", size)
        best = measures.best_sources(SimilarityTable.of(table), 3)
        assert best.index.tolist() == [[1, 3, 0], [0, 1, 2], [2, 3, 1]]
        assert best.similarity[0].tolist() == [0.9, 0.9, 0.5]


def test_more_sources_are_not_asked_for_than_there_are():
    assert measures.best_sources(SimilarityTable.of([[0.5, 0.9]]), 5).index.tolist() == [[1, 0]]


def test_equal_best_similarities_all_count_as_covered():
    assert measures.coverage_hits(np.array([0.7, 0.7, 0.7])).all()
    assert measures.coverage_hits(np.array([0.1 + 0.2, 0.3])).all()


def test_the_most_similar_pair_of_a_sentence_counts():
    table = SimilarityTable.of([[0.2, 0.9, 0.3], [0.1, 0.2, 0.6]])
    path = np.array([[0, 0], [0, 1], [1, 1], [1, 2]])
    assert measures.pairs_of(path, table).index.tolist() == [1, 2]


def test_position_by_hand():
    pairs = Pairs(np.array([0, -1, 3]), np.array([0.5, np.nan, 0.9]))
    expected = [abs(1 / 6 - 1 / 8), np.nan, abs(5 / 6 - 7 / 8)]
    assert measures.deviations(pairs, 4) == pytest.approx(expected, nan_ok=True)


def test_a_similarity_below_zero_weighs_next_to_nothing():
    pairs = Pairs(np.array([0, 1]), np.array([-0.4, 0.5]))
    assert measures.weights(pairs).tolist() == [1e-6, 0.5]


def test_source_sentences_are_supported_by_their_neighbours_on_the_path():
    # Source 2 is like summary sentence 0 only, which lies far from it: that is no support.
    table = SimilarityTable.of(
        [
            [0.9, 0.2, 0.95, 0.1, 0.1],
            [0.1, 0.8, 0.30, 0.1, 0.1],
            [0.1, 0.1, 0.10, 0.1, 0.7],
            [0.1, 0.1, 0.10, 0.1, 0.6],
        ]
    )
    found = source_evidence(np.array([0, 1, 4, 4]), table, None, 0.0)
    assert found.similarity == pytest.approx([0.9, 0.8, 0.3, 0.1, 0.7])
    assert found.index.tolist() == [0, 1, 1, 1, 2]
    # The same summary with its sentences in another order supports the same.
    turned = SimilarityTable.of(table.values[::-1].copy())
    moved = source_evidence(np.array([4, 4, 1, 0]), turned, None, 0.0)
    assert moved.similarity == pytest.approx([0.9, 0.8, 0.3, 0.1, 0.7])


def test_without_pairs_nothing_is_supported():
    table = SimilarityTable.of(np.ones((2, 3)))
    found = source_evidence(np.array([-1, -1]), table, None, 0.0)
    assert found.similarity.tolist() == [-1, -1, -1]


def test_shared_words_count_by_what_they_say():
    source = [["fox", "lantern"], ["fox", "owl"], ["fox", "ice"], []]
    words = ContentWords.of(source, [["fox"], ["lantern", "dragon"], []])
    rare, common = (words.worth[word] for word in ("owl", "fox"))
    assert rare > common > 0
    assert words.shared(frozenset(["fox", "owl"]), [words.summary[0]]) == pytest.approx(
        common / (common + rare)
    )
    assert words.shared(frozenset(), [words.summary[0]]) == 0.5
    table = SimilarityTable.of([[0.5, 0.5, 0.5, 0.5]] * 3)
    best = measures.best_sources(table, 3)
    evidence = summary_evidence(best, words, 0.2)
    assert evidence[0] == pytest.approx(0.6)  # all its words
    assert 0.4 < evidence[1] < 0.5  # one of two
    assert evidence[2] == pytest.approx(0.5)  # no words tell nothing


def test_the_words_that_are_there_are_those_of_the_sentences_beside():
    source = [["fox", "lantern"], ["owl", "birch"], ["ice", "paws"], []]
    words = ContentWords.of(source, [["fox", "owl"], ["lantern", "birch", "ice"]])
    # Both are placed at the first sentence; the others have but the last one before them.
    assert words_there(np.array([0, 0]), words) == pytest.approx([1, 0.5, 0.5, 1])
    assert words_there(np.array([0, 3]), words) == pytest.approx([0.5, 1, 0.5, 1])
    assert words_there(np.array([-1, -1]), words).tolist() == [0, 0, 0, 0]


def test_a_source_far_off_the_path_is_a_violation_of_order():
    best = measures.BestSources(np.array([[0], [90], [12]]), np.ones((3, 1)))
    pairs = Pairs(np.array([0, 10, -1]), np.array([1.0, 0.5, np.nan]))
    found = measures.off_path(pairs, best, 100, 0.05)
    assert found == pytest.approx([0.0, 1.0, np.nan], nan_ok=True)


def test_tenths_of_long_and_short_texts():
    assert measures.tenths(np.array([1.0] * 10 + [0.0] * 10)) == [1.0] * 5 + [0.0] * 5
    assert measures.tenths(np.array([1.0, 0.0])) == pytest.approx(
        [1, *[np.nan] * 4, 0, *[np.nan] * 4], nan_ok=True
    )


def test_a_similarity_is_the_same_kept_computed_or_picked():
    random = np.random.default_rng(0)
    vectors = random.standard_normal((50, 24)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    kept = similarity.compare(vectors[:20], vectors)
    computed = similarity.compare(vectors[:20], vectors, kept_bytes=0)
    assert isinstance(computed, similarity.ComputedSimilarity)
    whole = kept.block(0, 20, 0, 50)
    assert np.array_equal(whole[3:9, 5:30], kept.block(3, 9, 5, 30))
    assert computed.block(0, 20, 0, 50) == pytest.approx(whole, abs=2**-22)
    rows, columns = np.arange(20), np.arange(20)
    assert kept.at(rows, columns) == pytest.approx(1.0, abs=2**-22)
    assert computed.at(rows, columns) == pytest.approx(1.0, abs=2**-22)
    assert np.array_equal(np.rint(whole * 2**24), whole * 2**24)


def test_the_heat_map_keeps_the_peaks():
    table = np.zeros((500, 1000))
    table[123, 456] = 0.9
    drawn = heat_map(SimilarityTable.of(table))
    values = np.array(drawn.values)
    assert values.shape == (200, 400)
    assert (drawn.rows, drawn.columns) == (500, 1000)
    assert values.max() == 0.9
    assert np.count_nonzero(values) == 1


def test_a_small_heat_map_is_the_table():
    table = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    assert np.array(heat_map(SimilarityTable.of(table)).values).tolist() == table.tolist()
