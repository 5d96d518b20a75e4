"""The language model's answers about pairs of texts: read, checked and, where asked, disputed.

Does a fact occur where the model says it does?

A model can be wrong, can invent, and can obey a sentence in a transcript. So every fact is looked
for in the texts, and what is not found is counted and said; the model's verdicts stand, since a
word that does not occur can still be meant (*mouse* and *mice*). A *strict* check
overrides them: a fact then keeps only the sides on which it occurs, `both` becomes `expected` when
it is not in the transcript, and a fact that occurs nowhere is dropped. Of equal texts nothing is
checked. The rule:

A word of a fact occurs in a text when the text has, marks over letters aside, a word with the same
lemma, one that shares all but its ending (its first 60%, at least 3 letters; numbers whole), one
that is alike in 85% of its letters, or one that runs on over a space (`polo komunistický`). In
scripts without spaces neighbouring characters are compared instead. A part of a fact occurs when at
least half of its words do, words of one or two letters left out unless there are no others. A fact
occurs when at least half of all its words do, and its subject and its object; a part that occurs in
neither text is left aside, because a model writes `the speaker` for `I`.

The prompt asks for the texts' own words for that reason. The other way round, a fact all of whose
words stand in a passage that is the same in both texts (two words away from any difference) is told
in both: a strict check says so whatever the model does.

A model that obeys a transcript can also keep silent about what was lost. So the words of the
expected text that the transcript lacks are looked for in the facts: where most of them, three at
least, are in no fact, they are counted as untold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gistmeter.languages.normal_forms import normal_form
from gistmeter.models.protocols import Answer
from gistmeter.speech.metrics.fact_prompt import (
    FactCounts,
    SemanticFact,
    Verdict,
    count_facts,
    seen,
)

ENOUGH = 0.5  # share of a fact's words that must occur
RUN_ON = 5  # letters of a stem that may run on over a space
ALIKE = 85  # percent of letters that two spellings of a name share
MOST = 3  # lost words that a model may pass over: fillers, endings
MARGIN = 2  # words next to a difference, where a lost "not" would matter
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff]")
WORD = re.compile(r"[^\W_]+")
NO_FACTS = "no facts in the expected text"
NOT_THERE = "no fact of the answer occurs in the texts"
TOLD = {
    "both": Verdict.BOTH,
    "first": Verdict.GOT,  # the second question shows the transcript first
    "second": Verdict.EXPECTED,
}


@dataclass(frozen=True, slots=True)
class CheckedFacts:
    """Facts, and how many the texts contradict or do not have at all."""

    facts: tuple[SemanticFact, ...]
    corrected: int
    dropped: int
    untold: int = 0  # words that were lost and are in no fact


Lemmas = Callable[[str], Sequence[str]]  # the forms under which a word is known


def _itself(word: str) -> Sequence[str]:
    return (word,)


class Occurrences:
    """Words of a text, by their first letters and their lemmas."""

    def __init__(self, words: Sequence[str], lemmas: Lemmas = _itself) -> None:
        self.lemmas = lemmas
        self.words = frozenset(words)
        self.known = frozenset(lemma for word in self.words for lemma in lemmas(word))
        self.stems = frozenset(
            word[:size] for word in self.words for size in range(3, min(len(word), RUN_ON) + 1)
        )  # a longer one is looked for in the run
        self.run = "".join(words)

    def support(self, words: Sequence[str]) -> float:
        """The share of words that occur; 0 for none."""
        telling = [word for word in words if _tells(word)] or words
        return sum(map(self._has, telling)) / len(telling) if telling else 0.0

    def holds(self, words: Sequence[str]) -> bool:
        """Whether every word occurs, short ones too."""
        return bool(words) and all(map(self._has, words))

    def _has(self, word: str) -> bool:
        if word in self.words or not self.known.isdisjoint(self.lemmas(word)):
            return True
        if len(word) <= 3 or any(character.isdigit() for character in word):
            return False
        stem = word[: max(3, round(0.6 * len(word)))]
        if stem in self.stems or (len(stem) >= RUN_ON and stem in self.run):
            return True
        from rapidfuzz import fuzz, process

        return (
            process.extractOne(word, self.words, scorer=fuzz.ratio, score_cutoff=ALIKE) is not None
        )


def _tells(word: str) -> bool:
    return len(word) > 2 or any(map(str.isdigit, word)) or bool(UNSPACED.search(word))


def _words(text: str) -> list[str]:
    """Words in lower case; pairs of neighbouring characters in scripts without spaces."""
    words: list[str] = []
    for word in WORD.findall(normal_form("NFKC", text).casefold()):
        if UNSPACED.search(word):
            words += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        else:
            words.append(word)
    return words


def _folded(text: str) -> str:
    """Without the marks over Latin, Greek and Cyrillic letters: Žižka is Zizka."""
    parts = normal_form("NFD", text)
    return normal_form("NFC", re.sub("[\u0300-\u036f]", "", parts))


def check(
    facts: Sequence[SemanticFact],
    expected: str,
    got: str,
    normalise: Callable[[str], str] = str,
    *,
    lemmas: Lemmas = _itself,
    strict: bool = False,
) -> CheckedFacts:
    """The facts as they are and what the texts say of them; strictly, only where they occur.

    `normalise` makes one of what is the same: numbers in words and in digits, script variants;
    `lemmas` gives the dictionary forms of a word.
    """

    forms: dict[str, set[str]] = {}  # of words without their marks

    def words_of(text: str) -> list[str]:
        words = _words(normalise(seen(text)))
        for word in words:
            if not UNSPACED.search(word):
                forms.setdefault(_folded(word), set()).update(map(_folded, lemmas(word)))
        return [_folded(word) for word in words]

    def known(word: str) -> Sequence[str]:
        return tuple(forms.get(word, ()))

    said, heard = words_of(expected), words_of(got)
    if said == heard:
        return CheckedFacts(tuple(facts), 0, 0)
    sides = Occurrences(said, known), Occurrences(heard, known)
    unchanged = _unchanged(said, heard)
    kept: list[SemanticFact] = []
    corrected = dropped = 0
    for fact in facts:
        parts = [words_of(part) for part in (fact.subject, fact.predicate, fact.object)]
        verdict = _verdict(
            fact.verdict, *(_occurs(parts, *texts) for texts in (sides, sides[::-1]))
        )
        if verdict is None:
            dropped += 1
            kept += [] if strict else [fact]
            continue
        if any(passage.holds([word for part in parts for word in part]) for passage in unchanged):
            verdict = Verdict.BOTH
        corrected += verdict is not fact.verdict
        kept.append(replace(fact, verdict=verdict) if strict else fact)
    in_facts = Occurrences([word for fact in facts for word in words_of(fact.sentence)], known)
    return CheckedFacts(tuple(kept), corrected, dropped, _untold(said, sides[1], in_facts))


def _untold(said: Sequence[str], heard: Occurrences, in_facts: Occurrences) -> int:
    """How many of the words that were lost no fact tells of; 0 where it is not most of them."""
    lost = [word for word in dict.fromkeys(said) if _tells(word) and not heard.support([word])]
    untold = sum(not in_facts.support([word]) for word in lost)
    return untold if untold >= MOST and untold > len(lost) / 2 else 0


def _occurs(parts: Sequence[list[str]], here: Occurrences, there: Occurrences) -> bool:
    if here.support([word for part in parts for word in part]) < ENOUGH:
        return False
    subject, _, thing = parts
    return all(
        here.support(part) >= ENOUGH or there.support(part) < ENOUGH for part in (subject, thing)
    )


def _verdict(claimed: Verdict, in_expected: bool, in_got: bool) -> Verdict | None:
    in_expected = in_expected and claimed is not Verdict.GOT
    in_got = in_got and claimed is not Verdict.EXPECTED
    if in_expected and in_got:
        return Verdict.BOTH
    if in_expected:
        return Verdict.EXPECTED
    return Verdict.GOT if in_got else None


def _unchanged(said: list[str], heard: list[str]) -> list[Occurrences]:
    """The passages that are the same in both texts, without the words next to a difference."""
    from rapidfuzz.distance import Levenshtein

    passages = []
    for code in Levenshtein.opcodes(said, heard):
        if code.tag != "equal":
            continue
        start = code.src_start + (MARGIN if code.src_start or code.dest_start else 0)
        last = code.src_end == len(said) and code.dest_end == len(heard)
        passages.append(Occurrences(said[start : code.src_end - (0 if last else MARGIN)]))
    return passages


@dataclass(frozen=True, slots=True)
class Judgement:
    """The facts that one answer gives, on the sides where they occur."""

    facts: tuple[SemanticFact, ...] = ()
    failure: str = ""
    claimed: int = 0  # facts in the answer as it came
    corrected: int = 0  # facts whose verdict the texts contradict
    dropped: int = 0  # facts that occur nowhere; a strict check leaves them out
    untold: int = 0  # words that were lost, and no fact tells of
    disputed: int = 0  # facts that a second question saw elsewhere
    unverified: str = ""  # why the second question gave nothing
    record: Mapping[str, Any] = field(default_factory=dict)  # the answers as they came

    @property
    def counts(self) -> FactCounts:
        return count_facts(self.facts)

    @property
    def reason(self) -> str:
        """Why there is no rate; empty where there is one."""
        if self.failure or not math.isnan(self.counts.ser):
            return self.failure
        return NOT_THERE if self.claimed and not self.facts and self.dropped else NO_FACTS


def read_answer(
    expected: str, got: str, answer: Answer[Any], normalise: Callable[[str], str] = str, **how: Any
) -> Judgement:
    """An answer's facts, each once, checked against the texts (see `check`)."""
    record = {
        "raw": answer.raw,
        "input_tokens": answer.input_tokens,
        "output_tokens": answer.output_tokens,
        "cost": answer.cost,
    }
    if answer.value is None:
        return Judgement(failure=answer.failure or "the model gave no answer", record=record)
    facts: dict[tuple[str, str, str], SemanticFact] = {}
    for told in answer.value.facts:
        fact = SemanticFact(told.subject, told.predicate, told.object, Verdict(told.verdict))
        facts.setdefault(fact.key, fact)
    checked = check(list(facts.values()), expected, got, normalise, **how)
    return Judgement(
        checked.facts, "", len(facts), checked.corrected, checked.dropped, checked.untold,
        record=record,
    )  # fmt: skip


def dispute(judgement: Judgement, answer: Answer[Any]) -> Judgement:
    """Without the facts that a second answer sees elsewhere; where it failed, that is kept."""
    record = {**judgement.record, "verification": answer.raw or answer.failure}
    if answer.value is None:
        why = answer.failure or "the model gave no answer"
        return replace(judgement, record=record, unverified=why)
    verdicts = {fact.number: TOLD.get(fact.told) for fact in answer.value.verdicts}
    kept = tuple(
        fact
        for number, fact in enumerate(judgement.facts, 1)
        if number not in verdicts or verdicts[number] is fact.verdict
    )
    disputed = len(judgement.facts) - len(kept)
    return replace(judgement, facts=kept, disputed=disputed, record=record)


def median_judgement(answers: Sequence[Judgement]) -> Judgement:
    """The answer with the median rate (the lower middle one); the first where none has a rate."""
    valid = sorted(
        (answer for answer in answers if not answer.reason), key=lambda answer: answer.counts.ser
    )
    return valid[(len(valid) - 1) // 2] if valid else answers[0]


def flips(answers: Sequence[Judgement]) -> int:
    """How many facts got different verdicts in different answers."""
    seen: dict[tuple[str, str, str], set[Verdict]] = {}
    for answer in answers:
        for fact in answer.facts:
            seen.setdefault(fact.key, set()).add(fact.verdict)
    return sum(len(verdicts) > 1 for verdicts in seen.values())
