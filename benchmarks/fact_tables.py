"""Do the tables of `--facts embedded` agree with those that people wrote?

    python -m benchmarks fact_tables

40 clips in English and Czech with tables by hand (benchmarks/data/fact_tables.jsonl), which nothing
is fitted on. `verdicts`: each fact by hand is looked up among the clauses of its texts by the words
that they share; its verdict agrees where the clause has the same. `kappa` is Cohen's. `ser` is the
rate of facts lost by either table, pooled; `error` the mean absolute difference by clip, `rank`
Spearman's correlation over clips. Intervals are those of a bootstrap over clips, of 95%.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from gistmeter import languages
from gistmeter.core.cache import Cache
from gistmeter.models.loading import load_judge
from gistmeter.speech.metrics.embedded_facts import EmbeddedFacts
from gistmeter.speech.metrics.fact_answers import Judgement
from gistmeter.speech.metrics.normalizer import Normalisation

FILE = Path(__file__).parent / "data" / "fact_tables.jsonl"
HAND = {"both": "both", "expected": "expected_only", "got": "got_only"}
RESAMPLES = 1000


def matched(row: dict[str, Any], table: Judgement) -> list[tuple[str, str]]:
    """The verdict by hand and by the table of each fact that shares a word with a clause."""
    language = languages.get(row["language"])
    clauses = [
        (fact.verdict.value, frozenset(language.content_words(fact.sentence)))
        for fact in table.facts
    ]
    pairs = []
    for verdict, column in HAND.items():
        sides = ("got", "both") if verdict == "got" else ("expected", "both")
        for text in row[column]:
            words = frozenset(language.content_words(text))
            shared = [
                (len(words & others), told) for told, others in clauses if told in sides and others
            ]
            best = max(shared, default=(0, ""))
            if best[0]:
                pairs.append((verdict, best[1]))
    return pairs


def kappa(pairs: list[tuple[str, str]]) -> float:
    first, second = zip(*pairs, strict=True)
    agreed = np.mean([one == two for one, two in pairs])
    chance = sum(first.count(one) * second.count(one) for one in set(first)) / len(pairs) ** 2
    return float((agreed - chance) / (1 - chance))


def main() -> None:
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines() if line]
    reader = EmbeddedFacts(load_judge(Cache(None)))
    print(f"{'':4}{'verdicts agree':26}{'kappa':8}{'ser by hand':13}{'ser':8}{'error':8}rank")
    for code in ("en", "cs"):
        own = [row for row in rows if row["language"] == code]
        normalisation = Normalisation(languages.get(code), "default")
        tables = reader.tables([(row["expected"], row["got"]) for row in own], normalisation)
        print(f"{code:4}{agreement(own, tables)}", flush=True)


def agreement(rows: list[dict[str, Any]], tables: list[Judgement]) -> str:
    by_clip = [matched(row, table) for row, table in zip(rows, tables, strict=True)]
    hits = [sum(one == two for one, two in pairs) for pairs in by_clip]
    sizes = [len(pairs) for pairs in by_clip]
    drawn = np.random.default_rng(0).integers(0, len(rows), (RESAMPLES, len(rows)))
    shares = np.asarray(hits)[drawn].sum(axis=1) / np.asarray(sizes)[drawn].sum(axis=1)
    low, high = np.quantile(shares, [0.025, 0.975])
    counts = [(len(row["both"]), len(row["expected_only"])) for row in rows]
    hand = np.asarray([100 * lost / (both + lost) for both, lost in counts])
    ours = np.asarray([table.counts.ser for table in tables])
    ranks = [np.argsort(np.argsort(one)).astype(float) for one in (hand, ours)]
    pooled = [table.counts for table in tables]
    rate = 100 * sum(one.missing for one in pooled) / sum(one.missing + one.both for one in pooled)
    pooled_hand = 100 * sum(lost for _, lost in counts) / sum(map(sum, counts))
    every = [pair for pairs in by_clip for pair in pairs]
    return (
        f"{f'{sum(hits) / sum(sizes):.1%} ({low:.1%} – {high:.1%})':26}{kappa(every):<8.2f}"
        f"{pooled_hand:<13.1f}{rate:<8.1f}{np.abs(hand - ours).mean():<8.1f}"
        f"{np.corrcoef(*ranks)[0, 1]:.2f}"
    )


if __name__ == "__main__":
    main()
