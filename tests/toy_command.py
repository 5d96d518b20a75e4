"""A family of toys, run as a program by the tests of the command line."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from gistmeter.cli import main
from gistmeter.core import registry
from gistmeter.core.errors import InputError
from gistmeter.core.family import Context, Family, Items
from gistmeter.core.settings import Settings, option
from gistmeter.core.types import Pair
from gistmeter.core.wiring import setting
from toys import Length, pairs

registry.TABLES["gistmeter.metrics"]["toy/length"] = "toy_command:Slow"  # type: ignore[index]
registry.TABLES["gistmeter.families"]["toy"] = "toy_command:Toys"  # type: ignore[index]


@dataclass(frozen=True, kw_only=True)
class ToySettings(Settings):
    title: ClassVar[str] = "toy"
    source_path: Path | None = option(None, "A file that is read.", panel="input")
    count: int = option(20, "How many items.", panel="input")
    pause: float = option(0.0, "Seconds before each chunk.", panel="scores", kept=False)
    metric_limit: float = option(1.0, "A setting.", panel="scores")


@dataclass(frozen=True)
class Slow(Length):
    """The toy metric, with a pause."""

    limit: float = setting(1.0, "metric_limit")
    pause: float = setting(0.0, signed=False)

    def measure(self, items: Any) -> Any:
        time.sleep(self.pause)
        return super().measure(items)


class Toys(Family[ToySettings, Pair]):
    name = "toy"
    summary = "Score made-up pairs."
    Settings: ClassVar[type[Settings]] = ToySettings
    chunk = 5

    def read(self, settings: ToySettings, context: Context) -> Items[Pair]:
        path = settings.source_path
        if path and not path.exists():
            raise InputError(f"{path}: no such file")
        context.say("a remark")
        return Items(
            [*pairs(settings.count, "one"), *pairs(settings.count, "two")],
            files=[path] if path else [],
        )


if __name__ == "__main__":
    main()
