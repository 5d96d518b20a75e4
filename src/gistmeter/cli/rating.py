"""What `gistmeter label` does: a sample is written, or what came back is read and kept."""

from __future__ import annotations

from pathlib import Path

from gistmeter.cli import console
from gistmeter.cli.commands import Display
from gistmeter.cli.label import LabelSettings
from gistmeter.cli.runs import find_run
from gistmeter.core.errors import InputError
from gistmeter.core.files import write_atomically
from gistmeter.core.run import Run
from gistmeter.core.runs.saved import load_run
from gistmeter.people.designs import Design, LabelSample, draw_sample
from gistmeter.people.ledger import ledger_of
from gistmeter.people.rating_sheet import RatingQuestion, RatingSheet, rating_sheet, read_sheet
from gistmeter.people.statements import summarise_labels
from gistmeter.report.export import delimited, workbook
from gistmeter.report.people_text import summary_lines
from gistmeter.report.rating_page import rating_page


def draw_or_read(settings: LabelSettings, display: Display) -> int:
    """Write a sample for people, or keep what they filled in."""
    assert settings.run is not None
    run = load_run(find_run(settings.run))
    if settings.read:
        return _read(run, settings, display)
    design = Design(
        settings.design, settings.sample, settings.seed, settings.score, settings.strata,
        settings.allocation,
    )  # fmt: skip
    sample = draw_sample(run, design)
    question = RatingQuestion(settings.kind, settings.ends(), settings.question)
    sheet = rating_sheet(run, sample, question)
    targets = [settings.output] if settings.output else [Path("rating.xlsx"), Path("rating.html")]
    for target in targets:
        if target.exists():
            raise InputError(
                f"{target}: is there already, perhaps filled in. Move it away, or name another "
                "file with -o"
            )
    for target in targets:
        _write(sheet, target)
    if display.format == "json":
        console.write_json(console.to_json(_outline(sample, sheet, targets)))
        return 0
    console.show(
        f"{len(sheet.rows)} to rate, of {sample.items} of {sample.population} items, drawn by the"
        f" {design.name} design: {', '.join(map(str, targets))}"
    )
    console.say(f"When filled: gistmeter label {settings.run} --read FILE --rater NAME")
    return 0


def _outline(sample: LabelSample, sheet: RatingSheet, targets: list[Path]) -> dict[str, object]:
    return {
        "draw": sample.draw, "score": sample.score, "items": sample.items,
        "population": sample.population, "rows": len(sheet.rows), "files": list(map(str, targets)),
    }  # fmt: skip


def _write(sheet: RatingSheet, target: Path) -> None:

    suffix = target.suffix.lower()
    if suffix == ".html":
        write_atomically(target, rating_page(sheet))
    elif suffix == ".xlsx":
        write_atomically(target, workbook([sheet.sheet()]))
    else:
        write_atomically(target, delimited(sheet.sheet(), ","))


def _read(run: Run, settings: LabelSettings, display: Display) -> int:

    assert run.path is not None
    sheets = [read_sheet(run, path, settings.rater) for path in settings.read]
    ledger = ledger_of(run.path)
    ledger.append(*(label for sheet in sheets for label in sheet.labels))
    summary = summarise_labels(run, score=settings.score, confidence=settings.confidence)
    if display.format == "json":
        console.write_json(console.to_json(summary.to_dict()))
        return 0
    kept = sum(len(sheet.labels) for sheet in sheets)
    known, empty = sum(sheet.known for sheet in sheets), sum(sheet.empty for sheet in sheets)
    console.say(f"{kept} new labels kept in {ledger.folder}; {known} known, {empty} rows open")
    for line in summary_lines(summary):
        console.show(line)
    return 0
