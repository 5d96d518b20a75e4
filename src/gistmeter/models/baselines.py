"""What models say of unrelated texts: the point from which their scores are told.

The numbers are made by `training/baselines.py` from random pairs of sentences, for the models that
come with gistmeter. A language that was not measured takes the mean of those that were.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any


def baseline(component: str, model: str, language: str) -> float | None:
    """The score of unrelated texts; None for a model that was not measured."""
    document = _document()
    if document["models"].get(component) != model:
        return None
    measured = document["by_language"]
    code = language.split("-", maxsplit=1)[0]
    if code in measured:
        return float(measured[code][component])
    return float(sum(one[component] for one in measured.values()) / len(measured))


@lru_cache(maxsize=1)
def _document() -> Any:
    return json.loads(
        resources.files("gistmeter.models").joinpath("data/baselines.json").read_text()
    )
