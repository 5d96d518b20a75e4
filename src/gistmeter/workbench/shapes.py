"""The four shapes as the page asks for them: which files play which part, which options it sets.

The page never passes an option on: it sets those below from what a person chose, and paths come
from dropped files alone. So no model by path, no command, no service and no configuration can be
asked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gistmeter.core.files import parse_json
from gistmeter.workbench.drops import BOOKS, PARSES, SOUND, TABLES, TRANSCRIPTS

LONG = 20_000  # bytes: a text file from here on is a book rather than lines
EXPECTED = re.compile(
    r"gold|reference|expected|original|source|truth|said|explanation|full|参考|原文|正解|参照",
    re.IGNORECASE,
)
IGNORED = "ignore"


@dataclass(frozen=True, slots=True)
class Shape:
    """One of the questions that the first page asks."""

    name: str  # of the family
    parts: tuple[str, ...]  # that a file can play: what is expected first
    sample: tuple[str, ...]  # files of the samples
    options: tuple[str, ...]  # that the page may set beside files


SHAPES: Mapping[str, Shape] = {
    shape.name: shape
    for shape in (
        Shape(
            "text", ("references", "predictions"), ("text/english.csv",),
            ("column", "systems", "sheets", "repeats", "language", "encoding", "metrics"),
        ),
        Shape(
            "book", ("original", "edition"),
            ("book/originals.json", "book/faithful.json", "book/unfaithful.json"),
            ("language", "encoding", "keep_matter", "metrics"),
        ),
        Shape(
            "parse", ("gold", "system", "taxonomy"),
            ("parse/en-gold.conllu", "parse/en-careful.conllu", "parse/en-hasty.conllu",
             "parse/taxonomy.csv"),
            ("encoding", "metrics"),
        ),
        Shape(
            "speech", ("expected", "got", "table", "sound"),
            ("speech/en/expected.txt", "speech/en/careful.txt", "speech/en/noisy.txt"),
            ("column", "systems", "language", "encoding", "lines", "whole", "metrics"),
        ),
    )
}  # fmt: skip
FLAGS = ("keep_matter", "lines", "whole")
CHOICES = {"sheets": ("auto", "systems", "arrangements"), "repeats": ("ask", "samples", "first")}


def guess_shape(files: Sequence[Path]) -> str:
    """The shape that files have by their kinds; empty where only their owner knows."""
    kinds = {file.suffix.lower() for file in files}
    if kinds & set(PARSES):
        return "parse"
    if kinds & {*SOUND, *TRANSCRIPTS}:
        return "speech"
    if kinds & (set(BOOKS) - {".txt", ".md"}):
        return "book"
    if kinds <= {".txt", ".md"}:
        long = all(file.stat().st_size > LONG for file in files)
        return "book" if len(files) > 1 and long else ""
    if kinds == {".json"} and all(map(_is_shelf, files)):
        return "book"
    return "text"


def _is_shelf(file: Path) -> bool:
    """Whether a JSON file is an object of texts by title."""
    if file.stat().st_size > 200_000_000:
        return False
    try:
        document = parse_json(file.read_bytes())
    except ValueError:
        return False
    return isinstance(document, dict) and all(isinstance(text, str) for text in document.values())


def guess_parts(shape: str, files: Mapping[str, Path]) -> dict[str, str]:
    """Which part each file plays, by its name: a guess, which the page shows as one."""
    if shape == "text":
        return _guess_text(files)
    kinds = {name: file.suffix.lower() for name, file in files.items()}
    if shape == "speech" and len(files) == 1 and set(kinds.values()) <= set(TABLES):
        return dict.fromkeys(files, "table")
    expected, other = SHAPES[shape].parts[:2]
    parts = dict.fromkeys(files, other)
    for name, kind in kinds.items():
        if kind in SOUND:
            parts[name] = "sound"
        elif shape == "parse" and kind not in (*PARSES, ".txt"):
            parts[name] = "taxonomy" if kind in TABLES else IGNORED
    able = [name for name in files if parts[name] == other]
    named = [name for name in able if EXPECTED.search(Path(name).stem)]
    if not named and shape == "book":  # the original is the longest
        named = sorted(able, key=lambda name: -files[name].stat().st_size)
    return parts | dict.fromkeys((named or able)[:1], expected)


def _guess_text(files: Mapping[str, Path]) -> dict[str, str]:
    named = [name for name in files if EXPECTED.search(Path(name).stem)]
    parts = dict.fromkeys(files, "predictions")
    return parts | dict.fromkeys(named, "references") if 0 < len(named) < len(files) else parts


def options_for(
    shape: str, files: Mapping[str, str], parts: Mapping[str, str], chosen: Mapping[str, Any]
) -> dict[str, Any]:
    """The options of the command: paths by part, and what was chosen on the page.

    `files` are paths by name.
    """
    by_part: dict[str, list[str]] = {}
    for name, path in files.items():
        by_part.setdefault(parts.get(name, IGNORED), []).append(path)
    options: dict[str, Any] = {}
    if shape == "text":
        options["predictions"] = by_part.get("predictions", [])
        options["references"] = by_part.get("references", [])
    elif shape == "book":
        shelf = all(Path(path).suffix.lower() == ".json" for path in files.values())
        if shelf and by_part.get("original"):
            options["source_path"] = by_part["original"][0]
            options["summary_path"] = by_part.get("edition", [])
        else:
            options["books"] = [*by_part.get("original", []), *by_part.get("edition", [])]
    elif shape == "parse":
        options["gold"] = next(iter(by_part.get("gold", [])), None)
        options["systems"] = by_part.get("system", [])
        options["taxonomy"] = next(iter(by_part.get("taxonomy", [])), None)
    else:
        options["table"] = next(iter(by_part.get("table", [])), None)
        options["expected"] = next(iter(by_part.get("expected", [])), None)
        options["got"] = by_part.get("got", [])
        if by_part.get("sound"):
            options["assets"] = str(Path(by_part["sound"][0]).parent)
    allowed = SHAPES[shape].options
    options |= {name: value for name, value in chosen.items() if name in allowed}
    return {
        name: value for name, value in options.items() if value not in (None, "", [], {}, False)
    }
