"""Files of transcripts in the forms that people keep them in, told apart by content.

    tab     id<TAB>text, one utterance per line
    kaldi   id text, one utterance per line: every line begins with an id of its own
    trn     text (id), one utterance per line, as NIST's tools write it
    stm     recording channel speaker start end [<label>] text, one segment per line
    ctm     recording channel start duration word [confidence], one word per line
    srt     numbered cues with times; vtt: WebVTT
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

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import printable, read_bytes
from gistmeter.core.inputs import decode
from gistmeter.core.table import name_in

FORMS = {
    "tab": "lines of id and text", "kaldi": "Kaldi lines (an id, then its words)",
    "trn": "NIST trn lines (words, then an id in brackets)", "stm": "STM segments",
    "ctm": "CTM words", "srt": "SRT cues, joined", "vtt": "WebVTT cues, joined",
    "lines": "one utterance per line", "text": "one text", "folder": "one file per utterance",
}  # fmt: skip
TEXT_SUFFIXES = (".txt", ".srt", ".vtt")
KEYED = ("tab", "kaldi", "trn", "folder")
TIMED = ("stm", "ctm")
_TRN = re.compile(r"^(?P<text>.*?)\s*\((?P<key>[^()\s]+)\)\s*$")
_SECONDS = re.compile(r"\d+(?:\.\d*)?|\.\d+")
_CUE = re.compile(
    r"^\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}\s+-->\s+(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
)
_TAG = re.compile(r"</?[^<>\n]*>|\{\\[^{}]*\}")
_LABEL = re.compile(r"^<[^<>\s]*>$")
_NAMED = re.compile(r"(?=.*\d)(?=.*[^\W\d]|.*[-_./:])[\w./:-]+")
WRAPPED = (50, 120)  # characters of the lines of a text that an editor wrapped
SENTENCE_END = '.?!…。？！:;"”’»'
IGNORED = "ignore_time_segment_in_scoring"


@dataclass(frozen=True, slots=True)
class TimedText:
    """A timed piece of a recording: a segment of an STM, a word of a CTM."""

    recording: str
    start: float
    end: float
    text: str
    speaker: str = ""

    @property
    def key(self) -> str:
        return f"{self.recording}-{self.start:g}-{self.end:g}"


@dataclass(frozen=True, slots=True)
class Transcripts:
    """The texts of one file, by clip; a file that is one text has one clip named by its stem."""

    path: Path
    texts: Mapping[str, str]
    form: str
    guessed: str = ""  # the encoding, where it was a guess
    leading: Mapping[str, str] = field(default_factory=dict)  # the same lines as Kaldi's
    stretches: tuple[TimedText, ...] = ()
    whole: str = ""  # the file as one text

    @property
    def keyed(self) -> bool:
        """Whether utterances have ids."""
        return self.form in KEYED


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
    """One text per file, by the files' stems."""
    files = sorted(
        file for file in folder.iterdir() if file.suffix.lower() in TEXT_SUFFIXES and file.is_file()
    )
    if not files:
        raise InputError(f"{folder}: has no texts ({', '.join(TEXT_SUFFIXES)})")
    texts: dict[str, str] = {}
    for file in files:
        if file.stem in texts:
            raise InputError(f"{folder}: has several texts named '{file.stem}'")
        plain = file.suffix.lower() == ".txt"
        texts[file.stem] = read_one_text(file) if plain else read_transcripts(file).whole
    return Transcripts(folder, texts, "folder")


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
    lines = split_lines(text)
    filled = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    whole = printable(text.strip())
    file = Transcripts(path, {path.stem: whole}, "text", guessed, whole=whole)
    if reading == "whole" or not filled:
        return file
    if reading == "lines":
        return replace(_numbered(file, lines), leading={})
    if (cues := _cues(lines)) is not None:
        form, joined = cues
        return replace(file, texts={path.stem: joined}, form=form, whole=joined)
    if all(_has_key(line) for _, line in filled):
        cut = [(number, line.partition("\t")) for number, line in filled]
        pairs = [(number, key, rest) for number, (key, _, rest) in cut]
        return replace(file, texts=_unique(path, pairs), form="tab")
    matches = [(number, _TRN.match(line)) for number, line in filled]
    pairs = [(number, match["key"], match["text"]) for number, match in matches if match]
    if len(pairs) == len(filled):
        return replace(file, texts=_unique(path, pairs), form="trn")
    timed = [line for _, line in filled if not line.lstrip().startswith(";;")]
    for form, read in (("stm", _segment), ("ctm", _word)):
        stretches = [read(line) for line in timed]
        if timed and all(stretches):
            kept = tuple(part for part in stretches if part is not None and part.text != IGNORED)
            joined = " ".join(part.text for part in kept if part.text)
            texts = join_recordings(kept)
            return replace(file, texts=texts, form=form, stretches=kept, whole=joined)
    return file if len(filled) < 2 or _is_wrapped(lines) else _numbered(file, lines)


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
    counted = all(key.isdecimal() for key in keys) and keys == sorted(set(keys), key=int)
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


def _cues(lines: Sequence[str]) -> tuple[str, str] | None:
    """The words of subtitles without numbers, times, notes and tags."""
    times = [at for at, line in enumerate(lines) if _CUE.match(line)]
    first = next((line for line in lines if line.strip()), "").lstrip("\ufeff").strip()
    form = "vtt" if first.startswith("WEBVTT") else "srt"
    if not times or (form == "srt" and not first.isdecimal() and not _CUE.match(first)):
        return None
    words = []
    for at, end in zip(times, [*times[1:], len(lines)], strict=True):
        for line in lines[at + 1 : end]:
            if not line.strip():
                break
            words.append(_TAG.sub("", line).strip())
    return form, printable(" ".join(word for word in words if word))


def _segment(line: str) -> TimedText | None:
    cells = line.split(None, 5)
    if len(cells) < 5 or not all(_SECONDS.fullmatch(cell) for cell in cells[3:5]):
        return None
    rest = cells[5] if len(cells) > 5 else ""
    label, _, words = rest.partition(" ")
    text = words.strip() if _LABEL.match(label) else rest.strip()
    # Of alternatives { a / b } the first counts.
    text = re.sub(r"\{\s*([^{}/]*?)\s*/[^{}]*\}", r"\1", text)
    silent = text.casefold() in (IGNORED, "inter_segment_gap")
    start, end = float(cells[3]), float(cells[4])
    return TimedText(cells[0], start, end, IGNORED if silent else printable(text), cells[2])


def _word(line: str) -> TimedText | None:
    cells = line.split()
    if len(cells) not in (5, 6) or not all(_SECONDS.fullmatch(cell) for cell in cells[2:4]):
        return None
    start, length = float(cells[2]), float(cells[3])
    return TimedText(cells[0], start, start + length, printable(cells[4]))


def join_recordings(stretches: Sequence[TimedText]) -> dict[str, str]:
    """The words of each recording in the order of their times."""
    texts: dict[str, list[str]] = {}
    for part in sorted(stretches, key=lambda part: (part.recording, part.start)):
        texts.setdefault(part.recording, []).append(part.text)
    return {name: " ".join(part for part in parts if part) for name, parts in texts.items()}


def share_out(segments: Sequence[TimedText], words: Sequence[TimedText]) -> dict[str, str]:
    """Words by the segment in whose time their middle lies, or that is nearest to it."""
    shared: dict[str, list[str]] = {segment.key: [] for segment in segments}
    by_recording: dict[str, list[TimedText]] = {}
    for segment in segments:
        by_recording.setdefault(segment.recording, []).append(segment)
    for word in sorted(words, key=lambda word: word.start):
        middle = (word.start + word.end) / 2
        if near := by_recording.get(word.recording):
            nearest = min(near, key=lambda part: max(part.start - middle, middle - part.end, 0.0))
            shared[nearest.key].append(word.text)
    return {key: " ".join(parts) for key, parts in shared.items()}


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
