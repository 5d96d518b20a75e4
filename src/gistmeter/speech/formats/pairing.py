"""Two files of transcripts brought together: by id, by line, by time, or as one text each.

What cannot be brought together without counting ids as words, or one utterance against another,
is an error that names the option to settle it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import system_names
from gistmeter.core.types import Clip
from gistmeter.speech.formats.utterances import (
    FORMS,
    TIMED,
    Transcripts,
    read_transcripts,
    share_out,
)

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
LISTED = 5  # clips named in a remark


@dataclass(frozen=True, slots=True)
class Clips:
    """Clips of all systems, and remarks on how they were found."""

    clips: tuple[Clip, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PairedTranscripts:
    """What was said and what one system heard of it, by the same ids."""

    said: Transcripts
    heard: Transcripts
    expected: Mapping[str, str]
    texts: Mapping[str, str]
    forms: tuple[str, str]
    speakers: Mapping[str, str] = field(default_factory=dict)
    recordings: Mapping[str, str] = field(default_factory=dict)


def pair_transcripts(said: Transcripts, heard: Transcripts) -> PairedTranscripts:
    """Both files by the ids they share; else as lines or texts."""
    forms = (said.form, heard.form)
    if not any(heard.texts.values()) and heard.form == "text":  # a recogniser that heard nothing
        expected = said.leading or said.texts
        form = "kaldi" if said.leading else said.form
        return PairedTranscripts(said, heard, expected, dict.fromkeys(expected, ""), (form, "text"))
    if said.form in TIMED and heard.form in TIMED:
        return _by_time(said, heard)
    ours = said.texts if said.keyed or said.form in TIMED else said.leading
    theirs = heard.texts if heard.keyed or heard.form in TIMED else heard.leading
    if ours and theirs and set(ours) & set(theirs):
        named = tuple("kaldi" if form == "lines" else form for form in forms)
        return PairedTranscripts(said, heard, ours, theirs, (named[0], named[1]))
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
    if ours and theirs:  # none in common: the caller says so
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


def _by_time(said: Transcripts, heard: Transcripts) -> PairedTranscripts:
    """Segments of the expected file; words of the other by their times; else whole recordings."""
    forms = (said.form, heard.form)
    if said.form == "stm":
        expected: dict[str, str] = {}
        for part in said.stretches:
            expected[part.key] = f"{expected.get(part.key, '')} {part.text}".strip()
        speakers = {part.key: part.speaker for part in said.stretches}
        recordings = {part.key: part.recording for part in said.stretches}
        if heard.form == "ctm":
            texts = share_out(said.stretches, heard.stretches)
            known = {word.recording for word in heard.stretches}
            there = {part.key for part in said.stretches if part.recording in known}
            texts = {key: text for key, text in texts.items() if key in there}
            return PairedTranscripts(said, heard, expected, texts, forms, speakers, recordings)
        texts = {part.key: part.text for part in heard.stretches}
        if set(texts) == set(expected):
            return PairedTranscripts(said, heard, expected, texts, forms, speakers, recordings)
    return PairedTranscripts(said, heard, said.texts, heard.texts, forms)


def pair_files(expected: Path, got: Sequence[Path], reading: str = "auto") -> Clips:
    """Clips of what was said, in a file or folder, and of one file or folder per system.

    `reading` is "lines" (one utterance per line, in the same order), "whole" (one text), or
    "auto": found by content, and said.
    """
    said = read_transcripts(expected, reading)
    if not any(text.strip() for text in said.texts.values()):
        raise InputError(f"{expected}: is empty; the expected text is needed")
    clips: list[Clip] = []
    remarks: list[str] = []
    for path, system in zip(got, system_names(got), strict=True):
        pair = pair_transcripts(said, read_transcripts(path, reading))
        for file, form in ((pair.said, pair.forms[0]), (pair.heard, pair.forms[1])):
            remarks += describe_form(file, form, reading)
        remarks += describe_unmatched(pair)
        clips += [
            Clip(
                key,
                text,
                pair.texts.get(key),
                system,
                speaker=pair.speakers.get(key, ""),
                group=pair.recordings.get(key, ""),
            )
            for key, text in pair.expected.items()
        ]
    return Clips(tuple(clips), tuple(dict.fromkeys(remarks)))


def describe_form(file: Transcripts, form: str, reading: str = "auto") -> list[str]:
    """How a file was read, where that was found and not plain from a single line."""
    remarks = [f"{file.path}: read as {file.guessed}, a guess"] if file.guessed else []
    if reading == "auto" and form != "tab" and (form != "text" or "\n" in file.whole):
        size = len(file.leading or file.texts) if form == "kaldi" else len(file.texts)
        number = f", {size} utterances" if form in ("kaldi", "trn", "lines", "folder") else ""
        other = "" if form == "folder" else "; --lines or --whole changes that"
        remarks.append(f"{file.path}: read as {FORMS[form]}{number}{other}")
    return remarks


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
