"""The transcripts that come with gistmeter rank as they were written to."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from gistmeter.core.evaluation import evaluate
from gistmeter.core.run import Run
from gistmeter.languages import get
from gistmeter.speech.formats.pairing import pair_files
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.rates import ErrorRates
from gistmeter.speech.read import read_alternatives

SAMPLES = Path(str(files("gistmeter") / "samples" / "speech"))
SYSTEMS = {"en": ("careful", "names", "noisy"), "cs": ("names", "endings", "noisy")}


def scored(language: str, **settings: object) -> Run:
    folder = SAMPLES / language
    found = pair_files(folder / "expected.txt", [folder / f"{n}.txt" for n in SYSTEMS[language]])
    assert found.remarks == (), "every clip has its transcript"
    metric = ErrorRates(Normalisation(get(language), **settings))
    return evaluate(found.clips, {"transcription": metric})


@pytest.mark.parametrize("language", ["en", "cs"])
def test_systems_rank_as_intended_and_the_ends_are_told_apart(language: str) -> None:
    run = scored(language)
    scores = [run.systems[name]["wer"] for name in SYSTEMS[language]]
    assert [score.value for score in scores] == sorted(score.value for score in scores)
    ends = run.compare(metric="wer").between(SYSTEMS[language][0], SYSTEMS[language][-1])
    assert ends is not None and ends.is_real


def test_alternatives_and_digits_help_the_careful_one() -> None:
    plain = scored("en").systems["careful"]["wer"].value
    equal = read_alternatives(SAMPLES / "en" / "alternatives.txt")
    kinder = scored("en", normalizer="default", alternatives=equal).systems["careful"]["wer"].value
    assert kinder < plain / 2
