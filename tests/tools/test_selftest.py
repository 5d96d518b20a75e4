"""What scores notice on altered references, in a run, of a run and of a file."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

import gistmeter
from gistmeter.cli import app
from gistmeter.core.alterations import (
    altered,
    another_name,
    another_number,
    denied,
    glance,
    half,
    seen,
)
from gistmeter.core.evaluation import evaluate
from gistmeter.core.family import Items
from gistmeter.core.rows import Rows
from gistmeter.core.types import Pair, ScoreInfo
from gistmeter.text.family import Text
from gistmeter.tools.selftest import selftest

TEXTS = [
    f"{name} paid {amount} dollars for the {thing} on Monday."
    for name, amount, thing in zip(
        ["Anna Miller", "John Smith", "Mary Brown", "Peter Young", "Alice Cooper"] * 5,
        range(10, 35),
        ["boat", "house", "car", "table", "horse"] * 5,
        strict=True,
    )
]
PAIRS = [Pair(str(at), "x", (text,), language="en") for at, text in enumerate(TEXTS)]


@dataclass(frozen=True)
class Exact:
    """1 for the same words, 0 for none of them: sees everything but what is not a word."""

    name: str = "gist"
    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("gist"),)
    blind: frozenset[str] = field(default_factory=frozenset)

    def measure(self, items: Any) -> Rows:
        values = [
            1.0 if item.candidate == item.references[0] or item.system in self.blind else
            0.0 if item.system == "unrelated" else 0.3
            for item in items
        ]  # fmt: skip
        return Rows.of(items).with_numbers({"gist": values})

    def pool(self, rows: Any) -> Any:
        return {"gist": rows.mean("gist")}


def test_alterations() -> None:
    assert denied("He left.", "en") == "It is not true that he left"
    assert denied("Anna left.", "sw") == ""
    assert denied("做多余的事。", "zh") == "并非做多余的事"
    assert another_number("He paid 20 dollars.") == "He paid 30 dollars."
    assert another_number("He paid.") == ""
    assert half("one two three four") == "one two"
    assert half("short") == ""
    chance = random.Random(1)
    assert another_name("Anna Miller left.", "en", ["Anna Miller"], chance) == ""
    assert another_name("Yesterday Anna Miller left.", "en", ["John"], chance) == (
        "Yesterday John left."
    )


def test_what_a_score_is_blind_to_is_found() -> None:
    probes = altered(Text(), PAIRS, 10, 1)
    found = seen(
        evaluate(probes, {"gist": Exact(blind=frozenset({"denied"}))}, resamples=0), ["gist"]
    )
    shares = {one.kind: one.share for one in found.of("gist")}
    assert shares == {"denied": 0.0, "number": 1.0, "name": 1.0, "half": 1.0, "wrapped": 0.0}
    assert [one.kind for one in found.found if one.blind] == ["denied", "wrapped"]
    assert "denied copy" in found.line()


def test_a_quick_look_needs_references_and_a_judge() -> None:
    few = Items(PAIRS[:5])
    assert glance(Text(), {"gist": Exact()}, few) is None
    assert glance(Text(), {"s_info": Exact()}, Items(PAIRS)) is None
    found = glance(Text(), {"gist": Exact()}, Items(PAIRS))
    assert found is not None
    assert found.references == 8


def test_of_a_file_and_its_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "references.csv"
    path.write_text(
        "id,reference\n" + "".join(f"{at},{text}\n" for at, text in enumerate(TEXTS[:6]))
    )
    found = selftest(path, metrics=["s_info"], sample=5)
    assert {one.kind for one in found.found} == {"denied", "number", "name", "half", "wrapped"}
    assert next(one for one in found.found if one.kind == "wrapped").share == 1.0
    gistmeter.score_text(
        TEXTS[:6],
        TEXTS[:6],
        language="en",
        metrics=["s_info"],
        resamples=0,
        output=tmp_path / "run",
    )
    with pytest.raises(SystemExit, match="0"):
        app.main(["selftest", str(tmp_path / "run"), "--sample", "5", "--metrics", "s_info"])
    assert "denied copy" in capsys.readouterr().out


@pytest.mark.parametrize("given", [[], ["nothing.csv"], ["few.csv"]])
def test_nonsense_is_refused(
    given: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("few.csv").write_text("id,reference\n1,One text.\n")
    with pytest.raises(SystemExit, match="2"):
        app.main(["selftest", *given])


def test_the_answer_says_what_its_score_does_not_notice() -> None:
    run = gistmeter.score_text(
        {"good": TEXTS, "bad": ["nothing"] * len(TEXTS)}, TEXTS, language="en",
        metrics=["s_info"], resamples=200,
    )  # fmt: skip
    assert "real" in run.answer()
    assert "But on these references" not in run.answer()
    kept = {"references": 8, "scores": {"s_info": {"denied": {"share": 0.25, "n": 8}}}}
    told = replace(run, notes={"selftest": kept}).answer()
    assert told.endswith("But on these references s_info notices a denied copy in 25% of 8 cases.")
    for broken in ({"scores": 3}, [], {"references": "x", "scores": {"s_info": {"denied": 1}}}):
        assert "But" not in replace(run, notes={"selftest": broken}).answer()
