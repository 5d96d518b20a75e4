"""How often gist is right: `python -m benchmarks meaning [--cache FILE] [--markdown]`.

Sets and languages that `training/` keeps aside from the judge. gist is by cross-validation over
groups: no pair is in the fit that is measured on it. Beside it stand the first judge's gist on a
part of the same pairs (`data/meaning_before.json`), the best of the parts that gist is made of,
chosen for each line after the fact, and what was asked. AUC is the share of pairs in the right
order (chance .5). Intervals (95%) are over groups; those of a mean are over the groups of all its
languages.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr
from training.gist import CONTRASTS, agreement, calibration_error, measured_of, models
from training.gist_rows import GistRow, gist_rows
from training.measure import auc

from benchmarks.validity import DATA
from gistmeter.core.cache import Cache

Floats = npt.NDArray[np.float64]
BEFORE = Path(__file__).parent / "data" / "meaning_before.json"
DRAWS = 300
PARTS = (
    "degree", "survives", "follows", "says_all", "cosine", "bertscore", "precision", "recall",
)  # fmt: skip
TITLES = {
    "near": "near: edits that change nothing above edits that do",
    "mean of close": "mean gist of edits that change nothing",
    "far": "far: other words above another meaning in other words",
    "mean of same": "mean gist of the same in other words",
    "idiom": "idioms: right explanations above wrong ones",
    "dictionary": "another dictionary's explanation above another idiom's",
    "claims": "claims: supported by a passage above contradicted",
    "claims as source": "claims: supported above contradicted, read as from a source",
    "abridged": "passages: fair abridgement above one changed fact",
    "abridged as source": "passages: the same, read as from a source",
    "speech": "transcripts as texts: harmless above harmful",
    "speech as speech": "transcripts as speech: harmless above harmful",
    "degrees": "degrees: the share that was kept (Spearman)",
    "graded": "translations: people's adequacy (Spearman)",
    "sts": "people's similarity (Spearman)",
    "rules": "texts changed by rule below texts that were not",
    "triples": "triples by hand: paraphrase above a changed fact",
    "calibration error": "calibration error",
}  # fmt: skip
ASKED = {
    "near": .88, "mean of close": .8, "far": .75, "mean of same": .5, "idiom": .85, "claims": .9,
    "claims as source": .9, "abridged": .75, "abridged as source": .75, "speech as speech": .88,
    "degrees": .7, "calibration error": .04,
}  # fmt: skip
ABOVE = {"sts": 0.005, "graded": 0.02}  # asked above the best part
EXPLAINED = {"zh": 0.98, "ko": 0.99}
CHOSEN = {"all agree": 92, "70%": 83, "all": 79}


@dataclass(frozen=True, slots=True)
class Line:
    title: str
    language: str
    now: float
    low: float
    high: float
    best: tuple[float, str] | None
    before: float | None
    asked: float | None
    pairs: int

    def cells(self) -> list[str]:
        missed = self.asked is not None and (
            self.now > self.asked if self.title == "calibration error" else self.now < self.asked
        )
        return [
            self.title,
            self.language,
            "" if self.before is None else told(self.before),
            f"{told(self.now)} [{told(self.low)}, {told(self.high)}]",
            "" if self.best is None else f"{told(self.best[0])} {self.best[1]}",
            "" if self.asked is None else told(self.asked) + (" missed" if missed else ""),
            str(self.pairs),
        ]


def told(value: float) -> str:
    return f"{value:.1f}" if abs(value) > 1 else f"{value:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks meaning", description=__doc__)
    parser.add_argument("--cache", type=Path, help="keep the models' answers in this file")
    parser.add_argument("--markdown", action="store_true", help="rows of a table")
    given = parser.parse_args()
    rows = gist_rows(DATA)
    before = json.loads(BEFORE.read_text(encoding="utf-8"))["figures"]
    heads = ["set", "language", "first judge", "now", "best part", "asked", "pairs"]
    print(" | ".join(heads) + ("\n" + " | ".join("-" * len(heads)) if given.markdown else ""))
    for line in lines(rows, *measured_of(rows, Cache(given.cache)), before):
        print(" | ".join(line.cells()), flush=True)


def lines(
    rows: Sequence[GistRow],
    measured: dict[str, Floats],
    sources: npt.NDArray[np.bool_],
    before: dict[str, dict[str, float]],
) -> list[Line]:
    made: list[Line] = []
    for fit in models(rows, measured, sources):
        table, *_ = fit.table()
        said = fit.cross_validate(table)
        parts = {name: fit.measured[name] for name in PARTS}
        kinds = {"source": " as source", "speech": " as speech"}
        made += measured_sets(fit.rows, said, parts, kinds.get(fit.kind, ""), before)
        if fit.kind == "speech":
            made += choices(fit.rows, said, before)
        if fit.kind == "text":
            made += calibration(fit.rows, said)
    return made


def measured_sets(
    rows: Sequence[GistRow],
    said: Floats,
    parts: dict[str, Floats],
    suffix: str,
    before: dict[str, dict[str, float]],
) -> list[Line]:
    """Each set: the mean of its languages, then each language."""
    places: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, row in enumerate(rows):
        places[row.set][row.kind if row.set == "graded" else row.language].append(at)
    made = []
    for name, title in TITLES.items():
        own, key = name, name
        if name.startswith("mean of "):
            own = {"close": "near", "same": "far"}[name.removeprefix("mean of ")]
        if suffix:
            own = name.removesuffix(suffix) if name.endswith(suffix) else ""
        elif " as " in name:
            continue
        measure = partial(mean_above, own) if name.startswith("mean") else partial(right, own)
        codes = {
            code: np.asarray(members)
            for code, members in sorted(places.get(own, {}).items())
            if np.isfinite(measure([rows[at] for at in members], said[members]))
        }
        if not codes:
            continue
        told_before = before.get(key, {})
        for code, members in [("mean", np.concatenate(list(codes.values()))), *codes.items()]:
            inside = codes if code == "mean" else {code: members}
            value, low, high = interval(rows, said, inside, measure)
            best = None
            if not name.startswith("mean"):
                best = max(
                    (interval(rows, part, inside, measure, draws=0)[0], label)
                    for label, part in parts.items()
                )
            asked = ASKED.get(name)
            if name in ABOVE and best:
                asked = best[0] + ABOVE[name]
            if name == "dictionary":
                asked = EXPLAINED.get(code)
            earlier = [told_before[one] for one in inside if one in told_before]
            made.append(
                Line(
                    title, code, value, low, high, best,
                    float(np.mean(earlier)) if len(earlier) == len(inside) else None,
                    asked, len(members),
                )
            )  # fmt: skip
    return made


def right(name: str, rows: Sequence[GistRow], values: Floats) -> float:
    """AUC of a contrast, or Spearman of degrees."""
    kept = np.asarray([row.kept for row in rows])
    if name in CONTRASTS:
        kinds = np.asarray([row.kind.split(":")[0] for row in rows])
        high, low = (values[kinds == side] for side in CONTRASTS[name])
    elif name == "rules":
        high, low = values[kept > 0.5], values[kept < 0.5]
    else:
        return float(spearmanr(values, kept).statistic)
    return auc(high, low) if min(len(high), len(low)) > 3 else float("nan")


def mean_above(name: str, rows: Sequence[GistRow], values: Floats) -> float:
    kinds = np.asarray([row.kind.split(":")[0] for row in rows])
    high = values[kinds == CONTRASTS[name][0]]
    return float(high.mean()) if len(high) > 3 else float("nan")


def interval(
    rows: Sequence[GistRow],
    said: Floats,
    codes: dict[str, npt.NDArray[np.int64]],
    measure: Callable[[Sequence[GistRow], Floats], float],
    draws: int = DRAWS,
) -> tuple[float, float, float]:
    """The mean over languages, and its percentiles over groups drawn with replacement."""
    chance = np.random.default_rng(11)

    def value(of: dict[str, npt.NDArray[np.int64]]) -> float:
        return float(
            np.mean([measure([rows[at] for at in places], said[places]) for places in of.values()])
        )

    groups: dict[str, list[npt.NDArray[np.int64]]] = {}
    for code, places in codes.items():
        by_group: dict[str, list[int]] = defaultdict(list)
        for at in places.tolist():
            by_group[rows[at].group].append(at)
        groups[code] = [np.asarray(one) for one in by_group.values()]
    drawn = [
        value(
            {
                code: np.concatenate([own[at] for at in chance.integers(0, len(own), len(own))])
                for code, own in groups.items()
            }
        )
        for _ in range(draws)
    ]
    low, high = np.nanpercentile(drawn, [2.5, 97.5]) if drawn else (np.nan, np.nan)
    return value(codes), float(low), float(high)


def choices(
    rows: Sequence[GistRow], said: Floats, before: dict[str, dict[str, float]]
) -> list[Line]:
    """Share of choices between two French transcripts where gist prefers what people chose."""
    places = np.asarray([at for at, row in enumerate(rows) if row.set == "choices"])
    kept = np.asarray([rows[at].kept for at in places.tolist()])
    found, drawn = agreement(said[places], kept), []
    chance = np.random.default_rng(11)
    for _ in range(DRAWS):
        pairs = chance.integers(0, len(places) // 2, len(places) // 2)
        both = (2 * pairs[:, None] + [0, 1]).ravel()
        drawn.append(agreement(said[places[both]], kept[both]))
    made = []
    for name, value in found.items():
        low, high = np.percentile([one[name] for one in drawn], [2.5, 97.5])
        title = f"choice between transcripts, {name} (%)"
        earlier = before.get("choices", {}).get(name)
        made.append(
            Line(title, "fr", value, float(low), float(high), None, earlier, CHOSEN[name],
                 len(places) // 2)
        )  # fmt: skip
    return made


def calibration(rows: Sequence[GistRow], said: Floats) -> list[Line]:
    """Mean gap of what gist says and what was kept, in ten bins of equal size."""
    kept = np.asarray([row.kept for row in rows])
    made = []
    for code in sorted({row.language for row in rows}):
        places = np.asarray([at for at, row in enumerate(rows) if row.language == code])
        if len(places) < 300:
            continue
        chance = np.random.default_rng(11)
        drawn = []
        for _ in range(DRAWS):
            picked = chance.choice(places, len(places))
            drawn.append(calibration_error(said[picked], kept[picked]))
        low, high = np.percentile(drawn, [2.5, 97.5])
        value = calibration_error(said[places], kept[places])
        made.append(
            Line("calibration error", code, value, float(low), float(high), None, None, 0.04,
                 len(places))
        )  # fmt: skip
    return made


if __name__ == "__main__":
    main()
