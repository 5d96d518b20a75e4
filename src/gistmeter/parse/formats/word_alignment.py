"""Which system word stands for which gold word, when the two are tokenised differently.

As the CoNLL 2018 shared task defines it (Zeman et al. 2018, section 5): both files must spell the
same characters once blanks are left out, and every token is a span of those characters. A word
outside multiword tokens is aligned with the word of exactly its span. Where either file has a
multiword token, the words of both files inside the smallest stretch that cuts no multiword token
are aligned by a longest common subsequence of their lower-cased forms.

Items are the smallest stretches of text at whose ends the gold and all systems end a sentence: so
every count of the evaluation is a sum over items, however sentences were split.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gistmeter.core.errors import FormatError, InputError
from gistmeter.parse.formats.pairs import Match, ParsePairs
from gistmeter.parse.formats.treebank import Ints, Treebank, compose

SHOWN = 20  # characters of each text in an error
STRETCH = 25_000_000  # cells of a table of common subsequences


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Tokens and words of a treebank as spans of its characters, blanks left out."""

    text: str
    token_starts: Ints
    token_ends: Ints
    token_words: Ints  # the first word of each token
    starts: Ints  # of words; those of a multiword token share its span
    ends: Ints
    in_multiword: np.ndarray
    sentence_ends: Ints  # characters

    @classmethod
    def of(cls, treebank: Treebank) -> Spans:
        owner = _multiword_of_words(treebank)
        multiwords = treebank.multiwords
        places = np.arange(treebank.words)
        begins = (
            (owner < 0) | (places == multiwords.first[owner])
            if len(multiwords.first)
            else owner < 0
        )
        form = treebank.columns["FORM"].copy()
        form[owner >= 0] = multiwords.form[owner[owner >= 0]]
        first = np.flatnonzero(begins)
        strings = [unblanked(string) for string in treebank.vocabularies["FORM"].strings]
        codes = form[first]
        lengths = np.fromiter(map(len, strings), np.int64, len(strings))[codes]
        if len(lengths) and not lengths.all():
            raise treebank.error("the form is empty", int(first[np.argmin(lengths)]), "FORM")
        ends = np.cumsum(lengths)
        token = np.cumsum(begins) - 1
        last = treebank.offsets[1:] - 1
        return cls(
            "".join([strings[code] for code in codes]),
            ends - lengths,
            ends,
            first,
            (ends - lengths)[token],
            ends[token],
            owner >= 0,
            np.where(last >= 0, ends[token[last]] if len(token) else 0, 0),
        )


def unblanked(form: str) -> str:
    """A form as the evaluation compares it: NFC, no blanks of any kind (Unicode category Zs)."""
    if form.isascii():
        return form.replace(" ", "")
    return "".join(c for c in compose(form) if unicodedata.category(c) != "Zs")


def _multiword_of_words(treebank: Treebank) -> Ints:
    """For each word the multiword token it is part of, -1 for none."""
    owner = np.full(treebank.words, -1, np.int64)
    multiwords = treebank.multiwords
    bounds = zip(multiwords.first.tolist(), multiwords.last.tolist(), strict=True)
    for at, (first, last) in enumerate(bounds):
        problem = ""
        inside = 0 <= first <= last < treebank.words
        if not inside or treebank.sentence_of(first) != treebank.sentence_of(last):
            problem = "the range does not lie within the sentence"
        elif (owner[first : last + 1] >= 0).any():
            problem = "the range overlaps another"
        if problem:
            line = int(multiwords.line[at])
            raise FormatError(problem, path=treebank.path, row=line, column="ID")
        owner[first : last + 1] = at
    return owner


def align(gold: Treebank, systems: Mapping[str, Treebank]) -> ParsePairs:
    """Gold and systems with the same characters, whatever their words and sentences."""
    ours = Spans.of(gold)
    spans = {name: Spans.of(system) for name, system in systems.items()}
    common = np.unique(ours.sentence_ends)
    for name, theirs in spans.items():
        _refuse_other_characters(gold, ours, systems[name], theirs)
        common = np.intersect1d(common, theirs.sentence_ends)
    matches = [
        Match(
            name,
            systems[name],
            _units(theirs.sentence_ends, common),
            align_words(gold, ours, systems[name], theirs),
            aligned=True,
        )
        for name, theirs in spans.items()
    ]
    return ParsePairs(gold, matches, _units(ours.sentence_ends, common))


def _units(sentence_ends: Ints, common: Ints) -> Ints:
    inside = np.searchsorted(sentence_ends, common, side="right")
    return np.concatenate([np.zeros(1, np.int64), inside])


def _refuse_other_characters(gold: Treebank, ours: Spans, system: Treebank, theirs: Spans) -> None:
    if ours.text == theirs.text:
        return
    shorter = min(len(ours.text), len(theirs.text))
    at = next((i for i in range(shorter) if ours.text[i] != theirs.text[i]), shorter)
    line, other = _line_at(gold, ours, at), _line_at(system, theirs, at)
    raise FormatError(
        f"its characters are not those of {gold.path}: the gold has "
        f"'{ours.text[at : at + SHOWN]}' (line {line}), the system "
        f"'{theirs.text[at : at + SHOWN]}' (line {other})",
        path=system.path,
        row=other,
    )


def _line_at(treebank: Treebank, spans: Spans, character: int) -> int:
    token = int(np.searchsorted(spans.token_ends, character, side="right"))
    word = spans.token_words[min(token, len(spans.token_words) - 1)]
    return int(treebank.lines[word])


def align_words(gold: Treebank, ours: Spans, system: Treebank, theirs: Spans) -> Ints:
    """For each gold word the system word aligned with it, -1 for none."""
    if not ours.in_multiword.any() and not theirs.in_multiword.any():
        return _by_spans(ours, theirs)
    return _Walk(gold, ours, system, theirs).align()


def _by_spans(ours: Spans, theirs: Spans) -> Ints:
    if not len(theirs.starts):
        return np.full(len(ours.starts), -1, np.int64)
    place = np.minimum(np.searchsorted(theirs.starts, ours.starts), len(theirs.starts) - 1)
    same = (theirs.starts[place] == ours.starts) & (theirs.ends[place] == ours.ends)
    return np.where(same, place, -1)


class _Side:
    """One file's words in the walk: plain lists, which a loop reads faster than arrays."""

    def __init__(self, treebank: Treebank, spans: Spans) -> None:
        self.starts, self.ends = spans.starts.tolist(), spans.ends.tolist()
        self.joined = spans.in_multiword.tolist()
        strings = treebank.vocabularies["FORM"].strings
        bare = [unblanked(string).lower() for string in strings]
        whole = [string.lower() for string in strings]
        # The official script takes blanks out of tokens, not out of the words inside of them.
        self.forms = [
            (whole if joined else bare)[code]
            for code, joined in zip(treebank.columns["FORM"].tolist(), self.joined, strict=True)
        ]
        self.size = len(self.starts)
        self.at = 0

    def is_past(self, end: int) -> bool:
        """Whether the next word lies beyond a stretch that ends at a character."""
        if self.at >= self.size:
            return True
        if self.joined[self.at]:
            return bool(self.starts[self.at] >= end)
        return bool(self.ends[self.at] > end)

    def take(self, end: int) -> int:
        """Pass the next word; a multiword token extends the stretch."""
        here = self.at
        self.at += 1
        return max(end, self.ends[here]) if self.joined[here] else end


class _Walk:
    """Both files from start to end, side by side."""

    def __init__(self, gold: Treebank, ours: Spans, system: Treebank, theirs: Spans) -> None:
        self.gold, self.system = _Side(gold, ours), _Side(system, theirs)
        self.found = np.full(self.gold.size, -1, np.int64)

    def align(self) -> Ints:
        gold, system = self.gold, self.system
        while gold.at < gold.size and system.at < system.size:
            if gold.joined[gold.at] or system.joined[system.at]:
                self._align_stretch()
                continue
            start, other = gold.starts[gold.at], system.starts[system.at]
            if start == other and gold.ends[gold.at] == system.ends[system.at]:
                self.found[gold.at] = system.at
                gold.at += 1
                system.at += 1
            elif start <= other:
                gold.at += 1
            else:
                system.at += 1
        return self.found

    def _align_stretch(self) -> None:
        gold, system = self.gold, self.system
        leader, follower = (gold, system) if gold.joined[gold.at] else (system, gold)
        end = leader.ends[leader.at]
        starts_before = follower.starts[follower.at] < leader.starts[leader.at]
        if starts_before and not follower.joined[follower.at]:
            follower.at += 1
        first, other = gold.at, system.at
        while not (gold.is_past(end) and system.is_past(end)):
            gold_first = gold.at < gold.size and (
                system.at >= system.size or gold.starts[gold.at] <= system.starts[system.at]
            )
            end = gold.take(end) if gold_first else system.take(end)
        ours, theirs = gold.forms[first : gold.at], system.forms[other : system.at]
        for left, right in common_subsequence(ours, theirs):
            self.found[first + left] = other + right


def common_subsequence(left: list[str], right: list[str]) -> list[tuple[int, int]]:
    """Places of a longest common subsequence; where either list may be skipped, the left is."""
    if len(left) * len(right) > STRETCH:
        raise InputError(
            f"A stretch of multiword tokens has {len(left):,} words in the gold and "
            f"{len(right):,} in the system: too many to align"
        )
    lengths = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            equal = lengths[i + 1][j + 1] + 1 if left[i] == right[j] else 0
            lengths[i][j] = max(equal, lengths[i + 1][j], lengths[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif lengths[i][j] == lengths[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
