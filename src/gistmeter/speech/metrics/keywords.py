"""Keywords: were the words that matter heard, and were none invented?

    recall = heard of those that were said        precision = said of those that were heard

and F1, their harmonic mean; percentages, higher is better. A keyword is a word or a phrase, found
after the same normalisation as the error rates use; within a clip, as many count as right as both
texts have (a keyword said twice must be heard twice). Corpus values are ratios of sums over clips,
so that a clip with many keywords counts more. Where no keyword was said, recall is undefined;
where none was heard, precision is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from gistmeter.core.rows import Pool, Rows, Value, divide
from gistmeter.core.signature import digest
from gistmeter.core.types import Clip, ScoreInfo
from gistmeter.core.wiring import Wiring, given
from gistmeter.speech.metrics.edits import NO_TRANSCRIPT
from gistmeter.speech.metrics.normalizer import Normalisation, TextForm, normalisation_of
from gistmeter.speech.read import read_phrases

NO_KEYWORD = "no keyword was said"
COUNTS = ("keywords_right", "keywords_said", "keywords_heard")


@dataclass(frozen=True, slots=True)
class Keywords:
    """The words and phrases that must be heard."""

    phrases: tuple[str, ...]

    @property
    def id(self) -> str:
        return f"keywords-{digest(self.phrases)[:8]}"


def keywords_of(wiring: Wiring) -> Keywords:
    """The words that must be heard, from a file or from Python."""
    given = wiring.settings.keywords or ()
    words = read_phrases(Path(given)) if isinstance(given, str | Path) else tuple(given)
    return Keywords(tuple(sorted(dict.fromkeys(words))))


@dataclass(frozen=True, slots=True)
class KeywordScores:
    """Recall, precision and F1 of keywords. Range [0, 100], higher is better."""

    normalisation: Normalisation = given(normalisation_of)
    keywords: Keywords = given(keywords_of)
    scores: ClassVar[tuple[ScoreInfo, ...]] = tuple(
        ScoreInfo(name, True, 0, 100, "%", "keyword_recall", title)
        for name, title in (
            ("keyword_recall", "keywords heard"),
            ("keyword_precision", "keywords not invented"),
            ("keyword_f1", "keywords, F1"),
        )
    )

    def applies(self, items: Sequence[Clip]) -> bool:  # noqa: ARG002
        return bool(self.keywords.phrases)

    def requires(self, items: Sequence[Clip]) -> str:
        lacking = "Scores of keywords need the keywords: --keywords FILE, one per line"
        return "" if self.applies(items) else lacking

    def measure(self, clips: Sequence[Clip]) -> Rows:
        wanted = [self.normalisation.read(phrase) for phrase in self.keywords.phrases]
        columns: dict[str, list[float]] = {name: [] for name in (*COUNTS, "keyword_recall")}
        reasons: dict[int, str] = {}
        for at, clip in enumerate(clips):
            counts = self._counts(clip, wanted)
            recall = 100 * divide(counts[0], counts[1]) if clip.got is not None else math.nan
            for name, value in zip(columns, (*counts, float(recall)), strict=True):
                columns[name].append(value)
            if math.isnan(recall):
                reasons[at] = NO_TRANSCRIPT if clip.got is None else NO_KEYWORD
        return Rows.of(clips).with_numbers(columns).with_reasons("keyword_recall", reasons)

    def _counts(self, clip: Clip, wanted: Sequence[TextForm]) -> tuple[float, float, float]:
        """Right, said and heard; undefined where there is no transcript."""
        if clip.got is None:
            return math.nan, math.nan, math.nan
        said, heard = self.normalisation.read(clip.expected), self.normalisation.read(clip.got)
        counts = [(self._often(said, phrase), self._often(heard, phrase)) for phrase in wanted]
        right = sum(min(pair) for pair in counts)
        return float(right), float(sum(a for a, _ in counts)), float(sum(b for _, b in counts))

    def _often(self, text: TextForm, phrase: TextForm) -> int:
        """How often a phrase stands in a text: as words, or as characters where none are parted."""
        if self.normalisation.analysed:
            characters = "".join(phrase.words)
            return "".join(text.words).count(characters) if characters else 0
        size = len(phrase.words)
        starts = range(len(text.words) - size + 1) if size else ()
        return sum(text.words[at : at + size] == phrase.words for at in starts)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        """Ratios of sums."""
        right, said, heard = (rows.sum(name) for name in COUNTS)
        return {
            "keyword_recall": 100 * divide(right, said),
            "keyword_precision": 100 * divide(right, heard),
            "keyword_f1": 100 * divide(2 * right, said + heard),
        }
