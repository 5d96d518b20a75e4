"""How the texts of a run of speech are read and cut, as its settings say."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gistmeter import languages
from gistmeter.core.wiring import Wiring
from gistmeter.speech.metrics.transcription.alignment import segments
from gistmeter.speech.metrics.transcription.normalisation import Normalisation, merge_alternatives
from gistmeter.speech.read import read_alternatives
from gistmeter.speech.settings import SpeechSettings

RATES = {
    "wer": {"wer", "wer_file_mean", "match_percent", "mer"},
    "cer": {"cer", "cer_file_mean"},
}  # the scores that each of the error rates gives


def normalisations_of(codes: Iterable[str], settings: SpeechSettings) -> dict[str, Normalisation]:
    """How the texts of each language are read; a missing analyser is an error at once."""
    equal = settings.alternatives or ()
    if isinstance(equal, str | Path):
        equal = merge_alternatives(read_alternatives(Path(equal)))
    alternatives = tuple(tuple(forms) for forms in equal)
    normalisations = {
        code: Normalisation(
            languages.get(code), settings.normalizer, settings.numbers, alternatives
        )
        for code in dict.fromkeys(codes)
    }
    for normalisation in normalisations.values():
        normalisation.read("check")
    return normalisations


def all_normalisations(wiring: Wiring) -> dict[str, Normalisation]:
    return normalisations_of(wiring.languages, wiring.settings)


def normalisation_of(wiring: Wiring) -> Normalisation:
    """How the texts of the language are read."""
    normalisations: dict[str, Normalisation] = wiring.once(all_normalisations)
    return normalisations[wiring.language]


def rates_of(wiring: Wiring) -> tuple[str, ...]:
    """Which of the error rates the wanted scores need; both where none is named."""
    asked = set(wiring.asked)
    return tuple(rate for rate, scores in RATES.items() if not asked or asked & scores)


def is_segmented(wiring: Wiring) -> bool:
    """Whether intervals are over segments: as told, or where one text is all there is."""
    settings, clips = wiring.settings, wiring.items
    chosen = bool(settings.segments)
    if settings.segments is None and not (settings.recognizers or settings.custom_metric):
        normalisation = wiring.once(all_normalisations)[clips[0].language]
        words = normalisation.read(clips[0].expected).words
        chosen = len({clip.cluster for clip in clips}) == 1 and len(segments(len(words))) > 1
    if chosen:
        wiring.context.say("Intervals are over segments of the texts; n counts segments")
    return chosen
