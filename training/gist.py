"""Fit `gist`: which features, weighed how, say that a person would find the meaning kept.

    python -m training.gist --data ../shared/data

writes `src/gistmeter/metrics/gist/data/gist.json` and prints what cross-validation says of it.

**Texts.** Pairs of the STS dev sets (en, zh, ru, ko, ja) with the chance that a person would call
the meaning kept, read off the human score s of 0 to 5 as (s − 2.5) / 2, cut to [0, 1]: 4 ("mostly
equivalent") is 0.75. Texts of the same sets changed by rule in one fact are 0, paraphrases and
rewordings 1, unrelated pairs and pairs that people called contradicting 0. And sentences written by
hand (`written.tsv`), paraphrased in quite other words or changed in one fact. Nothing of it was
trained on by the judge. A logistic model
with a small penalty; the sign of every weight is given, so that none can be read as nonsense.

**Speech.** People's choices between two transcripts (hats-dev, French): the transcript with the
higher number should be the one that more of them chose, weighed by how many. Choices say nothing of
the level: the scale is set so that equal texts get 0.99 and unrelated ones 0.01. Nor do they say
anything of changed facts, of which the guard finds none there: what its alarms cost is fitted on
texts that were changed by rule, the rest being as people chose.

**Books.** Sentences of ten published abridgements (AbLit, English) against their chapters: as they
are (1), with a fact changed by rule (0), and sentences of the other novels (0). By cross-validation
over novels.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from gistmeter.book.family import Books, BookSettings
from gistmeter.book.metrics.book_alignment import BookAlignment
from gistmeter.book.metrics.segmentation import Segments
from gistmeter.book.metrics.sentence_rows import FEATURES as BOOK_FEATURES
from gistmeter.book.metrics.sentence_rows import gist_features
from gistmeter.core.cache import Cache
from gistmeter.core.family import Context, Items
from gistmeter.core.types import Book, Pair
from gistmeter.core.wiring import build
from gistmeter.metrics.gist.pair_evidence import FEATURES, gather
from gistmeter.models.loading import load_models
from gistmeter.text.family import Text, TextSettings
from training import devsets
from training.edits import change
from training.rows import CONTRADICTION

TARGET = Path(__file__).parents[1] / "src" / "gistmeter" / "metrics" / "gist" / "data" / "gist.json"
WRITTEN = Path(__file__).parent / "written.tsv"
Floats = npt.NDArray[np.float64]
NEGATIVE = {"contradiction", "contradiction_near", "changed", "changed_near", "numbers",
            "numbers_near", "negation", "names"}  # fmt: skip
BOOK_NEGATIVE = {"contradicts", "differs", "changed"}
INVENTED = 60  # sentences of other novels beside each
SPEECH = ("similarity", "cosine", "bertscore", "weakest", "letters")  # by people's choices
ALARMS = ("numbers", "numbers_near", "negation", "names")
PENALTY, STEPS, FOLDS, SEED = 1e-3, 4000, 5, 20260
LIMIT = 350  # pairs of a set


def text_rows(data: Path) -> list[tuple[str, str, str, float, str]]:
    """Reference, candidate, language, what people or rules say of it, and the set."""
    chance = random.Random(SEED)
    rows: list[tuple[str, str, str, float, str]] = []
    sets = devsets.similarity_sets(data)
    for language, own in sets.items():
        picked = chance.sample(own, min(LIMIT, len(own)))
        rows += [(one.first, one.second, language, one.degree, "similarity") for one in picked]
        others = [one.second for one in picked]
        chance.shuffle(others)
        rows += [
            (one.first, other, language, 0.0, "unrelated")
            for one, other in list(zip(picked, others, strict=True))[: LIMIT // 7]
            if other != one.second
        ]
    for language, own in devsets.contrast_sets(data).items():
        if language in ("de", "fr"):
            continue
        picked = chance.sample(own, min(LIMIT, len(own)))
        rows += [(one.first, one.second, language, 1 - one.changed, "contrast") for one in picked]
    return rows + entailment_rows(data, chance) + written_rows()


def written_rows() -> list[tuple[str, str, str, float, str]]:
    """Sentences written by hand: the same in quite other words, and one fact changed in few."""
    with WRITTEN.open(encoding="utf-8", newline="") as stream:
        triples = list(csv.DictReader(stream, delimiter="\t"))
    return [
        (one["text"], one[side], one["lang"], kept, "written")
        for side, kept in (("same", 1.0), ("changed", 0.0))
        for one in triples
    ]


def entailment_rows(data: Path, chance: random.Random) -> list[tuple[str, str, str, float, str]]:
    """Pairs that contradict each other, where the meaning is lost whatever the words.

    Chinese and English ones are those kept for the judge's temperature, no others.
    """
    sets = devsets.entailment_sets(data)
    kept = devsets.calibration_set(data)
    by_language = {
        "ko": sets["kornli"], "ja": sets["jnli"],
        "zh": [row for row in kept if not row.first.isascii()],
        "en": [row for row in kept if row.first.isascii()],
    }  # fmt: skip
    rows = []
    for language, own in by_language.items():
        other = [row for row in own if row.label == CONTRADICTION]
        picked = chance.sample(other, min(LIMIT // 2, len(other)))
        rows += [(one.first, one.second, language, 0.0, "entailment") for one in picked]
    return rows


def hats(data: Path) -> list[dict[str, str]]:
    with (data / "people" / "hats-dev.tsv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def features(pairs: list[tuple[str, str]], languages: list[str], cache: Cache) -> Floats:
    pairs = Items([Pair("", "", (), language=code) for code in sorted(set(languages))])
    metric = build(Text(), pairs, TextSettings(metrics=("gist",)), Context(cache))["gist"]
    found = []
    for start in range(0, len(pairs), 512):
        part = slice(start, start + 512)
        found.append(
            gather(
                pairs[part], languages[part], judge=metric.judge, embedder=metric.embedder,
                matcher=metric.matcher, baselines=metric.baselines,
            ).table
        )  # fmt: skip
        print(f"{min(start + 512, len(pairs))}/{len(pairs)} pairs read", flush=True)
    return np.concatenate(found)


def fit(
    table: Floats,
    target: Floats,
    weight: Floats,
    names: tuple[str, ...],
    negative: Collection[str] = NEGATIVE,
) -> Floats:
    """Weights (the intercept last) of a logistic model, each with the sign that it must have."""
    signs = np.asarray([-1.0 if name in negative else 1.0 for name in names])
    scale = table.std(axis=0) + 1e-9
    inputs = np.column_stack([table / scale * signs, np.ones(len(table))])
    held = np.zeros(inputs.shape[1])
    momentum, speed = np.zeros_like(held), 0.05
    share = weight / weight.sum()
    for _ in range(STEPS):
        error = 1 / (1 + np.exp(-inputs @ held)) - target
        slope = inputs.T @ (error * share) + PENALTY * np.append(held[:-1], 0.0)
        momentum = 0.9 * momentum + slope
        held -= speed * momentum
        held[:-1] = np.maximum(held[:-1], 0.0)
    return np.append(held[:-1] * signs / scale, held[-1])


def predict(table: Floats, weights: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-(table @ weights[:-1] + weights[-1]))))


def calibration_error(chances: Floats, target: Floats, bins: int = 10) -> float:
    """Mean gap between what was said and what was so, over bins of equal size."""
    order = np.argsort(chances)
    parts = np.array_split(order, bins)
    gaps = [abs(chances[part].mean() - target[part].mean()) * len(part) for part in parts]
    return float(sum(gaps) / len(chances))


def overall(chances: Floats, target: Floats, weight: Floats) -> float:
    """The calibration error over all rows, each kind counting by its share of the fit."""
    order = np.argsort(chances)
    bounds = np.searchsorted(np.cumsum(weight[order]) / weight.sum(), np.linspace(0, 1, 11)[1:-1])
    gap = chances - target
    return float(
        sum(abs((gap[part] * weight[part]).sum()) for part in np.split(order, bounds))
        / weight.sum()
    )


def auc(good: Floats, bad: Floats) -> float:
    wins = (good[:, None] > bad[None]).mean() + 0.5 * (good[:, None] == bad[None]).mean()
    return float(wins)


def fit_text(data: Path, cache: Cache) -> dict[str, object]:
    rows = text_rows(data)
    table = features([(one[0], one[1]) for one in rows], [one[2] for one in rows], cache)
    human = np.asarray([one[3] for one in rows])  # STS: the score itself, 0 to 1
    kinds = np.asarray([one[4] for one in rows])
    languages = np.asarray([one[2] for one in rows])
    keep = np.isfinite(table).all(axis=1)
    table, human, kinds, languages = table[keep], human[keep], kinds[keep], languages[keep]
    kept = np.clip((5 * human - 2.5) / 2, 0.0, 1.0)
    target = np.where(kinds == "similarity", kept, human)
    size = {kind: (kinds == kind).sum() for kind in set(kinds.tolist())}
    # Chosen with the gate of `features.nearness` by these very figures: see docs/gist.md.
    share = {
        "similarity": 0.55, "contrast": 0.28, "written": 0.09, "entailment": 0.05,
        "unrelated": 0.03,
    }  # fmt: skip
    weight = np.asarray([share[kind] / size[kind] for kind in kinds.tolist()])
    folds = np.random.default_rng(SEED).permutation(len(table)) % FOLDS
    said = np.empty(len(table))
    for fold in range(FOLDS):
        out = folds == fold
        said[out] = predict(table[out], fit(table[~out], target[~out], weight[~out], FEATURES))
    report: dict[str, object] = {
        "calibration_error": {
            kind: round(calibration_error(said[kinds == kind], target[kinds == kind]), 4)
            for kind in size
        }
        | {"all": round(overall(said, target, weight), 4)}
    }
    from scipy.stats import spearmanr

    for code in sorted(set(languages.tolist())):
        here = (languages == code) & (kinds == "similarity")
        if here.any():
            report[f"spearman {code}"] = round(float(spearmanr(said[here], human[here])[0]), 4)
        own = (languages == code) & (kinds == "contrast")
        report[f"auc {code}"] = round(auc(said[own & (target == 1)], said[own & (target == 0)]), 4)
        own = (languages == code) & (kinds == "written")
        report[f"auc written {code}"] = round(
            auc(said[own & (target == 1)], said[own & (target == 0)]), 4
        )
    print("text, by cross-validation:", json.dumps(report, indent=1))
    held = fit(table, target, weight, FEATURES)
    return spelled(held, FEATURES, report)


def fit_speech(data: Path, cache: Cache) -> dict[str, object]:
    rows = hats(data)
    pairs = [(one["reference"], one[side]) for side in ("hypA", "hypB") for one in rows]
    table = features(pairs, ["fr"] * len(pairs), cache)
    places = [FEATURES.index(name) for name in SPEECH]
    first, second = table[: len(rows), places], table[len(rows) :, places]
    votes = np.asarray([[float(one["nbrA"]), float(one["nbrB"])] for one in rows])
    target, weight = votes[:, 0] / votes.sum(axis=1), np.abs(votes[:, 0] - votes[:, 1]) + 0.5
    folds = np.random.default_rng(SEED).permutation(len(rows)) % FOLDS
    gap = np.empty(len(rows))
    for fold in range(FOLDS):
        out = folds == fold
        held = fit_choices(first[~out] - second[~out], target[~out], weight[~out])
        gap[out] = (first[out] - second[out]) @ held
    report = agreement(gap, votes)
    print("speech, by cross-validation:", json.dumps(report))
    held = fit_choices(first - second, target, weight)
    equal = np.asarray([{"similarity": 6.9}.get(name, 1.0) for name in SPEECH])
    unrelated = np.asarray([{"similarity": -3.0}.get(name, 0.0) for name in SPEECH])
    span = (equal - unrelated) @ held
    scaled = held * (2 * np.log(99) / span)
    whole = np.append(scaled, np.log(99) - equal @ scaled)
    costs = fit_alarms(data, cache, whole)
    return spelled(np.concatenate([whole[:-1], costs, whole[-1:]]), (*SPEECH, *ALARMS), report)


def fit_alarms(data: Path, cache: Cache, held: Floats) -> Floats:
    """What the guard's alarms take off, given what the rest says of texts changed by rule."""
    rows = [one for one in text_rows(data) if one[4] == "contrast"]
    table = features([(one[0], one[1]) for one in rows], [one[2] for one in rows], cache)
    target = np.asarray([one[3] for one in rows])
    base = table[:, [FEATURES.index(name) for name in SPEECH]] @ held[:-1] + held[-1]
    fired = table[:, [FEATURES.index(name) for name in ALARMS]]

    def loss(costs: Floats) -> float:
        logits = base + fired @ costs
        return float((np.logaddexp(0, logits) - target * logits).mean() + PENALTY * costs @ costs)

    found = minimize(loss, np.zeros(len(ALARMS)), bounds=[(-8, 0)] * len(ALARMS)).x
    return np.asarray(found)


def fit_choices(gaps: Floats, target: Floats, weight: Floats) -> Floats:
    """Weights of differences; both orders of a choice are seen, so that there is no intercept."""
    both, wanted = np.concatenate([gaps, -gaps]), np.concatenate([target, 1 - target])
    return fit(both, wanted, np.concatenate([weight, weight]), SPEECH)[:-1]


def fit_book(data: Path, cache: Cache) -> dict[str, object]:
    """Sentences that are in their book, and such as are not."""
    lines = (data / "book" / "ablit_dev_rows.jsonl").read_text(encoding="utf-8").splitlines()
    novels = [json.loads(line) for line in lines]
    embedder = load_models(["embedder"], cache=cache).embedder
    assert embedder is not None
    settings = BookSettings(model_name=embedder)
    english = Items([Book("", "", "", language="en")])
    metric = build(Books(), english, settings, Context(cache))["alignment"]
    own = [cut(novel, "abridged", "abr_sents") for novel in novels]
    tables, kinds, folds = [], [], []
    for number, novel in enumerate(novels):
        chance = random.Random(SEED + number)
        others = [one for at, part in enumerate(own) if at != number for one in part]
        options = [change("en", text, chance) for text in own[number]]
        editions = {
            "own": own[number],
            "changed": [chance.choice(made)[1] for made in options if made],
            "invented": chance.sample(others, min(len(others), INVENTED)),
        }
        source = Segments(tuple(cut(novel, "original", "orig_sents")), ())
        for kind, edition in editions.items():
            tables.append(sentence_features(metric, source, edition))
            kinds += [kind] * len(edition)
            folds += [number] * len(edition)
        print(f"{number + 1}/{len(novels)} novels read", flush=True)
    return fit_sentences(np.concatenate(tables), np.asarray(kinds), np.asarray(folds))


def cut(novel: dict[str, Any], text: str, spans: str) -> list[str]:
    return [novel[text][start:end].strip() for start, end in novel[spans]]


def sentence_features(metric: BookAlignment, source: Segments, edition: list[str]) -> Floats:
    book = Book("novel", source="", summary="", language="en")
    rows = metric.measure_sentences(book, source, Segments(tuple(edition), ()))
    columns = {name: column[: len(edition)] for name, column in rows.numbers.items()}
    threshold = metric.settings_for("en").coverage_threshold
    assert threshold is not None
    return gist_features(columns, threshold)


def fit_sentences(table: Floats, kinds: Any, folds: Any) -> dict[str, object]:
    names, target = BOOK_FEATURES, (kinds == "own").astype(float)
    share = {"own": 0.6, "changed": 0.2, "invented": 0.2}
    weight = np.asarray([share[kind] / (kinds == kind).sum() for kind in kinds.tolist()])
    weight[~np.isfinite(table).all(axis=1)] = 0.0
    table = np.nan_to_num(table)
    said = np.empty(len(table))
    for fold in set(folds.tolist()):
        out = folds == fold
        held = fit(table[~out], target[~out], weight[~out], names, BOOK_NEGATIVE)
        said[out] = predict(table[out], held)
    report: dict[str, object] = {
        f"auc {kind}": round(auc(said[kinds == "own"], said[kinds == kind]), 4)
        for kind in ("changed", "invented")
    } | {"calibration_error": round(overall(said, target, weight), 4)}
    print("book, by cross-validation over novels:", json.dumps(report))
    return spelled(fit(table, target, weight, names, BOOK_NEGATIVE), names, report)


def agreement(gap: Floats, votes: Floats) -> dict[str, float]:
    """Share of choices where the number prefers what more people chose; a tie is wrong."""
    chosen = np.sign(votes[:, 0] - votes[:, 1])
    top = votes.max(axis=1) / votes.sum(axis=1)
    right = np.sign(gap) == chosen
    groups = {"all agree": top == 1, "70%": top >= 0.7, "all": chosen != 0}
    return {name: round(100 * float(right[own].mean()), 1) for name, own in groups.items()}


def spelled(held: Floats, names: tuple[str, ...], report: dict[str, object]) -> dict[str, object]:
    return {
        "intercept": round(float(held[-1]), 4),
        "weights": {
            name: round(float(one), 4) for name, one in zip(names, held[:-1], strict=True) if one
        },
        "cross_validation": report,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=None, help="keep the models' answers here")
    parser.add_argument("--only", default=",".join(FITS), help="shapes, with commas between")
    given = parser.parse_args()
    cache = Cache(given.cache)
    TARGET.parent.mkdir(exist_ok=True)
    start = {"intercept": 0.0, "weights": {}}
    found = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    TARGET.write_text(json.dumps(dict.fromkeys(FITS, start) | found), encoding="utf-8")
    found |= {shape: FITS[shape](given.data, cache) for shape in given.only.split(",")}
    TARGET.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


FITS = {"text": fit_text, "speech": fit_speech, "book": fit_book}


if __name__ == "__main__":
    main()
