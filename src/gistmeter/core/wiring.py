"""How a metric gets what its fields ask for: every metric is built here.

A metric is a frozen dataclass, and each of its fields says where its value comes from:

    keywords: Path | None = option(None, "Words that must be heard.")  # an option of its own
    aggregate: Aggregate = setting("max")           # an option of the shape, by the field's name
    embedder: Embedder | None = role("embedder")    # a model of the run, in the item's language
    guard: Guard = given(guard_of)                  # whatever a function of the `Wiring` gives
    limit: float = 1.0                              # nothing: its default

Beside its fields it may have

    derives = ("s_acc",)              metrics whose columns it needs: they are made before it
    companions = ("reading",)         metrics that are made too, where all they derive from are
    roles(wiring) -> names            the model roles in use, where that is not all of its fields
    applies(items) -> bool            whether it is made without being asked for
    requires(items) -> str            what it lacks where it was asked for; empty: nothing

A role that has no model leaves a partial score, or, where it is `required`, no metric at all.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gistmeter.core import registry
from gistmeter.core.errors import InputError, MissingDependency, MissingModel, UnknownName
from gistmeter.core.item_columns import by_language
from gistmeter.core.settings import MARK, Settings, option, options_of
from gistmeter.core.signature import UNSIGNED

if TYPE_CHECKING:
    from gistmeter.core.family import Context, Family, Items
    from gistmeter.core.types import Metric
    from gistmeter.models.loading import Models

WIRE = "wire"
ROLES = ("embedder", "matcher", "cross_encoder", "nli")


@dataclass(frozen=True, slots=True)
class Wire:
    """Where the value of a field comes from."""

    role: str = ""
    score: str = ""  # the component that the role's model makes
    required: bool = False
    setting: str | None = None  # the option's name; empty: the field's own
    function: Callable[[Wiring], Any] | None = None
    shared: bool = False  # one value for all languages of the run
    via: Callable[[Any], Any] | None = None  # what is made of the option's value


def role(name: str, *, score: str = "", required: bool = False) -> Any:
    """A field that gets the run's model of a role: embedder, matcher, cross_encoder or nli."""
    wire = Wire(role=name, score=score, required=required)
    return field(default=None, metadata={WIRE: wire})


def setting(
    default: Any, name: str = "", *, via: Callable[[Any], Any] | None = None, signed: bool = True
) -> Any:
    """A field that takes the value of an option of the shape."""
    return field(
        default=default, metadata={WIRE: Wire(setting=name, via=via), UNSIGNED: not signed}
    )


def given(
    function: Callable[[Wiring], Any],
    default: Any = MISSING,
    *,
    factory: Any = MISSING,
    shared: bool = False,
    required: bool = False,
) -> Any:
    """A field that gets what a function makes of the run, in each language or `shared` by all.

    Where it is `required` and the function gives None, the metric is left out; the function says
    why.
    """
    wire = Wire(function=function, shared=shared, required=required)
    return field(default=default, default_factory=factory, metadata={WIRE: wire})


@dataclass(frozen=True)
class Wiring:
    """What is known of a run while its metrics are built: what a `given` function may use."""

    family: Family[Any, Any]
    items: Sequence[Any]
    settings: Any
    context: Context
    languages: tuple[str, ...]
    language: str = ""
    asked: tuple[str, ...] = ()  # scores of the metric that were asked for by name; none: all
    by_name: bool = False  # whether the user asked for the metric at all
    models: Mapping[str, Models] = field(default_factory=dict)  # of the run, by language
    made: Mapping[str, Metric] = field(default_factory=dict)  # in the same language, so far
    _shared: dict[Any, Any] = field(default_factory=dict, repr=False)

    def model(self, role: str) -> Any:
        """The run's model of a role in the language; None where no metric uses the role."""
        return getattr(self.models.get(self.language), role, None)

    def baseline(self, component: str, model: Any, code: str) -> float | None:
        """What unrelated texts score by a model; None where that was not measured."""
        from gistmeter.models.settings import baseline

        return baseline(component, model.id, code) if model is not None else None

    def once(self, function: Callable[[Wiring], Any]) -> Any:
        """What a function gives for the whole run, made once."""
        if function not in self._shared:
            self._shared[function] = function(self)
        return self._shared[function]


def asked_for(wiring: Wiring) -> tuple[str, ...]:
    """The scores of the metric that were asked for by their own names; none: all of them."""
    return wiring.asked


def shape_of(wiring: Wiring) -> str:
    """The name of the family."""
    return wiring.family.name


def readers_of(wiring: Wiring) -> Mapping[str, Any]:
    """The languages of the run as its family reads them, by code."""
    readers: Mapping[str, Any] = wiring.once(wiring.family.readers)
    return readers


def metrics_of(shape: str) -> dict[str, Callable[[], Any]]:
    """The metrics of a shape by name, ours and those of other packages, each with its loader."""
    loaders = registry.metrics(shape)
    for point in registry.installed(registry.METRICS):
        if point.name not in loaders:
            # A metric of another package that names no shapes serves all.
            shapes = getattr(registry.find_metric(point.name), "family", shape)
            if shape in ((shapes,) if isinstance(shapes, str) else shapes):
                loaders[point.name] = partial(registry.find_metric, point.name)
    return loaders


def metric_named(shape: str, score: str) -> str:
    """The metric that makes a score; an unknown name says which there are."""
    name = score.strip().lower().replace("-", "_")
    known = metrics_of(shape)
    if name in known:
        return name
    scores: dict[str, str] = {}
    for metric, load in known.items():
        scores |= {info.name: metric for info in load().scores}
        if name in scores:
            return scores[name]
    raise UnknownName("score", score, {*known, *scores})


def settings_of(family: Family[Any, Any], names: Iterable[str]) -> type[Settings]:
    """A family's settings; with the options of its metrics where a name is none of its own."""
    base = family.Settings
    if set(names) <= options_of(base).keys():
        return base
    return complete_settings(family)


def complete_settings(family: Family[Any, Any]) -> type[Settings]:
    """A family's settings with the options that its metrics declare."""
    base, fields = family.Settings, {}
    for load in metrics_of(family.name).values():
        kind: Any = load()
        hints = typing.get_type_hints(kind)
        for part in dataclasses.fields(kind):
            wire = part.metadata.get(WIRE)
            named = wire.role if wire is not None else ""
            if named and named not in family.roles:
                help_text = f"The model for {named.replace('_', '-')}: a name or a folder."
                fields[named] = (
                    Any,
                    option("", help_text, panel="models", model=True, reach="model"),
                )
            if MARK in part.metadata and part.name not in options_of(base):
                default: Any = part.default
                factory: Any = part.default_factory
                copy = field(default=default, default_factory=factory, metadata=part.metadata)
                fields[part.name] = (hints[part.name], copy)
    if not fields:
        return base
    listed = [(name, kind, part) for name, (kind, part) in fields.items()]
    made: type[Settings] = dataclasses.make_dataclass(
        base.__name__, listed, bases=(base,), frozen=True, kw_only=True
    )
    return made


def build(
    family: Family[Any, Any], read: Items[Any], settings: Any, context: Context
) -> dict[str, Metric]:
    """The metrics of a run by name, with their models: those asked for, else all that apply."""
    items = getattr(read.items, "examples", read.items)
    codes = tuple(dict.fromkeys(getattr(item, "language", "") for item in items)) or ("",)
    wiring = Wiring(family, items, settings, context, codes)
    chosen = choose(family.name, tuple(getattr(settings, "metrics", ())), family.beside)
    return _Builder(family, wiring, chosen).build()


@dataclass(frozen=True, slots=True)
class Choice:
    """The metrics to make, each after those that it derives from."""

    kinds: dict[str, Any]
    asked: dict[str, tuple[str, ...]]  # metric -> its scores asked for by name; none: all
    by_name: frozenset[str]  # the metrics that were asked for, by a score or for another's sake


def choose(shape: str, wanted: Sequence[str], beside: Sequence[str] = ()) -> Choice:
    """The metrics that make the wanted scores, or all of a shape, in the registry's order.

    Those `beside` are made too where they apply.
    """
    known = metrics_of(shape)
    asked: dict[str, tuple[str, ...]] = {}
    for score in wanted:
        name = metric_named(shape, score)
        asked[name] = (*asked.get(name, ()), score.strip().lower().replace("-", "_"))
    chosen = {*asked, *beside} if asked else set(known)
    whole = {name for name, scores in asked.items() if name in scores}
    bases = {base for name in asked for base in getattr(known[name](), "derives", ())}
    chosen |= bases
    kinds = {name: load() for name, load in known.items() if name in chosen}
    for name in [one for kind in kinds.values() for one in getattr(kind, "companions", ())]:
        if set(known[name]().derives) <= chosen:
            kinds[name] = known[name]()
    scores_of = {name: () if name in whole | bases else asked.get(name, ()) for name in kinds}
    ordered = {name: kinds[name] for name in known if name in kinds}
    return Choice(
        ordered, scores_of, frozenset(kinds) - {*beside} | {*asked} if asked else frozenset()
    )


@dataclass
class _Builder:
    """The metrics of one run."""

    family: Family[Any, Any]
    wiring: Wiring
    chosen: Choice

    def build(self) -> dict[str, Metric]:
        models = self._load()
        names = list(self.chosen.kinds)
        if models:
            first = models[self.wiring.languages[0]]
            names = [name for name in names if not self._lacks(name, first)]
            self._tell_partial(names, first)
        built = {code: self._build_all(names, code, models) for code in self.wiring.languages}
        wanted = self._wanted(next(iter(built.values())))
        if not wanted:
            lines = ["There is nothing to compute.", *self.wiring.context.left_out]
            raise InputError(" ".join(lines))
        return {name: by_language({code: built[code][name] for code in built}) for name in wanted}

    def _wires(self, name: str, models: bool) -> dict[str, Wire]:
        """The wired fields of a metric: those that ask for models, or the others."""
        kind = self.chosen.kinds[name]
        if not dataclasses.is_dataclass(kind):
            raise InputError(f"The metric '{name}' is not a dataclass, so it cannot be signed")
        wires: dict[str, Wire] = {}
        for part in dataclasses.fields(kind):
            if WIRE in part.metadata:
                wires[part.name] = part.metadata[WIRE]
            elif part.name in ROLES:  # a field that has a role's name needs no declaration
                wires[part.name] = Wire(role=part.name, required=part.default is MISSING)
        return {key: wire for key, wire in wires.items() if bool(wire.role) == models}

    def _roles(self, name: str) -> dict[str, Wire]:
        """The roles that a metric uses in this run."""
        wires = {wire.role: wire for wire in self._wires(name, models=True).values()}
        used = getattr(self.chosen.kinds[name], "roles", None)
        if used is None:
            return wires
        named = used(replace(self.wiring, asked=self.chosen.asked[name]))
        return {role: wire for role, wire in wires.items() if role in named}

    def _load(self) -> dict[str, Models]:
        """The models of all metrics, by language.

        Where nothing was named, metrics that cannot be made without a missing model are left out.
        """
        from gistmeter.models.settings import profile_names

        family, settings = self.family, self.wiring.settings
        names = {role: getattr(settings, family.roles.get(role, role), "") for role in ROLES}
        while True:
            roles = dict.fromkeys(role for name in self.chosen.kinds for role in self._roles(name))
            if not roles:
                profile_names(family.profile(settings), "", self.wiring.context.profiles)
                return {}
            from gistmeter.models.loading import Loader

            context = self.wiring.context
            loader = Loader(context.cache, family.model_settings(settings), context.progress)
            try:
                return loader.by_language(
                    list(roles), self.wiring.languages, profile=family.profile(settings),
                    names=names, profiles=self.wiring.context.profiles,
                )  # fmt: skip
            except (MissingDependency, MissingModel) as error:
                needed = [name for name in self.chosen.kinds
                          if any(wire.required for wire in self._roles(name).values())]  # fmt: skip
                if self.chosen.by_name or any(names.values()) or not needed:
                    raise
                for name in needed:
                    title = title_of(self.chosen.kinds.pop(name), name)
                    self.wiring.context.leave_out(f"{title} is left out. {error}")

    def _lacks(self, name: str, models: Models) -> bool:
        """Whether a metric cannot be made; an error where it was asked for."""
        for role, wire in self._roles(name).items():
            if wire.required and getattr(models, role) is None:
                if name in self.chosen.by_name:
                    why = models.absent.get(role, "the profile has none")
                    title = title_of(self.chosen.kinds[name], name)
                    raise InputError(f"{title} needs a model for '{role}': {why}")
                return True
        return False

    def _tell_partial(self, names: Sequence[str], models: Models) -> None:
        """A component without its model: an error if strict or asked for, else a remark."""
        for name in names:
            title = title_of(self.chosen.kinds[name], name)
            for role, wire in self._roles(name).items():
                if role not in models.absent:
                    continue
                if wire.score and wire.score in self.chosen.asked[name]:
                    raise InputError(f"'{wire.score}' needs a model: {models.absent[role]}")
                if getattr(self.wiring.settings, "strict", False):
                    raise InputError(f"{title} would be partial: {models.absent[role]}")
                spelled = role.replace("_", "-")
                self.wiring.context.say(
                    f"{title} is partial, without {spelled}: {models.absent[role]}"
                )

    def _build_all(
        self, names: Sequence[str], code: str, models: Mapping[str, Models]
    ) -> dict[str, Metric]:
        made: dict[str, Metric] = {}
        for name in names:
            wiring = replace(
                self.wiring, language=code, asked=self.chosen.asked[name],
                by_name=name in self.chosen.by_name, models=models, made=made,
            )  # fmt: skip
            metric = self._build(name, wiring)
            if metric is not None:
                made[name] = metric
        return made

    def _build(self, name: str, wiring: Wiring) -> Metric | None:
        kind, settings = self.chosen.kinds[name], wiring.settings
        values = {
            part.name: getattr(settings, part.name)
            for part in dataclasses.fields(kind)
            if MARK in part.metadata and hasattr(settings, part.name)
        }
        for key, wire in self._wires(name, models=False).items():
            if wire.function is not None:
                values[key] = wiring.once(wire.function) if wire.shared else wire.function(wiring)
                if wire.required and values[key] is None:
                    return None
            elif hasattr(settings, wire.setting or key):
                value = getattr(settings, wire.setting or key)
                values[key] = wire.via(value) if wire.via else value
        used = self._roles(name)
        for key, wire in self._wires(name, models=True).items():
            if wire.role in used:
                values[key] = wiring.model(wire.role)
        metric: Metric = kind(**values)
        return metric

    def _wanted(self, made: Mapping[str, Metric]) -> list[str]:
        """The metrics to compute; an error where one that was asked for lacks something."""
        wanted = []
        for name, metric in made.items():
            by_name = name in self.chosen.by_name
            hook = getattr(metric, "requires" if by_name else "applies", None)
            answer = hook(self.wiring.items) if hook is not None else not by_name
            if by_name and answer:
                raise InputError(answer)
            if by_name or answer:
                wanted.append(name)
        return wanted


def title_of(kind: Any, name: str) -> str:
    """What people call a metric: the title of its first score."""
    if not kind.scores:
        return name
    score, title = str(kind.scores[0].name), str(kind.scores[0].title)
    if not title or title.lower() == score:
        return title or score
    return f"{title[0].upper()}{title[1:]} ({score})"
