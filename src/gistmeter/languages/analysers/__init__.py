"""Analysers: texts to words, one file a library, each loaded at first use and only once.

An analyser gives *tokens*: a word's surface with its place in the text, the form under which it is
compared (a lemma where inflection would hide that two words are the same), and its part of speech
where the library knows it. Stop words and polarity are read from these.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import metadata
from typing import NamedTuple, Protocol

from gistmeter.core.files import printable

ENDLESS, PIECE = re.compile(r"\w{1000,}"), 500


class Token(NamedTuple):
    """A word or morpheme of a text."""

    surface: str
    form: str  # lemma or normalised form, in lower case
    start: int
    end: int
    tag: str = ""  # part of speech, as the analyser names it
    content: bool = True  # whether its part of speech can carry content
    base: str = ""  # dictionary form as it would be written here, where that differs from `form`


class Analyser(Protocol):
    """What a language asks of the library that knows its words."""

    @property
    def id(self) -> str:
        """Library and version, for signatures; nothing is imported for it."""

    def tokens(self, text: str) -> list[Token]:
        """The words of a text in order, punctuation included, white space not."""

    def words(self, text: str) -> list[str]:
        """The surface words, without punctuation: what word error rates and ROUGE count."""

    def forms(self, text: str, stop: frozenset[str] = frozenset()) -> list[str]:
        """Forms of the words that carry content: neither word nor form is a stop word."""


def well_formed(text: str) -> str:
    """The text as every library can take it, of the same length.

    Lone surrogates, which JSON can hold and no library in C takes, are replaced. A thousand letters
    without a break are no word of any language, and take some libraries quadratic time: such a run
    is broken, by a space in place of every five-hundredth.
    """
    return ENDLESS.sub(_broken, printable(text))


def _broken(run: re.Match[str]) -> str:
    letters = list(run[0])
    letters[PIECE::PIECE] = " " * len(letters[PIECE::PIECE])
    return "".join(letters)


@cache
def version_of(package: str) -> str:
    """`package-version`, or `package-absent` where it is not installed."""
    try:
        return f"{package}-{metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return f"{package}-absent"
