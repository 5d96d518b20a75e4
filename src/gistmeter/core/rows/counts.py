"""Sparse counts: numbers for each row and label, where most rows have few of all labels.

How often each label of a sentence is right, or which label was taken for which, cannot be a column
each: there are thousands. A `Counts` holds the entries that exist. It is mergeable, as columns
are: the totals of parts put together, in any order, are the totals of the whole, so that macro
averages and breakdowns pool exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from gistmeter.core.files import printable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
UNDEFINED = -1  # the size of a row whose counts are not known


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Totals by label: arrays of one number per label, or of resamples x labels.

    A resample has beside it the `whole`, the totals of the data as they are; its own are worked
    out when they are asked for.
    """

    labels: tuple[str, ...]
    numbers: Mapping[str, Floats]
    whole: Labelled | None = None

    def __getitem__(self, number: str) -> Floats:
        return self.numbers[number]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Entries in the order of the rows and, within a row, of the sorted labels; none twice."""

    labels: tuple[str, ...]  # sorted
    sizes: Ints  # entries of each row, or UNDEFINED
    label: Ints  # of each entry, its place among the labels
    numbers: Mapping[str, Floats]  # of each entry

    @classmethod
    def of(
        cls,
        size: int,
        row: npt.ArrayLike,
        label: npt.ArrayLike,
        labels: Sequence[str],
        numbers: Mapping[str, npt.ArrayLike],
    ) -> Self:
        """From entries in any order: `label` are places in `labels`; what occurs again adds up."""
        rows, codes = np.asarray(row, np.int64), np.asarray(label, np.int64)
        seen = np.zeros(len(labels), np.bool_)
        seen[codes] = True
        used = np.flatnonzero(seen).tolist()
        names = sorted({labels[at] for at in used})
        place = {name: at for at, name in enumerate(names)}
        rank = np.zeros(len(labels), np.int64)
        rank[used] = [place[labels[at]] for at in used]
        width = max(1, len(names))
        cells, entry = _distinct(rows * width + rank[codes], size * width)
        return cls(
            tuple(names),
            np.bincount(cells // width, minlength=size).astype(np.int64),
            cells % width,
            {
                name: np.bincount(
                    entry, np.asarray(column, np.float64), minlength=len(cells)
                ).astype(np.float64)
                for name, column in numbers.items()
            },
        )

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """Which rows are defined; a defined row may have nothing to count."""
        return np.asarray(self.sizes != UNDEFINED)

    @property
    def row(self) -> Ints:
        """The row of each entry."""
        return np.repeat(np.arange(len(self)), np.maximum(self.sizes, 0))

    def totals(self) -> Labelled:
        """The sums over all rows; an undefined number is left out."""
        size = len(self.labels)
        return Labelled(
            self.labels,
            {
                name: np.bincount(self.label, np.nan_to_num(column), size).astype(np.float64)
                for name, column in self.numbers.items()
            },
        )

    def take(self, rows: Ints) -> Counts:
        """Some rows in the given order; row -1 is undefined."""
        counts = np.maximum(self.sizes, 0)
        chosen = np.where(rows < 0, UNDEFINED, self.sizes[rows] if len(self) else UNDEFINED)
        lengths = np.maximum(chosen, 0)
        starts = (np.cumsum(counts) - counts)[rows] if len(self) else np.zeros(len(rows), np.int64)
        ends = np.cumsum(lengths)
        entries = np.arange(int(lengths.sum())) + np.repeat(starts - (ends - lengths), lengths)
        return Counts(
            self.labels,
            chosen,
            self.label[entries],
            {name: column[entries] for name, column in self.numbers.items()},
        )

    def without(self, rows: npt.NDArray[np.bool_]) -> Counts:
        """The same with some rows undefined."""
        return self.take(np.where(rows, -1, np.arange(len(self))))

    @classmethod
    def unknown(cls, size: int) -> Counts:
        """Rows of which nothing is known."""
        return cls((), np.full(size, UNDEFINED), np.zeros(0, np.int64), {})

    @classmethod
    def concat(cls, parts: Sequence[Counts]) -> Counts:
        """One after another; a number that a part lacks is undefined there."""
        labels = tuple(sorted({label for part in parts for label in part.labels}))
        place = {label: at for at, label in enumerate(labels)}
        ranks = [np.asarray([place[label] for label in part.labels], np.int64) for part in parts]
        names = dict.fromkeys(name for part in parts for name in part.numbers)
        return cls(
            labels,
            np.concatenate([part.sizes for part in parts]),
            np.concatenate([rank[part.label] for rank, part in zip(ranks, parts, strict=True)]),
            {
                name: np.concatenate(
                    [part.numbers.get(name, np.full(len(part.label), np.nan)) for part in parts]
                )
                for name in names
            },
        )

    def to_series(self, name: str) -> Any:
        """A polars column of lists, one entry a label: {label, numbers}; null is undefined."""
        import polars

        labels = polars.Series([printable(label) for label in self.labels], dtype=polars.String)
        columns = {"label": labels.gather(self.label)} | {
            number: polars.Series(column, dtype=polars.Float64).fill_nan(None)
            for number, column in self.numbers.items()
        }
        entries = polars.DataFrame({"row": self.row, **columns})
        grouped = entries.group_by("row", maintain_order=True).agg(polars.struct(*columns))
        frame = polars.DataFrame({"row": np.arange(len(self)), "known": self.known})
        nothing = polars.lit([], dtype=grouped.schema["label"])
        found = polars.col("label").fill_null(nothing)
        return (
            frame.join(grouped, on="row", how="left", maintain_order="left")
            .select(polars.when("known").then(found).alias(name))
            .to_series()
        )

    @classmethod
    def from_series(cls, column: Any) -> Counts:
        """The inverse of `to_series`."""
        import polars

        sizes = column.list.len().cast(polars.Int64).fill_null(UNDEFINED).to_numpy()
        fields = column.dtype.inner.fields
        entries = column.filter(sizes > 0).explode().struct.unnest()
        labels = entries["label"].unique().sort()
        codes = entries["label"].replace_strict(
            labels, np.arange(len(labels)), return_dtype=polars.Int64
        )
        return cls(
            tuple(labels.to_list()),
            sizes,
            codes.to_numpy().astype(np.int64),
            {
                field.name: entries[field.name].fill_null(np.nan).to_numpy()
                for field in fields
                if field.name != "label"
            },
        )


def _distinct(cells: Ints, limit: int) -> tuple[Ints, Ints]:
    """The distinct numbers below a limit, sorted, and the place of each among them."""
    if limit > 8 * len(cells):
        distinct, place = np.unique(cells, return_inverse=True)
        return distinct, place
    seen = np.zeros(limit, np.bool_)
    seen[cells] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[cells]
