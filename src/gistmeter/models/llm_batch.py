"""Batches: all questions at once, at half the price, answered within a day.

Speaks the batch interface of OpenAI and of servers that have the same (`/files`, `/batches`). Which
batch a question is in is kept in the cache from the moment the batch is made: a command that was
stopped, or a machine that went down, finds its batches again and pays for nothing twice. Answers
are those of the same model to the same question, so they share the cache with answers that were
asked for one by one.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from gistmeter.cache import Cache, keys
from gistmeter.errors import InputError, MissingDependency, ModelError, hide
from gistmeter.models import llm_service as service
from gistmeter.models.llm import WRONG_FORM, Budget, Keep, LanguageModelSettings, Question
from gistmeter.models.llm_asking import model_id
from gistmeter.models.protocols import Answer

logger = logging.getLogger(__name__)
OPENAI = "https://api.openai.com/v1"
ENDED = {"completed", "failed", "expired", "cancelled"}
MOST = 20_000  # questions in one batch; OpenAI takes 50,000
LARGEST = 512 * 2**20  # bytes of one answer of the service; that of a whole batch is long
BROKEN = (AttributeError, TypeError, KeyError, IndexError, ValueError)


@dataclass(slots=True)
class BatchAsker:
    """A language model behind a batch interface."""

    name: str
    settings: LanguageModelSettings
    cache: Cache
    api_key: str | None = field(default=None, repr=False)
    budget: Budget | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.name.partition(":")[0] not in ("openai", "openai-chat"):
            raise InputError(
                f"'{self.name}' has no batch interface that is known here. OpenAI's models have "
                "one, and servers of your own that speak as it does (--llm openai:NAME --llm-url)"
            )

    @property
    def id(self) -> str:
        return model_id(self.name, self.settings)

    def answer(self, questions: Sequence[Question], keep: Keep) -> None:
        asked = {question.key.hex(): question for question in questions}
        waiting = self._known(questions)
        fresh = [one for one in questions if one.key.hex() not in set().union(*waiting.values())]
        with self._client() as client:
            for part in self._admitted(fresh, keep):
                waiting[self._create(client, part)] = {one.key.hex() for one in part}
            for batch, names in waiting.items():
                self._collect(client, batch, {name: asked[name] for name in names}, keep)

    # Which batch a question is in

    def _places(self, questions: Sequence[Question]) -> list[bytes]:
        return keys(f"batch/{self.id}", [one.key.hex() for one in questions])

    def _known(self, questions: Sequence[Question]) -> dict[str, set[str]]:
        """Batches that were made before, with those of the questions that they hold."""
        places = self._places(questions)
        stored = self.cache.get_many(places)
        found: dict[str, set[str]] = {}
        for place, question in zip(places, questions, strict=True):
            if batch := stored.get(place, b"").decode("utf-8", "replace"):
                found.setdefault(batch, set()).add(question.key.hex())
        return found

    def _remember(self, questions: Sequence[Question], batch: str) -> None:
        self.cache.put_many(dict.fromkeys(self._places(questions), batch.encode()))

    def _admitted(self, fresh: Sequence[Question], keep: Keep) -> Iterator[list[Question]]:
        """The questions that may be paid for, in batches."""
        admitted = []
        for question in fresh:
            reason = self.budget.admit() if self.budget else ""
            if reason:
                keep(question, Answer(None, failure=reason))
            else:
                admitted.append(question)
        for start in range(0, len(admitted), MOST):
            yield admitted[start : start + MOST]

    # Over the wire

    def _client(self) -> Any:
        try:
            import httpx
        except ImportError as error:
            raise MissingDependency("httpx", "llm", "Asking in batches") from error
        base = service.without_user(self.settings.base_url) if self.settings.base_url else OPENAI
        key = self.api_key or service.find_key("openai", self.settings.base_url) or "none"
        headers = {"Authorization": f"Bearer {key}", "Accept-Encoding": "identity"}
        headers |= service.request_options(self.settings).get("extra_headers", {})
        return httpx.Client(
            base_url=base.rstrip("/") + "/",
            headers=headers,
            timeout=self.settings.timeout,
        )

    def _create(self, client: Any, questions: Sequence[Question]) -> str:
        lines = "".join(json.dumps(self._line(one)) + "\n" for one in questions)
        sent = self._send(
            client, "POST", "files", data={"purpose": "batch"},
            files={"file": ("questions.jsonl", lines.encode(), "application/jsonl")},
        )  # fmt: skip
        made = self._send(
            client, "POST", "batches",
            json={"input_file_id": sent.get("id"), "endpoint": "/v1/chat/completions",
                  "completion_window": "24h"},
        )  # fmt: skip
        batch = str(made.get("id") or "")
        if not batch:
            raise ModelError("POST batches: the service gave the batch no id")
        self._remember(questions, batch)
        logger.info("%d questions are in batch %s", len(questions), batch)
        return batch

    def _line(self, question: Question) -> dict[str, Any]:
        told = (
            [{"role": "system", "content": question.instructions}] if question.instructions else []
        )
        options = service.request_options(self.settings, question.sample)
        chosen: dict[str, Any] = {
            name: options[name] for name in ("temperature", "seed") if name in options
        }
        if self.settings.max_tokens:
            chosen["max_completion_tokens"] = self.settings.max_tokens
        schema = {"name": question.schema.__name__, "schema": question.schema.model_json_schema()}
        return {
            "custom_id": question.key.hex(), "method": "POST", "url": "/v1/chat/completions",
            "body": {
                "model": self.name.partition(":")[2],
                "messages": [*told, {"role": "user", "content": question.prompt}],
                "response_format": {"type": "json_schema", "json_schema": schema},
                **chosen,
            },
        }  # fmt: skip

    def _collect(self, client: Any, batch: str, asked: Mapping[str, Question], keep: Keep) -> None:
        """Wait for a batch and hand its answers on; what it did not answer can be asked again."""
        state = self._send(client, "GET", f"batches/{_quoted(batch)}")
        while state.get("status") not in ENDED:
            time.sleep(self.settings.poll)
            state = self._send(client, "GET", f"batches/{_quoted(batch)}")
        left = dict(asked)
        for name in ("output_file_id", "error_file_id"):
            if not state.get(name):
                continue
            lines = self._text(client, "GET", f"files/{_quoted(state[name])}/content").splitlines()
            for line in lines:
                found = _object(line)
                if found.get("custom_id") in left:
                    self._settle(left.pop(found["custom_id"]), found, keep)
        for question in left.values():
            reason = f"batch {batch} ended without an answer ({state.get('status')})"
            self._settle(question, {"error": reason}, keep)

    def _read(self, question: Question, found: Mapping[str, Any]) -> Answer[Any]:
        """A line of a batch's file as an answer."""
        try:
            response = found.get("response") or {}
            body = response.get("body") or {}
            if response.get("status_code") != 200 or not body.get("choices"):
                told = hide(str(found.get("error") or body), self._secrets())[:160]
                return Answer(None, failure=f"the service failed: {told}")
            raw = str(body["choices"][0]["message"]["content"])
            usage = body.get("usage") or {}
            taken = int(usage.get("prompt_tokens") or 0)
            given = int(usage.get("completion_tokens") or 0)
        except BROKEN:
            return Answer(None, failure=WRONG_FORM)
        whole = None if self.settings.base_url else service.estimate_cost(self.name, taken, given)
        cost = None if whole is None else whole * service.BATCH_SHARE
        try:
            value, failure = question.schema.model_validate_json(raw), ""
        except ValueError:
            value, failure = None, WRONG_FORM
        return Answer(value, raw, failure, taken, given, cost)

    def _settle(self, question: Question, found: Mapping[str, Any], keep: Keep) -> None:
        answer = self._read(question, found)
        if self.budget:
            self.budget.settle(answer.cost)
        keep(question, answer)
        if answer.failure:
            self._remember([question], "")  # the next run asks it anew

    def _send(self, client: Any, method: str, path: str, **content: Any) -> dict[str, Any]:
        return _object(self._text(client, method, path, **content))

    def _text(self, client: Any, method: str, path: str, **content: Any) -> str:
        """What a request is answered with; it is tried again while the trouble is passing."""
        import httpx

        trouble = ""
        for attempt in range(max(1, self.settings.attempts)):
            time.sleep(self.settings.pause * 2 ** (attempt - 1) if attempt else 0)
            try:
                with client.stream(method, path, **content) as answer:
                    text = _bounded(answer.iter_bytes())
            except httpx.HTTPError as error:
                trouble = f"the service cannot be reached ({type(error).__name__})"
                continue
            if answer.is_success:
                return text
            told = service.FINAL.get(answer.status_code, "the service failed")
            trouble = f"{told} (HTTP {answer.status_code}) {text[:160]}".strip()
            if answer.status_code not in service.PASSING:
                break
        raise ModelError(f"{method} {path}: {hide(trouble, self._secrets())}")

    def _secrets(self) -> tuple[str, ...]:
        return service.secrets_of(self.settings.base_url, self.api_key)


def _quoted(name: Any) -> str:
    return quote(str(name), safe="")


def _bounded(parts: Iterator[bytes]) -> str:
    """An answer that fits into memory."""
    held = bytearray()
    for part in parts:
        held += part
        if len(held) > LARGEST:
            raise ModelError(f"the service's answer was longer than {LARGEST // 2**20} MB")
    return held.decode("utf-8", "replace")


def _object(text: str) -> dict[str, Any]:
    """A JSON object; empty where the text is none."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
