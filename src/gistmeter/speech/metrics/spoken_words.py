"""The words of a transcript as they are aligned with what was said, and which of them are the same.

Fillers (um, you know) are left out, numbers and dates stand by their value, letters that are
spelled one by one are the word that they spell, and what was said twice in a row counts once.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from gistmeter.languages import Language, lexicons
from gistmeter.languages.analysers import Morph
from gistmeter.languages.guard import Facts
from gistmeter.languages.guard.amounts import Amount
from gistmeter.languages.guard.differences import DATE_GROUPS
from gistmeter.languages.guard.fact import Fact
from gistmeter.languages.guard.names import inflected
from gistmeter.languages.lexicons import Mask
from gistmeter.languages.normal_forms import normal_form
from gistmeter.languages.numbers import composed

AMOUNTS = ("number", "ordinal")
NUMERAL_TAGS = ("NR", "SN", "名詞-数詞")
SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "CYRILLIC", "GREEK", "LATIN")
REMEMBERED = 1 << 16  # words whose sound and script are kept
MOST_DIGITS = 100  # of a number that is spelled; Python writes none of more than 4,300
REPEATED = 5  # words in a row that may be said twice
# Spellings of one sound: Sara, Sarah; colour, color; organise, organize; votaron, botaron
SOUNDS = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("ph", "f"), ("our", "or"), ("^kn|^gn", "n"), ("^wr", "r"), ("^who", "o"), ("^wh", "w"),
        ("^ps", "s"),
        ("sch|tsch|tch", "x"), ("igh", "i"), ("dg", "g"), ("tz|ts", "s"), ("ß", "s"),
        ("ck|qu|q|c(?![hei])", "k"), ("c(?!h)", "s"), ("z", "s"), ("y|j|ll", "i"),
        ("ae|oe|œ|æ", "e"),
        ("gh", "g"), ("h", ""), ("ogue", "og"), ("re$", "er"), ("[wv]", "b"), ("mb$", "m"),
        ("n(?=[pbm])", "m"), ("d$", "t"), (r"(.)\1+", r"\1"), ("e$", ""),
    )
)  # fmt: skip
CYRILLIC = str.maketrans("оеёэыйю", "аииииюу", "ьъ")
UMLAUTS = str.maketrans({"ä": "e", "ö": "e", "ü": "ue", "ß": "ss", "œ": "e", "æ": "e"})


class SpokenWord(NamedTuple):
    """A word or a number of a text, as it is aligned."""

    key: str  # under which words are the same
    token: Morph
    fact: Fact | None = None  # the number or the part of a date that it is

    @property
    def span(self) -> tuple[int, int]:
        return (self.token.start, self.token.end) if self.fact is None else self.fact.span


def spoken_words(facts: Facts, language: Language) -> list[SpokenWord]:
    """The words and numbers of a text but for fillers; words under the spelling for all."""
    fillers = language.phrases("fillers").find(facts.plain)
    silent = Mask(len(facts.plain), ((one.start, one.end) for one in fillers))
    pattern, canonical = lexicons.spellings(language.lists, not language.analysed)
    same = {match.start(): match for match in pattern.finditer(facts.plain)}
    stems = frozenset(canonical.values()) if not language.analysed else frozenset()
    values = facts.of(*AMOUNTS, *DATE_GROUPS)
    at_place = {place: fact for fact in reversed(values) for place in range(*fact.span)}
    made: list[SpokenWord] = []
    end = 0  # of the phrase that was taken last
    for token in facts.tokens:
        if token.start < end or not any(map(str.isalnum, token.surface)):
            continue
        here = [at_place[at] for at in range(token.start, token.end) if at in at_place]
        if here:  # 555-1234 is a token of two numbers, and a number may be of two tokens
            last = made[-1].fact if made else None
            made += [
                SpokenWord(f"{fact.group}={fact.value}", token, fact)
                for fact in dict.fromkeys(here)
                if fact is not last
            ]
        elif token.start in same:
            match, end = same[token.start], same[token.start].end()
            words = canonical[" ".join(match[0].split())].split()
            made += [SpokenWord(word, token._replace(form=word, end=end)) for word in words]
        elif not silent.covers(token.start, token.end):
            key = re.sub(r"\W", "", facts.plain[token.start : token.end])
            stem = token.form if token.form in stems else canonical.get(token.form, key)
            made.append(SpokenWord(stem, token))
    return list(_once(list(_letters_joined(_numerals_joined(made, language)))))


def _numerals_joined(words: Iterable[SpokenWord], language: Language) -> Iterator[SpokenWord]:
    """Numerals that count nothing as the number that they write: 공칠구, 백십."""
    known = language.facts.numerals if language.analysed else {}

    def is_numeral(word: SpokenWord) -> bool:
        tag = word.token.tag
        counts = not tag or tag.startswith(NUMERAL_TAGS)
        return counts and word.fact is None and bool(word.key) and all(map(known.get, word.key))

    for numeral, spelled in _runs(words, is_numeral):
        signs = "".join(word.key for word in spelled) if numeral else ""
        if not 2 <= len(signs) <= MOST_DIGITS:
            yield from spelled
            continue
        parts = [known[sign] for sign in signs]
        single = all(0 <= part.value < 10 for part in parts)
        digits = "".join(str(part.value) for part in parts)
        value = Fraction(digits) if single else composed(parts)
        first, last = spelled[0].token, spelled[-1].token
        fact = Fact("number", Amount(value, "", value), first.start, last.end)
        yield SpokenWord(f"number={fact.value}", first, fact)


def _runs(
    words: Iterable[SpokenWord], wanted: Callable[[SpokenWord], bool]
) -> Iterator[tuple[bool, list[SpokenWord]]]:
    """Words in runs of those that are wanted, which stand side by side, and of the rest."""
    run: list[SpokenWord] = []
    for word in words:
        if run and (wanted(word) != wanted(run[-1]) or word.token.start > run[-1].token.end + 1):
            yield wanted(run[-1]), run
            run = []
        run.append(word)
    if run:
        yield wanted(run[-1]), run


def _once(words: Sequence[SpokenWord]) -> Iterator[SpokenWord]:
    """Without what was said twice in a row: I think, I think we should."""
    at = 0
    while at < len(words):
        for length in range(min(REPEATED, (len(words) - at) // 2), 0, -1):
            first = [one.key for one in words[at : at + length]]
            if first == [one.key for one in words[at + length : at + 2 * length]] and all(
                one.fact is None for one in words[at : at + length]
            ):
                at += length
                break
        else:
            yield words[at]
            at += 1


def _letters_joined(words: Iterable[SpokenWord]) -> Iterator[SpokenWord]:
    """Letters that are said one by one as the word that they spell: u s b, usb."""
    for single, run in itertools.groupby(words, _is_letter):
        spelled = list(run)
        if not single or len(spelled) == 1:
            yield from spelled
            continue
        first, last = spelled[0].token, spelled[-1].token
        key = "".join(word.key for word in spelled)
        yield SpokenWord(key, first._replace(surface=key, form=key, end=last.end))


def _is_letter(word: SpokenWord) -> bool:
    return word.fact is None and len(word.key) == 1 and word.key.isascii() and word.key.isalpha()


def letters(words: Iterable[SpokenWord]) -> str:
    return "".join(one.key for one in words if one.fact is None)


def same_word(one: SpokenWord, other: SpokenWord, language: Language) -> bool:
    """Whether two words are inflections, spellings or short forms of one."""
    first, second = one.key, other.key
    if one.token.form == other.token.form or sound(first) == sound(second):
        return True
    if not language.spaced:
        return False
    shorter, longer = sorted((first, second), key=len)
    short = 2 <= len(shorter) <= 4 and longer.startswith(shorter) and len(longer) - len(shorter) > 2
    return short or (inflected(first, second) and len(shorter) > 3)


def comparable_scripts(one: str, other: str) -> bool:
    """Whether two words are in one script; 降る and ふる cannot be told apart or one."""
    return script(one) == script(other)


@lru_cache(maxsize=REMEMBERED)
def script(word: str) -> str:
    """The script of a word; one of several scripts is named by the rarest: Han, then kana."""
    names = {unicodedata.name(sign, "").split()[0] for sign in word if sign.isalpha()}
    return next((name for name in SCRIPTS if name in names), "")


def alikeness(one: str, other: str) -> float:
    """How alike two words sound, in [0, 1]; 1 is the same sound."""
    return float(Levenshtein.normalized_similarity(sound(one), sound(other)))


@lru_cache(maxsize=REMEMBERED)
def sound(word: str) -> str:
    """A word as it sounds, roughly: without marks, doubled letters and silent ones."""
    plain = normal_form("NFKD", word.translate(UMLAUTS).translate(CYRILLIC))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    for pattern, replacement in SOUNDS:
        plain = pattern.sub(replacement, plain)
    return plain
