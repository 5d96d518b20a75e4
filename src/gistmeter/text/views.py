"""Text: prediction and references, with shared words, polar words and negations marked.

A partial S_Acc is shown with what it is worth beside one of its own parts: Spearman's rho with
people's judgements of sentence pairs (development sets of the STS benchmarks), of S_Acc without its
cross-encoder and of the part that agrees best alone, with the models that come along.
`benchmarks/validity.py --only sts` measures them ("s_acc before", "cosine"). A language that is not
here was not measured, and that is what is said of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gistmeter.core.views import LONGEST, Block, Opener, Row, View, bars, mark, marked, shown, valid
from gistmeter.core.wording import listed
from gistmeter.languages import name_of
from gistmeter.metrics.views import NAMES as ALARMS
from gistmeter.metrics.views import evidence_blocks, shown_alarms
from gistmeter.text.formats.answer_columns import QUESTION
from gistmeter.text.metrics.comparisons import stored_references

if TYPE_CHECKING:
    from gistmeter.core.run import Run

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


WORDS = "words alone count there, so a paraphrase loses and a negation costs nothing"
VECTORS = "vectors hardly change with a negation or a number"
METHODS = {
    "gist": "the share of the meaning that survived, as careful readers would rate it",
    "s_acc": "the semantic accuracy of OrderProbe (He et al. 2026, arXiv:2601.08626), made of"
    " cross-encoder, representation and F-beta",
    "s_logic": "the probability that the prediction follows from the reference (He et al. 2026)",
    "s_cons": "consistency over arrangements (after He et al. 2026)",
    "s_rob": "the harmonic mean of robustness to order and by structure (He et al. 2026)",
    "alarms": "the share of answers with a number, date, unit, name or negation that differs from"
    " every reference",
}


@dataclass(frozen=True, slots=True)
class MeasuredAgreement:
    """Agreement with people on so many pairs: of a partial S_Acc, and of its best part."""

    pairs: int
    whole: float
    part: float
    name: str = "sts"


MEASURED = {
    "en": MeasuredAgreement(1500, 0.846, 0.872),
    "zh": MeasuredAgreement(1500, 0.789, 0.827),
    "ru": MeasuredAgreement(1500, 0.799, 0.823),
    "ko": MeasuredAgreement(1500, 0.790, 0.807),
}
BLIND = "Neither sees a negation; the judge does (leave out --no-judge)."


class TextView(View):
    """Marked texts and the components of the score."""

    def cautions(self, run: Run) -> list[str]:
        remark = caution(run)
        return [remark] if remark else []

    def blocks(self, row: Row, opener: Opener) -> list[Block]:
        if "prediction" not in row.rows.texts or "reference" not in row.rows.texts:
            return []
        marks = row.document("marks")
        marks = marks if isinstance(marks, dict) else {}
        words = [word for word in marks.get("shared", []) if isinstance(word, str)]
        alarms = shown_alarms(row)
        spans = _joined(marks.get("prediction"), alarms.said)
        found = [_block("Prediction", row.text("prediction"), words, spans, row)]
        if stripped := row.text("stripped"):
            found.append({"k": "note", "n": "Taken off around it", "x": shown(stripped)})
        references = stored_references(row)
        polar = marks.get("references") or []
        for at, text in enumerate(references):
            label = "Reference" if len(references) == 1 else f"Reference {at + 1}"
            spans = _joined(
                polar[at] if at < len(polar) else [],
                alarms.expected if at == alarms.reference else [],
            )
            found.append(_block(label, text, words, spans, row))
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
    rated=("reference", "prediction"),
    against=(("s_acc", "s_logic"),),
    decisive=("gist", "s_acc", "s_logic", "s_cons", "s_rob", "alarms"),
    blind={
        **dict.fromkeys(("lexical_cosine", "f_beta"), WORDS),
        **dict.fromkeys(("bertscore", "sts", "representation"), VECTORS),
    },
    methods=METHODS,
    asked=QUESTION,
    legend=(
        ("shared", "words that prediction and reference share"),
        ("positive", "praise"), ("negative", "blame"), ("negation", "negation"),
        ("turned", "turned round by a negation"), ("alarm", "a fact that differs"),
    ),
)  # fmt: skip


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


def caution(run: Run) -> str:
    """Said of an S_Acc that lacks its cross-encoder and nothing else, made as it was measured."""
    scores = [system.scores for system in run.systems.values()]
    partial = {named["s_acc"].partial for named in scores if "s_acc" in named}
    settings = run.settings
    chosen = any(settings.get(role) for role in ("embedder", "token_encoder", "cross_encoder"))
    if partial != {("cross_encoder",)} or settings.get("profile") != "embedded" or chosen:
        return ""
    known = [code for code in _languages(run) if code.partition("-")[0] in MEASURED]
    if not known:
        return (
            "S_Acc* has no cross-encoder here. How it then agrees with people was not measured in "
            f"this language; in {listed([name_of(code) for code in MEASURED])} its part sts alone "
            f"agreed more. Look at sts too. {BLIND}"
        )
    measured = {code: MEASURED[code.partition("-")[0]] for code in known}
    sentences = [
        f"on {of.pairs:,} {name_of(code)} sentence pairs rho was {of.whole:.3f}, and "
        f"{of.part:.3f} of {of.name}"
        for code, of in measured.items()
    ]
    return (
        "S_Acc* without its cross-encoder agreed with people less than one of its parts alone: "
        f"{'; '.join(sentences)}. Look at {measured[known[0]].name} too. {BLIND}"
    )


def _languages(run: Run) -> list[str]:
    column = run.rows.texts.get("language") if run.rows is not None else None
    if column:
        return sorted({code for code in column if code})
    given = run.settings.get("language")
    return [given] if isinstance(given, str) else list(given or ())
