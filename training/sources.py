"""Training data as groups, from the files of the data folder; and what is kept out of them.

Sets whose origin is non-commercial are not read at all: kornli_xnli, jsick and its stress tests.
`SHARES` says how much of a set one pass draws.
"""

from __future__ import annotations

import gzip
import json
import math
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from training.edits import HELD_OUT_KINDS, change, noise, reword
from training.held_out import bucket
from training.rows import (
    CONTRADICTION,
    ENTAILMENT,
    LABELS,
    NOT_ENTAILMENT,
    UNKNOWN,
    Group,
    Row,
)

NLI_SHARES = {
    "klue_nli_train": 1.0,
    "chinese_snli": 1.0,
    "snli_devtest": 1.0,
    "mnli_dev_matched": 1.0,
    "taxinli_mnli": 1.0,
    "cad_snli": 1.0,
    "conjnli": 0.12,
    "med": 0.2,
    "breaking_nli": 0.15,
    "negation_mnli": 0.5,
    "negation_rte": 0.3,
    "negation_snli": 0.5,
    "fever_symmetric": 0.5,
    "scitail_dev": 0.5,
    "janli": 0.12,
    "jamp": 0.15,
    "jsem": 1.0,
    "terra": 1.0,
    "rcb": 1.0,
    "rte3_fr": 1.0,
    "indonli": 0.6,
}
STS_SHARES = {
    "klue_sts_train": 0.5,
    "korsts": 0.8,
    "jsts": 0.8,
    "stsb_en": 0.6,
    "stsb_zh": 0.8,
    "stsb_ru": 0.8,
    "stsb_ja": 0.4,
    "stsb_de": 0.15,
    "stsb_fr": 0.15,
    "stsb_pl": 0.25,
}
PARA_SHARES = {"pawsx": 0.35, "mlqe_critical_errors_xling": 0.06, "parakqc_ko": 0.15, "tmup": 1.0}
EDIT_SHARES = {"demetr": 0.08, "menli": 0.1}
RULE_SHARES = {"zh": 0.12, "ja": 0.12, "ko": 0.15, "en": 0.08, "ru": 0.3, "cs": 0.25}
UNBALANCED = ("jsem",)  # most of its rows are entailed; a pass draws as many of each label
CHANGING = (
    "negation",
    "antonym",
    "ne_replaced",
    "numbers_replaced",
    "gender",
    "addition",
    "menli_neg",
    "menli_name",
    "menli_num",
    "menli_word",
    "menli_pron",
    "menli_add",
)
OPPOSING = (
    "negation",
    "antonym",
    "ne_replaced",
    "numbers_replaced",
    "gender",
    "menli_neg",
    "menli_name",
    "menli_num",
    "menli_pron",
)
KEEPING = (
    "misspelled",
    "char_removed",
    "final_punc_removed",
    "punc_addition",
    "tokenized",
    "full_lower",
    "first_lower",
    "repeat2",
    "case",
    "function_word",
    "menli_typo",
    "menli_subject_verb_dis",
)
PAWS_LANGUAGES = {"zh": 1.0, "ja": 1.0, "ko": 1.0, "en": 1.0, "de": 0.3, "fr": 0.3, "es": 0.3}


def read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def balanced(rows: list[dict[str, Any]], chance: random.Random) -> list[dict[str, Any]]:
    """As many rows of each label as the rarest has."""
    by_label: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_label[row["label"]].append(row)
    least = min(map(len, by_label.values()))
    return [row for found in by_label.values() for row in chance.sample(found, least)]


def by_premise(source: str, rows: list[dict[str, Any]]) -> Iterator[Group]:
    """Rows of one premise together, at most four: it is then read once for them."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["premise"]].append(infer(row["premise"], row["hypothesis"], row["label"]))
    for members in groups.values():
        for start in range(0, len(members), 4):
            yield Group(source, tuple(members[start : start + 4]))


def infer(premise: str, hypothesis: str, name: str) -> Row:
    """A contradiction holds both ways and changes a fact; what is entailed changes none."""
    label = LABELS[name]
    changed = {ENTAILMENT: 0.0, CONTRADICTION: 1.0}.get(label, math.nan)
    back = CONTRADICTION if label == CONTRADICTION else UNKNOWN
    return Row(premise, hypothesis, label, changed=changed, backward=back)


def same(first: str, second: str, kind: str = "") -> Row:
    """Two texts of one meaning."""
    return Row(first, second, ENTAILMENT, math.nan, 0.0, kind, ENTAILMENT, 1.0)


def other(first: str, second: str, label: int, kind: str = "") -> Row:
    """Two texts with a fact that differs."""
    return Row(first, second, label, math.nan, 1.0, kind, label, 0.0)


def similar(source: str, rows: list[dict[str, Any]]) -> Iterator[Group]:
    """People's similarity; its ends also say something about entailment."""
    for at, row in enumerate(rows):
        score = row["score"]
        label = ENTAILMENT if score >= 0.95 else NOT_ENTAILMENT if score <= 0.5 else UNKNOWN
        texts = (row["a"], row["b"]) if at % 2 else (row["b"], row["a"])
        survives = 1.0 if score >= 0.95 else 0.0 if score <= 0.3 else math.nan
        changed = 0.0 if score >= 0.95 else math.nan
        yield Group(source, (Row(*texts, label, score, changed, "", label, survives),))


def graded(rows: list[dict[str, Any]]) -> Iterator[Group]:
    """Machine translations beside their post-edited form, with people's adequacy."""
    for row in rows:
        score = row["score"]
        survives = 1.0 if score >= 0.95 else 0.0 if score <= 0.4 else math.nan
        yield Group("graded", (Row(row["a"], row["b"], degree=score, survives=survives),))


def is_graded_aside(row: dict[str, Any]) -> bool:
    """Whether a graded pair is kept for measuring."""
    return bucket(f"aside {row['a']}") < 1 / 6


def paraphrases(source: str, rows: list[dict[str, Any]]) -> Iterator[Group]:
    for row in rows:
        if source == "pawsx" and bucket(row["a"]) >= PAWS_LANGUAGES[row["lang"]]:
            continue
        if source.startswith("mlqe") and (row["lang"] == "de" or is_held_out_czech(row)):
            continue
        pair = row["a"], row["b"]
        yield Group(source, (same(*pair) if row["label"] else other(*pair, NOT_ENTAILMENT),))


def is_held_out_czech(row: dict[str, Any]) -> bool:
    return row["lang"] == "cs" and bucket(row["b"]) < 0.06


def published_edits(source: str, rows: list[dict[str, Any]]) -> Iterator[Group]:
    """Edits that others made: of meaning (changed) or of form only (kept)."""
    for row in rows:
        kind, reference, good, bad = row["kind"], row["reference"], row["good"], row["bad"]
        if not good or good == reference:
            continue
        true = same(reference, good)
        if any(name in kind for name in CHANGING):
            label = CONTRADICTION if any(name in kind for name in OPPOSING) else NOT_ENTAILMENT
            base = reference if source == "menli" else good
            beside = reference if base == good else good
            changed = other(beside, bad, NOT_ENTAILMENT, kind), other(base, bad, label, kind)
            yield Group(source, (true, *changed), ((0, 1), (0, 2)))
        elif any(name in kind for name in KEEPING):
            yield Group(source, (same(reference, bad, kind),))
        elif "removed" in kind or "drop" in kind:
            yield Group(source, (true, Row(reference, bad, kind=kind)), ((0, 1),))


def rule_edits(
    language: str, pairs: list[tuple[str, str, bool]], chance: random.Random
) -> Iterator[Group]:
    """Contrast groups from true pairs; `symmetric` pairs may be edited on either side."""
    for first, second, symmetric in pairs:
        if symmetric and chance.random() < 0.5:
            first, second = second, first  # noqa: PLW2901
        options = [one for one in change(language, second, chance) if one[0] not in HELD_OUT_KINDS]
        if not options:
            continue
        kind, changed = pick(options, chance)
        opposite = NOT_ENTAILMENT if kind in {"quantity", "roles"} else CONTRADICTION
        kept = reword(language, second, chance) or [("noise", noise(language, second, chance))]
        rows = [same(second, *reversed(pick(kept, chance))), other(second, changed, opposite, kind)]
        ranks = [(0, 1)]
        if first != second:
            true = same(first, second)
            if not symmetric:
                true = replace(true, backward=UNKNOWN, survives=math.nan)
            rows += [true, other(first, changed, NOT_ENTAILMENT, kind)]
            ranks += [(2, 1), (2, 3), (0, 3)]
        again = reword(language, changed, chance)
        if again and chance.random() < 0.4:  # the changed fact stays on both sides: the same again
            rows.append(same(changed, again[0][1], "same after change"))
        elif again and chance.random() < 0.5:
            rows.append(other(second, again[-1][1], NOT_ENTAILMENT, "two edits"))
        yield Group(f"rules-{language}", tuple(rows), tuple(ranks))


def pick(options: list[tuple[str, str]], chance: random.Random) -> tuple[str, str]:
    """Rare kinds a little more often than they occur."""
    weights = [
        {"negation": 1.0, "antonym": 1.0, "synonym": 1.0, "numeral": 0.7}.get(kind, 1.5)
        for kind, _ in options
    ]
    return chance.choices(options, weights)[0]


def true_pairs(folder: Path, language: str) -> list[tuple[str, str, bool]]:
    """Pairs of one meaning in one language, or single sentences paired with themselves."""
    pairs: list[tuple[str, str, bool]] = []
    for name in {
        "zh": ["stsb_zh"],
        "ja": ["stsb_ja", "jsts"],
        "ko": ["korsts", "klue_sts_train"],
        "en": ["stsb_en"],
        "ru": ["stsb_ru"],
    }.get(language, []):
        rows = read(folder / "sts" / f"{name}.jsonl.gz")
        pairs += [(row["a"], row["b"], True) for row in rows if row["score"] >= 0.8]
        pairs += [(row["b"], row["b"], True) for row in rows if row["score"] < 0.3][:1500]
    for name in {
        "zh": ["chinese_snli"],
        "ja": ["jsem"],
        "ko": ["klue_nli_train"],
        "ru": ["terra", "rcb"],
        "en": ["snli_devtest"],
    }.get(language, []):
        rows = read(folder / "nli" / f"{name}.jsonl.gz")
        pairs += [
            (row["premise"], row["hypothesis"], False)
            for row in rows
            if row["label"] == "entailment"
        ]
    if language in {"zh", "ja", "ko", "en"}:
        rows = read(folder / "para" / "pawsx.jsonl.gz")
        pairs += [
            (row["a"], row["b"], True) for row in rows if row["lang"] == language and row["label"]
        ]
    if language == "cs":
        rows = read(folder / "para" / "mlqe_critical_errors_xling.jsonl.gz")
        rows = [row for row in rows if row["lang"] == "cs" and not is_held_out_czech(row)]
        pairs += [
            (row["a"] if row["label"] and at % 2 else row["b"], row["b"], False)
            for at, row in enumerate(rows)
        ]
        pairs += [
            (text, text, True)
            for text in plain_sentences(folder.parent / "parse" / "cs_pud-ud-test.conllu")
        ]
    return pairs


def plain_sentences(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]


def noisy(folder: Path, chance: random.Random) -> Iterator[Group]:
    """Transcripts with slips of the ear: the meaning is kept, and a changed fact is worse."""
    for language, name in (
        ("fr", "stsb_fr"),
        ("en", "stsb_en"),
        ("ru", "stsb_ru"),
        ("de", "stsb_de"),
        ("ko", "korsts"),
        ("zh", "stsb_zh"),
        ("ja", "stsb_ja"),
    ):
        for row in read(folder / "sts" / f"{name}.jsonl.gz")[::4]:
            text = row["a"]
            little, more = noise(language, text, chance, 1), noise(language, text, chance, 4)
            rows = [
                same(text, little, "noise"),
                Row(text, more, kind="noise"),
            ]
            yield Group("noise", tuple(rows), ((0, 1),))
