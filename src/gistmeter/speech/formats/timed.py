"""Pieces of a recording with their times and speakers, and the files that hold them line by line.

    stm     recording channel speaker start end [<label>] text: one segment per line
    ctm     recording channel start duration word [confidence]: one word per line
    rttm    SPEAKER recording channel start duration <NA> <NA> speaker <NA> <NA>: who spoke when
    cues    SRT and WebVTT, with the speakers of `<v Name>`

YouTube's captions roll: a cue repeats the line before it and adds a new one, so a line that stood
in the cue before is left out. They are known by the times of their words, or, where a tool has made
an SRT of them, by cues that repeat a line of the one before more often than not.

Words go to segments as NIST's sclite gives them: in the order of time, to the first segment of the
same recording and channel that ends after the word's middle, and to the last where none does. Words
that fall to a segment marked `ignore_time_segment_in_scoring` are not scored.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gistmeter.core.files import printable

LEAST_CUES = 4  # from which on it can be told whether they roll
LONGEST_TIME = 1e12  # in whatever unit; also refuses what is infinite or no number
IGNORED = "ignore_time_segment_in_scoring"
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{0,99})?|\.\d{1,99}")
_LABEL = re.compile(r"^<[^<>\s]*>$")
_TIME = r"(?:(\d{1,6}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_CUE = re.compile(rf"^\s*{_TIME}\s+-->\s+{_TIME}")
_TAG = re.compile(r"</?[^<>\n]*>|\{\\[^{}]*\}")
_VOICE = re.compile(r"<v(?:\.[\w.-]+)?\s([^<>]+)>")
_ROLLING = re.compile(r"<\d+:\d{2}:\d{2}\.\d{3}><c>")


@dataclass(frozen=True, slots=True)
class TimedText:
    """A piece of a recording: a segment, a turn or a word. Times that are unknown are None."""

    recording: str
    text: str
    start: float | None = None
    end: float | None = None
    speaker: str = ""
    channel: str = ""

    @property
    def ignored(self) -> bool:
        return self.text == IGNORED

    @property
    def middle(self) -> float:
        return ((self.start or 0.0) + (self.end or 0.0)) / 2


def in_seconds(time: Any) -> float:
    """A number of seconds, or of parts of one; what no recording has is a `ValueError`."""
    seconds = float(time)
    if not -LONGEST_TIME < seconds < LONGEST_TIME:
        raise ValueError(f"{seconds} is not a time of a recording")
    return seconds


def read_segment(line: str) -> TimedText | None:
    """A line of an STM; alternatives stay as they are written."""
    cells = line.split(None, 5)
    if len(cells) < 5 or not all(_SECONDS.fullmatch(cell) for cell in cells[3:5]):
        return None
    rest = cells[5] if len(cells) > 5 else ""
    label, _, words = rest.partition(" ")
    text = printable(words.strip() if _LABEL.match(label) else rest.strip())
    text = IGNORED if text.casefold() == IGNORED else text
    return TimedText(cells[0], text, float(cells[3]), float(cells[4]), cells[2], cells[1])


def read_word(line: str) -> TimedText | None:
    """A line of a CTM; `@` is the word that is none."""
    cells = line.split()
    if not 5 <= len(cells) <= 8 or not all(_SECONDS.fullmatch(cell) for cell in cells[2:4]):
        return None
    start, length = float(cells[2]), float(cells[3])
    text = "" if cells[4] == "@" else printable(cells[4])
    speaker = cells[7] if len(cells) == 8 and cells[7] not in ("NULL", "<NA>") else ""
    return TimedText(cells[0], text, start, start + length, speaker, cells[1])


def read_turn(line: str) -> TimedText | None:
    """A line of an RTTM that says who speaks; it has no words."""
    cells = line.split()
    if len(cells) < 8 or cells[0] != "SPEAKER":
        return None
    if not all(_SECONDS.fullmatch(cell) for cell in cells[3:5]):
        return None
    start, length = float(cells[3]), float(cells[4])
    return TimedText(cells[1], "", start, start + length, cells[7], cells[2])


LINED = {"rttm": read_turn, "stm": read_segment, "ctm": read_word}


def read_cues(lines: Sequence[str], recording: str) -> tuple[str, list[TimedText]] | None:
    """The cues of subtitles without numbers, notes and tags, and which kind they are."""
    times = [(at, match) for at, line in enumerate(lines) if (match := _CUE.match(line))]
    first = next((line for line in lines if line.strip()), "").lstrip("\ufeff").strip()
    form = "vtt" if first.startswith("WEBVTT") else "srt"
    if not times or (form == "srt" and not first.isdecimal() and not _CUE.match(first)):
        return None
    bounds = list(zip(times, [*(at for at, _ in times[1:]), len(lines)], strict=True))
    timed = form == "vtt" and any(_ROLLING.search(line) for line in lines)
    if timed or _rolls([_cue_lines(lines[at + 1 : end], rolling=True) for (at, _), end in bounds]):
        form = "youtube"
    cues: list[TimedText] = []
    before: set[str] = set()
    for (at, match), end in bounds:
        shown = _cue_lines(lines[at + 1 : end], rolling=form == "youtube")
        kept = [line for line in shown if line not in before] if form == "youtube" else shown
        before = set(shown) or before
        voice = next((found for line in shown if (found := _VOICE.search(line))), None)
        text = printable(" ".join(plain for line in kept if (plain := _TAG.sub("", line).strip())))
        start, stop = (_clock(match.groups()[part : part + 4]) for part in (0, 4))
        if text:
            speaker = voice[1].strip() if voice else ""
            cues.append(TimedText(recording, text, start, stop, speaker))
    return form, cues


def _rolls(cues: Sequence[Sequence[str]]) -> bool:
    """Whether most cues repeat a line of the one before; the number of a next cue is none."""
    shown = [{line for line in cue if not line.isdecimal()} for cue in cues]
    repeated = sum(bool(one & two) for one, two in itertools.pairwise(shown))
    return len(shown) >= LEAST_CUES and 2 * repeated > len(shown)


def _cue_lines(lines: Sequence[str], *, rolling: bool) -> list[str]:
    shown = []
    for line in lines:
        if not line.strip() and not (rolling and line):  # YouTube's empty line is a blank
            break
        shown.append(_TAG.sub("", line).strip() if rolling else line)
    return [line for line in shown if line.strip()]


def _clock(parts: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = parts
    return (
        3600 * int(hours or 0)
        + 60 * int(minutes or 0)
        + int(seconds or 0)
        + float(f"0.{fraction or 0}")
    )


def in_order(pieces: Iterable[TimedText]) -> list[TimedText]:
    """Pieces by recording, channel and time; those without times in the order they came."""
    return sorted(pieces, key=lambda piece: (piece.recording, piece.channel, piece.start or 0.0))


def join_recordings(pieces: Sequence[TimedText]) -> dict[str, str]:
    """The words of each recording in the order of their times, whoever speaks."""
    texts: dict[str, list[str]] = {}
    for piece in sorted(pieces, key=lambda piece: (piece.recording, piece.start or 0.0)):
        texts.setdefault(piece.recording, []).append("" if piece.ignored else piece.text)
    return {name: " ".join(part for part in parts if part) for name, parts in texts.items()}


def share_out(segments: Sequence[TimedText], words: Sequence[TimedText]) -> list[list[str]]:
    """The words that fall to each segment, by sclite's rule."""
    shared: list[list[str]] = [[] for _ in segments]
    places: dict[tuple[str, str], list[int]] = {}
    for place, segment in enumerate(segments):
        places.setdefault((segment.recording, segment.channel), []).append(place)
    for own in places.values():
        own.sort(key=lambda place: (segments[place].start or 0.0, segments[place].end or 0.0))
    ends = {key: [segments[at].end or 0.0 for at in own] for key, own in places.items()}
    for word in in_order(words):
        key = word.recording, word.channel
        if key in places:
            late = bisect.bisect_left(ends[key], word.middle)
            shared[places[key][min(late, len(places[key]) - 1)]].append(word.text)
    return [[text for text in texts if text] for texts in shared]


def match_channels(
    said: Sequence[TimedText], heard: Sequence[TimedText]
) -> tuple[list[TimedText], Mapping[str, str]]:
    """What was heard by the names that the expected file has for its recordings and channels.

    A single recording is the same whatever its name; channels are matched by name, else in order.
    """
    recordings = {piece.recording for piece in said}, {piece.recording for piece in heard}
    names: dict[str, str] = {}
    if len(recordings[0]) == len(recordings[1]) == 1:
        names = {next(iter(recordings[1])): next(iter(recordings[0]))}
    ours, theirs = (sorted({piece.channel for piece in pieces}) for pieces in (said, heard))
    same = set(theirs) <= set(ours)
    channels = dict(zip(theirs, theirs if same else ours, strict=False))
    if not same and len(ours) != len(theirs):
        channels = dict.fromkeys(theirs, ours[0]) if len(ours) == 1 else {}
    renamed = [
        TimedText(
            names.get(piece.recording, piece.recording), piece.text, piece.start, piece.end,
            piece.speaker, channels.get(piece.channel, piece.channel),
        )
        for piece in heard
    ]  # fmt: skip
    return renamed, {} if same else channels
