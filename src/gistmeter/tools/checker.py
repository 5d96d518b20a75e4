"""Checks of single texts: a score against a condition, with evidence where it does not hold.

A `Checker` keeps its metrics from one check to the next, so that models are loaded once, and the
pairs that were checked, so that one run over all of them can be made at the end.
"""

from __future__ import annotations

import difflib
import math
import operator
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError
from gistmeter.core.family import Context, Items
from gistmeter.core.options import RunSettings
from gistmeter.core.run import Run
from gistmeter.core.score import Scorer, score
from gistmeter.core.settings import split
from gistmeter.core.types import Pair, Score
from gistmeter.core.views import Row, shown
from gistmeter.metrics.views import evidence_blocks, shown_alarms
from gistmeter.text.family import Text, TextSettings
from gistmeter.text.formats.references import answer_in, clean

CONDITION = re.compile(r"\s*(>=|<=|==|>|<)\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*%?\s*")
SIGNS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq,
}  # fmt: skip
# A character of a script without spaces, another word, or whatever stands between words
PIECES = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]|\\w+|\\W", re.DOTALL)
LONGEST = 2000  # characters of a text in a message


@dataclass(frozen=True, slots=True)
class Condition:
    """A score and what it should be.

    >>> Condition.of("gist", ">=0.8").holds(0.9)
    True
    """

    score: str
    sign: str
    bound: float

    @classmethod
    def of(cls, name: str, given: Any) -> Condition:
        """From text such as ">=0.8"."""
        match = CONDITION.fullmatch(given) if isinstance(given, str) else None
        if match is None:
            raise InputError(f"{name} is {given!r}; expected a condition such as '>=0.8' or '<0.2'")
        return cls(name, match[1], float(match[2]))

    def holds(self, value: float) -> bool:
        """Does it? What is undefined never does."""
        return math.isfinite(value) and SIGNS[self.sign](value, self.bound)

    def __str__(self) -> str:
        return f"{self.sign}{self.bound:g}"


@dataclass(frozen=True, slots=True)
class CheckedPair:
    """One check: the scores of its pair, and the message where a condition does not hold."""

    pair: Pair
    scores: Mapping[str, Score]
    message: str = ""

    def __getitem__(self, name: str) -> float:
        return self.scores[name].value


@dataclass
class Checker:
    """Checks pairs one by one, with metrics that stay loaded."""

    settings: TextSettings = field(default_factory=TextSettings)
    how: RunSettings = field(default_factory=RunSettings)
    cache: Cache = field(default_factory=lambda: Cache(None))
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    wanted: set[str] = field(default_factory=set)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)  # one at a time
    _scorer: Scorer = field(init=False, repr=False)

    def __post_init__(self) -> None:
        context = Context(self.cache, self.profiles, hear=lambda *_: None)
        self._scorer = Scorer(Text(), context)

    @classmethod
    def of(cls, config: Path | None, cache: Cache) -> Checker:
        """With the options of a configuration file: those at its top and in [text]."""
        from gistmeter.core.configuration import options_for, profiles

        given = options_for(config, "text", (TextSettings, RunSettings)) if config else {}
        settings, how = split({}, TextSettings, RunSettings, file=given)
        assert isinstance(settings, TextSettings) and isinstance(how, RunSettings)
        return cls(settings, how, cache, profiles(config))

    def check(
        self,
        candidate: str,
        references: str | Sequence[str],
        conditions: Mapping[str, Any],
        *,
        name: str = "",
        language: str = "",
        system: str = "checks",
    ) -> CheckedPair:
        """Score one pair, and say what does not hold."""
        required = [Condition.of(score, given) for score, given in conditions.items()]
        if not required:
            raise InputError("There is no condition to check: give one, such as gist='>=0.8'")
        if not isinstance(candidate, str):
            raise InputError(f"the candidate is {type(candidate).__name__}; expected text")
        pair = Pair(name, answer_in(candidate), _references(references), system, language=language)
        names = frozenset(condition.score for condition in required)
        with self._lock:
            run = self._score(pair, names)
            self.pairs.append(replace(pair, language=str(run.settings["language"])))
            self.wanted |= names
            scores = run.systems[pair.system].scores
            failed = [one for one in required if not one.holds(scores[one.score].value)]
            if not failed:
                return CheckedPair(pair, scores)
            lines = [_failure(scores[condition.score], condition) for condition in failed]
            lines += self._evidence(run, pair, failed[0].score)
        return CheckedPair(pair, scores, "\n".join(lines))

    def explain(self, checked: CheckedPair, score: str) -> str:
        """A score and its evidence, whether or not a condition holds."""
        computed = checked.scores[score]
        with self._lock:
            run = self._score(checked.pair, frozenset({score}))
            lines = self._evidence(run, checked.pair, score)
        return "\n".join([f"{score} is {computed.number(computed.value)}", *lines])

    def _evidence(self, run: Run, pair: Pair, first: str) -> Iterator[str]:
        """How the pair differs from the reference it is best by."""

        def rank(one: Run) -> float:
            score = one.systems[pair.system].scores[first]
            value = score.value if score.higher_is_better else -score.value
            return value if math.isfinite(value) else -math.inf

        alone = [replace(pair, references=(reference,)) for reference in pair.references]
        runs = [run] if len(alone) == 1 else [self._score(one, frozenset({first})) for one in alone]
        best = max(range(len(runs)), key=lambda at: rank(runs[at]))
        return _difference(runs[best], alone[best])

    def _score(self, pair: Pair, names: frozenset[str]) -> Run:
        settings = replace(self.settings, metrics=tuple(sorted(names)))
        return self._scorer.score(Items([pair]), settings)

    def finish(self, folder: Path | None) -> Run:
        """One run over all pairs that were checked; every answer is in the cache already."""
        names = dict.fromkeys([*self.settings.metrics, *sorted(self.wanted)])
        settings = replace(self.settings, metrics=tuple(names))
        how = replace(self.how, output=(folder,) if folder else (), overwrite=True)
        return score(
            Text(), settings, items=Items(self.pairs), how=how, cache=self.cache,
            profiles=self.profiles, hear=lambda *_: None,
        )  # fmt: skip


def _references(given: str | Sequence[str]) -> tuple[str, ...]:
    listed = [given] if isinstance(given, str) else list(given)
    for reference in listed:
        if not isinstance(reference, str):
            raise InputError(f"a reference is {type(reference).__name__}; expected text")
    cleaned = tuple(dict.fromkeys(filter(None, map(clean, listed))))
    if not cleaned:
        raise InputError("There is no reference: give a text, or a list of texts")
    return cleaned


def _difference(run: Run, pair: Pair) -> Iterator[str]:
    """The two texts with their difference marked, and the evidence."""
    reference, candidate = mark(pair.references[0], pair.candidate or "")
    yield f"  reference: {reference}"
    yield f"  candidate: {candidate}"
    row = Row(run.measured, 0, str(run.settings.get("language", "")))
    for block in (*shown_alarms(row).blocks(), *evidence_blocks(row)):
        if block["k"] == "note":
            yield f"  {block['n']}: {block['x']}"
        else:  # groups of facts
            yield from (f"  {block['n']}: {'; '.join(facts)}" for _, _, facts in block["g"])


def _failure(score: Score, condition: Condition) -> str:
    if math.isfinite(score.value):
        return f"{score.name} is {score.number(score.value)}, expected {condition}"
    why = next(iter(score.reasons), "it is undefined")
    return f"{score.name} could not be computed ({why}), expected {condition}"


def mark(reference: str, candidate: str) -> tuple[str, str]:
    """Both texts with what only one of them has in marks, as `git diff --word-diff` does.

    >>> mark("The shop opens at nine.", "The shop closes at nine.")
    ('The shop [-opens-] at nine.', 'The shop {+closes+} at nine.')
    """
    first, second = _pieces(reference), _pieces(candidate)
    expected, said = "", ""
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    for kind, start, stop, begin, end in matcher.get_opcodes():
        before, after = "".join(first[start:stop]), "".join(second[begin:end])
        same = kind == "equal"
        expected += before if same or not before else f"[-{before}-]"
        said += after if same or not after else f"{{+{after}+}}"
    return expected, said


def _pieces(text: str) -> list[str]:
    return PIECES.findall(shown(text, LONGEST))
