"""Tests stand where the code stands, and use what anyone may use."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from conftest import ROOT

SOURCE, TESTS = ROOT / "src" / "gistmeter", ROOT / "tests"
ACROSS = ("laws", "trust", "docs")  # of the whole program
FILES = [
    path.relative_to(TESTS)
    for path in sorted(TESTS.rglob("*.py"))
    if path.relative_to(TESTS).parts[0] not in ACROSS
]
HOLDERS = {"self", "cls", "sys", "os", "ast"}


def modules() -> dict[str, set[Path]]:
    """The folders where tests of a module may stand, by its name."""
    places: dict[str, set[Path]] = {}
    for path in SOURCE.rglob("*.py"):
        name = path.parent.name if path.name == "__init__.py" else path.stem
        home = path.parent.relative_to(SOURCE)
        places.setdefault(name, set()).update({home, home.parent} if path.stem != name else {home})
    return places


def test_a_folder_of_tests_is_a_folder_of_the_source() -> None:
    folders = {path.parent for path in FILES}
    assert not [str(folder) for folder in folders if not (SOURCE / folder).is_dir()]


def test_a_test_that_has_the_name_of_a_module_stands_where_it_stands() -> None:
    places = modules()
    strays = [
        str(path)
        for path in FILES
        if path.name.startswith("test_")
        and path.parent not in places.get(path.stem.removeprefix("test_"), {path.parent})
    ]
    assert not strays


def private(tree: ast.Module) -> int:
    """How often a private name of somebody else is used."""
    return sum(
        isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.endswith("_")
        and getattr(node.value, "id", "") not in HOLDERS
        for node in ast.walk(tree)
    ) + sum(
        alias.name.startswith("_")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gistmeter")
        for alias in node.names
    )


def test_private_names_are_seldom_used() -> None:
    limits = json.loads((TESTS / "laws" / "ratchets.json").read_text("utf-8"))
    found = sum(private(ast.parse(path.read_text("utf-8"))) for path in TESTS.rglob("*.py"))
    assert found <= limits["private names in tests"]
