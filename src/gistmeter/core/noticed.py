"""What scores notice on altered references: values, and their words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gistmeter.core.types import Sheet

HALF, PART, HARMLESS = 0.5, 0.2, 0.02
ENOUGH = 0.8  # the share from which a score is said to notice
FEWEST = 4  # altered references, below which nothing is said of a kind
ALTERATIONS: Mapping[str, tuple[str, float]] = {  # what to say of each, and how far it must fall
    "denied": ("a denied copy", HALF),
    "number": ("a copy with another number", HALF),
    "name": ("a copy with another name", HALF),
    "half": ("half of the text", PART),
    "wrapped": ("a copy in Markdown with an opening phrase", HARMLESS),
}
TRAINED = ("number", "name")  # the judge has learned from such edits


@dataclass(frozen=True, slots=True)
class Noticed:
    """How often one score notices one alteration."""

    score: str
    kind: str  # of ALTERATIONS
    share: float
    n: int

    @property
    def blind(self) -> bool:
        return self.n >= FEWEST and self.share < ENOUGH

    @property
    def sentence(self) -> str:
        words, _ = ALTERATIONS[self.kind]
        verb = "leaves as it is" if self.kind == "wrapped" else "notices"
        return f"{self.score} {verb} {words} in {self.share:.0%} of {self.n} cases"


@dataclass(frozen=True, slots=True)
class Selftest:
    """What the scores of a run notice on its references."""

    found: tuple[Noticed, ...]
    references: int

    def of(self, name: str) -> list[Noticed]:
        return [entry for entry in self.found if entry.score == name]

    def to_dict(self) -> dict[str, Any]:
        scores: dict[str, dict[str, Any]] = {}
        for entry in self.found:
            scores.setdefault(entry.score, {})[entry.kind] = {
                "share": entry.share, "n": entry.n, "flatters": entry.kind in TRAINED,
            }  # fmt: skip
        return {"references": self.references, "scores": scores}

    @classmethod
    def of_notes(cls, notes: Mapping[str, Any]) -> Selftest:
        """What a run keeps of it; nothing where it keeps none or it cannot be read."""
        try:
            kept = notes["selftest"]
            found = tuple(
                Noticed(score, kind, float(one["share"]), int(one["n"]))
                for score, kinds in kept["scores"].items()
                for kind, one in kinds.items()
                if kind in ALTERATIONS
            )
            return cls(found, int(kept["references"]))
        except (KeyError, TypeError, ValueError, AttributeError):
            return cls((), 0)

    def line(self) -> str:
        """The kind that best tells the scores apart, in one sentence."""
        kinds = [kind for kind in ALTERATIONS if any(entry.kind == kind and entry.n >= FEWEST
                                                     for entry in self.found)]  # fmt: skip
        if not kinds:
            return ""
        spread = {
            kind: [entry.share for entry in self.found if entry.kind == kind] for kind in kinds
        }
        kind = max(kinds, key=lambda name: max(spread[name]) - min(spread[name]))
        shares = ", ".join(
            f"{entry.score} in {entry.share:.0%}" for entry in self.found if entry.kind == kind
        )
        words = ALTERATIONS[kind][0]
        verb = "left as it is" if kind == "wrapped" else "noticed"
        return f"On {self.references} of these references {words} is {verb} by {shares} of cases"

    def sheet(self) -> Sheet:
        rows = [
            [entry.score, ALTERATIONS[entry.kind][0], f"{entry.share:.0%}", entry.n,
             "trained on such edits" if entry.kind in TRAINED else ""]
            for entry in self.found
        ]  # fmt: skip
        note = (
            "Noticed: the score falls at least half way to that of an unrelated text (half of a "
            "text: a fifth of the way); a wrapping must cost less than a fiftieth."
        )
        return Sheet("selftest", ["score", "altered", "noticed", "n", "remark"], rows, note=note)
