"""How many labels the judge saves: three designs beside uniform sampling with no judge.

    python -m benchmarks people_savings [--limit N] [--trials N]

The populations are pairs that people did rate: five STS dev sets, graded machine translations that
nothing was trained on, choices between transcripts (HATS). A trial draws some of a population,
takes what people said of these alone, and estimates the mean of all by the code that serves runs.
The mean squared error is then turned into the number of labels that uniform sampling with no judge
needs for the same error (S²/n (1 - n/N), S² being the variance of what people say): the share
saved is one minus the ratio of the two numbers. Below 0: the judge does harm.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from training import devsets, sources

from benchmarks.people_coverage import DESIGNS, labelled
from gistmeter import score_speech, score_text
from gistmeter.people.corrected import corrected_mean
from gistmeter.people.designs import Design

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SIZES = (50, 100, 200)
Floats = npt.NDArray[np.float64]


def populations(limit: int) -> Iterator[tuple[str, Floats, Floats]]:
    """Name, what people say, what gist says: all between 0 and 1."""
    sets = {f"STS {code}": (code, [(row.first, row.second, row.degree) for row in rows])
            for code, rows in devsets.similarity_sets(DATA).items()}  # fmt: skip
    graded = sources.read(DATA / "train/graded/mlqe_en_de.jsonl.gz")
    kept = [row for row in graded if sources.is_graded_aside(row)]
    sets["graded de"] = ("de", [(row["b"], row["a"], row["score"]) for row in kept])
    for name, (code, rows) in sets.items():
        drawn = np.random.default_rng(0).permutation(len(rows))[:limit]
        expected, got, said = zip(*(rows[at] for at in drawn), strict=True)
        run = score_text(got, expected, language=code, metrics=["gist"], resamples=0)
        yield name, np.array(said), np.nan_to_num(run.measured.values("gist"))
    with (DATA / "people/hats-dev.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))[:limit]
    gist = []
    for side in "AB":
        run = score_speech(
            expected=[row["reference"] for row in rows], got=[row[f"hyp{side}"] for row in rows],
            language="fr", metrics=["gist"], resamples=0,
        )  # fmt: skip
        gist.append(np.nan_to_num(run.measured.values("gist")))
    votes = np.array([[float(row["nbrA"]), float(row["nbrB"])] for row in rows])
    yield "HATS (which of two)", votes[:, 0] / votes.sum(1), 0.5 + (gist[0] - gist[1]) / 2


def saved(human: Floats, judge: Floats, design: str, size: int, trials: int) -> float:
    """The share of labels saved."""
    random = np.random.default_rng([size, len(design)])
    total, errors = len(human), []
    for _ in range(trials):
        data = labelled(lambda *_: (human, judge), Design(design, size), size, random, total)
        errors.append(corrected_mean(data).value - human.mean())
    variance = float(human.var(ddof=1))
    return 1 - size * (float(np.square(errors).mean()) + variance / total) / variance


def table(limit: int, trials: int) -> Iterator[str]:
    """A line of Markdown per population."""
    heads = [f"{design} {size}" for design in DESIGNS for size in SIZES]
    yield f"| set | items | Pearson | {' | '.join(heads)} |"
    yield "|---|" + "---:|" * (2 + len(heads))
    for name, human, judge in populations(limit):
        cells = [saved(human, judge, design, size, trials) for design in DESIGNS for size in SIZES]
        together = np.corrcoef(human, judge)[0, 1]
        spelled = " | ".join(f"{100 * cell:.0f}%" for cell in cells)
        yield f"| {name} | {len(human)} | {together:.2f} | {spelled} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=2000)
    given = parser.parse_args()
    for line in table(given.limit, given.trials):
        print(line, flush=True)
