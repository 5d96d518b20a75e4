"""AlignEval's own command and calls, with AlignEval's defaults.

`python -m gistmeter.compat.align_eval` takes the flags of `python -m align_eval.cli`: it is
`gistmeter book --as aligneval`. `EvaluationConfig()` has the model, sentences, path and constants
of AlignEval's code; what is given beside them wins.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path and sys.path[0] == os.getcwd():  # noqa: PTH109
    del sys.path[0]  # as `python -m gistmeter` does: no module beside the data is taken for ours

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gistmeter.book.book_report import BookReport
from gistmeter.book.settings import BookSettings
from gistmeter.compat import book
from gistmeter.core.settings import option

__all__ = ["EvaluationConfig", "evaluate_alignment", "evaluate_corpus"]
PRESET = "aligneval"


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig(BookSettings):
    """The settings of `gistmeter book`, with AlignEval's defaults.

    >>> config = EvaluationConfig(bandwidth=4)
    >>> config.alignment, config.pfs_gamma, config.alpha, config.scs_beta, config.bandwidth
    ('nw', 3.0, 10.0, 0.1, 4)
    """

    preset: Literal["gistmeter", "aligneval"] = option(PRESET, "Score as another system does.")


def evaluate_corpus(
    source_map: Mapping[str, str],
    summary_map: Mapping[str, str],
    config: BookSettings | None = None,
    show_progress: bool = False,
    **options: Any,
) -> tuple[dict[str, BookReport], dict[str, float | None]]:
    """Reports by title, and the macro averages over books; both maps must have the same titles."""
    settings = config or EvaluationConfig()
    return book.evaluate_corpus(source_map, summary_map, settings, show_progress, **options)


def evaluate_alignment(
    book_id: str, source: str, summary: str, config: BookSettings | None = None, **options: Any
) -> tuple[BookReport, dict[str, float | None]]:
    """The report of one book and its metrics."""
    settings = config or EvaluationConfig()
    return book.evaluate_alignment(book_id, source, summary, settings, **options)


if __name__ == "__main__":
    from gistmeter.cli import run

    sys.argv[1:1] = ["book", "--as", PRESET]
    run()
