"""Spanish. Negative words after a verb are in concord with no: no vino nadie denies once."""

from __future__ import annotations

from gistmeter.languages.analysers import Lemmas
from gistmeter.languages.language import FactRules, Language
from gistmeter.languages.polarity.spaced import SpacedReader
from gistmeter.languages.sentences import Splitter

ANALYSER = Lemmas("es")
LANGUAGE = Language(
    "es",
    ANALYSER,
    name="Spanish",
    aliases=("spa", "español", "castellano"),
    lists=__name__,
    splitter=Splitter(__name__, closing="”»"),
    reader=SpacedReader(__name__, ANALYSER),
    facts=FactRules(
        decimal_comma=True,
        number_links=("y", "y medio", "y media", "de"),
        decimal="coma|punto|con",
        minus="(?<!al )(?<!lo )(?<!más o )menos",
        unit_link="de",
        ordinal_end=r"[.]?[ºª]|(?:er|ro|ra|do|da|to|ta)\b",
        day_end="(?:ro|º)?",
        day_link="de",
        prefixes=("in", "im", "des", "ir"),
        light=frozenset(("ser", "estar", "haber", "poder", "tener", "ir", "deber")),
        than=" que ",
    ),
)
