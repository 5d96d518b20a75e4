"""`gistmeter open`: the workbench in a browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click

from gistmeter.cli import console
from gistmeter.cli.commands import SettingsCommand
from gistmeter.core.errors import InputError
from gistmeter.core.settings import Settings, option
from gistmeter.models.credentials import is_own_machine
from gistmeter.workbench.server import address_of, serve

PASSWORD = "GISTMETER_OPEN_PASSWORD"  # noqa: S105


@dataclass(frozen=True, kw_only=True)
class OpenSettings(Settings):
    """Which folder is opened, and at which address."""

    title: ClassVar[str] = "open"
    folder: Path = option(
        Path(), "The folder to work in: files are dropped there, and runs, labels and decisions"
        " kept.",
        panel="input", argument="only", metavar="FOLDER",
    )  # fmt: skip
    host: str = option(
        "127.0.0.1",
        "The address to listen at. Any but this machine's own needs a password, asked for at the"
        f" prompt or taken from {PASSWORD}.",
        panel="output", reach="network", metavar="ADDRESS",
    )  # fmt: skip
    port: int = option(0, "The port; 0 takes a free one.", panel="output", low=0, high=65535)
    no_browser: bool = option(False, "Print the address only; open no browser.", panel="output")

    def check(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"{self.folder}: is a file; the workbench opens a folder")


def open_workbench(settings: OpenSettings) -> int:
    password = ""
    if not is_own_machine(settings.host):
        password = _password(settings.host)

    def ready(bench: Any) -> None:
        console.show(f"The workbench of {bench.folder} is at\n\n  {bench.address}\n")
        if password:
            console.warn(
                f"Other machines reach it at {address_of(settings.host, bench.port, others=True)}/"
                " with the password. What is sent is not encrypted: use a network that you trust,"
                " or a tunnel"
            )
        console.say("Closing the page stops nothing; Ctrl-C here ends the workbench.")
        if not settings.no_browser and sys.stdout.isatty():
            webbrowser.open(bench.address)

    serve(settings.folder, host=settings.host, port=settings.port, password=password, ready=ready)
    return 0


def _password(host: str) -> str:
    """The password from the environment or the prompt, never from the command line."""
    if given := os.environ.pop(PASSWORD, ""):
        return given
    if not sys.stdin.isatty():
        raise InputError(
            f"{host} can be reached by other machines: set a password, or its scrypt hash, in the "
            f"environment variable {PASSWORD}"
        )
    return str(click.prompt("Password for the workbench", hide_input=True, err=True,
                            confirmation_prompt=True))  # fmt: skip


command = SettingsCommand(
    "open",
    (OpenSettings,),
    open_workbench,
    summary="A page on this machine where people drop files, run, review and sign off.",
    description=(
        "Starts a server that only this machine reaches, prints its address and opens it. Texts"
        " stay here, and nothing is sent anywhere."
    ),
    examples=("gistmeter open", "gistmeter open evaluation/ --port 8600"),
)
