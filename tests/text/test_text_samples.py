"""The sample of idioms: what it holds, and that it ranks its systems as it should."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from gistmeter.core.family import Items
from gistmeter.core.score import score
from gistmeter.text.family import Text, TextSettings
from gistmeter.text.formats.predictions import MatchedPairs, match, read_predictions
from gistmeter.text.formats.references import read_references

SAMPLES = Path(str(files("gistmeter") / "samples" / "text"))
LANGUAGES = {"chinese": "zh", "traditional_chinese": "zh-Hant", "japanese": "ja", "korean": "ko"}
SYSTEMS = ("careful", "hasty", "literal")


def sample(name: str) -> MatchedPairs:
    references = read_references(SAMPLES / f"{name}_explanations.csv")
    return match(read_predictions([SAMPLES / name]), references, language=LANGUAGES[name])


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_sample_is_whole(name: str) -> None:
    found = sample(name)
    idioms = {pair.id for pair in found.pairs}
    assert len(idioms) >= 12
    assert not found.without_reference and not found.without_prediction
    assert {pair.system for pair in found.pairs} == set(SYSTEMS)
    groups = {"original", "arrangement1", "arrangement2", "arrangement3"}
    assert {pair.arrangement for pair in found.pairs} == groups
    assert len(found.pairs) == len(idioms) * len(SYSTEMS) * len(groups)
    assert any(len(pair.references) > 1 for pair in found.pairs)


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_systems_are_ranked_with_separate_intervals(name: str) -> None:
    pairs = sample(name).pairs
    run = score(Text(), TextSettings(no_judge=True), items=Items(pairs))
    best, middle, worst = (run.systems[system]["s_acc"] for system in SYSTEMS)
    assert best.low > middle.high and middle.low > worst.high
    recovered = [run.systems[system]["recovery"].value for system in SYSTEMS]
    assert recovered == sorted(recovered, reverse=True)
    assert run.systems["careful"]["mdr"].value > 0  # scrambling costs it something
    assert run.systems["literal"]["polarity_conflict"].value > 0
    assert ("s_struct" in run.systems["careful"].scores) == name.endswith("chinese")
