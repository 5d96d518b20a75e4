"""One HTML file over one or several runs."""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.core.answer import answer
from gistmeter.core.comparison import Comparison, Findings
from gistmeter.core.types import Sheet
from gistmeter.core.views import Opener, View, shown
from gistmeter.core.wording import listed
from gistmeter.report.html import overview
from gistmeter.report.html.embedding import policy, to_script
from gistmeter.report.html.items import ROOM, ItemData, item_data
from gistmeter.report.html.opening import Sounds, recorded
from gistmeter.report.html.pictures import pictures
from gistmeter.report.html.scores import Subject, subjects
from gistmeter.version import __version__

if TYPE_CHECKING:
    from gistmeter.core.run import Run

SOUNDS = 1_000_000  # bytes of recordings in one page
UNLIMITED = 10**12  # bytes of views, where everything is asked for
SCRIPTS = ("page.js", "marks.js", "table.js", "beside.js", "book.js", "along.js", "drill.js")


@dataclass(frozen=True, slots=True)
class Section:
    """One run as the template shows it."""

    key: str
    short: str
    heading: str
    answer: str
    more: list[str]
    opening: bool
    facts: list[dict[str, str]]
    warnings: list[str]
    scores: list[dict[str, str]]
    board: list[dict[str, Any]]
    legend: str
    pairs: list[dict[str, Any]]
    pairs_legend: str
    pictures: list[Any]
    tables: list[dict[str, Any]]
    comparable: bool
    chosen: str
    settings: list[tuple[str, str]]
    signature: str
    data: Any


def build_page(
    runs: Sequence[Run],
    *,
    views: Sequence[View] = (),
    findings: Sequence[Findings] = (),
    answers: Sequence[str] = (),
    page: Path | None = None,
    title: str = "",
    everything: bool = False,
) -> str:
    """The whole page as text."""
    recordings = [recorded(run) for run in runs]
    allowed = SOUNDS // max(1, sum(1 for size in recordings if size))
    # Base64 takes four bytes for three; what one section leaves, the next may use.
    left = ROOM - sum(size * 4 // 3 for size in recordings if size <= allowed)
    names = section_names(runs)
    sections = []
    for number, subject in enumerate(subjects(runs, views)):
        found = findings[number] if number < len(findings) else Findings()
        room = max(1, left) // (len(runs) - number)
        opener = Opener(subject.run, views=UNLIMITED if everything else room * 2 // 5)
        sounds = Sounds(page, embed=recordings[number] <= allowed)
        items = item_data(subject, opener, sounds, everything=everything, room=room)
        left -= items.size
        told = answers[number] if number < len(answers) else answer(subject, found)
        section = _section(subject, opener, number, found, items=items, answer=told)
        sections.append(_named(section, names[number]))
    style = page_style()
    script = '"use strict";\n(() => {\n' + "\n".join(asset(name) for name in SCRIPTS) + "\n})();\n"
    playing = any('"k":"audio"' in str(section.data) for section in sections)
    template = environment().get_template("page.html.j2")
    text: str = template.render(
        title=shown(title, 120) or _title(runs),
        date=f"{datetime.datetime.now():%Y-%m-%d %H:%M}",
        language="en",
        version=__version__,
        policy=policy(style, script, audio=playing),
        style=trusted(style),
        script=trusted(script),
        sections=sections,
    )
    return text


def section_names(runs: Sequence[Run]) -> list[str]:
    """What tells runs of one kind apart: their folder's name; empty where there is one only."""
    often = Counter(run.command for run in runs)
    names = []
    for number, run in enumerate(runs, start=1):
        name = run.path.name if run.path else ""
        kind = re.compile(rf"^{re.escape(run.command)}(?:[-_](?=.)|$)?")
        names.append(shown(kind.sub("", name), 40) or str(number) if often[run.command] > 1 else "")
    return names


def _named(section: Section, name: str) -> Section:
    if not name:
        return section
    return replace(section, short=f"{section.short} {name}", heading=f"{section.heading} ({name})")


def _title(runs: Sequence[Run]) -> str:
    """What the page is about: the data, where it has a name, else the run."""
    kinds = [shown(kind, 40) for kind in dict.fromkeys(run.command for run in runs)]
    if len(runs) > 1:
        return f"{len(runs)} runs: {listed(kinds)}"
    data = listed([shown(name, 40) for name in runs[0].inputs], 3)
    name = data or (shown(runs[0].path.name, 80) if runs[0].path else "")
    return (
        f"{kinds[0].capitalize() or 'Run'}: {name}" if name else kinds[0].capitalize() or "Report"
    )


def _section(
    subject: Subject, opener: Opener, number: int, found: Findings, *, items: ItemData, answer: str
) -> Section:
    run = subject.run
    lead = subject.lead(found)
    short = run.command.capitalize() if run.command else f"Run {number + 1}"
    drawn = [
        {"title": picture.title, "note": picture.note, "drawing": trusted(picture.drawing)}
        for picture in pictures(subject, lead, opener)
    ]
    told = [shown(line, 1200) for line in answer.splitlines()] or [""]
    summary = shown(str(run.notes.get("summary") or ""), 600)
    return Section(
        key=f"run-{number + 1}",
        short=shown(short, 40),
        heading=subject.view.heading or shown(short, 80),
        answer=told[0],
        more=[*told[1:], *([summary] if summary else [])],
        opening=bool(items.data.get("opening")),
        facts=overview.facts(subject),
        warnings=overview.warnings(subject, lead),
        scores=overview.score_heads(subject),
        board=[{**row, "sign": trusted(row["sign"])} for row in overview.board(subject, lead)],
        legend=_legend(lead),
        pairs=overview.pair_rows(found.comparisons),
        pairs_legend=_pairs_legend(lead, subject.cluster),
        pictures=drawn,
        tables=[*tables(run), *(_table(sheet) for sheet in subject.view.tables(opener))],
        comparable=len(run.systems) > 1
        and bool(items.data["items"] and items.data["columns"])
        and not items.data["parts"],
        chosen=items.note,
        settings=_settings(run),
        signature=shown(run.signature, 1200),
        data=trusted(to_script(items.data)),
    )


def _legend(lead: Comparison | None) -> str:
    told = "↑ higher is better, ↓ lower is better. Small: bootstrap interval over items."
    if lead and lead.pairs:
        told += " Systems that the data cannot tell apart share a rank (=)."
    return told


def _pairs_legend(lead: Comparison | None, unit: str) -> str:
    if not lead or not lead.pairs:
        return ""
    tests = {
        "permutation": "paired approximate randomisation",
        "bootstrap": "paired bootstrap",
        "wilcoxon": "Wilcoxon's signed ranks",
    }
    test = lead.pairs[0].test
    return (
        f"Test: {tests.get(test, test)}, {lead.resamples:,} resamples of whole {unit}s; "
        f"correction: {lead.correction}. d: mean over standard deviation of the paired "
        "differences. P(a better): share of items on which a does better, ties as halves. "
        "Smallest visible: the true difference these items would show four times out of five. "
        "Bold: real after correction at 5%."
    )


def tables(run: Run) -> list[dict[str, Any]]:
    """Tables that a family left in the run's notes: name -> list of records."""
    found = []
    for name, rows in run.notes.items():
        if isinstance(rows, list) and rows and all(isinstance(row, Mapping) for row in rows):
            columns = list(dict.fromkeys(key for row in rows for key in row))[:12]
            cells = [[row.get(column) for column in columns] for row in rows[:60]]
            title = str(name).replace("_", " ").capitalize()
            found.append(_table(Sheet(title, [str(column) for column in columns], cells)))
    return found


def _table(sheet: Sheet) -> dict[str, Any]:
    return {
        "title": shown(sheet.name, 80),
        "columns": [shown(column, 60) for column in sheet.columns],
        "rows": [[_cell(cell) for cell in row] for row in sheet.rows],
    }


def _cell(value: Any) -> dict[str, Any]:
    if isinstance(value, bool) or value is None:
        return {"text": "" if value is None else str(value).lower(), "number": False}
    if isinstance(value, int | float):
        return {
            "text": f"{value:,.3f}" if isinstance(value, float) else f"{value:,}",
            "number": True,
        }
    return {
        "text": shown(value if isinstance(value, str) else json.dumps(value), 300),
        "number": False,
    }


def _settings(run: Run) -> list[tuple[str, str]]:
    pairs: list[tuple[str, Any]] = [("run", str(run.path or ""))]
    pairs += list(run.settings.items())
    pairs += [
        (key, value) for key, value in run.notes.items() if isinstance(value, str | int | float)
    ]
    pairs += [(f"{key} version", value) for key, value in run.versions.items()]
    pairs += [(key.replace("_", " "), f"{value:.2f}") for key, value in run.timings.items()]
    return [
        (
            shown(str(key), 80),
            shown(value if isinstance(value, str) else json.dumps(value, default=str), 500),
        )
        for key, value in pairs
        if value not in (None, "", [], {})
    ]


def page_style() -> str:
    return asset("charts.css") + asset("report.css")


def asset(name: str) -> str:
    return resources.files("gistmeter.report.html").joinpath("assets", name).read_text("utf-8")


def environment() -> Any:
    from jinja2 import Environment, FunctionLoader

    return Environment(
        loader=FunctionLoader(asset), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )


def trusted(text: str) -> Any:
    """Our own style, script and drawings, and JSON made safe: not escaped again."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704
