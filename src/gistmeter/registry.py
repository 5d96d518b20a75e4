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

from gistmeter.errors import InputError, UnknownName

TABLES: Mapping[str, Mapping[str, str]] = {
    "gistmeter.families": {
        "text": "gistmeter.families.text:Text",
        "book": "gistmeter.families.book:Books",
        "parse": "gistmeter.families.parse:Parses",
        "speech": "gistmeter.families.speech:Speech",
    },
    "gistmeter.metrics": {
        "s_acc": "gistmeter.metrics.accuracy:SemanticAccuracy",
        "gist": "gistmeter.metrics.gist:Gist",
        "s_logic": "gistmeter.metrics.logic:LogicalValidity",
        "consistency": "gistmeter.metrics.consistency:Consistency",
        "robustness": "gistmeter.metrics.consistency:SequenceRobustness",
        "structure": "gistmeter.metrics.consistency:StructuralRobustness",
        "reading": "gistmeter.metrics.reading:Reading",
        "s_info": "gistmeter.metrics.information:Information",
        "alarms": "gistmeter.metrics.alarms:FactAlarms",
        "transcript_alarms": "gistmeter.metrics.alarms:TranscriptAlarms",
        "recovery": "gistmeter.metrics.information:Recovery",
        "alignment": "gistmeter.metrics.alignment:BookAlignment",
        "parsing": "gistmeter.metrics.parsing:ParseAccuracy",
        "conll18": "gistmeter.metrics.conll18:Conll18",
        "enhanced": "gistmeter.metrics.enhanced:EnhancedDependencies",
        "transcription": "gistmeter.metrics.transcription:ErrorRates",
        "sem_dist": "gistmeter.metrics.distance:SemanticDistance",
        "facts": "gistmeter.metrics.facts:SemanticErrorRate",
        "latency": "gistmeter.metrics.latency:Latency",
        "custom_metric": "gistmeter.metrics.custom:CustomMetric",
        "keywords": "gistmeter.metrics.keywords:KeywordScores",
    },
    "gistmeter.languages": {
        "zh": "gistmeter.languages.zh:LANGUAGE",
        "zh-Hant": "gistmeter.languages.zh_hant:LANGUAGE",
        "ja": "gistmeter.languages.ja:LANGUAGE",
        "ko": "gistmeter.languages.ko:LANGUAGE",
        "en": "gistmeter.languages.en:LANGUAGE",
        "cs": "gistmeter.languages.cs:LANGUAGE",
        "ru": "gistmeter.languages.ru:LANGUAGE",
        "th": "gistmeter.languages.th:LANGUAGE",
    },
    "gistmeter.models": {
        "e5": "gistmeter.models.e5:load",
        "torch": "gistmeter.models.torch:load",
        "onnx": "gistmeter.models.onnx:load",
        "judge": "gistmeter.models.judge:load",
    },
    "gistmeter.engines": {
        "local": "gistmeter.engines:Local",
        "ray": "gistmeter.engines.ray:RayEngine",
    },
    "gistmeter.recognizers": {
        "moonshine": "gistmeter.recognizers.moonshine:Moonshine",
        "pocketsphinx": "gistmeter.recognizers.pocketsphinx:PocketSphinx",
        "faster-whisper": "gistmeter.recognizers.whisper:FasterWhisper",
        "vosk": "gistmeter.recognizers.vosk:Vosk",
        "command": "gistmeter.recognizers.command:Command",
        "openai": "gistmeter.recognizers.openai:OpenAITranscriptions",
        "deepgram": "gistmeter.recognizers.deepgram:Deepgram",
        "elevenlabs": "gistmeter.recognizers.elevenlabs:ElevenLabs",
        "speechmatics": "gistmeter.recognizers.speechmatics:Speechmatics",
        "cartesia": "gistmeter.recognizers.cartesia:Cartesia",
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
