"""What the judge is trained with: rules that change or keep a meaning, held-out texts, the file."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest

from gistmeter.models.judge import judge_weights

edits = pytest.importorskip("training.edits", reason="training/ is not part of the package")

CHANGES = {
    "zh": ("他会弹吉他。", "negation", "他不会弹吉他。"),
    "ja": ("彼は笑っています。", "negation", "彼は笑っていません。"),
    "ko": ("그는 노래를 하고 있다.", "negation", "그는 노래를 하고 있지 않다."),
    "en": ("A cat is licking milk.", "negation", "A cat is not licking milk."),
    "cs": ("Pavel má auto.", "negation", "Pavel nemá auto."),
    "ru": ("Мужчина рисует.", "negation", "Мужчина не рисует."),
}


@pytest.mark.parametrize("language", CHANGES)
def test_a_negation_is_put_in_and_taken_out(language: str) -> None:
    text, kind, changed = CHANGES[language]
    made = dict(edits.change(language, text, random.Random(1)))
    assert made[kind] == changed
    back = {dict(edits.change(language, changed, random.Random(seed)))[kind] for seed in range(30)}
    assert text in back


def test_a_number_changes() -> None:
    made = dict(edits.change("en", "It costs 25 dollars.", random.Random(1)))["number"]
    assert made != "It costs 25 dollars."
    assert made.startswith("It costs ")


def test_people_trade_places_only_where_it_matters() -> None:
    chance = random.Random(1)
    assert (
        edits.exchange("en", "The man bit the dog.", ("man", "dog"), chance)
        == "The dog bit the man."
    )
    assert edits.exchange("en", "a man and a dog", ("man", "dog"), chance) == ""


def test_a_reworded_text_may_hold_a_negation() -> None:
    made = dict(edits.reword("zh", "这个问题很容易。", random.Random(1)))
    assert made["negated opposite"] == "这个问题很不难。"


def test_a_frame_tells_the_same_and_the_reverse() -> None:
    frames = pytest.importorskip("training.frames")
    scene = frames.Scene(
        frames.Frames("cs"),
        (("f", ["Anna", "Anny", "Anně", "Annu", "Annou"]),
         ("m", ["Petr", "Petra", "Petrovi", "Petra", "Petrem"])),
        {},
    )  # fmt: skip
    chance = random.Random(1)
    assert scene.tell("A pozval[a] B4.", chance) == "Anna pozvala Petra."
    assert scene.tell("B byl{a} pozván{a} A7.", chance) == "Petr byl pozván Annou."
    assert scene.swapped().tell("A přišel[/přišla].", chance) == "Petr přišel."
    assert scene.tell("A přišel[/přišla].", chance) == "Anna přišla."


@pytest.mark.parametrize("language", ["en", "zh", "ja", "ko", "cs", "ru"])
def test_frames_leave_no_slot_open(language: str) -> None:
    frames = pytest.importorskip("training.frames")
    groups = list(frames.groups(language, 600, random.Random(3)))
    texts = {text for group in groups for row in group.rows for text in (row.first, row.second)}
    assert len(texts) > 1000
    assert not [text for text in texts if any(mark in text for mark in "[]{}|/=!")]
    for group in groups:
        assert group.rows[0].changed == 0 and group.rows[0].first != group.rows[0].second
        assert len(group.rows) > 1 and all(row.changed == 1 for row in group.rows[1:])


def test_a_seed_gives_the_same_edits() -> None:
    text = "Two men and 3 women bought a large red car in Paris on Monday."
    first, second = (edits.change("en", text, random.Random(4)) for _ in range(2))
    assert first == second
    assert len(first) >= 4


@pytest.mark.torch
@pytest.mark.parametrize("bits", [4, 8])
def test_blocks_come_back(bits: int) -> None:
    from training import export

    chance = np.random.default_rng(1)
    matrix = chance.normal(0, 0.05, (6, 64)).astype(np.float32)
    back = judge_weights.expand(export.to_blocks(matrix, bits)).reshape(6, 64)
    step = np.abs(matrix).max() / 2 ** (bits - 1)
    assert np.abs(back - matrix).max() < 1.2 * step


@pytest.mark.torch
def test_the_file_is_safetensors() -> None:
    from training import export

    arrays = {"a": np.arange(3, dtype="<f4"), "b": np.zeros((2, 1, 18), dtype=np.uint8)}
    content = export.serialise(arrays, {"x": "y"})
    places, notes = judge_weights.parse(np.frombuffer(content, dtype=np.uint8))
    assert notes == {"x": "y"}
    kind, shape, start, stop = places["a"]
    assert (kind, shape) == ("F32", (3,))
    assert struct.unpack("<3f", content[start:stop]) == (0, 1, 2)
