"""The examples of the documentation: found, run, checked and refreshed.

A page's examples run in the order of the page, in one folder that holds a copy of `docs/data`.

- A `console` block holds commands after `$ ` and what they print. A comment before it may say
  which part is shown: `<!-- shown: gist s_acc answer -->` takes these rows of the table of scores
  and the answer, `slices` what follows by column; `exit 3` there is the exit code that is expected.
  What is left out is `[…]`.
- A `python` block runs in the page's own namespace; after `>>>` it shows what it prints.
- `<!-- not run: REASON -->` before a block leaves it out: it needs a key, a download, a server.
"""

from __future__ import annotations

import code
import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
READMES = ("README.md", "README.zh-CN.md", "README.ja.md")
BLOCK = re.compile(
    r"(?P<head>(?:<!-- (?P<note>.*?) -->\n)?```(?P<kind>\w+)\n)(?P<body>.*?)(?P<end>^```$)",
    re.DOTALL | re.MULTILINE,
)
STATEMENT = re.compile(r"(^>>> .*\n(?:\.\.\. ?.*\n)*)((?:(?!>>> ).*\n)*)", re.MULTILINE)
TRACE = "Traceback (most recent call last):"
CUT = "[…]"
PROGRAMS = {"gistmeter": [sys.executable, "-m", "gistmeter"], "python": [sys.executable]}
_PRINTED: dict[str, str] = {}  # by the READMEs' commands


class Failure(Exception):
    """An example that does not run."""

    def __init__(self, page: Path, example: str, why: str) -> None:
        super().__init__(f"{page.relative_to(ROOT)}: {example}\n{why}")


@dataclass
class Session:
    """One page's examples: its folder and its namespace."""

    page: Path
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)

    def console(self, body: str, note: str) -> str:
        """The commands of a block, each followed by what it prints now."""
        commands = [line[2:] for line in body.splitlines() if line.startswith("$ ")]
        return "".join(f"$ {one}\n{shown(self.run(one, note), note)}" for one in commands)

    def run(self, command: str, note: str) -> str:
        """What a command prints; the READMEs are one text in several languages, and run once."""
        if self.page.parent != ROOT:
            return self._run(command, note)
        if command not in _PRINTED:
            _PRINTED[command] = self._run(command, note)
        return _PRINTED[command]

    def _run(self, command: str, note: str) -> str:
        samples = ROOT / "src" / "gistmeter" / "samples"
        words = shlex.split(command.replace("$S", str(samples)))
        program = PROGRAMS.get(words[0], words[:1])
        done = subprocess.run(
            [*program, *words[1:]],
            capture_output=True, text=True, check=False, cwd=self.folder, encoding="utf-8",
            env={**os.environ, **self.environment, "COLUMNS": "80", "NO_COLOR": "1"},
        )  # fmt: skip
        wanted = int(found[1]) if (found := re.search(r"exit (\d+)", note)) else 0
        if done.returncode != wanted:
            raise Failure(self.page, command, f"exit code {done.returncode}\n{done.stderr}")
        return done.stdout if not wanted else done.stdout + done.stderr

    def python(self, body: str) -> str:
        """The block as it is, or with the results of its `>>>` lines as they are now."""
        place = Path.cwd()
        os.chdir(self.folder)
        try:
            return "".join(self._statements(body)) if ">>> " in body else self._whole(body)
        finally:
            os.chdir(place)

    def _whole(self, body: str) -> str:
        try:
            exec(compile(body, str(self.page), "exec"), self.names)
        except Exception as error:
            raise Failure(self.page, body, repr(error)) from error
        return body

    def _statements(self, body: str) -> Iterator[str]:
        found = re.findall(STATEMENT, body)
        for statement, shown in found:
            source = re.sub(r"^(>>>|\.\.\.) ?", "", statement, flags=re.MULTILINE)
            yield statement + self._printed(source, fails=shown.startswith(TRACE))

    def _printed(self, source: str, *, fails: bool) -> str:
        """What Python's own prompt would print; of an expected error its last line."""
        caught = io.StringIO()
        prompt = _Prompt(self.names)
        with contextlib.redirect_stdout(caught):
            unfinished = prompt.runsource(source + "\n" * (source.count("\n") > 1), "example")
        if unfinished or bool(prompt.failed) != fails:
            raise Failure(
                self.page, source, prompt.failed or "is not a whole statement, or no error"
            )
        error = f"{TRACE}\n    ...\n{prompt.failed.splitlines()[-1]}\n" if fails else ""
        return caught.getvalue() + error


class _Prompt(code.InteractiveInterpreter):
    failed = ""

    def write(self, data: str) -> None:
        self.failed += data


@contextlib.contextmanager
def session(page: Path) -> Iterator[Session]:
    """A folder of its own with the documentation's data and the demo's recordings."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copytree(DOCS / "data", place, dirs_exist_ok=True)
        if page.parent == ROOT:
            from gistmeter.speech.recognizers.sample import write_samples

            write_samples(place / "runs" / "demo" / "clips")
        source = {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.getenv("PYTHONPATH", "")])}
        yield Session(page, place, source, _names(page))


def _names(page: Path) -> dict[str, Any]:
    """What a page's first line of Python may use: on the reference all public names."""
    import numpy as np

    import gistmeter

    public = {one: getattr(gistmeter, one) for one in gistmeter.__all__}
    return {"__name__": "__main__", **({"np": np, **public} if page == DOCS / "python.md" else {})}


def refreshed(page: Path, text: str) -> str:
    """A page's text with the output of every example as it is now."""
    with session(page) as now:

        def fresh(found: re.Match[str]) -> str:
            note, kind, body = found["note"] or "", found["kind"], found["body"]
            if note.startswith("not run: "):
                return found[0]
            if kind == "console":
                body = now.console(body, note)
            elif kind == "python":
                body = now.python(body)
            return found["head"] + body + found["end"]

        return BLOCK.sub(fresh, text)


def shown(output: str, note: str) -> str:
    """The part of an output that a page shows."""
    lines = [line.rstrip() for line in output.splitlines()]
    found = re.search(r"shown: (.*?)(?:, exit|$)", note)
    if not found:
        return "".join(f"{line}\n" for line in lines)
    parts = found[1].split()
    scores = [name for name in parts if name not in ("answer", "pairs", "slices")]
    kept = [*(_answer(lines) if "answer" in parts else []), *_rows(lines, scores)]
    kept += [CUT] if "answer" in parts else []
    if "slices" in parts:
        first = next(at for at, line in enumerate(lines) if re.fullmatch(r"\w+ by \w+", line))
        kept += lines[first:]
    return "".join(f"{line}\n" for line in kept)


def _rows(lines: list[str], scores: list[str]) -> list[str]:
    """The table of scores with some of its rows."""
    top = next((at for at, line in enumerate(lines) if line.startswith("┏")), None)
    if not scores or top is None:
        return []
    bottom = next(at for at, line in enumerate(lines) if at > top and line.startswith("└"))
    kept, name = lines[top : top + 3], ""
    groups: dict[str, list[str]] = {}
    for line in lines[top + 3 : bottom]:
        cell = line.split("│")[1].strip() if line.startswith("│") else ""
        name = cell or name
        if line.startswith("│"):
            groups.setdefault(name, []).append(line)
    ruled = any(line.startswith("├") for line in lines[top:bottom])
    rule = next((line for line in lines[top:bottom] if line.startswith("├")), "")
    wanted = [name for name in scores if name in groups]
    for at, one in enumerate(wanted):
        kept += ([rule] if ruled and at else []) + groups[one]
    return [*kept, lines[bottom]]


def _answer(lines: list[str]) -> list[str]:
    """What stands above the table of scores and its title."""
    top = next(at for at, line in enumerate(lines) if line.startswith("┏"))
    titled = top and not lines[top - 1].endswith((".", ")"))
    return lines[: top - 1 if titled else top]


def pages() -> list[Path]:
    """All pages whose examples are run."""
    found = sorted(page for page in DOCS.rglob("*.md"))
    return [*(ROOT / name for name in READMES if (ROOT / name).exists()), *found]
