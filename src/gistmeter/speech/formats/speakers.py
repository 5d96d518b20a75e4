"""Who said it: what each speaker said beside what a system gave to one of its own speakers.

A system's speakers have names of its own, so they are assigned to those who spoke such that the
word errors are fewest (the concatenated minimum-permutation of Watanabe et al. 2020, solved as an
assignment problem). What was heard of a speaker is then cut at the segments of what was said, along
the alignment of their words: the errors of the segments sum to those of the whole.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from gistmeter.core.errors import InputError
from gistmeter.core.types import Clip
from gistmeter.speech.formats.timed import TimedText

MOST_SPEAKERS = 200  # of one recording: finding who is whom takes their cube
Costs = Sequence[Sequence[float]]
_EDGE = re.compile(r"^\W+|\W+$")
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(f"[{_UNSPACED}]|[^\\s{_UNSPACED}]+")


@dataclass(frozen=True, eq=False, slots=True)
class Meeting:
    """One recording: what was said and what one system heard, piece by piece."""

    recording: str
    said: tuple[TimedText, ...]
    heard: tuple[TimedText, ...]
    words: bool = True  # whether the pieces have words, and not only times


@dataclass(frozen=True, slots=True)
class SegmentClip(Clip):
    """A segment of a recording, with its times; of a meeting, also its place in it."""

    start: float = math.nan
    end: float = math.nan
    excused: int = 0  # optional words that were rightly left out
    meeting: Meeting | None = None
    place: int = -1  # of the segment among those of the meeting; -1: nobody said this
    channel: str = ""


@dataclass(frozen=True, slots=True)
class TimedClip(Clip):
    """A clip with the times its recogniser took, or the reason why there is no transcript."""

    latency: float = math.nan  # seconds from the last sound to the last final text
    latency_first: float = math.nan  # from the first sound to the first text
    elapsed: float = math.nan  # from the first sound to the last text
    duration: float = math.nan  # of the sound
    failure: str = ""


def assign(costs: Costs) -> list[int]:
    """The column of each row such that the sum is least (Kuhn 1955), rows being at most columns.

    >>> assign([[4, 1, 3], [2, 0, 5]])
    [1, 0]
    """
    rows, columns = len(costs), len(costs[0]) if costs else 0
    lift, drop = [0.0] * (rows + 1), [0.0] * (columns + 1)
    taken = [0] * (columns + 1)  # the row of each column, counted from 1
    for row in range(1, rows + 1):
        taken[0], column = row, 0
        least, before = [math.inf] * (columns + 1), [0] * (columns + 1)
        done = [False] * (columns + 1)
        while taken[column]:
            done[column] = True
            at, step, following = taken[column], math.inf, 0
            for other in range(1, columns + 1):
                if done[other]:
                    continue
                cost = costs[at - 1][other - 1] - lift[at] - drop[other]
                if cost < least[other]:
                    least[other], before[other] = cost, column
                if least[other] < step:
                    step, following = least[other], other
            for other in range(columns + 1):
                if done[other]:
                    lift[taken[other]] += step
                    drop[other] -= step
                else:
                    least[other] -= step
            column = following
        while column:
            taken[column] = taken[before[column]]
            column = before[column]
    found = [0] * rows
    for column, row in enumerate(taken[1:]):
        if row:
            found[row - 1] = column
    return found


def refuse_crowd(said: Sequence[str], heard: Sequence[str]) -> None:
    """Speakers of a recording and of a system must be so few that they can be told apart."""
    if max(len(said), len(heard)) > MOST_SPEAKERS:
        raise InputError(
            f"A recording has {len(said):,} speakers and {len(heard):,} were heard; at most "
            f"{MOST_SPEAKERS} can be told apart. Check the column of speakers"
        )


def match_streams(said: Sequence[Sequence[str]], heard: Sequence[Sequence[str]]) -> list[int]:
    """For each speaker the number of the stream heard; one beyond the last: none was.

    >>> match_streams([["yes"], ["no", "never"]], [["no", "never"], ["yes"]])
    [1, 0]
    """
    empty = [len(words) for words in said]
    # Beside the streams as many silent ones as there are speakers; unused streams are insertions.
    costs = [
        [Levenshtein.distance(own, other) - len(other) for other in heard] + [empty[at]] * len(said)
        for at, own in enumerate(said)
    ]
    return [min(column, len(heard)) for column in assign(costs)]


def cut_along(pieces: Sequence[str], heard: str) -> list[str]:
    """What was heard of each piece of a text, along the alignment of their words.

    An insertion goes with the word before it. Words are characters in scripts without spaces.

    >>> cut_along(["turn it on", "and leave"], "turn on please and leave")
    ['turn on please', 'and leave']
    """
    owners = [at for at, text in enumerate(pieces) for _ in _WORD.finditer(text)]
    places = word_spans(heard)
    spans: dict[int, tuple[int, int]] = {}
    for code in Levenshtein.opcodes(compared_words(" ".join(pieces)), compared_words(heard)):
        for number, (start, end) in enumerate(places[code.dest_start : code.dest_end]):
            at = code.src_start - 1 if code.tag == "insert" else code.src_start + number
            owner = owners[max(at, 0)] if owners else 0
            spans[owner] = (spans[owner][0] if owner in spans else start, end)
    cut = [spans.get(at, (0, 0)) for at in range(len(pieces))]
    return [heard[start:end] for start, end in cut]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where the words of a text stand; characters in scripts without spaces."""
    return [match.span() for match in _WORD.finditer(text)]


def compared_words(text: str) -> list[str]:
    """Words as they are compared where no normaliser is known yet."""
    words = (match[0].casefold() for match in _WORD.finditer(text))
    return [_EDGE.sub("", word) or word for word in words]


def speakers_of(pieces: Sequence[TimedText]) -> list[str]:
    """The speakers in the order in which they first speak."""
    return list(dict.fromkeys(piece.speaker for piece in pieces))
