"""Who may import whom, and who may speak: held by reading the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from conftest import ROOT

SOURCE = ROOT / "src" / "gistmeter"
SLICES = ("text", "book", "parse", "speech")
SHARED = ("core", "languages", "metrics")
SURFACE = {"__init__", "__main__", "version"}
# room -> the rooms that it may import; a slice may also import what it needs of models by protocol
ROOMS = {
    "core": {"core", "languages", "models", "people", "report", "version"},
    "languages": {"core", "languages", "version"},
    "models": {"core", "languages", "models", "version"},
    "metrics": {"core", "languages", "metrics", "models", "version"},
    **{name: {*SHARED, name, "models", "version"} for name in SLICES},
    "people": {"core", "people", "version"},
    "report": {"core", "report", "version"},
    "compat": {*SHARED, *SLICES, "cli", "compat", "models", "report", "version"},
    "tools": {*SHARED, *SLICES, "models", "people", "report", "tools", "version"},
    "workbench": {*SHARED, *SLICES, "models", "people", "report", "version", "workbench"},
    "cli": {*SHARED, *SLICES, "cli", "models", "people", "report", "tools", "version", "workbench"},
}
FILES = sorted(SOURCE.rglob("*.py"))


def room(path: Path) -> str:
    """The part of the house a file is in: `metrics` for metrics/accuracy.py."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def runtime_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        yield node
        yield from runtime_nodes(node)


def imported(path: Path) -> set[str]:
    """The modules of ours that a file imports, without the leading `gistmeter.`."""
    found: set[str] = set()
    for node in runtime_nodes(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            found |= (
                {f"gistmeter.{alias.name}" for alias in node.names}
                if module == "gistmeter"
                else {module}
            )
    return {name.removeprefix("gistmeter.") for name in found if name.startswith("gistmeter.")}


def outside(path: Path) -> set[str]:
    """The packages of others that a file imports."""
    nodes = list(ast.walk(parsed(path)))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.split(".")[0] for name in names}


def test_imports_keep_to_the_rules() -> None:
    """The core imports no slice, a slice no other slice; no room is exempt."""
    broken = [
        f"{path.relative_to(SOURCE)} imports {module}"
        for path in FILES
        if room(path) not in SURFACE
        for module in imported(path)
        if module.split(".")[0] not in ROOMS[room(path)]
    ]
    assert not broken, "\n".join(broken)


def test_only_the_command_line_and_the_report_speak() -> None:
    broken = []
    for path in (path for path in FILES if room(path) not in {"cli", "report"}):
        if {"rich", "click"} & outside(path):
            broken.append(f"{path} has a console of its own")
        for node in ast.walk(parsed(path)):
            if getattr(getattr(node, "func", None), "id", "") == "print":
                broken.append(f"{path}:{node.lineno} prints")  # type: ignore[attr-defined]
            if (
                isinstance(node, ast.Attribute)
                and node.attr in {"stdout", "stderr"}
                and getattr(node.value, "id", "") == "sys"
            ):
                broken.append(f"{path}:{node.lineno} writes to the user")
    assert not broken, "\n".join(broken)


def test_nothing_is_unpickled_evaluated_or_trusted() -> None:
    broken = []
    for path in FILES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call):
                if getattr(node.func, "id", "") in {"eval", "exec"}:
                    broken.append(f"{path}:{node.lineno} evaluates text")
                broken += [
                    f"{path}:{node.lineno} {keyword.arg}"
                    for keyword in node.keywords
                    if keyword.arg in {"trust_remote_code", "allow_pickle"}
                    and getattr(keyword.value, "value", True) is not False
                ]
            if isinstance(node, ast.Import):
                names = {alias.name for alias in node.names} & {"pickle", "marshal", "shelve"}
                broken += [f"{path}:{node.lineno} {name}" for name in names]
    assert not broken, "\n".join(broken)
