"""Labels, decisions and retractions: the lines of `labels.jsonl` and `decisions.jsonl`.

A label is what one person said of one item, or of two (`which`: 1 where the first is better, 0
where the second is, 0.5 for a tie). It is kept as given, with its scale; `share` puts it between 0
and 1. `selection` says how the item was chosen, with the probability; a label without one was
given to an item that nobody drew, and no estimate rests on it. A retraction takes a label or a
decision back; both lines stay. `docs/schema` has the JSON schemas.
"""

from __future__ import annotations

import dataclasses
import datetime
import math
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeVar

from gistmeter.core.files import printable

KINDS = ("scale", "yes_no", "which")
VERDICTS = ("accept", "dismiss", "comment")
DIGEST = re.compile(r"[0-9a-f]{64}")
IDENTIFIER = re.compile(r"[0-9A-Za-z_-]{8,64}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
LONGEST_NAME, LONGEST_COMMENT = 200, 10_000  # characters


def new_id() -> str:
    """An identifier that nobody else gives."""
    return secrets.token_hex(12)


def now() -> str:
    """The time in UTC, as records have it."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Selection:
    """How an item came to be asked about."""

    design: str  # "uniform", "stratified" or "active"
    draw: str  # names the draw: run, design, size, seed
    seed: int
    size: int  # of the sample that was drawn
    population: int  # how many could have been drawn
    probability: float  # that this one is in the sample
    stratum: int | None = None
    stratum_share: float | None = None  # of the population

    @classmethod
    def of(cls, document: Any) -> Self | None:
        """From JSON; what does not fit is a `ValueError`."""
        if document is None:
            return None
        value = _object(document, "selection")
        size, population = _whole(value, "size"), _whole(value, "population")
        probability = _number(value, "probability")
        if not (0 < probability <= 1 and 0 < size <= population):
            raise ValueError("selection: probability must be above 0 and at most 1, and size at "
                             "most population")  # fmt: skip
        stratum = share = None
        if value.get("stratum") is not None:
            stratum, share = _whole(value, "stratum"), _number(value, "stratum_share")
            if stratum < 0 or not 0 < share <= 1:
                raise ValueError("selection: stratum must be from 0 on, its share in (0, 1]")
        return cls(_text(value, "design"), _text(value, "draw"), _whole(value, "seed"), size,
                   population, probability, stratum, share)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """What one person said of one item, or of two."""

    item: str  # the digest of its texts
    rater: str
    kind: str  # one of KINDS
    value: float
    scale: tuple[float, float] = (0.0, 1.0)  # the lowest and the highest that can be said
    other: str = ""  # of `which`: the digest of the second item
    question: str = ""  # what was asked
    comment: str = ""
    selection: Selection | None = None
    place: Mapping[str, str] = field(default_factory=dict)  # run, system, id, group: for people
    id: str = field(default_factory=new_id)
    at: str = field(default_factory=now)

    def __post_init__(self) -> None:
        low, high = self.scale
        _check(self.item, self.rater, self.id, self.at)
        if self.kind not in KINDS:
            raise ValueError(f"kind: is '{self.kind}', expected one of {', '.join(KINDS)}")
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError("scale: expected two numbers, the lower first")
        if not low <= self.value <= high:
            raise ValueError(f"value: {self.value:g} is not on the scale from {low:g} to {high:g}")
        if self.kind != "scale" and (self.scale != (0.0, 1.0) or self.value not in (0, 0.5, 1)):
            raise ValueError(f"value: {self.value:g} is not an answer to {self.kind}")
        if self.kind == "yes_no" and self.value == 0.5:
            raise ValueError("value: 0.5 is not an answer to yes_no")
        if (self.kind == "which") != bool(DIGEST.fullmatch(self.other)):
            raise ValueError("other: the digest of the second item is needed for 'which' alone")

    @property
    def share(self) -> float:
        """The value between 0 and 1."""
        return (self.value - self.scale[0]) / (self.scale[1] - self.scale[0])

    @property
    def subject(self) -> tuple[str, ...]:
        """What it is about: of several labels of one subject, the last stands."""
        return self.item, self.other, self.rater, self.kind, self.question

    def to_dict(self) -> dict[str, Any]:
        """The line of `labels.jsonl`."""
        document: dict[str, Any] = {
            "type": "label", "id": self.id, "item": self.item, "rater": self.rater, "at": self.at,
            "kind": self.kind, "value": self.value,
        }  # fmt: skip
        if self.kind == "scale":
            document["scale"] = list(self.scale)
        more = {"other": self.other, "question": self.question, "comment": self.comment,
                "place": dict(self.place)}  # fmt: skip
        document |= {name: value for name, value in more.items() if value}
        if self.selection:
            chosen = dataclasses.asdict(self.selection)
            document["selection"] = {k: v for k, v in chosen.items() if v is not None}
        return document

    @classmethod
    def of(cls, document: Any) -> Self:
        """From JSON; what does not fit is a `ValueError`."""
        value = _object(document, "label")
        scale = value.get("scale", [0.0, 1.0])
        if not isinstance(scale, list) or len(scale) != 2:
            raise ValueError("scale: expected two numbers, the lower first")
        low, high = ({"end": end} for end in scale)
        return cls(
            item=_text(value, "item"), rater=_text(value, "rater"), kind=_text(value, "kind"),
            value=_number(value, "value"), scale=(_number(low, "end"), _number(high, "end")),
            other=_text(value, "other", ""), question=_text(value, "question", "", LONGEST_COMMENT),
            comment=_text(value, "comment", "", LONGEST_COMMENT),
            selection=Selection.of(value.get("selection")), place=_place(value),
            id=_text(value, "id"), at=_text(value, "at"),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """What a reviewer decided on one finding of one item."""

    item: str  # the digest of its texts
    finding: str  # what was found, as the queue calls it: "invented", "changed", "worst" …
    reviewer: str
    verdict: str  # one of VERDICTS
    comment: str = ""
    place: Mapping[str, str] = field(default_factory=dict)
    id: str = field(default_factory=new_id)
    at: str = field(default_factory=now)

    def __post_init__(self) -> None:
        _check(self.item, self.reviewer, self.id, self.at)
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict: is '{self.verdict}', expected one of {', '.join(VERDICTS)}")

    @property
    def subject(self) -> tuple[str, ...]:
        """What it is about: of several decisions of one subject, the last stands.

        A comment decides nothing, so it is a subject of its own and none replaces another.
        """
        own = self.id if self.verdict == "comment" else ""
        return self.item, self.finding, self.reviewer, own

    def to_dict(self) -> dict[str, Any]:
        """The line of `decisions.jsonl`."""
        document: dict[str, Any] = {
            "type": "decision", "id": self.id, "item": self.item, "finding": self.finding,
            "reviewer": self.reviewer, "at": self.at, "verdict": self.verdict,
        }  # fmt: skip
        more = {"comment": self.comment, "place": dict(self.place)}
        return document | {name: value for name, value in more.items() if value}

    @classmethod
    def of(cls, document: Any) -> Self:
        """From JSON; what does not fit is a `ValueError`."""
        value = _object(document, "decision")
        return cls(
            item=_text(value, "item"), finding=_text(value, "finding"),
            reviewer=_text(value, "reviewer"), verdict=_text(value, "verdict"),
            comment=_text(value, "comment", "", LONGEST_COMMENT), place=_place(value),
            id=_text(value, "id"), at=_text(value, "at"),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Retraction:
    """Takes a label or a decision back."""

    of_id: str
    who: str
    what: str = "label"  # or "decision"
    id: str = field(default_factory=new_id)
    at: str = field(default_factory=now)

    def __post_init__(self) -> None:
        _check("0" * 64, self.who, self.id, self.at)
        if not IDENTIFIER.fullmatch(self.of_id):
            raise ValueError("of: is not an identifier of a record")
        if self.what not in ("label", "decision"):
            raise ValueError("what: expected 'label' or 'decision'")

    def to_dict(self) -> dict[str, Any]:
        return {"type": "retraction", "id": self.id, "what": self.what, "of": self.of_id,
                "who": self.who, "at": self.at}  # fmt: skip

    @classmethod
    def of(cls, document: Any) -> Self:
        """From JSON; what does not fit is a `ValueError`."""
        value = _object(document, "retraction")
        return cls(*(_text(value, name) for name in ("of", "who", "what", "id", "at")))


Record = LabelRecord | DecisionRecord | Retraction
TYPES: Mapping[str, type[Record]] = {
    "label": LabelRecord, "decision": DecisionRecord, "retraction": Retraction,
}  # fmt: skip


class Said(Protocol):
    """What labels and decisions share."""

    @property
    def id(self) -> str: ...
    @property
    def subject(self) -> tuple[str, ...]: ...


SaidT = TypeVar("SaidT", bound=Said)


def standing(records: Iterable[SaidT], retractions: Iterable[Retraction]) -> list[SaidT]:
    """The records that count: each once, none that was taken back, the last of its subject."""
    gone = {one.of_id for one in retractions}
    last: dict[tuple[str, ...], SaidT] = {}
    seen: set[str] = set()
    for record in records:
        if record.id in seen:
            continue
        seen.add(record.id)
        if record.id not in gone:
            last.pop(record.subject, None)
            last[record.subject] = record
    return list(last.values())


def _check(item: str, who: str, identifier: str, at: str) -> None:
    if not DIGEST.fullmatch(item):
        raise ValueError("item: is not a digest of texts (64 hexadecimal digits)")
    if not who.strip() or printable(who) != who:
        raise ValueError("the name of the person is empty, or no text")
    if not IDENTIFIER.fullmatch(identifier):
        raise ValueError("id: expected 8 to 64 letters, digits, _ or -")
    if not TIME.fullmatch(at):
        raise ValueError("at: expected a time in UTC such as 2026-01-31T12:00:00Z")


def _object(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name}: is not a JSON object")
    return value


def _text(
    value: Mapping[str, Any], name: str, default: str | None = None, longest: int = LONGEST_NAME
) -> str:
    found = value.get(name, default)
    if not isinstance(found, str):
        raise ValueError(f"{name}: expected text")
    if len(found) > longest:
        raise ValueError(f"{name}: has {len(found):,} characters, at most {longest:,} are allowed")
    return printable(found)


def _number(value: Mapping[str, Any], name: str) -> float:
    found = value.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float) or not abs(found) < 1e15:
        raise ValueError(f"{name}: expected a number")
    return float(found)


def _whole(value: Mapping[str, Any], name: str) -> int:
    found = value.get(name)
    if isinstance(found, bool) or not isinstance(found, int) or not abs(found) < 10**15:
        raise ValueError(f"{name}: expected a whole number")
    return found


def _place(value: Mapping[str, Any]) -> dict[str, str]:
    place = _object(value.get("place", {}), "place")
    if len(place) > 8:
        raise ValueError("place: has more than 8 entries")
    return {str(name)[:LONGEST_NAME]: _text(place, name, longest=1000) for name in place}
