"""How long a recogniser took, as scores beside the error rates.

`latency` is the time from the last sound of a clip to the last final text, `latency_first` from
the first sound to the first text of any kind (both in seconds, means over clips), and
`real_time_factor` the time taken over the duration of the sound, as a ratio of sums. All are
better when lower. Clips without times, which were not recognised here, are unscored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Clip, ScoreInfo
from gistmeter.core.wiring import setting
from gistmeter.speech.formats.speakers import TimedClip

UNTIMED = "not timed"
TIMES = ("latency", "latency_first", "elapsed", "duration")


@dataclass(frozen=True, slots=True)
class Latency:
    """Times of recognisers. Range [0, ∞), lower is better."""

    timed: bool = setting(False, "recognizers", via=bool, signed=False)
    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("latency", False, 0, math.inf, "s", title="time waited"),
        ScoreInfo("latency_first", False, 0, math.inf, "s", title="time to the first word"),
        ScoreInfo(
            "real_time_factor", False, 0, math.inf, "", "elapsed", "time per second of speech"
        ),
    )

    def applies(self, items: Sequence[Clip]) -> bool:
        """Only where recognisers are run here, or were timed before."""
        return self.timed or any(isinstance(clip, TimedClip) for clip in items)

    def requires(self, items: Sequence[Clip]) -> str:
        """Why nothing can be said of times that were asked for."""
        if self.applies(items):
            return ""
        return (
            "latency: nothing was timed. Run recognisers here (--assets with --recognizers), or"
            " give a table of system, file, expected and got with a column 'latency' in seconds"
        )

    def measure(self, clips: Sequence[Clip]) -> Rows:
        rows = Rows.of(clips).with_numbers(
            {name: [float(getattr(clip, name, math.nan)) for clip in clips] for name in TIMES}
        )
        for name in TIMES:
            reasons = {
                at: getattr(clip, "failure", "") or UNTIMED
                for at, clip in enumerate(clips)
                if math.isnan(rows.values(name)[at])
            }
            rows = rows.with_reasons(name, reasons)
        return rows

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        """Means of the latencies, ratio of sums for the real-time factor."""
        return {
            "latency": rows.mean("latency"),
            "latency_first": rows.mean("latency_first"),
            "real_time_factor": rows.ratio("elapsed", "duration"),
        }
