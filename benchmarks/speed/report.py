"""The report of 50,000 items: seconds, and bytes that a browser has to open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Goal, Work, fresh
from benchmarks.speed.statistics import Nine, nine_rows
from gistmeter.core.rows import Rows
from gistmeter.core.run import Run

ITEMS = 50_000


def write(folder: Path) -> Iterator[Work]:
    from gistmeter.core.comparison import findings_of
    from gistmeter.core.statistics import count_reasons, summarise
    from gistmeter.report.html.page import write_report

    metric = Nine()
    rows = Rows.concat([nine_rows(ITEMS // 2, "a"), nine_rows(ITEMS // 2, "b", 0.01)])
    words = "a text of a few words that somebody wrote about something " * 2
    rows = rows.with_texts({"prediction": [words] * len(rows), "reference": [words] * len(rows)})
    systems = summarise(
        {"nine": metric}, rows, signatures={"nine": "nine"}, seed=1, resamples=1000, confidence=0.95
    )
    run = Run(
        "text", "nine", systems, count_reasons(rows), rows=rows, signatures={"nine": "nine"},
        metrics={"nine": metric},
    )  # fmt: skip
    path = folder / "report.html"

    def ours() -> float:
        """Megabytes of the page."""
        write_report([run], path, comparisons=[findings_of(run)])
        return path.stat().st_size / 1e6

    yield Work(
        f"paired tests and report of {ITEMS:,} items", fresh(ours),
        goals=(Goal("seconds", 30), Goal("value", 3)), rounds=2, warm=False,
    )  # fmt: skip


PARTS = (write,)
