"""Records of chats as programs log them: the last answer becomes a column like any other.

Known are messages by role, the answers of OpenAI's interface (also inside a batch's `response`),
of Anthropic's, and of lm-evaluation-harness.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PREDICTION = "prediction"


def with_answer(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record with its answer as `prediction`, where it is a chat and has none yet."""
    if PREDICTION in {key.casefold() for key in record}:
        return record
    for key in ("messages", "choices", "content", "response", "resps", "completion", "output"):
        value = record.get(key)
        if isinstance(value, Mapping | list):
            answer = _answer(value)
            if answer is not None:
                kept = {name: held for name, held in record.items() if name != key}
                return {**kept, PREDICTION: answer}
    return record


def _answer(value: Any) -> str | None:
    """The text of an answer, however deep it lies."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for key in ("choices", "message", "content", "text", "body", "output"):
            if key in value and (found := _answer(value[key])) is not None:
                return found
        return None
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(part, Mapping) and "role" in part for part in value):
        answers = [part for part in value if part["role"] in ("assistant", "model", "ai")]
        return _answer(answers[-1].get("content")) if answers else None
    if all(isinstance(part, Mapping) and part.get("type") == "text" for part in value):
        return "".join(str(part.get("text", "")) for part in value)
    return _answer(value[0]) if isinstance(value[0], Mapping | list) else _only(value)


def _only(value: list[Any]) -> str | None:
    return value[0] if len(value) == 1 and isinstance(value[0], str) else None
