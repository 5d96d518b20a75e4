"""What a summary claims, looked up in the whole book and judged.

A summary is cut into claims: its sentences, and the clauses of long ones. For each claim the
passages of the book nearest to it are found by the embedder: a sentence counts with its neighbours,
for a claim in other words is like a passage rather than like one of its sentences. The judge reads
the claim beside each of these passages, and beside the nearest sentences of all of them together,
since a claim may gather what stands apart. From what it says two probabilities follow:

    found  = σ(b + Σ wᵢ·xᵢ)    the book speaks of what is claimed
    agrees = σ(b' + Σ w'ᵢ·xᵢ)  what it says is what is claimed, by the judge alone

so that a claim is supported with found · agrees, contradicted with found · (1 − agrees), and not
found with the rest. Weights and the least probability of a supported claim stand in
`data/claims.json`; `python -m training.claims` fits them on passages with claims that neither this
nor the judge has learned from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np

from gistmeter.book.edition_kinds import TOKENS
from gistmeter.book.metrics.measures import ContentWords
from gistmeter.book.metrics.similarity import Floats, Vectors
from gistmeter.metrics.gist import probability
from gistmeter.models.products import times
from gistmeter.models.protocols import JudgeModel

SUPPORTED, CONTRADICTED, NOT_FOUND = "supported", "contradicted", "not found"
VERDICTS = (CONTRADICTED, NOT_FOUND, SUPPORTED)  # the gravest first
FEATURES = ("follows", "against", "changed", "alike", "near", "words")
PASSAGES = 3  # that a claim is read beside
TOGETHER = 5  # nearest sentences that are read together
PIECE = 5.0  # letters of a word that are a token, roughly
LONG = 220  # characters of a sentence whose clauses are claims of their own
CLAUSE = 60  # characters of a clause at least
BREAK = re.compile(r"(?<=[;；])\s*|(?<=——)|\s+[–—]\s+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of a summary that is checked by itself."""

    text: str
    sentence: int  # of the summary


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim with the passages it was read beside, the most telling first."""

    claim: Claim
    passages: tuple[tuple[int, int], ...]  # first and last sentence of the source
    supported: float  # probabilities
    contradicted: float
    verdict: str
    failure: str = ""

    @property
    def probability(self) -> float:
        """Of what was found."""
        rest = 1 - self.supported - self.contradicted
        named = {SUPPORTED: self.supported, CONTRADICTED: self.contradicted, NOT_FOUND: rest}
        return named[self.verdict]


@lru_cache(maxsize=1)
def fitted() -> Mapping[str, Any]:
    """The weights, the least probability of a supported claim, and the room of a passage."""
    file = resources.files("gistmeter.book.metrics").joinpath("data", "claims.json")
    content: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


def split_claims(sentences: Sequence[str]) -> list[Claim]:
    """Sentences, and the clauses of long ones where a semicolon or a dash parts them."""
    claims = []
    for at, sentence in enumerate(sentences):
        parts = [part.strip() for part in BREAK.split(sentence)] if len(sentence) > LONG else []
        whole = len(parts) < 2 or min(map(len, parts)) < CLAUSE
        claims += [Claim(part, at) for part in ([sentence] if whole else parts)]
    return claims


def count_tokens(text: str) -> float:
    """About how many tokens a text has."""
    return sum(max(1.0, len(word) / PIECE) for word in TOKENS.findall(text))


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """Claims beside the passages of a book: what to ask, and what is known without asking."""

    claims: Sequence[Claim]
    passages: list[list[tuple[int, int]]]  # by claim, the nearest first
    together: list[str]  # by claim: its nearest sentences in the order of the book
    near: Floats  # the cosine of the nearest
    words: Floats  # the share of its content words in these passages


def look_up(
    claims: Sequence[Claim],
    claim_vectors: Vectors,
    source: Sequence[str],
    source_vectors: Vectors,
    words: ContentWords,
    *,
    room: float,
) -> ClaimReading:
    """The passages nearest to each claim; `words` are those of source and claims, `room` the tokens
    of a passage."""
    smooth = _smoothed(source_vectors)
    lengths = np.array([count_tokens(sentence) for sentence in source])
    reading = ClaimReading(claims, [], [], np.zeros(len(claims)), np.zeros(len(claims)))
    for at in range(len(claims)):
        cosines = (times(source_vectors, claim_vectors[at]) + times(smooth, claim_vectors[at])) / 2
        order = np.argsort(-cosines, kind="stable").tolist()
        passages = _nearest(order, lengths, room)
        best = _fitting(order[:TOGETHER], lengths, room)
        held = [words.source[place] for one in passages for place in range(one[0], one[1] + 1)]
        reading.passages.append(passages)
        reading.together.append(" ".join(source[place] for place in sorted(best)))
        reading.near[at] = cosines[order[0]]
        reading.words[at] = words.shared(words.summary[at], held)
    return reading


def _smoothed(vectors: Vectors) -> Vectors:
    """Each vector with its neighbours', again of length 1."""
    padded = np.pad(vectors, ((1, 1), (0, 0)))
    means = padded[:-2] + padded[1:-1] + padded[2:]
    unit: Vectors = means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    return unit


def _fitting(places: Sequence[int], lengths: Floats, room: float) -> list[int]:
    """The first places whose sentences fit; one at least."""
    kept: list[int] = []
    for place in places:
        if kept and lengths[[*kept, place]].sum() > room:
            break
        kept.append(place)
    return kept


def _nearest(order: Sequence[int], lengths: Floats, room: float) -> list[tuple[int, int]]:
    """Passages around the nearest sentences, as long as there is room, none twice."""
    passages: list[tuple[int, int]] = []
    for place in order:
        if any(first <= place <= last for first, last in passages):
            continue
        first = last = place
        grows = True
        while grows:
            grows = False
            for step in (1, -1):
                edge = last + 1 if step > 0 else first - 1
                size = lengths[max(0, min(first, edge)) : max(last, edge) + 1].sum()
                if 0 <= edge < len(lengths) and size <= room:
                    first, last, grows = min(first, edge), max(last, edge), True
        passages.append((first, last))
        if len(passages) == PASSAGES:
            break
    return passages


def claim_features(
    reading: ClaimReading, source: Sequence[str], judge: JudgeModel
) -> tuple[Floats, list[list[tuple[int, int]]], dict[int, str]]:
    """A row of FEATURES for each claim, its passages with the most telling first, and failures."""
    pairs, owners = [], []
    for at, claim in enumerate(reading.claims):
        texts = [" ".join(source[first : last + 1]) for first, last in reading.passages[at]]
        premises = dict.fromkeys([*texts, reading.together[at]])
        pairs += [(premise, claim.text) for premise in premises]
        owners += [at] * len(premises)
    answers = judge.judge(pairs)
    owned = np.array(owners)
    table = np.zeros((len(reading.claims), len(FEATURES)))
    ordered, failures = [], {}
    for at in range(len(reading.claims)):
        mine = np.flatnonzero(owned == at)
        yes, no = answers.entailment[mine], answers.contradiction[mine]
        if np.isnan(yes).any():
            bad = next((place for place in mine.tolist() if place in answers.failures), -1)
            failures[at] = answers.failures.get(bad, "the judge gave no answer")
        telling = int(np.argmax(np.nan_to_num(yes + no)))
        table[at] = (
            yes.max(), no[telling], answers.changed[mine].min(), answers.similarity[mine].max(),
            reading.near[at], reading.words[at],
        )  # fmt: skip
        spans = reading.passages[at]
        rank = np.argsort(-np.nan_to_num(yes + no)[: len(spans)], kind="stable").tolist()
        ordered.append([spans[place] for place in rank])
    return table, ordered, failures


def judge_claims(
    reading: ClaimReading, source: Sequence[str], judge: JudgeModel
) -> list[JudgedClaim]:
    """Every claim with its verdict."""
    model = fitted()
    table, passages, failures = claim_features(reading, source, judge)
    there = probability(table, model["found"], FEATURES)
    agrees = probability(table, model["agrees"], FEATURES)
    yes, no = there * agrees, there * (1 - agrees)
    judged = []
    for at, claim in enumerate(reading.claims):
        rest = 1 - yes[at] - no[at]
        verdict = CONTRADICTED if no[at] >= rest else NOT_FOUND
        verdict = SUPPORTED if yes[at] >= model["least"] else verdict
        numbers = (np.nan, np.nan) if at in failures else (float(yes[at]), float(no[at]))
        judged.append(
            JudgedClaim(claim, tuple(passages[at]), *numbers, verdict, failures.get(at, ""))
        )
    return judged
