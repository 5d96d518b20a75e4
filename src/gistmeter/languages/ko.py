"""Korean."""

from __future__ import annotations

from gistmeter.languages.analysers.korean import Kiwi
from gistmeter.languages.language import Language
from gistmeter.languages.normalisation import join_grouped
from gistmeter.languages.polarity.korean import KoreanReader
from gistmeter.languages.sentences import Splitter

LANGUAGE = Language(
    "ko",
    Kiwi(),
    lists="ko",
    # “가자.” 하고 그가 말했다. Dates are written 2024. 5. 3.
    splitter=Splitter(
        "ko", reports=r"\s*(?:하고|이라고|라고|라며|하며|하는|라는|고\s)", ordinals=True
    ),
    steps=(join_grouped,),
    reader=KoreanReader(),
)
