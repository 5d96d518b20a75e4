"""The languages of a run with the user's own word lists, and what makes a conflict of polarity."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from gistmeter import languages
from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.wiring import Wiring
from gistmeter.languages import lexicons
from gistmeter.languages.remembering import RememberingLanguage
from gistmeter.text.metrics.polarity import PolarityRule, parse_sign
from gistmeter.text.settings import TextSettings


def readers(wiring: Wiring) -> dict[str, RememberingLanguage]:
    """All languages of the run, each remembering in the cache what it read."""
    settings = wiring.settings
    own = own_lists(settings)
    found = {}
    for code in wiring.languages:
        language = languages.get(code, settings.tokenizer)
        if own:
            language = language.with_lists(lexicons.register(language.lists, own))
        if settings.polarity_reading == "words":
            language = replace(language, presence=True)
        found[code] = RememberingLanguage(language, wiring.context.cache)
        found[code].require()
    return found


def own_lists(settings: TextSettings) -> dict[str, list[str]]:
    """The lists that the user gives in place of a language's own."""
    given: dict[str, list[str]] = {}
    for name in ("stopwords", "negations"):
        path: Path | None = getattr(settings, name)
        if path:
            given[name] = read_words(path)
    if settings.polarity_words:
        signs = _signs(settings.polarity_words, "word")
        given["positive"] = [word for word, sign in signs.items() if sign > 0]
        given["negative"] = [word for word, sign in signs.items() if sign < 0]
    return given


def read_words(path: Path) -> list[str]:
    """A word per line; lines that begin with # are remarks."""
    from gistmeter.core.files import read_bytes
    from gistmeter.core.inputs import decode

    lines = [line.strip() for line in decode(read_bytes(path), path)[0].splitlines()]
    words = [line for line in lines if line and not line.startswith("#")]
    if not words:
        raise FormatError("has no words; one per line was expected", path=path)
    return words


def polarity_rule(wiring: Wiring) -> PolarityRule:
    """When a conflict of polarity counts, as the settings say."""
    settings: TextSettings = wiring.settings
    path = settings.polarity_overrides
    return PolarityRule(
        settings.polarity_penalty,
        settings.polarity_mode,
        settings.polarity_ratio,
        _signs(path, "idiom") if path else {},
        settings.polarity_reading,
    )


def _signs(path: Path, what: str) -> dict[str, int]:
    from gistmeter.text.formats.references import POLARITY, read_by_idiom

    given: dict[str, Any] = read_by_idiom(path, "polarity", POLARITY, key=what)
    try:
        return {key: parse_sign(sign) for key, sign in given.items()}
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
