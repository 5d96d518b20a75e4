"""Russian. ё is kept by `normalise`, and folded to е where asked and for content words.

не, нет and без negate; the prefix не- belongs to its word.
"""

from __future__ import annotations

from gistmeter.languages.analysers import Lemmas
from gistmeter.languages.language import FactRules, Language
from gistmeter.languages.numbers import join_spaced
from gistmeter.languages.polarity.spaced import SpacedReader
from gistmeter.languages.sentences import Splitter


def fold_yo(text: str) -> str:
    """ё to е, which Russian writing treats as optional."""
    return text.replace("ё", "е").replace("Ё", "Е")


LIGHT = frozenset(("быть", "мочь", "есть"))
ANALYSER = Lemmas("ru")
LANGUAGE = Language(
    "ru",
    ANALYSER,
    name="Russian",
    aliases=("rus", "русский"),
    lists=__name__,
    splitter=Splitter(__name__, closing="“‘"),
    steps=(join_spaced,),
    folds=(fold_yo,),
    reader=SpacedReader(__name__, ANALYSER, "не"),
    facts=FactRules(
        decimal_comma=True,
        number_links=("с",),
        decimal="цел(?:ая|ые|ых|ой)(?: и)?|запятая",
        minus="минус",
        day_end=r"(?:-?го|-?е|\.)?",
        prefixes=("не",),
        than="чем ",
        inflects=True,
        free_order=True,
        respell=fold_yo,
        light=LIGHT,
    ),
    thresholds={"e5-small": (0.90, 0.87)},
)
