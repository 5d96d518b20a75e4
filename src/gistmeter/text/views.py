"""Text: prediction and references, with shared words, polar words and negations marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gistmeter.core.views import (
    LONGEST,
    Block,
    Opener,
    Row,
    View,
    bars,
    mark,
    marked,
    shown,
    valid,
)
from gistmeter.metrics.views import NAMES as ALARMS
from gistmeter.metrics.views import evidence_blocks, shown_alarms
from gistmeter.text.cautions import caution

if TYPE_CHECKING:
    from gistmeter.core.run import Run

SEPARATOR = " || "
COMPONENTS = (
    "gist",
    "s_acc", "cross_encoder", "representation", "bertscore", "sts", "lexical_cosine", "f_beta",
    "s_logic", "s_info",
)  # fmt: skip
NAMES = {
    "gist": "meaning kept",
    "s_acc": "semantic accuracy", "s_logic": "logical validity", "s_cons": "consistency",
    "s_rob": "robustness", "s_seq": "robustness to order", "s_struct": "robustness by structure",
    "s_info": "information", "recovery": "recovery", "bertscore": "word-by-word similarity",
    "sts": "sentence similarity", "cross_encoder": "similarity read together",
    "lexical_cosine": "shared words", "f_beta": "word overlap",
    "representation": "similarity of meaning", "polarity_conflict": "opposite polarity",
    **ALARMS,
}  # fmt: skip


class TextView(View):
    """Marked texts and the components of the score."""

    def cautions(self, run: Run) -> list[str]:
        told = caution(run)
        return [told] if told else []

    def blocks(self, row: Row, opener: Opener) -> list[Block]:
        if "prediction" not in row.rows.texts or "reference" not in row.rows.texts:
            return []
        prediction, reference = row.text("prediction"), row.text("reference")
        marks = row.document("marks")
        marks = marks if isinstance(marks, dict) else {}
        words = [word for word in marks.get("shared", []) if isinstance(word, str)]
        alarms = shown_alarms(row)
        found = [
            _block(
                "Prediction", prediction, words, _joined(marks.get("prediction"), alarms.said), row
            )
        ]
        references = reference.split(SEPARATOR) if reference else []
        spans = marks.get("references") or []
        for at, text in enumerate(references):
            label = "Reference" if len(references) == 1 else f"Reference {at + 1}"
            own = spans[at] if at < len(spans) else []
            told = alarms.expected if at == alarms.reference else []
            found.append(_block(label, text, words, _joined(own, told), row))
        found += alarms.blocks()
        found += evidence_blocks(row)
        reading = row.text("reading")
        if reading:
            found.append({"k": "note", "n": "Reading", "x": shown(reading)})
        conflict = ("polarity_conflict",) if row.number("polarity_conflict") > 0 else ()
        return found + bars("Components", row, opener, (*COMPONENTS, *conflict), lower=conflict)


VIEW = TextView(
    heading="Text: does it mean what it should?",
    names=NAMES,
    texts=("prediction", "reference"),
    reference="reference",
    against=(("s_acc", "s_logic"),),
)


def _block(label: str, text: str | None, words: Sequence[str], spans: Any, row: Row) -> Block:
    if not text:
        return {"k": "note", "n": label, "x": "(empty)"}
    cut = text[:LONGEST]
    runs = mark(cut, words, valid(spans, len(cut)))
    if len(text) > LONGEST:
        runs.append((f" … (+{len(text) - LONGEST:,} characters)", ""))
    return marked(label, runs, row.lang(cut))


def _joined(spans: Any, alarms: list[list[Any]]) -> list[Any]:
    """Marks of polarity, and those of alarms over them."""
    return [*(spans if isinstance(spans, list) else []), *alarms]
