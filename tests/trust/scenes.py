"""Every command on something small, with what its folder should hold in the end."""

from __future__ import annotations

import json
import wave
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from pathlib import Path

import pytest

from gistmeter.cli import app
from gistmeter.core.family import family_of

SAMPLES = Path(str(resources.files("gistmeter") / "samples"))
PLUGINS = Path(__file__).parent.parent / "speech"
CHUNK = 2


@dataclass(frozen=True)
class Scene:
    """A command of a family that keeps its run in `folder`."""

    name: str
    family: str
    arguments: tuple[str, ...]

    def run(self, *more: str) -> int:
        """The exit code; whatever is no error of ours comes through."""
        arguments = [*self.arguments, "-o", "folder", "--resamples", "20", "--quiet", *more]
        return app.main([self.family, *arguments], standalone_mode=False)


SCENES = (
    Scene("text", "text", ("predictions.csv", "--language", "en", "--metrics", "s_acc")),
    Scene("book", "book", ("--source-path", "books.json", "--summary-path", "short.json")),
    Scene("parse", "parse", ("gold.conllu", "system.conllu")),
    Scene("speech", "speech", ("clips.csv", "--metrics", "wer,cer", "--language", "en")),
    Scene(
        "listen", "speech",
        ("--assets", "assets", "--recognizers", "x=speech_plugins:counted", "--metrics", "wer",
         "--language", "en", "--tries", "1"),
    ),
)  # fmt: skip


def look_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask which packages are installed once, not in each of thousands of tries."""
    monkeypatch.setattr("importlib.metadata.version", cache(metadata.version))


def set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inputs of all scenes in the working folder, and chunks so small that there are several."""
    look_up_once(monkeypatch)
    monkeypatch.syspath_prepend(str(PLUGINS))
    for scene in SCENES:
        monkeypatch.setattr(type(family_of(scene.family)), "chunk", CHUNK)
    words = ("it rains", "the dog sleeps", "nobody came", "all is well", "he left early")
    rows = "".join(f"{at},{text},{text} today\n" for at, text in enumerate(words))
    Path("predictions.csv").write_text("id,prediction,reference\n" + rows)
    Path("clips.csv").write_text("file,expected,x\n" + rows)
    books = {f"book {at}": f"It begins. {text.title()}. It ends." for at, text in enumerate(words)}
    Path("books.json").write_text(json.dumps(books))
    Path("short.json").write_text(json.dumps(dict.fromkeys(books, "It ends.")))
    for name, sample in (("gold", "gold"), ("system", "hasty")):
        sentences = (SAMPLES / "parse" / f"en-{sample}.conllu").read_text("utf-8").split("\n\n")
        Path(f"{name}.conllu").write_text("\n\n".join(sentences[:5]) + "\n\n", "utf-8")
    sounds()


def sounds() -> None:
    """Three clips that `speech_plugins.counted` hears, one word of them wrongly."""
    Path("assets").mkdir()
    for number, text in enumerate(("one two three", "four five six", "seven eight nine"), 1):
        with wave.open(f"assets/{number}.wav", "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(16_000)
            sound.writeframes(number.to_bytes(2, "little") + b"\0\0" * 4000)
        Path(f"assets/{number}.txt").write_text(text)
