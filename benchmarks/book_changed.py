"""Books: changed facts in made editions, and alarms on real abridgements that changed nothing.

English: abridged sentences of novels with their sources (AbLit), as they are and edited by rule.
Chinese: sentence pairs that people called the same in meaning (STS, 4.6 of 5 and more), the second
as it is and edited. Every edit is made here and not by the rules that the judge was trained with.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from book_editions import Bound, Library

from gistmeter.book.metrics import measures
from gistmeter.book.metrics.changes import SourcedSentence, find_changes, pair_sources
from gistmeter.book.metrics.paths import align
from gistmeter.models.protocols import JudgeModel

AUXILIARY = re.compile(r"\b(was|is|were|had|could|would|should|did|has|will|must|can|are)\b( not)?")
NUMBERS = {
    "two": "five", "three": "nine", "four": "two", "five": "eight", "six": "three",
    "seven": "two", "eight": "five", "nine": "four", "ten": "six", "twelve": "six",
    "twenty": "fifty", "thirty": "seventy", "hundred": "thousand", "thousand": "hundred",
}  # fmt: skip
NUMBER = re.compile(rf"\b({'|'.join(NUMBERS)}|\d+)\b")
NAME = re.compile(r"(?<=[a-z,;] )([A-Z][a-z]{3,})\b")
TITLES = {"Miss", "Lady", "Lord", "Captain", "General", "Evening", "English", "French", "Court"}
ZH_NUMBERS = {"一": "四", "两": "五", "三": "七", "二": "九", "四": "八", "五": "三"}
ZH_NEGATED = {
    "正在": "没有在",
    "在": "不在",
    "是": "不是",
    "有": "没有",
    "将": "不会",
    "会": "不会",
}
MOST = 60  # pairs of a kind
SAME, FEWEST = 4.6, 2
Edit = Callable[[str], str | None]


def check_changed(
    library: Library, chinese: Sequence[tuple[str, str, float]], judge: JudgeModel
) -> None:
    """The share of edits that are found, and of unchanged sentences that are not left alone."""
    print("Changed facts found (with the judge; by rules alone), and alarms where nothing changed")
    tables = {"en": english_pairs(library), "zh": chinese_pairs(chinese)}
    for code, kinds in tables.items():
        for kind, pairs in kinds.items():
            with_judge = find_changes(pairs, code, judge).changes
            by_rules = find_changes(pairs, code).changes
            shares = (len(with_judge) / len(pairs), len(by_rules) / len(pairs))
            print(f"  {code} {kind:10} {shares[0]:6.1%} {shares[1]:6.1%}  of {len(pairs)}")


def english_pairs(library: Library) -> dict[str, list[SourcedSentence]]:
    """Pairs by kind; of sentences that are as in their source, none."""
    found: dict[str, list[SourcedSentence]] = {"unchanged": []}
    for book in library.values():
        places = measures.pairs_of(align(book.similarity, "blocks").pairs, book.similarity).index
        names = names_of(book)
        edits: Mapping[str, Edit] = {
            "negation": negate,
            "number": change_number,
            "name": lambda text, names=names: change_name(text, names),
            "roles": lambda text, names=names: swap_names(text, names),
        }
        for at, text in enumerate(book.chapter.summary):
            held = _paired(book, at, int(places[at]), text)
            if held.sentence != held.source:
                found["unchanged"].append(held)
            for kind, edit in edits.items():
                made = edit(text) if book.chapter.is_right(at, int(places[at])) else None
                if made is not None:
                    found.setdefault(kind, []).append(_paired(book, at, int(places[at]), made))
    return {
        kind: _numbered(pairs, 5 * MOST if kind == "unchanged" else MOST)
        for kind, pairs in found.items()
    }


def _paired(book: Bound, at: int, place: int, text: str) -> SourcedSentence:
    (found,) = pair_sources(book.chapter.source, [text], {0: place}) or [
        SourcedSentence(at, text, text)
    ]
    return found


def _numbered(pairs: Sequence[SourcedSentence], most: int) -> list[SourcedSentence]:
    """Some of the pairs, each with a number of its own."""
    random = np.random.default_rng(0)
    chosen = np.sort(random.permutation(len(pairs))[:most]).tolist()
    return [
        SourcedSentence(number, held.sentence, held.source, held.before, held.after)
        for number, held in enumerate(pairs[at] for at in chosen)
    ]


def names_of(book: Bound) -> list[str]:
    counts = Counter(name for text in book.chapter.source for name in NAME.findall(text))
    return [name for name, count in counts.items() if count >= FEWEST and name not in TITLES]


def negate(text: str) -> str | None:
    match = AUXILIARY.search(text)
    if match is None:
        return None
    said = match[1] if match[2] else f"{match[1]} not"
    return text[: match.start()] + said + text[match.end() :]


def change_number(text: str) -> str | None:
    match = NUMBER.search(text)
    if match is None:
        return None
    other = NUMBERS.get(match[1]) or str(3 * int(match[1]) + 1)
    return text[: match.start()] + other + text[match.end() :]


def change_name(text: str, names: Sequence[str]) -> str | None:
    own = [name for name in names if re.search(rf"\b{name}\b", text)]
    others = [name for name in names if name not in text]
    if not own or not others:
        return None
    other = others[len(text) % len(others)]
    return re.sub(rf"\b{own[0]}\b", other, text)


def swap_names(text: str, names: Sequence[str]) -> str | None:
    """Who did what: two names change places, where something is said between them."""
    own = sorted((name for name in names if text.count(name) == 1), key=text.find)
    if len(own) < FEWEST:
        return None
    first, second = own[:2]
    between = text[text.find(first) + len(first) : text.find(second)]
    if len([word for word in between.split() if word.islower() and len(word) > 3]) < FEWEST:
        return None
    return text.replace(first, "\0").replace(second, first).replace("\0", second)


def chinese_pairs(rated: Sequence[tuple[str, str, float]]) -> dict[str, list[SourcedSentence]]:
    same = [(one, two) for one, two, score in rated if score >= SAME and one != two]
    found: dict[str, list[SourcedSentence]] = {
        "unchanged": [SourcedSentence(0, two, one) for one, two in same]
    }
    for kind, words in (("negation", ZH_NEGATED), ("number", ZH_NUMBERS)):
        for one, two in same:
            made = next((two.replace(old, new, 1) for old, new in words.items() if old in two), two)
            if made != two and not re.search("[不没]", two):
                found.setdefault(kind, []).append(SourcedSentence(0, made, one))
    return {kind: _numbered(pairs, MOST) for kind, pairs in found.items()}
