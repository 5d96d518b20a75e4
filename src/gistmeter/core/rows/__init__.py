"""Rows: statistics by item, in columns, that can be sliced, joined, summed and written.

Metrics give rows; everything after that works on rows alone. `Pool` is what a metric's `pool` may
ask of them. `Rows` answers with numbers, and `statistics.Resample` answers the same questions with
one number per resample, so that a metric's `pool` is written once and serves both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import GistmeterError, UnknownName
from gistmeter.core.files import printable
from gistmeter.core.rows.counts import Counts, Floats, Labelled
from gistmeter.core.types import Item

Value = float | Floats
KEYS = ("id", "system", "group", "cluster")

__all__ = [
    "KEYS", "Counts", "Floats", "Labelled", "Pool", "Rows", "Value", "divide", "positions",
]  # fmt: skip


class Pool(Protocol):
    """What a metric's `pool` may ask. Undefined cells are left out of every sum."""

    @property
    def names(self) -> tuple[str, ...]: ...
    def __contains__(self, name: str) -> bool:
        """Whether there is such a column, or such sparse counts."""

    def sum(self, name: str) -> Value:
        """Sum over the defined rows; 0 where there are none."""

    def mean(self, name: str) -> Value:
        """Mean over the defined rows; NaN where there are none."""

    def ratio(self, numerator: str, denominator: str) -> Value:
        """Ratio of sums over the rows where both are defined; NaN for a zero denominator."""

    def by(self, key: str) -> Mapping[str, Self]:
        """The rows split by one of their keys ("group", "system" …) or of their texts."""

    def labelled(self, name: str) -> Labelled:
        """The totals of sparse counts by label; a label may have totals of 0."""

    def values(self, name: str) -> Floats:
        """A column itself: allowed, but intervals then cost a call of `pool` per resample."""


def divide(numerator: Any, denominator: Any) -> Any:
    """A quotient that is NaN, silently, where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.asarray(numerator, dtype=np.float64) / denominator
    quotient = np.where(np.isfinite(quotient), quotient, np.nan)
    return float(quotient) if quotient.ndim == 0 else quotient


@dataclass(frozen=True, slots=True)
class Rows:
    """A row of statistics for each item (or several, for items that have parts).

    `keys` name each row, `item` says which item of the input it belongs to, `numbers` are the
    statistics (NaN: undefined), `counts` are statistics by label, `texts` what a reader wants
    beside them or what rows can be grouped by, `reasons` say why a cell is undefined
    (column -> row -> reason), `details` are documents to keep beside the run (file name ->
    something JSON can hold).
    """

    keys: Mapping[str, Sequence[str]]
    item: npt.NDArray[np.int64]
    numbers: Mapping[str, Floats] = field(default_factory=dict)
    texts: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    reasons: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, Counts] = field(default_factory=dict)

    @classmethod
    def of(cls, items: Sequence[Item]) -> Self:
        """Rows without statistics, one for each item. Items in columns give their own keys."""
        give = getattr(items, "keys", None)
        keys = give() if give else {key: [getattr(item, key) for item in items] for key in KEYS}
        return cls(keys, np.arange(len(items), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.item)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.numbers)

    def __contains__(self, name: str) -> bool:
        return name in self.numbers or name in self.counts

    def values(self, name: str) -> Floats:
        return self.numbers[name]

    def with_numbers(self, columns: Mapping[str, npt.ArrayLike]) -> Self:
        """The same rows with further statistics."""
        added = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}
        for name, column in added.items():
            if column.shape != (len(self),):
                raise GistmeterError(
                    f"Column '{name}' has shape {column.shape}, the rows are {len(self)}"
                )
        return replace(self, numbers={**self.numbers, **added})

    def with_counts(self, tables: Mapping[str, Counts]) -> Self:
        """The same rows with statistics by label."""
        for name, table in tables.items():
            if len(table) != len(self):
                raise GistmeterError(f"'{name}' counts {len(table)} rows, the rows are {len(self)}")
        return replace(self, counts={**self.counts, **tables})

    def with_texts(self, columns: Mapping[str, Sequence[str | None]]) -> Self:
        return replace(self, texts={**self.texts, **columns})

    def with_reasons(self, name: str, reasons: Mapping[int, str]) -> Self:
        """Say why cells of a column are undefined; an earlier reason stays."""
        merged = {**reasons, **self.reasons.get(name, {})}
        return replace(self, reasons={**self.reasons, name: merged}) if merged else self

    def with_details(self, documents: Mapping[str, Any]) -> Self:
        return replace(self, details={**self.details, **documents})

    def spread(self, like: Rows) -> Rows:
        """One row per item, at the first of the rows that another metric gives the item."""
        places = {item: at for at, item in reversed(list(enumerate(like.item.tolist())))}
        if sorted(places) != sorted(self.item.tolist()):
            raise GistmeterError(f"Cannot join {len(self)} rows with {len(like)}")
        firsts = np.asarray([places[item] for item in self.item.tolist()], dtype=np.int64)
        sources = np.full(len(like), -1)
        sources[firsts] = np.arange(len(self))
        numbers, texts = {}, {}
        for name, column in self.numbers.items():
            numbers[name] = np.full(len(like), np.nan)
            numbers[name][firsts] = column
        for name, cells in self.texts.items():
            held = dict(zip(firsts.tolist(), cells, strict=True))
            texts[name] = [held.get(at) for at in range(len(like))]
        reasons = {
            name: {int(firsts[at]): why for at, why in cells.items()}
            for name, cells in self.reasons.items()
        }
        counts = {name: table.take(sources) for name, table in self.counts.items()}
        return Rows(like.keys, like.item, numbers, texts, reasons, self.details, counts)

    def join(self, other: Rows) -> Rows:
        """The statistics of two metrics on the same items, side by side."""
        if len(other) < len(self):
            other = other.spread(self)
        elif len(other) > len(self):
            return self.spread(other).join(other)
        # A column of the input may be called as a score is.
        texts = {f"{name} (input)" if name in other else name: c for name, c in self.texts.items()}
        joined = replace(
            self,
            numbers={**self.numbers, **other.numbers},
            texts={**texts, **other.texts},
            details={**self.details, **other.details},
            counts={**self.counts, **other.counts},
        )
        for name, reasons in other.reasons.items():
            joined = joined.with_reasons(name, reasons)
        return joined

    @classmethod
    def concat(cls, parts: Iterable[Rows]) -> Rows:
        """Rows one after another; a column that a part lacks is undefined there."""
        parts = list(parts)
        if len(parts) == 1:
            return parts[0]
        starts = np.cumsum([0, *(len(part) for part in parts)])
        reasons: dict[str, dict[int, str]] = {}
        details: dict[str, Any] = {}
        for start, part in zip(starts.tolist(), parts, strict=False):
            details.update(part.details)
            for name, cells in part.reasons.items():
                reasons.setdefault(name, {}).update({start + at: why for at, why in cells.items()})
        return cls(
            {key: [cell for part in parts for cell in part.keys[key]] for key in KEYS},
            np.concatenate([np.zeros(0, np.int64), *(part.item for part in parts)]),
            {
                name: np.concatenate(
                    [part.numbers.get(name, np.full(len(part), np.nan)) for part in parts]
                )
                for name in dict.fromkeys(name for part in parts for name in part.numbers)
            },
            {
                name: [cell for part in parts for cell in part.texts.get(name, [None] * len(part))]
                for name in dict.fromkeys(name for part in parts for name in part.texts)
            },
            reasons,
            details,
            {
                name: Counts.concat(
                    [part.counts.get(name) or Counts.unknown(len(part)) for part in parts]
                )
                for name in dict.fromkeys(name for part in parts for name in part.counts)
            },
        )

    @classmethod
    def merge(cls, parts: Iterable[Rows]) -> Rows:
        """The rows of all shards, whatever their order and size: items in the order of the input,
        columns by name."""
        whole = cls.concat(parts)
        rows = whole.take(np.argsort(whole.item, kind="stable"))
        return replace(
            rows,
            numbers=dict(sorted(rows.numbers.items())),
            texts=dict(sorted(rows.texts.items())),
            details=dict(sorted(whole.details.items())),
            counts=dict(sorted(rows.counts.items())),
        )

    def take(self, indices: npt.ArrayLike) -> Rows:
        """Some rows, in the given order; details stay behind."""
        chosen = np.asarray(indices, dtype=np.int64)
        places = chosen.tolist()
        reasons: dict[str, dict[int, str]] = {}
        for name, cells in self.reasons.items():
            kept = {new: cells[old] for new, old in enumerate(places) if old in cells}
            if kept:
                reasons[name] = kept
        return Rows(
            {key: [column[at] for at in places] for key, column in self.keys.items()},
            self.item[chosen],
            {name: column[chosen] for name, column in self.numbers.items()},
            {name: [column[at] for at in places] for name, column in self.texts.items()},
            reasons,
            counts={name: table.take(chosen) for name, table in self.counts.items()},
        )

    def by(self, key: str) -> dict[str, Rows]:
        found = positions(self.labels(key))
        return {name: self.take(places) for name, places in found.items()}

    def labels(self, key: str) -> Sequence[str]:
        """What rows can be grouped by: a key, or a column of texts, where none is ""."""
        if key in self.keys:
            return self.keys[key]
        if key not in self.texts:
            raise UnknownName("key", key, [*self.keys, *self.texts])
        return [cell or "" for cell in self.texts[key]]

    def labelled(self, name: str) -> Labelled:
        return self.counts[name].totals()

    def sum(self, name: str) -> Value:
        return float(np.nansum(self.numbers[name]))

    def mean(self, name: str) -> Value:
        column = self.numbers[name]
        return float(divide(np.nansum(column), np.count_nonzero(~np.isnan(column))))

    def ratio(self, numerator: str, denominator: str) -> Value:
        above, below = self.numbers[numerator], self.numbers[denominator]
        both = ~(np.isnan(above) | np.isnan(below))
        return float(divide(above[both].sum(), below[both].sum()))

    def reason_lines(self) -> list[str | None]:
        """For each row, its reasons as one JSON object, or None."""
        gathered: dict[int, dict[str, str]] = {}
        for name, cells in self.reasons.items():
            for at, why in cells.items():
                gathered.setdefault(at, {})[name] = why
        return [
            json.dumps(gathered[at], ensure_ascii=False, sort_keys=True) if at in gathered else None
            for at in range(len(self))
        ]

    def to_polars(self) -> Any:
        """A polars DataFrame: keys, texts, statistics (undefined is null), reasons.

        Sparse counts are lists, an entry per label.
        """
        import polars

        columns: dict[str, Any] = {
            key: polars.Series(key, map(printable, self.keys[key]), dtype=polars.String)
            for key in KEYS
        }
        for name, cells in self.texts.items():
            safe = [cell if cell is None else printable(cell) for cell in cells]
            columns[name] = polars.Series(name, safe, dtype=polars.String)
        for name, column in self.numbers.items():
            columns[name] = polars.Series(name, column, dtype=polars.Float64, nan_to_null=True)
        for name, table in self.counts.items():
            columns[name] = table.to_series(name)
        columns["reasons"] = polars.Series("reasons", self.reason_lines(), dtype=polars.String)
        columns["item"] = polars.Series("item", self.item, dtype=polars.Int64)
        return polars.DataFrame(columns)

    @classmethod
    def from_polars(cls, frame: Any) -> Rows:
        """The inverse of `to_polars`."""
        import polars

        special = {*KEYS, "reasons", "item"}
        reasons: dict[str, dict[int, str]] = {}
        for at, line in enumerate(frame["reasons"].to_list()):
            for name, why in (json.loads(line) if line else {}).items():
                reasons.setdefault(name, {})[at] = why
        others = [name for name in frame.columns if name not in special]
        return cls(
            {key: frame[key].to_list() for key in KEYS},
            frame["item"].to_numpy().astype(np.int64),
            {
                name: frame[name].fill_null(float("nan")).to_numpy().astype(np.float64)
                for name in others
                if frame[name].dtype == polars.Float64
            },
            {name: frame[name].to_list() for name in others if frame[name].dtype == polars.String},
            reasons,
            counts={
                name: Counts.from_series(frame[name])
                for name in others
                if frame[name].dtype == polars.List
            },
        )


def positions(labels: Sequence[str]) -> dict[str, npt.NDArray[np.int64]]:
    """Where each label stands, labels in the order of their first occurrence."""
    found: dict[str, list[int]] = {}
    for at, label in enumerate(labels):
        found.setdefault(label, []).append(at)
    return {label: np.asarray(places, dtype=np.int64) for label, places in found.items()}


def has_repeats(rows: Rows) -> bool:
    """Whether a system answered an item several times; parts of one answer are no answers."""
    names = set(zip(*(rows.keys[key] for key in ("system", "id", "group")), strict=True))
    whole = zip(*(rows.keys[key] for key in ("system", "id", "group")), rows.item, strict=True)
    return len(names) < len(set(whole))
