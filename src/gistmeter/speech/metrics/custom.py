"""A metric of the user's own: an asynchronous function of (expected, got).

It returns something with a `score` in percent, lower is better, a `detail` in words and, if it
likes, `to_html()` for the diff of the pair. A call that raises leaves a warning and an empty cell.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import math
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from gistmeter.core.errors import InputError
from gistmeter.core.registry import load_own
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Clip, ScoreInfo
from gistmeter.core.wiring import Wiring, given
from gistmeter.speech.metrics.edits import why_missing

logger = logging.getLogger(__name__)

MetricFunction = Callable[[str, str], Any]  # asynchronous, or plain
Outcome = TypeVar("Outcome")
AT_ONCE = 8  # calls under way at the same time


@dataclass(frozen=True, slots=True)
class NamedFunction:
    """A function with the name it is known by in signatures."""

    id: str
    call: MetricFunction


def custom_function(wiring: Wiring) -> NamedFunction | None:
    """The user's own metric: a function, or where to find one."""
    given = wiring.settings.custom_metric
    if not given:
        return None
    if not isinstance(given, str):
        module, name = getattr(given, "__module__", ""), getattr(given, "__qualname__", "")
        return NamedFunction(f"{module}:{name or type(given).__name__}", given)
    function = load_own(given)
    if not callable(function):
        raise InputError(f"custom_metric {given}: is not a function")
    return NamedFunction(given, function)


@dataclass(frozen=True, slots=True)
class CustomMetric:
    """The mean of a function's scores over clips; lower is better."""

    function: NamedFunction = given(custom_function, shared=True, required=True)
    at_once: int = AT_ONCE
    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("custom_metric", False, 0, 100, "%"),)

    def measure(self, clips: Sequence[Clip]) -> Rows:
        scores, details, fragments = [], [], []
        reasons: dict[int, str] = {}
        for at, outcome in enumerate(run_async(self._all(clips))):
            result = None if isinstance(outcome, str) else outcome
            scores.append(math.nan if result is None else float(result.score))
            details.append(None if result is None else str(result.detail))
            fragments.append(_fragment(result))
            if math.isnan(scores[at]):
                reasons[at] = str(outcome if result is None else result.detail)
        rows = Rows.of(clips).with_numbers({"custom_metric": scores})
        rows = rows.with_texts({"custom_detail": details, "custom_html": fragments})
        return rows.with_reasons("custom_metric", reasons)

    async def _all(self, clips: Sequence[Clip]) -> list[Any]:
        gate = asyncio.Semaphore(self.at_once)

        async def outcome_of(clip: Clip) -> Any:
            if clip.got is None:
                return why_missing(clip)
            async with gate:
                return await call_safely(self.function.call, clip.expected, clip.got, clip.id)

        return list(await asyncio.gather(*(outcome_of(clip) for clip in clips)))

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {"custom_metric": rows.mean("custom_metric")}


async def call_safely(function: MetricFunction, expected: str, got: str, name: str) -> Any:
    """What a user's function returns; where it raises, a warning, and the reason as text."""
    try:
        result = function(expected, got)
        if inspect.isawaitable(result):
            result = await result
        float(result.score)
    except Exception as error:  # the function is the user's: anything can come out of it
        logger.warning("The custom metric failed on %s: %s: %s", name, type(error).__name__, error)
        return f"the custom metric failed: {type(error).__name__}"
    return result


def _fragment(outcome: Any) -> str | None:
    if outcome is None or not hasattr(outcome, "to_html"):
        return None
    try:
        return str(outcome.to_html())
    except Exception as error:  # as above
        logger.warning("The custom metric's to_html failed: %s: %s", type(error).__name__, error)
        return None


def run_async(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """Wait for a coroutine, also from inside a notebook whose loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, work).result()
