"""Where a model's files are: a folder, the Hugging Face cache, or the hub itself.

Nothing that runs code is ever fetched or trusted: configuration, tokenizer and weights only,
safetensors before anything else. What is not there is one error with the role, the model, the
places searched and the command to get it.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gistmeter.core.errors import InputError, MissingDependency, MissingModel
from gistmeter.core.files import sha256
from gistmeter.models.settings import BackEndSettings

TEXTS = ["*.json", "*.txt", "*.model", "*.jinja"]
DECISIVE = {".json", ".safetensors", ".bin", ".txt", ".onnx", ".model"}  # suffixes
WEIGHT_NAMES = ("model.safetensors", "pytorch_model.bin", "onnx/model.onnx", "model.onnx")


@dataclass(frozen=True, slots=True)
class ModelPlace:
    """A model's files on this machine."""

    name: str
    folder: Path
    revision: str  # short; a hash of the weights for a folder without one

    @property
    def id(self) -> str:
        return f"{self.name}@{self.revision}"


def locate(role: str, name: str, settings: BackEndSettings) -> ModelPlace:
    """A model's folder, from the hub where it is on no disk and the hub may be asked."""
    folder = Path(name).expanduser()
    if folder.is_dir():
        return ModelPlace(folder.resolve().name, folder, fingerprint(folder))
    command = f"gistmeter models pull {name}"
    if looks_like_path(name):
        raise MissingModel(role, name, str(folder), f"{command} (for a model of the hub)")
    found = find_cached(name, settings.revision)
    if found is None and not is_offline(settings):
        found = _try_download(role, name, settings.revision)
    if found is None:
        raise MissingModel(role, name, _searched(settings), command)
    return ModelPlace(name, found, found.name[:8])


def looks_like_path(name: str) -> bool:
    return name.startswith((".", "~", "/")) or "\\" in name or name.count("/") > 1


def is_offline(settings: BackEndSettings) -> bool:
    """HF_HUB_OFFLINE is read as the hub's own library reads it."""
    from_environment = _hub().constants.HF_HUB_OFFLINE if _has_hub() else False
    return settings.offline or bool(from_environment)


def find_cached(name: str, revision: str = "") -> Path | None:
    """The folder in the Hugging Face cache, without any network."""
    if not _has_hub():
        return None
    try:
        # Not `snapshot_download`, which misses the files that we never fetch.
        path = _hub().try_to_load_from_cache(name, "config.json", revision=revision or None)
    except (OSError, ValueError):
        return None
    if not isinstance(path, str):
        return None
    folder = Path(path).parent
    return folder if any((folder / weight).exists() for weight in _weight_files(folder)) else None


def download(name: str, revision: str = "", *, pickles: bool = False) -> Path:
    """Fetch configuration, tokenizer and weights; raises as huggingface_hub does."""
    hub = _hub()
    files = [
        file.rfilename for file in hub.HfApi().model_info(name, revision=revision or None).siblings
    ]
    wanted = wanted_files(files, pickles=pickles)
    if not any(file.endswith((".safetensors", ".onnx")) for file in files) and not pickles:
        raise InputError(
            f"'{name}' has its weights as pickles (.bin) only. They are read without running what "
            f"is in them, but fetched only when asked for: gistmeter models pull {name} --pickles"
        )
    return Path(hub.snapshot_download(name, revision=revision or None, allow_patterns=wanted))


def wanted_files(files: list[str], *, pickles: bool = False) -> list[str]:
    """Of a repository's files those that we read: pickles only where they are asked for."""
    safe = any(file.endswith(".safetensors") for file in files)
    weights = ["*.safetensors"] if safe or not pickles else ["pytorch_model*.bin"]
    return [*TEXTS, *weights, "onnx/model.onnx", "onnx/model.onnx_data"]


def fingerprint(folder: Path) -> str:
    """Eight digits of a hash over the files that decide what a model says."""
    parts = []
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.suffix in DECISIVE:
            state = file.stat()
            digest = _hash_file(str(file), state.st_size, state.st_mtime_ns)
            parts.append(f"{file.relative_to(folder).as_posix()} {digest}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]


@lru_cache(maxsize=256)
def _hash_file(path: str, size: int, changed: int) -> str:  # noqa: ARG001 - part of the memo's key
    return sha256(Path(path))


def _weight_files(folder: Path) -> list[str]:
    sharded = [file.name for file in folder.glob("*.safetensors")]
    return [*WEIGHT_NAMES, *sharded, *(file.name for file in folder.glob("pytorch_model*.bin"))]


def _try_download(role: str, name: str, revision: str) -> Path | None:
    try:
        return download(name, revision)
    except InputError:
        raise
    except Exception as error:
        command = f"gistmeter models pull {name}"
        looked = f"the Hugging Face cache and the hub ({type(error).__name__})"
        raise MissingModel(role, name, looked, command) from error


def _searched(settings: BackEndSettings) -> str:
    if not _has_hub():
        return "this folder (the package huggingface-hub is not installed)"
    cache = _hub().constants.HF_HUB_CACHE
    asked = "the hub was not asked: offline" if is_offline(settings) else "and the hub"
    return f"{os.fspath(cache)} ({asked})"


def _has_hub() -> bool:
    return find_spec("huggingface_hub") is not None


def _hub() -> Any:
    try:
        import huggingface_hub
        import huggingface_hub.constants  # not there by itself
    except ImportError as error:
        raise MissingDependency("huggingface-hub", "onnx", "A model of the hub") from error
    return huggingface_hub
