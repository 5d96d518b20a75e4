"""`gistmeter demo`: every family on the samples that come with gistmeter."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder of the demo's runs and report.")
    ] = Path("runs/demo"),
) -> None:
    """Score the samples of every family and write one report over all of them."""
