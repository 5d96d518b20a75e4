"""Names in Chinese: what jieba's dictionary tags as one, and a surname before a title or 小, 老.

A word that the dictionary does not have is a name where it begins with a surname.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Token
from gistmeter.languages.zh.words import segmenter

LISTS = __name__.rpartition(".")[0]
TAGS = ("ns", "nt", "nr")
COMMON = frozenset(("城市", "王朝", "明白", "高峰", "普通", "白银", "公安", "东西", "高兴", "和平"))
# The characters that foreign names are written in
FOREIGN = frozenset(
    "阿埃艾安奥巴贝比博布查达德迪多厄尔法菲费弗格哈赫霍基吉加杰卡凯科克库拉莱兰劳勒雷里利林卢鲁罗洛马玛曼梅门米莫姆纳内尼诺努"
    "帕佩皮普奇切乔琼萨塞沙什史斯苏索塔泰特提图托瓦韦维文沃乌西希夏谢辛休雅亚耶伊因英约泽扎兹福坦顿森伦丹"
)
TITLE = "先生|女士|小姐|老师|教授|经理|总统|医生|大夫|主任|博士|校长|部长|主席|同学|太太|师傅"


TITLED = re.compile(f"(?<=..)(?:{TITLE})$")


@cache
def dictionary_names() -> frozenset[str]:
    """The words of jieba's dictionary that are tagged as names, of two characters or more."""
    surnames = lexicons.words(LISTS, "surnames")
    with segmenter().get_dict_file() as file:
        rows = (line.decode("utf-8").split() for line in file)
        tagged = {
            row[0]
            for row in rows
            if len(row) == 3
            and row[2].startswith(TAGS)
            and len(row[0]) > 1
            and (row[2] != "nr" or row[0][0] in surnames or FOREIGN.issuperset(row[0]))
        }
    return lexicons.words(LISTS, "names") | tagged - COMMON


@cache
def titled() -> re.Pattern[str]:
    surnames = "".join(sorted(lexicons.words(LISTS, "surnames")))
    return re.compile(f"([{surnames}])(?:{TITLE})|[小老阿]([{surnames}])(?![\u4e00-\u9fff]?们)")


def find_names(plain: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where names stand in a text of simplified characters."""
    known, surnames = dictionary_names(), lexicons.words(LISTS, "surnames")
    frequent = segmenter().FREQ
    found: set[int] = set()
    for token in tokens:
        word = plain[token.start : token.end]
        if word not in known and (title := TITLED.search(word)):
            word = word[: title.start()]  # 布什总统
        new = len(word) in (2, 3) and word not in frequent and word[:1] in surnames
        nick = len(word) == 2 and word[0] in "小阿" and word not in frequent
        foreign = len(word) >= 2 and word not in frequent and FOREIGN.issuperset(word)
        if word in known or new or nick or foreign:
            found.update(range(token.start, token.start + len(word)))
            yield token.start, token.start + len(word)
    for match in titled().finditer(plain):
        at = match.start(1) if match[1] else match.start(2)
        if at not in found:
            yield at, at + 1
