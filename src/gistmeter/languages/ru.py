"""Russian. ё is kept by `normalise`, and folded to е where asked and for content words."""

from __future__ import annotations

from gistmeter.languages.analysers.lemmas import Lemmas
from gistmeter.languages.language import Language
from gistmeter.languages.normalisation import fold_yo, join_spaced
from gistmeter.languages.polarity.spaced import SpacedReader
from gistmeter.languages.sentences import Splitter

LANGUAGE = Language(
    "ru",
    Lemmas("ru"),
    lists="ru",
    splitter=Splitter("ru", closing="“‘"),
    steps=(join_spaced,),
    folds=(fold_yo,),
    reader=SpacedReader("ru"),
)
