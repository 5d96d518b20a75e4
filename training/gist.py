"""Fit `gist`: how much of the meaning survived, as careful readers would rate it.

    python -m training.gist --data ../shared/data [--keep FOLDER]

writes `src/gistmeter/metrics/gist/data/gist.json` and prints what cross-validation says of it (by
group, five folds). `gist_rows.py` has the pairs and what is said of each.

**Text, source, speech.** A small network (`fitted_model.py`) for pairs of texts, for candidates
beside a much longer source, and for transcripts. Its loss is the cross-entropy against the share
that survived, and ranks within each set and language, which take no notice of what one set's scale
is beside another's. Weights that speak for the meaning are held at 0 or more, those that speak
against it at 0 or less. For transcripts people's choices are ranks, too.

**Labels.** From which gist on a text "says the same", and below which it can contradict: the values
that tell best, by language, what survived (.9 and more) from what did not; the same for S_Acc and
S_Logic, which are read as high or low.

**Books.** Sentences of ten published abridgements (AbLit, English) against their chapters: as they
are (1), with a fact changed by rule (0), and sentences of the other novels (0). A logistic model,
by cross-validation over novels.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.stats import spearmanr
from torch import nn
from torch.nn import functional

from gistmeter import score_text
from gistmeter.book.family import Books, BookSettings
from gistmeter.book.metrics.book_alignment import BookAlignment
from gistmeter.book.metrics.segmentation import Segments
from gistmeter.book.metrics.sentence_rows import FEATURES as BOOK_FEATURES
from gistmeter.book.metrics.sentence_rows import gist_features
from gistmeter.core.cache import Cache
from gistmeter.core.family import Context, Items
from gistmeter.core.types import Book, Pair
from gistmeter.core.wiring import build
from gistmeter.metrics.gist.pair_evidence import gather
from gistmeter.models.loading import load_judge, load_models
from gistmeter.text.family import Text, TextSettings
from training.edits import change
from training.gist_rows import GistRow, gist_rows
from training.measure import auc

TARGET = Path(__file__).parents[1] / "src" / "gistmeter" / "metrics" / "gist" / "data" / "gist.json"
Floats = npt.NDArray[np.float64]
Measured = dict[str, Floats]
ALARMS = ("numbers", "negation", "names", "numbers_near", "negation_near")
RISING = {
    "text": ("degree", "survives", "cosine", "bertscore"),
    "source": ("degree", "survives", "follows", "cosine", "precision"),
    "speech": (
        "degree", "survives", "follows", "says_all", "cosine", "precision", "recall", "bertscore",
    ),
}  # fmt: skip
FALLING = {
    "text": ("contradicts", *ALARMS),
    "source": ("contradicts", "opposes", "changed", *ALARMS),
    "speech": ("contradicts", "opposes", "changed", *ALARMS),
}
CONTEXT = ("letters", "near", "length", "size")
SHARES: dict[str, dict[str, float]] = {  # of each set in the fit of a model
    "text": {
        "near": 1.5, "far": 0.8, "idiom": 1.0, "partial": 0.25, "degrees": 0.8, "graded": 1.2,
        "sts": 2.0, "unrelated": 0.3, "rules": 0.6, "contradiction": 0.3, "triples": 0.4,
        "dictionary": 0.7, "speech": 0.6, "abridged": 0.2, "identity": 0.3,
    },
    "source": {"claims": 1.0, "abridged": 0.5},
    "speech": {
        "speech": 1.5, "rules": 0.8, "unrelated": 0.3, "identity": 0.3, "triples": 0.2,
    },
}  # fmt: skip
RANKED = {  # sets whose ranks count, and how much
    "near": 1.5, "far": 1.0, "idiom": 2.5, "degrees": 1.0, "graded": 2.5, "sts": 3.5, "rules": 0.5,
    "triples": 0.4, "dictionary": 0.6, "speech": 0.8, "claims": 1.0, "abridged": 0.5,
}  # fmt: skip
UNITS = {"text": 32, "source": 6, "speech": 6}
PENALTY = {"text": 3e-4, "source": 1e-3, "speech": 3e-4}
STEPS = {"text": 1500, "source": 600, "speech": 600}
RATE, FOLDS, SEED, DRAWN = 0.02, 5, 20260, 3000
ALL_RANKS, CHOSEN = 2.0, 3.0  # weights of all ranks, and of all choices, beside the cross-entropy
APART = 0.05  # of ratings that are ranked
SURVIVED, LOST = 0.9, 0.3
READ = {"near", "far", "partial", "idiom", "degrees", "sts", "dictionary"}
NEGATIVE = {"contradicts", "differs", "changed"}  # of a book's sentence
INVENTED = 60  # sentences of other novels beside each
BOOK_PENALTY, BOOK_STEPS = 1e-3, 4000


def measured_of(rows: Sequence[GistRow], cache: Cache) -> tuple[Measured, npt.NDArray[np.bool_]]:
    """What is known of each pair, by name, and which are read beside a source."""
    codes = sorted({row.language for row in rows})
    items = Items([Pair("", "", (), language=code) for code in codes])
    metric = build(Text(), items, TextSettings(metrics=("gist",)), Context(cache))["gist"]
    order = sorted(range(len(rows)), key=lambda at: len(rows[at].first) + len(rows[at].second))
    columns: Measured = defaultdict(lambda: np.full(len(rows), np.nan))
    sources = np.zeros(len(rows), dtype=bool)
    for start in range(0, len(order), 512):
        part = order[start : start + 512]
        evidence = gather(
            [(rows[at].first, rows[at].second) for at in part],
            [rows[at].language for at in part],
            judge=metric.judge, embedder=metric.embedder, matcher=metric.matcher,
            baselines=metric.baselines,
        )  # fmt: skip
        for name, values in evidence.measured.items():
            columns[name][part] = values
        sources[part] = evidence.sources
        print(f"{start + len(part)}/{len(order)} pairs read", flush=True)
    return dict(columns), sources


class MeaningNetwork(nn.Module):
    """`fitted_model.GistModel` in training; the first columns are those that may only rise."""

    def __init__(self, rising: int, context: int, units: int) -> None:
        super().__init__()
        self.rising = rising
        self.inside = nn.Parameter(torch.randn(rising, units) * 0.5 - 2)
        self.beside = nn.Parameter(torch.randn(context, units) * 0.3)
        self.bias = nn.Parameter(torch.randn(units) * 0.5)
        self.outside = nn.Parameter(torch.randn(units) * 0.3 - 0.5)
        self.direct = nn.Parameter(torch.full((rising,), -2.0))
        self.direct_beside = nn.Parameter(torch.zeros(context))
        self.intercept = nn.Parameter(torch.zeros(()))

    def weights(self) -> dict[str, torch.Tensor]:
        """With their signs."""
        held = functional.softplus
        return {
            "inside": torch.cat([held(self.inside), self.beside]),
            "bias": self.bias,
            "outside": held(self.outside),
            "direct": torch.cat([held(self.direct), self.direct_beside]),
            "intercept": self.intercept,
        }

    def forward(self, table: torch.Tensor) -> torch.Tensor:
        own = self.weights()
        units = torch.tanh(table @ own["inside"] + own["bias"])
        return units @ own["outside"] + table @ own["direct"] + own["intercept"]

    def size(self) -> torch.Tensor:
        """The sum of squares, for the penalty."""
        own = self.weights()
        return sum((own[name] ** 2).sum() for name in ("inside", "outside", "direct"))  # type: ignore[return-value]


@dataclass(frozen=True)
class Fit:
    """A model in the making: its pairs, the columns, and what is known of them."""

    kind: str
    rows: Sequence[GistRow]
    measured: Measured

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        context = CONTEXT if self.kind != "source" else ("letters", "length", "size")
        return RISING[self.kind], FALLING[self.kind], context

    def table(self) -> tuple[Floats, Floats, Floats]:
        """Columns at mean 0 and spread 1, falling ones turned; and both, spreads signed."""
        rising, falling, context = self.names
        columns = np.column_stack([self.measured[name] for name in (*rising, *falling, *context)])
        means, spreads = columns.mean(axis=0), columns.std(axis=0) + 1e-9
        spreads[len(rising) : len(rising) + len(falling)] *= -1
        return (columns - means) / spreads, means, spreads

    def weights(self) -> Floats:
        shares, sets = SHARES[self.kind], np.asarray([row.set for row in self.rows])
        counts = {name: (sets == name).sum() for name in shares}
        return np.asarray(
            [shares.get(row.set, 0.0) / max(1, counts.get(row.set, 1)) for row in self.rows]
        )

    def ranks(self, places: npt.NDArray[np.int64]) -> list[tuple[int, int, float]]:
        """(higher, lower, weight) among some rows, by set and language; by choice, both sides."""
        chance = np.random.default_rng(SEED)
        by_scale: dict[tuple[str, str], list[int]] = defaultdict(list)
        by_choice: dict[str, list[int]] = defaultdict(list)
        for at, place in enumerate(places.tolist()):
            row = self.rows[place]
            if row.set in RANKED and row.set in SHARES[self.kind]:
                scale = row.kind if row.set == "graded" else row.language
                by_scale[row.set, scale].append(at)
            elif row.set == "choices":
                by_choice[row.group].append(at)
        found = []
        sets = [name for name, _ in by_scale]
        for (name, _), members in by_scale.items():
            first, second = (chance.choice(members, DRAWN) for _ in range(2))
            kept = np.asarray([self.rows[place].kept for place in places.tolist()])
            right = kept[first] - kept[second] > APART
            share = RANKED[name] / sets.count(name) / max(1, right.sum())
            found += [
                (int(i), int(j), share) for i, j in zip(first[right], second[right], strict=True)
            ]
        whole = sum(weight for *_, weight in found) or 1.0
        found = [(i, j, ALL_RANKS * weight / whole) for i, j, weight in found]
        votes = [(pair, [self.rows[places[at]].kept for at in pair]) for pair in by_choice.values()]
        decided = [(pair, own) for pair, own in votes if len(pair) == 2 and own[0] != own[1]]
        total = sum(abs(own[0] - own[1]) for _, own in decided)
        for pair, own in decided:
            high, low = pair if own[0] > own[1] else pair[::-1]
            found.append((high, low, CHOSEN * abs(own[0] - own[1]) / total))
        return found

    def train(self, table: Floats, places: npt.NDArray[np.int64]) -> MeaningNetwork:
        torch.manual_seed(SEED)
        rising, falling, context = self.names
        network = MeaningNetwork(len(rising) + len(falling), len(context), UNITS[self.kind])
        inputs = torch.from_numpy(table[places]).float()
        kept = [min(1.0, self.rows[at].kept) for at in places.tolist()]
        target, weight = torch.tensor(kept), torch.from_numpy(self.weights()[places]).float()
        weight = weight / weight.sum()
        high, low, share = zip(*self.ranks(places), strict=True)
        above, below = torch.tensor(high), torch.tensor(low)
        counts = torch.tensor(share, dtype=torch.float32)
        optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
        steps = STEPS[self.kind]
        for step in range(steps):
            for group in optimizer.param_groups:
                group["lr"] = RATE * (1 - step / steps)
            logits = network(inputs)
            loss = (
                functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
                @ weight
            )
            loss = loss + functional.softplus(logits[below] - logits[above]) @ counts
            loss = loss + PENALTY[self.kind] * network.size()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return network

    def cross_validate(self, table: Floats) -> Floats:
        """What a model says of rows of groups that it was not fitted on."""
        folds = np.asarray([fold_of(row) for row in self.rows])
        said = np.empty(len(self.rows))
        for fold in range(FOLDS):
            network = self.train(table, np.flatnonzero(folds != fold))
            with torch.no_grad():
                out = network(torch.from_numpy(table[folds == fold]).float()).sigmoid()
            said[folds == fold] = out.numpy()
        return said

    def made(self) -> tuple[dict[str, Any], Floats]:
        """The model as it is stored, and what cross-validation says of each row."""
        table, means, spreads = self.table()
        said = self.cross_validate(table)
        network = self.train(table, np.arange(len(self.rows)))
        own = {
            name: value.detach().numpy().astype(float) for name, value in network.weights().items()
        }
        bias = own["bias"] - (means / spreads) @ own["inside"]
        intercept = own["intercept"] - (means / spreads) @ own["direct"]
        rising, falling, context = self.names
        ranges = {
            name: np.quantile(self.measured[name], [0.005, 0.995]).round(4).tolist()
            for name in context
        }
        stored = {
            "rising": rising, "falling": falling, "context": context, "ranges": ranges,
            "inside": rounded(own["inside"] / spreads[:, None]), "bias": rounded(bias),
            "outside": rounded(own["outside"]), "direct": rounded(own["direct"] / spreads),
            "intercept": rounded(intercept),
            "cross_validation": figures(self.rows, said),
        }  # fmt: skip
        return stored, said


def rounded(values: Any) -> Any:
    return np.round(values, 5).tolist()


def fold_of(row: GistRow) -> int:
    return int(hashlib.sha256(f"{row.set} {row.group}".encode()).hexdigest(), 16) % FOLDS


CONTRASTS = {  # what stands above what in a set
    "near": ("close", "changed"), "far": ("same", "far_changed"), "idiom": ("right", "wrong"),
    "speech": ("harmless", "harmful"), "claims": ("supported", "contradicted"),
    "abridged": ("fair", "false"), "triples": ("same", "changed"), "dictionary": ("own", "other"),
}  # fmt: skip


def figures(rows: Sequence[GistRow], said: Floats) -> dict[str, dict[str, float]]:
    """By set and language: AUC of contrasts, Spearman of degrees; calibration; choices."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        places[row.set, row.kind if row.set == "graded" else row.language].append(at)
    for (name, code), members in places.items():
        own = said[members]
        kinds = [rows[at].kind.split(":")[0] for at in members]
        kept = np.asarray([rows[at].kept for at in members])
        if name in CONTRASTS:
            high, low = ([kind == side for kind in kinds] for side in CONTRASTS[name])
            if min(sum(high), sum(low)) > 3:
                found[name][code] = round(auc(own[high], own[low]), 3)
                if name != "triples":
                    side = f"mean of {CONTRASTS[name][0]}"
                    found[side][code] = round(float(own[high].mean()), 3)
        elif name in {"degrees", "graded", "sts"}:
            found[name][code] = round(float(spearmanr(own, kept).statistic), 3)
        elif name == "rules":
            found[name][code] = round(auc(own[kept > 0.5], own[kept < 0.5]), 3)
        elif name == "choices":
            found["choices"] = agreement(said[members], kept)
    for code in sorted({row.language for row in rows}):
        here = [at for at, row in enumerate(rows) if row.language == code and row.set != "choices"]
        if len(here) >= 300:
            truth = np.asarray([rows[at].kept for at in here])
            found["calibration error"][code] = round(calibration_error(said[here], truth), 3)
    return dict(found)


def agreement(said: Floats, votes: Floats) -> dict[str, float]:
    """Share of choices where the number prefers what more people chose; a tie is wrong."""
    gap, own = said[::2] - said[1::2], votes.reshape(-1, 2)
    chosen = np.sign(own[:, 0] - own[:, 1])
    top = own.max(axis=1) / own.sum(axis=1)
    right = np.sign(gap) == chosen
    groups = {"all agree": top == 1, "70%": top >= 0.7, "all": chosen != 0}
    return {name: round(100 * float(right[which].mean()), 1) for name, which in groups.items()}


def models(
    rows: Sequence[GistRow], measured: Measured, sources: npt.NDArray[np.bool_]
) -> Iterator[Fit]:
    """The models to be made, each with its pairs."""
    known = np.isfinite(np.column_stack(list(measured.values()))).all(axis=1)
    sets = np.asarray([row.set for row in rows])
    for kind, members in (
        ("text", known & ~sources & (sets != "choices")),
        ("source", known & sources & np.isin(sets, list(SHARES["source"]))),
        ("speech", known & np.isin(sets, [*SHARES["speech"], "choices"])),
    ):
        places = np.flatnonzero(members)
        own = [rows[at] for at in places.tolist()]
        yield Fit(kind, own, {name: values[places] for name, values in measured.items()})


def fit_pairs(
    rows: Sequence[GistRow], measured: Measured, sources: npt.NDArray[np.bool_]
) -> dict[str, Any]:
    """The models of texts, of candidates beside a source, and of transcripts, and the labels."""
    found: dict[str, Any] = {}
    labelled: list[tuple[GistRow, float]] = []
    for fit in models(rows, measured, sources):
        found[fit.kind], said = fit.made()
        print(fit.kind, json.dumps(found[fit.kind]["cross_validation"], indent=1), flush=True)
        if fit.kind == "text":
            labelled = list(zip(fit.rows, said.tolist(), strict=True))
    found["labels"] = {
        code: {
            "same": label_cut(labelled, code, SURVIVED),
            "opposite": label_cut(labelled, code, LOST),
        }
        for code in ("", *sorted({row.language for row, _ in labelled}))
    }
    print("labels", json.dumps(found["labels"]))
    return found


def fit_reading(rows: Sequence[GistRow], cache: Cache) -> dict[str, dict[str, float]]:
    """From where on S_Acc and S_Logic are high, by language: `text/metrics/logic.py`."""
    own = [row for row in rows if row.set in READ]
    run = score_text(
        [row.second for row in own], [row.first for row in own],
        language=[row.language for row in own], metrics=["s_acc", "s_logic"], resamples=0,
        cache=cache,
    )  # fmt: skip
    table = run.to_polars().sort("item")
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for name in ("s_acc", "s_logic"):
        values = table[name].to_numpy().astype(float)
        labelled = [one for one in zip(own, values, strict=True) if np.isfinite(one[1])]
        for code in ("", *sorted({row.language for row in own})):
            found[code][name] = label_cut(labelled, code, SURVIVED)
    return dict(found)


def label_cut(labelled: Sequence[tuple[GistRow, float]], code: str, share: float) -> float:
    """The gist that tells best what kept at least this share from what did not: both right alike.

    A language's own is drawn towards that of all languages where it has few pairs.
    """

    def best(own: Sequence[tuple[GistRow, float]]) -> float:
        kept = np.asarray([row.kept >= share for row, _ in own])
        said = np.asarray([value for _, value in own])
        steps = np.linspace(0.05, 0.95, 91)
        right = [(said[kept] >= at).mean() + (said[~kept] < at).mean() for at in steps]
        return float(steps[int(np.argmax(right))])

    every, own = best(labelled), [one for one in labelled if not code or one[0].language == code]
    weight = len(own) / (len(own) + 300)
    return round(weight * best(own) + (1 - weight) * every, 3) if own else round(every, 3)


def fit_logistic(
    table: Floats,
    target: Floats,
    weight: Floats,
    names: Sequence[str],
    negative: Collection[str] = NEGATIVE,
) -> Floats:
    """Weights (the intercept last) of a logistic model, each with the sign that it must have."""
    signs = np.asarray([-1.0 if name in negative else 1.0 for name in names])
    scale = table.std(axis=0) + 1e-9
    inputs = np.column_stack([table / scale * signs, np.ones(len(table))])
    held = np.zeros(inputs.shape[1])
    momentum, speed = np.zeros_like(held), 0.05
    share = weight / weight.sum()
    for _ in range(BOOK_STEPS):
        error = 1 / (1 + np.exp(-inputs @ held)) - target
        slope = inputs.T @ (error * share) + BOOK_PENALTY * np.append(held[:-1], 0.0)
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


def fit_book(data: Path, cache: Cache) -> dict[str, Any]:
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


def fit_sentences(table: Floats, kinds: Any, folds: Any) -> dict[str, Any]:
    names, target = BOOK_FEATURES, (kinds == "own").astype(float)
    share = {"own": 0.6, "changed": 0.2, "invented": 0.2}
    weight = np.asarray([share[kind] / (kinds == kind).sum() for kind in kinds.tolist()])
    weight[~np.isfinite(table).all(axis=1)] = 0.0
    table = np.nan_to_num(table)
    said = np.empty(len(table))
    for fold in set(folds.tolist()):
        out = folds == fold
        held = fit_logistic(table[~out], target[~out], weight[~out], names)
        said[out] = predict(table[out], held)
    report: dict[str, Any] = {
        f"auc {kind}": round(auc(said[kinds == "own"], said[kinds == kind]), 4)
        for kind in ("changed", "invented")
    } | {"calibration_error": round(overall(said, target, weight), 4)}
    print("book, by cross-validation over novels:", json.dumps(report))
    return spelled(fit_logistic(table, target, weight, names), names, report)


def spelled(held: Floats, names: Sequence[str], report: dict[str, Any]) -> dict[str, Any]:
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
    parser.add_argument("--only", default="pairs,book", help="what to fit, with a comma between")
    given = parser.parse_args()
    torch.set_num_threads(1)
    cache = Cache(given.cache)
    found: dict[str, Any] = json.loads(TARGET.read_text(encoding="utf-8"))
    if "source" not in found:  # metrics are built with the models that there are
        TARGET.write_text(json.dumps(found | {"source": {}}), encoding="utf-8")
    if "pairs" in given.only:
        rows = gist_rows(given.data)
        found |= fit_pairs(rows, *measured_of(rows, cache))
        found["judge"] = load_judge(cache).id
        for code, cuts in fit_reading(rows, cache).items():
            found["labels"].setdefault(code, dict(found["labels"][""])).update(cuts)
    if "book" in given.only:
        found["book"] = fit_book(given.data, cache)
    TARGET.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
