"""What the command line says: remarks on stderr, results on stdout, nothing that data could abuse.

Names and texts come from other people's files. A control character among them could set the
terminal's title, clear the screen or turn text round, so every line goes through `plain`.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

SIGNS = {
    "–": "-", "—": "-", "−": "-", "…": "...", "→": "->", "←": "<-", "↑": "^", "↓": "v", "●": "*",
    "“": '"', "”": '"', "‘": "'", "’": "'", "≠": "!=", "×": "x", "Δ": "d", "α": "alpha",
    "κ": "kappa", "ρ": "rho", "τ": "tau",
}  # fmt: skip
YELLOW, RED, DIM, OFF = "\x1b[33m", "\x1b[31m", "\x1b[2m", "\x1b[0m"


def plain(text: str) -> str:
    """Text without control characters, ANSI codes or right-to-left overrides; lines stay."""
    from gistmeter.core import files  # the list of commands needs none

    return files.plain(text)


def tolerate() -> None:
    """Let streams of a narrow encoding spell what they cannot show, and not fail."""
    codecs.register_error("spelled", _spelled)
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="spelled")


def _spelled(error: UnicodeError) -> tuple[str | bytes, int]:
    """Our own signs in ASCII; what comes from data by its code, so that nothing is lost."""
    if isinstance(error, UnicodeEncodeError):
        lost = error.object[error.start : error.end]
        spelled = (
            SIGNS.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in lost
        )
        return "".join(spelled), error.end
    return codecs.backslashreplace_errors(error)


def say(message: str, colour: str = "") -> None:
    """A remark on stderr."""
    text = plain(message)
    if colour and sys.stderr.isatty():
        text = f"{colour}{text}{OFF}"
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def warn(message: str) -> None:
    say(f"Warning: {message}", YELLOW)


def listener(*, quiet: bool) -> Callable[[str, bool], None]:
    """What hears remarks and warnings of a score, and says them unless they are not wanted."""

    def hear(remark: str, warning: bool) -> None:
        if not quiet:
            (warn if warning else say)(remark)

    return hear


def show(line: str = "") -> None:
    """A line of a result on stdout."""
    write(plain(line) + "\n")


def write(text: str) -> None:
    """A result on stdout: as it is for a program, harmless on a terminal."""
    sys.stdout.write(plain(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()
    try:
        text.encode(sys.stdout.encoding or "utf-8", "surrogateescape")
    except UnicodeEncodeError:
        warn(
            f"stdout is {sys.stdout.encoding}, so some characters are spelled out. "
            "Set PYTHONIOENCODING=utf-8, or write a file with -o"
        )


def to_json(document: Any) -> str:
    import json  # the list of commands needs none

    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def write_json(text: str) -> None:
    """JSON on stdout: what stdout or a terminal cannot take is escaped, so nothing is lost."""
    from gistmeter.core.files import CONTROL

    narrow = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    kind = re.compile("[^\\x00-\\x7f]") if narrow else CONTROL
    write(kind.sub(_escape, text))


def _escape(match: re.Match[str]) -> str:
    """A character as JSON spells it in ASCII."""
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def stdout() -> Console:
    """Where tables are shown."""
    from gistmeter.report.terminal import Screen

    return Screen()
