"""Alarms of texts: facts that a text states differently from its references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Pair, ScoreInfo
from gistmeter.core.wiring import given
from gistmeter.languages.guard import Guard
from gistmeter.languages.guard.remembered import guards_of
from gistmeter.metrics.alarm_columns import SCORES, ItemAlarms, shares, table
from gistmeter.metrics.missing import NO_PREDICTION, NO_REFERENCE


@dataclass(frozen=True, slots=True)
class FactAlarms:
    """The share of texts that tell a fact otherwise than their references, and by kind.

    Range [0, 1], lower is better; identical texts have no alarm. A text or reference that is
    missing leaves its item unscored.
    """

    guards: Mapping[str, Guard] = given(guards_of, shared=True)  # by language code
    scores: ClassVar[tuple[ScoreInfo, ...]] = SCORES

    def measure(self, pairs: Sequence[Pair]) -> Rows:
        reasons: dict[int, str] = {}
        asked: dict[str, list[tuple[int, int]]] = {}  # language -> pair and reference
        first = next(iter(self.guards))
        for at, pair in enumerate(pairs):
            places = [place for place, one in enumerate(pair.references) if one.strip()]
            said = (pair.candidate or "").strip()
            if not said or not places:
                reasons[at] = NO_REFERENCE if said else NO_PREDICTION
                continue
            code = pair.language if pair.language in self.guards else first
            if not self.guards[code].reads:
                reasons[at] = self.guards[code].why_not
                continue
            asked.setdefault(code, []).extend((at, place) for place in places)
        found: list[ItemAlarms | None] = [None] * len(pairs)
        for code, own in asked.items():
            texts = [(pairs[at].references[one], pairs[at].candidate or "") for at, one in own]
            compared = self.guards[code].compare(texts)
            for (at, place), alarms in zip(own, compared, strict=True):
                known = found[at]
                if known is None or len(alarms) < len(known.alarms):
                    found[at] = ItemAlarms(place, alarms)
        return table(Rows.of(pairs), found, reasons)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return shares(rows)
