"""The batch interfaces that pydantic-ai speaks: Anthropic's message batches, Gemini's batch mode.

A question is put as it would be one by one, by the same library; the handle of a batch is plain
data, kept as JSON.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gistmeter.core.errors import InputError, ModelError, blot
from gistmeter.models.llm import LanguageModelSettings, Question, read_json, service
from gistmeter.models.llm.asking import run_anywhere
from gistmeter.models.llm.batch import BatchLost
from gistmeter.models.llm.replies import Trouble, understand
from gistmeter.models.protocols import Answer

LARGEST = 512 * 2**20  # bytes of the answers of one batch
SENT = ("temperature", "seed", "max_tokens")
LOST = ("FAILED", "CANCELLED", "EXPIRED")  # a batch that ended so may have no results at all


@dataclass(frozen=True, slots=True)
class LibraryBatches:
    """A provider's batches by pydantic-ai."""

    name: str
    settings: LanguageModelSettings
    api_key: str | None = field(default=None, repr=False)

    def create(self, questions: Sequence[Question]) -> str:
        """Nothing is tried again: a batch whose confirmation got lost would be paid for twice."""

        async def work(model: Any) -> Any:
            encoded = [
                await model.batch_encode(self._request(model, question)) for question in questions
            ]
            return await model.batch_create(encoded)

        with service.log_warnings(self.name):
            return str(_handle().dump_json(self._run(work, attempts=1)).decode())

    def answers(
        self, batch: str, asked: Mapping[str, Question]
    ) -> Iterator[tuple[str, Answer[Any]]]:
        handle = _handle().validate_json(batch)

        async def look(model: Any) -> Any:
            return await model.batch_status(handle)

        while handle.status != "ended":
            handle = self._run(look)
            if handle.status != "ended":
                time.sleep(self.settings.poll)
        yield from self._run(lambda model: self._results(model, handle, asked))

    async def _results(
        self, model: Any, batch: Any, asked: Mapping[str, Question]
    ) -> list[tuple[str, Answer[Any]]]:
        try:
            results = await model.batch_results(batch)
        except Exception as error:
            state = str((batch.provider_details or {}).get("state", ""))
            if not state.endswith(LOST):
                raise
            reason = understand(error, self._secrets()).reason
            return [(name, Answer(None, failure=f"{reason} ({state})")) for name in asked]
        return [
            (result.custom_id, self._read(model, result, asked[result.custom_id]))
            for result in results
            if result.custom_id in asked
        ]

    def _request(self, model: Any, question: Question) -> Any:
        """The question as an agent would put it."""
        from pydantic_ai.messages import ModelRequest
        from pydantic_ai.models.batch import BatchRequest

        options = service.request_options(self.settings, question.sample)
        return BatchRequest(
            custom_id=question.key.hex(),
            messages=[
                ModelRequest.user_text_prompt(
                    question.prompt, instructions=question.instructions or None
                )
            ],
            model_settings={name: options[name] for name in SENT if name in options},
            model_request_parameters=_form(model, question.schema),
        )

    def _read(self, model: Any, result: Any, question: Question) -> Answer[Any]:
        try:
            response = model.batch_decode(result, self._request(model, question))
        except Exception as error:  # whatever the service has made of it
            return Answer(None, failure=understand(error, self._secrets()).reason)
        called = (call.args_as_json_str() for call in response.tool_calls)
        raw = blot(response.text or "".join(called), self._secrets())
        taken, given = response.usage.input_tokens, response.usage.output_tokens
        return read_json(raw, question.schema, int(taken or 0), int(given or 0))

    def _run(self, work: Callable[[Any], Awaitable[Any]], attempts: int = 0) -> Any:
        """What a request comes to; it is tried again while the trouble is passing."""

        async def once() -> Any:
            given = self.settings.base_url
            client = service.http_client(
                self.settings.timeout, LARGEST, base_url=given, api_key=self.api_key
            )
            async with client:
                model = service.make_model(self.name, given, self.api_key, client)
                if getattr(model, "batch_max_requests", None) is None:
                    raise InputError(f"'{self.name}' has no batch interface in this pydantic-ai")
                return await work(model)

        trouble = Trouble("never asked")
        for attempt in range(attempts or max(1, self.settings.attempts)):
            if attempt:
                pause = trouble.wait or self.settings.pause * 2 ** (attempt - 1)
                time.sleep(pause)
            try:
                return run_anywhere(once())
            except InputError:
                raise
            except Exception as error:
                trouble = understand(error, self._secrets())
                if getattr(error, "status_code", getattr(error, "code", None)) == 404:
                    raise BatchLost(f"A batch of {self.name}: not there (HTTP 404)") from None
                if not trouble.passing:
                    break
        raise ModelError(f"A batch of {self.name}: {trouble.reason} {trouble.raw}".strip())

    def _secrets(self) -> tuple[str, ...]:
        return service.secrets_of(self.settings.base_url, self.api_key)


def _handle() -> Any:
    """Reads and writes the library's handle of a batch."""
    from pydantic import TypeAdapter
    from pydantic_ai.models.batch import Batch

    return TypeAdapter(Batch)


def _form(model: Any, schema: type[Any]) -> Any:
    """The form of an answer, as `make_agent` asks for it, in a request without an agent."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    form = schema.model_json_schema()
    if service.decodes_by_schema(model):
        wanted = OutputObjectDefinition(json_schema=form, name=schema.__name__)
        return ModelRequestParameters(output_mode="native", output_object=wanted)
    tool = ToolDefinition(name="final_result", parameters_json_schema=form, kind="output")
    return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
