"""Modules that have another name now still import by the old one, with a warning."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings
from types import ModuleType

import pytest

import gistmeter

SHOWN = {  # what the documentation once showed
    "adapters.mlflow_logger": "log_run",
    "cache": "Cache",
    "comparison": "Options",
    "comparison.findings": "Findings",
    "engines": "Local",
    "errors": "InputError",
    "guard": "compare",
    "metrics.consistency": "Consistency",
    "metrics.distance": "Scale",
    "metrics.information": "Recovery",
    "metrics.latency": "Latency",
    "metrics.logic": "LogicalValidity",
    "metrics.reading": "Reading",
    "recognizers.benchmark": "SpeechEvent",
    "recognizers.sample": "write_samples",
    "rows": "Rows",
    "runs": "load_run",
    "settings": "option",
    "speech.recognizers.protocols": "RecognizerError",
    "text.metrics.reading": "Reading",
    "texts": "semantic_accuracy",
    "types": "Pair",
    "views": "View",
}


@pytest.mark.parametrize("old", SHOWN)
def test_old_paths_still_import(old: str) -> None:
    name = f"gistmeter.{old}"
    for known in [one for one in sys.modules if one == name or name.startswith(f"{one}.")]:
        if sys.modules[known].__name__ != known:
            del sys.modules[known]
    with pytest.warns(DeprecationWarning, match="is now gistmeter"):
        module = importlib.import_module(name)
    home = importlib.import_module(module.__name__)
    assert home is module and module.__name__ != name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a name that moved once more
        assert hasattr(home, SHOWN[old])
    assert home.__spec__ is not None and home.__spec__.name == home.__name__


def test_a_name_that_never_was_is_none() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("gistmeter.nothing")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("speech", "CustomMetricResult"),
        ("speech", "SemanticUnderstandingAnalyzer"),
        ("speech", "score_speech"),
        ("speech", "transcribe_and_diff"),
        ("core.runs", "load_run"),
    ],
)
def test_names_that_moved_from_a_module_that_stayed(module: str, name: str) -> None:
    home = importlib.import_module(f"gistmeter.{module}")
    with pytest.warns(DeprecationWarning, match=f"is now gistmeter.{name}"):
        assert getattr(home, name) is getattr(gistmeter, name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = home.nothing


def test_no_moved_module_has_the_name_of_something_else_in_its_package() -> None:
    """The import of `gistmeter.comparison.findings` sets `findings` in the present package."""
    shadowed = [
        f"{new}.{part.name}"
        for new in gistmeter._MOVED.values()  # type: ignore[attr-defined]
        for home in [importlib.import_module(f"gistmeter.{new}")]
        for part in pkgutil.iter_modules(getattr(home, "__path__", []))
        if not isinstance(vars(home).get(part.name, home), ModuleType)
    ]
    assert not shadowed
