"""A module for Hugging Face `evaluate`: predictions and references in, scores out.

    from gistmeter.tools.adapters.evaluate_module import Gist
    Gist().compute(predictions=[...], references=[...], language="en")

`evaluate.load(gistmeter.tools.adapters.evaluate_module.__file__)` loads the same by its place.
"""

from __future__ import annotations

from typing import Any

from gistmeter.core.errors import MissingDependency

try:
    import datasets
    import evaluate
except ImportError as error:
    raise MissingDependency("evaluate", "evaluate", "The module for evaluate") from error

DESCRIPTION = "How much of the meaning survived: gist and other scores of texts, with intervals."
CITATION = ""
KWARGS = """
Args:
    predictions: texts.
    references: a text for each, or a list of texts.
    metrics: scores to make, by default gist.
    language: a code such as en, zh, ja; by default it is found.
    further options of `gistmeter text`, such as profile and seed.
Returns:
    each score by its name, NAME_low and NAME_high for its interval, and "signature".
"""


class Gist(evaluate.Metric):  # type: ignore[misc]
    """Scores of `gistmeter text`."""

    def _info(self) -> Any:
        text = datasets.Value("string")
        several = datasets.Features(
            {"predictions": text, "references": datasets.Sequence(datasets.Value("string"))}
        )
        single = datasets.Features({"predictions": text, "references": datasets.Value("string")})
        return evaluate.MetricInfo(
            description=DESCRIPTION, citation=CITATION, inputs_description=KWARGS,
            features=[several, single],
        )  # fmt: skip

    def _compute(
        self,
        predictions: Any,
        references: Any,
        metrics: Any = ("gist",),
        language: str | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        from gistmeter.text.api import score_text

        run = score_text(predictions, references, metrics=metrics, language=language, **options)
        (scored,) = run.systems.values()
        values: dict[str, Any] = {}
        for name, score in scored.scores.items():
            values |= {name: score.value, f"{name}_low": score.low, f"{name}_high": score.high}
        return {**values, "signature": run.signature}
