"""What the judge is trained with: rules that change or keep a meaning, held-out texts, the file."""

from __future__ import annotations

import random
import struct
import tomllib
from pathlib import Path

import numpy as np
import pytest

from conftest import ROOT
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


def test_training_is_left_out_of_what_is_published() -> None:
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    assert targets["build"]["targets"]["wheel"]["packages"] == ["src/gistmeter"]
    assert "/training" in targets["build"]["targets"]["sdist"]["exclude"]


def test_a_turned_row_exchanges_texts_and_directions() -> None:
    from training.rows import ENTAILMENT, NOT_ENTAILMENT, Row

    row = Row("all", "a part", ENTAILMENT, 0.5, backward=NOT_ENTAILMENT).turned()
    assert (row.first, row.second) == ("a part", "all")
    assert (row.label, row.backward, row.degree) == (NOT_ENTAILMENT, ENTAILMENT, 0.5)


def test_kept_aside_groups_are_a_sixth_of_every_shape_and_never_drawn() -> None:
    written = pytest.importorskip("training.written")
    aside, trained = written.kept_aside(), written.for_training()
    for shape in written.DRAWS:
        kept = sum(written.shape(group) == shape for group in aside)
        rest = sum(written.shape(group) == shape for group in trained)
        assert 0.1 < kept / (kept + rest) < 0.23, shape
    texts = {group.get("passage") or group["text"] for group in aside}
    drawn = {
        text
        for group in trained
        for row in written.DRAWS[written.shape(group)](group, random.Random(2)).rows
        for text in (row.first, row.second)
    }
    assert not texts & drawn


def test_a_draw_has_as_much_that_survives_as_not_near_and_far() -> None:
    written = pytest.importorskip("training.written")
    groups = [one for one in written.for_training() if "same" in one][::7]
    assert any("close" in one for one in groups) and not all("close" in one for one in groups)
    for group in groups:
        rows = written.contrast(group, random.Random(1)).rows
        for kind in ("near", "far"):
            survives = [row.survives for row in rows if row.kind == kind]
            assert survives.count(1) == survives.count(0), (group["text"], kind)
        assert any(row.kind == "near" for row in rows) == ("close" in group)


def test_a_draw_ranks_what_survives_above_the_rest() -> None:
    written = pytest.importorskip("training.written")
    for group in written.for_training()[::60]:
        made = written.draw(group, random.Random(1))
        for high, low in made.ranks:
            above, below = made.rows[high], made.rows[low]
            if above.survives == above.survives and below.survives == below.survives:
                assert above.survives > below.survives


@pytest.mark.parametrize("language", ["en", "zh", "ja", "ko", "cs", "ru", "de", "fr", "es"])
def test_a_format_leaves_every_word_in_place(language: str) -> None:
    formats = pytest.importorskip("training.formats")
    text = "B123 c4 d5"
    made = {formats.wrap(text, language, random.Random(seed), "topic") for seed in range(200)}
    assert len(made) > 20
    assert all("b123 c4 d5" in one.lower() for one in made)


def test_a_transcript_loses_fillers_marks_and_case_but_no_number() -> None:
    formats = pytest.importorskip("training.formats")
    text = "Um, the dose is 2.5 mg, at 8:30."
    made = {formats.transcribe(text, "en", random.Random(seed)) for seed in range(60)}
    assert {text, "the dose is 2.5 mg at 8:30"} <= made
    assert all("2.5 mg" in one and "8:30" in one for one in made)


@pytest.mark.torch
def test_a_checkpoint_comes_back_in_half_precision(tmp_path: Path) -> None:
    import torch
    from training import checkpoint

    state = {"a": torch.tensor([[1.5, -2.25]]), "b": torch.tensor([0.1])}
    checkpoint.write(state, tmp_path / "x.safetensors", {"pairs": "3"})
    back = checkpoint.read(tmp_path / "x.safetensors")
    assert back["a"].tolist() == [[1.5, -2.25]]
    assert back["b"].item() == pytest.approx(0.1, abs=1e-4)
    mean = checkpoint.average([state, {"a": -state["a"], "b": state["b"]}])
    assert mean["a"].tolist() == [[0.0, 0.0]]


@pytest.mark.torch
def test_a_loss_falls_where_outputs_agree_with_targets() -> None:
    import torch
    from training import corpus, losses

    from gistmeter.models.judge.network import CHANGED, DEGREE, OUTPUTS, SURVIVES

    nan = float("nan")
    inputs = {
        "label": torch.tensor([0, 3]),
        "backward": torch.tensor([0, -1]),
        "survives": torch.tensor([1.0, 0.0]),
        "degree": torch.tensor([0.9, nan]),
        "changed": torch.tensor([0.0, 1.0]),
    }
    batch = corpus.Batch(inputs, [(0, 1)], [(0, 1)])
    right = torch.zeros(2, len(OUTPUTS))
    right[0, [0, 3, SURVIVES, DEGREE]] = 3.0
    right[1, [1, CHANGED]] = 3.0
    right[0, CHANGED] = right[1, SURVIVES] = -3.0
    good, parts = losses.total(right, batch)
    bad, _ = losses.total(-right, batch)
    assert set(parts) == set(losses.WEIGHTS)
    assert float(good) < 0.5 * float(bad)


@pytest.mark.torch
def test_a_text_is_read_once_and_others_each_time(tmp_path: Path) -> None:
    import torch
    from training.network import Pack
    from training.readings import Readings

    class Words:
        head, tail = [1], [2]

        def add(self, texts: list[str]) -> None: ...
        def content(self, text: str) -> list[int]:
            return [len(word) for word in text.split()]

    class Frozen:
        def __init__(self) -> None:
            self.read: list[int] = []

        def embed(self, ids: torch.Tensor, pack: Pack) -> tuple[torch.Tensor, torch.Tensor]:
            self.read.append(len(ids))
            states = ids.flatten()[pack.places].float()[:, None].repeat(1, 4)
            return states, -states

    ids = torch.tensor([[1, 3, 5, 2], [1, 7, 2, 0]])
    inputs = {"texts": ["one three", "another"], "ids": ids, "real": ids > 0}
    readings = Readings(tmp_path / "states.bin", Words(), ["one three"], width=4)
    network = Frozen()
    for _ in range(2):
        kept, last = readings.embed(network, inputs)
        assert kept[:, 0].tolist() == [1, 3, 5, 2, 1, 7, 2]
        assert torch.equal(last, -kept)
    assert network.read == [2, 1]
