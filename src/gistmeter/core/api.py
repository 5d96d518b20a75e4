"""Scoring from Python: a shape by its name, the options of its command by theirs.

Values come as lists, generators, or columns of other libraries.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gistmeter.core.cache import Cache
from gistmeter.core.configuration import options_for
from gistmeter.core.errors import InputError
from gistmeter.core.family import Items, family_of
from gistmeter.core.options import RunSettings
from gistmeter.core.run import Run
from gistmeter.core.score import score as score_family
from gistmeter.core.settings import Settings, options_of, split
from gistmeter.core.table.textual import Table, cell_text
from gistmeter.core.wiring import settings_of

Files = str | Path
ROLES = {"matcher": "token_encoder"}  # a role's name where its option has another


def score(
    shape: str,
    items: Items[Any] | None = None,
    *,
    settings: Settings | None = None,
    cache: Cache | Files | None = None,
    **options: Any,
) -> Run:
    """Score a shape of data, one of an installed package included, by the options of its command.

    `items` are given where they do not come from the files that the options name.
    """
    return score_shape(shape, settings, options, cache, items)


def score_shape(
    shape: str,
    settings: Settings | None,
    options: Mapping[str, Any],
    cache: Cache | Files | None,
    items: Items[Any] | None = None,
) -> Run:
    """The run of a shape; an error where a score is below its threshold."""
    family_settings, how = settle(shape, settings, options)
    run = score_family(
        family_of(shape), family_settings, items=items, how=how, cache=open_cache(cache)
    )
    if how.fail_under:
        run.require(how.fail_under)
    return run


def open_cache(cache: Cache | Files | None) -> Cache | None:
    """The cache of a file, or the one given."""
    return Cache(Path(cache)) if isinstance(cache, str | Path) else cache


def settle(
    shape: str, settings: Settings | None, options: Mapping[str, Any]
) -> tuple[Settings, RunSettings]:
    """A family's settings and a run's, sorted out of the options."""
    own_names = [name for name in options if name not in options_of(RunSettings)]
    kind = settings_of(family_of(shape), own_names)
    file: dict[str, Any] = {}
    if options.get("config"):
        path, trust = Path(options["config"]), bool(options.get("trust"))
        file = options_for(path, shape, (kind, RunSettings), trust=trust)
    own, how = split(options, kind, RunSettings, file=file)
    assert isinstance(how, RunSettings)
    if settings is not None:
        changed = {key: getattr(own, key) for key in options if key in options_of(type(own))}
        own = replace(settings, **changed)
    return own, how


_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://\S+", re.IGNORECASE)
Column = Iterable[Any]  # a list, a generator, or a column of pandas, polars or Arrow


def is_path(value: object) -> bool:
    """Whether a value names files: a `Path`, the text of one that is there or of an address
    (s3://…), or a list of paths."""
    if isinstance(value, Path):
        return True
    if isinstance(value, str):
        short = len(value) < 4096 and "\n" not in value
        try:
            return short and (bool(_ADDRESS.fullmatch(value)) or Path(value).exists())
        except OSError:  # a text that is longer than any file's name
            return False
    return isinstance(value, list | tuple) and bool(value) and all(
        isinstance(part, Path) for part in value
    )  # fmt: skip


def column(values: Any, name: str) -> list[Any]:
    """All values of a column, undefined ones (None, NaN, NA) as None."""
    for method in ("to_pylist", "to_list", "tolist"):  # Arrow, polars and pandas, NumPy
        if hasattr(values, method):
            values = getattr(values, method)()
            break
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InputError(
            f"{name} is {_kind(values)}; expected a list, a column of a table, or the path of a"
            " file that is there"
        )
    return [None if is_undefined(value) else value for value in values]


def table_in(values: Any) -> Table | None:
    """A data frame of pandas, polars or Arrow as a table; None where it is something else."""
    if isinstance(values, Mapping | list | tuple | str):
        return None
    try:
        names = list(values.columns)
        if names and not isinstance(names[0], str | int):  # Arrow gives the columns themselves
            names = list(values.column_names)
    except AttributeError:
        return None
    columns = [[cell_text(cell) for cell in column(values[name], str(name))] for name in names]
    rows = [list(row) for row in zip(*columns, strict=True)]
    lines = list(range(1, len(rows) + 1))
    return Table("system", [str(name) for name in names], rows, lines, Path("DataFrame"))


def reusable(values: Any) -> Any:
    """The same values, as a list where they could be read only once."""
    return list(values) if isinstance(values, Iterator) else values


def is_undefined(value: object) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def texts(values: Any, name: str) -> list[str | None]:
    """A column of texts; something else in it is an error that says where."""
    cells = column(values, name)
    for at, value in enumerate(cells):
        if value is not None and not isinstance(value, str):
            raise InputError(f"{name}[{at}] is {_kind(value)}; expected text")
    return cells


def several(values: Any, name: str) -> list[tuple[str, ...]]:
    """A column of texts or of lists of texts: all that are there, as tuples."""
    cells = []
    for at, value in enumerate(column(values, name)):
        listed = [value] if value is None or isinstance(value, str) else column(value, name)
        for one in listed:
            if one is not None and not isinstance(one, str):
                raise InputError(f"{name}[{at}] holds {_kind(one)}; expected text")
        cells.append(tuple(one for one in listed if one is not None))
    return cells


def repeated(values: Any, name: str, count: int, default: str = "") -> list[str]:
    """A column of names, or one name for all; another length is an error."""
    if values is None or isinstance(values, str):
        return [default if values is None else values] * count
    cells = [default if value is None else str(value) for value in column(values, name)]
    same_length(cells, count, name)
    return cells


def same_length(values: Sequence[Any], count: int, name: str, of: str = "items") -> None:
    if len(values) != count:
        raise InputError(f"There are {count} {of} and {len(values)} {name}")


def refuse_repeated(items: Sequence[Any]) -> None:
    """Items of one system with the same name, which nothing tells apart, are an error."""
    keys = Counter((item.system, item.group, item.id, item.sample) for item in items)
    (system, _, key, _), often = keys.most_common(1)[0] if keys else (("",) * 4, 0)
    if often > 1:
        raise InputError(
            f"ids: '{key}' of system '{system}' occurs {often} times. Give every item an id of its"
            " own, or tell several answers to one item apart with samples=[1, 2, …]"
        )


def _kind(value: object) -> str:
    text = repr(value)
    shown = text if len(text) <= 40 else text[:37] + "..."
    return f"{shown} ({type(value).__name__})"
