"""Chapter headings: lines of their own that number or name a part of a book.

A heading is a line of at most 80 characters that begins as one of the language's patterns does and
does not end as a sentence does. Markdown headings (`# Title`) count in every language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

LONGEST = 80
ROMAN = "(?=[IVXLC])(?:XC|XL|L?X{0,3}|C{1,3})(?:IX|IV|V?I{0,3})"
REST = r"(?:[\s.:：、．·—–\-].{0,60})?"  # what may stand after a number
ANY = (  # for languages without a pattern of their own
    "(?:chapter|kapitel|chapitre|cap[íi]tulo|capitolo|hoofdstuk|rozdział|kapitola|bölüm"
    f"|fejezet|luku|capitolul|глава|розділ)\\s+(?:{ROMAN}|\\d+)\\b{REST}"
    f"|บทที่\\s*\\d+{REST}|{ROMAN}\\.?"
)
SENTENCE_END = re.compile("[。！？!?；;，,、…”」』]$")
MARKDOWN = re.compile(r"#{1,6}\s+\S")


@dataclass(frozen=True, slots=True)
class Heading:
    """A chapter heading: its text, and the index of the sentence that it is."""

    text: str
    sentence: int


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(f"(?:{pattern})$", re.IGNORECASE)


def is_heading(line: str, pattern: str) -> bool:
    """Whether a line, without its line break, is a heading by a language's pattern."""
    line = line.strip().strip("*_=").strip()
    if not line or len(line) > LONGEST:
        return False
    if MARKDOWN.match(line):
        return True
    return _compiled(pattern).match(line) is not None and SENTENCE_END.search(line) is None
