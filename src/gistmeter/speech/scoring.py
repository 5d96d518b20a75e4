"""Metrics by name, and scoring from Python.

>>> run = score_speech(["hello world"], ["hello word"], language="en", metrics=["wer"])
>>> run["wer"].value
50.0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from gistmeter import languages
from gistmeter.errors import InputError, UnknownName
from gistmeter.metrics.distance import SemanticDistance
from gistmeter.metrics.facts import SemanticErrorRate
from gistmeter.metrics.transcription import ErrorRates, Reading, segments
from gistmeter.rows import Rows
from gistmeter.speech.pairs import edit_totals, gather, lost_words
from gistmeter.types import Clip, Metric, Run

if TYPE_CHECKING:
    from gistmeter.models.protocols import LanguageModel, TokenMatcher

MOST_FILES = 200  # that a run reports one by one, beside the whole
SCORES = ("wer", "cer", "sem_dist", "ser")
ALIASES = {"understanding": "ser", "missing": "ser", "extra": "ser"}


def chosen_scores(names: Sequence[str]) -> list[str]:
    """The scores asked for, each once; an unknown one is an error that says what there is."""
    found: list[str] = []
    for name in names:
        plain = ALIASES.get(name, name)
        if plain not in SCORES:
            raise UnknownName("speech score", name, [*SCORES, *ALIASES])
        found.append(plain)
    return list(dict.fromkeys(found))


def grouped_by_file(clips: Sequence[Clip]) -> list[Clip]:
    """Clips that name no group are reported by file, unless there are too many files to look at."""
    if len({clip.id for clip in clips}) > MOST_FILES:
        return list(clips)
    return [replace(clip, group=clip.group or clip.id) for clip in clips]


@dataclass(frozen=True, slots=True)
class LanguageChoice:
    """The language of the texts, and how it was found."""

    code: str
    remark: str = ""


def choose_language(given: str, clips: Sequence[Clip]) -> LanguageChoice:
    """The language named by the user or the clips, else the one the expected texts are in."""
    if given and given != "auto":
        return LanguageChoice(given)
    named = {clip.language for clip in clips if clip.language}
    if len(named) == 1:
        return LanguageChoice(named.pop())
    if named:
        raise InputError(
            f"The clips are in several languages ({', '.join(sorted(named))}). "
            "Score one language at a time, or name one with --language"
        )
    texts = list(dict.fromkeys(clip.expected for clip in clips if clip.expected.strip()))
    if not texts:
        return LanguageChoice("generic", "No expected text to find the language in")
    found = languages.detect(texts)
    return LanguageChoice(
        found.code, f"Language: {found.code} (detected, confidence {found.confidence:.2f})"
    )


def build_metrics(
    scores: Sequence[str],
    reading: Reading,
    *,
    matcher: TokenMatcher | None = None,
    llm: LanguageModel | None = None,
    repeats: int = 1,
    verify: bool = False,
    segmented: bool = False,
) -> dict[str, Metric]:
    """The metrics behind scores; one whose model is not given is left out."""
    metrics: dict[str, Metric] = {}
    rates = tuple(name for name in ("wer", "cer") if name in scores)
    if rates:
        metrics["transcription"] = ErrorRates(reading, rates, segmented)
    if "sem_dist" in scores and matcher is not None:
        metrics["sem_dist"] = SemanticDistance(matcher, reading, segmented)
    if "ser" in scores and llm is not None:
        metrics["facts"] = SemanticErrorRate(llm, reading, repeats, verify, segmented)
    return metrics


def wants_segments(clips: Sequence[Clip], reading: Reading) -> bool:
    """Whether one text is all there is, and long enough to be cut for an interval."""
    if len({clip.cluster for clip in clips}) > 1:
        return False
    return len(segments(len(reading.read(clips[0].expected).words))) > 1


def notes_of(
    clips: Sequence[Clip], usage: Any = None, **more: Any
) -> Callable[[Rows], Mapping[str, Any]]:
    """What a run of speech keeps beside its scores: edits and lost words of each system.

    `usage` is a language model's own count of calls, tokens and cost.
    """

    def notes(rows: Rows) -> Mapping[str, Any]:
        pairs = gather(rows, clips)
        kept = {**more, "edits": edit_totals(pairs), "lost_words": lost_words(pairs)}
        if "ser_short" in rows:
            kept["short_texts"] = int(rows.sum("ser_short"))
            kept["verdict_flips"] = int(rows.sum("verdict_flips"))
        if usage is not None:
            kept["usage"] = asdict(usage)
        return kept

    return notes


def score_speech(
    expected: Sequence[str] | str,
    got: Sequence[str | None] | str | Mapping[str, Sequence[str | None]],
    *,
    language: str = "auto",
    metrics: Sequence[str] = ("wer", "cer", "sem_dist"),
    normalizer: str = "seed",
    numbers: str = "keep",
    alternatives: Sequence[Sequence[str]] = (),
    llm: LanguageModel | None = None,
    repeats: int = 1,
    verify: bool = False,
    **options: Any,
) -> Run:
    """Score transcripts: one list of texts, or several systems' lists by name.

    Rates are percentages. `metrics` are of wer, cer, sem_dist and ser; the last needs `llm`.
    `options` go to `evaluate` (seed, resamples, confidence …).
    """
    from gistmeter.evaluate import evaluate

    clips = grouped_by_file(_clips(expected, got))
    scores = chosen_scores(metrics)
    reading = Reading(
        languages.get(choose_language(language, clips).code),
        normalizer,
        numbers,
        tuple(tuple(forms) for forms in alternatives),
    )
    if "ser" in scores and llm is None:
        raise InputError("The score 'ser' needs a language model: give it as llm")
    built = build_metrics(
        scores,
        reading,
        matcher=_matcher(reading.code) if "sem_dist" in scores else None,
        llm=llm,
        repeats=repeats,
        verify=verify,
        segmented=wants_segments(clips, reading),
    )
    return evaluate(clips, built, notes=notes_of(clips, language=reading.code), **options)


def _clips(
    expected: Sequence[str] | str,
    got: Sequence[str | None] | str | Mapping[str, Sequence[str | None]],
) -> list[Clip]:
    said = [expected] if isinstance(expected, str) else list(expected)
    by_system: Mapping[str, Sequence[str | None]]
    if isinstance(got, Mapping):
        by_system = got
    else:
        by_system = {"system": [got] if isinstance(got, str) else list(got)}
    for system, texts in by_system.items():
        if len(texts) != len(said):
            raise InputError(f"'{system}' has {len(texts)} transcripts for {len(said)} texts")
    return [
        Clip(str(number), text, heard, system)
        for system, texts in by_system.items()
        for number, (text, heard) in enumerate(zip(said, texts, strict=True), 1)
    ]


def _matcher(language: str) -> TokenMatcher:
    from gistmeter.cache import Cache
    from gistmeter.models.loading import load_models

    matcher = load_models(["matcher"], language=language, cache=Cache(None)).matcher
    if matcher is None:
        raise InputError("The score 'sem_dist' needs a token encoder, and the profile has none")
    return matcher
