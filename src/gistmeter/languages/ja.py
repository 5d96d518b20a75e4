"""Japanese."""

from __future__ import annotations

from gistmeter.languages.analysers.japanese import Mecab
from gistmeter.languages.language import Language
from gistmeter.languages.normalisation import join_grouped
from gistmeter.languages.numerals import han_to_digits
from gistmeter.languages.polarity.japanese import JapaneseReader
from gistmeter.languages.sentences import Splitter

LANGUAGE = Language(
    "ja",
    Mecab(),
    spaced=False,
    lists="ja",
    # 「行くぞ！」と言った。
    splitter=Splitter("ja", wide=True, reports=r"(?:と|って|とか|など|なんて|[のをがはにでも、])"),
    steps=(join_grouped, han_to_digits),
    reader=JapaneseReader(),
)
