"""Laws of the house, held by reading the source; numbers that may only fall."""

from __future__ import annotations

import ast
import json
import re
import resource
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from conftest import ROOT

SOURCE = ROOT / "src" / "gistmeter"
FILES = sorted(SOURCE.rglob("*.py"))
TREES = {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8")) for path in FILES}
RATCHETS = Path(__file__).with_name("ratchets.json")
ONE_DOOR = "core/score.py"
# Names that every slice has, and those of packages
STANDARD = {"__init__", "family", "settings", "read", "views", "sheets", "api"}
QUAINT = (
    "by another hand", "caller's ear", "last words", "the only way", "told otherwise",
    "untold losses",
    "not ours to", "come by its number", "a row an item", "wherewith", "thereof", "in vain",
    "by heart", "at its door", "nobody misses", "as it were", "hearsay",
)  # fmt: skip


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def test_only_score_reads_prepares_and_builds() -> None:
    broken = []
    for name, tree in TREES.items():
        if name == ONE_DOOR:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "gistmeter.core.wiring":
                broken += [name for alias in node.names if alias.name == "build"]
        for call in calls(tree):
            if isinstance(call.func, ast.Attribute) and call.func.attr in {"read", "prepare"}:
                value = call.func.value
                owner = value.func if isinstance(value, ast.Call) else value
                label = getattr(owner, "id", "") or getattr(owner, "attr", "")
                if label in {"family", "family_of", "Text", "Books", "Parses", "Speech"}:
                    broken.append(f"{name}:{call.lineno}")
    assert not broken, broken


def test_nothing_matches_on_the_text_of_our_own_errors() -> None:
    broken = []
    for name, tree in TREES.items():
        for handler in (node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)):
            for node in ast.walk(handler):
                if isinstance(node, ast.Compare) and any(
                    isinstance(op, ast.In | ast.NotIn) for op in node.ops
                ):
                    spelled = ast.unparse(node)
                    if handler.name and f"str({handler.name})" in spelled:
                        broken.append(f"{name}:{node.lineno} {spelled}")
        for node in ast.walk(tree):
            if isinstance(node, ast.comprehension | ast.Compare):
                spelled = ast.unparse(node)
                if " in remark" in spelled and ("'" in spelled or '"' in spelled):
                    broken.append(f"{name} {spelled}")
    assert not broken, broken


PHRASE = re.compile(r"[a-z] [a-z]")
CUTTING = {
    "startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split",
    "find", "index", "match", "search", "fullmatch",
}  # fmt: skip
FOREIGN = {"models/llm/replies.py"}  # what the libraries of services say when they time out


def phrases(node: ast.expr) -> list[str]:
    """The words in a row that an expression spells out."""
    strings = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    return [text for text in strings if isinstance(text, str) and PHRASE.search(text)]


def test_nothing_looks_for_a_phrase() -> None:
    """What is compared or cut is a value, a mark or a name, never a sentence of ours."""
    broken = []
    for name, tree in TREES.items():
        if name in FOREIGN:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in CUTTING:
                sides = node.args[:1]
            else:
                continue
            broken += [f"{name}:{node.lineno} {text}" for side in sides for text in phrases(side)]
    assert not broken, broken


def test_no_public_class_or_module_has_the_name_of_another() -> None:
    classes: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for name, tree in TREES.items():
        stem = name.rpartition("/")[2].removesuffix(".py")
        if stem not in STANDARD:
            modules[stem] += 1
        classes.update(
            node.name
            for node in ast.iter_child_nodes(tree)
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        )
    twice = [name for counted in (classes, modules) for name, count in counted.items() if count > 1]
    assert not twice, sorted(twice)


SCRIPTS = re.compile("[à-öø-ÿœěščřžýů\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


def docstrings(tree: ast.Module) -> Iterator[str]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree):
        if isinstance(node, kinds):
            yield ast.get_docstring(node, clean=False) or ""


def counted() -> dict[str, int]:
    """What may only become less."""
    inner = sum(
        isinstance(node, ast.Import | ast.ImportFrom)
        for tree in TREES.values()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    )
    asked = sum(
        getattr(call.func, "id", "") in {"getattr", "hasattr"}
        for tree in TREES.values()
        for call in calls(tree)
    )
    foreign = sum(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and bool(SCRIPTS.search(node.value))
        and node.value not in documented
        for name, tree in TREES.items()
        if not name.startswith("languages/")
        for documented in [set(docstrings(tree))]
        for node in ast.walk(tree)
    )
    texts = [path.read_text("utf-8").lower() for path in FILES]
    quaint = sum(text.count(phrase) for text in texts for phrase in QUAINT)
    lines = sum(text.count("\n") for text in texts)
    core = sum(
        path.read_text("utf-8").count("\n")
        for path in FILES
        if "core" in path.relative_to(SOURCE).parts[:1]
    )
    return {
        "imports inside functions": inner, "getattr and hasattr": asked, "quaint phrases": quaint,
        "words of a language outside its folder": foreign,
        "lines": lines, "files": len(FILES), "lines of core": core,
    }  # fmt: skip


def test_numbers_that_only_fall() -> None:
    limits = json.loads(RATCHETS.read_text())["at most"]
    found = counted()
    over = {name: (found[name], limit) for name, limit in limits.items() if found[name] > limit}
    assert not over, f"found, and the limit of {RATCHETS.name}: {over}"


REQUEST = """
import os, sys
touched = set()
def watch(frame, event, argument):
    place, name = frame.f_code.co_filename, frame.f_code.co_name
    if event != "call" or "/gistmeter/" not in place or name.startswith("<"):
        return
    if not frame.f_code.co_flags & 0x2:  # the body of a module or of a class
        return
    touched.add(place)
    if name == "measure" and place.endswith("information.py"):
        sys.setprofile(None)
        modules = [name for name in sys.modules if name.split(".")[0] == "gistmeter"]
        print("BUDGET", len(touched), len(modules), *sorted(touched), flush=True)
        os._exit(0)
sys.setprofile(watch)
options = ["--metrics", "s_info", "--language", "en", "-o", {run!r}]
sys.argv = ["gistmeter", "text", {table!r}, *options]
from gistmeter.cli import main
main()
"""


def seconds_of(*arguments: str) -> float:
    """Processor seconds of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_takes_no_more_than_seven_times_an_empty_program() -> None:
    # The two take turns, so that both meet a machine that is as busy.
    helped = ("-c", "from gistmeter.cli import main; main()", "--help")
    ratios = [seconds_of(*helped) / seconds_of("-c", "pass") for _ in range(11)]
    assert statistics.median(ratios) <= 7


def test_a_small_request_touches_few_files(tmp_path: Path) -> None:
    """`gistmeter text` on two rows with `--metrics s_info`, until the first `measure`."""
    table = tmp_path / "two.csv"
    table.write_text("reference,answer\nthe sea is calm,the sea is quiet\nhe left,he went away\n")
    code = REQUEST.format(table=str(table), run=str(tmp_path / "run"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    line = next(line for line in done.stdout.splitlines() if line.startswith("BUDGET"))
    files, modules = map(int, line.split()[1:3])
    assert modules <= 90, f"{modules} modules were imported"
    limit = json.loads(RATCHETS.read_text())["files of a small request"]
    assert files <= limit, f"{files} files were touched"
