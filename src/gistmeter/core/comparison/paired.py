"""Compare systems pair by pair: difference, interval, p-value, effect, ranks.

All pairs and all scores share the same resamples, so that they agree with each other and cost one
matrix product per block.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from gistmeter.core.comparison import significance
from gistmeter.core.comparison.opponents import (
    Contender,
    Matched,
    match,
    shared_scores,
    signature_differences,
)
from gistmeter.core.comparison.results import Comparison, Options, PairedDifference
from gistmeter.core.comparison.significance import exact, exchanges
from gistmeter.core.errors import InputError, MeasuredDifferently, UnknownName
from gistmeter.core.rows import Floats, Pool, Rows, Value
from gistmeter.core.statistics import (
    Clustered,
    NeedsValues,
    Resample,
    bootstrap_weights,
    percentile_interval,
)
from gistmeter.core.statistics.pool import PoolFunction, Sums
from gistmeter.core.types import ScoreInfo

BLOCK = 4_000_000  # numbers in memory at once: 32 MB


def compare(
    among: Sequence[Contender],
    scores: Sequence[str] = (),
    options: Options | None = None,
    *,
    force: bool = False,
) -> list[Comparison]:
    """Compare systems on some scores (the headline alone where none is named)."""
    options = options or Options()
    known = shared_scores(among)
    if len(among) < 2:
        raise InputError("A comparison needs two systems at least")
    if not known:
        raise InputError("These systems have no score in common: their runs are of different kinds")
    chosen = list(scores) or known[:1]
    for score in chosen:
        if score not in known:
            raise UnknownName("score", score, known)
    pairs = _pairs(among, options.baseline)
    forced = [_refuse(pairs, score, force) for score in chosen]
    samples = _samples(pairs, chosen, options)
    if not any(sample.matched.clusters for sample in samples):
        first, second = pairs[0]
        raise InputError(
            f"'{first.name}' and '{second.name}' have no item in common: they are matched by id "
            "(and group)"
        )
    comparisons = []
    for score, differences in zip(chosen, forced, strict=True):
        tested = zip(pairs, samples, strict=True)
        results = [_result(a, b, sample, score, options) for (a, b), sample in tested]
        values = {one.name: one.scores[score].value for one in among}
        info = among[0].info(score)
        info = replace(info, unit=info.unit or among[0].scores[score].unit)
        comparisons.append(conclude(score, results, values, info, options, forced=differences))
    return comparisons


def _pairs(among: Sequence[Contender], baseline: str) -> list[tuple[Contender, Contender]]:
    if not baseline:
        return [(a, b) for at, a in enumerate(among) for b in among[at + 1 :]]
    by_name = {one.name: one for one in among}
    if baseline not in by_name:
        raise UnknownName("baseline", baseline, by_name)
    return [(one, by_name[baseline]) for one in among if one.name != baseline]


def _refuse(
    pairs: Sequence[tuple[Contender, Contender]], score: str, force: bool
) -> tuple[str, ...]:
    """The signatures' differences, if the user insists on comparing all the same."""
    seen = dict.fromkeys(
        difference for a, b in pairs for difference in signature_differences(a, b, score)
    )
    if seen and not force:
        listed = "\n  ".join(seen)
        raise MeasuredDifferently(
            f"The runs were measured differently, so '{score}' cannot be compared:\n  {listed}\n"
            "Score them with the same settings, or use --force to compare all the same"
        )
    return tuple(seen)


@dataclass(slots=True)
class _Sample:
    """One pair while it is being resampled: a weighted pool of the rows of both.

    The clusters of the first system come first, then, in the same order, those of the second. The
    bootstrap weighs both alike; an exchange takes the second's cluster in place of the first's.
    """

    matched: Matched
    pool: PoolFunction
    both: Clustered
    whole: tuple[Sums, Sums] = field(default_factory=lambda: ({}, {}))
    observed: dict[str, float] = field(default_factory=dict)
    clusters: dict[str, Floats] = field(default_factory=dict)  # differences by cluster
    drawn: dict[str, list[Floats]] = field(default_factory=dict)
    exchanged: dict[str, list[Floats]] = field(default_factory=dict)

    @classmethod
    def of(cls, matched: Matched, pool: PoolFunction, scores: Sequence[str]) -> _Sample:
        size = len(matched.clusters)
        cluster = [matched.codes(matched.first), size + matched.codes(matched.second)]
        rows = Rows.concat([matched.first, matched.second])
        sample = cls(matched, pool, Clustered(rows, np.concatenate(cluster), 2 * size))
        if size:
            sample.learn(scores)
            sample.clusters = sample.by_cluster()
        return sample

    def learn(self, scores: Sequence[str]) -> None:
        """What will be asked, and the differences of the data as they are."""
        size, once = len(self.matched.clusters), np.ones((1, self.both.size))
        sides = range(size), range(size, 2 * size)
        asked = [self.pool(Resample(self.both, once, whole=side)) for side in sides]
        self.whole = self.weigh(once[:, :size])
        names = [name for name in scores if all(name in side for side in asked)]
        found = self.differences(*self.whole, 1, names) if names else {}
        self.observed = {name: float(value[0]) for name, value in found.items()}
        if any(map(math.isnan, self.observed.values())):  # a value that has no honest resamples
            ours, theirs = self.pool(self.matched.first), self.pool(self.matched.second)
            for name, value in self.observed.items():
                if math.isnan(value):
                    self.observed[name] = float(np.asarray(ours[name] - theirs[name]))

    def weigh(self, weights: Floats) -> tuple[Sums, Sums]:
        """The sums of both systems under the same weights."""
        return self.both.weigh(weights), self.both.weigh(weights, weights.shape[1])

    def differences(
        self, first: Sums, second: Sums, resamples: int, names: Iterable[str] = ()
    ) -> dict[str, Floats]:
        """The scores' differences, one per resample."""
        nothing, size = np.zeros((0, self.both.size)), len(self.matched.clusters)
        ours, theirs = (
            self.pool(Resample(self.both, nothing, sums, whole))
            for sums, whole in ((first, range(size)), (second, range(size, 2 * size)))
        )
        return {
            name: np.broadcast_to(np.asarray(ours[name] - theirs[name]), (resamples,))
            for name in names or self.observed
        }

    def by_cluster(self) -> dict[str, Floats]:
        size = len(self.matched.clusters)
        step = max(1, BLOCK // max(1, self.both.width))
        found: dict[str, list[Floats]] = {name: [] for name in self.observed}
        for first in range(0, size if self.observed else 0, step):
            last = min(size, first + step)
            sides = self.both.alone(first, last), self.both.alone(size + first, size + last)
            for name, values in self.differences(*sides, last - first).items():
                found[name].append(values)
        return {name: np.concatenate(values) for name, values in found.items()}

    def bootstrap(self, weights: Floats) -> None:
        for name, values in self.differences(*self.weigh(weights), len(weights)).items():
            self.drawn.setdefault(name, []).append(values)

    def exchange(self, swapped: Floats) -> None:
        first, second = self.weigh(swapped)
        gained = {key: second[key] - first[key] for key in first}
        whole, other = self.whole
        ours = {key: whole[key] + gain for key, gain in gained.items()}
        theirs = {key: other[key] - gain for key, gain in gained.items()}
        for name, values in self.differences(ours, theirs, len(swapped)).items():
            self.exchanged.setdefault(name, []).append(values)


def _samples(
    pairs: Sequence[tuple[Contender, Contender]], scores: Sequence[str], options: Options
) -> list[_Sample]:
    """Every pair with its resampled differences."""
    samples = [
        _Sample.of(match(first.rows, second.rows), _pool_of(first, scores), scores)
        for first, second in pairs
    ]
    alike: dict[tuple[str, ...], list[_Sample]] = {}
    for sample in samples:
        if sample.observed:
            alike.setdefault(sample.matched.clusters, []).append(sample)
    for clusters, group in alike.items():
        size, width = len(clusters), max(sample.both.width for sample in group)
        if size < 2:
            continue
        for weights in bootstrap_weights(size, options.resamples, options.seed, width):
            for sample in group:
                sample.bootstrap(weights)
        if options.test == "permutation":
            for swapped in exchanges(size, options.resamples, options.seed + 1, width):
                for sample in group:
                    sample.exchange(swapped)
    return samples


def _pool_of(contender: Contender, scores: Sequence[str]) -> PoolFunction:
    """The wanted scores; one that cannot be resampled as sums is left out."""
    wanted = [
        metric
        for metric in contender.metrics.values()
        if any(info.name in scores for info in metric.scores) or len(contender.metrics) == 1
    ]

    def pool(rows: Pool) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for metric in wanted:
            try:
                found |= metric.pool(rows)
            except (NeedsValues, KeyError):
                continue
        return found

    return pool


def conclude(
    score: str,
    results: Sequence[PairedDifference],
    values: Mapping[str, float],
    info: ScoreInfo,
    options: Options,
    *,
    forced: tuple[str, ...] = (),
) -> Comparison:
    """What the differences of all pairs say together: corrected p-values, and ranks."""
    corrected = significance.correct([pair.p_value for pair in results], options.correction)
    results = [replace(pair, p_corrected=p) for pair, p in zip(results, corrected, strict=True)]
    return Comparison(
        metric=score,
        pairs=tuple(results),
        ranks=_ranks(values, results, info.higher_is_better, 1 - options.confidence),
        values=values,
        higher_is_better=info.higher_is_better,
        unit=info.unit,
        confidence=options.confidence,
        correction=options.correction,
        resamples=options.resamples,
        forced=forced,
        notes=tuple(dict.fromkeys(pair.note for pair in results if pair.note)),
    )


def _result(
    first: Contender, second: Contender, sample: _Sample, score: str, options: Options
) -> PairedDifference:
    matched = sample.matched
    differ = partial(PairedDifference, first.name, second.name, left_out=matched.left_out)
    if not matched.clusters:
        note = "some systems have no item in common and are not compared"
        return differ(math.nan, test="none", note=note)
    if score not in sample.observed:
        note = f"{score} cannot be resampled: only the stored values are compared"
        value = first.scores[score].value - second.scores[score].value
        return differ(value, test="none", note=note)
    n, clusters = _counts(matched, first.info(score).basis or score)
    found = differ(sample.observed[score], n=n, clusters=clusters, test=options.test)
    if score not in sample.drawn or clusters < 2:
        note = "one cluster is all there is: no interval and no test"
        return replace(found, test="none", note=note)
    drawn = np.concatenate(sample.drawn[score])
    if not np.isfinite(drawn).any():
        note = f"{score} cannot be resampled: no interval, no test"
        return replace(found, test="none", note=note)
    by_cluster = sample.clusters[score]
    if options.test == "permutation" and 2 ** (1 - min(60, clusters)) > 0.05:
        note = f"{clusters} independent parts are too few for a test: it needs 6 at least"
        found = replace(found, note=note)
    low, high = percentile_interval(drawn, options.confidence)
    sign = 1.0 if first.info(score).higher_is_better else -1.0
    p_value, test = _p_value(sample, score, drawn, options), options.test
    if _are_blocks(matched) and (p_value < 1 - options.confidence) != (low > 0 or high < 0):
        # Blocks of one text differ in size: where exchanging them contradicts the interval, the
        # interval's own level is said; a few blocks have none.
        few = bool(found.note)
        p_value = math.nan if few else significance.percentile_p(drawn)
        test = "none" if few else "bootstrap"
    return replace(
        found,
        low=low,
        high=high,
        p_value=p_value,
        test=test,
        effect=significance.paired_d(by_cluster),
        superiority=significance.superiority(sign * by_cluster),
        detectable=significance.detectable(drawn, options.confidence),
    )


def _are_blocks(matched: Matched) -> bool:
    """Whether parts of items were drawn, and not items."""
    items, groups = set(matched.first.item.tolist()), set(matched.first.keys["group"])
    return len(items) < len(matched.clusters) and not groups.issuperset(matched.clusters)


def _p_value(sample: _Sample, score: str, drawn: Floats, options: Options) -> float:
    observed = sample.observed[score]
    if options.test == "wilcoxon":
        return significance.wilcoxon_p(sample.clusters[score])
    if options.test == "bootstrap":
        return significance.bootstrap_p(observed, drawn)
    all_tried = exact(len(sample.matched.clusters), options.resamples)
    exchanged = np.concatenate(sample.exchanged[score])
    return significance.permutation_p(observed, exchanged, exact=all_tried)


def _counts(matched: Matched, basis: str) -> tuple[int, int]:
    """Rows of the first, and clusters of either, that have a value."""
    if basis not in matched.first or basis not in matched.second:
        return len(matched.first), len(matched.clusters)
    ours, theirs = (~np.isnan(rows.values(basis)) for rows in (matched.first, matched.second))
    there = {*matched.codes(matched.first)[ours], *matched.codes(matched.second)[theirs]}
    return int(ours.sum()), len(there)


def _ranks(
    names: Iterable[str], results: Sequence[PairedDifference], higher: bool, alpha: float
) -> dict[str, int]:
    """Each system's rank: 1 + how many were shown to be better than it."""
    shown = [pair for pair in results if pair.p_corrected < alpha and pair.difference != 0]
    beaten = [pair.b if (pair.difference > 0) == higher else pair.a for pair in shown]
    return {name: 1 + beaten.count(name) for name in names}
