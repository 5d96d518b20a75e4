"""How fast the statistics and the report are, and how well scores agree with people.

    python benchmarks/comparison.py resampling   nine scores against scipy.stats.bootstrap
    python benchmarks/comparison.py report       a run of 50,000 items
    python benchmarks/comparison.py sts          agreement with people on sentence pairs

Ratios are taken within one run, so that a slow machine slows both sides.
"""

from __future__ import annotations

import csv
import json
import resource
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from gistmeter.rows import Pool, Rows, Value
from gistmeter.run import Run
from gistmeter.types import Pair, ScoreInfo

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "sts"
NAMES = tuple(f"score{number}" for number in range(9))
ITEMS = RESAMPLES = 10_000


@dataclass(frozen=True)
class Nine:
    """Nine scores of the same items."""

    scores: ClassVar[tuple[ScoreInfo, ...]] = tuple(ScoreInfo(name) for name in NAMES)

    def measure(self, items: Sequence[Any]) -> Rows:
        raise NotImplementedError

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {name: rows.mean(name) for name in NAMES}


def nine_rows(size: int = ITEMS, system: str = "a", shift: float = 0.0) -> Rows:
    random = np.random.default_rng(1)
    ids = [f"item{number}" for number in range(size)]
    keys = {"id": ids, "system": [system] * size, "group": [""] * size, "cluster": ids}
    columns = {name: random.normal(0.5 + shift, 0.2, size) for name in NAMES}
    return Rows(keys, np.arange(size)).with_numbers(columns)


def megabytes() -> float:
    """The most memory this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Watch:
    """Wall and processor time since it was made."""

    def __init__(self) -> None:
        self.started = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        wall, processor = self.started
        return time.perf_counter() - wall, time.process_time() - processor


def scipy_interval(values: Any) -> Any:
    from scipy import stats

    return stats.bootstrap(
        (values,), np.mean, n_resamples=RESAMPLES, batch=500, method="percentile", rng=1
    ).confidence_interval


def resampling() -> None:
    """Nine scores, 10,000 items, 10,000 resamples: one pass against nine calls of scipy."""
    from gistmeter.statistics import intervals

    rows = nine_rows()
    used = 0.0
    before = megabytes()
    mine, scipys, theirs = [], [], {}
    for at, name in enumerate(NAMES):
        if at % 2 == 0:  # in turns, so that other programs disturb both alike
            watch = Watch()
            ours = intervals(Nine().pool, rows, seed=1, resamples=RESAMPLES)
            mine.append(watch.read())
            used = megabytes() - before if at == 0 else used
        watch = Watch()
        theirs[name] = scipy_interval(rows.values(name))
        scipys.append(watch.read())
    apart = max(
        abs(bound - other)
        for name in NAMES
        for bound, other in zip(ours[name], theirs[name], strict=True)
    )
    for at, clock in enumerate(("wall", "processor")):
        one, nine = np.median([read[at] for read in mine]), sum(read[at] for read in scipys)
        print(
            f"{clock} time: gistmeter {one:.2f} s, scipy {nine:.2f} s: "
            f"{nine / one:.1f} times faster (limit 4)"
        )
    print(f"memory {used:.0f} MB for the resamples, {megabytes():.0f} MB in all (limit 500)")
    print(f"largest distance between the two intervals: {apart:.5f}")


def report() -> None:
    """A report over a run of 50,000 items: seconds (limit 30) and bytes."""
    from gistmeter.comparison import findings
    from gistmeter.report.html import write_report
    from gistmeter.statistics import count_reasons, summarise

    metric = Nine()
    rows = Rows.concat([nine_rows(25_000, "a"), nine_rows(25_000, "b", 0.01)])
    words = "a text of a few words that somebody wrote about something " * 2
    rows = rows.with_texts({"prediction": [words] * len(rows), "reference": [words] * len(rows)})
    systems = summarise(
        {"nine": metric}, rows, signatures={"nine": "nine"}, seed=1, resamples=1000, confidence=0.95
    )
    run = Run(
        "text", "nine", systems, count_reasons(rows), rows=rows, signatures={"nine": "nine"},
        metrics={"nine": metric},
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        started = time.perf_counter()
        found = findings(run)
        compared = time.perf_counter() - started
        write_report([run], path, comparisons=[found])
        total = time.perf_counter() - started
        print(f"comparison {compared:.1f} s, comparison and report {total:.1f} s (limit 30)")
        print(f"{path.stat().st_size / 1e6:.2f} MB (limit 3), memory {megabytes():.0f} MB")


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
    from gistmeter.cli.shared import cache_file

    from gistmeter.cache import Cache
    from gistmeter.languages import get
    from gistmeter.metrics.accuracy import SemanticAccuracy
    from gistmeter.models.loading import load_models
    from gistmeter.score import evaluate
    from gistmeter.validation import Labels, validate

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


def main(arguments: Sequence[str]) -> None:
    parts = {"resampling": resampling, "report": report}
    chosen = arguments[:1] or [*parts, "sts"]
    for name in chosen:
        print(f"-- {name}")
        if name == "sts":
            sts(arguments[1:])
        elif name in parts:
            parts[name]()
        else:
            raise SystemExit(f"Unknown part '{name}'. Available: {', '.join([*parts, 'sts'])}")


if __name__ == "__main__":
    main(sys.argv[1:])
