"""Czech. Diacritics are kept: they tell words apart."""

from __future__ import annotations

from gistmeter.languages.analysers.lemmas import Lemmas
from gistmeter.languages.language import Language
from gistmeter.languages.normalisation import join_spaced
from gistmeter.languages.polarity.spaced import SpacedReader
from gistmeter.languages.sentences import Splitter

LANGUAGE = Language(
    "cs",
    Lemmas("cs"),
    lists="cs",
    splitter=Splitter("cs", closing="“‘«‹", ordinals=True),
    steps=(join_spaced,),
    reader=SpacedReader("cs"),
)
