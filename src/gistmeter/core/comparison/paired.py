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
from gistmeter.core.comparison.answer import Standing, plan, say
from gistmeter.core.comparison.opponents import (
    Contender,
    Matched,
    known_scores,
    match,
    signature_differences,
)
from gistmeter.core.comparison.ranking import rank
from gistmeter.core.comparison.results import Comparison, Options, PairedDifference
from gistmeter.core.comparison.significance import exact, exchanges
from gistmeter.core.errors import InputError, MeasuredDifferently, UnknownName
from gistmeter.core.family import family_of
from gistmeter.core.rows import Floats, Pool, Rows, Value, has_repeats, positions
from gistmeter.core.statistics import (
    Clustered,
    NeedsValues,
    Resample,
    bootstrap_weights,
)
from gistmeter.core.statistics.interval import (
    FEWEST,
    difference_limits,
    ends_of,
    skewness,
    standard_error,
    student_p,
)
from gistmeter.core.statistics.pool import PoolFunction, Sums
from gistmeter.core.types import Score, ScoreInfo

BLOCK = 4_000_000  # numbers in memory at once: 32 MB
NOTHING = "some systems have no value on shared items and are not compared"


def compare(
    among: Sequence[Contender],
    scores: Sequence[str] = (),
    options: Options | None = None,
    *,
    force: bool = False,
) -> list[Comparison]:
    """Compare systems on some scores (the headline alone where none is named)."""
    options = options or Options()
    known = known_scores(among)
    if len(among) < 2:
        raise InputError("A comparison needs two systems at least")
    if not known:
        raise InputError("These systems have no score in common: their runs are of different kinds")
    chosen = list(scores) or known[:1]
    for score in chosen:
        if score not in known:
            raise UnknownName("score", score, known)
    pairs = _pairs(among, options.baseline)
    forced = {score: _refuse(pairs, score, force) for score in chosen}
    results: dict[str, list[PairedDifference]] = {score: [] for score in chosen}
    step, shared = max(1, BLOCK // (len(chosen) * options.resamples)), False
    for first in range(0, len(pairs), step):
        part = pairs[first : first + step]
        for (a, b), sample in zip(part, _samples(part, chosen, options), strict=True):
            shared = shared or bool(sample.matched.clusters)
            for score in chosen:
                results[score].append(_result(a, b, sample, score, options))
    if not shared and not force and any(one.run is not among[0].run for one in among):
        a, b = pairs[0]
        raise InputError(
            f"'{a.name}' and '{b.name}' have no item in common: they are matched by id (and group)"
        )
    standing = Standing(among[0].run, family_of(among[0].run.command).view())
    found = []
    for score in chosen:
        own = {one.name: one.score(score) for one in among}
        info = next(one for one in among if score in one.scores).info(score)
        info = replace(info, unit=info.unit or next(iter(own.values())).unit)
        one = conclude(info, results[score], own, options, forced=forced[score])
        planned = plan(one, standing, options.difference) if options.difference else ""
        found.append(replace(one, answer=say(one, standing), plan=planned))
    return found


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
            "gistmeter rescore RUN scores an old run's texts with the models of today. Or score"
            " them with the same settings, or use --force to compare all the same"
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
        self.whole = self.weigh(once[:, :size], {})
        names = [name for name in scores if all(name in side for side in asked)]
        found = self.differences(*self.whole, 1, names) if names else {}
        self.observed = {name: float(value[0]) for name, value in found.items()}
        if any(map(math.isnan, self.observed.values())):  # a value that has no honest resamples
            ours, theirs = self.pool(self.matched.first), self.pool(self.matched.second)
            for name, value in self.observed.items():
                if math.isnan(value):
                    self.observed[name] = float(np.asarray(ours[name] - theirs[name]))

    def weigh(self, weights: Floats, known: dict[bytes, Floats]) -> tuple[Sums, Sums]:
        """The sums of both systems under the same weights."""
        size = weights.shape[1]
        return self.both.weigh(weights, 0, known), self.both.weigh(weights, size, known)

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

    def bootstrap(self, weights: Floats, known: dict[bytes, Floats]) -> None:
        for name, values in self.differences(*self.weigh(weights, known), len(weights)).items():
            self.drawn.setdefault(name, []).append(values)

    def exchange(self, swapped: Floats, known: dict[bytes, Floats]) -> None:
        first, second = self.weigh(swapped, known)
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
            known: dict[bytes, Floats] = {}  # a system is in several pairs, with the same columns
            for sample in group:
                sample.bootstrap(weights, known)
        if options.test == "permutation":
            for swapped in exchanges(size, options.resamples, options.seed + 1, width):
                known = {}
                for sample in group:
                    sample.exchange(swapped, known)
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
    info: ScoreInfo,
    results: Sequence[PairedDifference],
    scores: Mapping[str, Score],
    options: Options,
    *,
    forced: tuple[str, ...] = (),
) -> Comparison:
    """What the differences of all pairs say together: corrected p-values, and the ranking."""
    corrected = significance.correct([pair.p_value for pair in results], options.correction)
    pairs = tuple(
        replace(pair, p_corrected=p, level=round(1 - options.confidence, 9))
        for pair, p in zip(results, corrected, strict=True)
    )
    notes = [pair.note for pair in pairs if pair.note]
    if any(pair.test != "none" and pair.clusters < FEWEST for pair in pairs):
        notes.append(f"an interval needs {FEWEST} independent parts at least")
    return Comparison(
        metric=info.name,
        pairs=pairs,
        scores=scores,
        ranking=rank(scores, pairs, baseline=options.baseline),
        baseline=options.baseline,
        higher_is_better=info.higher_is_better,
        unit=info.unit,
        confidence=options.confidence,
        correction=options.correction,
        resamples=options.resamples,
        forced=forced,
        notes=tuple(dict.fromkeys(notes)),
    )


def _result(
    first: Contender, second: Contender, sample: _Sample, score: str, options: Options
) -> PairedDifference:
    matched = sample.matched
    differ = partial(PairedDifference, first.name, second.name, left_out=matched.left_out)
    if not matched.clusters:
        note = "some systems have no item in common and are not compared"
        return differ(math.nan, test="none", note=note)
    if score not in first.scores or score not in second.scores:
        return differ(math.nan, test="none", note=NOTHING)
    if score not in sample.observed:
        note = f"{score} cannot be resampled: only the stored values are compared"
        value = first.score(score).value - second.score(score).value
        return differ(value, test="none", note=note)
    n, clusters = _counts(matched, first.info(score).basis or score)
    if not n:
        return differ(math.nan, test="none", note=NOTHING)
    found = differ(sample.observed[score], n=n, clusters=clusters, test=options.test)
    if not matched.parts:
        unpaired = first.scores[score].n + second.scores[score].n - 2 * n
        found = replace(found, left_out=max(matched.left_out, unpaired))
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
    ours, theirs = (side.score(score).value for side in (first, second))
    ends = ends_of(first.info(score), ours, np.asarray([theirs]))
    low, high = paired_interval(found.difference, drawn, clusters, options.confidence, ends)
    sign = 1.0 if first.info(score).higher_is_better else -1.0
    p_value, test = _p_value(sample, score, drawn, options), options.test
    if _are_blocks(matched) and found.note:  # blocks of one text differ in size: a few say nothing
        p_value, test = math.nan, "none"
    elif (
        _are_blocks(matched)
        and math.isfinite(low)
        and (low > 0 or high < 0) != (p_value < 1 - options.confidence)
    ):
        # Where exchanging blocks contradicts the interval, the interval's own level is said.
        error = standard_error(drawn[np.isfinite(drawn)], clusters)
        errors = found.difference / error if error else math.inf
        p_value, test = student_p(errors, clusters - 1), "bootstrap"
    samples, share = _repeats(matched, score, drawn)
    visible = significance.detectable(drawn, options.confidence)
    return replace(
        found,
        low=low,
        high=high,
        p_value=p_value,
        test=test,
        effect=significance.paired_d(by_cluster),
        superiority=significance.superiority(sign * by_cluster),
        detectable=math.nan if visible and clusters < FEWEST else visible,
        samples=samples,
        sample_share=share,
    )


def _repeats(matched: Matched, score: str, drawn: Floats) -> tuple[float, float]:
    """Answers to an item, and the share of the squared standard error that is due to them."""
    sizes, noise = [], 0.0
    for rows in (matched.first, matched.second):
        if not matched.parts or score not in rows or not has_repeats(rows):
            return 1.0, 0.0
        names = ["\n".join(key) for key in zip(rows.keys["id"], rows.keys["group"], strict=True)]
        own = [rows.values(score)[places] for places in positions(names).values()]
        several = [values for values in own if len(values) > 1 and np.isfinite(values).all()]
        if not several:
            return 1.0, 0.0
        sizes.append(float(np.mean([len(values) for values in several])))
        noise += float(np.mean([values.var(ddof=1) for values in several])) / sizes[-1] / len(own)
    error = float(np.nanvar(drawn))
    return min(sizes), min(1.0, noise / error) if error else 0.0


def paired_interval(
    difference: float,
    drawn: Floats,
    clusters: int,
    confidence: float,
    ends: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[float, float]:
    """Of a difference, `ends` being the range of the score; of few clusters there is none."""
    known = drawn[np.isfinite(drawn)]
    if clusters < FEWEST or known.size < 2:
        return math.nan, math.nan
    error = standard_error(known, clusters)
    low, high = difference_limits(
        difference, error, clusters, confidence, ends[1] - ends[0], lean=float(skewness(known))
    )
    return float(low), float(high)


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
    """Items (or parts of one) of the first, and clusters of either, that have a value."""
    if basis not in matched.first or basis not in matched.second:
        return len(matched.first), len(matched.clusters)
    ours, theirs = (~np.isnan(rows.values(basis)) for rows in (matched.first, matched.second))
    there = {*matched.codes(matched.first)[ours], *matched.codes(matched.second)[theirs]}
    rows = matched.first.take(np.flatnonzero(ours))
    if not matched.parts or not has_repeats(rows):
        return len(rows), len(there)
    # Several answers to one item are one item.
    return len(set(zip(rows.keys["id"], rows.keys["group"], strict=True))), len(there)
