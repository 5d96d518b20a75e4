"""What a language says of facts: how it writes numbers, and what it takes for a name.

Beside its word lists (see `LISTS`) a language has a few rules: the mark of decimals, characters
that are numerals, prefixes that deny, and a function that finds names where capitals do not show
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gistmeter.languages.analysers import Token

# counts: ordinals, shares, dozens; units; times, clocks: words of time; quantities; comparisons;
# aliases: names for the same; titles: capitalised words that are no names; names; counters: words
# that follow a number; numberless: words with a numeral that count nothing
LISTS = (
    "numbers", "counts", "units", "times", "clocks", "quantities", "comparisons", "aliases",
    "titles", "names", "counters", "numberless", "surnames",
)  # fmt: skip
Spans = Iterable[tuple[int, int]]
Namer = Callable[[str, Sequence[Token]], Spans]
Respelling = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class FactRules:
    """How facts are written in a language, beside its lists."""

    decimal_comma: bool = False  # 3,5 and not 3.5
    digits: Mapping[str, int] = field(default_factory=dict, hash=False)  # 三, 삼: numerals
    tens: Mapping[str, int] = field(default_factory=dict, hash=False)  # 十, 백: they multiply
    large: Mapping[str, int] = field(default_factory=dict, hash=False)  # 万, 억: so do these
    over: str = ""  # between the parts of a share, the whole first: 三分之二
    prefixes: tuple[str, ...] = ()  # that deny the rest of a word
    verbs: frozenset[str] = frozenset()  # negations that are verbs of their own: 拒绝
    cancels: tuple[str, ...] = ()  # words with which a negation means "only": しか, 밖에
    light: frozenset[str] = frozenset()  # forms that a negation passes over to what it denies
    than: str = ""  # the word at what something is compared with
    than_follows: bool = False  # whether it stands after it: 次郎より
    capitals: bool = True  # whether capitals within a sentence are names; German nouns have them
    inflects: bool = False  # whether names have endings
    free_order: bool = False  # whether endings or particles, and not places, tell who does what
    names: Namer | None = None  # where capitals do not show names
    respell: Respelling | None = None  # to the spelling of the lists, of the same length
