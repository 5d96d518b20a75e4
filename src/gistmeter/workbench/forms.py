"""Fields of forms, addresses of this server, and routes: what the pages share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

Page = Callable[[Request], Awaitable[Response]]


def first(fields: dict[str, list[str]], name: str, default: str = "") -> str:
    return fields.get(name, [default])[0]


def whole(text: str, default: int = -1) -> int:
    """The number that a field holds, in plain digits; the default for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default


def local(place: str | None) -> str:
    """An address of this server; one that leads elsewhere becomes the first page."""
    text = place or "/"
    plain = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isprintable()
    return text if plain and "\\" not in text else "/"


def routes_of(pairs: Sequence[tuple[str, Page, Sequence[str]]]) -> list[Route]:
    return [Route(path, page, methods=list(methods)) for path, page, methods in pairs]
