"""What is released: the same bytes twice, with a bill of materials, licences and hashes."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import json
import os
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from conftest import ROOT

pytest.importorskip("hatchling")
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "gistmeter"
version = "1.2.3"
license = "MIT AND CC-BY-SA-4.0"
[tool.hatch.build.targets.wheel]
packages = ["gistmeter"]
"""
LOCKED = (
    f"click==8.5.1 ; python_version > '3' \\\n    --hash=sha256:{'a' * 64}\n"
    f"numpy==2.0 \\\n    --hash=sha256:{'b' * 64}\n"
)


@pytest.fixture(scope="module")
def releasing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / ".ci" / "release.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def git(folder: Path, *arguments: str) -> None:
    names = {
        f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    subprocess.run(
        ["git", "-c", "commit.gpgsign=false", *arguments],
        cwd=folder, check=True, capture_output=True, env={**os.environ, **names},
    )  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that is built as ours is, in a moment."""
    root = tmp_path / "project"
    (root / "gistmeter").mkdir(parents=True)
    (root / "locks").mkdir()
    (root / "pyproject.toml").write_text(PROJECT)
    (root / "locks" / "image.txt").write_text(LOCKED)
    for name in ("__init__", "b", "a"):
        (root / "gistmeter" / f"{name}.py").write_text(f"NAME = {name!r}\n")
    (root / "gistmeter" / "run").write_text("#!/bin/sh\n")
    (root / "gistmeter" / "run").chmod(0o755)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")
    return root


def check(target: Path) -> None:
    """The hashes are those of the files, and the bill names the wheel by its own."""
    sums = dict(line.split("  ")[::-1] for line in (target / "SHA256SUMS").read_text().splitlines())
    assert sums.keys() == {file.name for file in target.iterdir()} - {"SHA256SUMS"}
    assert {name.rpartition(".")[2] for name in sums} == {"whl", "gz", "json", "csv"}
    for name, sha in sums.items():
        assert hashlib.sha256((target / name).read_bytes()).hexdigest() == sha
    bill = json.loads((target / "bill-of-materials.json").read_text("utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    own = bill["metadata"]["component"]
    assert own["hashes"][0]["content"] in sums.values()
    names = [component["name"] for component in bill["components"]]
    with (target / "licences.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert [row[0] for row in rows[3:]] == names and len(names) >= 2
    assert rows[1][2] == own["licenses"][0]["expression"] == "MIT AND CC-BY-SA-4.0"
    assert rows[2][2] == "CC-BY-SA-4.0"


def test_two_releases_are_the_same_bytes(
    project: Path, tmp_path: Path, releasing: ModuleType
) -> None:
    (project / "stray.py").write_text("never released")  # and not in the commit
    targets = [tmp_path / "one", tmp_path / "two"]
    for target in targets:
        releasing.release(project, target)
        check(target)
    one, two = ({file.name: file.read_bytes() for file in target.iterdir()} for target in targets)
    assert one == two and not any("stray" in str(content) for content in one.values())


def test_what_is_not_committed_is_not_released(
    project: Path, tmp_path: Path, releasing: ModuleType
) -> None:
    (project / "gistmeter" / "a.py").write_text("changed")
    with pytest.raises(SystemExit, match="Commit first"):
        releasing.release(project, tmp_path / "dist")


def test_builds_that_differ_are_not_released(
    project: Path, tmp_path: Path, releasing: ModuleType
) -> None:
    """A build that depends on its surroundings, here on the time zone."""
    hook = "import os\nfrom hatchling.builders.hooks.plugin.interface import BuildHookInterface\n"
    hook += "class Zone(BuildHookInterface):\n    def initialize(self, version, build_data):\n"
    hook += "        open('gistmeter/zone.py', 'w').write(os.environ['TZ'])\n"
    (project / "hatch_build.py").write_text(hook)
    (project / "pyproject.toml").write_text(PROJECT + "[tool.hatch.build.hooks.custom]\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "x")
    with pytest.raises(SystemExit, match="two builds differ"):
        releasing.release(project, tmp_path / "dist")


def test_the_project_itself_is_built_the_same_twice(
    tmp_path: Path, releasing: ModuleType, everything: bool
) -> None:
    if not everything:
        pytest.skip("in the long form: make trust")
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    target = tmp_path / "dist"
    target.mkdir()
    releasing.build(ROOT, target)
    assert {file.suffix for file in target.iterdir()} == {".whl", ".gz"}
