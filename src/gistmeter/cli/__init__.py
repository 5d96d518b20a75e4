"""The command line. Each command is a file here; this one finds them, and decides how it ends.

Errors raised on purpose end with one clear message and their exit code: 1 failed, 2 bad input or
usage, 3 below a threshold. A traceback is a bug. A command's module is imported when the command
is called: the list of commands costs nothing.
"""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
from collections.abc import Sequence
from typing import Any

import click

from gistmeter.core.errors import GistmeterError
from gistmeter.version import __version__

INTERRUPTED = 130
# In the order in which they are listed: the shapes of data, what is done with runs, the rest.
COMMANDS = {
    "text": ("scoring", "Texts against references: do they mean the same?"),
    "book": ("scoring", "Abridged books against their originals: are they faithful?"),
    "parse": ("parse", "Parses against gold: morphology, syntax, semantics."),
    "speech": ("scoring", "Transcripts against what was said; recognisers side by side."),
    "compare": ("compare", "Is the difference between systems real?"),
    "validate": ("validate", "Do the scores agree with people?"),
    "check": ("check", "A whole evaluation from one file, for pipelines."),
    "report": ("report", "One HTML page over one or several runs."),
    "runs": ("runs", "The runs that are kept, with their headline scores."),
    "history": ("history", "A score over time, and where it really changed."),
    "drift": ("drift", "Is a language model that judged a run still the same?"),
    "models": ("models", "Which model plays which role, and how to get it."),
    "trust": ("trust", "Which configuration files may do more than read and score."),
    "cache": ("cache", "What is kept of the models' answers."),
    "demo": ("demo", "Every shape on the samples that come with gistmeter."),
    "doctor": ("doctor", "What is installed and found here, and how to get what is not."),
    "completion": ("completion", "Completion for bash, zsh or fish."),
}
START = """Four shapes of data, a command each:

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
        if name in COMMANDS:
            module = importlib.import_module(f"gistmeter.cli.{COMMANDS[name][0]}")
            if COMMANDS[name][0] == "scoring":
                found: click.Command = module.scoring_command(name)
                return found
            return module.command  # type: ignore[no-any-return]
        if name in further_families():
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
        except (KeyboardInterrupt, click.Abort):
            code = INTERRUPTED
        except BrokenPipeError:
            with contextlib.suppress(OSError):
                sys.stderr.close()
            code = 1
        except OSError as error:  # a full disk, a drive that was pulled out
            place = f"{error.filename}: " if error.filename else ""
            console.say(f"Error: {place}{error.strerror or error}", console.RED)
            code = 1
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

    from gistmeter.cli.console import PlainFormatter

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler])
    if context.invoked_subcommand is None:
        click.echo(f"How much of the meaning survived.\n\n{START.replace(chr(8) + chr(10), '')}")


def main() -> None:
    """The entry point."""
    signal.signal(signal.SIGTERM, _interrupt)
    app.main()


def _interrupt(*_: object) -> None:
    """A polite kill is treated as Ctrl-C: what is done stays, and the run can be resumed."""
    raise KeyboardInterrupt
