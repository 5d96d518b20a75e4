"""Clips from tables and folders, and the lists of words that a run of speech may be given.

Tables are wide (file, expected, one column per system) or long (file, system, expected, got). A
folder of assets has an `x.txt` beside every `x.wav`. An alternatives file names spellings that
count as equal, `colour = color`, one set per line, `#` begins a comment.

A transcript that was not delivered (no row, no file, null) is None; an empty cell, line or file is
the empty text: a recogniser that heard nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import printable, read_bytes, refuse_strays, system_names
from gistmeter.core.inputs import decode
from gistmeter.core.item_columns import SAMPLES
from gistmeter.core.settings import AGAIN
from gistmeter.core.table import Table, name_in, read_table
from gistmeter.core.table.wide import Sorted, chosen_columns, sort_columns
from gistmeter.core.types import Clip
from gistmeter.speech.formats.pairing import (
    Clips,
    describe_form,
    describe_unmatched,
    pair_transcripts,
)
from gistmeter.speech.formats.speakers import TimedClip
from gistmeter.speech.formats.utterances import (
    Transcripts,
    read_one_text,
    read_transcripts,
    split_lines,
)
from gistmeter.speech.recordings import is_below

AUDIO_SUFFIXES = (".wav", ".flac", ".ogg")
PLAYED = (*AUDIO_SUFFIXES, ".mp3")
FILE = (
    "file", "id", "clip", "name", "filename", "utterance", "utt_id", "audio", "audio_filepath",
)  # fmt: skip
AUDIO = ("audio", "audio_path", "audio_filepath", "wav", "path", "sound", "recording", "file")
EXPECTED = ("expected", "reference", "ref", "gold", "truth", "transcript")
GOT = ("got", "hypothesis", "hyp", "prediction", "pred_text", "output", "text")
SYSTEM = ("system", "provider", "recognizer", "recogniser", "model")
REMARKS = frozenset(
    {
        "notes", "note", "comment", "comments", "remark", "remarks", "translation", "title",
        "topic", "context", "prompt", "keywords", "tags", "label", "source", "split",
        "accent", "gender",
    }
)  # fmt: skip  # columns of texts that are no transcripts
MOST_FILES = 200  # that a run reports one by one, beside the whole
MEASURED = frozenset(
    {
        "latency", "error", "wer", "cer", "chars_expected", "chars_got", "words_expected",
        "words_got", "match_percent", "insertions", "deletions", "substitutions", "custom_metric",
        "diff_report", "duration", "duration_s",
    }
)  # fmt: skip  # columns of a table of results that are no transcripts


def read_clip_table(
    source: Path | Table, columns: Mapping[str, str] | None = None, systems: Sequence[str] = ()
) -> Clips:
    """Clips of a wide or a long table, a file or one that was read.

    `columns` maps our names to headers; `systems` are the headers of a wide table's systems,
    which are found by content where none is named.
    """
    table = source if isinstance(source, Table) else read_table(source)
    path = table.path
    if table.lined:
        raise FormatError(
            "is plain lines and no table. Give what was said and what was heard as two files: "
            f"gistmeter speech --expected SAID --got {path}",
            path=path,
        )
    remarks = [f"{path}: read as {table.guessed}, a guess"] if table.guessed else []
    if {"text", "pred_text"} <= set(table.columns) and "expected" not in (columns or {}):
        columns = {**(columns or {}), "expected": "text"}
        remarks.append(f"{path}: read as a NeMo manifest, text against pred_text")
    expected = table.need("expected", EXPECTED, columns)
    system = table.find("system", SYSTEM, columns)
    named = [*systems, *_several(columns, "got")]
    got = None if named else table.find("got", GOT, columns)
    known = _Known.of(table, expected, columns)
    clips: list[Clip] = []
    if named:
        known = known.without(chosen_columns(table, named))
        for column in chosen_columns(table, named):
            clips += known.clips(table.column(column), [column] * len(table.rows))
    elif system and got:
        names = [(name or "").strip() or "system" for name in table.column(system)]
        kept = known.without((got, system))
        clips = _timed(kept.clips(table.column(got), names), table)
    elif system:
        raise FormatError(
            f"has a column '{system}' of systems but none named 'got' with their transcripts",
            path=path,
        )
    else:
        wide, found = _wide_columns(table, known, expected, got)
        remarks += found
        known = known.without(wide)
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
    further: Mapping[str, Sequence[str | None]]  # all other columns, transcripts among them
    sheet: bool = False  # of a workbook, whose empty cells are there as those of a CSV file are

    @classmethod
    def of(cls, table: Table, expected: str, columns: Mapping[str, str] | None) -> _Known:
        found = {
            "id": table.find("file", FILE, columns),
            "speaker": table.find("speaker", (), columns),
            "language": table.find("language", ("lang",), columns),
            "audio": table.find("audio", AUDIO, columns),
            "group": table.find("group", ("domain",), columns),
            "sample": table.find("sample", SAMPLES, columns),
        }
        headers = {expected, *(header for header in found.values() if header)}
        fields = {
            name: [name_in(cell) for cell in table.column(header)] if header else []
            for name, header in found.items()
        }
        fields["audio"] = [_sound(cell, table.path.parent) for cell in fields["audio"]]
        said = [cell or "" for cell in table.column(expected)]
        further = {name: table.column(name) for name in table.columns if name not in headers}
        sheet = table.path.suffix.lower() == ".xlsx"
        return cls(frozenset(headers), said, fields, further, sheet)

    def clips(self, got: Sequence[str | None], systems: Sequence[str]) -> list[Clip]:
        """One clip per row; one without an id is named by its number among its system's."""
        numbers: dict[str, int] = {}
        clips = []
        empty = "" if self.sheet else None
        for at, (text, system) in enumerate(zip(got, systems, strict=True)):
            numbers[system] = numbers.get(system, 0) + 1
            given = {name: cells[at] for name, cells in self.fields.items() if cells}
            key = given.pop("id", "") or str(numbers[system])
            audio = given.pop("audio", "") or None
            kept = {name: cell for name, cells in self.further.items() if (cell := cells[at])}
            heard = empty if text is None else text
            clip = Clip(key, self.expected[at], heard, system, audio=audio, columns=kept, **given)
            clips.append(clip)
        return clips

    def without(self, headers: Iterable[str]) -> _Known:
        """The same where some columns are transcripts, and nothing to be kept."""
        kept = {name: cells for name, cells in self.further.items() if name not in headers}
        return replace(self, further=kept)


def _timed(clips: list[Clip], table: Table) -> list[Clip]:
    """Clips with the seconds that the table's columns `latency` and `latency_first` have."""
    columns = {name: table.find(name) for name in ("latency", "latency_first")}
    if not any(columns.values()):
        return clips
    cells = {name: table.column(header) for name, header in columns.items() if header}
    timed: list[Clip] = []
    for at, clip in enumerate(clips):
        times: dict[str, float] = {}
        for name, column in cells.items():
            try:
                times[name] = float(column[at] or "nan")
            except ValueError as error:
                raise FormatError(
                    f"has '{column[at]}' where seconds are expected", path=table.path,
                    row=table.lines[at], column=name,
                ) from error  # fmt: skip
        timed.append(
            TimedClip(
                clip.id, clip.expected, clip.got, clip.recognizer, clip.audio, clip.language,
                clip.speaker, clip.group, clip.sample, clip.columns,
                latency=times.get("latency", math.nan),
                latency_first=times.get("latency_first", math.nan),
            )
        )  # fmt: skip
    return timed


def _sound(cell: str, folder: Path) -> str:
    """The path of a recording that a table names, below where the table stands."""
    path = folder / cell
    played = path.suffix.lower() in PLAYED and path.is_file() and is_below(path, folder)
    return str(path) if played else ""


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
    poor = _poor_systems(table, by_content, expected) if by_content.systems else {}
    # A column that is called a transcript is one; a single text beside the expected one is too.
    systems = [column for column in rest if column in (*by_content.systems, *poor, got)]
    if not systems and len(rest) == 1 and (by_content.doubtful or not any(table.column(rest[0]))):
        return rest, []
    if not systems:
        shown = ", ".join(repr(column) for column in table.columns)
        raise FormatError(
            f"has no column with a system's transcripts that could be recognised by its content. "
            f"Columns found: {shown}. Name them with --systems HEADER,HEADER",
            path=table.path,
        )
    left = Sorted(
        tuple(systems),
        tuple(column for column in by_content.doubtful if column not in poor),
        tuple(column for column in by_content.others if column not in poor),
    ).told()
    remarks = [f"{column} {why}, and is read as a system" for column, why in poor.items()]
    return systems, [f"{table.path}: {remark}" for remark in (*remarks, left) if remark]


def _poor_systems(table: Table, by_content: Sorted, expected: str) -> dict[str, str]:
    """Columns that may be systems which hear nothing, or nothing right, and why they are odd.

    Such a system must not vanish from a comparison. A text that is no transcript is hardly as long
    as what was said.
    """
    said = table.column(expected)
    poor: dict[str, str] = {}
    for column in (*by_content.others, *by_content.doubtful):
        pairs = [(text or "", cell) for text, cell in zip(said, table.column(column), strict=True)]
        filled = [(len(text), len(cell)) for text, cell in pairs if cell and cell.strip()]
        alike = sum(length < 3 * size < 9 * length for length, size in filled)
        if column.strip().casefold() in REMARKS:
            continue
        if not filled:
            poor[column] = "is empty: it heard nothing"
        elif column in by_content.doubtful and alike > 0.6 * len(filled):
            poor[column] = "shares hardly a word with what was said"
    return poor


def _refuse_repeated(clips: Sequence[Clip], table: Table) -> None:
    seen: set[tuple[str, str, str]] = set()
    for clip in clips:
        if (clip.id, clip.system, clip.sample) in seen:
            raise FormatError(
                f"has '{clip.id}' of '{clip.system}' twice. Several transcripts of one clip are"
                " told apart by a column 'sample'",
                path=table.path,
            )
        seen.add((clip.id, clip.system, clip.sample))


def read_assets(folder: Path) -> Clips:
    """Every sound file of a folder with the text beside it, in the order of their names."""
    if not folder.is_dir():
        raise InputError(f"{folder}: is not a folder of sound files and texts")
    files = (file for file in folder.iterdir() if file.suffix.lower() in AUDIO_SUFFIXES)
    sounds = sorted(file for file in files if file.is_file())
    refuse_strays(folder, [*sounds, *(sound.with_suffix(".txt") for sound in sounds)])
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
