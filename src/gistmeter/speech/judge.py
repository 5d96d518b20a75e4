"""The language model behind the semantic error rate: which one, and what it would cost."""

from __future__ import annotations

from typing import Any

from gistmeter.errors import InputError

DEFAULT_MODEL = "gemini-3-pro-preview"
KEY = "GEMINI_API_KEY"


class NoJudge(InputError):  # noqa: N818 - says what is missing
    """No language model was named and none has a key."""


class Judge: ...


def find_judge(name: str, cache: Any, progress: Any = None) -> Judge:
    raise NoJudge("x")


def gemini(api_key: str | None, model: str) -> Any:
    raise NoJudge("x")
