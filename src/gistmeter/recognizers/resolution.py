"""From what the user wrote to a recogniser.

moonshine                          a name of the registry
faster-whisper:FOLDER              a name with its argument; vosk:FOLDER
openai:MODEL@URL                   any server that answers /v1/audio/transcriptions
command:PROGRAM ARGUMENTS          a program that prints the text; {audio} is the file's place
module:attribute                   a class, an object or a function of your own
label=any of these                 the name it gets in the report
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gistmeter.recognizers.protocols import Recognizer


@dataclass(frozen=True, slots=True)
class Resolved:
    """The recognisers that can run, by the name they are reported under, and the others."""

    recognizers: Mapping[str, Recognizer]
    skipped: Mapping[str, str] = field(default_factory=dict)  # name -> reason, for a warning


def resolve(names: Sequence[str], environment: Mapping[str, str] = os.environ) -> Resolved:
    """Recognisers by what the user wrote; one whose key is absent is skipped with the reason.

    Everything else that cannot be used raises an `InputError`: an unknown name, a package that is
    not installed, a model folder that is not there.
    """
    raise NotImplementedError


def adapt(target: Any, name: str = "") -> Recognizer:
    """Anything that can recognise speech as a `Recognizer`.

    A `Recognizer` stays as it is. A class is called without arguments. An object with
    `send_audio`, `end_audio` and `events` is entered anew for each clip (a class of such objects
    gives a new one each time); one with `transcribe(path)`, or a function of a path, plain or
    asynchronous, gets the clip as a WAV file.
    """
    raise NotImplementedError
