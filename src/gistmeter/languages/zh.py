"""Chinese in simplified characters; traditional ones are compared as their simplified forms."""

from __future__ import annotations

from gistmeter.languages.analysers.chinese import Jieba, simplify
from gistmeter.languages.language import Language
from gistmeter.languages.normalisation import join_grouped
from gistmeter.languages.numerals import han_to_digits
from gistmeter.languages.polarity.chinese import ChineseReader
from gistmeter.languages.sentences import Splitter

# “你来吗？”她问。
SPLITTER = Splitter(
    "zh",
    wide=True,
    reports=r"[^。！？!?；;“”「」\s]{0,12}?(?:说|說|道|问|問|答|喊|叫|嚷|骂|罵|叹|嘆|吼|嘀咕|嘟囔|笑)"
    r"(?:道|着|著|了)?[，。：:！？、,.…]",
)

LANGUAGE = Language(
    "zh",
    Jieba(),
    spaced=False,
    lists="zh",
    splitter=SPLITTER,
    steps=(simplify, join_grouped, han_to_digits),
    reader=ChineseReader(),
)
