"""Does the prediction praise what the reference blames?

A text's polarity is read by its language: polar words, each turned round by the negations in whose
scope it stands. The text is *positive* where more of its words end up positive than negative,
*negative* the other way round, and neither where they balance. Between a candidate c and a
reference r there is a conflict where

    r is positive, and c is negative, or c has no polar word and denies a predicate that r affirms;
    r is negative, and c is positive by a word that no negation governs.

A text may owe its sign to denials alone (不敢违反: nothing is praised, breaking rules is denied).
Then it praises or blames little by itself: where r does, or where c does and r denies something
too, there is a conflict only about a word that both have, and one of them denies.

So 不是不喜欢 (twice negated) does not contradict praise, and 不喜欢 does; nor does 不忍放手
contradict 喜爱. A language may have idioms whose polarity its words do not show (`overrides`). With
several references the rule's `mode` decides: all of them, any of them, or a share of at least
`ratio` must conflict. An override by item id replaces what is read from the item's references. A
conflict multiplies F-beta by `penalty`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from gistmeter.core.errors import InputError
from gistmeter.core.wiring import Wiring
from gistmeter.languages import Polarity, lexicons
from gistmeter.text.formats.references import parse_sign, read_signs
from gistmeter.text.metrics.comparisons import Comparisons, Floats, TextReader, require_known

Mode = Literal["all", "any", "ratio"]
MODES: tuple[Mode, ...] = ("all", "any", "ratio")


def sign(polarity: Polarity) -> int:
    """1 for praise, -1 for blame, 0 for neither or for a balance of both."""
    if not polarity.words:
        return int(polarity.positive) - int(polarity.negative)
    polar = [word for word in polarity.words if word.kind in ("positive", "negative")]
    polar = [word for word in polar if word.start >= polarity.turn] or polar
    signs = [1 if (word.kind == "positive") != word.negated else -1 for word in polar]
    total = sum(signs) or (signs[-1] if signs and polarity.last else 0)
    return (total > 0) - (total < 0)


def conflicts(candidate: Polarity, reference: Polarity | int, text: str = "") -> bool:
    """Whether two readings contradict each other; a reference may be given by its sign.

    `text` is the reference's, in which a denied predicate is looked for.
    """
    expected = reference if isinstance(reference, int) else sign(reference)
    found = sign(candidate)
    if expected > 0 and found >= 0:
        polar = candidate.positive or candidate.negative
        return not polar and _denies(candidate, reference, text.lower())
    praised = any(word.kind == "positive" and not word.negations for word in candidate.words)
    if expected < 0 and candidate.negated and not praised:
        return False
    return expected * found < 0 and (
        not _denials(candidate, reference) or _share(candidate, reference)
    )


def _denials(candidate: Polarity, reference: Polarity | int) -> bool:
    """Whether a text of the two says what it says by denying, and so says little of praise."""
    if isinstance(reference, int):
        return False
    return _only_denies(reference) or (_only_denies(candidate) and bool(reference.denied))


def _only_denies(polarity: Polarity) -> bool:
    plain = "positive" if sign(polarity) > 0 else "negative"
    return bool(polarity.words) and not any(
        word.kind == plain and not word.negated for word in polarity.words
    )


def _share(candidate: Polarity, reference: Polarity | int) -> bool:
    """Whether one denies a polar word that the other affirms."""
    known = () if isinstance(reference, int) else reference.words
    return any(
        ours.kind == theirs.kind
        and ours.negated != theirs.negated
        and _alike(ours.text, theirs.text)
        for ours in candidate.words
        for theirs in known
        if ours.kind != "negation"
    )


def _alike(word: str, other: str) -> bool:
    """Whether two words are one, but for endings."""
    one, two = sorted((word.lower(), other.lower()), key=len)
    return two.startswith(one[: max(2, round(0.6 * len(one)))])


def _denies(candidate: Polarity, reference: Polarity | int, text: str) -> bool:
    """Whether a predicate is denied that the reference affirms: neither denies itself, nor has as
    the object of a polar word (舍不得放手)."""
    known = Polarity() if isinstance(reference, int) else reference
    governed = {text[word.end :].lstrip() for word in known.words}
    return any(
        word in text
        and not any(word in one or one in word or set(word) & set(one) for one in known.denied)
        and not any(rest.startswith(word) for rest in governed)
        for word in candidate.denied
        if word
    )


def words_conflict(candidate: Polarity, reference: Polarity) -> bool:
    """OrderProbe's rule, of readings that only say whether such words are there."""
    if reference.positive:
        return candidate.negative or (candidate.negated and not candidate.positive)
    return reference.negative and candidate.positive and not candidate.negated


@dataclass(frozen=True, slots=True)
class PolarityRule:
    """When an item conflicts, and what that costs."""

    penalty: float = 0.5  # what F-beta is multiplied by
    mode: Mode = "all"
    ratio: float = 0.5  # share of references that must conflict in mode "ratio"
    overrides: Mapping[str, int] = field(default_factory=dict)  # sign by item id
    reading: Literal["scope", "words"] = "scope"  # how the languages read polarity

    def __post_init__(self) -> None:
        require_known("Polarity mode", self.mode, MODES)
        if not 0 <= self.penalty <= 1 or not 0 <= self.ratio <= 1:
            raise InputError("The polarity penalty and ratio lie between 0 and 1")

    def decide(
        self, ids: Sequence[str], languages: Sequence[TextReader], comparisons: Comparisons
    ) -> Floats:
        """1 for each row in conflict, 0 for the others, NaN for rows without a comparison."""
        found = []
        texts = zip(comparisons.candidates, comparisons.references, strict=True)
        for owner, (candidate, reference) in zip(comparisons.owner.tolist(), texts, strict=True):
            language = languages[owner]
            expected = self.overrides.get(ids[owner])
            if expected is None:
                known = lexicons.pairs(language.lists, "overrides").get(ids[owner])
                expected = None if known is None else parse_sign(known)
            if self.reading == "words":  # an override then stands for both texts: no conflict
                sides = language.polarity(candidate), language.polarity(reference)
                found.append(expected is None and words_conflict(*sides))
                continue
            against = language.polarity(reference) if expected is None else expected
            found.append(conflicts(language.polarity(candidate), against, reference))
        share = comparisons.aggregate(np.asarray(found, dtype=np.float64), "mean")
        held = [float(self.holds(one)) for one in np.nan_to_num(share).tolist()]
        return np.where(np.isnan(share), np.nan, held)

    def holds(self, share: float) -> bool:
        """Whether a share of conflicting references makes a conflict of the item."""
        needed = {"all": 1.0, "any": 0.0, "ratio": self.ratio}[self.mode]
        return share > 0 and share >= needed - 1e-12


def polarity_rule(wiring: Wiring) -> PolarityRule:
    """When a conflict of polarity counts, as the settings say."""
    settings = wiring.settings
    overrides = settings.polarity_overrides
    return PolarityRule(
        settings.polarity_penalty,
        settings.polarity_mode,
        settings.polarity_ratio,
        read_signs(overrides, "id") if overrides else {},
        settings.polarity_reading,
    )
