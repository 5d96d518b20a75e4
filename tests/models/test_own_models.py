"""Models that satisfy a protocol and nothing more: as objects, by entry point, right and wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conftest import ROOT
from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError
from gistmeter.models.loading import Models, load_models, load_models_by_language
from gistmeter.models.protocols import Embeddings, Judgements, Matches, PairScores, TextPair
from gistmeter.models.settings import BackEndSettings

TEXTS = ["b", "abc", "b", "", "a b"]
PAIRS = [("a", "ab"), ("abc", "b"), ("a", "ab")]


class Letters:
    """How many a, b and c; four times as long as it should be."""

    id = "letters@1"

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def embed(self, texts: Sequence[str]) -> Embeddings:
        self.asked += texts
        rows = np.asarray([[4 * text.count(one) + 1 for one in "abc"] for text in texts])
        return Embeddings(rows.astype(np.float32), np.full(len(texts), 0.25))


class Lengths(Letters):
    """All that reads pairs; it fails for an empty text, by position."""

    def match(self, pairs: Sequence[TextPair]) -> Matches:
        f1 = self.numbers(pairs)
        return Matches(f1, f1, f1, np.zeros(len(pairs)), self.failures(pairs))

    def score(self, pairs: Sequence[TextPair]) -> PairScores:
        return PairScores(self.numbers(pairs), np.zeros(len(pairs)), self.failures(pairs))

    def classify(self, pairs: Sequence[TextPair]) -> Judgements:
        yes = self.numbers(pairs)
        rest = (1 - yes) / 2
        return Judgements(yes, rest, rest, np.zeros(len(pairs)), self.failures(pairs))

    def numbers(self, pairs: Sequence[TextPair]) -> Any:
        self.asked += pairs
        return np.asarray([len(first) / (len(first) + len(second) or 1) for first, second in pairs])

    def failures(self, pairs: Sequence[TextPair]) -> dict[int, str]:
        return {at: "an empty text" for at, pair in enumerate(pairs) if not all(pair)}


def load(role: str, model: Any, cache: Cache | None = None, **options: Any) -> Any:
    loaded = load_models([role], names={role: model}, cache=cache or Cache(None), **options)
    return getattr(loaded, role)


def test_a_sentence_embedder_through_the_cache(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "answers.sqlite")
    first = Letters()
    answer = load("embedder", first, cache).embed(TEXTS)
    assert sorted(first.asked) == ["", "a b", "abc", "b"]
    assert np.linalg.norm(answer.vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert answer.vectors[0] == pytest.approx(np.asarray([1, 5, 1]) / np.sqrt(27), abs=1e-6)
    assert answer.unseen.tolist() == [0.25] * 5
    itself = (answer.vectors.astype(np.float64) ** 2).sum(axis=1)
    assert itself == pytest.approx(1, abs=3e-7)  # a text is as near to itself as float32 says
    cache.close()
    second = Letters()
    again = load("embedder", second, Cache(tmp_path / "answers.sqlite")).embed(TEXTS)
    assert second.asked == []
    assert again.vectors.tobytes() == answer.vectors.tobytes()
    assert again.unseen.tolist() == answer.unseen.tolist()
    third = Letters()
    third.id = "letters@2"
    load("embedder", third, Cache(tmp_path / "answers.sqlite")).embed(TEXTS)
    assert len(third.asked) == 4


def test_one_object_in_every_role_keeps_its_answers_apart() -> None:
    model = Lengths()
    roles = ["embedder", "matcher", "cross_encoder", "nli"]
    for _ in range(2):
        loaded = load_models(roles, names=dict.fromkeys(roles, model), cache=(cache := Cache(None)))
        assert not loaded.absent
        for _ in range(2):
            assert loaded.matcher and loaded.matcher.match(PAIRS).f1[0] == pytest.approx(1 / 3)
            assert loaded.cross_encoder
            assert loaded.cross_encoder.score(PAIRS).values[1] == pytest.approx(3 / 4)
            assert loaded.nli and loaded.nli.classify(PAIRS).neutral[1] == pytest.approx(1 / 8)
            assert loaded.embedder and loaded.embedder.id == "letters@1"
        assert len(model.asked) == 3 * 2
        assert cache.info().entries == 3 * 2
        model.asked.clear()


def test_failures_by_position_stay_with_their_items() -> None:
    for role, method in (("matcher", "match"), ("cross_encoder", "score"), ("nli", "classify")):
        answer = getattr(load(role, Lengths()), method)([("a", "b"), ("", "b"), ("c", "d")])
        assert answer.failures == {1: "an empty text"}


def test_a_model_that_raises_for_one_input_loses_only_that() -> None:
    class Picky(Letters):
        def embed(self, texts: Sequence[str]) -> Embeddings:
            if "bad" in texts:
                raise RuntimeError("I do not like it")
            return super().embed(texts)

    answer = load("embedder", Picky()).embed(["a", "bad", "b"])
    assert answer.failures == {1: "the model failed (RuntimeError: I do not like it)"}
    assert np.isnan(answer.vectors[1]).all() and np.isfinite(answer.vectors[[0, 2]]).all()


def test_a_model_that_is_down_is_not_asked_for_ever() -> None:
    class Down(Letters):
        calls = 0

        def embed(self, texts: Sequence[str]) -> Embeddings:
            self.calls += 1
            raise ConnectionError("nobody there")

    model = Down()
    answer = load("embedder", model).embed([f"text {at}" for at in range(2000)])
    assert model.calls == 6
    assert len(answer.failures) == 2000
    assert answer.failures[1999].startswith("not asked: after 5 failures in a row")
    assert answer.vectors.shape[0] == 2000 and np.isnan(answer.vectors).all()


def answers(**fields: Any) -> Any:
    """A model that always answers the same."""
    method = fields.pop("method", "embed")
    return SimpleNamespace(id="m", **{method: lambda _: SimpleNamespace(**fields)})


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (answers(vectors=[[1.0, 2.0]]), "vectors of shape (1, 2) for 2 texts"),
        (answers(vectors=[1.0, 2.0]), "vectors of shape (2,) for 2 texts"),
        (answers(vectors=np.zeros((2, 0))), "vectors of shape (2, 0) for 2 texts"),
        (answers(vectors=np.full((2, 3), np.nan)), "numbers that are not finite"),
        (answers(vectors=np.zeros((2, 3))), "a vector of zeros"),
        (answers(vectors=[["a", "b"], ["c", "d"]]), "'vectors' that are not numbers"),
        (answers(vectors=np.ones((2, 3)), unseen=[0.0]), "'unseen' of shape (1,)"),
        (answers(vectors=np.ones((2, 3)), failures=["x"]), "not reasons by position"),
        (answers(values=[1]), "has no 'vectors'"),
        (SimpleNamespace(id="m", embed=lambda _: None), "NoneType, which has no 'vectors'"),
    ],
)
def test_wrong_vectors_are_a_reason(model: Any, reason: str) -> None:
    answer = load("embedder", model).embed(["a", "b"])
    assert set(answer.failures) == {0, 1}
    assert all(reason in one for one in answer.failures.values())
    assert np.isnan(answer.vectors).all()


def test_vectors_that_change_their_width_are_a_reason() -> None:
    cache = Cache(None)
    load("embedder", answers(vectors=np.ones((1, 3))), cache).embed(["a"])
    other = load("embedder", answers(vectors=np.ones((1, 2))), cache)
    assert other.embed(["a", "b"]).failures == {
        1: "the model gave vectors of different widths under one id"
    }


@pytest.mark.parametrize(
    ("role", "fields", "reason"),
    [
        ("cross_encoder", {"values": [0.5]}, "'values' of shape (1,) for 2"),
        ("cross_encoder", {"values": [7.0, 7.0]}, "left the range [0, 1]"),
        ("cross_encoder", {"values": [np.nan, np.inf]}, "not finite"),
        (
            "nli",
            {"entailment": [0.5, 0.5], "neutral": [0.5, 0.5], "contradiction": [0.5, 0.5]},
            "do not sum to 1",
        ),
        ("nli", {"entailment": [0.5, 0.5]}, "has no 'neutral'"),
        ("matcher", {"precision": [9, 9], "recall": [1, 1], "f1": [1, 1]}, "left the range"),
    ],
)
def test_wrong_numbers_of_pairs_are_a_reason(
    role: str, fields: dict[str, Any], reason: str
) -> None:
    method = {"cross_encoder": "score", "nli": "classify", "matcher": "match"}[role]
    model = load(role, answers(method=method, **fields))
    answer = getattr(model, method)([("a", "b"), ("c", "d")])
    assert set(answer.failures) == {0, 1}
    assert all(reason in one for one in answer.failures.values())


@pytest.mark.parametrize(
    ("role", "model", "said"),
    [
        ("embedder", SimpleNamespace(id="x"), "type SimpleNamespace and has no method 'embed'"),
        ("nli", Letters(), "no method 'classify'"),
        ("cross_encoder", SimpleNamespace(score=len), "no 'id'"),
        ("embedder", SimpleNamespace(id="", embed=len), "no 'id'"),
        ("embedder", Letters, "it is a class, not an object"),
        ("embedder", 7, "of type int"),
        ("matcher", Letters(), "vectors of sentences, none of tokens"),
    ],
)  # fmt: skip
def test_an_object_of_another_shape_is_refused(role: str, model: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        load(role, model)
    assert said in str(caught.value)


def test_a_matcher_of_ones_own_cannot_be_rescaled_here() -> None:
    with pytest.raises(InputError, match="cannot be rescaled"):
        load("matcher", Lengths(), settings=BackEndSettings(rescale=True))


def test_models_that_were_loaded_before_are_taken_as_they_are() -> None:
    face = load("embedder", Letters())
    assert load("embedder", face) is face
    with pytest.raises(InputError, match="no method 'classify'"):
        load("nli", face)


def test_models_by_language_share_what_is_the_same() -> None:
    more = {"mine": {"embedder": "e5-small", "matcher": "e5-small", "ko": {"matcher": Letters.id}}}
    own = Lengths()
    found = load_models_by_language(
        ["embedder", "matcher", "nli"], ["zh", "ja", "zh"],
        profile="embedded", names={"nli": own}, cache=Cache(None),
    )  # fmt: skip
    assert list(found) == ["zh", "ja"]
    assert found["zh"].embedder is found["ja"].embedder
    assert found["zh"].matcher is found["ja"].matcher
    assert found["zh"].nli is found["ja"].nli
    with pytest.raises(InputError):  # the Korean name is nowhere, and only Korean asks for it
        load_models_by_language(
            ["matcher"], ["zh", "ko"], profile="mine", profiles=more, cache=Cache(None)
        )


PACKAGE = """
import numpy as np
from gistmeter.models.protocols import Embeddings, PairScores

class Counts:
    def __init__(self, name):
        self.id = f"counts/{name}@1"
    def embed(self, texts):
        rows = np.asarray([[text.count(one) + 1 for one in "abcdefgh"] for text in texts])
        return Embeddings(rows.astype("f4"), np.zeros(len(texts)))
    def score(self, pairs):
        return PairScores(np.asarray([float(a == b) for a, b in pairs]), np.zeros(len(pairs)))

def load(roles, name, settings, folder):
    if name == "broken":
        raise ValueError("no such thing")
    return Counts(name or "plain")
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A back end as another package would bring it."""
    about = tmp_path / "site" / "counts-1.0.dist-info"
    about.mkdir(parents=True)
    (tmp_path / "site" / "counts_backend.py").write_text(PACKAGE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: counts\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[gistmeter.models]\ncounts = counts_backend:load\n")
    return tmp_path / "site"


@pytest.fixture
def on_path(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(installed))


def by_name(name: str, **options: Any) -> Models:
    roles = ["embedder", "matcher", "cross_encoder", "nli"]
    return load_models(
        roles, names={"embedder": name, "cross_encoder": name}, cache=Cache(None), **options
    )


@pytest.mark.usefixtures("on_path")
def test_a_back_end_by_its_name() -> None:
    models = by_name("counts:fine")
    assert models.embedder and models.embedder.id == "counts/fine@1"
    assert models.cross_encoder
    assert models.cross_encoder.score([("a", "a"), ("a", "b")]).values.tolist() == [1, 0]
    assert models.matcher and "e5" in models.matcher.id  # the profile's own
    alone = by_name("counts").embedder
    assert alone and alone.id == "counts/plain@1"
    with pytest.raises(InputError, match=r"'counts' cannot load 'broken' \(ValueError: no such"):
        by_name("counts:broken")
    with pytest.raises(InputError, match="no method 'classify'"):
        load_models(["nli"], names={"nli": "counts:fine"}, cache=Cache(None))


@pytest.mark.usefixtures("on_path")
def test_a_profile_whose_model_has_no_token_vectors_goes_without() -> None:
    more = {"mine": {"embedder": "counts:x", "matcher": "counts:x"}}
    models = load_models(["embedder", "matcher"], profile="mine", profiles=more, cache=Cache(None))
    assert models.embedder is not None and models.matcher is None
    assert "'counts:x' cannot serve: it gives vectors of sentences" in models.absent["matcher"]


def test_a_back_end_from_the_command_line(installed: Path, in_folder: Path) -> None:
    (in_folder / "model_a.csv").write_text(
        "idiom,Prediction,Reference\n1,a fine day,a day\n2,b,b\n"
    )
    paths = os.pathsep.join([str(installed), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, "-m", "gistmeter", "text", "--predictions", "model_a.csv",
         "--language", "en", "--embedder", "counts:x", "--cross-encoder", "counts:x",
         "--metrics", "s_acc", "--format", "json", "--no-cache"],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    assert "counts/x@1" in run["signature"]
    assert run["systems"]["model_a"]["scores"]["s_acc"]["n"] == 2
