"""French. Negation has two parts (ne … pas), and speech drops the first."""

from __future__ import annotations

from gistmeter.languages.analysers import Lemmas
from gistmeter.languages.language import FactRules, Language
from gistmeter.languages.numbers import join_spaced
from gistmeter.languages.polarity.spaced import SpacedReader
from gistmeter.languages.sentences import Splitter

ANALYSER = Lemmas("fr")
LANGUAGE = Language(
    "fr",
    ANALYSER,
    name="French",
    aliases=("fra", "fre", "français"),
    lists=__name__,
    splitter=Splitter(__name__, closing="”»"),
    steps=(join_spaced,),
    conjunction="et",
    elides=True,
    reader=SpacedReader(__name__, ANALYSER),
    facts=FactRules(
        unsaid=frozenset(("ne", "n")),
        decimal_comma=True,
        number_links=("et", "et demi", "de"),
        decimal="virgule|point",
        minus="(?<!au )(?<!du )(?<!heures )(?<!heure )moins",
        unit_link="d['’]|de",
        ordinal_end=r"(?:er|re|ère|e|ème|nde?)\b",
        day_end="(?:er)?",
        prefixes=("in", "im", "ir", "il", "non-"),
        light=frozenset(("être", "avoir", "aller", "pouvoir", "faire", "falloir")),
        denies_back=True,
        than=" que ",
    ),
)
