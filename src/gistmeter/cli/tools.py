"""`check`, `history`, `drift`, `rescore`, `selftest`, `doctor`: each over the tool of its name."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from gistmeter.cli import console
from gistmeter.cli.commands import Display, FileDisplay, SettingsCommand
from gistmeter.cli.runs import find_run, of_runs
from gistmeter.core.errors import InputError, ThresholdError
from gistmeter.core.settings import Settings, option
from gistmeter.core.types import SEED
from gistmeter.tools.check import CheckSettings
from gistmeter.tools.doctor import DoctorSettings, examine
from gistmeter.tools.drift import DriftSettings
from gistmeter.tools.history import HistorySettings

if TYPE_CHECKING:
    from gistmeter.core.cache import Cache
    from gistmeter.tools.check import EvaluationOutcome, Outcomes
    from gistmeter.tools.doctor import Finding, Health
    from gistmeter.tools.drift import Drift


@dataclass(frozen=True, kw_only=True)
class CheckDisplay(FileDisplay):
    """How the outcomes are shown."""

    suffixes: ClassVar[Mapping[str, str]] = {
        ".xml": "junit", ".md": "markdown", ".json": "json", ".html": "html"
    }  # fmt: skip
    format: Literal["table", "json", "markdown"] = option(  # type: ignore[assignment]
        "table", "What to print: lines for people, or JSON or Markdown alone on stdout.",
        panel="output",
    )  # fmt: skip
    output: tuple[Path, ...] = option(
        (),
        "Write a file too, by its suffix: .xml (JUnit), .md (a job's summary), .json, .html (one"
        " report over all runs). May be repeated.",
        panel="output", flags=("-o",), metavar="FILE",
    )  # fmt: skip
    quiet: bool = option(
        False, "No progress and no remarks; errors and the result still show.",
        panel="output", flags=("-q",),
    )  # fmt: skip


def open_cache() -> Cache:
    """The user's own cache."""
    from gistmeter.core.cache import Cache, cache_file

    return Cache(cache_file())


def check(settings: CheckSettings, display: CheckDisplay) -> int:
    from gistmeter.core.run import write_report
    from gistmeter.tools.check import run_check

    def began(name: str) -> None:
        if not display.quiet:
            console.say(f"Scoring {name}", console.DIM)

    cache = open_cache()
    try:
        hear = console.listener(quiet=display.quiet)
        outcomes = run_check(settings, cache=cache, began=began, hear=hear)
    finally:
        cache.close()
    runs = [outcome.run for outcome in outcomes.evaluations if outcome.run is not None]
    pages = [path for path in display.output if path.suffix.lower() == ".html"]
    if pages and not runs:
        console.warn(f"{pages[0]}: not written, because no evaluation could be scored")
        display = replace(
            display, output=tuple(path for path in display.output if path not in pages)
        )
    if not display.deliver(partial(_spell, outcomes), partial(write_report, runs)):
        for outcome in outcomes.evaluations:
            _show_outcome(outcome)
    return outcomes.exit_code


def _show_outcome(outcome: EvaluationOutcome) -> None:
    console.show(f"{'passed' if outcome.passed else 'FAILED'}  {outcome.name}")
    if outcome.run is not None:
        console.show(f"  {outcome.run.answer()}")
    for required in outcome.requirements:
        console.show(f"  {'ok' if required.holds else '!!'}  {required.told}")
    if outcome.error is not None:
        console.show(f"  !!  {outcome.error}")


def _spell(outcomes: Outcomes, form: str) -> str:
    from gistmeter.report.pipelines import to_junit, to_markdown

    if form == "json":
        return console.to_json(outcomes.to_dict())
    return {"junit": to_junit, "markdown": to_markdown}[form](outcomes.evaluations)


check_command = SettingsCommand(
    "check",
    (CheckSettings, CheckDisplay),
    check,
    summary="A whole evaluation from one file: shapes, systems, thresholds, baseline.",
    description=(
        "Scores every [evaluation.NAME] of a TOML file. Exit code 0 where all thresholds and gates"
        " hold, 3 where one does not, 2 or 1 where an evaluation could not be finished."
    ),
    examples=(
        "gistmeter check gistmeter.toml",
        "gistmeter check gistmeter.toml -o junit.xml -o summary.md -o report.html",
        "gistmeter check gistmeter.toml --folder runs/main --no-baseline",
    ),
)


@of_runs
def history(settings: HistorySettings, display: FileDisplay) -> int:
    from gistmeter.report.series import print_series, write_history
    from gistmeter.tools.history import read_history

    found = read_history(settings)
    document = [series.to_dict() for series in found]
    if not display.deliver(
        lambda _: console.to_json(document), lambda path: write_history(found, path)
    ):
        for series in found:
            print_series(series, console.stdout())
    return 0


history_command = SettingsCommand(
    "history",
    (HistorySettings, FileDisplay),
    history,
    summary="A score over time, with intervals, and where it really changed.",
    description=(
        "Runs are ordered by the time in their folder's name, else by that of their file. Each is"
        " compared with the one before it on the items that both have."
    ),
    examples=("gistmeter history runs/", "gistmeter history runs/ --metric gist -o history.html"),
)


@dataclass(frozen=True, kw_only=True)
class DriftDisplay(Display):
    """How drift is shown, and whether it is a failure."""

    fail_if_drifted: bool = option(False, "Exit with 3 where the drift is real.", panel="output")


@of_runs
def drift(settings: DriftSettings, display: DriftDisplay) -> int:
    from gistmeter.core.runs.saved import load_run
    from gistmeter.tools.drift import ask_again

    if settings.run is None:
        raise InputError("Name the run whose judge is asked again: gistmeter drift RUN")
    run = load_run(find_run(settings.run))
    outcome = ask_again(run, settings, lambda text, warn: console.say(text) if warn else None)
    if display.format == "json":
        console.write_json(console.to_json(outcome.to_dict()))
    else:
        _show_drift(outcome)
    if display.fail_if_drifted and outcome.real:
        raise ThresholdError("The judge has drifted")
    return 0


def _show_drift(drift: Drift) -> None:
    from gistmeter.core.wording import count, figure, probability

    console.show(f"{drift.model}, {count(drift.clips, 'clip')} asked about again")
    if drift.failed:
        console.show(f"  {count(drift.failed, 'clip')} without a rate then or now")
    share = drift.flipped / drift.facts if drift.facts else 0.0
    console.show(
        f"  flips   {drift.flipped} of {count(drift.facts, 'fact')} ({share:.1%}); found then and"
        f" lost now {drift.lost}, lost then and found now {drift.gained},"
        f" p {probability(drift.flip_p)}"
    )
    for line in drift.examples:
        console.show(f"            {line}")
    console.show(
        f"  shift   ser {figure(drift.before, '%')} → {figure(drift.after, '%')},"
        f" {drift.difference:+.2f} points ({drift.low:+.2f} to {drift.high:+.2f}),"
        f" p {probability(drift.p)}"
    )
    if drift.own_flips == drift.own_flips:
        console.show(f"  (repeats within the run flipped on {drift.own_flips:.1%} of its clips)")
    for note in drift.notes:
        console.show(f"  {note}")
    console.show("The judge has drifted." if drift.real else "No drift is shown.")


drift_command = SettingsCommand(
    "drift",
    (DriftSettings, DriftDisplay),
    drift,
    summary="Is the language model that judged a run still the same?",
    description=(
        "Asks the language model of a run again about some of its clips, without the cache, and"
        " shows which verdicts flipped and how far the score moved, each with a test. Costs as many"
        " calls as there are anchors."
    ),
    examples=(
        "gistmeter drift runs/speech-20260101-120000",
        "gistmeter drift latest --anchors 200 --fail-if-drifted",
    ),
)

INDENT = 29  # where a line goes on after its mark and name
MARKS = {"here": "ok", "missing": "--", "broken": "!!"}
HEADS = {
    "python": "This installation", "package": "Packages", "extra": "Extras", "model": "Models",
    "key": "Keys in the environment", "cache": "Caches", "score": "Trial",
}  # fmt: skip


def doctor(settings: DoctorSettings, display: Display) -> int:
    health = examine(settings)
    if display.format == "json":
        console.write_json(console.to_json(health.to_dict()))
    else:
        _show_health(health)
    return 0 if health.well else 1


def _show_health(health: Health) -> None:
    rooms = groupby(health.findings, lambda one: "model" if one.part == "profile" else one.part)
    for part, findings in rooms:
        console.show(HEADS[part])
        for finding in findings:
            console.show(_line(finding))
            if finding.state != "here" and finding.command and finding.part != "key":
                console.show(f"{'':{INDENT}}get it with: {finding.command}")
        console.show()
    if health.well:
        console.show("All is well: what is marked -- is optional.")
        return
    console.show("Not well:")
    for fault in health.faults:
        console.show(f"  {fault.name}: {fault.detail or 'is missing'}")
        if fault.command:
            console.show(f"    fix it with: {fault.command}")


def _line(finding: Finding) -> str:
    text = finding.detail
    if finding.enables and finding.part in ("extra", "key", "profile"):
        text = f"{finding.enables}{f' ({text})' if text and finding.state != 'here' else ''}"
    return f"  {MARKS[finding.state]}  {finding.name:{INDENT - 7}} {text}".rstrip()


doctor_command = SettingsCommand(
    "doctor",
    (DoctorSettings, Display),
    doctor,
    summary="What is installed and found here, and how to get what is not.",
    description=(
        "Looks at packages, models, keys (named, never shown) and caches, and scores one pair of"
        " texts. Exit code 0 where gistmeter works and all that --need names is here, else 1."
        " Nothing is fetched."
    ),
    examples=("gistmeter doctor", "gistmeter doctor --need zh,GEMINI_API_KEY"),
)


TRUST_RUN = (
    "Let the run's settings do all that options can do: import metrics, ask services, load models."
    " Without it a run of somebody else may not (gistmeter trust RUN/run.json)."
)


@dataclass(frozen=True, kw_only=True)
class RescoreSettings(Settings):
    """Which run, and where the new one goes."""

    title: ClassVar[str] = "rescore"
    run: Path | None = option(
        None, "The folder of a finished run, or 'latest'.",
        panel="input", argument="only", metavar="RUN",
    )  # fmt: skip
    output: Path | None = option(
        None, "The new run's folder. Default: RUN-rescored.",
        panel="output", flags=("-o",), metavar="FOLDER",
    )  # fmt: skip
    overwrite: bool = option(False, "Replace the run in that folder.", panel="output")
    quiet: bool = option(False, "Say nothing; errors still show.", panel="output", flags=("-q",))
    trust: bool = option(False, TRUST_RUN, panel="input", kept=False)

    def check(self) -> None:
        if self.run is None:
            raise InputError("Name the run to score again: gistmeter rescore RUN")


@of_runs
def rescore_run(settings: RescoreSettings) -> int:
    from gistmeter.tools.rescore import MARK, rescore

    assert settings.run is not None
    place = find_run(settings.run)
    target = settings.output or place.with_name(place.name + MARK)
    with contextlib.closing(open_cache()) as cache:
        hear = console.listener(quiet=settings.quiet)
        run = rescore(
            place, target, overwrite=settings.overwrite, trust=settings.trust, cache=cache,
            hear=hear,
        )  # fmt: skip
    console.show(run.answer())
    if not settings.quiet:
        console.say(f"Run: {target}")
    return 0


rescore_command = SettingsCommand(
    "rescore",
    (RescoreSettings,),
    rescore_run,
    summary="The texts of an old run, scored with the models and rules of today.",
    description=(
        "A new judge changes scores, and runs that were measured differently are not compared. The"
        " texts come from the run's folder; the old run stays as it is."
    ),
    examples=("gistmeter rescore runs/release-1", "gistmeter rescore latest -o runs/today"),
)


@dataclass(frozen=True, kw_only=True)
class SelftestSettings(Settings):
    """Whose references, and how many of them."""

    title: ClassVar[str] = "selftest"
    source: Path | None = option(
        None, "The folder of a finished run, 'latest', or a file of references.",
        panel="input", argument="only", metavar="RUN|FILE",
    )  # fmt: skip
    language: str = option("auto", "The language of a file of references.", panel="input")
    sample: int = option(40, "How many references are altered.", panel="scores", low=4, high=10_000)
    metrics: tuple[str, ...] = option(
        (), "Scores to look at. Default: those of the run; gist, s_acc and s_logic for a file.",
        panel="scores",
    )  # fmt: skip
    seed: int = option(SEED, "Seed of the sample.", panel="scores")
    trust: bool = option(False, TRUST_RUN, panel="input", kept=False)

    def check(self) -> None:
        if self.source is None:
            raise InputError("Name a run or a file of references: gistmeter selftest RUN")


@of_runs
def run_selftest(settings: SelftestSettings, display: Display) -> int:
    from gistmeter.report.terminal import print_sheet
    from gistmeter.tools.selftest import selftest

    assert settings.source is not None
    with contextlib.closing(open_cache()) as cache:
        tested = selftest(
            find_run(settings.source), sample=settings.sample, metrics=settings.metrics,
            language=settings.language, seed=settings.seed, trust=settings.trust, cache=cache,
        )  # fmt: skip
    if display.format == "json":
        console.write_json(console.to_json(tested.to_dict()))
        return 0
    print_sheet(tested.sheet(), console.stdout())
    for blind in (one for one in tested.found if one.blind):
        console.show(f"Mind: {blind.sentence}.")
    return 0


selftest_command = SettingsCommand(
    "selftest",
    (SelftestSettings, Display),
    run_selftest,
    summary="What the scores notice on your own references.",
    description=(
        "Alters references by rule (denied, another number, another name, half of the text, a chat"
        " model's wrapping) and shows how often each score notices. Nothing is sent anywhere."
    ),
    examples=("gistmeter selftest latest", "gistmeter selftest explanations.csv --language zh"),
)
