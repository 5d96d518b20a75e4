"""Do words give the answer away? `python -m training.cues` prints a table.

For each kind of contrast, as training draws it: the AUC of "survives" (or "supported") by plain
cues alone. `overlap` is Dice over character pairs, `length` the candidate's length against the
reference's, `marks` the punctuation that the candidate has more or less of, `words` a linear model
on the candidate's character pairs and triples that never sees the reference; `all` is a model of
boosted trees on the plain cues. Models are tested on groups they were not fitted on. Chance is .5.
"""

from __future__ import annotations

import random
import re
from collections import Counter

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict

from training import written
from training.corpus import turn
from training.measure import auc
from training.rows import Row

SETS = ("near", "far", "idiom", "speech", "claims", "abridged")
MARKS = re.compile(r"[^\w\s]")
Numbers = npt.NDArray[np.float64]


def main() -> None:
    chance = random.Random(1)
    rows: dict[str, list[tuple[int, Row]]] = {name: [] for name in SETS}
    for number, group in enumerate(written.for_training()):
        for row in turn(written.draw(group, chance), chance).rows:
            if row.kind in rows:
                rows[row.kind].append((number, row))
    names = ("overlap", "length", "marks", "words", "all")
    print("| set | rows | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 2) + "|")
    for name, found in rows.items():
        figures = measure([row for _, row in found], [number for number, _ in found])
        told = " | ".join(f"{figures[one]:.2f}" for one in names)
        print(f"| {name} | {len(found):,} | {told} |")


def measure(rows: list[Row], groups: list[int]) -> dict[str, float]:
    """The AUC of each cue; of a plain cue in its better direction."""
    good = np.asarray([row.changed == 0 for row in rows])
    table = np.asarray([plain(row) for row in rows])

    def area(values: Numbers) -> float:
        return auc(values[good], values[~good])

    texts = HashingVectorizer(
        analyzer="char", ngram_range=(2, 3), n_features=2**16, alternate_sign=False
    ).transform([row.second for row in rows])
    folds = GroupKFold(5)
    fitted = {
        name: cross_val_predict(model, inputs, good, groups=groups, cv=folds, method=method)
        for name, model, inputs, method in (
            ("words", LogisticRegression(C=1.0, max_iter=300), texts, "decision_function"),
            ("all", HistGradientBoostingClassifier(max_iter=60), table, "decision_function"),
        )
    }
    single = {
        name: max(area(table[:, at]), 1 - area(table[:, at]))
        for at, name in enumerate(("overlap", "length", "marks"))
    }
    return single | {name: area(values) for name, values in fitted.items()}


def plain(row: Row) -> list[float]:
    first, second = pairs(row.first), pairs(row.second)
    shared = (first & second).total()
    marks = [len(MARKS.findall(text)) for text in (row.first, row.second)]
    return [
        2 * shared / max(1, first.total() + second.total()),
        np.log((len(row.second) + 1) / (len(row.first) + 1)),
        float(marks[1] - marks[0]),
        shared / max(1, first.total()),
        shared / max(1, second.total()),
        float(marks[1]),
        float(len(row.second)),
    ]


def pairs(text: str) -> Counter[str]:
    letters = re.sub(r"[\W_]+", "", text.lower())
    return Counter(letters[at : at + 2] for at in range(len(letters) - 1))


if __name__ == "__main__":
    main()
