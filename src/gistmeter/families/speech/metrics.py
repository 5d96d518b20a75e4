"""The metrics of a run of speech, made from its settings with the models that they ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gistmeter.errors import InputError, MissingDependency, MissingModel
from gistmeter.families import gist
from gistmeter.families.family import Context, roles_of
from gistmeter.families.models import load_by_language
from gistmeter.families.speech.asking import may_ask
from gistmeter.families.speech.choices import (
    further_metrics,
    is_segmented,
    keywords_of,
    normalisations_of,
    rates_of,
)
from gistmeter.families.speech.judge import Judge, judge_of
from gistmeter.families.speech.settings import SpeechSettings
from gistmeter.metrics.alarms import TranscriptAlarms, guards_of
from gistmeter.metrics.by_language import by_language
from gistmeter.metrics.distance import SemanticDistance
from gistmeter.metrics.facts import SemanticErrorRate
from gistmeter.metrics.keywords import KeywordScores
from gistmeter.metrics.transcription import ErrorRates, Normalisation
from gistmeter.models.loading import Models
from gistmeter.types import Clip, Metric

if TYPE_CHECKING:
    from gistmeter.families.speech import Speech
    from gistmeter.families.speech.recognition import Journal

LONGEST = 2000  # letters of a text that the judge reads without being asked


@dataclass(frozen=True)
class Ready:
    """What is settled before anything is heard or scored, and then where the transcripts are."""

    metrics: Mapping[str, Metric]
    normalisations: Mapping[str, Normalisation]
    judge: Judge | None
    journal: Journal | None = None


def ready_of(
    family: Speech, clips: Sequence[Clip], settings: SpeechSettings, context: Context
) -> Ready:
    """The metrics asked for, ours in their order; one without its model is left out."""
    chosen = family.makers_of(settings.metrics) if settings.metrics else list(family.makers)
    if settings.metrics and "keywords" in chosen and not settings.keywords:
        raise InputError("Scores of keywords need the keywords: --keywords FILE, one per line")
    if settings.keywords and "keywords" not in chosen:
        chosen.append("keywords")
    names = sorted(chosen, key=[*family.makers, *chosen].index)
    if not settings.metrics and not _gist_by_default(clips, settings, context):
        names.remove(gist.SCORE)
    normalisations = normalisations_of(clips, settings)
    further = further_metrics(clips, settings)
    judge = judge_of(settings, context) if "facts" in names else None
    if judge is not None and not may_ask(judge, clips, normalisations, settings, context):
        judge = None
    models = _models(family, names, list(normalisations), settings, context)
    segmented = is_segmented(clips, normalisations, settings, context)
    made = {
        code: _metrics(
            family, names, own, settings, models=models.get(code), judge=judge, segmented=segmented
        )
        for code, own in normalisations.items()
    }
    shared = {
        name: by_language({code: own[name] for code, own in made.items()})
        for name in next(iter(made.values()))
    }
    if gist.SCORE in names:
        codes, first = list(normalisations), next(iter(models.values()), None)
        shared[gist.SCORE] = gist.build("speech", codes, context, first)
    return Ready({**shared, **further}, normalisations, judge)


def _models(
    family: Speech,
    names: Sequence[str],
    codes: Sequence[str],
    settings: SpeechSettings,
    context: Context,
) -> dict[str, Models]:
    """The token encoder and what plug-ins ask; without one the distance is left out."""
    roles = ["matcher"] if "sem_dist" in names else []
    roles += [role for name in names if name not in family.makers for role in roles_of(name)]
    try:
        return load_by_language(
            list(dict.fromkeys(roles)), codes, settings, context,
            names={"matcher": settings.token_encoder}, layer=settings.layer,
        )  # fmt: skip
    except (MissingDependency, MissingModel) as error:
        if settings.metrics or settings.token_encoder:
            raise
        context.warn(f"The semantic distance (sem_dist) is left out. {error}")
        return {}


def _metrics(
    family: Speech,
    names: Sequence[str],
    normalisation: Normalisation,
    settings: SpeechSettings,
    *,
    models: Models | None,
    judge: Judge | None,
    segmented: bool,
) -> dict[str, Metric]:
    matcher = models.matcher if models else None
    if "sem_dist" in names and settings.metrics and models and matcher is None:
        raise InputError(f"sem_dist: {models.absent.get('matcher', 'no token encoder')}")
    made: dict[str, Metric] = {}
    for name in names:
        if name == "transcription":
            made[name] = ErrorRates(normalisation, rates_of(settings.metrics), segmented)
        elif name == "alarms":
            code = normalisation.language.code
            made[name] = TranscriptAlarms(normalisation, guards_of([code])[code], segmented)
        elif name == "sem_dist" and matcher is not None:
            made[name] = SemanticDistance(matcher, normalisation, segmented)
        elif name == "keywords" and settings.keywords:
            made[name] = KeywordScores(normalisation, keywords_of(settings))
        elif name == "facts" and judge is not None:
            made[name] = SemanticErrorRate(
                judge.llm, normalisation, settings.repeats, settings.verify, segmented,
                settings.occurrence,
            )  # fmt: skip
        elif name not in family.makers and models is not None:
            made[name] = family.plugin(name, models)
    return made


def _gist_by_default(clips: Sequence[Clip], settings: SpeechSettings, context: Context) -> bool:
    """Whether the judge is asked without being named: not about recordings of many minutes."""
    if not gist.by_default(settings):
        return False
    longest = max((len(clip.expected) for clip in clips), default=0)
    if longest <= LONGEST:
        return True
    context.say(
        "gist is left out: some texts are too long to be judged quickly. Ask for it with --metrics"
    )
    return False
