"""Sign-off: the verdict with all that was decided, signed by a name and kept in the run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gistmeter.core.errors import InputError
from gistmeter.core.folders import Folder
from gistmeter.people.records import now
from gistmeter.people.signoff import SignOff, build_signoff, keep_signoff
from gistmeter.report.signoff_page import parts, signoff_docx, signoff_page
from gistmeter.workbench.forms import first, routes_of
from gistmeter.workbench.review_pages import ReviewPages

if TYPE_CHECKING:
    from gistmeter.workbench.application import Workbench

FILES = {
    "html": "text/html; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
LONGEST_REMARK = 10_000


class SignOffPages:
    """The document of a run as it would be signed now, and the one that was."""

    def __init__(self, bench: Workbench, reviews: ReviewPages) -> None:
        self.bench, self.reviews = bench, reviews

    def routes(self) -> list[Route]:
        return routes_of([
            ("/sign-off/{name:path}", self.page, ["GET"]),
            ("/sign-off/{name:path}", self.sign, ["POST"]),
            ("/signed/{kind}/{name:path}", self.file, ["GET"]),
        ])  # fmt: skip

    def _signoff(self, name: str, **signed: str) -> SignOff:
        run = self.bench.shelf.load(name)
        findings = [one.opened() for one in self.reviews.findings(run)]
        return build_signoff(run, findings, top=self.bench.folder, **signed)

    async def page(self, request: Request) -> Response:
        return await run_in_threadpool(self._page, request)

    def _page(self, request: Request) -> Response:
        name = request.path_params["name"]
        signoff = self._signoff(name)
        kept = [kind for kind in FILES if _kept(self.bench.shelf.place(name), kind) is not None]
        return self.bench.page(
            request, "signoff.html.j2", run=name, here="sign-off", who=self.bench.who(request),
            parts=[(type(part).__name__, part) for part in parts(signoff)][1:], kept=kept,
            open=len(signoff.still_open), contested=len(signoff.contested),
        )  # fmt: skip

    async def sign(self, request: Request) -> Response:
        fields = await self.bench.form(request)
        return await run_in_threadpool(self._sign, request, fields)

    def _sign(self, request: Request, fields: dict[str, list[str]]) -> Response:
        name, who = request.path_params["name"], self.bench.who(request)
        if not who:
            raise InputError("Say who you are first: nobody signs without a name")
        remark = first(fields, "remark").strip()
        if len(remark) > LONGEST_REMARK:
            raise InputError(f"The remark is longer than {LONGEST_REMARK:,} characters")
        signoff = self._signoff(name, signed_by=who, signed_at=now(), remark=remark)
        keep_signoff(
            self.bench.shelf.load(name), signoff,
            html=signoff_page(signoff).encode(), docx=signoff_docx(signoff),
        )  # fmt: skip
        return RedirectResponse(f"/sign-off/{quote(name)}", 303)

    async def file(self, request: Request) -> Response:
        name, kind = request.path_params["name"], request.path_params["kind"]
        content = _kept(self.bench.shelf.place(name), kind) if kind in FILES else None
        if content is None:
            raise InputError("This run has no such document: sign it off first")
        stem = quote(f"sign-off-{name.rsplit('/', 1)[-1]}.{kind}")
        told = {"content-disposition": f"attachment; filename*=utf-8''{stem}"}
        return Response(content, media_type=FILES[kind], headers=told)


def _kept(run: Path, kind: str) -> bytes | None:
    """The document that was signed; None where there is none."""
    folder, name = Folder(run), f"details/signoff.{kind}"
    return folder.read(name) if folder.has(name) else None
