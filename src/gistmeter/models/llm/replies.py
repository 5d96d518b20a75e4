"""What comes back from a service through pydantic-ai: answers, what they cost, and errors."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from gistmeter.core.errors import blot, hide
from gistmeter.models.llm.service import FINAL, LARGEST, PASSING, UNASKED, TooLong
from gistmeter.models.protocols import Answer


@dataclass(frozen=True, slots=True)
class Trouble:
    """What an error means for the asking."""

    reason: str
    passing: bool = False  # worth another attempt
    final: bool = False  # no use asking anything else
    wait: float = 0.0  # seconds that the service asked for
    raw: str = ""


def read_answer(result: Any, secrets: Sequence[str]) -> Answer[Any]:
    """The value, its text, tokens and price of a finished run; no key stands in them."""
    # A method in earlier versions; where it is a property, calling it is deprecated.
    usage = result.usage() if inspect.ismethod(result.usage) else result.usage
    raw = "".join(part.content or "" for part in result.response.parts if hasattr(part, "content"))
    cost = getattr(usage, "cost", None)
    value = _without(result.output, secrets)
    return Answer(
        value,
        blot(raw, secrets) or value.model_dump_json(),
        input_tokens=int(usage.input_tokens or 0),
        output_tokens=int(usage.output_tokens or 0),
        cost=float(cost) if cost is not None else None,
    )


def _without(value: Any, secrets: Sequence[str]) -> Any:
    """An answer in which the service repeats no key of ours."""
    spelled = value.model_dump_json()
    hidden = blot(spelled, secrets)
    return value if hidden == spelled else type(value).model_validate_json(hidden)


@contextmanager
def record() -> Iterator[list[Any]]:
    """The messages of a run, also of one that fails: its answers were paid for."""
    from pydantic_ai import capture_run_messages

    with capture_run_messages() as messages:
        yield messages


@dataclass(slots=True)
class Spent:
    """What the attempts at one question cost that gave no valid answer, and what they said."""

    input_tokens: int = 0
    output_tokens: int = 0
    raw: list[str] = field(default_factory=list)

    def add(self, messages: Sequence[Any], secrets: Sequence[str]) -> None:
        """Count the responses among the messages of a failed run."""
        for message in messages:
            usage = getattr(message, "usage", None)
            if usage is None:
                continue
            self.input_tokens += int(usage.input_tokens or 0)
            self.output_tokens += int(usage.output_tokens or 0)
            said = "".join(_said(part) for part in message.parts)
            self.raw += [hide(said, secrets)] if said else []

    def added_to(self, answer: Answer[Any]) -> Answer[Any]:
        """A valid answer with what was spent before it; its price is then computed again."""
        if not (self.input_tokens or self.output_tokens):
            return answer
        return replace(
            answer,
            raw="\n".join([*self.raw, answer.raw]),
            input_tokens=answer.input_tokens + self.input_tokens,
            output_tokens=answer.output_tokens + self.output_tokens,
            cost=None,
        )

    def failed(self, why: str, spoken: str = "") -> Answer[Any]:
        return Answer(
            None, "\n".join(self.raw) or spoken, why, self.input_tokens, self.output_tokens
        )


def _said(part: Any) -> str:
    """The text of a part, or the arguments of a call by which an answer was given."""
    said = getattr(part, "content", None) or getattr(part, "args", None) or ""
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def understand(error: Exception, secrets: Sequence[str], *, keyed: bool = True) -> Trouble:
    """An error as a reason, without anything secret in it; `keyed` says that a key was sent."""
    from pydantic_ai import exceptions

    if any(isinstance(cause, TooLong) for cause in _causes(error)):
        return Trouble(f"the answer was longer than {LARGEST // 2**20} MB")
    status = getattr(error, "status_code", None)
    wait = min(float(getattr(error, "retry_after", None) or 0.0), 120.0)
    if isinstance(status, int):
        if status in FINAL:
            reason = FINAL[status] if keyed or status != 401 else UNASKED
            return Trouble(f"{reason} (HTTP {status})", final=True)
        spoken = hide(str(getattr(error, "body", "") or ""), secrets)[:160]
        return Trouble(
            f"the service failed (HTTP {status})", status in PASSING, wait=wait, raw=spoken
        )
    if (
        isinstance(error, TimeoutError)
        or "timeout" in type(error).__name__.lower()
        or "timed out" in str(error).lower()
    ):
        return Trouble("the service did not answer in time", passing=True)
    if isinstance(error, exceptions.UnexpectedModelBehavior):
        return Trouble(
            "the answer was not of the form asked for", raw=hide(str(error), secrets)[:500]
        )
    if isinstance(error, exceptions.ModelAPIError):
        return Trouble("the service cannot be reached", passing=True, wait=wait)
    return Trouble(
        f"the service failed ({type(error).__name__})", raw=hide(str(error), secrets)[:160]
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and those it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        yield error
        seen.add(id(error))
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
