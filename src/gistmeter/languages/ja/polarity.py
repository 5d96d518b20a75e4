"""Marks in Japanese: MeCab's morphemes, where negation is an auxiliary at the end of the predicate.

Negations are ない (auxiliary and adjective), ず/ぬ/ん and まい; the prefixes 不, 無, 非 and 未
belong to the word after them. A clause ends at punctuation, at a conjunctive particle (が, けれど,
から …), at a て or で that no auxiliary verb or particle は/も follows, and after a negation that
leads over to something new: a noun (美しくない花) unless it is a formal one (わけ, こと), or a verb
(恐れず進む).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Token
from gistmeter.languages.ja.words import Mecab
from gistmeter.languages.polarity import Kind, Mark
from gistmeter.languages.polarity.matching import Mask
from gistmeter.languages.polarity.morphemes import MorphemeReader

LISTS = __name__.rpartition(".")[0]
CONJUNCTIVE = frozenset(
    ("が", "けれど", "から", "ので", "のに", "し", "ながら", "つつ", "けれども", "けど")
)
AUXILIARY = frozenset((
    "居る", "有る", "来る", "行く", "仕舞う", "置く", "見る", "呉れる", "貰う", "下さる", "遣る",
    "頂く", "欲しい", "は", "も",
))  # fmt: skip
FORMAL = frozenset(["訳", "事", "物", "筈", "所", "方", "限り", "の", "様", "者"])
KATAKANA = re.compile(r"[ァ-ヺー]+")


@dataclass(frozen=True, slots=True)
class JapaneseReader(MorphemeReader):
    """Negation follows the predicate."""

    lists: str = LISTS
    analyser: Mecab = field(default_factory=Mecab)
    longest: ClassVar[int] = 6

    def spellings(self, token: Token) -> tuple[str, ...]:
        """A word as it may be listed; one in katakana is what it is, and often a name."""
        if KATAKANA.fullmatch(token.surface):
            return (token.surface,)
        return token.surface, token.base, token.form

    def single(
        self,
        tokens: list[Token],
        place: int,
        silent: Mask,
        denied: bool,  # noqa: ARG002
    ) -> Iterator[Mark]:
        token = tokens[place]
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if self.negates(token):
            if not silent.covers(token.start):
                yield Mark(Kind.NEGATION, token.start, token.end, place)
            if after is not None and self._leads_over(token, tokens[place + 1 : place + 3]):
                yield Mark(Kind.BORDER, token.end, token.end, place)
        elif token.form in lexicons.words(self.lists, "shifters"):
            yield Mark(Kind.SHIFTER, token.start, token.end, place)
        elif self._parts(token, after):
            yield Mark(Kind.BORDER, token.start, token.end, place)

    def negates(self, token: Token) -> bool:
        listed = token.form in lexicons.words(self.lists, "negations")
        return (
            listed
            and not KATAKANA.fullmatch(token.surface)
            and token.tag.startswith(("助動詞", "形容詞"))
        )

    def is_prefix(self, token: Token) -> bool:
        return token.surface in lexicons.words(self.lists, "negations") and token.tag.startswith(
            "接頭辞"
        )

    @staticmethod
    def _leads_over(token: Token, following: list[Token]) -> bool:
        first = following[0]
        if first.tag.startswith(("名詞", "代名詞")):
            return first.form not in FORMAL
        if token.form == "ず":
            to_topic = [one.surface for one in following] == ["に", "は"]
            return first.tag.startswith(("動詞", "形容詞", "形状詞")) or (
                first.surface == "に" and not to_topic
            )
        return first.surface == "で" and not first.tag.startswith("動詞")

    def _parts(self, token: Token, after: Token | None) -> bool:
        if token.tag.startswith("補助記号"):
            return True
        if token.tag == "助詞-接続助詞":
            if token.surface in ("て", "で"):
                return after is not None and after.form not in AUXILIARY
            return token.form in CONJUNCTIVE
        if token.surface == "で" and token.tag.startswith(("助動詞", "助詞-格助詞")):
            return after is not None and not (
                after.form in AUXILIARY or after.form in lexicons.words(self.lists, "negations")
            )
        return False
