"""Which column of a file holds what.

Three layouts are known by their number of columns: CoNLL-U (10), SEMarkup (10, with SEMSLOT and
SEMCLASS where CoNLL-U has DEPS and MISC) and CoBaLD (12). Any other is declared, by the file's
`# global.columns = ID FORM …` line (CoNLL-U Plus) or by the user.

Ten undeclared columns are SEMarkup when some cell of column 9 is neither `_` nor of the form
`head:relation`, as enhanced dependencies are; else CoNLL-U.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gistmeter.core.errors import InputError

BASIC = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL")
SEMANTIC = ("SEMSLOT", "SEMCLASS")
KNOWN = (*BASIC, "DEPS", "MISC", *SEMANTIC)
SYNONYMS = {
    "WORD": "FORM",
    "TOKEN": "FORM",
    "POS": "UPOS",
    "UPOSTAG": "UPOS",
    "XPOSTAG": "XPOS",
    "FEATURES": "FEATS",
    "DEPRELS": "DEPREL",
    "SS": "SEMSLOT",
    "SEM_SLOT": "SEMSLOT",
    "SEMANTIC_SLOT": "SEMSLOT",
    "SC": "SEMCLASS",
    "SEM_CLASS": "SEMCLASS",
    "SEMANTIC_CLASS": "SEMCLASS",
}
IGNORED = "_"  # the name of a column that nobody needs
_ENHANCED = re.compile(r"\d+(\.\d+)?:[^|]+(\|\d+(\.\d+)?:[^|]+)*")


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a file, in order."""

    name: str
    columns: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, column: object) -> bool:
        return column in self.columns

    def place(self, column: str) -> int:
        return self.columns.index(column)

    def __str__(self) -> str:
        return f"{self.name} ({len(self)} columns: {' '.join(self.columns)})"


CONLLU = Layout("CoNLL-U", (*BASIC, "DEPS", "MISC"))
SEMARKUP = Layout("SEMarkup", (*BASIC, *SEMANTIC))
COBALD = Layout("CoBaLD", KNOWN)


def declare(names: Iterable[str] | str, *, name: str = "declared columns") -> Layout:
    """A layout from column names; unknown names are columns that are read over."""
    words = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    columns = tuple(SYNONYMS.get(word.upper(), word.upper()) for word in words)
    for needed in ("ID", "FORM"):
        if needed not in columns:
            listed = " ".join(words) or "none"
            raise InputError(f"The columns need {needed} among them; found: {listed}")
    repeated = {one for one in columns if columns.count(one) > 1 and one != IGNORED}
    if repeated:
        raise InputError(f"Columns named twice: {', '.join(sorted(repeated))}")
    known = next((one for one in (CONLLU, SEMARKUP, COBALD) if one.columns == columns), None)
    return known or Layout(name, columns)


def by_width(width: int) -> Layout:
    """The layout of an undeclared file; ten columns are taken for CoNLL-U until `is_semarkup`."""
    for layout in (CONLLU, COBALD):
        if len(layout) == width:
            return layout
    raise InputError(
        f"{width} columns; expected 10 (CoNLL-U or SEMarkup), 12 (CoBaLD), or a line "
        "'# global.columns = ID FORM …' at the top. Name them with --columns"
    )


def is_semarkup(cells_of_column_9: Sequence[str]) -> bool:
    """Whether some cell can be no enhanced dependency."""
    return any(
        cell not in ("_", "") and not _ENHANCED.fullmatch(cell) for cell in cells_of_column_9
    )
