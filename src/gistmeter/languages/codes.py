"""Codes and names of languages, in any spelling people use: zh_TW, jp, en-US, Korean, 한국어."""

from __future__ import annotations

import difflib
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from gistmeter.core import registry
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.languages import generic, lexicons
from gistmeter.languages.language import Language

GROUP = "gistmeter.languages"  # of entry points, and our own package
FOLDER = re.compile(r"([a-z]{2,3})(?:_([a-z]{4}))?")  # zh_hant: the code, and a script
SUBTAGS = re.compile(r"(-[a-z0-9]{1,8})*")  # BCP 47
TAG = re.compile(rf"[a-z]{{3}}{SUBTAGS.pattern}")  # ISO 639-3
SCRIPT = re.compile(r"-([a-z]{4})(?![a-z0-9])")
NO_LANGUAGE = frozenset(("", "und", "mul", "zxx"))  # BCP 47: undetermined, several, none
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
SHORTEST = 4  # letters of a name that a file's name may have by no accident
TOKENIZERS: Mapping[str, str] = {
    "jieba": "gistmeter.languages.zh.words:PLAIN",
    "unicode": "gistmeter.languages.analysers:UNICODE",
}


@cache
def folders() -> Mapping[str, str]:
    """Our own packs: the code that each folder is named by, and the package. None is imported."""
    modules = pkgutil.iter_modules([str(Path(__file__).parent)])
    named = (FOLDER.fullmatch(module.name) for module in modules if module.ispkg)
    return {
        f"{name[1]}-{name[2].title()}" if name[2] else name[1]: f"{GROUP}.{name[0]}"
        for name in named
        if name
    }


@cache
def pack_of(code: str) -> Language:
    """The pack of a code, none but it imported where it is ours; else the generic one."""
    if code in folders():
        return _checked(code, partial(registry.load, f"{folders()[code]}:LANGUAGE"))
    return packs().get(code) or generic.pack(code)


@cache
def packs() -> Mapping[str, Language]:
    """Every pack by its code: ours, then those that installed packages add."""
    loaders: dict[str, Callable[[], Any]] = {
        code: partial(registry.load, f"{package}:LANGUAGE") for code, package in folders().items()
    }
    for point in sorted(registry.installed(GROUP), key=lambda point: point.name):
        loaders.setdefault(point.name, point.load)
    return {code: _checked(code, load) for code, load in loaders.items()}


@cache
def headers(role: str) -> tuple[str, ...]:
    """What columns of a role are called in every language whose folder says so."""
    packages = *folders().values(), *(point.module for point in registry.installed(GROUP))
    return tuple(name for package in packages for name in lexicons.columns(package).get(role, ()))


def _checked(code: str, load: Callable[[], Any]) -> Language:
    try:
        pack = load()
    except (ImportError, AttributeError) as error:
        raise InputError(f"The language pack '{code}' cannot be loaded: {error}") from error
    if not isinstance(pack, Language) or pack.code != code:
        raise InputError(
            f"The language pack '{code}' is not a gistmeter.languages.Language with this code. "
            "Check the entry point of the package that brings it"
        )
    return pack


def key(spelled: str) -> str:
    """A spelling with small letters, parts joined by hyphens: `zh_TW` is `zh-tw`."""
    return re.sub(r"[\s_-]+", "-", spelled.strip().lower())


@cache
def spellings() -> Mapping[str, str]:
    """Every known code, alias and name, and the code that it means; packs come first."""
    known: dict[str, str] = {}
    for code, pack in packs().items():
        for spelled in (code, pack.name, *pack.aliases):
            known.setdefault(key(spelled), code)
    for code, called in generic.names().items():
        for spelled in (code, *called):
            known.setdefault(key(spelled), code)
    known[generic.CODE] = generic.CODE
    return known


@cache
def resolve(spelled: str) -> str:
    """The code that a spelling means; regions are dropped (`en-GB` is `en`).

    A code of three letters that is not known is taken as it is: there are thousands.
    """
    if spelled in folders():
        return spelled
    asked = key(spelled)
    if asked in NO_LANGUAGE:
        return generic.CODE
    part = asked
    while part:
        code = spellings().get(part)
        if code is not None and SUBTAGS.fullmatch(asked.removeprefix(part)):
            return _with_script(code, asked)
        part = part.rpartition("-")[0]
    if not TAG.fullmatch(asked):
        close = difflib.get_close_matches(asked, spellings(), n=1)
        raise UnknownName("language", spelled, {*packs(), *close, "… or another ISO 639 code"})
    return _with_script(asked.partition("-")[0], asked)


def _with_script(code: str, asked: str) -> str:
    """A language without a pack keeps the script it is asked for in: `nan-Hani`."""
    script = SCRIPT.search(asked)
    if code in packs() or script is None:
        return code
    return f"{code}-{script[1].title()}"


@cache
def of_name(stem: str) -> str:
    """The language that a file's name says (m_chinese, zh_tw_model_b, ko), "" where it says none
    or several. Short codes count only where they are all of the name."""
    asked = "-".join(re.findall(r"[^\W_]+", CAMEL.sub("-", stem).lower()))
    for code in packs():
        if asked == key(code):
            return code
    codes = {spellings()[name] for name in _names().findall(asked)}
    return codes.pop() if len(codes) == 1 else ""


@cache
def _names() -> re.Pattern[str]:
    """The names of all languages, longest first, so that traditional Chinese is not Chinese."""
    names = sorted((name for name in spellings() if len(name) >= SHORTEST), key=len, reverse=True)
    listed = "|".join(re.escape(name) for name in names if name != generic.CODE)
    return re.compile(rf"(?<![^\W_])(?:{listed})(?![^\W_])")


def name_of(code: str) -> str:
    """The English name of a language, "" where it is not known."""
    return pack_of(code).name


def codes_with_packs() -> tuple[str, ...]:
    """The codes of all packs, and "generic", which stands for every other language."""
    return (*packs(), generic.CODE)


@cache
def get(code: str, tokenizer: str = "") -> Language:
    """The pack of a language; a code without one of its own gets the generic pack.

    Codes and names are read in any usual spelling (`zh_TW`, `jp`, `korean`); regions are dropped
    (`en-GB` is `en`), except that they tell the Chinese scripts apart. `tokenizer` names an
    analyser instead of the language's own: "jieba" is plain jieba on the text as it is,
    punctuation kept; "unicode" needs no dictionary.
    """
    meant = resolve(code)
    language = pack_of(meant)
    if not tokenizer:
        return language
    if tokenizer not in TOKENIZERS:
        raise UnknownName("tokenizer", tokenizer, TOKENIZERS)
    analyser = registry.load(TOKENIZERS[tokenizer])
    return replace(language, analyser=analyser, plain=getattr(analyser, "plain", False))
