"""Transcripts in files.

Text files are read in the form they have (`utterances` tells them apart). Tables are wide (file,
expected, one column per system) or long (file, system, expected, got). A folder of assets has an
`x.txt` beside every `x.wav`. An alternatives file names spellings that count as equal,
`colour = color`, one set per line, `#` begins a comment.

An absent transcript is None, an empty one is the empty text: a recogniser that heard nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import printable, read_bytes, system_names
from gistmeter.core.inputs import decode
from gistmeter.core.settings import AGAIN
from gistmeter.core.table import Table, name_in, read_table
from gistmeter.core.table.wide import chosen_columns, sort_columns
from gistmeter.core.types import Clip
from gistmeter.speech.formats.meeting import Met, meet
from gistmeter.speech.formats.utterances import FORMS, Transcripts, recognise, split_lines

AUDIO_SUFFIXES = (".wav", ".flac", ".ogg")
PLAYED = (*AUDIO_SUFFIXES, ".mp3")
TEXT_SUFFIXES = (".txt", ".srt", ".vtt")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FILE = ("file", "id", "clip", "name", "filename", "utterance", "utt_id", "audio")
AUDIO = ("audio", "audio_path", "wav", "path", "sound", "recording", "file")
EXPECTED = ("expected", "reference", "ref", "gold", "truth", "transcript")
GOT = ("got", "hypothesis", "hyp", "prediction", "output", "text")
SYSTEM = ("system", "provider", "recognizer", "recogniser", "model")
LISTED = 5  # clips named in a remark
MEASURED = frozenset(
    {
        "latency", "error", "wer", "cer", "chars_expected", "chars_got", "words_expected",
        "words_got", "match_percent", "insertions", "deletions", "substitutions", "custom_metric",
        "diff_report", "duration", "duration_s",
    }
)  # fmt: skip  # columns of a table of results that are no transcripts


@dataclass(frozen=True, slots=True)
class Clips:
    """Clips of all systems, and what a reader should be told about how they were found."""

    clips: tuple[Clip, ...]
    remarks: tuple[str, ...] = ()


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
        met = meet(said, read_transcripts(path, reading))
        remarks += _told(met, reading)
        remarks += _unmatched(met)
        clips += [
            Clip(
                key,
                text,
                met.texts.get(key),
                system,
                speaker=met.speakers.get(key, ""),
                group=met.recordings.get(key, ""),
            )
            for key, text in met.expected.items()
        ]
    return Clips(tuple(clips), tuple(dict.fromkeys(remarks)))


def _told(met: Met, reading: str) -> list[str]:
    """How both files were read, where that was found and not plain from a single line."""
    remarks = [
        f"{f.path}: read as {f.guessed}, a guess" for f in (met.said, met.heard) if f.guessed
    ]
    for file, form in ((met.said, met.forms[0]), (met.heard, met.forms[1])):
        if reading == "auto" and form != "tab" and (form != "text" or "\n" in file.whole):
            what = FORMS[form]
            size = len(file.leading or file.texts) if form == "kaldi" else len(file.texts)
            number = f", {size} utterances" if form in ("kaldi", "trn", "lines", "folder") else ""
            other = "" if form == "folder" else "; --lines or --whole decide otherwise"
            remarks.append(f"{file.path}: read as {what}{number}{other}")
    return remarks


def _unmatched(met: Met) -> list[str]:
    absent = [key for key in met.expected if key not in met.texts]
    surplus = [key for key in met.texts if key not in met.expected]
    if len(absent) == len(met.expected):
        raise InputError(
            f"{met.heard.path} and {met.said.path} have no id in common: '{absent[0]}' is "
            f"expected, and '{surplus[0] if surplus else ''}' was heard"
        )
    remarks = []
    if absent:
        remarks.append(f"{met.heard.path}: no transcript for {_listed(absent)}; left unscored")
    if surplus:
        remarks.append(
            f"{met.heard.path}: {_listed(surplus)} not in {met.said.path.name}; left out"
        )
    return remarks


def _listed(keys: Sequence[str]) -> str:
    # Ids come from files and go to a terminal: nothing in them may steer it.
    shown = CONTROL.sub("\N{REPLACEMENT CHARACTER}", ", ".join(keys[:LISTED]))
    return f"{len(keys)} clips ({shown}{', …' if len(keys) > LISTED else ''})"


def read_clip_table(
    path: Path, columns: Mapping[str, str] | None = None, systems: Sequence[str] = ()
) -> Clips:
    """Clips of a wide or a long table.

    `columns` maps our names to headers; `systems` are the headers of a wide table's systems,
    which are found by content where none is named.
    """
    table = read_table(path)
    if table.lined:
        raise FormatError(
            "is plain lines and no table. Give what was said and what was heard as two files: "
            f"gistmeter speech --expected SAID --got {path}",
            path=path,
        )
    remarks = [f"{path}: read as {table.guessed}, a guess"] if table.guessed else []
    expected = table.need("expected", EXPECTED, columns)
    system = table.find("system", SYSTEM, columns)
    named = [*systems, *_several(columns, "got")]
    got = None if named else table.find("got", GOT, columns)
    known = _Known.of(table, expected, columns)
    if named:
        clips = []
        for column in chosen_columns(table, named):
            clips += known.clips(table.column(column), [column] * len(table.rows))
    elif system and got:
        names = [(name or "").strip() or "system" for name in table.column(system)]
        clips = known.clips(table.column(got), names)
    elif system:
        raise FormatError(
            f"has a column '{system}' of systems but none named 'got' with their transcripts",
            path=path,
        )
    else:
        clips = []
        wide, told = _wide_columns(table, known, expected, got)
        remarks += told
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
            "audio": table.find("audio", AUDIO, columns),
            "group": table.find("group", ("domain",), columns),
        }
        headers = {expected, *(header for header in found.values() if header)}
        fields = {
            name: [name_in(cell) for cell in table.column(header)] if header else []
            for name, header in found.items()
        }
        fields["audio"] = [_sound(cell, table.path.parent) for cell in fields["audio"]]
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
            audio = given.pop("audio", "") or None
            clips.append(Clip(key, self.expected[at], text, system, audio=audio, **given))
        return clips


def _sound(cell: str, folder: Path) -> str:
    """The path of a recording that a table names, from where the table stands."""
    path = folder / cell if cell else None
    there = path is not None and path.suffix.lower() in PLAYED and path.is_file()
    return str(path) if there else ""


def _several(columns: Mapping[str, str] | None, name: str) -> list[str]:
    """The headers that one name was given for, where they are several."""
    headers = (columns or {}).get(name, "").split(AGAIN)
    return headers if len(headers) > 1 else []


def _wide_columns(
    table: Table, known: _Known, expected: str, got: str | None
) -> tuple[list[str], list[str]]:
    """The columns that are systems, and what is to be said of the others."""
    rest = [
        column
        for column in table.columns
        if column not in known.headers and column.strip().casefold() not in MEASURED
    ]
    others = [column for column in rest if column != got]
    found = sort_columns(table, others, table.column(expected))
    # A column that is called a transcript is one; a single text beside the expected one is too.
    own = [got] if got else []
    systems = [column for column in rest if column in (*found.systems, *own)]
    if not systems and len(rest) == 1 and (found.doubtful or not any(table.column(rest[0]))):
        return rest, []
    if not systems:
        shown = ", ".join(repr(column) for column in table.columns)
        raise FormatError(
            f"has no column with a system's transcripts that could be told by its content. Columns "
            f"found: {shown}. Name them with --systems HEADER,HEADER",
            path=table.path,
        )
    told = replace(found, systems=tuple(systems)).told()
    return systems, [f"{table.path}: {told}"] if told else []


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


def is_blank(path: Path) -> bool:
    """Whether a file is there and says nothing: a recogniser that heard nothing."""
    return path.is_file() and not read_bytes(path, may_be_empty=True).strip()


def pair_assets(folder: Path, got: Sequence[Path]) -> Clips:
    """Clips of a folder of sounds with their texts, and of transcripts that systems made."""
    said = read_assets(folder)
    texts = {clip.id: clip.expected for clip in said.clips}
    known = Transcripts(folder, texts, "folder")
    clips: list[Clip] = []
    remarks = list(said.remarks)
    for path, system in zip(got, system_names(got), strict=True):
        met = meet(known, read_transcripts(path))
        remarks += [*_told(met, "auto")[1:], *_unmatched(met)]
        clips += [replace(c, got=met.texts.get(c.id), recognizer=system) for c in said.clips]
    return Clips(tuple(clips), tuple(dict.fromkeys(remarks)))


def read_one_text(path: Path) -> str:
    """A file as one text, whatever its lines look like; an empty file is an empty text."""
    if is_blank(path):
        return ""
    text, _ = decode(read_bytes(path), path)
    return printable(text.strip())


def read_phrases(path: Path) -> tuple[str, ...]:
    """Words or phrases, one per line; `#` begins a comment."""
    text, _ = decode(read_bytes(path), path)
    lines = (line.partition("#")[0].strip() for line in split_lines(text))
    found = tuple(printable(line) for line in lines if line)
    if not found:
        raise InputError(f"{path}: names no words; expected one word or phrase per line")
    return found


def read_alternatives(path: Path) -> tuple[tuple[str, ...], ...]:
    """Sets of spellings that count as equal, `colour = color = colur`, one per line."""
    text, _ = decode(read_bytes(path), path)
    found = []
    for number, line in enumerate(split_lines(text), 1):
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
