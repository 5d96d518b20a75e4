"""One pass of training as batches of token ids, and the rows that are kept out for measuring."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gistmeter.models import e5
from gistmeter.models.e5 import e5_weights
from gistmeter.models.judge.network import compare, mark
from training import frames, sources
from training.held_out import is_held_out
from training.rows import Group, Row

LONGEST = 112  # tokens a side in training
PAIRS, TOKENS = 32, 32 * 100  # limits of a batch
FRAMES = 500  # groups of each language in a whole pass
RULE_LANGUAGES = tuple(sources.RULE_SHARES)


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
    """The groups of one pass; another seed gives another draw and other edits."""
    chance = random.Random(seed)
    found: list[Group] = []

    def take(groups: Iterator[Group], share: float) -> None:
        kept = [group for group in groups if not any(is_held_out(row.first) for row in group.rows)]
        found.extend(chance.sample(kept, round(len(kept) * min(1.0, share * shares))))

    for name, share in sources.NLI_SHARES.items():
        rows = sources.read(folder / "nli" / f"{name}.jsonl.gz")
        if name in sources.UNBALANCED:
            rows = sources.balanced(rows, chance)
        take(sources.by_premise(name, rows), share)
    for name, share in sources.STS_SHARES.items():
        take(sources.similar(name, sources.read(folder / "sts" / f"{name}.jsonl.gz")), share)
    for name, share in sources.PARA_SHARES.items():
        take(sources.paraphrases(name, sources.read(folder / "para" / f"{name}.jsonl.gz")), share)
    for name, share in sources.EDIT_SHARES.items():
        take(
            sources.published_edits(name, sources.read(folder / "edits" / f"{name}.jsonl.gz")),
            share,
        )
    for language in RULE_LANGUAGES:
        pairs = sources.true_pairs(folder, language)
        pairs = [pair for pair in pairs if not is_held_out(pair[0])]
        size = round(len(pairs) * min(1.0, sources.RULE_SHARES[language] * shares))
        take(sources.rule_edits(language, chance.sample(pairs, size), chance), 1.0)
    for language in frames.LANGUAGES:
        take(frames.groups(language, FRAMES, chance), 1.0)
    take(sources.noisy(folder, chance), 0.12)
    chance.shuffle(found)
    return found


def batches(groups: list[Group], tokens: Tokens, seed: int) -> list[list[Group]]:
    """Groups of like length together, in random order."""
    tokens.add([text for group in groups for row in group.rows for text in (row.first, row.second)])
    chance = random.Random(seed)

    def longest(group: Group) -> int:
        return max(
            len(tokens.content(text)) for row in group.rows for text in (row.first, row.second)
        )

    sized = [(longest(group) + chance.random() * 4, group) for group in groups]
    fitting = sorted((one for one in sized if one[0] <= LONGEST), key=lambda one: one[0])
    made: list[list[Group]] = []
    current: list[Group] = []
    count = 0
    for length, group in fitting:
        grown = count + len(group.rows)
        if current and (grown > PAIRS or grown * (length + 5) * 2 > TOKENS * 2):
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
        "ids": torch.from_numpy(ids),
        "real": torch.from_numpy(real),
        "content": torch.from_numpy(content),
        "sides": torch.from_numpy(sides),
        "exact": torch.from_numpy(marks[0]),
        "bigram": torch.from_numpy(marks[1]),
        "features": torch.from_numpy(np.stack(features)),
        "label": torch.tensor([row.label for row in rows]),
        "similarity": torch.tensor([row.similarity for row in rows]),
        "changed": torch.tensor([row.changed for row in rows]),
    }


@dataclass(frozen=True, slots=True)
class Batch:
    inputs: dict[str, Any]
    ranks: tuple[tuple[int, int], ...]


def assemble(groups: Sequence[Group], tokens: Tokens) -> Batch:
    rows: list[Row] = []
    ranks: list[tuple[int, int]] = []
    for group in groups:
        ranks += [(high + len(rows), low + len(rows)) for high, low in group.ranks]
        rows += group.rows
    return Batch(tensors(rows, tokens), tuple(ranks))
