"""Tables of predictions that become pairs stretch by stretch, when they are measured.

On a cluster the driver need not see the texts: workers read Parquet by groups of rows, CSV and
JSONL by the file, from a disk that they share or by address (`s3://…`). In one process a large
table is read once and held as it is; its pairs, which take more room, are made when their turn
comes. Both go over the tables twice. First each stretch is looked through for what must be known
before anything is measured: how many rows it has, whose they are, whether one is said twice. Then
its rows are read and measured.

This holds for tables that have all they need in themselves: a column of references, and one
language, which the user names. Whatever else there is to match or to guess needs all rows at once.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.core import inputs
from gistmeter.core.engines import Engine
from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.family import Context, Items
from gistmeter.core.files import sha256, stem_of, suffix_of
from gistmeter.core.folders import temporary_folder
from gistmeter.core.inputs import NOTED, Stamp, reading_as, refuse_change, stamp_of
from gistmeter.core.item_columns import columns_note, headers_of
from gistmeter.core.statistics import hash_of
from gistmeter.core.table import Table, read_frame, read_table
from gistmeter.core.types import Pair, is_original
from gistmeter.languages import resolve
from gistmeter.text import HAS_ORIGINAL, RECOVERED, STRUCTURE
from gistmeter.text.formats.answer_columns import ColumnChoices, find_answers, prediction_column
from gistmeter.text.formats.predictions import (
    REPEATS,
    Prediction,
    gather,
    pairs_of,
    read_rows,
)
from gistmeter.text.formats.references import Splitting
from gistmeter.text.read import say_guess, say_matches, say_unmatched, signed, unmatched_notes
from gistmeter.text.settings import TextSettings
from gistmeter.text.unwrapping import unwrapped

ROWS = 16_384  # of a stretch, about: groups of rows are taken together up to it
HELD_ROWS = 2048  # of a stretch of a table that is held
STREAMED = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson")
WHOLE = ("references", "original", "structure", "systems")  # options that need all rows at once


@dataclass(frozen=True, slots=True)
class TableStretch:
    """Neighbouring rows of a file: what a worker reads at once."""

    place: str  # a path or an address
    groups: tuple[int, ...] = ()  # of a Parquet file's rows; none: the whole file
    before: int = 0  # rows of the file that stand before it
    rows: int = 0  # of a table that is held
    stamp: Stamp | None = None  # of a file that is read when its turn comes


@dataclass(frozen=True, slots=True)
class StretchSummary:
    """What the first look at a stretch finds."""

    rows: int
    matched: int  # rows that have a reference
    keys: npt.NDArray[np.uint64]  # of system, arrangement and item of each row, hashed
    firsts: Mapping[str, int]  # system -> its first row here
    arrangements: tuple[str, ...]
    originals: frozenset[str]  # systems that have the unscrambled forms here
    bare: tuple[str, ...]  # items without a reference
    examples: tuple[Pair, ...]  # a pair for each kind of input that metrics ask for
    headers: tuple[str, ...] = ()  # of further columns

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> StretchSummary:
        firsts: dict[str, int] = {}
        for at, pair in enumerate(pairs):
            firsts.setdefault(pair.system, at)
        return cls(
            len(pairs),
            sum(bool(pair.references) for pair in pairs),
            np.array([hash_of(p.system, p.arrangement, p.id, p.sample) for p in pairs], np.uint64),
            firsts,
            tuple(dict.fromkeys(pair.arrangement for pair in pairs)),
            frozenset(pair.system for pair in pairs if is_original(pair.arrangement)),
            tuple(dict.fromkeys(pair.id for pair in pairs if not pair.references)),
            examples_of(pairs),
            tuple(headers_of(pairs)),
        )


@dataclass(frozen=True, slots=True)
class StretchReader:
    """How the rows of a stretch become pairs."""

    columns: Mapping[str, str]
    separators: str
    language: str
    encoding: str = ""
    extracts: bool = False

    def table(self, stretch: TableStretch) -> Table:
        """The rows of a stretch; a file that is elsewhere is fetched."""
        with reading_as(self.encoding), temporary_folder() as folder:
            if stretch.groups:
                table = _read_groups(stretch)
            else:
                (here,) = inputs.fetched(Path(stretch.place), folder)
                table = read_table(here)
        if stretch.stamp:
            refuse_change(Path(stretch.place), stretch.stamp)
        return table

    def rows(self, stretch: TableStretch) -> list[Prediction]:
        path = Path(stretch.place)
        table = replace(self.table(stretch), path=path)
        choices = ColumnChoices(self.columns)
        return read_rows(table, choices, stem_of(path), "", before=stretch.before)

    def pairs(self, stretch: TableStretch) -> list[Pair]:
        rows, splitting = self.rows(stretch), Splitting(self.separators)
        pairs = pairs_of(rows, None, splitting, language=self.language)
        return [unwrapped(pair) for pair in pairs] if self.extracts else pairs

    def __call__(self, stretch: TableStretch) -> tuple[TableStretch, StretchSummary]:
        """The first look at a stretch."""
        return stretch, StretchSummary.of(self.pairs(stretch))


@dataclass(frozen=True, slots=True)
class HeldTables(StretchReader):
    """The same of tables that this process holds."""

    tables: Mapping[str, Table] = field(default_factory=dict)

    def table(self, stretch: TableStretch) -> Table:
        whole = self.tables[stretch.place]
        part = slice(stretch.before, stretch.before + stretch.rows)
        return replace(whole, rows=whole.rows[part], lines=whole.lines[part])

    def stretches(self, place: str) -> list[TableStretch]:
        """A table cut up, where the name of a column says what the answers are, and not the rows.

        One with several columns of answers goes answer by answer, whole.
        """
        table = self.tables[place]
        named = prediction_column(table, self.columns)
        answers = find_answers(table, ColumnChoices(self.columns)).answers
        step = HELD_ROWS if list(answers) == [named] else len(table.rows)
        return [
            TableStretch(place, (), first, min(step, len(table.rows) - first))
            for first in range(0, len(table.rows), step)
        ]


def examples_of(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    kinds: tuple[Callable[[Pair], Any], ...] = (
        lambda _: True,
        lambda pair: pair.arrangement,
        lambda pair: pair.fields.get(STRUCTURE),
        lambda pair: pair.fields.get(RECOVERED),
    )
    examples = (next((pair for pair in pairs if has(pair)), None) for has in kinds)
    return tuple(pair for pair in examples if pair is not None)


def _read_groups(stretch: TableStretch) -> Table:
    import polars

    with open_parquet(stretch.place) as file:
        frame: Any = polars.from_arrow(file.read_row_groups(list(stretch.groups)))
    return read_frame(Path(stretch.place), frame, before=stretch.before)


def open_parquet(place: str) -> Any:
    """The groups of a Parquet file, here or elsewhere; none is read yet."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    address = inputs.address_of(place)
    try:
        if not address:
            return ParquetFile(place)
        system, name = inputs.open_system(address)
        return ParquetFile(system.open(name))
    except (OSError, pyarrow.ArrowException) as error:
        raise FormatError(f"is not a readable Parquet file ({error})", path=place) from error


@dataclass(frozen=True, slots=True)
class Portion(Sequence[Pair]):
    """Some pairs of one stretch, not read yet."""

    reader: StretchReader
    stretch: TableStretch
    span: range  # of the rows of the stretch
    originals: frozenset[str]
    firsts: Mapping[str, int]  # where a system occurs first of all: only there it lacks originals

    def __len__(self) -> int:
        return len(self.span)

    def __getitem__(self, at: Any) -> Any:
        return self.load()[at]

    def load(self) -> list[Pair]:
        pairs = self.reader.pairs(self.stretch)
        return [self._marked(pairs[at], at) for at in self.span]

    def _marked(self, pair: Pair, at: int) -> Pair:
        """As `predictions.marked` has it of all pairs together."""
        if pair.system in self.originals:
            return replace(pair, fields={**pair.fields, HAS_ORIGINAL: "yes"})
        if self.firsts.get(pair.system) == at:
            return replace(pair, fields={**pair.fields, HAS_ORIGINAL: "no"})
        return pair


@dataclass(frozen=True, slots=True)
class Streamed(Sequence[Pair]):
    """All pairs of all stretches; a slice is a `Portion` of the stretch that it is in."""

    reader: StretchReader
    stretches: Sequence[TableStretch]
    summaries: Sequence[StretchSummary]
    cuts: Sequence[int] = field(default=())  # where stretches begin, and the end

    def __len__(self) -> int:
        return self.cuts[-1]

    @property
    def examples(self) -> list[Pair]:
        return [pair for summary in self.summaries for pair in summary.examples]

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, slice):
            return self[at : at + 1].load()[0]
        which = bisect.bisect_right(self.cuts, at.start) - 1
        start, stop = self.cuts[which], self.cuts[which + 1]
        if at.stop > stop:
            raise IndexError("a portion is of one stretch")
        seen = {system for summary in self.summaries[:which] for system in summary.firsts}
        firsts = self.summaries[which].firsts
        return Portion(
            self.reader,
            self.stretches[which],
            range(at.start - start, at.stop - start),
            frozenset().union(*(summary.originals for summary in self.summaries)),
            {system: place for system, place in firsts.items() if system not in seen},
        )

    def __iter__(self) -> Iterator[Pair]:
        for start, stop in itertools.pairwise(self.cuts):
            yield from self[start:stop].load()


def can_stream(settings: TextSettings, engine: Engine) -> bool:
    """Whether the tables can be read in stretches: each whole in itself, one language.

    Workers of a cluster read them wherever they are; one process cuts up those that are large.
    """
    if any(getattr(settings, name) for name in WHOLE) or settings.repeats != "ask":
        return False
    places = [Path(place) for path in settings.predictions for place in inputs.listed(path)]
    if not all(suffix_of(path) in STREAMED for path in places):
        return False
    here = [path for path in places if not inputs.address_of(path)]
    if not all(path.is_file() for path in here) or gather(here).base:
        return False
    return engine.sees(here) if engine.apart else here == places


def read_streamed(settings: TextSettings, context: Context) -> Items[Pair]:
    """Pairs that stay where they are, and what a first look at them found."""
    assert context.engine is not None
    apart = context.engine.apart
    places = [place for path in settings.predictions for place in inputs.listed(path)]
    elsewhere = {place: inputs.version_of(place) for place in places if inputs.address_of(place)}
    if apart:  # workers have another working folder
        places = [p if p in elsewhere else str(Path(p).resolve()) for p in places]
    how = (ColumnChoices(settings.column).plain, settings.reference_separators,
           resolve(settings.language), settings.encoding, settings.extract == "auto")  # fmt: skip
    if apart:
        reader = StretchReader(*how)
        stretches = [stretch for place in places for stretch in stretches_of(place)]
    else:
        reader = held = HeldTables(*how, _read_tables(places, settings, context))
        stretches = [stretch for place in places for stretch in held.stretches(place)]
    seen: dict[TableStretch, StretchSummary] = {}
    for stretch, summary in context.engine.run(reader, stretches):
        seen[stretch] = summary
        if context.progress:
            context.progress("Looking through tables", len(seen), len(stretches))
    summaries = [seen[stretch] for stretch in stretches]
    _refuse_repetitions(reader, stretches, summaries)
    cuts = [0, *itertools.accumulate(summary.rows for summary in summaries)]
    pairs = Streamed(reader, stretches, summaries, cuts)
    bare = list(dict.fromkeys(name for summary in summaries for name in summary.bare))
    if bare and not any(pair.references for pair in pairs.examples):
        raise InputError(
            "There are no references: give a file with --references, or a column 'Reference'"
        )
    say_matches(
        dict.fromkeys(system for summary in summaries for system in summary.firsts),
        dict.fromkeys(name for summary in summaries for name in summary.arrangements),
        sum(summary.matched for summary in summaries),
        len(pairs),
        context,
    )
    if apart:
        context.say(f"They are read by workers, in {len(stretches)} stretches")
        _note(stretches)
    say_unmatched(bare, [], context)
    return Items(
        pairs,
        files=[*(Path(place) for place in places if place not in elsewhere), *settings.lists],
        signed=signed(settings),
        digests={Path(place).name: version for place, version in elsewhere.items()},
        found={"language": reader.language},
        notes={
            **unmatched_notes(bare, []),
            **columns_note(dict.fromkeys(name for one in summaries for name in one.headers)),
        },
    )


def _note(stretches: Sequence[TableStretch]) -> None:
    """Hash the files that workers read: their stamp holds them to the same ones."""
    noted = NOTED.get()
    for place, stamp in dict.fromkeys((part.place, part.stamp) for part in stretches):
        if stamp and noted is not None:
            noted.add(Path(place), sha256(Path(place)))
            refuse_change(Path(place), stamp)


def _read_tables(
    places: Sequence[str], settings: TextSettings, context: Context
) -> dict[str, Table]:
    tables = {place: read_table(Path(place)) for place in dict.fromkeys(places)}
    for table in tables.values():
        if remark := find_answers(table, ColumnChoices(settings.column)).remark:
            context.say(remark)
        if table.guessed:
            say_guess(table.path, table.guessed, context)
    return tables


def stretches_of(place: str) -> list[TableStretch]:
    """A Parquet file by its groups of rows, any other whole."""
    stamp = None if inputs.address_of(place) else stamp_of(Path(place))
    if suffix_of(Path(place)) != ".parquet":
        return [TableStretch(place, stamp=stamp)]
    with open_parquet(place) as file:
        sizes = [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)]
    if not sum(sizes):
        raise InputError(f"{place}: has a header but no rows")
    groups: list[list[int]] = [[]]
    for at, size in enumerate(sizes):
        if groups[-1] and sum(sizes[group] for group in groups[-1]) + size > ROWS:
            groups.append([])
        groups[-1].append(at)
    return [TableStretch(place, tuple(part), sum(sizes[: part[0]]), stamp=stamp) for part in groups]


def _refuse_repetitions(
    reader: StretchReader, stretches: Sequence[TableStretch], summaries: Sequence[StretchSummary]
) -> None:
    """A system says one thing about an item in an arrangement; a second one is an error."""
    keys = np.concatenate([summary.keys for summary in summaries])
    first = np.zeros(len(keys), np.bool_)
    first[np.unique(keys, return_index=True)[1]] = True
    if first.all():
        return
    at = int(np.flatnonzero(~first)[0])
    ends = np.cumsum([summary.rows for summary in summaries])
    which = int(np.searchsorted(ends, at, side="right"))
    row = at - int(ends[which] - summaries[which].rows)
    again = reader.rows(stretches[which])[row]
    raise FormatError(
        f"repeats the item '{again.idiom}' of system '{again.system}'. {REPEATS}",
        path=again.path,
        row=again.line,
    )
