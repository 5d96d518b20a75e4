"""What the frozen model read of the written texts, kept on disk: later passes need not read again.

The frozen reading is 29% of a step's time. A text takes 1.5 KB per token (two states of 384 numbers
in float16), the written groups about 2 GB. The file is a memory map that all workers share; a text
is filled in by whoever reads it first.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training import written
from training.corpus import LONGEST, Tokens
from training.network import Judge, Pack

STATES = 2  # at the joint, and at the end


class Readings:
    """States of known texts, by text."""

    def __init__(self, path: Path, tokens: Tokens, texts: Iterable[str], width: int = 384) -> None:
        frame = len(tokens.head) + len(tokens.tail)
        kept = list(dict.fromkeys(texts))
        tokens.add(kept)
        sizes = [len(tokens.content(text)) + frame for text in kept]
        fitting = [(text, size) for text, size in zip(kept, sizes, strict=True) if size <= LONGEST]
        ends = np.cumsum([size for _, size in fitting], dtype=np.int64)
        self.places = {
            text: (at, int(end) - size, int(end))
            for at, ((text, size), end) in enumerate(zip(fitting, ends, strict=True))
        }
        shape = (int(ends[-1]) if fitting else 1, STATES, width)
        self.states = np.memmap(path, dtype=np.float16, mode="w+", shape=shape)
        self.filled = torch.zeros(len(fitting), dtype=torch.bool).share_memory_()

    def embed(self, network: Judge, inputs: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
        """As the network's own `embed`, of a batch with its texts; reads only what is new."""
        texts = inputs["texts"]
        known = [text in self.places and bool(self.filled[self.places[text][0]]) for text in texts]
        parts: dict[int, torch.Tensor] = {}
        new = [at for at, is_known in enumerate(known) if not is_known]
        if new:
            real = inputs["real"][new]
            length = int(real.sum(1).max())
            read = network.embed(inputs["ids"][new, :length], Pack(real[:, :length]))
            sizes = real.sum(1).tolist()
            parts = dict(zip(new, torch.stack(read, dim=1).split(sizes), strict=True))
        for at, text in enumerate(texts):
            if known[at]:
                _, start, stop = self.places[text]
                parts[at] = torch.from_numpy(self.states[start:stop].astype(np.float32))
            elif text in self.places:
                number, start, stop = self.places[text]
                self.states[start:stop] = parts[at].numpy()
                self.filled[number] = True
        whole = torch.cat([parts[at] for at in range(len(texts))])
        return whole[:, 0], whole[:, 1]


def written_texts() -> Iterable[str]:
    """Texts of all groups that are trained on."""
    for group in written.for_training():
        yield group.get("passage") or group["text"]
        for entries in group.values():
            if isinstance(entries, list):
                yield from map(written.text_of, entries)
