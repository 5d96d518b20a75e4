"""Names and objects to models: the one door through which everyone gets them.

`load_models` takes each role's model from what the caller names (a name, or an object of their
own), else from the profile, finds its files, and wraps it in the cache. Weights are read when the
first text that is not in the cache comes. A role that the profile does not have is `absent`, with
the reason and the command to get it; a model that was named and is not there is an error.

What a back end's loader gives decides how it is asked: a `TokenEncoder` (`encoding.py`) is embedder
and matcher in one reading, the judge (`judge.py`) cross-encoder and entailment in one, a
`PairReader` (`joint.py`) either of them, and anything else is the caller's own model with the
method of its role (`plain.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError, MissingModel
from gistmeter.models.backends import load_backend, models_folder
from gistmeter.models.bertscore import TokenMatching, TokenWeights, find_baseline
from gistmeter.models.cached import (
    Cached,
    CachedCrossEncoder,
    CachedEmbedder,
    CachedEntailment,
    CachedMatcher,
)
from gistmeter.models.encoding import SharedEncoder, TokenEncoder, VectorStore
from gistmeter.models.judge.joint import JointReading
from gistmeter.models.plain import PlainEmbedder, PlainPairs, check, serves
from gistmeter.models.protocols import (
    CrossEncoder,
    Embedder,
    EntailmentModel,
    JudgeModel,
    TokenMatcher,
)
from gistmeter.models.recall import Progress
from gistmeter.models.settings import ModelSettings, canonical_roles, matching_layer, profile_names

__all__ = ["ModelSettings", "Models", "load_judge", "load_models", "models_folder"]

READERS = {"embedder", "matcher"}
JOINT = {"cross_encoder", "nli"}
FACES: Mapping[str, Any] = {
    "embedder": CachedEmbedder,
    "matcher": CachedMatcher,
    "cross_encoder": CachedCrossEncoder,
    "nli": CachedEntailment,
}
EXACT = 9  # decimals beyond what float32 holds: a model's own vectors stay as they are
SENTENCES_ONLY = "it gives vectors of sentences, none of tokens. Name another with --token-encoder"


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a run by role; None where a role is absent or was not asked for."""

    embedder: Embedder | None = None
    matcher: TokenMatcher | None = None
    cross_encoder: CrossEncoder | None = None
    nli: EntailmentModel | None = None
    absent: Mapping[str, str] = field(default_factory=dict)  # role -> why, and how to get it


def load_models(
    roles: Sequence[str],
    *,
    profile: str = "embedded",
    names: Mapping[str, Any] | None = None,
    language: str = "",
    settings: ModelSettings | None = None,
    cache: Cache,
    profiles: Mapping[str, Mapping[str, Any]] | None = None,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> Models:
    """The models for these roles in one language.

    `names` (role -> a name, or a model of the caller's own) win over the profile; `profiles` are
    further ones, from a configuration file; `folder` is where converted models are kept (by default
    beside the cache).
    """
    return load_models_by_language(
        roles,
        [language],
        profile=profile,
        names=names,
        settings=settings,
        cache=cache,
        profiles=profiles,
        folder=folder,
        progress=progress,
    )[language]


def load_judge(cache: Cache, *, progress: Progress | None = None) -> JudgeModel:
    """The judge that comes with gistmeter, with all that it says of a pair, through the cache."""
    from gistmeter.models.judge import load

    judge = load(frozenset({"nli"}), "judge", ModelSettings(), models_folder(cache))
    return _remember(judge, cache, progress)


def _remember(judge: Any, cache: Cache, progress: Progress | None) -> JudgeModel:
    from gistmeter.models.judge import CachedJudge

    return CachedJudge(judge.id, judge, cache, progress=progress)


def load_models_by_language(
    roles: Sequence[str],
    languages: Iterable[str],
    *,
    profile: str = "embedded",
    names: Mapping[str, Any] | None = None,
    settings: ModelSettings | None = None,
    cache: Cache,
    profiles: Mapping[str, Mapping[str, Any]] | None = None,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> dict[str, Models]:
    """Language -> its models, for items in several languages.

    A model that several languages share is one object: loaded once, with one memory.
    """
    loader = Loader(cache, settings or ModelSettings(), progress, folder)
    return loader.by_language(roles, languages, profile=profile, names=names, profiles=profiles)


@dataclass(slots=True)
class Loader:
    """Models for one language after another; what is the same for two is made once."""

    cache: Cache
    settings: ModelSettings = field(default_factory=ModelSettings)
    progress: Progress | None = None
    folder: Path | None = None  # of converted models; by default beside the cache
    _made: dict[Any, dict[str, Any]] = field(default_factory=dict)
    _judge: JudgeModel | None = None

    def by_language(
        self,
        roles: Sequence[str],
        languages: Iterable[str],
        *,
        profile: str = "embedded",
        names: Mapping[str, Any] | None = None,
        profiles: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> dict[str, Models]:
        """Language -> its models; all that are missing are told together."""
        found: dict[str, Models] = {}
        missing: dict[str, MissingModel] = {}
        for code in dict.fromkeys(languages):
            try:
                found[code] = self.load(roles, profile, names or {}, code, profiles)
            except MissingModel as error:
                missing |= {one.name: one for one in error.all if one.name not in missing}
        if missing:
            raise MissingModel.of(list(missing.values()))
        return found

    def load(
        self,
        roles: Sequence[str],
        profile: str,
        names: Mapping[str, Any],
        language: str,
        profiles: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Models:
        wanted = list(canonical_roles(dict.fromkeys(roles, ""), "the request"))
        own = canonical_roles({role: one for role, one in names.items() if _given(one)}, "names")
        chosen: dict[str, Any] = {**profile_names(profile, language, profiles), **own}
        absent = {role: explain_absence(role, profile) for role in wanted if role not in chosen}
        found: dict[str, Any] = {}
        missing: list[MissingModel] = []
        for group in _groups({role: chosen[role] for role in wanted if role in chosen}):
            try:
                found |= self._load_group(group, chosen[group[0]], language)
            except MissingModel as error:
                missing += error.all
        if missing:
            raise MissingModel.of(missing)
        for role in [role for role in found if found[role] is None]:
            name = _title(chosen[role])
            if role in own:
                raise InputError(f"'{name}' cannot serve as {role}: {SENTENCES_ONLY}")
            absent[role] = f"'{name}' cannot serve: {SENTENCES_ONLY}"
        return Models(**found, absent=absent)

    def _load_group(self, roles: Sequence[str], model: Any, language: str) -> dict[str, Any]:
        """The faces of a model that plays one role or two."""
        name = model if isinstance(model, str) else id(model)
        # Only a baseline depends on the language by itself.
        key = (tuple(roles), name, language if self.settings.rescale else "")
        if key not in self._made:
            # The object stays with its faces, so that nothing else can come by its number.
            self._made[key] = {**self._make_group(roles, model, language), "": model}
        return {role: face for role, face in self._made[key].items() if role}

    def _make_group(self, roles: Sequence[str], model: Any, language: str) -> dict[str, Any]:
        backend = self._find(roles, model)
        reads = is_encoder(backend) and READERS.issuperset(roles)
        if reads and (len(roles) == 1 or getattr(backend, "shares", True)):
            return self._read_with(backend, roles, _title(model), language)
        served = not reads and all(serves(role, backend) for role in roles)
        if len(roles) == 2 and isinstance(model, str) and not served:
            # The two roles read other tokens, or are two things: a back end for each.
            return self._apart(roles, model, language)
        return {role: self._wrap(role, backend) for role in roles}

    def _apart(self, roles: Sequence[str], model: Any, language: str) -> dict[str, Any]:
        faces: dict[str, Any] = {}
        for role in roles:
            faces |= self._make_group([role], model, language)
        return faces

    def _find(self, roles: Sequence[str], model: Any) -> Any:
        if not isinstance(model, str):
            return model
        layer = matching_layer(model) if self.settings.layer is None else self.settings.layer
        settings = replace(self.settings, layer=layer if "matcher" in roles else None)
        folder = self.folder or models_folder(self.cache)
        return load_backend(set(roles), model, settings, folder)

    def _read_with(
        self, backend: TokenEncoder, roles: Sequence[str], name: str, language: str
    ) -> dict[str, Any]:
        """Embedder and matcher on one encoder, which reads a text once for both."""
        settings, shared = self.settings, len(roles) == 2
        encoder = SharedEncoder(backend, store=VectorStore() if shared else None)
        faces: dict[str, Any] = {}
        learn = None
        if "embedder" in roles:
            title = f"{backend.id}/{backend.pooling}"
            faces["embedder"] = face = CachedEmbedder(
                title, encoder, self.cache, progress=self.progress
            )
            learn = face.learn
        if "matcher" in roles:
            weights = None
            title = f"bertscore/{backend.id}/layer={backend.layer}"
            if settings.idf_references:
                weights = TokenWeights.of(backend.tokenize(settings.idf_references))
                title += f"/idf={weights.id}"
            baseline = None
            if settings.rescale:
                baseline = find_baseline(settings.baseline, name, language, backend.layer)
            faces["matcher"] = CachedMatcher(
                title,
                TokenMatching(encoder, weights=weights, learn=learn),
                self.cache,
                baseline=baseline,
                progress=self.progress,
            )
        return faces

    def _wrap(self, role: str, backend: Any) -> Any:
        """A role's face over a pair reader or a plain model; None for token vectors of neither."""
        face = FACES[role]
        if is_judge(backend):  # one face for all of its roles, and one stored row of a pair
            self._judge = self._judge or _remember(backend, self.cache, self.progress)
            return self._judge
        if role in JOINT and is_pair_reader(backend):
            reading = JointReading(backend)
            return face(backend.id, reading, self.cache, progress=self.progress)
        if role == "matcher" and not serves(role, backend) and serves("embedder", backend):
            return None
        check(role, backend)
        if isinstance(backend, Cached):
            return backend  # one of our own, loaded before
        if role == "matcher" and (self.settings.rescale or self.settings.idf_references):
            raise InputError(
                f"The matcher '{backend.id}' is not ours to rescale or to weigh by rarity: "
                "let it do so itself, and say so in its id"
            )
        # Under its role as well: one object may play two.
        options: dict[str, Any] = {"stored": f"{backend.id}/{role}", "progress": self.progress}
        if role == "embedder":
            source = PlainEmbedder(backend)
            return CachedEmbedder(backend.id, source, self.cache, decimals=EXACT, **options)
        return face(backend.id, PlainPairs(backend, role), self.cache, **options)


def _given(model: Any) -> bool:
    return model is not None and not (isinstance(model, str) and not model)


def _title(model: Any) -> str:
    return model if isinstance(model, str) else str(getattr(model, "id", type(model).__name__))


def _groups(models: Mapping[str, Any]) -> list[list[str]]:
    """Roles to load together: embedder and matcher where they are the same model."""
    alone = [[role] for role in models]
    if not models.keys() >= READERS:
        return alone
    first, second = models["embedder"], models["matcher"]
    if first is not second and not (isinstance(first, str) and first == second):
        return alone
    return [["embedder", "matcher"], *([role] for role in models if role not in READERS)]


def is_encoder(backend: Any) -> bool:
    parts = ("id", "pooling", "layer", "pads", "budget", "tokenize", "encode")
    return all(hasattr(backend, part) for part in parts)


def is_pair_reader(backend: Any) -> bool:
    return all(hasattr(backend, part) for part in ("id", "pads", "budget", "tokenize", "read"))


def is_judge(backend: Any) -> bool:
    return all(hasattr(backend, part) for part in ("id", "judge", "read"))


def explain_absence(role: str, profile: str) -> str:
    """Why a profile has no model for a role, and the exact command to get one."""
    option = "--" + role.replace("_", "-")
    return (
        f"the profile '{profile}' has no {role.replace('_', '-')}. Get one with: "
        f"pip install 'gistmeter[torch]' && gistmeter models pull paper, "
        f"then use --profile paper (or {option} NAME)"
    )


def require(models: Models, role: str) -> Any:
    """A role's model, or an error that says how to get it."""
    model = getattr(models, role)
    if model is None:
        raise InputError(
            f"A model for '{role}' is needed: {models.absent.get(role, 'not asked for')}"
        )
    return model
