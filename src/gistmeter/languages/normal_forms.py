"""Unicode's normal forms, in time that grows with the length.

Python sorts the marks over a letter by insertion: 160,000 of them in turn above and below one
letter take 20 seconds. Long runs of marks are sorted here beforehand, which changes no result.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, partial
from itertools import groupby
from typing import Literal

LONG = 64  # marks in a row; no language writes so many
BRIEF = 1000  # characters that are sorted soon enough
BEGINNING_WITH_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"  # what they are made of is marks
SIGNS = range(0x300, 0x20000)  # among which all marks are
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


def normal_form(form: Form, text: str) -> str:
    """As `unicodedata.normalize`, of any text in linear time."""
    return unicodedata.normalize(form, orderly(text, form))


def orderly(text: str, form: Form = "NFC") -> str:
    """The same text to Unicode, its long runs of marks in canonical order."""
    if len(text) < BRIEF or text.isascii():
        return text
    apart: Form = "NFKD" if "K" in form else "NFD"
    return _runs().sub(partial(_sorted_run, apart), text)


def _sorted_run(form: Form, run: re.Match[str]) -> str:
    signs = "".join(unicodedata.normalize(form, sign) for sign in run[0])
    parts = (list(part) for _, part in groupby(signs, lambda sign: unicodedata.combining(sign) > 0))
    return "".join("".join(sorted(part, key=unicodedata.combining)) for part in parts)


@cache
def _runs() -> re.Pattern[str]:
    marks = "".join(filter(unicodedata.combining, map(chr, SIGNS)))
    return re.compile(f"[{re.escape(marks)}{BEGINNING_WITH_MARKS}]{{{LONG},}}")
