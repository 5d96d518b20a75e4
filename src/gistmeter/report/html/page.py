"""The report: one HTML page over one or several runs. It shows scores and computes none."""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.core.comparison import RANKS, Comparison, Findings
from gistmeter.core.comparison.answer import answer
from gistmeter.core.files import write_atomically
from gistmeter.core.types import Sheet
from gistmeter.core.views import MAX_AUDIO, Finder, Opener, View, shown
from gistmeter.core.wording import listed
from gistmeter.report.decisive import contradiction, deciding
from gistmeter.report.html import asset, overview, render, to_script, trusted
from gistmeter.report.html.items import (
    ROOM,
    ItemData,
    Link,
    Recordings,
    digests_of,
    item_data,
    size_of_recordings,
)
from gistmeter.report.html.overview import Subject
from gistmeter.report.html.pictures import pictures
from gistmeter.report.methods import methods
from gistmeter.report.study_sheets import TOLD, repeats_sheet
from gistmeter.version import __version__

if TYPE_CHECKING:
    from gistmeter.core.run import Run

UNLIMITED = 10**12  # bytes of views, where everything is asked for
SCRIPTS = ("page.js", "marks.js", "table.js", "beside.js", "book.js", "along.js", "drill.js")
TESTS = {
    "permutation": "paired approximate randomisation",
    "bootstrap": "paired bootstrap",
    "wilcoxon": "Wilcoxon's signed ranks",
}


def write_report(
    runs: Sequence[Run],
    path: Path,
    *,
    comparisons: Sequence[Findings] = (),
    **options: Any,
) -> None:
    """Write the page of `build_page` to a file; `comparisons` are its findings."""
    write_atomically(path, build_page(runs, findings=comparisons, page=path, **options))


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
    """The whole page as text.

    `views` has what the family of each run shows; without it a run shows all its columns.
    `findings` has an entry for each run: `{"comparisons": [...]}`, the headline's first; `answers`
    the sentence that each begins with. With `everything`, all items are included, however large the
    page becomes.
    """
    sections = build_sections(
        runs, views=views, findings=findings, answers=answers, page=page, everything=everything
    )
    return render(
        "page.html.j2",
        script=page_script(),
        audio=any('"k":"audio"' in str(section["data"]) for section in sections),
        title=shown(title, 120) or _title(runs),
        date=f"{datetime.datetime.now():%Y-%m-%d %H:%M}",
        language="en",
        version=__version__,
        sections=sections,
    )


def page_script(*further: str) -> str:
    """The script of a page; `further` pieces may use all that it defines."""
    return '"use strict";\n(() => {\n' + "\n".join([*map(asset, SCRIPTS), *further]) + "\n})();\n"


def build_sections(
    runs: Sequence[Run],
    *,
    views: Sequence[View] = (),
    findings: Sequence[Findings] = (),
    answers: Sequence[str] = (),
    page: Path | None = None,
    everything: bool = False,
    link: Link | None = None,
) -> list[dict[str, Any]]:
    """Each run as the template of a section shows it.

    `link` gives the address of a recording, where a page is served and not opened from disk.
    """
    recordings = [size_of_recordings(run) for run in runs]
    allowed = MAX_AUDIO // max(1, sum(1 for size in recordings if size))
    # Base64 takes four bytes for three; what one section leaves, the next may use.
    left = ROOM - sum(size * 4 // 3 for size in recordings if size <= allowed)
    names = section_names(runs)
    sections = []
    for number, subject in enumerate(overview.subjects(runs, views, findings)):
        room = max(1, left) // (len(runs) - number)
        opener = Opener(subject.run, views=UNLIMITED if everything else room * 2 // 5)
        fits = recordings[number] <= allowed
        audio = Recordings(page, digests_of(subject.run) if fits else {}, link)
        items = item_data(subject, opener, audio, everything=everything, room=room)
        left -= items.size
        said = answers[number] if number < len(answers) else answer(subject)
        headings = _headings(subject, number, names[number])
        sections.append(headings | _section(subject, opener, items=items, answer=said))
    return sections


def section_names(runs: Sequence[Run]) -> list[str]:
    """What tells runs of one kind apart: their folder's name; empty where there is one only."""
    often = Counter(run.command for run in runs)
    names = []
    for number, run in enumerate(runs, start=1):
        name = run.path.name if run.path else ""
        kind = re.compile(rf"^{re.escape(run.command)}(?:[-_](?=.)|$)?")
        names.append(shown(kind.sub("", name), 40) or str(number) if often[run.command] > 1 else "")
    return names


def _title(runs: Sequence[Run]) -> str:
    """What the page is about: the data, where it has a name, else the run."""
    kinds = [shown(kind, 40) for kind in dict.fromkeys(run.command for run in runs)]
    if len(runs) > 1:
        return f"{len(runs)} runs: {listed(kinds)}"
    data = listed([shown(name, 40) for name in runs[0].inputs], 3)
    name = data or (shown(runs[0].path.name, 80) if runs[0].path else "")
    kind = kinds[0].capitalize()
    return f"{kind or 'Run'}: {name}" if name else kind or "Report"


def _headings(subject: Subject, number: int, name: str) -> dict[str, Any]:
    """How a section is called: its key, its tab and its heading."""
    command = subject.run.command.capitalize() or f"Run {number + 1}"
    short, heading = shown(command, 40), subject.view.heading or shown(command, 80)
    return {
        "key": f"run-{number + 1}",
        "short": f"{short} {name}" if name else short,
        "heading": f"{heading} ({name})" if name else heading,
    }


def _section(subject: Subject, opener: Opener, *, items: ItemData, answer: str) -> dict[str, Any]:
    """One run as the template shows it."""
    run, lead = subject.run, subject.lead
    sentences = [shown(line, 1200) for line in answer.splitlines()] or [""]
    if said := contradiction(run, subject.view):
        sentences.append(shown(said, 600))
    every = subject.shown_scores
    few = [name for name in deciding(run, subject.view) if name in every] or every
    repeats = run.repeats
    summary = shown(str(run.notes.get("summary") or ""), 600)
    return {
        "answer": sentences[0],
        "more": [*sentences[1:], *([summary] if summary else [])],
        "opening": bool(items.data.get("opening")),
        "facts": overview.facts(subject),
        "warnings": overview.warnings(subject),
        "scores": overview.score_heads(subject, few),
        "board": overview.board(subject, few),
        "all_scores": overview.score_heads(subject, every) if len(few) < len(every) else [],
        "all_board": overview.board(subject, every) if len(few) < len(every) else [],
        "slices": [overview.heat_map(part) for part in run.slices],
        "repeats": _table(repeats_sheet(repeats)) if repeats else None,
        "repeated": [shown(entry.sentence(), 400) for entry in repeats[:TOLD]],
        "methods": shown(methods(run, subject.view), 4000),
        "marks": list(subject.view.legend) if items.data["items"] else [],
        "legend": _legend(lead, run.confidence),
        "pairs": overview.pair_rows(subject.findings.comparisons),
        "pairs_legend": _pairs_legend(lead, subject.cluster),
        "pictures": [
            {
                "title": picture.title,
                "note": picture.note,
                "drawing": trusted(picture.drawing),
                "spread": picture.spread,
            }
            for picture in sorted(pictures(subject, opener), key=lambda entry: entry.spread)
        ],
        "tables": [_table(sheet) for sheet in (*_noted(run), *subject.view.tables(opener))],
        "comparable": len(run.systems) > 1
        and bool(items.data["items"] and items.data["columns"])
        and not items.data["parts"],
        "chosen": items.note,
        "settings": _settings(run),
        "signature": shown(run.signature, 1200),
        "data": trusted(to_script(items.data)),
    }


def _legend(lead: Comparison, confidence: float) -> str:
    legend = (
        "↑ higher is better, ↓ lower is better. In small print: an interval. Of 100 such intervals,"
        f" each of other items of this kind, about {100 * confidence:g} contain the score over all"
        " of them."
    )
    ranks = f" ▲: shown to be ahead of every other system. {RANKS}"
    return legend + ranks if lead.ranking.letters else legend


def _pairs_legend(lead: Comparison, unit: str) -> str:
    if not lead.pairs:
        return ""
    test = lead.pairs[0].test
    return (
        f"Test: {TESTS.get(test, test)}, {lead.resamples:,} resamples of whole {unit}s; "
        f"correction: {lead.correction}. d: mean over standard deviation of the paired "
        "differences. P(a better): share of items on which a does better, ties as halves. "
        "Smallest visible: the true difference these items would show four times out of five. "
        "Bold: real after correction at 5%."
    )


def _noted(run: Run) -> list[Sheet]:
    """Tables that a family left in the run's notes: name -> list of records."""
    sheets = []
    for name, rows in run.notes.items():
        if isinstance(rows, list) and rows and all(isinstance(row, Mapping) for row in rows):
            columns = list(dict.fromkeys(key for row in rows for key in row))[:12]
            cells = [[row.get(column) for column in columns] for row in rows[:60]]
            title = str(name).replace("_", " ").capitalize()
            sheets.append(Sheet(title, [str(column) for column in columns], cells))
    return sheets


def _table(sheet: Sheet) -> dict[str, Any]:
    return {
        "title": shown(sheet.name, 80),
        "note": shown(sheet.note, 600),
        "columns": [shown(column, 60) for column in sheet.columns],
        "rows": [[_cell(cell) for cell in row] for row in sheet.rows],
    }


def _cell(value: Any) -> dict[str, Any]:
    if isinstance(value, Finder):
        place = {"query": value.query, "system": shown(value.system, 200)}
        return _cell(value.shown) | {"finder": place}
    if value is None or isinstance(value, bool):
        return {"text": "" if value is None else str(value).lower(), "number": False}
    if isinstance(value, int | float):
        text = f"{value:,.3f}" if isinstance(value, float) else f"{value:,}"
        return {"text": text, "number": True}
    return {"text": shown(_spelled(value), 300), "number": False}


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _settings(run: Run) -> list[tuple[str, str]]:
    notes = {key: value for key, value in run.notes.items() if isinstance(value, str | int | float)}
    pairs = [
        ("run", str(run.path or "")),
        *run.settings.items(),
        *notes.items(),
        *((f"{key} version", value) for key, value in run.versions.items()),
        *((key.replace("_", " "), f"{value:.2f}") for key, value in run.timings.items()),
    ]
    return [
        (shown(str(key), 80), shown(_spelled(value), 500))
        for key, value in pairs
        if value not in (None, "", [], {})
    ]
