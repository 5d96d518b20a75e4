"""What asking would cost, before anything is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gistmeter.core.cache import Cache
from gistmeter.core.types import Clip
from gistmeter.languages import get
from gistmeter.speech.consent import find_fact_model
from gistmeter.speech.costs import FactModel
from gistmeter.speech.metrics.fact_prompt import INSTRUCTIONS, build_prompt, fact_schema
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.semantic_error import SemanticErrorRate
from speech.loopback import serve
from speech.served_model import answer, model, no_keys  # noqa: F401
from speech.speech_doubles import HEARD, SAID, texts_of


def test_an_estimate_counts_what_the_cache_does_not_have(tmp_path: Path) -> None:
    normalisation = Normalisation(get("en"))
    clips = [Clip("1", SAID, HEARD), Clip("2", SAID, ""), Clip("3", SAID, None), Clip("4", "", "x")]

    def reply(prompt: str) -> Any:
        first = len(texts_of(prompt)) == 2
        return answer(prompt) if first else {"verdicts": [{"number": 1, "told": "both"}]}

    with serve(reply) as service:
        cache = Cache(tmp_path / "answers.sqlite")
        judge = FactModel(model(service, cache))
        before = judge.estimate(clips, normalisation, repeats=2)
        assert (before.calls, before.cached) == (4, 0)
        assert before.input_tokens > 4 * 400 and before.output_tokens > 0 and before.seconds > 0
        assert service.requests == []
        SemanticErrorRate(judge.llm, normalisation).measure(clips)
        after = judge.estimate(clips, normalisation, repeats=2)
        assert judge.estimate(clips, normalisation, verify=True).calls == 2
        assert judge.llm.usage.cached == 0
        SemanticErrorRate(judge.llm, normalisation, verify=True).measure(clips)
        assert judge.estimate(clips, normalisation, verify=True).calls == 0
        cache.close()
    assert (after.calls, after.cached) == (2, 2)
    assert "2 (2 answers are in the cache)" in str(after)


def test_prices_are_known_for_hosted_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    judge = find_fact_model("openai:gpt-4o", Cache(None))
    cost = judge.estimate([Clip("1", SAID, HEARD)], Normalisation(get("en"))).cost
    assert cost is not None and 0 < cost < 0.1


def test_reasoning_is_reckoned_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    clips, normalisation = [Clip("1", SAID, HEARD)], Normalisation(get("en"))
    plain = find_fact_model("openai:gpt-4o", Cache(None)).estimate(clips, normalisation)
    reasoning = find_fact_model("openai:gpt-5", Cache(None)).estimate(clips, normalisation)
    assert reasoning.output_tokens > plain.output_tokens + 1500


def test_answers_so_far_correct_the_estimate(tmp_path: Path) -> None:
    clips = [Clip("1", SAID, HEARD), Clip("2", SAID, HEARD + " And more.")]
    with serve(answer) as service:
        cache = Cache(tmp_path / "answers.sqlite")
        judge = FactModel(model(service, cache))
        judge.llm.ask([build_prompt(SAID, HEARD, "en")], fact_schema(), instructions=INSTRUCTIONS)
        known = judge.llm.usage.output_tokens
        after = judge.estimate(clips, Normalisation(get("en")))
        cache.close()
    assert after.calls == 1 and known > 0
    assert after.output_tokens == pytest.approx(known, rel=0.35)
