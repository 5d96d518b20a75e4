"""Run and Result: progress while a run works, and the report live when it is there."""

from __future__ import annotations

import mimetypes
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.report.html import to_script, trusted
from gistmeter.workbench.drops import SOUND, inside
from gistmeter.workbench.forms import routes_of, whole
from gistmeter.workbench.recipes import compare_recipe, report_recipe, score_recipe
from gistmeter.workbench.result_pages import FORMATS, Filter, restored
from gistmeter.workbench.state import CANCELLED, DONE, FAILED, RUNNING, WAITING, Job

if TYPE_CHECKING:
    from gistmeter.workbench.application import Workbench

LARGEST_NUMBER = 2**63  # that SQLite holds
SHOWN_FORMATS = ("xlsx", "csv", "json", "md", "html")


class RunPages:
    """Runs: the queue's, and those that are finished."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench

    def routes(self) -> list[Route]:
        return routes_of(
            [
                ("/jobs/{number:int}", self.progress_page, ["GET"]),
                ("/jobs/{number:int}/progress", self.progress, ["GET"]),
                ("/jobs/{number:int}/cancel", self.cancel, ["POST"]),
                ("/jobs/{number:int}/again", self.again, ["POST"]),
                ("/result/{name:path}", self.result, ["GET"]),
                ("/items/{name:path}", self.items, ["GET"]),
                ("/download/{kind}/{name:path}", self.download, ["GET"]),
                ("/sound/{name:path}", self.sound, ["GET"]),
            ]
        )

    def _job(self, request: Request) -> Job:
        number = request.path_params["number"]
        job = self.bench.state.job(number) if number < LARGEST_NUMBER else None
        if job is None:
            raise InputError("This run is not in the queue")
        return job

    async def progress_page(self, request: Request) -> Response:
        job = self._job(request)
        if job.state == DONE:
            return RedirectResponse(f"/result/{quote(job.run)}", 303)
        return self.bench.page(
            request, "job.html.j2", job=job, figures=self._figures(job),
            steps=score_recipe(job.shape, job.options, job.run),
            before=[one for one in self.bench.state.jobs(WAITING, RUNNING) if one.id < job.id],
        )  # fmt: skip

    def _figures(self, job: Job) -> dict[str, Any]:
        share = job.done / job.total if job.total else None
        return {
            "state": job.state, "stage": job.stage, "done": job.done, "total": job.total,
            "share": share, "rate": job.rate, "left": job.left, "message": job.message,
            "remarks": list(job.remarks), "result": f"/result/{quote(job.run)}",
        }  # fmt: skip

    async def progress(self, request: Request) -> Response:
        return JSONResponse(self._figures(self._job(request)))

    async def cancel(self, request: Request) -> Response:
        await self.bench.queue.cancel(self._job(request).id)
        return RedirectResponse(f"/jobs/{request.path_params['number']}", 303)

    async def again(self, request: Request) -> Response:
        """Put a run back into the queue: what it measured stays measured."""
        job = self._job(request)
        if job.state in (FAILED, CANCELLED):
            self.bench.state.change_job(job.id, state=WAITING, message="", ended=None)
            self.bench.queue.wake()
        return RedirectResponse(f"/jobs/{job.id}", 303)

    async def result(self, request: Request) -> Response:
        return await run_in_threadpool(self._result, request)

    def _result(self, request: Request) -> Response:
        name, shelf = request.path_params["name"], self.bench.shelf
        other, column = request.query_params.get("with", ""), request.query_params.get("by", "")
        kept = restored(shelf.sections(name))
        sections = shelf.compared(name, other) if other else kept["sections"]
        heat, problem = None, ""
        if column:
            try:
                heat = shelf.slices(name, column)
            except GistmeterError as error:
                problem = str(error)
        job = self.bench.state.job_of(name)
        recipe = compare_recipe(name, other) if other else report_recipe(name)
        if job is not None and not other:
            recipe = score_recipe(job.shape, job.options, job.run)
        return self.bench.page(
            request, "result.html.j2", run=name, here="result", sections=sections, heat=heat,
            problem=problem, steps=recipe, other=other, column=column,
            others=[line for line in shelf.lines() if line.name != name and not line.error],
            columns=kept["columns"], formats=SHOWN_FORMATS,
        )  # fmt: skip

    async def items(self, request: Request) -> Response:
        return await run_in_threadpool(self._items, request)

    def _items(self, request: Request) -> Response:
        name, given = request.path_params["name"], request.query_params
        number = given.get("page", "1")
        columns = {key[2:]: value for key, value in given.items() if key.startswith("c.") and value}
        wanted = Filter(
            given.get("words", "")[:400], given.get("system", ""), columns, given.get("sort", ""),
            given.get("down") == "1", whole(number, 1),
        )  # fmt: skip
        found = self.bench.shelf.items(name, wanted)
        data = found["data"]
        rest = {key: value for key, value in given.items() if key != "page"}
        return self.bench.page(
            request, "items.html.j2", run=name, here="items", wanted=wanted, found=found,
            data=trusted(to_script(data)), systems=data["systems"], facets=found["facets"],
            scores=[column["name"] for column in data["columns"]], query=urlencode(rest),
        )  # fmt: skip

    async def download(self, request: Request) -> Response:
        kind, name = request.path_params["kind"], request.path_params["name"]
        if kind not in FORMATS:
            raise HTTPException(404)
        content, file = await run_in_threadpool(self.bench.shelf.download, name, kind)
        media = mimetypes.guess_type(file)[0] or "application/octet-stream"
        # A page of ours is never shown as a page of this server: it is a file to keep.
        return Response(content, media_type=media, headers={
            "content-disposition": f"attachment; filename*=UTF-8''{quote(file)}"})  # fmt: skip

    async def sound(self, request: Request) -> Response:
        path = inside(self.bench.folder, request.path_params["name"])
        if path.suffix.lower() not in SOUND:
            raise HTTPException(404)
        return FileResponse(path, media_type=mimetypes.guess_type(path.name)[0])
