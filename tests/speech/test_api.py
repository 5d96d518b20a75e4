"""Speech from Python: one clip through one recogniser, and lists of texts."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import wave
from pathlib import Path
from typing import Any

import polars
import pytest
from click.testing import CliRunner

from gistmeter import (
    DiffReport,
    SemanticUnderstandingAnalyzer,
    SpeechSettings,
    estimate_speech,
    load_run,
    score_speech,
    transcribe_and_diff,
)
from gistmeter.cli import app
from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.speech.family import Speech
from speech import speech_plugins
from speech.speech_doubles import WordMatcher, honest


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    with wave.open(str(tmp_path / "a.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(b"\1\0" + b"\0\0" * 8000)
    (tmp_path / "a.txt").write_text("One two, four.\n")
    return tmp_path / "a.wav"


def diff(clip: Path, provider: object, custom: object = None, **settings: object) -> DiffReport:
    return asyncio.run(
        transcribe_and_diff(
            provider,
            clip,
            clip.with_suffix(".txt"),
            clip.with_suffix(".html"),
            custom_metric_fn=custom,
            language="en",
            **settings,
        )
    )


def test_a_clip_is_transcribed_and_compared(clip: Path) -> None:
    report = diff(clip, speech_plugins.heard)
    assert (report.provider, report.file) == ("heard", "a")
    assert report.wer == pytest.approx(100 / 3)
    assert (report.insertions, report.deletions, report.substitutions) == (0, 0, 1)
    assert (report.words_expected, report.words_got) == (3, 3)
    assert report.match_percent == pytest.approx(200 / 3)
    assert report.text_got == "one two three" and report.error == ""
    assert report.latency >= 0
    assert report.custom_metric is None
    page = clip.with_suffix(".html").read_text("utf-8")
    assert "<ins>three</ins>" in page and "Semantic Understanding" not in page


def test_the_analyser_is_a_custom_metric(clip: Path) -> None:
    clip.with_suffix(".txt").write_text("Anna met Boris. Clara left Prague.")
    analyzer = SemanticUnderstandingAnalyzer(llm=honest())
    report = diff(clip, lambda path: "Anna met Boris.", analyzer.compare)
    assert report.custom_metric is not None
    assert report.custom_metric.score == 50.0
    assert report.custom_metric.understanding == 50.0
    assert "Semantic Understanding" in clip.with_suffix(".html").read_text("utf-8")


def test_a_custom_metric_brings_its_own_html(clip: Path) -> None:
    report = diff(clip, speech_plugins.heard, speech_plugins.length)
    assert report.custom_metric is not None
    assert "my own" in clip.with_suffix(".html").read_text("utf-8")


def test_a_custom_metric_that_raises_leaves_a_warning(
    clip: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clip.with_suffix(".txt").write_text("one two")
    with caplog.at_level(logging.WARNING):
        report = diff(clip, speech_plugins.heard, speech_plugins.moody)
    assert report.custom_metric is None
    assert "not today" in caplog.text


def test_a_recogniser_that_fails_is_in_the_report(clip: Path) -> None:
    from gistmeter.speech.recognizers.benchmark import BenchmarkSettings

    def broken(path: Path) -> str:
        raise RuntimeError("no microphone")

    report = diff(clip, broken, settings=BenchmarkSettings(tries=1))
    assert "no microphone" in report.error
    assert math.isnan(report.wer)
    assert "no microphone" in clip.with_suffix(".html").read_text("utf-8")


def test_lists_of_texts() -> None:
    run = score_speech(["one two", "three four"], ["one too", "three four"], metrics=["wer"])
    assert run["wer"].value == 25.0
    assert run.notes["edits"]["system"]["substitutions"] == 1
    several = score_speech(
        ["one two", "x"], {"a": ["one two", "x"], "b": ["", "x"]}, language="en", metrics=["wer"]
    )
    assert several.systems["a"]["wer"].value == 0
    assert several.systems["b"]["wer"].value == pytest.approx(200 / 3)


def test_facts_from_python() -> None:
    run = score_speech(
        ["Anna met Boris. Clara left Prague."], ["Anna met Boris."],
        language="en", metrics=["wer", "ser"], llm=honest(),
    )  # fmt: skip
    assert run["ser"].value == 50.0 and run["wer"].value == 50.0
    assert run.notes["short_texts"] == 1


def test_what_cannot_be_scored_is_said() -> None:
    with pytest.raises(UnknownName, match="sem_dist"):
        score_speech(["a"], ["a"], language="en", metrics=["semdist"])
    with pytest.raises(InputError, match=r"nothing to compute.*asks a language model"):
        score_speech(["a"], ["a"], language="en", metrics=["ser"])
    with pytest.raises(InputError, match="1 transcripts for 2 texts"):
        score_speech(["a", "b"], ["a"], language="en")
    assert score_speech(["a b"], [None], language="en", metrics=["wer"])["wer"].unscored == 1


# Everything that Python may give, and that the command gives too.

SAID, HEARD = ["one two", "three four"], ["one too", "three four"]


def columns() -> list[object]:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    return [iter(HEARD), tuple(HEARD), pandas.Series(HEARD), polars.Series(HEARD)]


def test_any_column_will_do() -> None:
    for column in columns():
        run = score_speech(iter(SAID), column, language="en", metrics=["wer"])
        assert run["wer"].value == 25.0 and run.command == "speech"
    one = score_speech("one two", "one too", language="en", metrics="wer")
    assert one["wer"].value == 50.0
    undefined = score_speech(["a b", "c"], [float("nan"), "c"], language="en", metrics=["wer"])
    assert (undefined["wer"].value, undefined["wer"].unscored) == (0, 1)
    with pytest.raises(InputError, match=r"got\[1\] is 3"):
        score_speech(SAID, ["a", 3], language="en")
    for nothing in ([], {}):
        with pytest.raises(InputError, match="nothing to score"):
            score_speech([], nothing, language="en")
    with pytest.raises(InputError, match="no transcripts"):
        score_speech(SAID, language="en")


def test_columns_beside_the_texts() -> None:
    run = score_speech(
        SAID, HEARD, ids=["x", "y"], speakers=["s", "s"], groups="g", language="en",
        metrics=["wer"],
    )  # fmt: skip
    assert run.measured.keys["id"] == ["x", "y"]
    assert set(run.measured.keys["cluster"]) == {"s"} and set(run.measured.keys["group"]) == {"g"}


def test_python_and_the_command_make_the_same_run(in_folder: Path) -> None:
    Path("t.csv").write_text(
        "file,expected,alpha,beta\na,one two,one two,one\nb,three,three,tree\n"
    )
    options = ("--metrics", "wer,cer", "--language", "en", "--resamples", "50")
    done = CliRunner().invoke(app, ["speech", "t.csv", *options, "-o", "command"])
    assert done.exit_code == 0, done.stderr
    score_speech("t.csv", metrics=["wer", "cer"], language="en", resamples=50, output="python")
    score_speech(
        ["one two", "three"], {"alpha": ["one two", "three"], "beta": ["one", "tree"]},
        ids=["a", "b"], metrics=["wer", "cer"], language="en", resamples=50,
    ).save("values")  # fmt: skip
    ours = Path("command/items.parquet").read_bytes()
    assert ours == Path("python/items.parquet").read_bytes()
    assert ours == Path("values/items.parquet").read_bytes()
    files = sorted(path.name for path in Path("command").rglob("*"))
    assert files == sorted(path.name for path in Path("python").rglob("*"))
    assert files == sorted(path.name for path in Path("values").rglob("*"))
    documents = [json.loads(Path(name, "run.json").read_text()) for name in ("command", "python")]
    for document in documents:
        del document["run"], document["timings"], document["sha256"]
    assert documents[0] == documents[1]


def test_names_and_values_are_checked_as_the_command_checks_them() -> None:
    for wrong, message in (
        ({"normaliser": "seed"}, "Did you mean 'normalizer'"),
        ({"normalizer": "x"}, "seed"),
        ({"repeats": 0}, "from 1 to 100"),
    ):
        with pytest.raises(InputError, match=message):
            score_speech(SAID, HEARD, language="en", **wrong)


def test_settings_may_be_given_whole() -> None:
    settings = SpeechSettings(normalizer="none", metrics=("wer",), language="en")
    assert score_speech(["A b"], ["a b"], settings=settings)["wer"].value == 50.0
    assert score_speech(["A b"], ["a b"], settings=settings, normalizer="seed")["wer"].value == 0


def test_every_clip_is_read_in_its_own_language(in_folder: Path) -> None:
    run = score_speech(
        ["I like tea", "我喜欢喝茶"], ["I like sea", "我喜欢喝水"], language=["en", "zh"],
        metrics=["wer", "cer"],
    )  # fmt: skip
    words = run.measured.values("words_expected").tolist()
    assert words[0] == 3 and 1 < words[1] < 5, "Chinese words are found by an analyser"
    assert run.measured.values("chars_expected").tolist() == [10, 5]
    loaded = load_run(run.save("folder").path)
    assert loaded.metrics["transcription"].pool(loaded.measured) == pytest.approx(
        run.metrics["transcription"].pool(run.measured)
    )
    cut = load_run(
        score_speech(["I am", "我喜欢"], ["I am", "我喜欢"], language=["en", "zh"], segments=True,
                     metrics=["wer"]).save("cut").path
    )  # fmt: skip
    assert "wer_file_mean" not in cut.metrics["transcription"].pool(cut.measured)
    assert '<html lang="zh">' in "".join(
        path.read_text("utf-8") for path in Path("folder/details").glob("diff-*.html")
    )


def test_alternatives_and_a_metric_of_ones_own_as_values() -> None:
    run = score_speech(
        ["the colour"], ["the color"], language="en", metrics=["wer"],
        alternatives=[["colour", "color"]], custom_metric=speech_plugins.length,
    )  # fmt: skip
    assert run["wer"].value == 0
    assert run["custom_metric"].value == pytest.approx(10.0)
    assert "speech_plugins:length" in run.signature


def test_a_loaded_run_makes_the_same_tables_and_pages(in_folder: Path) -> None:
    said = " ".join(f"w{number}" for number in range(100))
    run = score_speech(
        [f"{said} Anna met Boris."], [said.replace("w50", "x")], language="en",
        metrics=["wer", "ser"], llm=honest(), output=["folder", "first.csv"],
    )  # fmt: skip
    assert run["wer"].n > 1, "it was cut into segments"
    loaded = load_run("folder")
    loaded.write("second.csv")
    assert Path("first.csv").read_bytes() == Path("second.csv").read_bytes()
    pages = [{path.name: path.read_text() for path in Path(name).rglob("diff-*")} for name in
             ("folder", str(loaded.save("again").path))]  # fmt: skip
    assert pages[0] == pages[1] and len(pages[0]) == 1


def test_what_it_would_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    options = {"language": "en", "llm": "openai:gpt-4o"}
    estimate = estimate_speech(SAID, HEARD, **options)
    assert estimate.calls == 2 and estimate.cost is not None and estimate.cost > 0
    assert str(estimate).startswith("Model   openai:gpt-4o\nCalls   2")
    with pytest.raises(InputError, match="over --max-cost"):
        score_speech(SAID, HEARD, **options, metrics=["ser"], max_cost=0)
    assert estimate_speech(SAID, HEARD, language="en", llm=honest()).calls == 2


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    said = ["Anna met Boris.", "", "Clara left Prague.", "Dana wrote books."]
    heard = [None, "x", "Clara left.", "Dana wrote books."]
    frames = []
    for chunk in (1, 3, 256):
        monkeypatch.setattr(Speech, "chunk", chunk)
        run = score_speech(
            said, heard, language=["en", "zh", "en", "cs"], metrics=["wer", "cer", "ser"],
            llm=honest(), custom_metric=speech_plugins.moody,
        )  # fmt: skip
        frames.append(run.to_polars())
    assert frames[0].equals(frames[1]) and frames[1].equals(frames[2])
    assert frames[0].columns == frames[1].columns == frames[2].columns


def test_models_of_ones_own() -> None:
    matcher = WordMatcher()
    run = score_speech(
        SAID, HEARD, language="en", metrics=["sem_dist"], token_encoder=matcher, cache=Cache(None)
    )
    assert 0 < run["sem_dist"].value < 100 and matcher.asked
    other = score_speech(
        SAID, HEARD, language="en", metrics=["ser"], models={"matcher": matcher, "llm": honest()}
    )
    assert "scripted" in other.signature


def heard_three_times(clips: int, words: int) -> dict[str, list[str]]:
    """What two systems heard in three runs each, as columns; the second drops more words."""
    table: dict[str, list[str]] = {"file": [], "system": [], "run": [], "expected": [], "got": []}
    for clip in range(clips):
        said = [f"word{'abcdefghij'[at % 10]}{'klmnopqrst'[clip]}" for at in range(words)]
        for system, often in (("careful", 20), ("hasty", 5)):
            for again in range(3):
                got = [word for at, word in enumerate(said) if (at + 7 * again + clip) % often]
                row = (f"clip{clip}", system, str(again), " ".join(said), " ".join(got))
                for column, cell in zip(table.values(), row, strict=True):
                    column.append(cell)
    return table


@pytest.mark.parametrize(("clips", "words", "units"), [(9, 12, 9), (1, 600, 12)])
def test_runs_of_a_recogniser_are_answers_to_one_clip(clips: int, words: int, units: int) -> None:
    """Or to one segment of it, where one recording is all there is."""
    run = score_speech(
        polars.DataFrame(heard_three_times(clips, words)), metrics=["wer"], language="en"
    )
    assert {held["wer"].n for held in run.systems.values()} == {units}
    assert [(one.system, one.items, one.samples) for one in run.repeats] == [
        ("careful", units, 3), ("hasty", units, 3),
    ]  # fmt: skip
    careful = run.repeats[0]
    assert careful.best.value <= careful.mean.value <= careful.worst.value
    (pair,) = run.compare(metric="wer").pairs
    assert (pair.n, pair.clusters, pair.samples) == (units, units, 3)
    assert run.compare(metric="wer").answer == run.answer()


def test_ids_that_repeat_need_samples() -> None:
    asked: dict[str, Any] = {"ids": ["a", "a"], "language": "en", "metrics": ["wer"]}
    with pytest.raises(InputError, match=r"ids: 'a' of system 'system' occurs 2 times.*samples="):
        score_speech(["one two", "one two"], ["one", "two"], **asked)
    run = score_speech(["one two", "one two"], ["one", "two"], samples=[1, 2], **asked)
    assert run.to_polars()["sample"].to_list() == ["1", "2"] and run["wer"].n == 1


def test_several_runs_keep_their_times(tmp_path: Path) -> None:
    """Latencies do not make one clip of several answers."""
    frame = polars.DataFrame(heard_three_times(2, 12)).with_columns(latency=polars.lit(0.5))
    frame.write_csv(tmp_path / "t.csv")
    run = score_speech(tmp_path / "t.csv", metrics=["wer"], language="en", resamples=0)
    assert run.to_polars()["sample"].to_list() == frame["run"].to_list()
