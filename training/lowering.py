"""How far entailment should raise and contradiction lower the judge's similarity: a table.

`python -m training.lowering DATA [ROWS]` prints, for each pair of weights, the mean Spearman
correlation with people over the STS dev sets, and the mean AUC of kept above changed texts over the
rule-made dev sets and over `written.tsv`, of the judge as cross-encoder and of the complete S_Acc
that it is half of. The rule of `gistmeter.models.judge.score_both_ways` was chosen from it (a
changed fact lowers nothing, since contradictions tell more).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from gistmeter import score_text
from gistmeter.models.judge import Judge
from gistmeter.models.protocols import Verdicts
from gistmeter.text.metrics.accuracy import Weights, weigh
from training import devsets, gist
from training.measure import auc, thin
from training.rows import Row

WEIGHTS = (0.0, 0.3, 0.5, 0.7, 0.9, 1.0)
LANGUAGES = ("en", "zh", "ru", "ko", "ja", "cs")
Set = tuple[list[Row], tuple[Verdicts, Verdicts], dict[str, np.ndarray]]
Lower = Callable[..., np.ndarray]


def main() -> None:
    data, limit = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 300
    judge = Judge(Path(tempfile.mkdtemp()))
    changed_sets = devsets.contrast_sets(data)
    similar = [
        ask(judge, code, thin(rows, limit)) for code, rows in devsets.similarity_sets(data).items()
    ]
    contrast = [ask(judge, code, thin(changed_sets[code], limit)) for code in LANGUAGES]
    written = [ask(judge, code, written_rows(code)) for code in LANGUAGES]
    print("raised lowered | cross-encoder: Spearman, AUC, written | S_Acc: the same")
    for raised, contradicted in product(WEIGHTS, WEIGHTS):
        lines = [
            (
                agreement(lower, similar, raised, contradicted),
                separation(lower, contrast, raised, contradicted),
                separation(lower, written, raised, contradicted),
            )
            for lower in (cross_encoder, accuracy)
        ]
        told = " | ".join(" ".join(f"{value:.4f}" for value in line) for line in lines)
        print(f"{raised:.1f} {contradicted:.1f} | {told}")


def ask(judge: Judge, code: str, rows: list[Row]) -> Set:
    """The judge's verdicts, and the other parts of S_Acc."""
    run = score_text(
        [row.second for row in rows], [row.first for row in rows], language=code,
        metrics=["s_acc"], no_judge=True, resamples=0,
    )  # fmt: skip
    table = run.to_polars()
    parts = {name: table[name].to_numpy() for name in ("representation", "f_beta")}
    there = judge.judge([(row.first, row.second) for row in rows])
    return rows, (there, judge.judge([(row.second, row.first) for row in rows])), parts


def written_rows(code: str) -> list[Row]:
    return [
        Row(first, second, changed=1 - kept)
        for first, second, language, kept, _ in gist.written_rows()
        if language == code
    ]


def agreement(lower: Lower, sets: list[Set], *weights: float) -> float:
    """With people, the mean over sets."""
    found = [
        spearmanr(lower(one, *weights), [row.degree for row in one[0]]).statistic for one in sets
    ]
    return float(np.mean(found))


def separation(lower: Lower, sets: list[Set], *weights: float) -> float:
    """Kept above changed texts, the mean over sets."""
    areas = []
    for one in sets:
        scores = lower(one, *weights)
        bad = np.asarray([row.changed == 1 for row in one[0]])
        areas.append(auc(scores[~bad], scores[bad]))
    return float(np.mean(areas))


def cross_encoder(one: Set, raised: float, contradicted: float) -> np.ndarray:
    there, back = one[1]
    alike, same = there.similarity, there.entailment * back.entailment
    return (alike + raised * (1 - alike) * same) * (1 - contradicted * there.contradiction)


def accuracy(one: Set, raised: float, contradicted: float) -> np.ndarray:
    columns = {"cross_encoder": cross_encoder(one, raised, contradicted), **one[2]}
    return np.nan_to_num(weigh(columns, Weights()))


if __name__ == "__main__":
    main()
