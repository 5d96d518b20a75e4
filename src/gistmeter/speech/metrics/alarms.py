"""Alarms of transcripts: facts that a transcript states differently from what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Clip, ScoreInfo
from gistmeter.core.wiring import Wiring, given
from gistmeter.languages.guard import Guard, compare
from gistmeter.metrics.alarm_columns import SCORES, ItemAlarms, shares, table
from gistmeter.speech.metrics.transcription import Normalisation, align, clip_rows
from gistmeter.speech.metrics.transcription.wired import is_segmented, normalisation_of

NO_TRANSCRIPT = "no transcript"


def guard_of(wiring: Wiring) -> Guard:
    """The guard of the clips' language."""
    return Guard(wiring.language)


@dataclass(frozen=True, slots=True)
class TranscriptAlarms:
    """The same for transcripts against what was said; a clip, or each segment of it, is an item."""

    normalisation: Normalisation = given(normalisation_of)
    guard: Guard = given(guard_of)  # its identity is what could change an answer
    segmented: bool = given(is_segmented, False, shared=True)
    scores: ClassVar[tuple[ScoreInfo, ...]] = SCORES

    def measure(self, clips: Sequence[Clip]) -> Rows:
        expected = [self.normalisation.read(clip.expected) for clip in clips]
        cut = clip_rows(clips, expected, segmented=self.segmented)
        found: list[ItemAlarms | None] = [None] * len(cut.rows)
        reasons: dict[int, str] = {}
        code = self.normalisation.language.code
        for clip, form, bounds, places in zip(clips, expected, cut.bounds, cut.places, strict=True):
            if clip.got is None or not clip.expected.strip():
                failure = (
                    getattr(clip, "failure", "") if clip.got is None else "empty expected text"
                )
                reasons |= dict.fromkeys(places, failure or NO_TRANSCRIPT)
            elif len(bounds) == 1:
                found[places[0]] = ItemAlarms(0, compare(clip.expected, clip.got, code))
            else:
                heard = self.normalisation.read(clip.got)
                parts = align(form.words, heard.words).cut(bounds)
                for at, part in zip(places, parts, strict=True):
                    said, got = " ".join(part.expected), " ".join(part.got)
                    found[at] = ItemAlarms(0, compare(said, got, code), placed=False)
        return table(cut.rows, found, reasons)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return shares(rows)
