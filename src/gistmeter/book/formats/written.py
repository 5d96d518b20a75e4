"""What a reader gives, and how a text is checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gistmeter.core.errors import FormatError

CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
SPACE = re.compile(r"[ \t\r\n\u00a0]+")
FEWEST = 20  # letters: a file with pictures and fewer has no text


@dataclass(frozen=True, slots=True)
class Written:
    """A text as a file has it."""

    text: str
    encoding: str = ""  # where it was guessed
    aside: Mapping[str, int] = field(default_factory=dict)  # what was left out, and how often


def compose(
    paragraphs: Iterable[tuple[str, bool]], path: Path, *, pictures: int, aside: Counter[str]
) -> Written:
    """A text of paragraphs and headings; a file of pictures without words is refused."""
    lines = []
    for words, is_heading in paragraphs:
        line = SPACE.sub(" ", words).strip()
        if line:
            lines.append(f"# {line}" if is_heading else line)
    text = "\n\n".join(lines)
    letters = sum(character.isalpha() for character in text[:10_000])
    if letters < FEWEST and pictures:
        raise FormatError(
            f"has {pictures} pictures and no text: it is a scan. Recognise its text (OCR) first",
            path=path,
        )
    if not letters:
        raise FormatError("has no text", path=path)
    return Written(text, aside=aside)


def refuse_control(text: str, path: Path) -> None:
    """Control characters mean a wrong encoding or damage."""
    if found := CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise FormatError(control(found[0]), path=path, row=line)


def control(character: str) -> str:
    return (
        f"has the control character U+{ord(character):04X}, which no text has. Check the file's "
        "encoding, or remove it"
    )
