"""Which language model is asked, and how much may be spent."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError
from gistmeter.core.family import Context
from gistmeter.core.types import Clip
from gistmeter.languages import get
from gistmeter.models.credentials import NoKey
from gistmeter.models.env_file import environment_with, model_keys
from gistmeter.models.llm import Budget
from gistmeter.speech.consent import fact_model_of, find_fact_model, limit_cost
from gistmeter.speech.costs import FactModel
from gistmeter.speech.family import SpeechSettings
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.semantic_error import SemanticErrorRate
from speech.loopback import serve
from speech.served_model import answer, model, no_keys  # noqa: F401
from speech.speech_doubles import HEARD, SAID, honest


def test_without_a_key_there_is_no_judge() -> None:
    with pytest.raises(NoKey, match="GEMINI_API_KEY"):
        find_fact_model("", Cache(None))
    with pytest.raises(NoKey, match="OPENAI_API_KEY"):
        find_fact_model("openai:gpt-5", Cache(None))
    with pytest.raises(InputError, match="does not say who serves it"):
        find_fact_model("some-model", Cache(None))


def test_the_seeds_model_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "secret-key")
    judge = find_fact_model("", Cache(None))
    assert judge.name == "google:gemini-3-pro-preview"
    assert "t=0.2" in judge.llm.id and "secret-key" not in judge.llm.id


def test_who_is_asked_decides_what_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    judge = find_fact_model("openai:gpt-4o", Cache(None))
    clips = [Clip("1", SAID, HEARD, language="en"), Clip("2", SAID, HEARD, language="cs")]
    read = {code: Normalisation(get(code)) for code in ("en", "cs")}
    assert judge.total(clips, read).calls == 2
    settings = SpeechSettings(max_cost=0.000001)
    asked: list[str] = []

    def answer_with(answer: bool) -> Context:
        return Context(Cache(None), confirm=lambda question: not asked.append(question) and answer)

    limit_cost(judge, clips, read, settings, answer_with(True))
    for refusing in (answer_with(False), Context(Cache(None))):
        with pytest.raises(InputError, match="nothing was run"):
            limit_cost(judge, clips, read, settings, refusing)
    assert asked == ["That is over --max-cost 1e-06. Go on?"] * 2
    limit_cost(judge, clips, read, SpeechSettings(max_cost=5), Context(Cache(None)))
    unpriced, context = FactModel(honest()), Context(Cache(None))
    limit_cost(unpriced, clips, read, settings, context)
    assert "price of scripted is unknown" in context.remarks[0]


def test_a_dearer_run_than_expected_stops_before_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gistmeter.models.llm.service.estimate_cost", lambda *_: 0.4)
    with serve(answer) as service:
        llm = model(service, concurrency=1)
        llm.asker.budget = Budget(limit=1.0, a_call=0.01)
        monkeypatch.setattr(type(llm.asker), "_priced", lambda _, one: replace(one, cost=0.4))
        clips = [Clip(str(at), f"{SAID} {at}", HEARD) for at in range(5)]
        rows = SemanticErrorRate(llm, Normalisation(get("en"))).measure(clips)
    assert len(service.requests) == 2 and llm.asker.budget.spent == pytest.approx(0.8)
    assert sum("could go over the limit" in why for why in rows.reasons["ser"].values()) == 3


def test_a_key_of_the_working_folder_is_used_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text(
        "# keys\nexport GEMINI_API_KEY='filed-key'  # mine\nPATH=/nowhere\nOTHER=1\n", "utf-8"
    )
    said: list[str] = []
    environment = environment_with(model_keys(), said.append)
    assert environment["GEMINI_API_KEY"] == "filed-key"
    assert environment["PATH"] == os.environ["PATH"]
    assert "OTHER" not in environment
    assert "GEMINI_API_KEY" not in os.environ
    assert said == ["GEMINI_API_KEY taken from .env in this folder"]
    context = Context(Cache(None))
    found = fact_model_of(SpeechSettings(llm="gemini"), context)
    assert found is not None and found.name == "google:gemini-3-pro-preview"
    assert context.remarks == said
    monkeypatch.setenv("GEMINI_API_KEY", "mine")  # the environment wins
    assert environment_with(model_keys(), said.append)["GEMINI_API_KEY"] == "mine"
    assert len(said) == 1


def test_only_the_key_that_is_used_is_said_to_be_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    Path(".env").write_text("OPENAI_API_KEY=one\nGEMINI_API_KEY=two\n", "utf-8")
    for settings, said in (
        (SpeechSettings(llm="openai:gpt-4o"), ["OPENAI_API_KEY taken from .env in this folder"]),
        (SpeechSettings(llm="openai:local", llm_url="http://127.0.0.1:9/v1"), []),
    ):
        context = Context(Cache(None))
        assert fact_model_of(settings, context) is not None
        assert context.remarks == said
