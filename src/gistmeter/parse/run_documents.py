"""What is kept of sentences beside a run of parses: the gold, and where systems differ from it.

`sentences.json` has the sentences of the gold, each once: their forms, and for every column its
cells. Heads are places in the item, counted from 1; 0 is the root, -1 no word of it. Each system
has the cells that are wrong, by column and place, the places that no word of it stands for, and
the ways through the taxonomy from the gold's class to its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np

from gistmeter.core.rows import Floats
from gistmeter.parse.formats.pairs import Match, ParsePairs
from gistmeter.parse.formats.taxonomy import Taxonomy
from gistmeter.parse.formats.treebank import EMPTY, Bools, Ints, Treebank
from gistmeter.parse.formats.trees import parents_of
from gistmeter.parse.metrics.points import WordPairs

COMPARED = {
    "lemma": "LEMMA", "upos": "UPOS", "feats": "FEATS", "uas": "HEAD", "las": "DEPREL",
    "semslot": "SEMSLOT", "semclass": "SEMCLASS",
}  # fmt: skip
Cells = Mapping[str, Mapping[int, Any]]  # by column and place


@dataclass(frozen=True, slots=True)
class SystemReport:
    """What a system has otherwise than the gold in a sentence."""

    line: int
    lost: float = 0.0  # points of the total
    wrong: Cells = field(default_factory=dict)
    missing: Sequence[int] = ()
    paths: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, document: Any, size: int) -> Self:
        """From JSON, whose keys are texts; a place outside of the sentence is a `ValueError`."""

        def placed(cells: Mapping[str, Any]) -> dict[int, Any]:
            found = {int(at): cell for at, cell in cells.items()}
            if not all(0 < at <= size for at in found):
                raise ValueError
            return found

        wrong = {column: placed(cells) for column, cells in document["wrong"].items()}
        missing = [int(at) for at in document["missing"] if 0 < int(at) <= size]
        line, lost = int(document["line"]), float(document["lost"])
        return cls(line, lost, wrong, missing, placed(document["paths"]))


@dataclass(frozen=True, slots=True)
class SentenceReport:
    """An item of the gold, and what each system made of it."""

    id: str
    line: int
    forms: Sequence[str]
    gold: Mapping[str, Sequence[Any]]  # by column, in lower case
    systems: Mapping[str, SystemReport]

    @classmethod
    def of(cls, document: Any) -> Self | None:
        """From JSON; None where that is broken."""
        try:
            forms, gold = [str(form) for form in document["forms"]], dict(document["gold"])
            if any(len(cells) != len(forms) for cells in gold.values()):
                return None
            systems = {
                str(name): SystemReport.of(report, len(forms))
                for name, report in document["systems"].items()
            }
            return cls(str(document["id"]), int(document["line"]), forms, gold, systems)
        except (KeyError, TypeError, ValueError, AttributeError):
            return None


def describe_sentences(
    pairs: ParsePairs,
    points: Callable[[WordPairs], tuple[Mapping[str, Floats], Floats]],
    lost: Floats,
    most: int,
    taxonomy: Taxonomy | None,
) -> list[dict[str, Any]]:
    """The items as JSON; of more than `most`, those in which all systems together lose most.

    `points` gives what each word earns and what a lemma is worth; `lost` has one number per item.
    """
    by_unit = lost.reshape(-1, pairs.size).sum(axis=0)
    kept = np.zeros(pairs.size, np.bool_)
    kept[np.argsort(-by_unit, kind="stable")[:most]] = True
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    gold = _GoldCells(pairs)
    for number, match in enumerate(pairs.matches):
        words = WordPairs.of(pairs, pairs.whole(match))
        reports = _differences(words, *points(words), gold, kept, taxonomy=taxonomy)
        for unit in np.flatnonzero(kept).tolist():
            if unit in match.unfit:
                continue
            forms = gold.of(unit, gold.forms)
            key = (pairs.name(unit), *forms)
            if key not in found:
                found[key] = {
                    "id": key[0],
                    "line": int(pairs.gold.sentence_lines[int(pairs.units[unit])]),
                    "forms": forms,
                    "gold": {name: gold.of(unit, cells) for name, cells in gold.columns.items()},
                    "systems": {},
                }
            system = pairs.item_systems[unit] if pairs.item_systems else match.name
            first = min(int(match.units[unit]), len(match.system) - 1)
            found[key]["systems"][system] = asdict(
                SystemReport(
                    int(match.system.sentence_lines[first]),
                    float(lost[number * pairs.size + unit]),
                    **reports.get(unit, {}),
                )
            )
    return list(found.values())


class _GoldCells:
    """The gold's cells as texts, and where items begin."""

    def __init__(self, pairs: ParsePairs) -> None:
        gold = pairs.gold
        self.bounds = gold.offsets[pairs.units]
        self.starts = np.repeat(self.bounds[:-1], np.diff(self.bounds))
        self.items = np.repeat(np.arange(pairs.size), np.diff(self.bounds))
        self.forms = _texts(gold, "FORM")
        self.columns: dict[str, list[Any]] = {
            column.lower(): _texts(gold, column) for column in COMPARED.values() if column in gold
        }
        if "HEAD" in gold:
            self.columns["head"] = self.heads(gold, np.arange(gold.words), None).tolist()

    def of(self, unit: int, cells: list[Any]) -> list[Any]:
        return cells[int(self.bounds[unit]) : int(self.bounds[unit + 1])]

    def heads(self, treebank: Treebank, words: Ints, gold_word: Ints | None) -> Ints:
        """The heads of some words of a treebank as places in the item; one for each gold word."""
        parents, numbers = parents_of(treebank)[words], treebank.heads()[words]
        place = parents if gold_word is None else gold_word[parents]
        inside = (parents >= 0) & (place >= 0)
        return np.where(inside, place - self.starts + 1, np.where(numbers == 0, 0, -1))


def _texts(treebank: Treebank, column: str) -> list[Any]:
    strings = treebank.vocabularies[column].strings
    return [strings[code] for code in treebank.columns[column].tolist()]


def _differences(
    words: WordPairs,
    earned: Mapping[str, Floats],
    worth: Floats,
    gold: _GoldCells,
    kept: Bools,
    *,
    taxonomy: Taxonomy | None,
) -> dict[int, dict[str, Any]]:
    """For each item what a system has otherwise, as the fields of a `SystemReport`."""
    match = words.segment.match
    place = np.arange(words.size) if match.words is None else match.words
    matched = (place >= 0) & kept[gold.items]
    found: dict[int, dict[str, Any]] = {}

    def report(at: int) -> tuple[dict[str, Any], int]:
        """The report of a word's item, and the word's place in it."""
        empty: dict[str, Any] = {"wrong": {}, "missing": [], "paths": {}}
        return found.setdefault(int(gold.items[at]), empty), at - int(gold.starts[at]) + 1

    for at in np.flatnonzero((place < 0) & kept[gold.items]).tolist():
        fields, number = report(at)
        fields["missing"].append(number)
    for score, points in earned.items():
        column = COMPARED[score]
        # A relation to the wrong head is not wrong by itself.
        right = words.equal("DEPREL") if score == "las" else points
        wrong = np.flatnonzero(matched & (right < (worth if score == "lemma" else 1)))
        cells = _system_cells(match, column, place, gold)
        for at in wrong.tolist():
            fields, number = report(at)
            fields["wrong"].setdefault(column.lower(), {})[number] = cells(at)
            if column == "SEMCLASS" and taxonomy is not None:
                way = _class_path(gold.columns["semclass"][at], cells(at), taxonomy)
                fields["paths"] |= {number: way} if way else {}
    return found


def _system_cells(match: Match, column: str, place: Ints, gold: _GoldCells) -> Callable[[int], Any]:
    """What a system has in a column at each gold word."""
    system = match.system
    if column != "HEAD" or not system.words:
        return lambda at: system.text(column, int(place[at]))
    gold_word = None
    if match.words is not None:
        gold_word = np.full(system.words, -1, np.int64)
        gold_word[place[place >= 0]] = np.flatnonzero(place >= 0)
    heads = gold.heads(system, np.maximum(place, 0), gold_word)
    return lambda at: int(heads[at])


def _class_path(ours: str, theirs: str, taxonomy: Taxonomy) -> str:
    """The way from the gold's class to the system's: DOG → CANINAE → ANIMAL."""
    if {ours, theirs} & {*EMPTY}:
        return ""
    way = taxonomy.path(ours, theirs)
    return " → ".join(way) if way else f"{ours} and {theirs} are in different trees or unknown"
