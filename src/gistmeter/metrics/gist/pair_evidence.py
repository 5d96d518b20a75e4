"""What is known of a pair of texts before anyone calls it the same: what `gist` is made of.

The judge reads the pair once, for both directions: a candidate may say less than its reference (the
reference entails it) or more (it entails the reference). Sentence vectors and BERTScore are told
from the models' baselines, so that 0 means unrelated. Letters are counted because models hardly see
a wrong ending, and the guard's alarms because they hardly see a wrong number. How near the letters
are also says what a changed word costs: where texts are nearly the same it is all that matters.
Texts that are the same but for what the guard found are near however short they are: 他昨天来了,
他今天来了.

A reference that is much longer than its candidate (`is_source`) is a source and not a paraphrase:
an article beside its summary, a passage beside a claim. What such a candidate leaves out is no
fault, so only what speaks of its support is asked.

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
KINDS = {"number": "numbers", "unit": "numbers", "date": "numbers", "time": "numbers",
         "negation": "negation", "quantity": "negation", "comparative": "negation",
         "name": "names", "word": "names"}  # fmt: skip
EDGE = 1e-3  # probabilities are kept this far from 0 and 1 before their logits are taken
NEAR, STEEP = 0.82, 30.0  # shared letters from which texts are nearly the same, and how sharply
WORD = re.compile(r"\w+")
DENSE, SYLLABLE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]"), re.compile(r"[\uac00-\ud7a3]")
PASSAGE, LONGER = 250.0, 2.5  # letters of a source, and how much longer than a candidate it is
STOPS = ".。．｡"
SAME = 0.98  # shared letters of texts that are the same
PLACED = ("number", "ordinal", "quantity", "comparative")  # they speak of what stands beside them
REMEMBERED, SHORT = 1 << 12, 1 << 9  # references come again: letters are kept of short ones
LIKELY = 0.9  # the least similarity of texts in which a phrase only moved


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of pairs."""

    measured: Mapping[str, Floats]  # by name; probabilities as logits
    sources: npt.NDArray[np.bool_]  # where the reference is the candidate's source
    equal: npt.NDArray[np.bool_]  # where both texts are the same, a last full stop apart
    verdicts: Verdicts  # of (reference, candidate)
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
    pairs = [
        (reference, reference)
        if same_script(reference, candidate, code)
        else ended_alike(reference, candidate)
        for (reference, candidate), code in zip(pairs, languages, strict=True)
    ]
    alarms = _alarms(pairs, languages, guards or {})
    moved = np.asarray(
        [not differing and is_moved(*pair, code)
         for pair, code, differing in zip(pairs, languages, alarms, strict=True)], dtype=bool
    )  # fmt: skip
    verdicts = _kept(judge.judge(pairs), moved)
    matched = matcher.match([(candidate, reference) for reference, candidate in pairs])
    embedded = cosines(
        embedder, [reference for reference, _ in pairs], [candidate for _, candidate in pairs]
    )
    none = GistBaselines()
    bases = [baselines.get(code, none) for code in languages]
    base_cosine = np.asarray([base.cosine for base in bases])
    base_match = np.asarray([base.bertscore for base in bases])
    letters = np.asarray([shared_letters(*pair) for pair in pairs])
    same = [same_but(*each) for each in zip(pairs, alarms, strict=True)]
    near = np.where(same, 1.0, nearness(letters))
    sizes = np.asarray([[extent(text) for text in pair] for pair in pairs]).reshape(-1, 2).T
    alarmed = {name: _alarmed(alarms, name) for name in ("numbers", "negation", "names")}
    measured = {
        "degree": logit(verdicts.similarity),
        "survives": logit(verdicts.survives),
        "follows": logit(verdicts.entailment),
        "says_all": logit(verdicts.entails),
        "contradicts": logit(verdicts.contradiction),
        "opposes": logit(verdicts.opposes),
        "changed": logit(verdicts.changed),
        "cosine": (embedded.values - base_cosine) / (1 - base_cosine),
        "precision": (matched.precision - base_match) / (1 - base_match),
        "recall": (matched.recall - base_match) / (1 - base_match),
        "bertscore": (matched.f1 - base_match) / (1 - base_match),
        "letters": letters,
        "near": near,
        "length": np.log((sizes[1] + 1) / (sizes[0] + 1)),
        "size": np.log(sizes[0] + 1),
        **alarmed,
        **{f"{name}_near": near * alarmed[name] for name in ("numbers", "negation")},
    }
    failures = {**embedded.failures, **matched.failures, **verdicts.failures}
    equal = np.asarray([first.split() == second.split() for first, second in pairs], dtype=bool)
    return Evidence(measured, is_source(*sizes), equal, verdicts, alarms, failures)


def extent(text: str) -> float:
    """How long a text is, in letters of an alphabet: a Chinese sign says as much as several."""
    return len(text) + 1.5 * len(DENSE.findall(text)) + 0.8 * len(SYLLABLE.findall(text))


def is_source(reference: Floats, candidate: Floats) -> npt.NDArray[np.bool_]:
    """Whether references of such lengths are a passage, and candidates a small part of it."""
    return (reference >= PASSAGE) & (reference >= LONGER * candidate)


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


def same_script(reference: str, candidate: str, code: str) -> bool:
    """Whether two texts differ in script or in letters that are optional only: 電話, 电话."""
    respell = packs.get(code).facts.respell
    return (
        respell is not None and reference != candidate and respell(reference) == respell(candidate)
    )


def ended_alike(reference: str, candidate: str) -> tuple[str, str]:
    """Both texts without their full stop where only one has it: it says nothing."""
    bare = [text.rstrip().rstrip(STOPS) for text in (reference, candidate)]
    stopped = [
        text.rstrip() != without for text, without in zip((reference, candidate), bare, strict=True)
    ]
    return (bare[0], bare[1]) if all(bare) and stopped[0] != stopped[1] else (reference, candidate)


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
        entails=np.where(moved, 1.0, verdicts.entails),
        opposes=np.where(moved, 0.0, verdicts.opposes),
        survives=np.where(moved, np.fmax(verdicts.survives, LIKELY), verdicts.survives),
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
