"""How far a changed fact and a contradiction lower the judge's similarity: a table to choose from.

`python -m training.lowering DATA [ROWS]` prints, for each pair of weights, the mean Spearman
correlation with people over the STS dev sets and the mean AUC of kept above changed texts over the
rule-made dev sets. The constants `CHANGED` and `CONTRADICTED` of `gistmeter.models.judge` were
chosen from it.
"""

from __future__ import annotations

import sys
import tempfile
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from gistmeter.models.judge import Judge
from gistmeter.models.protocols import Verdicts
from training import devsets
from training.evaluate import auc, thin
from training.rows import Row

WEIGHTS = (0.0, 0.3, 0.5, 0.7, 0.9, 1.0)
LANGUAGES = ("en", "zh", "ru", "ko", "ja", "cs")


def main() -> None:
    data, limit = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 300
    judge = Judge(Path(tempfile.mkdtemp()))

    def ask(rows: list[Row]) -> Verdicts:
        return judge.judge([(row.first, row.second) for row in rows])

    similar = [thin(rows, limit) for rows in devsets.similarity_sets(data).values()]
    contrast = [thin(devsets.contrast_sets(data)[code], limit) for code in LANGUAGES]
    told = [(rows, ask(rows)) for rows in similar], [(rows, ask(rows)) for rows in contrast]
    for changed, contradicted in product(WEIGHTS, WEIGHTS):
        spearman = [
            spearmanr(lower(one, changed, contradicted), [row.similarity for row in rows]).statistic
            for rows, one in told[0]
        ]
        areas = []
        for rows, one in told[1]:
            scores = lower(one, changed, contradicted)
            bad = np.asarray([row.changed == 1 for row in rows])
            areas.append(auc(scores[~bad], scores[bad]))
        print(f"{changed:.1f} {contradicted:.1f} {np.mean(spearman):.4f} {np.mean(areas):.4f}")


def lower(verdicts: Verdicts, changed: float, contradicted: float) -> np.ndarray:
    kept = (1 - changed * verdicts.changed) * (1 - contradicted * verdicts.contradiction)
    return verdicts.similarity * kept


if __name__ == "__main__":
    main()
