"""The sign-off: what was decided on a run, by whom, on what grounds, and what stays open.

It is made from the folder alone, so that it can be made again: the run's answer and scores, the
decisions and labels that stand, the agreement of reviewers and raters. Who signs and when is given.
`keep_signoff` copies all it rests on into the run's details, so that it stands without the folder.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gistmeter.core.errors import InputError
from gistmeter.core.files import printable
from gistmeter.core.types import defined
from gistmeter.people.item_keys import decisions_of, labels_of
from gistmeter.people.records import DecisionRecord, LabelRecord
from gistmeter.people.statements import LabelSummary, summarise_labels
from gistmeter.people.validation.annotators import krippendorff_alpha

if TYPE_CHECKING:
    from gistmeter.core.run import Run

DOCUMENT, BASIS = "signoff.json", "signoff-basis.jsonl"


@dataclass(frozen=True, slots=True)
class OpenFinding:
    """Something found that asks for a decision, as a review queue has it."""

    item: str  # the digest of its texts
    finding: str
    text: str = ""  # for people


@dataclass(frozen=True, slots=True)
class Decided:
    """A finding with all that was decided on it."""

    item: str
    finding: str
    text: str
    verdict: str  # "accept", "dismiss", or "contested" where reviewers differ
    reviewers: tuple[str, ...]
    comments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SystemScore:
    """A score that the run is judged by, as it is shown."""

    system: str
    score: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class SignOff:
    """The document's value."""

    run: str  # the folder's name
    command: str
    signature: str
    inputs: tuple[tuple[str, str], ...]  # file and SHA-256
    verdict: str
    scores: tuple[SystemScore, ...]
    decided: tuple[Decided, ...]
    still_open: tuple[OpenFinding, ...]
    reviewers: tuple[tuple[str, int], ...]  # name and number of decisions
    reviewer_alpha: float  # NaN: nobody reviewed the same finding
    raters: tuple[tuple[str, int], ...]
    labels: LabelSummary | None
    latest: str  # the time of the last record that it rests on
    basis: str  # SHA-256 of these records
    signed_by: str = ""
    signed_at: str = ""
    remark: str = ""
    records: str = field(default="", repr=False)  # the lines that it rests on

    @property
    def contested(self) -> tuple[Decided, ...]:
        return tuple(one for one in self.decided if one.verdict == "contested")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; undefined numbers are None."""
        document: dict[str, Any] = _plain(dataclasses.replace(self, labels=None))
        document.pop("records")
        return document | {"labels": self.labels.to_dict() if self.labels else None}


def build_signoff(
    run: Run,
    findings: Sequence[OpenFinding] = (),
    *,
    signed_by: str = "",
    signed_at: str = "",
    remark: str = "",
    top: Path | None = None,
) -> SignOff:
    """The sign-off of a run; `findings` are those of the review, decided or not. What people said
    is looked for in no folder above `top`.

    Reproducible: the same folder, findings and signer give the same value.
    """
    if run.path is None:
        raise InputError("This run has no folder yet: save it first, then sign it off")
    decisions = decisions_of(run, [one.item for one in findings], top)
    labels = labels_of(run, top)
    texts = {(one.item, one.finding): one.text for one in findings}
    decided = _decided(decisions, texts)
    settled = {(one.item, one.finding) for one in decided if one.verdict != "contested"}
    spelled = _basis(decisions, labels)
    return SignOff(
        run=run.path.resolve().name,
        command=run.command,
        signature=run.signature,
        inputs=tuple(sorted((str(name), digest) for name, digest in run.inputs.items())),
        verdict=run.answer(),
        scores=tuple(_scores(run)),
        decided=tuple(decided),
        still_open=tuple(one for one in findings if (one.item, one.finding) not in settled),
        reviewers=_counted(one.reviewer for one in decisions),
        reviewer_alpha=decision_alpha(decisions),
        raters=_counted(one.rater for one in labels),
        labels=summarise_labels(run, labels) if labels else None,
        latest=max([*(one.at for one in decisions), *(one.at for one in labels)], default=""),
        basis=hashlib.sha256(spelled.encode()).hexdigest(),
        signed_by=signed_by,
        signed_at=signed_at,
        remark=remark,
        records=spelled,
    )


def keep_signoff(run: Run, signoff: SignOff, **renderings: bytes) -> list[str]:
    """Copy the document, what it rests on, and its renderings (html, docx) into the run's details.

    Returns the names of the files in the run's folder.
    """
    document = json.dumps(signoff.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)
    named = {DOCUMENT: f"{printable(document)}\n".encode(), BASIS: signoff.records.encode()}
    named |= {f"signoff.{suffix}": content for suffix, content in renderings.items()}
    run.keep(named)
    return [f"details/{name}" for name in named]


def _scores(run: Run) -> list[SystemScore]:
    """The scores to judge by, of each system; the first score where none is named."""
    found = []
    for system, held in run.systems.items():
        names = [name for name in run.headline if name in held.scores] or list(held.scores)[:1]
        scores = [held.scores[name] for name in names]
        found += [SystemScore(system, s.name, s.value, s.low, s.high, s.n) for s in scores]
    return found


def _decided(
    decisions: Sequence[DecisionRecord], texts: dict[tuple[str, str], str]
) -> list[Decided]:
    found: dict[tuple[str, str], list[DecisionRecord]] = {}
    for one in decisions:
        found.setdefault((one.item, one.finding), []).append(one)
    listed = []
    for (item, finding), records in found.items():
        verdicts = {one.verdict for one in records if one.verdict != "comment"}
        if not verdicts:
            continue
        text = texts.get((item, finding)) or next(
            (one.place["text"] for one in records if one.place.get("text")), ""
        )
        listed.append(
            Decided(
                item,
                finding,
                text,
                verdicts.pop() if len(verdicts) == 1 else "contested",
                tuple(dict.fromkeys(one.reviewer for one in records)),
                tuple(one.comment for one in records if one.comment),
            )
        )
    return sorted(listed, key=lambda one: (one.finding, one.text, one.item))


def decision_alpha(decisions: Sequence[DecisionRecord]) -> float:
    """Krippendorff's alpha of accept and dismiss; NaN where no finding has two decisions."""
    decided = [one for one in decisions if one.verdict != "comment"]
    subjects = {(one.item, one.finding): 0 for one in decided}
    places = {subject: at for at, subject in enumerate(subjects)}
    names = sorted({one.reviewer for one in decided})
    table = np.full((len(names), len(places)), math.nan)
    for one in decided:
        table[names.index(one.reviewer), places[one.item, one.finding]] = one.verdict == "accept"
    return krippendorff_alpha(table) if names else math.nan


def _counted(names: Any) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(names).items()))


def _basis(decisions: Sequence[DecisionRecord], labels: Sequence[LabelRecord]) -> str:
    """All records that count, one per line, in an order of their own."""
    records: list[DecisionRecord | LabelRecord] = [*decisions, *labels]
    lines = [json.dumps(one.to_dict(), ensure_ascii=False, sort_keys=True) for one in records]
    return "".join(f"{line}\n" for line in sorted(lines))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return defined(value) if isinstance(value, float) else value
