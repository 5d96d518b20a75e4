"""Alarms of transcripts: facts that a transcript states differently from what was said.

A clip counts 1 if it has an alarm; of anything longer than a minute (150 words) the share of its
segments with one, since an hour never has none. Each segment is read by itself: what is said
elsewhere in an hour excuses nothing. Beside the guard's kinds there is `word`: a word of
content that was heard as another, lost, or put in (`misheard`). Where nothing was heard, all facts
are lost. A language without a reader of its own is unscored: there, no alarm would say nothing.

    number_error_rate = 100 · numbers and dates told differently or lost / numbers and dates said
    name_error_rate   = 100 · names told differently or lost / names said
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Clip, ScoreInfo
from gistmeter.core.wiring import Wiring, given
from gistmeter.languages.guard import Alarm, Alarms, Guard, read
from gistmeter.languages.guard.differences import DATE_GROUPS
from gistmeter.metrics.alarm_columns import SCORES, ItemAlarms, shares, table
from gistmeter.speech.metrics.edits import clip_rows, is_segmented, why_unscored
from gistmeter.speech.metrics.misheard import WORD, transcript_alarms
from gistmeter.speech.metrics.normalizer import Normalisation, normalisation_of
from gistmeter.speech.metrics.spoken_words import AMOUNTS
from gistmeter.speech.metrics.transcript_gist import JudgedSegment, cut_clip

WORDS = f"alarm_{WORD}"
RATED = {"number": "numbers and dates wrong", "name": "names wrong"}
COUNTED = {
    "number": ((*AMOUNTS, *DATE_GROUPS), ("number", "date", "unit")),
    "name": (("name",), ("name",)),
}  # groups of facts, and kinds of alarms


def guard_of(wiring: Wiring) -> Guard:
    """The guard of the clips' language."""
    return Guard(wiring.language)


@dataclass(frozen=True, slots=True)
class TranscriptAlarms:
    """Alarms of transcripts against what was said, by clip or by segment. Lower is better."""

    normalisation: Normalisation = given(normalisation_of)
    guard: Guard = given(guard_of)  # its identity is what could change an answer
    segmented: bool = given(is_segmented, False, shared=True)
    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        *SCORES,
        ScoreInfo(WORDS, False),
        *(
            ScoreInfo(f"{what}_error_rate", False, 0, 100, "%", f"{what}s_said", title)
            for what, title in RATED.items()
        ),
    )

    def measure(self, clips: Sequence[Clip]) -> Rows:
        expected = [self.normalisation.read(clip.expected) for clip in clips]
        cut = clip_rows(clips, expected, segmented=self.segmented)
        alarms: list[ItemAlarms | None] = [None] * len(cut.rows)
        texts = [""] * len(cut.rows)
        reasons: dict[int, str] = {}
        code = self.normalisation.language.code
        for clip, form, bounds, places in zip(clips, expected, cut.bounds, cut.places, strict=True):
            if clip.got is None or not clip.expected.strip():
                reasons |= dict.fromkeys(places, why_unscored(clip))
            elif not self.guard.reads:
                reasons |= dict.fromkeys(places, self.guard.why_not)
            else:
                parts = cut_clip(clip, len(form.words), bounds, places)
                if len(places) == 1:
                    texts[places[0]] = clip.expected
                    alarms[places[0]] = _by_parts(parts, clip, code)
                    continue
                for part in parts:
                    said, got = part.clip.expected, part.clip.got or ""
                    texts[part.row] = said
                    found = transcript_alarms(said, got, code)
                    alarms[part.row] = ItemAlarms(0, found, placed=False)
        rows = table(cut.rows, alarms, reasons).with_numbers(self._rated(texts, alarms))
        words = [math.nan if item is None else item.share(WORD) for item in alarms]
        return rows.with_numbers({WORDS: words}).with_reasons(WORDS, reasons)

    def _rated(
        self, said: Sequence[str], alarms: Sequence[ItemAlarms | None]
    ) -> dict[str, list[float]]:
        """How many numbers and names each text has, and how many of them were not kept."""
        columns: dict[str, list[float]] = {}
        for what, (groups, kinds) in COUNTED.items():
            counts = [
                math.nan
                if item is None
                else float(len(read(text, self.guard.language).of(*groups)))
                for text, item in zip(said, alarms, strict=True)
            ]
            columns[f"{what}s_said"] = counts
            columns[f"{what}s_wrong"] = [
                math.nan
                if item is None
                else min(
                    count,
                    float(sum(one.kind in kinds for one in item.alarms if one.reference_words)),
                )
                for count, item in zip(counts, alarms, strict=True)
            ]
        return columns

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        rates = {
            f"{what}_error_rate": 100 * rows.ratio(f"{what}s_wrong", f"{what}s_said")
            for what in RATED
        }
        return {**shares(rows), WORDS: rows.mean(WORDS), **rates}


def _by_parts(parts: Sequence[JudgedSegment], clip: Clip, code: str) -> ItemAlarms:
    """The alarms of a clip's segments, with their places in the clip."""
    found: list[Alarm] = []
    places: list[int] = []
    begins = [0, 0]  # of the segment, in what was said and in what was heard
    for number, part in enumerate(parts):
        texts = part.clip.expected, part.clip.got or ""
        whole = clip.expected, clip.got or ""
        begins = [text.index(own, at) for text, own, at in zip(whole, texts, begins, strict=True)]
        for one in transcript_alarms(*texts, code):
            own, other = (
                (start + at, end + at) if end > start else (start, end)
                for (start, end), at in zip(
                    (one.reference_span, one.candidate_span), begins, strict=True
                )
            )
            found.append(Alarm(one.kind, one.reference_words, one.candidate_words, own, other))
            places.append(number)
        begins = [at + len(own) for at, own in zip(begins, texts, strict=True)]
    return ItemAlarms(0, Alarms(tuple(found)), parts=tuple(places), size=len(parts))
