"""Two files of transcripts brought together: by id, by line, by time, or as one text each.

What cannot be brought together without counting ids as words, or one utterance against another,
is an error that names the option to settle it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gistmeter.core.errors import FormatError, InputError
from gistmeter.speech.formats.utterances import TIMED, Transcripts, share_out


@dataclass(frozen=True, slots=True)
class Met:
    """What was said and what one system heard of it, by the same ids."""

    said: Transcripts
    heard: Transcripts
    expected: Mapping[str, str]
    texts: Mapping[str, str]
    forms: tuple[str, str]
    speakers: Mapping[str, str] = field(default_factory=dict)
    recordings: Mapping[str, str] = field(default_factory=dict)


def meet(said: Transcripts, heard: Transcripts) -> Met:
    """Both files by the ids they share; else as lines or texts."""
    forms = (said.form, heard.form)
    if not any(heard.texts.values()) and heard.form == "text":  # a recogniser that heard nothing
        expected = said.leading or said.texts
        form = "kaldi" if said.leading else said.form
        return Met(said, heard, expected, dict.fromkeys(expected, ""), (form, "text"))
    if said.form in TIMED and heard.form in TIMED:
        return _by_time(said, heard)
    ours = said.texts if said.keyed or said.form in TIMED else said.leading
    theirs = heard.texts if heard.keyed or heard.form in TIMED else heard.leading
    if ours and theirs and set(ours) & set(theirs):
        named = tuple("kaldi" if form == "lines" else form for form in forms)
        return Met(said, heard, ours, theirs, (named[0], named[1]))
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
        return Met(said, heard, ours, theirs, forms)
    if bool(said.leading) != bool(heard.leading) and "lines" in forms:
        return _half_named(said, heard)
    if said.form == "lines":
        return _by_line(said, heard)
    (key,) = said.texts if len(said.texts) == 1 else (said.path.stem,)
    return Met(said, heard, {key: said.whole}, {key: heard.whole}, (_text(said), _text(heard)))


def _text(file: Transcripts) -> str:
    return "text" if file.form == "lines" else file.form


def _kind(file: Transcripts) -> str:
    return f"{len(file.texts)} lines" if file.form == "lines" else "one text"


def _by_line(said: Transcripts, heard: Transcripts) -> Met:
    """Line by line; another number of lines is no pairing at all."""
    numbers = len(said.texts), len(heard.texts)
    if heard.form != "lines" or numbers[0] != numbers[1]:
        raise InputError(
            f"{said.path} has {numbers[0]} lines and {heard.path} has {numbers[1]}: one line per "
            "utterance needs the same number in both. Add --whole to compare each file as one "
            "text, or put ids before the lines (id<TAB>text)"
        )
    return Met(said, heard, said.texts, heard.texts, ("lines", "lines"))


def _half_named(said: Transcripts, heard: Transcripts) -> Met:
    """Only one file seems to have ids: counting them as words would be wrong in silence."""
    with_ids, without = (said, heard) if said.leading else (heard, said)
    first = next(iter(with_ids.leading))
    raise InputError(
        f"{with_ids.path} seems to begin every line with an id ('{first}'), and {without.path} "
        "does not. Give ids in both or in neither; --lines counts every word of both files, "
        "line by line"
    )


def _by_time(said: Transcripts, heard: Transcripts) -> Met:
    """Segments of the expected file; words of the other by their times; else whole recordings."""
    forms = (said.form, heard.form)
    if said.form == "stm":
        expected: dict[str, str] = {}
        for one in said.stretches:
            expected[one.key] = f"{expected.get(one.key, '')} {one.text}".strip()
        speakers = {one.key: one.speaker for one in said.stretches}
        recordings = {one.key: one.recording for one in said.stretches}
        if heard.form == "ctm":
            texts = share_out(said.stretches, heard.stretches)
            known = {one.recording for one in heard.stretches}
            there = {one.key for one in said.stretches if one.recording in known}
            texts = {key: text for key, text in texts.items() if key in there}
            return Met(said, heard, expected, texts, forms, speakers, recordings)
        texts = {one.key: one.text for one in heard.stretches}
        if set(texts) == set(expected):
            return Met(said, heard, expected, texts, forms, speakers, recordings)
    return Met(said, heard, said.texts, heard.texts, forms)
