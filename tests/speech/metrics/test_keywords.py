"""Keywords and the bounded error rate: by hand, against jiwer's definition, and by the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import gistmeter
from gistmeter import languages
from gistmeter.cli import app
from gistmeter.core.types import Clip
from gistmeter.speech.metrics.keywords import Keywords, KeywordScores
from gistmeter.speech.metrics.normalizer import Normalisation


def scores(pairs: list[tuple[str, str | None]], *words: str, code: str = "en") -> dict[str, float]:
    metric = KeywordScores(Normalisation(languages.get(code)), Keywords(words))
    rows = metric.measure([Clip(str(at), said, got) for at, (said, got) in enumerate(pairs)])
    return {name: float(value) for name, value in metric.pool(rows).items()}


def test_recall_precision_and_f1_by_hand() -> None:
    found = scores(
        [
            ("Call Doctor Smith, please call!", "call doctor miss please"),  # call 2, heard once
            ("hello world", "call the world"),  # one invented
            ("nothing", None),  # not transcribed: not counted
        ],
        "call", "Doctor Smith",
    )  # fmt: skip
    # Said: call twice, doctor smith once; heard: call twice; right: call once.
    assert found["keyword_recall"] == pytest.approx(100 / 3)
    assert found["keyword_precision"] == pytest.approx(50)
    assert found["keyword_f1"] == pytest.approx(100 * 2 / 5)


def test_a_keyword_is_a_whole_word_and_characters_where_words_are_not_parted() -> None:
    assert scores([("the caller", "the call")], "call")["keyword_precision"] == 0
    found = scores([("我想去北京大学", "我想去北京")], "北京大学", "北京", code="zh")
    assert found["keyword_recall"] == pytest.approx(50)


def test_the_bounded_rate_is_jiwers_and_never_above_100() -> None:
    run = gistmeter.score_speech(["one two"], ["two one three four five"], language="en",
                                 metrics=["mer", "wer"], normalizer="seed")  # fmt: skip
    # jiwer.mer: (S + D + I) / (H + S + D + I)
    assert run["wer"].value > 100
    assert run["mer"].value == pytest.approx(100 * run["wer"].value / (run["wer"].value + 50))
    assert run["mer"].value <= 100
    jiwer = pytest.importorskip("jiwer")
    assert run["mer"].value == pytest.approx(100 * jiwer.mer("one two", "two one three four five"))


def test_the_command_gives_intervals_and_asks_for_the_words(in_folder: Path) -> None:
    said = [f"u{n}\tplease call Anna now" for n in range(12)]
    heard = [f"u{n}\tplease call {'Anna' if n % 3 else 'Hannah'} now" for n in range(12)]
    Path("ref.txt").write_text("\n".join(said))
    Path("hyp.txt").write_text("\n".join(heard))
    Path("words.txt").write_text("# names\nAnna\n")
    files = ["speech", "--expected", "ref.txt", "--got", "hyp.txt", "--language", "en"]
    done = CliRunner().invoke(app, [*files, "--metrics", "wer", "--keywords", "words.txt",
                                    "--format", "json"])  # fmt: skip
    assert done.exit_code == 0, done.stderr
    recall = json.loads(done.stdout)["systems"]["hyp"]["scores"]["keyword_recall"]
    assert recall["value"] == pytest.approx(100 * 8 / 12)
    assert recall["low"] < recall["value"] < recall["high"] and recall["n"] == 12
    bare = CliRunner().invoke(app, [*files, "--metrics", "keyword_recall"])
    assert bare.exit_code == 2 and "--keywords FILE" in bare.stderr
    run = gistmeter.score_speech(["call Anna"], ["call Anna"], language="en", keywords=["Anna"],
                                 metrics=["wer"])  # fmt: skip
    assert run["keyword_f1"].value == 100
