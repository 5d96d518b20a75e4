"""Word and character error rate.

    WER = 100 · (substitutions + deletions + insertions) / expected words

and CER likewise over characters; both are percentages, lower is better, and may exceed 100. The
match error rate is bounded by 100 (Morris, Maier and Green 2004):

    MER = 100 · errors / (errors + words right)

A corpus rate is the ratio of sums over clips; `wer_file_mean` is the plain mean over clips. A clip
whose expected text is empty has no rate of its own, but its insertions count in the corpus rate.
An empty transcript is 100%; a missing one is unscored.

A row is a clip, or a segment of it where `segmented` is set: so that a single pair of long texts
has an interval too. Edits of segments sum to those of the clip, so the rate is the same.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from gistmeter.core.rows import Pool, Rows, Value, divide
from gistmeter.core.types import Clip, ScoreInfo
from gistmeter.core.wiring import Wiring, given
from gistmeter.speech.formats.speakers import SegmentClip
from gistmeter.speech.metrics import edits
from gistmeter.speech.metrics.edits import Bounds, ClipRows, Columns, WordAlignment
from gistmeter.speech.metrics.normalizer import Normalisation, TextForm, normalisation_of

COLUMNS = {
    "wer": (
        "wer", "match_percent", "word_edits", "words_expected", "words_got", "matches",
        "insertions", "deletions", "substitutions",
    ),
    "cer": ("cer", "char_edits", "chars_expected", "chars_got"),
}  # fmt: skip
SEGMENT = ("heard", "audio")  # what a row needs of its own where a clip has several
SCORES = {
    "wer": {"wer", "wer_file_mean", "match_percent", "mer"}, "cer": {"cer", "cer_file_mean"},
}  # fmt: skip  # that each of the error rates gives


def rates_of(wiring: Wiring) -> tuple[str, ...]:
    """Which of the error rates the wanted scores need; both where none is named."""
    asked = set(wiring.asked)
    return tuple(rate for rate, scores in SCORES.items() if not asked or asked & scores)


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Word and character error rates of transcripts, in percent.

    `rates` says which are computed. Range [0, ∞), lower is better; equal texts score 0.
    """

    normalisation: Normalisation = given(normalisation_of)
    rates: tuple[str, ...] = given(rates_of, tuple(COLUMNS))
    segmented: bool = given(edits.is_segmented, False, shared=True)
    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("wer", False, 0, math.inf, "%", title="word errors"),
        ScoreInfo("cer", False, 0, math.inf, "%", title="character errors"),
        ScoreInfo("match_percent", True, 0, 100, "%", title="words right"),
        ScoreInfo("mer", False, 0, 100, "%", "wer", "word errors, bounded by 100%"),
        ScoreInfo("wer_file_mean", False, 0, math.inf, "%", "wer", "word errors, mean of clips"),
        ScoreInfo(
            "cer_file_mean", False, 0, math.inf, "%", "cer", "character errors, mean of clips"
        ),
    )

    def measure(self, clips: Sequence[Clip]) -> Rows:
        expected = [self.normalisation.read(clip.expected) for clip in clips]
        got = [None if clip.got is None else self.normalisation.read(clip.got) for clip in clips]
        table = edits.clip_rows(clips, expected, segmented=self.segmented)
        numbers = [name for rate in self.rates for name in COLUMNS[rate]]
        texts = ["diff", *(SEGMENT if self.segmented else ())] if "wer" in self.rates else []
        columns = Columns.of(len(table.rows), numbers, texts)
        if "wer" in self.rates:
            excused = [clip.excused if isinstance(clip, SegmentClip) else 0 for clip in clips]
            _count_words(table, expected, got, columns, excused)
            if self.segmented:
                for clip, places in zip(clips, table.places, strict=True):
                    for at in places:
                        columns.note(at, audio=clip.audio)
        if "cer" in self.rates:
            _count_characters(table, expected, got, columns, joined=self.normalisation.analysed)
        rows = columns.added_to(table.rows)
        for rate in (*self.rates, *(["match_percent"] if "wer" in self.rates else [])):
            rows = rows.with_reasons(rate, table.reasons(clips, rows.values(rate)))
        return rows

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
            values |= {f"{rate}_file_mean": rows.mean(rate) for rate in COLUMNS if rate in values}
        return values


def _count_words(
    table: ClipRows,
    expected: Sequence[TextForm],
    got: Sequence[TextForm | None],
    columns: Columns,
    excused: Sequence[int],
) -> None:
    for said, heard, bounds, places, left in zip(
        expected, got, table.bounds, table.places, excused, strict=True
    ):
        if heard is None:
            continue
        whole = edits.align(said.words, heard.words)
        parts = whole.cut(bounds) if len(bounds) > 1 else [whole]
        for at, part in zip(places, parts, strict=True):
            _record_words(columns, at, part, left if at == places[0] else 0)
            if len(bounds) > 1:
                columns.note(at, heard=" ".join(part.got))


def _record_words(columns: Columns, at: int, part: WordAlignment, excused: int) -> None:
    """Optional words that were left out count as said and as right, as in NIST's scoring."""
    total, right = len(part.expected) + excused, part.count(edits.EQUAL) + excused
    columns.set(
        at,
        words_expected=total,
        words_got=len(part.got),
        word_edits=part.distance,
        matches=right,
        insertions=part.count(edits.INSERTED),
        deletions=part.count(edits.DELETED),
        substitutions=part.count(edits.SUBSTITUTED),
    )
    if total:
        columns.set(at, wer=100 * part.distance / total, match_percent=100 * right / total)
    columns.note(at, diff=part.to_json())


def _count_characters(
    table: ClipRows,
    expected: Sequence[TextForm],
    got: Sequence[TextForm | None],
    columns: Columns,
    *,
    joined: bool,
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
        ends = _character_ends(said, bounds, joined=joined)
        wrong = [distance]
        if len(bounds) > 1:
            wrong = edits.character_edits(said.characters, heard.characters, ends)
        sizes = np.diff([0, *ends]).tolist()
        for at, count, size in zip(places, wrong, sizes, strict=True):
            rate = 100 * count / size if size else math.nan
            columns.set(at, char_edits=count, chars_expected=size, cer=rate)
        columns.set(places[0], chars_got=len(heard.characters))


def _distances(pairs: Sequence[tuple[str, str]]) -> list[int]:
    """Edit distances of many pairs of texts, on all cores."""
    if not pairs:
        return []
    expected, got = zip(*pairs, strict=True)
    # A guess of the distance lets rapidfuzz look at a band only; it does not change the result.
    guess = max(map(len, expected)) // 10
    distances = cpdist(
        expected, got, scorer=Levenshtein.distance, score_hint=guess, workers=-1, dtype=np.int64
    )
    return [int(distance) for distance in distances]


def _character_ends(form: TextForm, bounds: Bounds, *, joined: bool) -> list[int]:
    """Where segments end in characters; by proportion where words are not cut out of the text."""
    if joined:
        total = max(len(form.words), 1)
        ends = [round(len(form.characters) * end / total) for _, end in bounds]
    else:
        lengths = list(itertools.accumulate((len(word) + 1 for word in form.words), initial=0))
        ends = [lengths[end] for _, end in bounds]
    return [*ends[:-1], len(form.characters)]
