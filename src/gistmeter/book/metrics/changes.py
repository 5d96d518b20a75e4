"""Facts that differ between a sentence and its source: numbers, names, negation, who did what.

Three look, in this order; all compare with the source sentence first, and then with its passage
(the sentence and its neighbours), since an abridgement merges sentences.

- The guard: what the passage tells as the summary does, does not differ.
- Names. A name that the passage lacks, in place of one that the source has; and two names that
  changed places ("Emma calls on Jane" → "Jane calls on Emma"). Both are held by a test: put right,
  the sentence shares more pairs of neighbouring words with its source than as it stands.
- The judge, where it is there: a sentence that contradicts its source and of which a fact was
  changed, each with a probability of SURE, unless the passage does not contradict it. It is not
  asked about a sentence that is its source with words left out, which is what abridging is: what
  leaving out can change (a "not", an "only") is the guard's.

SURE was chosen with wide steps on pairs of `benchmarks/book.py changed`, which measures it again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from gistmeter import languages
from gistmeter.book.metrics.people import Table, same_person
from gistmeter.languages import Language, guard
from gistmeter.languages.analysers import Morph
from gistmeter.languages.guard import Alarm, Facts
from gistmeter.languages.guard.names import comparable, inflected
from gistmeter.models.protocols import JudgeModel

AROUND = 1  # neighbours of the source sentence that may hold a sentence's facts
SURE = 0.7  # the least probability at which the judge's answer counts
HALF = 0.5  # that the passage contradicts the sentence too
RESTORED = 2  # pairs of neighbouring words that putting two names right brings back
REVISION = 3  # to be raised when the rules change what they find
POSSESSIVE = re.compile("['’]s$")
ROLES, MEANING = "roles", "meaning"
Changes = dict[int, list[Alarm]]  # by summary sentence


@dataclass(frozen=True, slots=True)
class SourcedSentence:
    """A summary sentence with the source that was found for it."""

    at: int
    sentence: str
    source: str
    before: str = ""  # what stands around the source sentence
    after: str = ""

    @property
    def beside(self) -> str:
        return f"{self.before} {self.after}".strip()

    @property
    def passage(self) -> str:
        return f"{self.before} {self.source} {self.after}".strip()


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """What the judge says of a sentence beside its source, or its passage if that fits better."""

    entailment: float
    contradiction: float
    changed: float  # by the source sentence
    alone: float  # the contradiction with the source sentence
    failure: str = ""


@dataclass(frozen=True, slots=True)
class FactCheck:
    """What differs, and what the judge said of the sentences that it was asked about."""

    changes: Changes
    judged: Mapping[int, JudgedSentence]
    people: Table = ()  # names that mean the same person


def identity(codes: Sequence[str]) -> str:
    """What could change the answers of the rules."""
    return ",".join([f"facts-{REVISION}", *(guard.identity(code) for code in sorted(codes))])


def pair_sources(
    source: Sequence[str], summary: Sequence[str], places: Mapping[int, int]
) -> list[SourcedSentence]:
    """Every summary sentence that has a place and is not the very same there."""
    return [
        SourcedSentence(
            at,
            summary[at],
            source[place],
            " ".join(source[max(0, place - AROUND) : place]),
            " ".join(source[place + 1 : place + AROUND + 1]),
        )
        for at, place in places.items()
        if summary[at] != source[place]
    ]


def find_changes(
    pairs: Sequence[SourcedSentence],
    language: str,
    judge: JudgeModel | None = None,
    sure: float = SURE,
    people: Table = (),
) -> FactCheck:
    """What differs, by summary sentence, in the words of both, and what the judge said."""
    names = known_names(pairs, language)
    alarms = {
        pair.at: [*by_guard(pair, language, people), *by_names(pair, language, names, people)]
        for pair in pairs
    }
    judged = {}
    if judge is not None:
        judged = ask([pair for pair in pairs if not is_cut(pair, language)], judge)
        silent = [pair for pair in pairs if pair.at in judged and not alarms[pair.at]]
        alarms |= {at: [alarm] for at, alarm in by_judge(silent, judged, sure)}
    changes = {at: list(dict.fromkeys(found)) for at, found in alarms.items() if found}
    return FactCheck(changes, judged, people)


def by_guard(pair: SourcedSentence, language: str, people: Table = ()) -> list[Alarm]:
    """The guard's alarms, without what a neighbour of the source tells as the sentence does, and
    without other names of the same person."""
    alarms = list(guard.compare(pair.source, pair.sentence, language))
    if not alarms:
        return []
    own, beside = guard.read(pair.sentence, language), guard.read(pair.beside, language)
    values = {fact.value for fact in beside.found}
    spans = {(fact.start, fact.end): fact.value for fact in own.found}
    return [
        alarm
        for alarm in alarms
        if spans.get(alarm.candidate_span, alarm) not in values
        and alarm.candidate_words.lower() not in beside.plain
        and not (
            alarm.kind == "name"
            and same_person(alarm.reference_words, alarm.candidate_words, people, language)
        )
    ]


def known_names(pairs: Sequence[SourcedSentence], language: str) -> frozenset[str]:
    """The words of all names in these texts: where a sentence begins, others must tell."""
    return frozenset(
        plain(token)
        for pair in pairs
        for facts in (guard.read(pair.source, language), guard.read(pair.sentence, language))
        for name in facts.of("name")
        for token in facts.tokens
        if name.start <= token.start and token.end <= name.end and len(token.form) > 1
    )


def plain(token: Morph) -> str:
    """A word as it is compared: without the ending of a possessive."""
    return POSSESSIVE.sub("", token.form)


def by_names(
    pair: SourcedSentence, language: str, names: frozenset[str], people: Table = ()
) -> Iterator[Alarm]:
    """Names in place of others, and names that changed places; not those of the same person."""
    ours, theirs = guard.read(pair.source, language), guard.read(pair.sentence, language)
    own, other = _named(ours, names), _named(theirs, names)
    pack = languages.get(language)
    gone = [token for token in own if not _has(theirs, plain(token), pack)]
    strange = [token for token in other if not _has(ours, plain(token), pack)] if gone else []
    if strange:
        beside = guard.read(pair.beside, language)
        strange = [token for token in strange if not _has(beside, plain(token), pack)]
    for first, second in product(gone, strange):
        other_name = comparable(plain(first), plain(second)) and not same_person(
            plain(first), plain(second), people, language
        )
        if other_name and _gain(ours, theirs, {second: plain(first)}) > 0:
            yield _alarm("name", ours, theirs, (first,), (second,))
    for (here, a), (there, b) in combinations(_shared(own, other), 2):
        apart = not _side_by_side(pair.sentence, a, b, pack)
        if apart and _gain(ours, theirs, {a: plain(b), b: plain(a)}) >= RESTORED:
            yield _alarm(ROLES, ours, theirs, (here, there), (a, b))


def _named(facts: Facts, names: frozenset[str]) -> list[Morph]:
    """The words of a text that are names."""
    return [
        token
        for token in facts.tokens
        if plain(token) in names and not facts.text[token.start].islower()
    ]


def _has(facts: Facts, name: str, language: Language) -> bool:
    """Whether a text has a name, in any form."""
    if name in facts.plain:
        return True
    return language.facts.inflects and any(inflected(name, token.form) for token in facts.tokens)


def _shared(source: Sequence[Morph], sentence: Sequence[Morph]) -> list[tuple[Morph, Morph]]:
    """The names that a sentence has once, and its source has too: first there, then here."""
    there = {plain(token): token for token in reversed(source)}
    counts = Counter(map(plain, sentence))
    return [
        (there[name], token)
        for token in sentence
        if counts[name := plain(token)] == 1 and name in there
    ]


def _side_by_side(text: str, a: Morph, b: Morph, language: Language) -> bool:
    """Whether nothing is said between two names ("Emma and Jane"): their order means nothing."""
    first, second = sorted((a, b), key=lambda token: token.start)
    return not language.content_words(text[first.end : second.start])


def _gain(ours: Facts, theirs: Facts, other: Mapping[Morph, str]) -> int:
    """How many more pairs of neighbouring words both texts share when some words are replaced."""
    wanted = _neighbours([plain(token) for token in ours.tokens])
    before = _neighbours([plain(token) for token in theirs.tokens])
    after = _neighbours([other.get(token, plain(token)) for token in theirs.tokens])
    return len(wanted & after) - len(wanted & before)


def _neighbours(words: Sequence[str]) -> set[tuple[str, str]]:
    return set(zip(["^", *words], [*words, "$"], strict=True))


def _alarm(
    kind: str, ours: Facts, theirs: Facts, source: Sequence[Morph], sentence: Sequence[Morph]
) -> Alarm:
    """Its words reach from the first of some words to the last."""
    here = min(token.start for token in source), max(token.end for token in source)
    there = min(token.start for token in sentence), max(token.end for token in sentence)
    return Alarm(kind, ours.text[slice(*here)], theirs.text[slice(*there)], here, there)


def is_cut(pair: SourcedSentence, language: str) -> bool:
    """Whether a sentence is its source with words left out, and nothing else."""
    words = iter(token.form for token in guard.read(pair.source, language).tokens)
    return all(token.form in words for token in guard.read(pair.sentence, language).tokens)


def ask(pairs: Sequence[SourcedSentence], judge: JudgeModel) -> dict[int, JudgedSentence]:
    """What the judge says of sentences; one that its source sentence alone does not support may be
    supported by its passage."""
    first = judge.judge([(pair.source, pair.sentence) for pair in pairs])
    doubtful = [at for at, value in enumerate(first.entailment.tolist()) if value < SURE]
    second = judge.judge([(pairs[at].passage, pairs[at].sentence) for at in doubtful])
    entailed, against = first.entailment.copy(), first.contradiction.copy()
    entailed[doubtful] = np.fmax(entailed[doubtful], second.entailment)
    against[doubtful] = np.fmin(against[doubtful], second.contradiction)
    return {
        pair.at: JudgedSentence(
            float(entailed[at]),
            float(against[at]),
            float(first.changed[at]),
            float(first.contradiction[at]),
            first.failures.get(at, ""),
        )
        for at, pair in enumerate(pairs)
    }


def by_judge(
    pairs: Sequence[SourcedSentence], judged: Mapping[int, JudgedSentence], sure: float = SURE
) -> Iterator[tuple[int, Alarm]]:
    """Sentences that contradict their source as a whole, also when read beside its passage."""
    for pair in pairs:
        answer = judged[pair.at]
        if min(answer.alone, answer.changed) >= sure and answer.contradiction >= HALF:
            whole = (0, len(pair.source)), (0, len(pair.sentence))
            yield pair.at, Alarm(MEANING, pair.source, pair.sentence, *whole)
