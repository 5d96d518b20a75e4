"""The benchmark's own calls: one clip through one recogniser, and the analyser of facts.

from gistmeter import SemanticUnderstandingAnalyzer, transcribe_and_diff

analyzer = SemanticUnderstandingAnalyzer(api_key=os.getenv("GEMINI_API_KEY"))
report = await transcribe_and_diff(
    "moonshine", "a.wav", "a.txt", "a.html", custom_metric_fn=analyzer.compare
)
report.wer, report.custom_metric.score

All rates are percentages: 12.5 means 12.5%. Lower is better for every error rate.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter import languages
from gistmeter.core.cache import Cache
from gistmeter.core.engines import measure
from gistmeter.core.errors import InputError
from gistmeter.core.files import write_atomically
from gistmeter.core.pages import Section, custom_section, understanding_section
from gistmeter.core.types import Clip, Metric
from gistmeter.report.diff import render_pair, render_section
from gistmeter.speech.clip_results import COUNTED, EDITS, ClipResult, gather, view
from gistmeter.speech.consent import DEFAULT_MODEL, find_fact_model
from gistmeter.speech.family import Speech
from gistmeter.speech.formats.utterances import read_one_text
from gistmeter.speech.metrics.custom import call_safely
from gistmeter.speech.metrics.edits import NO_EXPECTED
from gistmeter.speech.metrics.fact_answers import median_judgement
from gistmeter.speech.metrics.fact_prompt import SemanticFact, Verdict, count_facts
from gistmeter.speech.metrics.latency import UNTIMED, Latency
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.rates import ErrorRates
from gistmeter.speech.metrics.semantic_error import SHORT, SemanticErrorRate

if TYPE_CHECKING:
    from gistmeter.models.protocols import LanguageModel

__all__ = [
    "CustomMetricFn", "CustomMetricResult", "DiffReport", "SemanticFact", "SemanticMetricResult",
    "SemanticUnderstandingAnalyzer", "Verdict", "diff_clip", "transcribe_and_diff",
]  # fmt: skip


@dataclass(frozen=True)
class CustomMetricResult:
    """The outcome of a custom metric on one pair; derive from it for HTML of your own.

    >>> CustomMetricResult(12.5, "one name in eight is lost").score
    12.5
    """

    score: float  # percent, lower is better; NaN where there is none
    detail: str  # in words, for logs and tables

    def to_html(self) -> str:
        """A fragment for the diff; it may use the classes panel, stats, stat, stat-label,
        stat-value and stat-detail."""
        return render_section(custom_section(self.score, self.detail))


CustomMetricFn = Callable[[str, str], Awaitable[CustomMetricResult]]


@dataclass(frozen=True)
class SemanticMetricResult(CustomMetricResult):
    """The semantic error rate of one pair with the facts behind it; `score` is the SER."""

    facts: tuple[SemanticFact, ...] = field(default=())

    @property
    def facts_both(self) -> int:
        """Facts in both texts."""
        return count_facts(self.facts).both

    @property
    def facts_missing(self) -> int:
        """Facts only in the expected text: lost."""
        return count_facts(self.facts).missing

    @property
    def facts_extra(self) -> int:
        """Facts only in the transcript."""
        return count_facts(self.facts).extra

    @property
    def total_expected(self) -> int:
        return self.facts_both + self.facts_missing

    @property
    def total_got(self) -> int:
        return self.facts_both + self.facts_extra

    @property
    def understanding(self) -> float:
        """Share of the expected facts that is preserved; NaN where there is no score."""
        return 100 - self.score

    @property
    def pct_missing(self) -> float:
        """The score, under the name that says what it counts."""
        return self.score

    @property
    def pct_extra(self) -> float:
        """Share of the transcript's facts that were not said; NaN where it has none."""
        return count_facts(self.facts).pct_extra

    def to_html(self) -> str:
        """The Semantic Understanding section: four cards and the list of facts."""
        facts = [fact.to_dict() for fact in self.facts]
        return render_section(
            understanding_section(
                ser=self.score, extra=self.pct_extra, facts=facts, note=self.detail
            )
        )


@dataclass(frozen=True)
class DiffReport:
    """One transcript against what was said. Rates are percentages."""

    provider: str
    file: str
    chars_expected: int = 0
    chars_got: int = 0
    words_expected: int = 0
    words_got: int = 0
    wer: float = math.nan
    cer: float = math.nan
    match_percent: float = math.nan
    insertions: int = 0
    deletions: int = 0
    substitutions: int = 0
    latency: float = math.nan  # seconds from the last sound to the last final text
    custom_metric: CustomMetricResult | None = None
    diff_report: Path | None = None  # the HTML page
    error: str = ""  # why there is no transcript or no rate
    text_expected: str = ""
    text_got: str = ""


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
            llm or find_fact_model(model, Cache(None), api_key=api_key or None).llm,
            Normalisation(languages.get(language or "generic")),
            repeats,
            verify,
        )

    async def compare(self, expected: str, got: str) -> SemanticMetricResult:
        """The facts of both texts; the score is NaN, with the reason, where there is none."""
        form = self._metric.normalisation.read(expected)
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


async def transcribe_and_diff(
    provider: Any,
    wav_path: str | Path,
    txt_path: str | Path,
    out_path: str | Path | None,
    custom_metric_fn: CustomMetricFn | None = None,
    *,
    language: str = "auto",
    normalizer: str = "seed",
    settings: Any = None,
) -> DiffReport:
    """Transcribe a sound file and compare with its text; the HTML diff goes to `out_path`.

    `provider` is anything that can recognise speech: a name of the registry, a recogniser, an
    object with `transcribe(path)`, or a function of a path. A provider that fails gives a report
    with its `error`; a custom metric that raises leaves a warning and no `custom_metric`.
    """
    from gistmeter.speech.recognition import timed_clip
    from gistmeter.speech.recognizers.benchmark import BenchmarkSettings, adapt, resolve, transcribe

    if isinstance(provider, str):
        resolved = resolve([provider])
        if resolved.skipped:
            raise InputError(f"{provider} cannot run. {resolved.skipped[provider]}")
        name, recognizer = next(iter(resolved.recognizers.items()))
    else:
        name = getattr(provider, "name", "") or getattr(provider, "__name__", "")
        name = name or type(provider).__name__
        recognizer = adapt(provider, name)
    said = Clip(Path(wav_path).stem, read_one_text(Path(txt_path)), audio=str(wav_path))
    heard = await transcribe(
        recognizer,
        str(wav_path),
        settings or BenchmarkSettings(),
        "" if language == "auto" else language,
    )
    return await diff_clip(
        timed_clip(said, name, heard),
        Path(out_path) if out_path is not None else None,
        custom_metric_fn,
        language=language,
        normalizer=normalizer,
    )


async def diff_clip(
    clip: Clip,
    out_path: Path | None,
    custom_metric_fn: CustomMetricFn | None = None,
    *,
    language: str = "auto",
    normalizer: str = "seed",
) -> DiffReport:
    """The report of a clip that has its transcript already."""
    chosen = languages.choose(language, [clip.language], texts=[(clip.expected,)])
    clip = replace(clip, language=chosen.codes[0])
    metrics: dict[str, Metric] = {
        "transcription": ErrorRates(Normalisation(languages.get(clip.language), normalizer)),
        "latency": Latency(),
    }
    result = gather(measure([clip], metrics, Speech().base), metrics)[0]
    custom = None
    if custom_metric_fn is not None and clip.got is not None:
        outcome = await call_safely(custom_metric_fn, clip.expected, clip.got, clip.id)
        custom = None if isinstance(outcome, str) else outcome
    if out_path is not None:
        sections = [Section(html=custom.to_html())] if custom is not None else []
        write_atomically(out_path, render_pair(view(result, sections)))
    return _report(result, clip, custom, out_path)


def _report(
    result: ClipResult, clip: Clip, custom: CustomMetricResult | None, out_path: Path | None
) -> DiffReport:
    def whole(name: str) -> int:
        return 0 if math.isnan(result[name]) else int(result[name])

    return DiffReport(
        provider=clip.system,
        file=clip.id,
        **{name: whole(name) for name in (*COUNTED, *EDITS)},
        wer=result["wer"],
        cer=result["cer"],
        match_percent=result["match_percent"],
        latency=result["latency"],
        custom_metric=custom,
        diff_report=out_path,
        error="; ".join(why for why in result.reasons if why != UNTIMED),
        text_expected=clip.expected,
        text_got=clip.got or "",
    )
