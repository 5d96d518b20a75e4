"""Number words to digits, for comparing what was said with what was written.

`numbers.txt` in a pack's folder has a word and its value per line. Number words become digits
wherever they stand, compounds as one number: twenty-one, dvacet jedna, двадцать один to 21, and
English years said in pairs: nineteen thirty-two to 1932. Numbers that make no compound stay apart:
one two three to 1 2 3. Ordinals and fractions stay words (twenty-first), and so do numbers that a
hyphen joins to another word.
"""

from __future__ import annotations

import re
from functools import cache

from gistmeter.languages import lexicons


@cache
def _pattern(lists: str, conjunction: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A run of number words, and one of them."""
    known = sorted(lexicons.pairs(lists, "numbers"), key=len, reverse=True)
    word = f"(?<!\\w)(?:{'|'.join(map(re.escape, known))})(?!\\w)"
    joint = f"(?:[ \u00a0]+|-)(?:{conjunction}[ \u00a0]+)?" if conjunction else "[ \u00a0]+"
    return (
        re.compile(f"{word}(?:{joint}{word})*(?!-)", re.IGNORECASE),
        re.compile(f"{word}|{conjunction}" if conjunction else word, re.IGNORECASE),
    )


def words_to_digits(text: str, lists: str, conjunction: str = "") -> str:
    """The text with number words as digits; languages without a list get it back unchanged.

    Where numbers have a `conjunction` (two hundred and five), hyphens join them too.
    """
    values = lexicons.pairs(lists, "numbers")
    if not values:
        return text
    run, word = _pattern(lists, conjunction)

    def digits(found: re.Match[str]) -> str:
        said = word.findall(found[0])
        return " ".join(combine([values.get(one.lower(), one) for one in said]))

    return run.sub(digits, text)


def combine(parts: list[str]) -> list[str]:
    """Values of words in a row to the numbers they make; a conjunction joins only after a hundred.

    >>> combine(["20", "1"]), combine(["2", "1000", "300", "5"]), combine(["19", "30", "2"])
    (['21'], ['2305'], ['1932'])
    >>> combine(["1", "2"]), combine(["2", "100", "and", "5"]), combine(["1", "and", "2"])
    (['1', '2'], ['205'], ['1', 'and', '2'])
    """
    made: list[str] = []
    number = _Number()
    for part in parts:
        if not part.isdigit():
            if not number.takes_and:
                made += [*number.digits, part]
                number = _Number()
            continue
        following = number.joined(int(part))
        if following is None:
            made += number.digits
            following = _Number().joined(int(part)) or _Number()
        number = following
    return made + number.digits


class _Number:
    """A number as it is being said: thousands that are done, and what is being counted now."""

    def __init__(self, done: int = 0, scale: int = 0, now: int | None = None) -> None:
        self.done, self.scale, self.now = done, scale, now

    @property
    def digits(self) -> list[str]:
        said = self.done or self.now is not None
        return [str(self.done + (self.now or 0))] if said else []

    @property
    def takes_and(self) -> bool:
        if self.now is None:
            return self.done > 0
        return self.now > 0 and self.now % 100 == 0

    def joined(self, value: int) -> _Number | None:
        """This number with one more word, or None where a new number begins."""
        now = self.now
        if value >= 1000:
            if now == 0 or (self.scale and value >= self.scale):
                return None
            return _Number(self.done + (1 if now is None else now) * value, value)
        if now is None:
            return _Number(self.done, self.scale, value)
        if value == 100 and 0 < now < 100:
            return _Number(self.done, self.scale, now * 100)
        fits_unit = 0 < value < 10 and now and now % 10 == 0 and now % 100 != 10
        fits_tens = 10 <= value < 100 and now and now % 100 == 0
        if fits_unit or fits_tens:
            return _Number(self.done, self.scale, now + value)
        if 11 <= now <= 20 and 10 <= value < 100 and not self.done:  # nineteen thirty
            return _Number(0, 0, now * 100 + value)
        return None
