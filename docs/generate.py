"""Write docs/cli.md from the commands themselves; `--check` only says whether it is up to date.

The page lists every command with every option, so that an option without a help text shows.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from gistmeter.cli import app

PAGE = Path(__file__).with_name("cli.md")
HEAD = """# Command line

Made from the commands themselves by `make docs`. Flags may be written with underscores instead of
hyphens. An option is also read from the environment (`GISTMETER_` + command + option, such as
`GISTMETER_TEXT_LANGUAGE`) and from the TOML file given by `--config`. Exit codes: 0 done, 1 failed,
2 bad input or usage, 3 a score is below its threshold.
"""


def commands(group: Any = None, name: str = "gistmeter") -> list[tuple[str, Any]]:
    """Every command with its full name, sub-commands after their group."""
    group = group or app
    found = [(name, getattr(group, "default", None) or group)]
    context = click.Context(group)
    for key in group.list_commands(context) if isinstance(group, click.Group) else ():
        found += commands(group.get_command(context, key), f"{name} {key}")
    return found


def describe(name: str, command: Any) -> str:
    help_text = " ".join((command.help or "").split())
    lines = [f"## {name}", "", help_text, ""]
    rows = []
    for parameter in command.params:
        if parameter.name in ("help", "help_all"):
            continue
        flags = ", ".join(f"`{flag}`" for flag in [*parameter.opts, *parameter.secondary_opts])
        declared = getattr(command, "declared", {}).get(parameter.name)
        default = declared.default if declared else parameter.default
        shown = "" if default in (None, False, "", (), [], {}) else f"`{spelled(default)}`"
        text = " ".join((getattr(parameter, "help", "") or "").split()).replace("|", "\\|")
        if parameter.param_type_name == "argument":
            flags = f"`{(parameter.metavar or parameter.name or '').upper()}`"
        variable = getattr(declared, "variable", "")
        text += f" Environment: `{variable}`." if variable else ""
        rows.append(f"| {flags} | {shown} | {text} |")
    if rows:
        lines += ["| option | default | meaning |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def spelled(default: object) -> str:
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default)


def page() -> str:
    parts = [describe(name, command) for name, command in commands()[1:]]
    return HEAD + "\n" + "\n".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit("docs/cli.md is out of date: run make docs" if PAGE.read_text() != page() else 0)
    PAGE.write_text(page())
