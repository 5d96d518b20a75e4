"""Clips through recognisers, kept as they come, so that nothing is heard or paid for twice.

While recognisers work, a journal stands beside the run's folder: JSON lines, the plan first
(recognisers, pace, languages, the sound files' digests), then one line per transcript. It only ever
grows. When all is done it becomes the run's `details/transcripts.jsonl`. A resumed benchmark must
have the same plan; it takes what either file holds and tries the failures again. Without a folder
everything stays in memory.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from gistmeter.core.errors import InputError, ResumeError
from gistmeter.core.family import DETAILS, TRANSCRIPTS, Context, Items
from gistmeter.core.files import parse_json, sha256
from gistmeter.core.folders import Folder
from gistmeter.core.inputs import refuse_change, stamp_of
from gistmeter.core.signature import SEAL, canonical, is_whole, seal
from gistmeter.core.types import Clip
from gistmeter.models.env_file import environment_with
from gistmeter.speech.formats.speakers import TimedClip
from gistmeter.speech.read import grouped_by_file
from gistmeter.speech.recognizers.benchmark import (
    BenchmarkSettings,
    Transcript,
    resolve,
    transcribe_all,
)
from gistmeter.speech.recognizers.resolution import key_names
from gistmeter.speech.settings import SpeechSettings

if TYPE_CHECKING:
    from gistmeter.core.run import Run

GENERIC = "generic"  # no language that a recogniser could be told
NOT_REACHED = "not reached: the benchmark was stopped before"
KEPT = "transcripts.jsonl"  # among a finished run's details
TIMES = ("latency_first", "latency_final", "elapsed", "duration")
Done = dict[tuple[str, str], Transcript]


@dataclass(frozen=True, slots=True)
class HeardItems(Items[Clip]):
    """Clips as recognisers heard them, with the journal of their transcripts."""

    journal: TranscriptJournal = field(kw_only=True)


def hear(read: Items[Clip], settings: SpeechSettings, context: Context) -> HeardItems:
    """All clips by all recognisers; what a resumed run has already is taken as it is."""
    clips = read.items
    names = [*key_names(settings.recognizers), *settings.recognizer_key_env.values()]
    environment = environment_with(names, context.say)
    resolved = resolve(settings.recognizers, environment, key_env=settings.recognizer_key_env)
    for name, reason in resolved.skipped.items():
        context.warn(f"{name} is left out. {reason}")
    recognizers = resolved.recognizers
    if not recognizers:
        raise InputError("No recogniser can run: " + "; ".join(resolved.skipped.values()))
    sounds = {clip.id: Path(str(clip.audio)) for clip in clips}
    stamps = {path: stamp_of(path) for path in sounds.values()}
    plan = {
        "recognizers": {name: recognizer.id for name, recognizer in recognizers.items()},
        "pace": settings.realtime_factor,
        "languages": {clip.id: clip.language for clip in clips},
        "sounds": {name: sha256(path) for name, path in sounds.items()},
    }
    journal = TranscriptJournal.open(context, plan)
    if journal.done:
        context.say(f"Resumed: {len(journal.done)} transcripts were there already")

    def keep(name: str, clip: Clip, transcript: Transcript) -> None:
        refuse_change(sounds[clip.id], stamps[sounds[clip.id]])
        journal.add(name, clip.id, transcript)
        if context.progress:
            context.progress("Recognising", len(journal.done), len(recognizers) * len(clips))

    outcome = transcribe_all(
        recognizers,
        [replace(clip, language="") if clip.language == GENERIC else clip for clip in clips],
        BenchmarkSettings(
            realtime_factor=settings.realtime_factor, timeout=settings.timeout, tries=settings.tries
        ),
        keep,
        wanted=lambda name, clip: (name, clip.id) not in journal.done,
    )
    for name, reason in outcome.abandoned.items():
        context.warn(f"{name} was given up after failures in a row: {reason}")
    timed = [
        timed_clip(clip, name, journal.done.get((name, clip.id)))
        for name in recognizers
        for clip in clips
    ]
    # The transcripts are what is resumed; their scores are computed again.
    return HeardItems(
        grouped_by_file(timed), read.files, read.found, read.signed, read.notes, read.digests,
        anew=True, interrupted=outcome.interrupted, journal=journal,
    )  # fmt: skip


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


@dataclass(slots=True)
class TranscriptJournal:
    """The transcripts so far, and the file that keeps them, where there is one."""

    path: Path | None = None
    done: Done = field(default_factory=dict)
    plan: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def open(cls, context: Context, plan: Mapping[str, Any]) -> Self:
        """A new journal, or the one of a benchmark that goes on; none is ever cut short."""
        if context.folder is None:
            return cls(plan=plan)
        folder = context.folder if context.folder.name else context.folder.resolve()
        path, finished = folder.with_name(folder.name + TRANSCRIPTS), folder / DETAILS / KEPT
        if context.resume:
            for source, whole, name in (
                (path, Folder(path.parent), path.name),
                (finished, Folder(folder), f"{DETAILS}/{KEPT}"),
            ):
                raw = whole.read(name) if whole.has(name) else b""
                if kept := read_journal(source, plan, raw):
                    content, done = kept
                    if source is finished or content != raw:
                        Folder(path.parent).write(path.name, content)
                    return cls(path, done)
        elif path.exists() and not context.overwrite:
            raise InputError(
                f"{path}: holds the transcripts of a benchmark that was stopped. Use --resume to go"
                " on with it, --overwrite to transcribe everything again, or another folder"
            )
        Folder(path.parent).write(path.name, _spelled({"plan": plan}))
        return cls(path)

    def add(self, recognizer: str, clip: str, transcript: Transcript) -> None:
        """Keep a transcript, on disk when this returns."""
        self.done[recognizer, clip] = transcript
        if self.path is None:
            return
        line = _spelled(_line(recognizer, clip, transcript))
        Folder(self.path.parent).append(self.path.name, line)

    def document(self) -> dict[str, str]:
        """The journal of a benchmark that has no folder, as the file that a folder would hold."""
        if self.path is not None or not self.plan:
            return {}
        lines = [_line(name, clip, heard) for (name, clip), heard in self.done.items()]
        return {KEPT: b"".join(map(_spelled, ({"plan": self.plan}, *lines))).decode("utf-8")}

    def move_into(self, run: Run, *, unfinished: str = "") -> None:
        """Make the journal one of the run's details; an unfinished one stays where it is, too."""
        if self.path is None:
            return
        kept = Folder(self.path.parent).read(self.path.name)
        run.keep({KEPT: kept})
        if not unfinished:
            self.path.unlink()


def read_journal(path: Path, plan: Mapping[str, Any], raw: bytes) -> tuple[bytes, Done] | None:
    """The whole lines of a benchmark with the same plan, and the good transcripts among them.

    None where nothing was kept yet.
    """
    whole, newline, tail = raw.rpartition(b"\n")
    content = whole + newline
    with contextlib.suppress(ValueError):
        if tail and isinstance(parse_json(tail), dict):  # only the end of its line was lost
            content = raw + b"\n"
    lines = content.split(b"\n")[:-1]
    if not lines:
        return None
    documents = [_document(path, number, line) for number, line in enumerate(lines, 1)]
    _refuse_other_plan(path, documents[0].get("plan"), plan)
    done: Done = {}
    for number, document in enumerate(documents[1:], 2):
        try:
            key, transcript = _transcript(document)
        except (KeyError, TypeError, ValueError) as error:
            raise _damaged(path, number, f"is not a transcript ({error!r})") from error
        if not transcript.failed:
            done[key] = transcript
    return content, done


def _document(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        document = parse_json(line)
    except ValueError as error:
        raise _damaged(path, number, f"is not JSON ({type(error).__name__})") from error
    if not isinstance(document, dict):
        raise _damaged(path, number, "is not a JSON object")
    if SEAL in document and not is_whole(document):
        raise _damaged(path, number, "is not as it was written")
    return document


def _damaged(path: Path, number: int, what: str) -> ResumeError:
    return ResumeError(
        f"{path}, line {number}: {what}. Remove the line, or start again with --overwrite"
    )


def _refuse_other_plan(path: Path, then: Any, plan: Mapping[str, Any]) -> None:
    if canonical(then) == canonical(plan):
        return
    known = then if isinstance(then, dict) else {}
    changed = [key for key in plan if canonical(known.get(key)) != canonical(plan[key])]
    raise ResumeError(
        f"{path}: is of a benchmark with other {' and '.join(changed) or 'arguments'}, so it "
        "cannot be resumed. Use the same arguments, or another folder"
    )


def _line(name: str, key: str, transcript: Transcript) -> dict[str, Any]:
    times = {time: getattr(transcript, time) for time in TIMES}
    return {
        "recognizer": name,
        "id": key,
        "text": transcript.text,
        "error": transcript.error,
        **{time: value if math.isfinite(value) else None for time, value in times.items()},
        "tries": transcript.tries,
    }


def _transcript(line: Mapping[str, Any]) -> tuple[tuple[str, str], Transcript]:
    """The inverse of `_line`; whatever does not fit raises."""
    key = line["recognizer"], line["id"]
    texts = {name: line[name] for name in ("text", "error")}
    if not all(isinstance(text, str) for text in (*key, *texts.values())):
        raise ValueError("recognizer, id, text and error must be texts")
    times: dict[str, Any] = {
        time: math.nan if line[time] is None else float(line[time]) for time in TIMES
    }
    return key, Transcript(**texts, **times, tries=int(line["tries"]))


def _spelled(document: Mapping[str, Any]) -> bytes:
    whole = parse_json(json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"))
    return (json.dumps(seal(whole), ensure_ascii=False) + "\n").encode("utf-8")
