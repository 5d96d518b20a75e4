"""Chinese in simplified characters; traditional ones are compared as their simplified forms.

Polarity is read from jieba's words, joined or parted where the lists know more than its dictionary.
A polar word may be several of jieba's words (longest first, at most four). A word of four or
more characters that no list has is read as its halves (品德高尚: 高尚). A word that begins with
不, 没, 无 or 未 before a polar word is a negation with that word (不高兴); 不 and 没 before any
other single character are a negation alone (不动). 很, 太, 最 and the like before a polar word
leave its sign (很坏). A不A is a question, no negation. 地 ends the reach of a negation
(毫不犹豫地牺牲); so does 的 where a verb is negated (不放在心上的消极态度) or a polar word stands
between them (没有希望的事物).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Morph
from gistmeter.languages.hints import HanHint
from gistmeter.languages.language import Calendar, FactRules, Language
from gistmeter.languages.lexicons import Mask
from gistmeter.languages.numbers import han_numerals, han_to_digits, join_grouped
from gistmeter.languages.polarity import Kind, Mark, affirmed, polar_kinds
from gistmeter.languages.sentences import Splitter
from gistmeter.languages.zh.words import Jieba, find_names, simplify, simplify_alike

# “你来吗？”她问。
REPORTS = (
    r"[^。！？!?；;“”「」\s]{0,12}?(?:说|說|道|问|問|答|喊|叫|嚷|骂|罵|叹|嘆|吼|嘀咕|嘟囔|笑)"
    r"(?:道|着|著|了)?(?:[，。！？、,.…]|[：:](?!\s*[“‘「『\"]))"  # 我说：“ begins what comes next
)
PUNCTUATION = frozenset("，。；！？：…,;!?:\n（）()“”")
QUESTION = re.compile(r"(\w)[不没]\1")
LONGEST = 4
DEGREE = frozenset("很太最极更挺颇")  # 很坏 is one of jieba's words
# Negations of a noun and of being reach over 的: 没有真正的才能, 不是真正的朋友.
NOMINAL = frozenset(
    ("没有", "没", "无", "毫无", "绝无", "并无", "尚无", "不是", "并非", "绝非", "非")
)


def simplified(tokens: list[Morph], text: str) -> str:
    """The text as the lists spell it, of the same length."""
    pieces, place = [], 0
    for token in tokens:
        pieces += [text[place : token.start], token.form]
        place = token.end
    return "".join(pieces) + text[place:]


def whole(spans: list[tuple[int, int]], tokens: list[Morph]) -> Iterator[tuple[int, int]]:
    """The stretches that end where a word ends: 不同 is none in 不同意."""
    ends = {token.end for token in tokens}
    starts = {token.start: token.end for token in tokens}
    for start, end in spans:
        if end in ends or starts.get(start, start + 1) != start + 1:
            yield start, end


@dataclass(frozen=True, slots=True)
class ChineseReader:
    """Negation precedes; it reaches seven words."""

    follows: bool = False
    reach: int = 7
    lists: str = __name__
    analyser: Jieba = field(default_factory=lambda: Jieba(traditional=True))

    def read(self, text: str) -> list[Mark]:
        tokens = self.analyser.tokens(text)
        plain = simplified(tokens, text)
        silent = Mask(len(text), whole(affirmed(plain, self.lists, QUESTION), tokens))
        marks: list[Mark] = []
        place, verbal = 0, False  # whether an open negation ends at 的
        while place < len(tokens):
            taken, here = self._at(tokens, place, plain, silent)
            if tokens[place].form == "地" or (verbal and tokens[place].form == "的"):
                here = [Mark(Kind.BORDER, tokens[place].start, tokens[place].end, place)]
            for mark in here:
                if mark.kind is Kind.NEGATION:
                    verbal = tokens[place].form not in NOMINAL
                elif mark.kind is Kind.BORDER:
                    verbal = False
                elif mark.kind is not Kind.SHIFTER:  # 没有希望的事物 has denied what it denies
                    verbal = True
            marks += here
            place += taken
        return marks

    def _at(
        self, tokens: list[Morph], place: int, plain: str, silent: Mask
    ) -> tuple[int, list[Mark]]:
        """How many tokens are taken here, and what they mark."""
        kinds, start = polar_kinds(self.lists), tokens[place].start
        for count in range(min(LONGEST, len(tokens) - place), 0, -1):
            end = tokens[place + count - 1].end
            kind = kinds.get(plain[start:end])
            if kind is not None and not silent.covers(start):
                marks = [Mark(kind, start, end, place)]
                if plain[start:end] in lexicons.words(self.lists, "shifters"):
                    marks.append(Mark(Kind.SHIFTER, start, end, place))
                return count, marks
        return 1, list(self._single(tokens[place], place, silent))

    def _single(self, token: Morph, index: int, silent: Mask) -> Iterator[Mark]:
        word, start, end = token.form, token.start, token.end
        kinds = polar_kinds(self.lists)
        if word in PUNCTUATION or word in lexicons.words(self.lists, "borders"):
            yield Mark(Kind.BORDER, start, end, index)
        elif silent.covers(start):
            return
        elif word in lexicons.words(self.lists, "negations"):
            yield Mark(Kind.NEGATION, start, end, index)
        elif word in lexicons.words(self.lists, "shifters"):
            yield Mark(Kind.SHIFTER, start, end, index)
        elif word[0] in "不没无未" and word[1:] in kinds:
            yield Mark(Kind.NEGATION, start, start + 1, index)
            yield Mark(kinds[word[1:]], start + 1, end, index)
        elif word[0] in DEGREE and word[1:] in kinds:
            yield Mark(kinds[word[1:]], start + 1, end, index)
        elif word[0] in "不没" and len(word) == 2:
            yield Mark(Kind.NEGATION, start, start + 1, index)
        elif len(word) >= 4:
            yield from self._halves(token, index)

    def _halves(self, token: Morph, index: int) -> Iterator[Mark]:
        """A long word that no list has: a polar half, and what governs it (不怕困难, 克服困难)."""
        kinds, shifters = polar_kinds(self.lists), lexicons.words(self.lists, "shifters")
        marks = []
        for part, at in ((token.form[:2], token.start), (token.form[2:], token.start + 2)):
            if part in shifters:
                marks.append(Mark(Kind.SHIFTER, at, at + 2, index))
            if part in lexicons.words(self.lists, "negations"):
                marks.append(Mark(Kind.NEGATION, at, at + 2, index))
            elif part[0] in "不没无未" and part not in kinds and part[1:] in kinds:
                marks.append(Mark(Kind.NEGATION, at, at + 1, index))
                marks.append(Mark(kinds[part[1:]], at + 1, at + len(part), index))
            if part in kinds:
                marks.append(Mark(kinds[part], at, at + len(part), index))
        if any(mark.kind in (Kind.POSITIVE, Kind.NEGATIVE) for mark in marks):
            yield from marks


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
    splitter=Splitter(__name__, wide=True, reports=REPORTS),
    steps=(simplify, join_grouped, han_to_digits),
    reader=ChineseReader(),
    facts=FactRules(
        numerals=han_numerals(),
        over="分之",
        short_numbers=True,
        decimal="[点點]",
        minus="[负負]|零下",
        calendar=Calendar("年", "月", "[日号號]", month_end="份", counters="个個"),
        half_after="的",
        half_before="的",
        prefixes=("不", "没", "无", "未", "非"),
        verbs=frozenset(("拒绝", "拒不", "禁止", "严禁", "杜绝", "难以", "难于", "不易")),
        than="比",
        names=find_names,
        respell=simplify_alike,
    ),
    hint=HanHint("simplified"),
    thresholds={"e5-small": (0.92, 0.89)},
)
