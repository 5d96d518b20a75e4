"""What can go wrong, as one tree.

GistmeterError            the base of everything raised on purpose; exit code 1
├── InputError            the user's files, options or configuration; exit code 2
│   ├── FormatError       a file's content: says file, row and column
│   ├── UnknownName       a name that no table knows: says which exist, which was meant
│   ├── MissingDependency an optional package is not installed: gives the `pip install` line
│   ├── MissingModel      a model is not there: says where it was looked for, how to get it
│   ├── UntrustedError    a configuration file wants more than its folder is trusted with
│   ├── MeasuredDifferently runs whose signatures differ: they cannot be compared
│   └── ResumeError       a run folder that does not belong to these arguments
├── ThresholdError        a score is worse than it was allowed to be; exit code 3
└── ModelError            a model or a service failed: an item's reason, not a run's end

A message says what was found, where, what was expected, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path


class GistmeterError(Exception):
    """Base class of all errors that gistmeter raises on purpose."""

    exit_code = 1


class InputError(GistmeterError):
    """What the user gave cannot be used."""

    exit_code = 2


class FormatError(InputError):
    """A file's content is not what it should be."""

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        row: int | None = None,
        column: str | int | None = None,
    ) -> None:
        place = [str(path)] if path is not None else []
        place += [f"line {row}"] if row is not None else []
        place += [f"column {column}"] if column is not None else []
        super().__init__(f"{', '.join(place)}: {message}" if place else message)
        self.path, self.row, self.column = path, row, column


class UnknownName(InputError):
    """A name that is not in the table it was looked up in."""

    def __init__(self, kind: str, name: str, available: Iterable[str]) -> None:
        names = sorted(available)
        close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f" Did you mean '{close[0]}'?" if close else ""
        listed = ", ".join(names) if names else "none"
        super().__init__(f"Can't find {kind} '{name}'.{hint} Available: {listed}.")
        self.kind, self.name, self.available = kind, name, names


class MissingDependency(InputError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package '{package}', which is not installed. "
            f"Install it with: pip install 'gistmeter[{extra}]'"
        )
        self.package, self.extra = package, extra


class MissingModel(InputError):
    """A model that a role needs is not on this machine."""

    def __init__(self, role: str, name: str, looked: str, command: str) -> None:
        super().__init__(
            f"The {role} model '{name}' is not here. Looked in: {looked}. Get it with: {command}"
        )
        self.role, self.name, self.looked, self.command = role, name, looked, command
        self.all: list[MissingModel] = [self]

    @classmethod
    def of(cls, missing: Sequence[MissingModel]) -> MissingModel:
        """One error for all models that are missing, so that they are not found out one by one."""
        first = missing[0]
        if len(missing) == 1:
            return first
        joined = cls(first.role, first.name, first.looked, first.command)
        joined.all = list(missing)
        named = ", ".join(f"'{each.name}' ({each.role})" for each in missing)
        commands = " && ".join(dict.fromkeys(each.command for each in missing))
        joined.args = (
            f"{len(missing)} models are not here: {named}. Looked in: {first.looked}. Get them "
            f"with: {commands}",
        )
        return joined


class UntrustedError(InputError):
    """A configuration file of a folder that is not trusted reaches for more than it may."""


class MeasuredDifferently(InputError):
    """Runs were measured with different metrics, models or settings."""


class ResumeError(InputError):
    """The run on disk was made with other arguments or other input."""


class ThresholdError(GistmeterError):
    """A score is worse than its threshold."""

    exit_code = 3


class ModelError(GistmeterError):
    """A model or a service failed; the items it was asked about stay unscored."""


SHORTEST_PART = 6  # characters of a secret that would give it away
SHORTEST_KEY = 8  # characters of one that stands in no transcript by chance


def hide(text: str, secrets: Sequence[str]) -> str:
    """A text with every secret taken out, and the beginning of one where the text was cut off.

    >>> hide("401: sk-1234567 is no key of ours; sk-12345", ["sk-1234567"])
    '401: [key] is no key of ours; [key]'
    """
    for secret in filter(None, secrets):
        text = text.replace(secret, "[key]")
        for length in range(len(secret) - 1, SHORTEST_PART - 1, -1):
            if text.endswith(secret[:length]):
                text = text[:-length] + "[key]"
    return text


def blot(text: str, secrets: Sequence[str]) -> str:
    """Content with whole keys taken out. Words that are keys by chance ("none") stay: they count.

    >>> blot("none of sk-1234567", ["sk-1234567", "none"])
    'none of [key]'
    """
    for secret in secrets:
        text = text.replace(secret, "[key]") if len(secret) >= SHORTEST_KEY else text
    return text
