"""English."""

from __future__ import annotations

from gistmeter.languages.analysers.lemmas import Lemmas
from gistmeter.languages.language import Language
from gistmeter.languages.normalisation import join_grouped
from gistmeter.languages.polarity.spaced import SpacedReader
from gistmeter.languages.sentences import Splitter

LANGUAGE = Language(
    "en",
    Lemmas("en"),
    lists="en",
    splitter=Splitter("en"),
    steps=(join_grouped,),
    reader=SpacedReader("en"),
)
