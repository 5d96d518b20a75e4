"""What `gist` is made with, whatever models a run has: the embedded ones, and the judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gistmeter.core.family import EMBEDDED
from gistmeter.core.wiring import Wiring
from gistmeter.metrics.gist.features import Baselines

if TYPE_CHECKING:
    from gistmeter.models.loading import Models
    from gistmeter.models.protocols import Embedder, JudgeModel, TokenMatcher

ROLES = ("embedder", "matcher")
LONGEST = 2000  # letters of a transcript that the judge reads without being asked


def by_default(wiring: Wiring) -> bool:
    """Whether a run has `gist` without being asked: offline, with the judge, its weights here."""
    from gistmeter.models.e5 import weights_path

    settings = wiring.settings
    return settings.profile == EMBEDDED and not settings.no_judge and weights_path() is not None


def judge_of(wiring: Wiring) -> JudgeModel | None:
    """The judge; none where a run does not ask for it."""
    from gistmeter.models.loading import is_judge, load_judge

    if not wiring.by_name and not (by_default(wiring) and _short_enough(wiring)):
        return None
    own = next(iter(wiring.models.values()))
    for model in (own.nli, own.cross_encoder):
        if is_judge(model):  # it remembers what other scores ask it
            return model  # type: ignore[return-value]
    return load_judge(wiring.context.cache, progress=wiring.context.progress)


def _short_enough(wiring: Wiring) -> bool:
    """Whether the judge reads the texts in good time: not transcripts of many minutes."""
    lengths = (len(getattr(item, "expected", "")) for item in wiring.items)
    if max(lengths, default=0) <= LONGEST:
        return True
    wiring.context.say(
        "gist is left out: some texts are too long to be judged quickly. Ask for it with --metrics"
    )
    return False


def embedder_of(wiring: Wiring) -> Embedder | None:
    """The embedded embedder."""
    models: Models = wiring.once(embedded_models)
    return models.embedder


def matcher_of(wiring: Wiring) -> TokenMatcher | None:
    """The embedded model's tokens."""
    models: Models = wiring.once(embedded_models)
    return models.matcher


def baselines_of(wiring: Wiring) -> dict[str, Baselines]:
    """What unrelated texts score by these models, by language."""
    models = wiring.once(embedded_models)
    return {
        code: Baselines(
            wiring.baseline("sts", models.embedder, code) or 0.0,
            wiring.baseline("bertscore", models.matcher, code) or 0.0,
        )
        for code in wiring.languages
    }


def embedded_models(wiring: Wiring) -> Models:
    """The run's own models where they are the embedded ones as measured, else those apart."""
    from gistmeter.models.loading import Loader, Models, require

    if not (wiring.by_name or by_default(wiring)):
        return Models()
    own = next(iter(wiring.models.values()))
    named = (("sts", own.embedder), ("bertscore", own.matcher))
    if all(wiring.baseline(name, model, "") is not None for name, model in named):
        return own
    loader = Loader(wiring.context.cache, progress=wiring.context.progress)
    models = loader.load(ROLES, EMBEDDED, {}, "")
    for role in ROLES:
        require(models, role)
    return models
