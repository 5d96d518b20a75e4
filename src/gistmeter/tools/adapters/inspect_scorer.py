"""A scorer for inspect_ai: does the model's answer mean what the target means?

    from gistmeter.tools.adapters.inspect_scorer import gist
    task = Task(dataset=..., solver=generate(), scorer=gist(language="en"))

or by name, without an import: `inspect score LOG --scorer gistmeter/gist`.
"""

from __future__ import annotations

import asyncio
import math
from typing import Any

from gistmeter.core.errors import GistmeterError, MissingDependency
from gistmeter.tools.adapters import make_checker

try:
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState
except ImportError as error:
    raise MissingDependency("inspect_ai", "inspect", "The scorer for Inspect") from error

ANY = ">=-1e9"  # every value holds; what is wanted is the number


@scorer(metrics=[mean(), stderr()])  # type: ignore[untyped-decorator]
def gist(score: str = "gist", language: str = "", **options: Any) -> Scorer:
    """The score of `gistmeter text` by this name; a target may hold several references.

    An answer that cannot be scored is unscored, with the reason, and not 0.
    """
    checker = make_checker(options)

    async def judge(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        try:
            checked = await asyncio.to_thread(
                checker.check, answer, list(target), {score: ANY}, language=language,
                name=str(state.sample_id),
            )  # fmt: skip
        except GistmeterError as error:
            return Score.unscored(reason=str(error), answer=answer)
        value = checked[score]
        if not math.isfinite(value):
            return Score.unscored(reason=checked.message, answer=answer)
        explanation = checker.explain(checked, score)
        return Score(value=value, answer=answer, explanation=explanation)

    return judge
