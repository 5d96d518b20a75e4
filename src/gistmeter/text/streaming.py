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
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.core import inputs
from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.family import Context, Items
from gistmeter.core.files import sha256, stem_of, suffix_of
from gistmeter.core.inputs import NOTED, Stamp, refuse_change, stamp_of
from gistmeter.core.statistics import hash_of
from gistmeter.core.table import Table, read_frame, read_table
from gistmeter.core.types import Pair
from gistmeter.languages import resolve
from gistmeter.text.formats import predictions as tables
from gistmeter.text.formats.answers import Choices, find_answers, prediction_column
from gistmeter.text.formats.references import Splitting
from gistmeter.text.read import guess_of, shortened, signed
from gistmeter.text.settings import TextSettings

ROWS = 16_384  # of a stretch, about: groups of rows are taken together up to it
HELD_ROWS = 2048  # of a stretch of a table that is held
HELD_BYTES = 32 << 20  # of tables in one process, from which their pairs are made when needed
STREAMED = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson")
UNKNOWN = ("", "auto")
WHOLE = ("references", "original", "structure", "systems")  # options that need all rows at once


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring rows of a file: what a worker reads at once."""

    place: str  # a path or an address
    groups: tuple[int, ...] = ()  # of a Parquet file's rows; none: the whole file
    before: int = 0  # rows of the file that stand before it
    rows: int = 0  # of a table that is held
    stamp: Stamp | None = None  # of a file that is read when its turn comes


@dataclass(frozen=True, slots=True)
class Found:
    """What a stretch holds."""

    rows: int
    matched: int  # rows that have a reference
    keys: npt.NDArray[np.uint64]  # of system, arrangement and idiom of each row, hashed
    firsts: Mapping[str, int]  # system -> its first row here
    arrangements: tuple[str, ...]
    originals: frozenset[str]  # systems that have the unscrambled forms here
    bare: tuple[str, ...]  # idioms without a reference
    examples: tuple[Pair, ...]  # a pair for each kind of input that metrics ask for


@dataclass(frozen=True, slots=True)
class Reading:
    """How the rows of a stretch become pairs; also the first look at them."""

    columns: Mapping[str, str]
    separators: str
    language: str
    encoding: str = ""

    def table(self, stretch: Stretch) -> Table:
        from gistmeter.core.inputs import reading_as

        with reading_as(self.encoding), tempfile.TemporaryDirectory() as folder:
            return read_stretch(stretch, Path(folder))

    def rows(self, stretch: Stretch) -> list[tables.Prediction]:
        path = Path(stretch.place)
        return tables.read_rows(
            replace(self.table(stretch), path=path), Choices(self.columns),
            stem_of(path), "", before=stretch.before,
        )  # fmt: skip

    def pairs(self, stretch: Stretch) -> list[Pair]:
        return tables.pairs_of(
            self.rows(stretch), None, Splitting(self.separators), language=self.language
        )

    def __call__(self, stretch: Stretch) -> Found:
        pairs = self.pairs(stretch)
        firsts: dict[str, int] = {}
        for at, pair in enumerate(pairs):
            firsts.setdefault(pair.system, at)
        return Found(
            len(pairs),
            sum(bool(pair.references) for pair in pairs),
            np.array([hash_of(p.system, p.arrangement, p.id) for p in pairs], np.uint64),
            firsts,
            tuple(dict.fromkeys(pair.arrangement for pair in pairs)),
            frozenset(p.system for p in pairs if p.arrangement.lower() == tables.ORIGINAL),
            tuple(dict.fromkeys(pair.id for pair in pairs if not pair.references)),
            examples_of(pairs),
        )


@dataclass(frozen=True, slots=True)
class Held(Reading):
    """The same of tables that this process holds."""

    tables: Mapping[str, Table] = field(default_factory=dict)

    def table(self, stretch: Stretch) -> Table:
        whole, stop = self.tables[stretch.place], stretch.before + stretch.rows
        return replace(
            whole, rows=whole.rows[stretch.before : stop], lines=whole.lines[stretch.before : stop]
        )

    def stretches(self, place: str) -> list[Stretch]:
        """A table cut up, where the name of a column says what the answers are, and not the rows.

        One with several columns of answers goes answer by answer, whole.
        """
        table = self.tables[place]
        named = prediction_column(table, self.columns)
        answers = find_answers(table, Choices(self.columns)).answers
        step = HELD_ROWS if list(answers) == [named] else len(table.rows)
        return [
            Stretch(place, (), first, min(step, len(table.rows) - first))
            for first in range(0, len(table.rows), step)
        ]


def examples_of(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    kinds: tuple[Callable[[Pair], Any], ...] = (
        lambda _: True,
        lambda pair: pair.arrangement,
        lambda pair: pair.fields.get("structure"),
        lambda pair: pair.fields.get("recovered"),
    )
    found = (next((pair for pair in pairs if has(pair)), None) for has in kinds)
    return tuple(pair for pair in found if pair is not None)


def read_stretch(stretch: Stretch, folder: Path) -> Table:
    """The rows of a stretch; a file that is elsewhere is fetched into the folder."""
    table = _read_stretch(stretch, folder)
    if stretch.stamp:
        refuse_change(Path(stretch.place), stretch.stamp)
    return table


def _read_stretch(stretch: Stretch, folder: Path) -> Table:
    if not stretch.groups:
        (here,) = inputs.fetched(Path(stretch.place), folder)
        return read_table(here)
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

    reading: Reading
    stretch: Stretch
    span: range  # of the rows of the stretch
    originals: frozenset[str]
    told: Mapping[str, int]  # where a system occurs first of all: only there it lacks originals

    def __len__(self) -> int:
        return len(self.span)

    def __getitem__(self, at: Any) -> Any:
        return self.load()[at]

    def load(self) -> list[Pair]:
        pairs = self.reading.pairs(self.stretch)
        return [self._marked(pairs[at], at) for at in self.span]

    def _marked(self, pair: Pair, at: int) -> Pair:
        """As `predictions.marked` has it of all pairs together."""
        if pair.system in self.originals:
            return replace(pair, fields={**pair.fields, tables.HAS_ORIGINAL: "yes"})
        if self.told.get(pair.system) == at:
            return replace(pair, fields={**pair.fields, tables.HAS_ORIGINAL: "no"})
        return pair


@dataclass(frozen=True, slots=True)
class Streamed(Sequence[Pair]):
    """All pairs of all stretches; a slice is a `Portion` of the stretch that it is in."""

    reading: Reading
    stretches: Sequence[Stretch]
    found: Sequence[Found]
    cuts: Sequence[int] = field(default=())  # where stretches begin, and the end

    def __len__(self) -> int:
        return self.cuts[-1]

    @property
    def examples(self) -> list[Pair]:
        return [pair for one in self.found for pair in one.examples]

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, slice):
            return self[at : at + 1].load()[0]
        which = bisect.bisect_right(self.cuts, at.start) - 1
        start, stop = self.cuts[which], self.cuts[which + 1]
        if at.stop > stop:
            raise IndexError("a portion is of one stretch")
        seen = {system for one in self.found[:which] for system in one.firsts}
        firsts = self.found[which].firsts
        return Portion(
            self.reading,
            self.stretches[which],
            range(at.start - start, at.stop - start),
            frozenset(system for one in self.found for system in one.originals),
            {system: place for system, place in firsts.items() if system not in seen},
        )

    def __iter__(self) -> Iterator[Pair]:
        for start, stop in itertools.pairwise(self.cuts):
            yield from self[start:stop].load()


def can_stream(settings: TextSettings, context: Context) -> bool:
    """Whether the tables can be read in stretches: each whole in itself, one language.

    Workers of a cluster read them wherever they are; one process cuts up those that are large.
    """
    engine = context.engine
    if engine is None or settings.language.lower() in UNKNOWN:
        return False
    if any(getattr(settings, name) for name in WHOLE) or not settings.predictions:
        return False
    places = [Path(place) for path in settings.predictions for place in inputs.listed(path)]
    if not all(suffix_of(path) in STREAMED for path in places):
        return False
    here = [path for path in places if not inputs.address_of(path)]
    if not all(path.is_file() for path in here) or tables.gather(here).base:
        return False
    if engine.apart:
        return engine.sees(here)
    return here == places and sum(path.stat().st_size for path in here) > HELD_BYTES


def read_streamed(settings: TextSettings, context: Context) -> Items[Pair]:
    """Pairs that stay where they are, and what a first look at them found."""
    found = [place for path in settings.predictions for place in inputs.listed(path)]
    # Workers have another working folder.
    assert context.engine is not None
    apart = context.engine.apart
    places = [
        str(Path(one).resolve()) if apart and not inputs.address_of(one) else one for one in found
    ]
    how = (Choices(settings.column).plain, settings.reference_separators,
           resolve(settings.language), settings.encoding)  # fmt: skip
    if apart:
        reading = Reading(*how)
        stretches = [stretch for place in places for stretch in stretches_of(place)]
    else:
        reading = held_tables = Held(*how, _read_tables(places, settings, context))
        stretches = [stretch for place in places for stretch in held_tables.stretches(place)]
    seen: dict[Stretch, Found] = {}
    for stretch, held in context.engine.run(_Looking(reading), stretches):
        seen[stretch] = held
        if context.progress:
            context.progress("Looking through tables", len(seen), len(stretches))
    looked = [seen[stretch] for stretch in stretches]
    _refuse_repetitions(reading, stretches, looked)
    pairs = Streamed(
        reading, stretches, looked, [0, *itertools.accumulate(one.rows for one in looked)]
    )
    bare = list(dict.fromkeys(name for one in looked for name in one.bare))
    _tell(pairs, bare, context, apart=apart)
    local = [Path(place) for place in places if not inputs.address_of(place)]
    lists = (settings.polarity_overrides, settings.stopwords, settings.negations,
             settings.polarity_words)  # fmt: skip
    if apart:
        _note(stretches)
    return Items(
        pairs,
        files=[*local, *(path for path in lists if path)],
        signed=signed(settings),
        digests={Path(p).name: inputs.version_of(p) for p in places if inputs.address_of(p)},
        found={"language": reading.language},
        notes={"unmatched": {"predicted without reference": bare,
                             "references without prediction": []}},
    )  # fmt: skip


def _note(stretches: Sequence[Stretch]) -> None:
    """Hash the files that workers read: their stamp holds them to the same ones."""
    noted = NOTED.get()
    for place, stamp in dict.fromkeys((one.place, one.stamp) for one in stretches):
        if stamp and noted is not None:
            noted.add(Path(place), sha256(Path(place)))
            refuse_change(Path(place), stamp)


def _read_tables(
    places: Sequence[str], settings: TextSettings, context: Context
) -> dict[str, Table]:
    choices = Choices(settings.column)
    found: dict[str, Table] = {}
    for place in dict.fromkeys(places):
        found[place] = table = read_table(Path(place))
        if told := find_answers(table, choices).told:
            context.say(told)
        if table.guessed:
            context.say(guess_of(table.path, table.guessed))
    return found


@dataclass(frozen=True, slots=True)
class _Looking:
    reading: Reading

    def __call__(self, stretch: Stretch) -> tuple[Stretch, Found]:
        return stretch, self.reading(stretch)


def stretches_of(place: str) -> list[Stretch]:
    """A Parquet file by its groups of rows, any other whole."""
    stamp = None if inputs.address_of(place) else stamp_of(Path(place))
    return [replace(one, stamp=stamp) for one in _stretches_of(place)]


def _stretches_of(place: str) -> list[Stretch]:
    if suffix_of(Path(place)) != ".parquet":
        return [Stretch(place)]
    with open_parquet(place) as file:
        sizes = [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)]
    found: list[Stretch] = []
    groups: list[int] = []
    for at, size in enumerate(sizes):
        held = sum(sizes[one] for one in groups)
        if groups and held + size > ROWS:
            found.append(Stretch(place, tuple(groups), sum(sizes[: groups[0]])))
            groups = []
        groups.append(at)
    if not sum(sizes):
        raise InputError(f"{place}: has a header but no rows")
    return [*found, Stretch(place, tuple(groups), sum(sizes[: groups[0]]))]


def _refuse_repetitions(
    reading: Reading, stretches: Sequence[Stretch], found: Sequence[Found]
) -> None:
    """A system says one thing about an idiom in an arrangement; a second one is an error."""
    keys = np.concatenate([one.keys for one in found])
    first = np.zeros(len(keys), np.bool_)
    first[np.unique(keys, return_index=True)[1]] = True
    if first.all():
        return
    at = int(np.flatnonzero(~first)[0])
    ends = np.cumsum([one.rows for one in found])
    which = int(np.searchsorted(ends, at, side="right"))
    row = at - int(ends[which] - found[which].rows)
    again = reading.rows(stretches[which])[row]
    raise FormatError(
        f"repeats the idiom '{again.idiom}' of system '{again.system}'",
        path=again.path,
        row=again.line,
    )


def _tell(pairs: Streamed, bare: Sequence[str], context: Context, *, apart: bool) -> None:
    if len(bare) and not any(pair.references for pair in pairs.examples):
        raise InputError(
            "There are no references: give a file with --references, or a column 'Reference'"
        )
    systems = dict.fromkeys(system for one in pairs.found for system in one.firsts)
    context.say(f"Systems: {shortened(systems)}")
    arrangements = list(dict.fromkeys(name for one in pairs.found for name in one.arrangements))
    if arrangements != [""]:
        context.say(f"Arrangements: {shortened(name or 'unnamed' for name in arrangements)}")
    matched = sum(one.matched for one in pairs.found)
    context.say(f"{matched} of {len(pairs)} predictions have references")
    if apart:
        context.say(f"They are read by workers, in {len(pairs.stretches)} stretches")
    if bare:
        context.say(f"{len(bare)} predicted idioms have no reference: {shortened(bare)}")
