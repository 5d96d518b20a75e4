"""Do the scores mean what they say? Agreement with people, entailment, changed facts, calibration.

    python benchmarks/validity.py [--limit N] [--only sts,nli,...] [--markdown]

Compares what there was before the judge (cosine, BERTScore of the embedded model) with the judge's
own numbers, each with a 95% bootstrap interval, on sets that nothing was trained on: the dev sets
of ../shared/data beside the project's folder, premises held out of the training sets, sentences
changed by rule, and 240 hand-written triples (benchmarks/data/written.tsv). Prints each figure
with its target where it has one; exit code 1 where one is missed.

The weights of `gist` for speech were fitted on the very choices of "people": the honest figures of
that fit, by cross-validation, stand in metrics/gist/data/gist.json.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata, spearmanr

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from training import devsets  # noqa: E402
from training.rows import Row  # noqa: E402

from gistmeter import score_speech, score_text  # noqa: E402
from gistmeter.core.cache import Cache  # noqa: E402
from gistmeter.models.judge import CachedJudge, Judge  # noqa: E402
from gistmeter.models.loading import Models, load_models  # noqa: E402

DATA = ROOT.parent / "shared" / "data"
SAMPLES = 1000
Numbers = npt.NDArray[np.float64]
Pairs = Sequence[tuple[str, str]]
LANGUAGES = ("zh", "en", "ja", "ko", "cs", "ru")
COSINES = {"en": 87.2, "zh": 82.7, "ru": 82.3, "ko": 80.7, "ja": 78.6}
CHANGED = dict(zip(LANGUAGES, (97, 97, 95, 95, 90, 90), strict=True))
TARGETS: dict[tuple[str, str], float] = {  # (figure, score): in the units printed
    **{(f"sts {code}", score): goal for code, goal in COSINES.items()
       for score in ("similarity", "s_acc", "gist")},
    ("nli kornli", "accuracy"): 68.0,
    ("nli jnli", "accuracy"): 70.0,
    ("nli zh held out", "accuracy"): 75.0,
    ("nli en held out", "accuracy"): 74.0,
    **{(f"{kind} {code}", "gist"): goal for code, goal in CHANGED.items()
       for kind in ("written", "changed")},
    **{(f"{kind} {code}", "s_acc"): 85.0 for code in LANGUAGES for kind in ("written", "changed")},
    ("idiom zh", "gist"): 97.0,
    ("idiom ko", "gist"): 98.0,
    **{(f"people {name}", score): goal for score in ("gist", "sem_dist")
       for name, goal in (("all agree", 91.0), ("70%", 81.0), ("all", 77.0))},
}  # fmt: skip


class Scorers:
    """The models, opened once, with a cache for the length of the run (or in a given file)."""

    def __init__(self, answers: Path | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.cache = Cache(answers or self.folder / "answers.sqlite")

    @cached_property
    def models(self) -> Models:
        return load_models(["embedder", "matcher"], cache=self.cache, folder=self.folder)

    @cached_property
    def judge(self) -> CachedJudge:
        judge = Judge(self.folder)
        return CachedJudge(judge.id, judge, self.cache)

    def texts(self, pairs: Pairs, code: str) -> dict[str, Numbers]:
        """Every score of (reference, candidate) pairs, higher for more of the same meaning."""
        there = self.judge.judge(pairs)
        return {
            "cosine": self.cosine(pairs),
            "bertscore": self.bertscore(pairs),
            "s_acc before": self.scored(pairs, code, "s_acc", no_judge=True),
            "similarity": there.similarity,
            "cross-encoder": self.judge.score(pairs).values,
            "s_acc": self.scored(pairs, code, "s_acc"),
            "gist": self.scored(pairs, code, "gist"),
            "survives": there.survives,
            "not contradicted": 1 - np.maximum(there.contradiction, there.opposes),
        }

    def cosine(self, pairs: Pairs) -> Numbers:
        assert self.models.embedder is not None
        vectors = self.models.embedder.embed([text for pair in pairs for text in pair]).vectors
        return np.einsum("ij,ij->i", vectors[::2], vectors[1::2]).astype(np.float64)

    def bertscore(self, pairs: Pairs) -> Numbers:
        assert self.models.matcher is not None
        return self.models.matcher.match(pairs).f1

    def scored(self, pairs: Pairs, code: str, name: str, **options: Any) -> Numbers:
        """A score as a user gets it."""
        references, candidates = zip(*pairs, strict=True)
        run = score_text(
            candidates, references, language=code, metrics=[name], resamples=0,
            cache=self.cache, **options,
        )  # fmt: skip
        return np.nan_to_num(run.to_polars()[name].to_numpy().astype(np.float64))

    def speech(self, pairs: Pairs, code: str) -> dict[str, Numbers]:
        expected, got = zip(*pairs, strict=True)
        run = score_speech(
            expected=expected, got=got, language=code, metrics=["sem_dist", "gist"], resamples=0,
            cache=self.cache,
        )  # fmt: skip
        table = run.to_polars()
        found = {name: table[name].to_numpy().astype(np.float64) for name in ("gist", "sem_dist")}
        return {
            "cosine": self.cosine(pairs),
            "bertscore": self.bertscore(pairs),
            "sem_dist": -found["sem_dist"],
            "gist": found["gist"],
        }


MEANING = (
    "cosine", "bertscore", "s_acc before", "similarity", "cross-encoder", "s_acc", "gist",
)  # those that claim to be one  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its interval, in percent."""

    name: str
    score: str
    value: float
    low: float
    high: float
    rows: int


def estimate(
    name: str, score: str, count: int, measure: Callable[[npt.NDArray[np.int64]], float]
) -> Figure:
    """A measure on all rows, and its percentiles over rows drawn with replacement."""
    chance = np.random.default_rng(11)
    drawn = [measure(chance.integers(0, count, count)) for _ in range(SAMPLES)]
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return Figure(name, score, 100 * measure(np.arange(count)), 100 * low, 100 * high, count)


def area(scores: Numbers, good: npt.NDArray[np.bool_]) -> float:
    """The share of (good, bad) pairs in the right order; a tie counts half."""
    ranks, number = rankdata(scores), int(good.sum())
    rest = len(scores) - number
    if not number or not rest:
        return float("nan")
    return float((ranks[good].sum() - number * (number + 1) / 2) / (number * rest))


def thin(rows: list[Row], limit: int) -> list[Row]:
    step = max(1.0, len(rows) / limit)
    return [rows[int(at * step)] for at in range(min(limit, len(rows)))]


def texts(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return [(row.first, row.second) for row in rows]


def similarity(scorers: Scorers, limit: int) -> Iterator[Figure]:
    """Spearman correlation with people."""
    for code, every in devsets.similarity_sets(DATA).items():
        rows = thin(every, limit)
        truth = np.asarray([row.degree for row in rows])
        made = scorers.texts(texts(rows), code)
        for score in MEANING:
            yield estimate(
                f"sts {code}",
                score,
                len(rows),
                lambda at, made=made[score], truth=truth: float(
                    spearmanr(made[at], truth[at]).statistic
                ),
            )
        kept = survived(truth)
        yield estimate(
            f"sts {code}",
            "gist calibration error",
            len(rows),
            lambda at, said=made["gist"], kept=kept: equal_bins(said[at], kept[at]),
        )


def survived(similarity: Numbers) -> Numbers:
    """The probability that the meaning survived, as training/gist.py reads people's scores."""
    return np.clip((5 * similarity - 2.5) / 2, 0.0, 1.0)


def calibration(scorers: Scorers, limit: int) -> Iterator[Figure]:
    """What gist says, in ten bins of equal size over all languages, and what people say of them."""
    said, kept = [], []
    for code, every in devsets.similarity_sets(DATA).items():
        rows = thin(every, limit)
        said.append(scorers.scored(texts(rows), code, "gist"))
        kept.append(survived(np.asarray([row.degree for row in rows])))
    told, so = np.concatenate(said), np.concatenate(kept)
    for part in np.array_split(np.argsort(told), 10):
        yield estimate(
            "calibration of gist",
            f"says {100 * told[part].mean():.1f}",
            len(part),
            lambda at, own=so[part]: float(own[at].mean()),
        )


def draw(figures: Sequence[Figure], path: Path) -> None:
    """The calibration curve as a picture: what gist says, and what people say with its interval."""
    side, room = 260, 46
    across = lambda value: f"{room + side * value / 100:.1f}"  # noqa: E731
    up = lambda value: f"{10 + side * (1 - value / 100):.1f}"  # noqa: E731
    said = [float(one.score.removeprefix("says ")) for one in figures]
    marks = "".join(
        f'<path d="M{across(x)} {up(one.low)}V{up(one.high)}"/>'
        f'<circle cx="{across(x)}" cy="{up(one.value)}" r="3.5" fill="#0072b2"/>'
        for x, one in zip(said, figures, strict=True)
    )
    line = " ".join(f"{across(x)},{up(f.value)}" for x, f in zip(said, figures, strict=True))
    ticks = "".join(
        f'<text x="{across(at)}" y="{side + 28}" text-anchor="middle">{at}</text>'
        f'<text x="{room - 8}" y="{up(at)}" text-anchor="end" dy="4">{at}</text>'
        for at in range(0, 101, 25)
    )
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side + room + 14} {side + 54}" '
        'width="380" font-family="sans-serif" font-size="11" fill="#444" role="img">'
        "<title>Calibration of gist: what it says, and what people say</title>"
        f'<rect width="100%" height="100%" fill="#fff"/><rect x="{room}" y="10" width="{side}" '
        f'height="{side}" fill="none" stroke="#ccc"/><path d="M{across(0)} {up(0)}L{across(100)} '
        f'{up(100)}" stroke="#999" stroke-dasharray="4"/>{ticks}<g stroke="#0072b2">'
        f'<polyline points="{line}" fill="none"/>{marks}</g><text x="{across(50)}" y="{side + 46}" '
        'text-anchor="middle">gist says (%)</text><text transform="translate(12 '
        f'{up(50)}) rotate(-90)" text-anchor="middle">people say (%)</text></svg>\n'
    )


def entailment(scorers: Scorers, limit: int) -> Iterator[Figure]:
    """Accuracy over three labels, and the expected calibration error."""
    for name, every in devsets.entailment_sets(DATA).items():
        rows = thin(every, limit)
        verdicts = scorers.judge.judge(texts(rows))
        table = np.stack([verdicts.entailment, verdicts.neutral, verdicts.contradiction], axis=1)
        labels = np.asarray([row.label for row in rows])
        right = table.argmax(1) == labels
        yield estimate(
            f"nli {name}", "accuracy", len(rows), lambda at, right=right: float(right[at].mean())
        )
        sure = table.max(1)
        yield estimate(
            f"nli {name}",
            "calibration error",
            len(rows),
            lambda at, sure=sure, right=right: calibration_error(sure[at], right[at]),
        )


def calibration_error(sure: Numbers, right: npt.NDArray[np.bool_], bins: int = 15) -> float:
    """Mean distance of confidence and accuracy, in bins of equal width."""
    places = np.minimum((sure * bins).astype(int), bins - 1)
    held = [places == at for at in range(bins)]
    return float(
        sum(abs(sure[one].mean() - right[one].mean()) * one.mean() for one in held if one.any())
    )


def equal_bins(said: Numbers, kept: Numbers, bins: int = 10) -> float:
    """Mean distance of what was said and what was so, in bins of equal size."""
    parts = np.array_split(np.argsort(said), bins)
    return float(
        sum(abs(said[part].mean() - kept[part].mean()) * len(part) for part in parts) / len(said)
    )


def written(scorers: Scorers, limit: int) -> Iterator[Figure]:  # noqa: ARG001
    """Hand-written triples: a true paraphrase above a text with one fact changed."""
    with (ROOT / "benchmarks/data/written.tsv").open(encoding="utf-8", newline="") as file:
        triples = list(csv.DictReader(file, delimiter="\t"))
    for code in dict.fromkeys(triple["lang"] for triple in triples):
        mine = [triple for triple in triples if triple["lang"] == code]
        pairs = [(one["text"], one[side]) for side in ("same", "changed") for one in mine]
        good = np.arange(len(pairs)) < len(mine)
        yield from areas(scorers, f"written {code}", pairs, good, code)


def changed(scorers: Scorers, limit: int) -> Iterator[Figure]:
    """Paraphrases and rewordings above sentences with one fact changed by rule."""
    for code, every in devsets.contrast_sets(DATA).items():
        rows = thin(every, limit)
        good = np.asarray([row.changed == 0 for row in rows])
        yield from areas(scorers, f"changed {code}", texts(rows), good, code)


def areas(
    scorers: Scorers, name: str, pairs: Pairs, good: npt.NDArray[np.bool_], code: str
) -> Iterator[Figure]:
    for score, made in scorers.texts(pairs, code).items():
        yield estimate(name, score, len(pairs), lambda at, made=made: area(made[at], good[at]))


def idioms(scorers: Scorers, limit: int) -> Iterator[Figure]:
    """An idiom's second explanation above another idiom's, against its first."""
    for code, file in (("zh", "Simplified_Chinese"), ("ko", "Korean")):
        path = DATA / "idiom" / f"orderprobe-{file}.csv"
        with path.open(encoding="utf-8-sig", newline="") as stream:
            cells = [row[1] for row in csv.reader(stream) if len(row) > 1]
        split = [list(dict.fromkeys(one.strip() for one in cell.split("||"))) for cell in cells]
        explained = [one for one in split if len(one) > 1][:limit]
        shifts = 1 if code == "zh" else 10
        pairs = [(one[0], one[1]) for one in explained]
        for shift in range(1, shifts + 1):
            other = explained[shift:] + explained[:shift]
            pairs += [(one[0], two[1]) for one, two in zip(explained, other, strict=True)]
        good = np.arange(len(pairs)) < len(explained)
        yield from areas(scorers, f"idiom {code}", pairs, good, code)


def people(scorers: Scorers, limit: int) -> Iterator[Figure]:
    """People's choice between two French transcripts; a tie of the score counts as wrong."""
    with (DATA / "people/hats-dev.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[:limit]
    votes = np.asarray([[int(row["nbrA"]), int(row["nbrB"])] for row in rows])
    agreed = votes.max(1) / votes.sum(1)
    made = [
        scorers.speech([(row["reference"], row[side]) for row in rows], "fr")
        for side in ("hypA", "hypB")
    ]
    for name, least in (("all agree", 1.0), ("70%", 0.7), ("all", 0.0)):
        kept = np.flatnonzero((agreed >= least) & (votes[:, 0] != votes[:, 1]))
        first = votes[kept, 0] > votes[kept, 1]
        for score in made[0]:
            one, other = made[0][score][kept], made[1][score][kept]
            right = np.where(first, one > other, other > one)
            yield estimate(
                f"people {name}", score, len(kept), lambda at, right=right: float(right[at].mean())
            )


def speed(scorers: Scorers, limit: int) -> Iterator[Figure]:  # noqa: ARG001
    """Pairs a second of distinct texts with 40 tokens a side, after a first call."""
    import resource

    judge = Judge(scorers.folder)
    rows = [row for every in devsets.entailment_sets(DATA).values() for row in every]
    words = " ".join(row.first for row in rows).split()
    texts_ = []
    for start in range(0, 12000, 24):
        part = " ".join(words[start : start + 60])
        while judge._count([part])[0] > 40:
            part = part.rsplit(" ", 1)[0]
        texts_.append(part)
    judge.judge([("a", "b")])
    pairs = list(zip(texts_[:200], texts_[200:400], strict=True))
    start_ = time.perf_counter()
    judge.judge(pairs)
    rate = len(pairs) / (time.perf_counter() - start_)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"speed: {rate:.1f} pairs a second at 40 tokens a side; at most {memory:.0f} MB in memory"
    )
    yield from ()


PARTS = {
    "sts": similarity,
    "calibration": calibration,
    "nli": entailment,
    "written": written,
    "changed": changed,
    "idiom": idioms,
    "people": people,
    "speed": speed,
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--limit", type=int, default=10**9, help="rows of a set, evenly spread")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas between")
    parser.add_argument("--cache", type=Path, help="keep the models' answers in this file")
    parser.add_argument("--curve", type=Path, help="draw the calibration curve into this file.svg")
    parser.add_argument("--markdown", action="store_true", help="rows of a table")
    given = parser.parse_args()
    scorers, missed = Scorers(given.cache), 0
    for part in given.only.split(","):
        drawn: list[Figure] = []
        for figure in PARTS[part](scorers, given.limit):
            drawn.append(figure)
            goal = TARGETS.get((figure.name, figure.score))
            below = goal is not None and figure.value < goal
            missed += below
            note = "" if goal is None else f"target {goal:g}" + (" MISSED" if below else "")
            span = f"[{figure.low:.1f}–{figure.high:.1f}]"
            cells = [figure.name, figure.score, f"{figure.value:.1f}", span, str(figure.rows), note]
            if given.markdown:
                print("| " + " | ".join(cells) + " |", flush=True)
            else:
                print("{:26} {:18} {:>6} {:14} {:>6} rows  {}".format(*cells), flush=True)
        if given.curve and part == "calibration":
            draw(drawn, given.curve)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
