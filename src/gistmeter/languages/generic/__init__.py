"""Any other language: Unicode words, sentences by punctuation, no lists and no polarity.

Which languages there are, what they are called and which are written without spaces.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from gistmeter.languages import lexicons
from gistmeter.languages.hints import WrittenIn
from gistmeter.languages.language import FactRules, Hint, Language

CODE = "generic"
# Written without spaces between words, and the letters that no other language is written in.
UNSPACED: Mapping[str, str] = {
    "lo": "\u0e81-\u0edf",
    "km": "\u1780-\u17ff",
    "my": "\u1000-\u109f",
    "bo": "\u0f00-\u0fff",
    **dict.fromkeys(("dz", "yue", "wuu", "gan", "hak", "lzh", "ii"), ""),
}
UNSPACED_SCRIPTS = frozenset(
    ("Hani", "Hans", "Hant", "Jpan", "Thai", "Laoo", "Khmr", "Mymr", "Tibt")
)
NOUNS = frozenset(("de", "lb", "gsw"))  # capitals are for all nouns
DECIMAL_COMMA = frozenset(
    (
        *("de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "nb", "no", "fi", "hu", "ro"),
        *("uk", "bg", "sk", "sl", "hr", "sr", "el", "tr", "id", "vi", "ca", "lt", "lv", "et"),
    )
)
HINTS: Mapping[str, Hint] = {
    code: WrittenIn(letters) for code, letters in UNSPACED.items() if letters
}


@cache
def names() -> Mapping[str, tuple[str, ...]]:
    """The languages that have a code, each with its name in English and other names and codes."""
    rows = (line.split("\t") for line in lexicons.lines(__name__, "names"))
    return {code: tuple(called) for code, *called in rows}


def pack(code: str) -> Language:
    """The generic pack under the code of a language, which may have a script: `nan-Hani`."""
    primary, _, script = code.partition("-")
    name, *aliases = names().get(primary, ("",))
    return Language(
        code,
        name=name,
        aliases=tuple(aliases),
        spaced=primary not in UNSPACED and script not in UNSPACED_SCRIPTS,
        facts=FactRules(
            decimal_comma=primary in DECIMAL_COMMA,
            capitals=primary not in NOUNS,
        ),
    )
