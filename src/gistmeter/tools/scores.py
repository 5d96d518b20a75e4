"""Scores of other tools as runs: any table of (id, system, score), long or wide.

A long table has the columns id, system and score; a wide one an id and one column of numbers per
system. The score of a system is the mean of its items, as a rate or a rating is; so that users of
any tool get intervals, paired tests and what their items could show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from gistmeter.core.errors import FormatError
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.run import Run
from gistmeter.core.table import Table, name_in, read_table
from gistmeter.core.types import Score, ScoreInfo, SystemScores

ID = ("id", "item", "key", "segment", "seg_id", "idiom", "file", "sentence", "example", "question")
SYSTEM = ("system", "model", "provider", "method", "sys")
SCORE = ("score", "value", "metric", "rating")
GROUP = ("group", "arrangement", "domain")
CLUSTER = ("cluster", "document", "doc", "speaker", "topic")
LOWER = ("wer", "cer", "ter", "error", "loss", "distance", "latency", "edits", "time")


@dataclass(frozen=True, slots=True)
class MeanOf:
    """The mean of a column of given scores; which way is better is said or told by its name."""

    column: str
    higher_is_better: bool = True
    scores: ClassVar[tuple[ScoreInfo, ...]] = ()

    def measure(self, items: Sequence[object]) -> Rows:
        raise NotImplementedError("given scores are not measured")

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {self.column: rows.mean(self.column)}


def read_scores(path: Path, *, lower: bool | None = None) -> tuple[Rows, MeanOf]:
    """The rows of a table of scores, and what pools them.

    `lower` says that lower is better; None tells it by the column's name (wer, error, distance).
    """
    table = read_table(path)
    name, cells = _cells(table)
    _refuse_repeated(cells, table)
    numbers = {label: at for at, label in enumerate(dict.fromkeys(cell.id for cell in cells))}
    rows = Rows(
        {
            "id": [cell.id for cell in cells],
            "system": [cell.system for cell in cells],
            "group": [cell.group for cell in cells],
            "cluster": [cell.cluster or cell.id for cell in cells],
        },
        np.asarray([numbers[cell.id] for cell in cells], dtype=np.int64),
    ).with_numbers({name: [cell.value for cell in cells]})
    known = {*name.casefold().replace("-", "_").split("_"), name.casefold()} & set(LOWER)
    return rows, MeanOf(name, not (bool(known) if lower is None else lower))


def load_scores(path: str | Path, *, lower_is_better: bool | None = None) -> Run:
    """A table of (id, system, score) of any tool as a run that can be compared.

    Which way is better is told by the column's name (wer, error, distance …), unless it is said.
    """
    rows, metric = read_scores(Path(path), lower=lower_is_better)
    signature = f"scores|column:{metric.column}"
    return Run(
        "scores", signature, systems_of(rows, metric), rows=rows, metrics={"scores": metric},
        signatures={"scores": signature},
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Cell:
    id: str
    system: str
    value: float
    group: str = ""
    cluster: str = ""


def _cells(table: Table) -> tuple[str, list[_Cell]]:
    """What the score is called, and every score of the table."""
    places = {
        name: table.find(name, known)
        for name, known in (("system", SYSTEM), ("group", GROUP), ("cluster", CLUSTER))
    }
    key = table.need("id", ID)
    taken = {key, *filter(None, places.values())}
    wide = [c for c in table.columns if c not in taken and _are_numbers(table.column(c))]
    score = table.find("score", SCORE) or (wide[0] if len(wide) == 1 else None)
    if (places["system"] and score is None) or not wide:
        raise FormatError(
            "is not a table of scores: expected the columns id, system and score, or an id and one "
            f"column of numbers per system. Columns found: {', '.join(table.columns)}",
            path=table.path,
        )
    columns = [score] if score else wide
    cells = []
    for column in columns:
        owner = column if score is None else table.path.stem
        for row, line in zip(table.rows, table.lines, strict=True):
            at = {name: name_in(row[table.columns.index(c)]) for name, c in places.items() if c}
            system = at.pop("system", "") or owner
            value = _number(row[table.columns.index(column)], table, line)
            cells.append(_Cell(name_in(row[table.columns.index(key)]), system, value, **at))
    return score or "score", cells


def systems_of(rows: Rows, metric: MeanOf) -> dict[str, SystemScores]:
    """The mean of every system; intervals come with the comparison."""
    column = metric.column
    systems = {}
    for system, part in rows.by("system").items():
        values = part.values(column)
        known = values[np.isfinite(values)]
        score = Score(
            column,
            float(known.mean()) if known.size else math.nan,
            n=int(known.size),
            unscored=len(values) - int(known.size),
            higher_is_better=metric.higher_is_better,
        )
        systems[system] = SystemScores({column: score})
    return systems


def _are_numbers(cells: Sequence[str | None]) -> bool:
    filled = [cell for cell in cells if cell and cell.strip()]
    return bool(filled) and all(_is_number(cell) for cell in filled)


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip().rstrip("%"))
    except ValueError:
        return False
    return True


def _number(cell: str | None, table: Table, line: int) -> float:
    """A score; an empty cell is undefined."""
    if not cell or not cell.strip():
        return math.nan
    if not _is_number(cell):
        raise FormatError(f"has the score '{cell}'; expected a number", path=table.path, row=line)
    return float(cell.strip().rstrip("%"))


def _refuse_repeated(cells: Sequence[_Cell], table: Table) -> None:
    seen: set[tuple[str, str, str]] = set()
    for cell in cells:
        key = (cell.id, cell.system, cell.group)
        if key in seen:
            raise FormatError(f"scores '{cell.id}' of '{cell.system}' twice", path=table.path)
        seen.add(key)
