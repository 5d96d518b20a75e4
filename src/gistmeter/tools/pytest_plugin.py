"""Checks of meaning in pytest: the fixture `gist_check`, the marker `gist_cases`, one report.

    def test_answer(gist_check):
        gist_check(answer("When do you open?"), "We open at nine.", gist=">=0.8")

This module is imported by every pytest that has gistmeter installed, so it imports nothing of
gistmeter until the first check. Under xdist every worker keeps its own models, workers and
controller share the cache of answers, and the controller makes the one run of all checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gistmeter.core.run import Run
    from gistmeter.tools.checker import CheckedPair, Checker

NAME = "gistmeter"
OUTPUT = "runs/pytest"
CHECKER = pytest.StashKey["Checker"]()
GATHERED = pytest.StashKey["list[dict[str, Any]]"]()  # what workers checked
FINISHED = pytest.StashKey["Run"]()
FAILED = pytest.StashKey[str]()
REFERENCES = ("reference", "references", "expected", "expected_output", "explanation", "target")
CANDIDATES = ("candidate", "prediction", "output", "actual_output", "answer", "response")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup(NAME, "gistmeter: checks of meaning")
    group.addoption(
        "--gist-output", metavar="FOLDER", default=None,
        help=f"Where the run and report of all checks go [{OUTPUT}]; 'none' for nowhere.",
    )  # fmt: skip
    group.addoption(
        "--gist-config", metavar="FILE.toml", default=None,
        help="Options of gistmeter text for all checks: profile, language, seed ...",
    )  # fmt: skip
    parser.addini("gist_output", "The same as --gist-output.", default=OUTPUT)
    parser.addini("gist_config", "The same as --gist-config.", default="")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "gist_cases(source, **conditions): one test for each case of a table, as `gist_case`; a"
        " case has references, perhaps a candidate, and its own conditions in columns named after"
        " scores.",
    )


def checker_of(config: pytest.Config) -> Checker:
    """The one checker of this process, made at the first check."""
    if CHECKER not in config.stash:
        from gistmeter.core.cache import Cache, cache_file
        from gistmeter.tools.checker import Checker

        given = config.getoption("--gist-config") or config.getini("gist_config")
        place = config.rootpath / given if given else None
        config.stash[CHECKER] = Checker.of(place, Cache(cache_file()))
    return config.stash[CHECKER]


@pytest.fixture
def gist_check(request: pytest.FixtureRequest) -> Callable[..., CheckedPair]:
    """Check that a text means what its references mean.

    gist_check(candidate, references, gist=">=0.8", language="en"): keywords are scores of
    `gistmeter text` and what they should be. Returns the scores; fails with the difference marked.
    """
    node, config = request.node, request.config
    done: list[str] = []

    def check(
        candidate: str, references: str | Sequence[str], *, language: str = "", **conditions: Any
    ) -> CheckedPair:
        __tracebackhide__ = True
        name = node.nodeid + (f" #{len(done) + 1}" if done else "")
        checked = checker_of(config).check(
            candidate, references, conditions, name=name, language=language
        )
        done.append(name)
        if checked.message:
            raise AssertionError(checked.message)
        return checked

    return check


class GistCase:
    """A row of a table: its references, its candidate where it has one, and all its cells."""

    def __init__(self, cells: Mapping[str, Any], conditions: Mapping[str, Any], check: Any) -> None:
        from gistmeter.text.formats.references import Splitting
        from gistmeter.tools.checker import CONDITION

        self.fields = {name: cell for name, cell in cells.items() if cell is not None}
        known = {name.strip().lower(): cell for name, cell in self.fields.items()}
        expected = next((known.pop(name) for name in REFERENCES if name in known), "")
        self.references = Splitting().split([expected]) if isinstance(expected, str) else expected
        self.candidate = next((known.pop(name) for name in CANDIDATES if name in known), None)
        self.language = known.pop("language", "")
        written = {name: cell for name, cell in known.items() if CONDITION.fullmatch(str(cell))}
        self.conditions = {**conditions, **written}
        self._check = check

    def check(self, candidate: str | None = None, **conditions: Any) -> CheckedPair:
        """Check what the code under test says, or the case's own candidate."""
        __tracebackhide__ = True
        candidate = candidate if candidate is not None else self.candidate
        if candidate is None:
            raise ValueError("this case has no candidate: call check(candidate)")
        given = {"language": self.language, **self.conditions, **conditions}
        checked: CheckedPair = self._check(candidate, self.references, **given)
        return checked


@pytest.fixture
def gist_case(request: pytest.FixtureRequest, gist_check: Callable[..., CheckedPair]) -> GistCase:
    """One case of the table that the marker `gist_cases` names."""
    if not hasattr(request, "param"):
        pytest.fail("gist_case needs the marker @pytest.mark.gist_cases(TABLE)", pytrace=False)
    cells, conditions = request.param
    return GistCase(cells, conditions, gist_check)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("gist_cases")
    if marker is None:
        return
    if "gist_case" not in metafunc.fixturenames:
        pytest.fail("a test with the marker gist_cases must take gist_case", pytrace=False)
    if len(marker.args) != 1:
        pytest.fail("gist_cases takes one table: a file, or a list of mappings", pytrace=False)
    rows = list(_cases(marker.args[0], metafunc.definition.path.parent))
    ids = [str(row.get("id") or row.get("name") or at) for at, row in enumerate(rows, 1)]
    cases = [(row, dict(marker.kwargs)) for row in rows]
    metafunc.parametrize("gist_case", cases, ids=ids, indirect=True)


def _cases(source: Any, folder: Path) -> Iterator[dict[str, Any]]:
    """Rows of a table; a file is looked for beside the test."""
    if not isinstance(source, str | Path):
        yield from (dict(row) for row in source)
        return
    from gistmeter.core.errors import GistmeterError
    from gistmeter.core.table import read_table

    try:
        table = read_table(folder / source)
    except GistmeterError as error:
        pytest.fail(str(error), pytrace=False)
    for row in table.rows:
        yield dict(zip(table.columns, row, strict=True))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands over its pairs; the controller makes the run."""
    config = session.config
    checker = config.stash.get(CHECKER, None)
    pairs = checker.pairs if checker is not None else []
    if hasattr(config, "workeroutput"):
        if checker is not None and pairs:
            config.workeroutput[NAME] = {
                "pairs": [
                    (pair.id, pair.candidate, list(pair.references), pair.language)
                    for pair in pairs
                ],
                "wanted": sorted(checker.wanted),
            }
        return
    if not pairs and GATHERED not in config.stash:
        return
    given = config.getoption("--gist-output") or config.getini("gist_output")
    folder = None if given in ("", "none") else config.rootpath / given
    from gistmeter.core.errors import GistmeterError

    try:
        config.stash[FINISHED] = _finish(config, folder)
    except (GistmeterError, OSError) as error:  # the tests have their outcome all the same
        config.stash[FAILED] = str(error)


def _finish(config: pytest.Config, folder: Path | None) -> Run:
    from gistmeter.core.types import Pair

    checker = checker_of(config)
    for part in config.stash.get(GATHERED, []):
        checker.wanted |= set(part["wanted"])
        checker.pairs += [
            Pair(name, candidate, tuple(references), "checks", language=language)
            for name, candidate, references, language in part["pairs"]
        ]
    checker.pairs.sort(key=lambda pair: pair.id)
    return checker.finish(folder)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    """xdist: a worker is done."""
    del error
    if NAME in (getattr(node, "workeroutput", None) or {}):
        node.config.stash.setdefault(GATHERED, []).append(node.workeroutput[NAME])


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    run, failed = config.stash.get(FINISHED, None), config.stash.get(FAILED, "")
    if run is None and not failed:
        return
    terminalreporter.section("meaning (gistmeter)")
    if run is None:
        terminalreporter.write_line(f"No run of the checks was made: {failed}")
        return
    for name, score in next(iter(run.systems.values())).scores.items():
        if name in config.stash[CHECKER].wanted:
            terminalreporter.write_line(f"{name} {score.spelled()} over {score.n} checks")
    if run.path:
        terminalreporter.write_line(f"Report: {run.path / 'report.html'}")
