"""Alarms with a probability: what speaks for and against each, and the odds that it is right.

A suspicion is a place that may deserve an alarm, with features: what the rules of `changes` found,
what the judge says, how much of the sentence stands in its passage word by word, how much evidence
there is of a source, how far a moved block gains by its place. A logistic model for each kind turns
them into the probability that the place is at fault, in editions of which 2% of the sentences are.
The weights (`data/alarms.json`) are fitted by `python -m training.alarms` on published abridgements
of novels, fair and falsified by rule; `python -m benchmarks book_alarms` measures them on a novel
that was left out of the fit. They hold for the languages, embedder and judge that are named there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from gistmeter import languages
from gistmeter.book.edition_alarms import ALARM_LEVELS, AlarmReason, EditionAlarm
from gistmeter.book.metrics.book_comparison import BookComparison, ReadBook, in_moves
from gistmeter.book.metrics.changes import MEANING, Changes, FactCheck
from gistmeter.languages import guard, lexicons
from gistmeter.languages.guard import Alarm
from gistmeter.metrics.gist import probability

RULES = ("number", "name", "negation", "roles", "fact")  # fact: any other kind of the guard
SEEN = ("denied", "named", "counted", "crossed", "swapped")  # what differs word by word
PAIRED = ("single", "copied", "rule", *SEEN)  # that mean more beside what the judge says
FEATURES: Mapping[str, tuple[str, ...]] = {
    "changed": (
        *RULES, *SEEN, "rule", "copied", "new", "single", "replaced", "follows", "against", "alone",
        "differs", "evidence", "certain", *(f"{name} and differs" for name in PAIRED),
        *(f"{name} and alone" for name in PAIRED), *(f"{name} and copied" for name in SEEN),
    ),
    "invented": ("evidence", "known", "copied", "follows", "differs", "near", "words", "rule"),
    "moved": ("gain", "sentences", "evidence"),
    "cut": ("lack", "missing", "sentences", "words"),
}  # fmt: skip
AROUND = 2  # source sentences on either side whose words a sentence may have
TELLING = 3  # content words of a block that can have moved
WINDOW = 30  # source sentences between the nearest and where a sentence stands
SHORT = 3  # words that stand in place of others in a sentence that is otherwise its source
FAR = 0.15  # evidence further from the threshold counts no more
NUMBERED = ("number", "ordinal", "clock", "year", "day")  # groups of facts
CERTAIN = 0.95  # what the judge says without a doubt
MAYBE = 0.06  # evidence above the threshold at which a sentence may still be invented


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A place that may deserve an alarm; places as in `EditionAlarm`."""

    kind: str
    features: Mapping[str, float]
    first: int | None
    last: int | None
    start: int
    end: int
    reasons: tuple[AlarmReason, ...] = ()

    @property
    def row(self) -> list[float]:
        return [self.features[name] for name in FEATURES[self.kind]]


@dataclass(frozen=True, slots=True)
class Replacement:
    """Words in place of others, or beside them, or left out; where they stand in either text."""

    gone: str
    words: str
    gone_span: tuple[int, int]
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Overlap:
    """What of a sentence's words stands in a passage, in order, and what differs in between."""

    copied: float  # share of its words
    runs: tuple[Replacement, ...] = ()

    @property
    def new(self) -> list[Replacement]:
        """Words that the passage has not there."""
        return [run for run in self.runs if run.words]

    @property
    def single(self) -> bool:
        """Whether it is its source but for a few words in one place."""
        return len(self.new) == 1 and len(self.new[0].words.split()) <= SHORT


@cache
def fitted() -> dict[str, Any]:
    """Weights by kind, the least probability of each level, and what they hold for."""
    text = files(__package__).joinpath("data/alarms.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def overlap(passage: str, sentence: str, language: str) -> Overlap:
    here, there = (guard.read(text, language) for text in (passage, sentence))
    ours, theirs = ([token.form for token in side.tokens] for side in (here, there))
    if not theirs:
        return Overlap(1.0)
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    runs = []
    for tag, a, b, c, d in matcher.get_opcodes():
        inside = c > 0 and d < len(theirs)  # words before and after the sentence are not left out
        if tag in {"replace", "insert"} or (tag == "delete" and b - a <= SHORT and inside):
            gone, span = (
                (side[start].start, side[end - 1].end) if end > start else (0, 0)
                for side, start, end in ((here.tokens, a, b), (there.tokens, c, d))
            )
            runs.append(Replacement(passage[slice(*gone)], sentence[slice(*span)], gone, span))
    return Overlap(same / len(theirs), tuple(runs))


def seen_in(found: Overlap, passage: str, sentence: str, language: str) -> dict[str, float]:
    """Of each of SEEN, whether it differs word by word.

    denied    a negation more or less;
    named     a name that the passage lacks, in place of another;
    crossed   a name of the passage in place of another, or in another place;
    counted   a number in place of another;
    swapped   one word in place of one, and nothing else.
    """
    lists = languages.get(language).lists
    sides = [guard.read(text, language) for text in (passage, sentence)]
    marks, stop = lexicons.words(lists, "negations"), lexicons.words(lists, "stopwords")
    denied, crossed, named, counted = 0, False, False, False
    moved: tuple[set[str], set[str]] = set(), set()
    known = {token.form for token in sides[0].tokens}
    for run in found.runs:
        if len(run.gone.split()) > 2 * SHORT and len(run.gone) > 2 * len(run.words):
            continue  # what an abridgement leaves out
        names: list[set[str]] = []
        numbers = []
        for side, (start, end) in zip(sides, (run.gone_span, run.span), strict=True):
            own = [token for token in side.tokens if start <= token.start and token.end <= end]
            sign = 1 if side is sides[1] else -1
            denied += sign * sum(one.form in marks or one.form.endswith("n't") for one in own)
            names.append({one.form for one in own
                          if side.text[one.start].isupper() and one.form not in stop})  # fmt: skip
            numbers.append(any(start <= fact.start and fact.end <= end for fact in side.found
                               if fact.group in NUMBERED))  # fmt: skip
        gone, new = names
        if gone - new and new - gone:
            crossed = crossed or bool((new - gone) & known)
            named = named or bool(new - gone - known)
        moved[0].update(gone - new)
        moved[1].update(new - gone)
        counted = counted or all(numbers)
    one = found.new[0] if len(found.new) == 1 else None
    return {
        "denied": float(denied != 0), "named": float(named), "counted": float(counted),
        "crossed": float(crossed or bool(moved[0] & moved[1])),
        "swapped": float(one is not None and len(one.words.split()) == len(one.gone.split()) == 1),
    }  # fmt: skip


def suspicions(read: ReadBook, checked: FactCheck, language: str) -> list[Suspicion]:
    """Every place that may deserve an alarm; the thresholds of the settings must be known."""
    coverage, support = read.settings.coverage_threshold, read.settings.support_threshold
    assert coverage is not None
    assert support is not None
    sentences = (
        one
        for at in range(len(read.summary))
        if at not in read.failures
        for one in _of_sentence(at, read, checked, language, coverage)
    )
    return [*sentences, *_moved(read, coverage), *_cut(read, support)]


def _of_sentence(
    at: int, read: ReadBook, checked: FactCheck, language: str, coverage: float
) -> Iterator[Suspicion]:
    compared, words = read.compared, read.words
    source, sentence = read.source, read.summary[at]
    nearest, place = int(compared.best.index[at, 0]), int(compared.places[at])
    place = nearest if place < 0 else place
    passages = [" ".join(source[max(0, one - AROUND) : one + AROUND + 1])
                for one in dict.fromkeys((place, nearest))]  # fmt: skip
    if any(sentence in passage for passage in passages):
        return
    found, passage = max(
        ((overlap(passage, sentence, language), passage) for passage in passages),
        key=lambda one: one[0].copied,
    )
    alarms = [one for one in checked.changes.get(at, ()) if one.kind != MEANING]
    judged = checked.judged.get(at)
    if not (alarms or judged):
        return
    kinds = {one.kind if one.kind in RULES else "fact" for one in alarms}
    own = words.summary[at]
    around = [
        words.source[one]
        for middle in (place, nearest)
        for one in range(max(0, middle - AROUND), min(len(source), middle + AROUND + 1))
    ]
    follows, against, differs, alone = (
        (judged.entailment, judged.contradiction, judged.changed, judged.alone)
        if judged and not judged.failure else (0.5, 0.0, 0.5, 0.0)
    )  # fmt: skip
    margin = float(np.clip(compared.evidence[at] - coverage, -FAR, FAR)) / FAR
    features = {
        **{kind: float(kind in kinds) for kind in RULES},
        **seen_in(found, passage, sentence, language), "copied": found.copied,
        "new": math.log1p(len(own.difference(*around))), "single": float(found.single),
        "replaced": math.log1p(len(found.new)), "follows": follows, "against": against,
        "alone": alone, "differs": differs, "evidence": margin, "known": words.shared(own, around),
        "near": float(abs(nearest - int(compared.homes[at])) <= WINDOW),
        "words": math.log1p(len(own)), "rule": float(bool(kinds)),
        "certain": float(min(alone, differs) > CERTAIN),
    }  # fmt: skip
    features |= {f"{name} and differs": features[name] * differs for name in PAIRED}
    features |= {f"{name} and alone": features[name] * alone for name in PAIRED}
    features |= {f"{name} and copied": features[name] * found.copied for name in SEEN}
    reasons = tuple(_reason(one, place) for one in alarms)
    if not reasons and found.single:
        run = found.new[0]
        reasons = (AlarmReason("words", run.gone, run.words, sentence_span=run.span),)
    yield Suspicion("changed", features, at, at, place, place, reasons or (AlarmReason(MEANING),))
    if compared.evidence[at] < coverage + MAYBE and len(own) > 1:  # not "Most certainly."
        no_source = (AlarmReason("no source"),)
        yield Suspicion("invented", features, at, at, nearest, nearest, no_source)


def _reason(alarm: Alarm, place: int) -> AlarmReason:
    return AlarmReason(
        alarm.kind, alarm.reference_words, alarm.candidate_words, place, alarm.reference_span,
        alarm.candidate_span,
    )  # fmt: skip


def _moved(read: ReadBook, coverage: float) -> Iterator[Suspicion]:
    """Blocks that stand elsewhere; what each gains by its place over where it would be expected."""
    compared, similarity, words = read.compared, read.similarity, read.words
    rows, columns = similarity.shape
    staying = np.flatnonzero((compared.moved == 0) & compared.sourced)
    for move in compared.moves:
        inside = np.arange(move.first, move.last + 1)
        beside = [*staying[staying < move.first][-1:], *staying[staying > move.last][:1]]
        expected = [int(compared.places[one]) for one in beside] or [0]
        low, high = max(0, min(expected) - 1), min(columns, max(expected) + 2)
        best = similarity.block(move.first, min(rows, move.last + 1), low, high).max(axis=1)
        gain = similarity.at(inside, compared.places[inside]) - best
        content = sum(len(words.summary[at]) for at in inside.tolist())
        if content < TELLING:  # "No!", "I cried."
            continue
        evidence = (compared.evidence[inside] - coverage).clip(-FAR, FAR).mean() / FAR
        yield Suspicion(
            "moved",
            {"gain": float(gain.mean()) / FAR,
             "sentences": math.log(len(inside)), "evidence": float(evidence)},
            move.first, move.last, move.start, max(move.start, move.end), (AlarmReason("order"),),
        )  # fmt: skip


def _cut(read: ReadBook, support: float) -> Iterator[Suspicion]:
    """Stretches of the source that were not kept."""
    compared, words = read.compared, read.words
    gone = np.flatnonzero(compared.kept == 0)
    for stretch in np.split(gone, np.flatnonzero(np.diff(gone) > 1) + 1) if len(gone) else ():
        lack = (support - compared.support.similarity[stretch]).clip(0, FAR) / FAR
        used = range(
            max(0, compared.support.index[stretch[0]] - 1),
            min(len(words.summary), compared.support.index[stretch[-1]] + 2),
        )
        near = [words.summary[at] for at in used]
        missing = [1 - words.shared(words.source[at], near) for at in stretch.tolist()]
        size = float(words.sizes[stretch].sum())
        yield Suspicion(
            "cut",
            {"lack": float(lack.mean()), "missing": float(np.mean(missing)),
             "sentences": math.log(len(stretch)), "words": math.log1p(size)},
            None, None, int(stretch[0]), int(stretch[-1]), (AlarmReason("cut"),),
        )  # fmt: skip


def judge_suspicions(every: Sequence[Suspicion], fit: Mapping[str, Any]) -> list[EditionAlarm]:
    """The alarms of suspicions, the most probable first; a sentence has one at most."""
    alarms: dict[Any, EditionAlarm] = {}
    for kind, names in FEATURES.items():
        own = [one for one in every if one.kind == kind]
        if not own:
            continue
        weights, bounds = fit["weights"][kind], fit["levels"]["cut" if kind == "cut" else "faults"]
        chances = probability(np.array([one.row for one in own]), weights, names)
        for one, chance in zip(own, chances.tolist(), strict=True):
            level = next((name for name in ALARM_LEVELS if chance >= bounds[name]), "")
            key = (kind, one.first, one.start) if kind in {"moved", "cut"} else one.first
            known = alarms.get(key)
            if level and (known is None or known.probability < chance):
                alarms[key] = EditionAlarm(
                    kind, round(chance, 4), level, one.first, one.last, one.start, one.end,
                    one.reasons,
                )  # fmt: skip
    return sorted(alarms.values(), key=lambda alarm: (-alarm.probability, alarm.start or 0))


@dataclass(frozen=True, slots=True)
class AlarmedBook:
    """A book with its alarms, and what was measured of it counted by them (at `balanced`)."""

    alarms: tuple[EditionAlarm, ...]
    compared: BookComparison
    changes: Changes


def count_alarms(
    alarms: Sequence[EditionAlarm], compared: BookComparison, checked: FactCheck
) -> AlarmedBook:
    """What is invented, changed and moved is what has an alarm at `balanced`."""
    shown = [alarm for alarm in alarms if alarm.is_shown("balanced")]
    invented = [alarm.first or 0 for alarm in shown if alarm.kind == "invented"]
    coverage_at = np.ones(len(compared.coverage_at))
    coverage_at[invented] = 0.0
    blocks = {(alarm.first, alarm.last) for alarm in shown if alarm.kind == "moved"}
    moves = tuple(move for move in compared.moves if (move.first, move.last) in blocks)
    placed = ~np.isnan(compared.moved) & (coverage_at == 1)
    revised = replace(
        compared, coverage_at=coverage_at, moves=moves, moved=in_moves(moves, placed)
    )  # fmt: skip
    changes: Changes = {}
    for alarm in shown:
        if alarm.kind == "changed" and alarm.first is not None:
            known = [one for one in checked.changes.get(alarm.first, ()) if one.kind != MEANING]
            changes[alarm.first] = known or [_as_alarm(reason) for reason in alarm.reasons]
    return AlarmedBook(tuple(alarms), revised, changes)


def _as_alarm(reason: AlarmReason) -> Alarm:
    return Alarm(
        reason.kind, reason.source_words, reason.sentence_words, reason.source_span or (0, 0),
        reason.sentence_span or (0, 0),
    )  # fmt: skip
