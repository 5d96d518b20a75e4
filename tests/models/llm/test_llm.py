"""Language models over real HTTP on the loopback: answers, patience, thrift, silence about keys."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from typing import Any

import pytest

from models.llm_server import Service, serve

pytest.importorskip("pydantic_ai")

from pydantic import BaseModel

from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError
from gistmeter.models.llm import (
    CachedLanguageModel,
    LanguageModelSettings,
    load_language_model,
)
from gistmeter.models.llm.asking import ServiceAsker
from gistmeter.models.llm.service import estimate_cost, full_name, public_url
from gistmeter.models.protocols import Answer
from small_model import small_model

GOOD = '{"name": "fact", "size": 3}'
KEY = "secret-key-123"


class Thing(BaseModel):
    name: str
    size: int


def model(
    service: Service, name: str = "openai:gpt-4o-mini", cache: Cache | None = None, **values: Any
) -> CachedLanguageModel:
    url = f"{service.url}/v1" if name.startswith("openai") else service.url
    settings = LanguageModelSettings(base_url=url, pause=0.01, **values)
    return load_language_model(name, cache=cache or Cache(None), settings=settings, api_key=KEY)


@pytest.mark.parametrize("name", ["openai:gpt-4o-mini", "google:gemini-2.5-flash"])
def test_a_structured_answer(name: str) -> None:
    with serve(GOOD) as service:
        asked = model(service, name, temperature=0.2, seed=7, max_tokens=99)
        (answer,) = asked.ask(["What?"], Thing, instructions="Be brief.")
    assert answer.value == Thing(name="fact", size=3)
    assert answer.raw == GOOD
    assert (answer.input_tokens, answer.output_tokens, answer.cached) == (70, 50, False)
    (request,) = service.requests
    sent = json.dumps(request)
    assert "What?" in sent and "Be brief." in sent
    settings = request.get("generationConfig", request)
    assert settings["temperature"] == 0.2
    assert settings["seed"] == 7
    schema = (
        settings.get("responseJsonSchema") or request["response_format"]["json_schema"]["schema"]
    )
    assert schema["properties"]["size"]["type"] == "integer"
    assert ("generateContent" in service.paths[0]) == name.startswith("google")


@pytest.mark.parametrize("max_tokens", [0, 99])  # without a limit the answer is streamed
@pytest.mark.parametrize("name", ["claude-haiku-4-5", "claude-sonnet-5", "anthropic:claude-x"])
def test_a_structured_answer_of_claude(
    name: str, max_tokens: int, caplog: pytest.LogCaptureFixture
) -> None:
    with serve(529, GOOD) as service:
        asked = model(service, name, temperature=0.2, max_tokens=max_tokens)
        (answer,) = asked.ask(["What?"], Thing, instructions="Be brief.")
    assert answer.value == Thing(name="fact", size=3)
    assert (answer.input_tokens, answer.output_tokens, answer.cached) == (70, 50, False)
    request = service.requests[-1]
    assert service.paths[-1].partition("?")[0] == "/v1/messages"
    assert request["max_tokens"] == 99 or not max_tokens
    sent = json.dumps(request)
    assert "What?" in sent and "Be brief." in sent and '"size"' in sent
    told = "Sampling parameters ['temperature'] are not supported" in caplog.text
    assert told == (name == "claude-sonnet-5")
    assert request.get("temperature") == (None if told else 0.2)


def test_a_models_end_of_life_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    with serve(GOOD) as service:
        model(service, "claude-3-5-haiku-latest").ask(["One?", "Two?"], Thing)
    assert caplog.text.count("is deprecated and will reach end-of-life") == 1


def test_claude_without_a_key_is_refused_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY"):
        load_language_model("claude-sonnet-5", cache=Cache(None))


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_service_is_asked_again(status: int) -> None:
    with serve(status, status, GOOD) as service:
        asked = model(service)
        (answer,) = asked.ask(["What?"], Thing)
    assert answer.value == Thing(name="fact", size=3)
    assert len(service.requests) == 3


def test_patience_ends() -> None:
    with serve(503) as service:
        asked = model(service, attempts=3)
        (answer,) = asked.ask(["What?"], Thing)
    assert answer.value is None
    assert answer.failure == "the service failed (HTTP 503)"
    assert len(service.requests) == 3
    assert asked.usage.failed == 1


def test_a_timeout_is_tried_again_and_then_a_reason() -> None:
    with serve(0.5, GOOD) as service:
        (answer,) = model(service, timeout=0.2).ask(["What?"], Thing)
        assert answer.value == Thing(name="fact", size=3)
    with serve(0.5) as service:
        (answer,) = model(service, timeout=0.1, attempts=2).ask(["What?"], Thing)
    assert answer.failure == "the service did not answer in time"


def test_an_answer_of_the_wrong_form_is_asked_once_more_then_given_up() -> None:
    with serve("this is no JSON", GOOD) as service:
        (answer,) = model(service).ask(["What?"], Thing)
        assert answer.value == Thing(name="fact", size=3)
        assert len(service.requests) == 2
    with serve('{"name": "no size"}') as service:
        (answer,) = model(service).ask(["What?"], Thing)
    assert answer.failure == "the answer was not of the form asked for"
    assert answer.value is None


def test_a_refusal_for_good_ends_the_asking_and_tells_no_key(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="gistmeter")
    with serve(401) as service:
        asked = model(service, concurrency=1)
        answers = asked.ask([f"What {at}?" for at in range(5)], Thing)
    assert len(service.requests) == 1
    assert {answer.failure for answer in answers} == {"the service refused the key (HTTP 401)"}
    everything = repr((answers, asked, asked.id)) + caplog.text
    assert KEY not in everything


def test_an_unreachable_service_is_a_reason() -> None:
    settings = LanguageModelSettings(base_url="http://127.0.0.1:9/v1", pause=0.01, attempts=2)
    asked = load_language_model("qwen", cache=Cache(None), settings=settings)
    (answer,) = asked.ask(["What?"], Thing)
    assert answer.failure == "the service cannot be reached"


def test_answers_are_kept_and_failures_are_not() -> None:
    cache = Cache(None)
    with serve(GOOD) as service:
        first = model(service, cache=cache).ask(["a", "b", "a"], Thing, instructions="x")
        assert len(service.requests) == 2
        asked = model(service, cache=cache)
        again = asked.ask(["a", "b"], Thing, instructions="x")
        assert len(service.requests) == 2
        assert [answer.value for answer in again] == [answer.value for answer in first[:2]]
        assert all(answer.cached for answer in again)
        assert (asked.usage.cached, asked.usage.calls, asked.usage.cost) == (2, 0, 0.0)
        for changed in ({"instructions": "y"}, {"sample": 1, "instructions": "x"}):
            asked.ask(["a"], Thing, **changed)
        assert len(service.requests) == 4
        model(service, cache=cache, temperature=0.5).ask(["a"], Thing, instructions="x")
        assert len(service.requests) == 5


def test_no_more_questions_at_once_than_allowed() -> None:
    with serve(0.05, 0.05, 0.05, 0.05, 0.05, 0.05, GOOD) as service:
        model(service, concurrency=2, attempts=1).ask([f"q{at}" for at in range(7)], Thing)
    assert service.together == 2


def test_usage_and_cost_are_counted() -> None:
    with serve(GOOD) as service:
        asked = model(service)
        (answer,) = asked.ask(["What?"], Thing)
    assert answer.cost is None  # a server of one's own has no price
    assert (asked.usage.calls, asked.usage.input_tokens, asked.usage.unpriced) == (1, 70, 1)
    assert estimate_cost("gemini-2.5-flash", 1_000_000, 0) == pytest.approx(0.3)
    assert estimate_cost("openai:no-such-model", 10, 10) is None


def test_it_works_where_an_event_loop_runs() -> None:
    async def inside(service: Service) -> Any:
        return model(service).ask(["What?"], Thing)

    with serve(GOOD) as service:
        (answer,) = asyncio.run(inside(service))
    assert answer.value == Thing(name="fact", size=3)


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("gemini-3-pro-preview", "google:gemini-3-pro-preview"),
        ("gemini:gemini-2.5-pro", "google:gemini-2.5-pro"),
        ("claude-sonnet-4-5", "anthropic:claude-sonnet-4-5"),
        ("gpt-5", "openai:gpt-5"),
        ("ollama:qwen3:8b", "ollama:qwen3:8b"),
    ],
)
def test_names_find_their_provider(name: str, full: str) -> None:
    assert full_name(name, "") == full


def test_a_name_without_a_provider_or_a_key_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    with pytest.raises(InputError, match="provider:model"):
        load_language_model("qwen", cache=Cache(None))
    with pytest.raises(InputError, match="GEMINI_API_KEY"):
        load_language_model("gemini-2.5-flash", cache=Cache(None))


def test_the_id_names_what_could_change_an_answer() -> None:
    plain = ServiceAsker("openai:x", LanguageModelSettings())
    for changed in ({"temperature": 1.0}, {"seed": 1}, {"max_tokens": 5}, {"base_url": "http://a"}):
        assert ServiceAsker("openai:x", LanguageModelSettings(**changed)).id != plain.id
    assert ServiceAsker("openai:x", LanguageModelSettings(attempts=9)).id == plain.id


@pytest.mark.parametrize(
    ("key_env", "sent"),
    [("", ""), ("KEY_OF_MINE", "Bearer key-of-mine"), ("OPENAI_API_KEY", "Bearer key-of-openai")],
)
def test_a_server_of_ones_own_is_given_the_key_that_is_named(
    key_env: str, sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    monkeypatch.setenv("KEY_OF_MINE", "key-of-mine")
    with serve(GOOD) as service:
        settings = LanguageModelSettings(base_url=f"{service.url}/v1", key_env=key_env)
        asked = load_language_model("qwen", cache=Cache(None), settings=settings)
        assert asked.ask(["What?"], Thing)[0].value == Thing(name="fact", size=3)
    assert service.keys == [sent]


@pytest.mark.parametrize("step", [GOOD, 401, 500, "no JSON", 0.3])
def test_credentials_in_the_url_are_used_and_shown_nowhere(
    step: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)  # what --verbose shows, of every library
    caplog.set_level(logging.DEBUG, logger="gistmeter")
    with serve(step) as service:
        url = service.url.replace("//", "//me:pa%24sword-77@") + "/v1"
        settings = LanguageModelSettings(base_url=url, pause=0.01, attempts=2, timeout=0.2)
        cache = Cache(None)
        asked = load_language_model("qwen", cache=cache, settings=settings, api_key=KEY)
        answers = asked.ask(["What?"], Thing)
    assert base64.b64decode(service.keys[0].removeprefix("Basic ")) == b"me:pa$sword-77"
    kept = b"".join(cache.get_many(asked._keys(["What?"], Thing, "", 0)).values()).decode()
    everything = repr((answers, asked, asked.id, settings)) + caplog.text + kept
    for secret in ("sword-77", "me:pa", KEY):
        assert secret not in everything
    assert public_url(url) in asked.id


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://a/v1", "http://[::1/v1", "http://"])
def test_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="http://host:port/v1"):
        load_language_model("x", cache=Cache(None), settings=LanguageModelSettings(base_url=url))


def test_a_service_that_keeps_failing_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    prompts = [f"What {at}?" for at in range(50)]
    with serve(GOOD, GOOD, 503) as service:
        asked = model(service, concurrency=1, attempts=2, give_up=4)
        answers = asked.ask(prompts, Thing)
        assert asked.ask(["Another?"], Thing)[0].failure.startswith("not asked: ")
        failing = len(service.requests) - 2
        service.script = [GOOD]
        again = model(service, cache=asked.cache, concurrency=1).ask(prompts, Thing)
    assert 4 <= failing < 80  # never again and again for each of the fifty
    assert [bool(answer.value) for answer in answers[:2]] == [True, True]
    assert answers[2].failure == "the service failed (HTTP 503)"
    assert "failures in a row (the service failed (HTTP 503))" in answers[-1].failure
    assert "only the rest is asked" in answers[-1].failure
    assert caplog.text.count("No more questions are asked") == 1
    assert [answer.cached for answer in again] == [True, True, *[False] * 48]
    assert all(answer.value for answer in again)


def test_a_service_that_hangs_is_left_alone() -> None:
    with serve(0.5) as service:
        asked = model(service, concurrency=4, attempts=5, timeout=0.1, give_up=8)
        answers = asked.ask([f"What {at}?" for at in range(400)], Thing)
    assert len(service.requests) < 40
    assert "not asked: " in answers[-1].failure and "in time" in answers[-1].failure


def test_a_short_outage_does_not_end_the_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gistmeter.models.llm.asking.LEAST_PAUSES", 6000)  # a minute, not 0.3 s
    with serve(*[503] * 9, GOOD) as service:
        asked = model(service, concurrency=4, attempts=5, give_up=8)
        answers = asked.ask([f"What {at}?" for at in range(6)], Thing)
    assert all(answer.value for answer in answers)


class Scripted:
    """A language model that is only an object."""

    id = "scripted@1"

    def __init__(self, answers: Any) -> None:
        self.answers, self.asked = answers, list[str]()

    def ask(self, prompts: Any, schema: Any, *, instructions: str = "", sample: int = 0) -> Any:
        self.asked += prompts
        return self.answers(prompts) if callable(self.answers) else self.answers


def test_an_object_is_as_good_as_a_name() -> None:
    own = Scripted(lambda prompts: [Answer(Thing(name=one, size=1)) for one in prompts])
    asked = load_language_model(own, cache=(cache := Cache(None)))
    assert [answer.value.name for answer in asked.ask(["a", "b", "a"], Thing)] == ["a", "b", "a"]
    assert own.asked == ["a", "b"]
    again = load_language_model(own, cache=cache)
    assert again.known(["a", "c"], Thing) == [True, False]
    assert again.ask(["b"], Thing)[0].cached
    assert (asked.id, asked.usage.calls, again.usage.cached) == ("scripted@1", 2, 1)
    assert load_language_model(asked, cache=cache) is asked


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([], "the model gave 0 answers to 1 prompts"),
        (["text"], "the model gave str, not an Answer"),
        ([Answer({"name": "x"})], "the answer was not of the form asked for"),
        ([Answer(None, failure="tired")], "tired"),
        (lambda _: 1 / 0, "the model failed (ZeroDivisionError: division by zero)"),
    ],
)
def test_wrong_answers_of_an_object_are_a_reason(answers: Any, reason: str) -> None:
    (answer,) = load_language_model(Scripted(answers), cache=Cache(None)).ask(["a"], Thing)
    assert (answer.value, answer.failure) == (None, reason)


def test_an_object_that_cannot_be_asked_is_refused() -> None:
    with pytest.raises(InputError, match="no method 'ask'"):
        load_language_model(object(), cache=Cache(None))  # type: ignore[arg-type]


def test_a_real_small_model_answers_in_the_form_asked_for() -> None:
    """SmolLM2-135M, decoded under the JSON schema by llama.cpp's server on this machine."""
    with small_model() as address:
        settings = LanguageModelSettings(
            base_url=f"{address}/v1", seed=1, max_tokens=120, timeout=120
        )
        asked = load_language_model("smollm2", cache=Cache(None), settings=settings)
        (answer,) = asked.ask(["Name one animal and its number of legs."], Thing)
    assert isinstance(answer.value, Thing), answer
    assert answer.value.name
    assert answer.output_tokens > 0
    assert answer.cost is None


def test_invalid_answers_are_kept_and_counted() -> None:
    """They were paid for: their text and their tokens are in the record."""
    with serve("this is no JSON") as service:
        llm = model(service)
        (got,) = llm.ask(["Which?"], Thing)
    assert got.value is None and got.failure == "the answer was not of the form asked for"
    assert got.raw.count("this is no JSON") == 2  # asked once more
    assert (got.input_tokens, got.output_tokens) == (140, 100)
    assert (llm.usage.input_tokens, llm.usage.output_tokens) == (140, 100)


def test_what_a_retry_cost_is_counted_with_the_answer() -> None:
    with serve("this is no JSON", 503, GOOD) as service:
        llm = model(service)
        (got,) = llm.ask(["Which?"], Thing)
    assert got.value is not None
    assert "this is no JSON" in got.raw
    assert got.input_tokens == 140  # the invalid answer's and the valid one's


def test_a_budget_stops_before_its_limit() -> None:
    from gistmeter.models.llm import Budget

    budget = Budget(limit=1.0, a_call=0.3)
    assert budget.admit() == "" and budget.admit() == "" and budget.admit() == ""
    assert "could go over the limit of $1" in budget.admit()  # three are under way already
    budget.settle(0.2)
    budget.settle(0.2)
    budget.settle(0.2)
    assert budget.admit() == "" and budget.admit() == ""  # the provider's own prices count now
    budget.settle(0.35)
    budget.settle(0.0)
    assert "$0.9500 is spent" in budget.admit()
