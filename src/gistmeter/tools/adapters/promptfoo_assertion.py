"""promptfoo's Python assertion: does the output mean what it should?

    assert:
      - type: python
        value: file:///…/gistmeter/tools/adapters/promptfoo_assertion.py
        config: { references: ["We open at nine."], gist: ">=0.8", language: en }

The place of this file is `gistmeter.tools.adapters.promptfoo_assertion.__file__`. Without
`references` in the config, the test's variable `reference` is taken.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gistmeter.tools.checker import Checker

DEFAULT = {"gist": ">=0.8"}
OURS = ("references", "reference", "language")


@cache
def _checker() -> Checker:
    from gistmeter.tools.adapters import make_checker

    return make_checker({})


def get_assert(output: str, context: dict[str, Any]) -> dict[str, Any]:
    """What promptfoo calls: the output, and a context with `vars` and `config`."""
    from gistmeter.core.errors import GistmeterError

    config = dict(context.get("config") or {})
    variables = context.get("vars") or {}
    references = config.get("references") or config.get("reference") or variables.get("reference")
    conditions = {key: value for key, value in config.items() if key not in OURS} or DEFAULT
    first = next(iter(conditions))
    try:
        checked = _checker().check(
            output, references or "", conditions, language=str(config.get("language", ""))
        )
    except GistmeterError as error:
        return {"pass": False, "score": 0.0, "reason": f"Not scored: {error}"}
    values = {name: checked[name] for name in conditions}
    return {
        "pass": not checked.message,
        "score": values[first] if math.isfinite(values[first]) else 0.0,
        "reason": checked.message
        or ", ".join(f"{key} {value:.3f}" for key, value in values.items()),
        "named_scores": {key: value for key, value in values.items() if math.isfinite(value)},
    }
