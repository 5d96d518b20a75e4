"""A small embedder for tests: hashed words, so that sentences that share words are alike."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from door import prepare
from gistmeter.book.family import Books, BookSettings
from gistmeter.book.metrics.book_alignment import BookAlignment
from gistmeter.core.types import Book
from gistmeter.models.protocols import Embeddings, Verdicts

WIDTH = 256


@dataclass
class WordEmbedder:
    """Cosine = shared words; a text with the word "unreadable" fails."""

    id: str = "words"
    seen: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> Embeddings:
        self.seen += texts
        vectors = np.zeros((len(texts), WIDTH), np.float32)
        failures = {}
        for at, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                digest = hashlib.sha256(word.encode()).digest()
                vectors[at, digest[0]] += 1.0
            if "unreadable" in text:
                failures[at] = "the model failed on it"
                vectors[at] = np.nan
            else:
                vectors[at] /= max(float(np.linalg.norm(vectors[at])), 1e-9)
        return Embeddings(vectors, np.zeros(len(texts)), failures)


@dataclass
class ToyJudge:
    """Entails what has "made" or "gave"; contradicts what has "kept"; else neutral."""

    id: str = "toy"

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Verdicts:
        def has(text: str, *words: str) -> float:
            return float(any(word in text for word in words))

        yes = np.array([0.9 * has(claim, "made", "gave") for _, claim in pairs])
        no = np.array([0.9 * has(claim, "kept") for _, claim in pairs])
        rest = 1 - yes - no
        alike = 0.2 + 0.7 * np.maximum(yes, no)
        return Verdicts(
            entailment=yes, neutral=rest, contradiction=no, entails=yes, opposes=no, survives=yes,
            similarity=alike, changed=no, unseen=np.zeros(len(pairs)),
        )  # fmt: skip


def make_metric(books: Sequence[Book], **options: object) -> BookAlignment:
    """The metric for these books with the double and a threshold."""
    settings = {"coverage_threshold": 0.6, "language": "en", "no_judge": True, **options}
    config = BookSettings(model_name=WordEmbedder(), **settings)  # type: ignore[arg-type]
    metric: BookAlignment = prepare(Books(), config, books).metrics["alignment"]
    return metric


def book(title: str, source: str, summary: str, system: str = "summary") -> Book:
    return Book(title, source, summary, system, "en")


SOURCE = (
    "Chapter 1\n\nThe fox found a red lantern. It carried the lantern over the frozen lake."
    " An owl watched from the birch. The owl asked for the light.\n\nChapter 2\n\nThe fox said no"
    " and ran. The ice broke under its paws. The owl dived and pulled the fox out. They shared the"
    " lantern ever after."
)
SUMMARY = (
    "The fox found a lantern and carried it over the lake. The owl asked for the light."
    " The ice broke. The owl pulled the fox out and they shared the lantern."
)
