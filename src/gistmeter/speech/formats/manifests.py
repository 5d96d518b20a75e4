"""Lists of utterances with what belongs to them: NeMo's manifests, SegLST, Kaldi's data folders.

NeMo     {"audio_filepath": …, "duration": …, "text": …, "pred_text": …}: one object per line
SegLST   [{"session_id": …, "speaker": …, "words": …, "start_time": …, "end_time": …}, …]
Kaldi    a folder with `text`, and beside it `utt2spk`, `segments`, `wav.scp`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from gistmeter.core.errors import FormatError
from gistmeter.core.files import parse_json, printable, read_bytes
from gistmeter.core.inputs import decode
from gistmeter.core.table import name_in
from gistmeter.speech.formats.timed import TimedText, in_seconds

AUDIO = ("audio_filepath", "audio_file", "audio", "audio_path", "wav", "file")
KEYS = ("id", "utt_id", "utterance_id", "key", "segment_id", "uttid")
PREDICTED = ("pred_text", "prediction", "hypothesis", "hyp")
SEGLST = {"session_id", "speaker", "words"}


@dataclass(frozen=True, slots=True)
class Manifest:
    """Utterances by id, and what is known of each."""

    texts: dict[str, str]  # what was said
    predicted: dict[str, str] = field(default_factory=dict)  # what was heard, where it is there
    speakers: dict[str, str] = field(default_factory=dict)
    audio: dict[str, str] = field(default_factory=dict)


def objects_of(path: Path, text: str) -> list[Any] | None:
    """The documents of a JSON file, or of one with an object per line; None where it is no JSON."""
    bare = text.lstrip()
    named = path.suffix.lower() in (".json", ".jsonl", ".ndjson")
    if not bare.startswith(("{", "[")):
        if named:
            raise FormatError("is named JSON and does not begin as JSON does", path=path)
        return None
    try:
        return [parse_json(text)]
    except ValueError as error:
        lines = [(at, line) for at, line in enumerate(text.split("\n"), 1) if line.strip()]
        try:
            return [parse_json(line) for _, line in lines]
        except ValueError:
            if named or bare.startswith(('{"', "[{", '{\n  "', "{\r\n")):
                raise FormatError(f"is not valid JSON: {error}", path=path) from error
    return None


def is_seglst(content: Any) -> bool:
    """Whether a document is a list of segments with their speakers."""
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(part, dict) and set(part) >= SEGLST for part in content)
    )


def read_seglst(content: Sequence[Mapping[str, Any]], path: Path) -> list[TimedText]:
    """The segments of a SegLST; times are seconds, as numbers or texts."""
    segments = []
    for number, part in enumerate(content, 1):
        try:
            times = [in_seconds(part[name]) if part.get(name) is not None else None
                     for name in ("start_time", "end_time")]  # fmt: skip
        except (TypeError, ValueError, OverflowError) as error:
            raise FormatError(
                "has a time that is not a number of seconds", path=path, row=number
            ) from error
        text = printable(" ".join(str(part["words"]).split()))
        names = printable(str(part["session_id"])), printable(str(part["speaker"]))
        segments.append(TimedText(names[0], text, times[0], times[1], names[1]))
    return segments


def read_manifest(objects: Sequence[Any], path: Path) -> Manifest | None:
    """The utterances of a manifest, by their ids or by the names of their sound files."""
    rows = objects[0] if len(objects) == 1 and isinstance(objects[0], list) else objects
    if not rows or not all(isinstance(row, dict) for row in rows):
        return None
    first = rows[0]
    key = next((name for name in (*KEYS, *AUDIO) if name in first), None)
    audio = next((name for name in AUDIO if name in first), None)
    heard = next((name for name in PREDICTED if name in first), None)
    if key is None or not (heard or "text" in first):
        return None
    found = Manifest({})
    keys = _keys(rows, key, path)
    for name, row in zip(keys, rows, strict=True):
        for column, texts in (("text", found.texts), (heard, found.predicted)):
            if column and isinstance(row.get(column), str):
                texts[name] = printable(" ".join(row[column].split()))
        if row.get("speaker"):
            found.speakers[name] = str(row["speaker"])
        if audio and row.get(audio):
            found.audio[name] = str(path.parent / str(row[audio]))
    return found


def _keys(rows: Sequence[Mapping[str, Any]], key: str, path: Path) -> list[str]:
    """The id of each utterance: the sound file's stem, with its offset where it has several."""
    several = len({str(row.get(key)) for row in rows}) < len(rows)
    names: dict[str, None] = {}
    for number, row in enumerate(rows, 1):
        if not row.get(key):
            raise FormatError(f"has no '{key}' where the first line has one", path=path, row=number)
        name = str(row[key]) if key in KEYS else PurePosixPath(str(row[key])).stem
        offset = row.get("offset", row.get("start"))
        name = name_in(f"{name}-{offset}" if several and offset is not None else name)
        if name in names:
            raise FormatError(f"has the id '{name}' twice", path=path, row=number)
        names[name] = None
    return list(names)


def is_kaldi_folder(folder: Path) -> bool:
    """Whether a folder is one of Kaldi's, with its `text` of all utterances."""
    others = ("utt2spk", "wav.scp", "segments", "spk2utt")
    return (folder / "text").is_file() and any((folder / name).is_file() for name in others)


def read_kaldi_folder(folder: Path) -> Manifest:
    """The utterances of a Kaldi data folder; sounds that a command makes are left alone."""
    texts = _columns(folder / "text")
    sounds = {
        key: str(folder / value)
        for key, value in _columns(folder / "wav.scp").items()
        if not value.rstrip().endswith("|")
    }
    cut = (folder / "segments").is_file()  # then a sound has several utterances
    audio = {} if cut else {key: sounds[key] for key in texts if key in sounds}
    return Manifest(texts, {}, _columns(folder / "utt2spk"), audio)


def _columns(path: Path) -> dict[str, str]:
    """The lines of a file as a first word and the rest; nothing where there is no such file."""
    if not path.is_file():
        return {}
    text, _ = decode(read_bytes(path), path)
    found: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        key, _, rest = line.strip().partition(" ")
        if key and name_in(key) in found:
            raise FormatError(f"has the id '{key}' twice", path=path, row=number)
        if key:
            found[name_in(key)] = printable(rest.strip())
    return found
