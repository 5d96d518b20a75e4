"""`gistmeter drift`: the judge of a run is asked again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import gistmeter
from gistmeter.cli import app
from gistmeter.core.errors import InputError
from gistmeter.core.run import Run
from gistmeter.tools.drift import mcnemar
from speech.speech_doubles import Scripted, texts_of

SAID = [f"turn on light {at} in room {at} please now" for at in range(40)]
HEARD = [one.replace("please", "trees") for one in SAID]
Lost = Callable[[str, int], bool]


def judge(lost: Lost = lambda word, sample: word == "please") -> Scripted:
    """Names every word of what was said as a fact; some of them as lost."""

    def reply(prompt: str, sample: int) -> Any:
        expected = texts_of(prompt)[0]
        return {
            "facts": [
                {"subject": word, "predicate": "is", "object": str(at),
                 "verdict": "expected" if lost(word, sample) else "both"}
                for at, word in enumerate(expected.split())
            ]
        }  # fmt: skip

    return Scripted(reply)


def scored(**options: Any) -> Run:
    given = {"language": "en", "metrics": ["ser"], "llm": judge(), **options}
    return gistmeter.score_speech(SAID, HEARD, **given)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drift") / "run"
    scored().save(folder, report=False)
    return folder


def test_the_same_judge_has_not_drifted(kept: Path) -> None:
    model = judge()
    found = gistmeter.drift(kept, llm=model, anchors=10)
    assert (found.clips, found.facts, found.flipped, found.failed) == (10, 90, 0, 0)
    assert (found.flip_p, found.p, found.difference) == (1.0, 1.0, 0.0)
    assert found.before == found.after == pytest.approx(100 / 9)
    assert not found.real and len(model.prompts) == 10


def test_a_stricter_judge_is_found_by_flips_and_shift(kept: Path) -> None:
    stricter = judge(lambda word, _: word in ("please", "light"))
    found = gistmeter.drift(kept, llm=stricter, anchors=0)
    assert (found.clips, found.flipped, found.lost, found.gained) == (40, 40, 40, 0)
    assert found.after - found.before == pytest.approx(100 / 9) == found.difference
    assert found.flip_p < 1e-9 and found.p < 0.001 and found.real
    assert found.examples[0].endswith("both → expected")


def test_a_judge_that_flips_both_ways_does_not_shift(kept: Path) -> None:
    def other(word: str, _: int) -> bool:
        return word == "now"  # and 'please' is found again

    found = gistmeter.drift(kept, llm=judge(other), anchors=0)
    assert (found.lost, found.gained) == (40, 40)
    assert found.flip_p == 1.0 and found.difference == 0.0 and not found.real


def test_anchors_are_drawn_by_the_seed(kept: Path) -> None:
    asked = []
    for seed in (1, 1, 2):
        model = judge()
        gistmeter.drift(kept, llm=model, anchors=5, seed=seed)
        asked.append([texts_of(prompt)[0] for prompt in model.prompts])
    assert asked[0] == asked[1] != asked[2]


def test_mcnemar_by_hand() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(1, 9) == pytest.approx(2 * 11 / 1024)
    assert mcnemar(9, 1) == mcnemar(1, 9)


def test_the_command(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = judge(lambda word, _: word in ("please", "light"))
    monkeypatch.setattr("gistmeter.models.llm.load_language_model", lambda *_, **__: model)
    arguments = ["drift", str(kept), "--llm", "openai:x", "--llm-url", "http://localhost:1/v1"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "The judge has drifted." in done.output and "flips   40 of 360 facts" in done.output
    assert CliRunner().invoke(app, [*arguments, "--fail-if-drifted"]).exit_code == 3
    told = json.loads(CliRunner().invoke(app, [*arguments, "--format", "json"]).stdout)
    assert told["real"] is True and told["lost"] == 40


def test_the_judge_and_the_clips_are_told_apart() -> None:
    """What differs from one repeat to the next is the judge's; what differs by clip is not."""
    steady = scored(repeats=3).notes["variance"]["system"]
    assert steady["judge"] == 0.0 and steady["judge_share"] == 0.0
    shaky = judge(lambda word, sample: word == "please" or (word == "light" and sample == 1))
    run = scored(llm=shaky, repeats=3)
    found = run.notes["variance"]["system"]
    rate = 100 / 9
    assert found["judge"] == pytest.approx(rate**2 / 3)  # of 1, 2 and 1 ninths
    assert (found["judge_share"], found["items"], found["n"]) == (1.0, 0.0, 40)
    assert found["error_of_judge"] == pytest.approx(rate / 3 / 40**0.5)
    assert any("100% of the variance of ser" in remark for remark in run.remarks)
    assert "variance" not in scored().notes


def test_runs_without_a_judge_are_refused(tmp_path: Path) -> None:
    run = gistmeter.score_speech(["a b"], ["a b"], language="en", metrics=["wer"])
    with pytest.raises(InputError, match="no semantic error rate"):
        gistmeter.drift(run)
    done = CliRunner().invoke(app, ["drift"])
    assert done.exit_code == 2 and "Name the run" in done.output
