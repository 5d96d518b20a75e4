"""Word lists: plain text under `data/<language>/`, one word a line, source and licence on line 1.

`stopwords.txt` carry no content; `negations.txt` reverse what they govern; `shifters.txt` are verbs
that do the same to their object (avoid, overcome, lack); `affirmations.txt` look like negations and
are none (not only, 不得不, かもしれない); `positive.txt` and `negative.txt` are polar words of praise
and blame. A list that a language does not have is empty.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

LISTS = ("stopwords", "negations", "shifters", "affirmations", "positive", "negative")


@cache
def words(language: str, name: str) -> frozenset[str]:
    """The words of one list; lines that begin with # are remarks."""
    lines = _read(language, name).splitlines()
    return frozenset(word for line in lines if (word := line.strip()) and not word.startswith("#"))


@cache
def fingerprint(language: str) -> str:
    """Eight hexadecimal digits that change when any list of the language does."""
    everything = "\0".join(_read(language, name) for name in LISTS)
    return hashlib.sha256(everything.encode()).hexdigest()[:8]


@cache
def _read(language: str, name: str) -> str:
    file = resources.files("gistmeter.languages") / "data" / language / f"{name}.txt"
    return file.read_text(encoding="utf-8") if file.is_file() else ""
