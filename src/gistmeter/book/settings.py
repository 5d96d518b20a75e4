"""How books are scored. Each field is an option of `gistmeter book` and an argument in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from gistmeter.core.errors import InputError
from gistmeter.core.options import ModelSettings
from gistmeter.core.settings import OURS, option

ALIGNEVAL: Mapping[str, Any] = {
    "profile": "paper",
    "pooling": "mean",
    "max_length": 512,
    "splitter": "simple",
    "alignment": "nw",
    "gap_penalty": -0.5,
    "band": "absolute",
    "pfs_gamma": 3.0,
    "alpha": 10.0,
    "scs_beta": 0.1,
    "top_k": 3,
}  # what AlignEval does


@dataclass(frozen=True, kw_only=True)
class BookSettings(ModelSettings):
    """How books are split, embedded, aligned and measured."""

    title: ClassVar[str] = "book"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"aligneval": ALIGNEVAL}

    preset: Literal["gistmeter", "aligneval"] = option(
        OURS,
        "Score as another system does: aligneval sets model, sentences, path and constants to what"
        " its code does. Options that are given with it take precedence.",
        panel="scores", flag="--as",
    )  # fmt: skip

    books: tuple[Path, ...] = option(
        (),
        "The original, then one or more editions of it: .txt, .md, .html, .epub, .docx, .fb2, .pdf,"
        " a folder of chapters, - for the standard input, or .json (title → text).",
        panel="input", reach="read", argument="only", metavar="ORIGINAL EDITION...", main=True,
    )  # fmt: skip
    source_path: Path | None = option(
        None,
        "The originals, instead of the first book named: also a folder of books titled by their"
        " names.",
        panel="input", reach="read", metavar="PATH", main=True,
    )  # fmt: skip
    summary_path: tuple[Path, ...] = option(
        (), "The editions, in the same form. May be repeated, each a system of its own.",
        panel="input", reach="read", metavar="PATH", main=True,
    )  # fmt: skip
    chapters: bool = option(
        False, "Folders are books, and their files chapters, on both sides.",
        panel="input",
    )  # fmt: skip
    keep_matter: bool = option(
        False,
        "Keep licence, contents, page numbers, running heads and marks of footnotes, which are"
        " otherwise set aside.",
        panel="input",
    )  # fmt: skip
    skip_missing: bool = option(
        False, "Skip titles that one side lacks.", panel="input", kept=False
    )
    kind: Literal["auto", "abridgement", "summary"] = option(
        "auto",
        "What the editions are: abridgements are aligned, summaries checked claim by claim. auto:"
        " one that is short and in other words is a summary.",
        panel="scores", reach="nothing", main=True,
    )  # fmt: skip
    people: Path | None = option(
        None,
        "Who is who, instead of what is learned from the original: a text file with a person in"
        " each line, names with = between. The report shows and writes it.",
        panel="input", reach="read", metavar="FILE",
    )  # fmt: skip
    language: str = option(
        "auto", "zh, zh-Hant, ja, ko, en, cs, ru or any other code; auto finds it for each book.",
        panel="input", reach="nothing", main=True,
    )  # fmt: skip
    splitter: Literal["language", "simple"] = option(
        "language",
        "Sentences by the language's rules, or simply after each of 。！？!?, as AlignEval does.",
        panel="input", advanced=True,
    )  # fmt: skip
    metrics: tuple[str, ...] = option(
        (), "Scores to compute, separated by commas; further ones come from installed packages."
        " Default: all of the alignment.",
        panel="scores", reach="nothing",
    )  # fmt: skip
    alignment: Literal["blocks", "monotone", "nw", "dtw"] = option(
        "blocks",
        "blocks (in order within blocks, which may have moved), monotone (sources never go back,"
        " may be shared), nw (Needleman-Wunsch, one to one) or dtw"
        " (dynamic time warping).",
        panel="scores", main=True,
    )  # fmt: skip
    gap_penalty: float = option(
        -0.5, "What nw pays for a skipped sentence.", panel="scores", high=0.0, advanced=True
    )
    bandwidth: int | None = option(
        None,
        "Source sentences on either side of the diagonal that a path may use. Default: all. A band"
        " that holds no path is widened.",
        panel="scores", low=0, advanced=True,
    )  # fmt: skip
    band: Literal["slanted", "absolute"] = option(
        "slanted",
        "The band's course: from the first sentences to the last, or along equal numbers.",
        panel="scores", advanced=True,
    )  # fmt: skip
    move_cost: float = option(
        0.6,
        "Cost of going back in the source with blocks, in units of how far the best source of a"
        " sentence stands out from all.",
        panel="scores", low=0.0, advanced=True,
    )  # fmt: skip
    pfs_gamma: float = option(3.0, "Power of pfs.", panel="scores", low=1e-9, advanced=True)
    alpha: float | None = option(
        None,
        "Sharpness of the weights in scs. Default: as calibrated for the model, else 10.",
        panel="scores", advanced=True,
    )  # fmt: skip
    scs_beta: float = option(
        0.1, "Variance of positions at which scs is 0.", panel="scores", low=1e-9, advanced=True
    )
    top_k: int = option(3, "Best sources counted in scs.", panel="scores", low=1, advanced=True)
    coverage_threshold: float | None = option(
        None,
        "Evidence below which a summary sentence counts as invented (unsupported). Default: as"
        " calibrated for the model.",
        panel="scores",
    )  # fmt: skip
    support_threshold: float | None = option(
        None,
        "Evidence that a source sentence needs to count as kept (source_recall). Default: as"
        " calibrated for the model, else the coverage threshold.",
        panel="scores",
    )  # fmt: skip
    word_weight: float | None = option(
        None,
        "What shared words count in the evidence, beside the similarity. Default: as calibrated for"
        " the model, else 0.",
        panel="scores", low=0.0, advanced=True,
    )  # fmt: skip
    order_tolerance: float = option(
        0.05,
        "How far a best source may lie from the path before order_violations counts it, as a share"
        " of the source.",
        panel="scores", low=0.0, advanced=True,
    )  # fmt: skip
    model_name: Any = option(
        "", "A sentence model by hub name or folder, instead of the profile's.",
        panel="models", reach="model", model=True, flags=("--embedder",),
    )  # fmt: skip
    pooling: str = option(
        "",
        "How token vectors become a sentence's: mean or cls. Default: as the model's files say.",
        panel="models", reach="nothing", advanced=True,
    )  # fmt: skip
    batch_size: int = option(
        0, "Sentences in a batch, of 128 tokens each; 0: the model's own choice.",
        panel="models", low=0, kept=False, advanced=True,
    )  # fmt: skip
    alarms: Literal["sure", "balanced", "all"] = option(
        "balanced",
        "Which alarms are listed: those an editor nearly always agrees with, a balance, or every"
        " suspicion. Scores count those of balanced.",
        panel="output", reach="nothing", main=True,
    )  # fmt: skip
    output_path: Path | None = option(
        None, "Where to write the report with every sentence and its sources.",
        panel="output", reach="write", metavar="FILE.json",
    )  # fmt: skip

    @property
    def models_profile(self) -> str:
        """The profile of the models: the papers name one of its own for books."""
        return "paper-book" if self.profile == "paper" else self.profile

    @property
    def paths(self) -> tuple[Path, tuple[Path, ...]]:
        """The original and its editions, whichever way they were named."""
        source: Path | None
        if self.books and self.source_path is not None:
            source, editions = self.source_path, (*self.books, *self.summary_path)
        else:
            source = self.books[0] if self.books else self.source_path
            editions = (*self.books[1:], *self.summary_path)
        if source is None or not editions:
            raise InputError(
                "Name the original and an edition: gistmeter book ORIGINAL EDITION (or by"
                " --source-path and --summary-path)"
            )
        return source, editions
