"""What a family shows of a whole run beyond its scores: along the book, by part of speech."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gistmeter.report import charts, drawing
from gistmeter.report.html.drilldown import Opener
from gistmeter.report.html.drilldown.book import books
from gistmeter.report.html.pictures import Picture
from gistmeter.report.html.scores import ordered
from gistmeter.report.html.wording import shown

ALONG = (("recall_along", "source_recall"), ("coverage_along", "coverage_at"))
PARTS = (("by_pos", "part of speech"), ("by_relation", "relation"))
MOST_PARTS, MOST_CONFUSIONS = 14, 12


def family_pictures(opener: Opener, headline: str) -> list[Picture]:
    """Pictures made of the run's documents."""
    labels = drawing.unique_labels(list(opener.run.systems))
    systems = ordered(opener.run, headline)
    return [*_along(opener, systems, labels), *_by_part(opener, systems, labels)]


def _along(opener: Opener, systems: Sequence[str], labels: Mapping[str, str]) -> Iterator[Picture]:
    """Shares in tenths of the book, the mean over books."""
    documents = [opener.details[name] for name in books(opener)]
    only = next(iter(opener.run.systems)) if len(opener.run.systems) == 1 else ""
    for key, title in ALONG:
        held: dict[str, list[list[float | None]]] = {}
        for document in documents:
            system = str(document.get("system") or only)
            if system in labels and isinstance(document.get(key), list):
                held.setdefault(system, []).append(document[key])
        rows = [
            {"system": labels[system], "tenth": at + 1, "value": _mean(column)}
            for system in systems
            for at, column in enumerate(zip(*held.get(system, []), strict=False))
        ]
        rows = [row for row in rows if row["value"] is not None]
        if len(rows) > 1:
            shown_systems = [labels[system] for system in systems if system in held]
            svg = charts.along(rows, shown_systems, title)
            note = "mean over books" if len(documents) > len(held) else ""
            yield Picture(
                f"{title} along the {'source' if key[0] == 'r' else 'summary'}", svg, note
            )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None and math.isfinite(value)]
    return sum(known) / len(known) if known else None


def _documents(opener: Opener, ending: str) -> dict[str, Any]:
    """Documents of one name, by system."""
    found: dict[str, Any] = {}
    for name in opener.details:
        if name.endswith(ending) and isinstance(opener.details[name], Mapping):
            found |= opener.details[name]
    return found


def _by_part(
    opener: Opener, systems: Sequence[str], labels: Mapping[str, str]
) -> Iterator[Picture]:
    """A score by part of speech and by relation, the most frequent first."""
    held = _documents(opener, "breakdown.json")
    for key, title in PARTS:
        tables = {
            system: held[system][key]
            for system in systems
            if isinstance(held.get(system), Mapping) and isinstance(held[system].get(key), Mapping)
        }
        if not tables:
            continue
        first = next(iter(tables.values()))
        score = next((name for name in ("las", "uas", "lemma", "upos") if _has(first, name)), "")
        names = drawing.unique_labels(list(first)[:MOST_PARTS])
        rows = [
            {"group": label, "system": labels[system], "value": table[part][score]}
            for system, table in tables.items()
            for part, label in names.items()
            if score and part in table and table[part].get(score) is not None
        ]
        if len(rows) > 1:
            order = [labels[system] for system in tables]
            svg = charts.by_group(rows, order, list(names.values()), score)
            yield Picture(f"{score} by {title}", svg, "the most frequent")


def _has(table: Mapping[str, Any], name: str) -> bool:
    return any(isinstance(part, Mapping) and part.get(name) is not None for part in table.values())


def family_tables(opener: Opener) -> list[dict[str, Any]]:
    """What was taken for what, a table a column."""
    found: dict[str, list[list[dict[str, Any]]]] = {}
    for system, columns in _documents(opener, "confusions.json").items():
        for column, entries in columns.items() if isinstance(columns, Mapping) else ():
            for entry in entries[:MOST_CONFUSIONS] if isinstance(entries, list) else ():
                cells = [str(system), str(entry.get("gold")), str(entry.get("system"))]
                row = [{"text": shown(cell, 80), "number": False} for cell in cells]
                count = {"text": f"{int(entry.get('count') or 0):,}", "number": True}
                found.setdefault(str(column), []).append([*row, count])
    return [
        {
            "title": f"{shown(column, 40)}: what was taken for what",
            "columns": ["system", "gold", "given", "times"],
            "rows": rows,
        }
        for column, rows in found.items()
    ]
