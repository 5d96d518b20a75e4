"""Baselines of the embedded model: what cosine and BERTScore say of unrelated sentences.

Cosines of sentence models sit in a narrow band (unrelated sentences score about 0.8 here), so that
their mean with other components hides differences. As bert-score's rescaling does, a score x
becomes (x − b) / (1 − b), where b is the mean over random pairs of sentences of one language.

    python -m training.baselines --data ../shared/data

writes `src/gistmeter/models/data/baselines.json`. Sentences of the training sets only.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from pathlib import Path

from gistmeter.core.cache import Cache
from gistmeter.models.loading import load_models, require
from gistmeter.models.settings import WINDOW

TARGET = Path(__file__).parents[1] / "src" / "gistmeter" / "models" / "data" / "baselines.json"
SOURCES = {
    "zh": ("sts/stsb_zh", "a"), "ja": ("sts/jsts", "a"), "ko": ("sts/klue_sts_train", "a"),
    "en": ("sts/stsb_en", "a"), "ru": ("sts/stsb_ru", "a"),
    "cs": ("para/mlqe_critical_errors_xling", "b"),
}  # fmt: skip
SENTENCES, SEED = 600, 20260


def sentences(data: Path, language: str) -> list[str]:
    name, key = SOURCES[language]
    with gzip.open(data / "train" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    wanted = (language, f"en-{language}")
    found = sorted({row[key] for row in rows if row["lang"] in wanted})
    return random.Random(SEED).sample(found, min(SENTENCES, len(found)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    models = load_models(["embedder", "matcher"], cache=Cache(None))
    embedder, matcher = require(models, "embedder"), require(models, "matcher")
    found = {}
    for language in SOURCES:
        texts = sentences(data, language)
        pairs = list(zip(texts, texts[1:] + texts[:1], strict=True))
        vectors = embedder.embed(texts).vectors.astype("float64")
        cosines = [float(vectors[at] @ vectors[at - 1]) for at in range(len(texts))]
        matched = matcher.match(pairs).f1
        found[language] = {
            "sts": round(sum(cosines) / len(cosines), 4),
            "bertscore": round(float(matched.mean()), 4),
        }
        print(language, len(texts), found[language])
    document = {
        "models": {"sts": WINDOW.sub("", embedder.id), "bertscore": WINDOW.sub("", matcher.id)},
        "by_language": found,
    }
    TARGET.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
