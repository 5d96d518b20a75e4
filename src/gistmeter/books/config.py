"""The settings of an evaluation of books, and the metric made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from gistmeter import languages
from gistmeter.errors import InputError, UnknownName
from gistmeter.metrics.alignment.metric import BookAlignment
from gistmeter.metrics.alignment.paths import check_settings
from gistmeter.metrics.alignment.segmentation import SimpleSplitter, Splitter
from gistmeter.metrics.alignment.thresholds import thresholds_for
from gistmeter.models.protocols import Embedder
from gistmeter.types import Book

SPLITTERS = ("language", "simple")
TOKENS_A_SENTENCE = 128  # what one sentence of batch_size stands for
DETECTED = 5000  # characters of a source that tell its language


@dataclass(frozen=True, slots=True)
class EvaluationConfig:
    """How books are split, embedded, aligned and measured."""

    model_name: str = ""  # a hub name or folder; empty: the profile's embedder
    pooling: str = ""  # mean or cls; empty: as the model's own files say
    batch_size: int = 0  # sentences in a batch; 0: the back end's own choice
    alignment: str = "monotone"  # monotone, nw or dtw
    gap_penalty: float = -0.5  # of nw, for a sentence skipped on either side
    bandwidth: int | None = None  # source sentences on either side of the diagonal; None: no band
    pfs_gamma: float = 3.0
    alpha: float = 10.0
    scs_beta: float = 0.1
    top_k: int = 3
    band: str = "slanted"  # slanted or absolute
    coverage_threshold: float | None = None  # None: as calibrated for the model
    support_threshold: float | None = None  # None: as calibrated, else the coverage threshold
    order_tolerance: float = 0.05  # a share of the source's length
    splitter: str = "language"  # language or simple
    language: str = "auto"
    profile: str = "embedded"
    device: str = "auto"
    max_length: int = 0  # tokens the model reads at once; 0: the model's own maximum

    def __post_init__(self) -> None:
        check_settings(self.alignment, self.gap_penalty, self.bandwidth, self.band)
        if self.splitter not in SPLITTERS:
            raise UnknownName("splitter", self.splitter, SPLITTERS)
        if self.top_k < 1:
            raise InputError(f"top_k is {self.top_k}; it must be at least 1")
        for name in ("pfs_gamma", "scs_beta"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} is {getattr(self, name)}; it must be positive")
        for name in ("order_tolerance", "batch_size", "max_length"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} is {getattr(self, name)}; it must not be negative")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def profile_name(self) -> str:
        """The profile of the models: the papers name one of its own for books."""
        return "paper-book" if self.profile == "paper" else self.profile


def with_languages(books: Sequence[Book], language: str) -> list[Book]:
    """Every book with its language: the one given, or found from the beginning of its source."""
    if language not in ("", "auto"):
        code = languages.get(language).code
        return [replace(book, language=code) for book in books]
    found: dict[str, str] = {}
    for book in books:
        if book.id not in found:
            text = (book.source if book.source.strip() else book.summary)[:DETECTED]
            found[book.id] = languages.detect([text]).code
    return [replace(book, language=found[book.id]) for book in books]


def splitters_for(books: Sequence[Book], splitter: str) -> Mapping[str, Splitter]:
    """The sentence rules of the books' languages."""
    codes = sorted({book.language for book in books})
    if splitter == "simple":
        return {code: SimpleSplitter() for code in codes}
    return {code: languages.get(code) for code in codes}


def build_metric(
    config: EvaluationConfig, books: Sequence[Book], embedder: Embedder
) -> BookAlignment:
    """The metric for these books; a single book's intervals are over its sentences."""
    return BookAlignment(
        algorithm=config.alignment,
        gap_penalty=config.gap_penalty,
        bandwidth=config.bandwidth,
        band=config.band,
        pfs_gamma=config.pfs_gamma,
        alpha=config.alpha,
        scs_beta=config.scs_beta,
        top_k=config.top_k,
        coverage_threshold=config.coverage_threshold,
        support_threshold=config.support_threshold,
        order_tolerance=config.order_tolerance,
        embedder=embedder,
        splitters=splitters_for(books, config.splitter),
        calibrated=thresholds_for(embedder.id, sorted({book.language for book in books})),
        resampled="sentences" if len({book.id for book in books}) == 1 else "books",
    )
