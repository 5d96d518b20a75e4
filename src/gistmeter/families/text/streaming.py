"""Tables of predictions that are read by whoever measures them, stretch by stretch.

On a cluster the driver need not see the texts: workers read Parquet by groups of rows, CSV and
JSONL by the file, from a disk that they share or by address (`s3://…`). They go over the tables
twice. First each stretch is looked through for what must be known before anything is measured: how
many rows it has, whose they are, whether one is said twice. Then its rows are read and measured.

This holds for tables that have all they need in themselves: a column of references, and one
language, which the user names. Whatever else there is to match or to guess needs all rows at once.
"""

from __future__ import annotations

import bisect
import hashlib
import itertools
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.errors import FormatError, InputError
from gistmeter.families.family import Context, Items
from gistmeter.families.text.reading import shortened, signed
from gistmeter.families.text.settings import TextSettings
from gistmeter.files import stem_of, suffix_of
from gistmeter.formats import predictions as tables
from gistmeter.formats import remote
from gistmeter.formats.answers import Choices
from gistmeter.formats.references import Splitting
from gistmeter.formats.table import Table, read_frame, read_table
from gistmeter.languages import resolve
from gistmeter.types import Pair

ROWS = 16_384  # of a stretch, about: groups of rows are taken together up to it
STREAMED = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson")
UNKNOWN = ("", "auto")
WHOLE = ("references", "original", "structure", "systems")  # options that need all rows at once


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring rows of a file: what a worker reads at once."""

    place: str  # a path or an address
    groups: tuple[int, ...] = ()  # of a Parquet file's rows; none: the whole file
    before: int = 0  # rows of the file that stand before it


@dataclass(frozen=True, slots=True)
class Found:
    """What a stretch holds."""

    rows: int
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

    def pairs(self, stretch: Stretch) -> list[Pair]:
        from gistmeter.formats.encoding import reading_as

        path = Path(stretch.place)
        with reading_as(self.encoding), tempfile.TemporaryDirectory() as folder:
            table = read_stretch(stretch, Path(folder))
            rows = tables.read_rows(
                replace(table, path=path), Choices(self.columns),
                stem_of(path), "", before=stretch.before,
            )  # fmt: skip
        return tables.pairs_of(rows, None, Splitting(self.separators), language=self.language)

    def __call__(self, stretch: Stretch) -> Found:
        pairs = self.pairs(stretch)
        firsts: dict[str, int] = {}
        for at, pair in enumerate(pairs):
            firsts.setdefault(pair.system, at)
        return Found(
            len(pairs),
            np.array([_key(pair) for pair in pairs], np.uint64),
            firsts,
            tuple(dict.fromkeys(pair.arrangement for pair in pairs)),
            frozenset(p.system for p in pairs if p.arrangement.lower() == tables.ORIGINAL),
            tuple(dict.fromkeys(pair.id for pair in pairs if not pair.references)),
            examples_of(pairs),
        )


def examples_of(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    kinds: tuple[Callable[[Pair], Any], ...] = (
        lambda _: True,
        lambda pair: pair.arrangement,
        lambda pair: pair.fields.get("structure"),
        lambda pair: pair.fields.get("recovered"),
    )
    found = (next((pair for pair in pairs if has(pair)), None) for has in kinds)
    return tuple(pair for pair in found if pair is not None)


def _key(pair: Pair) -> int:
    named = "\0".join((pair.system, pair.arrangement, pair.id)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(named, digest_size=8).digest(), "little")


def read_stretch(stretch: Stretch, folder: Path) -> Table:
    """The rows of a stretch; a file that is elsewhere is fetched into the folder."""
    if not stretch.groups:
        (here,) = remote.fetched(Path(stretch.place), folder)
        return read_table(here)
    import polars

    with open_parquet(stretch.place) as file:
        frame: Any = polars.from_arrow(file.read_row_groups(list(stretch.groups)))
    return read_frame(Path(stretch.place), frame, before=stretch.before)


def open_parquet(place: str) -> Any:
    """The groups of a Parquet file, here or elsewhere; none is read yet."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    address = remote.address_of(place)
    try:
        if not address:
            return ParquetFile(place)
        system, name = remote.open_system(address)
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
    """Whether workers can read the tables: on a cluster, each whole in itself, one language."""
    engine = context.engine
    if engine is None or not engine.apart or settings.language.lower() in UNKNOWN:
        return False
    if any(getattr(settings, name) for name in WHOLE) or not settings.predictions:
        return False
    places = [Path(place) for path in settings.predictions for place in remote.listed(path)]
    if not all(suffix_of(path) in STREAMED for path in places):
        return False
    here = [path for path in places if not remote.address_of(path)]
    if not all(path.is_file() for path in here) or tables.gather(here).base:
        return False
    return engine.sees(here)


def read_streamed(settings: TextSettings, context: Context) -> Items[Pair]:
    """Pairs that stay where they are, and what a first look at them found."""
    found = [place for path in settings.predictions for place in remote.listed(path)]
    # Workers have another working folder.
    places = [one if remote.address_of(one) else str(Path(one).resolve()) for one in found]
    stretches = [stretch for place in places for stretch in stretches_of(place)]
    reading = Reading(
        Choices(settings.column).plain, settings.reference_separators,
        resolve(settings.language), settings.encoding,
    )  # fmt: skip
    seen: dict[Stretch, Found] = {}
    assert context.engine is not None
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
    _tell(pairs, bare, context)
    local = [Path(place) for place in places if not remote.address_of(place)]
    lists = (settings.polarity_overrides, settings.stopwords, settings.negations,
             settings.polarity_words)  # fmt: skip
    return Items(
        pairs,
        files=[*local, *(path for path in lists if path)],
        signed=signed(settings),
        digests={Path(p).name: remote.version_of(p) for p in places if remote.address_of(p)},
        found={"language": reading.language},
        notes={"unmatched": {"predicted without reference": bare,
                             "references without prediction": []}},
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Looking:
    reading: Reading

    def __call__(self, stretch: Stretch) -> tuple[Stretch, Found]:
        return stretch, self.reading(stretch)


def stretches_of(place: str) -> list[Stretch]:
    """A Parquet file by its groups of rows, any other whole."""
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
    pair = reading.pairs(stretches[which])[row]
    raise FormatError(
        f"repeats the idiom '{pair.id}' of system '{pair.system}'",
        path=stretches[which].place,
        row=stretches[which].before + row + 1,
    )


def _tell(pairs: Streamed, bare: Sequence[str], context: Context) -> None:
    if len(bare) and not any(pair.references for pair in pairs.examples):
        raise InputError(
            "There are no references: give a file with --references, or a column 'Reference'"
        )
    systems = dict.fromkeys(system for one in pairs.found for system in one.firsts)
    context.say(f"Systems: {shortened(systems)}")
    context.say(f"{len(pairs)} predictions in {len(pairs.stretches)} stretches, read by workers")
    if bare:
        context.say(f"{len(bare)} predicted idioms have no reference: {shortened(bare)}")
