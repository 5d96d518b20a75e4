"""The words of the interface, one file per language, and which of them somebody reads.

`interface/en.json` has every text; another language that lacks one shows the English.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib import resources

LANGUAGES: Mapping[str, str] = {"en": "English", "zh": "中文", "ja": "日本語"}
COOKIE = "gistmeter-language"


@functools.cache
def texts(language: str) -> Mapping[str, str]:
    """All texts of a language by key."""
    place = resources.files(__package__).joinpath("interface", f"{language}.json")
    own: dict[str, str] = json.loads(place.read_text("utf-8"))
    return own if language == "en" else {**texts("en"), **own}


def say(language: str, key: str, **values: object) -> str:
    """A text with its values; a key that is none is a fault that the tests find."""
    return texts(language)[key].format(**values)


def choose_language(chosen: str, accepted: str) -> str:
    """The language that was switched to, else the first that the browser accepts."""
    if chosen in LANGUAGES:
        return chosen
    weighted = []
    for at, part in enumerate(accepted[:400].split(",")):
        name, _, quality = part.strip().partition(";q=")
        try:
            weight = float(quality or 1)
        except ValueError:
            continue
        weighted.append((-weight, at, name.split("-")[0].lower()))
    return next((name for _, _, name in sorted(weighted) if name in LANGUAGES), "en")
