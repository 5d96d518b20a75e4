"""What the tests of trust share: a sample or everything, and one table in the end."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

SEED = 17
COLUMNS = ("tests", "tries", "failures", "skipped")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--everything", action="store_true", help="every try of the tests of trust, no sample"
    )
    parser.addoption("--table", help="a page that keeps the table of the tests of trust")


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


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """One line per file: tests, tries, failures, skipped; kept in a page where one is named."""
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
            line[1] += sum(tries) if tries else outcome != "skipped"
            line[2] += outcome in {"failed", "error"}
            line[3] += outcome == "skipped"
    if not table:
        return
    terminalreporter.section("trust")
    total = [sum(column) for column in zip(*table.values(), strict=True)]
    for name, line in [("", COLUMNS), *sorted(table.items()), ("all", total)]:
        terminalreporter.write_line(f"{name:32}" + "".join(f"{cell:>10}" for cell in line))
    if page := config.getoption("--table", default=None):
        Path(page).write_text(kept(Path(page).read_text("utf-8"), table), "utf-8")


def kept(page: str, table: Mapping[str, Sequence[int]]) -> str:
    """A page whose table has the lines of the files that were run; its other lines stay."""
    found = re.search(r"(?m)^\| file \| tests .*\n\|[-:|]+\n((?:\|.*\n)+)", page)
    assert found is not None, "the page has no table of files"
    lines = {}
    for name, *cells in (re.split(r" \| ", line.strip("| ")) for line in found[1].splitlines()):
        lines[name.strip("`")] = [int(cell.replace(",", "")) for cell in cells]
    lines = {**lines, **table}
    lines.pop("all", None)
    total = [sum(column) for column in zip(*lines.values(), strict=True)]
    rows = [(f"`{name}`", line) for name, line in sorted(lines.items())] + [("all", total)]
    head = f"| file | {' | '.join(COLUMNS)} |\n|---{'|---:' * len(COLUMNS)}|\n"
    body = "".join(
        f"| {name} | {' | '.join(f'{cell:,}' for cell in line)} |\n" for name, line in rows
    )
    return page[: found.start()] + head + body + page[found.end() :]
