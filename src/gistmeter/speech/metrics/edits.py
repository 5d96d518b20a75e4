"""The fewest edits that turn one sequence of words into another, and the places to cut it.

Edit distance with unit costs (Levenshtein 1966), by rapidfuzz, which jiwer uses as well: so the
counts are jiwer's. Every edit has a place in the expected text. An insertion belongs to the word
before it; so a text can be cut into segments whose edits sum to those of the whole, and nothing is
counted twice.

A text of n words is cut into segments of min(50, max(15, n/10)) words, as even as they can be.
They depend on the expected text alone, so all systems are cut at the same places.

`ClipRows` and `Columns` are the rows that the metrics of transcripts fill: one per clip, or one per
segment of it.
"""

from __future__ import annotations

import bisect
import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from rapidfuzz.distance import Levenshtein

from gistmeter.core.rows import Floats, Rows
from gistmeter.core.types import Clip
from gistmeter.core.wiring import Wiring
from gistmeter.speech.formats.speakers import TimedClip
from gistmeter.speech.metrics.fact_prompt import list_from_json
from gistmeter.speech.metrics.normalizer import TextForm, all_normalisations

NO_TRANSCRIPT, NO_EXPECTED = "no transcript", "empty expected text"
EQUAL, SUBSTITUTED, DELETED, INSERTED = "=", "s", "d", "i"
TAGS = {"equal": EQUAL, "replace": SUBSTITUTED, "delete": DELETED, "insert": INSERTED}
MINUTE = 150  # words of a text that is judged as a whole
SHORTEST, LONGEST, AIM = 15, 50, 10  # words in a segment, and segments in a text

Bounds = list[tuple[int, int]]
DiffRun = tuple[str, str, str]  # kind, expected words, got words


@dataclass(frozen=True, slots=True)
class Edit:
    """A run of words of one kind; substitutions are as long on both sides."""

    kind: str  # "=", "s", "d" or "i"
    expected: tuple[str, ...]
    got: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WordAlignment:
    """How one text became the other."""

    edits: tuple[Edit, ...]

    def count(self, kind: str) -> int:
        """How many words are equal, substituted, deleted or inserted."""
        return sum(
            len(edit.got) if kind == INSERTED else len(edit.expected)
            for edit in self.edits
            if edit.kind == kind
        )

    @property
    def distance(self) -> int:
        return sum(self.count(kind) for kind in (SUBSTITUTED, DELETED, INSERTED))

    @property
    def expected(self) -> tuple[str, ...]:
        return tuple(word for edit in self.edits for word in edit.expected)

    @property
    def got(self) -> tuple[str, ...]:
        return tuple(word for edit in self.edits for word in edit.got)

    def to_json(self) -> str:
        """The edits as `[[kind, expected, got], …]`, words joined by spaces."""
        runs = [[edit.kind, " ".join(edit.expected), " ".join(edit.got)] for edit in self.edits]
        return json.dumps(runs, ensure_ascii=False)

    def cut(self, bounds: Bounds) -> list[WordAlignment]:
        """The same edits in the segments of the expected words; an insertion goes with the word
        before it."""
        ends = [end for _, end in bounds]
        parts: list[list[Edit]] = [[] for _ in bounds]
        for at, edit in self._single():
            parts[min(bisect.bisect_right(ends, at), len(bounds) - 1)].append(edit)
        return [WordAlignment(tuple(_joined(part))) for part in parts]

    def _single(self) -> Iterator[tuple[int, Edit]]:
        """Edits of one word each, with the place of the expected word they belong to."""
        at = 0
        for edit in self.edits:
            if edit.kind == INSERTED:
                yield max(at - 1, 0), edit
                continue
            for place, word in enumerate(edit.expected):
                got = edit.got[place : place + 1]
                yield at, Edit(edit.kind, (word,), got)
                at += 1


def diff_from_json(text: str | None) -> list[DiffRun] | None:
    """What `WordAlignment.to_json` wrote, without damaged edits; None where there is nothing."""
    runs = list_from_json(text)
    if runs is None:
        return None
    return [
        (str(run[0]), str(run[1]), str(run[2]))
        for run in runs
        if isinstance(run, list) and len(run) == 3
    ]


def _joined(edits: Sequence[Edit]) -> Iterator[Edit]:
    """Neighbouring edits of one kind as one run."""
    run: list[Edit] = []
    for edit in edits:
        if run and run[-1].kind != edit.kind:
            yield _one(run)
            run = []
        run.append(edit)
    if run:
        yield _one(run)


def _one(run: Sequence[Edit]) -> Edit:
    return Edit(
        run[0].kind,
        tuple(word for edit in run for word in edit.expected),
        tuple(word for edit in run for word in edit.got),
    )


def align(expected: Sequence[str], got: Sequence[str]) -> WordAlignment:
    """The alignment with the fewest edits."""
    return WordAlignment(
        tuple(
            Edit(
                TAGS[code.tag],
                tuple(expected[code.src_start : code.src_end]),
                tuple(got[code.dest_start : code.dest_end]),
            )
            for code in Levenshtein.opcodes(expected, got)
        )
    )


def segments(words: int) -> Bounds:
    """Where a text of that many words is cut: places [start, end) of its segments, at least one."""
    size = min(LONGEST, max(SHORTEST, words / AIM))
    count = max(1, round(words / size))
    marks = [round(words * part / count) for part in range(count + 1)]
    return list(itertools.pairwise(marks))


def character_edits(expected: str, got: str, ends: Sequence[int]) -> list[int]:
    """How many character edits fall before each end and after the one before it."""
    counts = [0] * len(ends)
    for operation in Levenshtein.editops(expected, got):
        inserted = operation.tag == "insert"
        at = max(operation.src_pos - 1, 0) if inserted else operation.src_pos
        counts[min(bisect.bisect_right(ends, at), len(ends) - 1)] += 1
    return counts


@dataclass(frozen=True, slots=True)
class ClipRows:
    """The rows of some clips, and which of them belong to each clip."""

    rows: Rows
    bounds: tuple[Bounds, ...]  # of each clip's segments, in words of its expected text
    places: tuple[range, ...]  # of each clip's rows

    def reasons(
        self, clips: Sequence[Clip], values: Floats, failures: Mapping[int, str] | None = None
    ) -> dict[int, str]:
        """Why values are undefined: a failure of the row, else what its clip lacks."""
        return {
            at: (failures or {}).get(at) or why_unscored(clip)
            for clip, places in zip(clips, self.places, strict=True)
            for at in places
            if math.isnan(values[at])
        }


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


@dataclass(frozen=True, slots=True)
class Columns:
    """Statistics as they are gathered, undefined until they are set.

    All columns are there whatever is measured, so that rows of any chunk look the same.
    """

    numbers: dict[str, list[float]]
    texts: dict[str, list[str | None]]

    @classmethod
    def of(cls, size: int, numbers: Iterable[str], texts: Iterable[str] = ()) -> Self:
        return cls(
            {name: [math.nan] * size for name in numbers}, {name: [None] * size for name in texts}
        )

    def set(self, at: int, **values: float) -> None:
        for name, value in values.items():
            self.numbers[name][at] = float(value)

    def note(self, at: int, **values: str | None) -> None:
        for name, value in values.items():
            self.texts[name][at] = value

    def added_to(self, rows: Rows) -> Rows:
        return rows.with_numbers(self.numbers).with_texts(self.texts)


def why_missing(clip: Clip) -> str:
    """Why a clip has no transcript."""
    return (clip.failure if isinstance(clip, TimedClip) else "") or NO_TRANSCRIPT


def why_unscored(clip: Clip) -> str:
    """Why a clip that could not be compared has no score."""
    return why_missing(clip) if clip.got is None else NO_EXPECTED


def is_segmented(wiring: Wiring) -> bool:
    """Whether intervals are over segments: as told, or where one text is all there is."""
    settings, clips = wiring.settings, wiring.items
    chosen = bool(settings.segments)
    if settings.segments is None and not (settings.recognizers or settings.custom_metric):
        normalisation = wiring.once(all_normalisations)[clips[0].language]
        words = normalisation.read(clips[0].expected).words
        chosen = len({clip.cluster for clip in clips}) == 1 and len(segments(len(words))) > 1
    if chosen:
        wiring.context.say("Intervals are over segments of the texts; n counts segments")
    return chosen
