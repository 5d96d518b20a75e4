"""The command line: finds the commands, and decides with which exit code a call ends.

Errors raised on purpose end with one clear message and their exit code: 1 failed, 2 bad input or
usage, 3 below a threshold. A traceback is a bug. A command's module is imported when the command
is called: the list of commands costs nothing.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from gistmeter.cli.memory import ADVICE, is_exhaustion, is_panic, supervise
from gistmeter.core.errors import GistmeterError
from gistmeter.version import __version__

INTERRUPTED, TERMINATED = 130, 143  # 128 and the number of the signal: SIGINT, SIGTERM
# In the order in which they are listed: the shapes of data, what is done with runs, the rest. Each
# with its place below this package, which is empty for a family's command, and its summary.
COMMANDS = {
    "text": ("", "Texts against references: do they mean the same?"),
    "book": ("", "Abridged books against their originals: are they faithful?"),
    "parse": ("parse:command", "Parses against gold: morphology, syntax, semantics."),
    "speech": ("", "Transcripts against what was said; recognisers side by side."),
    "compare": ("compare:command", "Is the difference between systems real?"),
    "validate": ("validate:command", "Do the scores agree with people?"),
    "open": ("open:command", "A page here to drop files, run, review and sign off."),
    "label": ("label:command", "A sample of a run for people to rate, and what they said."),
    "check": ("tools:check_command", "A whole evaluation from one file, for pipelines."),
    "report": ("runs:report_command", "One HTML page over one or several runs."),
    "selftest": ("tools:selftest_command", "What the scores notice on your own references."),
    "rescore": ("tools:rescore_command", "The texts of an old run with the models of today."),
    "runs": ("runs:runs_command", "The runs that are kept, with their headline scores."),
    "history": ("tools:history_command", "A score over time, and where it really changed."),
    "drift": ("tools:drift_command", "Is a language model that judged a run still the same?"),
    "models": ("models:command", "Which model plays which role, and how to get it."),
    "trust": (
        "installation:trust_command",
        "Which configuration files may do more than read and score.",
    ),
    "cache": ("installation:cache_command", "What is kept of the models' answers."),
    "demo": ("demo:command", "Every shape on the samples that come with gistmeter."),
    "doctor": (
        "tools:doctor_command",
        "What is installed and found here, and how to get what is not.",
    ),
    "completion": ("installation:completion_command", "Completion for bash, zsh or fish."),
}
START = """Four shapes of data, one command for each:

\b
  gistmeter text   model.csv --references explanations.csv
  gistmeter book   original.txt abridged.txt
  gistmeter parse  gold.conllu system.conllu
  gistmeter speech --expected said.txt --got heard.txt

`gistmeter demo` shows all of them on samples; `gistmeter COMMAND --help` says more.
"""


class Commands(click.Group):
    """All commands, imported when they are called; and the one place where a call ends."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return [*COMMANDS, *further_families()]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        del ctx
        place = COMMANDS[name][0] if name in COMMANDS else ""
        if place:
            from gistmeter.core import registry

            command: click.Command = registry.load(f"gistmeter.cli.{place}")
            return command
        if name in COMMANDS or name in further_families():
            from gistmeter.cli.scoring import scoring_command

            return scoring_command(name)
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, summary) for name, (_, summary) in COMMANDS.items()]
        rows += [(name, str(self.get_command(ctx, name).help)) for name in further_families()]  # type: ignore[union-attr]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> int:
        """Run a command and turn errors into messages and exit codes."""
        from gistmeter.cli import console

        console.tolerate()
        try:
            code = super().main(args, prog_name or "gistmeter", standalone_mode=False, **extra)
        except GistmeterError as error:
            console.say(str(error) if error.exit_code == 3 else f"Error: {error}", console.RED)
            code = error.exit_code
        except click.exceptions.Exit as error:
            code = error.exit_code
        except click.ClickException as error:
            console.say(f"Error: {error.format_message()}", console.RED)
            code = error.exit_code
        except (KeyboardInterrupt, click.Abort) as error:  # click's comes from ours
            code = TERMINATED if isinstance(error.__cause__ or error, Terminated) else INTERRUPTED
        except BrokenPipeError:
            with contextlib.suppress(OSError):
                sys.stderr.close()
            code = 1
        except BaseException as error:
            if not isinstance(error, Exception) and not is_panic(error):
                raise
            if is_exhaustion(error):
                sys.stderr.write(f"Error: memory ran out. {ADVICE}\n")  # without another import
            elif isinstance(error, OSError):  # a full disk, a drive that was pulled out
                place = f"{error.filename}: " if error.filename else ""
                console.say(f"Error: {place}{error.strerror or error}", console.RED)
            else:
                raise
            code = 1
            with contextlib.suppress(OSError):
                _drop_output()
        if standalone_mode:
            sys.exit(code)
        return int(code or 0)


def _adds_families() -> bool:
    """Whether any installed package names a family among its entry points."""
    from pathlib import Path

    files = (file for place in sys.path for file in Path(place).glob("*.*-info/entry_points.txt"))
    return any(b"[gistmeter.families]" in file.read_bytes() for file in files)


def further_families() -> list[str]:
    """Shapes of data that installed packages add."""
    from gistmeter.core import registry

    # Looking packages up takes as long as all the rest of help: only where one adds a family.
    names = registry.names if _adds_families() else registry.TABLES.__getitem__
    return [name for name in names("gistmeter.families") if name not in COMMANDS]


@click.group(
    cls=Commands,
    invoke_without_command=True,
    help="How much of the meaning survived: score texts, books, parses and speech.",
    context_settings={
        "token_normalize_func": lambda token: token.replace("_", "-"),
        "help_option_names": ["-h", "--help"],
    },
)
@click.version_option(__version__, prog_name="gistmeter", message="%(prog)s %(version)s")
@click.option("--verbose", "-v", is_flag=True, help="Log what happens inside, on stderr.")
@click.pass_context
def app(context: click.Context, verbose: bool) -> None:
    """Score texts, books, parses and speech by how much of the meaning survived."""
    import logging

    from gistmeter.cli.commands import PlainFormatter

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler])
    if context.invoked_subcommand is None:
        click.echo(f"How much of the meaning survived.\n\n{START.replace(chr(8) + chr(10), '')}")


def main() -> None:
    """A command inside this process."""
    signal.signal(signal.SIGTERM, _terminate)
    _open_streams()
    sys.exit(app.main(standalone_mode=False))


def run() -> None:
    """The entry point: a command in a process of its own, so that an abort is reported, too."""
    signal.signal(signal.SIGTERM, _terminate)
    _open_streams()
    gc.set_threshold(50_000)  # a command makes few cycles and many objects that stay
    sys.exit(supervise(partial(app.main, standalone_mode=False)))


class Terminated(KeyboardInterrupt):
    """A polite kill, treated as Ctrl-C: what is done stays, and the run can be resumed."""


def _terminate(*_: object) -> None:
    raise Terminated


def _drop_output() -> None:
    """Close a stdout that takes nothing, or Python complains of it once more when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout.close()


def _open_streams() -> None:
    """Stand in for streams that the caller closed (`2>&-`): else the next file takes their place.

    What is said on a closed stderr is lost; a result that stdout cannot take is an error.
    """
    ways = (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY))
    for number, (name, way) in enumerate(ways):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, way)  # the lowest free number, which is this one
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(opened, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
