"""Paragraphs: what blank lines, headings and meaningful line breaks separate.

A chapter heading is a line of at most 80 characters that is as one of the language's patterns
(`headings.txt` in its folder) says and does not end as a sentence does. Markdown headings
(`# Title`) count in every language.

Texts have one paragraph per line, or are wrapped at a width. A line break is taken for wrapping
when the block has lines of a wrapped text's length (40 to 120 columns), the next line's first word
would not have fitted, and the next line is neither indented nor the beginning of a speech or a list
(in Chinese and Japanese: no quotation opens or closes there).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from gistmeter.languages import lexicons

LONGEST = 80  # characters of a heading
ROMAN = "(?=[IVXLC])(?:XC|XL|L?X{0,3}|C{1,3})(?:IX|IV|V?I{0,3})"
REST = r"(?:[\s.:：、．·—–\-].{0,60})?"  # what may stand after a number
SENTENCE_END = re.compile("[。！？!?；;，,、…”」』]$")
MARKDOWN = re.compile(r"#{1,6}\s+\S")
LINE = re.compile(r"\r\n?|[\n\v\f\x1c-\x1e\x85\u2028\u2029]")
NARROWEST, WIDEST = 40, 120  # columns of a wrapped text
BEGINNING = frozenset("—–―-*•·#>|")  # a speech, a list, a quotation in mail
SPEECH, SPOKEN = frozenset("“「『"), frozenset("”」』。！？")  # lines of dialogue
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Heading:
    """A chapter heading: its text, and the index of the sentence that it is."""

    text: str
    sentence: int


@cache
def heading_pattern(lists: str) -> str:
    """The patterns of a language's headings, or those for languages that have none."""
    patterns = lexicons.lines(lists, "headings") or lexicons.lines(lexicons.GENERIC, "headings")
    return "|".join(patterns).replace("{roman}", ROMAN).replace("{rest}", REST)


def is_heading(line: str, pattern: str) -> bool:
    """Whether a line, without its line break, is a heading by a language's pattern."""
    line = line.strip().strip("*_=").strip()
    if not line or len(line) > LONGEST:
        return False
    named = re.match(f"(?:{pattern})$", line, re.IGNORECASE) and not SENTENCE_END.search(line)
    return bool(named or MARKDOWN.match(line))


def paragraphs(text: str, heading: str, wide: bool) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each paragraph, and whether it is a heading; blank lines are in none.

    `heading` is the pattern of headings.
    """
    block: list[Place] = []
    for start, end in lines(text):
        line = text[start:end]
        if not line.strip():
            yield from _unwrap(text, block, wide)
            block = []
        elif is_heading(line, heading):
            yield from _unwrap(text, block, wide)
            yield start, end, True
            block = []
        else:
            block.append((start, end))
    yield from _unwrap(text, block, wide)


def lines(text: str) -> Iterator[Place]:
    start = 0
    for line_break in LINE.finditer(text):
        yield start, line_break.start()
        start = line_break.end()
    yield start, len(text)


def _unwrap(text: str, block: list[Place], wide: bool) -> Iterator[tuple[int, int, bool]]:
    """Join the lines of a block that were only wrapped."""
    if not block:
        return
    longest = max(end - start for start, end in block)
    wrapped = NARROWEST <= longest * (2 if wide else 1) <= WIDEST
    begin, (previous, last) = block[0][0], block[0]
    for start, end in block[1:]:
        line = text[start:end]
        needed = 4 if wide else 1 + len(line.split(maxsplit=1)[0])
        fitted = last - previous + needed < 0.9 * longest
        begins = line[0].isspace() or line[0] in BEGINNING
        speaks = wide and (line[0] in SPEECH or text[last - 1] in SPOKEN)
        if not wrapped or fitted or begins or speaks:
            yield begin, last, False
            begin = start
        previous, last = start, end
    yield begin, last, False
