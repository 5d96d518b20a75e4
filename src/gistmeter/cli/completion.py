"""`gistmeter completion`: the lines that let a shell complete commands and options."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import ClassVar, Literal

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand
from gistmeter.core.settings import Settings, option


@dataclass(frozen=True, kw_only=True)
class Shell(Settings):
    """Which shell."""

    title: ClassVar[str] = "completion"
    shell: Literal["bash", "zsh", "fish"] = option(
        "bash", "bash, zsh or fish.", panel="input", argument="only", metavar="SHELL"
    )


def work(settings: Shell) -> int:
    from click.shell_completion import get_completion_class

    from gistmeter.cli import app

    kind = get_completion_class(settings.shell)
    assert kind is not None
    complete = kind(app, {}, "gistmeter", "_GISTMETER_COMPLETE")
    console.write(complete.source() + os.linesep)
    return 0


command = SettingsCommand(
    "completion",
    (Shell,),
    work,
    summary="Completion for bash, zsh or fish.",
    examples=(
        'eval "$(gistmeter completion bash)"     # in ~/.bashrc',
        'eval "$(gistmeter completion zsh)"      # in ~/.zshrc',
        "gistmeter completion fish > ~/.config/fish/completions/gistmeter.fish",
    ),
)
