"""Thai: words by a dictionary; sentences at spaces are not cut, only at terminators and lines."""

from __future__ import annotations

from gistmeter.languages.hints import WrittenIn
from gistmeter.languages.language import Language
from gistmeter.languages.normalisation import join_grouped
from gistmeter.languages.th.words import Thai

LANGUAGE = Language(
    "th",
    Thai(),
    name="Thai",
    aliases=("tha", "ภาษาไทย"),
    spaced=False,
    steps=(join_grouped,),
    hint=WrittenIn("\u0e01-\u0e5b"),
)
