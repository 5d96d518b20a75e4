"""`gist` of transcripts: of a clip as a whole, of anything longer than a minute by segments.

One number for an hour says little, and the judge was made for sentences. A text of more than 150
words, about a minute of speech, is cut along the alignment of the words into segments (those of
`edits`), each is judged by itself, and the segments are averaged by their content words:

    gist = Σ wᵢ·gistᵢ / Σ wᵢ,   wᵢ the content words of what was said in segment i

so that a minute of "yes, right, okay" does not outweigh the sentence with the decision. Over clips
the plain mean is taken, as for texts. The worst segments of a long clip are kept with their texts.

The judge reads both texts as the default normaliser writes them, whichever normaliser counts words:
how a number is written, a hesitation or a hyphen is no loss of meaning. Unless that says all is
kept, it reads them as they stand, too, and the higher answer counts. What it hardly sees, one word
in place of another, is told by the alarms of transcripts: with one the lower answer counts (`50 µg`
is nearer to `50 mg` than the words are).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Clip
from gistmeter.core.wiring import Wiring, given
from gistmeter.languages.guard import Alarms, Guard
from gistmeter.languages.guard.remembered import RememberingGuard, guards_of
from gistmeter.metrics.gist import PairGist
from gistmeter.speech.formats.speakers import cut_along, word_spans
from gistmeter.speech.metrics.edits import MINUTE, Bounds, clip_rows, is_segmented, segments
from gistmeter.speech.metrics.misheard import transcript_alarms
from gistmeter.speech.metrics.normalizer import Normalisation, normalisation_of

WORST, KEPT = 5, 0.9  # segments that are kept of a long clip, and the gist from which on none is
NEAR = 8  # words by which a segment may be shifted to a sentence's beginning
SENTENCE_END = ".?!…。？！"


@dataclass(frozen=True, slots=True)
class JudgedSegment:
    """A part of a clip as the judge reads it, the row it counts in, and the word it begins with."""

    clip: Clip
    row: int
    start: int


@dataclass(frozen=True, slots=True)
class TranscriptGuard(RememberingGuard):
    """The guard of transcripts, which follow what was said word by word."""

    @property
    def id(self) -> str:
        return f"transcripts-{RememberingGuard.id.fget(self)}"  # type: ignore[attr-defined]

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Alarms]:
        if not self.reads:
            return RememberingGuard.compare(self, pairs)
        return [transcript_alarms(*pair, self.language) for pair in pairs]


def transcript_guards(wiring: Wiring) -> dict[str, TranscriptGuard]:
    """The guard of each language of a run."""
    guards = guards_of(wiring)
    return {code: TranscriptGuard(code, one.cache, one.reader) for code, one in guards.items()}


@dataclass(frozen=True, slots=True)
class TranscriptGist(PairGist):
    """Range [0, 1], higher is better; long transcripts by segments, weighted by content words."""

    guards: Mapping[str, Guard] = given(transcript_guards, factory=dict)
    normalisation: Normalisation = given(normalisation_of, None)
    segmented: bool = given(is_segmented, False, shared=True)

    def measure(self, items: Sequence[Clip]) -> Rows:
        forms = [self.normalisation.read(clip.expected) for clip in items]
        table = clip_rows(items, forms, segmented=self.segmented)
        parts = [
            part
            for clip, form, bounds, places in zip(
                items, forms, table.bounds, table.places, strict=True
            )
            for part in cut_clip(clip, len(form.words), bounds, places)
        ]
        plain = replace(self.normalisation, normalizer="default")
        clips = [
            replace(
                part.clip, expected=plain.normalise(part.clip.expected),
                got=None if part.clip.got is None else plain.normalise(part.clip.got),
            )
            for part in parts
        ]  # fmt: skip
        judged = PairGist.measure(self, clips)
        # Nothing was heard of a part of something that was heard: all of its meaning is lost.
        values = [
            0.0 if math.isnan(value) and clip.got == "" and clip.expected else value
            for clip, value in zip(clips, judged.values("gist").tolist(), strict=True)
        ]
        alarmed = [self._alarmed(part.clip) for part in parts]
        again = [
            at for at, (clip, value) in enumerate(zip(clips, values, strict=True))
            if alarmed[at] or (0 < value < KEPT and clip.expected != clip.got)
        ]  # fmt: skip
        as_written = PairGist.measure(self, [parts[at].clip for at in again])
        why = list(judged.texts["evidence"])
        for at, value, found in zip(
            again, as_written.values("gist").tolist(), as_written.texts["evidence"], strict=True
        ):
            if value < values[at] if alarmed[at] else value > values[at]:
                values[at], why[at] = value, found
        return self._gathered(table.rows, parts, values, judged.with_texts({"evidence": why}))

    def _alarmed(self, clip: Clip) -> bool:
        """Whether a transcript has an alarm."""
        reader = self.guards.get(clip.language)
        return bool(clip.got and reader and reader.compare([(clip.expected, clip.got)])[0])

    def _gathered(
        self, rows: Rows, parts: Sequence[JudgedSegment], values: Sequence[float], judged: Rows
    ) -> Rows:
        """The rows with the means of their parts, the reasons of one, and the worst of several."""
        weights = self._weights([part.clip for part in parts])
        own: list[list[int]] = [[] for _ in range(len(rows))]
        for at, part in enumerate(parts):
            own[part.row].append(at)
        means, sizes = [], []
        evidence: list[str | None] = []
        worst: list[str | None] = []
        reasons: dict[int, str] = {}
        for row, places in enumerate(own):
            known = [at for at in places if math.isfinite(values[at])]
            size = sum(weights[at] for at in known)
            means.append(
                sum(weights[at] * values[at] for at in known) / size if known else math.nan
            )
            sizes.append((size if self.segmented else 1.0) if known else math.nan)
            single = len(places) == 1
            evidence.append(judged.texts["evidence"][places[0]] if single else None)
            worst.append(None if single else _worst(parts, values, known))
            if not known:
                reasons[row] = judged.reasons["gist"][places[0]]
        made = rows.with_numbers(
            {
                "gist": means,
                "gist_weight": sizes,
                "gist_sum": [mean * size for mean, size in zip(means, sizes, strict=True)],
            }
        )
        made = made.with_texts({"evidence": evidence, "worst_segments": worst})
        return made.with_reasons("gist", reasons)

    def _weights(self, clips: Sequence[Clip]) -> list[int]:
        """The content words of each expected text, one at least."""
        weights = [1] * len(clips)
        by_language: dict[str, list[int]] = {}
        for at, clip in enumerate(clips):
            by_language.setdefault(clip.language, []).append(at)
        for code, places in by_language.items():
            reader = self.guards.get(code) or Guard(code)
            found = reader.content_words([clips[at].expected for at in places])
            for at, words in zip(places, found, strict=True):
                weights[at] = max(1, len(words))
        return weights

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {"gist": rows.ratio("gist_sum", "gist_weight")}


def cut_clip(clip: Clip, size: int, bounds: Bounds, places: range) -> list[JudgedSegment]:
    """A clip of so many words in the segments of its rows; a long one is cut in any case."""
    cut = segments(size) if len(bounds) == 1 and size > MINUTE else bounds
    if len(cut) == 1:
        return [JudgedSegment(clip, places[0], 0)]
    spans = word_spans(clip.expected)
    share = len(spans) / size
    starts = [_sentence_start(clip.expected, spans, round(first * share)) for first, _ in cut]
    ends = [*starts[1:], len(spans)]
    said = [
        clip.expected[spans[first][0] : spans[last - 1][1]] if last > first else ""
        for first, last in zip(starts, ends, strict=True)
    ]
    heard: Sequence[str | None] = [None] * len(cut)
    if clip.got is not None:
        heard = cut_along(said, clip.got)
    rows = list(places) if len(places) > 1 else [places[0]] * len(cut)
    return [
        JudgedSegment(replace(clip, expected=expected, got=got), row, start)
        for expected, got, row, start in zip(said, heard, rows, starts, strict=True)
    ]


def _sentence_start(text: str, spans: Sequence[tuple[int, int]], at: int) -> int:
    """The beginning of a sentence that is nearest to a word, where one is near."""
    near = sorted(
        range(max(1, at - NEAR), min(len(spans), at + NEAR + 1)), key=lambda n: abs(n - at)
    )
    ends = (n for n in near if text[spans[n - 1][1] - 1] in SENTENCE_END)
    return next(ends, at) if at else 0


def _worst(
    parts: Sequence[JudgedSegment], values: Sequence[float], known: Sequence[int]
) -> str | None:
    """The segments that lost most, as JSON: gist, the first word's number, both texts."""
    lost = sorted((at for at in known if values[at] < KEPT), key=lambda at: values[at])[:WORST]
    found: list[list[Any]] = [
        [round(values[at], 3), parts[at].start, parts[at].clip.expected, parts[at].clip.got]
        for at in lost
    ]
    return json.dumps(found, ensure_ascii=False) if found else None
