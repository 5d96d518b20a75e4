"""Services on the net: their keys and addresses, and whole files over HTTP."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gistmeter.core.errors import InputError
from gistmeter.core.files import parse_json
from gistmeter.models.credentials import Service, host_of, is_home, is_loopback, key_for, stays_here
from gistmeter.speech.recognizers import MissingKey, RecognizerError

LARGEST = 16 * 2**20  # bytes of an answer, or of all messages about a clip
# Statuses that the same request would meet again.
MISTAKES = frozenset({400, 401, 402, 403, 404, 405, 413, 415, 422})


def key_of(
    service: Service, url: str, environment: Mapping[str, str], *, needed: bool = True
) -> str:
    """The key that goes to an address: the service's at its own host, else the one named for it.

    Under the name of a host the environment has the key that the user named for it. `needed` says
    that the service asks for one, wherever it runs but on this machine.
    """
    host = host_of(url)
    key = key_for(service, url, environment, host if environment.get(host) else "")
    if not key and not is_loopback(url):
        if is_home(service, url):
            raise MissingKey(service.title, service.variables[0])
        if needed:
            raise MissingKey(service.title, "NAME", host)
    return key


def model_and_url(argument: str, model: str, url: str) -> tuple[str, str]:
    """`MODEL@URL`, either of which may be left out."""
    named, _, address = argument.partition("@")
    if "@" in address.partition("//")[2].partition("/")[0]:
        raise InputError(
            "A recogniser's address must not hold a user or a password, which would stand in the "
            "run. Set the vendor's key in the environment"
        )
    return named.strip() or model, (address.strip() or url).rstrip("/")


async def post_file(
    vendor: str, url: str, *, headers: Mapping[str, str], fields: Mapping[str, str], path: Path
) -> Mapping[str, Any]:
    """The JSON object that a service answers with. The caller sets the time limit."""
    import httpx

    proxied = not stays_here(url)
    form = {"file": (path.name, path.read_bytes(), "audio/wav")}
    try:
        async with (
            # The time limit is the benchmark's. A redirect would take the key and the sound along.
            httpx.AsyncClient(timeout=None, follow_redirects=False, trust_env=proxied) as client,  # noqa: S113
            client.stream("POST", url, headers=headers, data=dict(fields), files=form) as answer,
        ):
            content = await _whole(vendor, answer)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        why = str(error) or type(error).__name__
        raise RecognizerError(f"{vendor} cannot be reached: {why}") from error
    if not answer.is_success:
        raise RecognizerError(
            f"{vendor} answered {answer.status_code}: {_reason(content)}",
            lasting=answer.status_code in MISTAKES,
            retry_after=retry_after(answer.headers.get("retry-after")),
        )
    return json_object(f"{vendor} answered with", content)


async def _whole(vendor: str, answer: Any) -> bytes:
    """An answer's content; one that does not end is none."""
    content = bytearray()
    async for part in answer.aiter_bytes():
        content += part
        if len(content) > LARGEST:
            raise RecognizerError(f"{vendor} sent more than {LARGEST // 2**20} MB", lasting=True)
    return bytes(content)


def text_of(vendor: str, answer: Mapping[str, Any]) -> str:
    text = answer.get("text")
    if not isinstance(text, str):
        raise RecognizerError(f"{vendor} answered without a text: {str(dict(answer))[:200]}")
    return text


def retry_after(value: str | None) -> float:
    """Seconds, from a number of them or a date; 0 where it says nothing."""
    if not value:
        return 0.0
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return 0.0


def json_object(says: str, content: str | bytes) -> Mapping[str, Any]:
    """A service's message; `says` begins what is said where it is not a JSON object."""
    try:
        message = parse_json(content)
    except ValueError as error:
        raise RecognizerError(f"{says} what is not JSON") from error
    if not isinstance(message, dict):
        raise RecognizerError(f"{says} {type(message).__name__}")
    return message


def _reason(content: bytes) -> str:
    """What went wrong in the service's words, from the fields that services use for them."""
    try:
        answer = parse_json(content)
    except ValueError:
        return " ".join(content.decode("utf-8", "replace").split())[:200] or "no reason given"
    for name in ("error", "detail", "message"):
        part = answer.get(name) if isinstance(answer, dict) else None
        if isinstance(part, dict):
            part = part.get("message") or part.get("status")
        if isinstance(part, str):
            return part[:200]
    return str(answer)[:200]
