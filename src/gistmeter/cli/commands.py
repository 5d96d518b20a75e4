"""Commands made from settings: every field is an option, and its help stands beside it.

A command gets its settings checked and complete: flags win over environment variables
(GISTMETER_COMMAND_OPTION), those over the configuration file, that over the defaults. What it
returns is its exit code; nothing else decides it.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import click

from gistmeter.cli import console
from gistmeter.cli.memory import SHARE, limit_memory, parse_size
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.files import MAX_PIPED, write_atomically
from gistmeter.core.folders import sweep_temporary, temporary_folder
from gistmeter.core.settings import PANELS, Option, Settings, option, options_of, split

TITLES = {
    "": "Most used", "input": "Input", "scores": "Scores", "models": "Models",
    "statistics": "Statistics", "output": "Output",
}  # fmt: skip
TYPES: Mapping[str, Any] = {"path": click.Path(path_type=Path), "paths": click.Path(path_type=Path)}
ENVIRONMENT = click.core.ParameterSource.ENVIRONMENT
SCORE = "score"  # the default of a group of tools, by name
CONTEXT: dict[str, Any] = {
    # The seeds' flags have underscores: --pfs_gamma is --pfs-gamma.
    "token_normalize_func": lambda token: token.replace("_", "-"),
    "help_option_names": ["-h", "--help"],
}


@dataclass(frozen=True, kw_only=True)
class Display(Settings):
    """How a result is shown."""

    format: Literal["table", "json"] = option(
        "table", "What to print: a table for people, or JSON alone on stdout.", panel="output"
    )


@dataclass(frozen=True, kw_only=True)
class FileDisplay(Display):
    """How a result is shown, and the files that it is written to."""

    suffixes: ClassVar[Mapping[str, str]] = {".json": "json", ".html": "html"}  # and their formats
    output: tuple[Path, ...] = option(
        (), "Write a file too, by its suffix: .json, or .html with charts. May be repeated.",
        panel="output", flags=("-o",), metavar="FILE",
    )  # fmt: skip
    quiet: bool = option(
        False, "No remarks; errors and the result still show.", panel="output", flags=("-q",)
    )

    def check(self) -> None:
        for path in self.output:
            if path.suffix.lower() not in self.suffixes:
                raise InputError(f"{path}: unknown suffix; use one of {' '.join(self.suffixes)}")

    def deliver(
        self, spell: Callable[[str], str], write_page: Callable[[Path], None] | None = None
    ) -> bool:
        """Write the files, and print the result unless it is a table, which makes it False."""
        for path in self.output:
            form = self.suffixes[path.suffix.lower()]
            if form == "html" and write_page is not None:
                write_page(path)
            else:
                write_atomically(path, spell(form))
            if not self.quiet:
                console.say(f"Wrote {path}")
        if self.format == "json":
            console.write_json(spell("json"))
        elif self.format != "table":
            console.write(spell(self.format))
        return self.format != "table"


class SettingsCommand(click.Command):
    """A command whose options are fields of settings; `work` gets the settings."""

    def __init__(
        self,
        name: str,
        kinds: Sequence[type[Settings]],
        work: Callable[..., int | None],
        *,
        summary: str,
        description: str = "",
        examples: Sequence[str] = (),
        table: str = "",
    ) -> None:
        self.kinds, self.work = kinds, work
        self.summary, self.description, self.examples = summary, description, examples
        self.table = table or name  # of the configuration file
        self.declared = {key: one for kind in kinds for key, one in options_of(kind).items()}
        everything = click.Option(
            ["--help-all"], is_flag=True, is_eager=True, expose_value=False,
            callback=self._help_all, help="Show every option and exit.",
        )  # fmt: skip
        self.limit = click.Option(
            ["--memory-limit"], metavar="SIZE", is_eager=True, expose_value=False,
            callback=_limit_memory, envvar="GISTMETER_MEMORY_LIMIT",
            help=f"Memory that the command may take, such as 4G. [{SHARE:.0%} of the machine's]",
        )  # fmt: skip
        super().__init__(
            name,
            params=[
                *(
                    self._argument(key, declared)
                    for key, declared in self.declared.items()
                    if declared.argument
                ),
                *(
                    self._option(key, declared)
                    for key, declared in self.declared.items()
                    if declared.argument != "only"
                ),
                everything,
                self.limit,
            ],
            callback=self._call,
            context_settings=CONTEXT,
            help=f"{summary}\n\n{description}".strip(),
        )

    def _argument(self, key: str, declared: Option) -> click.Parameter:
        return click.Argument(
            [f"{key}_given" if declared.argument == "too" else key],
            nargs=-1 if declared.kind in ("paths", "texts") else 1,
            required=False,
            metavar=(declared.metavar if declared.argument == "only" else "") or key.upper(),
            type=TYPES.get(declared.kind, str),
        )

    def _option(self, key: str, declared: Option) -> click.Parameter:
        named = "--" + key.replace("_", "-")
        flag = declared.flag or named
        spelled = list(dict.fromkeys([flag, named, *declared.flags]))
        if declared.kind == "flag" and declared.default is not False:
            spelled = [f"{flag}/--no-{key.replace('_', '-')}", *declared.flags]
        return click.Option(
            [*spelled, key],
            type=None if declared.kind == "flag" else TYPES.get(declared.kind, str),
            is_flag=declared.kind == "flag",
            default=None,
            multiple=declared.kind in ("paths", "map", "texts"),
            metavar=declared.metavar or None,
            help=declared.help,
            envvar=[f"GISTMETER_{self.table}_{key}".upper(), *filter(None, [declared.variable])],
        )

    def _call(self, **values: Any) -> int:
        sweep_temporary()
        given: dict[str, Any] = {}
        said: list[str] = []  # what the environment sets
        context = click.get_current_context()
        for key, value in values.items():
            name = key.removesuffix("_given") if key not in self.declared else key
            if value is None or value == ():
                continue
            if name in given and context.get_parameter_source(key) is ENVIRONMENT:
                continue  # what stands on the command line itself wins
            piped = self.declared[name].panel == "input"
            read = _without_stdin(value, context) if piped else value
            given[name] = [*given.get(name, ()), *read] if isinstance(read, tuple) else read
            variable = self.declared[name].variable
            if context.get_parameter_source(key) is ENVIRONMENT and variable in os.environ:
                said.append(f"{variable}={os.environ[variable]}")
        if said and not values.get("quiet"):
            console.say(f"From the environment: {', '.join(said)}")
        file: dict[str, Any] = {}
        if "config" in self.declared and given.get("config"):
            from gistmeter.core.configuration import options_for

            path, trust = Path(given["config"]), bool(given.get("trust"))
            file = options_for(path, self.table, self.kinds, trust=trust)
        return self.work(*split(given, *self.kinds, file=file)) or 0

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            known = [key.replace("_", "-") for key in self.declared]
            name = error.option_name.lstrip("-")
            raise UnknownName(f"option of {self.table}", name, known) from None
        except click.UsageError as error:
            if type(error) is not click.UsageError or not self.examples:
                raise
            # One argument too many: what is meant is an option, which the first example has.
            message = f"{error.message.rstrip('.')}. As in: {self.examples[0]}"
            raise click.UsageError(message, error.ctx) from None

    def get_short_help_str(self, limit: int = 45) -> str:
        del limit
        return self.summary

    def _help_all(self, context: click.Context, _: Any, wanted: bool) -> None:
        if wanted:
            context.meta["everything"] = True
            click.echo(self.get_help(context))
            context.exit()

    def format_help(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        everything = context.meta.get("everything", False)
        self.format_usage(context, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            for text in filter(None, (self.summary, self.description)):
                formatter.write_text(text)
                formatter.write_paragraph()
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")
        shown = [one for one in self.declared.values() if everything or not one.advanced]
        rows = {"": [one for one in shown if one.main]}
        rows |= {panel: [o for o in shown if o.panel == panel and not o.main] for panel in PANELS}
        for panel, options in rows.items():
            if options:
                with formatter.section(TITLES[panel]):
                    formatter.write_dl(
                        [(_flags(one, everything), _meaning(one)) for one in options]
                    )
        if everything and (row := self.limit.get_help_record(context)):
            with formatter.section("Limits"):
                formatter.write_dl([row])
        if not everything and len(shown) < len(self.declared):
            formatter.write_paragraph()
            formatter.write_text("Every option: --help-all")


class PlainFormatter(logging.Formatter):
    """Log lines, which quote data too."""

    def format(self, record: logging.LogRecord) -> str:
        return console.plain(super().format(record))


def _limit_memory(context: click.Context, option: click.Parameter, size: str | None) -> None:
    del context, option
    if size:
        limit_memory(parse_size(size))


def _without_stdin(value: Any, context: click.Context) -> Any:
    """The same paths, with `-` as a file that holds what was piped in."""
    if isinstance(value, tuple):
        return tuple(_without_stdin(one, context) for one in value)
    if not isinstance(value, Path) or str(value) != "-":
        return value
    content = sys.stdin.buffer.read(MAX_PIPED + 1)
    if len(content) > MAX_PIPED:
        raise InputError(f"stdin gives more than {MAX_PIPED:,} bytes; name a file")
    path = context.with_resource(temporary_folder()) / f"stdin{_suffix(content)}"
    path.write_bytes(content)
    return path


def _suffix(content: bytes) -> str:
    """What was piped in, by how it begins."""
    start = content.lstrip()[:4096]
    for mark, suffix in ((b"PK", ".xlsx"), (b"PAR1", ".parquet"), (b"{", ".jsonl"), (b"[", ".json"),
                         (b"# ", ".conllu"), (b"1\t", ".conllu")):  # fmt: skip
        if start.startswith(mark):
            return suffix
    return ".txt"


def _flags(declared: Option, everything: bool) -> str:
    if declared.argument == "only":
        return declared.metavar or declared.name.upper()
    flag = declared.flag or "--" + declared.name.replace("_", "-")
    if declared.kind == "flag":
        return flag if declared.default is False else f"{flag} / --no-{flag[2:]}"
    short = [other for other in declared.flags if everything or not other.startswith("--")]
    kinds = {"choice": "|".join(declared.choices), "int": "N", "float": "X", "path": "PATH"}
    metavar = declared.metavar or kinds.get(declared.kind, "NAME")
    return f"{', '.join([*short, flag])} {metavar}"


def _meaning(declared: Option) -> str:
    default = declared.default
    if default in (None, "", (), {}, False, True) or declared.argument:
        return declared.help
    spelled = ",".join(f"{part:g}" for part in default) if isinstance(default, tuple) else default
    return f"{declared.help} [{spelled}]"


class ToolGroup(click.Group):
    """A group of commands; its own work, where it has one, is done when no tool is named."""

    def __init__(
        self, name: str, tools: Sequence[click.Command], *, summary: str,
        default: SettingsCommand | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            name, {str(tool.name): tool for tool in tools}, help=summary, no_args_is_help=True,
            context_settings=CONTEXT,
        )  # fmt: skip
        self.default = default

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> click.Context:
        first = args[0].replace("_", "-") if args else ""
        if self.default is None or first in self.commands:
            return super().make_context(info_name, args, parent, **extra)
        named = args[1:] if first == SCORE else args
        return self.default.make_context(info_name, named, parent, **extra)
