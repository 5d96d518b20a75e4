"""`gistmeter text`: predictions against references, by S_Acc, S_Logic and their family."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gistmeter.cli import text_options as option
from gistmeter.cli.options import parse_columns
from gistmeter.cli.shared import Session, scoring_command
from gistmeter.cli.text_scoring import Files, TextScoring
from gistmeter.errors import InputError, UnknownName


@scoring_command("text")
def text(  # noqa: PLR0917
    session: Session,
    paths: option.Paths = None,
    predictions: option.Predictions = None,
    references: option.ReferenceFile = None,
    original: option.Original = None,
    structure: option.Structure = None,
    language: option.Language = "auto",
    aggregate: option.AggregateOption = None,
    metrics: option.Metrics = None,
    column: option.Columns = None,
    reference_separators: option.Separators = "||",
    tokenizer: option.Tokenizer = "",
    weights: option.WeightsOption = "0.5,0.3,0.2",
    use_bertscore: option.UseBertscore = True,
    beta_f: option.BetaF = 2.0,
    cross_encoder_order: option.CrossEncoderOrder = "reference-first",
    polarity_penalty: option.PolarityPenalty = 0.5,
    polarity_mode: option.PolarityMode = "all",
    polarity_ratio: option.PolarityRatio = 0.5,
    polarity_overrides: option.PolarityFile = None,
    direction: option.DirectionOption = "reference-to-prediction",
    average: option.AverageOption = "arrangements",
    high_accuracy: option.HighAccuracy = 0.8,
    high_logic: option.HighLogic = 0.8,
    strict: option.Strict = False,
    profile: option.Profile = "embedded",
    embedder: option.EmbedderName = None,
    token_encoder: option.TokenEncoder = None,
    layer: option.Layer = None,
    cross_encoder: option.CrossEncoderName = None,
    nli: option.NliName = None,
    device: option.Device = "auto",
    batch_size: option.BatchSize = 0,
    batch_size_emb: option.BatchSizeEmb = 0,
    max_length: option.MaxLength = 0,
    max_len: option.MaxLen = 0,
) -> None:
    """Score predictions against references: S_Acc, S_Logic, consistency and robustness.

    Rows are matched by idiom. A prediction or reference that is missing leaves its item unscored.
    """
    from gistmeter.metrics.accuracy import Weights
    from gistmeter.metrics.polarity import PolarityRule
    from gistmeter.models.settings import ModelSettings
    from gistmeter.texts.choice import TextSettings

    given = [*(predictions or []), *(paths or [])]
    files = Files.of(given, references, original or [], structure, polarity_overrides)
    settings = TextSettings(
        aggregate=_one_of("--aggregate", aggregate or os.environ.get("REF_AGG_MODE") or "max"),
        weights=Weights(*_three_numbers(weights)),
        beta=beta_f,
        bertscore=use_bertscore,
        order=_one_of("--cross-encoder-order", cross_encoder_order),
        polarity=PolarityRule(
            polarity_penalty,
            _one_of("--polarity-mode", polarity_mode),
            polarity_ratio,
            files.read_overrides(),
        ),
        tokenizer=tokenizer,
        direction=_one_of("--direction", direction),
        average=_one_of("--average", average),
        high_accuracy=high_accuracy,
        high_logic=high_logic,
    )
    names = {
        "embedder": embedder, "matcher": token_encoder, "cross_encoder": cross_encoder, "nli": nli
    }  # fmt: skip
    model_settings = ModelSettings(
        device=device,
        batch_size=batch_size or batch_size_emb * option.TOKENS_A_TEXT,
        max_length=max_length or max_len,
        layer=layer,
    )
    _take_output_from_environment(session)
    work = TextScoring(session, files, settings, profile, names, model_settings, strict)
    names_of_scores = None if metrics is None else _listed(metrics)
    work.run(language, names_of_scores, reference_separators, parse_columns(column or []))


CHOICES: Mapping[str, Sequence[str]] = {
    "--aggregate": ("max", "mean"),
    "--cross-encoder-order": ("reference-first", "prediction-first"),
    "--polarity-mode": ("all", "any", "ratio"),
    "--direction": ("reference-to-prediction", "prediction-to-reference", "both"),
    "--average": ("arrangements", "items"),
}


def _one_of(flag: str, value: str) -> Any:
    chosen = value.strip().lower().replace("_", "-")
    if chosen not in CHOICES[flag]:
        raise UnknownName(f"value for {flag}", value, CHOICES[flag])
    return chosen


def _listed(text: str) -> list[str]:
    # A list of the configuration file arrives as its spelling, brackets and quotes included.
    names = [name for part in text.split(",") if (name := part.strip(" []'\""))]
    if not names:
        raise InputError("--metrics names no score")
    return names


def _three_numbers(text: str) -> list[float]:
    try:
        numbers = [float(part.strip(" []")) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 3:
        raise InputError(f"--weights {text}: expected three numbers, such as 0.5,0.3,0.2")
    return numbers


def _take_output_from_environment(session: Session) -> None:
    """OUTPUT_FILE stands in for -o where that is not given."""
    given = os.environ.get("OUTPUT_FILE")
    if given and not session.options.output:
        session.output_to([Path(given)])
