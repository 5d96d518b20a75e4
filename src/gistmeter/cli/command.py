"""Commands made from settings: every field is an option, and its help stands beside it.

A command gets its settings checked and complete: flags win over environment variables
(GISTMETER_COMMAND_OPTION), those over the configuration file, that over the defaults. What it
returns is its exit code; nothing else decides it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.files import MAX_PIPED
from gistmeter.core.settings import PANELS, Option, Settings, options_of, split

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
        super().__init__(
            name,
            params=[*self._arguments(), *self._options(), everything],
            callback=self._call,
            context_settings=CONTEXT,
            help=f"{summary}\n\n{description}".strip(),
        )

    def _arguments(self) -> list[click.Parameter]:
        return [
            click.Argument(
                [f"{key}_given" if one.argument == "too" else key],
                nargs=-1 if one.kind in ("paths", "texts") else 1,
                required=False,
                metavar=(one.metavar if one.argument == "only" else "") or key.upper(),
                type=TYPES.get(one.kind, str),
            )
            for key, one in self.declared.items()
            if one.argument
        ]

    def _options(self) -> list[click.Parameter]:
        return [
            self._option(key, one) for key, one in self.declared.items() if one.argument != "only"
        ]

    def _option(self, key: str, one: Option) -> click.Parameter:
        named = "--" + key.replace("_", "-")
        flag = one.flag or named
        spelled = list(dict.fromkeys([flag, named, *one.flags]))
        if one.kind == "flag" and one.default is not False:
            spelled = [f"{flag}/--no-{key.replace('_', '-')}", *one.flags]
        return click.Option(
            [*spelled, key],
            type=None if one.kind == "flag" else TYPES.get(one.kind, str),
            is_flag=one.kind == "flag",
            default=None,
            multiple=one.kind in ("paths", "map", "texts"),
            metavar=one.metavar or None,
            help=one.help,
            envvar=[f"GISTMETER_{self.table}_{key}".upper(), *filter(None, [one.variable])],
        )

    def _call(self, **values: Any) -> int:
        given: dict[str, Any] = {}
        context = click.get_current_context()
        for key, held in values.items():
            value = held
            name = key.removesuffix("_given") if key not in self.declared else key
            if value is None or value == ():
                continue
            if name in given and context.get_parameter_source(key) is ENVIRONMENT:
                continue  # what stands on the command line itself wins
            if self.declared[name].panel == "input":
                value = _without_stdin(value, context)
            given[name] = [*given.get(name, ()), *value] if isinstance(value, tuple) else value
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
            told = f"{error.message.rstrip('.')}. As in: {self.examples[0]}"
            raise click.UsageError(told, error.ctx) from None

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
        for panel, held in rows.items():
            if held:
                with formatter.section(TITLES[panel]):
                    formatter.write_dl([(_flags(one, everything), _meaning(one)) for one in held])
        if not everything and len(shown) < len(self.declared):
            formatter.write_paragraph()
            formatter.write_text("Every option: --help-all")


def _without_stdin(value: Any, context: click.Context) -> Any:
    """The same paths, with `-` as a file that holds what was piped in."""
    if isinstance(value, tuple):
        return tuple(_without_stdin(one, context) for one in value)
    if not isinstance(value, Path) or str(value) != "-":
        return value
    content = sys.stdin.buffer.read(MAX_PIPED + 1)
    if len(content) > MAX_PIPED:
        raise InputError(f"stdin gives more than {MAX_PIPED:,} bytes; name a file")
    folder = tempfile.TemporaryDirectory(prefix="gistmeter-")
    context.call_on_close(folder.cleanup)
    path = Path(folder.name) / f"stdin{_suffix(content)}"
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


def _flags(one: Option, everything: bool) -> str:
    if one.argument == "only":
        return one.metavar or one.name.upper()
    flag = one.flag or "--" + one.name.replace("_", "-")
    if one.kind == "flag":
        return flag if one.default is False else f"{flag} / --no-{flag[2:]}"
    short = [other for other in one.flags if everything or not other.startswith("--")]
    kinds = {"choice": "|".join(one.choices), "int": "N", "float": "X", "path": "PATH"}
    metavar = one.metavar or kinds.get(one.kind, "NAME")
    return f"{', '.join([*short, flag])} {metavar}"


def _meaning(one: Option) -> str:
    default = one.default
    if default in (None, "", (), {}, False, True) or one.argument:
        return one.help
    spelled = ",".join(f"{part:g}" for part in default) if isinstance(default, tuple) else default
    return f"{one.help} [{spelled}]"


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
