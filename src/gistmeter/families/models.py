"""The models of a run, for each of its languages; languages whose models agree share them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gistmeter.families.family import Context, ModelSettings

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
    """Models by language code, each distinct set loaded once."""
    from gistmeter.models.loading import load_models
    from gistmeter.models.settings import ModelSettings as BackEndSettings
    from gistmeter.models.settings import profile_names

    chosen = profile or settings.profile
    held: dict[str, Models] = {}
    found: dict[str, Models] = {}
    for code in codes:
        key = str(sorted(profile_names(chosen, code, context.profiles).items()))
        if key not in held:
            held[key] = load_models(
                roles,
                profile=chosen,
                names={role: name for role, name in names.items() if name},
                language=code,
                settings=BackEndSettings(
                    device=settings.device, max_length=settings.max_length, **more
                ),
                cache=context.cache,
                profiles=context.profiles,
                progress=context.progress,
            )
        found[code] = held[key]
    return found
