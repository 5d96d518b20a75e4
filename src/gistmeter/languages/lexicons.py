"""Word lists: plain text in a pack's folder, one word per line, source and licence on line 1.

- `stopwords` carry no content;
- `negations` reverse what they govern, no further than `borders`; `concord` words do so only where
  nothing else does in the clause; `shifters` do the same to their object (avoid, overcome, lack);
- `affirmations` are phrases that look like negations or polar words and are none (not only);
- `positive` and `negative` are words of praise and blame; after `contrasts` (but) they decide;
- `abbreviations` and `numbers` have a second column: a class, and a value;
- `preambles` and `closings` stand around a chat model's answer: * is some words, {a|b} either.

For the guard:

- `counts` (ordinals, shares, dozens), `units`, `times`, `clocks` (how the clock is told),
  `quantities` and `comparisons` are phrases, each with a value; a * stands for the rest of a word;
- `counters` follow a number; `numberless` are words with a numeral that count nothing;
- `aliases` are names for the same, `titles` capitalised words that are no names, `names` and
  `surnames` what is one.

For transcripts:

- `hesitations` (um) and `fillers` (you know) fill speech and say nothing;
- `spellings` are short forms and spellings of the same words, one set per line;
- `opposites` must not stand in place of each other.

For tables: `columns` has roles, and what a column of each is called (`reference: 参考 = 标准答案`).

Lists are named by the package in whose folder they are (`gistmeter.languages.en`), which may be
of another distribution. A list that a language does not have is empty.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

GENERIC = "gistmeter.languages.generic"  # for languages without lists of their own
LISTS = (
    "stopwords", "negations", "concord", "borders", "shifters", "affirmations", "positive",
    "negative", "qualities", "contrasts", "overrides", "abbreviations", "numbers",
)  # fmt: skip
FACT_LISTS = (
    "numbers", "counts", "units", "times", "clocks", "quantities", "comparisons", "aliases",
    "titles", "names", "counters", "numberless", "surnames", "fillers", "opposites",
    "spellings", "hesitations",
)  # fmt: skip
WITHOUT_VALUES = ("counters", "numberless", "fillers", "hesitations")
NEVER = re.compile("(?!)")

_OWN: dict[str, Mapping[str, str]] = {}  # lists of users by the name of their package


def register(package: str, own: Mapping[str, Sequence[str]]) -> str:
    """The name of lists that are those of a package except for the given ones. The name has a hash
    of their words, so that the same lists have the same name."""
    texts = {name: "\n".join(["# given by the user", *words]) for name, words in own.items()}
    content = "\0".join(f"{name}\0{text}" for name, text in sorted(texts.items()))
    named = f"{package}+{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    _OWN[named] = texts
    return named


@cache
def lines(package: str, name: str) -> tuple[str, ...]:
    """The lines of one list in order; those that begin with # are remarks."""
    stripped = map(str.strip, _read(package, name).splitlines())
    return tuple(line for line in stripped if line and not line.startswith("#"))


@cache
def words(package: str, name: str) -> frozenset[str]:
    """The words of one list."""
    return frozenset(lines(package, name))


@cache
def pairs(package: str, name: str) -> Mapping[str, str]:
    """The words of a list with two columns, and what stands beside each."""
    return MappingProxyType(dict(line.rsplit(maxsplit=1) for line in lines(package, name)))


@cache
def columns(package: str) -> Mapping[str, tuple[str, ...]]:
    """Roles of columns, and what the columns of each are called; the package is not imported."""
    try:
        spec = importlib.util.find_spec(package)
    except ModuleNotFoundError:
        spec = None
    files = (
        Path(folder, "columns.txt") for folder in (spec and spec.submodule_search_locations) or ()
    )
    text = "".join(file.read_text(encoding="utf-8") for file in files if file.is_file())
    split = (line.partition(":") for line in text.splitlines() if not line.startswith("#"))
    return {role: tuple(map(str.strip, names.split("="))) for role, _, names in split}


@cache
def fingerprint(package: str, names: tuple[str, ...] = LISTS) -> str:
    """Eight hexadecimal digits that change when any of these lists of the package does."""
    everything = "\0".join(_read(package, name) for name in names)
    return hashlib.sha256(everything.encode()).hexdigest()[:8]


@cache
def _read(package: str, name: str) -> str:
    original, mark, _ = package.rpartition("+")
    if mark:
        return _OWN[package][name] if name in _OWN[package] else _read(original, name)
    try:
        file = resources.files(package) / f"{name}.txt"
    except ModuleNotFoundError:
        return ""
    return file.read_text(encoding="utf-8") if file.is_file() else ""


class Phrase(NamedTuple):
    """A phrase of a list: where it stands in a text, and its value."""

    start: int
    end: int
    value: str


@dataclass(frozen=True, slots=True)
class Phrases:
    """A list that is ready to be looked for; the longest phrase wins."""

    pattern: re.Pattern[str]
    exact: Mapping[str, str]
    open: tuple[tuple[re.Pattern[str], str], ...]  # phrases with a *, and their values

    def find(self, text: str) -> Iterator[Phrase]:
        """All phrases from left to right, none within another."""
        for match in self.pattern.finditer(text):
            yield Phrase(*match.span(), self.value(match[0]))

    def at(self, text: str, place: int) -> Phrase | None:
        """The phrase that begins at a place."""
        match = self.pattern.match(text, place)
        return Phrase(*match.span(), self.value(match[0])) if match else None

    def value(self, phrase: str) -> str:
        spelled = " ".join(phrase.split())
        if spelled in self.exact:
            return self.exact[spelled]
        return next((value for pattern, value in self.open if pattern.fullmatch(spelled)), "")


@cache
def phrases(package: str, name: str, spaced: bool) -> Phrases:
    """The phrases of one list; where words are spaced they are whole words."""
    bare = name in WITHOUT_VALUES
    values = dict.fromkeys(lines(package, name), "") if bare else pairs(package, name)
    if not values:
        return Phrases(NEVER, {}, ())
    ordered = sorted(values, key=len, reverse=True)
    patterns = {
        phrase: re.escape(phrase).replace("\\*", "\\w*").replace("\\ ", "\\s+")
        for phrase in ordered
    }
    pattern = "|".join(patterns.values())
    return Phrases(
        re.compile(f"(?:(?<!\\w)|(?<=\\d))(?:{pattern})(?!\\w)" if spaced else pattern),
        {phrase: value for phrase, value in values.items() if "*" not in phrase},
        tuple((re.compile(patterns[one]), values[one]) for one in ordered if "*" in one),
    )


class Spellings(NamedTuple):
    """All spellings of a list, to be looked for, and what stands for each."""

    pattern: re.Pattern[str]
    canonical: Mapping[str, str]

    def unify(self, text: str) -> str:
        """A text in small letters with one spelling for all."""
        return self.pattern.sub(lambda match: self.canonical[" ".join(match[0].split())], text)


@cache
def spellings(package: str, spaced: bool) -> Spellings:
    """Short forms and other spellings of the same words."""
    canonical: dict[str, str] = {}
    for line in lines(package, "spellings"):
        first, *others = (form.strip() for form in line.split("="))
        canonical |= dict.fromkeys(others, first)
        if any(form in first for form in others):  # "y a" is not to be found within "il y a"
            canonical[first] = first
    if not canonical:
        return Spellings(NEVER, {})
    ordered = sorted(canonical, key=len, reverse=True)
    listed = "|".join(re.escape(form).replace("\\ ", "\\s+") for form in ordered)
    bounded = rf"(?<![\w'])(?:{listed})(?![\w'])" if spaced else listed
    return Spellings(re.compile(bounded), canonical)


class Mask:
    """Characters of a text that are taken: what is part of a date is not a number beside it."""

    def __init__(self, length: int, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._taken = bytearray(length)
        for start, end in spans:
            self.take(start, end)

    def take(self, start: int, end: int) -> None:
        self._taken[start:end] = b"\1" * (end - start)

    def covers(self, start: int, end: int | None = None) -> bool:
        """Whether any character of a span is taken; without an end, the one at its start."""
        return any(self._taken[start : start + 1 if end is None else end])
