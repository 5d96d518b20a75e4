"""What all charts are drawn with: names, colours and marks of systems, scales, elements.

Colours are classes that the page's style fills, so that charts follow it into dark mode. They are
the palette of Okabe and Ito (2008), which colour-blind readers can tell apart, and systems have a
mark besides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = 8
MARKS = (  # around the origin, about ten pixels across
    "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0Z", "M-4.5,-4.5h9v9h-9Z", "M0,-6L6,0L0,6L-6,0Z",
    "M0,-5.5L5.8,4.5H-5.8Z", "M-1.8,-5.4h3.6v3.6h3.6v3.6h-3.6v3.6h-3.6v-3.6h-3.6v-3.6h3.6Z",
    "M0,5.5L5.8,-4.5H-5.8Z", "M5.5,0L-4.5,5.8V-5.8Z", "M-5.5,0L4.5,5.8V-5.8Z",
)  # fmt: skip
UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
MAX_LABEL, MAX_WORDS = 28, 60  # characters of a name, and of words that may take two lines


def label(text: str) -> str:
    """A name short enough for an axis, without control or direction characters."""
    cleaned = UNSAFE.sub("\ufffd", text)
    most = MAX_WORDS if " (" in cleaned else MAX_LABEL
    return cleaned if len(cleaned) <= most else cleaned[: most - 1] + "…"


def unique_labels(names: Iterable[str]) -> dict[str, str]:
    """Each name's label, with a number where two would look alike."""
    labels: dict[str, str] = {}
    for at, name in enumerate(names, start=1):
        short = label(name) or "∅"
        taken = short in labels.values()
        labels[name] = f"{short[: MAX_LABEL - 4]} #{at}" if taken else short
    return labels


@dataclass(frozen=True, slots=True)
class Palette:
    """One colour, mark and label for each system, the same in every part of a page."""

    places: Mapping[str, int]
    labels: Mapping[str, str]

    @classmethod
    def of(cls, *runs: Iterable[str]) -> Palette:
        """By the order of names, not by that of files or ranks: reports of the same systems agree.

        Systems that meet in no run may share a colour, so that those that meet have distinct ones.
        """
        groups = [set(systems) for systems in runs]
        names = sorted(set().union(*groups), key=lambda name: (name.casefold(), name))
        places: dict[str, int] = {}
        for name in names:
            met = {places.get(other) for group in groups if name in group for other in group}
            places[name] = next(at for at in range(len(names)) if at not in met)
        return cls(places, unique_labels(names))

    def colour(self, system: str) -> int:
        return self.places.get(system, 0) % COLOURS

    def mark(self, system: str) -> str:
        """A path; with more systems than colours, other marks of the same colour."""
        at = self.places.get(system, 0)
        return MARKS[(at + at // COLOURS) % len(MARKS)]

    def sign(self, system: str) -> str:
        """The mark as a small picture, to stand before a name."""
        path = tag("path", {"d": self.mark(system), "class": "mark"})
        box = {"class": f"sign s{self.colour(system)}", "viewBox": "-7 -7 14 14"}
        return tag("svg", {**box, "aria-hidden": "true"}, path)

    def legend(self, systems: Sequence[str]) -> str:
        if len(systems) < 2:
            return ""
        names = (f"<li>{self.sign(system)}{escape(self.labels[system])}</li>" for system in systems)
        return tag("ul", {"class": "legend"}, *names)


@dataclass(frozen=True, slots=True)
class Axis:
    """Numbers to per cent of a width or height."""

    low: float
    high: float
    log: bool = False

    @classmethod
    def around(cls, values: Iterable[float], *, share: float = 0.08) -> Axis:
        """The extent of some numbers with a little room on either side."""
        known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        low, high = min(known), max(known)
        room = (high - low) * share or abs(high) * share or 0.05
        return cls(max(0.0, low - room) if low >= 0 else low - room, high + room)

    def place(self, value: float) -> float:
        ends = [self.low, self.high, value]
        low, high, value = [math.log(max(end, 1e-9)) for end in ends] if self.log else ends
        return round(100 * (value - low) / (high - low or 1.0), 2)

    def ticks(self, most: int = 6) -> list[float]:
        """Round numbers within the scale."""
        if self.log:
            steps = [step * 10.0**power for power in range(-3, 9) for step in (1, 2, 5)]
            return [value for value in steps if self.low <= value <= self.high]
        span = self.high - self.low
        if not span > 0:
            return [self.low]
        size = 10.0 ** math.floor(math.log10(span / most))
        step = next(size * unit for unit in (1, 2, 5, 10) if span / (size * unit) <= most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        ticks = [round(step * at, 10) for at in range(first, last + 1)]
        low, high = self.low - span / 1e9, self.high + span / 1e9
        return [value for value in ticks if low <= value <= high]


def tag(name: str, attributes: Mapping[str, object], *inside: str) -> str:
    """An element; attributes are escaped, what is inside must be."""
    written = "".join(f' {key}="{escape(str(value))}"' for key, value in attributes.items())
    return f"<{name}{written}>{''.join(inside)}</{name}>"
