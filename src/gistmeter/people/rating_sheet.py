"""A sample for raters elsewhere, as rows of a table, and reading back what they filled in.

A row has the texts and a place for the rating, and neither system nor score: raters are blind. The
column `item` names the texts by their digest, `sample` names the draw, so that the probabilities
need not travel. What comes back is checked before anything is kept: the run, the texts, the scale,
repeated rows. One mistake, and nothing is kept.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.family import family_of
from gistmeter.core.table import Table, read_table
from gistmeter.core.types import Sheet
from gistmeter.people.designs import LabelSample, sample_of
from gistmeter.people.item_keys import item_keys
from gistmeter.people.records import IDENTIFIER, KINDS, TIME, LabelRecord, Selection, new_id, now
from gistmeter.people.validation.labels import NO, YES

if TYPE_CHECKING:
    from gistmeter.core.run import Run

SHOWN_MISTAKES = 5
LONGEST_CELL = 30_000  # characters that every spreadsheet keeps
SINGLE = ("nr", "expected", "got", "rating", "comment", "rater", "question", "item", "sample")
DOUBLE = ("nr", "expected", "first", "second", "rating", "comment", "rater", "question", "item",
          "other", "sample")  # fmt: skip
QUESTIONS = {
    "scale": "How much of what should have been said is said, from {low:g} (nothing) to {high:g}"
    " (all of it, and nothing else)?",
    "yes_no": "Does it say what should have been said? yes or no",
    "which": "Which of the two says better what should have been said? 1, 2, or = for both alike",
}


@dataclass(frozen=True, slots=True)
class RatingQuestion:
    """What raters are asked."""

    kind: str = "scale"
    scale: tuple[float, float] = (1.0, 5.0)
    text: str = ""  # in one's own words

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"kind: is '{self.kind}', expected one of {', '.join(KINDS)}")
        low, high = self.scale
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise InputError("scale: expected two numbers, the lower first, such as 1-5")

    @property
    def spelled(self) -> str:
        return self.text or QUESTIONS[self.kind].format(low=self.scale[0], high=self.scale[1])

    @property
    def token(self) -> str:
        """How the column `sample` says kind and scale."""
        return f"{self.kind}:{self.scale[0]:g}:{self.scale[1]:g}"


@dataclass(frozen=True, slots=True)
class ToRate:
    """One thing to rate: an output, or two of the same item in random order."""

    item: str
    expected: str
    got: str
    selection: Selection
    row: int  # of the run
    other: str = ""
    second: str = ""


@dataclass(frozen=True, slots=True)
class RatingSheet:
    """What raters get."""

    question: RatingQuestion
    sample: LabelSample
    rows: Sequence[ToRate]

    @property
    def token(self) -> str:
        """What the sheet can be made again from, see `sheet_of`."""
        return f"{self.question.token}|{self.sample.token}"

    def order_for(self, rater: str) -> list[ToRate]:
        """The rows in a random order of this rater's own, the same each time."""
        words = hashlib.sha256(f"{self.sample.draw}\0{rater}".encode()).digest()
        random = np.random.default_rng(np.frombuffer(words, np.uint32))
        return [self.rows[at] for at in random.permutation(len(self.rows)).tolist()]

    def label(self, row: ToRate, rating: str, rater: str, **more: Any) -> LabelRecord:
        """What a rater says of a row; a `ValueError` where it is not an answer to the question."""
        kind, scale = self.question.kind, self.question.scale
        return LabelRecord(
            item=row.item, other=row.other, rater=rater, kind=kind,
            value=_value(rating, kind, scale), scale=scale if kind == "scale" else (0.0, 1.0),
            selection=row.selection, **more,
        )  # fmt: skip

    def sheet(self) -> Sheet:
        """The table for a spreadsheet."""
        double = self.question.kind == "which"
        rows: list[list[object]] = []
        for at, one in enumerate(self.rows, start=1):
            texts = [one.expected, one.got, *([one.second] if double else [])]
            keys = [one.item, *([one.other] if double else [])]
            rows.append([at, *texts, None, None, None, self.question.spelled, *keys, self.token])
        return Sheet("rating", list(DOUBLE if double else SINGLE), rows)


def rating_sheet(run: Run, sample: LabelSample, question: RatingQuestion) -> RatingSheet:
    """The sample's texts to be rated; an error where a shape has no texts to show."""
    texts, keys = _texts(run), item_keys(run)
    if question.kind != "which":
        rows = [
            ToRate(pick.item, *texts[pick.row], pick.selection, pick.row) for pick in sample.picks
        ]
        return RatingSheet(question, sample, rows)
    pairs = list(_pairs(run, sample, texts))
    if not pairs:
        raise InputError("The sample has no two outputs for the same expected text, so nobody can"
                         " say which of two is better. Ask for a number, or yes or no")  # fmt: skip
    random = np.random.default_rng([sample.design.seed % 2**32, 2])
    chances = {pick.item: pick.selection for pick in sample.picks}
    rows = []
    for at in random.permutation(len(pairs)).tolist():
        first, second = pairs[at] if random.random() < 0.5 else pairs[at][::-1]
        (expected, got), (_, other) = texts[first], texts[second]
        key = keys[first] or ""
        rows.append(ToRate(key, expected, got, chances[key], first, keys[second] or "", other))
    return RatingSheet(question, sample, rows)


def sheet_of(run: Run, token: str, text: str = "") -> RatingSheet:
    """The sheet that a token names, made again; a `ValueError` where it says no question."""
    asked, _, drawn = token.partition("|")
    try:
        kind, low, high = asked.split(":")
        question = RatingQuestion(kind, (float(low), float(high)), text)
    except InputError as error:
        raise ValueError(str(error)) from error
    return rating_sheet(run, sample_of(run, drawn), question)


@dataclass(frozen=True, slots=True)
class ReadSheet:
    """What came back."""

    labels: Sequence[LabelRecord]  # those that are new
    known: int  # those that were there already, just so
    empty: int  # rows without a rating


def read_sheet(
    run: Run, path: Path, rater: str = "", said: Sequence[LabelRecord] | None = None
) -> ReadSheet:
    """The labels of a filled file, checked; `rater` is whose they are where no column says it.

    `said` are the labels that are there already; those of the run where none are given.
    """
    table = read_table(path)
    lines = _lines(table, path)
    sheet = _asked(run, lines, path)
    known = {(row.item, row.other): row for row in sheet.rows}
    known |= {(row.other, row.item): _turned(row) for row in sheet.rows if row.other}
    standing = {label.subject: label for label in (run.labels if said is None else said)}
    mistakes: list[str] = []
    labels: dict[tuple[str, ...], LabelRecord] = {}
    filled = [line for line in lines if line.rating.strip()]
    for line in filled:
        try:
            row = _matched(line, known)
            label = sheet.label(
                row, line.rating, line.rater.strip() or rater, question=line.question,
                comment=line.comment[:10_000],
                place={"run": str(run.path or ""), "file": path.name},
                id=line.id if IDENTIFIER.fullmatch(line.id) else new_id(),
                at=line.at if TIME.fullmatch(line.at) else now(),
            )  # fmt: skip
            if label.subject in labels:
                raise ValueError(f"{label.rater} rates this item a second time")
        except ValueError as error:
            mistakes.append(f"line {line.number}: {error}")
        else:
            labels[label.subject] = label
    _refuse(mistakes, path)
    new = [label for label in labels.values() if not _says_so(standing.get(label.subject), label)]
    return ReadSheet(new, len(labels) - len(new), len(lines) - len(filled))


def _says_so(old: LabelRecord | None, new: LabelRecord) -> bool:
    return old is not None and (old.value, old.comment) == (new.value, new.comment)


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of the file."""

    number: int
    item: str
    sample: str
    rating: str
    rater: str = ""
    other: str = ""
    question: str = ""
    comment: str = ""
    id: str = ""
    at: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)


def _lines(table: Table, path: Path) -> list[_Line]:
    if not table.rows:
        raise FormatError("has no rows", path=path)
    needed = ("item", "sample", "rating")
    optional = ("rater", "other", "question", "comment", "id", "at", "expected", "got", "first",
                "second")  # fmt: skip
    named = {
        name: at for name in (*needed, *optional) if (at := table.find(name)) is not None
    }  # fmt: skip
    if missing := [name for name in needed if name not in named]:
        raise FormatError(
            f"has no column {', '.join(map(repr, missing))}. Expected a file that 'gistmeter label "
            "RUN' or its page wrote, with its header row; judgements in a table of your own are "
            "read by 'gistmeter validate RUN --human FILE'",
            path=path,
        )
    cells = {name: table.column(column) for name, column in named.items()}
    shown = ("expected", "got", "first", "second")
    return [
        _Line(
            number=table.lines[at],
            texts={name: cells[name][at] or "" for name in shown if name in cells},
            **{name: column[at] or "" for name, column in cells.items() if name not in shown},
        )
        for at in range(len(table.rows))
    ]


def _asked(run: Run, lines: Sequence[_Line], path: Path) -> RatingSheet:
    """The sheet that was given out, the same on all lines."""
    if len(several := {line.sample for line in lines}) > 1:
        raise FormatError(
            f"has rows of {len(several)} samples in the column 'sample', one was expected",
            path=path,
        )
    try:
        return sheet_of(run, lines[0].sample)
    except ValueError as error:
        raise FormatError(
            f"the column 'sample' does not say what was asked ({error}); it must be as gistmeter "
            "wrote it",
            path=path, row=lines[0].number,
        ) from error  # fmt: skip


def _matched(line: _Line, known: Mapping[tuple[str, str], ToRate]) -> ToRate:
    """The thing that a line rates, if its texts are those of the sample."""
    row = known.get((line.item.strip(), line.other.strip()))
    if row is None:
        raise ValueError(f"the item '{line.item[:16]}' is not in this sample")
    texts = {"expected": row.expected, "got": row.got, "first": row.got, "second": row.second}
    for name, said in line.texts.items():
        if said and _bare(said) != _bare(texts[name]):
            raise ValueError(f"the text in '{name}' was changed, so the rating is of another text")
    return row


def _turned(row: ToRate) -> ToRate:
    return replace(row, item=row.other, got=row.second, other=row.item, second=row.got)


def _bare(text: str) -> str:
    """A text without what spreadsheets change: spaces, a leading apostrophe, what a cell cuts."""
    return "".join(text.lstrip("'").split())[:LONGEST_CELL]


def _value(cell: str, kind: str, scale: tuple[float, float]) -> float:
    """A rating as a number."""
    text = cell.strip().casefold()
    if kind == "which":
        answers = {"1": 1.0, "1.0": 1.0, "2": 0.0, "2.0": 0.0, "=": 0.5, "0": 0.5, "'=": 0.5}
        if text not in answers:
            raise ValueError(f"'{cell[:40]}' is not 1, 2 or =")
        return answers[text]
    if kind == "yes_no":
        if text in YES | {"1", "1.0"}:
            return 1.0
        if text in NO | {"0", "0.0"}:
            return 0.0
        raise ValueError(f"'{cell[:40]}' is neither yes nor no")
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        raise ValueError(f"'{cell[:40]}' is not a number") from None
    if not scale[0] <= value <= scale[1]:
        raise ValueError(f"{value:g} is not on the scale from {scale[0]:g} to {scale[1]:g}")
    return value


def _refuse(mistakes: Sequence[str], path: Path) -> None:
    if mistakes:
        shown = "; ".join(mistakes[:SHOWN_MISTAKES])
        more = len(mistakes) - SHOWN_MISTAKES
        rest = f"; and {more} more" if more > 0 else ""
        raise InputError(f"{path}: {shown}{rest}. Nothing was kept; correct it and read it again")


def rated_columns(run: Run) -> list[Sequence[str | None]]:
    """What should have been and what was made of it; an error where a shape keeps no texts."""
    rows, view = run.measured, family_of(run.command).view()
    columns = [rows.texts[name] for name in view.rated if name in rows.texts]
    if len(columns) != 2:
        raise InputError(
            f"A run of '{run.command}' keeps no texts beside its rows, so there is nothing that "
            "could be rated from a file"
        )
    return columns


def _texts(run: Run) -> list[tuple[str, str]]:
    return [(cells[0] or "", cells[1] or "") for cells in zip(*rated_columns(run), strict=True)]


def _pairs(
    run: Run, sample: LabelSample, texts: Sequence[tuple[str, str]]
) -> Iterator[tuple[int, int]]:
    """Rows of two systems each, of the items that were drawn; alike texts are no question.

    Sentences of two editions of a book have the same number, and nothing else in common.
    """
    rows, keys = run.measured, item_keys(run)
    drawn = {pick.item for pick in sample.picks}
    items: dict[tuple[str, str], list[int]] = {}
    for at, key in enumerate(keys):
        if key in drawn:
            items.setdefault((rows.keys["group"][at], rows.keys["id"][at]), []).append(at)
    for places in items.values():
        for first, second in itertools.combinations(places, 2):
            if keys[first] != keys[second] and texts[first][0] == texts[second][0]:
                yield first, second
