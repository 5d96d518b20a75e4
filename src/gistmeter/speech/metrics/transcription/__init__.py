"""Transcripts against what was said: normalised, aligned word by word, counted.

`normalisation` decides what counts as the same word, `alignment` finds the fewest edits between
two texts and cuts them into segments, `rates` turns edits into word and character error rates.
"""

from gistmeter.speech.metrics.transcription.alignment import align, segments
from gistmeter.speech.metrics.transcription.normalisation import Normalisation, TextForm
from gistmeter.speech.metrics.transcription.rates import ErrorRates, clip_rows

__all__ = ["ErrorRates", "Normalisation", "TextForm", "align", "clip_rows", "segments"]
