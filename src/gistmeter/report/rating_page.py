"""A page for raters elsewhere: one HTML file, no server, nothing from outside, blind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gistmeter.core.views import visible
from gistmeter.report.html import asset, render, to_script, trusted

if TYPE_CHECKING:
    from gistmeter.people.rating_sheet import RatingSheet

MOST_BUTTONS = 11


def rating_page(sheet: RatingSheet) -> str:
    """The page; what raters save is read back by `people.rating_sheet.read_sheet`."""
    question = sheet.question
    data = {
        "sample": sheet.token,
        "kind": question.kind,
        "scale": list(question.scale),
        "question": question.spelled,
        "answers": answers(question.kind, question.scale),
        "rows": [
            {
                "item": row.item, "expected": visible(row.expected), "got": visible(row.got),
                **({"other": row.other, "second": visible(row.second)} if row.other else {}),
            }
            for row in sheet.rows
        ],
    }  # fmt: skip
    return render(
        "rating.html.j2",
        script=asset("rating.js"),
        question=question.spelled,
        count=len(sheet.rows),
        data=trusted(to_script(data)),
    )


def answers(kind: str, scale: tuple[float, float]) -> list[tuple[str, str]]:
    """The buttons: what they say and what they stand for; none where there are too many steps."""
    if kind == "yes_no":
        return [("yes", "yes"), ("no", "no")]
    if kind == "which":
        return [("1", "1"), ("alike", "="), ("2", "2")]
    low, high = scale
    steps = high - low
    if not (low.is_integer() and high.is_integer() and steps < MOST_BUTTONS):
        return []
    return [(f"{low + at:g}", f"{low + at:g}") for at in range(int(steps) + 1)]
