"""Numbers and foreign text as the page shows them.

Text from outside is shown, never obeyed: control characters become visible signs, direction
overrides and half characters a replacement mark, and what is too long to read is cut with its
length said.
"""

from __future__ import annotations

import math
import re

LONGEST = 4000  # characters of a text that a reader can be expected to look at
DIRECTION = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
HALF = re.compile("[\ud800-\udfff]")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
HIGH_CONTROL = re.compile("[\x80-\x9f]")
KANA, HANGUL, HAN = (
    re.compile("[\u3040-\u30ff\uff66-\uff9f]"),
    re.compile("[\uac00-\ud7af\u1100-\u11ff]"),
    re.compile("[\u3400-\u9fff\uf900-\ufaff]"),
)


def visible(text: str) -> str:
    """The same characters, none of which can move, hide or break what stands around them."""
    text = CONTROL.sub(lambda found: chr(0x2400 + min(ord(found[0]), 0x21)), text)
    text = HIGH_CONTROL.sub(
        "\N{REPLACEMENT CHARACTER}", DIRECTION.sub("\N{REPLACEMENT CHARACTER}", text)
    )
    return HALF.sub("\N{REPLACEMENT CHARACTER}", text)


def shown(text: str | None, longest: int = LONGEST) -> str:
    """A text made visible, and cut where nobody would read on."""
    if not text:
        return ""
    if len(text) <= longest:
        return visible(text)
    return f"{visible(text[:longest])} … (+{len(text) - longest:,} characters)"


def script_language(text: str, default: str = "") -> str:
    """A `lang` for fonts: by the script, with the run's language deciding between the Chinese."""
    if KANA.search(text):
        return "ja"
    if HANGUL.search(text):
        return "ko"
    if HAN.search(text):
        return default if default.startswith(("zh", "ja", "ko")) else "zh"
    return default if default not in ("", "auto", "generic") else ""


def figure(value: float, unit: str = "") -> str:
    """A score as a reader wants it: three decimals, or one with a percent sign."""
    if not math.isfinite(value):
        return "–"
    if unit == "%":
        return f"{value:.1f}%"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3f}"


def span(low: float, high: float, unit: str = "") -> str:
    """An interval."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    if unit == "%":
        return f"{low:.1f} – {high:.1f}"
    return f"{figure(low)} – {figure(high)}"


def signed(value: float, unit: str = "") -> str:
    """A difference with its sign; rates differ in points, not in percent."""
    if not math.isfinite(value):
        return "–"
    sign = "+" if value > 0 else "−" if value < 0 else "±"
    return f"{sign}{abs(value):.1f}" if unit == "%" else f"{sign}{abs(value):.3f}"


def probability(value: float) -> str:
    """A p-value, small ones as bounds."""
    if not math.isfinite(value):
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def count(number: int, thing: str) -> str:
    """ "1 item", "2 items"."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def listed(names: list[str], most: int = 4) -> str:
    """ "a, b and c"; the rest of many as a number."""
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
