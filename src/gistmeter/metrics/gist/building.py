"""The metric `gist` with the models it was fitted for: the embedded ones, and the judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gistmeter.core.family import Context, ModelSettings

if TYPE_CHECKING:
    from gistmeter.metrics.gist import Gist
    from gistmeter.models.protocols import JudgeModel

PROFILE = "embedded"
SCORE = "gist"


def by_default(settings: ModelSettings) -> bool:
    """Whether a run has `gist` without being asked: offline, with the judge, its weights here."""
    from gistmeter.models.e5 import weights_path

    return settings.profile == PROFILE and not settings.no_judge and weights_path() is not None


def build(
    shape: Any, codes: Sequence[str], context: Context, models: Any = None, guards: Any = None
) -> Gist:
    """The metric; `models` are those of the run, used again where they are the embedded ones."""
    from gistmeter.metrics.gist import Baselines, Gist, weights_of
    from gistmeter.models.baselines import baseline
    from gistmeter.models.loading import load_models, require
    from gistmeter.text.remembering import guards_of

    loaded = models if models is not None and _is_embedded(models) else None
    if loaded is None:
        loaded = load_models(
            ["embedder", "matcher"], profile=PROFILE, cache=context.cache,
            progress=context.progress,
        )  # fmt: skip
    embedder, matcher = require(loaded, "embedder"), require(loaded, "matcher")
    return Gist(
        _judge(models, context),
        embedder,
        matcher,
        shape,
        weights_of(shape),
        {
            code: Baselines(
                baseline("sts", embedder.id, code) or 0.0,
                baseline("bertscore", matcher.id, code) or 0.0,
            )
            for code in codes
        },
        guards or guards_of(codes, context.cache),
    )


def _judge(models: Any, context: Context) -> JudgeModel:
    """The run's own judge, which remembers what other scores ask it, else another."""
    from gistmeter.models.judge import CachedJudge
    from gistmeter.models.loading import load_judge

    own = (getattr(models, role, None) for role in ("nli", "cross_encoder"))
    found = next((one for one in own if isinstance(one, CachedJudge)), None)
    return found or load_judge(context.cache, progress=context.progress)


def _is_embedded(models: Any) -> bool:
    from gistmeter.models.baselines import baseline

    there = models.embedder is not None and models.matcher is not None
    return there and all(
        baseline(name, model.id, "") is not None
        for name, model in (("sts", models.embedder), ("bertscore", models.matcher))
    )
