"""From what the user wrote to a recogniser."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from gistmeter.core.errors import InputError, MissingDependency, MissingModel, UnknownName
from gistmeter.speech.recognizers import Recognizer, Session
from gistmeter.speech.recognizers.benchmark import Transcript, adapt, resolve, transcribe
from speech.recognizers.recognizer_doubles import QUICK, Echo, Echoes, clip

MODULE = '''
from gistmeter.speech.recognizers.benchmark import SpeechEvent

def plain(path):
    return f"plain {path.name}"

async def asynchronous(path, language):
    return f"asynchronous {path.name} {language}"

class Files:
    id = "files@1"
    def transcribe(self, path, language=""):
        return f"files {path.name} {language}"

class Needy:
    def __init__(self, key):
        pass
    def transcribe(self, path):
        return ""

class Provider:
    """As the benchmark's own protocol has it, with events of its own making."""
    async def __aenter__(self):
        import asyncio
        self.ended = asyncio.Event()
        return self
    async def __aexit__(self, *rest):
        pass
    async def send_audio(self, pcm):
        assert len(pcm) <= 6400
    async def end_audio(self):
        self.ended.set()
    async def events(self):
        await self.ended.wait()
        class Own:
            text = "provider"
            is_final = True
            speaker = 7
        yield Own()
        yield "heard"

provider = Provider()
number = 3
'''


@pytest.fixture
def module(in_folder: Path) -> str:
    name = f"own_recognizers_{abs(hash(str(in_folder)))}"
    (in_folder / f"{name}.py").write_text(MODULE)
    return name


def hear(recognizer: Recognizer, folder: Path) -> Transcript:
    return asyncio.run(transcribe(recognizer, clip(folder).audio or "", QUICK, "cs"))


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        ("plain", "plain clip.wav"),
        ("asynchronous", "asynchronous clip.wav cs"),
        ("Files", "files clip.wav cs"),
        ("Provider", "provider heard"),
        ("provider", "provider heard"),
    ],
)
def test_things_of_ones_own(module: str, tmp_path: Path, attribute: str, text: str) -> None:
    before = list(sys.path)
    found = resolve([f"{module}:{attribute}"])
    [(name, recognizer)] = found.recognizers.items()
    assert name == f"{module}:{attribute}"
    assert isinstance(recognizer, Recognizer)
    assert recognizer.id == ("files@1" if attribute == "Files" else name)
    for _ in range(2):  # an object is entered anew for each clip
        transcript = hear(recognizer, tmp_path)
        assert (transcript.text, transcript.error) == (text, "")
    assert sys.path == before


def test_events_of_ones_own_keep_their_speaker(module: str, tmp_path: Path) -> None:
    [recognizer] = resolve([f"{module}:Provider"]).recognizers.values()
    assert [event.speaker for event in hear(recognizer, tmp_path).segments] == ["7", ""]


@pytest.mark.parametrize(
    ("attribute", "reason"),
    [
        ("number", "is not a recogniser"),
        ("Needy", "takes no arguments"),
        ("absent", "has no 'absent'"),
    ],
)
def test_things_that_cannot_be_used(module: str, attribute: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        resolve([f"{module}:{attribute}"])


def test_a_module_that_is_not_there() -> None:
    with pytest.raises(InputError, match="no module 'nowhere_at_all'"):
        resolve(["nowhere_at_all:thing"])


def test_an_unknown_name_says_what_was_probably_meant() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'moonshine'"):
        resolve(["moonshin"])


def test_labels_name_what_is_reported() -> None:
    found = resolve(["mine=command:echo a=b", "other = command:true"])
    assert {name: one.id for name, one in found.recognizers.items()} == {
        "mine": "command:echo a=b",
        "other": "command:true",
    }


def test_the_same_name_twice() -> None:
    with pytest.raises(InputError, match="named twice"):
        resolve(["command:echo", "command:echo"])
    both = resolve(["command:echo", "second=command:echo"])
    assert list(both.recognizers) == ["command:echo", "second"]


def test_a_result_that_is_no_text(tmp_path: Path) -> None:
    transcript = hear(adapt(lambda path: 3), tmp_path)
    assert transcript.tries == 1
    assert "gave int where a text was expected" in transcript.error


def test_events_that_are_no_texts(tmp_path: Path) -> None:
    class Odd(Echo):
        async def events(self):
            yield 3

    transcript = hear(adapt(Odd), tmp_path)
    assert "int, which has no text" in transcript.error


def test_recognisers_stay_what_they_are() -> None:
    echoes = Echoes()
    assert adapt(echoes) is echoes
    assert isinstance(Echo(), Session)


def test_a_recogniser_without_an_id_gets_one(tmp_path: Path) -> None:
    class Nameless:
        def session(self, language: str = "") -> Echo:
            return Echo(language)

    recognizer = adapt(Nameless(), "some name")
    assert recognizer.id == "some name"
    assert hear(recognizer, tmp_path).text.endswith(" cs")


@pytest.mark.parametrize("name", ["vosk", "faster-whisper"])
def test_models_in_folders_must_be_there(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"write {name}:FOLDER"):
        resolve([name])
    with pytest.raises(MissingModel, match="not here"):
        resolve([f"{name}:{tmp_path}/absent"])
    with pytest.raises(MissingModel, match="not here"):
        resolve([f"{name}:{tmp_path}"])  # a folder, but no model


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("moonshine", "moonshine_voice"),
        ("pocketsphinx", "pocketsphinx"),
        ("deepgram", "websockets"),
    ],
)
def test_a_missing_package_gives_the_line_to_install_it(name, package, monkeypatch) -> None:
    real = __import__("importlib.util").util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda asked: None if asked == package else real(asked)
    )
    with pytest.raises(MissingDependency, match=rf"pip install 'gistmeter\[{name}\]'"):
        resolve([name], {"DEEPGRAM_API_KEY": "k"})


@pytest.mark.parametrize("name", ["moonshine", "pocketsphinx"])
def test_those_that_take_no_argument_say_so(name: str) -> None:
    with pytest.raises(InputError, match="takes no argument"):
        resolve([f"{name}:large"])


def test_keys_come_from_the_environment(monkeypatch) -> None:
    monkeypatch.setenv("DEEPGRAM_API_KEY", "k")
    monkeypatch.delenv("CARTESIA_API_KEY", raising=False)
    found = resolve(["deepgram", "cartesia"])
    assert list(found.recognizers) == ["deepgram"]
    assert list(found.skipped) == ["cartesia"]
    assert "DEEPGRAM_API_KEY" in os.environ
