"""How often 95% intervals hold the truth, by method, from 8 items on (`coverage`).

Items are drawn from the shapes that scores have: quantiles of scores of the demo's systems, rates
from .05 to .95, error rates as ratios of sums, items in clusters, and differences of two systems.
The chosen method (`gistmeter.core.statistics.interval`) is measured with the code that makes the
intervals of runs, beside the percentile, BCa and studentised bootstrap and Student's t. It was
chosen on these shapes, and on `second` ones (Beta and mixed distributions, texts of very uneven
length, other rates and clusters); `third` are shapes that nothing was chosen on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from gistmeter.core.statistics.interval import (
    difference_limits,
    limits,
    skewness,
    student,
)

Floats = npt.NDArray[np.float64]
SIZES = (8, 10, 15, 20, 30, 50, 100)
DATA_SETS, RESAMPLES, CONFIDENCE = 2000, 400, 0.95
TENTHS = np.linspace(0, 1, 11)
SHAPES = {  # quantiles by tenths over the demo's texts in five languages
    "gist of a careful system": (0.11, 0.5, 0.68, 0.76, 0.83, 0.89, 0.91, 0.93, 0.95, 0.97, 1.0),
    "gist of a hasty one": (0.03, 0.13, 0.18, 0.27, 0.32, 0.38, 0.43, 0.55, 0.61, 0.72, 0.91),
    "gist of a literal one": (0.0, 0.0, 0.01, 0.01, 0.01, 0.01, 0.02, 0.02, 0.04, 0.09, 0.56),
    "s_acc of a careful system": (0.19, 0.58, 0.63, 0.71, 0.75, 0.8, 0.85, 0.89, 0.93, 0.95, 1.0),
    "s_acc of a literal one": (0.0, 0.02, 0.03, 0.05, 0.06, 0.07, 0.09, 0.1, 0.12, 0.18, 0.41),
    "s_logic of a careful system": (0.05, 0.32, 0.42, 0.59, 0.7, 0.8, 0.88, 0.92, 0.94, 0.96, 1.0),
    "s_logic of a hasty one": (0.02, 0.14, 0.26, 0.35, 0.51, 0.62, 0.75, 0.81, 0.86, 0.91, 0.97),
    "f_beta of a literal system": (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.29),
    "s_info of a literal system": (0, 0, 0, 0, 0, 0, 0.07, 0.11, 0.12, 0.17, 0.32),
}
RATIOS = {  # share of clips without an error, and the Beta distribution of the others' error rate
    "few errors": (0.8, 1, 4), "some errors": (0.4, 1, 4), "many errors": (0, 2, 8),
    "attachment": (0, 8, 2),
}  # fmt: skip
PAIRS = (
    ("gist of a careful system", "gist of a hasty one"),
    ("s_acc of a careful system", "s_logic of a careful system"),
    ("gist of a literal one", "s_acc of a literal one"),
    ("gist of a careful system", "s_acc of a careful system"),
)
DISCORDANT = ((0.1, 0.2), (0.05, 0.1), (0.3, 0.3))  # rates at which only b, only a is right
APART = (-np.inf, np.inf)  # of differences
Case = tuple[str, Floats, Floats, float, tuple[float, float]]  # sums, sizes, truth, ends


def cases(random: np.random.Generator, n: int) -> Iterator[Case]:
    """Data sets x clusters: sums and sizes, whose ratio is the score."""
    shape, once = (DATA_SETS, n), np.ones((DATA_SETS, n))
    for name, tenths in SHAPES.items():
        yield "means", np.interp(random.random(shape), TENTHS, tenths), once, mean(name), (0, 1)
    for rate in np.linspace(0.05, 0.95, 10):
        yield "rates", (random.random(shape) < rate) * once, once, float(rate), (0, 1)
    for perfect, a, b in RATIOS.values():
        words = random.integers(3, 30, shape)
        share = random.beta(a, b, shape) * (random.random(shape) >= perfect)
        wrong = random.binomial(words, share) * once
        yield "ratios", wrong, words * once, (1 - perfect) * a / (a + b), (0, 1)
    for name in ("gist of a careful system", "s_acc of a literal one"):
        size, together = random.integers(1, 7, shape), random.random(shape)
        sums = np.zeros(shape)
        for at in range(6):  # two of three items of a cluster are alike
            own = np.where(random.random(shape) < 2 / 3, together, random.random(shape))
            sums += np.where(at < size, np.interp(own, TENTHS, SHAPES[name]), 0)
        yield "clusters", sums, size * once, mean(name), (0, 1)
    for first, second in PAIRS:
        one = random.random(shape)
        other = np.where(random.random(shape) < 0.7, one, random.random(shape))
        gaps = np.interp(one, TENTHS, SHAPES[first]) - np.interp(other, TENTHS, SHAPES[second])
        yield "differences", gaps, once, mean(first) - mean(second), APART
    yield from discordant(random, shape, DISCORDANT)


def discordant(
    random: np.random.Generator, shape: tuple[int, int], rates: Sequence[tuple[float, float]]
) -> Iterator[Case]:
    """Differences of two systems that are right or wrong."""
    for lost, won in rates:
        drawn = random.random(shape)
        gaps = np.where(drawn < lost, -1.0, np.where(drawn < lost + won, 1.0, 0.0))
        yield "differences", gaps, np.ones(shape), won - lost, APART


def second(random: np.random.Generator, n: int) -> Iterator[Case]:
    """Shapes beside those of the demo."""
    shape, once = (DATA_SETS, n), np.ones((DATA_SETS, n))
    for a, b in ((0.5, 0.5), (5, 1), (0.3, 3), (4, 4), (1, 1), (12, 0.7)):
        yield "means", random.beta(a, b, shape), once, a / (a + b), (0, 1)
    whole = np.where(random.random(shape) < 0.6, 1.0, random.beta(3, 2, shape))
    yield "means", whole, once, 0.6 + 0.4 * 0.6, (0, 1)
    for rate in (0.07, 0.13, 0.37, 0.62, 0.88, 0.97):
        yield "rates", (random.random(shape) < rate) * once, once, rate, (0, 1)
    for perfect, a, b in ((0.6, 1.5, 8), (0.2, 0.7, 2), (0, 20, 2), (0.9, 2, 3)):
        yield uneven(random, shape, perfect, a, b, spread=0.8)
    for alike, a, b in ((0.3, 3, 1.5), (0.3, 0.5, 4), (0.9, 3, 1.5), (0.9, 0.5, 4)):
        yield grouped(random, np.minimum(random.geometric(0.4, shape), 12), alike, a, b)
    yield from discordant(random, shape, ((0.02, 0.1), (0, 0.2), (0.15, 0.05), (0.01, 0.04)))
    kept = random.beta(5, 2, shape)
    cut = kept - np.where(random.random(shape) < 0.8, kept, random.beta(1, 3, shape))
    yield "differences", cut, once, 0.2 * (5 / 7 - 1 / 4), APART
    yield "differences", random.normal(0.02, 0.1, shape), once, 0.02, APART
    yield "differences", 0.05 + 0.1 * random.standard_t(3, shape), once, 0.05, APART
    rare = random.exponential(0.1, shape) * (random.random(shape) < 0.5) - 0.02
    yield "differences", rare, once, 0.03, APART
    yield from discordant(random, shape, ((0.04, 0.12), (0.2, 0.1), (0, 0.07), (0.4, 0.35)))
    for alike, first, other in (
        (0.9, (6, 2), (2, 4)), (0.5, (3, 3), (3, 4)), (0.97, (2, 1), (1, 1)),
    ):  # fmt: skip
        yield partly(random, shape, alike, first, other)


def third(random: np.random.Generator, n: int) -> Iterator[Case]:
    """Shapes that were written down when the method was settled."""
    shape, once = (DATA_SETS, n), np.ones((DATA_SETS, n))
    for a, b in ((2, 5), (0.8, 0.2), (1.5, 1.5), (30, 3)):
        yield "means", random.beta(a, b, shape), once, a / (a + b), (0, 1)
    grades = np.array([0, 0.25, 0.5, 0.75, 1])
    for chances in ((0.05, 0.05, 0.15, 0.3, 0.45), (0.5, 0.2, 0.1, 0.1, 0.1)):
        drawn = random.choice(grades, shape, p=chances)
        yield "means", drawn, once, float(grades @ np.array(chances)), (0, 1)
    good = random.random(shape) < 0.7  # two kinds of items
    mixed = np.where(good, random.beta(20, 2, shape), random.beta(2, 12, shape))
    yield "means", mixed, once, 0.7 * 20 / 22 + 0.3 * 2 / 14, (0, 1)
    for rate in (0.09, 0.22, 0.44, 0.57, 0.71, 0.91):
        yield "rates", (random.random(shape) < rate) * once, once, rate, (0, 1)
    for perfect, a, b in ((0.5, 1, 6), (0.1, 1.2, 9), (0.75, 2, 5), (0, 6, 6)):
        yield uneven(random, shape, perfect, a, b, spread=0.5)
    for alike, a, b in ((0.5, 2, 2), (0.7, 6, 1), (1, 1, 3)):
        yield grouped(random, random.integers(1, 5, shape), alike, a, b)
    yield from discordant(random, shape, ((0.03, 0.09), (0, 0.12), (0.08, 0.02), (0.2, 0.35)))
    for alike, first, other in (
        (0.85, (4, 1), (1, 2)), (0.3, (2, 2), (5, 3)), (0.93, (8, 3), (1, 1)),
    ):  # fmt: skip
        yield partly(random, shape, alike, first, other)


def partly(
    random: np.random.Generator, shape: tuple[int, int], alike: float,
    first: tuple[float, float], other: tuple[float, float],
) -> Case:  # fmt: skip
    """Differences of two systems that give the same answer to a share of the items."""
    one = random.beta(*first, shape)
    two = np.where(random.random(shape) < alike, one, random.beta(*other, shape))
    gap = (1 - alike) * (first[0] / sum(first) - other[0] / sum(other))
    return "differences", one - two, np.ones(shape), gap, APART


def uneven(
    random: np.random.Generator, shape: tuple[int, int], perfect: float, a: float, b: float, *,
    spread: float,
) -> Case:  # fmt: skip
    """An error rate over texts some of which are many times as long as others."""
    words = np.maximum(1, np.round(random.lognormal(2.3, spread, shape)))
    share = random.beta(a, b, shape) * (random.random(shape) >= perfect)
    wrong = random.binomial(words.astype(np.int64), share) * 1.0
    return "ratios", wrong, words, (1 - perfect) * a / (a + b), (0, 1)


def grouped(
    random: np.random.Generator, size: npt.NDArray[np.int64], alike: float, a: float, b: float
) -> Case:
    """A mean over items in clusters of some sizes, a share of each being the same."""
    together, sums = random.beta(a, b, size.shape), np.zeros(size.shape)
    for at in range(int(size.max())):
        alone = random.beta(a, b, size.shape)
        own = np.where(random.random(size.shape) < alike, together, alone)
        sums += np.where(at < size, own, 0)
    return "clusters", sums, size * 1.0, a / (a + b), (0, 1)


def mean(name: str) -> float:
    tenths = np.asarray(SHAPES[name])
    return float((tenths[1:] + tenths[:-1]).mean() / 2)


def methods(
    sums: Floats, sizes: Floats, weights: Floats, ends: tuple[float, float]
) -> dict[str, tuple[Floats, Floats]]:
    """The limits of every data set by each method."""
    n = sums.shape[1]
    value = sums.sum(1) / sizes.sum(1)
    drawn = (weights @ sums.T) / (weights @ sizes.T)
    tail = (1 - CONFIDENCE) / 2
    error = drawn.std(0) * np.sqrt(n / (n - 1))
    influence = (sums - value[:, None] * sizes) / sizes.mean(1, keepdims=True)
    square = (influence**2).mean(1)
    plain = np.sqrt(square / (n - 1))
    t = student(CONFIDENCE, n - 1)
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    first, second = weights @ influence.T / n, weights @ (influence**2).T / n
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.nan_to_num(first / np.sqrt(np.maximum(second - first**2, 0) / (n - 1)))
    down, up = np.quantile(ratio, [tail, 1 - tail], axis=0)
    chosen = (
        difference_limits(value, error, n, CONFIDENCE, 1.0, lean=skewness(drawn))
        if ends == APART
        else limits(value, error, n, CONFIDENCE, ends, lean=skewness(drawn))
    )
    return {
        "chosen": chosen,
        "percentile": (low, high),
        "BCa": bca(value, drawn, influence, square, tail),
        "studentised": (value - up * plain, value - down * plain),
        "t": (value - t * error, value + t * error),
    }


def bca(
    value: Floats, drawn: Floats, influence: Floats, square: Floats, tail: float
) -> tuple[Floats, Floats]:
    """Bias-corrected and accelerated (Efron 1987)."""
    n, normal = influence.shape[1], NormalDist()
    cube = (influence**3).mean(1)
    speed = np.where(square > 0, cube / np.where(square > 0, square, 1) ** 1.5, 0) / (6 * n**0.5)
    below = np.clip((drawn < value).mean(0) + (drawn == value).mean(0) / 2, 0.01, 0.99)
    bias = np.vectorize(normal.inv_cdf)(below)
    ordered, column = np.sort(drawn, 0), np.arange(len(value))
    found = []
    for z in (normal.inv_cdf(tail), -normal.inv_cdf(tail)):
        level = np.vectorize(normal.cdf)(bias + (bias + z) / (1 - speed * (bias + z)))
        place = np.clip((level * len(drawn)).astype(int), 0, len(drawn) - 1)
        found.append(ordered[place, column])
    return found[0], found[1]


def measure(
    drawn: Callable[[np.random.Generator, int], Iterator[Case]] = cases,
) -> dict[str, dict[str, dict[int, list[float]]]]:
    """Kind -> method -> number of items -> the coverage of each case."""
    random = np.random.default_rng(20260)
    found: dict[str, dict[str, dict[int, list[float]]]] = {}
    for n in SIZES:
        weights = random.multinomial(n, np.full(n, 1 / n), RESAMPLES).astype(np.float64)
        for kind, sums, sizes, truth, ends in drawn(random, n):
            for method, (low, high) in methods(sums, sizes, weights, ends).items():
                held = float(((low <= truth + 1e-12) & (truth - 1e-12 <= high)).mean())
                found.setdefault(kind, {}).setdefault(method, {}).setdefault(n, []).append(held)
    return found


def main() -> None:
    print("| of | method | " + " | ".join(f"n = {n}" for n in SIZES) + " |")
    print("|---|---|" + "---:|" * len(SIZES))
    for kind, by_method in measure().items():
        for method, by_size in by_method.items():
            print(f"| {kind} | {method} | {_cells(by_size)} |")
    others = {"second": measure(second), "third": measure(third)}
    print("\nThe chosen method on other shapes:\n")
    print("| of | shapes | " + " | ".join(f"n = {n}" for n in SIZES) + " |")
    print("|---|---|" + "---:|" * len(SIZES))
    for kind in others["second"]:
        for shapes, found in others.items():
            print(f"| {kind} | {shapes} | {_cells(found[kind]['chosen'])} |")


def _cells(by_size: dict[int, list[float]]) -> str:
    return " | ".join(f"{np.mean(shares):.3f}" for shares in by_size.values())


if __name__ == "__main__":
    main()
