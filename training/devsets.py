"""Sets for measuring, none of them trained on: people's similarity, entailment, contrast pairs."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

from training import sources
from training.edits import change, reword
from training.held_out import bucket, is_for_calibration, is_held_out, is_held_out_chinese
from training.rows import LABELS, UNKNOWN, Row


def similarity_sets(folder: Path) -> dict[str, list[Row]]:
    """STS with scores 0 to 1, by language."""
    found: dict[str, list[Row]] = {}
    for language in ("en", "zh", "ru"):
        path = folder / "sts" / f"stsb-{language}-dev.csv"
        with path.open(encoding="utf-8", newline="") as file:
            found[language] = [
                Row(a, b, UNKNOWN, float(score) / 5) for a, b, score in csv.reader(file)
            ]
    lines = (folder / "sts" / "korsts-dev.tsv").read_text(encoding="utf-8").splitlines()[1:]
    cells = [line.split("\t") for line in lines]
    found["ko"] = [
        Row(one[5], one[6], UNKNOWN, float(one[4]) / 5) for one in cells if len(one) >= 7
    ]
    lines = (folder / "sts" / "jsts-valid.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    found["ja"] = [
        Row(one["sentence1"], one["sentence2"], UNKNOWN, one["label"] / 5) for one in rows
    ]
    return found


def held_out_similarity(folder: Path, name: str) -> list[Row]:
    """Pairs of a training set that are kept out of training."""
    rows = sources.read(folder / "train/sts" / f"{name}.jsonl.gz")
    every = (group.rows[0] for group in sources.similar(name, rows))
    return [row for row in every if is_held_out(row.first)]


def entailment_sets(folder: Path) -> dict[str, list[Row]]:
    """NLI, by set: KorNLI dev, JNLI valid, and the held-out Chinese and English premises."""
    lines = (folder / "nli" / "kornli-xnli-dev.tsv").read_text(encoding="utf-8").splitlines()[1:]
    cells = [line.split("\t") for line in lines]
    found = {"kornli": [Row(one[0], one[1], LABELS[one[2]]) for one in cells if len(one) == 3]}
    lines = (folder / "nli" / "jnli-valid.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    found["jnli"] = [Row(one["sentence1"], one["sentence2"], LABELS[one["label"]]) for one in rows]
    for name, rows in held_out_entailment(folder).items():
        found[name] = [row for row in rows if not is_for_calibration(row.first)]
    return found


def calibration_set(folder: Path) -> list[Row]:
    """Entailment rows that set the temperature and are in no other set."""
    sets = held_out_entailment(folder).values()
    return [row for rows in sets for row in rows if is_for_calibration(row.first)]


def held_out_entailment(folder: Path) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for name, files, is_kept in (
        ("zh held out", ["chinese_snli"], is_held_out_chinese),
        ("en held out", ["snli_devtest", "mnli_dev_matched"], is_held_out),
    ):
        paths = [folder / "train/nli" / f"{file}.jsonl.gz" for file in files]
        found[name] = [
            Row(row["premise"], row["hypothesis"], LABELS[row["label"]])
            for path in paths
            for row in sources.read(path)
            if is_kept(row["premise"])
        ]
    return found


def contrast_sets(folder: Path, seed: int = 5) -> dict[str, list[Row]]:
    """Texts kept (changed = 0: paraphrases that people scored 4.5 or more, rewordings by rule) and
    texts with one fact changed by rule (1, with its kind), by language.

    The texts come from dev sets and held-out Czech, never trained. German and French ones are in
    training as similarity pairs, but no edit in these languages is; the kind `date` is in none.
    """
    chance = random.Random(seed)
    found: dict[str, list[Row]] = {}
    for language, rows in similarity_sets(folder).items():
        found[language] = contrast(
            language, [(row.first, row.second) for row in rows if row.degree >= 0.9], chance
        )
    rows_ = sources.read(folder / "train/para/mlqe_critical_errors_xling.jsonl.gz")
    czech = [(row["b"], row["b"]) for row in rows_ if sources.is_held_out_czech(row)]
    found["cs"] = contrast("cs", czech, chance)
    for language in ("de", "fr"):
        rows_ = sources.read(folder / "train/sts" / f"stsb_{language}.jsonl.gz")
        good = [
            (row["a"], row["b"]) for row in rows_ if row["score"] >= 0.9 and bucket(row["a"]) < 0.3
        ]
        found[language] = contrast(language, good, chance)
    return found


def contrast(language: str, pairs: list[tuple[str, str]], chance: random.Random) -> list[Row]:
    rows = []
    for first, second in pairs:
        if first != second:
            rows.append(Row(first, second, changed=0.0, kind="paraphrase"))
        rows += [
            Row(second, text, changed=0.0, kind=kind)
            for kind, text in reword(language, second, chance)[:1]
        ]
        rows += [
            Row(first, text, changed=1.0, kind=kind)
            for kind, text in change(language, first, chance)
        ]
    return rows
