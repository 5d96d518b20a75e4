"""What the tests of trust share: a sample or everything, and one table in the end."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

SEED = 17


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--everything", action="store_true", help="every try of the tests of trust, no sample"
    )


@pytest.fixture
def everything(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--everything", default=False))


@pytest.fixture
def choose(
    everything: bool, record_property: Callable[[str, object], None]
) -> Callable[[Sequence[Any], int], list[Any]]:
    """Some of many tries, the same ones in every run; all of them with `--everything`."""

    def some(tries: Sequence[Any], count: int) -> list[Any]:
        chosen = list(tries)
        if not everything and len(chosen) > count:
            chosen = random.Random(SEED).sample(chosen, count)
        record_property("tries", len(chosen))
        return chosen

    return some


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line per file: tests, tries, failures."""
    table: dict[str, list[int]] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, ()):
            path = getattr(report, "fspath", "") or report.nodeid.split("::")[0]
            if "tests/trust/" not in path or (report.when != "call" and outcome == "passed"):
                continue
            line = table.setdefault(path.split("/")[-1], [0, 0, 0, 0])
            tries = [
                value for key, value in getattr(report, "user_properties", ()) if key == "tries"
            ]
            line[0] += 1
            line[1] += sum(tries) if tries else 1
            line[2] += outcome in {"failed", "error"}
            line[3] += outcome == "skipped"
    if not table:
        return
    terminalreporter.section("trust")
    total = [sum(column) for column in zip(*table.values(), strict=True)]
    for name, line in [
        ("", ["tests", "tries", "failures", "skipped"]),
        *sorted(table.items()),
        ("all", total),
    ]:
        terminalreporter.write_line(f"{name:32}" + "".join(f"{cell:>10}" for cell in line))
