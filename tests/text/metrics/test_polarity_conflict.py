"""Polarity conflicts: the rule, its modes, and negation with its scope."""

from __future__ import annotations

import numpy as np
import pytest

import gistmeter
from gistmeter.core.errors import InputError
from gistmeter.languages import Polarity, PolarWord
from gistmeter.text.metrics.comparisons import Comparisons
from gistmeter.text.metrics.polarity_conflict import PolarityRule, conflicts, parse_sign, sign
from text.text_doubles import PACKS, pair

PRAISE, BLAME = Polarity(positive=True), Polarity(negative=True)
DENIED, PLAIN, MIXED = Polarity(negated=True), Polarity(), Polarity(True, True)


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        (BLAME, PRAISE, True),
        (DENIED, PRAISE, False),  # only negated, and nothing that the praise affirms
        (PLAIN, PRAISE, False),
        (PRAISE, PRAISE, False),
        (MIXED, PRAISE, False),
        (PRAISE, BLAME, True),
        (Polarity(positive=True, negated=True), BLAME, False),  # positive, but something is denied
        (BLAME, BLAME, False),
        (DENIED, BLAME, False),
        (BLAME, PLAIN, False),
        (BLAME, MIXED, False),
    ],
)
def test_the_rule(candidate: Polarity, reference: Polarity, expected: bool) -> None:
    assert conflicts(candidate, reference) is expected


def test_the_majority_of_words_decides() -> None:
    def word(kind: str, negations: int = 0) -> PolarWord:
        return PolarWord("w", 0, 1, kind, negations)

    assert sign(Polarity(True, True, words=(word("positive"), word("positive", 1)))) == 0
    assert sign(Polarity(True, True, words=(word("positive"), word("negative", 1)))) == 1
    assert (
        sign(Polarity(True, True, words=(word("negative"), word("negative"), word("positive"))))
        == -1
    )
    assert sign(Polarity(words=(word("negation"),))) == 0


@pytest.mark.parametrize(
    ("mode", "ratio", "expected"),
    [("all", 0.5, 0.0), ("any", 0.5, 1.0), ("ratio", 0.5, 1.0), ("ratio", 0.6, 0.0)],
)
def test_modes_over_references(mode: str, ratio: float, expected: float) -> None:
    rule = PolarityRule(mode=mode, ratio=ratio)
    pairs = [pair("x -", "r +", "r")]
    decided = rule.decide(["1"], [PACKS["xx"]], Comparisons.of(pairs))
    assert decided.tolist() == [expected]


def test_no_conflict_is_none_in_every_mode() -> None:
    comparisons = Comparisons.of([pair("x", "r", "r"), pair("x")])
    for mode in ("all", "any", "ratio"):
        decided = PolarityRule(mode=mode, ratio=0.0).decide(
            ["1", "2"], [PACKS["xx"]] * 2, comparisons
        )
        assert decided[0] == 0.0 and np.isnan(decided[1])


@pytest.mark.parametrize(("override", "expected"), [(1, 1.0), (0, 0.0), (-1, 0.0)])
def test_an_override_replaces_what_is_read(override: int, expected: float) -> None:
    rule = PolarityRule(overrides={"1": override})
    decided = rule.decide(["1"], [PACKS["xx"]], Comparisons.of([pair("x -", "plain")]))
    assert decided.tolist() == [expected]


def test_signs_and_settings_are_checked() -> None:
    assert [parse_sign(text) for text in ("Positive", "-", " neutral ", "0")] == [1, -1, 0, 0]
    for wrong in (lambda: parse_sign("good"), lambda: PolarityRule(mode="some"),
                  lambda: PolarityRule(penalty=2), lambda: PolarityRule(ratio=-1)):  # fmt: skip
        with pytest.raises(InputError):
            wrong()


@pytest.mark.parametrize(
    ("candidate", "reference", "language", "expected"),
    [
        ("不喜欢", "非常喜欢", "zh", True),
        ("不是不喜欢", "非常喜欢", "zh", False),  # twice denied is no denial
        ("形容人品低劣", "形容人品优秀", "zh", True),
        ("形容人品优秀", "形容人品低劣", "zh", True),
        ("形容人品优秀", "形容人品优秀", "zh", False),
        ("並不喜歡", "非常喜歡", "zh-Hant", True),
        ("He is a bad man", "He is a good man", "en", True),
        ("He is not a good man", "He is a good man", "en", True),
        ("He is a good man", "He is a good man", "en", False),
    ],
)
def test_negation_in_its_scope(
    candidate: str, reference: str, language: str, expected: bool
) -> None:
    assert gistmeter.polarity_conflict(candidate, reference, language=language) is expected
