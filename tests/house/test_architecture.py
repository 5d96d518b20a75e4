"""Who may import whom, and who may speak: held by reading the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import ROOT

SOURCE = ROOT / "src" / "gistmeter"
FOUNDATION = {"version", "errors", "locations"}
SHAPES = FOUNDATION | {"types", "files", "rows", "views", "pages", "wording"}
PRESENTED = SHAPES | {"answer", "highlights"}
LOWER = SHAPES | {"signature", "registry", "settings"}
MIDDLE = LOWER | {"languages", "formats", "cache", "statistics", "credentials"}
METRICS = MIDDLE | {"guard", "models.protocols"}
MEASURES = MIDDLE | {"guard", "models", "metrics", "recognizers"}
# What may be done with a run: every room below knows a `Run` by its shape only (type checking).
WHOLE = MEASURES | {
    "answer",
    "families",
    "runs",
    "run",
    "engines",
    "comparison",
    "validation",
    "report",
}
ALLOWED = {
    "version": set(),
    "telemetry": set(),
    "locations": set(),
    "errors": set(),
    "credentials": FOUNDATION,
    "types": FOUNDATION,
    "files": FOUNDATION,
    "rows": SHAPES,
    "views": SHAPES,
    "pages": SHAPES,
    "wording": set(),
    "answer": SHAPES,
    "highlights": PRESENTED,
    "signature": FOUNDATION,
    "registry": FOUNDATION,
    "settings": FOUNDATION,
    "configuration": LOWER,
    "cache": LOWER,
    "languages": LOWER,
    "guard": {"types", "errors", "rows", "languages"},
    "formats": LOWER | {"languages", "cache"},
    "statistics": LOWER,
    "models": MIDDLE,
    "metrics": METRICS,
    "recognizers": MIDDLE | {"models"},
    "comparison": MIDDLE,
    "validation": MIDDLE | {"comparison"},
    "report": PRESENTED,
    "families": MEASURES | {"answer"},
    "runs": MIDDLE | {"families", "run"},
    "engines": MEASURES | {"families", "runs"},
    "run": WHOLE,
    "evaluation": WHOLE,
    "score": WHOLE | {"evaluation"},
    "api": WHOLE | {"score", "configuration"},
    "compat": WHOLE | {"score"},
    "checks": WHOLE | {"evaluation", "score", "configuration"},
    "adapters": WHOLE | {"api", "checks"},
    "pytest_plugin": WHOLE | {"checks"},
    "pipeline": WHOLE | {"score", "configuration"},
    "trend": WHOLE,
    "drifting": WHOLE | {"score"},
    "health": WHOLE | {"score", "api"},
}
FILES = sorted(SOURCE.rglob("*.py"))


def room(path: Path) -> str:
    """The part of the house a file is in: `metrics` for metrics/accuracy.py."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


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
    for node in runtime_nodes(ast.parse(path.read_text())):
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
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.split(".")[0] for name in names}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_keep_to_the_rules(path: Path) -> None:
    here = room(path)
    if here in {"__init__", "__main__", "cli"}:  # the door itself, and the leaf
        return
    allowed = {here, *ALLOWED[here]}
    for module in imported(path):
        first = module.split(".")[0]
        assert first in allowed or module in allowed, f"{here} must not import {module}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_the_command_line_and_the_report_speak(path: Path) -> None:
    if room(path) in {"cli", "report"}:
        return
    assert not {"rich", "click"} & outside(path), f"{path} has a console of its own"
    for node in ast.walk(ast.parse(path.read_text())):
        called = getattr(node, "func", None)
        assert getattr(called, "id", "") != "print", f"{path}:{node.lineno} prints"
        if isinstance(node, ast.Attribute) and node.attr in {"stdout", "stderr"}:
            assert getattr(node.value, "id", "") != "sys", (
                f"{path}:{node.lineno} writes to the user"
            )


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_is_unpickled_evaluated_or_trusted(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
            bare = isinstance(node.func, ast.Name)
            assert not (bare and name in {"eval", "exec"}), f"{path}:{node.lineno} {name}"
            for keyword in node.keywords:
                if keyword.arg in {"trust_remote_code", "allow_pickle"}:
                    assert getattr(keyword.value, "value", True) is False, f"{path}:{node.lineno}"
        if isinstance(node, ast.Import):
            assert not {alias.name for alias in node.names} & {"pickle", "marshal", "shelve"}, path
