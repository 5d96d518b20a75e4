"""A small run with texts, and labels of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gistmeter import score_text
from gistmeter.core.run import Run
from gistmeter.people.designs import Design, draw_sample
from gistmeter.people.records import LabelRecord


def text_run(folder: Path | None = None, items: int = 40, systems: int = 2, seed: int = 1) -> Run:
    """A run of made-up texts, scored by shared words alone."""
    random = np.random.default_rng(seed)
    words = ["red", "blue", "house", "sea", "calm", "boat", "stone", "wind", "road", "hill"]
    lines = ["id,system,reference,prediction,topic"]
    for at in range(items):
        reference = random.choice(words, 6)
        for system in range(systems):
            kept = random.random() * (1 - 0.3 * system)
            said = [w if random.random() < kept else random.choice(words) for w in reference]
            topic = "law" if at % 2 else "news"
            lines.append(f"{at},s{system},{' '.join(reference)} {at},{' '.join(said)} {at},{topic}")
    place = (folder or Path.cwd()) / "table.csv"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("\n".join(lines) + "\n")
    output = {"output": folder / "runs" / "first"} if folder else {}
    return score_text(place, metrics=["f_beta"], language="en", **output)


def labels_by_score(
    run: Run, design: Design, raters: tuple[str, ...] = ("Anna",), seed: int = 3
) -> list[LabelRecord]:
    """Raters who say what the score says, give or take."""
    random = np.random.default_rng(seed)
    sample = draw_sample(run, design)
    values = run.measured.values(sample.score)
    return [
        LabelRecord(
            pick.item, rater, "scale",
            round(float(np.clip(1 + 4 * values[pick.row] + random.normal(0, 0.5), 1, 5)), 2),
            scale=(1.0, 5.0), selection=pick.selection,
        )
        for pick in sample.picks
        for rater in raters
    ]  # fmt: skip
