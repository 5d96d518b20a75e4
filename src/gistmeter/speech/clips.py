"""A run's rows gathered by clip: what a table or a page shows of one pair of texts.

A clip that was scored in segments has several rows; here they are one again. Its rates are what
the run's own metrics make of its rows.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gistmeter.core.rows import Rows
from gistmeter.core.types import Metric

EDITS = ("insertions", "deletions", "substitutions")
COUNTS = (
    "chars_expected", "chars_got", "words_expected", "words_got", "word_edits", "char_edits",
    "matches", *EDITS,
)  # fmt: skip
LOST_WORDS = 50  # kept for each system


@dataclass(frozen=True, slots=True)
class ClipResult:
    """One clip of one system. A number that was not measured is NaN."""

    item: int  # its number in the input
    id: str
    system: str
    expected: str
    got: str | None
    language: str
    numbers: Mapping[str, float]  # counts and scores
    diff: tuple[tuple[str, str, str], ...] = ()  # kind, expected words, got words
    facts: tuple[Mapping[str, str], ...] = ()
    note: str = ""
    custom_html: str = ""
    reasons: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float:
        return self.numbers.get(name, math.nan)


def worst(rows: Rows, most: int) -> list[int]:
    """The items that have a transcript, those with most errors first, and no more than so many."""
    got = rows.texts.get("got", [None] * len(rows))
    heard = {item for item, text in zip(rows.item.tolist(), got, strict=True) if text is not None}
    edits = rows.numbers.get("word_edits", np.zeros(len(rows)))
    errors = np.bincount(rows.item, np.nan_to_num(edits))
    return sorted(heard, key=lambda item: (-errors[item], item))[:most]


def gather(
    rows: Rows, metrics: Mapping[str, Metric], items: Iterable[int] | None = None
) -> list[ClipResult]:
    """The rows' clips in input order, with the scores that the metrics give each.

    `items` names those that are wanted, where not all are.
    """
    wanted = None if items is None else set(items)
    places: dict[int, list[int]] = {}
    for at, item in enumerate(rows.item.tolist()):
        if wanted is None or item in wanted:
            places.setdefault(item, []).append(at)
    bare, sums = replace(rows, texts={}, reasons={}, details={}), _sums(rows)
    reasons: dict[int, dict[str, None]] = {}
    for cells in rows.reasons.values():
        for at, why in cells.items():
            reasons.setdefault(at, {})[why] = None
    return [
        ClipResult(
            item=item,
            id=_first(rows, "file", own) or rows.keys["id"][own[0]],
            system=rows.keys["system"][own[0]],
            expected=_first(rows, "expected", own) or "",
            got=_first(rows, "got", own),
            language=_first(rows, "language", own) or "",
            numbers={
                **{name: column[item] for name, column in sums.items()},
                **_scores(bare.take(own), metrics),
            },
            diff=tuple(_runs(_texts(rows, "diff", own))),
            facts=tuple(fact for text in _texts(rows, "facts", own) for fact in json.loads(text)),
            note="; ".join(_texts(rows, "ser_note", own)),
            custom_html="".join(_texts(rows, "custom_html", own)),
            reasons=tuple(dict.fromkeys(why for at in own for why in reasons.get(at, ()))),
        )
        for item, own in sorted(places.items())
    ]


def _sums(rows: Rows) -> dict[str, list[float]]:
    """Each item's counts, NaN where none of its rows has one."""
    sums = {}
    for name in COUNTS:
        if name in rows:
            column = rows.values(name)
            seen = np.bincount(rows.item, ~np.isnan(column))
            total = np.bincount(rows.item, np.nan_to_num(column))
            sums[name] = np.where(seen > 0, total, np.nan).tolist()
    return sums


def _scores(own: Rows, metrics: Mapping[str, Metric]) -> dict[str, float]:
    """What the metrics make of a clip's rows."""
    if not metrics and len(own) == 1:  # of a run whose metrics are not all installed here
        return {name: float(own.values(name)[0]) for name in own.names}
    return {
        name: float(value)
        for metric in metrics.values()
        for name, value in metric.pool(own).items()
    }


def _first(rows: Rows, name: str, own: Sequence[int]) -> str | None:
    """A text of the clip, which stands in the first of its rows."""
    column = rows.texts.get(name)
    return column[own[0]] if column is not None else None


def _texts(rows: Rows, name: str, own: Sequence[int]) -> list[str]:
    column = rows.texts.get(name)
    return [text for at in own if (text := column[at])] if column is not None else []


def _runs(texts: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    for text in texts:
        for kind, expected, got in json.loads(text):
            yield str(kind), str(expected), str(got)


def lost_words(rows: Rows) -> dict[str, list[dict[str, Any]]]:
    """For each system the words most often lost, with how often they were said."""
    found: dict[str, list[dict[str, Any]]] = {}
    for system, own in rows.by("system").items():
        lost: Counter[str] = Counter()
        said: Counter[str] = Counter()
        for kind, expected, _ in _runs([text for text in own.texts.get("diff", ()) if text]):
            words = expected.split()
            said.update(words)
            if kind in ("s", "d"):
                lost.update(words)
        most = sorted(lost.items(), key=lambda entry: (-entry[1], entry[0]))[:LOST_WORDS]
        found[system] = [{"word": word, "lost": n, "said": said[word]} for word, n in most]
    return found


def edit_totals(rows: Rows) -> dict[str, dict[str, int]]:
    """For each system how many words were matched, inserted, deleted and substituted."""
    return {
        system: {
            name: int(own.sum(name))
            for name in ("words_expected", "matches", *EDITS)
            if name in own
        }
        for system, own in rows.by("system").items()
    }
