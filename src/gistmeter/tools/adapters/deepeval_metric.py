"""A metric for DeepEval, with no language model: does the output mean what was expected?

from gistmeter.tools.adapters.deepeval_metric import GistMetric
assert_test(LLMTestCase(input=..., actual_output=..., expected_output=...), [GistMetric(0.8)])
"""

from __future__ import annotations

import asyncio
import math
from typing import Any

from gistmeter.core.errors import MissingDependency
from gistmeter.tools.adapters import make_checker

try:
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase
except ImportError as error:
    raise MissingDependency("deepeval", "deepeval", "The metric for DeepEval") from error


class GistMetric(BaseMetric):  # type: ignore[misc]
    """A score of `gistmeter text`, by default gist; higher scores must reach the threshold.

    A score that cannot be computed is an error of the metric with its reason, never a 0.
    """

    def __init__(
        self, threshold: float = 0.8, *, metric: str = "gist", language: str = "", **options: Any
    ) -> None:
        self.threshold, self.metric, self.language = threshold, metric, language
        self.async_mode, self.strict_mode = True, False
        self.evaluation_model = None
        self.evaluation_cost = 0.0
        self.score: float | None = None
        self.success: bool | None = None
        self.reason: str | None = None
        self.error: str | None = None
        self._checker = make_checker(options)

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """The score of the actual output against the expected one."""
        checked = self._checker.check(
            test_case.actual_output, test_case.expected_output or "",
            {self.metric: f">={self.threshold!r}"}, language=self.language,
        )  # fmt: skip
        value = checked[self.metric]
        if not math.isfinite(value):
            self.error, self.success = checked.message, False
            raise ValueError(checked.message)
        self.score, self.success = value, not checked.message
        self.reason = self._checker.explain(checked, self.metric)
        return value

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        return await asyncio.to_thread(self.measure, test_case)

    def is_successful(self) -> bool:
        return bool(self.success) and self.error is None

    @property
    def __name__(self) -> str:
        return f"gistmeter {self.metric}"
