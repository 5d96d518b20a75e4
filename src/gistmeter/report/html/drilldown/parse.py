"""Parse: gold and system trees with what differs, and the way between two classes.

The trees come from the document `sentences.json`, which has the sentences that lose most, word by
word; other sentences open with their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gistmeter.report.html.drilldown.opening import Block, Item, Opener, rounded
from gistmeter.report.html.wording import shown

SCORES = ("total", "lemma", "upos", "feats", "uas", "las", "semslot", "semclass")
TAGS = ("upos", "lemma", "semslot", "semclass")
DOCUMENT = "sentences.json"
LONGEST = 60  # words of a sentence that is drawn


def blocks(item: Item, opener: Opener) -> list[Block]:
    """Blocks of a sentence that was parsed."""
    if not {"uas", "upos"} & set(item.rows.numbers):
        return []
    found: list[Block] = []
    rows = [
        [name, rounded(item.number(name)), 0, 1, ""]
        for name in SCORES
        if name in item.rows.numbers and math.isfinite(item.number(name))
    ]
    item.used |= set(item.rows.numbers)  # the rest is bookkeeping of sums
    sentence = sentences(opener).get((item.key("system"), item.key("id")))
    if sentence is not None:
        tokens = [token for token in sentence.get("tokens") or [] if isinstance(token, Mapping)]
        lost = sentence.get("lost")
        item.extra["w"] = float(lost) if isinstance(lost, int | float) else 0.0
        item.extra["x"] = shown(" ".join(str(token.get("form", "")) for token in tokens), 160)
        found += [tree(tokens)] if 0 < len(tokens) <= LONGEST else []
        found.append(differences(tokens))
        ways = [
            shown(f"{token.get('form')}: {token['class_path']}", 300)
            for token in tokens
            if token.get("class_path")
        ]
        if ways:
            found.append({"k": "facts", "n": "Taxonomy", "g": [["From gold to system", "", ways]]})
        lines = f"gold line {sentence.get('gold_line')}, system line {sentence.get('system_line')}"
        found.append({"k": "note", "x": lines})
    if rows:
        found.append({"k": "bars", "n": "Scores of the sentence", "r": rows})
    if sentence is None:
        found.append({"k": "note", "x": "Trees are drawn for the sentences that lose most."})
    return found


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
