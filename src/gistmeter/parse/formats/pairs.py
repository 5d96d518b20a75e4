"""A gold treebank and what systems made of it, as a sequence of items that stays in columns.

Gold and system fit when they have the same sentences with the same words, compared as NFC. Items
are numbered system by system; a slice is again columns, and a single `types.Parse` is built only
when it is asked for. Where the words differ, `alignment` says which system word stands for which
gold word, and an item may then span several sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np

from gistmeter.core.errors import FormatError
from gistmeter.core.types import Parse, Sentence
from gistmeter.parse.formats.treebank import (
    KNOWN,
    Bools,
    Codes,
    EmptyNodes,
    Ints,
    Layout,
    Multiwords,
    Treebank,
    Vocabulary,
    compose,
)

Derived = TypeVar("Derived")


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """One system's treebank against the gold's."""

    name: str
    system: Treebank
    units: Ints  # where items begin among the system's sentences; one more at the end
    words: Ints | None = None  # for each gold word the system's, -1 for none; None: the same place
    aligned: bool = False  # whether sentences and words may differ from the gold's
    unfit: Mapping[int, str] = field(default_factory=dict)  # item -> why it cannot be scored


@dataclass(frozen=True, slots=True)
class Segment:
    """Neighbouring items of one system."""

    match: Match
    first: int  # item, counted within the system
    last: int  # exclusive
    row: int  # of the first item within the sequence

    @property
    def size(self) -> int:
        return self.last - self.first


@dataclass(frozen=True, slots=True, eq=False)
class ParsePairs(Sequence[Parse]):
    """Items: every unit of the gold (mostly a sentence) with each system's version of it."""

    gold: Treebank
    matches: Sequence[Match]
    units: Ints  # where items begin among the gold's sentences; one more at the end
    item_systems: Sequence[str] | None = None  # of single items, where there is one match
    start: int = 0
    stop: int = -1
    training: Mapping[str, Bools] = field(default_factory=dict)  # column -> strings that it has
    derived: dict[str, Any] = field(default_factory=dict)  # what was computed once, for all slices

    def __post_init__(self) -> None:
        if self.stop < 0:
            object.__setattr__(self, "stop", self.size * len(self.matches))

    @property
    def size(self) -> int:
        """Items per system."""
        return len(self.units) - 1

    def derive(self, key: str, compute: Callable[[], Derived]) -> Derived:
        """Something that depends on the treebanks alone, computed once for all slices."""
        if key not in self.derived:
            self.derived[key] = compute()
        found: Derived = self.derived[key]
        return found

    def spelling(self, column: str, spell: Callable[[str], str] = compose) -> Codes:
        """For each string of a column a number shared by all that are spelled the same."""
        vocabulary = self.gold.vocabularies[column]
        key = f"{column} {spell.__name__} {len(vocabulary)}"
        return self.derive(key, lambda: vocabulary.classes(spell))

    def __len__(self) -> int:
        return max(0, self.stop - self.start)

    @overload
    def __getitem__(self, place: int) -> Parse: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Parse]: ...
    def __getitem__(self, place: int | slice) -> Parse | Sequence[Parse]:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if step == 1:
                stop = max(start, stop)
                return replace(self, start=self.start + start, stop=self.start + stop)
            return [self[at] for at in range(start, stop, step)]
        at = place + len(self) if place < 0 else place
        if not 0 <= at < len(self):
            raise IndexError(place)
        return self._item(self.start + at)

    def __iter__(self) -> Iterator[Parse]:
        return (self[at] for at in range(len(self)))

    def _item(self, at: int) -> Parse:
        number, unit = divmod(at, self.size)
        match = self.matches[number]
        gold = self.gold.sentence(int(self.units[unit]), int(self.units[unit + 1]))
        parsed = match.system.sentence(int(match.units[unit]), int(match.units[unit + 1]))
        system = self.item_systems[unit] if self.item_systems else match.name
        return Parse(self.name(unit), gold, parsed, system)

    def name(self, unit: int) -> str:
        first, last = int(self.units[unit]), int(self.units[unit + 1])
        ids = self.gold.ids[first:last]
        return ids[0] if len(ids) == 1 else "+".join(ids[:3]) + ("+…" if len(ids) > 3 else "")

    def segments(self) -> list[Segment]:
        """The items by system, in order."""
        found = []
        for number, match in enumerate(self.matches):
            begin = number * self.size
            first, last = max(self.start - begin, 0), min(self.stop - begin, self.size)
            if first < last:
                found.append(Segment(match, first, last, begin + first - self.start))
        return found

    def keys(self) -> dict[str, list[str]]:
        """The keys of the rows, without building items."""
        ids: list[str] = []
        systems: list[str] = []
        names = self.derive("names", lambda: [self.name(unit) for unit in range(self.size)])
        for segment in self.segments():
            ids += names[segment.first : segment.last]
            chosen = self.item_systems[segment.first : segment.last] if self.item_systems else None
            systems += chosen or [segment.match.name] * segment.size
        return {"id": ids, "system": systems, "group": [""] * len(ids), "cluster": ids}

    def whole(self, match: Match) -> Segment:
        """All items of a system."""
        return Segment(match, 0, self.size, 0)

    def gold_words(self, segment: Segment) -> slice:
        """The gold's words of a segment."""
        return _words_of(self.gold, self.units, segment)

    def system_words(self, segment: Segment) -> slice:
        """The system's words of a segment."""
        return _words_of(segment.match.system, segment.match.units, segment)

    def gold_items(self, segment: Segment) -> Ints:
        """For each gold word of a segment its item, counted from the segment's first."""
        return _items_of(self.gold, self.units, segment)

    def system_items(self, segment: Segment) -> Ints:
        """For each system word of a segment its item, counted from the segment's first."""
        return _items_of(segment.match.system, segment.match.units, segment)

    @classmethod
    def of(cls, items: Sequence[Any]) -> ParsePairs:
        """From any sequence of `Parse`; one whose words differ is marked as unfit."""
        if isinstance(items, cls):
            return items
        vocabularies: dict[str, Vocabulary] = {}
        gold = _from_sentences([item.gold for item in items], "gold", vocabularies)
        gold = replace(gold, ids=[item.id for item in items])
        system = _from_sentences([item.parsed for item in items], "system", vocabularies)
        words, unfit = _fit_each(gold, system)
        units = np.arange(len(gold) + 1)
        match = Match("system", system, units, words, unfit=unfit)
        return cls(gold, [match], units, [item.system for item in items])


def _words_of(treebank: Treebank, units: Ints, segment: Segment) -> slice:
    return slice(*treebank.offsets[units[[segment.first, segment.last]]].tolist())


def _items_of(treebank: Treebank, units: Ints, segment: Segment) -> Ints:
    bounds = treebank.offsets[units[segment.first : segment.last + 1]]
    return np.repeat(np.arange(segment.size), np.diff(bounds))


def pair(gold: Treebank, systems: Mapping[str, Treebank]) -> ParsePairs:
    """Gold and systems that have the same words; the first that differs is an error."""
    for system in systems.values():
        _refuse_misfit(gold, system)
    units = np.arange(len(gold) + 1)
    return ParsePairs(gold, [Match(name, system, units) for name, system in systems.items()], units)


def _refuse_misfit(gold: Treebank, system: Treebank) -> None:
    forms = gold.columns["FORM"], system.columns["FORM"]
    if np.array_equal(gold.offsets, system.offsets) and np.array_equal(*forms):
        return
    spelling = gold.vocabularies["FORM"].classes(compose)
    ours, theirs = (spelling[codes] for codes in forms)
    common = min(len(gold), len(system))
    lengths = np.diff(gold.offsets[: common + 1]), np.diff(system.offsets[: common + 1])
    unequal = np.flatnonzero(lengths[0] != lengths[1])
    sentence = int(unequal[0]) if len(unequal) else common
    words = int(gold.offsets[sentence])
    differing = np.flatnonzero(ours[:words] != theirs[:words])
    if len(differing):
        word = int(differing[0])
        raise _misfit(gold, system, gold.sentence_of(word), word)
    if sentence < common:  # the word at which two sentences of unequal length part
        shorter = min(int(length[sentence]) for length in lengths)
        part = slice(words, words + shorter)
        differing = np.flatnonzero(ours[part] != theirs[part])
        shift = int(differing[0]) if len(differing) else shorter
        raise _misfit(gold, system, sentence, words + shift)
    if len(gold) != len(system):
        raise _missing_sentence(gold, system, common)


def _misfit(gold: Treebank, system: Treebank, sentence: int, word: int) -> FormatError:
    """An error about a word; the words before it are the same in both files."""

    def shown(bank: Treebank, at: int) -> str:
        if at >= bank.offsets[sentence + 1]:
            return "no further token"
        return f"'{bank.form(at)}' (line {bank.lines[at]})"

    lines = [f"line {bank.sentence_lines[sentence]} of {bank.path}" for bank in (gold, system)]
    elsewhere = _elsewhere(gold, system, sentence)
    advice = (
        f"The system's sentence stands in the gold as '{gold.ids[elsewhere]}' (line "
        f"{gold.sentence_lines[elsewhere]}): put the sentences in the gold's order"
        if elsewhere is not None
        else "Use --conll18 to align tokens that differ"
    )
    return FormatError(
        f"does not fit {gold.path}: sentence '{gold.ids[sentence]}' ({lines[0]}, {lines[1]}), "
        f"token {word - int(gold.offsets[sentence]) + 1}: the gold has {shown(gold, word)}, the "
        f"system has {shown(system, word)}. {advice}",
        path=system.path,
        row=int(system.sentence_lines[sentence]),
    )


def _elsewhere(gold: Treebank, system: Treebank, sentence: int) -> int | None:
    """Where the gold has a sentence of the system's, if not in the same place."""
    codes = system.columns["FORM"][system.offsets[sentence] : system.offsets[sentence + 1]]
    starts = gold.offsets[:-1][np.diff(gold.offsets) == len(codes)]
    for start in starts.tolist() if len(codes) else ():
        if np.array_equal(gold.columns["FORM"][start : start + len(codes)], codes):
            return int(gold.sentence_of(start))
    return None


def _missing_sentence(gold: Treebank, system: Treebank, common: int) -> FormatError:
    longer, shorter = (gold, system) if len(gold) > len(system) else (system, gold)
    word = int(longer.offsets[common])
    form = f", which begins with '{longer.form(word)}'" if word < longer.words else ""
    return FormatError(
        f"does not fit {gold.path}: the gold has {len(gold):,} sentences, the system "
        f"{len(system):,}. Sentence '{longer.ids[common]}' (line {longer.sentence_lines[common]} "
        f"of {longer.path}{form}) is missing from {shorter.path}",
        path=system.path,
    )


def _from_sentences(
    sentences: Sequence[Sentence], name: str, vocabularies: dict[str, Vocabulary]
) -> Treebank:
    tokens = [token for sentence in sentences for token in sentence.tokens]
    columns = {}
    for column in KNOWN:
        cells = [getattr(token, column.lower()) for token in tokens]
        columns[column] = vocabularies.setdefault(column, Vocabulary()).codes(cells)
    counts = [len(sentence.tokens) for sentence in sentences]
    none = np.zeros(0, np.int64)
    lines = np.asarray([sentence.line for sentence in sentences], np.int64)
    return Treebank(
        path=Path(name),
        layout=Layout("tokens", KNOWN),
        columns=columns,
        vocabularies=vocabularies,
        offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)]),
        ids=[sentence.id for sentence in sentences],
        lines=np.repeat(lines, counts),
        sentence_lines=lines,
        multiwords=Multiwords(none, none, none.astype(np.int32), none),
        nodes=EmptyNodes(none, none, {}, none),
    )


def _fit_each(gold: Treebank, system: Treebank) -> tuple[Ints, dict[int, str]]:
    """The system's word for each gold word, and the sentences whose words differ."""
    spelling = gold.vocabularies["FORM"].classes(compose)
    words = np.full(gold.words, -1, np.int64)
    unfit: dict[int, str] = {}
    for at in range(len(gold)):
        ours = slice(*gold.offsets[at : at + 2].tolist())
        theirs = slice(*system.offsets[at : at + 2].tolist())
        left, right = spelling[gold.columns["FORM"][ours]], spelling[system.columns["FORM"][theirs]]
        if np.array_equal(left, right):
            words[ours] = np.arange(theirs.start, theirs.stop)
        else:
            unfit[at] = "the system's words are not the gold's"
    return words, unfit
