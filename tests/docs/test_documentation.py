"""The documentation is true: every option has a help text, and the page of options is current."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import pytest

from conftest import ROOT
from gistmeter.core import registry


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def options() -> list[Any]:
    return [
        pytest.param(parameter, id=f"{name} {parameter.opts[-1]}")
        for name, command in generator().commands()
        for parameter in command.params
        if parameter.param_type_name == "option" and parameter.name != "help"
    ]


@pytest.mark.parametrize("parameter", options())
def test_every_option_is_documented(parameter: Any) -> None:
    assert (parameter.help or "").strip()


def test_the_page_of_options_is_current() -> None:
    found = generator()
    assert found.PAGE.read_text(encoding="utf-8") == found.page(), "run: make docs"


def test_every_command_has_a_help_text() -> None:
    for name, command in generator().commands():
        assert (command.help or "").strip(), name


def test_every_metric_and_recogniser_is_named_in_the_documentation() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    missing = [
        name for group in registry.TABLES for name in registry.names(group) if name not in pages
    ]
    assert not missing


def test_links_between_pages_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} -> {target}"
