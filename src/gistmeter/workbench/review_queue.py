"""What needs a decision in a run: places of a book, alarms, worst items, unlike answers.

A finding is known by the digest of its texts and by its kind, so that a decision on it holds in any
run of the same texts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gistmeter.book.book_document import editions
from gistmeter.book.edition_alarms import ALARM_KINDS
from gistmeter.book.flags import flags_of, stretch
from gistmeter.core.errors import InputError
from gistmeter.core.family import family_of
from gistmeter.core.rows import Rows
from gistmeter.core.views import Block, Row, mark, marked, plain, shown
from gistmeter.people.item_keys import item_keys, text_key
from gistmeter.people.records import DecisionRecord
from gistmeter.people.score_shares import chosen_score
from gistmeter.people.signoff import OpenFinding
from gistmeter.workbench.result_pages import item_page

if TYPE_CHECKING:
    from gistmeter.core.run import Run
    from gistmeter.report.html.items import Link

MOST = 2000  # findings of a queue
FEW = 10  # of the worst, and of the most different
POOR = 0.5  # a score of meaning below this is worth a look
AROUND = 1  # sentences shown before and after a place
OPEN, CONTESTED = "open", "contested"


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """Something that a person decides on."""

    item: str  # the digest of its texts
    kind: str
    title: str
    system: str
    reason: str = ""
    row: int = -1  # of the run; -1: a place of a book
    blocks: Sequence[Block] = field(default=(), repr=False)

    @property
    def subject(self) -> tuple[str, str]:
        return self.item, self.kind

    def opened(self) -> OpenFinding:
        return OpenFinding(self.item, self.kind, f"{self.title} ({self.system}): {self.reason}")


@dataclass(frozen=True, slots=True)
class Standings:
    """What is decided: by whom, and whether reviewers agree."""

    decisions: Mapping[tuple[str, str], Sequence[DecisionRecord]]

    @classmethod
    def of(cls, decisions: Sequence[DecisionRecord]) -> Standings:
        found: dict[tuple[str, str], list[DecisionRecord]] = {}
        for one in decisions:
            found.setdefault((one.item, one.finding), []).append(one)
        return cls(found)

    def state(self, finding: ReviewFinding) -> str:
        """accept, dismiss, contested, or open."""
        said = self.decisions.get(finding.subject, ())
        verdicts = {one.verdict for one in said if one.verdict != "comment"}
        return CONTESTED if len(verdicts) > 1 else next(iter(verdicts), OPEN)

    def own(self, finding: ReviewFinding, reviewer: str) -> str:
        said = self.decisions.get(finding.subject, ())
        return next((one.verdict for one in said
                     if one.reviewer == reviewer and one.verdict != "comment"), "")  # fmt: skip


def findings_of(run: Run) -> list[ReviewFinding]:
    """The queue of a run, the gravest first; each pair of texts once."""
    found = _of_books(run) if run.command == "book" else _of_rows(run)
    unique: dict[str, ReviewFinding] = {}
    for one in found:
        unique.setdefault(one.item, one)
    return list(unique.values())[:MOST]


def _of_books(run: Run) -> list[ReviewFinding]:
    found = []
    for edition in editions(run):
        book = edition.book
        originals, edited = book.source.sentences, book.summary_sentences
        for flag in flags_of(book):
            source = " ".join(stretch(originals, flag.start, flag.end))
            text = " ".join(stretch(edited, flag.first, flag.last))
            title = shown(book.chapter_title(flag.place) or edition.name, 120)
            sides = [
                _side(
                    "original",
                    originals,
                    flag.start,
                    flag.end,
                    [span for _, *span in flag.source_marks],
                ),
                _side("edition", edited, flag.first, flag.last, flag.marks),
            ]
            found.append(
                ReviewFinding(text_key(source, text), flag.kind, title, edition.system,
                        shown(flag.reason, 600), blocks=sides)
            )  # fmt: skip
    grave = {kind: at for at, kind in enumerate(ALARM_KINDS)}
    return sorted(found, key=lambda one: grave.get(one.kind, -1))


def _side(
    name: str, sentences: Sequence[str], first: int | None, last: int | None, spans: Sequence[Any]
) -> Block:
    """A place with its neighbours, the words that differ marked in its first sentence."""
    if first is None or last is None:
        return plain(name, "")
    before = " ".join(sentences[max(0, first - AROUND) : first])
    after = " ".join(sentences[last + 1 : last + 1 + AROUND])
    text = sentences[first]
    inside = [(max(0, start), min(len(text), stop), "alarm") for start, stop, *_ in spans]
    runs = mark(text, (), [span for span in inside if span[0] < span[1]])
    rest = " ".join(sentences[first + 1 : last + 1])
    here = [(shown(words), kind or "here") for words, kind in runs]
    parts = [(shown(before) + " ", "around"), *here, (" " + shown(rest), "here"),
             (" " + shown(after), "around")]  # fmt: skip
    return marked(name, [(words, kind) for words, kind in parts if words.strip()])


def _of_rows(run: Run) -> list[ReviewFinding]:
    rows, keys = run.measured, item_keys(run)
    name = _score(run)
    lower = any(not held.scores[name].higher_is_better for held in run.systems.values()
                if name in held.scores)  # fmt: skip
    values = rows.values(name) if name else np.full(len(rows), math.nan)
    worth = -values if lower else values
    alarms = rows.values("alarms") if "alarms" in rows else np.zeros(len(rows))
    alarming = np.flatnonzero(np.nan_to_num(alarms) > 0)
    order = [at for at in np.argsort(worth, kind="stable").tolist() if math.isfinite(worth[at])]
    poor = [at for at in order if values[at] < POOR] if name == "gist" else []
    worst = list(dict.fromkeys([*order[:FEW], *poor]))
    found = [
        _of_row(rows, at, keys[at], "alarm", _alarm(rows, at))
        for at in sorted(alarming.tolist(), key=lambda at: float(np.nan_to_num(worth[at])))
    ]
    found += [_of_row(rows, at, keys[at], "worst", f"{name} {values[at]:.3f}") for at in worst]
    found += [
        _of_row(rows, at, keys[at], "differs", f"{name} {values[at]:.3f}")
        for at in _different(rows, worth)
    ]
    return [one for one in found if one is not None]


def _score(run: Run) -> str:
    """The score by which items are worst; empty where items have none."""
    try:
        return chosen_score(run)
    except InputError:
        return ""


def _of_row(rows: Rows, at: int, key: str | None, kind: str, reason: str) -> ReviewFinding | None:
    if key is None:
        return None
    title = " · ".join(dict.fromkeys(filter(None, (rows.keys["id"][at], rows.keys["group"][at]))))
    return ReviewFinding(
        key, kind, shown(title, 160), shown(rows.keys["system"][at], 120), reason, at
    )


def _alarm(rows: Rows, at: int) -> str:
    """What the guard found, in a line."""
    found = Row(rows, at).document("alarm_words")
    lines = found.get("alarms", []) if isinstance(found, Mapping) else []
    spelled = [f"{one[0]}: {one[1] or '–'} → {one[2] or '–'}" for one in lines
               if isinstance(one, list) and len(one) > 2]  # fmt: skip
    return shown("; ".join(spelled), 400)


def _different(rows: Rows, worth: Any) -> list[int]:
    """The worse answers to the items on which systems differ most."""
    items: dict[tuple[str, str], list[int]] = {}
    for at, key in enumerate(zip(rows.keys["id"], rows.keys["group"], strict=True)):
        if math.isfinite(worth[at]):
            items.setdefault(key, []).append(at)
    gaps = [
        (max(worth[at] for at in places) - min(worth[at] for at in places),
         min(places, key=lambda at: float(worth[at])))
        for places in items.values() if len(places) > 1
    ]  # fmt: skip
    return [at for gap, at in sorted(gaps, key=lambda pair: -pair[0])[:FEW] if gap > 0]


@dataclass(frozen=True, slots=True)
class ReviewTexts:
    """What is seen of a finding: texts side by side, and what the report's script draws."""

    blocks: Sequence[Block]
    drawn: Mapping[str, Any] | None = None  # the item as the script takes it, where it has a tree


def texts_of(run: Run, finding: ReviewFinding, link: Link) -> ReviewTexts:
    """Both texts side by side with their marks, the sound where there is one, or the trees."""
    if finding.row < 0:
        return ReviewTexts(list(finding.blocks))
    data = item_page(run, run.measured.take([finding.row]), link)
    item = data["items"][0]
    shared = [block for name in ("a", "e") if name in item for block in data["shared"][item[name]]]
    named = {*family_of(run.command).view().rated, *run.measured.keys, "file", "Reading"}
    blocks = [
        block for block in [*shared, *item["b"]]
        if block["k"] in ("text", "note", "audio") and block.get("n") not in named
        and block.get("x") != finding.reason
    ]  # fmt: skip
    return ReviewTexts(blocks, data if any(block["k"] == "tree" for block in shared) else None)
