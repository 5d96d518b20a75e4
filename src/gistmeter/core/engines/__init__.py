"""Where the work runs: in this process, or on a cluster. What is done is the same.

An engine is given chunks of items and what is to be done with each, and gives back what was
measured, in any order: rows are put back in the order of the input when all are there. `local` is
the default; others are found by name, ours and those that packages add as entry points of
`gistmeter.engines`. A package's engine is made with the address, the number of workers and the
device that the user gave, as `Local` is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from gistmeter.core import registry
from gistmeter.core.engines.measuring import Measured, Part, Parts, Work, measure
from gistmeter.core.errors import InputError
from gistmeter.core.family import RunSettings

__all__ = [
    "Engine", "Local", "Measured", "Part", "Parts", "Work", "engine_of", "measure",
]  # fmt: skip
GROUP = "gistmeter.engines"
Given = TypeVar("Given")
Got = TypeVar("Got")


class Engine(Protocol):
    """Whoever can have work done on chunks."""

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
