"""From what the user wrote to a recogniser.

moonshine                          a name of the registry
faster-whisper:FOLDER              a name with its argument; vosk:FOLDER
openai:MODEL@URL                   any server that answers /v1/audio/transcriptions
command:PROGRAM ARGUMENTS          a program that prints the text; {audio} is the file's place
module:attribute                   a class, an object or a function of your own
label=any of these                 the name it gets in the report
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.registry import find, load_own, names
from gistmeter.models.credentials import Service, named_key
from gistmeter.speech.recognizers import MissingKey, Recognizer, Session
from gistmeter.speech.recognizers.local import Transcribe, WholeFiles

GROUP = "gistmeter.recognizers"
LABELLED = re.compile(r"([\w.-]+)\s*=\s*(.+)", re.DOTALL)
SESSION_METHODS = ("send_audio", "end_audio", "events")


@dataclass(frozen=True, slots=True)
class Resolved:
    """The recognisers that can run, by the name they are reported under, and the others."""

    recognizers: Mapping[str, Recognizer]
    skipped: Mapping[str, str] = field(default_factory=dict)  # name -> reason, for a warning


def resolve(
    wanted: Sequence[str],
    environment: Mapping[str, str] = os.environ,
    key_env: Mapping[str, str] | None = None,
) -> Resolved:
    """Recognisers by what the user wrote; one whose key is absent is skipped with the reason.

    A service gets its own key at its own host only; `key_env` names, for other hosts, the variable
    that holds the key. Everything else that cannot be used raises an `InputError`: an unknown name,
    a package that is not installed, a model folder that is not there.
    """
    recognizers: dict[str, Recognizer] = {}
    skipped: dict[str, str] = {}
    environment = _with_keys(environment, key_env or {})
    for entry in wanted:
        label, text = _label(entry.strip())
        if label in recognizers or label in skipped:
            raise InputError(f"The recogniser '{label}' is named twice: write label={text}")
        try:
            recognizers[label] = _make(text, environment)
        except MissingKey as error:
            skipped[label] = str(error)
    return Resolved(recognizers, skipped)


def addresses(wanted: Sequence[str]) -> Iterator[tuple[Service, str]]:
    """The service and the address of every recogniser for which the user gave one."""
    for entry in wanted:
        name, _, argument = _label(entry.strip())[1].partition(":")
        url = argument.partition("@")[2].strip()
        if url and name in names(GROUP):
            service = _service(name)
            if service is not None:
                yield service, url


def key_names(wanted: Sequence[str]) -> list[str]:
    """The variables of the keys that the wanted recognisers may use."""
    known = {_label(entry.strip())[1].partition(":")[0] for entry in wanted} & set(names(GROUP))
    services = map(_service, sorted(known))
    return [name for service in services if service is not None for name in service.variables]


def _service(name: str) -> Service | None:
    """The service behind a recogniser; one that works on this machine has none."""
    found: Service | None = getattr(find(GROUP, name), "service", None)
    return found


def _with_keys(environment: Mapping[str, str], key_env: Mapping[str, str]) -> Mapping[str, str]:
    """The environment with a key under the name of every host for which one was named."""
    named = {host.lower(): named_key(name, "", environment) for host, name in key_env.items()}
    return {**environment, **named} if named else environment


def _label(entry: str) -> tuple[str, str]:
    match = LABELLED.fullmatch(entry)
    return (match[1], match[2]) if match else (entry, entry)


def _make(text: str, environment: Mapping[str, str]) -> Recognizer:
    name, colon, argument = text.partition(":")
    known = names(GROUP)
    if name in known:
        target = find(GROUP, name)
        maker = getattr(target, "from_name", None)
        if maker is not None:
            return adapt(maker(argument.strip(), environment), text)
        return adapt(target, text)
    if not colon:
        raise UnknownName("recognizer", name, [*known, "module:attribute"])
    return adapt(load_own(text), text)


def adapt(target: Any, name: str = "") -> Recognizer:
    """Anything that can recognise speech as a `Recognizer`.

    A `Recognizer` stays as it is. A class is called without arguments. An object with
    `send_audio`, `end_audio` and `events` is entered again for each clip (a class of such objects
    gives a new one each time); one with `transcribe(path)`, or a function of a path, plain or
    asynchronous, gets the clip as a WAV file.
    """
    name = name or getattr(target, "__name__", type(target).__name__)
    if all(callable(getattr(target, method, None)) for method in SESSION_METHODS):
        make = target if inspect.isclass(target) else lambda: target
        return Sessions(_identity(target, name), make)
    if inspect.isclass(target):
        target = _call(target, name)
    if callable(getattr(target, "session", None)):
        return target if isinstance(target, Recognizer) else Sessions(name, target.session)
    function = getattr(target, "transcribe", target)
    if not callable(function):
        raise InputError(
            f"'{name}' is not a recogniser: it has neither session(), nor transcribe(path), "
            f"nor {', '.join(SESSION_METHODS)}, and cannot be called"
        )
    key = str(getattr(target, "key", ""))
    return WholeFiles(_identity(target, name), _with_language(function), key)


@dataclass(frozen=True, slots=True)
class Sessions:
    """Sessions made by a class or a function as a `Recognizer`."""

    id: str
    make: Any

    def session(self, language: str = "") -> Session:
        made: Session = (
            self.make(language=language) if _takes(self.make, "language") else self.make()
        )
        return made


def _identity(target: Any, name: str) -> str:
    identity = getattr(target, "id", None)
    return identity if isinstance(identity, str) else name


def _call(target: type, name: str) -> Any:
    try:
        return target()
    except TypeError as error:
        raise InputError(f"'{name}' must be a class that takes no arguments: {error}") from error


def _with_language(function: Any) -> Transcribe:
    """The language is passed on to those that ask for it."""
    if _takes(function, "language"):
        return lambda path, language: function(path, language=language)
    return lambda path, _: function(path)


def _takes(function: Any, parameter: str) -> bool:
    try:
        return parameter in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
