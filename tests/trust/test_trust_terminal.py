"""What reaches a terminal, in any encoding, can be read and does nothing else."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from gistmeter.cli import commands, console
from gistmeter.core.files import CONTROL
from gistmeter.report.progress import ProgressBars
from gistmeter.report.terminal import Screen
from trust.payloads import STEERING

COMMAND_LINE = ROOT / "src" / "gistmeter" / "cli"
NAME = "evil\x1b]0;title\x07\x1b[2J\u202egnp"


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def check(text: str) -> None:
    """No control but those of our own colours."""
    for colour in (console.YELLOW, console.RED, console.DIM, console.OFF):
        text = text.replace(colour, "")
    assert not CONTROL.search(text), ascii(text)


@contextlib.contextmanager
def on_terminal() -> Iterator[Terminal]:
    """Both streams, as one terminal that shows something."""
    both = Terminal()
    with contextlib.redirect_stdout(both), contextlib.redirect_stderr(both):
        yield both
    assert both.getvalue()
    check(both.getvalue())


@pytest.mark.parametrize("payload", STEERING, ids=ascii)
def test_every_way_to_the_terminal_is_plain(payload: str) -> None:
    for way in (console.say, console.warn, console.show, console.write):
        with on_terminal():
            way(payload)
    with on_terminal() as terminal:
        handler = logging.StreamHandler(terminal)
        handler.setFormatter(commands.PlainFormatter("%(message)s"))
        handler.emit(logging.makeLogRecord({"msg": "%s", "args": (payload,)}))


@pytest.mark.parametrize("payload", STEERING, ids=ascii)
def test_json_on_a_terminal_is_plain_and_whole(payload: str) -> None:
    with on_terminal() as terminal:
        console.write_json(json.dumps({payload: payload}, ensure_ascii=False))
    assert json.loads(terminal.getvalue()) == {payload: payload}


@pytest.mark.parametrize("payload", STEERING, ids=ascii)
def test_tables_and_titles_are_plain(payload: str) -> None:
    from rich.table import Table

    stream = io.StringIO()
    screen = Screen()
    screen.file = stream
    table = Table(payload, title=payload, caption=payload)
    table.add_row(payload)
    screen.print(table)
    screen.print(payload, "[bold]not markup[/bold] :smile:")
    check(stream.getvalue())
    assert "[bold]not markup[/bold] :smile:" in stream.getvalue()


def test_stages_of_progress_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    bars = ProgressBars(every=0)
    stream = io.StringIO()
    bars._console.file = stream
    bars.update(NAME, 1, 2)
    check(stream.getvalue())
    assert "evil" in stream.getvalue()


def calls(name: str) -> set[str]:
    """The files of ours, but for the console's own, that call a function."""
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == name:
                found.add(path.relative_to(ROOT / "src" / "gistmeter").as_posix())
    return found


def test_there_is_no_other_way_to_the_terminal() -> None:
    assert calls("print") <= {
        "report/terminal.py", "report/progress.py", "report/human_agreement.py",
        "report/comparison_text.py", "cli/demo.py", "cli/runs.py", "report/ending.py",
        "report/series.py",
    }  # fmt: skip  # methods of the screen
    for path in COMMAND_LINE.glob("*.py"):
        text = path.read_text("utf-8")
        assert "\n    print(" not in text, path
        assert path.name == "console.py" or "sys.stdout.write" not in text, path
    assert calls("Console") == set()
    assert calls("Screen") == {"cli/console.py", "report/progress.py"}


# Encodings that cannot show everything, and Python without docstrings and assertions.

NAMES = ("中文", "é😀ß", "日本語")
SPEECH = ("speech", "clips.csv", "--metrics", "wer", "--language", "en", "-o", "run")


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs with names of many scripts, and labels for them."""
    folder = tmp_path_factory.mktemp("scored")
    pours = [
        f"it {'rains' if at % 2 else 'pours'},it {'hails' if at % 3 else 'rains'}"
        for at in range(9)
    ]
    rows = "".join(f"{at},it rains,{said},it snows {at}\n" for at, said in enumerate(pours))
    (folder / "clips.csv").write_text(f"file,expected,{','.join(NAMES)}\n{rows}", "utf-8")
    labels = [f"{at},{name},{(at * 7 + len(name)) % 5}\n" for at in range(9) for name in NAMES]
    (folder / "labels.csv").write_text("id,system,human\n" + "".join(labels), "utf-8")
    (folder / "中文.conllu").write_text("1\tx\n", "utf-8")
    done = run(folder, *SPEECH)
    assert done.returncode == 0, done.stderr
    return folder


COMMANDS = (
    (*SPEECH, "--overwrite"),
    (*SPEECH, "--resume", "--format", "json"),
    ("compare", "run"),
    ("compare", "run", "--format", "json"),
    ("compare", "run", "--format", "csv"),
    ("compare", "run", "--format", "markdown"),
    ("compare", "run", "--format", "latex"),
    ("validate", "run", "--human", "labels.csv"),
    ("validate", "run", "--human", "labels.csv", "--format", "json"),
    ("report", "run", "-o", "中文.html"),
    ("parse", "validate", "中文.conllu"),
    ("models", "list"),
    ("cache", "info"),
    ("speech", "中文.csv"),
    ("text", "--nonsense-中文"),
    ("text", "--help"),
    (),
)  # fmt: skip


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "gistmeter", *arguments],
        cwd=folder, capture_output=True, check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "80", **environment},
    )  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_narrow_encodings_and_optimised_python_end_as_usual(
    command: tuple[str, ...], scored: Path, choose: Any
) -> None:
    usual = run(scored, *command)
    assert usual.returncode in {0, 2}, usual.stderr
    ways: list[dict[str, str]] = [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "cp1252:strict"},
        {"PYTHONOPTIMIZE": "2"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ]
    for way in choose(ways, 2):
        done = run(scored, *command, **way)
        assert b"Traceback" not in done.stderr, (way, done.stderr.decode("latin-1"))
        if "LC_ALL" in way and b"PYTHONUTF8=1" in done.stderr:
            continue  # names of files that this system cannot spell: said, with what to do
        assert done.returncode == usual.returncode, (way, done.stderr)
        if "json" in command:
            document = json.loads(done.stdout)
            assert document == json.loads(usual.stdout)
            assert "speech" not in command or set(document["systems"]) == set(NAMES)


def test_our_own_signs_are_plain_where_an_encoding_lacks_them(scored: Path) -> None:
    Path(scored, "t.csv").write_text(
        "id,reference,prediction\nb,big dog,a big dog\n画蛇,cat,the cat\n", "utf-8"
    )
    done = run(scored, "text", "t.csv", "--language", "en", "--metrics", "s_info", "--no-report",
               PYTHONIOENCODING="latin-1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode("latin-1")
    assert "\\u2013" not in shown
    assert " - " in shown
    assert "\\u753b\\u86c7" in shown  # data are spelt by their codes, so that none is lost
