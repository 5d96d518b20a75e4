"""What the tests of the cluster share: metrics slow enough to be interrupted, and nodes."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from conftest import ROOT
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Pair, ScoreInfo

STORE = 150 << 20  # bytes of each node's object store: the machine is shared
# Workers import the metrics of the tests, and gistmeter from where the tests have it.
PATHS = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tests" / "cluster")]


@dataclass(frozen=True, slots=True)
class Slow:
    """Characters of a candidate, slowly; `log` gets a line for each call, with its process."""

    log: str = ""
    seconds: float = 0.0
    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("size"),)
    loaded: list[int] = field(default_factory=list, compare=False)

    def measure(self, items: Sequence[Pair]) -> Rows:
        if not self.loaded:
            self.loaded.append(os.getpid())
            self._write(f"load {os.getpid()}")
        time.sleep(self.seconds)
        self._write(f"measure {os.getpid()} {items[0].id} {len(items)}")
        sizes = [float(len(item.candidate or "")) for item in items]
        return Rows.of(items).with_numbers({"size": sizes})

    def _write(self, line: str) -> None:
        if self.log:
            with open(self.log, "a") as stream:  # noqa: PTH123
                stream.write(line + "\n")

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {"size": rows.mean("size")}


def numbered(count: int) -> list[Pair]:
    return [Pair(id=str(at), candidate="x" * (at % 13), references=("y",)) for at in range(count)]


@dataclass(frozen=True)
class Later(Sequence[Pair]):
    """`numbered`, made by whoever measures them: what travels are two numbers."""

    span: range

    def __len__(self) -> int:
        return len(self.span)

    def __getitem__(self, at: Any) -> Any:
        return Later(self.span[at]) if isinstance(at, slice) else self.load()[at]

    def load(self) -> list[Pair]:
        return [Pair(id=str(at), candidate="x" * (at % 13), references=("y",)) for at in self.span]


def environment() -> dict[str, str]:
    held = os.environ.get("PYTHONPATH", "")
    return {"PYTHONPATH": os.pathsep.join([*PATHS, *([held] if held else [])])}


def start_node(cluster: Any, cpus: int = 1) -> Any:
    return cluster.add_node(num_cpus=cpus, object_store_memory=STORE, include_dashboard=False)


def listening(root: int) -> dict[str, set[str]]:
    """Program -> the addresses on which a process and its children listen, as the kernel has it."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            cells = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(cells[1])
    family = {root}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    sockets = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            cells = line.split()
            if cells[3] == "0A":
                sockets[cells[9]] = spelled(cells[1].partition(":")[0])
    found: dict[str, set[str]] = {}
    for number in family:
        with contextlib.suppress(OSError):
            name = Path(f"/proc/{number}/comm").read_text().strip()
            for handle in Path(f"/proc/{number}/fd").iterdir():
                inode = str(handle.readlink()).removeprefix("socket:[").rstrip("]")
                if inode in sockets:
                    found.setdefault(name, set()).add(sockets[inode])
    return found


def spelled(digits: str) -> str:
    """An address as the kernel lists it: words of 32 bits, each with its last byte first."""
    words = [bytes.fromhex(digits[at : at + 8])[::-1] for at in range(0, len(digits), 8)]
    address = ipaddress.ip_address(b"".join(words))
    return str(getattr(address, "ipv4_mapped", None) or address)
