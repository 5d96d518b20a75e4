"""Large runs: weights by key, and tallies that add up to what all rows would give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from gistmeter.core.rows import Counts, Floats, Pool, Rows, Value, divide
from gistmeter.core.statistics import (
    NeedsValues,
    Tally,
    add_up,
    bootstrap,
    count_reasons,
    intervals,
    summarise,
    summarise_tally,
)
from gistmeter.core.statistics.bootstrap import keyed_weights
from gistmeter.core.statistics.summary import pool_all
from gistmeter.core.types import ScoreInfo

RESAMPLES, SEED = 400, 7


class Means:
    """A mean, a ratio, a sum, and a mean over groups."""

    scores = (ScoreInfo("value"), ScoreInfo("share", basis="part"), ScoreInfo("grouped"))

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        grouped = np.stack([np.asarray(p.mean("value")) for p in rows.by("group").values()])
        seen = np.isfinite(grouped)
        return {
            "value": rows.mean("value"),
            "share": rows.ratio("part", "whole"),
            "total": rows.sum("part"),
            "grouped": divide(np.where(seen, grouped, 0).sum(axis=0), seen.sum(axis=0)),
        }


METRICS = {"means": Means()}


def made(size: int = 600) -> Rows:
    draw = np.random.default_rng(3)
    value = draw.normal(size=size)
    value[::50] = np.nan
    keys = {
        "id": [str(at // 2) for at in range(size)],
        "system": ["ab"[at % 2] for at in range(size)],
        "group": ["x" if at % 6 < 4 else "y" for at in range(size)],
        "cluster": [str(at // 6) for at in range(size)],
    }
    rows = Rows(keys, np.arange(size)).with_numbers(
        {"value": value, "part": draw.integers(0, 9, size), "whole": np.full(size, 9.0)}
    )
    return rows.with_reasons("value", dict.fromkeys(range(0, size, 50), "empty"))


def tally_of(rows: Rows, pool: partial[dict[str, Value]] | None = None) -> Tally:
    return Tally.of(rows, pool or partial(pool_all, METRICS), RESAMPLES, SEED)


def weights_of(labels: list[str], resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    return np.concatenate(list(keyed_weights(labels, resamples, seed)), axis=1)


def test_weights_are_poisson_and_belong_to_the_key() -> None:
    labels = [f"item {at}" for at in range(3000)]
    weights = weights_of(labels)
    assert (weights[0] == 1).all()
    drawn = weights[1:]
    assert drawn.mean() == pytest.approx(1, abs=0.005)
    assert drawn.var() == pytest.approx(1, abs=0.01)
    for often, chance in enumerate((0.3679, 0.3679, 0.1839, 0.0613)):
        assert (drawn == often).mean() == pytest.approx(chance, abs=0.003)
    alike = np.corrcoef(drawn[:60]) - np.eye(60)
    assert np.abs(alike).max() < 0.09  # 5 standard errors of 3,000
    assert np.array_equal(weights_of(labels[1000:1500]), weights[:, 1000:1500])
    assert not np.array_equal(weights_of(labels[:9], seed=SEED + 1), weights[:, :9])


def test_intervals_are_as_wide_as_the_data_demand() -> None:
    rows = made(6000)
    own = rows.by("system")["a"]
    found = intervals(Means().pool, own, seed=1, resamples=2000, keyed=True)
    drawn = intervals(Means().pool, own, seed=1, resamples=2000)
    for name in ("value", "share", "grouped", "total"):
        width = np.subtract(*found[name])
        assert width == pytest.approx(np.subtract(*drawn[name]), rel=0.12), name
    values = own.values("value")
    error = np.nanstd(values) / np.sqrt(np.isfinite(values).sum())
    assert np.subtract(*found["value"][::-1]) == pytest.approx(2 * 1.96 * error, rel=0.12)


@pytest.mark.parametrize("cuts", [[], [300], [1, 2, 599], list(range(7, 600, 7))])
def test_tallies_of_parts_add_up_to_that_of_all(
    cuts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, whole = made(), Tally()
    for first, stop in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        whole.add(tally_of(rows.take(np.arange(first, stop))))
    options = {"signatures": {"means": "m"}, "confidence": 0.9}
    found = summarise_tally(METRICS, whole, **options)
    monkeypatch.setattr(bootstrap, "LARGE", 10)
    expected = summarise(METRICS, rows, seed=SEED, resamples=RESAMPLES, **options)
    assert list(found) == list(expected)
    for system, held in expected.items():
        assert found[system].groups == {
            group: pytest.approx(values) for group, values in held.groups.items()
        }
        for name, score in held.scores.items():
            own = found[system].scores[name]
            numbers = [(s.value, s.low, s.high) for s in (own, score)]
            assert numbers[0] == pytest.approx(numbers[1], rel=1e-12), name
            assert replace(own, value=0, low=0, high=0) == replace(score, value=0, low=0, high=0)
    assert whole.unscored == count_reasons(rows) == {"empty": 12}
    both = [whole.systems[system].items for system in "ab"]
    assert both[0]["part"] == both[1]["part"] != 0
    assert both[0]["value"] != both[1]["value"]  # system a has all undefined ones


def test_systems_of_other_items_are_told_apart() -> None:
    rows = made()
    one = tally_of(rows.take(np.arange(599)))
    assert one.systems["a"].items["part"] != one.systems["b"].items["part"]


def test_what_sums_cannot_give_is_refused() -> None:
    rows = made(60)
    with pytest.raises(NeedsValues):
        tally_of(rows, lambda pool: {"middle": float(np.nanmedian(pool.values("value")))})  # type: ignore[arg-type]
    many = Rows.concat([made(3000), made(3000)])
    with pytest.raises(NeedsValues):  # as many sums as there are items
        tally_of(many, lambda pool: {"x": sum(p.mean("value") for p in pool.by("id").values())})  # type: ignore[arg-type, misc, return-value]
    counts = Counts.of(60, [0, 1], [0, 1], ["n", "v"], {"right": [1.0, 2.0]})
    with pytest.raises(NeedsValues):
        tally_of(
            rows.with_counts({"tags": counts}),
            lambda pool: {"tags": float(pool.labelled("tags")["right"].sum())},  # type: ignore[arg-type]
        )


def test_few_clusters_are_drawn_and_not_weighed_apart() -> None:
    rows = made(600)
    rows = replace(rows, keys={**rows.keys, "cluster": [str(at % 7) for at in range(600)]})
    whole = tally_of(rows)
    with pytest.raises(NeedsValues, match="too few clusters"):
        summarise_tally(METRICS, whole, signatures={}, confidence=0.9)
    options = {"seed": 3, "resamples": 200}
    assert intervals(Means().pool, rows, keyed=True, **options) == intervals(
        Means().pool, rows, **options
    )


def test_a_pool_that_asks_differently_of_parts_is_refused() -> None:
    def moody(pool: Pool) -> Mapping[str, Value]:
        """The mean where it is above zero, else that of another column."""
        mean = np.asarray(pool.mean("value")).reshape(-1)[0]
        return {"moody": pool.mean("value" if mean > 0 else "part")}

    rows = made().with_numbers({"value": np.r_[np.full(300, 1.0), np.full(300, -1.0)]})
    first, second = (tally_of(rows.take(half), moody) for half in np.split(np.arange(600), 2))  # type: ignore[arg-type]
    with pytest.raises(NeedsValues, match="asked of one part and not of another"):
        first.add(second)


def test_numbers_add_up_by_name() -> None:
    assert add_up({"a": 1, "b": {"c": 2}}, {"b": {"c": 3, "d": 1}, "e": 4}) == {
        "a": 1, "b": {"c": 5, "d": 1}, "e": 4,
    }  # fmt: skip
