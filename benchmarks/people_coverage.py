"""How often 95% intervals of corrected means hold the truth (`people`).

Items are drawn from shapes that labels and judges have; a design draws some of them to be labelled,
and the interval is made by the code that serves runs (`gistmeter.people.corrected`), beside what it
was chosen over: the normal interval of `ppi-python`, and Student's with the plain standard error.
The method was chosen on SHAPES; `tests/people/test_corrected.py` holds it on others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from gistmeter.core.statistics.interval import student
from gistmeter.people.corrected import ENDS, LabelledItems, corrected_mean
from gistmeter.people.designs import Design, probabilities, select

Floats = npt.NDArray[np.float64]
Shape = Callable[[np.random.Generator, int], tuple[Floats, Floats]]  # what people and judge say
SIZES, DESIGNS, ITEMS = (20, 50, 200), ("uniform", "stratified", "active"), 2000
TRIALS = 2000


def logistic(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-x))


def yes_good(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Yes or no, with a judge who knows the probability."""
    f = random.beta(2, 1.2, n)
    return (random.random(n) < f) * 1.0, f


def yes_useless(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    return (random.random(n) < 0.7) * 1.0, random.beta(2, 1.2, n)


def scale_good(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Five steps, and a judge who follows them, too mild by a tenth."""
    inner = random.normal(0.8, 1.0, n)
    y = np.round(4 * logistic(inner + random.normal(0, 0.4, n))) / 4
    return y, np.clip(logistic(inner) + 0.1, 0, 1)


def scale_useless(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    y = np.round(4 * random.beta(3, 1.5, n)) / 4
    return y, random.random(n)


def sure_judge(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """A judge who is sure of nearly everything, and wrong in a tenth of it."""
    y = (random.random(n) < 0.6) * 1.0
    wrong = random.random(n) < 0.1
    return y, np.where(wrong, 1 - y, y) * 0.9 + random.random(n) * 0.1


def rare_no(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Nearly all is well, and the judge half knows where it is not."""
    f = random.beta(8, 1, n)
    return (random.random(n) < f) * 1.0, np.clip(f + random.normal(0, 0.15, n), 0, 1)


SHAPES: dict[str, Shape] = {
    one.__name__: one
    for one in (yes_good, yes_useless, scale_good, scale_useless, sure_judge, rare_no)
}


def labelled(
    shape: Shape, design: Design, size: int, random: np.random.Generator, items: int = ITEMS,
    ends: tuple[float, float] = ENDS,
) -> LabelledItems:  # fmt: skip
    """A population, and the part of it that a design draws."""
    y, f = shape(random, items)
    seen = f if ends == ENDS else (f + 1) / 2
    inclusion = probabilities(design, seen, size)
    drawn = select(inclusion, size, random)
    stratum = np.zeros(size, np.int64)
    share, weight = np.ones(1), size / (items * inclusion.probability[drawn])
    if inclusion.stratum is not None:
        stratum = inclusion.stratum[drawn]
        share, weight = np.bincount(inclusion.stratum) / items, np.ones(size)
    if design.name == "uniform":
        weight = np.ones(size)
    left = np.ones(items, bool)
    left[drawn] = False
    return LabelledItems(
        y[drawn], f[drawn], f[left], weight, stratum, share, np.arange(size), ends
    )  # fmt: skip


def coverage(
    shape: Shape, design: Design, size: int, trials: int, seed: int, *, items: int = ITEMS,
    ends: tuple[float, float] = ENDS,
) -> dict[str, float]:  # fmt: skip
    """Shares of intervals that hold the truth, and their widths."""
    random = np.random.default_rng(seed)
    truth = float(shape(np.random.default_rng(1), 1_000_000)[0].mean())
    held = {"ours": 0, "t": 0, "normal": 0}
    width = {"ours": 0.0, "no judge": 0.0}
    for _ in range(trials):
        data = labelled(shape, design, size, random, items, ends)
        found = corrected_mean(data)
        alone = corrected_mean(data, judge_weight=0.0)
        held["ours"] += found.low <= truth <= found.high
        error = found.standard_error
        held["t"] += abs(found.value - truth) <= student(0.95, size - 1) * error
        held["normal"] += abs(found.value - truth) <= 1.96 * error
        width["ours"] += found.high - found.low
        width["no judge"] += alone.high - alone.low
    return {name: count / trials for name, count in held.items()} | {
        f"width {name}": total / trials for name, total in width.items()
    }


def table(trials: int = TRIALS) -> Iterator[str]:
    """A line of Markdown per shape, design and number of labels."""
    yield "| shape | design | labels | held | t, plain error | normal (PPI++) | width | no judge |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, shape in SHAPES.items():
        for design in DESIGNS:
            for size in SIZES:
                one = coverage(shape, Design(design, size), size, trials, seed=size)
                yield (
                    f"| {name} | {design} | {size} | {one['ours']:.3f} | {one['t']:.3f} | "
                    f"{one['normal']:.3f} | {one['width ours']:.3f} | {one['width no judge']:.3f} |"
                )


if __name__ == "__main__":
    for line in table(int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS):
        print(line, flush=True)
