"""The examples in docstrings and documentation print what they say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from types import ModuleType

import pytest

from gistmeter import languages
from gistmeter.languages import guard, numbers, sentences


@pytest.mark.parametrize("module", [languages, numbers, sentences, guard])
def test_examples_in_docstrings(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_examples_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "languages.md").read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, "languages.md", None, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0
