"""Who stands where on a score: the order, the ranks, the ties, and who is not ranked.

Every place that shows a ranking (terminal, report, `compare`, Markdown, Python) shows this one.

- *Not ranked* is a system without a value, and one that left many more items unscored than another:
  a system that answers the easy items only would otherwise lead. Nor is one that has no scored item
  in common with the largest group of systems that have; of two groups of a size neither is ranked.
- *Order*: by the mean of a system's differences to the other ranked systems, each on the items that
  the two share. Where all have all items this is the order of the values. Nobody stands above a
  system that was shown to be better.
- *Rank*: 1 + the number of systems shown to be better, and never worse than the rank of a system
  further down.
- *Letters* (a compact letter display by insertion and absorption: Piepho 2004): two systems share a
  letter exactly where no difference between them was shown.
"""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gistmeter.core.types import Score

if TYPE_CHECKING:
    from gistmeter.core.comparison.results import PairedDifference

SKIPPED = 0.1  # the share of items, beyond what others skip, from which a system is not ranked
ELSEWHERE = "was scored on other items"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The verdict on one score; `order` has all systems, those that are not ranked last."""

    order: tuple[str, ...] = ()
    ranks: Mapping[str, int] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)
    excluded: Mapping[str, str] = field(default_factory=dict)  # system -> why it is not ranked
    elsewhere: frozenset[str] = frozenset()  # of these, those that share no item with others

    @property
    def ranked(self) -> list[str]:
        return [system for system in self.order if system not in self.excluded]

    def rank(self, system: str) -> str:
        """A rank as it is shown: "2", "2=" where it is shared, "–" where there is none."""
        own = self.ranks.get(system)
        if own is None:
            return "–"
        return f"{own}=" if Counter(self.ranks.values())[own] > 1 else str(own)


def rank(
    scores: Mapping[str, Score], pairs: Iterable[PairedDifference] = (), *, baseline: str = ""
) -> Ranking:
    """Rank systems by their scores and the tests of their pairs.

    Against a `baseline` only, of three systems or more, there is an order and no rank: the others
    were not compared with each other.
    """
    pairs, excluded = list(pairs), _excluded(scores)
    known = [system for system in scores if system not in excluded]
    elsewhere = frozenset(_elsewhere(known, pairs, baseline))
    excluded |= {system: ELSEWHERE for system in known if system in elsewhere}
    ranked = {system: score for system, score in scores.items() if system not in excluded}
    among = [pair for pair in pairs if pair.a in ranked and pair.b in ranked]
    better = _better(ranked, among)
    order = _order(ranked, among, better)
    if baseline and len(scores) > 2:
        return Ranking((*order, *excluded), excluded=excluded, elsewhere=elsewhere)
    ranks, least = {}, len(order)
    for system in reversed(order):
        least = min(least, 1 + len(better[system]))
        ranks[system] = least
    letters = _letters(order, better) if among else {}
    return Ranking(
        (*order, *excluded), {name: ranks[name] for name in order}, letters, excluded, elsewhere
    )


def _excluded(scores: Mapping[str, Score]) -> dict[str, str]:
    """Who is not ranked: who skipped items first, then who has no value."""
    known = {system: score for system, score in scores.items() if math.isfinite(score.value)}
    shares = {
        system: one.unscored / (one.n + one.unscored) for system, one in known.items() if one.n
    }
    least = min(shares.values(), default=0.0)
    skipped = {
        system: f"scored only {known[system].n:,} of {known[system].n + known[system].unscored:,}"
        for system, share in shares.items()
        if share - least > SKIPPED
    }
    return skipped | {system: "has no value" for system in scores if system not in known}


def _elsewhere(
    systems: Sequence[str], pairs: Sequence[PairedDifference], baseline: str
) -> list[str]:
    """Who has no scored item in common with the largest group (with the baseline's, if there is
    one); all where no group is the largest."""
    groups = {system: {system} for system in systems}
    for pair in pairs:
        if math.isfinite(pair.difference) and pair.a in groups and pair.b in groups:
            joined = groups[pair.a] | groups[pair.b]
            groups |= dict.fromkeys(joined, joined)
    if not pairs or len(groups) < 2 or (baseline and baseline not in groups):
        return []
    most = groups.get(baseline) or max(groups.values(), key=len)
    if len(most) < 2 or any(group != most and len(group) == len(most) for group in groups.values()):
        most = groups.get(baseline, set())
    return [system for system in systems if system not in most]


def _better(ranked: Mapping[str, Score], pairs: Sequence[PairedDifference]) -> dict[str, set[str]]:
    """For each system those that were shown to be better."""
    better: dict[str, set[str]] = {system: set() for system in ranked}
    for pair in pairs:
        if pair.is_real and pair.difference:
            higher = ranked[pair.a].higher_is_better
            worse, best = (pair.b, pair.a) if (pair.difference > 0) == higher else (pair.a, pair.b)
            better[worse].add(best)
    return better


def _order(
    ranked: Mapping[str, Score], pairs: Sequence[PairedDifference], better: Mapping[str, set[str]]
) -> list[str]:
    known = [pair for pair in pairs if math.isfinite(pair.difference)]
    strength = {system: score.value for system, score in ranked.items()}
    if any(pair.left_out for pair in pairs) and len(known) == math.comb(len(ranked), 2):
        strength = dict.fromkeys(ranked, 0.0)
        for pair in known:
            strength[pair.a] += pair.difference
            strength[pair.b] -= pair.difference
    higher = all(score.higher_is_better for score in ranked.values())
    left = sorted(ranked, key=lambda system: -strength[system] if higher else strength[system])
    order: list[str] = []
    while left:
        first = next((system for system in left if not better[system] & {*left}), left[0])
        order.append(first)
        left.remove(first)
    return order


def _letters(order: Sequence[str], better: Mapping[str, set[str]]) -> dict[str, str]:
    groups = [set(order)]
    for worse in order:
        for best in better[worse]:
            split = [group for group in groups if worse in group and best in group]
            rest = [group for group in groups if group not in split]
            for part in (group - {one} for group in split for one in (worse, best)):
                if not any(part <= other for other in rest):
                    rest = [*(other for other in rest if not other <= part), part]
            groups = rest
    place = {system: at for at, system in enumerate(order)}
    groups.sort(key=lambda group: sorted(place[system] for system in group))
    names = [*string.ascii_letters, *(f"({at})" for at in range(1, len(groups)))]
    found = dict.fromkeys(order, "")
    for name, group in zip(names, groups, strict=False):
        for system in group:
            found[system] += name
    return found
