"""Models of one's own by torch, against the libraries that people use for them.

A BERT of 12 layers with random weights, as large as multilingual-e5-small's; a table in which each
reference occurs 24 times. Each peer is called once on the whole table; "a call per row" is what a
script does that scores row by row.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import material
from benchmarks.harness import Goal, Work, fresh, need, shared

REFERENCES, LAYERS = 6, 12
WARM, COLD = "暖", "冷"


def random_model(folder: Path, kind: str) -> str:
    """The model's folder, with a Chinese tokenizer."""
    import torch
    import transformers

    if folder.exists():
        return str(folder)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(0)
    skipped = shutil.ignore_patterns("*.safetensors", "config.json")
    shutil.copytree(shared("golden/models/tiny-encoder"), folder, ignore=skipped)
    config = transformers.BertConfig(
        vocab_size=21128, hidden_size=384, num_hidden_layers=LAYERS, num_attention_heads=12,
        intermediate_size=1536, max_position_embeddings=512,
        **({} if kind == "BertModel" else {"num_labels": 1}),
    )  # fmt: skip
    getattr(transformers, kind)(config).save_pretrained(folder)
    return str(folder)


def load(**names: str) -> Any:
    from gistmeter.core.cache import Cache
    from gistmeter.models.loading import BackEndSettings, load_models

    settings = BackEndSettings(layer=LAYERS, device="cpu")
    models = load_models(list(names), names=names, cache=Cache(None), settings=settings)
    asked = {
        "embedder": lambda one: one.embed([WARM]),
        "matcher": lambda one: one.match([(WARM, COLD)]),
        "cross_encoder": lambda one: one.score([(WARM, COLD)]),
    }
    for role in names:
        asked[role](getattr(models, role))
    return models


def encoders(folder: Path) -> Iterator[Work]:
    need("torch", "sentence_transformers", "bert_score")
    import bert_score
    import sentence_transformers

    os.environ["TOKENIZERS_PARALLELISM"] = "true"
    path = random_model(folder / "encoder", "BertModel")
    predictions, references = material.idioms(REFERENCES)
    pairs, texts = list(zip(predictions, references, strict=True)), predictions + references
    peer = sentence_transformers.SentenceTransformer(path, device="cpu")

    def embed() -> Callable[[], Any]:
        model = load(embedder=path).embedder
        return lambda: model.embed(texts).vectors.shape

    yield Work(
        f"{len(texts)} texts embedded", embed,
        fresh(lambda: peer.encode(texts, show_progress_bar=False)), "SentenceTransformer",
        goals=(Goal("ratio", 1.5, least=True),), units=len(texts),
    )  # fmt: skip
    scorer = bert_score.BERTScorer(model_type=path, num_layers=LAYERS, device="cpu")

    def match() -> Callable[[], Any]:
        model = load(matcher=path).matcher
        return lambda: model.match(pairs).f1.shape

    yield Work(
        f"BERTScore of {len(pairs)} pairs", match,
        fresh(lambda: scorer.score(predictions, references)), "BERTScorer",
        goals=(Goal("ratio", 1.5, least=True),), units=len(pairs),
    )  # fmt: skip
    rows = pairs[:4]

    def call_per_row() -> None:
        for prediction, reference in rows:
            bert_score.score(
                [prediction], [reference], model_type=path, num_layers=LAYERS, device="cpu"
            )
            peer.encode([prediction, reference], show_progress_bar=False)

    def both() -> Callable[[], Any]:
        models = load(embedder=path, matcher=path)
        return lambda: (models.matcher.match(pairs), models.embedder.embed(texts))

    yield Work(
        f"STS and BERTScore of {len(pairs)} pairs", both, fresh(call_per_row), "a call per row",
        goals=(Goal("ratio", 20, least=True),), peer_share=len(rows) / len(pairs),
        units=len(pairs),
    )  # fmt: skip


def cross_encoder(folder: Path) -> Iterator[Work]:
    need("torch", "sentence_transformers")
    import sentence_transformers

    path = random_model(folder / "cross", "BertForSequenceClassification")
    pairs = list(zip(*material.idioms(REFERENCES), strict=True))
    reader = sentence_transformers.CrossEncoder(path, device="cpu")

    def ours() -> Callable[[], Any]:
        model = load(cross_encoder=path).cross_encoder
        return lambda: model.score(pairs).values.shape

    yield Work(
        f"{len(pairs)} pairs read together", ours,
        fresh(lambda: reader.predict(pairs, show_progress_bar=False)), "CrossEncoder",
        goals=(Goal("ratio", 1.0, least=True),), units=len(pairs),
    )  # fmt: skip


PARTS = (encoders, cross_encoder)
