"""Word and character error rate.

    WER = 100 · (substitutions + deletions + insertions) / expected words

and CER likewise over characters; both are percentages, lower is better, and may exceed 100. The
match error rate is bounded by 100 (Morris, Maier and Green 2004):

    MER = 100 · errors / (errors + words right)

A
corpus rate is the ratio of sums over clips; `wer_file_mean` is the plain mean over clips. A clip
whose expected text is empty has no rate of its own, but its insertions count in the corpus rate.
An empty transcript is 100%; a missing one is unscored.

A row is a clip, or a segment of it where `segmented` is set: so that a single pair of long texts
has an interval too. Edits of segments sum to those of the clip, so the rate is the same.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from gistmeter.core.rows import Floats, Pool, Rows, Value, divide
from gistmeter.core.types import Clip, ScoreInfo
from gistmeter.core.wiring import given
from gistmeter.speech.metrics.transcription.alignment import (
    DELETED,
    EQUAL,
    INSERTED,
    SUBSTITUTED,
    Bounds,
    WordAlignment,
    align,
    character_edits,
    segments,
)
from gistmeter.speech.metrics.transcription.normalisation import Normalisation, TextForm
from gistmeter.speech.metrics.transcription.wired import is_segmented, normalisation_of, rates_of

NO_TRANSCRIPT = "no transcript"
NO_EXPECTED = "empty expected text"
ALL = ("wer", "cer")
COLUMNS = {
    "wer": (
        "wer", "match_percent", "word_edits", "words_expected", "words_got", "matches",
        "insertions", "deletions", "substitutions",
    ),
    "cer": ("cer", "char_edits", "chars_expected", "chars_got"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClipRows:
    """The rows of some clips, and which of them belong to each clip."""

    rows: Rows
    bounds: tuple[Bounds, ...]  # of each clip's segments, in words of its expected text
    places: tuple[range, ...]  # of each clip's rows


def clip_rows(
    clips: Sequence[Clip], expected: Sequence[TextForm], *, segmented: bool = False
) -> ClipRows:
    """One row per clip, or per segment of its expected text, each then a cluster of its own."""
    bounds = [
        segments(len(form.words)) if segmented else [(0, len(form.words))] for form in expected
    ]
    starts = np.cumsum([0, *map(len, bounds)]).tolist()
    item = np.repeat(np.arange(len(clips), dtype=np.int64), [len(parts) for parts in bounds])
    whole = Rows.of(clips)
    keys = {key: [column[at] for at in item.tolist()] for key, column in whole.keys.items()}
    if segmented:
        numbers = [number + 1 for parts in bounds for number in range(len(parts))]
        for key in ("id", "cluster"):
            keys[key] = [f"{name}#{n}" for name, n in zip(keys[key], numbers, strict=True)]
    places = tuple(range(start, end) for start, end in itertools.pairwise(starts))
    return ClipRows(Rows(keys, item), tuple(bounds), places)


@dataclass(slots=True)
class Columns:
    """Statistics as they are gathered, undefined until they are set."""

    size: int
    numbers: dict[str, list[float]] = field(default_factory=dict)
    texts: dict[str, list[str | None]] = field(default_factory=dict)

    def set(self, at: int, **values: float) -> None:
        for name, value in values.items():
            self.numbers.setdefault(name, [math.nan] * self.size)[at] = float(value)

    def note(self, at: int, **values: str | None) -> None:
        for name, value in values.items():
            self.texts.setdefault(name, [None] * self.size)[at] = value


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Word and character error rates of transcripts, in percent.

    `rates` says which are computed. Range [0, ∞), lower is better; equal texts score 0.
    """

    normalisation: Normalisation = given(normalisation_of)
    rates: tuple[str, ...] = given(rates_of, ALL)
    segmented: bool = given(is_segmented, False, shared=True)
    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("wer", False, 0, math.inf, "%"),
        ScoreInfo("cer", False, 0, math.inf, "%"),
        ScoreInfo("match_percent", True, 0, 100, "%"),
        ScoreInfo("mer", False, 0, 100, "%", basis="wer"),
        ScoreInfo("wer_file_mean", False, 0, math.inf, "%", basis="wer"),
        ScoreInfo("cer_file_mean", False, 0, math.inf, "%", basis="cer"),
    )

    def measure(self, clips: Sequence[Clip]) -> Rows:
        expected = [self.normalisation.read(clip.expected) for clip in clips]
        table = clip_rows(clips, expected, segmented=self.segmented)
        columns = Columns(len(table.rows))
        got = [None if clip.got is None else self.normalisation.read(clip.got) for clip in clips]
        # Columns are there even where every transcript is missing, so that rates are undefined.
        for rate in self.rates:
            for name in COLUMNS[rate]:
                columns.numbers[name] = [math.nan] * columns.size
        if "wer" in self.rates:
            columns.texts["diff"] = [None] * columns.size
            self._count_words(table, expected, got, columns)
        if "cer" in self.rates:
            self._count_characters(table, expected, got, columns)
        rows = table.rows.with_numbers(columns.numbers).with_texts(columns.texts)
        for rate in (*self.rates, *(["match_percent"] if "wer" in self.rates else [])):
            rows = rows.with_reasons(rate, self._reasons(table, clips, rows.values(rate)))
        return rows

    def _count_words(
        self,
        table: ClipRows,
        expected: Sequence[TextForm],
        got: Sequence[TextForm | None],
        columns: Columns,
    ) -> None:
        for said, heard, bounds, places in zip(
            expected, got, table.bounds, table.places, strict=True
        ):
            if heard is None:
                continue
            whole = align(said.words, heard.words)
            parts = whole.cut(bounds) if len(bounds) > 1 else [whole]
            for at, part in zip(places, parts, strict=True):
                _record_words(columns, at, part)

    def _count_characters(
        self,
        table: ClipRows,
        expected: Sequence[TextForm],
        got: Sequence[TextForm | None],
        columns: Columns,
    ) -> None:
        distances = _distances(
            [
                (said.characters, heard.characters) if heard and len(bounds) == 1 else ("", "")
                for said, heard, bounds in zip(expected, got, table.bounds, strict=True)
            ]
        )
        for said, heard, bounds, places, distance in zip(
            expected, got, table.bounds, table.places, distances, strict=True
        ):
            if heard is None:
                continue
            ends = _character_ends(said, bounds, joined=self.normalisation.analysed)
            edits = [distance]
            if len(bounds) > 1:
                edits = character_edits(said.characters, heard.characters, ends)
            sizes = np.diff([0, *ends]).tolist()
            for at, wrong, size in zip(places, edits, sizes, strict=True):
                columns.set(at, char_edits=wrong, chars_expected=size)
                columns.set(at, cer=100 * wrong / size if size else math.nan)
            columns.set(places[0], chars_got=len(heard.characters))

    def _reasons(self, table: ClipRows, clips: Sequence[Clip], values: Floats) -> dict[int, str]:
        reasons: dict[int, str] = {}
        for clip, places in zip(clips, table.places, strict=True):
            why = NO_TRANSCRIPT if clip.got is None else NO_EXPECTED
            failure = getattr(clip, "failure", "") if clip.got is None else ""
            reasons.update({at: failure or why for at in places if math.isnan(values[at])})
        return reasons

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        """Ratios of sums, and the means over clips."""
        values: dict[str, Value] = {}
        if "word_edits" in rows:
            values["wer"] = 100 * rows.ratio("word_edits", "words_expected")
        if "char_edits" in rows:
            values["cer"] = 100 * rows.ratio("char_edits", "chars_expected")
        if "word_edits" in rows:
            values["match_percent"] = 100 * rows.ratio("matches", "words_expected")
            wrong, right = rows.sum("word_edits"), rows.sum("matches")
            values["mer"] = 100 * divide(wrong, wrong + right)
        if not self.segmented:
            for rate in ALL:
                if rate in values:
                    values[f"{rate}_file_mean"] = rows.mean(rate)
        return values


def _record_words(columns: Columns, at: int, part: WordAlignment) -> None:
    total = len(part.expected)
    columns.set(
        at,
        words_expected=total,
        words_got=len(part.got),
        word_edits=part.distance,
        matches=part.count(EQUAL),
        insertions=part.count(INSERTED),
        deletions=part.count(DELETED),
        substitutions=part.count(SUBSTITUTED),
    )
    if total:
        columns.set(at, wer=100 * part.distance / total)
        columns.set(at, match_percent=100 * part.count(EQUAL) / total)
    columns.note(at, diff=part.to_json())


def _distances(pairs: Sequence[tuple[str, str]]) -> list[int]:
    """Edit distances of many pairs of texts, on all cores."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    if not pairs:
        return []
    expected, got = zip(*pairs, strict=True)
    # A guess of the distance lets rapidfuzz look at a band only; it does not change the result.
    guess = max(map(len, expected)) // 10
    found = cpdist(
        expected, got, scorer=Levenshtein.distance, score_hint=guess, workers=-1, dtype=np.int64
    )
    return [int(distance) for distance in found]


def _character_ends(form: TextForm, bounds: Bounds, *, joined: bool) -> list[int]:
    """Where segments end in characters; by proportion where words are not cut out of the text."""
    if joined:
        total = max(len(form.words), 1)
        ends = [round(len(form.characters) * end / total) for _, end in bounds]
    else:
        ends = [sum(len(word) + 1 for word in form.words[:end]) for _, end in bounds]
    return [*ends[:-1], len(form.characters)]
