"""English. The ending n't is a negation of its own."""

from __future__ import annotations

from gistmeter.languages.analysers import Lemmas
from gistmeter.languages.language import FactRules, Language
from gistmeter.languages.numbers import join_grouped
from gistmeter.languages.polarity.spaced import SpacedReader
from gistmeter.languages.sentences import Splitter

BARE = frozenset(
    (
        "cannot", "cant", "dont", "wont", "isnt", "arent", "wasnt", "werent", "doesnt", "didnt",
        "hasnt", "havent", "hadnt", "couldnt", "wouldnt", "shouldnt", "mustnt", "neednt", "aint",
    )
)  # fmt: skip


def denied(word: str) -> str:
    """wasn't, cannot: what is denied is not its lemma. Recognisers drop the apostrophe."""
    return "not" if word in BARE or word.endswith(("n't", "n’t")) else ""


ANALYSER = Lemmas("en", denied)
LANGUAGE = Language(
    "en",
    ANALYSER,
    name="English",
    aliases=("eng",),
    lists=__name__,
    splitter=Splitter(__name__, words="I"),
    steps=(join_grouped,),
    conjunction="and",
    reader=SpacedReader(__name__, ANALYSER),
    facts=FactRules(
        number_links=("and", "a", "and a", "of a"),
        decimal="point|dot",
        minus="minus|negative",
        zero="oh?",
        unit_link="an?|of an?",
        day_end=r"(?:st|nd|rd|th|\.)?",
        day_link="of",
        prefixes=("un", "in", "im", "ir", "il", "dis", "non-", "non"),
        than=" than ",
    ),
)
