"""Numbers and lists as the page says them."""

from __future__ import annotations

import math


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
    return sign + gap(value, unit).removesuffix(" points")


def gap(value: float, unit: str = "") -> str:
    """The size of a difference, with as many digits as it takes to be more than nothing."""
    size = abs(value)
    digits = 1 if unit == "%" else 3
    while size > 0 and float(f"{size:.{digits}f}") == 0 and digits < 9:
        digits += 1
    return f"{size:.{digits}f}" + (" points" if unit == "%" else "")


def probability(value: float) -> str:
    """A p-value, small ones as bounds."""
    if not math.isfinite(value):
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def count(number: int, thing: str) -> str:
    """ "1 item", "2 items", "2 dishes", "2 entries"."""
    if number == 1:
        return f"1 {thing}"
    if thing.endswith("y") and thing[-2] not in "aeiou":
        return f"{number:,} {thing[:-1]}ies"
    return f"{number:,} {thing}{'es' if thing.endswith(('s', 'x', 'z', 'ch', 'sh')) else 's'}"


def listed(names: list[str], most: int = 4) -> str:
    """ "a, b and c"; the rest of many as a number."""
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
