"""Transcripts in files.

A text file whose lines are all `id<TAB>text` holds one clip a line; any other is one text. Tables
are wide (file, expected, one column a system) or long (file, system, expected, got). A folder of
assets has an `x.txt` beside every `x.wav`. An alternatives file names spellings that count as
equal, `colour = color`, one set a line, `#` begins a comment.

An absent transcript is None, an empty one is the empty text: a recogniser that heard nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gistmeter.errors import FormatError, InputError
from gistmeter.files import printable, read_bytes, system_names
from gistmeter.formats.table import Table, decode, name_in, read_table
from gistmeter.types import Clip

AUDIO_SUFFIXES = (".wav", ".flac", ".ogg")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FILE = ("file", "id", "clip", "audio", "name", "filename", "utterance", "utt_id")
EXPECTED = ("expected", "reference", "ref", "gold", "truth", "transcript")
GOT = ("got", "hypothesis", "hyp", "prediction", "output", "text")
SYSTEM = ("system", "provider", "recognizer", "recogniser", "model")
MEASURED = frozenset(
    {
        "latency", "error", "wer", "cer", "chars_expected", "chars_got", "words_expected",
        "words_got", "match_percent", "insertions", "deletions", "substitutions", "custom_metric",
        "diff_report", "duration",
    }
)  # fmt: skip  # columns of a table of results that are no transcripts


@dataclass(frozen=True, slots=True)
class Transcripts:
    """The texts of one file, by clip; a file that is one text has one clip named by its stem."""

    path: Path
    texts: Mapping[str, str]
    keyed: bool  # whether the lines had ids
    guessed: str = ""  # the encoding, where it was a guess


@dataclass(frozen=True, slots=True)
class Clips:
    """Clips of all systems, and what a reader should be told about how they were found."""

    clips: tuple[Clip, ...]
    remarks: tuple[str, ...] = ()


def read_transcripts(path: Path) -> Transcripts:
    """The texts of a file. Duplicate ids are an error; an empty file is an empty text."""
    if path.is_file() and not read_bytes(path, may_be_empty=True).strip():
        return Transcripts(path, {path.stem: ""}, keyed=False)
    text, guessed = decode(read_bytes(path), path)
    lines = [(number, line) for number, line in enumerate(_lines(text), 1) if line.strip()]
    if all(_key(line) for _, line in lines):
        texts: dict[str, str] = {}
        for number, line in lines:
            key, _, rest = line.partition("\t")
            if name_in(key) in texts:
                raise FormatError(f"has the id '{name_in(key)}' twice", path=path, row=number)
            texts[name_in(key)] = printable(rest.strip())
        return Transcripts(path, texts, keyed=True, guessed=guessed)
    return Transcripts(path, {path.stem: printable(text.strip())}, keyed=False, guessed=guessed)


def _lines(text: str) -> list[str]:
    """Lines as editors count them; `splitlines` would also cut at separators inside of a text."""
    return re.split(r"\r\n|\n|\r", text)


def _key(line: str) -> str:
    key, tab, _ = line.partition("\t")
    return key.strip() if tab else ""


def pair_files(expected: Path, got: Sequence[Path]) -> Clips:
    """Clips of one file of expected texts and one file a system, matched by id."""
    said = read_transcripts(expected)
    if not any(text.strip() for text in said.texts.values()):
        raise InputError(f"{expected}: is empty; the expected text is needed")
    clips: list[Clip] = []
    remarks = _guesses([said])
    for path, system in zip(got, system_names(got), strict=True):
        heard = read_transcripts(path)
        remarks += _guesses([heard])
        if said.keyed and not heard.keyed and any(heard.texts.values()):
            raise FormatError(
                f"is one text, but {expected} has {len(said.texts)} clips with ids. "
                "Expected lines of the form id<TAB>text",
                path=path,
            )
        if not said.keyed:
            if heard.keyed:
                raise FormatError(f"has clips with ids, but {expected} is one text", path=path)
            texts = dict.fromkeys(said.texts, next(iter(heard.texts.values())))
        else:
            texts = dict(heard.texts) if heard.keyed else dict.fromkeys(said.texts, "")
            remarks += _unmatched(said, heard, texts)
        clips += [Clip(key, text, texts.get(key), system) for key, text in said.texts.items()]
    return Clips(tuple(clips), tuple(remarks))


def _guesses(files: Sequence[Transcripts]) -> list[str]:
    return [f"{file.path}: read as {file.guessed}, a guess" for file in files if file.guessed]


def _unmatched(said: Transcripts, heard: Transcripts, texts: Mapping[str, str]) -> list[str]:
    absent = [key for key in said.texts if key not in texts]
    surplus = [key for key in texts if key not in said.texts]
    if len(absent) == len(said.texts):
        raise InputError(
            f"{heard.path} and {said.path} have no id in common (such as '{absent[0]}')"
        )
    remarks = []
    if absent:
        remarks.append(f"{heard.path}: no transcript for {_listed(absent)}; left unscored")
    if surplus:
        remarks.append(f"{heard.path}: {_listed(surplus)} not in {said.path.name}; left out")
    return remarks


def _listed(keys: Sequence[str], most: int = 5) -> str:
    # Ids come from files and go to a terminal: nothing in them may steer it.
    shown = CONTROL.sub("\N{REPLACEMENT CHARACTER}", ", ".join(keys[:most]))
    return f"{len(keys)} clips ({shown}{', …' if len(keys) > most else ''})"


def read_clip_table(path: Path, columns: Mapping[str, str] | None = None) -> Clips:
    """Clips of a wide or a long table. `columns` maps our names to headers."""
    table = read_table(path)
    remarks = [f"{path}: read as {table.guessed}, a guess"] if table.guessed else []
    expected = table.need("expected", EXPECTED, columns)
    system = table.find("system", SYSTEM, columns)
    got = table.find("got", GOT, columns)
    known = _Known.of(table, expected, columns)
    if system and got:
        names = [(name or "").strip() or "system" for name in table.column(system)]
        clips = known.clips(table.column(got), names)
    elif system:
        raise FormatError(
            f"has a column '{system}' of systems but none named 'got' with their transcripts",
            path=path,
        )
    else:
        clips = []
        wide = _wide_columns(table, known)
        for column in wide:
            # A column called "got" says nothing of its system; beside others it is one.
            name = path.stem if column == got and len(wide) == 1 else column
            clips += known.clips(table.column(column), [name] * len(table.rows))
    _refuse_repeated(clips, table)
    return Clips(tuple(clips), tuple(remarks))


@dataclass(frozen=True, slots=True)
class _Known:
    """What a table says of each clip, whichever system made its transcript."""

    headers: frozenset[str]
    expected: Sequence[str]
    fields: Mapping[str, Sequence[str]]  # id, speaker, language, group; empty where not given

    @classmethod
    def of(cls, table: Table, expected: str, columns: Mapping[str, str] | None) -> _Known:
        found = {
            "id": table.find("file", FILE, columns),
            "speaker": table.find("speaker", (), columns),
            "language": table.find("language", ("lang",), columns),
            "group": table.find("group", ("domain",), columns),
        }
        headers = {expected, *(header for header in found.values() if header)}
        fields = {
            name: [name_in(cell) for cell in table.column(header)] if header else []
            for name, header in found.items()
        }
        said = [cell or "" for cell in table.column(expected)]
        return cls(frozenset(headers), said, fields)

    def clips(self, got: Sequence[str | None], systems: Sequence[str]) -> list[Clip]:
        """A clip a row; one without an id is named by its number among its system's."""
        numbers: dict[str, int] = {}
        clips = []
        for at, (text, system) in enumerate(zip(got, systems, strict=True)):
            numbers[system] = numbers.get(system, 0) + 1
            given = {name: cells[at] for name, cells in self.fields.items() if cells}
            key = given.pop("id", "") or str(numbers[system])
            clips.append(Clip(key, self.expected[at], text, system, **given))
        return clips


def _wide_columns(table: Table, known: _Known) -> list[str]:
    """The columns that are systems."""
    wide = [
        column
        for column in table.columns
        if column not in known.headers and column.strip().casefold() not in MEASURED
    ]
    if not wide:
        raise FormatError(
            "has no column with a system's transcripts. Columns found: "
            f"{', '.join(repr(column) for column in table.columns)}",
            path=table.path,
        )
    return wide


def _refuse_repeated(clips: Sequence[Clip], table: Table) -> None:
    seen: set[tuple[str, str]] = set()
    for clip in clips:
        if (clip.id, clip.system) in seen:
            raise FormatError(f"has '{clip.id}' of '{clip.system}' twice", path=table.path)
        seen.add((clip.id, clip.system))


def read_assets(folder: Path) -> Clips:
    """Every sound file of a folder with the text beside it, in the order of their names."""
    if not folder.is_dir():
        raise InputError(f"{folder}: is not a folder of sound files and texts")
    sounds = sorted(
        file
        for file in folder.iterdir()
        if file.suffix.lower() in AUDIO_SUFFIXES and file.is_file()
    )
    if not sounds:
        raise InputError(f"{folder}: has no sound files ({', '.join(AUDIO_SUFFIXES)})")
    clips, remarks = [], []
    taken: set[str] = set()
    for sound in sounds:
        text = sound.with_suffix(".txt")
        if not text.is_file():
            remarks.append(f"{sound.name}: left out, {text.name} with its text is not beside it")
            continue
        if sound.stem in taken:
            raise InputError(f"{folder}: has several sound files named '{sound.stem}'")
        taken.add(sound.stem)
        clips.append(Clip(sound.stem, read_one_text(text), audio=str(sound)))
    if not clips:
        raise InputError(f"{folder}: no sound file has its text beside it, as x.wav and x.txt")
    return Clips(tuple(clips), tuple(remarks))


def read_one_text(path: Path) -> str:
    """A file as one text, whatever its lines look like; an empty file is an empty text."""
    if path.is_file() and not read_bytes(path, may_be_empty=True).strip():
        return ""
    text, _ = decode(read_bytes(path), path)
    return printable(text.strip())


def read_alternatives(path: Path) -> tuple[tuple[str, ...], ...]:
    """Sets of spellings that count as equal, `colour = color = colur`, one a line."""
    text, _ = decode(read_bytes(path), path)
    found = []
    for number, line in enumerate(_lines(text), 1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        forms = tuple(printable(form.strip()) for form in content.split("="))
        if len(forms) < 2 or not all(forms):
            raise FormatError(
                "expected spellings that count as equal, such as: colour = color",
                path=path,
                row=number,
            )
        found.append(forms)
    if not found:
        raise InputError(f"{path}: names no alternatives; expected lines such as: colour = color")
    return tuple(found)
