"""The data types of all parts: items in, scores and tables out.

An *item* is one thing to be scored: a `Pair` of texts, a `Book` with its abridgement, a `Parse` of
a sentence, a `Clip` of speech. Every item has an `id`, the `system` that made it, a `group` it is
reported under (arrangement, title, file) and a `cluster`: items of one cluster depend on each
other and are resampled together.

Undefined numbers are NaN here and `null` in JSON; never 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypedDict

from gistmeter.core.errors import UnknownName

if TYPE_CHECKING:
    from gistmeter.core.rows import Pool, Rows, Value

ORIGINAL = "original"  # the arrangement of unscrambled forms
SEED = 20260  # of all intervals, unless another is given
MOST_READ = 2_000_000  # characters, the budget of an item: two long novels
MOST_COMPARED = 250_000_000_000  # of characters: half a million beside as many


class Statistics(TypedDict):
    """How intervals are drawn: part of every signature."""

    seed: int
    resamples: int
    confidence: float


class Item(Protocol):
    """What every item can be asked."""

    @property
    def id(self) -> str: ...
    @property
    def system(self) -> str: ...
    @property
    def group(self) -> str: ...
    @property
    def cluster(self) -> str: ...


class Burden(NamedTuple):
    """How much there is to do for an item, whatever the machine."""

    read: int  # characters, as often as they are read for a comparison
    compared: int  # pairs of characters, where every word of one text meets every one of another

    @property
    def excess(self) -> str:
        """Why the item is not scored; "" where it is."""
        if self.read > MOST_READ:
            return f"more than {MOST_READ:,} characters to compare"
        if self.compared > MOST_COMPARED:
            return f"more than {MOST_COMPARED:,} pairs of characters to compare"
        return ""


@dataclass(frozen=True, slots=True)
class Pair:
    """A text and what it should have said."""

    id: str
    candidate: str | None
    references: tuple[str, ...]
    system: str = "system"
    arrangement: str = ""
    language: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)  # what metrics ask for, by our name
    sample: str = ""  # which of several answers of its system to one item
    columns: Mapping[str, str] = field(default_factory=dict)  # the input's further columns
    stripped: str = ""  # what stood around the answer and was taken off

    @property
    def group(self) -> str:
        return self.arrangement

    @property
    def cluster(self) -> str:
        return self.id

    @property
    def burden(self) -> Burden:
        said = len(self.candidate or "")
        sizes = [len(reference) for reference in self.references]
        return Burden(said * len(sizes) + sum(sizes), said * sum(sizes))

    def emptied(self) -> Pair:
        """The same item without its texts."""
        return replace(self, candidate=None, references=())


def is_original(arrangement: str) -> bool:
    """Whether it is that of unscrambled forms."""
    return arrangement.strip().lower() == ORIGINAL


@dataclass(frozen=True, slots=True)
class Book:
    """An original and its abridgement."""

    id: str  # the title
    source: str
    summary: str
    system: str = "summary"
    language: str = ""
    kind: str = "abridgement"  # or summary, which is read claim by claim
    edition_language: str = ""  # where it is not the original's

    @property
    def group(self) -> str:
        return self.id

    cluster = group


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a parsed sentence, as a line of a CoNLL-U file has it; `_` is an empty field."""

    id: str
    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    head: str = "_"
    deprel: str = "_"
    deps: str = "_"
    misc: str = "_"
    semslot: str = "_"
    semclass: str = "_"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A parsed sentence with the place it came from."""

    id: str
    tokens: tuple[Token, ...]
    line: int = 0  # of its first token in the file, counted from 1


@dataclass(frozen=True, slots=True)
class Parse:
    """A sentence as gold has it and as a system parsed it."""

    id: str
    gold: Sentence
    parsed: Sentence
    system: str = "system"
    group: str = ""

    @property
    def cluster(self) -> str:
        return self.id


@dataclass(frozen=True, slots=True)
class Clip:
    """A piece of speech: what was said, and what a recogniser made of it."""

    id: str
    expected: str
    got: str | None = None
    recognizer: str = "system"
    audio: str | None = None  # a path; the transcript is then made by the recogniser
    language: str = ""
    speaker: str = ""
    group: str = ""
    sample: str = ""  # which of several transcripts of its recogniser
    columns: Mapping[str, str] = field(default_factory=dict)  # the input's further columns

    @property
    def system(self) -> str:
        return self.recognizer

    @property
    def cluster(self) -> str:
        return self.speaker or self.id

    @property
    def burden(self) -> Burden:
        return Burden(
            len(self.expected) + len(self.got or ""), len(self.expected) * len(self.got or "")
        )

    def emptied(self) -> Clip:
        """The same item without its texts."""
        return replace(self, expected="", got=None)


@dataclass(frozen=True, slots=True)
class ScoreInfo:
    """What a score's name means, said once by the metric that makes it."""

    name: str
    higher_is_better: bool = True
    lowest: float = 0.0
    highest: float = 1.0
    unit: str = ""  # "%" for rates
    basis: str = ""  # the column whose defined rows are counted as n; the score's name if empty
    title: str = ""  # what people call it, where that is not its name


class Metric(Protocol):
    """The contract. A metric is a frozen dataclass whose fields are its settings.

    `measure` gives a row of statistics for each item; `pool` turns rows into values with the
    sums, means and ratios of a `Pool` only, so that intervals, tests, shards and resumed runs
    work for it without its knowing. A metric may also have `partial`, a mapping from a score's
    name to the list of what is missing from it; `explain(name, rows)`, which says why a score of a
    whole system is undefined; and `documents(rows, items)`, which makes documents of all rows of a
    run (file name -> something JSON can hold).
    """

    scores: ClassVar[tuple[ScoreInfo, ...]]

    def measure(self, items: Sequence[Any]) -> Rows: ...

    def pool(self, rows: Pool) -> Mapping[str, Value]: ...


@dataclass(frozen=True, slots=True)
class Score:
    """A value with its interval, its counts and the reasons why items are unscored."""

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    unscored: int = 0
    higher_is_better: bool = True
    unit: str = ""
    partial: tuple[str, ...] = ()
    signature: str = ""
    reasons: Mapping[str, int] = field(default_factory=dict)  # why items are unscored

    @property
    def interval(self) -> tuple[float, float]:
        return self.low, self.high

    def number(self, value: float, digits: int = 4) -> str:
        """A value of this score for people: a percentage with two digits, a share with four."""
        if not math.isfinite(value):
            return "–"
        return f"{value:.{digits - 2}f}%" if self.unit == "%" else f"{value:.{digits}f}"

    def spelled(self) -> str:
        """The value with its interval: 0.7120 [0.6900, 0.7310]."""
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            return self.number(self.value)
        return f"{self.number(self.value)} [{self.number(self.low)}, {self.number(self.high)}]"

    def is_worse_than(self, threshold: float) -> bool:
        """An undefined score is worse than any threshold."""
        if math.isnan(self.value):
            return True
        return self.value < threshold if self.higher_is_better else self.value > threshold

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {
            "value": defined(self.value),
            "low": defined(self.low),
            "high": defined(self.high),
            "n": self.n,
            "unscored": self.unscored,
            "higher_is_better": self.higher_is_better,
        }
        if self.partial:
            out["partial"] = list(self.partial)
        if self.reasons and not math.isfinite(self.value):  # why there is no value at all
            out["reasons"] = dict(self.reasons)
        return out


@dataclass(frozen=True, slots=True)
class SystemScores:
    """One system's scores, over everything and by group."""

    scores: Mapping[str, Score]
    groups: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Score:
        if name not in self.scores:
            raise UnknownName("score", name, self.scores)
        return self.scores[name]

    def to_dict(self) -> dict[str, Any]:
        return {
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
            "groups": {
                group: {name: {"value": defined(value)} for name, value in values.items()}
                for group, values in self.groups.items()
            },
        }


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table to show or write; cells are text, numbers, booleans or None."""

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    suffixes: tuple[str, ...] = ()  # the only formats it is for; empty: all
    note: str = ""  # a line beneath it, where it is shown
    links: tuple[str, ...] = ()  # columns with paths in the run's folder
    grows: bool = False  # its file keeps the lines of others, each known by its first cell


def defined(value: float) -> float | None:
    """A number for JSON: None where it is NaN or infinite."""
    return float(value) if math.isfinite(value) else None
