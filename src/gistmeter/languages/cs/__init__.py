"""Czech. Diacritics are kept: they tell words apart. The prefix ne- negates.

A verb with ne- negates its clause; before an adjective, adverb or noun ne- belongs to the word
alone (neschopný). Words that only begin with ne- (nebo, nemoc) are told apart by their lemmas.
"""

from __future__ import annotations

from gistmeter.languages.analysers import Lemmas, is_known, lemma
from gistmeter.languages.language import FactRules, Language
from gistmeter.languages.numbers import join_spaced
from gistmeter.languages.polarity.spaced import SpacedReader
from gistmeter.languages.sentences import Splitter

LIGHT = frozenset(("nebýt", "nemít", "nemoci", "být", "mít", "moci", "už", "ještě"))
INFINITIVES = ("t", "ci")  # how they end


def is_negated(word: str) -> bool:
    """Whether a word is the negation of a word: nepřišel is, nejlepší and nebo are not."""
    return (
        word.startswith("ne")
        and not lemma(word, "cs").startswith("ne")
        and is_known(word[2:], "cs")
    )


def denied(word: str) -> str:
    """nepřišel is nepřijít, where the dictionary has přijít."""
    return f"ne{lemma(word, 'cs')}" if is_negated(word) else ""


def is_verb(word: str) -> bool:
    """Whether a word with ne- is a verb."""
    return is_negated(word) and lemma(word, "cs").endswith(INFINITIVES)


ANALYSER = Lemmas("cs", denied)
LANGUAGE = Language(
    "cs",
    ANALYSER,
    name="Czech",
    aliases=("cz", "ces", "cze", "čeština"),
    lists=__name__,
    splitter=Splitter(__name__, closing="“‘«‹", ordinals=True),
    steps=(join_spaced,),
    reader=SpacedReader(__name__, ANALYSER, "ne", is_verb=is_verb),
    facts=FactRules(
        decimal_comma=True,
        number_links=("a",),
        decimal="cel[áéou]|celých|čárka",
        minus="minus|mínus",
        unit_link="a",
        prefixes=("ne",),
        light=LIGHT,
        than=" než ",
        inflects=True,
        free_order=True,
    ),
)
