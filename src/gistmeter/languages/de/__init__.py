"""German. Nouns have capitals, so that capitals tell no names. Number words are one long word."""

from __future__ import annotations

from fractions import Fraction

from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Lemmas
from gistmeter.languages.language import FactRules, Language
from gistmeter.languages.numbers import NumberPart
from gistmeter.languages.polarity.spaced import SpacedReader
from gistmeter.languages.sentences import Splitter


def long_numbers() -> dict[str, NumberPart]:
    """Numbers from a hundred on as one word: zweihundertfünfzig, neunzehnhundertachtzig."""
    below: dict[int, str] = {}
    for word, value in lexicons.pairs(__name__, "numbers").items():
        below.setdefault(int(value), word)
    heads = {1: "ein"} | {size: below[size] for size in range(2, 20)}
    ends = {0: ""} | {size: word for size, word in below.items() if 0 < size < 100}
    made: dict[str, int] = {}
    for count, head in heads.items():
        for size, end in ends.items():
            made[f"{head}hundert{end}"] = 100 * count + size
            if count < 10:
                made[f"{head}tausend{end}"] = 1000 * count + size
            if size < 10:
                made[f"{head}tausend{ends[size]}hundert"] = 1000 * count + 100 * size
    made |= {word.removeprefix("ein"): size for word, size in made.items() if word[:3] == "ein"}
    return {
        word: NumberPart(Fraction(size), "word")
        for word, size in made.items()
        if word not in ("hundert", "tausend")
    }


ANALYSER = Lemmas("de")
LANGUAGE = Language(
    "de",
    ANALYSER,
    name="German",
    aliases=("deu", "ger", "deutsch"),
    lists=__name__,
    splitter=Splitter(__name__, closing="“‘«‹", ordinals=True),
    reader=SpacedReader(__name__, ANALYSER),
    facts=FactRules(
        decimal_comma=True,
        numerals=long_numbers(),
        number_links=("und",),
        decimal="komma|punkt",
        minus="minus",
        unit_link="eine?n?",
        ordinal_end=r"(?!)",
        prefixes=("un", "in", "nicht"),
        light=frozenset(("sein", "haben", "werden", "können", "sollen", "müssen", "dürfen")),
        denies_back=True,
        than=" als ",
        capitals=False,
    ),
)
