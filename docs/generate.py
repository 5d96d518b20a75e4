"""Write docs/cli.md from the commands themselves; `--check` only says whether it is up to date.

The page lists every command with every option, so that an option without a help text shows.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import typer.main

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
    group = group or typer.main.get_command(app)
    found = [(name, group)]
    for key, command in getattr(group, "commands", {}).items():
        found += commands(command, f"{name} {key}")
    return found


def describe(name: str, command: Any) -> str:
    help_text = " ".join((command.help or "").split())
    lines = [f"## {name}", "", help_text, ""]
    rows = []
    for parameter in command.params:
        if parameter.name == "help":
            continue
        flags = ", ".join(f"`{flag}`" for flag in [*parameter.opts, *parameter.secondary_opts])
        default = parameter.default
        shown = "" if default in (None, False, (), []) or callable(default) else f"`{default}`"
        text = " ".join((getattr(parameter, "help", "") or "").split()).replace("|", "\\|")
        if parameter.param_type_name == "argument":
            flags = f"`{(parameter.metavar or parameter.name or '').upper()}`"
        rows.append(
            f"| {flags} | {re.sub(r'^.*[.]', '', shown) if 'Format' in shown else shown} | {text} |"
        )
    if rows:
        lines += ["| option | default | meaning |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def page() -> str:
    parts = [describe(name, command) for name, command in commands()[1:]]
    return HEAD + "\n" + "\n".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit("docs/cli.md is out of date: run make docs" if PAGE.read_text() != page() else 0)
    PAGE.write_text(page())
