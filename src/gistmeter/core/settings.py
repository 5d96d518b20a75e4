"""Settings: dataclasses whose fields are a command's options and Python's arguments alike.

A field is declared once, with `option`: its default, its help, its panel and its limits. The
command line makes its options from the fields, Python takes the same names, and both go through
`convert`, so that a wrong name or value gets the same message wherever it comes from.

    @dataclass(frozen=True, kw_only=True)
    class TextSettings(Settings):
        aggregate: Literal["max", "mean"] = option("max", "Over several references.")
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar

from gistmeter.core.errors import InputError, UnknownName

Kind = Literal["flag", "int", "float", "text", "path", "choice", "texts", "paths", "numbers", "map"]
# What a value can make gistmeter do; a configuration that is not trusted is held to little of it.
Reach = Literal["nothing", "read", "write", "model", "network", "command"]
Panel = Literal["input", "scores", "models", "statistics", "output"]
PANELS: tuple[Panel, ...] = ("input", "scores", "models", "statistics", "output")
KINDS: Mapping[Any, Kind] = {
    bool: "flag", int: "int", float: "float", str: "text", Path: "path",
    tuple[str, ...]: "texts", tuple[Path, ...]: "paths", tuple[float, ...]: "numbers",
    Mapping[str, str]: "map", Mapping[str, float]: "map",
}  # fmt: skip
MARK = "option"
AGAIN = "\n"  # between the values of a name that a map is given several times
PRESET = "preset"  # the option that sets others
OURS = "gistmeter"  # the preset that changes nothing
YES, NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
Built = TypeVar("Built")


@dataclass(frozen=True, slots=True)
class Option:
    """What is declared of a field, and what its annotation says."""

    help: str
    panel: Panel = "scores"
    flags: tuple[str, ...] = ()  # other spellings; they work and are not shown
    metavar: str = ""
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    main: bool = False  # one of the few that most people need: shown first
    advanced: bool = False  # shown by --help-all only
    argument: Literal["", "only", "too"] = ""  # given by its place on the command line
    required: bool = False
    kept: bool = True  # with the run; files are, by their content, among its inputs
    variable: str = ""  # an environment variable of the seeds that stands in for it
    separator: str = ","
    flag: str = ""  # its spelling on the command line, where that cannot be a name in Python
    name: str = ""
    kind: Kind = "text"
    default: Any = None
    numeric: bool = False  # a map whose values are numbers
    model: bool = False  # a model's name, or in Python the model itself
    reach: Reach | None = None  # every option that takes free text or a path declares it
    harmless: tuple[str, ...] = ()  # values that reach for nothing, beside the default
    withheld: str = ""  # the default for a configuration that is not trusted, where it differs


def option(default: Any, help: str, **more: Any) -> Any:
    """Declare a field that can be set from outside."""
    declared = Option(help, **more)
    if isinstance(default, Mapping):
        return field(default_factory=lambda: dict(default), metadata={MARK: declared})
    return field(default=default, metadata={MARK: declared})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The base of all settings: every value is checked, wherever it comes from.

    The option `preset`, where a family has one, sets all that `presets` names under its value;
    what is given beside it wins.
    """

    title: ClassVar[str] = "settings"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    # The options that a configuration file set, and not the user's own call.
    from_file: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

    def __new__(cls, **given: Any) -> Self:
        made = super().__new__(cls)
        object.__setattr__(made, "_given", frozenset(given))
        return made

    def __post_init__(self) -> None:
        options = options_of(type(self))
        if PRESET in options:
            object.__setattr__(self, PRESET, convert(options[PRESET], getattr(self, PRESET)))
        chosen = self.presets.get(getattr(self, PRESET, ""), {})
        for name, declared in options.items():
            given = name in getattr(self, "_given", ()) or name not in chosen
            value = getattr(self, name) if given else chosen[name]
            object.__setattr__(self, name, convert(declared, value))
        self.check()

    def check(self) -> None:
        """What no single option can tell; an `InputError` where settings do not fit together."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Settings from names and values; an unknown name says which there are."""
        (made,) = split(given, cls)
        assert isinstance(made, cls)
        return made

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name, as they are kept with a run; a model by its id."""
        return {
            name: _plain(getattr(self, name))
            for name, declared in options_of(type(self)).items()
            if declared.kept and declared.kind not in ("path", "paths")
        }


def split(
    given: Mapping[str, Any], *kinds: type[Settings], file: Mapping[str, Any] | None = None
) -> list[Settings]:
    """Several settings from one set of names, each name going where it is known.

    `file` holds the options of a configuration file; what is given beside them wins.
    """
    known = {name: kind for kind in reversed(kinds) for name in options_of(kind)}
    other = {alias: name for kind in kinds for alias, name in aliases_of(kind).items()}
    typed = {other.get(name, name): value for name, value in given.items()}
    filed = {other.get(name, name): value for name, value in (file or {}).items()}
    named = {**filed, **typed}
    for name in named:
        if name not in known:
            raise UnknownName(f"option of {kinds[0].title}", name, known)
    from_file = frozenset(filed) - frozenset(typed)
    values = [
        {name: value for name, value in named.items() if known[name] is kind} for kind in kinds
    ]
    return [
        kind(from_file=from_file, **options) for kind, options in zip(kinds, values, strict=True)
    ]


def aliases_of(kind: type[Settings]) -> dict[str, str]:
    """Other names of options, as the seeds have them: max_len for max_length, MODEL_FILE for
    predictions."""
    return {
        spelled.lstrip("-").replace("-", "_").lower(): name
        for name, declared in options_of(kind).items()
        for spelled in (declared.flag, *declared.flags, declared.variable)
        if spelled.startswith("--") or (spelled and spelled == declared.variable)
    }


_KNOWN: dict[Any, dict[str, Option]] = {}


def options_of(kind: type[Settings]) -> dict[str, Option]:
    """The options of some settings, by name, in the order of their declaration."""
    if kind not in _KNOWN:
        hints = typing.get_type_hints(kind)
        _KNOWN[kind] = {
            part.name: _completed(part, hints[part.name])
            for part in dataclasses.fields(kind)
            if MARK in part.metadata
        }
    return _KNOWN[kind]


def _completed(part: Any, annotation: Any) -> Option:
    declared: Option = part.metadata[MARK]
    default = None if part.default is dataclasses.MISSING else part.default
    if part.default_factory is not dataclasses.MISSING:
        default = part.default_factory()
    inner, choices = annotation, declared.choices
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        kinds = [kind for kind in typing.get_args(annotation) if kind is not type(None)]
        inner = kinds[0] if len(kinds) == 1 else annotation
    if typing.get_origin(inner) is Literal:
        choices = tuple(str(choice) for choice in typing.get_args(inner))
    kind: Kind = "choice" if choices else "text" if declared.model else KINDS[inner]
    return dataclasses.replace(
        declared, name=part.name, kind=kind, default=default, choices=choices,
        numeric=inner == Mapping[str, float],
    )  # fmt: skip


def convert(declared: Option, value: Any) -> Any:
    """A value as its option wants it, from text or from Python; else an error that says why."""
    if value is None or (declared.model and not isinstance(value, str)):
        return declared.default if value is None else value
    return CONVERTERS[declared.kind](declared, value)


def _wrong(declared: Option, value: Any, expected: str) -> InputError:
    return InputError(f"{declared.name} is {value!r}; expected {expected}")


def _flag(declared: Option, value: Any) -> bool:
    text = str(value).strip().lower()
    if text in YES or text in NO:
        return text in YES
    raise _wrong(declared, value, "true or false")


def _number(declared: Option, value: Any, kind: Callable[[Any], Built], what: str) -> Built:
    try:
        if isinstance(value, bool) or (kind is int and isinstance(value, float)):
            raise ValueError
        number: Any = kind(value)
    except (TypeError, ValueError, OverflowError):
        raise _wrong(declared, value, what) from None
    low, high = declared.low, declared.high
    if math.isnan(number) or not low <= number <= high:
        limits = f" from {low:g} to {high:g}"
        if math.isinf(high):
            limits = "" if math.isinf(low) else f" of at least {low:g}"
        elif math.isinf(low):
            limits = f" of at most {high:g}"
        raise _wrong(declared, value, what + limits)
    result: Built = number
    return result


def _choice(declared: Option, value: Any) -> str:
    plain = str(value).strip().lower().replace("_", "-")
    if plain not in declared.choices:
        raise UnknownName(f"value of {declared.name}", str(value), declared.choices)
    return plain


def _text(declared: Option, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(declared, value, "text")
    return value


def _path(declared: Option, value: Any) -> Path:
    if not isinstance(value, str | Path) or not str(value):
        raise _wrong(declared, value, "a path")
    return Path(value)


def _paths(declared: Option, value: Any) -> tuple[Path, ...]:
    listed = [value] if isinstance(value, str | Path) else value
    if not isinstance(listed, Iterable):
        raise _wrong(declared, value, "one path or several")
    return tuple(_path(declared, path) for path in listed)


def _texts(declared: Option, value: Any) -> tuple[str, ...]:
    """Names from a list, or from text in which they are separated."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, Iterable):
        raise _wrong(declared, value, "one name or several")
    names: list[str] = []
    for text in listed:
        parts = [_text(declared, text)]
        if declared.separator:  # else every text is one name
            # A list of a configuration file arrives as its spelling, brackets and quotes included.
            parts = [part.strip(" []'\"") for part in text.split(declared.separator)]
            if not any(parts):
                raise _wrong(declared, text, "at least one name")
        names += [part for part in parts if part or not declared.separator]
    return tuple(dict.fromkeys(names))


def _numbers(declared: Option, value: Any) -> tuple[float, ...]:
    listed = value.strip(" []()").split(",") if isinstance(value, str) else value
    if not isinstance(listed, Iterable):
        raise _wrong(declared, value, "numbers")
    return tuple(_number(declared, number, float, "numbers") for number in listed)


def _map(declared: Option, value: Any) -> dict[str, Any]:
    """Pairs from a mapping, or from texts of the form NAME=VALUE.

    A name that is given again, or has a list, keeps all its texts, with `AGAIN` between them.
    """
    pairs: list[Any]
    if isinstance(value, Mapping):
        pairs = [(str(key), held) for key, held in value.items()]
    else:
        listed = [value] if isinstance(value, str) else list(value)
        pairs = [tuple(part.strip() for part in str(text).split("=", 1)) for text in listed]
        for text, pair in zip(listed, pairs, strict=True):
            if len(pair) < 2 or not all(pair):
                raise _wrong(declared, text, declared.metavar or "NAME=VALUE")
    if declared.numeric:
        return {
            key: _number(declared, number, float, "a number for each name") for key, number in pairs
        }
    texts: dict[str, list[str]] = {}
    for key, held in pairs:
        several = held if isinstance(held, list | tuple) else [held]
        texts.setdefault(key, []).extend(_text(declared, text) for text in several)
    return {key: AGAIN.join(dict.fromkeys(held)) for key, held in texts.items()}


CONVERTERS: Mapping[Kind, Callable[[Option, Any], Any]] = {
    "flag": _flag,
    "int": lambda declared, value: _number(declared, value, int, "a whole number"),
    "float": lambda declared, value: _number(declared, value, float, "a number"),
    "text": _text,
    "path": _path,
    "choice": _choice,
    "texts": _texts,
    "paths": _paths,
    "numbers": _numbers,
    "map": _map,
}


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str | Mapping):
        return value
    return str(getattr(value, "id", type(value).__name__))
