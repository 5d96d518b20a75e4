"""Semantic distance: how far the meaning of a transcript is from what was said, without an LLM.

Two similarities of the texts, which fail in different ways, are blended evenly. The texts are read
for what they mean, not as the word error rate reads them (`meaning` in
`normalizer`: he'll is not hell, 3.14 not 314).

BERTScore F of the token encoder's last layer (Zhang et al. 2020), which forgives a synonym, and
the cosine of character 2-4-grams, which forgives an ending and notices a changed name or number.
Each distance from 1 is divided by its own spread, so that neither drowns the other:

    raw(F, C) = (1 − F) / SPREAD_F + (1 − C) / SPREAD_C
    sem_dist  = 100 · raw(F, C) / raw(UNRELATED_F, UNRELATED_C),   at most 100

0 means equal texts, 100 texts as far apart as two unrelated ones. A percentage, lower is better.
The four constants are part of the definition and never fitted to a run. SPREAD is the standard
deviation over 3,262 segments of seven recognisers' English transcripts of earnings calls, UNRELATED
the mean over 600 pairs of segments that have nothing to do with each other:

             SPREAD   UNRELATED
    F        0.043    0.744
    C        0.074    0.488

A long transcript is compared segment by segment along the word alignment (the same segments as in
`edits`), and the segments are averaged by their expected words; corpus values
likewise. Nothing recognised where something was said is 100.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Clip, ScoreInfo
from gistmeter.core.wiring import given, role
from gistmeter.models.protocols import TokenMatcher
from gistmeter.speech.metrics.edits import align, clip_rows, is_segmented, segments
from gistmeter.speech.metrics.normalizer import Normalisation, TextForm, normalisation_of

NGRAMS = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class Scale:
    """The constants of the definition."""

    bert_spread: float = 0.043
    gram_spread: float = 0.074
    bert_unrelated: float = 0.744
    gram_unrelated: float = 0.488

    def distance(self, bert: float, gram: float) -> float:
        """Two similarities as one distance in [0, 100]."""
        reach = self._raw(self.bert_unrelated, self.gram_unrelated)
        return float(min(100.0, max(0.0, 100 * self._raw(bert, gram) / reach)))

    def _raw(self, bert: float, gram: float) -> float:
        return (1 - bert) / self.bert_spread + (1 - gram) / self.gram_spread


@dataclass(frozen=True, slots=True)
class ClipWindow:
    """A segment of a clip, as the models see it."""

    row: int
    words: int  # of the expected text
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class SemanticDistance:
    """Distance in meaning between transcript and expected text, in percent.

    Range [0, 100], lower is better; equal texts score 0, an empty transcript 100; an empty
    expected text is unscored.
    """

    matcher: TokenMatcher = role("matcher", required=True)
    normalisation: Normalisation = given(normalisation_of, None)
    segmented: bool = given(is_segmented, False, shared=True)
    scale: Scale = Scale()
    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("sem_dist", False, 0, 100, "%", title="distance in meaning"),
    )

    def measure(self, clips: Sequence[Clip]) -> Rows:
        expected = [self.normalisation.read(clip.expected) for clip in clips]
        table = clip_rows(clips, expected, segmented=self.segmented)
        windows = [
            window
            for clip, form, places in zip(clips, expected, table.places, strict=True)
            for window in self._windows(clip, form, places)
        ]
        distances, unseen, failures = self._compare(windows)
        size = len(table.rows)
        total, words, hidden = np.zeros(size), np.zeros(size), np.zeros(size)
        for window, distance, share in zip(windows, distances, unseen, strict=True):
            total[window.row] += distance * window.words
            words[window.row] += window.words
            hidden[window.row] += share * window.words
        words[words == 0] = np.nan
        rows = table.rows.with_numbers(
            {
                "sem_dist": total / words,
                "sem_dist_sum": np.where(np.isnan(words), np.nan, total),
                "sem_dist_words": np.where(np.isnan(total), np.nan, words),
                "sem_dist_unseen": hidden / words,
            }
        )
        reasons = table.reasons(clips, rows.values("sem_dist"), failures)
        return rows.with_reasons("sem_dist", reasons)

    @property
    def reading(self) -> Normalisation:
        """How the texts are read: for what they mean, unless they are to be left as they are."""
        if self.normalisation.normalizer == "none":
            return self.normalisation
        return replace(self.normalisation, normalizer="meaning")

    def _windows(self, clip: Clip, heard: TextForm, places: range) -> list[ClipWindow]:
        """The segments of a clip; `heard` is its expected text as the word error rate reads it."""
        if clip.got is None or not heard.words:
            return []
        expected, got = self.reading.read(clip.expected), self.reading.read(clip.got)
        if not expected.words:
            expected, got = heard, self.normalisation.read(clip.got)
        whole = segments(len(heard.words))
        rows = list(places) if len(places) > 1 else [places[0]] * len(whole)
        if len(whole) == 1:
            return [ClipWindow(rows[0], len(expected.words), expected.characters, got.characters)]
        share = len(expected.words) / len(heard.words)
        bounds = [(round(first * share), round(last * share)) for first, last in whole]
        glue = " " if self.normalisation.spaced else ""
        return [
            ClipWindow(row, len(part.expected), glue.join(part.expected), glue.join(part.got))
            for row, part in zip(rows, align(expected.words, got.words).cut(bounds), strict=True)
        ]

    def _compare(
        self, windows: Sequence[ClipWindow]
    ) -> tuple[list[float], list[float], dict[int, str]]:
        """Distances, unseen shares and failures of windows; models see only what differs."""
        distances = [0.0 if window.expected == window.got else 100.0 for window in windows]
        unseen = [0.0] * len(windows)
        failures: dict[int, str] = {}
        asked = [at for at, window in enumerate(windows) if distances[at] and window.got]
        matches = self.matcher.match([(windows[at].got, windows[at].expected) for at in asked])
        for place, at in enumerate(asked):
            gram = ngram_cosine(windows[at].expected, windows[at].got)
            bert = float(matches.f1[place])
            distances[at] = math.nan if math.isnan(bert) else self.scale.distance(bert, gram)
            unseen[at] = float(matches.unseen[place])
            if place in matches.failures:
                failures[windows[at].row] = matches.failures[place]
        return distances, unseen, failures

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        """The mean over expected words."""
        return {"sem_dist": rows.ratio("sem_dist_sum", "sem_dist_words")}


def ngram_cosine(first: str, second: str) -> float:
    """Cosine between the counts of character 2-4-grams of two texts, in [0, 1]; 0 if one is empty.

    >>> round(ngram_cosine("knedlíky", "knedlíků"), 2)
    0.83
    """
    fewer, more = _ngrams(first), _ngrams(second)
    if len(fewer) > len(more):
        fewer, more = more, fewer
    shared = sum(count * more[gram] for gram, count in fewer.items() if gram in more)
    return shared / (_length(fewer) * _length(more)) if shared else 0.0


@lru_cache(maxsize=4096)
def _ngrams(text: str) -> Counter[str]:
    padded = f" {text} " if text else ""
    return Counter(
        padded[start : start + size] for size in NGRAMS for start in range(len(padded) - size + 1)
    )


def _length(counts: Counter[str]) -> float:
    return math.sqrt(sum(count * count for count in counts.values()))
