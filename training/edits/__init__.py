"""Texts changed by rule: one fact altered (`change`), or reworded with the meaning kept (`reword`).

A rule proposes; what reads oddly is acceptable, what keeps the meaning under `change` or loses it
under `reword` is not. Words that inflect are only exchanged for words of the same form. Both take
a random generator, so that a seed gives the same edits again.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from functools import lru_cache

from training.edits import negation, words

Edit = tuple[str, str]  # kind, text
SPACED = {"en", "cs", "ru", "ko", "de", "fr"}
HELD_OUT_KINDS = {"date"}  # never trained
HELD_OUT_LANGUAGES = {"de", "fr"}  # no edit in these is ever trained
DIGITS = re.compile(
    r"(?<![\w.,-])\d{1,6}(?![\w-])|(?<=[\u3000-\u9fff\uac00-\ud7af])\d{1,6}|\d{1,6}(?=[\u3040-\u9fff\uac00-\ud7af])"
)


def change(language: str, text: str, chance: random.Random) -> list[Edit]:
    """Every kind of edit that fits, at most one text each."""
    found: list[Edit] = []
    for kind, made in _changes(language, text, chance):
        if made and made != text and " ".join(made.split()) != " ".join(text.split()):
            found.append((kind, made))
    return found


def _changes(language: str, text: str, chance: random.Random) -> Iterator[Edit]:
    yield "number", change_number(language, text, chance)
    yield "date", swap_within(language, text, words.DATES.get(language, ()), chance)
    yield "unit", swap_within(language, text, words.UNITS.get(language, ()), chance)
    yield "name", swap_within(language, text, words.NAMES.get(language, ()), chance)
    yield "negation", negation.negate(language, text, chance)
    yield "quantity", swap_pair(language, text, words.QUANTITIES.get(language, ()), chance)
    yield "antonym", swap_pair(language, text, words.ANTONYMS.get(language, ()), chance)
    yield "roles", exchange(language, text, words.ROLES.get(language, ()), chance)


def reword(language: str, text: str, chance: random.Random) -> list[Edit]:
    """The same meaning in other words: a synonym, a negated opposite, a numeral spelt out."""
    made = [
        ("synonym", swap_pair(language, text, words.SYNONYMS.get(language, ()), chance)),
        (
            "negated opposite",
            swap_pair(language, text, words.NEGATED.get(language, ()), chance, True),
        ),
        ("numeral", swap_pair(language, text, words.NUMERALS.get(language, ()), chance)),
    ]
    return [(kind, one) for kind, one in made if one and one != text]


PARTICLES = r"(?=[\s.,!?]|$|[가는은를을이와과의에도들로만])"
JOINED = re.compile(
    r"^\s*(和|与|或|、|と|や|과|와|,|and|or|и|или|a|nebo|i)\s*(the |a |an |одна |один )?$"
)


@lru_cache(maxsize=4096)
def chinese_edges(text: str) -> frozenset[int]:
    """Where words of a Chinese text begin and end."""
    import jieba

    return frozenset(itertools.accumulate((len(word) for word in jieba.cut(text)), initial=0))


def find(language: str, text: str, word: str) -> list[re.Match[str]]:
    """Where a word stands as a word, by what each script allows to see."""
    if word not in text and word.lower() not in text.lower():
        return []
    pattern = re.escape(word)
    if language == "ko":
        pattern = rf"(?<!\w){pattern}" + (PARTICLES if len(word) == 1 else "")
        if word in {"큰", "긴", "먼"}:
            pattern += r"(?=\s)"
    elif language in SPACED:
        pattern = (
            rf"(?<![\w.,-]){pattern}(?![\w-])" if word[0].isdigit() else rf"(?<!\w){pattern}(?!\w)"
        )
    elif re.fullmatch(r"[\u30a0-\u30ff]+", word):
        pattern = rf"(?<![\u30a0-\u30ff]){pattern}(?![\u30a0-\u30ff])"
    elif language == "ja" and len(word) == 1:
        pattern = rf"(?<![\u4e00-\u9fff]){pattern}(?![\u4e00-\u9fff])"
    found = list(re.finditer(pattern, text, re.IGNORECASE if language in SPACED else 0))
    if language == "zh":
        edges = chinese_edges(text)
        found = [
            one for one in found if one.start() in edges and (len(word) > 1 or one.end() in edges)
        ]
    return found


def replace(text: str, match: re.Match[str], new: str) -> str:
    if match.group()[:1].isupper() and new[:1].islower():
        new = new[:1].upper() + new[1:]
    return text[: match.start()] + new + text[match.end() :]


def swap_pair(
    language: str,
    text: str,
    pairs: words.Pairs,
    chance: random.Random,
    one_way: bool = False,
) -> str:
    """One word exchanged for its partner; longer words are tried first."""
    options = []
    for left, right in pairs:
        options += [(left, right)] if one_way else [(left, right), (right, left)]
    options.sort(key=lambda option: -len(option[0]))
    taken: list[tuple[int, int]] = []
    found = []
    for old, new in options:
        for match in find(language, text, old):
            if all(match.end() <= start or match.start() >= stop for start, stop in taken):
                taken.append(match.span())
                found.append((match, new))
    if not found:
        return ""
    match, new = chance.choice(found)
    return replace(text, match, new)


def swap_within(language: str, text: str, groups: words.Groups, chance: random.Random) -> str:
    """One word exchanged for another of its group: Monday for Thursday, China for Japan."""
    found = []
    for group in groups:
        for word in group:
            found += [(match, group, word) for match in find(language, text, word)]
    if not found:
        return ""
    match, group, word = chance.choice(found)
    rest = [other for other in group if other != word and other not in text and word not in other]
    return replace(text, match, chance.choice(rest)) if rest else ""


def exchange(language: str, text: str, group: tuple[str, ...], chance: random.Random) -> str:
    """Two people or things of one form trade places: who did it to whom."""
    spots: dict[str, re.Match[str]] = {}
    for word in sorted(group, key=len, reverse=True):
        for match in find(language, text, word):
            if all(match.end() <= m.start() or match.start() >= m.end() for m in spots.values()):
                spots.setdefault(word, match)
    if len(spots) < 2:
        return ""
    first, second = sorted(chance.sample(sorted(spots), 2), key=lambda word: spots[word].start())
    left, right = spots[first], spots[second]
    if JOINED.match(text[left.end() : right.start()]):
        return ""  # "a man and a woman": who comes first changes nothing
    return (
        text[: left.start()]
        + second
        + text[left.end() : right.start()]
        + first
        + text[right.end() :]
    )


def change_number(language: str, text: str, chance: random.Random) -> str:
    """A number in digits becomes another of its size; a small one in words its neighbour."""
    spots = list(DIGITS.finditer(text))
    spelt = swap_within(language, text, words.NUMBERS.get(language, ()), chance)
    if not spots or (spelt and chance.random() < 0.5):
        return spelt
    match = chance.choice(spots)
    return text[: match.start()] + other_number(match.group(), chance) + text[match.end() :]


def other_number(digits: str, chance: random.Random) -> str:
    value = int(digits)
    ways = [
        value + chance.randint(1, 9),
        value * 10,
        max(1, value // 2),
        value + 10 ** max(0, len(digits) - 1),
    ]
    if len(digits) > 1:
        at = chance.randrange(1, len(digits))
        ways.append(
            int(digits[:at] + str((int(digits[at]) + chance.randint(1, 9)) % 10) + digits[at + 1 :])
        )
    made = [way for way in ways if way != value]
    return str(chance.choice(made))


HOMOPHONES = {
    "fr": (
        ("é", "er"),
        ("er", "é"),
        ("ait", "ais"),
        ("est", "et"),
        ("ces", "ses"),
        ("à", "a"),
        ("on", "ont"),
        ("s ", " "),
        ("ent ", "e "),
    ),
    "en": (
        ("their", "there"),
        ("to", "too"),
        ("its", "it's"),
        ("ing ", "in "),
        ("ed ", " "),
        ("s ", " "),
    ),
    "cs": (("y", "i"), ("ý", "í"), ("ů", "ú"), ("mně", "mě")),
    "ru": (("о", "а"), ("тся", "ться"), ("ого", "ова"), ("ё", "е")),
    "zh": (("的", "得"), ("在", "再"), ("他", "她"), ("做", "作"), ("了", "")),
    "ja": (("を", "お"), ("は", "わ"), ("。", "")),
    "ko": (("에", "의"), ("를", ""), ("는", ""), ("되", "돼"), ("ㅐ", "ㅔ")),
}


def noise(language: str, text: str, chance: random.Random, slips: int = 1) -> str:
    """The text as a recogniser may write it: no marks, dropped letters, split words, homophones."""
    made = re.sub(r"[.,!?;:。，！？、\"«»“”]", "", text)
    if chance.random() < 0.7:
        made = made.lower()
    for _ in range(slips):
        way = chance.random()
        pairs = [pair for pair in HOMOPHONES.get(language, ()) if pair[0] in made]
        words_ = made.split(" ")
        at = chance.randrange(len(words_))
        if pairs and way < 0.5:
            old, new = chance.choice(pairs)
            spots = [match.start() for match in re.finditer(re.escape(old), made)]
            spot = chance.choice(spots)
            made = made[:spot] + new + made[spot + len(old) :]
        elif len(words_) > 2 and way < 0.65:  # a word in two
            middle = len(words_[at]) // 2
            words_[at] = (
                words_[at][:middle] + " " + words_[at][middle:] if middle > 1 else words_[at]
            )
            made = " ".join(words_)
        elif len(words_) > 3 and way < 0.85 and len(words_[at]) > 4:  # an ending dropped
            words_[at] = words_[at][:-1]
            made = " ".join(words_)
        elif len(words_) > 3:  # a hesitation
            words_.insert(
                at,
                chance.choice(["euh", "uh", "hm"])
                if language in {"en", "fr", "de"}
                else words_[at],
            )
            made = " ".join(words_)
    return " ".join(made.split())
