"""A run's rows gathered by clip: what a table or a page shows of one pair of texts.

A clip that was scored in segments has several rows; here they are one again.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gistmeter.rows import Rows
from gistmeter.types import Clip

SUMMED = frozenset((
    "words_expected", "words_got", "word_edits", "matches", "insertions", "deletions",
    "substitutions", "char_edits", "chars_expected", "facts_both", "facts_missing", "facts_extra",
    "sem_dist_sum", "sem_dist_words",
))  # fmt: skip
LOST_WORDS = 50  # kept for each system


@dataclass(frozen=True, slots=True)
class PairResult:
    """One clip of one system. A number that was not measured is NaN."""

    clip: Clip
    numbers: Mapping[str, float]
    diff: tuple[tuple[str, str, str], ...]  # kind, expected words, got words
    facts: tuple[Mapping[str, str], ...]
    note: str
    custom_html: str
    reasons: tuple[str, ...]

    def __getitem__(self, name: str) -> float:
        return self.numbers.get(name, math.nan)

    def rate(self, part: str, whole: str) -> float:
        """A percentage; NaN where there is nothing to divide by."""
        return 100 * self[part] / self[whole] if self[whole] > 0 else math.nan


def gather(rows: Rows, clips: Sequence[Clip]) -> list[PairResult]:
    """The rows' clips in input order."""
    places: dict[int, list[int]] = {}
    for at, item in enumerate(rows.item.tolist()):
        places.setdefault(item, []).append(at)
    # Plain lists, once: a look at an array for every cell would take most of the time.
    columns = {name: column.tolist() for name, column in rows.numbers.items()}
    reasons: dict[int, dict[str, None]] = {}
    for cells in rows.reasons.values():
        for at, why in cells.items():
            reasons.setdefault(at, {})[why] = None
    return [
        PairResult(
            clips[item],
            _numbers(columns, own),
            tuple(_runs(rows, own)),
            tuple(fact for text in _texts(rows, "facts", own) for fact in json.loads(text)),
            "; ".join(_texts(rows, "ser_note", own)),
            "".join(_texts(rows, "custom_html", own)),
            tuple(dict.fromkeys(why for at in own for why in reasons.get(at, ()))),
        )
        for item, own in sorted(places.items())
    ]


def _numbers(columns: Mapping[str, Sequence[float]], own: Sequence[int]) -> dict[str, float]:
    """Sums of counts, and the first value of everything else."""
    numbers = {}
    for name, column in columns.items():
        defined = [value for at in own if not math.isnan(value := column[at])]
        if defined:
            numbers[name] = sum(defined) if name in SUMMED else defined[0]
    return numbers


def _runs(rows: Rows, own: Sequence[int]) -> Iterator[tuple[str, str, str]]:
    for text in _texts(rows, "diff", own):
        for kind, expected, got in json.loads(text):
            yield str(kind), str(expected), str(got)


def _texts(rows: Rows, name: str, own: Sequence[int]) -> list[str]:
    column = rows.texts.get(name)
    return [text for at in own if (text := column[at])] if column is not None else []


def lost_words(pairs: Sequence[PairResult]) -> dict[str, list[dict[str, Any]]]:
    """For each system the words most often lost, with how often they were said."""
    lost: dict[str, Counter[str]] = {}
    said: dict[str, Counter[str]] = {}
    for pair in pairs:
        own_lost = lost.setdefault(pair.clip.system, Counter())
        own_said = said.setdefault(pair.clip.system, Counter())
        for kind, expected, _ in pair.diff:
            words = expected.split()
            own_said.update(words)
            if kind in ("s", "d"):
                own_lost.update(words)
    return {
        system: [
            {"word": word, "lost": count, "said": said[system][word]}
            for word, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[
                :LOST_WORDS
            ]
        ]
        for system, counts in lost.items()
    }


def edit_totals(pairs: Sequence[PairResult]) -> dict[str, dict[str, int]]:
    """For each system how many words were matched, inserted, deleted and substituted."""
    totals: dict[str, dict[str, int]] = {}
    for pair in pairs:
        own = totals.setdefault(pair.clip.system, {})
        for name in ("words_expected", "matches", "insertions", "deletions", "substitutions"):
            if not math.isnan(pair[name]):
                own[name] = own.get(name, 0) + int(pair[name])
    return totals
