"""How well S_Acc and its components agree with people on sentence pairs.

python -m benchmarks comparison [LANGUAGE …]
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gistmeter.core.types import Pair

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "sts"


def read_pairs(path: Path) -> list[tuple[str, str, float]]:
    """Sentence pairs with people's similarity from 0 to 5."""
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return [(line["sentence1"], line["sentence2"], float(line["label"])) for line in lines]
    if path.suffix == ".tsv":
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
        return [(row["sentence1"], row["sentence2"], float(row["score"])) for row in rows]
    with path.open(encoding="utf-8", newline="") as stream:
        return [(row[0], row[1], float(row[2])) for row in csv.reader(stream) if len(row) == 3]


STS = {
    "en": "stsb-en-dev.csv",
    "zh": "stsb-zh-dev.csv",
    "ja": "jsts-valid.jsonl",
    "ko": "korsts-dev.tsv",
    "ru": "stsb-ru-dev.csv",
}


def sts(languages: Sequence[str]) -> None:
    """S_Acc and its components against people, with the embedded models."""
    from gistmeter.core.cache import Cache, cache_file
    from gistmeter.core.evaluation import evaluate
    from gistmeter.languages import get
    from gistmeter.models.loading import load_models
    from gistmeter.people.validation import Labels, validate
    from gistmeter.text.metrics.accuracy import SemanticAccuracy

    if not SHARED.is_dir():
        print(f"The sentence pairs are not here ({SHARED}): nothing to measure")
        return
    cache = Cache(cache_file())
    for code in languages or list(STS):
        judged = read_pairs(SHARED / STS[code])
        items = [
            Pair(str(number), second, (first,), language=code)
            for number, (first, second, _) in enumerate(judged)
        ]
        models = load_models(["embedder", "matcher"], language=code, cache=cache)
        metric = SemanticAccuracy({code: get(code)}, models.embedder, models.matcher)
        run = evaluate(items, {"s_acc": metric}, resamples=0)
        human = np.asarray([score for _, _, score in judged])
        found = validate(run, Labels(human, binary=False, unmatched=0, repeated=0))
        print(f"{code}: {len(items)} pairs")
        show(found.to_dict())


def show(found: dict[str, Any]) -> None:
    for name, one in found["scores"].items():
        if name in ("s_acc", "bertscore", "sts", "lexical_cosine", "representation", "f_beta"):
            cells = [one[key] for key in ("pearson", "spearman", "kendall", "accuracy")]
            told = "  ".join(f"{c['value']:.3f} ({c['low']:.3f}–{c['high']:.3f})" for c in cells)
            print(f"  {name:15} r, rho, tau, pairs: {told}")
    refit = found["weights"]
    if refit:
        parts = ", ".join(
            f"{one['name']} {one['given']:.2f} → {one['fitted']:.2f} (adds {one['adds']:+.3f})"
            for one in refit["components"]
        )
        print(f"  weights: {parts}")
        print(
            f"  r in use {refit['given_pearson']:.3f}, refitted {refit['fitted_pearson']:.3f}; "
            f"rho {refit['given_spearman']:.3f}, refitted {refit['fitted_spearman']:.3f}"
        )


if __name__ == "__main__":
    sts(sys.argv[1:])
