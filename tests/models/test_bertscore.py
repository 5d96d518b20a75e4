"""BERTScore: tokens matched greedily, weighted by rarity, rescaled by a baseline."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter.core.cache import Cache
from gistmeter.models.bertscore import Baseline, TokenMatching, TokenWeights, find_baseline, match
from gistmeter.models.cached import CachedMatcher
from gistmeter.models.encoders import SharedEncoder, TextVectors, to_unit
from gistmeter.models.loading import load_models
from gistmeter.models.settings import BackEndSettings
from models.model_doubles import LetterEncoder, letter


def vectors_of(text: str) -> TextVectors:
    ids = [1, *map(ord, text), 2]
    rows = to_unit(np.stack([letter(token) for token in ids]))
    special = np.asarray([True, *[False] * len(text), True])
    return TextVectors(rows, np.asarray(ids), special, rows.mean(axis=0))


def test_matching_by_hand() -> None:
    candidate, reference = vectors_of("ab"), vectors_of("acd")
    scores = match(candidate, reference, TokenWeights())
    assert scores is not None
    cosines = candidate.tokens @ reference.tokens.T
    precision = cosines[1:3].max(axis=1).mean()  # specials weigh nothing but may be matched
    recall = cosines[:, 1:4].max(axis=0).mean()
    f1 = 2 * precision * recall / (precision + recall)
    assert scores == pytest.approx([precision, recall, f1], abs=1e-6)


@given(st.text("abcdef", min_size=1, max_size=9), st.text("abcdef", min_size=1, max_size=9))
def test_matching_is_symmetric_with_precision_and_recall_swapped(first: str, second: str) -> None:
    one = match(vectors_of(first), vectors_of(second), TokenWeights())
    two = match(vectors_of(second), vectors_of(first), TokenWeights())
    assert one is not None and two is not None
    assert one == pytest.approx([two[1], two[0], two[2]], abs=1e-6)
    same = match(vectors_of(first), vectors_of(first), TokenWeights())
    assert same == pytest.approx([1, 1, 1], abs=1e-6)


def test_rare_tokens_weigh_more() -> None:
    backend = LetterEncoder()
    weights = TokenWeights.of(backend.tokenize(["ab", "ac", "ad"]))
    weighed = weights.weigh(vectors_of("abz"))
    assert weighed == pytest.approx(
        [0, math.log(4 / 4), math.log(4 / 2), math.log(4 / 1), 0], abs=1e-6
    )
    loaded = [
        load_models(
            ["matcher"],
            names={"matcher": backend},
            cache=Cache(None),
            settings=BackEndSettings(idf_references=references),
        ).matcher
        for references in ((), ("ab",), ("ac",))
    ]
    assert len({one.id for one in loaded if one}) == 3


def test_rescaling_takes_the_baseline_off(tmp_path: Path) -> None:
    file = tmp_path / "baseline.tsv"
    file.write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.2,0.3,0.25\n")
    baseline = find_baseline(str(file), "letters", "zh", 1)
    assert baseline == Baseline(0.2, 0.3, 0.25)
    matching = TokenMatching(SharedEncoder(LetterEncoder()))
    cache = Cache(None)
    plain = CachedMatcher("m", matching, cache).match([("ab", "ac")])
    scaled = CachedMatcher("m", matching, cache, baseline=baseline)
    assert scaled.match([("ab", "ac")]).f1 == pytest.approx((plain.f1 - 0.25) / 0.75)
    assert scaled.id != "m"
