"""Language is a property of an item: given, from a column, a file's name or the texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from gistmeter.core.family import Context, Items
from gistmeter.core.signature import describe
from gistmeter.core.types import Metric, ScoreInfo

if TYPE_CHECKING:
    from gistmeter.core.rows import Pool, Rows, Value


def assign_languages(
    read: Items[Any],
    given: str,
    texts: Sequence[Sequence[str]],
    context: Context,
    names: Sequence[Sequence[str]] = (),
) -> Items[Any]:
    """Items with their languages; what was guessed is said in one wording everywhere.

    `texts` are what tells each item's language, `names` the names of the files it comes from.
    """
    from gistmeter import languages

    column = [item.language for item in read.items]
    chosen = languages.choose(given, column, names, texts)
    if chosen.remark:
        context.say(chosen.remark)
    items = [
        replace(item, language=code) for item, code in zip(read.items, chosen.codes, strict=True)
    ]
    codes = list(dict.fromkeys(chosen.codes))
    found = {**read.found, "language": codes[0] if len(codes) == 1 else sorted(codes)}
    return replace(read, items=items, found=found)


@dataclass(frozen=True, slots=True)
class ByLanguage:
    """Metrics of one kind by language code; an item of no known language takes the first."""

    by_language: Mapping[str, Metric]

    @property
    def first(self) -> Any:
        return next(iter(self.by_language.values()))

    @property
    def scores(self) -> tuple[ScoreInfo, ...]:
        return tuple(self.first.scores)

    @property
    def partial(self) -> dict[str, tuple[str, ...]]:
        """A score is partial where it is in any language."""
        found: dict[str, dict[str, None]] = {}
        for metric in self.by_language.values():
            for name, parts in getattr(metric, "partial", {}).items():
                found.setdefault(name, {}).update(dict.fromkeys(parts))
        return {name: tuple(parts) for name, parts in found.items()}

    def measure(self, items: Sequence[Any]) -> Rows:
        import numpy as np

        from gistmeter.core.rows import Rows

        places: dict[str, list[int]] = {}
        known = next(iter(self.by_language))
        for at, item in enumerate(items):
            code = item.language if item.language in self.by_language else known
            places.setdefault(code, []).append(at)
        parts = []
        for code, own in places.items():
            rows = self.by_language[code].measure([items[at] for at in own])
            parts.append(replace(rows, item=np.asarray(own, dtype=np.int64)[rows.item]))
        joined = Rows.concat(parts)
        order = np.argsort(joined.item, kind="stable")
        return joined.take(order).with_details(joined.details)

    def derive(self, rows: Rows) -> Rows:
        derive = getattr(self.first, "derive", None)
        return derive(rows) if derive is not None else rows

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        pooled: Mapping[str, Value] = self.first.pool(rows)
        return pooled

    def documents(self, rows: Rows, items: Sequence[Any]) -> Mapping[str, Any]:
        tell = getattr(self.first, "documents", None)
        return tell(rows, items) if tell is not None else {}

    def explain(self, name: str, rows: Rows) -> str:
        explain = getattr(self.first, "explain", None)
        return explain(name, rows) if explain is not None else "undefined"


def shared_by(metric: Any) -> Any:
    """A metric, or of one that tells languages apart the first: for what all share."""
    return metric.first if isinstance(metric, ByLanguage) else metric


def by_language(made: Mapping[str, Metric]) -> Metric:
    """The one metric, where all languages share it; else one that tells them apart."""
    if len({str(describe(metric)) for metric in made.values()}) == 1:
        return next(iter(made.values()))
    return cast("Metric", ByLanguage(made))
