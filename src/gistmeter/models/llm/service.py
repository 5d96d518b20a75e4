"""Asking a service through pydantic-ai: names, keys, requests, prices. Answers: `llm_answers`."""

from __future__ import annotations

import base64
import hashlib
import importlib
import inspect
import logging
import os
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from gistmeter.core.errors import InputError, MissingDependency, hide

if TYPE_CHECKING:
    from gistmeter.models.llm import LanguageModelSettings

logger = logging.getLogger(__name__)
FAMILIES = {
    "gemini": "google",
    "claude": "anthropic",
    "gpt": "openai",
    "o1": "openai",
    "o3": "openai",
}
KEYS = {
    "google": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
}
OWN_KEY = "GISTMETER_LLM_KEY"  # of a server of one's own; before the provider's
EXTRAS = {"google": "gemini"}
LARGEST = 16 * 2**20  # bytes of one answer
UNPACKED = 1000  # bytes that one of a compressed answer may stand for
BATCH_SHARE = 0.5  # of the price, where answers may take a day
PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 529}
FINAL = {
    401: "the service refused the key",
    402: "the account has no credit",
    403: "no permission",
    404: "the service does not know this model",
}


class TooLong(Exception):
    """An answer that does not end."""


def full_name(name: str, base_url: str) -> str:
    """`provider:model`, the provider found by the model's family or its server."""
    if (
        ":" in name
        and name.partition(":")[0].replace("-", "").isalpha()
        and not name.startswith("http")
    ):
        provider, _, model = name.partition(":")
        return f"{'google' if provider in {'gemini', 'google-gla'} else provider}:{model}"
    for family, provider in FAMILIES.items():
        if name.startswith(family):
            return f"{provider}:{name}"
    if base_url:
        return f"openai:{name}"
    raise InputError(
        f"'{name}' does not say who serves it. Write provider:model, as in "
        "google:gemini-2.5-flash, openai:gpt-5, anthropic:claude-sonnet-5 "
        "or ollama:qwen3, or give the server's base URL"
    )


def check(name: str, base_url: str, api_key: str | None) -> None:
    """The library is there and so is a key, before anything is asked."""
    provider = name.partition(":")[0]
    _check_url(base_url)
    _library(provider)
    needed = KEYS.get(provider)
    if needed and not api_key and not base_url and not any(os.environ.get(key) for key in needed):
        raise InputError(f"'{name}' needs a key in the environment variable {needed[0]}")


def _check_url(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        good = not base_url or (parts.scheme in {"http", "https"} and bool(parts.hostname))
    except ValueError:
        good = False
    if not good:
        raise InputError("The server's URL must be of the form http://host:port/v1")


def find_key(provider: str, base_url: str) -> str | None:
    """The key in the environment; for a server of one's own, first the one meant for it."""
    names = [OWN_KEY] if base_url else []
    names += KEYS.get(provider.removesuffix("-chat"), ())
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def public_url(base_url: str) -> str:
    """A URL as it may be kept: without user, password and fragment, its query as a hash.

    >>> public_url("https://me:secret@example.org:8080/v1?key=1#x")
    'https://example.org:8080/v1?5d5a2f99'
    """
    if not base_url:
        return ""
    parts = urlsplit(base_url)
    host = parts.netloc.rpartition("@")[2]
    query = f"?{hashlib.sha256(parts.query.encode()).hexdigest()[:8]}" if parts.query else ""
    return f"{parts.scheme}://{host}{parts.path}{query}"


def without_user(base_url: str) -> str:
    """A URL that libraries may log: who asks is said in a header."""
    parts = urlsplit(base_url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def secrets_of(base_url: str, api_key: str | None) -> tuple[str, ...]:
    """All that must never be shown: keys, and what stands in the URL."""
    parts = urlsplit(base_url)
    user = parts.netloc.rpartition("@")[0]
    spelt = [user, _basic(user) if user else "", parts.password, parts.query, api_key]
    kept = [value for name, value in os.environ.items() if name.endswith(("_API_KEY", OWN_KEY))]
    values = [*spelt, unquote(parts.password or ""), *kept]
    return tuple(sorted({value for value in values if value}, key=len, reverse=True))


def _library(provider: str) -> Any:
    try:
        import pydantic_ai
    except ImportError as error:
        extra = EXTRAS.get(provider, "llm")
        raise MissingDependency("pydantic-ai-slim", extra, "Asking a language model") from error
    return pydantic_ai


def _basic(user: str) -> str:
    return base64.b64encode(unquote(user).encode()).decode()


def http_client(timeout: float, largest: int = LARGEST) -> Any:
    """What requests go through: it follows nobody to another place and reads nothing endless."""
    try:
        http: Any = importlib.import_module("httpx2")
    except ImportError:  # earlier versions of the vendors' libraries
        http = importlib.import_module("httpx")

    class Limited(http.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, stream: Any, largest: int) -> None:
            self.stream, self.left = stream, largest

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for part in self.stream:
                self.left -= len(part)
                if self.left < 0:
                    raise TooLong
                yield part

        async def aclose(self) -> None:
            await self.stream.aclose()

    async def limit(response: Any) -> None:
        packed = response.headers.get("content-encoding", "identity") != "identity"
        response.stream = Limited(response.stream, largest // UNPACKED if packed else largest)

    return http.AsyncClient(
        timeout=timeout,
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [limit]},
    )


def make_model(name: str, base_url: str, api_key: str | None, client: Any = None) -> Any:
    """pydantic-ai's model for a name, asked through a client where it takes one."""
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers import infer_provider, infer_provider_class

    def provide(provider: str) -> Any:
        options: dict[str, Any] = {"base_url": without_user(base_url)} if base_url else {}
        key = api_key or find_key(provider, base_url)
        if base_url and provider in {"openai", "openai-chat"}:
            options["api_key"] = key or "none"  # a server of one's own may ask for no key
        elif key:
            options["api_key"] = key
        kind = infer_provider_class(provider)
        if client is not None and "http_client" in inspect.signature(kind).parameters:
            options["http_client"] = client
        return kind(**options) if options else infer_provider(provider)

    provider, _, model = name.partition(":")
    try:
        if provider == "openai" and base_url:
            # Other servers speak the chat interface, not the newer one of OpenAI's own.
            return infer_model(f"openai-chat:{model}", provider_factory=provide)
        return infer_model(name, provider_factory=provide)
    except ImportError as error:
        raise MissingDependency(
            str(error.name or provider), EXTRAS.get(provider, "llm"), name
        ) from error
    except (UserError, ValueError) as error:
        reason = hide(str(error), secrets_of(base_url, api_key))
        raise InputError(f"'{name}' cannot be asked: {reason}") from None


def make_agent(
    name: str,
    schema: type[Any],
    instructions: str,
    base_url: str,
    api_key: str | None,
    *,
    client: Any = None,
) -> Any:
    """An agent whose answers are of the schema, by JSON-schema decoding where the model has it."""
    from pydantic_ai import Agent, NativeOutput

    model = make_model(name, base_url, api_key, client)
    output = NativeOutput(schema) if decodes_by_schema(model) else schema
    return Agent(model, output_type=output, instructions=instructions or None, retries=1)


def decodes_by_schema(model: Any) -> bool:
    """Whether the service itself holds answers to a JSON schema."""
    profile = model.profile
    read = (
        profile.get if hasattr(profile, "get") else lambda key, other: getattr(profile, key, other)
    )
    return bool(read("supports_json_schema_output", False))


def request_options(settings: LanguageModelSettings, sample: int = 0) -> dict[str, Any]:
    options: dict[str, Any] = {
        "temperature": settings.temperature,
        "timeout": settings.timeout,
        "max_retries": 0,  # the attempts are counted here, not once more inside
    }
    if settings.seed is not None:
        options["seed"] = settings.seed + sample  # a repeated question is a question of its own
    if settings.max_tokens:
        options["max_tokens"] = settings.max_tokens
    user = urlsplit(settings.base_url).netloc.rpartition("@")[0]
    if user:
        options["extra_headers"] = {"Authorization": f"Basic {_basic(user)}"}
    return options


@contextmanager
def log_warnings(name: str) -> Iterator[None]:
    """What the libraries warn of (a setting that a model does not take, its end of life), once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for line in dict.fromkeys(str(one.message).partition("\n")[0] for one in caught):
        logger.warning("%s: %s", name, line)


def estimate_cost(name: str, input_tokens: int, output_tokens: int) -> float | None:
    """US dollars for so many tokens; None where the price is unknown.

    `name` is `provider:model` or a model whose provider is known by its family.
    """
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None
    provider, _, model = full_name(name, "http://").partition(":")
    try:
        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        return float(calc_price(usage, model, provider_id=provider).total_price)
    except (LookupError, ValueError):
        return None
