"""A scoring command on a toy metric, run as a program by the tests of the command line."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from gistmeter import registry
from gistmeter.cli import CONTEXT, main
from gistmeter.cli.shared import Session, scoring_command
from gistmeter.errors import InputError
from toys import Length, pairs

registry.TABLES["gistmeter.metrics"]["length"] = "toys:Length"  # type: ignore[index]
app = typer.Typer(context_settings=CONTEXT, pretty_exceptions_enable=False)


@scoring_command("toy")
def toy(
    session: Session,
    source_path: Annotated[Path | None, typer.Option(help="A file that is read.")] = None,
    count: Annotated[int, typer.Option(help="How many items.")] = 20,
    pause: Annotated[float, typer.Option(help="Seconds before each chunk.")] = 0.0,
    metric_limit: Annotated[float, typer.Option(help="A setting.")] = 1.0,
) -> None:
    """Score made-up pairs."""
    if source_path and not source_path.exists():
        raise InputError(f"{source_path}: no such file")
    session.say("a remark")
    report = session.progress

    def slowly(stage: str, done: int, total: int) -> None:
        time.sleep(pause)
        report(stage, done, total)

    session.progress = slowly  # type: ignore[method-assign]
    session.score(
        [*pairs(count, "one"), *pairs(count, "two")],
        {"length": Length(limit=metric_limit)},
        inputs=[source_path] if source_path else [],
        settings={"count": count, "metric_limit": metric_limit},
        chunk=5,
    )


@app.callback()
def options() -> None:
    """Toys."""


app.command(name="toy")(toy)

if __name__ == "__main__":
    main(app)
