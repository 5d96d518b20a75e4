"""Whole recordings in pieces: nothing is lost, nothing is counted twice, and all is in order."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gistmeter import score_speech
from gistmeter.core.run import Run
from gistmeter.core.views import Opener
from gistmeter.speech.metrics.edits import align, diff_from_json
from gistmeter.speech.views import PIECE, changes, cut, share_readings, wrong

words = st.lists(st.sampled_from("abcdef"), max_size=120)


def heard(expected: str, cell: Any) -> list[str]:
    """What a page makes of a piece: the words that a system heard."""
    said, found, start = expected.split(), [], 0
    for at in range(0, len(cell or []), 3):
        found += [*said[start : cell[at]], *cell[at + 2].split()]
        start = cell[at] + cell[at + 1]
    return [*found, *said[start:]]


@given(words, words)
def test_pieces_give_both_texts_back_and_count_each_error_once(
    said: list[str], got: list[str]
) -> None:
    alignment = align(said, got)
    edits = diff_from_json(alignment.to_json())
    assert edits is not None
    pieces = [
        (" ".join(expected for _, expected, _ in piece if expected), changes(piece))
        for piece in cut(edits)
    ]
    assert " ".join(text for text, _ in pieces if text).split() == said
    assert [word for text, cell in pieces for word in heard(text, cell)] == got
    assert sum(wrong(cell) for _, cell in pieces) == alignment.distance
    assert all(len(text.split()) == PIECE for text, _ in pieces[:-1])


def test_an_insertion_stays_with_the_word_before_it() -> None:
    first, second = cut([("=", "a b", "a b"), ("i", "", "x"), ("=", "c", "c")], size=2)
    assert changes(first) == [2, 0, "x"]
    assert changes(second) == 0


def long_texts(count: int, wrong_every: int, seed: int = 3) -> tuple[str, str]:
    chance = random.Random(seed)
    said = [f"w{chance.randrange(900)}" for _ in range(count)]
    return " ".join(said), " ".join("oops" if at % wrong_every == 5 else word
                                    for at, word in enumerate(said))  # fmt: skip


def reading(run: Run) -> dict[str, Any]:
    opener = Opener(run)
    (block,) = share_readings(opener)
    (shown,) = opener.shared[block["r"][0]]
    return shown


def test_a_long_text_is_there_whole_for_every_system() -> None:
    said, got = long_texts(2000, 10)
    _, other = long_texts(2000, 40)
    run = score_speech(
        [said],
        {"often": [got], "seldom": [other]},
        language="en",
        metrics=["wer"],
        normalizer="seed",
    )
    found = reading(run)
    assert found["y"] == ["often", "seldom"]
    assert " ".join(line[1] for line in found["r"]) == said
    for column, text in ((2, got), (3, other)):
        pieces = [word for line in found["r"] for word in heard(line[1], line[column])]
        assert " ".join(pieces) == text
    assert sum(wrong(line[2]) for line in found["r"]) == 200


def test_short_clips_need_no_page_of_their_own() -> None:
    run = score_speech(
        ["one two three"] * 30,
        ["one two tree"] * 30,
        language="en",
        metrics=["wer"],
        normalizer="seed",
    )
    assert share_readings(Opener(run)) == []


def test_what_has_no_room_is_said() -> None:
    texts = [long_texts(900, 10, seed) for seed in range(3)]
    run = score_speech(
        [said for said, _ in texts],
        [got for _, got in texts],
        language="en",
        metrics=["wer"],
        normalizer="seed",
    )
    (block,) = share_readings(Opener(run, views=2500))
    assert len(block["r"]) == 1
    assert "2 further recordings do not fit" in block["x"]
    assert "--all" in block["x"]


def test_a_clip_without_a_transcript_keeps_its_place() -> None:
    said = [" ".join(f"word{number}x{at}" for at in range(20)) for number in range(12)]
    names = [f"c{number}" for number in range(12)]
    lacking = [None if number == 3 else text for number, text in enumerate(said)]
    run = score_speech(
        said, {"a": lacking, "b": said}, ids=names, groups=["meeting"] * 12, language="en",
        metrics=["wer"], normalizer="seed",
    )  # fmt: skip
    found = reading(run)
    assert [line[0] for line in found["r"]] == names
    assert found["r"][3][2:] == [None, 0]


def test_segments_of_a_meeting_are_one_recording_by_time(tmp_path: Path) -> None:
    said, words = [], []
    for number in range(30):
        start = 4.0 * number
        text = " ".join(f"w{number}x{at}" for at in range(10))
        said.append(f"meeting 1 speaker{number % 2} {start} {start + 4} {text}")
        for at, word in enumerate(text.split()):
            heard_word = "oops" if number == 20 and at < 5 else word
            words.append(f"meeting 1 {start + 0.4 * at + 0.05:.2f} 0.3 {heard_word}")
    stm, ctm = tmp_path / "ref.stm", tmp_path / "hyp.ctm"
    stm.write_text("\n".join(said))
    ctm.write_text("\n".join(words))
    run = score_speech(expected=stm, got=ctm, language="en", metrics=["wer"], normalizer="seed")
    found = reading(run)
    assert found["t"] == "meeting"
    assert found["r"][20] == ["1:20.0 speaker0", " ".join(f"w20x{at}" for at in range(10)),
                              [0, 5, "oops oops oops oops oops"]]  # fmt: skip
    assert [wrong(line[2]) for line in found["r"]].count(0) == 29
