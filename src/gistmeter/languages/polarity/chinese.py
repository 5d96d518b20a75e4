"""Marks in Chinese: jieba's words, joined or parted where the lists know more than its dictionary.

A polar word may be several of jieba's words (longest first, at most four). A word of four or more
characters that no list has is read as its halves (品德高尚: 高尚). A word that begins with 不, 没,
无 or 未 before a polar word is a negation with that word (不高兴); 不 and 没 before any other single
character are a negation alone (不动). A不A is a question, no negation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Token
from gistmeter.languages.analysers.chinese import Jieba
from gistmeter.languages.polarity import Kind, Mark
from gistmeter.languages.polarity.matching import Mask, mask, polar_kinds

PUNCTUATION = frozenset("，。；！？：…,;!?:\n（）()“”")
CONTRAST = frozenset(
    "但 但是 却 而 而是 然而 反而 不过 可是 只是 因为 所以 因此 虽 虽然 尽管 即使 就是".split()
)
QUESTION = re.compile(r"(\w)[不没]\1")
LONGEST = 4


@dataclass(frozen=True, slots=True)
class ChineseReader:
    """Negation precedes; it reaches seven words."""

    follows: bool = False
    reach: int = 7
    analyser: Jieba = field(default_factory=lambda: Jieba(traditional=True))

    def read(self, text: str) -> list[Mark]:
        tokens = self.analyser.tokens(text)
        silent = mask("".join(self.simplified(tokens, text)), "zh")
        questions = [found.span() for found in QUESTION.finditer(text)]
        silent = Mask((*silent.spans, *questions))
        marks: list[Mark] = []
        place = 0
        while place < len(tokens):
            taken, found = self._at(tokens, place, silent)
            marks += found
            place += taken
        return marks

    def simplified(self, tokens: list[Token], text: str) -> Iterator[str]:
        """The text as the lists spell it, of the same length."""
        place = 0
        for token in tokens:
            yield text[place : token.start]
            yield token.form
            place = token.end
        yield text[place:]

    def _at(self, tokens: list[Token], place: int, silent: Mask) -> tuple[int, list[Mark]]:
        """How many tokens are taken here, and what they mark."""
        kinds = polar_kinds("zh")
        for count in range(min(LONGEST, len(tokens) - place), 0, -1):
            some = tokens[place : place + count]
            kind = kinds.get("".join(token.form for token in some))
            if kind is not None and some[-1].end - some[0].start == sum(len(t.form) for t in some):
                marks = [Mark(kind, some[0].start, some[-1].end, place)]
                if count == 1 and some[0].form in lexicons.words("zh", "shifters"):
                    marks.append(Mark(Kind.SHIFTER, some[0].start, some[0].end, place))
                return count, marks
        return 1, list(self._single(tokens[place], place, silent))

    def _single(self, token: Token, index: int, silent: Mask) -> Iterator[Mark]:
        word, start, end = token.form, token.start, token.end
        kinds = polar_kinds("zh")
        if word in PUNCTUATION or word in CONTRAST:
            yield Mark(Kind.BORDER, start, end, index)
        elif silent.covers(start):
            return
        elif word in lexicons.words("zh", "negations"):
            yield Mark(Kind.NEGATION, start, end, index)
        elif word in lexicons.words("zh", "shifters"):
            yield Mark(Kind.SHIFTER, start, end, index)
        elif word[0] in "不没无未" and word[1:] in kinds:
            yield Mark(Kind.NEGATION, start, start + 1, index)
            yield Mark(kinds[word[1:]], start + 1, end, index)
        elif word[0] in "不没" and len(word) == 2:
            yield Mark(Kind.NEGATION, start, start + 1, index)
        elif len(word) >= 4:
            for part, at in ((word[:2], start), (word[2:], start + 2)):
                if part in kinds:
                    yield Mark(kinds[part], at, at + len(part), index)
