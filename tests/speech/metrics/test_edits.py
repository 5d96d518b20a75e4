"""The fewest edits, and where texts are cut."""

from __future__ import annotations

import itertools
import json

from hypothesis import given
from hypothesis import strategies as st

from gistmeter.speech.metrics.edits import align, character_edits, segments

WORDS = st.lists(st.sampled_from("abcde"), max_size=40)


def drawn(expected: str, got: str) -> str:
    """An alignment as text, one run a line."""
    alignment = align(expected.split(), got.split())
    return "\n".join(
        f"{edit.kind} {' '.join(edit.expected)}|{' '.join(edit.got)}" for edit in alignment.edits
    )


def test_an_alignment_by_hand() -> None:
    assert drawn("so he said no to us", "he said know to us all") == (
        "d so|\n= he said|he said\ns no|know\n= to us|to us\ni |all"
    )


def test_the_diff_is_json_with_runs_of_words() -> None:
    runs = json.loads(align(["a", "b"], ["a", "c", "d"]).to_json())
    assert runs[0] == ["=", "a", "a"]
    assert sum(len(got.split()) for _, _, got in runs) == 3


@given(WORDS, WORDS)
def test_nothing_is_lost_in_an_alignment(expected: list[str], got: list[str]) -> None:
    alignment = align(expected, got)
    assert list(alignment.expected) == expected
    assert list(alignment.got) == got
    assert alignment.distance <= max(len(expected), len(got))


@given(WORDS, WORDS, st.integers(1, 6))
def test_edits_of_segments_sum_to_the_whole(
    expected: list[str], got: list[str], count: int
) -> None:
    marks = [round(len(expected) * part / count) for part in range(count + 1)]
    bounds = list(itertools.pairwise(marks))
    whole = align(expected, got)
    parts = whole.cut(bounds)
    assert sum(part.distance for part in parts) == whole.distance
    assert [word for part in parts for word in part.got] == got
    for part, (start, end) in zip(parts, bounds, strict=True):
        assert list(part.expected) == expected[start:end]


@given(st.text("ab ", max_size=50), st.text("ab ", max_size=50), st.integers(1, 5))
def test_character_edits_of_segments_sum_to_the_distance(
    expected: str, got: str, count: int
) -> None:
    from rapidfuzz.distance import Levenshtein

    ends = [round(len(expected) * part / count) for part in range(1, count + 1)]
    assert sum(character_edits(expected, got, ends)) == Levenshtein.distance(expected, got)


@given(st.integers(0, 20_000))
def test_segments_cover_the_text_evenly(words: int) -> None:
    bounds = segments(words)
    assert bounds[0][0] == 0 and bounds[-1][1] == words
    assert all(one[1] == other[0] for one, other in itertools.pairwise(bounds))
    sizes = [end - start for start, end in bounds]
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= 53


def test_segments_of_known_lengths() -> None:
    assert len(segments(14)) == 1
    assert len(segments(112)) == 7  # of 16 words
    assert len(segments(300)) == 10  # of 30
    assert len(segments(5000)) == 100  # of 50
