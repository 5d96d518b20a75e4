"""Facts that differ between a sentence and its source: numbers, names, negation.

The guard finds them. Where it is not there, nothing is said of facts at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

Compare = Callable[[str, str, str], Any]
AROUND = 1  # neighbours of the source sentence that may hold a sentence's facts


def load_guard() -> Compare | None:
    """What compares facts: (reference, candidate, language) -> alarms; None without it."""
    try:
        found: Compare = import_module("gistmeter.guard").compare
    except (ImportError, AttributeError):
        return None
    return found


def guard_identity(languages: Sequence[str]) -> str:
    """What could change the guard's answers; empty without it."""
    if load_guard() is None:
        return ""
    identity = import_module("gistmeter.guard").identity
    return ",".join(str(identity(code)) for code in sorted(languages))


def differing(
    guard: Compare, source: Sequence[str], place: int, sentence: str, language: str
) -> list[str]:
    """What differs between a sentence and its source, in words: "number: 3 → 13".

    What a neighbour of the source sentence has as the summary has it does not differ: an
    abridgement merges sentences.
    """
    alarms = list(guard(source[place], sentence, language))
    if not alarms:
        return []
    passage = " ".join(source[max(0, place - AROUND) : place + AROUND + 1])
    still = {(one.kind, one.candidate_words) for one in guard(passage, sentence, language)}
    return [str(one) for one in alarms if (one.kind, one.candidate_words) in still]
