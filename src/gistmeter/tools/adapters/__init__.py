"""Gistmeter inside other tools: one thin file per tool, each an extra. See docs/ecosystems.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gistmeter.tools.checker import Checker


def make_checker(options: dict[str, Any]) -> Checker:
    """A checker with options of `gistmeter text`; answers are kept where the command keeps them."""
    from gistmeter.core.cache import Cache, cache_file
    from gistmeter.text.family import TextSettings
    from gistmeter.tools.checker import Checker

    return Checker(TextSettings.of(options), cache=Cache(cache_file()))
