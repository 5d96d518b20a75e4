"""The options of `gistmeter text`, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

TOKENS_A_TEXT = 128  # what one text of --batch-size-emb stands for

Paths = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[PREDICTIONS]...", help="Files or folders of predictions."),
]
Predictions = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="PATH",
        help="Predictions: a CSV, TSV, JSONL, JSON or Parquet file, a workbook with one sheet an"
        " arrangement, or a folder of MODEL_ARRANGEMENT.csv. May be repeated; bare paths are"
        " predictions too. Default: the environment's MODEL_FILE.",
    ),
]
ReferenceFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Idioms and their explanations. Default: the environment's ORIGINAL_FILE, else the"
        " predictions' own column Reference.",
    ),
]
Original = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Predictions for the unscrambled forms, in place of a sheet or arrangement named"
        " 'original'. May be repeated, one a system (SYSTEM_original.csv).",
    ),
]
Structure = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Structure classes: a table of idiom and structure."),
]
Language = Annotated[
    str,
    typer.Option(
        help="zh, zh-Hant, ja, ko, en, cs, ru or any other code; auto finds it from the files'"
        " names or the references."
    ),
]
AggregateOption = Annotated[
    str | None,
    typer.Option(
        help="Over several references: max or mean. Default: the environment's REF_AGG_MODE, else"
        " max."
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        help="Scores to make, separated by commas (s_acc,s_logic,s_cons,s_seq,s_struct,s_info,"
        "recovery …). Default: s_acc, s_logic where there is an NLI model, and what the"
        " predictions have the inputs for."
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=HEADER", help="Which column is meant: prediction=Output."),
]
Separators = Annotated[
    str,
    typer.Option(
        help="What separates references in a cell, several marks with spaces between them; 'wide'"
        " splits at || ; ； / 、 as the reference code does, and keeps duplicates."
    ),
]
Tokenizer = Annotated[
    str,
    typer.Option(help="Another analyser for content words: jieba (plain) or unicode."),
]
WeightsOption = Annotated[
    str, typer.Option(help="Weights of cross-encoder, representation and F-beta in S_Acc.")
]
UseBertscore = Annotated[bool, typer.Option(help="Count BERTScore in the representation.")]
BetaF = Annotated[float, typer.Option("--beta-f", "--beta", help="Beta of F-beta.")]
CrossEncoderOrder = Annotated[
    str,
    typer.Option(help="Order of the cross-encoder's pair: reference-first or prediction-first."),
]
PolarityPenalty = Annotated[
    float,
    typer.Option(min=0.0, max=1.0, help="What a polarity conflict multiplies F-beta by."),
]
PolarityMode = Annotated[
    str, typer.Option(help="How many references must conflict in polarity: all, any or ratio.")
]
PolarityRatio = Annotated[
    float, typer.Option(min=0.0, max=1.0, help="The share of them in mode ratio.")
]
PolarityFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Polarity of idioms that the word lists get wrong: a table of idiom and polarity"
        " (positive, negative or neutral).",
    ),
]
DirectionOption = Annotated[
    str,
    typer.Option(
        help="What S_Logic asks: reference-to-prediction (does the prediction follow from the"
        " reference), prediction-to-reference, or both, which gives each and their minimum."
    ),
]
AverageOption = Annotated[
    str,
    typer.Option(help="S_Logic overall: the mean of arrangements, or of items."),
]
HighAccuracy = Annotated[float, typer.Option(help="S_Acc from here on is read as high.")]
HighLogic = Annotated[float, typer.Option(help="S_Logic from here on is read as high.")]
Strict = Annotated[
    bool, typer.Option("--strict", help="A component without its model is an error.")
]


def model_option(help_text: str, *flags: str, **more: Any) -> Any:
    return typer.Option(*flags, help=help_text, rich_help_panel="Models", **more)


Profile = Annotated[str, model_option("The models to use: embedded, paper, or one of the config.")]
EmbedderName = Annotated[str | None, model_option("Embedding model for STS: a name or a folder.")]
TokenEncoder = Annotated[str | None, model_option("Model for BERTScore: a name or a folder.")]
Layer = Annotated[int | None, model_option("Layer for BERTScore, counted as bert-score counts.")]
CrossEncoderName = Annotated[str | None, model_option("Cross-encoder: a name or a folder.")]
NliName = Annotated[str | None, model_option("Model of inference: a name or a folder.")]
Device = Annotated[str, model_option("auto, cpu, cuda or mps.")]
BatchSize = Annotated[int, model_option("Tokens in a batch; 0: the model's own choice.", min=0)]
BatchSizeEmb = Annotated[
    int, model_option(f"The same counted in texts of {TOKENS_A_TEXT} tokens.", min=0)
]
MaxLength = Annotated[
    int,
    model_option("Tokens a model reads at once; 0: its own maximum.", "--max-length", min=0),
]
MaxLen = Annotated[int, model_option("The same as --max-length.", "--max-len", min=0)]
