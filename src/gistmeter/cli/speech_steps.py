"""The steps of `gistmeter speech`, each of which may have something to tell the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gistmeter.cli.options import configured_profiles
from gistmeter.errors import InputError, MissingDependency, MissingModel

if TYPE_CHECKING:
    from gistmeter.cli.shared import Session
    from gistmeter.cli.speech_recognition import Heard
    from gistmeter.metrics.custom import NamedFunction
    from gistmeter.metrics.transcription import Reading
    from gistmeter.models.protocols import TokenMatcher
    from gistmeter.speech.judge import Judge
    from gistmeter.types import Clip, Metric, Run

STOPPED = 130


@dataclass(frozen=True, slots=True)
class Source:
    """Where the clips come from: files with transcripts, or sounds for recognisers."""

    clips: Sequence[Clip]
    inputs: Sequence[Path]
    remarks: Sequence[str] = ()
    recognizers: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which token encoder the semantic distance uses."""

    profile: str = "embedded"
    token_encoder: str = ""
    layer: int | None = None
    device: str = "auto"


def read_source(
    *,
    table: Path | None,
    expected: Path | None,
    got: Sequence[Path],
    columns: Mapping[str, str],
    assets: Path | None,
    recognizers: Sequence[str],
) -> Source:
    """The clips of the one source that was named."""
    from gistmeter.formats.transcripts import pair_files, read_assets, read_clip_table

    given = [bool(table), bool(expected or got), bool(assets or recognizers)]
    if sum(given) != 1:
        raise InputError(
            "Give one of: a table; --expected FILE with --got FILE; "
            "--assets FOLDER with --recognizers NAME,…"
        )
    if table is not None:
        found = read_clip_table(table, columns)
        return Source(found.clips, [table], found.remarks)
    if assets or recognizers:
        if assets is None or not recognizers:
            raise InputError("--assets and --recognizers belong together")
        found = read_assets(assets)
        return Source(found.clips, [assets], found.remarks, split_names(recognizers))
    if expected is None or not got:
        raise InputError("--expected and --got belong together")
    found = pair_files(expected, got)
    return Source(found.clips, [expected, *got], found.remarks)


def split_names(given: Sequence[str]) -> list[str]:
    """Names separated by commas; a command line is one name, commas and all."""
    names: list[str] = []
    for text in given:
        whole = "command:" in text
        names += [text] if whole else [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("--recognizers names none; such as moonshine,pocketsphinx")
    return list(dict.fromkeys(names))


def build_reading(
    language: str, normalizer: str, numbers: str, alternatives: Path | None
) -> Reading:
    """How the texts are read; an analyser that is not installed is said at once."""
    from gistmeter import languages
    from gistmeter.formats.transcripts import read_alternatives
    from gistmeter.metrics.transcription import Reading
    from gistmeter.metrics.transcription.normalisation import merge_alternatives

    equal = merge_alternatives(read_alternatives(alternatives)) if alternatives else ()
    reading = Reading(languages.get(language), normalizer, numbers, equal)
    reading.read("check")
    return reading


def load_custom(target: str) -> NamedFunction | None:
    """The user's own metric."""
    if not target:
        return None
    import sys

    from gistmeter.metrics.custom import NamedFunction
    from gistmeter.registry import load

    # As `python -m` does: a module in the working folder can be named.
    if "" not in sys.path:
        sys.path.insert(0, "")
    function = load(target)
    if not callable(function):
        raise InputError(f"--custom-metric {target}: is not a function")
    return NamedFunction(target, function)


def load_judge(session: Session, name: str, base_url: str) -> Judge | None:
    """The language model, or None after one warning that says how to get it."""
    from gistmeter.speech.judge import NoJudge, find_judge

    try:
        return find_judge(name, session.cache, base_url=base_url, progress=session.progress)
    except (NoJudge, MissingDependency) as error:
        session.warn(f"The semantic error rate (ser) is left out. {error}")
        return None


def load_matcher(
    session: Session, choice: ModelChoice, language: str, explicit: bool
) -> TokenMatcher | None:
    """The token encoder of the semantic distance; without one the score is left out."""
    from gistmeter.models.loading import ModelSettings, load_models

    try:
        models = load_models(
            ["matcher"],
            profile=choice.profile,
            names={"matcher": choice.token_encoder},
            language=language,
            settings=ModelSettings(layer=choice.layer, device=choice.device),
            cache=session.cache,
            profiles=configured_profiles(session.options.config),
            progress=session.progress,
        )
    except (MissingDependency, MissingModel) as error:
        if explicit or choice.token_encoder:
            raise
        session.warn(f"The semantic distance (sem_dist) is left out. {error}")
        return None
    if models.matcher is None and explicit:
        raise InputError(f"sem_dist: {models.absent.get('matcher', 'no token encoder')}")
    return models.matcher


def print_estimate(
    session: Session,
    source: Source,
    judge: Judge | None,
    *,
    reading: Reading,
    repeats: int,
    verify: bool,
) -> None:
    """What the semantic error rate would cost, on stdout; nothing is run."""
    if judge is None:
        raise InputError(
            "Nothing can be estimated: there is no language model. Set GEMINI_API_KEY or name one "
            "by --llm"
        )
    clips = source.clips
    if source.recognizers:  # not heard yet: a transcript is about as long as what was said
        clips = [
            replace(clip, got=clip.expected, recognizer=name)
            for name in source.recognizers
            for clip in clips
        ]
    estimate = judge.estimate(clips, reading, repeats, verify)
    session.stdout.print(estimate.describe(judge.name), markup=False, highlight=False)


def limit_cost(
    session: Session,
    clips: Sequence[Clip],
    judge: Judge,
    *,
    reading: Reading,
    repeats: int,
    verify: bool,
    limit: float | None,
) -> None:
    """Stop or ask before more is spent than the user allows."""
    if limit is None:
        return
    estimate = judge.estimate(clips, reading, repeats, verify)
    if estimate.cost is None and estimate.calls:
        session.warn(f"The price of {judge.name} is unknown, so --max-cost cannot be kept")
        return
    if not estimate.calls or (estimate.cost or 0.0) <= limit:
        return
    session.say(estimate.describe(judge.name))
    question = f"That is over --max-cost {limit:g}. Go on?"
    import sys

    if not sys.stdin.isatty() or not typer.confirm(question, err=True):
        raise InputError(
            f"About ${estimate.cost:.2f} would be spent, over --max-cost {limit:g}; nothing was run"
        )


def is_one_text(clips: Sequence[Clip], reading: Reading) -> bool:
    from gistmeter.speech.scoring import wants_segments

    return wants_segments(clips, reading)


def further_metrics(timed: bool, function: NamedFunction | None) -> dict[str, Metric]:
    """Times of recognisers, and the user's own metric."""
    from gistmeter.metrics.custom import CustomMetric
    from gistmeter.metrics.latency import Latency

    found: dict[str, Metric] = {}
    if timed:
        found["latency"] = Latency()
    if function is not None:
        found["custom_metric"] = CustomMetric(function)
    return found


def score(
    session: Session,
    heard: Heard,
    metrics: Mapping[str, Metric],
    reading: Reading,
    *,
    inputs: Sequence[Path],
    settings: Mapping[str, Any],
    diffs: bool,
    judge: Judge | None = None,
) -> None:
    """Score, and write the pages and tables of the family."""
    from gistmeter.speech import pages
    from gistmeter.speech.pairs import gather
    from gistmeter.speech.scoring import grouped_by_file, notes_of

    if not metrics:
        raise InputError("Nothing to compute: every score that was asked for had to be left out")
    clips = grouped_by_file(heard.clips)
    custom = next((name for name in ("custom_metric", "facts") if name in metrics), "")
    column = {"facts": "ser"}.get(custom, custom)

    def finish(run: Run) -> None:
        if run.path is None or run.rows is None:
            return
        if diffs:
            pairs = gather(run.rows, clips)
            written = pages.write_pages(pairs, run.path / "details", reading.code)
            if written < sum(clip.got is not None for clip in clips):
                session.say(f"HTML diffs: the {written:,} pairs with the most errors")
        if heard.journal is not None:
            kept = heard.journal.read_bytes()
            (run.path / "details").mkdir(exist_ok=True)
            (run.path / "details" / "transcripts.jsonl").write_bytes(kept)
            if not heard.interrupted:
                heard.journal.unlink(missing_ok=True)

    session.score(
        clips,
        metrics,
        inputs=inputs,
        settings=settings,
        layout=lambda run: pages.layout(run, clips, custom=column, pages=diffs),
        chunk=256,
        notes=notes_of(clips, judge.llm.usage if judge else None, language=reading.code),
        finish=finish,
    )
    if heard.interrupted:
        session.warn(
            f"Stopped by {heard.interrupted}; what was done is scored. Add --resume to go on"
        )
        raise typer.Exit(STOPPED)
