"""The models of a run, for each of its languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gistmeter.core.family import Context, ModelSettings

if TYPE_CHECKING:
    from gistmeter.models.loading import Models


def load_by_language(
    roles: Sequence[str],
    codes: Sequence[str],
    settings: ModelSettings,
    context: Context,
    *,
    names: Mapping[str, Any],
    profile: str = "",
    **more: Any,
) -> dict[str, Models]:
    """Models by language code, as a family's settings and the run's context have them."""
    from gistmeter.models.loading import load_models_by_language
    from gistmeter.models.settings import ModelSettings as BackEndSettings

    return load_models_by_language(
        roles,
        codes,
        profile=_without_judge(profile or settings.profile, settings),
        names=names,
        settings=BackEndSettings(device=settings.device, max_length=settings.max_length, **more),
        cache=context.cache,
        profiles=context.profiles,
        progress=context.progress,
    )


def _without_judge(profile: str, settings: ModelSettings) -> str:
    return "embedded-plain" if profile == "embedded" and settings.no_judge else profile
