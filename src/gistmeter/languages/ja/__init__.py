"""Japanese."""

from __future__ import annotations

from gistmeter.languages import numerals
from gistmeter.languages.facts import FactRules
from gistmeter.languages.han import HanHint
from gistmeter.languages.ja.polarity import JapaneseReader
from gistmeter.languages.ja.words import Mecab, find_names
from gistmeter.languages.language import Language
from gistmeter.languages.normalisation import join_grouped
from gistmeter.languages.numerals import HAN_NUMBER, han_to_digits
from gistmeter.languages.sentences import Splitter

HEADING = (
    f"第{HAN_NUMBER}[章節回巻部編篇話幕](?:\\s*.{{0,40}})?"
    "|(?:プロローグ|エピローグ|序章|終章|序文|はじめに|おわりに|まえがき|あとがき|前書き|後書き)(?:\\s.{0,40})?"
    "|[一二三四五六七八九十]{1,3}"
)
# 「行くぞ！」と言った。
REPORTS = r"(?:と|って|とか|など|なんて|[のをがはにでも、])"

# A negation passes over them to what it denies: 入ってはいけない
LIGHT = frozenset(
    ("行く", "行ける", "居る", "有る", "為る", "成る", "訳", "事", "物", "筈", "出来る", "者")
)

LANGUAGE = Language(
    "ja",
    Mecab(),
    name="Japanese",
    aliases=("jp", "jpn", "日本語"),
    spaced=False,
    lists=__name__,
    splitter=Splitter(__name__, HEADING, wide=True, reports=REPORTS),
    steps=(join_grouped, han_to_digits),
    reader=JapaneseReader(),
    facts=FactRules(
        digits=numerals.DIGITS,
        tens=numerals.UNITS,
        large=numerals.LARGE,
        over="分の",
        prefixes=("不", "無", "非", "未"),
        cancels=("しか",),
        light=LIGHT,
        than="より",
        than_follows=True,
        names=find_names,
    ),
    hint=HanHint("japanese"),
    thresholds={"e5-small": (0.90, 0.87)},
)
