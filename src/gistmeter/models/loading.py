"""Names and objects to models: the one door through which everyone gets them.

`load_models` takes each role's model from what the caller names (a name, or an object of their
own), else from the profile, finds its files, and wraps it in the cache. Weights are read when the
first text that is not in the cache comes. A role that the profile does not have is `absent`, with
the reason and the command to get it; a model that was named and is not there is an error.

What a back end's loader gives decides how it is asked: a `TokenEncoder` (`encoders.py`) is embedder
and matcher in one reading, a `PairJudge` (`protocols.py`) cross-encoder and entailment in one, a
`PairReader` (`encoders.py`) either of them, and anything else is the caller's own model with the
method of its role (`own_models.py`).
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
    Progress,
)
from gistmeter.models.encoders import JointReading, PairReader, SharedEncoder, TokenEncoder
from gistmeter.models.judge import CachedJudge
from gistmeter.models.own_models import PlainEmbedder, PlainPairs, check, serves
from gistmeter.models.protocols import (
    CrossEncoder,
    Embedder,
    EntailmentModel,
    JudgeModel,
    PairJudge,
    TokenMatcher,
)
from gistmeter.models.settings import (
    Absence,
    BackEndSettings,
    canonical_roles,
    matching_layer,
    profile_names,
)

ModelSettings = BackEndSettings  # the name that users know
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
    settings: BackEndSettings | None = None,
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
    loader = Loader(cache, settings or BackEndSettings(), progress, folder)
    return loader.load(roles, profile, names or {}, language, profiles)


def load_judge(cache: Cache, *, progress: Progress | None = None) -> JudgeModel:
    """The judge that comes with gistmeter, with all that it says of a pair, through the cache."""
    models = Loader(cache, progress=progress).load(["nli"], "embedded", {"nli": "judge"}, "")
    judge: JudgeModel = require(models, "nli")
    return judge


def load_models_by_language(
    roles: Sequence[str],
    languages: Iterable[str],
    *,
    profile: str = "embedded",
    names: Mapping[str, Any] | None = None,
    settings: BackEndSettings | None = None,
    cache: Cache,
    profiles: Mapping[str, Mapping[str, Any]] | None = None,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> dict[str, Models]:
    """Language -> its models, for items in several languages.

    A model that several languages share is one object: loaded once, with one memory.
    """
    loader = Loader(cache, settings or BackEndSettings(), progress, folder)
    return loader.by_language(roles, languages, profile=profile, names=names, profiles=profiles)


@dataclass(slots=True)
class Loader:
    """Models for one language after another; what is the same for two is made once."""

    cache: Cache
    settings: BackEndSettings = field(default_factory=BackEndSettings)
    progress: Progress | None = None
    folder: Path | None = None  # of converted models; by default beside the cache
    _made: dict[Any, tuple[dict[str, Any], Any]] = field(default_factory=dict)
    _judges: dict[str, CachedJudge] = field(default_factory=dict)  # by id

    def by_language(
        self,
        roles: Sequence[str],
        languages: Iterable[str],
        *,
        profile: str = "embedded",
        names: Mapping[str, Any] | None = None,
        profiles: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> dict[str, Models]:
        """Language -> its models; one error names all that are missing."""
        models: dict[str, Models] = {}
        missing: dict[str, MissingModel] = {}
        for code in dict.fromkeys(languages):
            try:
                models[code] = self.load(roles, profile, names or {}, code, profiles)
            except MissingModel as error:
                missing |= {each.name: each for each in error.all if each.name not in missing}
        if missing:
            raise MissingModel.of(list(missing.values()))
        return models

    def load(
        self,
        roles: Sequence[str],
        profile: str,
        names: Mapping[str, Any],
        language: str,
        profiles: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Models:
        wanted = list(canonical_roles(dict.fromkeys(roles, ""), "the request"))
        given = {role: model for role, model in names.items() if model not in (None, "")}
        named = canonical_roles(given, "names")
        chosen: dict[str, Any] = {**profile_names(profile, language, profiles), **named}
        absent = {role: str(Absence.of(role, profile)) for role in wanted if role not in chosen}
        faces: dict[str, Any] = {}
        missing: list[MissingModel] = []
        for group in _groups({role: chosen[role] for role in wanted if role in chosen}):
            try:
                faces |= self._load_group(group, chosen[group[0]], language)
            except MissingModel as error:
                missing += error.all
        if missing:
            raise MissingModel.of(missing)
        for role in [role for role, face in faces.items() if face is None]:
            name = _title(chosen[role])
            if role in named:
                raise InputError(f"'{name}' cannot serve as {role}: {SENTENCES_ONLY}")
            absent[role] = f"'{name}' cannot serve: {SENTENCES_ONLY}"
        return Models(**faces, absent=absent)

    def _load_group(self, roles: Sequence[str], model: Any, language: str) -> dict[str, Any]:
        """The faces of a model that plays one role or two."""
        name = model if isinstance(model, str) else id(model)
        # Only a baseline depends on the language by itself.
        key = (tuple(roles), name, language if self.settings.rescale else "")
        if key not in self._made:
            # The object is kept with its faces, so that no other can get the same id().
            self._made[key] = self._make_group(roles, model, language), model
        return self._made[key][0]

    def _make_group(self, roles: Sequence[str], model: Any, language: str) -> dict[str, Any]:
        backend = self._find(roles, model)
        reads = isinstance(backend, TokenEncoder) and READERS.issuperset(roles)
        if reads and (len(roles) == 1 or getattr(backend, "shares", True)):
            return self._read_with(backend, roles, _title(model), language)
        served = not reads and all(serves(role, backend) for role in roles)
        if len(roles) == 2 and isinstance(model, str) and not served:
            # The two roles read other tokens, or are two things: a back end for each.
            faces: dict[str, Any] = {}
            for role in roles:
                faces |= self._make_group([role], model, language)
            return faces
        return {role: self._wrap(role, backend) for role in roles}

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
        settings = self.settings
        encoder = SharedEncoder(backend, self.cache)
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
        if isinstance(backend, PairJudge):  # one face for all of its roles, one row for a pair
            if backend.id not in self._judges:
                made = CachedJudge(backend.id, backend, self.cache, progress=self.progress)
                self._judges[backend.id] = made
            return self._judges[backend.id]
        if role in JOINT and isinstance(backend, PairReader):
            reading = JointReading(backend)
            return face(backend.id, reading, self.cache, progress=self.progress)
        if role == "matcher" and not serves(role, backend) and serves("embedder", backend):
            return None
        check(role, backend)
        if isinstance(backend, Cached):
            return backend  # one of our own, loaded before
        if role == "matcher" and (self.settings.rescale or self.settings.idf_references):
            raise InputError(
                f"The matcher '{backend.id}' cannot be rescaled or weighted by rarity here: "
                "let the model do so itself, and say so in its id"
            )
        # Under its role as well: one object may play two.
        options: dict[str, Any] = {"stored": f"{backend.id}/{role}", "progress": self.progress}
        if role == "embedder":
            source = PlainEmbedder(backend)
            return CachedEmbedder(backend.id, source, self.cache, decimals=EXACT, **options)
        return face(backend.id, PlainPairs(backend, role), self.cache, **options)


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


def require(models: Models, role: str) -> Any:
    """A role's model, or an error that says how to get it."""
    model = getattr(models, role)
    if model is None:
        raise InputError(
            f"A model for '{role}' is needed: {models.absent.get(role, 'not asked for')}"
        )
    return model
