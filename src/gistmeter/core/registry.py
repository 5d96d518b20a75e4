"""Names and what they stand for, without importing any of it.

A table maps a name to "module:attribute"; what is behind it is imported when it is asked for.
Other packages add to a table through entry points of the same group, so a metric installed beside
gistmeter is found by its name like one of our own.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from gistmeter.core.errors import InputError, UnknownName

TABLES: Mapping[str, Mapping[str, str]] = {
    "gistmeter.families": {
        "text": "gistmeter.text.family:Text",
        "book": "gistmeter.book.family:Books",
        "parse": "gistmeter.parse.family:Parses",
        "speech": "gistmeter.speech.family:Speech",
    },
    "gistmeter.metrics": {
        "s_acc": "gistmeter.text.metrics.accuracy:SemanticAccuracy",
        "gist": "gistmeter.metrics.gist:Gist",
        "s_logic": "gistmeter.text.metrics.logic:LogicalValidity",
        "consistency": "gistmeter.text.metrics.consistency:Consistency",
        "robustness": "gistmeter.text.metrics.consistency:SequenceRobustness",
        "structure": "gistmeter.text.metrics.consistency:StructuralRobustness",
        "reading": "gistmeter.text.metrics.reading:Reading",
        "s_info": "gistmeter.text.metrics.information:Information",
        "alarms": "gistmeter.metrics.alarms:FactAlarms",
        "transcript_alarms": "gistmeter.metrics.alarms:TranscriptAlarms",
        "recovery": "gistmeter.text.metrics.information:Recovery",
        "alignment": "gistmeter.book.metrics:BookAlignment",
        "parsing": "gistmeter.parse.metrics:ParseAccuracy",
        "conll18": "gistmeter.parse.metrics.conll18:Conll18",
        "enhanced": "gistmeter.parse.metrics.enhanced:EnhancedDependencies",
        "transcription": "gistmeter.speech.metrics.transcription:ErrorRates",
        "sem_dist": "gistmeter.speech.metrics.distance:SemanticDistance",
        "facts": "gistmeter.speech.metrics.facts:SemanticErrorRate",
        "latency": "gistmeter.speech.metrics.latency:Latency",
        "custom_metric": "gistmeter.metrics.custom:CustomMetric",
        "keywords": "gistmeter.speech.metrics.keywords:KeywordScores",
    },
    "gistmeter.models": {
        "e5": "gistmeter.models.e5:load",
        "torch": "gistmeter.models.torch:load",
        "onnx": "gistmeter.models.onnx:load",
        "judge": "gistmeter.models.judge:load",
    },
    "gistmeter.engines": {
        "local": "gistmeter.engines:Local",
        "ray": "gistmeter.core.engines.ray:RayEngine",
    },
    "gistmeter.recognizers": {
        "moonshine": "gistmeter.speech.recognizers.moonshine:Moonshine",
        "pocketsphinx": "gistmeter.speech.recognizers.pocketsphinx:PocketSphinx",
        "faster-whisper": "gistmeter.speech.recognizers.whisper:FasterWhisper",
        "vosk": "gistmeter.speech.recognizers.vosk:Vosk",
        "command": "gistmeter.speech.recognizers.command:Command",
        "openai": "gistmeter.speech.recognizers.openai:OpenAITranscriptions",
        "deepgram": "gistmeter.speech.recognizers.deepgram:Deepgram",
        "elevenlabs": "gistmeter.speech.recognizers.elevenlabs:ElevenLabs",
        "speechmatics": "gistmeter.speech.recognizers.speechmatics:Speechmatics",
        "cartesia": "gistmeter.speech.recognizers.cartesia:Cartesia",
    },
}


def installed(group: str) -> tuple[EntryPoint, ...]:
    """What installed packages add to a table, looked up once for each path of imports."""
    return _installed(group, tuple(sys.path))


@lru_cache(maxsize=64)
def _installed(group: str, _: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=group))


def names(group: str) -> list[str]:
    """The names of a table, ours and those that installed packages add."""
    return sorted({*TABLES[group], *(point.name for point in installed(group))})


def find(group: str, name: str) -> Any:
    """The object behind a name, imported now. An unknown name says what was probably meant."""
    for point in installed(group):
        if point.name == name and name not in TABLES[group]:
            return point.load()
    if name not in TABLES[group]:
        raise UnknownName(group.removeprefix("gistmeter.").removesuffix("s"), name, names(group))
    return load(TABLES[group][name])


def load(target: str) -> Any:
    """What "module:attribute" stands for."""
    module, _, attribute = target.partition(":")
    if not attribute:
        raise InputError(f"'{target}' is not of the form module:attribute")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            raise InputError(f"There is no module '{module}' to load '{target}' from") from error
        raise
    except AttributeError as error:
        raise InputError(f"Module '{module}' has no '{attribute}'") from error
