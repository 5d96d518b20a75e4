"""A treebank in columns: for every word one integer per column, and each distinct string once.

Words are the lines whose ID is a number. Multiword tokens (1-2) and empty nodes (1.1) are kept
beside them. Files that are to be compared share their vocabularies, so that equal cells have equal
numbers.

Which column of a file holds what is its layout. Three are known by their number of columns: CoNLL-U
(10), SEMarkup (10, with SEMSLOT and SEMCLASS where CoNLL-U has DEPS and MISC) and CoBaLD (12). Any
other is declared, by the file's `# global.columns = ID FORM …` line (CoNLL-U Plus) or by the user.
Ten undeclared columns are SEMarkup when some cell of column 9 is neither `_` nor of the form
`head:relation`, as enhanced dependencies are; else CoNLL-U.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.types import Sentence, Token
from gistmeter.languages.normal_forms import normal_form

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
EMPTY = ("_", "")
WORD = re.compile(r"[0-9]{1,9}")
RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
NODE = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}")
BASIC = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL")
SEMANTIC = ("SEMSLOT", "SEMCLASS")
KNOWN = (*BASIC, "DEPS", "MISC", *SEMANTIC)
SYNONYMS = {
    "WORD": "FORM", "TOKEN": "FORM", "POS": "UPOS", "UPOSTAG": "UPOS", "XPOSTAG": "XPOS",
    "FEATURES": "FEATS", "DEPRELS": "DEPREL", "SS": "SEMSLOT", "SEM_SLOT": "SEMSLOT",
    "SEMANTIC_SLOT": "SEMSLOT", "SC": "SEMCLASS", "SEM_CLASS": "SEMCLASS",
    "SEMANTIC_CLASS": "SEMCLASS",
}  # fmt: skip
GLOBAL = "global.columns"  # the comment that declares a layout
IGNORED = "_"  # the name of a column that nobody needs
_ENHANCED = re.compile(r"\d+(\.\d+)?:[^|]+(\|\d+(\.\d+)?:[^|]+)*")
FIELDS = {name: name.lower() for name in KNOWN[2:]}  # of a `Token`, by column


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
    known = {layout.columns: layout for layout in (CONLLU, SEMARKUP, COBALD)}
    return known.get(columns) or Layout(name, columns)


def declared_by(comment: str) -> Layout | None:
    """The layout that a line `# global.columns = …` declares; None of any other comment."""
    key, equals, names = comment[1:].partition("=")
    if not equals or key.strip() != GLOBAL:
        return None
    return declare(names, name=f"# {GLOBAL}")


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
    return any(cell not in EMPTY and not _ENHANCED.fullmatch(cell) for cell in cells_of_column_9)


def compose(text: str) -> str:
    """NFC: one spelling for what looks the same."""
    return text if text.isascii() else normal_form("NFC", text)


class Vocabulary:
    """The distinct strings of a column, numbered in the order they came."""

    __slots__ = ("_numbers", "_strings")

    def __init__(self, strings: Iterable[str] = ()) -> None:
        self._numbers: dict[str, int] = {}
        self._strings: list[str] = []
        self.codes(list(strings))

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def strings(self) -> list[str]:
        if len(self._strings) != len(self._numbers):
            self._strings = list(self._numbers)
        return self._strings

    def codes(self, strings: Sequence[str]) -> Codes:
        """Their numbers; new strings are added."""
        numbers = self._numbers
        new = [string for string in dict.fromkeys(strings) if string not in numbers]
        numbers.update(zip(new, range(len(numbers), len(numbers) + len(new)), strict=True))
        return np.fromiter(map(numbers.__getitem__, strings), np.int32, len(strings))

    def find(self, string: str) -> int:
        """Its number, or -1."""
        return self._numbers.get(string, -1)

    def classes(self, spell: Callable[[str], str]) -> Codes:
        """For each string a number shared by all that `spell` makes equal."""
        numbers: dict[str, int] = {}
        spelled = (numbers.setdefault(spell(string), len(numbers)) for string in self.strings)
        return np.fromiter(spelled, np.int32, len(self.strings))

    def flags(self, test: Callable[[str], bool]) -> Bools:
        return np.fromiter(map(test, self.strings), np.bool_, len(self.strings))


@dataclass(frozen=True, slots=True)
class Multiwords:
    """Tokens that stand for several words: the words `first` to `last` of the file, inclusive."""

    first: Ints
    last: Ints
    form: Codes
    line: Ints


@dataclass(frozen=True, slots=True, eq=False)
class EmptyNodes:
    """What a sentence leaves unsaid (7.1): nodes of its enhanced graph that are no words."""

    sentence: Ints
    after: Ints  # how many words of the sentence stand before it
    columns: Mapping[str, Codes]
    line: Ints

    def __len__(self) -> int:
        return len(self.sentence)


@dataclass(frozen=True, slots=True, eq=False)
class Treebank:
    """The words of a file, column by column."""

    path: Path
    layout: Layout
    columns: Mapping[str, Codes]
    vocabularies: Mapping[str, Vocabulary]
    offsets: Ints  # where each sentence begins among the words; one more at the end
    ids: Sequence[str]
    lines: Ints  # of each word, counted from 1
    sentence_lines: Ints  # of each sentence's first token
    multiwords: Multiwords
    nodes: EmptyNodes
    guessed: bool = False  # whether the layout was guessed by column 9

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def words(self) -> int:
        return int(self.offsets[-1])

    def __contains__(self, column: object) -> bool:
        return column in self.columns

    def text(self, column: str, word: int) -> str:
        """One cell; `_` where the file has no such column."""
        if column not in self.columns:
            return "_"
        return self.vocabularies[column].strings[int(self.columns[column][word])]

    def sentence_of(self, word: int) -> int:
        return int(np.searchsorted(self.offsets, word, side="right")) - 1

    def form(self, word: int) -> str:
        return self.text("FORM", word)

    def sentence(self, first: int, last: int | None = None) -> Sentence:
        """The sentence at a place, or those up to `last` (exclusive) as one."""
        last = first + 1 if last is None else last
        begin, end = int(self.offsets[first]), int(self.offsets[last])
        columns = [(name, column) for column, name in FIELDS.items() if column in self.columns]
        tokens = tuple(
            Token(
                self.text("ID", word),
                self.form(word),
                **{name: self.text(column, word) for name, column in columns},
            )
            for word in range(begin, end)
        )
        name = "+".join(self.ids[first:last])
        line = int(self.sentence_lines[first]) if last > first else 0
        return Sentence(name, tokens, line)

    def head_numbers(self) -> Ints:
        """HEAD's strings as numbers; what is not a number is -2 and less, each its own."""
        strings = self.vocabularies["HEAD"].strings
        return np.fromiter(
            (int(one) if WORD.fullmatch(one) else -2 - at for at, one in enumerate(strings)),
            np.int64,
            len(strings),
        )

    def heads(self) -> Ints:
        """The head of each word as a number, 0 for a root."""
        return self.head_numbers()[self.columns["HEAD"]]

    def error(self, message: str, word: int, column: str | None = None) -> FormatError:
        """An error about a word, with its place."""
        return FormatError(message, path=self.path, row=int(self.lines[word]), column=column)

    def node_error(self, message: str, node: int, column: str = "ID") -> FormatError:
        """An error about an empty node, with its place."""
        return FormatError(message, path=self.path, row=int(self.nodes.line[node]), column=column)


def unique_ids(names: Sequence[str | None]) -> list[str]:
    """Names of sentences: the number where there is none, a count behind one that repeats."""
    named = [name for name in names if name]
    if len(named) == len(names) == len(set(named)):
        return named
    seen: dict[str, int] = {}
    found = []
    for number, name in enumerate(names, start=1):
        wanted = name or str(number)
        count = seen.get(wanted, 0) + 1
        seen[wanted] = count
        while count > 1 and f"{wanted} ({count})" in seen:
            count += 1
        unique = wanted if count == 1 else f"{wanted} ({count})"
        seen.setdefault(unique, 1)
        found.append(unique)
    return found
