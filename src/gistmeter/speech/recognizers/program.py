"""Any program that prints the text: `command:PROGRAM ARGUMENTS`.

`{audio}` in an argument is replaced by the path of a WAV file (16 kHz, mono, 16 bits) and
`{language}` by the clip's language; without `{audio}` the path is the last argument. No shell is
involved, so nothing in a path can become a command.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from gistmeter.core.errors import InputError
from gistmeter.speech.recognizers import RecognizerError


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its arguments."""

    arguments: tuple[str, ...]
    local: ClassVar[bool] = True  # it works on this machine

    @classmethod
    def from_name(cls, argument: str, environment: Mapping[str, str]) -> Self:
        try:
            parts = tuple(shlex.split(argument))
        except ValueError as error:
            raise InputError(f"The command '{argument}' cannot be split: {error}") from error
        if not parts:
            raise InputError("Write a command as command:PROGRAM ARGUMENTS")
        if shutil.which(parts[0], path=environment.get("PATH")) is None:
            raise InputError(f"There is no program '{parts[0]}' to run '{argument}'")
        return cls(parts)

    @property
    def id(self) -> str:
        return f"command:{shlex.join(self.arguments)}"

    def filled(self, path: Path, language: str) -> list[str]:
        """The arguments for one clip."""
        values = {"{audio}": str(path), "{language}": language}
        filled = []
        for argument in self.arguments:
            for name, value in values.items():
                argument = argument.replace(name, value)  # noqa: PLW2901
            filled.append(argument)
        if not any("{audio}" in argument for argument in self.arguments):
            filled.append(str(path))
        return filled

    async def transcribe(self, path: Path, language: str = "") -> str:
        process = await asyncio.create_subprocess_exec(
            *self.filled(path, language),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            output, errors = await process.communicate()
        except BaseException:
            await _end(process)
            raise
        if process.returncode:
            said = errors.decode("utf-8", "replace").strip().splitlines()
            last = f": {said[-1]}" if said else ""
            raise RecognizerError(f"'{self.arguments[0]}' ended with {process.returncode}{last}")
        return output.decode("utf-8", "replace").strip()


async def _end(process: asyncio.subprocess.Process) -> None:
    """Its time is up: the program and what it has started."""
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    await process.wait()
