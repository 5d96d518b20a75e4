"""What the settings of a run of speech come to: how texts are read, and which metrics are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gistmeter import languages
from gistmeter.errors import InputError
from gistmeter.families.family import Context
from gistmeter.families.speech.settings import SpeechSettings
from gistmeter.formats.transcripts import read_alternatives, read_phrases
from gistmeter.metrics.custom import CustomMetric, NamedFunction
from gistmeter.metrics.keywords import Keywords
from gistmeter.metrics.latency import Latency, TimedClip
from gistmeter.metrics.transcription import Normalisation, segments
from gistmeter.metrics.transcription.normalisation import merge_alternatives
from gistmeter.types import Clip, Metric
from gistmeter.working_folder import load

RATES = {
    "wer": {"wer", "wer_file_mean", "match_percent", "mer", "transcription"},
    "cer": {"cer", "cer_file_mean", "transcription"},
}  # the scores that each of the error rates gives


def normalisations_of(clips: Sequence[Clip], settings: SpeechSettings) -> dict[str, Normalisation]:
    """How the texts of each language are read; an analyser that is missing is said at once."""
    equal = settings.alternatives or ()
    if isinstance(equal, str | Path):
        equal = merge_alternatives(read_alternatives(Path(equal)))
    alternatives = tuple(tuple(forms) for forms in equal)
    normalisations = {
        code: Normalisation(
            languages.get(code), settings.normalizer, settings.numbers, alternatives
        )
        for code in dict.fromkeys(clip.language for clip in clips)
    }
    for normalisation in normalisations.values():
        normalisation.read("check")
    return normalisations


def keywords_of(settings: SpeechSettings) -> Keywords:
    """The words that must be heard, from a file or from Python."""
    given = settings.keywords
    words = read_phrases(Path(given)) if isinstance(given, str | Path) else tuple(given)
    return Keywords(tuple(sorted(dict.fromkeys(words))))


def rates_of(wanted: Sequence[str]) -> tuple[str, ...]:
    """Which of the error rates the wanted scores need; both where none is named."""
    named = {name.strip().lower().replace("-", "_") for name in wanted}
    return tuple(rate for rate, scores in RATES.items() if not named or named & scores)


def is_segmented(
    clips: Sequence[Clip],
    normalisations: Mapping[str, Normalisation],
    settings: SpeechSettings,
    context: Context,
) -> bool:
    """Whether intervals are over segments: as told, or where one text is all there is."""
    chosen = bool(settings.segments)
    if settings.segments is None and not (settings.recognizers or settings.custom_metric):
        words = normalisations[clips[0].language].read(clips[0].expected).words
        chosen = len({clip.cluster for clip in clips}) == 1 and len(segments(len(words))) > 1
    if chosen:
        context.say("Intervals are over segments of the texts; n counts segments")
    return chosen


def further_metrics(clips: Sequence[Clip], settings: SpeechSettings) -> dict[str, Metric]:
    """Times of recognisers, and the user's own metric."""
    found: dict[str, Metric] = {}
    if settings.recognizers or any(isinstance(clip, TimedClip) for clip in clips):
        found["latency"] = Latency()
    if function := custom_function(settings.custom_metric):
        found["custom_metric"] = CustomMetric(function)
    return found


def custom_function(given: Any) -> NamedFunction | None:
    """The user's own metric: a function, or where to find one."""
    if not given:
        return None
    if not isinstance(given, str):
        module, name = getattr(given, "__module__", ""), getattr(given, "__qualname__", "")
        return NamedFunction(f"{module}:{name or type(given).__name__}", given)
    function = load(given)
    if not callable(function):
        raise InputError(f"custom_metric {given}: is not a function")
    return NamedFunction(given, function)
