"""Summaries: are true claims told from falsified and from invented ones?

    python -m benchmarks summaries [--languages en,de,zh] [--chapters 3]

Ten chapters of three novels (AbLit) with 220 claims in other words (`data/summaries.jsonl`), and
two of the chapters in German and Chinese: every claim is looked up in its chapter and judged.
Nothing of it was used to fit anything. Intervals are over chapters (for two there are none).
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import shared
from gistmeter import languages
from gistmeter.book.metrics.claim_support import ClaimSupport
from gistmeter.core.cache import Cache, cache_file
from gistmeter.core.types import Book
from gistmeter.models.loading import load_judge, load_models

DATA = Path(__file__).parent / "data"
FILES = {"en": "summaries.jsonl", "de": "summaries_de.jsonl", "zh": "summaries_zh.jsonl"}
NOVELS = "data/book/ablit_novels.jsonl.gz"
RESAMPLES, SEED = 2000, 1
Chapter = tuple[np.ndarray, np.ndarray, np.ndarray]  # label, probability, what was found


def auc(good: np.ndarray, bad: np.ndarray) -> float:
    wins = (good[:, None] > bad[None]).mean() + 0.5 * (good[:, None] == bad[None]).mean()
    return float(wins)


def judge_chapter(metric: ClaimSupport, source: str, entry: dict[str, Any], code: str) -> Chapter:
    """The claims of a chapter, each as a sentence of the summary."""
    texts = [claim["text"] for claim in entry["claims"]]
    other = "" if code == "en" else code
    title = f"{entry['novel']} {entry['chapter']}"
    book = Book(title, source, "\n\n".join(texts), "claims", "en", "summary", other)
    rows = metric.measure([book])
    labels = {claim["text"].strip(): claim["label"] for claim in entry["claims"]}
    found = [text.strip() for text in rows.texts["sentence"]]
    known = [at for at, text in enumerate(found) if text in labels]
    if len(known) < len(texts):
        print(f"{title}: {len(texts) - len(known)} claims were cut into parts and are left out")
    named = np.array([labels[found[at]] for at in known])
    flagged = 1 - rows.values("claims_supported")
    return named, rows.values("support")[known], flagged[known]


def figures(chapters: list[Chapter]) -> dict[str, float]:
    label, value, flagged = (np.concatenate(part) for part in zip(*chapters, strict=True))
    true = label == "supported"
    return {
        "AUC, supported against falsified": auc(value[true], value[label == "contradicted"]),
        "AUC, supported against invented": auc(value[true], value[label == "not_found"]),
        "flagged, supported": float(flagged[true].mean()),
        "flagged, falsified": float(flagged[label == "contradicted"].mean()),
        "flagged, invented": float(flagged[label == "not_found"].mean()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--languages", default="en,de,zh")
    parser.add_argument("--chapters", type=int, default=0, help="only the first of them; 0: all")
    chosen = parser.parse_args()
    with gzip.open(shared(NOVELS), "rt", encoding="utf-8") as stream:
        novels = [json.loads(line) for line in stream]
    cache = Cache(cache_file())
    metric = ClaimSupport(
        load_models(["embedder"], cache=cache).embedder, {"en": languages.get("en")},
        load_judge(cache), "passages",
    )  # fmt: skip
    print(
        f"judge: {metric.judge.id}\n\n| | "
        + " | ".join(["value", "interval"])
        + " |\n|---|---|---|"
    )
    chance = np.random.default_rng(SEED)
    for code in chosen.languages.split(","):
        lines = (DATA / FILES[code]).read_text(encoding="utf-8").splitlines()
        entries = [json.loads(line) for line in lines][: chosen.chapters or None]
        chapters = [
            judge_chapter(metric, novels[entry["row"]]["original"], entry, code)
            for entry in entries
        ]
        draws = [
            figures([chapters[at] for at in chance.integers(0, len(chapters), len(chapters))])
            for _ in range(RESAMPLES if len(chapters) > 2 else 0)
        ]
        for name, value in figures(chapters).items():
            between = ""
            if draws:
                low, high = np.quantile([draw[name] for draw in draws], [0.025, 0.975])
                between = f"{low:.2f} to {high:.2f}"
            print(f"| {code}: {name} | {value:.3f} | {between} |", flush=True)


if __name__ == "__main__":
    main()
