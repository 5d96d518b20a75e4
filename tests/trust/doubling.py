"""How time grows with length: the nasty strings, and the measure that tells a line from a square.

A text is a unit repeated. What takes T for n characters should take about 4 T for 4 n; a square
takes 16 T. Time is the thread's own processor time, the best of several tries, so that other
processes count for little; a suspicion, which one slow try is enough for, is measured again, at
other lengths, before it is one.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator
from functools import _lru_cache_wrapper

from gistmeter.languages import get, lexicons

STEEP = 9.0  # times as long for four times the text: a line has 4, n log n 5, n√n 8, a square 16
BRIEF = 0.03  # seconds below which nothing is said: 16,000 characters are read in less
clock = time.thread_time  # what other processes do does not count
Work = Callable[[str], object]
MARKS = (
    "a", "A", "é", "é", " ", "\t", "\n", "\r\n", "\n\n", " ", "\xad", "\u200b", "\u202e", "0",
    "9", "1,", "1.", "1 ", "1,000,", "10:10:", "3/4/", "-", "--", "- ", "_", "'", "’", "a'",
    "a-", "a.", "A.", "A. ", "a, ", ".", "...", "…", "?!", "! ", '"', "“", "”", "“a", "”a ",
    "«", "(", ")", "((a", "[", "]", "[a](", "{", "}", '{"a":', '"a",', "<", "<b>", "</b>",
    "<a ", "<!--", "&amp;", "&", "*", "**a", "`", "```\n", "#", "# a\n", "> ", "- a\n",
    "1. a\n", "|", "a|b\n", "~", "$", "%", "5%", "$5", "5 km ", "@", "a@b.", "http://a.", "/",
    "\\", "=", "+", "^", "\x00", "\x1b[", "😀", "👍🏽", "\ud800", "İ", "ß", "ﬁ", "½", "²", "٣",
    "Ⅳ", "一", "万", "〇", "十", "。", "、", "「", "」", "『a", "ー", "っ", "ん", "の", "ㅋ",
    "가", "는 ", "ก", "ๆ", "เ", "။", "क\u094d", "ا", "ﷺ", "I ", "x y ", "not ", "no. ", "Mr. ",
    "May ", "one-", "half a ", "3:15 ", "2024-05-03 ", "Anna ", "Chapter 1\n", "<think>",
    "</think>", "Answer: ", "sure! ", "a\u0316\u0301", "\u0316\u0301", "\u0f73",
    "\u1100", "\u1161",
)  # fmt: skip
SAMPLED = 4  # words of each of a language's lists


def units(code: str, seed: int = 7) -> list[str]:
    """The strings that are repeated: marks, and words of every list of the language, alone, with a
    space, and in twos."""
    chooser, pack = random.Random(seed), get(code)
    words: list[str] = []
    for name in (*lexicons.LISTS, *lexicons.FACT_LISTS, "preambles", "closings", "headings"):
        known = sorted(lexicons.lines(pack.lists, name))
        words += chooser.sample(known, min(SAMPLED, len(known)))
    words = list(dict.fromkeys(word.split("\t")[0].strip() for word in words))
    made = [*MARKS, *words, *(f"{word} " for word in words)]
    parts = [*words, *MARKS, " ", ". "]
    made += ["".join(chooser.choices(parts, k=chooser.randint(2, 4))) for _ in words]
    return list(dict.fromkeys(unit for unit in made if unit))


def steep(work: Work, unit: str, size: int = 4_000) -> str:
    """What is wrong with how the time of a work grows with a text of a unit; "" for nothing."""
    for tries, length, bound in ((1, size, STEEP / 2), (3, size, STEEP), (4, 2 * size, STEEP)):
        many = best(work, repeat(unit, 4 * length), tries)
        if many < BRIEF:
            return ""
        few = best(work, repeat(unit, length), tries)
        if many < bound * few:
            return ""
    return f"{unit!r}: {length:,} characters {few:.3f} s, four times as many {many:.3f} s"


def repeat(unit: str, length: int) -> str:
    return (unit * (length // len(unit) + 1))[:length]


def best(work: Work, text: str, tries: int) -> float:
    """The least processor time of several tries."""
    return min(_seconds(work, text) for _ in range(tries))


def _seconds(work: Work, text: str) -> float:
    forget()
    gc.collect(0)
    gc.disable()
    try:
        began = clock()
        work(text)
        return clock() - began
    finally:
        gc.enable()


_MEMORIES: list[_lru_cache_wrapper[object]] = []


def forget() -> None:
    """Drop what was remembered of texts; lists and dictionaries, which are kept for good, stay."""
    for memory in _MEMORIES or _memories():
        memory.cache_clear()


def _memories() -> Iterator[_lru_cache_wrapper[object]]:
    for thing in gc.get_objects():
        if (
            type(thing) is _lru_cache_wrapper
            and thing.__module__.startswith("gistmeter.")
            and thing.cache_parameters()["maxsize"] is not None
        ):
            _MEMORIES.append(thing)
            yield thing
