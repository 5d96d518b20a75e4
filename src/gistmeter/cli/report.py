"""`gistmeter report`: one HTML page over one or several runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of finished runs.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.html", help="The page to write.")
    ] = Path("report.html"),
    everything: Annotated[
        bool, typer.Option("--all", help="Put every item in, however large the page becomes.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing; errors still show.")
    ] = False,
) -> None:
    """Write a report that opens from disk, with no network and no server.

    Runs of the same items, measured in the same way, are compared with each other; runs of
    different kinds become sections of one page.
    """
    from gistmeter.cli.reporting import write_run_report
    from gistmeter.errors import InputError
    from gistmeter.runs import load_run

    if output.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{output}: a report is an HTML file; give it the suffix .html")
    write_run_report([load_run(path)[0] for path in runs], output, everything=everything)
    if not quiet:
        typer.echo(f"Wrote {output} ({output.stat().st_size / 1e6:.1f} MB)", err=True)
