"""Files of transcripts in the forms that people keep them in, told apart by content.

    tab     id<TAB>text, one utterance per line
    kaldi   id text, one utterance per line: every line begins with an id of its own
    trn     text (id), one utterance per line, as NIST's tools write it
    stm, ctm, rttm, srt, vtt: pieces with times, see `timed`
    json    what a recogniser or a service delivers, see `provider_json`
    seglst, manifest: lists of segments or of utterances, see `manifests`
    turns   Name: text, one turn per line
    lines   one utterance per line, in the same order in every file
    text    one text

Whether a first word is an id can only be told by all lines together, and by the other file: a
reading as Kaldi lines is kept in `leading` until both are known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import printable, read_bytes, refuse_strays
from gistmeter.core.inputs import decode
from gistmeter.core.table import name_in
from gistmeter.speech.formats.manifests import (
    Manifest,
    is_kaldi_folder,
    is_seglst,
    objects_of,
    read_kaldi_folder,
    read_manifest,
    read_seglst,
)
from gistmeter.speech.formats.provider_json import SERVICES, failure_of, read_document
from gistmeter.speech.formats.speakers import speakers_of
from gistmeter.speech.formats.timed import LINED, TimedText, join_recordings, read_cues

FORMS = {
    "tab": "lines of id and text", "kaldi": "Kaldi lines (an id, then its words)",
    "trn": "NIST trn lines (words, then an id in brackets)", "stm": "STM segments",
    "ctm": "CTM words", "rttm": "RTTM (who spoke when)", "srt": "SRT cues, joined",
    "vtt": "WebVTT cues, joined", "youtube": "YouTube's rolling captions, each line once",
    "json": "JSON", "seglst": "SegLST segments", "manifest": "a manifest of utterances",
    "turns": "turns of speakers (a name, a colon, the words)",
    "lines": "one utterance per line", "text": "one text", "folder": "one file per utterance",
}  # fmt: skip
TEXT_SUFFIXES = (".txt", ".srt", ".vtt", ".json", ".rttm")
KEYED = ("tab", "kaldi", "trn", "folder", "manifest")
DECIDED = ("folder", "json", "seglst", "manifest", "rttm")  # whatever --lines and --whole say
_TRN = re.compile(r"(?P<text>.*)\((?P<key>[^()\s]+)\)")
_TURN = re.compile(
    r"^\W*(?:(?P<time>(?:\d{1,4}:)?\d{1,2}:\d{2}(?:[.,]\d+)?)[\])]?\s*[-–]?\s*)?"
    r"\[?(?P<speaker>[^\W\d_][^:\t.?!,;\]]{0,39})\]?\s*[:：]\s+(?P<text>\S.*)$"
)
_NUMBERED = re.compile(
    r"(?:speaker|spk|sprecher|mluvčí|спикер|说话人|話者|화자)[ _-]?\w{1,3}", re.I
)
_NAMED = re.compile(r"(?=.*\d)(?=.*[^\W\d]|.*[-_./:])[\w./:-]+")
WRAPPED = (50, 120)  # characters of the lines of a text that an editor wrapped
SENTENCE_END = '.?!…。？！:;"”’»'


class NotDelivered(FormatError):
    """A file holds a service's message that there is no transcript."""


@dataclass(frozen=True, slots=True)
class Transcripts:
    """The texts of one file, by clip; a file that is one text has one clip named by its stem."""

    path: Path
    texts: Mapping[str, str]
    form: str
    guessed: str = ""  # the encoding, where it was a guess
    leading: Mapping[str, str] = field(default_factory=dict)  # the same lines as Kaldi's
    pieces: tuple[TimedText, ...] = ()  # segments, turns or words, with times and speakers
    whole: str = ""  # the file as one text
    service: str = ""  # whose JSON it is
    manifest: Manifest = field(default_factory=lambda: Manifest({}))

    @property
    def keyed(self) -> bool:
        """Whether utterances have ids."""
        return self.form in KEYED

    @property
    def speakers(self) -> list[str]:
        """Those who speak, where they have names."""
        return [speaker for speaker in speakers_of(self.pieces) if speaker]


def read_transcripts(path: Path, reading: str = "auto") -> Transcripts:
    """The texts of a file or of a folder of files.

    Duplicate ids are an error; an empty file is an empty text.
    """
    if path.is_dir():
        return _read_folder(path)
    if is_blank(path):
        return Transcripts(path, {path.stem: ""}, "text")
    text, guessed = decode(read_bytes(path), path)
    return recognise(path, text, guessed, reading=reading)


def _read_folder(folder: Path) -> Transcripts:
    """One text per file, by the files' stems; or the data folder of a Kaldi recipe."""
    if is_kaldi_folder(folder):
        refuse_strays(folder, filter(Path.is_file, folder.iterdir()))
        manifest = read_kaldi_folder(folder)
        return Transcripts(folder, manifest.texts, "manifest", manifest=manifest, service="Kaldi")
    files = sorted(
        file for file in folder.iterdir() if file.suffix.lower() in TEXT_SUFFIXES and file.is_file()
    )
    refuse_strays(folder, files)
    if not files:
        raise InputError(f"{folder}: has no texts ({', '.join(TEXT_SUFFIXES)})")
    texts: dict[str, str] = {}
    pieces: list[TimedText] = []
    services: dict[str, None] = {}
    for file in files:
        if file.stem in texts:
            raise InputError(f"{folder}: has several texts named '{file.stem}'")
        try:
            own = read_transcripts(file, "whole" if file.suffix.lower() == ".txt" else "auto")
        except NotDelivered:
            continue  # unscored, and said where both sides are known
        if own.form == "manifest":
            raise FormatError("has several utterances, in a folder of one per file", path=file)
        texts[file.stem] = own.whole
        pieces += [replace(piece, recording=file.stem) for piece in own.pieces]
        services |= {own.service: None} if own.service else {}
    return Transcripts(
        folder, texts, "folder", pieces=tuple(pieces), service=" and ".join(services)
    )


def read_one_text(path: Path) -> str:
    """A file as one text, whatever its lines look like; an empty file is an empty text."""
    if is_blank(path):
        return ""
    text, _ = decode(read_bytes(path), path)
    return printable(text.strip())


def is_blank(path: Path) -> bool:
    """Whether a file is there and says nothing: a recogniser that heard nothing."""
    return path.is_file() and not read_bytes(path, may_be_empty=True).strip()


def recognise(path: Path, text: str, guessed: str = "", *, reading: str = "auto") -> Transcripts:
    """The utterances of a file's text; `reading` may say that it is lines, or one whole text."""
    objects = objects_of(path, text)
    if objects is not None:
        return replace(_read_objects(path, objects), guessed=guessed)
    lines = split_lines(text)
    filled = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    whole = printable(text.strip())
    file = Transcripts(path, {path.stem: whole}, "text", guessed, whole=whole)
    if reading == "whole" or not filled:
        return file
    if reading == "lines":
        return replace(_numbered(file, lines), leading={})
    if (cues := read_cues(lines, path.stem)) is not None:
        return _with_pieces(file, *cues)
    timed = [line for _, line in filled if not line.lstrip().startswith(";;")]
    if any(line.count("\t") != 1 for line in timed) and (found := _timed(timed)) is not None:
        return _with_pieces(file, *found)
    if all(_has_key(line) for _, line in filled):
        cut = [(number, line.partition("\t")) for number, line in filled]
        pairs = [(number, key, rest) for number, (key, _, rest) in cut]
        return replace(file, texts=_unique(path, pairs), form="tab")
    matches = [(number, _TRN.fullmatch(line.strip())) for number, line in filled]
    pairs = [(number, match["key"], match["text"]) for number, match in matches if match]
    if len(pairs) == len(filled):
        return replace(file, texts=_unique(path, pairs), form="trn")
    if turns := _turns([line for _, line in filled], path.stem):
        return _with_pieces(file, "turns", turns)
    return file if len(filled) < 2 or _is_wrapped(lines) else _numbered(file, lines)


def _timed(lines: Sequence[str]) -> tuple[str, list[TimedText]] | None:
    """The pieces of an STM, CTM or RTTM, and which it is; lines of nothing but numbers are none."""
    for form, read in LINED.items():
        pieces = [piece for line in lines if (piece := read(line)) is not None]
        wordy = form != "ctm" or any(not piece.text.isdecimal() for piece in pieces)
        if len(pieces) == len(lines) and wordy:
            return form, pieces
    return None


def _with_pieces(
    file: Transcripts, form: str, pieces: Sequence[TimedText], service: str = ""
) -> Transcripts:
    """A file as its pieces, each recording being one text."""
    texts = join_recordings(pieces)
    joined = " ".join(text for text in texts.values() if text)
    return replace(
        file, texts=texts, form=form, pieces=tuple(pieces), whole=joined, service=service
    )


def _read_objects(path: Path, objects: Sequence[Any]) -> Transcripts:
    """The transcripts of a JSON file; one that is of no known kind is never read as prose."""
    file = Transcripts(path, {}, "json")
    if len(objects) == 1 and (failure := failure_of(objects[0])):
        raise NotDelivered(
            f"is not a transcript: its service says '{failure[:200]}'. Leave the file out: what it "
            "is for is unscored then",
            path=path,
        )
    if len(objects) == 1:
        if is_seglst(objects[0]):
            return _with_pieces(file, "seglst", read_seglst(objects[0], path))
        if (found := read_document(objects[0])) is not None:
            pieces = tuple(replace(piece, recording=path.stem) for piece in found.pieces)
            return replace(
                file, texts={path.stem: found.text}, whole=found.text, pieces=pieces,
                service=found.service,
            )  # fmt: skip
    if (manifest := read_manifest(objects, path)) is not None:
        texts = manifest.texts or manifest.predicted
        return replace(file, texts=texts, form="manifest", manifest=manifest, service="NeMo")
    shown = ", ".join(list(objects[0])[:8]) if isinstance(objects[0], dict) else "a list"
    raise FormatError(
        f"is JSON of no known kind (it has {shown}). Known are the transcripts of "
        f"{', '.join(SERVICES)}, SegLST and NeMo manifests. Write its text to a .txt file, or its"
        " utterances as lines of id<TAB>text",
        path=path,
    )


def _turns(lines: Sequence[str], recording: str) -> list[TimedText]:
    """Turns of speakers who are named before a colon; none where the labels are hardly speakers.

    Labels of a dialogue come back; a list of remarks (Note: …) has each label once.
    """
    matches = [_TURN.match(line) for line in lines]
    names = [match["speaker"].strip() for match in matches if match]
    numbered = len(names) == len(lines) and all(_NUMBERED.fullmatch(name) for name in set(names))
    often = len(names) >= max(3, 0.8 * len(lines)) and len(set(names)) <= len(names) / 1.5
    if matches[0] is None or len(set(names)) < 2 or not (numbered or often):
        return []
    turns: list[TimedText] = []
    texts: list[list[str]] = []
    for line, match in zip(lines, matches, strict=True):
        if match is None:  # a turn that goes on
            texts[-1].append(printable(line.strip()))
            continue
        clock = [float(part) for part in (match["time"] or "").replace(",", ".").split(":") if part]
        start = sum(60**power * part for power, part in enumerate(reversed(clock)))
        speaker = printable(match["speaker"].strip())
        texts.append([printable(match["text"].strip())])
        turns.append(TimedText(recording, "", start if clock else None, None, speaker))
    return [replace(turn, text=" ".join(parts)) for turn, parts in zip(turns, texts, strict=True)]


def split_lines(text: str) -> list[str]:
    """Lines as editors count them; `splitlines` would also cut at separators inside of a text."""
    return re.split(r"\r\n|\n|\r", text)


def _numbered(file: Transcripts, lines: Sequence[str]) -> Transcripts:
    """One utterance per line, an empty one included; the file's end is none."""
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    texts = {str(number): printable(line.strip()) for number, line in enumerate(kept, 1)}
    return replace(file, texts=texts, form="lines", leading=_leading(kept))


def _leading(lines: Sequence[str]) -> dict[str, str]:
    """The lines as Kaldi's, where every first word could be an id and none repeats."""
    filled = [line for line in lines if line.strip()]
    pairs = [[*line.split(None, 1), ""][:2] for line in filled]
    keys = [name_in(key) for key, _ in pairs]
    numeric = all(key.isdecimal() and len(key) < 100 for key in keys)
    counted = numeric and keys == sorted(set(keys), key=int)
    named = all(_NAMED.fullmatch(key) for key in keys)
    if len(keys) < 2 or len(set(keys)) < len(keys) or not (named or counted):
        return {}
    return {key: printable(text.strip()) for key, (_, text) in zip(keys, pairs, strict=True)}


def _has_key(line: str) -> bool:
    key, tab, _ = line.partition("\t")
    return bool(tab and key.strip())


def _unique(path: Path, pairs: Sequence[tuple[int, str, str]]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for number, key, text in pairs:
        if name_in(key) in texts:
            raise FormatError(f"has the id '{name_in(key)}' twice", path=path, row=number)
        texts[name_in(key)] = printable(text.strip())
    return texts


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Prose that an editor wrapped: lines of similar length that end within sentences."""
    inner = [
        line.rstrip()
        for line, after in zip(lines, [*lines[1:], ""], strict=True)
        if line.strip() and after.strip()
    ]
    low, high = WRAPPED
    alike = [low <= len(line) <= high for line in inner]
    open_ended = [line[-1] not in SENTENCE_END for line in inner]
    return len(inner) > 1 and sum(alike) > 0.9 * len(inner) and sum(open_ended) > 0.6 * len(inner)
