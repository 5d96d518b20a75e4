"""A recording to try recognisers on: the beginning of "A Tale of Two Cities", read aloud.

It comes with the package that carries Moonshine, in version 0.1.0, which is the one we depend on;
Dickens' text is in the public domain. Whole, it lasts 44 seconds; for a demonstration with
intervals it is cut at pauses into clips of one sentence each.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gistmeter.core.errors import MissingModel
from gistmeter.core.types import Clip
from gistmeter.speech.formats.audio import BYTES_PER_SECOND, read_audio, write_wav
from gistmeter.speech.recognizers.local import require

FILE = "two_cities.wav"
TEXT = (
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age"
    " of foolishness, it was the epoch of belief, it was the epoch of incredulity, it was the"
    " season of Light, it was the season of Darkness, it was the spring of hope, it was the winter"
    " of despair, we had everything before us, we had nothing before us, we were all going direct"
    " to Heaven, we were all going direct the other way – in short, the period was so far like the"
    " present period, that some of its noisiest authorities insisted on its being received, for"
    " good or for evil, in the superlative degree of comparison only."
)


@dataclass(frozen=True, slots=True)
class Passage:
    """Where in the recording a sentence is, in seconds."""

    name: str
    start: float
    end: float
    text: str


PASSAGES = (
    Passage("times", 0.50, 4.75, "It was the best of times, it was the worst of times."),
    Passage("ages", 4.75, 8.55, "It was the age of wisdom, it was the age of foolishness."),
    Passage("seasons", 13.10, 17.25, "It was the season of Light, it was the season of Darkness."),
    Passage("hopes", 17.25, 20.90, "It was the spring of hope, it was the winter of despair."),
    Passage("before", 20.90, 24.30, "We had everything before us, we had nothing before us."),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A sound file and what is said in it."""

    path: Path
    text: str


def sample() -> Sample:
    """The whole recording, where it was installed."""
    require("moonshine_voice", "moonshine", "The sample recording")
    from moonshine_voice import get_assets_path

    path = Path(get_assets_path()) / FILE
    if not path.is_file():
        raise MissingModel("sample", FILE, str(path.parent), "pip install 'moonshine-voice==0.1.0'")
    return Sample(path, TEXT)


def write_samples(folder: Path) -> list[Clip]:
    """The passages as a folder of `x.wav` with `x.txt`, as `gistmeter speech --assets` takes it."""
    pcm = read_audio(sample().path).pcm
    folder.mkdir(parents=True, exist_ok=True)
    clips = []
    for passage in PASSAGES:
        path = folder / f"{passage.name}.wav"
        write_wav(path, pcm[_place(passage.start) : _place(passage.end)])
        path.with_suffix(".txt").write_text(passage.text + "\n", encoding="utf-8")
        clips.append(Clip(passage.name, passage.text, audio=str(path), language="en"))
    return clips


def _place(seconds: float) -> int:
    """The byte at which a moment begins."""
    return round(seconds * BYTES_PER_SECOND / 2) * 2
