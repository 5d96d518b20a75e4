"""Figures of a network on what was kept aside: `python -m training.measure CHECKPOINT --data DATA`.

Contrasts are matched, so that words do not give the answer away; by language, AUC (chance .5):

| set | what stands above what | output |
|---|---|---|
| far | the same in quite other words, above another meaning in quite other words | survives |
| near | minimal edits that change nothing, above minimal edits that do | survives |
| idiom | right explanations above wrong ones | survives |
| speech | harmless transcripts above harmful ones | survives |
| claims | supported claims above contradicted ones | entailment less contradiction |
| abridged | fair abridgements above ones with a changed fact | entailment less contradiction |

`close` and `same` are means of survives; degrees, graded and STS are Spearman correlations of
degree with people; NLI is the share of right labels.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.stats import rankdata, spearmanr

from gistmeter.models.judge.network import BACKWARD, DEGREE, FORWARD, OUTPUTS, SURVIVES
from training import corpus, devsets, sources, written
from training.network import Judge
from training.rows import CONTRADICTION, ENTAILMENT, Row

LIMIT = 150  # groups, or rows of a set, for each language
Numbers = npt.NDArray[np.float64]
Figures = dict[str, tuple[float, int]]  # by set and language: the value, and of how many rows
CONTRASTS: dict[str, tuple[str, str]] = {  # fields of what stands above, and below
    "idiom": ("right", "wrong"),
    "speech": ("harmless", "harmful"),
    "claims": ("supported", "contradicted"),
    "abridged": ("fair", "false"),
}


@torch.no_grad()
def predict(network: Judge, rows: Sequence[Row], tokens: corpus.Tokens) -> Numbers:
    """Outputs as probabilities (rows, outputs), and the cosine last."""
    tokens.add([text for row in rows for text in (row.first, row.second)])
    sizes = [len(tokens.content(row.first)) + len(tokens.content(row.second)) for row in rows]
    order = sorted(range(len(rows)), key=sizes.__getitem__)
    found = np.zeros((len(rows), len(OUTPUTS) + 1))
    for start in range(0, len(order), 16):
        part = order[start : start + 16]
        outputs = network(corpus.tensors([rows[at] for at in part], tokens))
        found[part, FORWARD] = outputs[:, FORWARD].softmax(-1)
        found[part, BACKWARD] = outputs[:, BACKWARD].softmax(-1)
        found[part, SURVIVES:-1] = outputs[:, SURVIVES:].sigmoid()
        found[part, -1] = network.cosine
    return found


def auc(high: Numbers, low: Numbers) -> float:
    """The share of (high, low) pairs in the right order; a tie counts half."""
    ranks = rankdata(np.concatenate([high, low]))
    return float(
        (ranks[: len(high)].sum() - len(high) * (len(high) + 1) / 2) / (len(high) * len(low))
    )


def spearman(values: Numbers, truth: Sequence[float]) -> float:
    return float(spearmanr(values, truth).statistic)


def thin(rows: Sequence[Any], limit: int) -> list[Any]:
    """At most `limit` rows, evenly spread and the same each time."""
    step = max(1, len(rows) / limit)
    return [rows[int(at * step)] for at in range(min(limit, len(rows)))]


Score = Callable[[list[Row]], Numbers]


def contrast_rows(limit: int) -> dict[tuple[str, str], tuple[list[Row], list[Row]]]:
    """By set and language: pairs (reference, candidate) that stand above, and those below."""
    found: dict[tuple[str, str], tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    by_shape: dict[tuple[str, str], list[written.Written]] = defaultdict(list)
    for group in written.kept_aside():
        by_shape[written.shape(group), group["language"]].append(group)
    for (shape, language), every in sorted(by_shape.items()):
        for group in thin(every, limit):
            base = group.get("passage") or group["text"]
            fields = {shape: CONTRASTS[shape]} if shape in CONTRASTS else {}
            if shape == "contrast":
                fields = {"far": ("same", "far_changed")}
                if "close" in group:
                    fields["near"] = ("close", "changed")
            for name, (high, low) in fields.items():
                good, bad = found[name, language]
                good += [Row(base, written.text_of(one)) for one in group[high]]
                bad += [Row(base, written.text_of(one)) for one in group[low]]
    return dict(found)


def degree_rows(limit: int) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for group in written.kept_aside():
        if written.shape(group) == "degrees" and len(found[group["language"]]) < 6 * limit:
            found[group["language"]] += [
                Row(group["text"], one["text"], degree=one["kept"]) for one in group["versions"]
            ]
    return dict(found)


def graded_rows(data: Path, limit: int) -> dict[str, list[Row]]:
    found = {}
    for path in sorted((data / "train/graded").glob("*.jsonl.gz")):
        rows = [row for row in sources.read(path) if sources.is_graded_aside(row)]
        name = path.name.split(".")[0].removeprefix("mlqe_")
        found[name] = [Row(row["a"], row["b"], degree=row["score"]) for row in thin(rows, limit)]
    return found


def figures(network: Judge, tokens: corpus.Tokens, data: Path, limit: int = LIMIT) -> Figures:
    """Every figure, by set and language."""
    network.eval()
    found: Figures = {}
    for (name, language), (good, bad) in contrast_rows(limit).items():
        made = predict(network, [*good, *bad], tokens)
        supported = made[:, ENTAILMENT] - made[:, CONTRADICTION]
        values = supported if name in {"claims", "abridged"} else made[:, SURVIVES]
        size = len(good)
        found[f"{name} {language}"] = auc(values[:size], values[size:]), len(made)
        if name in {"far", "near"}:
            mean = {"far": "same", "near": "close"}[name]
            found[f"mean of {mean} {language}"] = float(made[:size, SURVIVES].mean()), size
            wrong = {"far": "far_changed", "near": "changed"}[name]
            found[f"mean of {wrong} {language}"] = float(made[size:, SURVIVES].mean()), len(bad)
    similar = devsets.similarity_sets(data)
    sets = {
        **{f"degrees {name}": rows for name, rows in degree_rows(limit).items()},
        **{f"graded {name}": rows for name, rows in graded_rows(data, limit).items()},
        **{f"sts {name}": thin(rows, limit) for name, rows in similar.items()},
    }
    for name, rows in sets.items():
        made = predict(network, rows, tokens)
        truth = [row.degree for row in rows]
        found[name] = spearman(made[:, DEGREE], truth), len(rows)
    for name, every in devsets.entailment_sets(data).items():
        rows = thin(every, limit)
        made = predict(network, rows, tokens)
        labels = np.asarray([row.label for row in rows])
        right = made[:, FORWARD].argmax(1) == labels
        turned = predict(network, [row.turned() for row in rows], tokens)
        found[f"nli {name}"] = float(right.mean()), len(rows)
        back = turned[:, BACKWARD].argmax(1) == labels
        found[f"nli back {name}"] = float(back.mean()), len(rows)
    network.train()
    return found


def table(found: Figures) -> str:
    """One line per set, languages side by side."""
    lines: dict[str, list[str]] = defaultdict(list)
    for name, (value, size) in found.items():
        kind, language = name.rsplit(" ", 1) if not name.startswith("nli") else ("nli", name[4:])
        lines[kind].append(f"{language} {value:.2f} ({size})")
    return "\n".join(f"{kind}: " + ", ".join(sorted(parts)) for kind, parts in lines.items())


def main() -> None:
    from training.checkpoint import load

    parser = argparse.ArgumentParser(prog="python -m training.measure")
    parser.add_argument("checkpoint", type=Path, help="a file of training/checkpoint or of a run")
    parser.add_argument("--data", type=Path, required=True, help="the data folder")
    parser.add_argument("--limit", type=int, default=LIMIT, help="groups or rows per language")
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    given = parser.parse_args()
    torch.set_num_threads(1)
    network, tokens = load(given.checkpoint)
    found = figures(network, tokens, given.data, given.limit)
    print(table(found))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
