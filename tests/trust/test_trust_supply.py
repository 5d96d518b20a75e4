"""What the demo is installed from: every package by its version and its files' hashes."""

from __future__ import annotations

import re
import tomllib

import pytest

from conftest import ROOT

LOCKS = ("build", "demo")
PIN = re.compile(r"(?m)^([\w.-]+)==([^\s;]+)((?:.*\\\n)*.*)")


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text: str) -> dict[str, tuple[str, str]]:
    """Name -> version, and what else stands there."""
    return {plain(name): (version, more) for name, version, more in PIN.findall(text)}


def locked(name: str) -> dict[str, tuple[str, str]]:
    return pins((ROOT / "locks" / f"{name}.txt").read_text("utf-8"))


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_locked_with_its_hashes(name: str) -> None:
    text = (ROOT / "locks" / f"{name}.txt").read_text("utf-8")
    entries = [line for line in text.splitlines() if line and line[0] not in " #"]
    found = locked(name)
    assert entries and len(entries) == len(
        found
    )  # nothing without a version: no address, no option
    assert "://" not in text and "index" not in text
    for package, (_, more) in found.items():
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", more), package


@pytest.mark.parametrize("name", LOCKS)
def test_locks_and_constraints_name_the_same_versions(name: str) -> None:
    constraints = pins((ROOT / "constraints.txt").read_text("utf-8"))
    shared = constraints.keys() & locked(name).keys()
    assert shared
    for package in shared:
        assert locked(name)[package][0] == constraints[package][0], f"{package}: run make lock"


def test_the_lock_has_all_that_the_demo_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted, extras = list(project["dependencies"]), ["demo"]
    for extra in extras:  # grows while it is read
        for one in project["optional-dependencies"][extra]:
            inner = re.fullmatch(r"gistmeter\[(.+)\]", one)
            extras += inner[1].split(",") if inner else []
            wanted += [] if inner else [one]
    names = {plain(re.match(r"[\w.-]+", one)[0]) for one in wanted}  # type: ignore[index]
    assert len(names) > 20
    assert names <= locked("demo").keys(), f"{names - locked('demo').keys()}: run make lock"


def test_the_demo_is_installed_by_hashes() -> None:
    rule = re.search(r"(?m)^\$\(VENV\)/\.demo:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text())
    assert rule is not None
    installs = [line for line in rule[1].splitlines() if "$(LOCKED)" in line or "pip" in line]
    hashed = [line for line in installs if "--require-hashes" in line]
    assert len(hashed) == len(LOCKS)
    assert all("--no-deps" in line for line in installs if line not in hashed)


def test_the_package_names_the_licences_of_all_that_it_carries() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["license"] == "MIT AND CC-BY-SA-4.0"
    texts = [(ROOT / name).read_text("utf-8") for name in project["license-files"]]
    assert "MIT" in texts[0]
    assert texts[1].startswith("Attribution-ShareAlike 4.0 International")
