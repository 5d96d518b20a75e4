"""Sentences, split well enough for books.

A text is cut at its paragraphs first: at blank lines, at headings, and at single line breaks that
are not the mere wrapping of long lines. Within a paragraph a sentence ends at a terminator
(。！？ . ! ? …) with the quotes and brackets that close after it, unless what stands around says
otherwise:

- the full stop follows an abbreviation, an initial, an ordinal (Czech "5. května"), a list number;
- in scripts with case, a small letter follows ("Why?" he asked);
- in Chinese, Japanese and Korean, words that report speech follow (“好！”他说。「行く！」と言った);
- an ellipsis in Chinese and Japanese ends a sentence only after eight characters or more, since
  it also marks a halting voice (我……我不知道).

`abbreviations.txt` in a pack's folder has an abbreviation (without its last stop) and a class per
line: after a `title` something always follows (Mr., prof., им.): never an end; `number` is no end
before a number (No. 5, str. 12, гл. IV); `end` (etc., atd., и т.д.) is one where a capital follows.
Initials and abbreviations with stops inside that no list has (J. R. R. Tolkien, U.S.) are an end
only where a function word with a capital follows: "in the U.S. He" but "the U.S. Army".

Pieces without any letter or digit belong to the sentence before them, so that no sentence is only a
closing quote. Nothing but white space is lost, and the time is linear in the text's length: every
look to the left or the right is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from gistmeter.languages import lexicons
from gistmeter.languages.paragraphs import Heading, heading_pattern, paragraphs

CLOSERS = "\"'”’»›」』）)】〕］]》〉｣"
EITHER = frozenset("“‘«‹")  # opening in some languages, closing in others
BRACKETS = frozenset("）)】〕］]》〉")
WIDE = frozenset("。｡！？")
ELLIPSES = frozenset("….‥")
HALTING = 8  # an ellipsis after fewer characters is a pause, not an end
TERMINATOR = re.compile(r"\.(?:\s\.){2,3}|[。．｡！？!?‼⁇⁈⁉…‥.؟۔।॥።។៕။]+")
OPENING = re.compile(r"[\s\"'“”„‟‘‚«»‹›「『（(\[【《〈¿¡—–―\-*_]*")
LETTER_OR_DIGIT = re.compile(r"[^\W_]")
PAUSES = frozenset("，、,；;：:）)")
RIGHT = 40  # how far a decision may look
SIMPLE = re.compile("(?<=[。！？!?])")
OPENING_QUOTES = frozenset("“‘「『\"'《（(")
LAST_WORD = re.compile(r"[^\s\"“„‘‚«‹»(\[—–]+$")
DOTTED = re.compile(r"(?:[^\W\d_]\.-?)*[^\W\d_]$")
ROMAN = re.compile(r"[IVXLC]+$")
NUMBER_FOLLOWS = re.compile(r"\d|(?:[IVXLC]{2,}|[VX])\b")
NEXT_WORD = re.compile(r"([^\W\d_]{2,}(?!\.)|[^\W\d_](?=[\s'’]))")
DIGITS = re.compile(r"\d+$")
DATE = re.compile(r"\d\.\s?\d{1,2}$")


class Span(NamedTuple):
    """A sentence's place in the text."""

    start: int
    end: int
    heading: bool = False


def simple_sentences(text: str) -> list[str]:
    """The simple rule, AlignEval's: a sentence ends after each of 。！？!? and nowhere else; white
    space is collapsed first. No exceptions are made.

    >>> simple_sentences("走吧！？”他说。3.5 yuan")
    ['走吧！', '？', '”他说。', '3.5 yuan']
    """
    pieces = (piece.strip() for piece in SIMPLE.split(" ".join(text.split())))
    return [piece for piece in pieces if piece]


@dataclass(frozen=True, slots=True)
class Splitter:
    """The sentence rules of one language."""

    lists: str = lexicons.GENERIC  # the package with its abbreviations and function words
    heading: str = ""  # the pattern of chapter headings, instead of the list
    wide: bool = False  # written without spaces: a terminator needs none after it
    closing: str = ""  # quotes that close in this language although they open in others
    reports: str = ""  # what may follow a quotation without beginning a sentence, as a pattern
    ordinals: bool = False  # a number with a full stop is an ordinal
    words: str = ""  # capital letters that are words, no initials: English I

    def sentences(self, text: str) -> list[str]:
        """The sentences, white space collapsed."""
        return [self._clean(text[span.start : span.end]) for span in self.spans(text)]

    def headings(self, text: str) -> list[Heading]:
        """The headings among the sentences."""
        return [
            Heading(self._clean(text[span.start : span.end]), index)
            for index, span in enumerate(self.spans(text))
            if span.heading
        ]

    def spans(self, text: str) -> list[Span]:
        """Where the sentences are; together they hold every character that is not white space."""
        spans: list[Span] = []
        waiting: int | None = None  # where punctuation began that has no sentence before it
        for piece in self._pieces(text):
            if LETTER_OR_DIGIT.search(text, piece.start, piece.end):
                start = piece.start if waiting is None else waiting
                spans.append(Span(start, piece.end, piece.heading))
                waiting = None
            elif spans:
                spans[-1] = spans[-1]._replace(end=piece.end)
            elif waiting is None and not text[piece.start : piece.end].isspace():
                waiting = piece.start
        if not spans and waiting is not None:
            spans.append(Span(waiting, len(text)))
        return spans

    def _pieces(self, text: str) -> Iterator[Span]:
        pattern = self.heading or heading_pattern(self.lists)
        for start, end, heading in paragraphs(text, pattern, self.wide):
            if heading:
                yield Span(start, end, heading=True)
            else:
                yield from self._cut(text, start, end)

    def _cut(self, text: str, start: int, end: int) -> Iterator[Span]:
        begin, counted, quotes = start, start, 0
        for mark in TERMINATOR.finditer(text, start, end):
            quotes += text.count('"', counted, mark.end())
            counted = mark.end()
            stop = self._close(text, mark.end(), end, open_quote=quotes % 2 == 1)
            if stop < end and self._ends(text, begin, mark, stop, end):
                yield Span(begin, stop)
                begin = stop
        if begin < end:
            yield Span(begin, end)

    def _close(self, text: str, at: int, end: int, open_quote: bool) -> int:
        """Past the quotes and brackets that close at this place."""
        while at < end:
            character = text[at]
            following = text[at + 1] if at + 1 < end else " "
            loose = not following.isalnum()
            if character == '"':
                closes = open_quote or following.isspace()
                open_quote = False
            elif character == "'":
                closes = loose
            elif character in EITHER:
                closes = character in self.closing or following.isspace()
            else:
                closes = character in CLOSERS
            if not closes and character.isspace() and following in "»›":
                closes = at + 2 >= end or not text[at + 2].isalnum()  # French « Quoi ? »
            if not closes:
                break
            at += 1
        return at

    def _ends(self, text: str, begin: int, mark: re.Match[str], stop: int, end: int) -> bool:
        """Whether the sentence that began at `begin` ends with this terminator."""
        if text[stop] in PAUSES:
            return False
        if stop == mark.end() and text[stop - 1] in WIDE:
            return True
        after = text[stop : min(stop + RIGHT, end)]
        closed = text[mark.end() : stop]
        bracketed = set(closed) <= BRACKETS and not after[0].isspace()
        if closed and (bracketed or (self.reports and re.match(self.reports, after))):
            return False
        following = after[OPENING.match(after).end() :]  # type: ignore[union-attr]
        if following[:1].islower() and not is_uncased(text[max(begin, mark.start() - 1)]):
            return False
        signs = set(mark[0])
        if signs & WIDE:
            return True
        if (len(mark[0]) > 1 and signs <= ELLIPSES | {" "}) or signs <= {"…", "‥"}:
            return self._ends_at_ellipsis(text, begin, mark, closed, after)
        if not after[0].isspace() and not self._before_wide(text, mark, after):
            return False
        if signs == {"."} and not closed:
            head = text[max(begin, mark.start() - RIGHT) : mark.start()]
            return self._ends_at_stop(head, following, mark.start() - begin <= RIGHT)
        return True

    def _ends_at_stop(self, head: str, following: str, first: bool) -> bool:
        """Whether a full stop ends a sentence.

        `head` is what stands before it, from the sentence's beginning if `first`; `following` what
        comes next, from its first letter or digit on, which is not a small letter.
        """
        last = LAST_WORD.search(head)
        word = last[0].rpartition("--")[2].lstrip("'’") if last else ""
        if not last or not word:
            return True
        before = head[: last.start()]
        alone = first and not before.strip()
        if DIGITS.match(word):
            return self._ends_after_number(head, following, alone)
        initial = len(word) == 1 and word.isupper()
        kind = None if initial else _abbreviations(self.lists).get(word.lower())
        if kind == "number" or (kind is None and word in ("№", "§")):
            return NUMBER_FOLLOWS.match(following) is None
        if kind is not None:
            return kind == "end"
        if ROMAN.match(word) and (alone or (self.ordinals and len(word) + (word in "VX") > 1)):
            return False
        if DOTTED.match(word) and word[-1].lower() != word[-1].upper():
            return self._ends_after_initial(word, before, following)
        return True

    def _ends_after_number(self, head: str, following: str, alone: bool) -> bool:
        if alone:  # 1. Introduction
            return False
        if not self.ordinals:
            return True
        dated = DATE.search(head) is not None  # 5. 6. 1990; 2024. 5. 3. 열렸다
        return not following[:1].isdigit() and (not dated or following[:1].isupper())

    def _ends_after_initial(self, word: str, before: str, following: str) -> bool:
        if word in self.words and before.strip():
            return True
        if word.islower() and before.rstrip()[-1:].isdigit():  # 1990 г. Он
            return True
        starter = NEXT_WORD.match(following)
        return starter is not None and starter[1].lower() in lexicons.words(self.lists, "stopwords")

    def _ends_at_ellipsis(
        self, text: str, begin: int, mark: re.Match[str], closed: str, after: str
    ) -> bool:
        if not self.wide:
            return after[0].isspace()
        if closed:  # the end of a quotation is the end of a sentence that is a quotation
            return text[begin : begin + RIGHT].lstrip()[:1] in OPENING_QUOTES
        return mark.start() - begin >= HALTING

    def _before_wide(self, text: str, mark: re.Match[str], after: str) -> bool:
        """A terminator that needs no space: ! or ? before, a full stop between wide characters."""
        if not self.wide or not (is_wide(after[0]) or after[0] in OPENING_QUOTES):
            return False
        return mark[0][-1] in "!?" or is_wide(text[max(0, mark.start() - 1)])

    def _clean(self, sentence: str) -> str:
        sentence = sentence.strip()
        if self.wide:
            return "".join(line.strip() for line in sentence.splitlines())
        return " ".join(sentence.split())


@cache
def _abbreviations(lists: str) -> Mapping[str, str]:
    """The abbreviations of a language, in lower case, with their classes."""
    return {word.lower(): kind for word, kind in lexicons.pairs(lists, "abbreviations").items()}


def is_uncased(character: str) -> bool:
    """A letter of a script without capitals: what follows it says nothing by being small."""
    return character.isalpha() and character.lower() == character.upper()


def is_wide(character: str) -> bool:
    """A character of Chinese or Japanese writing, punctuation included."""
    return "\u2e80" <= character <= "\u9fff" or "\uf900" <= character <= "\uffef"
