"""Two files of transcripts brought together: by id, by line, by time, by speaker, or as one text.

What cannot be brought together without counting ids as words, or one utterance against another,
is an error that names the option to settle it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import system_names
from gistmeter.core.types import Clip
from gistmeter.speech.formats.nist_notation import choose, has_choices
from gistmeter.speech.formats.speakers import (
    Meeting,
    SegmentClip,
    compared_words,
    cut_along,
    match_streams,
    refuse_crowd,
    speakers_of,
)
from gistmeter.speech.formats.timed import TimedText, in_order, match_channels, share_out
from gistmeter.speech.formats.utterances import DECIDED, FORMS, Transcripts, read_transcripts

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
LISTED = 5  # clips named in a remark
SEGMENTED = ("stm", "seglst", "turns")  # forms whose pieces are utterances
NOTATED = ("stm", "trn")  # with alternatives and optional words


@dataclass(frozen=True, slots=True)
class Clips:
    """Clips of all systems, and remarks on how they were found."""

    clips: tuple[Clip, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PairedTranscripts:
    """What was said and what one system heard of it, by the same ids; or as segments."""

    said: Transcripts
    heard: Transcripts
    expected: Mapping[str, str]
    texts: Mapping[str, str]
    forms: tuple[str, str]
    segments: tuple[SegmentClip, ...] = ()
    how: str = ""  # how segments were matched

    def clips(self, system: str) -> list[Clip]:
        """The clips of the system that heard this."""
        if self.segments:
            return [replace(clip, recognizer=system) for clip in self.segments]
        known = self.said.manifest
        return [
            self._chosen(
                SegmentClip(
                    key, text, self.texts.get(key), system,
                    speaker=known.speakers.get(key, ""), audio=known.audio.get(key),
                )
            )
            for key, text in self.expected.items()
        ]  # fmt: skip

    def _chosen(self, clip: SegmentClip) -> Clip:
        return choose_reading(clip) if self.said.form in NOTATED else clip


def choose_reading(clip: SegmentClip) -> SegmentClip:
    """The clip with the reading of its expected text that is nearest to what was heard."""
    if not has_choices(clip.expected):
        return clip
    heard = clip.expected if clip.got is None else clip.got
    chosen = choose(clip.expected, heard.split())
    return replace(clip, expected=chosen.text, excused=chosen.excused)


def pair_transcripts(
    said: Transcripts, heard: Transcripts, *, by_turn: bool = False
) -> PairedTranscripts:
    """Both files by the ids they share; else by speaker or time; else as lines or texts.

    `by_turn`: turns are clips where only another system has speakers, so that all have the same.
    """
    forms = (said.form, heard.form)
    if not any(heard.texts.values()) and heard.form == "text":  # a recogniser that heard nothing
        expected = said.leading or said.texts
        form = "kaldi" if said.leading else said.form
        return PairedTranscripts(said, heard, expected, dict.fromkeys(expected, ""), (form, "text"))
    if (paired := _by_pieces(said, heard, by_turn)) is not None:
        return paired
    ours = said.texts if said.keyed or said.pieces else said.leading
    theirs = heard.texts if heard.keyed or heard.pieces else heard.leading
    theirs = heard.manifest.predicted or theirs
    if ours and theirs and set(ours) & set(theirs):
        said_as, heard_as = ("kaldi" if form == "lines" else form for form in forms)
        return PairedTranscripts(said, heard, ours, theirs, (said_as, heard_as))
    if said.keyed and not heard.keyed:
        raise FormatError(
            f"is {_kind(heard)}, but {said.path} has {len(said.texts)} clips with ids. "
            "Expected lines of the form id<TAB>text; --whole compares the files as they are",
            path=heard.path,
        )
    if heard.keyed and not said.keyed:
        raise FormatError(
            f"has clips with ids, but {said.path} is {_kind(said)}. Give both with ids; --whole "
            "compares the files as they are",
            path=heard.path,
        )
    named = (said.keyed and heard.keyed) or max(len(ours), len(theirs)) > 1
    if ours and theirs and named:  # none in common: the caller says so
        return PairedTranscripts(said, heard, ours, theirs, forms)
    if bool(said.leading) != bool(heard.leading) and "lines" in forms:
        return _half_named(said, heard)
    if said.form == "lines":
        return _by_line(said, heard)
    (key,) = said.texts if len(said.texts) == 1 else (said.path.stem,)
    return PairedTranscripts(
        said, heard, {key: said.whole}, {key: heard.whole}, (_text(said), _text(heard))
    )


def _text(file: Transcripts) -> str:
    return "text" if file.form == "lines" else file.form


def _kind(file: Transcripts) -> str:
    return f"{len(file.texts)} lines" if file.form == "lines" else "one text"


def _by_line(said: Transcripts, heard: Transcripts) -> PairedTranscripts:
    """Line by line; another number of lines is no pairing at all."""
    numbers = len(said.texts), len(heard.texts)
    if heard.form != "lines" or numbers[0] != numbers[1]:
        raise InputError(
            f"{said.path} has {numbers[0]} lines and {heard.path} has {numbers[1]}: one line per "
            "utterance needs the same number in both. Add --whole to compare each file as one "
            "text, or put ids before the lines (id<TAB>text)"
        )
    return PairedTranscripts(said, heard, said.texts, heard.texts, ("lines", "lines"))


def _half_named(said: Transcripts, heard: Transcripts) -> PairedTranscripts:
    """Only one file seems to have ids: counting them as words would be wrong in silence."""
    with_ids, without = (said, heard) if said.leading else (heard, said)
    first = next(iter(with_ids.leading))
    raise InputError(
        f"{with_ids.path} seems to begin every line with an id ('{first}'), and {without.path} "
        "does not. Give ids in both or in neither; --lines counts every word of both files, "
        "line by line"
    )


@dataclass(frozen=True, slots=True)
class _Pieces:
    """The pieces of both files, under the same names of recordings and channels."""

    said: tuple[TimedText, ...]
    heard: tuple[TimedText, ...]
    missing: frozenset[str] = field(default_factory=frozenset)  # recordings that were not heard

    def recordings(self) -> list[tuple[str, list[TimedText], list[TimedText]]]:
        own: dict[str, tuple[list[TimedText], list[TimedText]]] = {}
        for side, pieces in enumerate((self.said, self.heard)):
            for piece in pieces:
                own.setdefault(piece.recording, ([], []))[side].append(piece)
        return [(name, said, heard) for name, (said, heard) in own.items() if said]


def _by_pieces(said: Transcripts, heard: Transcripts, by_turn: bool) -> PairedTranscripts | None:
    """Segment by segment, where the expected file has segments or both have speakers."""
    forms = (said.form, heard.form)
    heard = replace(heard, pieces=_told_apart(said, heard))
    worded = [any(piece.text for piece in file.pieces) for file in (said, heard)]
    meeting = bool(said.speakers and heard.speakers)
    if "rttm" in forms and not meeting:
        raise InputError(
            f"{said.path if said.form == 'rttm' else heard.path} says who spoke when, and the other"
            " file has no speakers to compare with. Give RTTM, SegLST, STM or JSON with speakers"
        )
    if not said.pieces or not (said.form in SEGMENTED or meeting):
        return None
    if said.form == "turns" and not (meeting or by_turn):
        return None  # the names are left out, and the words compared as one text
    if not heard.pieces:
        if heard.keyed or len(said.texts) > 1:
            return None
        heard_pieces = [TimedText(next(iter(said.texts)), heard.whole)]
    else:
        heard_pieces = list(heard.pieces)
    renamed, channels = match_channels(said.pieces, heard_pieces)
    known = {piece.recording for piece in renamed}
    absent = {piece.recording for piece in said.pieces} - known
    if not known & {piece.recording for piece in said.pieces}:
        return PairedTranscripts(said, heard, said.texts, heard.texts, forms)
    both = _Pieces(tuple(in_order(said.pieces)), tuple(renamed), frozenset(absent))
    same = _same_segments(both)
    timed_words = all(piece.end is not None and len(piece.text.split()) < 2 for piece in renamed)
    if same is not None:
        clips, how = same, "segment by segment"
    elif meeting:
        clips = _by_speaker(both, words=all(worded))
        how = "each speaker with the one of the system that fits best"
    elif timed_words and all(piece.end is not None for piece in said.pieces):
        clips, how = _by_time(both), "words by their times, as sclite does"
    else:
        clips, how = _by_alignment(both), "segments along the alignment of the words"
    if channels:
        listed = [f"{theirs} is {ours}" for theirs, ours in channels.items() if theirs and ours]
        how += f"; channel {', '.join(listed)}" if listed else ""
    kept = tuple(choose_reading(clip) for clip in _named(clips))
    texts = {name: text for name, text in heard.texts.items() if name not in said.texts}
    surplus = {} if len(said.texts) == len(heard.texts) == 1 else texts
    expected = {clip.id: clip.expected for clip in kept}
    found = {clip.id: clip.got for clip in kept if clip.got is not None} | surplus
    return PairedTranscripts(said, heard, expected, found, forms, kept, how)


def _told_apart(said: Transcripts, heard: Transcripts) -> tuple[TimedText, ...]:
    """What a service heard, with the speakers that it tells apart.

    Where what was said has one channel, those of the service are speakers, or have their own. A
    service that gives one name to several speakers was not asked who they are.
    """
    pieces = heard.pieces
    if heard.form != "json":
        return pieces
    channels = [len({piece.channel for piece in file.pieces}) for file in (said, heard)]
    if said.speakers and channels[0] == 1 < channels[1]:
        pieces = tuple(
            replace(piece, speaker=f"{piece.channel} {piece.speaker}".strip(), channel="")
            for piece in pieces
        )
    if len(set(speakers_of(pieces)) - {""}) == 1 < len(said.speakers):
        pieces = tuple(replace(piece, speaker="") for piece in pieces)
    return pieces


def _segment(
    piece: TimedText, got: str | None, meeting: Meeting | None = None, place: int = -1
) -> SegmentClip:
    return SegmentClip(
        piece.recording, piece.text, got, speaker=piece.speaker, group=piece.recording,
        start=math.nan if piece.start is None else piece.start,
        end=math.nan if piece.end is None else piece.end, meeting=meeting, place=place,
        channel=piece.channel,
    )  # fmt: skip


def _same_segments(both: _Pieces) -> list[SegmentClip] | None:
    """Clips of files that have the same segments, whatever their speakers are called."""

    def key(piece: TimedText) -> tuple[str, str, float | None, float | None]:
        return piece.recording, piece.channel, piece.start, piece.end

    heard = {key(piece): piece.text for piece in both.heard}
    keys = [key(piece) for piece in both.said]
    once = len(set(keys)) == len(keys) and len(heard) == len(both.heard)
    if not once or set(heard) != set(keys) or any(piece.start is None for piece in both.said):
        return None
    return [_segment(piece, heard[key(piece)]) for piece in both.said if not piece.ignored]


def _by_time(both: _Pieces) -> list[SegmentClip]:
    shared = share_out(both.said, both.heard)
    return [
        _segment(piece, None if piece.recording in both.missing else " ".join(words))
        for piece, words in zip(both.said, shared, strict=True)
        if not piece.ignored
    ]


def _by_alignment(both: _Pieces) -> list[SegmentClip]:
    """What was heard has no times of its words, so they are matched with what was said."""
    clips: list[SegmentClip] = []
    for name, said, heard in both.recordings():
        kept = sorted((piece for piece in said if not piece.ignored), key=_begins)
        if name in both.missing:
            clips += [_segment(piece, None) for piece in kept]
            continue
        whole = " ".join(piece.text for piece in sorted(heard, key=_begins))
        cut = cut_along([_first_reading(piece.text) for piece in kept], whole)
        clips += [_segment(piece, text) for piece, text in zip(kept, cut, strict=True)]
    return clips


def _begins(piece: TimedText) -> float:
    return piece.start or 0.0


def _first_reading(text: str) -> str:
    """A text without notation, of alternatives the first."""
    return choose(text, text.split()).text if has_choices(text) else text


def _by_speaker(both: _Pieces, *, words: bool) -> list[SegmentClip]:
    """Meetings: each speaker with the system's speaker that gives the fewest errors."""
    clips: list[SegmentClip] = []
    for name, said, heard in both.recordings():
        kept = sorted((piece for piece in said if not piece.ignored), key=_begins)
        if name in both.missing:
            clips += [_segment(piece, None) for piece in kept]
            continue
        spoken = sorted(heard, key=_begins)
        meeting = Meeting(name, tuple(kept), tuple(spoken), words)
        clips += _meeting_clips(meeting)
    return clips


def _meeting_clips(meeting: Meeting) -> list[SegmentClip]:
    names, theirs = speakers_of(meeting.said), speakers_of(meeting.heard)
    refuse_crowd(names, theirs)
    own = [[_first_reading(piece.text) for piece in meeting.said if piece.speaker == speaker]
           for speaker in names]  # fmt: skip
    streams = [
        " ".join(piece.text for piece in meeting.heard if piece.speaker == speaker)
        for speaker in theirs
    ]
    expected = [compared_words(" ".join(texts)) for texts in own]
    chosen = match_streams(expected, [compared_words(stream) for stream in streams])
    cut = {
        speaker: iter(cut_along(texts, streams[at] if at < len(streams) else ""))
        for speaker, texts, at in zip(names, own, chosen, strict=True)
    }
    clips = [
        _segment(piece, next(cut[piece.speaker]), meeting, place)
        for place, piece in enumerate(meeting.said)
    ]
    for number, speaker in enumerate(theirs):
        if number not in chosen and streams[number]:  # a speaker whom nobody was
            extra = TimedText(meeting.recording, "", speaker=f"only heard: {speaker or 'unnamed'}")
            clips.append(_segment(extra, streams[number], meeting))
    return clips


def _named(clips: Sequence[SegmentClip]) -> list[SegmentClip]:
    """Clips by recording and time; with channel, speaker or number where that is not enough."""

    def timed(clip: SegmentClip) -> str:
        has_times = not math.isnan(clip.start) and not math.isnan(clip.end)
        return (
            f"{clip.id}-{clip.start:g}-{clip.end:g}" if has_times else f"{clip.id}-{clip.speaker}"
        )

    names = [timed(clip) for clip in clips]
    for suffixes in ([clip.channel for clip in clips], [clip.speaker for clip in clips]):
        often = Counter(names)
        names = [
            f"{name}-{suffix}" if often[name] > 1 and suffix else name
            for name, suffix in zip(names, suffixes, strict=True)
        ]
    often, seen = Counter(names), Counter[str]()
    for at, name in enumerate(names):
        seen[name] += 1
        names[at] = f"{name}-{seen[name]}" if often[name] > 1 else name
    return [replace(clip, id=name) for clip, name in zip(clips, names, strict=True)]


def pair_files(expected: Path, got: Sequence[Path], reading: str = "auto") -> Clips:
    """Clips of what was said, in a file or folder, and of one file or folder per system.

    `reading` is "lines" (one utterance per line, in the same order), "whole" (one text), or
    "auto": found by content, and said.
    """
    said = read_transcripts(expected, reading)
    if not any(text.strip() for text in said.texts.values()) and said.form != "rttm":
        raise InputError(f"{expected}: is empty; the expected text is needed")
    clips: list[Clip] = []
    remarks: list[str] = []
    transcripts = [read_transcripts(path, reading) for path in got]
    by_turn = any(heard.speakers for heard in transcripts)
    told: dict[bool, list[str]] = {True: [], False: []}  # systems that tell speakers apart, or not
    for path, heard, system in zip(got, transcripts, system_names(got), strict=True):
        pair = pair_transcripts(said, heard, by_turn=by_turn)
        told[any(clip.meeting for clip in pair.segments)].append(system)
        for file, form in ((pair.said, pair.forms[0]), (pair.heard, pair.forms[1])):
            remarks += describe_form(file, form, reading)
        remarks += [f"{path}: matched with {expected.name} {pair.how}"] if pair.how else []
        remarks += describe_unmatched(pair)
        clips += pair.clips(system)
    if told[True] and told[False]:
        remarks.append(
            f"Words given to the wrong speaker are errors of {', '.join(told[True])} and not of "
            f"{', '.join(told[False])}, without speakers: their word errors are not the same"
        )
    return Clips(tuple(clips), tuple(dict.fromkeys(remarks)))


def describe_form(file: Transcripts, form: str, reading: str = "auto") -> list[str]:
    """How a file was read, where that was found and not plain from a single line."""
    remarks = [f"{file.path}: read as {file.guessed}, a guess"] if file.guessed else []
    decided = form in DECIDED
    if (reading == "auto" and form != "tab" and (form != "text" or "\n" in file.whole)) or decided:
        size = len(file.leading or file.texts) if form == "kaldi" else len(file.texts)
        counted = form in ("kaldi", "trn", "lines", "folder", "manifest")
        number = f", {size} utterances" if counted else _inside(file)
        whose = f" of {file.service}" if file.service else ""
        other = "" if decided else "; --lines or --whole changes that"
        remarks.append(f"{file.path}: read as {FORMS[form]}{whose}{number}{other}")
    return remarks


def _inside(file: Transcripts) -> str:
    """What the pieces of a file have beside their words."""
    channels = {piece.channel for piece in file.pieces if piece.channel}
    parts = [f"{len(file.speakers)} speakers"] if len(file.speakers) > 1 else []
    parts += [f"{len(channels)} channels"] if len(channels) > 1 else []
    parts += ["times"] if file.pieces and file.pieces[0].start is not None else []
    ignored = sum(piece.ignored for piece in file.pieces)
    parts += [f"{ignored} segments that are not to be scored"] if ignored else []
    return f", with {', '.join(parts)}" if parts else ""


def describe_unmatched(pair: PairedTranscripts) -> list[str]:
    """What only one file has, which is not scored; an error where they have no id in common."""
    absent = [key for key in pair.expected if key not in pair.texts]
    surplus = [key for key in pair.texts if key not in pair.expected]
    if len(absent) == len(pair.expected):
        raise InputError(
            f"{pair.heard.path} and {pair.said.path} have no id in common: '{absent[0]}' is "
            f"expected, and '{surplus[0] if surplus else ''}' was heard"
        )
    remarks = []
    if absent:
        remarks.append(f"{pair.heard.path}: no transcript for {_listed(absent)}; left unscored")
    if surplus:
        remarks.append(
            f"{pair.heard.path}: {_listed(surplus)} not in {pair.said.path.name}; left out"
        )
    return remarks


def _listed(keys: Sequence[str]) -> str:
    # Ids come from files and go to a terminal: nothing in them may steer it.
    shown = CONTROL.sub("\N{REPLACEMENT CHARACTER}", ", ".join(keys[:LISTED]))
    return f"{len(keys)} clips ({shown}{', …' if len(keys) > LISTED else ''})"
