"""`gistmeter book`: is an abridgement faithful to its original?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gistmeter.cli.shared import Session, scoring_command
from gistmeter.errors import InputError

TEXTS, MODEL, ALIGNMENT, MEASURES = "Texts", "Model", "Alignment", "Measures"


@scoring_command("book")
def book(
    session: Session,
    *,
    source_path: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=TEXTS,
            metavar="PATH",
            help="The originals: a JSON object title → text, a folder of .txt and .md files titled"
            " by their names, or one such file.",
        ),
    ] = None,
    summary_path: Annotated[
        list[Path] | None,
        typer.Option(
            rich_help_panel=TEXTS,
            metavar="PATH",
            help="The summaries, in the same form. May be repeated, each a system of its own.",
        ),
    ] = None,
    output_path: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=TEXTS,
            metavar="FILE.json",
            help="Where to write the report with every sentence and its sources.",
        ),
    ] = None,
    skip_missing: Annotated[
        bool,
        typer.Option(
            "--skip-missing",
            rich_help_panel=TEXTS,
            help="Go on without titles that one side lacks.",
        ),
    ] = False,
    language: Annotated[
        str,
        typer.Option(
            rich_help_panel=TEXTS,
            help="zh, zh-Hant, ja, ko, en, cs, ru or any other code; auto finds it for each book.",
        ),
    ] = "auto",
    splitter: Annotated[
        str,
        typer.Option(
            rich_help_panel=TEXTS,
            help="Sentences by the language's rules (language), or simply after 。！？!?；;, full"
            " stops and line breaks (simple).",
        ),
    ] = "language",
    profile: Annotated[
        str,
        typer.Option(
            rich_help_panel=MODEL,
            help="Which models: embedded (offline), paper (hfl/chinese-bert-wwm-ext), or one of"
            " the configuration's own.",
        ),
    ] = "embedded",
    model_name: Annotated[
        str,
        typer.Option(
            "--model-name",
            "--embedder",
            rich_help_panel=MODEL,
            help="A sentence model by hub name or folder, instead of the profile's.",
        ),
    ] = "",
    pooling: Annotated[
        str,
        typer.Option(
            rich_help_panel=MODEL,
            help="How token vectors become a sentence's: mean or cls. Default: as the model's"
            " files say.",
        ),
    ] = "",
    batch_size: Annotated[
        int,
        typer.Option(
            min=0,
            rich_help_panel=MODEL,
            help="Sentences in a batch, of 128 tokens each; 0 for the model's own choice.",
        ),
    ] = 0,
    device: Annotated[
        str, typer.Option(rich_help_panel=MODEL, help="auto, cpu, cuda or mps.")
    ] = "auto",
    max_length: Annotated[
        int,
        typer.Option(
            min=0,
            rich_help_panel=MODEL,
            help="Tokens the model reads at once; 0 for its own maximum. Longer sentences are read"
            " in parts.",
        ),
    ] = 0,
    alignment: Annotated[
        str,
        typer.Option(
            rich_help_panel=ALIGNMENT,
            help="monotone (sources never go back, may be shared), nw (Needleman-Wunsch, one to"
            " one) or dtw (dynamic time warping).",
        ),
    ] = "monotone",
    gap_penalty: Annotated[
        float,
        typer.Option(
            max=0.0, rich_help_panel=ALIGNMENT, help="What nw pays for a skipped sentence."
        ),
    ] = -0.5,
    bandwidth: Annotated[
        int | None,
        typer.Option(
            min=0,
            rich_help_panel=ALIGNMENT,
            help="Source sentences on either side of the diagonal that a path may use. Default:"
            " all. A band that holds no path is widened.",
        ),
    ] = None,
    band: Annotated[
        str,
        typer.Option(
            rich_help_panel=ALIGNMENT,
            help="The band's course: slanted, from the first sentences to the last, or absolute,"
            " along equal numbers.",
        ),
    ] = "slanted",
    pfs_gamma: Annotated[
        float, typer.Option(min=0.0, rich_help_panel=MEASURES, help="Power of pfs.")
    ] = 3.0,
    alpha: Annotated[
        float, typer.Option(rich_help_panel=MEASURES, help="Sharpness of the weights in scs.")
    ] = 10.0,
    scs_beta: Annotated[
        float,
        typer.Option(
            min=0.0, rich_help_panel=MEASURES, help="Variance of positions at which scs is 0."
        ),
    ] = 0.1,
    top_k: Annotated[
        int, typer.Option(min=1, rich_help_panel=MEASURES, help="Best sources counted in scs.")
    ] = 3,
    coverage_threshold: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=MEASURES,
            help="Similarity from which on coverage_at counts a summary sentence. Default: as"
            " calibrated for the model.",
        ),
    ] = None,
    support_threshold: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=MEASURES,
            help="Similarity from which on source_recall counts a source sentence. Default: as"
            " calibrated for the model, else the coverage threshold.",
        ),
    ] = None,
    order_tolerance: Annotated[
        float,
        typer.Option(
            min=0.0,
            rich_help_panel=MEASURES,
            help="How far a best source may lie from the path before order_violations counts it,"
            " as a share of the source.",
        ),
    ] = 0.05,
) -> None:
    """Align summaries with their originals, sentence by sentence, and score their faithfulness.

    Says what a summary covers, keeps in order, stitches together, leaves out or invents.
    """
    from gistmeter.books.config import EvaluationConfig

    config = EvaluationConfig(
        model_name=model_name, pooling=pooling, batch_size=batch_size, alignment=alignment,
        gap_penalty=gap_penalty, bandwidth=bandwidth, band=band, pfs_gamma=pfs_gamma, alpha=alpha,
        scs_beta=scs_beta, top_k=top_k, coverage_threshold=coverage_threshold,
        support_threshold=support_threshold, order_tolerance=order_tolerance, splitter=splitter,
        language=language, profile=profile, device=device, max_length=max_length,
    )  # fmt: skip
    if source_path is None or not summary_path:
        raise InputError("Give the originals by --source-path and the summaries by --summary-path")
    if output_path is not None and output_path.is_dir():
        raise InputError(f"{output_path}: is a folder; --output-path names a file")
    from gistmeter.cli.book_scoring import score_books

    score_books(session, config, source_path, summary_path, output_path, skip_missing=skip_missing)
