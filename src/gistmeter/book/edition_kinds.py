"""What an edition is: an abridgement, or a summary; and in which language.

An abridgement keeps the original's words, a summary tells it in others and is short. So an edition
is taken for a summary where it has less than `SHORT` of the original's length and shares less than
`SHARED` of its triples of words with it. In another language no words are shared, and the length
alone decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gistmeter.core.types import Book
from gistmeter.languages.codes import name_of
from gistmeter.languages.detection import detect

ABRIDGEMENT, SUMMARY = "abridgement", "summary"
SHORT, SHORT_ELSEWHERE = 0.2, 0.1  # shares of the original's tokens, in its language and another
SHARED = 0.25
TOKENS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+|[^\w\s]")
FEWEST = 300  # tokens of an original that can be summarised
SURE = 0.9  # that an edition is in another language
LETTERS = 80  # of an edition whose language is looked at
BEGINNING = 5000  # characters by which its language is found


@dataclass(frozen=True, slots=True)
class EditionKind:
    kind: str
    language: str  # of the edition; empty: the original's
    remark: str = ""  # what the user should know


def kind_of(book: Book, asked: str) -> EditionKind:
    """The kind of an edition; `asked` is abridgement, summary or auto."""
    language = other_language(book)
    told = []
    if language:
        told.append(
            f"the edition is in {name_of(language)}, the original in {name_of(book.language)}: it"
            " is placed by the multilingual embedder, and what needs words of one language stays"
            " unscored"
        )
    kind = ABRIDGEMENT if asked == "auto" else asked
    if asked == "auto":
        here, there = (TOKENS.findall(text.lower()) for text in (book.source, book.summary))
        length = len(there) / max(1, len(here))
        shared = 0.0 if language else _shared(here, there)
        limit = SHORT_ELSEWHERE if language else SHORT
        if len(here) >= FEWEST and there and length < limit and shared < SHARED:
            kind = SUMMARY
            told.append(
                f"read as a summary, claim by claim: it has {length:.0%} of the original's length"
                + ("" if language else f" and shares {shared:.0%} of its triples of words with it")
                + ". --kind abridgement aligns it instead"
            )
    lead = f"'{book.id}', {book.system}: "
    return EditionKind(kind, language, lead + "; ".join(told) if told else "")


def other_language(book: Book) -> str:
    """The language of an edition that is not the original's; empty where it is, or is unknown."""
    text = book.summary[:BEGINNING]
    if sum(character.isalpha() for character in text) < LETTERS:
        return ""
    found = detect([text])
    code = found.code
    same = _base(code) in (_base(book.language), "generic", "")
    return "" if same or found.confidence < SURE or not book.language else code


def _base(code: str) -> str:
    return code.partition("-")[0]


def _triples(words: list[str]) -> Iterable[tuple[str, ...]]:
    return zip(words, words[1:], words[2:], strict=False)


def _shared(source: list[str], summary: list[str]) -> float:
    """The share of the edition's triples of words that the original has."""
    known, own = set(_triples(source)), list(_triples(summary))
    return sum(one in known for one in own) / max(1, len(own))
