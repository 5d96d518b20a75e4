"""What demo, tests and image are installed from: packages by version and their files' hashes."""

from __future__ import annotations

import re
import tomllib

import pytest

from conftest import ROOT

LOCKS = ("build", "demo", "image", "test", "weights")
EXTRAS = {"demo": ["demo"], "image": ["demo", "llm"], "test": ["test"]}
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
    assert shared or name == "weights"
    for package in shared:
        assert locked(name)[package][0] == constraints[package][0], f"{package}: run make lock"


@pytest.mark.parametrize("name", EXTRAS)
def test_the_lock_has_all_that_is_asked_for(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted, extras = list(project["dependencies"]), [*EXTRAS[name]]
    for extra in extras:  # grows while it is read
        for one in project["optional-dependencies"][extra]:
            inner = re.fullmatch(r"gistmeter\[(.+)\]", one)
            extras += inner[1].split(",") if inner else []
            wanted += [] if inner else [one]
    names = {plain(re.match(r"[\w.-]+", one)[0]) for one in wanted}  # type: ignore[index]
    assert len(names) > 20
    assert names <= locked(name).keys(), f"{names - locked(name).keys()}: run make lock"
    assert "torch" not in locked(name)  # its builds for a processor alone are not the index's


@pytest.mark.parametrize(
    ("rule", "locks"),
    [(".demo", {"build", "demo"}), (".test", {"build", "test", "weights"}), ("image", set())],
)
def test_what_is_installed_is_installed_by_hashes(rule: str, locks: set[str]) -> None:
    if rule == "image":
        text, locks = (ROOT / "Dockerfile").read_text(), {"build", "image"}
        lines = re.findall(r"pip install (.+)", text)
    else:
        recipe = rf"(?m)^\$\(VENV\)/\{rule}:.*\n((?:\t.*\n)+)"
        found = re.search(recipe, (ROOT / "Makefile").read_text())
        assert found is not None
        lines = [line for line in found[1].splitlines() if "INSTALL" in line or "LOCKED" in line]
    hashed = [line for line in lines if "--require-hashes" in line]
    assert {re.search(r"(\w+)\.txt", line)[1] for line in hashed} == locks  # type: ignore[index]
    assert all("--no-deps" in line for line in lines if line not in hashed)


def test_the_package_names_the_licences_of_all_that_it_carries() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["license"] == "MIT AND CC-BY-SA-4.0"
    texts = [(ROOT / name).read_text("utf-8") for name in project["license-files"]]
    assert "MIT" in texts[0]
    assert texts[1].startswith("Attribution-ShareAlike 4.0 International")
