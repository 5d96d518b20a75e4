"""The reference values, and real treebanks against themselves."""

from __future__ import annotations

import json
import math

import pytest

from conftest import shared_path
from gistmeter import score_parses

SYSTEMS = ("identical", "close", "fair", "poor", "random")


@pytest.mark.parametrize("kind", ["all", "semantic_only"])
def test_reference_values(kind: str) -> None:
    folder = shared_path("golden/parse")
    expected = json.loads((folder / "expected.json").read_text())
    run = score_parses(
        folder / "gold.conllu",
        [folder / f"system-{name}.conllu" for name in SYSTEMS],
        taxonomy=folder / "semantic_hierarchy.csv",
        semantic_only=kind == "semantic_only",
        resamples=0,
    )
    assert len(run.systems) == len(SYSTEMS)
    for name in SYSTEMS:
        for score, value in expected[f"system-{name}.conllu"][kind].items():
            found = run.systems[f"system-{name}"][score].value
            assert found == pytest.approx(value, abs=1e-9), (name, score)


@pytest.mark.parametrize("conll18", [False, True])
@pytest.mark.parametrize(
    ("file", "flat", "missing"),
    [
        ("cs_pud-ud-test.conllu", False, ()),
        ("cobald-hun.conllu", True, ()),
        ("cobald-hun.conllu", False, ("semclass",)),
    ],
)
def test_a_treebank_against_itself(
    file: str, flat: bool, missing: tuple[str, ...], conll18: bool
) -> None:
    path = shared_path(f"data/parse/{file}")
    run = score_parses(path, path, flat_classes=flat, conll18=conll18, resamples=0)
    scores = next(iter(run.systems.values())).scores
    assert scores["total"].partial == missing
    foreign = ("semslot", "semclass") if file.startswith("cs_pud") else ()  # plain CoNLL-U
    for name, score in scores.items():
        if name in foreign:
            assert math.isnan(score.value)
        elif name in missing:
            assert math.isnan(score.value)
            assert score.n == 0
            assert sum(score.reasons.values()) == score.unscored == len(run.rows or ())
        else:
            assert score.value == pytest.approx(1.0, abs=1e-12), name
    assert ("blex" in scores) == conll18
