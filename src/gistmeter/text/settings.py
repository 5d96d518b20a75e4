"""How texts are scored. Each field is an option of `gistmeter text` and an argument in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from gistmeter.core.errors import InputError
from gistmeter.core.options import ModelSettings
from gistmeter.core.settings import OURS, option

ORDERPROBE: Mapping[str, Any] = {
    "profile": "orderprobe",
    "reference_separators": "wide",
    "tokenizer": "jieba",
    "polarity_reading": "words",
    "missing_prediction": "zero",
    "consistency": "idioms",
    "structure_spread": "range",
    "robustness_on": "mean",
    "information_unit": "characters",
    "against": "cell",
    "rescaling": "none",
    "extract": "none",
    "direction": "reference-to-prediction",
    "high_accuracy": 0.8,
    "high_logic": 0.8,
}  # what the system of He et al. (2026, arXiv:2601.08626) does
TOKENS_A_TEXT = 128  # what one text of batch_size_emb stands for


@dataclass(frozen=True, kw_only=True)
class TextSettings(ModelSettings):
    """How predictions are read, compared with their references, and scored."""

    title: ClassVar[str] = "text"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"orderprobe": ORDERPROBE}

    preset: Literal["gistmeter", "orderprobe"] = option(
        OURS,
        "Score as the system of a paper does: orderprobe (He et al. 2026) sets models, words,"
        " polarity and composites to what its code does. Options that are given with it take"
        " precedence.",
        panel="scores", flag="--as",
    )  # fmt: skip

    predictions: tuple[Path, ...] = option(
        (),
        "Predictions: a CSV, TSV, JSONL, JSON or Parquet file (one per system, or one column per"
        " system), a workbook with one sheet per arrangement or system, a folder of"
        " MODEL_ARRANGEMENT.csv, or a .txt with one text per line. May be repeated; bare paths are"
        " predictions too.",
        panel="input", reach="read", metavar="PATH", argument="too", main=True,
        variable="MODEL_FILE",
    )  # fmt: skip
    references: tuple[Path, ...] = option(
        (),
        "Items and their explanations, or a folder with one file per language. May be repeated:"
        " all count. Default: the predictions' own column Reference.",
        panel="input", reach="read", metavar="PATH", main=True, variable="ORIGINAL_FILE",
    )  # fmt: skip
    original: tuple[Path, ...] = option(
        (),
        "Predictions for the unscrambled forms, in place of a sheet or arrangement named"
        " 'original'. May be repeated, one per system (SYSTEM_original.csv).",
        panel="input", reach="read", metavar="FILE", advanced=True,
    )  # fmt: skip
    structure: Path | None = option(
        None, "Structure classes: a table of id and structure.",
        panel="input", reach="read", metavar="FILE", advanced=True,
    )  # fmt: skip
    column: Mapping[str, str] = option(
        {}, "Which column is meant, such as prediction=Output. May be repeated.",
        panel="input", reach="nothing", metavar="NAME=HEADER",
    )  # fmt: skip
    systems: tuple[str, ...] = option(
        (),
        "The columns of a wide table that are systems, separated by commas. By default text columns"
        " beside one reference.",
        panel="input", reach="nothing", metavar="HEADER,…",
    )  # fmt: skip
    sheets: Literal["auto", "systems", "arrangements"] = option(
        "auto",
        "What the sheets of a workbook are; auto decides by their names, and says so.",
        panel="input",
    )  # fmt: skip
    repeats: Literal["ask", "samples", "first"] = option(
        "ask",
        "What several rows of one item and system are where no column 'sample' tells them apart:"
        " samples (several answers), or first (the first counts, the others are left out).",
        panel="input",
    )  # fmt: skip
    language: str = option(
        "auto",
        "zh, zh-Hant, ja, ko, en, cs, ru or any other code, for all items. auto takes it from a"
        " column 'language', the files' names or the texts.",
        panel="input", reach="nothing", main=True, variable="BERTSCORE_LANG",
    )  # fmt: skip
    reference_separators: str = option(
        "||",
        "What separates references in a cell, several marks with spaces between them; 'wide'"
        " splits at || ; ； / 、 as the reference code does, and keeps duplicates.",
        panel="input", reach="nothing", advanced=True,
    )  # fmt: skip
    extract: Literal["auto", "none"] = option(
        "auto",
        "Score the answer inside what a chat model wrote: auto takes off thoughts in tags, JSON,"
        " HTML, Markdown, opening and closing phrases, a repeated question or idiom, and emoji,"
        " and says so per item. References stay as they are.",
        panel="scores",
    )  # fmt: skip
    metrics: tuple[str, ...] = option(
        (),
        "Scores to compute, separated by commas (s_acc,s_logic,s_cons,s_seq,s_struct,s_info,alarms,"
        "recovery …). Default: all that the predictions and the models allow.",
        panel="scores", reach="nothing", main=True,
    )  # fmt: skip
    aggregate: Literal["max", "mean"] = option(
        "max", "Over several references: max or mean.",
        panel="scores", variable="REF_AGG_MODE", flags=("--ref-agg-mode",),
    )  # fmt: skip
    missing_prediction: Literal["unscored", "zero"] = option(
        "unscored",
        "What a missing prediction counts as: unscored, or zero. The table counts them.",
        panel="scores",
    )  # fmt: skip
    weights: tuple[float, ...] = option(
        (0.5, 0.3, 0.2), "Weights of cross-encoder, representation and F-beta in S_Acc.",
        panel="scores", low=0.0, metavar="A,B,C",
    )  # fmt: skip
    use_bertscore: bool = option(
        True, "Count BERTScore in the representation.", panel="scores", variable="USE_BERTSCORE"
    )
    beta_f: float = option(
        2.0, "Beta of F-beta.",
        panel="scores", low=1e-9, flags=("--beta",), advanced=True, variable="BETA_F",
    )  # fmt: skip
    cross_encoder_order: Literal["reference-first", "prediction-first"] = option(
        "reference-first", "Order of the cross-encoder's pair.", panel="scores", advanced=True
    )
    polarity_penalty: float = option(
        0.5, "What a polarity conflict multiplies F-beta by.",
        panel="scores", low=0.0, high=1.0, variable="POLARITY_PENALTY",
    )  # fmt: skip
    polarity_mode: Literal["all", "any", "ratio"] = option(
        "all", "How many references must conflict in polarity.",
        panel="scores", advanced=True, variable="POLARITY_MODE",
    )  # fmt: skip
    polarity_ratio: float = option(
        0.5, "The share of them in mode ratio.",
        panel="scores", low=0.0, high=1.0, advanced=True, variable="POLARITY_RATIO",
    )  # fmt: skip
    polarity_reading: Literal["scope", "words"] = option(
        "scope",
        "How polarity is read: scope (negations turn round what they govern), or words (any listed"
        " word counts, wherever it stands).",
        panel="scores", advanced=True,
    )  # fmt: skip
    polarity_words: Path | None = option(
        None, "Polar words in place of the language's own: a table of word and polarity.",
        panel="scores", reach="read", metavar="FILE", advanced=True,
    )  # fmt: skip
    negations: Path | None = option(
        None, "Negations in place of the language's own, one per line.",
        panel="scores", reach="read", metavar="FILE", advanced=True,
    )  # fmt: skip
    stopwords: Path | None = option(
        None, "Stop words in place of the language's own, one per line.",
        panel="scores", reach="read", metavar="FILE", advanced=True,
    )  # fmt: skip
    polarity_overrides: Path | None = option(
        None,
        "Polarity of items that the word lists get wrong: a table of id and polarity"
        " (positive, negative or neutral).",
        panel="scores", reach="read", metavar="FILE", advanced=True,
    )  # fmt: skip
    direction: Literal["reference-to-prediction", "prediction-to-reference", "both"] = option(
        "prediction-to-reference",
        "What S_Logic asks: does the reference follow from the prediction, the other way round,"
        " or both, which gives each and their minimum.",
        panel="scores",
    )  # fmt: skip
    average: Literal["arrangements", "items"] = option(
        "arrangements", "S_Logic overall: the mean of arrangements, or of items.",
        panel="scores", advanced=True,
    )  # fmt: skip
    consistency: Literal["orders", "idioms"] = option(
        "orders",
        "What S_Cons punishes: explanations that change with the order, or idioms explained worse"
        " than the best one.",
        panel="scores", advanced=True,
    )  # fmt: skip
    structure_spread: Literal["variation", "range"] = option(
        "variation",
        "What the spread of S_struct is divided by: the mean of the classes (variation) or their"
        " range.",
        panel="scores", advanced=True,
    )  # fmt: skip
    robustness_on: Literal["aggregate", "mean", "max"] = option(
        "aggregate", "The S_Acc behind S_seq, S_struct and S_Rob: the run's own, or that under mean"
        " or max over references.",
        panel="scores", advanced=True,
    )  # fmt: skip
    information_unit: Literal["words", "characters"] = option(
        "words", "What S_Info counts.", panel="scores", advanced=True
    )
    against: Literal["references", "cell"] = option(
        "references",
        "What S_Logic and S_Info compare with: each reference, or the whole cell of them as one"
        " text.",
        panel="scores", advanced=True,
    )  # fmt: skip
    rescaling: Literal["baseline", "none"] = option(
        "baseline",
        "STS and BERTScore in S_Acc: rescaled by what unrelated texts score, where that is known of"
        " the model (the embedded one), or as they are.",
        panel="scores", advanced=True,
    )  # fmt: skip
    sigmoids: int = option(
        1,
        "Sigmoids over the cross-encoder's logit: 2 where a library has already applied one.",
        panel="scores", low=1, high=2, advanced=True,
    )  # fmt: skip
    high_accuracy: float | None = option(
        None,
        "S_Acc from here on is read as high. Default: as fitted for the language with the embedded"
        " models, else 0.8.",
        panel="scores", advanced=True,
    )  # fmt: skip
    high_logic: float | None = option(
        None,
        "S_Logic from here on is read as high. Default: as fitted for the language with the"
        " embedded models, else 0.8.",
        panel="scores", advanced=True,
    )  # fmt: skip
    tokenizer: str = option(
        "", "Another analyser for content words: jieba (plain) or unicode.",
        panel="scores", reach="nothing", advanced=True,
    )  # fmt: skip
    strict: bool = option(
        False, "A component without its model is an error.", panel="models", kept=False
    )
    embedder: Any = option(
        "",
        "Embedding model for STS: a name or a folder.",
        panel="models", reach="model", model=True, variable="EMBED_MODEL_NAME",
    )  # fmt: skip
    token_encoder: Any = option(
        "", "Model for BERTScore: a name or a folder.", panel="models", reach="model", model=True
    )
    layer: int | None = option(
        None, "Layer for BERTScore, counted as bert-score counts.", panel="models", advanced=True
    )
    cross_encoder: Any = option(
        "", "Cross-encoder: a name or a folder.",
        panel="models", reach="model", model=True, variable="CROSS_ENCODER_MODEL",
    )  # fmt: skip
    nli: Any = option(
        "", "Model of inference: a name or a folder.", panel="models", reach="model", model=True
    )
    batch_size: int = option(
        0, "Tokens in a batch; 0: the model's own choice.",
        panel="models", low=0, kept=False, advanced=True,
    )  # fmt: skip
    batch_size_emb: int = option(
        0, f"The same counted in texts of {TOKENS_A_TEXT} tokens.",
        panel="models", low=0, kept=False, advanced=True, variable="BATCH_SIZE_EMB",
    )  # fmt: skip

    def check(self) -> None:
        if len(self.weights) != 3:
            raise InputError(
                f"weights is {list(self.weights)}; expected three numbers, such as 0.5,0.3,0.2"
            )

    @property
    def lists(self) -> list[Path]:
        """The files of words and polarity beside the tables."""
        given = (self.polarity_overrides, self.stopwords, self.negations, self.polarity_words)
        return [path for path in given if path]
