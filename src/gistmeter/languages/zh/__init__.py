"""Chinese in simplified characters; traditional ones are compared as their simplified forms."""

from __future__ import annotations

from gistmeter.languages import numerals
from gistmeter.languages.facts import FactRules
from gistmeter.languages.han import HanHint
from gistmeter.languages.language import Language
from gistmeter.languages.normalisation import join_grouped
from gistmeter.languages.numerals import HAN_NUMBER, han_to_digits
from gistmeter.languages.sentences import Splitter
from gistmeter.languages.zh.names import find_names
from gistmeter.languages.zh.polarity import ChineseReader
from gistmeter.languages.zh.words import Jieba, simplify, simplify_alike

HEADING = (
    f"(?:正文\\s*)?第{HAN_NUMBER}[章节節回卷部篇集幕折]\\s*.{{0,40}}"
    f"|卷{HAN_NUMBER}(?:\\s.{{0,40}})?"
    "|(?:楔子|序章|序言|自序|代序|前言|引子|引言|尾声|尾聲|后记|後記|终章|終章|番外|附录|附錄)(?:[\\s:：].{0,40})?"
)
# “你来吗？”她问。
REPORTS = (
    r"[^。！？!?；;“”「」\s]{0,12}?(?:说|說|道|问|問|答|喊|叫|嚷|骂|罵|叹|嘆|吼|嘀咕|嘟囔|笑)"
    r"(?:道|着|著|了)?(?:[，。！？、,.…]|[：:](?!\s*[“‘「『\"]))"  # 我说：“ begins what comes next
)

LANGUAGE = Language(
    "zh",
    Jieba(),
    name="Chinese",
    aliases=(
        *("zh-Hans", "zh-CN", "zh-SG", "zho", "chi", "cmn", "cn", "chs", "Mandarin"),
        *("Simplified Chinese", "Chinese Simplified", "中文", "汉语", "简体中文"),
    ),
    spaced=False,
    lists=__name__,
    splitter=Splitter(__name__, HEADING, wide=True, reports=REPORTS),
    steps=(simplify, join_grouped, han_to_digits),
    reader=ChineseReader(),
    facts=FactRules(
        digits=numerals.DIGITS,
        tens=numerals.UNITS,
        large=numerals.LARGE,
        over="分之",
        prefixes=("不", "没", "无", "未", "非"),
        verbs=frozenset(("拒绝", "拒不", "禁止", "严禁", "杜绝", "难以", "难于", "不易")),
        than="比",
        names=find_names,
        respell=simplify_alike,
    ),
    hint=HanHint("simplified"),
    thresholds={"e5-small": (0.92, 0.89)},
)
