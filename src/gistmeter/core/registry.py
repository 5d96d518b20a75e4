"""Names and what they stand for, without importing any of it.

A table maps a name to "module:attribute"; what is behind it is imported when it is asked for.
Other packages add to a table through entry points of the same group, so a metric installed beside
gistmeter is found by its name like one of our own.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any

from gistmeter.core.errors import InputError, UnknownName

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

METRICS, FAMILIES = "gistmeter.metrics", "gistmeter.families"
TABLES: Mapping[str, Mapping[str, str]] = {
    "gistmeter.families": {
        "text": "gistmeter.text.family:Text",
        "book": "gistmeter.book.family:Books",
        "parse": "gistmeter.parse.family:Parses",
        "speech": "gistmeter.speech.family:Speech",
    },
    # shape/name, in the order of tables; what derives from another comes after it
    "gistmeter.metrics": {
        "text/gist": "gistmeter.metrics.gist:PairGist",
        "text/s_acc": "gistmeter.text.metrics.accuracy:SemanticAccuracy",
        "text/s_logic": "gistmeter.text.metrics.logic:LogicalValidity",
        "text/consistency": "gistmeter.text.metrics.consistency:Consistency",
        "text/robustness": "gistmeter.text.metrics.consistency:SequenceRobustness",
        "text/structure": "gistmeter.text.metrics.consistency:StructuralRobustness",
        "text/s_info": "gistmeter.text.metrics.information:Information",
        "text/alarms": "gistmeter.text.metrics.fact_alarms:FactAlarms",
        "text/recovery": "gistmeter.text.metrics.information:Recovery",
        "text/reading": "gistmeter.text.metrics.logic:Reading",
        "book/alignment": "gistmeter.book.metrics.book_alignment:BookAlignment",
        "book/claims": "gistmeter.book.metrics.claim_support:ClaimSupport",
        "parse/parsing": "gistmeter.parse.metrics.parsing:ParseAccuracy",
        "parse/conll18": "gistmeter.parse.metrics.conll18:Conll18",
        "parse/enhanced": "gistmeter.parse.metrics.enhanced:EnhancedDependencies",
        "speech/transcription": "gistmeter.speech.metrics.rates:ErrorRates",
        "speech/alarms": "gistmeter.speech.metrics.transcript_alarms:TranscriptAlarms",
        "speech/sem_dist": "gistmeter.speech.metrics.distance:SemanticDistance",
        "speech/facts": "gistmeter.speech.metrics.semantic_error:SemanticErrorRate",
        "speech/keywords": "gistmeter.speech.metrics.keywords:KeywordScores",
        "speech/gist": "gistmeter.speech.metrics.transcript_gist:TranscriptGist",
        "speech/meetings": "gistmeter.speech.metrics.meetings:MeetingErrors",
        "speech/latency": "gistmeter.speech.metrics.latency:Latency",
        "speech/custom_metric": "gistmeter.speech.metrics.custom:CustomMetric",
    },
    "gistmeter.models": {
        "e5": "gistmeter.models.e5:load",
        "torch": "gistmeter.models.torch:load",
        "onnx": "gistmeter.models.onnx:load",
        "judge": "gistmeter.models.judge:load",
    },
    "gistmeter.engines": {
        "local": "gistmeter.core.engines:Local",
        "ray": "gistmeter.core.engines.ray:RayEngine",
    },
    "gistmeter.recognizers": {
        "moonshine": "gistmeter.speech.recognizers.moonshine:Moonshine",
        "pocketsphinx": "gistmeter.speech.recognizers.pocketsphinx:PocketSphinx",
        "faster-whisper": "gistmeter.speech.recognizers.whisper:FasterWhisper",
        "vosk": "gistmeter.speech.recognizers.vosk:Vosk",
        "command": "gistmeter.speech.recognizers.program:Command",
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
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


def names(group: str) -> list[str]:
    """The names of a table, ours and those that installed packages add."""
    ours = (name.rpartition("/")[2] for name in TABLES[group])
    return sorted({*ours, *(point.name for point in installed(group))})


def find(group: str, name: str) -> Any:
    """The object behind a name, imported now. An unknown name says what was probably meant."""
    if group == METRICS:
        return find_metric(name)
    for point in installed(group):
        if point.name == name and name not in TABLES[group]:
            return point.load()
    if name not in TABLES[group]:
        raise UnknownName(group.removeprefix("gistmeter.").removesuffix("s"), name, names(group))
    return load(TABLES[group][name])


def metrics(shape: str) -> dict[str, Callable[[], Any]]:
    """Our metrics of a shape by name, each with what imports it."""
    table = {
        name.removeprefix(f"{shape}/"): target
        for name, target in TABLES[METRICS].items()
        if name.startswith(f"{shape}/")
    }
    if not table and shape in names(FAMILIES):  # a family may hold its metrics itself
        table = dict(find(FAMILIES, shape).metrics)
    return {name: partial(load, target) for name, target in table.items()}


def find_metric(name: str, shape: str = "") -> Any:
    """A metric of a shape, or of any shape that has one of that name."""
    if name in (known := metrics(shape)):
        return known[name]()
    table = list(TABLES[METRICS].items())
    ours = {key.partition("/")[2]: target for key, target in reversed(table)}
    if name in ours:
        return load(ours[name])
    for point in installed(METRICS):
        if point.name == name:
            return point.load()
    raise UnknownName("metric", name, {*ours, *(point.name for point in installed(METRICS))})


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


IMPORTING = ("importlib", "_frozen_importlib", "_frozen_importlib_external")


class WorkingFolder:
    """Finds the modules of a folder for those who may import them.

    The folder is never put on the import path: a `jinja2.py` or a `*.dist-info` beside the data
    would then be taken for an installed one. Its modules are found last of all, and only by the
    name that the user gave and by one another.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wanted = ""  # the module that the user named, while it is loaded
        self.found: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del target
        if path is not None or not (fullname == self.wanted or self._asked_from_within()):
            return None
        spec = PathFinder.find_spec(fullname, [str(self.folder)])
        self.found |= {fullname} if spec else set()
        return spec

    def _asked_from_within(self) -> bool:
        """Whether the module that imports was itself found here."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and _package(frame) in IMPORTING:
            frame = frame.f_back
        return frame is not None and _package(frame) in self.found


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def load_own(target: str) -> Any:
    """What "module:attribute" stands for: installed, or in the working folder."""
    folder = Path.cwd()
    finders = [finder for finder in sys.meta_path if isinstance(finder, WorkingFolder)]
    finder = next((finder for finder in finders if finder.folder == folder), None)
    if finder is None:
        finder = WorkingFolder(folder)
        sys.meta_path.append(finder)
    module = target.partition(":")[0]
    finder.wanted = module.partition(".")[0]
    try:
        return load(target)
    except InputError as error:
        file = folder.joinpath(*module.split(".")).with_suffix(".py")
        loaded = getattr(sys.modules.get(module), "__file__", None)
        if file.exists() and module in sys.modules and loaded != str(file):
            raise InputError(
                f"{error}: it is an installed module, which goes before {file}. Rename the file"
            ) from error
        raise
    finally:
        finder.wanted = ""
