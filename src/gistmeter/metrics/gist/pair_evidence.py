"""What is known of a pair of texts before anyone calls it the same: the features of `gist`.

The judge reads the pair in both directions, since a candidate may say less than its reference (the
reference entails it) or more (it entails the reference). Sentence vectors and BERTScore are told
from the models' baselines, so that 0 means unrelated. Letters are counted because models hardly see
a wrong ending, and the guard's alarms because they hardly see a wrong number.

Where texts are nearly the same, a changed fact is all that matters; where they are not, the
similarity has some of it already. So contradictions, changed facts, numbers and names count once
more, names only, by how near the letters are, as `nearness` says. Texts that are the same but for
what the guard found are near however short they are: 他昨天来了, 他今天来了. Texts in quite other
words have low similarities even if they say the same: that each follows from the other counts the
more, the fewer letters they share.

Where endings and particles tell who does what (`free_order` of a language's facts), a phrase that
only moved changes nothing, whatever the judge makes of it: Včera přišel, Přišel včera. Not so in
texts with negations, quantities or numbers, which speak of what stands beside them: Jen Petr
přišel, Petr jen přišel.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import add

import numpy as np
import numpy.typing as npt

from gistmeter import languages as packs
from gistmeter.languages import guard
from gistmeter.metrics.cosine import cosines
from gistmeter.models.protocols import Embedder, JudgeModel, TokenMatcher, Verdicts

Floats = npt.NDArray[np.float64]
FEATURES = (
    "similarity", "entailed_least", "entailed_most", "entailed_far", "contradiction",
    "contradiction_near",
    "changed", "changed_near", "cosine", "bertscore", "weakest", "letters", "numbers",
    "numbers_near", "negation", "names",
)  # fmt: skip
KINDS = {"number": "numbers", "unit": "numbers", "date": "numbers", "time": "numbers",
         "negation": "negation", "quantity": "negation", "comparative": "negation",
         "name": "names"}  # fmt: skip
EDGE = 1e-3  # probabilities are kept this far from 0 and 1 before their logits are taken
NEAR, STEEP = 0.82, 30.0  # shared letters from which texts are nearly the same, and how sharply
WORD = re.compile(r"\w+")
SAME = 0.98  # shared letters of texts that are the same
PLACED = ("number", "ordinal", "quantity", "comparative")  # they speak of what stands beside them
REMEMBERED, SHORT = 1 << 12, 1 << 9  # references come again: letters are kept of short ones
LIKELY = 0.9  # the least similarity of texts in which a phrase only moved


@dataclass(frozen=True, slots=True)
class Evidence:
    """The features of pairs, and what they were made of."""

    table: Floats  # (pairs, features)
    forward: Verdicts  # of (reference, candidate)
    backward: Verdicts  # of (candidate, reference)
    alarms: Sequence[guard.Alarms]
    failures: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class GistBaselines:
    """What unrelated texts score with these models."""

    cosine: float = 0.0
    bertscore: float = 0.0


def gather(
    pairs: Sequence[tuple[str, str]],
    languages: Sequence[str],
    *,
    judge: JudgeModel,
    embedder: Embedder,
    matcher: TokenMatcher,
    baselines: Mapping[str, GistBaselines],
    guards: Mapping[str, guard.Guard] | None = None,
) -> Evidence:
    """The evidence of (reference, candidate) pairs; a model's failure is the pair's."""
    alarms = _alarms(pairs, languages, guards or {})
    moved = np.asarray(
        [not differing and is_moved(*pair, code)
         for pair, code, differing in zip(pairs, languages, alarms, strict=True)], dtype=bool
    )  # fmt: skip
    forward = _kept(judge.judge(pairs), moved)
    backward = _kept(judge.judge([(candidate, reference) for reference, candidate in pairs]), moved)
    matched = matcher.match([(candidate, reference) for reference, candidate in pairs])
    embedded = cosines(
        embedder, [reference for reference, _ in pairs], [candidate for _, candidate in pairs]
    )
    none = GistBaselines()
    bases = [baselines.get(code, none) for code in languages]
    base_cosine = np.asarray([base.cosine for base in bases])
    base_match = np.asarray([base.bertscore for base in bases])
    letters = np.asarray([shared_letters(*pair) for pair in pairs])
    close = nearness(letters)
    near = np.where([same_but(*each) for each in zip(pairs, alarms, strict=True)], 1.0, close)
    numbers = _alarmed(alarms, "numbers")
    against = np.maximum(forward.contradiction, backward.contradiction)
    differs = (forward.changed + backward.changed) / 2
    columns = {
        "similarity": (logit(forward.similarity) + logit(backward.similarity)) / 2,
        "entailed_least": np.minimum(forward.entailment, backward.entailment),
        "entailed_most": np.maximum(forward.entailment, backward.entailment),
        "entailed_far": (1 - letters) * np.sqrt(forward.entailment * backward.entailment),
        "contradiction": against,
        "contradiction_near": near * against,
        "changed": differs,
        "changed_near": near * differs,
        "cosine": (embedded.values - base_cosine) / (1 - base_cosine),
        "bertscore": (matched.f1 - base_match) / (1 - base_match),
        "weakest": (np.minimum(matched.precision, matched.recall) - base_match) / (1 - base_match),
        "letters": letters,
        "numbers": numbers,
        "numbers_near": near * numbers,
        "negation": _alarmed(alarms, "negation"),
        "names": close * _alarmed(alarms, "names"),
    }
    table = np.column_stack([columns[name] for name in FEATURES]) if len(pairs) else _nothing()
    failures = {**embedded.failures, **matched.failures, **backward.failures, **forward.failures}
    return Evidence(table, forward, backward, alarms, failures)


def _nothing() -> Floats:
    return np.zeros((0, len(FEATURES)))


def nearness(letters: Floats) -> Floats:
    """0 for texts that share few letters, 1 for those that differ in a word or two."""
    return np.asarray(1 / (1 + np.exp(-STEEP * (letters - NEAR))))


def same_but(pair: tuple[str, str], alarms: guard.Alarms) -> bool:
    """Whether two texts have the same letters but for the words that the guard found different."""
    if not alarms:
        return False
    first, second = pair
    for start, end in sorted((alarm.reference_span for alarm in alarms), reverse=True):
        first = first[:start] + first[end:]
    for start, end in sorted((alarm.candidate_span for alarm in alarms), reverse=True):
        second = second[:start] + second[end:]
    return shared_letters(first, second) >= SAME


def is_moved(reference: str, candidate: str, code: str) -> bool:
    """Whether two texts differ in the place of one phrase only, where order does not matter."""
    if not packs.get(code).facts.free_order:
        return False
    first, second = WORD.findall(reference.casefold()), WORD.findall(candidate.casefold())
    if len(first) != len(second) or first == second:
        return False
    differs = [word != other for word, other in zip(first, second, strict=True)]
    part = slice(differs.index(True), len(differs) - differs[::-1].index(True))
    first, second = first[part], second[part]
    if not any(first[at:] + first[:at] == second for at in range(1, len(first))):
        return False
    facts = guard.read(reference, code)
    return not (facts.denials or facts.reversing or facts.of(*PLACED))


def _kept(verdicts: Verdicts, moved: npt.NDArray[np.bool_]) -> Verdicts:
    """What the judge says, but for texts in which a phrase only moved."""
    return replace(
        verdicts,
        entailment=np.where(moved, 1.0, verdicts.entailment),
        neutral=np.where(moved, 0.0, verdicts.neutral),
        contradiction=np.where(moved, 0.0, verdicts.contradiction),
        changed=np.where(moved, 0.0, verdicts.changed),
        similarity=np.where(moved, np.fmax(verdicts.similarity, LIKELY), verdicts.similarity),
    )


def logit(share: Floats) -> Floats:
    kept = np.clip(share, EDGE, 1 - EDGE)
    return np.log(kept / (1 - kept))


def _alarms(
    pairs: Sequence[tuple[str, str]], languages: Sequence[str], guards: Mapping[str, guard.Guard]
) -> list[guard.Alarms]:
    found = [guard.Alarms()] * len(pairs)
    for code in dict.fromkeys(languages):
        places = [at for at, language in enumerate(languages) if language == code]
        asked = guards.get(code) or guard.Guard(code)
        for at, alarms in zip(places, asked.compare([pairs[at] for at in places]), strict=True):
            found[at] = alarms
    return found


def _alarmed(alarms: Sequence[guard.Alarms], feature: str) -> Floats:
    """1 where the guard found a difference of these kinds."""
    return np.asarray(
        [float(any(KINDS.get(alarm.kind) == feature for alarm in each)) for each in alarms]
    )


def shared_letters(first: str, second: str) -> float:
    """F1 over runs of one to three letters, 1 for equal texts, as chrF counts them."""
    runs = _counted(first) if len(first) <= SHORT else Counter(_runs(first))
    others = _runs(second)
    total = runs.total() + len(others)
    if not total:
        return float(first == second)
    shared = Counter(filter(runs.__contains__, others))
    return 2 * sum(map(min, shared.values(), map(runs.__getitem__, shared))) / total


def _runs(text: str) -> list[str]:
    letters = "".join(filter(str.isalnum, text.casefold()))
    twos = list(map(add, letters, letters[1:]))
    return [*letters, *twos, *map(add, twos, letters[2:])]


@lru_cache(maxsize=REMEMBERED)
def _counted(text: str) -> Counter[str]:
    return Counter(_runs(text))
