"""A text beside a source that is too long to be read at once: a summary beside its article.

What a summary leaves out is no fault; what it says should be in the source. So each of its
sentences is read by itself, beside the sentences of the source nearest to it: together and in the
order of the source, since a claim may gather what stands apart, and as many as the judge reads at
once. A sentence of the source counts with its neighbours. gist is the mean over the candidate's
sentences, weighed by their length.

A sentence that is no nearer to any sentence of the source than unrelated texts are ("News.") is not
in it, whatever the judge makes of so little: between `FOUND` its value fades to 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from gistmeter import languages
from gistmeter.metrics.gist.pair_evidence import Floats, GistBaselines, extent, is_source
from gistmeter.models.protocols import Embedder

ROOM = 800.0  # letters of a passage that the judge reads beside a sentence
TOGETHER = 5  # nearest sentences of the source
FOUND = (0.3, 0.45)  # cosine above unrelated texts: what is in no source, and what surely is


@dataclass(frozen=True, slots=True)
class SourceReading:
    """What is read of a pair: all of it, or one sentence of its candidate."""

    pair: int  # its number among the pairs
    passage: str
    said: str
    part: bool = False
    found: float = 1.0  # whether the source speaks of it at all


def readings(
    pairs: Sequence[tuple[str, str]],
    codes: Sequence[str],
    embedder: Embedder,
    baselines: Mapping[str, GistBaselines],
) -> list[SourceReading]:
    """What to read of (reference, candidate) pairs, in their order."""
    parts = {
        at: [languages.get(codes[at]).sentences(text) for text in pair]
        for at, pair in enumerate(pairs)
        if extent(pair[0]) > ROOM and is_source(*np.array([[extent(text)] for text in pair]))[0]
    }
    parts = {at: sides for at, sides in parts.items() if all(sides)}
    place: dict[str, int] = {}
    for sides in parts.values():
        for text in (*sides[0], *sides[1]):
            place.setdefault(text, len(place))
    embedded = embedder.embed(list(place)).vectors if place else ()
    vectors = np.nan_to_num(np.asarray(embedded, dtype=np.float64))  # what failed is near nothing
    made: list[SourceReading] = []
    for at, pair in enumerate(pairs):
        if at not in parts:
            made.append(SourceReading(at, *pair))
            continue
        source, said = parts[at]
        base = baselines.get(codes[at], GistBaselines()).cosine
        rows = vectors[[place[text] for text in source]]
        for sentence in said:
            passage, near = _beside(source, rows, vectors[place[sentence]])
            above = ((near - base) / (1 - base) - FOUND[0]) / (FOUND[1] - FOUND[0])
            made.append(SourceReading(at, passage, sentence, True, float(np.clip(above, 0, 1))))
    return made


def _beside(source: Sequence[str], rows: Floats, vector: Floats) -> tuple[str, float]:
    """The nearest sentences of a source, in its order, and how near the nearest is."""
    padded = np.pad(rows, ((1, 1), (0, 0)))
    around = padded[:-2] + rows + padded[2:]
    # Sums row by row: a product of matrices rounds by how many rows there are.
    near = (rows * vector).sum(axis=1)
    smooth = (around * vector).sum(axis=1) / np.maximum(np.linalg.norm(around, axis=1), 1e-9)
    kept: list[int] = []
    for place in np.argsort(-(near + smooth), kind="stable").tolist()[:TOGETHER]:
        if kept and sum(extent(source[one]) for one in (*kept, place)) > ROOM:
            break
        kept.append(place)
    return " ".join(source[one] for one in sorted(kept)), float(near.max())


def pooled(values: Floats, read: Sequence[SourceReading]) -> tuple[list[float], list[int]]:
    """gist of each pair, and which of its readings tells most of it: the one with the least."""
    shares = values * np.array([one.found for one in read])
    chances, telling = [], []
    for _, group in groupby(range(len(read)), lambda at: read[at].pair):
        places = list(group)
        lengths = np.array([extent(read[at].said) for at in places])
        chances.append(float(np.average(shares[places], weights=lengths + 1)))
        telling.append(places[int(np.argmin(shares[places]))])
    return chances, telling
