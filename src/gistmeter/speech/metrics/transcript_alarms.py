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
from gistmeter.speech.metrics.edits import align, clip_rows, is_segmented, why_unscored
from gistmeter.speech.metrics.normalizer import Normalisation, normalisation_of


def guard_of(wiring: Wiring) -> Guard:
    """The guard of the clips' language."""
    return Guard(wiring.language)


@dataclass(frozen=True, slots=True)
class TranscriptAlarms:
    """Alarms of transcripts against what was said, by clip or by segment. Lower is better."""

    normalisation: Normalisation = given(normalisation_of)
    guard: Guard = given(guard_of)  # its identity is what could change an answer
    segmented: bool = given(is_segmented, False, shared=True)
    scores: ClassVar[tuple[ScoreInfo, ...]] = SCORES

    def measure(self, clips: Sequence[Clip]) -> Rows:
        expected = [self.normalisation.read(clip.expected) for clip in clips]
        cut = clip_rows(clips, expected, segmented=self.segmented)
        alarms: list[ItemAlarms | None] = [None] * len(cut.rows)
        reasons: dict[int, str] = {}
        code = self.normalisation.language.code
        for clip, form, bounds, places in zip(clips, expected, cut.bounds, cut.places, strict=True):
            if clip.got is None or not clip.expected.strip():
                reasons |= dict.fromkeys(places, why_unscored(clip))
            elif len(bounds) == 1:
                alarms[places[0]] = ItemAlarms(0, compare(clip.expected, clip.got, code))
            else:
                heard = self.normalisation.read(clip.got)
                parts = align(form.words, heard.words).cut(bounds)
                for at, part in zip(places, parts, strict=True):
                    said, got = " ".join(part.expected), " ".join(part.got)
                    alarms[at] = ItemAlarms(0, compare(said, got, code), placed=False)
        return table(cut.rows, alarms, reasons)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return shares(rows)
