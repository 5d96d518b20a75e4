"""The command line. Each command is a file here; this one puts them together.

Errors raised on purpose end with one clear message and their exit code: 1 failed, 2 bad input or
usage, 3 below a threshold. A traceback is a bug.
"""

from __future__ import annotations

import importlib
import logging
import signal
import sys
from typing import Annotated

import typer
from rich.console import Console

from gistmeter.errors import GistmeterError
from gistmeter.version import __version__

INTERRUPTED = 130
COMMANDS = (
    "text", "book", "parse", "speech", "compare", "validate", "report", "models", "cache", "demo",
)  # fmt: skip

CONTEXT = {
    # The seeds' flags have underscores: --pfs_gamma is --pfs-gamma.
    "token_normalize_func": lambda token: token.replace("_", "-"),
    "auto_envvar_prefix": "GISTMETER",
    "help_option_names": ["-h", "--help"],
}

app = typer.Typer(
    name="gistmeter",
    help="How much of the meaning survived: score texts, books, parses and speech.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=CONTEXT,
)


def show_version(wanted: bool) -> None:
    if wanted:
        print(f"gistmeter {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[  # noqa: ARG001
        bool,
        typer.Option(
            "--version",
            callback=show_version,
            is_eager=True,
            show_envvar=False,
            help="Show the version and exit.",
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", show_envvar=False, help="Log what happens inside, on stderr."
        ),
    ] = False,
) -> None:
    """Score texts, books, parses and speech by how much of the meaning survived."""
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING,
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )


def _mount() -> None:
    for name in COMMANDS:
        module = importlib.import_module(f"gistmeter.cli.{name}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command(name=name)(getattr(module, name))


_mount()


def main(commands: typer.Typer = app) -> None:
    """The entry point: run a command, and turn our errors into messages and exit codes."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        commands()
    except GistmeterError as error:
        Console(stderr=True, highlight=False).print(f"Error: {error}", markup=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:  # a full disk, a drive that was pulled out
        place = f"{error.filename}: " if error.filename else ""
        message = f"Error: {place}{error.strerror or error}"
        Console(stderr=True, highlight=False).print(message, markup=False, soft_wrap=True)
        sys.exit(1)


def _interrupt(*_: object) -> None:
    """A polite kill is treated as Ctrl-C: what is done stays, and the run can be resumed."""
    raise KeyboardInterrupt
