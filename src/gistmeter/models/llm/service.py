"""Asking a service through pydantic-ai: names, keys, requests, prices. Answers: `replies.py`."""

from __future__ import annotations

import base64
import hashlib
import importlib
import inspect
import logging
import os
import re
import warnings
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from gistmeter.core.errors import InputError, MissingDependency, hide
from gistmeter.models import credentials

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
# Whose address may be another one. Other providers' libraries would send their own key there.
MOVABLE = ("openai", "google", "anthropic", "ollama")
KEYLESS = "none"  # what libraries get that ask for a key where there is none
# Headers that hold no key, whoever asks; a server of one's own gets no others but its key.
HARMLESS = re.compile(
    r"accept|accept-encoding|anthropic-beta|anthropic-version|connection|content-length"
    r"|content-type|host|transfer-encoding|user-agent|x-goog-api-client|x-goog-upload-.*"
    r"|x-server-timeout|x-stainless-.*",
    re.IGNORECASE,
)
EXTRAS = {"google": "gemini"}
LARGEST = 16 * 2**20  # bytes of one answer
UNPACKED = 1000  # bytes that one of a compressed answer may stand for
BATCH_SHARE = 0.5  # of the price, where answers may take a day
PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 529}
FINAL = {
    401: "the service refused the key",  # or `UNASKED`
    402: "the account has no credit",
    403: "no permission",
    404: "the service does not know this model",
}


UNASKED = "the service asks for a key, and none was named for it (--llm-key-env NAME)"


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


def service_of(name: str) -> str:
    """Whose key `provider:model` needs: openai-chat and openai-responses are openai."""
    provider = name.partition(":")[0]
    return "openai" if provider.startswith("openai-") else provider


def find_key(
    name: str,
    settings: LanguageModelSettings,
    api_key: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> str | None:
    """The key that is given, named or the provider's own, before anything is asked.

    None where a server of one's own is asked without a key, or where the library knows the key of
    a provider that is not among ours. The library that asks is there, or this is an error.
    """
    service, base_url = service_of(name), settings.base_url
    _check_url(name, base_url)
    _library(service)
    if api_key or "@" in urlsplit(base_url).netloc:
        credentials.require_encryption(base_url)
    key = api_key or credentials.key_for(service, base_url, environment, settings.key_env)
    if not key and service in credentials.SERVICES and credentials.is_home(service, base_url):
        variable = credentials.SERVICES[service].variables[0]
        raise credentials.NoKey(f"'{name}' needs a key in the environment variable {variable}")
    return key or None


def _check_url(name: str, base_url: str) -> None:
    if not base_url:
        return
    try:
        good = credentials.parts_of(base_url).scheme in {"http", "https"}
    except InputError:
        good = False
    if not good:
        raise InputError("The server's URL must be of the form http://host:port/v1")
    if service_of(name) not in MOVABLE:
        raise InputError(
            f"'{name}' cannot be asked at another address than its own. A server of your own that"
            f" speaks as OpenAI's does is openai:{name.partition(':')[2]}"
        )


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
    kept = [value for name, value in os.environ.items() if name.endswith("_API_KEY")]
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


def http_client(
    timeout: float, largest: int = LARGEST, *, base_url: str = "", api_key: str | None = None
) -> Any:
    """What requests go through: it follows nobody to another place and reads nothing endless.

    The vendors' libraries take further keys and headers from the environment: a server of one's
    own gets none of them.
    """
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

    user = urlsplit(base_url).netloc.rpartition("@")[0]
    known = [secret for secret in (api_key, _basic(user) if user else "") if secret]

    async def withhold(request: Any) -> None:
        for name, value in list(request.headers.items()):
            if not HARMLESS.fullmatch(name) and not any(secret in value for secret in known):
                del request.headers[name]

    return http.AsyncClient(
        timeout=timeout,
        trust_env=not credentials.stays_here(base_url),  # its proxies
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"request": [withhold] if base_url else [], "response": [limit]},
    )


def make_model(name: str, base_url: str, api_key: str | None, client: Any = None) -> Any:
    """pydantic-ai's model for a name, asked through a client where it takes one."""
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers import infer_provider, infer_provider_class

    def provide(provider: str) -> Any:
        options: dict[str, Any] = {"base_url": without_user(base_url)} if base_url else {}
        if api_key or base_url:  # without one the library would look for another
            options["api_key"] = api_key or KEYLESS
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
        kind = credentials.NoKey if "_API_KEY" in reason else InputError  # the library's own words
        raise kind(f"'{name}' cannot be asked: {reason}") from None


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
    for line in dict.fromkeys(str(warning.message).partition("\n")[0] for warning in caught):
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
