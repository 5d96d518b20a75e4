"""CONTRIBUTING, followed literally in a copy of the source: what it adds works as it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import wave
from pathlib import Path

import pytest

from conftest import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
LINE = re.compile(r"<!-- line: (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
REGISTRY = Path("src/gistmeter/core/registry.py")


def linked(source: str, target: str) -> None:
    """A second name of a file, or a copy where the system has no such thing."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def stated(kind: str) -> str:
    """What the page's table says of an addition."""
    (row,) = re.findall(rf"^\| {kind}[^|]*\| ([^|]+) \|", PAGE, re.MULTILINE)
    return str(row)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source, its large files as links to the same content."""
    folder = tmp_path_factory.mktemp("copy") / "tree"

    shutil.copytree(
        ROOT / "src", folder / "src", copy_function=linked,
        ignore=shutil.ignore_patterns("__pycache__"),
    )  # fmt: skip
    return folder


class Copy:
    """A copy of the source to which a section of the page is applied."""

    def __init__(self, root: Path) -> None:
        self.root, self.touched = root, set[str]()

    def follow(self, title: str) -> None:
        """Write the files of a section and add its lines."""
        text = section(title)
        for name, content in FILE.findall(text):
            path = self.root / name
            assert not path.exists(), name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
            self.touched.add(name)
        for group, line in LINE.findall(text):
            path = self.root / REGISTRY
            head = f'    "{group}": {{\n'
            assert path.read_text("utf-8").count(head) == 1
            path.write_text(path.read_text("utf-8").replace(head, head + line), encoding="utf-8")
            self.touched.add(f"1 line of {REGISTRY}")

    def places(self) -> str:
        """What was touched, in the words of the page's table."""
        files = [Path(name) for name in self.touched if "line of" not in name]
        folders = {path.parent for path in files if path.parent.name in ("tok", "recipe")}
        counted = f"{len(folders)} folder" if folders else f"{len(files)} file"
        return counted + (", 1 line" if len(self.touched) > len(files) else "")

    def run(self, *arguments: str | Path, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "gistmeter", *map(str, arguments)],
            capture_output=True, text=True, check=False, env=self.environment(),
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        return done.stdout

    def python(self, code: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-c", code],
            capture_output=True, text=True, check=False, env=self.environment(),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.root / "src")}


@pytest.fixture
def copy(original: Path, tmp_path: Path, in_folder: Path) -> Copy:
    del in_folder
    shutil.copytree(original, tmp_path / "tree", copy_function=linked)
    registry = tmp_path / "tree" / REGISTRY
    content = registry.read_bytes()
    registry.unlink()  # what is written here must not reach the original
    registry.write_bytes(content)
    return Copy(tmp_path / "tree")


def scores(output: str) -> dict[str, float]:
    (system,) = json.loads(output)["systems"].values()
    return {name: score["value"] for name, score in system["scores"].items()}


def check_run(copy: Copy, *arguments: str | Path) -> dict[str, float]:
    """The command, its report, and the same again resumed."""
    given = [*arguments, "-o", "run", "--format", "json"]
    first = scores(copy.run(*given))
    assert Path("run/report.html").stat().st_size > 10_000
    assert scores(copy.run(*given, "--resume")) == first
    return first


def test_a_metric(copy: Copy) -> None:
    copy.follow("Add a metric")
    assert copy.places() == stated("a metric")
    Path("said.csv").write_text("id,Prediction,Reference\n1,a cat,the cat\n2,dogs,dogs\n")
    command = ["text", "said.csv", "--language", "en", "--metrics", "kept_length"]
    assert check_run(copy, *command)["kept_length"] == pytest.approx((5 / 7 + 1) / 2)
    limited = scores(copy.run(*command, "--limit", "0.5", "--format", "json", "-o", "other"))
    assert limited["kept_length"] == 0.5
    code = (
        "import gistmeter\n"
        "run = gistmeter.score_text(['a cat'], ['the cat'], language='en',"
        " metrics=['kept_length'], limit=0.25)\n"
        "print(run['kept_length'].value)"
    )
    assert copy.python(code) == "0.25"


def test_a_language(copy: Copy) -> None:
    copy.follow("Add a language")
    assert copy.places() == stated("a language")
    Path("said.csv").write_text("id,Prediction,Reference\n1,mi moku e telo,mi moku e kili\n")
    command = ["text", "said.csv", "--language", "tok", "--metrics", "lexical_cosine"]
    assert check_run(copy, *command)["lexical_cosine"] == pytest.approx(0.5)
    code = "import gistmeter.languages as all\nprint(all.get('Toki Pona').code)"
    assert copy.python(code) == "tok"


def test_a_back_end(copy: Copy) -> None:
    copy.follow("Add a model back end")
    assert copy.places() == stated("a model back end")
    Path("said.csv").write_text("id,Prediction,Reference\n1,dogs,dogs\n")
    command = ["text", "said.csv", "--language", "en", "--metrics", "sts"]
    assert check_run(copy, *command, "--embedder", "letters:any")["sts"] == pytest.approx(1.0)
    code = (
        "import gistmeter\nfrom gistmeter.models.letters import LetterVectors\n"
        "run = gistmeter.score_text(['dogs'], ['dogs'], language='en', metrics=['sts'],"
        " embedder=LetterVectors())\nprint(round(run['sts'].value, 6))"
    )
    assert copy.python(code) == "1.0"


def test_a_recogniser(copy: Copy) -> None:
    pytest.importorskip("soundfile")
    copy.follow("Add a recogniser")
    assert copy.places() == stated("a recogniser")
    Path("clips").mkdir()
    with wave.open("clips/a.wav", "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16000)
        sound.writeframes(bytes(32000))
    Path("clips/a.txt").write_text("turn on the light")
    command = [
        "speech",
        "--assets",
        "clips",
        "--recognizers",
        "constant:turn on a light",
        "--language",
        "en",
    ]
    assert check_run(copy, *command, "--metrics", "wer")["wer"] == pytest.approx(25.0)
    assert "constant" in copy.python("from gistmeter.core import registry\n"
                                   "print(registry.names('gistmeter.recognizers'))")  # fmt: skip


def test_a_family(copy: Copy) -> None:
    copy.follow("Add a family")
    assert copy.places() == stated("a family")
    Path("dishes.txt").write_text("soup: salt; water | salt\nbread: flour | flour\n")
    assert check_run(copy, "recipe", "dishes.txt")["kept"] == 0.75
    assert "recipe" in copy.run("--help")
    code = "import gistmeter\nprint(gistmeter.score('recipe', recipes='dishes.txt')['kept'].value)"
    assert copy.python(code) == "0.75"
    Path("dishes.txt").write_text("nonsense\n")
    copy.run("recipe", "dishes.txt", code=2)
