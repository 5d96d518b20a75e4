"""The languages of a run with the user's own word lists, and what makes a conflict of polarity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gistmeter import languages
from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.family import Context
from gistmeter.languages import lexicons
from gistmeter.text.metrics.polarity import PolarityRule, parse_sign
from gistmeter.text.remembering import RememberingLanguage
from gistmeter.text.settings import TextSettings


def readers(
    codes: Sequence[str], settings: TextSettings, context: Context
) -> dict[str, RememberingLanguage]:
    """All languages of the run, each remembering in the cache what it read."""
    own = own_lists(settings)
    found = {}
    for code in codes:
        language = languages.get(code, settings.tokenizer)
        if own:
            language = language.with_lists(lexicons.register(language.lists, own))
        if settings.polarity_reading == "words":
            language = replace(language, presence=True)
        found[code] = RememberingLanguage(language, context.cache)
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
    from gistmeter.core.encoding import decode
    from gistmeter.core.files import read_bytes

    lines = [line.strip() for line in decode(read_bytes(path), path)[0].splitlines()]
    words = [line for line in lines if line and not line.startswith("#")]
    if not words:
        raise FormatError("has no words; one per line was expected", path=path)
    return words


def polarity_rule(settings: TextSettings) -> PolarityRule:
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
