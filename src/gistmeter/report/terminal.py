"""Tables for the terminal: narrow enough for 80 columns, aligned with CJK, safe to print."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from gistmeter.core.files import plain
from gistmeter.core.types import Score, Sheet

if TYPE_CHECKING:
    from gistmeter.core.run import Run

LONGEST_SIGNATURE = 240
SHORT = 16  # characters of a cell that need not be wrapped


def safe(text: str) -> Text:
    """Text from outside as a cell of one line."""
    return Text(plain(text.replace("\n", " ")))


class Screen(Console):
    """A terminal on which text can be read and do nothing else: no codes, no markup, no links."""

    def __init__(self, *, stderr: bool = False, quiet: bool = False) -> None:
        super().__init__(stderr=stderr, quiet=quiet, markup=False, emoji=False, highlight=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(plain(segment.text), segment.style)


def print_run(run: Run, console: Console, names: Sequence[str] = ()) -> None:
    """Scores of each system with intervals, all or some; of several systems the best first."""
    ranked = _ranked(run, names)
    table = _table(run, ranked)
    if fits(table, console):
        console.print(table)
    else:
        _print_narrow(ranked, console)
    further = len(score_names(run)) - len(ranked)
    if further:
        console.print(safe(f"{further} further scores: --all shows them, the files have them."))
    if run.missing:
        console.print(safe(f"* partial, without: {', '.join(run.missing)}"))
    if run.unscored:
        scores = [score for scored in run.systems.values() for score in scored.scores.values()]
        # What is missing may be scored all the same, as its reason then says.
        label = "Unscored" if any(score.unscored for score in scores) else "Missing"
        reasons = "; ".join(f"{why} ({count})" for why, count in run.unscored.items())
        console.print(safe(f"{label}: {reasons}"))
    console.print(safe(f"Signature: {short_signature(run.signature)}"), style="dim")
    if run.path:
        console.print(safe(f"Run: {run.path}"), soft_wrap=True)


def score_names(run: Run) -> list[str]:
    """All scores, the one to judge by first; without kinds of alarm that no system set off."""
    names = dict.fromkeys(
        name
        for scored in run.systems.values()
        for name, score in scored.scores.items()
        if not name.startswith("alarm_") or score.value > 0
    )
    first = next((name for name in run.headline if name in names), None)
    return list(dict.fromkeys([*([first] if first else []), *names]))


def fits(table: Table, console: Console) -> bool:
    """Whether a table has room without a number being cut: what must not wrap keeps its width."""
    for column in table.columns:
        if column.no_wrap:
            cells = [*str(column.header).split("\n"), *map(str, column.cells)]
            column.min_width = max(map(cell_len, cells))
    return (
        Measurement.get(console, console.options.update(max_width=10_000), table).minimum
        <= console.width
    )


def _print_narrow(scores: Mapping[str, list[tuple[str, Score]]], console: Console) -> None:
    """The same scores one beneath the other, for a screen that no table fits on."""
    for name, ranked in scores.items():
        console.print(safe(name + ("*" if ranked[0][1].partial else "")), style="bold")
        for system, score in ranked:
            console.print(safe(f"  {score.number(score.value)} {system}"))
            console.print(safe(f"    {interval(score)}, n {score.n}"), style="dim")


def print_lines(lines: Sequence[str], console: Console) -> None:
    """An answer in sentences, the first of them the most important."""
    for at, line in enumerate(lines):
        console.print(safe(line), style="bold" if at == 0 else "")


def print_sheet(sheet: Sheet, console: Console) -> None:
    """A table of few columns beneath the scores."""
    table = Table(
        title=safe(sheet.name), title_justify="left",
        caption=safe(sheet.note) if sheet.note else None, caption_justify="left",
        box=None, padding=(0, 1, 0, 0),
    )  # fmt: skip
    for at, column in enumerate(sheet.columns):
        if at == 0:
            numbers = all(isinstance(row[0], int) for row in sheet.rows)
            table.add_column(safe(column), overflow="fold", min_width=1 if numbers else 12)
        elif any(isinstance(cell := row[at], str) and len(cell) > SHORT for row in sheet.rows):
            table.add_column(safe(column), overflow="fold", min_width=12)
        else:
            table.add_column(Text(plain(column.replace("_", "_\n"))), justify="right", no_wrap=True)
    for row in sheet.rows:
        table.add_row(*(_cell(cell) for cell in row))
    if fits(table, console):
        console.print(table)
        return
    console.print(safe(sheet.name), style="bold")
    for row in sheet.rows:
        console.print(_cell(row[0]))
        for column, cell in zip(sheet.columns[1:], row[1:], strict=True):
            console.print(safe(f"  {column} ") + _cell(cell))
    if sheet.note:
        console.print(safe(sheet.note), style="dim")


def _cell(value: object) -> Text:
    if isinstance(value, float):
        return Text(f"{value:.4f}" if math.isfinite(value) else "–")
    return safe("" if value is None else str(value))


def short_signature(signature: str) -> str:
    """A signature that fits a screen: a long one by its hash, which the run's files spell out."""
    if len(signature) <= LONGEST_SIGNATURE:
        return signature
    return f"#{signature.rpartition('#')[2]} (spelled out in run.json and --format json)"


def _table(run: Run, scores: Mapping[str, list[tuple[str, Score]]]) -> Table:
    """The best system first within each score; one system alone has no column of its own."""
    several = len(run.systems) > 1
    title = run.command if several else f"{run.command}: {next(iter(run.systems))}"
    table = Table(title=safe(title), title_justify="left")
    table.add_column("score", no_wrap=True)
    if several:
        table.add_column("system", overflow="fold", min_width=6)
    for column in ("value", "interval", "n", "unscored"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, ranked in scores.items():
        for place, (system, score) in enumerate(ranked):
            label = name + ("*" if score.partial else "") if place == 0 else ""
            table.add_row(
                safe(label), *([safe(system)] if several else []), score.number(score.value),
                interval(score), str(score.n), str(score.unscored or ""),
                end_section=several and place == len(ranked) - 1,
            )  # fmt: skip
    return table


def _ranked(run: Run, names: Sequence[str]) -> dict[str, list[tuple[str, Score]]]:
    """The systems that have a score, for each score: the best first, those not ranked last."""
    ranked = {}
    for name in names or score_names(run):
        held = {
            system: scored.scores[name]
            for system, scored in run.systems.items()
            if name in scored.scores
        }
        order = run.findings.ranking(name, held).order
        ranked[name] = [(system, held[system]) for system in order if system in held]
    return ranked


def interval(score: Score) -> str:
    if not (math.isfinite(score.low) and math.isfinite(score.high)):
        return "–"
    digits = 2 if score.unit == "%" else 4
    return f"{score.low:.{digits}f} – {score.high:.{digits}f}"
