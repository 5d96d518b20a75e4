"""Recognisers on this machine: the real ones, and stand-ins for packages without models."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import types
from pathlib import Path

import pytest

from conftest import shared_path
from gistmeter.core.types import Clip
from gistmeter.speech.formats.audio import read_audio
from gistmeter.speech.recognizers.benchmark import (
    BenchmarkSettings,
    Transcript,
    resolve,
    transcribe,
    transcribe_all,
)
from gistmeter.speech.recognizers.sample import PASSAGES, sample, write_samples
from speech.recognizers.recognizer_doubles import QUICK, clip

OFFLINE = ["moonshine", "pocketsphinx"]
EXPECTED = {
    "0870": "and mister john dashwood had then leisure to consider how much there might be"
    " prudently in his power to do for them",
    "0880": "he was not an ill disposed young man",
    "0890": "unless to be rather cold hearted and rather selfish is to be ill disposed",
}


@pytest.fixture(scope="module")
def offline() -> dict:
    for package in ("moonshine_voice", "pocketsphinx"):
        pytest.importorskip(package)
    return dict(resolve(OFFLINE).recognizers)


def words(text: str) -> list[str]:
    return re.sub(r"[^a-z ]", " ", text.lower()).replace("mr ", "mister ").split()


def errors(expected: str, got: str) -> int:
    """Edits between two texts, word by word."""
    a, b = words(expected), words(got)
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]


def run(recognizers: dict, clips: list[Clip], settings: BenchmarkSettings = QUICK) -> dict:
    found: dict[str, dict[str, Transcript]] = {name: {} for name in recognizers}

    def take(name: str, clip: Clip, transcript: Transcript) -> None:
        found[name][clip.id] = transcript

    transcribe_all(recognizers, clips, settings, take)
    return found


@pytest.fixture(scope="module")
def heard(offline: dict) -> dict[str, dict[str, Transcript]]:
    """Three clips of read English through both recognisers."""
    folder = shared_path("data/speech/wav")
    clips = [
        Clip(name, text, audio=str(folder / f"en-librivox-{name}.wav"))
        for name, text in EXPECTED.items()
    ]
    return run(offline, clips)


@pytest.mark.parametrize(("name", "most"), [("moonshine", 0.10), ("pocketsphinx", 0.45)])
def test_read_english(heard: dict, name: str, most: float) -> None:
    total = sum(len(text.split()) for text in EXPECTED.values())
    wrong = sum(errors(text, heard[name][clip].text) for clip, text in EXPECTED.items())
    assert wrong / total <= most
    for transcript in heard[name].values():
        assert transcript.error == ""
        assert 0 <= transcript.latency_final <= transcript.elapsed
        assert 0 < transcript.latency_first <= transcript.elapsed
        assert transcript.elapsed / transcript.duration > 0


def test_moonshine_is_ahead(heard: dict) -> None:
    wrong = {
        name: sum(errors(text, found[clip].text) for clip, text in EXPECTED.items())
        for name, found in heard.items()
    }
    assert wrong["moonshine"] < wrong["pocketsphinx"]


@pytest.mark.parametrize("name", OFFLINE)
def test_a_text_does_not_depend_on_the_clips_before_it(
    offline: dict, heard: dict, name: str
) -> None:
    path = shared_path("data/speech/wav/en-librivox-0880.wav")
    fresh = resolve([name]).recognizers[name]
    again = asyncio.run(transcribe(fresh, str(path), QUICK))
    assert again.text == heard[name]["0880"].text


def test_moonshine_gives_texts_while_it_listens(offline: dict, tmp_path: Path) -> None:
    moonshine = {"moonshine": offline["moonshine"]}
    [spoken, *_] = write_samples(tmp_path)
    # Partial texts come by the clock, so the clip must take its time.
    settings = BenchmarkSettings(realtime_factor=0.5, pause=0)
    transcript = run(moonshine, [spoken], settings)["moonshine"][spoken.id]
    assert transcript.partials > 0
    assert errors(spoken.expected, transcript.text) <= 1


def test_the_samples_are_what_is_said_in_them(offline: dict, tmp_path: Path) -> None:
    clips = write_samples(tmp_path)
    assert len(clips) == len(PASSAGES)
    for one in clips:
        path = Path(one.audio or "")
        assert path.with_suffix(".txt").read_text(encoding="utf-8").strip() == one.expected
        assert 3 < read_audio(path).duration < 5
    found = run({"moonshine": offline["moonshine"]}, clips)["moonshine"]
    wrong = sum(errors(one.expected, found[one.id].text) for one in clips)
    assert wrong / sum(len(words(one.expected)) for one in clips) < 0.12


def test_the_whole_sample_is_where_it_was_installed() -> None:
    pytest.importorskip("moonshine_voice")
    found = sample()
    assert read_audio(found.path).duration == pytest.approx(44.4, abs=0.1)
    assert found.text.startswith(PASSAGES[0].text[:40])


@pytest.mark.parametrize("name", OFFLINE)
def test_other_languages_are_refused(offline: dict, name: str, tmp_path: Path) -> None:
    transcript = asyncio.run(transcribe(offline[name], clip(tmp_path).audio or "", QUICK, "cs"))
    assert transcript.tries == 1
    assert "knows English only, not 'cs'" in transcript.error


@pytest.mark.parametrize("name", OFFLINE)
def test_silence_is_heard_as_nothing(offline: dict, name: str, tmp_path: Path) -> None:
    from gistmeter.speech.formats.audio import silence, write_wav

    write_wav(tmp_path / "silence.wav", silence(1.0))
    transcript = asyncio.run(transcribe(offline[name], str(tmp_path / "silence.wav"), QUICK, "en"))
    assert (transcript.text, transcript.error) == ("", "")


@pytest.mark.parametrize("name", OFFLINE)
def test_ids_name_package_and_model(offline: dict, name: str) -> None:
    assert re.fullmatch(r"(moonshine-voice|pocketsphinx)@[\d.]+/[\w-]+", offline[name].id)


class StandInModel:
    """As the vosk package has it: a wrong folder raises a bare Exception."""

    def __init__(self, model_path: str) -> None:
        if not Path(model_path, "good").exists():
            raise Exception("Failed to create a model")


class StandInRecognizer:
    """Ends an utterance with every third chunk."""

    def __init__(self, model: StandInModel, rate: float) -> None:
        assert isinstance(model, StandInModel) and rate == 16_000
        self.chunks = 0

    def AcceptWaveform(self, pcm: bytes) -> bool:
        self.chunks += 1
        return self.chunks % 3 == 0

    def PartialResult(self) -> str:
        return json.dumps({"partial": f"part {self.chunks}"})

    def Result(self) -> str:
        return json.dumps({"text": f"until {self.chunks}"})

    def FinalResult(self) -> str:
        return json.dumps({"text": "the rest"})


@pytest.fixture
def vosk(monkeypatch) -> None:
    module = types.ModuleType("vosk")
    module.__spec__ = types.SimpleNamespace(name="vosk")  # type: ignore[assignment]
    module.Model, module.KaldiRecognizer = StandInModel, StandInRecognizer  # type: ignore[attr-defined]
    module.SetLogLevel = lambda level: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vosk", module)


def vosk_folder(folder: Path, *parts: str) -> Path:
    for part in ("am/final.mdl", *parts):
        (folder / "model" / part).parent.mkdir(parents=True, exist_ok=True)
        (folder / "model" / part).touch()
    return folder / "model"


def test_vosk_streams(vosk: None, tmp_path: Path) -> None:
    name = f"vosk:{vosk_folder(tmp_path, 'good')}"
    recognizer = resolve([name]).recognizers[name]
    assert recognizer.id == "vosk/model"
    settings = BenchmarkSettings(silence_after=0.0)
    transcript = asyncio.run(
        transcribe(recognizer, clip(tmp_path, seconds=1.0).audio or "", settings)
    )
    assert transcript.text == "until 3 the rest"
    assert transcript.partials == 4


def test_vosk_cannot_load_what_is_no_model(vosk: None, tmp_path: Path) -> None:
    name = f"vosk:{vosk_folder(tmp_path)}"
    transcript = asyncio.run(
        transcribe(resolve([name]).recognizers[name], clip(tmp_path).audio or "", QUICK)
    )
    assert transcript.tries == 1
    assert "cannot load the model" in transcript.error


class StandInWhisper:
    """As faster-whisper has it: segments come from a generator."""

    def __init__(self, model: str, *, local_files_only: bool) -> None:
        assert local_files_only
        if Path(model, "model.bin").read_text() != "good":
            raise RuntimeError("Unsupported model binary version")

    def transcribe(self, audio: str, *, language: str | None, beam_size: int):
        assert Path(audio).is_file() and beam_size == 5
        texts = (" Hello.", f" In {language}.")
        return (types.SimpleNamespace(text=text) for text in texts), None


@pytest.fixture
def whisper(monkeypatch) -> None:
    module = types.ModuleType("faster_whisper")
    module.__spec__ = types.SimpleNamespace(name="faster_whisper")  # type: ignore[assignment]
    module.WhisperModel = StandInWhisper  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "faster_whisper", module)


@pytest.mark.parametrize(("language", "told"), [("", "None"), ("zh-Hant", "zh")])
def test_whisper_takes_files(whisper: None, tmp_path: Path, language: str, told: str) -> None:
    (tmp_path / "model.bin").write_text("good")
    name = f"faster-whisper:{tmp_path}"
    recognizer = resolve([name]).recognizers[name]
    transcript = asyncio.run(transcribe(recognizer, clip(tmp_path).audio or "", QUICK, language))
    assert transcript.text == f"Hello. In {told}."


def test_whisper_cannot_load_what_is_no_model(whisper: None, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_text("bad")
    name = f"faster-whisper:{tmp_path}"
    recognizer = resolve([name]).recognizers[name]
    transcript = asyncio.run(transcribe(recognizer, clip(tmp_path).audio or "", QUICK))
    assert transcript.tries == 1
    assert "Unsupported model binary version" in transcript.error
