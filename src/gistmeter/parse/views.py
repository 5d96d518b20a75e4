"""Parse: gold and system trees with what differs, and the way between two classes.

The trees come from the document `sentences.json`, which has the sentences that lose most, word by
word; other sentences open with their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gistmeter.core.types import Sheet
from gistmeter.core.views import Block, Chart, Dots, Opener, Point, Row, View, bars, shown

SCORES = ("total", "lemma", "upos", "feats", "uas", "las", "semslot", "semclass")
PARTED = ("las", "uas", "lemma", "upos")
TAGS = ("upos", "lemma", "semslot", "semclass")
DOCUMENT = "sentences.json"
LONGEST = 60  # words of a sentence that is drawn


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
        tokens = [token for token in sentence.get("tokens") or [] if isinstance(token, Mapping)]
        lost = sentence.get("lost")
        row.extra["w"] = float(lost) if isinstance(lost, int | float) else 0.0
        row.extra["x"] = shown(" ".join(str(token.get("form", "")) for token in tokens), 160)
        lines = f"gold line {sentence.get('gold_line')}, system line {sentence.get('system_line')}"
        trees = [tree(tokens)] if 0 < len(tokens) <= LONGEST else []
        return [
            *trees, differences(tokens), *_ways(tokens), {"k": "note", "x": lines}, *scores,
        ]  # fmt: skip

    def charts(self, opener: Opener) -> list[Chart]:
        """A score by part of speech and by relation, the most frequent first."""
        held = opener.documents("breakdown.json")
        found: list[Chart] = []
        for key, title in PARTS:
            tables = {
                system: parts[key]
                for system, parts in held.items()
                if isinstance(parts, Mapping) and isinstance(parts.get(key), Mapping)
            }
            first: Mapping[str, Any] = next(iter(tables.values()), {})
            score = next((name for name in PARTED if _has(first, name)), "")
            points = [
                Point(system, table[part][score], part)
                for part in list(first)[:MOST_PARTS]
                for system, table in tables.items()
                if score and part in table and table[part].get(score) is not None
            ]
            if len(points) > 1:
                name = f"{NAMES[score]} ({score})"
                found.append(
                    Dots(f"{name} by {title}", points, "higher is better", "the most frequent")
                )
        return found

    def tables(self, opener: Opener) -> list[Sheet]:
        """What was taken for what, a table for each column."""
        found: dict[str, list[list[object]]] = {}
        for system, columns in opener.documents("confusions.json").items():
            for column, entries in columns.items() if isinstance(columns, Mapping) else ():
                for entry in entries[:MOST_CONFUSIONS] if isinstance(entries, list) else ():
                    pair = [str(entry.get("gold")), str(entry.get("system"))]
                    times = int(entry.get("count") or 0)
                    found.setdefault(str(column), []).append([str(system), *pair, times])
        heads = ["system", "gold", "given", "times"]
        return [
            Sheet(f"{column}: what was taken for what", heads, rows)
            for column, rows in found.items()
        ]


VIEW = ParseView(heading="Parse: morphology, syntax, semantics", noun="sentence", names=NAMES)


def _has(table: Mapping[str, Any], name: str) -> bool:
    return any(isinstance(part, Mapping) and part.get(name) is not None for part in table.values())


def _ways(tokens: list[Mapping[str, Any]]) -> list[Block]:
    """The ways through the taxonomy from gold's classes to the system's."""
    ways = [
        shown(f"{token.get('form')}: {token['class_path']}", 300)
        for token in tokens
        if token.get("class_path")
    ]
    groups = [["From gold to system", "", ways]]
    return [{"k": "facts", "n": "Taxonomy", "g": groups}] if ways else []


def sentences(opener: Opener) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The documented sentences by system and id."""
    if "sentences" not in opener.kept:
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        for name in opener.details:
            content = opener.details[name] if name.endswith(DOCUMENT) else None
            for system, entries in content.items() if isinstance(content, Mapping) else ():
                for entry in entries if isinstance(entries, list) else ():
                    found[str(system), str(entry.get("id"))] = entry
        opener.kept["sentences"] = found
    known: dict[tuple[str, str], Mapping[str, Any]] = opener.kept["sentences"]
    return known


def tree(tokens: list[Mapping[str, Any]]) -> Block:
    """Words with gold and system heads by position; -1 is the root, null unknown."""
    place = {(token.get("sentence"), str(token.get("id"))): at for at, token in enumerate(tokens)}
    their_place = {
        (token.get("system_sentence"), str(token.get("system_id", token.get("id")))): at
        for at, token in enumerate(tokens)
    }
    names = [
        tag
        for tag in TAGS
        if any(str((token.get("gold") or {}).get(tag, "_")) not in ("_", "") for token in tokens)
    ]
    words = []
    for token in tokens:
        gold, system = token.get("gold") or {}, token.get("system") or {}
        words.append(
            {
                "f": shown(str(token.get("form", "")), 40),
                "g": _head(token.get("sentence"), gold.get("head"), place),
                "s": _head(token.get("system_sentence"), system.get("head"), their_place),
                "gr": shown(str(gold.get("deprel", "")), 24),
                "sr": shown(str(system.get("deprel", "")), 24),
                "t": [
                    [shown(str(gold.get(tag, "_")), 28), shown(str(system.get(tag, "–")), 28)]
                    for tag in names
                ],
            }
        )
    return {"k": "tree", "n": names, "w": words}


def _head(sentence: Any, head: Any, place: Mapping[tuple[Any, str], int]) -> int | None:
    if str(head) == "0":
        return -1
    return place.get((sentence, str(head)))


def differences(tokens: list[Mapping[str, Any]]) -> Block:
    """The words that differ, field by field; a wrong cell is marked."""
    fields = [
        field
        for field in ("lemma", "upos", "feats", "head", "deprel", "semslot", "semclass")
        if any(field in (token.get("wrong") or ()) for token in tokens)
    ]
    rows: list[list[Any]] = []
    for token in tokens:
        wrong = set(token.get("wrong") or ())
        if not wrong and token.get("system") is not None:
            continue
        gold, system = token.get("gold") or {}, token.get("system") or {}
        cells: list[Any] = [shown(str(token.get("id", ""))), shown(str(token.get("form", "")), 60)]
        for field in fields:
            ours, theirs = str(gold.get(field, "_")), str(system.get(field, "–"))
            text = (
                shown(ours, 60)
                if field not in wrong
                else f"{shown(ours, 60)} ≠ {shown(theirs, 60)}"
            )
            cells.append([text] if field in wrong else text)
        rows.append(cells)
    return {
        "k": "table",
        "n": "What differs: gold ≠ system",
        "c": ["id", "form", *fields],
        "r": rows,
    }
