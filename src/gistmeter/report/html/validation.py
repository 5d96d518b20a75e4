"""The page of a validation: agreement table, calibration plots, weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gistmeter.core.files import write_atomically
from gistmeter.core.views import shown
from gistmeter.core.wording import count
from gistmeter.report import agreement
from gistmeter.report.html.embedding import policy
from gistmeter.report.html.page import environment, page_style, trusted

HEADS = [title for _, title in agreement.MEASURES]


def write_validation(found: agreement.Validation, path: Path, title: str) -> None:
    """Write a validation as one HTML file."""
    style = page_style()
    decided = [*HEADS, "AUC", "threshold"] if found["binary"] else HEADS
    ordered = agreement.ordered(found)
    text = (
        environment()
        .get_template("validation.html.j2")
        .render(
            policy=policy(style, "", audio=False),
            style=trusted(style),
            title=shown(title, 80),
            answer=_answer(ordered),
            heads=[*decided, "n"],
            rows=[_row(name, one, binary=found["binary"]) for name, one in ordered],
            notes=[*agreement.people(found), *agreement.footnotes(found)],
            pictures=[
                {"title": shown(name, 60), "drawing": trusted(drawing)}
                for name, drawing in agreement.calibrations(found).items()
            ],
            weights=found["weights"],
            verdict=agreement.verdict(found) if found["weights"] else "",
        )
    )
    write_atomically(path, text)


def _answer(ordered: list[tuple[str, Any]]) -> str:
    if not ordered:
        return "No score has values beside labels."
    name, best = ordered[0]
    told = (
        f"{shown(name, 60)} agrees best with people: Spearman {agreement.spelled(best['spearman'])}"
    )
    return f"{told} on {count(best['n'], 'item')}."


def _row(name: str, one: Any, *, binary: bool) -> dict[str, Any]:
    estimates = [one[key] for key, _ in agreement.MEASURES]
    if binary and one["decision"]:
        estimates += [one["decision"]["auc"], one["decision"]["threshold"]]
    cells = [
        {"value": agreement.value(part), "bounds": agreement.bounds(part)} for part in estimates
    ]
    return {"name": shown(name, 60), "cells": [*cells, {"value": str(one["n"]), "bounds": ""}]}
