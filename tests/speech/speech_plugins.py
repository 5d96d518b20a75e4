"""A user's own metrics and recognisers, as the command line loads them by module:name."""

from __future__ import annotations

import time
import wave
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from gistmeter import Clip, CustomMetricResult, Pool, Rows, ScoreInfo


class Titled(CustomMetricResult):
    def to_html(self) -> str:
        return f'<section class="panel">my own: {self.score}</section>'


async def length(expected: str, got: str) -> CustomMetricResult:
    """How much shorter or longer the transcript is."""
    return Titled(100 * abs(len(expected) - len(got)) / len(expected), "by length")


async def moody(expected: str, got: str) -> CustomMetricResult:
    if "two" in expected:
        raise RuntimeError("not today")
    return CustomMetricResult(7.0, "fine")


TEXTS = ("", "one two three", "for five six", "seven eight nine")


def clip_number(path: Path) -> int:
    """The clips of these tests are told apart by their first sample."""
    with wave.open(str(path), "rb") as sound:
        return int.from_bytes(sound.readframes(1), "little")


def heard(path: Path) -> str:
    return TEXTS[clip_number(path)]


def mumble(path: Path) -> str:
    return "mumble"


def fails_on_b(path: Path) -> str:
    if clip_number(path) == 2:
        raise ValueError("cannot hear this")
    return heard(path)


def slow(path: Path) -> str:
    if clip_number(path) != 1:
        time.sleep(30)
    return TEXTS[clip_number(path)]


def counted(path: Path) -> str:
    """Hears, and writes down that it was asked: as a service that is paid by the call would."""
    with Path("calls.txt").open("a") as stream:
        stream.write(f"{clip_number(path)}\n")
    return heard(path)


def counted_once_failing(path: Path) -> str:
    """Cannot hear the second clip until there is a file that lets it."""
    text = counted(path)
    if clip_number(path) == 2 and not Path("mended").exists():
        raise ValueError("cannot hear this")
    return text


@dataclass(frozen=True)
class KeptLength:
    """A metric of another package: the share of the words' number that was heard."""

    most: float = 1.0
    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("kept_length"),)

    def measure(self, clips: Sequence[Clip]) -> Rows:
        shares = [
            min(self.most, len((clip.got or "").split()) / len(clip.expected.split()))
            for clip in clips
        ]
        return Rows.of(clips).with_numbers({"kept_length": shares})

    def pool(self, rows: Pool) -> Mapping[str, object]:
        return {"kept_length": rows.mean("kept_length")}
