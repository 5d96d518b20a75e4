"""Wide tables: one column per system beside one reference, found by what the columns hold.

A system's column is text that shares words with the reference on the same rows, or text under the
name of a model, for paraphrases share few. Numbers, paths and labels are none; other text that is
unlike the reference is a matter of doubt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from gistmeter.core.errors import FormatError, UnknownName
from gistmeter.core.table import Table

LOOKED_AT = 200  # rows
LABEL = 4  # words of a label, at most
ALIKE = 0.2  # the share of a reference's words that a system has, on the average
_NUMBER = re.compile(r"[-+]?[\d\s.,:]+(?:e[-+]?\d+)?\s*(?:%|s|ms|sec|seconds)?", re.IGNORECASE)
_PLACE = re.compile(r"\w+://\S+|\S*[/\\]\S+|\S+\.(?:wav|flac|ogg|mp3|m4a|opus|webm|aac|mp4)", re.I)
_WORD = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|"
    "[^\\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)


@dataclass(frozen=True, slots=True)
class Sorted:
    """The columns that no name explains: systems, texts in doubt, and what is not text."""

    systems: tuple[str, ...]
    doubtful: tuple[str, ...]
    others: tuple[str, ...]

    def told(self) -> str:
        """What was read and what was not; empty where nothing was left out."""
        left = ", ".join(self.doubtful + self.others)
        if not left:
            return ""
        return f"Systems: {', '.join(self.systems)}; left out: {left}. --systems names them"


def sort_columns(
    table: Table,
    columns: Sequence[str],
    said: Sequence[str | None],
    known: re.Pattern[str] | None = None,
) -> Sorted:
    """Which of some columns are systems beside what each row should have said.

    `known` is how the names of systems look.
    """
    systems, doubtful, others = [], [], []
    for column in columns:
        cells = table.column(column)
        alike = likeness(said, cells) >= ALIKE
        if not is_text(cells) or (are_labels(cells) and not alike):
            others.append(column)
        elif alike or (known and known.search(column)):
            systems.append(column)
        else:
            doubtful.append(column)
    return Sorted(tuple(systems), tuple(doubtful), tuple(others))


def chosen_columns(table: Table, names: Sequence[str]) -> list[str]:
    """The columns of the systems that the user named."""
    headers = {column.strip().casefold(): column for column in table.columns}
    for name in names:
        if name.strip().casefold() not in headers:
            raise FormatError(
                str(UnknownName("column of a system", name, table.columns)), path=table.path
            )
    return [headers[name.strip().casefold()] for name in names]


def is_text(cells: Sequence[str | None]) -> bool:
    """Whether most filled cells are words, and not numbers, places or nothing."""
    filled = [cell.strip() for cell in cells if cell and cell.strip()]
    odd = sum(bool(_NUMBER.fullmatch(cell) or _PLACE.fullmatch(cell)) for cell in filled)
    return bool(filled) and 2 * odd < len(filled)


def are_labels(cells: Sequence[str | None]) -> bool:
    """Whether cells are short and most of them are there several times."""
    filled = [cell.strip() for cell in cells if cell and cell.strip()]
    short = all(len(words(cell)) <= LABEL for cell in filled)
    return short and len(set(filled)) * 2 <= len(filled)


def likeness(said: Sequence[str | None], cells: Sequence[str | None]) -> float:
    """The mean share of a reference's words that the cell beside it has."""
    shares = []
    for reference, cell in zip(said, cells, strict=True):
        wanted, spoken = words(reference), words(cell)
        if wanted and spoken:
            shares.append(len(wanted & spoken) / len(wanted))
        if len(shares) == LOOKED_AT:
            break
    return fmean(shares) if shares else 0.0


def words(text: str | None) -> set[str]:
    """Words where they are spaced, characters where they are not."""
    return set(_WORD.findall((text or "").casefold()))
