"""Text: prediction and references, with shared words, polar words and negations marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from gistmeter.report.html.drilldown.opening import Block, Item, Opener, marked, rounded
from gistmeter.report.html.wording import LONGEST, shown

SEPARATOR = " || "
COMPONENTS = (
    "s_acc", "cross_encoder", "representation", "bertscore", "sts", "lexical_cosine", "f_beta",
    "s_logic", "s_info",
)  # fmt: skip
LABELS = {"prediction": "Prediction", "reference": "Reference"}


def blocks(item: Item, opener: Opener) -> list[Block]:  # noqa: ARG001
    """Blocks of an item with a prediction and references."""
    if "prediction" not in item.rows.texts or "reference" not in item.rows.texts:
        return []
    prediction, reference = item.text("prediction"), item.text("reference")
    marks = item.document("marks")
    marks = marks if isinstance(marks, dict) else {}
    words = [word for word in marks.get("shared", []) if isinstance(word, str)]
    found = [_block("Prediction", prediction, words, marks.get("prediction"), item)]
    references = reference.split(SEPARATOR) if reference else []
    spans = marks.get("references") or []
    for at, text in enumerate(references):
        label = "Reference" if len(references) == 1 else f"Reference {at + 1}"
        found.append(_block(label, text, words, spans[at] if at < len(spans) else [], item))
    reading = item.text("reading")
    if reading:
        found.append({"k": "note", "n": "Reading", "x": shown(reading)})
    bars = component_bars(item, COMPONENTS)
    return [*found, bars] if bars else found


def component_bars(item: Item, names: Iterable[str]) -> Block | None:
    """Scores between 0 and 1 as bars; None where the item has none of them."""
    rows: list[list[Any]] = [
        [name, rounded(item.number(name)), 0, 1, ""] for name in names if name in item.rows.numbers
    ]
    if item.number("polarity_conflict") > 0:
        rows.append(["polarity_conflict", 1, 0, 1, ""])
    return {"k": "bars", "n": "Components", "r": rows} if rows else None


def _block(label: str, text: str | None, words: Sequence[str], spans: Any, item: Item) -> Block:
    if not text:
        return {"k": "note", "n": label, "x": "(empty)"}
    cut = text[:LONGEST]
    runs = mark(cut, words, _valid(spans, len(cut)))
    if len(text) > LONGEST:
        runs.append((f" … (+{len(text) - LONGEST:,} characters)", ""))
    return marked(label, runs, item.lang(cut))


def _valid(spans: Any, length: int) -> list[tuple[int, int, str]]:
    """The spans that are what they should be, from left to right."""
    found = []
    for span in spans if isinstance(spans, list) else []:
        if isinstance(span, list) and len(span) == 3:
            start, end, kind = span
            if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= length:
                found.append((start, end, str(kind)))
    return sorted(found)


def mark(
    text: str, words: Sequence[str], spans: Sequence[tuple[int, int, str]]
) -> list[tuple[str, str]]:
    """The text cut into runs: polar words as given, and shared words wherever they occur."""
    kinds = [""] * len(text)
    for start, end in _occurrences(text, words):
        kinds[start:end] = ["shared"] * (end - start)
    for start, end, kind in spans:
        kinds[start:end] = [kind] * (end - start)
    runs: list[tuple[str, str]] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or kinds[at] != kinds[start]:
            runs.append((shown(text[start:at]), kinds[start]))
            start = at
    return runs


def _occurrences(text: str, words: Sequence[str]) -> Iterable[tuple[int, int]]:
    """Where words stand in a text, ignoring case; whole words where words are spaced."""
    if not words:
        return []
    ordered = sorted({word for word in words if word}, key=len, reverse=True)
    spelled = [
        rf"\b{re.escape(word)}\w{{0,3}}" if word[0].isascii() else re.escape(word)
        for word in ordered
    ]
    return (found.span() for found in re.finditer("|".join(spelled), text, re.IGNORECASE))
