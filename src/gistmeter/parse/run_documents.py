"""What is kept beside a run of parses: the sentences that lose most, word by word, and confusions.

Each value gives its JSON by `document`, and `of` makes it again of what a file holds; None where
that is broken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from gistmeter.core.rows import Floats
from gistmeter.parse.formats.taxonomy import Taxonomy
from gistmeter.parse.formats.treebank import EMPTY
from gistmeter.parse.metrics.points import WordPairs

COMPARED = {
    "lemma": "LEMMA", "upos": "UPOS", "feats": "FEATS", "uas": "HEAD", "las": "DEPREL",
    "semslot": "SEMSLOT", "semclass": "SEMCLASS",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Confusion:
    """A label that was given in place of another."""

    gold: str
    system: str
    count: int

    def document(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, document: Any) -> Confusion | None:
        try:
            return cls(str(document["gold"]), str(document["system"]), int(document["count"]))
        except (KeyError, TypeError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class WordReport:
    """A word as the gold and as the system have it."""

    id: str
    form: str
    gold: Mapping[str, str]  # by column, in lower case
    sentence: int = 0  # ids start again in each, and an item of --conll18 may have several
    system: Mapping[str, str] | None = None  # None: no word stands for it
    wrong: Sequence[str] = ()  # columns
    system_id: str = ""
    system_sentence: int = 0
    class_path: str = ""  # from the gold's class to the system's

    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "id": self.id, "sentence": self.sentence, "form": self.form, "gold": dict(self.gold),
            "system": None, "wrong": list(self.wrong),
        }  # fmt: skip
        if self.system is not None:
            document["system"] = dict(self.system)
            document |= {"system_id": self.system_id, "system_sentence": self.system_sentence}
        return document | ({"class_path": self.class_path} if self.class_path else {})

    @classmethod
    def of(cls, document: Any) -> WordReport | None:
        try:
            system = document.get("system")
            return cls(
                str(document["id"]),
                str(document["form"]),
                dict(document["gold"]),
                int(document.get("sentence", 0)),
                dict(system) if system is not None else None,
                tuple(document.get("wrong", ())),
                str(document.get("system_id", document["id"])),
                int(document.get("system_sentence", 0)),
                str(document.get("class_path", "")),
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class SentenceReport:
    """An item: where it stands in both files, its words, and what it loses."""

    id: str
    gold_line: int
    system_line: int
    words: Sequence[WordReport]
    lost: float = 0.0  # points of the total
    scores: Mapping[str, float] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        return {
            "id": self.id, "gold_line": self.gold_line, "system_line": self.system_line,
            "tokens": [word.document() for word in self.words], "lost": self.lost,
            "scores": dict(self.scores),
        }  # fmt: skip

    @classmethod
    def of(cls, document: Any) -> SentenceReport | None:
        try:
            words = [WordReport.of(word) for word in document["tokens"]]
            return cls(
                str(document["id"]),
                int(document["gold_line"]),
                int(document["system_line"]),
                [word for word in words if word is not None],
                float(document.get("lost", 0.0)),
                dict(document.get("scores", {})),
            )
        except (AttributeError, KeyError, TypeError, ValueError):
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
            _report_word(
                words,
                at,
                [column for column, flags in wrong.items() if flags[at]],
                taxonomy,
                related="las" in earned,
            )
            for at in range(words.size)
        ],
    )


def _report_word(
    words: WordPairs, at: int, wrong: list[str], taxonomy: Taxonomy | None, *, related: bool
) -> WordReport:
    gold, match = words.pairs.gold, words.segment.match
    word = words.gold.start + at
    other = word if match.words is None else int(match.words[word])
    columns = [column for column in COMPARED.values() if column in gold]
    place = (gold.text("ID", word), gold.form(word))
    ours = {column.lower(): gold.text(column, word) for column in columns}
    sentence = gold.sentence_of(word) + 1
    if other < 0:
        return WordReport(*place, ours, sentence, wrong=wrong)
    system = match.system
    theirs = {column.lower(): system.text(column, other) for column in columns}
    if related and theirs["deprel"] != ours["deprel"]:
        wrong = [*wrong, "deprel"]
    classes = gold.text("SEMCLASS", word), system.text("SEMCLASS", other)
    return WordReport(
        *place, ours, sentence, theirs, wrong, system.text("ID", other),
        system.sentence_of(other) + 1, _class_path(*classes, taxonomy),
    )  # fmt: skip


def _class_path(ours: str, theirs: str, taxonomy: Taxonomy | None) -> str:
    """The way from the gold's class to the system's: DOG → CANINAE → ANIMAL."""
    if taxonomy is None or ours == theirs or {ours, theirs} & {*EMPTY}:
        return ""
    way = taxonomy.path(ours, theirs)
    return " → ".join(way) if way else f"{ours} and {theirs} are in different trees or unknown"
