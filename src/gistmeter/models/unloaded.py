"""Back ends that go to other processes without what they have loaded: it is read again there."""

from __future__ import annotations

from functools import cached_property
from typing import Any


class Unloaded:
    """Leaves behind its cached properties: weights, sessions and tokenizers."""

    def __getstate__(self) -> dict[str, Any]:
        kind = type(self)
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }
