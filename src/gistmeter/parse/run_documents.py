"""What is kept beside a run of parses: the sentences that lose most, word by word, and confusions.

Each value gives its JSON by `document`, and `of` makes it again of what a file holds; None where
that is broken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from gistmeter.core.rows import Floats
from gistmeter.parse.formats.taxonomy import Taxonomy
from gistmeter.parse.formats.treebank import EMPTY
from gistmeter.parse.metrics.points import WordPairs

COMPARED = {
    "lemma": "LEMMA", "upos": "UPOS", "feats": "FEATS", "uas": "HEAD", "las": "DEPREL",
    "semslot": "SEMSLOT", "semclass": "SEMCLASS",
}  # fmt: skip


class _Document:
    """A dataclass whose fields are the keys of a JSON object; wrong ones are a `TypeError`."""

    __slots__ = ()

    @classmethod
    def of(cls, document: Any) -> Self | None:
        try:
            return cls(**document)
        except TypeError:
            return None


@dataclass(frozen=True, slots=True)
class Confusion(_Document):
    """A label that was given in place of another."""

    gold: str
    system: str
    count: int

    def document(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class WordReport(_Document):
    """A word as the gold and as the system have it."""

    id: str
    sentence: int = 0  # ids start again in each, and an item of --conll18 may have several
    form: str = ""
    gold: Mapping[str, str] = field(default_factory=dict)  # by column, in lower case
    system: Mapping[str, str] | None = None  # None: no word stands for it
    wrong: Sequence[str] = ()  # columns
    system_id: str | None = None  # None: no word, or the gold's id
    system_sentence: int | None = None
    class_path: str | None = None  # from the gold's class to the system's

    def __post_init__(self) -> None:
        cells = [self.gold, self.system if self.system is not None else {}]
        if not all(isinstance(mapping, Mapping) for mapping in cells):
            raise TypeError("the cells of a word are a mapping")

    def document(self) -> dict[str, Any]:
        keys = asdict(self).items()
        return {key: value for key, value in keys if value is not None or key == "system"}


@dataclass(frozen=True, slots=True)
class SentenceReport(_Document):
    """An item: where it stands in both files, its words, and what it loses."""

    id: str
    gold_line: int
    system_line: int
    tokens: Sequence[WordReport]
    lost: float = 0.0  # points of the total
    scores: Mapping[str, float] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        return {**asdict(self), "tokens": [word.document() for word in self.tokens]}

    @classmethod
    def of(cls, document: Any) -> Self | None:
        try:
            words = [WordReport.of(word) for word in document["tokens"]]
            return cls(**{**document, "tokens": [word for word in words if word is not None]})
        except (KeyError, TypeError):
            return None


def describe(
    words: WordPairs, earned: Mapping[str, Floats], worth: Floats, taxonomy: Taxonomy | None
) -> SentenceReport:
    """The report of one item, of what its words earned; its scores are left to the caller."""
    pairs, match, unit = words.pairs, words.segment.match, words.segment.first
    wrong = {
        COMPARED[score].lower(): points < (worth if score == "lemma" else 1)
        for score, points in earned.items()
        if score != "las"  # a relation to the wrong head is not wrong by itself
    }
    return SentenceReport(
        pairs.name(unit),
        int(pairs.gold.sentence_lines[int(pairs.units[unit])]),
        int(match.system.sentence_lines[min(int(match.units[unit]), len(match.system) - 1)]),
        [
            _report_word(words, at, [column for column, flags in wrong.items() if flags[at]],
                         taxonomy, related="las" in earned)
            for at in range(words.size)
        ],
    )  # fmt: skip


def _report_word(
    words: WordPairs, at: int, wrong: list[str], taxonomy: Taxonomy | None, *, related: bool
) -> WordReport:
    gold, match = words.pairs.gold, words.segment.match
    word = words.gold.start + at
    other = word if match.words is None else int(match.words[word])
    columns = [column for column in COMPARED.values() if column in gold]
    ours = {column.lower(): gold.text(column, word) for column in columns}
    report = WordReport(
        gold.text("ID", word), gold.sentence_of(word) + 1, gold.form(word), ours, None, wrong
    )
    if other < 0:
        return report
    system = match.system
    theirs = {column.lower(): system.text(column, other) for column in columns}
    if related and theirs["deprel"] != ours["deprel"]:
        wrong = [*wrong, "deprel"]
    classes = gold.text("SEMCLASS", word), system.text("SEMCLASS", other)
    return replace(
        report,
        system=theirs,
        wrong=wrong,
        system_id=system.text("ID", other),
        system_sentence=system.sentence_of(other) + 1,
        class_path=_class_path(*classes, taxonomy),
    )


def _class_path(ours: str, theirs: str, taxonomy: Taxonomy | None) -> str | None:
    """The way from the gold's class to the system's: DOG → CANINAE → ANIMAL."""
    if taxonomy is None or ours == theirs or {ours, theirs} & {*EMPTY}:
        return None
    way = taxonomy.path(ours, theirs)
    return " → ".join(way) if way else f"{ours} and {theirs} are in different trees or unknown"
