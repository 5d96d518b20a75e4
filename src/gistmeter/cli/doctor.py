"""`gistmeter doctor`: what is installed and found here, and how to get what is not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar, Literal

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand
from gistmeter.core.settings import Settings, option
from gistmeter.tools.doctor import DoctorSettings, examine

if TYPE_CHECKING:
    from gistmeter.tools.doctor import Finding, Health

INDENT = 29  # where a line goes on after its mark and name
MARKS = {"here": "ok", "missing": "--", "broken": "!!"}
HEADS = {
    "python": "This installation", "package": "Packages", "extra": "Extras", "model": "Models",
    "key": "Keys in the environment", "cache": "Caches", "score": "Trial",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Shown(Settings):
    """How it is told."""

    title: ClassVar[str] = "doctor"
    format: Literal["table", "json"] = option(
        "table", "What to print: lines for people, or JSON alone on stdout.", panel="output"
    )


def work(settings: DoctorSettings, shown: Shown) -> int:
    health = examine(settings)
    if shown.format == "json":
        console.write_json(json.dumps(health.to_dict(), ensure_ascii=False, indent=2) + "\n")
    else:
        _show(health)
    return 0 if health.well else 1


def _show(health: Health) -> None:
    for part, held in groupby(health.findings, lambda one: _group(one.part)):
        console.show(HEADS[part])
        for one in held:
            console.show(_line(one))
            if one.state != "here" and one.command and one.part != "key":
                console.show(f"{'':{INDENT}}get it with: {one.command}")
        console.show()
    if health.well:
        console.show("All is well: whatever is marked -- is optional.")
        return
    console.show("Not well:")
    for one in health.faults:
        console.show(f"  {one.name}: {one.detail or 'is missing'}")
        if one.command:
            console.show(f"    mend it with: {one.command}")


def _group(part: str) -> str:
    return "model" if part == "profile" else part


def _line(one: Finding) -> str:
    told = one.detail
    if one.enables and one.part in ("extra", "key", "profile"):
        told = f"{one.enables}{f' ({told})' if told and one.state != 'here' else ''}"
    return f"  {MARKS[one.state]}  {one.name:{INDENT - 7}} {told}".rstrip()


command = SettingsCommand(
    "doctor",
    (DoctorSettings, Shown),
    work,
    summary="What is installed and found here, and how to get what is not.",
    description=(
        "Looks at packages, models, keys (named, never shown) and caches, and scores one pair of"
        " texts. Exit code 0 where gistmeter works and all that --need names is here, else 1."
        " Nothing is fetched."
    ),
    examples=("gistmeter doctor", "gistmeter doctor --need zh,GEMINI_API_KEY"),
)
