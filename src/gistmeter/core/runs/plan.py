"""What a run is about to do, and where that differs from what it did before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gistmeter.core.errors import ResumeError
from gistmeter.core.signature import canonical, describe


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is about to do; a resumed run must have the same."""

    command: str
    settings: Mapping[str, Any]
    signature: str
    inputs: Mapping[str, str]  # name -> SHA-256
    items: int

    def to_dict(self) -> dict[str, Any]:
        plain = {
            "command": self.command,
            "settings": describe(self.settings),
            "signature": self.signature,
            "inputs": dict(self.inputs),
            "items": self.items,
        }
        spelled: dict[str, Any] = json.loads(canonical(plain))
        return spelled

    def differences(self, other: Any) -> list[str]:
        """Where another plan differs, each as "name: then -> now"."""
        return [
            f"{name}: {_short(then)} -> {_short(now)}"
            for name, (then, now) in _differing(other, self.to_dict()).items()
        ]


def _differing(then: Any, now: Any, name: str = "") -> dict[str, tuple[Any, Any]]:
    if isinstance(then, dict) and isinstance(now, dict):
        found: dict[str, tuple[Any, Any]] = {}
        for key in sorted({*then, *now}):
            found |= _differing(then.get(key), now.get(key), f"{name}.{key}" if name else key)
        return found
    return {} if then == now else {name: (then, now)}


def _short(value: Any) -> str:
    text = canonical(value)
    return text if len(text) <= 120 else text[:117] + "..."


def refuse_other_plan(path: Path, plan: Plan, stored: Any) -> None:
    differences = plan.differences(stored)
    if differences:
        listed = "\n  ".join(differences)
        raise ResumeError(
            f"{path}: was made with other arguments or input and cannot be resumed:\n  {listed}\n"
            "Use the same arguments, or another folder"
        )
