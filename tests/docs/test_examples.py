"""Every example of the documentation runs, and prints what its page shows."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from conftest import ROOT
from gistmeter.cli import app

DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))

import sessions  # noqa: E402

PAGES = sorted(DOCS.rglob("*.md"))
SHOWN = re.compile(r"^```(?:console|python)$", re.MULTILINE)
RUN = [page for page in PAGES if SHOWN.search(page.read_text(encoding="utf-8"))]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.docs
@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_examples_print_what_the_page_shows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert sessions.refreshed(page, text) == text, f"run: python docs/generate.py {name_of(page)}"


def fences() -> Iterator[tuple[Path, str, str, str]]:
    for page in [*(ROOT / name for name in sessions.READMES), *PAGES]:
        for found in sessions.BLOCK.finditer(page.read_text(encoding="utf-8")):
            yield page, found["note"] or "", found["kind"], found["body"]


def test_a_block_that_is_not_run_says_why() -> None:
    for page, note, _, _ in fences():
        if "not run" in note:
            assert re.fullmatch(r"not run: .{10,}", note), name_of(page)


def test_json_and_toml_are_whole() -> None:
    read = {"json": json.loads, "toml": tomllib.loads}
    found = [read[kind](body) for _, _, kind, body in fences() if kind in read]
    assert found and all(found)


def commands() -> Iterator[tuple[str, str]]:
    """Every command line of gistmeter that a page names, in blocks and in prose."""
    for page in [*(ROOT / name for name in sessions.READMES), *PAGES]:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        lines = "\n".join(blocks)
        found = re.findall(r"^(?:\$ )?(gistmeter [^#\n]+)", lines, re.MULTILINE)
        found += re.findall(r"(?:^    |`)(gistmeter [^`#\n]+)", text, re.MULTILINE)
        yield from ((name_of(page), line) for line in found)


@pytest.mark.parametrize("page", sorted({page for page, _ in commands()}))
def test_commands_and_options_that_a_page_names_exist(page: str) -> None:
    for where, line in commands():
        if where == page:
            words = shlex.split(line if line.count("'") % 2 == 0 else line.replace("'", ""))
            words = [word.strip("[]…") for word in words if " " not in word]
            unknown = list(_unknown(words[1:]))
            assert not unknown, f"{line}: {unknown}"


def _unknown(words: list[str]) -> Iterator[str]:
    """The command and the options that are not there."""
    command: click.Command = app
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            if getattr(command, "default", None) is None and words[0].islower():
                yield words[0]
            break
        command, words = found, words[1:]
    command = getattr(command, "default", None) or command
    flags = {flag for one in command.params for flag in [*one.opts, *one.secondary_opts]}
    for word in words:
        name = word.split("=")[0].replace("_", "-")
        if re.fullmatch(r"--[a-z][a-z0-9-]*", name) and name not in {*flags, "--help", "-h"}:
            yield name
