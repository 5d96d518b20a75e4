"""The language of each item, and the columns of the input that no metric asks for.

An item's language is given, or found in a column, a file's name or the texts; metrics of one kind
may differ by it. Further columns are kept with each item, to be shown and sliced by: `columns` has
texts by header, and `sample` says which of several answers of its system an item is. In a run's
rows both are columns of texts. A header that a column of ours has, or one that differs from it by
case only, is marked as the input's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from gistmeter.core.errors import UnknownName
from gistmeter.core.family import Context, Items
from gistmeter.core.signature import describe
from gistmeter.core.types import Clip, Metric, Pair, ScoreInfo
from gistmeter.languages.codes import headers

if TYPE_CHECKING:
    from gistmeter.core.rows import Pool, Rows, Value
    from gistmeter.core.views import Row

SAMPLE, LANGUAGE = "sample", "language"
BY = "by"  # in a run's notes: the columns that it is sliced by
COLUMNS = "columns"  # in a run's notes: the names of the input's further columns
# What a column that tells several answers apart is called, beside "sample".
SAMPLES = ("samples", "sample_id", "seed", "run", "run_id", "generation", "repetition", "repeat",
          "trial", "attempt", *headers("sample"))  # fmt: skip
OURS = {
    "id", "system", "group", "cluster", SAMPLE, LANGUAGE, "item", "reasons", "prediction",
    "reference", "references", "marks", "evidence", "reading", "structure", "alarm_words",
    "file", "expected", "got", "audio", "stripped",
}  # fmt: skip


INPUT = " (input)"


def kept_name(header: str) -> str:
    """What a column of the input is called among a run's rows."""
    return header + INPUT if header.casefold() in OURS else header


def kept_texts(items: Sequence[Any]) -> dict[str, list[str | None]]:
    """The items' further columns; languages and samples where there are any."""
    texts: dict[str, list[str | None]] = {}
    given = {LANGUAGE: [item.language for item in items], SAMPLE: [item.sample for item in items]}
    for name, cells in given.items():
        if any(cells):
            texts[name] = [cell or None for cell in cells]
    for header in headers_of(items):
        texts[kept_name(header)] = [item.columns.get(header) for item in items]
    return texts


def headers_of(items: Iterable[Any]) -> list[str]:
    """The further columns that some item has, in the order of their first occurrence."""
    return list(dict.fromkeys(header for item in items for header in item.columns))


def restored(row: Row, notes: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an item that `kept_texts` made columns of, from a row of a run."""
    cells = {name: row.text(name) for name in columns_of(notes)}
    columns = {name.removesuffix(INPUT): cell for name, cell in cells.items() if cell is not None}
    return {"columns": columns, **{name: row.text(name) or "" for name in (LANGUAGE, SAMPLE)}}


def columns_note(headers: Iterable[str]) -> dict[str, list[str]]:
    """What a run's notes say of them."""
    names = [kept_name(header) for header in headers]
    return {COLUMNS: names} if names else {}


def columns_of(notes: Mapping[str, Any], which: str = COLUMNS) -> list[str]:
    """The input's further columns, or those it is sliced `BY`, in a run that has these notes."""
    names = notes.get(which)
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def column_named(column: str, rows: Rows) -> str:
    """The column of texts, or the key, that a name means; case does not matter."""
    known = {name.casefold(): name for name in (*rows.texts, *rows.keys)}
    known |= {"arrangement": "group"} if any(rows.keys["group"]) else {}
    if list(rows.keys["cluster"]) != list(rows.keys["id"]):
        known.setdefault("speaker", "cluster")
    for name in (column, kept_name(column)):
        if name.casefold() in known:
            return known[name.casefold()]
    raise UnknownName("column to slice by", column, sorted(known))


def assign_languages(
    read: Items[Any],
    given: str,
    texts: Sequence[Sequence[str]],
    context: Context,
    names: Sequence[Sequence[str]] = (),
) -> Items[Any]:
    """Items with their languages; what was guessed is said in one wording everywhere.

    `texts` are what tells each item's language, `names` the names of the files it comes from.
    """
    from gistmeter import languages

    column = [item.language for item in read.items]
    chosen = languages.choose(given, column, names, texts)
    if chosen.remark:
        context.say(chosen.remark)
    items = [
        replace(item, language=code) for item, code in zip(read.items, chosen.codes, strict=True)
    ]
    codes = list(dict.fromkeys(chosen.codes))
    settings = {**read.found, "language": codes[0] if len(codes) == 1 else sorted(codes)}
    kept = [item for item in items if isinstance(item, Pair | Clip)]
    notes = {**read.notes, **columns_note(headers_of(kept))}
    return replace(read, items=items, found=settings, notes=notes)


@dataclass(frozen=True, slots=True)
class ByLanguage:
    """Metrics of one kind by language code; an item of no known language takes the first."""

    by_language: Mapping[str, Metric]

    @property
    def first(self) -> Any:
        return next(iter(self.by_language.values()))

    @property
    def scores(self) -> tuple[ScoreInfo, ...]:
        return tuple(self.first.scores)

    @property
    def partial(self) -> dict[str, tuple[str, ...]]:
        """A score is partial where it is in any language."""
        lacking: dict[str, dict[str, None]] = {}
        for metric in self.by_language.values():
            for name, parts in getattr(metric, "partial", {}).items():
                lacking.setdefault(name, {}).update(dict.fromkeys(parts))
        return {name: tuple(parts) for name, parts in lacking.items()}

    def measure(self, items: Sequence[Any]) -> Rows:
        import numpy as np

        from gistmeter.core.rows import Rows

        places: dict[str, list[int]] = {}
        known = next(iter(self.by_language))
        for at, item in enumerate(items):
            code = item.language if item.language in self.by_language else known
            places.setdefault(code, []).append(at)
        parts = []
        for code, members in places.items():
            rows = self.by_language[code].measure([items[at] for at in members])
            parts.append(replace(rows, item=np.asarray(members, dtype=np.int64)[rows.item]))
        joined = Rows.concat(parts)
        order = np.argsort(joined.item, kind="stable")
        return joined.take(order).with_details(joined.details)

    def derive(self, rows: Rows) -> Rows:
        derive = getattr(self.first, "derive", None)
        return derive(rows) if derive is not None else rows

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        pooled: Mapping[str, Value] = self.first.pool(rows)
        return pooled

    def documents(self, rows: Rows, items: Sequence[Any]) -> Mapping[str, Any]:
        tell = getattr(self.first, "documents", None)
        return tell(rows, items) if tell is not None else {}

    def explain(self, name: str, rows: Rows) -> str:
        explain = getattr(self.first, "explain", None)
        return explain(name, rows) if explain is not None else "undefined"


def shared_by(metric: Any) -> Any:
    """A metric, or of one that tells languages apart the first: for what all share."""
    return metric.first if isinstance(metric, ByLanguage) else metric


def by_language(made: Mapping[str, Metric]) -> Metric:
    """The one metric, where all languages share it; else one that tells them apart."""
    if len({str(describe(metric)) for metric in made.values()}) == 1:
        return next(iter(made.values()))
    return cast("Metric", ByLanguage(made))
