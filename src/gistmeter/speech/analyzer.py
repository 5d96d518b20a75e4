"""The semantic error rate of single pairs, asynchronous, as a custom metric."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from gistmeter import languages
from gistmeter.metrics.facts import SemanticErrorRate
from gistmeter.metrics.facts.judgement import median_judgement
from gistmeter.metrics.facts.rate import SHORT
from gistmeter.metrics.transcription import Reading
from gistmeter.metrics.transcription.rates import NO_EXPECTED
from gistmeter.speech.judge import DEFAULT_MODEL, gemini
from gistmeter.speech.results import SemanticMetricResult

if TYPE_CHECKING:
    from gistmeter.models.protocols import LanguageModel


class SemanticUnderstandingAnalyzer:
    """Asks a language model which facts of the expected text a transcript has kept.

    With `api_key` it asks Gemini; `llm` takes any other language model instead. `compare` can be
    given to `transcribe_and_diff` as `custom_metric_fn`.
    """

    def __init__(
        self,
        api_key: str | None = None,
        model: str = DEFAULT_MODEL,
        *,
        llm: LanguageModel | None = None,
        language: str = "",
        repeats: int = 1,
        verify: bool = False,
    ) -> None:
        self._metric = SemanticErrorRate(
            llm or gemini(api_key, model),
            Reading(languages.get(language or "generic")),
            repeats,
            verify,
        )

    async def compare(self, expected: str, got: str) -> SemanticMetricResult:
        """The facts of both texts; the score is NaN, with the reason, where there is none."""
        form = self._metric.reading.read(expected)
        if not form.words:
            return SemanticMetricResult(float("nan"), NO_EXPECTED)
        answers = await asyncio.to_thread(self._metric.judge, [(expected, got)])
        judged = median_judgement(answers[0])
        if judged.reason:
            return SemanticMetricResult(float("nan"), judged.reason, judged.facts)
        counts = judged.counts
        detail = (
            f"SER {counts.ser:.1f}%: {counts.both} facts preserved, {counts.missing} missing, "
            f"{counts.extra} extra"
        )
        if len(form.words) < SHORT:
            detail += f"; fewer than {SHORT} words: unreliable"
        return SemanticMetricResult(counts.ser, detail, judged.facts)
