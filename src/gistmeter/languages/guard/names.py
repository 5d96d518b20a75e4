"""Names: capitalised runs, listed names, titles in quotation marks, and what an analyser knows.

A name that stands in both texts, whole or in part, inflected or under another name of the same
(US, United States), is no difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache

from gistmeter.languages import Language, lexicons
from gistmeter.languages.analysers import Morph
from gistmeter.languages.guard.fact import Fact
from gistmeter.languages.lexicons import Mask

QUOTED = re.compile("《([^》]{1,30})》|『([^』]{1,30})』|〈([^〉]{1,30})〉")
TITLED = re.compile('["“„«]([^\\W\\d_][^"“”„«».,!?;:]{0,30})["“”»]')
OPENING = re.compile(r"(?:^|[.!?…:;\n]|[\"“„«(])\s*$")
WORD = re.compile(r"(?<!\w)[^\W\d_]+(?:['’.-][^\W\d_]+)*(?![\d_])")
LATIN = re.compile("[a-z]")
ALIKE, VERY_ALIKE = 0.5, 0.8  # two spellings of one name: with the same first letter, and without
NEAR = 4  # characters before a word in which its sentence may begin
JOINER = re.compile(r"[ \u00a0]|-|\. ")
POSSESSIVE = re.compile("['’]s$")  # of English names, in texts of any language


def read_names(
    text: str, plain: str, tokens: Sequence[Morph], language: Language, taken: Mask
) -> Iterator[Fact]:
    """The names of a text, from left to right."""
    for match in QUOTED.finditer(text):
        start, end = match.span(match.lastindex or 0)
        yield Fact("name", plain[start:end], start, end)
        taken.take(*match.span())
    for match in TITLED.finditer(text):
        if match[1][0].isupper():
            start, end = match.span(1)
            yield Fact("name", plain[start:end], start, end)
            taken.take(start, end)
    namer = language.facts.names
    spans = capitalised(text, plain, language, taken) if namer is None else namer(plain, tokens)
    for start, end in sorted(set(spans)):
        if not taken.covers(start, end):
            yield Fact("name", plain[start:end], start, end)


def capitalised(
    text: str, plain: str, language: Language, taken: Mask
) -> Iterator[tuple[int, int]]:
    """Runs of capitalised words; at the start of a sentence only names that are listed."""
    titles, known, stop = (
        lexicons.words(language.lists, name) for name in ("titles", "names", "stopwords")
    )
    shouting, small = text.isupper(), text.islower()
    run: tuple[int, int] | None = None
    titled = False  # whether the word before is a title: Dr. Miller
    for match in WORD.finditer(text):
        word = POSSESSIVE.sub("", plain[match.start() : match.end()])
        capital = match[0][0].isupper() and not shouting
        named = (word in known and (capital or small)) or (
            capital
            and language.facts.capitals
            and word not in stop
            and (run is not None or titled or not begins(text, match.start()))
        )
        titled = word in titles
        named = named and not titled and not taken.covers(*match.span())
        if named and run is not None and JOINER.fullmatch(text[run[1] : match.start()]):
            run = (run[0], match.end())
            continue
        if run is not None:
            yield run
        run = match.span() if named else None
    if run is not None:
        yield run


def begins(text: str, place: int) -> bool:
    """Whether a sentence or a quotation begins here."""
    opening = OPENING.search(text[max(0, place - NEAR) : place])
    return opening is not None and (opening[0].strip() != "" or place <= NEAR)


@cache
def aliases(lists: str) -> dict[str, tuple[str, ...]]:
    """Names, each with all names for the same."""
    lines = (line.split("=") for line in lexicons.lines(lists, "aliases"))
    groups = [tuple(name.strip().lower() for name in names) for names in lines]
    return {name: names for names in groups for name in names}


def stands_in(name: str, other: str, words: frozenset[str], language: Language) -> bool:
    """Whether a text has this name, or a part of it, in some shape."""
    if name in other:
        return True
    if language.analysed:
        within = any(len(word) > 1 and word in name for word in words)
        return within or same_alias(name, other, language)
    parts = [POSSESSIVE.sub("", part) for part in re.split(r"[ \u00a0-]+|\. ", name)]
    if not words.isdisjoint(parts):
        return True
    for part in parts:
        for word in words:
            if language.facts.inflects and inflected(part, word):
                return True
            long = min(len(part), len(word)) > 4
            if long and (word.startswith(part) or part.startswith(word)):
                return True
    if same_alias(name, other, language):
        return True
    return len(parts) > 1 and "".join(part[:1] for part in parts) in words  # initials


def comparable(one: str, other: str) -> bool:
    """Whether two names can be of different things: of one script, and no spellings of one."""
    if bool(LATIN.search(one)) != bool(LATIN.search(other)):
        return False
    if min(len(one), len(other)) < 3:
        return True
    first, second = sorted((one, other))
    ratio = SequenceMatcher(None, first, second, autojunk=False).ratio()
    return ratio < (ALIKE if one[0] == other[0] else VERY_ALIKE)


def inflected(one: str, other: str) -> bool:
    """Whether two words differ in their ends alone, as names with endings do."""
    shorter = min(len(one), len(other))
    common = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    return common >= 3 and common >= shorter - 2 and max(len(one), len(other)) - common <= 4


def same_alias(name: str, other: str, language: Language) -> bool:
    """Whether a text has another name for the same."""
    known = aliases(language.lists)
    names = known.get(name) or known.get(POSSESSIVE.sub("", name), ())
    start, end = ("", "") if language.analysed else ("(?<!\\w)", "(?!\\w)")
    return any(re.search(f"{start}{re.escape(alias)}{end}", other) for alias in names)
