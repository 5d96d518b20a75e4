"""One pass of training as batches of token ids."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gistmeter.models import e5
from gistmeter.models.e5 import e5_weights
from gistmeter.models.judge.network import compare, mark
from training import frames, sources, written
from training.held_out import is_held_out
from training.rows import Group, Row

LONGEST = 230  # tokens per text in training: a passage
PAIRS, TOKENS = 32, 3200  # limits of a batch: pairs, and tokens of both texts with padding
OLD = 0.055  # share of the public sets' own shares that one pass draws
GRADED = 9000  # rows of one pass
FRAMES = 150  # groups of each language in one pass
TURNED, PASSAGE_TURNED = 0.4, 0.2  # share of rows that are read the other way round
APART = 0.1  # between ratings that tell which of two is better
TARGETS = ("label", "backward", "survives", "degree", "changed")


class Tokens:
    """Texts to ids, as the embedder reads them, each text once."""

    def __init__(self, weights: e5_weights.Weights) -> None:
        self.pieces = weights.pieces
        self.tokenizer = e5.make_tokenizer(weights.pieces)
        prefix = self.tokenizer.encode(e5.PREFIX.strip(), add_special_tokens=False).ids
        self.head, self.tail = [self.pieces.begin, *prefix], [self.pieces.end]
        self.known: dict[str, list[int]] = {}

    def normalise(self, text: str) -> str:
        mapped = unicodedata.normalize("NFKC", text).translate(self.pieces.characters)
        return " ".join(part for part in mapped.split(" ") if part)

    def add(self, texts: Sequence[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        for start in range(0, len(new), 4096):
            part = new[start : start + 4096]
            ready = [self.normalise(text) for text in part]
            encoded = self.tokenizer.encode_batch(ready, add_special_tokens=False)
            self.known.update({text: one.ids for text, one in zip(part, encoded, strict=True)})

    def content(self, text: str) -> list[int]:
        if text not in self.known:
            self.add([text])
        return self.known[text]


def build(folder: Path, seed: int, shares: float = 1.0) -> list[Group]:
    """The groups of one pass; another seed gives another draw, other edits and other formats.

    All written groups are in every pass; `shares` scales what is drawn of everything.
    """
    chance = random.Random(seed)
    own = written.for_training()
    found = [written.draw(one, chance) for one in chance.sample(own, round(len(own) * shares))]

    def take(groups: Iterable[Group], share: float) -> None:
        kept = [group for group in groups if not any(is_held_out(row.first) for row in group.rows)]
        found.extend(chance.sample(kept, round(len(kept) * min(1.0, share * shares))))

    rows = [
        row
        for path in sorted((folder / "graded").glob("*.jsonl.gz"))
        for row in sources.read(path)
        if not sources.is_graded_aside(row)
    ]
    take(sources.graded(rows), GRADED / len(rows))
    for name, share in sources.NLI_SHARES.items():
        rows = sources.read(folder / "nli" / f"{name}.jsonl.gz")
        if name in sources.UNBALANCED:
            rows = sources.balanced(rows, chance)
        take(sources.by_premise(name, rows), share * OLD * 1.5)
    for name, share in sources.STS_SHARES.items():
        rows = sources.read(folder / "sts" / f"{name}.jsonl.gz")
        take(sources.similar(name, rows), share * OLD * 9)
    for name, share in sources.PARA_SHARES.items():
        rows = sources.read(folder / "para" / f"{name}.jsonl.gz")
        take(sources.paraphrases(name, rows), share * OLD * 3)
    for name, share in sources.EDIT_SHARES.items():
        rows = sources.read(folder / "edits" / f"{name}.jsonl.gz")
        take(sources.published_edits(name, rows), share * OLD * 2)
    for language, share in sources.RULE_SHARES.items():
        pairs = sources.true_pairs(folder, language)
        pairs = [pair for pair in pairs if not is_held_out(pair[0])]
        size = round(len(pairs) * min(1.0, share * OLD * shares))
        take(sources.rule_edits(language, chance.sample(pairs, size), chance), 1.0)
    for language in frames.LANGUAGES:
        take(frames.groups(language, round(FRAMES * shares), chance), 1.0)
    take(sources.noisy(folder, chance), 0.12 * OLD)
    found = [turn(group, chance) for group in found]
    chance.shuffle(found)
    return found


def turn(group: Group, chance: random.Random) -> Group:
    """Some rows the other way round, so that both directions are learned alike."""
    share = PASSAGE_TURNED if group.source in {"claims", "abridged"} else TURNED
    rows = (row.turned() if chance.random() < share else row for row in group.rows)
    return replace(group, rows=tuple(rows))


def batches(groups: list[Group], tokens: Tokens, seed: int) -> list[list[Group]]:
    """Groups of like length together, in random order."""
    tokens.add([text for group in groups for row in group.rows for text in (row.first, row.second)])
    chance = random.Random(seed)

    def length(row: Row) -> int:
        return len(tokens.content(row.first)) + len(tokens.content(row.second))

    def fits(group: Group) -> bool:
        texts = (text for row in group.rows for text in (row.first, row.second))
        return all(len(tokens.content(text)) <= LONGEST for text in texts)

    sized = [
        (max(map(length, group.rows)) * chance.uniform(0.9, 1.1), group)
        for group in groups
        if fits(group)
    ]
    made: list[list[Group]] = []
    current: list[Group] = []
    count = 0
    for size, group in sorted(sized, key=lambda one: one[0]):
        grown = count + len(group.rows)
        if current and (grown > PAIRS or grown * (size + 2) > TOKENS):
            made.append(current)
            current, count = [], 0
        current.append(group)
        count += len(group.rows)
    made.append(current)
    chance.shuffle(made)
    return made


def tensors(rows: Sequence[Row], tokens: Tokens) -> dict[str, Any]:
    """What the network reads: each text once, pairs as positions of texts."""
    texts = list(dict.fromkeys(text for row in rows for text in (row.first, row.second)))
    place = {text: at for at, text in enumerate(texts)}
    contents = [tokens.content(text)[: 512 - 5] for text in texts]
    head, tail = tokens.head, tokens.tail
    length = max(map(len, contents)) + len(head) + len(tail)
    ids = np.full((len(texts), length), tokens.pieces.padding, dtype=np.int64)
    real = np.zeros((len(texts), length), dtype=np.bool_)
    content = np.zeros((len(texts), length), dtype=np.bool_)
    for at, inner in enumerate(contents):
        whole = [*head, *inner, *tail]
        ids[at, : len(whole)] = whole
        real[at, : len(whole)] = True
        content[at, len(head) : len(head) + len(inner)] = True
    marks = np.zeros((2, 2, len(rows), length), dtype=np.float32)
    features = []
    for at, row in enumerate(rows):
        first, second = contents[place[row.first]], contents[place[row.second]]
        for side, (mine, other) in enumerate(((first, second), (second, first))):
            exact, bigram = mark(mine, other)
            marks[0, side, at, len(head) : len(head) + len(mine)] = exact
            marks[1, side, at, len(head) : len(head) + len(mine)] = bigram
        ready = tokens.normalise(row.first), tokens.normalise(row.second)
        features.append(compare(first, second, ready))
    sides = np.asarray([[place[row.first] for row in rows], [place[row.second] for row in rows]])
    return {
        "texts": texts,
        "ids": torch.from_numpy(ids),
        "real": torch.from_numpy(real),
        "content": torch.from_numpy(content),
        "sides": torch.from_numpy(sides),
        "exact": torch.from_numpy(marks[0]),
        "bigram": torch.from_numpy(marks[1]),
        "features": torch.from_numpy(np.stack(features)),
        **{name: torch.tensor([getattr(row, name) for row in rows]) for name in TARGETS},
    }


@dataclass(frozen=True, slots=True)
class Batch:
    """Inputs and targets, and which rows stand above which in survives and in degree."""

    inputs: dict[str, Any]
    ranks: list[tuple[int, int]]
    degrees: list[tuple[int, int]]


def assemble(groups: Sequence[Group], tokens: Tokens) -> Batch:
    rows: list[Row] = []
    ranks: list[tuple[int, int]] = []
    degrees: list[tuple[int, int]] = []
    for group in groups:
        ranks += [(high + len(rows), low + len(rows)) for high, low in group.ranks]
        degrees += [(high + len(rows), low + len(rows)) for high, low in group.degrees]
        rows += group.rows
    return Batch(tensors(rows, tokens), ranks, degrees + rated(groups))


def rated(groups: Sequence[Group]) -> list[tuple[int, int]]:
    """Of rows that people rated on one scale, which stands above which, whatever its language."""
    scales: dict[bool, list[tuple[int, float]]] = {}
    at = 0
    for group in groups:
        if group.source == "graded" or group.source in sources.STS_SHARES:
            scale = scales.setdefault(group.source == "graded", [])
            scale += [(at + place, row.degree) for place, row in enumerate(group.rows)]
        at += len(group.rows)
    return [
        (high, low)
        for scale in scales.values()
        for high, better in scale
        for low, worse in scale
        if better - worse >= APART
    ]
