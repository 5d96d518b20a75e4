"""Where the work runs: in this process, or on a cluster. What is done is the same.

An engine is given chunks of items and what is to be done with each, and gives back what was
measured, in any order: rows are put back in the order of the input when all are there. `local` is
the default; others are found by name, ours and those that packages add as entry points of
`gistmeter.engines`. A package's engine is made with the address, the number of workers and the
device that the user gave, as `Local` is here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from gistmeter.core import registry
from gistmeter.core.errors import GistmeterError, InputError, ModelError
from gistmeter.core.options import RunSettings
from gistmeter.core.rows import Rows
from gistmeter.core.runs.shards import Shard, Shelf
from gistmeter.core.types import Clip, Item, Metric, Pair

logger = logging.getLogger(__name__)
GROUP = "gistmeter.engines"
Base = Callable[[Sequence[Any]], Rows]
Measured = Rows | Shard
Given = TypeVar("Given")
Got = TypeVar("Got")


class Engine(Protocol):
    """Runs work on chunks, here or elsewhere."""

    @property
    def apart(self) -> bool:
        """Whether the work is done in other processes, which then keep their rows as shards."""

    def open(self) -> AbstractContextManager[None]:
        """What is held ready for the length of a scoring."""

    def sees(self, files: Sequence[Path]) -> bool:
        """Whether all workers find these files where they are here."""

    def run(self, work: Callable[[Given], Got], parts: Sequence[Given]) -> Iterator[Got]:
        """What the work makes of every part, as it comes. What fails for good is raised."""


@dataclass(slots=True)
class Local:
    """This process, one chunk after another."""

    address: str = ""
    workers: int = 0
    device: str = "auto"
    apart: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.address or self.workers:
            given = "address" if self.address else "workers"
            raise InputError(f"{given} is for a cluster, and the engine is local: add --engine ray")

    def open(self) -> AbstractContextManager[None]:
        return nullcontext()

    def sees(self, files: Sequence[Path]) -> bool:  # noqa: ARG002
        return True

    def run(self, work: Callable[[Given], Got], parts: Sequence[Given]) -> Iterator[Got]:
        return map(work, parts)


def engine_of(how: RunSettings, device: str = "auto") -> Engine:
    """The engine that a run's settings name, or are given."""
    if not isinstance(how.engine, str):
        given: Engine = how.engine
        return given
    if "address" in how.from_file and how.address not in ("", "auto", "local"):
        raise InputError(
            f"address in the configuration file is {how.address}: texts would go there on a file's"
            " word alone. Type --address, or set RAY_ADDRESS in the environment"
        )
    kind: Any = registry.find(GROUP, how.engine)
    made: Engine = kind(address=how.address, workers=how.workers, device=device)
    return made


@dataclass(frozen=True, slots=True)
class Part:
    """A chunk: neighbouring items, and where the first of them stands in the input."""

    first: int
    items: Sequence[Item]

    def loaded(self) -> Part:
        """The part with its items at hand, where they only say how they are read."""
        load = getattr(self.items, "load", None)
        return replace(self, items=load()) if load else self


@dataclass(frozen=True, slots=True)
class Work:
    """The metrics of a run, and where a worker of its own puts what it measured."""

    metrics: Mapping[str, Metric]
    base: Base = Rows.of
    shelf: Shelf | None = None
    chunk: int = 1024  # items that are measured at once

    def __call__(self, part: Part) -> Measured:
        items = part.loaded().items
        pieces = []
        for at in range(0, len(items), self.chunk):
            rows = measure(items[at : at + self.chunk], self.metrics, self.base)
            pieces.append(replace(rows, item=rows.item + part.first + at))
        rows = pieces[0] if len(pieces) == 1 else Rows.merge(pieces)
        return self.shelf.put(rows) if self.shelf else rows


class Parts(Sequence[Part]):
    """The chunks of what is missing: runs of neighbours, none longer than `size`.

    Items that are read in stretches are cut where these begin (`cuts`) instead. A chunk is cut out
    of the items when it is asked for, and none is kept.
    """

    def __init__(self, items: Sequence[Item], missing: Sequence[range], size: int) -> None:
        self._items, self._bounds = items, list[tuple[int, int]]()
        cuts = getattr(items, "cuts", ())
        for span in missing:
            inside = [cut for cut in cuts if cut in span] if cuts else span[::size]
            firsts = sorted({span.start, *inside})
            self._bounds += zip(firsts, [*firsts[1:], span.stop], strict=True)

    def __len__(self) -> int:
        return len(self._bounds)

    def __getitem__(self, at: Any) -> Any:
        first, stop = self._bounds[at]
        return Part(first, self._items[first:stop])


def count_items(measured: Measured) -> int:
    return len(measured.items if isinstance(measured, Shard) else set(measured.item.tolist()))


def measure(items: Sequence[Item], metrics: Mapping[str, Metric], base: Base = Rows.of) -> Rows:
    """The joined rows of some items; a failing model leaves them unscored with its reason.

    So does a budget: an item that no metric could compare in reasonable time is given to none.
    """
    excess = {
        at: why
        for at, item in enumerate(items if isinstance(items, list | tuple) else ())
        if isinstance(item, Pair | Clip) and (why := item.burden.excess)
    }
    if not excess:
        return _measure(items, metrics, base)
    pieces = [
        replace(_unmeasured(items[at], metrics, base, why), item=np.asarray([at], dtype=np.int64))
        for at, why in excess.items()
    ]
    places = np.asarray([at for at in range(len(items)) if at not in excess], dtype=np.int64)
    if len(places):
        rows = _measure([items[at] for at in places.tolist()], metrics, base)
        pieces.append(replace(rows, item=places[rows.item]))
    return Rows.merge(pieces)


def _measure(items: Sequence[Item], metrics: Mapping[str, Metric], base: Base) -> Rows:
    joined = base(items)
    for name, metric in metrics.items():
        try:
            rows = metric.measure(items)
        except ModelError as error:
            logger.warning("%s failed on %d items: %s", name, len(items), error)
            rows = _unscored(items, metric, str(error))
        except GistmeterError:
            raise
        except Exception as error:
            if type(metric).__module__.startswith("gistmeter."):
                raise
            raise GistmeterError(
                f"The metric '{name}' failed on {len(items)} items: {type(error).__name__}: {error}"
            ) from error
        joined = joined.join(rows)
    for metric in metrics.values():
        # A metric may add columns made from those of the others, once they are joined.
        derive = getattr(metric, "derive", None)
        joined = derive(joined) if derive is not None else joined
    return joined


def _unmeasured(item: Any, metrics: Mapping[str, Metric], base: Base, reason: str) -> Rows:
    """The row of an item that no metric was given: as of an empty one, and all of it undefined."""
    rows = _measure([item.emptied()], metrics, base).take([0])
    scores = [info.basis or info.name for metric in metrics.values() for info in metric.scores]
    undefined = np.full(1, np.nan)
    return replace(
        rows,
        numbers=dict.fromkeys((*rows.numbers, *scores), undefined),
        texts={**rows.texts, **base([item]).texts},
        reasons={name: {0: reason} for name in scores},
    )


def _unscored(items: Sequence[Item], metric: Metric, reason: str) -> Rows:
    rows = Rows.of(items)
    for info in metric.scores:
        column = info.basis or info.name
        rows = rows.with_numbers({column: np.full(len(items), np.nan)})
        rows = rows.with_reasons(column, dict.fromkeys(range(len(items)), reason))
    return rows
