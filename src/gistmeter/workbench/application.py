"""The pages, joined: what every one of them shares, and their addresses."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from jinja2 import Environment, FunctionLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.report.html import asset
from gistmeter.report.html.page import page_script
from gistmeter.version import __version__
from gistmeter.workbench.begin_pages import BeginPages
from gistmeter.workbench.children import Queue, ReadingChild
from gistmeter.workbench.forms import first, local
from gistmeter.workbench.gate import OWNER, Gate
from gistmeter.workbench.interface import COOKIE, LANGUAGES, choose_language, say
from gistmeter.workbench.rate_pages import RatePages
from gistmeter.workbench.result_pages import RunShelf
from gistmeter.workbench.review_pages import ReviewPages
from gistmeter.workbench.run_pages import RunPages
from gistmeter.workbench.server import address_of
from gistmeter.workbench.signoff_pages import SignOffPages
from gistmeter.workbench.state import RUNNING, WAITING, State, Visit

LARGEST_FORM = 2 * 1024**2  # bytes
MOST_FIELDS = 20_000


@dataclass
class Workbench:
    """The opened folder with all that its pages use."""

    folder: Path
    port: int
    host: str = "127.0.0.1"
    password: str = ""
    state: State = field(init=False)
    gate: Gate = field(init=False)
    shelf: RunShelf = field(init=False)
    reader: ReadingChild = field(init=False)
    queue: Queue = field(init=False)

    def __post_init__(self) -> None:
        self.folder = self.folder.resolve()
        self.state = State(self.folder)
        self.shelf, self.reader = RunShelf(self.folder), ReadingChild(self.folder)
        self.queue = Queue(self.folder, self.state)
        self.templates = Environment(
            loader=FunctionLoader(_template), autoescape=True, trim_blocks=True, lstrip_blocks=True
        )
        self.gate = Gate(
            Starlette(
                routes=self._routes(),
                lifespan=self._life,
                exception_handlers={
                    GistmeterError: self._on_error,
                    HTTPException: self._on_error,
                    OSError: self._on_error,
                    Exception: self._on_fault,
                },
            ),
            self.state, self.port, self.host, self.password, explain=self._explain,
        )  # fmt: skip

    @property
    def address(self) -> str:
        return f"{address_of(self.host, self.port)}/?token={self.gate.token}"

    @contextlib.asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        working = asyncio.create_task(self.queue.work())
        try:
            yield
        finally:
            working.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await working
            await self.reader.close()

    def _routes(self) -> list[Route]:
        return [
            *BeginPages(self).routes(),
            *RunPages(self).routes(),
            *(reviews := ReviewPages(self)).routes(),
            *RatePages(self).routes(),
            *SignOffPages(self, reviews).routes(),
            Route("/language", self._switch_language, methods=["POST"]),
            Route("/who", self._name, methods=["POST"]),
            Route("/login", self._login, methods=["GET", "POST"]),
            Route("/static/{name}", self._static),
        ]

    # What pages share

    def language(self, request: Request) -> str:
        accepted = request.headers.get("accept-language", "")
        return choose_language(request.cookies.get(COOKIE, ""), accepted)

    def page(
        self, request: Request, template: str, *, status: int = 200, **values: Any
    ) -> HTMLResponse:
        """A page in the reader's language."""
        language = self.language(request)
        session: Visit | None = request.scope.get("session")
        waiting = self.state.jobs(WAITING, RUNNING) if session and session.role == OWNER else []
        text = self.templates.get_template(template).render(
            t=lambda key, **own: say(language, key, **own),
            language=language, languages=LANGUAGES, version=__version__, session=session,
            is_owner=session is not None and session.role == OWNER,
            path=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            working=len(waiting), folder=self.folder.name, **values,
        )  # fmt: skip
        return HTMLResponse(text, status)

    def who(self, request: Request) -> str:
        """Who decides or rates; nobody is nameless there."""
        session: Visit = request.scope["session"]
        return session.who

    async def form(self, request: Request) -> dict[str, list[str]]:
        """The fields of a form; one that is too large is refused before it is read."""
        content = b""
        async for part in request.stream():
            content += part
            if len(content) > LARGEST_FORM:
                raise InputError("This form is larger than any that the page sends")
        try:
            pairs = parse_qsl(
                content.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS
            )
        except ValueError:
            raise InputError("This form cannot be read") from None
        fields: dict[str, list[str]] = {}
        for name, value in pairs:
            fields.setdefault(name, []).append(value)
        return fields

    # Small pages

    async def _on_error(self, request: Request, error: Exception) -> Response:
        """A message in place of a page: what is wrong and what to do."""
        if isinstance(error, HTTPException):
            language = self.language(request)
            return self.message(request, say(language, "error.no_page"), error.status_code)
        if isinstance(error, OSError):  # a full disk, a file that went away
            place = error.filename or self.folder
            return self.message(request, f"{place}: {error.strerror or error}", 400)
        return self.message(request, str(error), 400)

    async def _on_fault(self, request: Request, error: Exception) -> Response:
        text = say(self.language(request), "error.fault", error=repr(error)[:300])
        return self.message(request, text, 500)

    def message(self, request: Request, text: str, status: int) -> Response:
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"error": text}, status)
        return self.page(request, "message.html.j2", status=status, message=text)

    async def _explain(self, reason: str, status: int) -> Any:
        async def answer(scope: Any, receive: Any, send: Any) -> None:
            scope["session"] = None
            request = Request(scope, receive)
            text = say(self.language(request), f"gate.{reason}")
            await self.message(request, text, status)(scope, receive, send)

        return answer

    async def _switch_language(self, request: Request) -> Response:
        fields = await self.form(request)
        chosen = first(fields, "language")
        answer = RedirectResponse(local(first(fields, "next")), 303)
        if chosen in LANGUAGES:
            answer.set_cookie(COOKIE, chosen, max_age=365 * 86400, samesite="strict", httponly=True)
        return answer

    async def _name(self, request: Request) -> Response:
        """Somebody says who they are: with every decision and label that is kept."""
        fields = await self.form(request)
        name = " ".join(first(fields, "who").split())[:80]
        session: Visit = request.scope["session"]
        self.gate.rename(dict(request.headers), Visit(session.role, name))
        return RedirectResponse(local(first(fields, "next")), 303)

    async def _login(self, request: Request) -> Response:
        if not self.password:
            raise HTTPException(404)
        if request.method == "GET":
            return self.page(request, "login.html.j2", next=local(request.query_params.get("next")))
        fields = await self.form(request)
        if not await self.gate.check_password(first(fields, "password")):
            return self.page(
                request, "login.html.j2", status=403, wrong=True, next=local(first(fields, "next"))
            )
        answer = RedirectResponse(local(first(fields, "next")), 303)
        name = " ".join(first(fields, "who").split())[:80]
        answer.headers["set-cookie"] = self.gate.admit(OWNER, name)
        return answer

    async def _static(self, request: Request) -> Response:
        kinds = {"css": "text/css", "js": "text/javascript"}
        name = request.path_params["name"]
        if name not in STATIC:
            raise HTTPException(404)
        return Response(STATIC[name](), media_type=kinds[name.rpartition(".")[2]])


def own(place: str, name: str) -> str:
    return resources.files(__package__).joinpath(place, name).read_text("utf-8")


def _template(name: str) -> str:
    """A page of ours, else a part of the report."""
    found = resources.files(__package__).joinpath("pages", name)
    return found.read_text("utf-8") if found.is_file() else asset(name)


STATIC: dict[str, Callable[[], str]] = {
    "bench.css": lambda: asset("charts.css") + asset("report.css") + own("static", "bench.css"),
    "theme.js": lambda: own("static", "theme.js"),
    "bench.js": lambda: (
        '"use strict";\n(() => {\n' + asset("page.js") + own("static", "bench.js") + "\n})();\n"
    ),
    "report.js": lambda: page_script(own("static", "bench.js")),
}
