"""Fit how claims of summaries are judged: `src/gistmeter/book/metrics/data/claims.json`.

    python -m training.claims                 fit, and print what cross-validation says
    python -m training.claims --room 80       with shorter passages

The data are the groups of `written/claims*` that are kept aside: neither judge learned from them.
The passages of a language are one book, in which every claim is looked up. `supported` claims stand
against `contradicted` and `unmentioned` ones, and against supported ones whose passage was taken
away. By cross-validation over groups. To be run again whenever the judge changes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from gistmeter import languages
from gistmeter.book.metrics import claims as checked
from gistmeter.book.metrics.claims import FEATURES, Claim, claim_features, look_up
from gistmeter.book.metrics.measures import ContentWords
from gistmeter.core.cache import Cache, cache_file
from gistmeter.models.loading import load_judge, load_models
from training import written
from training.gist import Floats, auc, predict

TARGET = Path(checked.__file__).parent / "data" / "claims.json"
NEGATIVE = ("against", "changed")
JUDGED = ("follows", "against", "changed", "alike")
ROOM = 190  # tokens of a passage
FLAGGED = 0.12  # share of the true claims below the least probability
FOLDS = 6
PENALTY = 0.01
Row = tuple[str, str, int]  # label, language, group


def read_book(
    language: str, groups: list[Any], models: Any, room: float
) -> tuple[Floats, list[Row]]:
    """The features of all claims about the passages of a language."""
    pack, embedder, judge = languages.get(language), models[0], models[1]
    passages = [pack.sentences(group["passage"]) for group in groups]
    told = [
        (number, label, written.text_of(entry))
        for number, group in enumerate(groups)
        for label in ("supported", "contradicted", "unmentioned")
        for entry in group[label]
    ]
    told += [(number, "absent", text) for number, label, text in told if label == "supported"]
    tables, rows = [], []
    for number in range(len(groups)):
        own = [(label, text) for group, label, text in told if group == number]
        for without in (False, True):
            labels = [label for label, _ in own if (label == "absent") is without]
            texts = [text for label, text in own if (label == "absent") is without]
            kept = [part for at, part in enumerate(passages) if not (without and at == number)]
            book = [sentence for part in kept for sentence in part]
            sides = ([pack.content_words(one) for one in side] for side in (book, texts))
            reading = look_up(
                [Claim(text, at) for at, text in enumerate(texts)], embedder.embed(texts).vectors,
                book, embedder.embed(book).vectors, ContentWords.of(*sides), room=room,
            )  # fmt: skip
            tables.append(claim_features(reading, book, judge)[0])
            rows += [(label, language, number) for label in labels]
    return np.concatenate(tables), rows


def fit(
    table: Floats, target: Floats, weight: Floats, negative: Sequence[str] | None,
    penalty: float = PENALTY,
) -> Floats:  # fmt: skip
    """Weights (the intercept last) of a logistic model with a penalty, for few rows; each has the
    sign that it must have, unless there is none to be had (`negative` is None)."""
    scale, centre = table.std(axis=0) + 1e-6, table.mean(axis=0)
    inputs = np.column_stack([(table - centre) / scale, np.ones(len(table))])
    share = weight / weight.sum()

    def loss(held: Floats) -> tuple[float, Floats]:
        values = inputs @ held
        cost = share @ (np.logaddexp(0, values) - target * values) + penalty * (
            held[:-1] @ held[:-1]
        )
        slope = inputs.T @ (share * (1 / (1 + np.exp(-values)) - target))
        return float(cost), slope + 2 * penalty * np.append(held[:-1], 0.0)

    bounds: list[tuple[float | None, float | None]] = [(None, None)] * inputs.shape[1]
    if negative is not None:
        signs = [(None, 0.0) if name in negative else (0.0, None) for name in FEATURES]
        bounds = [*signs, (None, None)]
    held = minimize(loss, np.zeros(inputs.shape[1]), jac=True, bounds=bounds).x
    weights = held[:-1] / scale
    return np.append(weights, held[-1] - weights @ centre)


def spelled(weights: Floats) -> dict[str, float]:
    named = dict(zip(FEATURES, weights[:-1].round(4).tolist(), strict=True))
    return {"intercept": round(float(weights[-1]), 4), **named}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--room", type=float, default=ROOM)
    parser.add_argument("--languages", default="en,zh,ja,ko,cs,ru")
    room = parser.parse_args().room
    cache = Cache(cache_file())
    models = (load_models(["embedder"], cache=cache).embedder, load_judge(cache))
    groups = [group for group in written.kept_aside() if written.shape(group) == "claims"]
    tables, rows = [], list[Row]()
    for language in parser.parse_args().languages.split(","):
        own = [group for group in groups if group["language"] == language]
        if own:
            table, told = read_book(language, own, models, room)
            tables.append(table)
            rows += told
            print(f"{language}: {len(own)} passages, {len(told)} claims", flush=True)
    fit_all(np.concatenate(tables), rows, room, models[1].id)


def fit_both(table: Floats, labels: Any) -> tuple[Floats, Floats]:
    """Weights of found, and of agrees among what is found."""
    there = np.isin(labels, ("supported", "contradicted"))
    first = fit(table, there.astype(float), balanced(there), ())
    own = table[there] * np.isin(FEATURES, JUDGED)  # words and places would tell how it was made
    true = labels[there] == "supported"
    return first, fit(own, true.astype(float), balanced(true), NEGATIVE)


def balanced(chosen: Any) -> Floats:
    """Weights by which both sides count alike."""
    return np.where(chosen, (~chosen).sum() / max(1, chosen.sum()), 1.0)


def fit_all(table: Floats, rows: list[Row], room: float, judge: str) -> None:
    labels = np.array([label for label, _, _ in rows])
    fold = np.array([hash_of(f"{language}{group}") % FOLDS for _, language, group in rows])
    found, agrees = np.zeros(len(table)), np.zeros(len(table))
    for number in range(FOLDS):
        here = fold == number
        first, second = fit_both(table[~here], labels[~here])
        found[here], agrees[here] = predict(table[here], first), predict(table[here], second)
    chances = found * agrees
    of = {name: labels == name for name in ("supported", "contradicted", "unmentioned", "absent")}
    least = float(np.quantile(chances[of["supported"]], FLAGGED))
    report = {
        "claims": len(rows),
        **{f"auc supported, {name}": round(auc(chances[of["supported"]], chances[mine]), 3)
           for name, mine in of.items() if name != "supported"},
        **{f"flagged, {name}": round(float((chances[mine] < least).mean()), 3)
           for name, mine in of.items()},
        "auc found, absent": round(auc(found[of["supported"]], found[of["absent"]]), 3),
    }  # fmt: skip
    first, second = fit_both(table, labels)
    content = {
        "judge": judge, "room": room, "least": round(least, 3), "found": spelled(first),
        "agrees": spelled(second), "cross-validation": report,
    }  # fmt: skip
    print(json.dumps(content, indent=1))
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def hash_of(text: str) -> int:
    return sum(ord(character) * 31**at for at, character in enumerate(text[::-1])) % 1_000_003


if __name__ == "__main__":
    main()
