"""From a file to a `Treebank`: lines split, columns interned, words and sentences found."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from gistmeter.core.errors import FormatError, InputError
from gistmeter.parse.formats.blocks import (
    BLOCK,
    SentenceBlock,
    TokenLines,
    read_blocks,
    split_lines,
)
from gistmeter.parse.formats.treebank import (
    CONLLU,
    IGNORED,
    KNOWN,
    NODE,
    RANGE,
    SEMARKUP,
    WORD,
    Bools,
    Codes,
    EmptyNodes,
    Ints,
    Layout,
    Multiwords,
    Treebank,
    Vocabulary,
    by_width,
    declared_by,
    is_semarkup,
    unique_ids,
)

# Column 9 is read under this name until it is known what it holds; column 10 follows it.
NINTH = 8
THREADS = min(4, os.cpu_count() or 1)


@dataclass(slots=True)
class _Gathering:
    """What the blocks of a file have given so far."""

    codes: dict[str, list[Codes]] = field(default_factory=dict)
    number: list[Ints] = field(default_factory=list)
    sentence: list[Ints] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)

    def column(self, name: str) -> Codes:
        return np.concatenate(self.codes[name])


def read_treebank(
    path: Path,
    *,
    columns: Sequence[str] = KNOWN,
    layout: Layout | None = None,
    fallback: Layout | None = None,
    vocabularies: Mapping[str, Vocabulary] | None = None,
    block: int = BLOCK,
) -> Treebank:
    """Read the wanted columns of a file.

    `layout` overrides everything; then comes the file's own `# global.columns` line; then
    `fallback` (the gold's layout, for a system's file); then the number of columns. Pass one
    treebank's `vocabularies` on to read another that is to be compared with it.
    """
    shared = dict(vocabularies or {})
    gathered = _Gathering()
    guess = False
    with ThreadPoolExecutor(THREADS) as pool:  # NumPy leaves the other cores to other columns
        for piece in read_blocks(path, block):
            if layout is None:
                layout, guess = _find_layout(path, piece, fallback)
            if layout is None:
                continue  # nothing but comments so far
            wanted = _wanted(layout, columns, guess)
            lines = split_lines(path, piece, layout)
            known = [shared.setdefault(name, Vocabulary()) for name in wanted]
            interned = pool.map(partial(_intern, path, lines), wanted.values(), wanted, known)
            for name, codes in zip(wanted, interned, strict=True):
                gathered.codes.setdefault(name, []).append(codes)
            gathered.number.append(lines.number)
            gathered.sentence.append(lines.sentence + len(gathered.names))
            gathered.names += lines.names
    if layout is None or not gathered.names:
        raise FormatError("has no sentence. A word is a line of cells separated by tabs", path=path)
    if guess:
        layout = _settle(gathered, shared, columns)
    return replace(_assemble(path, layout, gathered, shared), guessed=guess)


def _find_layout(
    path: Path, block: SentenceBlock, fallback: Layout | None
) -> tuple[Layout | None, bool]:
    """The layout, and whether ten columns leave open which of two it is."""
    for at, whole_line in enumerate(io.BytesIO(block.content)):
        line = whole_line.rstrip(b" \t\n")
        try:
            if line.startswith(b"#"):
                declared = declared_by(line.decode("utf-8", "replace"))
                if declared is not None:
                    return declared, False
            elif line:
                layout = fallback or by_width(line.count(b"\t") + 1)
                return layout, fallback is None and layout == CONLLU
        except InputError as error:
            raise FormatError(str(error), path=path, row=block.line + at) from None
    return None, False


def _wanted(layout: Layout, columns: Sequence[str], guess: bool) -> dict[str, int]:
    """Columns to read and their places; both that a guess is about, under both their names."""
    needed = ("ID", "FORM", *columns)
    wanted = {name: layout.place(name) for name in needed if name in layout and name != IGNORED}
    if guess:
        wanted |= {name: SEMARKUP.place(name) for name in SEMARKUP.columns[NINTH:]}
        wanted |= {name: CONLLU.place(name) for name in CONLLU.columns[NINTH:] if name in columns}
    return wanted


def _settle(gathered: _Gathering, shared: dict[str, Vocabulary], columns: Sequence[str]) -> Layout:
    """Decide between two layouts of ten columns, and drop what the other would have read."""
    ninth = SEMARKUP.columns[NINTH]
    layout = SEMARKUP if is_semarkup(shared[ninth].strings) else CONLLU
    for name in [*gathered.codes]:
        if name not in layout or (name not in columns and name not in ("ID", "FORM")):
            del gathered.codes[name]
            del shared[name]
    return layout


def _intern(path: Path, lines: TokenLines, place: int, name: str, vocabulary: Vocabulary) -> Codes:
    starts, ends = lines.cell(place)
    interned = lines.reader.intern(starts, ends)
    chosen = interned.representatives
    cells = lines.reader.slices(starts[chosen], (ends - starts)[chosen])
    try:
        strings = b"\t".join(cells).decode("utf-8").split("\t")
    except UnicodeDecodeError:
        raise _not_utf8(path, name, cells, lines.number[chosen]) from None
    return vocabulary.codes(strings)[interned.codes]


def _not_utf8(path: Path, name: str, cells: list[bytes], numbers: Ints) -> FormatError:
    shown = [cell.decode("utf-8", "replace") for cell in cells]
    line, cell = min(
        (int(number), text)
        for number, text, raw in zip(numbers, shown, cells, strict=True)
        if text.encode("utf-8") != raw
    )
    message = f"'{cell[:60]}' is not UTF-8. Convert the file with: iconv -f <its encoding> -t UTF-8"
    return FormatError(message, path=path, row=line, column=name)


WORDS, RANGES, NODES, OTHERS = range(4)


def _kind(identity: str) -> int:
    for kind, pattern in ((WORDS, WORD), (RANGES, RANGE), (NODES, NODE)):
        if pattern.fullmatch(identity):
            return kind
    return OTHERS


def _assemble(
    path: Path, layout: Layout, gathered: _Gathering, shared: Mapping[str, Vocabulary]
) -> Treebank:
    identities = gathered.column("ID")
    number, sentence = np.concatenate(gathered.number), np.concatenate(gathered.sentence)
    strings = shared["ID"].strings
    kinds = np.fromiter(map(_kind, strings), np.int8, len(strings))[identities]
    strange = np.flatnonzero(kinds == OTHERS)
    if len(strange):
        identity, line = strings[identities[strange[0]]], int(number[strange[0]])
        message = (
            f"'{identity[:60]}' is neither a number, nor a range such as 1-2, nor an empty node "
            "such as 1.1"
        )
        raise FormatError(message, path=path, row=line, column="ID")
    is_word, ranges = kinds == WORDS, kinds == RANGES
    counts = np.bincount(sentence[is_word], minlength=len(gathered.names))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    first = np.searchsorted(sentence, np.arange(len(gathered.names)))
    treebank = Treebank(
        path=path,
        layout=layout,
        columns={name: gathered.column(name)[is_word] for name in gathered.codes},
        vocabularies=shared,
        offsets=offsets,
        ids=unique_ids(gathered.names),
        lines=number[is_word],
        sentence_lines=number[first],
        multiwords=_multiwords(
            [strings[code] for code in identities[ranges]],
            gathered.column("FORM")[ranges],
            offsets[sentence[ranges]],
            number[ranges],
        ),
        nodes=_empty_nodes(gathered, kinds == NODES, sentence, number, strings),
    )
    _check_sequence(treebank)
    return treebank


def _multiwords(identities: Sequence[str], form: Codes, begin: Ints, number: Ints) -> Multiwords:
    """From the IDs of ranges, and where the words of their sentences begin."""
    matches = [RANGE.fullmatch(identity) for identity in identities]
    bounds = np.asarray([[int(m[1]), int(m[2])] for m in matches if m], np.int64).reshape(-1, 2)
    return Multiwords(begin + bounds[:, 0] - 1, begin + bounds[:, 1] - 1, form, number)


def _empty_nodes(
    gathered: _Gathering, chosen: Bools, sentence: Ints, number: Ints, strings: Sequence[str]
) -> EmptyNodes:
    columns = {name: gathered.column(name)[chosen] for name in gathered.codes}
    before = [int(strings[code].partition(".")[0]) for code in columns["ID"].tolist()]
    return EmptyNodes(sentence[chosen], np.asarray(before, np.int64), columns, number[chosen])


def _check_sequence(treebank: Treebank) -> None:
    """Words are numbered 1, 2, 3, …; anything else is mostly a blank line that is missing."""
    strings = treebank.vocabularies["ID"].strings
    value = np.fromiter(
        (int(string) if WORD.fullmatch(string) else -1 for string in strings), np.int64
    )[treebank.columns["ID"]]
    starts = np.repeat(treebank.offsets[:-1], np.diff(treebank.offsets))
    expected = np.arange(treebank.words) - starts + 1
    wrong = np.flatnonzero(value != expected)
    if len(wrong):
        at = int(wrong[0])
        hint = ". Is a blank line missing between two sentences?" if value[at] == 1 else ""
        raise treebank.error(f"word {value[at]} where word {expected[at]} is due{hint}", at, "ID")
