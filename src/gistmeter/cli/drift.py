"""`gistmeter drift RUN`: is the judge still the one that it was?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand
from gistmeter.cli.finding import find_run, of_runs
from gistmeter.core.errors import InputError, ThresholdError
from gistmeter.core.settings import Settings, option
from gistmeter.tools.drift import DriftSettings

if TYPE_CHECKING:
    from gistmeter.tools.drift import Drift


@dataclass(frozen=True, kw_only=True)
class Shown(Settings):
    """How it is told."""

    title: ClassVar[str] = "drift"
    fail_if_drifted: bool = option(False, "Exit with 3 where the drift is real.", panel="output")
    format: Literal["table", "json"] = option(
        "table", "What to print: lines for people, or JSON alone on stdout.", panel="output"
    )


@of_runs
def work(settings: DriftSettings, shown: Shown) -> int:
    from gistmeter.core.runs.loading import load_run
    from gistmeter.tools.drift import ask_again

    if settings.run is None:
        raise InputError("Name the run whose judge is asked again: gistmeter drift RUN")
    run = load_run(find_run(settings.run))
    found = ask_again(run, settings, lambda text, warn: console.say(text) if warn else None)
    if shown.format == "json":
        told = json.dumps(found.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        console.write_json(told + "\n")
    else:
        _show(found)
    if shown.fail_if_drifted and found.real:
        raise ThresholdError("The judge has drifted")
    return 0


def _show(found: Drift) -> None:
    from gistmeter.core.wording import count, figure, probability

    console.show(f"{found.model}, {count(found.clips, 'clip')} asked about again")
    if found.failed:
        console.show(f"  {count(found.failed, 'clip')} without a rate then or now")
    share = found.flipped / found.facts if found.facts else 0.0
    console.show(
        f"  flips   {found.flipped} of {count(found.facts, 'fact')} ({share:.1%}); told then and"
        f" lost now {found.lost}, the other way round {found.gained}, p {probability(found.flip_p)}"
    )
    for line in found.examples:
        console.show(f"            {line}")
    console.show(
        f"  shift   ser {figure(found.before, '%')} → {figure(found.after, '%')},"
        f" {found.difference:+.2f} points ({found.low:+.2f} to {found.high:+.2f}),"
        f" p {probability(found.p)}"
    )
    if found.own_flips == found.own_flips:
        console.show(f"  (repeats within the run flipped on {found.own_flips:.1%} of its clips)")
    for note in found.notes:
        console.show(f"  {note}")
    console.show("The judge has drifted." if found.real else "No drift is shown.")


command = SettingsCommand(
    "drift",
    (DriftSettings, Shown),
    work,
    summary="Is the judge still the one that it was?",
    description=(
        "Asks the language model of a run again about some of its clips, past the cache, and tells"
        " which verdicts flipped and how far the score moved, each with a test. Costs as many calls"
        " as there are anchors."
    ),
    examples=(
        "gistmeter drift runs/speech-20260101-120000",
        "gistmeter drift latest --anchors 200 --fail-if-drifted",
    ),
)
