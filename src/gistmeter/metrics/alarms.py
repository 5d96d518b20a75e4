"""Alarms: facts that a text tells otherwise than its reference, found by the guard.

    alarms = items with an alarm / items,   alarm_<kind> = items with an alarm of that kind / items

Kinds are number, date, unit, name, negation, quantity and comparative. With several references an
item is held against the one that it differs from least: a fact that some reference tells as the
text does is not wrong. What was found stands in the column `alarm_words`, as JSON:

    {"reference": 0, "alarms": [["number", "3", "13", [10, 11], [10, 12]]]}

with the words of reference and text, and where they stand; places are null in segments of a clip,
whose words are those of the alignment.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Clip, Pair, ScoreInfo
from gistmeter.languages.guard import KINDS, Alarms, Guard, compare
from gistmeter.speech.metrics.transcription import Normalisation, align, clip_rows
from gistmeter.text.metrics.references import NO_PREDICTION, NO_REFERENCE

NO_TRANSCRIPT = "no transcript"
WORDS = "alarm_words"
NAMES = ("alarms", *(f"alarm_{kind}" for kind in KINDS))


@dataclass(frozen=True, slots=True)
class Found:
    """The alarms of an item against the reference that it differs from least."""

    reference: int
    alarms: Alarms
    placed: bool = True  # whether the places are those of the texts

    def to_json(self) -> str | None:
        """None where there is nothing to tell."""
        if not self.alarms:
            return None
        listed = [
            [
                one.kind,
                one.reference_words,
                one.candidate_words,
                list(one.reference_span) if self.placed else None,
                list(one.candidate_span) if self.placed else None,
            ]
            for one in self.alarms
        ]
        kept = {"reference": self.reference, "alarms": listed}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def columns(found: Sequence[Found | None]) -> tuple[dict[str, np.ndarray], list[str | None]]:
    """Numbers by name and the column of words; NaN and None where nothing was compared."""
    compared = [math.nan if one is None else 0.0 for one in found]
    numbers = {name: np.asarray(compared) for name in NAMES}
    for at, one in enumerate(found):
        if one is not None and one.alarms:
            numbers["alarms"][at] = 1.0
            for kind in one.alarms.kinds:
                numbers[f"alarm_{kind}"][at] = 1.0
    return numbers, [one.to_json() if one else None for one in found]


def table(rows: Rows, found: Sequence[Found | None], reasons: Mapping[int, str]) -> Rows:
    numbers, words = columns(found)
    rows = rows.with_numbers(numbers).with_texts({WORDS: words})
    for name in NAMES:
        rows = rows.with_reasons(name, reasons)
    return rows


def shares(rows: Pool) -> dict[str, Value]:
    return {name: rows.mean(name) for name in NAMES}


@dataclass(frozen=True, slots=True)
class FactAlarms:
    """The share of texts that tell a fact otherwise than their references, and by kind.

    Range [0, 1], lower is better; identical texts have no alarm. A text or reference that is
    missing leaves its item unscored.
    """

    guards: Mapping[str, Guard]  # by language code
    scores: ClassVar[tuple[ScoreInfo, ...]] = tuple(ScoreInfo(name, False) for name in NAMES)

    def measure(self, pairs: Sequence[Pair]) -> Rows:
        reasons: dict[int, str] = {}
        asked: dict[str, list[tuple[int, int]]] = {}  # language -> pair and reference
        first = next(iter(self.guards))
        for at, pair in enumerate(pairs):
            places = [place for place, one in enumerate(pair.references) if one.strip()]
            said = (pair.candidate or "").strip()
            if not said or not places:
                reasons[at] = NO_REFERENCE if said else NO_PREDICTION
                continue
            code = pair.language if pair.language in self.guards else first
            asked.setdefault(code, []).extend((at, place) for place in places)
        found: list[Found | None] = [None] * len(pairs)
        for code, own in asked.items():
            texts = [(pairs[at].references[one], pairs[at].candidate or "") for at, one in own]
            compared = self.guards[code].compare(texts)
            for (at, place), alarms in zip(own, compared, strict=True):
                known = found[at]
                if known is None or len(alarms) < len(known.alarms):
                    found[at] = Found(place, alarms)
        return table(Rows.of(pairs), found, reasons)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return shares(rows)


@dataclass(frozen=True, slots=True)
class TranscriptAlarms:
    """The same for transcripts against what was said; a clip, or each segment of it, is an item."""

    normalisation: Normalisation
    guard: Guard  # its identity is what could change an answer
    segmented: bool = False
    scores: ClassVar[tuple[ScoreInfo, ...]] = FactAlarms.scores

    def measure(self, clips: Sequence[Clip]) -> Rows:
        expected = [self.normalisation.read(clip.expected) for clip in clips]
        cut = clip_rows(clips, expected, segmented=self.segmented)
        found: list[Found | None] = [None] * len(cut.rows)
        reasons: dict[int, str] = {}
        code = self.normalisation.language.code
        for clip, form, bounds, places in zip(clips, expected, cut.bounds, cut.places, strict=True):
            if clip.got is None or not clip.expected.strip():
                failure = (
                    getattr(clip, "failure", "") if clip.got is None else "empty expected text"
                )
                reasons |= dict.fromkeys(places, failure or NO_TRANSCRIPT)
            elif len(bounds) == 1:
                found[places[0]] = Found(0, compare(clip.expected, clip.got, code))
            else:
                heard = self.normalisation.read(clip.got)
                parts = align(form.words, heard.words).cut(bounds)
                for at, part in zip(places, parts, strict=True):
                    said, got = " ".join(part.expected), " ".join(part.got)
                    found[at] = Found(0, compare(said, got, code), placed=False)
        return table(cut.rows, found, reasons)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return shares(rows)


def guards_of(codes: Sequence[str]) -> dict[str, Guard]:
    """The guard of each language."""
    return {code: Guard(code) for code in codes}
