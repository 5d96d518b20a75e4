"""Parse: gold and system trees with what differs, and the way between two classes.

The trees come from the document `sentences.json`, which has the sentences that lose most, word by
word; other sentences open with their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gistmeter.core.types import Sheet
from gistmeter.core.views import Block, Chart, Dots, Opener, Point, Row, View, bars, shown
from gistmeter.parse.run_documents import Confusion, SentenceReport, WordReport

SCORES = ("total", "lemma", "upos", "feats", "uas", "las", "semslot", "semclass")
PARTED = ("las", "uas", "lemma", "upos")
TAGS = ("upos", "lemma", "semslot", "semclass")
DOCUMENT = "sentences.json"
LONGEST = 60  # words of a sentence that is drawn
DIFFERING = ("lemma", "upos", "feats", "head", "deprel", "semslot", "semclass")
PARTS = (("by_pos", "part of speech"), ("by_relation", "relation"))
MOST_PARTS, MOST_CONFUSIONS = 14, 12
NAMES = {
    "total": "all levels", "lemma": "lemmas", "upos": "parts of speech",
    "xpos": "language's own tags", "feats": "features", "uas": "heads", "las": "labelled heads",
    "semslot": "semantic roles", "semclass": "semantic classes",
}  # fmt: skip


class ParseView(View):
    """Trees of the sentences that lose most."""

    def blocks(self, row: Row, opener: Opener) -> list[Block]:
        if not {"uas", "upos"} & set(row.rows.numbers):
            return []
        known = [name for name in SCORES if math.isfinite(row.number(name))]
        scores = bars("Scores of the sentence", row, opener, known)
        row.used |= set(row.rows.numbers)  # the rest is bookkeeping of sums
        sentence = sentences(opener).get((row.key("system"), row.key("id")))
        if sentence is None:
            drawn = "Trees are drawn for the sentences that lose most."
            return [*scores, {"k": "note", "x": drawn}]
        words = sentence.tokens
        row.extra["w"] = sentence.lost
        row.extra["x"] = shown(" ".join(word.form for word in words), 160)
        lines = f"gold line {sentence.gold_line}, system line {sentence.system_line}"
        trees = [tree(words)] if 0 < len(words) <= LONGEST else []
        return [*trees, differences(words), *_ways(words), {"k": "note", "x": lines}, *scores]

    def charts(self, opener: Opener) -> list[Chart]:
        """A score by part of speech and by relation, the most frequent first."""
        documents = opener.documents("breakdown.json")
        charts: list[Chart] = []
        for key, title in PARTS:
            tables = {system: _by_label(parts, key) for system, parts in documents.items()}
            tables = {system: table for system, table in tables.items() if table}
            first = next(iter(tables.values()), {})
            known = {name for scores in first.values() for name in scores}
            score = next((name for name in PARTED if name in known), "")
            points = [
                Point(system, table[part][score], part)
                for part in list(first)[:MOST_PARTS]
                for system, table in tables.items()
                if score in table.get(part, {})
            ]
            if len(points) > 1:
                name = f"{NAMES[score]} ({score}) by {title}"
                charts.append(Dots(name, points, "higher is better", "the most frequent"))
        return charts

    def tables(self, opener: Opener) -> list[Sheet]:
        """What was taken for what, a table for each column."""
        rows: dict[str, list[list[object]]] = {}
        for system, columns in opener.documents("confusions.json").items():
            for column, entries in columns.items() if isinstance(columns, Mapping) else ():
                for entry in entries[:MOST_CONFUSIONS] if isinstance(entries, list) else ():
                    if confusion := Confusion.of(entry):
                        cells = [confusion.gold, confusion.system, confusion.count]
                        rows.setdefault(str(column), []).append([str(system), *cells])
        heads = ["system", "gold", "given", "times"]
        return [
            Sheet(f"{column}: what was taken for what", heads, lines)
            for column, lines in rows.items()
        ]


VIEW = ParseView(heading="Parse: morphology, syntax, semantics", noun="sentence", names=NAMES)


def _by_label(parts: Any, key: str) -> dict[str, dict[str, float]]:
    """The defined scores of each label, of a system's breakdown."""
    table = parts.get(key) if isinstance(parts, Mapping) else None
    return {
        str(label): {name: float(value) for name, value in scores.items() if value is not None}
        for label, scores in (table.items() if isinstance(table, Mapping) else ())
        if isinstance(scores, Mapping)
    }


def _ways(words: Sequence[WordReport]) -> list[Block]:
    """The ways through the taxonomy from gold's classes to the system's."""
    ways = [shown(f"{word.form}: {word.class_path}", 300) for word in words if word.class_path]
    groups = [["From gold to system", "", ways]]
    return [{"k": "facts", "n": "Taxonomy", "g": groups}] if ways else []


def sentences(opener: Opener) -> dict[tuple[str, str], SentenceReport]:
    """The documented sentences by system and id."""
    if "sentences" not in opener.kept:
        opener.kept["sentences"] = {
            (str(system), report.id): report
            for system, entries in opener.documents(DOCUMENT).items()
            for entry in (entries if isinstance(entries, list) else ())
            if (report := SentenceReport.of(entry))
        }
    reports: dict[tuple[str, str], SentenceReport] = opener.kept["sentences"]
    return reports


def tree(words: Sequence[WordReport]) -> Block:
    """Words with gold and system heads by position; -1 is the root, null unknown."""
    place = {(word.sentence, word.id): at for at, word in enumerate(words)}
    their_place = {
        (word.system_sentence, word.system_id or word.id): at for at, word in enumerate(words)
    }
    tags = [tag for tag in TAGS if any(word.gold.get(tag, "_") not in ("_", "") for word in words)]
    lines = []
    for word in words:
        gold, system = word.gold, word.system or {}
        lines.append(
            {
                "f": shown(word.form, 40),
                "g": _head(word.sentence, gold.get("head"), place),
                "s": _head(word.system_sentence, system.get("head"), their_place),
                "gr": shown(str(gold.get("deprel", "")), 24),
                "sr": shown(str(system.get("deprel", "")), 24),
                "t": [
                    [shown(str(gold.get(tag, "_")), 28), shown(str(system.get(tag, "–")), 28)]
                    for tag in tags
                ],
            }
        )
    return {"k": "tree", "n": tags, "w": lines}


def _head(sentence: int | None, head: Any, place: Mapping[Any, int]) -> int | None:
    return -1 if str(head) == "0" else place.get((sentence, str(head)))


def differences(words: Sequence[WordReport]) -> Block:
    """The words that differ, field by field; a wrong cell is marked."""
    fields = [name for name in DIFFERING if any(name in word.wrong for word in words)]
    rows: list[list[Any]] = []
    for word in words:
        if not word.wrong and word.system is not None:
            continue
        cells: list[Any] = [shown(word.id), shown(word.form, 60)]
        for name in fields:
            ours = shown(str(word.gold.get(name, "_")), 60)
            theirs = shown(str((word.system or {}).get(name, "–")), 60)
            cells.append([f"{ours} ≠ {theirs}"] if name in word.wrong else ours)
        rows.append(cells)
    heads = ["id", "form", *fields]
    return {"k": "table", "n": "What differs: gold ≠ system", "c": heads, "r": rows}
