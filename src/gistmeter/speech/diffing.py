"""One clip through one recogniser: transcribed, scored, and laid out as a page."""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from gistmeter import languages
from gistmeter.errors import InputError
from gistmeter.files import write_atomically
from gistmeter.formats.transcripts import read_one_text
from gistmeter.metrics.custom import call_safely
from gistmeter.metrics.latency import TimedClip
from gistmeter.metrics.transcription import ErrorRates, Reading
from gistmeter.report.diff import render_pair
from gistmeter.speech.pages import rate_of, view
from gistmeter.speech.pairs import PairResult, gather
from gistmeter.speech.results import CustomMetricResult, DiffReport
from gistmeter.types import Clip

logger = logging.getLogger(__name__)

CustomMetricFunction = Callable[[str, str], Awaitable[CustomMetricResult]]


async def transcribe_and_diff(
    provider: Any,
    wav_path: str | Path,
    txt_path: str | Path,
    out_path: str | Path | None,
    custom_metric_fn: CustomMetricFunction | None = None,
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
    from gistmeter.recognizers.benchmark import BenchmarkSettings, adapt, resolve, transcribe
    from gistmeter.speech.recognition import timed_clip

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
    custom_metric_fn: CustomMetricFunction | None = None,
    *,
    language: str = "auto",
    normalizer: str = "seed",
) -> DiffReport:
    """The report of a clip that has its transcript already."""
    from gistmeter.speech.scoring import choose_language

    code = choose_language(language, [clip]).code
    metric = ErrorRates(Reading(languages.get(code), normalizer))
    pair = gather(metric.measure([clip]), [clip])[0]
    custom = None
    if custom_metric_fn is not None and clip.got is not None:
        outcome = await call_safely(custom_metric_fn, clip.expected, clip.got, clip.id)
        custom = None if isinstance(outcome, str) else outcome
    if out_path is not None:
        sections = [custom.to_html()] if custom is not None else []
        write_atomically(out_path, render_pair(view(pair, code, sections)))
    return _report(pair, custom, out_path)


def _report(
    pair: PairResult, custom: CustomMetricResult | None, out_path: Path | None
) -> DiffReport:
    def whole(name: str) -> int:
        return 0 if math.isnan(pair[name]) else int(pair[name])

    clip = pair.clip
    return DiffReport(
        provider=clip.system,
        file=clip.id,
        chars_expected=whole("chars_expected"),
        chars_got=whole("chars_got"),
        words_expected=whole("words_expected"),
        words_got=whole("words_got"),
        wer=rate_of(pair, "wer"),
        cer=rate_of(pair, "cer"),
        match_percent=rate_of(pair, "match_percent"),
        insertions=whole("insertions"),
        deletions=whole("deletions"),
        substitutions=whole("substitutions"),
        latency=clip.latency if isinstance(clip, TimedClip) else math.nan,
        custom_metric=custom,
        diff_report=out_path,
        error="; ".join(pair.reasons),
        text_expected=clip.expected,
        text_got=clip.got or "",
    )
