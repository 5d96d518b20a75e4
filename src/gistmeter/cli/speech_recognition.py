"""The recognisers of `gistmeter speech`: run, journalled beside the run's folder, resumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gistmeter.errors import InputError

if TYPE_CHECKING:
    from gistmeter.cli.shared import Session
    from gistmeter.cli.speech_steps import Source
    from gistmeter.types import Clip

JOURNAL = ".transcripts.jsonl"


@dataclass(frozen=True, slots=True)
class Heard:
    """The clips with their transcripts, and what stopped the recognisers, if anything."""

    clips: Sequence[Clip]
    interrupted: str = ""
    journal: Path | None = None


def recognise(
    session: Session, source: Source, *, pace: float, timeout: float, tries: int, language: str
) -> Heard:
    """The clips through the recognisers; clips that have transcripts are as they are."""
    if not source.recognizers:
        return Heard(source.clips)
    from gistmeter.evaluate import input_digests
    from gistmeter.recognizers.benchmark import BenchmarkSettings, resolve
    from gistmeter.speech.recognition import recognise as run

    resolved = resolve(source.recognizers)
    for name, reason in resolved.skipped.items():
        session.warn(f"{name} is left out. {reason}")
    if not resolved.recognizers:
        raise InputError("No recogniser can run: " + "; ".join(resolved.skipped.values()))
    settings = BenchmarkSettings(
        realtime_factor=pace, timeout=timeout, tries=tries, language=language
    )
    folder = choose_folder(session)
    journal = folder.with_name(folder.name + JOURNAL)
    plan = {
        "recognizers": {name: one.id for name, one in resolved.recognizers.items()},
        "pace": pace,
        "language": language,
        "sounds": input_digests([Path(str(clip.audio)) for clip in source.clips]),
    }
    found = run(
        resolved.recognizers,
        source.clips,
        settings,
        journal=journal,
        plan=plan,
        resume=session.options.resume,
        progress=lambda done, total: session.progress("Recognising", done, total),
    )
    if found.reused:
        session.say(f"Resumed: {found.reused} transcripts were there already")
    for name, reason in found.outcome.abandoned.items():
        session.warn(f"{name} was given up after failures in a row: {reason}")
    # The transcripts are what is resumed; their scores are computed anew.
    session.options = replace(session.options, resume=False, overwrite=True)
    return Heard(found.clips, found.outcome.interrupted, journal)


def choose_folder(session: Session) -> Path:
    """The run's folder, fixed before the recognisers start, and refused now if it is taken."""
    from gistmeter.runs import ITEMS, RUN, default_folder

    root = Path("runs")
    if session.folder is None and session.options.resume:
        journals = sorted(root.glob(f"speech-*{JOURNAL}"), key=lambda path: path.stat().st_mtime)
        if journals:
            session.folder = Path(str(journals[-1]).removesuffix(JOURNAL))
    if session.folder is None:
        session.folder = default_folder("speech", root)
    folder = session.folder
    taken = folder.exists() and any(folder.iterdir())
    if taken and not (session.options.resume or session.options.overwrite):
        known = (folder / RUN).exists() or (folder / ITEMS).exists()
        held = "holds a run already. Use --resume, --overwrite" if known else "is not empty. Use"
        raise InputError(f"{folder}: {held} or another folder")
    return folder
