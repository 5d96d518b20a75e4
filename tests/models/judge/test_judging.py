"""Long texts in claims and windows: nothing is lost, one bad claim shows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gistmeter.models.judge.judging import nearest, pool, split
from gistmeter.models.judge.network import COUNT, compare, mark


def count(texts: list[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def test_a_short_text_stays_whole() -> None:
    parts = split("One. Two. Three.", count, room=5)
    assert parts.claims == parts.windows == ("One. Two. Three.",)


def test_a_long_text_is_cut_at_sentences() -> None:
    parts = split("Rain fell down. Wind blew hard. Nobody went out.", count, room=6)
    assert parts.claims == ("Rain fell down.", "Wind blew hard.", "Nobody went out.")
    assert parts.windows == ("Rain fell down. Wind blew hard.", "Nobody went out.")


@given(st.lists(st.sampled_from(["a", "bb", "c.", "d!", "e,"]), min_size=1, max_size=60))
def test_no_word_is_lost_and_every_part_fits(words: list[str]) -> None:
    text = " ".join(words)
    parts = split(text, count, room=7)
    assert " ".join(parts.claims).split() == words
    assert " ".join(parts.windows).split() == words
    assert max(count([*parts.claims, *parts.windows])) <= 7


def test_a_text_without_spaces_is_cut_all_the_same() -> None:
    text = "字" * 50
    parts = split(text, lambda texts: [len(one) for one in texts], room=8)
    assert "".join(parts.claims) == text
    assert max(map(len, parts.claims)) <= 8


def test_nearest_windows_come_first() -> None:
    claims = np.asarray([[1.0, 0.0]], dtype=np.float32)
    windows = np.asarray([[0.0, 1.0], [1.0, 0.0], [0.6, 0.8]], dtype=np.float32)
    assert nearest(claims, windows, 2) == [[1, 2]]


def test_pool_by_hand() -> None:
    good = np.asarray([0.9, 0.1, 0.0, 0.6, 0.4, 0.0, 0.7, 0.8, 0.1])
    bad = np.asarray([0.1, 0.2, 0.7, 0.3, 0.3, 0.4, 0.2, 0.4, 0.9])
    pooled = pool([good, good, good, bad], [good])
    yes, no = (0.7 + 0.1) / 2, (0.175 + 0.7) / 2
    assert np.allclose(pooled[:3], [yes, 1 - yes - no, no])
    assert np.allclose(pooled[3:6], [0.6, 0.4, 0.0])  # of the only claim of the first text
    survives, degree, changed = pooled[6:]
    assert np.isclose(survives, (0.6 + 0.2) / 2)
    assert np.isclose(degree, (0.7 + 0.8) / 2)
    assert np.isclose(changed, (0.26 + 0.9) / 2)


def test_features_by_hand() -> None:
    found = compare([1, 2, 3], [1, 3, 4], ("in 2019", "in 2018"))
    assert len(found) == COUNT
    assert found[1] == found[2] == 1
    assert np.isclose(found[3], 2 / 3)
    exact, bigram = mark([1, 2, 3], [1, 2, 9])
    assert exact.tolist() == [1, 1, 0]
    assert bigram.tolist() == [1, 1, 0]


def test_a_single_token_has_no_neighbour() -> None:
    exact, bigram = mark([5], [5])
    assert exact.tolist() == [1]
    assert bigram.tolist() == [0]
