"""Clips through recognisers, kept as they come, so that a stopped benchmark can go on.

The journal is a file of JSON lines beside the run's folder: the plan first (recognisers, settings,
the sound files' digests), then one line a transcript. A resumed benchmark must have the same plan;
failures of the last time are tried again.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TextIO

from gistmeter.errors import ResumeError
from gistmeter.metrics.latency import TimedClip
from gistmeter.recognizers.benchmark import (
    BenchmarkSettings,
    Outcome,
    Recognizer,
    Transcript,
    transcribe_all,
)
from gistmeter.signature import canonical
from gistmeter.types import Clip

NOT_REACHED = "not reached: the benchmark was stopped before"
KEPT = ("text", "error", "latency_first", "latency_final", "elapsed", "duration", "tries")
Done = dict[tuple[str, str], Transcript]


@dataclass(frozen=True, slots=True)
class Recognised:
    """Every clip as every recogniser heard it, and how the benchmark ended."""

    clips: tuple[TimedClip, ...]
    outcome: Outcome
    reused: int = 0  # transcripts taken from the journal of a stopped benchmark


def recognise(
    recognizers: Mapping[str, Recognizer],
    clips: Sequence[Clip],
    settings: BenchmarkSettings,
    *,
    journal: Path,
    plan: Mapping[str, Any],
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Recognised:
    """Transcripts of all clips by all recognisers, journalled one by one."""
    done = _read_journal(journal, plan) if resume and journal.exists() else {}
    reused = len(done)
    total = len(recognizers) * len(clips)
    journal.parent.mkdir(parents=True, exist_ok=True)
    with journal.open("w", encoding="utf-8", errors="replace") as stream:
        _append(stream, {"plan": plan})
        for (name, key), transcript in done.items():
            _append(stream, _line(name, key, transcript))

        def keep(name: str, clip: Clip, transcript: Transcript) -> None:
            done[name, clip.id] = transcript
            _append(stream, _line(name, clip.id, transcript))
            if progress:
                progress(len(done), total)

        outcome = transcribe_all(
            recognizers,
            clips,
            settings,
            keep,
            wanted=lambda name, clip: (name, clip.id) not in done,
        )
    timed = [
        timed_clip(clip, name, done.get((name, clip.id))) for name in recognizers for clip in clips
    ]
    return Recognised(tuple(timed), outcome, reused)


def timed_clip(clip: Clip, recognizer: str, transcript: Transcript | None) -> TimedClip:
    """A clip with what was heard; without a transcript it carries the reason."""
    heard = transcript or Transcript(error=NOT_REACHED)
    return TimedClip(
        id=clip.id,
        expected=clip.expected,
        got=None if heard.failed else heard.text,
        recognizer=recognizer,
        audio=clip.audio,
        language=clip.language,
        speaker=clip.speaker,
        group=clip.group,
        latency=heard.latency_final,
        latency_first=heard.latency_first,
        elapsed=heard.elapsed,
        duration=heard.duration,
        failure=heard.error,
    )


def _line(name: str, key: str, transcript: Transcript) -> dict[str, Any]:
    kept = {field: getattr(transcript, field) for field in KEPT}
    plain = {
        field: None if isinstance(value, float) and math.isnan(value) else value
        for field, value in kept.items()
    }
    return {"recognizer": name, "id": key, **plain}


def _append(stream: TextIO, document: Mapping[str, Any]) -> None:
    stream.write(json.dumps(document, ensure_ascii=False) + "\n")
    stream.flush()
    os.fsync(stream.fileno())


def _read_journal(path: Path, plan: Mapping[str, Any]) -> Done:
    """The good transcripts of a stopped benchmark with the same plan."""
    lines: list[dict[str, Any]] = []
    for text in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            lines.append(json.loads(text))
        except ValueError:
            break  # the last line of a killed benchmark
    then = lines[0].get("plan") if lines else None
    if canonical(then) != canonical(plan):
        changed = [key for key in plan if not isinstance(then, dict) or then.get(key) != plan[key]]
        raise ResumeError(
            f"{path}: is of a benchmark with other {' and '.join(changed) or 'arguments'}, so it "
            "cannot be resumed. Use the same arguments, or another folder"
        )
    return {
        (line["recognizer"], line["id"]): _transcript(line)
        for line in lines[1:]
        if not line.get("error")
    }


def _transcript(line: Mapping[str, Any]) -> Transcript:
    known = {field.name for field in fields(Transcript)}
    values: dict[str, Any] = {
        name: math.nan if value is None else value for name, value in line.items() if name in known
    }
    return Transcript(**values)
