"""Which items to ask people about: three designs with known probabilities, by a seed.

What is drawn is an item with the outputs of all its systems, so that systems are compared on the
same items. Of N items n are drawn without replacement, and each knows its probability p of being
among them:

- uniform: p = n / N.
- stratified: items in strata of equal number by score; of a stratum with N_h items n_h are drawn,
  n_h in proportion to N_h (or, by Neyman's allocation, to N_h times its mean uncertainty).
- active: p in proportion to the judge's uncertainty u, but for a share `floor` that is the same
  for all (Zrnic and Candes 2024); systematic sampling in random order has exactly these p.

The uncertainty of a score s between 0 and 1 is the standard deviation of a yes with probability s,
sqrt(s (1 - s)), at least a tenth: a judge that is sure can be wrong. Nothing else of an item is
looked at. The order of a sample is random, so that who stops early has a sample of the same design.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.rows import Floats
from gistmeter.core.types import SEED
from gistmeter.people.item_keys import item_keys
from gistmeter.people.records import Selection
from gistmeter.people.score_shares import chosen_score, score_shares

if TYPE_CHECKING:
    from gistmeter.core.run import Run

DESIGNS = ("active", "uniform", "stratified")
ALLOCATIONS = ("proportional", "neyman")
LEAST_UNCERTAIN = 0.1
FEWEST = 2  # items of a sample


@dataclass(frozen=True, slots=True)
class Design:
    """How items are drawn."""

    name: str = "active"
    size: int = 60  # outputs to rate: an item of three systems counts as three
    seed: int = SEED
    score: str = ""  # the judge; the score to judge by where none is named
    strata: int = 5
    allocation: str = "proportional"
    floor: float = 0.5  # of the active design: the share that is drawn without looking at scores

    def __post_init__(self) -> None:
        if self.name not in DESIGNS:
            raise UnknownName("design", self.name, DESIGNS)
        if self.allocation not in ALLOCATIONS:
            raise UnknownName("allocation", self.allocation, ALLOCATIONS)
        if self.size < 1 or self.strata < 1 or not 0 <= self.floor <= 1:
            raise InputError("A design needs a size and strata of at least 1, and a floor between "
                             "0 and 1")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pick:
    """An output to rate."""

    row: int  # of the run
    item: str  # the digest of its texts
    selection: Selection


@dataclass(frozen=True, slots=True)
class LabelSample:
    """What people are asked about, in random order."""

    design: Design
    draw: str  # names it
    score: str
    items: int  # that were drawn
    population: int  # of which
    picks: Sequence[Pick]

    @property
    def token(self) -> str:
        """What the sample can be drawn again from, see `sample_of`."""
        return "/".join(map(str, (*dataclasses.astuple(self.design), self.draw)))


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Every item's probability of being drawn, and its stratum where there are strata."""

    probability: Floats
    stratum: npt.NDArray[np.int64] | None = None


def draw_sample(run: Run, design: Design) -> LabelSample:
    """Draw items of a run; the same run, design and seed give the same sample."""
    score = chosen_score(run, design.score)
    design = dataclasses.replace(design, score=score)
    keys, shares = item_keys(run), score_shares(run, score)
    units = _units(run, keys, shares)
    systems = max(1, len(run.systems))
    wanted = min(len(units), max(1, design.size // systems))
    if wanted < FEWEST:
        raise InputError(
            f"A sample of {design.size} of {len(units)} items with {systems} systems each is too "
            f"small: {FEWEST * systems} outputs of {FEWEST} items at least are needed"
        )
    values = np.array([float(np.mean(shares[rows])) for rows in units])
    inclusion = probabilities(design, values, wanted)
    name = _name(run, design)
    random = np.random.default_rng([design.seed % 2**32, *np.frombuffer(name.encode(), np.uint8)])
    drawn = select(inclusion, wanted, random)
    picks: dict[str, Pick] = {}
    for at in drawn.tolist():
        stratum = None if inclusion.stratum is None else int(inclusion.stratum[at])
        chance = min(1.0, float(inclusion.probability[at]))
        part = None if stratum is None else float(np.mean(inclusion.stratum == stratum))
        chosen = Selection(
            design.name, name, design.seed, wanted, len(units), chance, stratum, part
        )
        for row in units[at]:
            key = keys[row]
            if key:
                picks.setdefault(key, Pick(row, key, chosen))
    listed = list(picks.values())
    shuffled = [listed[at] for at in random.permutation(len(listed)).tolist()]
    return LabelSample(design, name, score, wanted, len(units), shuffled)


def sample_of(run: Run, token: str) -> LabelSample:
    """The sample that a token names, drawn again; an error where the run is another one."""
    parts = token.split("/")
    try:
        name, size, seed, score, strata, allocation, floor, draw = parts
        design = Design(name, int(size), int(seed), score, int(strata), allocation, float(floor))
    except (ValueError, InputError) as error:
        raise InputError(f"'{token[:80]}' names no sample of gistmeter ({error})") from error
    sample = draw_sample(run, design)
    if sample.draw != draw:
        raise InputError(
            f"The sample {draw[:40]} is not of this run, or the run was scored again since. "
            "Name the run that it was drawn from"
        )
    return sample


def probabilities(design: Design, values: Floats, size: int) -> Inclusion:
    """How likely each item is drawn, from the scores of all (between 0 and 1)."""
    total = len(values)
    even = np.full(total, size / total)
    if design.name == "uniform":
        return Inclusion(even)
    if design.name == "active":
        weighed = proportional(uncertainty(values), size)
        return Inclusion(design.floor * even + (1 - design.floor) * weighed)
    stratum = strata_of(values, min(design.strata, max(1, size // FEWEST)))
    inside = np.bincount(stratum)
    weight = uncertainty(values) if design.allocation == "neyman" else np.ones(total)
    numbers = allocate(np.asarray(np.bincount(stratum, weight), np.float64), inside, size)
    return Inclusion((numbers / inside)[stratum], stratum)


def uncertainty(values: Floats) -> Floats:
    """Of scores between 0 and 1; one that is undefined says nothing, so it is the largest."""
    p = np.clip(np.nan_to_num(values, nan=0.5), 0.0, 1.0)
    return np.asarray(np.maximum(np.sqrt(p * (1 - p)), LEAST_UNCERTAIN))


def proportional(weight: Floats, size: int) -> Floats:
    """Probabilities that sum to the size, in proportion to weights, none above 1."""
    chance = np.zeros(len(weight))
    certain = np.zeros(len(weight), bool)
    while True:
        free = ~certain
        chance[free] = weight[free] * ((size - certain.sum()) / max(weight[free].sum(), 1e-300))
        over = free & (chance > 1)
        if not over.any():
            return chance
        certain |= over
        chance[certain] = 1.0


def strata_of(values: Floats, count: int) -> npt.NDArray[np.int64]:
    """Strata of about equal number by value; equal values are never parted."""
    ordered = np.sort(known := np.nan_to_num(values, nan=-1.0))
    cuts = np.unique(ordered[[len(ordered) * at // count for at in range(1, count)]])
    _, stratum = np.unique(np.searchsorted(cuts, known, side="right"), return_inverse=True)
    return np.asarray(stratum, np.int64)


def allocate(weight: Floats, inside: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """How many of each stratum: in proportion, at least two, at most all (largest remainders)."""
    numbers: npt.NDArray[np.int64] = np.minimum(FEWEST, inside)
    while numbers.sum() < size:
        goal = weight / weight.sum() * size
        lack = np.where(numbers < inside, goal - numbers, -np.inf)
        numbers[int(np.argmax(lack))] += 1
    return numbers


def select(inclusion: Inclusion, size: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """The items drawn, in random order."""
    chance, stratum = inclusion.probability, inclusion.stratum
    if stratum is not None:
        parts = [
            random.permutation(np.flatnonzero(stratum == one))
            [: round(float(chance[stratum == one].sum()))]
            for one in np.unique(stratum)
        ]  # fmt: skip
        return np.asarray(random.permutation(np.concatenate(parts)), np.int64)
    order = random.permutation(len(chance))
    reached = np.cumsum(chance[order])
    reached *= size / reached[-1]
    marks = random.random() + np.arange(size)
    found = np.searchsorted(reached, marks, side="right")
    drawn: npt.NDArray[np.int64] = order[np.minimum(found, len(order) - 1)]
    return np.asarray(random.permutation(drawn), np.int64)


def _units(run: Run, keys: Sequence[str | None], shares: Floats) -> list[list[int]]:
    """The rows of each item that can be rated and has a score."""
    rows = run.measured
    units: dict[tuple[str, str], list[int]] = {}
    for at, key in enumerate(keys):
        if key and math.isfinite(shares[at]):
            units.setdefault((rows.keys["group"][at], rows.keys["id"][at]), []).append(at)
    return list(units.values())


def _name(run: Run, design: Design) -> str:
    inputs = sorted(run.inputs.values())
    told = json.dumps([dataclasses.astuple(design), run.signature, inputs])
    return f"{design.name}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
