"""The analyser of facts from Python."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator

import pytest

from gistmeter.compat.speech import SemanticMetricResult, SemanticUnderstandingAnalyzer
from gistmeter.models.credentials import NoKey
from speech.speech_doubles import HEARD, SAID, honest


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    yield


def test_the_analyser_compares_a_pair() -> None:
    analyzer = SemanticUnderstandingAnalyzer(llm=honest(), language="en")
    result = asyncio.run(analyzer.compare(SAID, HEARD))
    assert isinstance(result, SemanticMetricResult)
    assert result.score == 50.0 and result.understanding == 50.0
    assert result.facts_missing == 2 and result.pct_extra == pytest.approx(100 / 3)
    assert (
        "2 facts preserved, 2 missing, 1 extra" in result.detail and "unreliable" in result.detail
    )


def test_the_analyser_without_a_rate_says_why() -> None:
    analyzer = SemanticUnderstandingAnalyzer(llm=honest())
    empty = asyncio.run(analyzer.compare("", HEARD))
    assert math.isnan(empty.score) and empty.detail == "empty expected text"
    none = asyncio.run(analyzer.compare("Um.", "Er."))
    assert math.isnan(none.score) and "no facts" in none.detail


def test_the_analyser_takes_a_key_and_keeps_it_to_itself() -> None:
    analyzer = SemanticUnderstandingAnalyzer(api_key="secret-key")
    assert "secret-key" not in repr(vars(analyzer))
    with pytest.raises(NoKey, match="GEMINI_API_KEY"):
        SemanticUnderstandingAnalyzer(api_key=None)
