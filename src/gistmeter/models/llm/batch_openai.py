"""The batch interface of OpenAI (`/files`, `/batches`), and of servers that have the same."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from gistmeter.core.errors import MissingDependency, ModelError, hide
from gistmeter.core.files import parse_object
from gistmeter.models.credentials import stays_here
from gistmeter.models.llm import WRONG_FORM, LanguageModelSettings, Question, read_json, service
from gistmeter.models.llm.batch import BatchLost
from gistmeter.models.protocols import Answer

OPENAI = "https://api.openai.com/v1"
ENDED = {"completed", "failed", "expired", "cancelled"}
LARGEST = 512 * 2**20  # bytes of one answer of the service; that of a whole batch is long
BROKEN = (AttributeError, TypeError, KeyError, IndexError, ValueError)


@dataclass(frozen=True, slots=True)
class OpenAIBatches:
    """Questions as a file of lines, and so the answers."""

    name: str
    settings: LanguageModelSettings
    api_key: str | None = field(default=None, repr=False)

    def create(self, questions: Sequence[Question]) -> str:
        lines = "".join(json.dumps(self._line(question)) + "\n" for question in questions)
        with self._client() as client:
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
        return batch

    def answers(
        self, batch: str, asked: Mapping[str, Question]
    ) -> Iterator[tuple[str, Answer[Any]]]:
        with self._client() as client:
            state = self._send(client, "GET", f"batches/{_quoted(batch)}")
            while state.get("status") not in ENDED:
                time.sleep(self.settings.poll)
                state = self._send(client, "GET", f"batches/{_quoted(batch)}")
            left = dict(asked)
            for name in ("output_file_id", "error_file_id"):
                if not state.get(name):
                    continue
                path = f"files/{_quoted(state[name])}/content"
                for line in self._text(client, "GET", path).split("\n"):
                    reply = parse_object(line)
                    if reply.get("custom_id") in left:
                        yield (
                            reply["custom_id"],
                            self._read(left.pop(reply["custom_id"]), reply),
                        )
        reason = f"batch {batch} ended without an answer ({state.get('status')})"
        yield from ((name, Answer(None, failure=reason)) for name in left)

    def _client(self) -> Any:
        try:
            import httpx
        except ImportError as error:
            raise MissingDependency("httpx", "llm", "Asking in batches") from error
        base = service.without_user(self.settings.base_url) if self.settings.base_url else OPENAI
        headers = {"Accept-Encoding": "identity"}
        headers |= {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        headers |= service.request_options(self.settings).get("extra_headers", {})
        return httpx.Client(
            base_url=base.rstrip("/") + "/",
            headers=headers,
            timeout=self.settings.timeout,
            trust_env=not stays_here(self.settings.base_url),  # its proxies
            follow_redirects=False,
        )

    def _line(self, question: Question) -> dict[str, Any]:
        system = (
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
                "messages": [*system, {"role": "user", "content": question.prompt}],
                "response_format": {"type": "json_schema", "json_schema": schema},
                **chosen,
            },
        }  # fmt: skip

    def _read(self, question: Question, found: Mapping[str, Any]) -> Answer[Any]:
        """A line of a batch's file as an answer."""
        try:
            response = found.get("response") or {}
            body = response.get("body") or {}
            if response.get("status_code") != 200 or not body.get("choices"):
                reason = hide(str(found.get("error") or body), self._secrets())[:160]
                return Answer(None, failure=f"the service failed: {reason}")
            raw = str(body["choices"][0]["message"]["content"])
            usage = body.get("usage") or {}
            taken = int(usage.get("prompt_tokens") or 0)
            given = int(usage.get("completion_tokens") or 0)
        except BROKEN:
            return Answer(None, failure=WRONG_FORM)
        return read_json(raw, question.schema, taken, given)

    def _send(self, client: Any, method: str, path: str, **content: Any) -> dict[str, Any]:
        return parse_object(self._text(client, method, path, **content))

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
            if method == "GET" and answer.status_code == 404:
                raise BatchLost(f"{method} {path}: not there any more (HTTP 404)")
            reason = service.FINAL.get(answer.status_code, "the service failed")
            trouble = f"{reason} (HTTP {answer.status_code}) {text[:160]}".strip()
            if answer.status_code not in service.PASSING:
                break
        raise ModelError(f"{method} {path}: {hide(trouble, self._secrets())}")

    def _secrets(self) -> tuple[str, ...]:
        return service.secrets_of(self.settings.base_url, self.api_key)


def _quoted(name: Any) -> str:
    return quote(str(name), safe="")


def _bounded(parts: Iterator[bytes]) -> str:
    """An answer that fits into memory."""
    content = bytearray()
    for part in parts:
        content += part
        if len(content) > LARGEST:
            raise ModelError(f"the service's answer was longer than {LARGEST // 2**20} MB")
    return content.decode("utf-8", "replace")
