"""Figures of the product on what `training/` keeps aside, written to a file to compare with later.

    python -m benchmarks.freeze benchmarks/data/validity_before.json [--groups N] [--rows N]

Sets and measures are those of `training.measure`: matched contrasts as AUC, degrees as Spearman
correlations. Every score is what a user gets; `similarity` is the judge's own output.
"""

from __future__ import annotations

import argparse
import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
from training import devsets, measure
from training.rows import Row

from benchmarks.validity import DATA, Numbers, Scorers

logger = logging.getLogger(__name__)
SETS = {
    "far": "AUC: the same in quite other words above another meaning in quite other words",
    "near": "AUC: minimal edits that change nothing above minimal edits that change the meaning",
    "idiom": "AUC: right explanations of an idiom above wrong ones, against a dictionary's",
    "speech": "AUC: harmless transcripts above harmful ones",
    "claims": "AUC: claims that a passage supports above claims that it contradicts",
    "abridged": "AUC: fair abridgements of a passage above ones with one changed fact",
    "degrees": "Spearman: six versions of a text against the share of the meaning they keep",
    "graded": "Spearman: machine translations beside their post-edited form, people's adequacy",
    "sts": "Spearman: people's similarity of sentences, dev sets",
}


def scores(scorers: Scorers, rows: list[Row], language: str, *, spoken: bool) -> dict[str, Numbers]:
    """Every score of (reference, candidate) pairs, higher for more of the same meaning."""
    pairs = [(row.first, row.second) for row in rows]
    found = {
        "cosine": scorers.cosine(pairs),
        "bertscore": scorers.bertscore(pairs),
        "similarity": scorers.judge.judge(pairs).similarity,
        "s_acc": scorers.scored(pairs, language, "s_acc"),
        "s_logic": scorers.scored(pairs, language, "s_logic"),
        "gist": scorers.scored(pairs, language, "gist"),
    }
    if spoken:
        found["gist"] = scorers.speech(pairs, language)["gist"]
    return found


def freeze(data: Path, groups: int, limit: int) -> dict[str, Any]:
    scorers = Scorers()
    figures: dict[str, dict[str, Any]] = {name: {} for name in SETS}
    for (name, language), (good, bad) in measure.contrast_rows(groups).items():
        made = scores(scorers, [*good, *bad], language, spoken=name == "speech")
        size = len(good)
        figures[name][language] = {
            "n": len(good) + len(bad),
            "mean gist of the good": round(float(made["gist"][:size].mean()), 3),
            **{
                key: round(measure.auc(values[:size], values[size:]), 3)
                for key, values in made.items()
            },
        }
        logger.info("%s %s %s", name, language, figures[name][language])
    graded = measure.graded_rows(data, limit)
    similar = devsets.similarity_sets(data)
    for name, sets in (
        ("degrees", measure.degree_rows(groups)),
        ("graded", graded),
        ("sts", {code: measure.thin(rows, limit) for code, rows in similar.items()}),
    ):
        for code, rows in sets.items():
            language = code.split("_")[-1]
            made = scores(scorers, rows, language, spoken=False)
            truth = [row.degree for row in rows]
            figures[name][code] = {
                "n": len(rows),
                **{
                    key: round(measure.spearman(np.asarray(values), truth), 3)
                    for key, values in made.items()
                },
            }
            logger.info("%s %s %s", name, code, figures[name][code])
    return {
        "sets": {name: {"what": what, **figures[name]} for name, what in SETS.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.freeze")
    parser.add_argument("file", type=Path)
    parser.add_argument("--data", type=Path, default=DATA, help="the data folder")
    parser.add_argument("--groups", type=int, default=40, help="written groups per language")
    parser.add_argument("--rows", type=int, default=150, help="rows of each other set")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    found = freeze(given.data, given.groups, given.rows)
    given.file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
