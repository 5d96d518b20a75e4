"""What the command line says: remarks on stderr, results on stdout, nothing that data could abuse.

Names and texts come from other people's files. A control character among them could set the
terminal's title, clear the screen or turn text round, so every line goes through `plain`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

YELLOW, RED, DIM, OFF = "\x1b[33m", "\x1b[31m", "\x1b[2m", "\x1b[0m"


def plain(text: str) -> str:
    """Text without control characters, ANSI codes or right-to-left overrides; lines stay."""
    from gistmeter.report.terminal import CONTROL

    return "\n".join(CONTROL.sub("\N{REPLACEMENT CHARACTER}", line) for line in text.split("\n"))


def tolerate() -> None:
    """Let streams of a narrow encoding spell what they cannot show, and not fail."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def say(message: str, colour: str = "") -> None:
    """A remark on stderr."""
    text = plain(message)
    if colour and sys.stderr.isatty():
        text = f"{colour}{text}{OFF}"
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def warn(message: str) -> None:
    say(f"Warning: {message}", YELLOW)


def write(text: str) -> None:
    """A result on stdout, as it is."""
    sys.stdout.write(text)
    sys.stdout.flush()


def stdout() -> Console:
    """Where tables are shown."""
    from rich.console import Console

    return Console()
