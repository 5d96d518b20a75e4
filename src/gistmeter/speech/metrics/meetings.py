"""Meetings: word errors where it matters who said it, and how well speakers were told apart.

    cpWER   each speaker against the one of the system that fits best (Watanabe et al. 2020)
    tcpWER  the same, but a word counts only near the time it was said (von Neumann et al. 2023)
    ORC-WER every segment against whichever stream fits best: without errors of who said it. Of more
            than a few minutes MeetEval's greedy search, which can only be higher
    DER     speech missed, invented or given to the wrong speaker, over all speech (NIST's md-eval)

All are percentages, lower is better, and may exceed 100. cpWER and DER are computed here, the two
others by MeetEval. Errors are shared among the segments of what was said, so that intervals come
from resampling them: those of a recording sum to its own.
"""

from __future__ import annotations

import bisect
import importlib.util
import itertools
import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

from rapidfuzz.distance import Levenshtein

from gistmeter.core.errors import MissingDependency
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.settings import option
from gistmeter.core.types import Clip, ScoreInfo
from gistmeter.core.wiring import Wiring, given
from gistmeter.speech.formats.nist_notation import choose, has_choices
from gistmeter.speech.formats.speakers import (
    Meeting,
    SegmentClip,
    assign,
    match_streams,
    speakers_of,
)
from gistmeter.speech.formats.timed import TimedText
from gistmeter.speech.metrics.edits import align
from gistmeter.speech.metrics.normalizer import Normalisation, normalisation_of

BY_MEETEVAL = ("tcpwer", "orcwer")
NAMES = ("cpwer", *BY_MEETEVAL, "der")
MOST_CELLS = 10_000_000  # of the table that the exact ORC-WER needs
MOST_LISTED = 5_000_000  # segments at every moment, all added up
PAUSE = 1.0  # seconds between words of one turn
NO_TIMES, NO_WORDS = "no times", "no words, only who spoke when"
NO_SPEAKERS = "the system tells no speakers apart"
BACKWARDS = "a segment ends before it begins"
TOO_MANY = "too many segments at the same time"
Shares = tuple[tuple[float, float], ...]  # errors and size of each segment


def chosen_rates(wiring: Wiring) -> tuple[str, ...]:
    """The rates that are asked for and can be computed here."""
    meetings = [item for item in wiring.items if isinstance(item, SegmentClip) and item.meeting]
    asked = tuple(name for name in NAMES if name in wiring.asked) or NAMES
    if not meetings or not set(asked) & set(BY_MEETEVAL) or importlib.util.find_spec("meeteval"):
        return asked
    missing = MissingDependency("meeteval", "meetings", "tcpwer and orcwer")
    if set(wiring.asked) & set(BY_MEETEVAL):
        raise missing
    wiring.context.leave_out(f"tcpwer and orcwer are left out. {missing}")
    return tuple(name for name in asked if name not in BY_MEETEVAL)


@dataclass(frozen=True, slots=True)
class MeetingErrors:
    """Errors of words and of speakers in meetings. Range [0, ∞), lower is better."""

    normalisation: Normalisation = given(normalisation_of)
    rates: tuple[str, ...] = given(chosen_rates, NAMES, shared=True)
    collar: float = option(
        5.0, "Seconds by which a word may be off for tcpwer.", panel="scores", low=0, advanced=True
    )
    der_collar: float = option(
        0.0, "Seconds around the limits of a segment that der does not score.",
        panel="scores", low=0, advanced=True,
    )  # fmt: skip
    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("cpwer", False, 0, math.inf, "%", title="word errors by speaker"),
        ScoreInfo("tcpwer", False, 0, math.inf, "%", title="word errors by speaker and time"),
        ScoreInfo("orcwer", False, 0, math.inf, "%", title="word errors whoever spoke"),
        ScoreInfo("der", False, 0, math.inf, "%", title="diarisation errors"),
    )
    family: ClassVar[str] = "speech"

    def applies(self, items: Sequence[Clip]) -> bool:
        """Only where both sides have speakers."""
        return any(isinstance(clip, SegmentClip) and clip.meeting for clip in items)

    def requires(self, items: Sequence[Clip]) -> str:
        if self.applies(items):
            return ""
        return (
            f"{', '.join(self.rates)}: needs files with speakers on both sides, such as SegLST,"
            " STM, RTTM, JSON of a service that tells speakers apart, or lines of Name: words"
        )

    def measure(self, clips: Sequence[Clip]) -> Rows:
        rows = Rows.of(clips)
        for name in self.rates:
            errors, sizes, reasons = [], [], dict[int, str]()
            for at, clip in enumerate(clips):
                found: Shares | str = "no transcript" if clip.got is None else NO_SPEAKERS
                if isinstance(clip, SegmentClip) and clip.meeting is not None:
                    found = self._shares(name, clip.meeting)
                if isinstance(found, str):
                    share, reasons[at] = (math.nan, math.nan), found
                else:
                    share = found[clip.place] if clip.place >= 0 else (0.0, 0.0)  # type: ignore[attr-defined]
                errors.append(share[0])
                sizes.append(share[1])
            rows = rows.with_numbers({f"{name}_errors": errors, f"{name}_size": sizes})
            rates = [100 * wrong / size if size else math.nan
                     for wrong, size in zip(errors, sizes, strict=True)]  # fmt: skip
            empty = {at: "nobody said this" for at, size in enumerate(sizes) if size == 0}
            rows = rows.with_numbers({name: rates}).with_reasons(name, {**empty, **reasons})
        return rows

    def _shares(self, name: str, meeting: Meeting) -> Shares | str:
        collar = {"tcpwer": self.collar, "der": self.der_collar}.get(name, 0.0)
        return shares_of(name, meeting, self.normalisation, collar)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {
            name: 100 * rows.ratio(f"{name}_errors", f"{name}_size")
            for name in self.rates
            if f"{name}_errors" in rows
        }

    def documents(self, rows: Rows, items: Sequence[Clip]) -> Mapping[str, Any]:
        """Who spoke when, as it was and as each system has it."""
        del rows
        meetings: dict[str, dict[str, Meeting]] = {}
        for clip in items:
            if isinstance(clip, SegmentClip) and clip.meeting is not None:
                meetings.setdefault(clip.system, {})[clip.meeting.recording] = clip.meeting
        return {
            "meetings.json": {
                system: {name: self._timeline(meeting) for name, meeting in own.items()}
                for system, own in meetings.items()
            }
        }

    def _timeline(self, meeting: Meeting) -> dict[str, Any]:
        shares = self._shares("cpwer" if meeting.words else "der", meeting)
        known = shares if not isinstance(shares, str) else [(0.0, 0.0)] * len(meeting.said)
        return {
            "said": [
                [piece.speaker, piece.start, piece.end, *map(float, share)]
                for piece, share in zip(meeting.said, known, strict=True)
                if piece.end is not None
            ],
            "heard": [
                [piece.speaker, piece.start, piece.end]
                for piece in turns(meeting.heard)
                if piece.end is not None
            ],
        }


@lru_cache(maxsize=256)
def shares_of(
    name: str, meeting: Meeting, normalisation: Normalisation, collar: float
) -> Shares | str:
    """Errors and size of each segment, or why there are none."""
    timed = all(piece.end is not None for piece in (*meeting.said, *meeting.heard))
    if name == "der":
        return diarisation(meeting, collar) if timed else NO_TIMES
    if not meeting.words:
        return NO_WORDS
    worded = MeetingWords.of(meeting, normalisation)
    if name == "cpwer":
        return worded.by_speaker()
    if name == "orcwer":
        return worded.by_stream()
    return worded.by_time(collar) if timed else NO_TIMES


@dataclass(frozen=True, slots=True)
class MeetingWords:
    """The words of a meeting as they are compared."""

    meeting: Meeting
    said: tuple[tuple[str, ...], ...]  # by segment
    heard: tuple[tuple[str, ...], ...]  # by piece

    @classmethod
    def of(cls, meeting: Meeting, normalisation: Normalisation) -> MeetingWords:
        return cls(
            meeting, compared_words(meeting.said, normalisation),
            compared_words(meeting.heard, normalisation),
        )  # fmt: skip

    def streams(self) -> list[list[str]]:
        """What each speaker of the system says, in order."""
        pairs = list(zip(self.meeting.heard, self.heard, strict=True))
        return [
            [word for piece, words in pairs if piece.speaker == speaker for word in words]
            for speaker in speakers_of(self.meeting.heard)
        ]

    def by_speaker(self) -> Shares:
        own = [
            [at for at, piece in enumerate(self.meeting.said) if piece.speaker == speaker]
            for speaker in speakers_of(self.meeting.said)
        ]
        streams = self.streams()
        chosen = match_streams([self._joined(places) for places in own], streams)
        return self._shared(own, chosen, streams)

    def by_stream(self) -> Shares:
        streams = self.streams()
        filled = [at for at, words in enumerate(self.said) if words]
        cells = sum(map(len, self.said)) * math.prod(len(stream) + 1 for stream in streams)
        if not filled or not streams:
            return self._shared([list(range(len(self.said)))], [len(streams)], streams)
        names = speakers_of(self.meeting.heard)
        said = [(self.meeting.said[at].speaker, self.said[at]) for at in filled]
        texts = [
            [{"session_id": "meeting", "speaker": who, "words": " ".join(words)}
             for who, words in side]
            for side in (said, zip(names, streams, strict=True))
        ]  # fmt: skip
        greedy = cells > MOST_CELLS  # what it finds is at least the optimum, and mostly equal
        rates = _meeteval()
        found = (rates.greedy_orc_word_error_rate if greedy else rates.orc_word_error_rate)(*texts)
        pairs = list(zip(filled, map(names.index, found.assignment), strict=True))
        own = [[at for at, stream in pairs if stream == number] for number in range(len(streams))]
        return self._shared(own, list(range(len(streams))), streams)

    def by_time(self, collar: float) -> Shares | str:
        if any(piece.end < (piece.start or 0.0)  # type: ignore[operator]
               for piece in (*self.meeting.said, *self.meeting.heard)):  # fmt: skip
            return BACKWARDS
        said = self._seglst(self.meeting.said, self.said)
        heard = self._seglst(self.meeting.heard, self.heard)
        found = _meeteval().time_constrained_minimum_permutation_word_error_rate(
            said, heard, collar=collar
        )
        errors = [0.0] * len(self.said)
        for speaker, stream in found.assignment:
            pairs = _meeteval().time_constrained.align(
                [part for part in said if part["speaker"] == speaker],
                [part for part in heard if part["speaker"] == stream],
                collar=collar, style="seglst",
            )  # fmt: skip
            place = 0
            for expected, got in pairs:
                place = expected["place"] if expected is not None else place
                wrong = expected is None or got is None or expected["words"] != got["words"]
                errors[place] += wrong
        errors[-1] += found.errors - sum(errors)
        return tuple(zip(errors, map(float, map(len, self.said)), strict=True))

    def _seglst(
        self, pieces: Sequence[TimedText], words: Sequence[Sequence[str]]
    ) -> list[dict[str, Any]]:
        return [
            {"session_id": "meeting", "speaker": piece.speaker, "words": " ".join(own),
             "start_time": piece.start, "end_time": piece.end, "place": place}
            for place, (piece, own) in enumerate(zip(pieces, words, strict=True))
        ]  # fmt: skip

    def _joined(self, places: Iterable[int]) -> list[str]:
        return [word for at in places for word in self.said[at]]

    def _shared(
        self, own: Sequence[Sequence[int]], chosen: Sequence[int], streams: Sequence[Sequence[str]]
    ) -> Shares:
        """The errors of each group of segments against its stream; what is left is insertions."""
        errors = [0.0] * len(self.said)
        for places, number in zip(own, chosen, strict=True):
            stream = streams[number] if number < len(streams) else []
            if not places:
                errors[-1] += len(stream)
                continue
            ends = [0]
            for at in places:
                ends.append(ends[-1] + len(self.said[at]))
            bounds = list(itertools.pairwise(ends))
            whole = align(self._joined(places), stream)
            for at, part in zip(places, whole.cut(bounds), strict=True):
                errors[at] += part.distance
        errors[-1] += sum(len(stream) for at, stream in enumerate(streams) if at not in chosen)
        return tuple(zip(errors, map(float, map(len, self.said)), strict=True))


def _meeteval() -> Any:
    import meeteval.wer.wer

    # It warns of words of one speaker that overlap, which only moves guessed times of words.
    logging.getLogger("preprocess").setLevel(logging.ERROR)
    return meeteval.wer.wer


def compared_words(
    pieces: Sequence[TimedText], normalisation: Normalisation
) -> tuple[tuple[str, ...], ...]:
    """The words of each piece as they are compared.

    Pieces that are single words are read as the turns that they make: "two hundred" is one number.
    """
    words: list[tuple[str, ...]] = []
    for piece in pieces:
        text = piece.text
        bare = choose(text, text.split()).text if has_choices(text) else text
        words.append(tuple(normalisation.read(bare).words))
    for places in turn_places(pieces):
        if len(places) < 2 or any(" " in pieces[at].text for at in places):
            continue
        alone = [(word, at) for at in places for word in words[at]]
        whole = normalisation.read(" ".join(pieces[at].text for at in places)).words
        shared: dict[int, list[str]] = {at: [] for at in places}
        for code in Levenshtein.opcodes([word for word, _ in alone], whole):
            own = alone[code.src_start : code.src_end] or alone[max(0, code.src_start - 1) :][:1]
            made = whole[code.dest_start : code.dest_end]
            for number, word in enumerate(made):
                at = own[number if code.tag == "equal" else 0][1] if own else places[0]
                shared[at].append(word)
        for at, mine in shared.items():
            words[at] = tuple(mine)
    return tuple(words)


def turn_places(pieces: Sequence[TimedText]) -> list[list[int]]:
    """The pieces of each turn: those of one speaker that follow each other without a pause."""
    made: list[list[int]] = []
    latest: dict[str, tuple[list[int], float | None]] = {}
    for at in sorted(range(len(pieces)), key=lambda at: pieces[at].start or 0.0):
        piece = pieces[at]
        turn, end = latest.get(piece.speaker, ([], None))
        if end is not None and (piece.start or 0.0) - end < PAUSE:
            turn.append(at)
            latest[piece.speaker] = turn, max(end, piece.end or 0.0)
        else:
            made.append([at])
            latest[piece.speaker] = made[-1], piece.end
    return made


def turns(pieces: Sequence[TimedText]) -> list[TimedText]:
    """Words of one speaker that follow each other without a pause, as one turn."""
    return [
        replace(pieces[places[0]], end=max(pieces[at].end or 0.0 for at in places))
        if len(places) > 1
        else pieces[places[0]]
        for places in turn_places(pieces)
    ]


def diarisation(meeting: Meeting, collar: float) -> Shares | str:
    """Seconds that are missed, invented or given to the wrong speaker, by segment.

    Time is cut where anyone begins or ends; what is wrong between two cuts belongs to the segment
    that is spoken there, or that was spoken last.
    """
    worded = any(piece.text for piece in meeting.heard)
    single = all(len(piece.text.split()) < 2 for piece in meeting.heard)
    heard = turns(meeting.heard) if worded and single else list(meeting.heard)
    said = list(meeting.said)
    cuts = {time for piece in (*said, *heard) for time in (piece.start, piece.end)}
    limits = sorted({time or 0.0 for piece in said for time in (piece.start, piece.end)})
    times = sorted({
        float(time or 0.0) + shift for time in cuts for shift in (0.0, -collar, collar)
    })  # fmt: skip
    names, theirs = ({name: at for at, name in enumerate(speakers_of(side))}
                     for side in (said, heard))  # fmt: skip
    spans = []  # length, start, segments that are spoken, speakers who were heard
    together = [[0.0] * max(len(theirs), len(names)) for _ in names]
    speaking, listed = zip(_active(said, times), _active(heard, times), strict=True), 0
    for (start, end), (active, others) in zip(itertools.pairwise(times), speaking, strict=False):
        listed += len(active) + len(others)
        if listed > MOST_LISTED:
            return TOO_MANY
        middle = (start + end) / 2
        after = bisect.bisect(limits, middle)
        if collar and any(
            abs(middle - limit) < collar for limit in limits[max(0, after - 1) : after + 1]
        ):
            continue
        there = {heard[at].speaker for at in others}
        spans.append((end - start, start, active, there))
        for speaker in {said[at].speaker for at in active}:
            for other in there:
                together[names[speaker]][theirs[other]] -= end - start
    matched = assign(together) if together and together[0] else []
    known = list(theirs)
    partner = {name: known[at] for name, at in zip(names, matched, strict=True) if at < len(known)}
    errors, sizes = [0.0] * len(said), [0.0] * len(said)
    begun = list(itertools.accumulate((piece.start or 0.0 for piece in said), max))
    for length, start, active, there in spans:
        first = {said[at].speaker: at for at in reversed(active)}
        right = sum(partner.get(speaker) in there for speaker in first)
        wrong = length * (max(len(first), len(there)) - right)
        before = bisect.bisect(begun, start) - 1
        errors[active[0] if active else max(before, 0)] += wrong
        for own in first.values():
            sizes[own] += length
    return tuple(zip(errors, sizes, strict=True))


def _active(pieces: Sequence[TimedText], times: Sequence[float]) -> Iterator[list[int]]:
    """The pieces that are spoken from each time to the next, in order."""
    starts = sorted(range(len(pieces)), key=lambda at: pieces[at].start or 0.0)
    active: list[int] = []
    place = 0
    for time in times:
        active = [at for at in active if (pieces[at].end or 0.0) > time]
        while place < len(starts) and (pieces[starts[place]].start or 0.0) <= time:
            if (pieces[starts[place]].end or 0.0) > time:
                bisect.insort(active, starts[place])
            place += 1
        yield active
