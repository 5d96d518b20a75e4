"""Who may ask what: every request passes here first.

A page of another site can make a browser send requests to this address, and a name that is bound
anew can make it read the answers. So a request must name this server (`Host`), must not come from
another origin (`Origin`, `Sec-Fetch-Site`), and must carry the cookie that the random token of the
printed address, or the password, was exchanged for. Every answer forbids frames, foreign scripts
and caches.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode

from gistmeter.workbench.passwords import matches
from gistmeter.workbench.state import LASTS, State, Visit

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

OWNER, RATER = "owner", "rater"
TOKEN, LOGIN, STATIC = "token", "/login", "/static/"
RATERS_MAY = ("/rate", "/who", "/language", STATIC)
SAFE = ("GET", "HEAD")
LOCAL = ("127.0.0.1", "localhost", "[::1]")
PAUSE = 1.0  # seconds after a wrong password, one at a time
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    ),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # without any, browsers send forms with the origin "null"
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


@dataclass
class Gate:
    """Lets through who came by the address that was printed, or with the password."""

    application: Application
    state: State
    port: int
    host: str = "127.0.0.1"
    password: str = ""  # its hash; empty where only this machine can reach the server
    explain: Callable[[str, int], Awaitable[Application]] | None = None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    rater_token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _trying: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def cookie(self) -> str:
        return f"gistmeter-{self.port}"  # cookies do not tell ports apart, names do

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks over a socket
            raise RuntimeError(f"{scope['type']} is not served")

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                _protect(message, static=scope["path"].startswith(STATIC))
            await send(message)

        headers = _headers(scope)
        if refusal := self._refusal(scope, headers):
            await self._say(refusal, 403, scope, receive, guarded)
            return
        query = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=100)
        if TOKEN in query and scope["method"] in SAFE:
            await self._exchange(query, scope, receive, guarded)
            return
        session = self._session(headers)
        scope["session"] = session
        if scope["path"].startswith(STATIC) or (scope["path"] == LOGIN and self.password):
            await self.application(scope, receive, guarded)
        elif session is None:
            await self._turn_away(scope, receive, guarded)
        elif session.role != OWNER and not _may_rate(scope["path"]):
            await self._say("raters_only", 403, scope, receive, guarded)
        else:
            await self.application(scope, receive, guarded)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> str:
        """Why a request cannot be meant for this server, or does not come from its own pages."""
        host = headers.get("host", "")
        if not self._is_ours(host):
            return "wrong_host"
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return "wrong_origin"
        site = headers.get("sec-fetch-site", "same-origin" if origin else "")
        if scope["method"] not in SAFE and site != "same-origin":
            return "wrong_origin"
        if site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
            return "wrong_origin"
        return ""

    def _is_ours(self, host: str) -> bool:
        """Whether a host's name is one of this server, which a name bound anew never is."""
        name, _, port = host.rpartition(":")
        if port != str(self.port):
            return False
        if name in LOCAL:
            return True
        if self.host in LOCAL or self.host == "127.0.0.1":
            return False
        if name.strip("[]") == self.host.strip("[]"):
            return True
        try:  # an address cannot be bound anew; a name can
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return self.host in ("0.0.0.0", "::", "[::]")  # noqa: S104

    def _session(self, headers: dict[str, str]) -> Visit | None:
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return None
        return self.state.session(_key(morsel.value)) if morsel else None

    async def _exchange(
        self, query: dict[str, list[str]], scope: Scope, receive: Receive, send: Send
    ) -> None:
        """The token of an address for a cookie; the address that follows has none."""
        given = query.pop(TOKEN)[0].encode("utf-8", "replace")
        roles = {OWNER: self.token, RATER: self.rater_token}
        role = next(
            (name for name, own in roles.items() if secrets.compare_digest(given, own.encode())), ""
        )
        if not role:
            await self._say("old_address", 403, scope, receive, send)
            return
        rest = urlencode(query, doseq=True)
        place = scope["path"] if role == OWNER or _may_rate(scope["path"]) else "/rate"
        await _redirect(send, place + (f"?{rest}" if rest else ""), self.admit(role))

    def admit(self, role: str, who: str = "") -> str:
        """A new session; returns the cookie's header."""
        value = secrets.token_urlsafe(32)
        self.state.keep_session(_key(value), Visit(role, who))
        return f"{self.cookie}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={LASTS}"

    def rename(self, headers: dict[str, str], session: Visit) -> None:
        """Keep a session that now says who it is."""
        morsel = SimpleCookie(headers.get("cookie", ""))[self.cookie]
        self.state.keep_session(_key(morsel.value), session)

    async def check_password(self, password: str) -> bool:
        """One try at a time, and a wrong one costs a second: nobody guesses quickly."""
        async with self._trying:
            right = await asyncio.to_thread(matches, password, self.password)
            if not right:
                await asyncio.sleep(PAUSE)
            return right

    async def _turn_away(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.password and scope["method"] in SAFE:
            await _redirect(send, f"{LOGIN}?{urlencode({'next': scope['path']})}")
            return
        await self._say("no_session", 403, scope, receive, send)

    async def _say(
        self, reason: str, status: int, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if self.explain is None:
            await _plain(send, reason, status)
            return
        await (await self.explain(reason, status))(scope, receive, send)


def _may_rate(path: str) -> bool:
    return any(path == place or path.startswith(place.rstrip("/") + "/") for place in RATERS_MAY)


def _key(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()


def _headers(scope: Scope) -> dict[str, str]:
    """Headers by lower-case name; one that is given twice is joined, and then fits nothing."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _protect(message: MutableMapping[str, Any], *, static: bool) -> None:
    wanted = {**HEADERS, **({"cache-control": "private, max-age=300"} if static else {})}
    kept = [pair for pair in message.get("headers", []) if pair[0].decode().lower() not in wanted]
    message["headers"] = [*kept, *((name.encode(), text.encode()) for name, text in wanted.items())]


async def _redirect(send: Send, place: str, cookie: str = "") -> None:
    headers = [(b"location", place.encode("latin-1", "replace")), (b"content-length", b"0")]
    if cookie:
        headers.append((b"set-cookie", cookie.encode()))
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def _plain(send: Send, text: str, status: int) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})
