"""Modules that have another name now still import by the old one, with a warning."""

from __future__ import annotations

import importlib
import sys

import pytest

SHOWN = {  # what the documentation once showed
    "adapters.mlflow_logger": "log_run",
    "cache": "Cache",
    "comparison": "Options",
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
    "runs": "RunFolder",
    "settings": "option",
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
    assert home is module and module.__name__ != name and hasattr(home, SHOWN[old])
    assert home.__spec__ is not None and home.__spec__.name == home.__name__


def test_a_name_that_never_was_is_none() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("gistmeter.nothing")
