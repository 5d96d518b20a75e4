"""The wrappers: each text read once, each answer kept, each failure with its item."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter.core.cache import Cache, Memo, keys
from gistmeter.models.bertscore import TokenMatching
from gistmeter.models.cached import (
    CachedCrossEncoder,
    CachedEmbedder,
    CachedEntailment,
    CachedMatcher,
)
from gistmeter.models.encoders import (
    JointReading,
    SharedEncoder,
    cut,
)
from gistmeter.models.judge import TOLD, CachedJudge
from models.model_doubles import LengthReader, LetterEncoder

WORDS = st.lists(st.text("abcdefgh", max_size=14), min_size=1, max_size=20)


def wrapped(
    backend: LetterEncoder, cache: Cache | None = None
) -> tuple[CachedEmbedder, CachedMatcher]:
    cache = cache or Cache(None)
    encoder = SharedEncoder(backend, cache)
    embedder = CachedEmbedder("letters/mean", encoder, cache)
    matching = TokenMatching(encoder, learn=embedder.learn)
    return embedder, CachedMatcher("letters/match", matching, cache)


@given(WORDS)
def test_answers_come_in_the_order_of_the_texts(texts: list[str]) -> None:
    embedder, _ = wrapped(LetterEncoder())
    answer = embedder.embed(texts)
    assert np.allclose(np.linalg.norm(answer.vectors, axis=1), 1, atol=1e-5)
    for at, text in enumerate(texts):
        alone = wrapped(LetterEncoder())[0].embed([text])
        assert alone.vectors[0].tobytes() == answer.vectors[at].tobytes()


def test_each_text_is_read_once_for_both_roles() -> None:
    backend = LetterEncoder()
    embedder, matcher = wrapped(backend)
    pairs = [(f"p{at % 5}", "reference") for at in range(24)]
    matcher.match(pairs)
    embedder.embed([text for pair in pairs for text in pair])
    matcher.match(pairs)
    assert sorted(backend.read) == ["p0", "p1", "p2", "p3", "p4", "reference"]
    backend.read.clear()
    embedder.embed(["new", "other"])
    matcher.match([("new", "other")])
    assert sorted(backend.read) == ["new", "other"]


def test_a_second_run_reads_nothing(tmp_path: Path) -> None:
    first = LetterEncoder()
    cache = Cache(tmp_path / "answers.sqlite")
    embedder, matcher = wrapped(first, cache)
    one = embedder.embed(["abc", "defghijk"]), matcher.match([("abc", "abd")])
    cache.close()
    second = LetterEncoder()
    embedder, matcher = wrapped(second, Cache(tmp_path / "answers.sqlite"))
    two = embedder.embed(["abc", "defghijk"]), matcher.match([("abc", "abd")])
    assert second.read == []
    assert one[0].vectors.tobytes() == two[0].vectors.tobytes()
    assert one[1].f1.tobytes() == two[1].f1.tobytes()


def test_a_damaged_entry_is_computed_again() -> None:
    cache = Cache(None)
    _, matcher = wrapped(LetterEncoder(), cache)
    cache.put_many(dict.fromkeys(keys(matcher.stored, [("a", "a")]), b"abc"))
    assert matcher.match([("a", "a")]).f1[0] == pytest.approx(1, abs=1e-6)


def test_more_answers_than_memory_holds_are_the_same_answers() -> None:
    backend = LetterEncoder()
    cache = Cache(None)
    cache.memo = Memo(1)
    embedder, _ = wrapped(backend, cache)
    texts = [f"{first}{second}" for first in "abc" for second in "defg"]
    once = embedder.embed(texts)
    assert embedder.embed(texts[::-1]).vectors.tolist() == once.vectors.tolist()[::-1]
    assert sorted(backend.read) == sorted(texts)  # the rest came from the cache


def test_a_pair_may_be_a_list() -> None:
    _, matcher = wrapped(LetterEncoder())
    pairs: Any = [["abc", "abd"], ("abc", "abd")]
    first, second = matcher.match(pairs).f1
    assert first == second > 0


def test_a_failure_stays_with_its_item_and_is_not_remembered() -> None:
    backend = LetterEncoder()
    backend.broken = {"x"}
    embedder, matcher = wrapped(backend)
    answer = embedder.embed(["abc", "axc", "acb"])
    assert answer.failures == {1: "the model failed (ValueError: broken letter)"}
    assert np.isnan(answer.vectors[1]).all()
    assert np.isfinite(answer.vectors[[0, 2]]).all()
    matches = matcher.match([("abc", "abc"), ("abc", "axc")])
    assert set(matches.failures) == {1}
    assert math.isnan(matches.f1[1])
    nothing = embedder.embed(["xx"]).vectors
    assert math.isnan(float(nothing[0] @ nothing[0]))
    backend.broken = set()
    assert not embedder.embed(["axc"]).failures


def test_a_text_that_the_tokenizer_cannot_take_is_a_failure_by_itself() -> None:
    backend = LetterEncoder()
    cut_up = backend.tokenize
    backend.tokenize = lambda texts: cut_up([text.encode().decode() for text in texts])  # type: ignore[method-assign]
    answer = wrapped(backend)[0].embed(["abc", "half \ud800", "acb"])
    assert list(answer.failures) == [1]
    assert "UnicodeEncodeError" in answer.failures[1]
    assert np.isfinite(answer.vectors[[0, 2]]).all()


def test_progress_counts_what_is_computed() -> None:
    seen = []
    embedder = CachedEmbedder(
        "letters",
        SharedEncoder(LetterEncoder()),
        Cache(None),
        progress=lambda *state: seen.append(state),
    )
    embedder.embed(["a", "b", "a"])
    assert seen == [("embedding", 1, 2), ("embedding", 2, 2)]
    embedder.embed(["a", "b"])
    assert len(seen) == 2


def test_judging_tells_how_far_it_is() -> None:
    read: list[int] = []

    class Slow:
        """A judge that reads all pairs it is given before it answers."""

        def read(self, pairs: Any, memo: Any) -> Any:
            del memo
            read.append(len(pairs))
            return list(enumerate(np.zeros((len(pairs), 6))))

    seen: list[tuple[int, int]] = []  # pairs read when the progress was told, pairs done
    size = 2 * TOLD + 5
    judge = CachedJudge(
        "slow", Slow(), Cache(None), progress=lambda *state: seen.append((sum(read), state[1]))
    )
    judge.judge([(f"a{at}", "b") for at in range(size)])
    assert read == [TOLD, TOLD, 5]
    assert seen[0] == (TOLD, 1) and seen[-1] == (size, size)


@given(st.integers(0, 500), st.integers(1, 60))
def test_windows_cover_a_text_without_a_gap(length: int, room: int) -> None:
    slices = cut(length, room)
    covered = [at for part in slices for at in range(part.start, part.stop)]
    assert covered == list(range(length))
    assert max(part.stop - part.start for part in slices) <= room
    assert len(slices) == max(1, -(-length // room))


def test_pairs_report_what_they_could_not_see() -> None:
    reader = LengthReader(1)
    model = CachedCrossEncoder(reader.id, JointReading(reader), Cache(None))
    answer = model.score([("ab", "cd"), ("a" * 15, "b" * 5), ("ab", "cd")])
    assert answer.values.tolist() == [0.4, 1.0, 0.4]
    assert answer.unseen.tolist() == [0.0, 0.5, 0.0]
    assert reader.calls == 2
    again = model.score([("a" * 15, "b" * 5)])
    assert again.unseen.tolist() == [0.5]
    assert reader.calls == 2


def test_entailment_keeps_the_three_apart() -> None:
    reader = LengthReader(3)
    model = CachedEntailment(reader.id, JointReading(reader), Cache(None))
    answer = model.classify([("abcd", "ef")])
    assert (answer.entailment[0], answer.neutral[0], answer.contradiction[0]) == (0.6, 0.2, 0.2)


def test_numbers_that_are_not_finite_are_a_failure() -> None:
    reader = LengthReader(1)
    reader.read = lambda pairs: np.full((len(pairs), 1), np.inf)  # type: ignore[method-assign]
    model = CachedCrossEncoder(reader.id, JointReading(reader), Cache(None))
    assert model.score([("a", "b")]).failures == {0: "the model gave numbers that are not finite"}
