"""Clips from tables and folders, and the lists of words that a run of speech may be given.

Tables are wide (file, expected, one column per system) or long (file, system, expected, got). A
folder of assets has an `x.txt` beside every `x.wav`. An alternatives file names spellings that
count as equal, `colour = color`, one set per line, `#` begins a comment.

An absent transcript is None, an empty one is the empty text: a recogniser that heard nothing.
"""

from __future__ import annotations

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
from gistmeter.speech.formats.pairing import (
    Clips,
    describe_form,
    describe_unmatched,
    pair_transcripts,
)
from gistmeter.speech.formats.utterances import (
    Transcripts,
    read_one_text,
    read_transcripts,
    split_lines,
)

AUDIO_SUFFIXES = (".wav", ".flac", ".ogg")
PLAYED = (*AUDIO_SUFFIXES, ".mp3")
FILE = ("file", "id", "clip", "name", "filename", "utterance", "utt_id", "audio")
AUDIO = ("audio", "audio_path", "wav", "path", "sound", "recording", "file")
EXPECTED = ("expected", "reference", "ref", "gold", "truth", "transcript")
GOT = ("got", "hypothesis", "hyp", "prediction", "output", "text")
SYSTEM = ("system", "provider", "recognizer", "recogniser", "model")
MOST_FILES = 200  # that a run reports one by one, beside the whole
MEASURED = frozenset(
    {
        "latency", "error", "wer", "cer", "chars_expected", "chars_got", "words_expected",
        "words_got", "match_percent", "insertions", "deletions", "substitutions", "custom_metric",
        "diff_report", "duration", "duration_s",
    }
)  # fmt: skip  # columns of a table of results that are no transcripts


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
    clips: list[Clip] = []
    if named:
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
        wide, found = _wide_columns(table, known, expected, got)
        remarks += found
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
        """One clip per row; one without an id is named by its number among its system's."""
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
    by_content = sort_columns(table, others, table.column(expected))
    # A column that is called a transcript is one; a single text beside the expected one is too.
    systems = [column for column in rest if column in (*by_content.systems, got)]
    if not systems and len(rest) == 1 and (by_content.doubtful or not any(table.column(rest[0]))):
        return rest, []
    if not systems:
        shown = ", ".join(repr(column) for column in table.columns)
        raise FormatError(
            f"has no column with a system's transcripts that could be told by its content. Columns "
            f"found: {shown}. Name them with --systems HEADER,HEADER",
            path=table.path,
        )
    remark = replace(by_content, systems=tuple(systems)).told()
    return systems, [f"{table.path}: {remark}"] if remark else []


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
    files = (file for file in folder.iterdir() if file.suffix.lower() in AUDIO_SUFFIXES)
    sounds = sorted(file for file in files if file.is_file())
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


def pair_assets(folder: Path, got: Sequence[Path]) -> Clips:
    """Clips of a folder of sounds with their texts, and of transcripts that systems made."""
    said = read_assets(folder)
    texts = {clip.id: clip.expected for clip in said.clips}
    known = Transcripts(folder, texts, "folder")
    clips: list[Clip] = []
    remarks = list(said.remarks)
    for path, system in zip(got, system_names(got), strict=True):
        pair = pair_transcripts(known, read_transcripts(path))
        remarks += [*describe_form(pair.heard, pair.forms[1]), *describe_unmatched(pair)]
        clips += [
            replace(clip, got=pair.texts.get(clip.id), recognizer=system) for clip in said.clips
        ]
    return Clips(tuple(clips), tuple(dict.fromkeys(remarks)))


def grouped_by_file(clips: Sequence[Clip]) -> list[Clip]:
    """Clips that name no group are reported by file, unless there are too many files to look at."""
    if len({clip.id for clip in clips}) > MOST_FILES:
        return list(clips)
    return [replace(clip, group=clip.group or clip.id) for clip in clips]


def read_phrases(path: Path) -> tuple[str, ...]:
    """Words or phrases, one per line; `#` begins a comment."""
    text, _ = decode(read_bytes(path), path)
    lines = (line.partition("#")[0].strip() for line in split_lines(text))
    phrases = tuple(printable(line) for line in lines if line)
    if not phrases:
        raise InputError(f"{path}: names no words; expected one word or phrase per line")
    return phrases


def read_alternatives(path: Path) -> tuple[tuple[str, ...], ...]:
    """Sets of spellings that count as equal, `colour = color = colur`, one per line."""
    text, _ = decode(read_bytes(path), path)
    alternatives = []
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
        alternatives.append(forms)
    if not alternatives:
        raise InputError(f"{path}: names no alternatives; expected lines such as: colour = color")
    return tuple(alternatives)
