"""Begin and What was understood: files come in, their parts are settled, a run is queued."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from gistmeter.core.errors import InputError
from gistmeter.core.files import parse_json
from gistmeter.core.runs.layout import default_folder
from gistmeter.models.e5 import weights_fetch, weights_path
from gistmeter.workbench.drops import (
    DROPPED,
    KNOWN,
    MOST_FILES,
    drop_place,
    files_below,
    inside,
    new_drop,
    take_in,
)
from gistmeter.workbench.forms import first, routes_of, whole
from gistmeter.workbench.recipes import score_recipe
from gistmeter.workbench.result_pages import RUNS
from gistmeter.workbench.shapes import (
    CHOICES,
    FLAGS,
    IGNORED,
    SHAPES,
    guess_parts,
    guess_shape,
    options_for,
)
from gistmeter.workbench.state import CANCELLED, FAILED, RUNNING, WAITING, Drop
from gistmeter.workbench.understanding import mend

if TYPE_CHECKING:
    from gistmeter.workbench.application import Workbench

NAMED = re.compile(r"[\w.+ -]{0,40}")  # a language or an encoding
COLUMN_NAMES = {
    "text": {"id": "idiom", "reference": "reference", "system name": "system",
             "arrangement": "arrangement", "language": "language"},
    "speech": {"id": "file", "reference": "expected", "system name": "system"},
}  # fmt: skip
ROLES = ("id", "reference", "system", "system name", "arrangement", "language")


class BeginPages:
    """The first two pages, and the files that come in."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench

    def routes(self) -> list[Route]:
        return routes_of(
            [
                ("/", self.begin, ["GET"]),
                ("/drops", self.open_drop, ["POST"]),
                ("/drops/{id}/files", self.receive, ["POST"]),
                ("/drops/{id}", self.understood, ["GET"]),
                ("/drops/{id}", self.change, ["POST"]),
                ("/drops/{id}/start", self.start, ["POST"]),
                ("/sample", self.sample, ["POST"]),
                ("/files", self.choose_files, ["POST"]),
            ]
        )

    async def begin(self, request: Request) -> Response:
        bench = self.bench
        jobs = bench.state.jobs(WAITING, RUNNING, FAILED, CANCELLED)
        return bench.page(
            request, "begin.html.j2", shapes=SHAPES,
            runs=await run_in_threadpool(bench.shelf.lines), files=files_below(bench.folder),
            missing="" if weights_path() else weights_fetch.COMMAND,
            jobs=jobs[::-1][:8], accepts=",".join(sorted(KNOWN)),
        )  # fmt: skip

    # Files come in

    async def open_drop(self, request: Request) -> Response:
        """A place for files that are about to be dropped."""
        del request
        name = new_drop(self.bench.folder)
        self.bench.state.keep_drop(Drop(name, "", (), {}))
        return JSONResponse({"id": name})

    async def receive(self, request: Request) -> Response:
        """One file, as its bytes come."""
        drop = self._drop(request)
        name = request.query_params.get("name", "")
        path = await take_in(self.bench.folder, drop.id, name, request.stream())
        self.bench.state.keep_drop(replace(drop, files=[*drop.files, path]))
        return JSONResponse({"path": path})

    async def sample(self, request: Request) -> Response:
        fields = await self.bench.form(request)
        shape = _shape(first(fields, "shape"))
        name = new_drop(self.bench.folder)
        place = drop_place(self.bench.folder, name)
        files = []
        for sample in SHAPES[shape].sample:
            source = resources.files("gistmeter").joinpath("samples", *sample.split("/"))
            target = place / PurePosixPath(sample).name
            target.write_bytes(source.read_bytes())
            files.append(target.relative_to(self.bench.folder).as_posix())
        self.bench.state.keep_drop(Drop(name, shape, files, {}))
        return RedirectResponse(f"/drops/{name}", 303)

    async def choose_files(self, request: Request) -> Response:
        """Files that lie in the folder already."""
        fields = await self.bench.form(request)
        chosen = fields.get("file", [])[:MOST_FILES]
        files = [
            inside(self.bench.folder, name).relative_to(self.bench.folder).as_posix()
            for name in chosen
        ]
        if not files:
            raise InputError("No file was chosen")
        name = new_drop(self.bench.folder)
        self.bench.state.keep_drop(Drop(name, "", files, {}))
        return RedirectResponse(f"/drops/{name}", 303)

    # What was understood

    def _drop(self, request: Request) -> Drop:
        drop = self.bench.state.drop(request.path_params["id"])
        if drop is None:
            raise InputError("These files are not here any more. Drop them again")
        return drop

    def _settled(self, drop: Drop) -> tuple[Drop, dict[str, str], dict[str, str]]:
        """The drop with its shape, the paths of its files by name, and their parts."""
        paths = [inside(self.bench.folder, file) for file in drop.files]
        if not paths:
            raise InputError("No file has arrived yet. Drop one")
        files = _named(drop.files)
        shape = drop.shape or guess_shape(paths) or "text"
        guessed = guess_parts(shape, dict(zip(files, paths, strict=True)))
        parts = {**guessed, **drop.choices.get("parts", {})}
        return replace(drop, shape=shape), files, parts

    def _options(
        self, drop: Drop, files: Mapping[str, str], parts: Mapping[str, str]
    ) -> dict[str, Any]:
        return options_for(drop.shape, files, parts, drop.choices.get("options", {}))

    async def understood(self, request: Request) -> Response:
        given = self._drop(request)
        drop, files, parts = self._settled(given)
        options = self._options(drop, files, parts)
        answer = await self.bench.reader.ask(
            {"task": "understand", "shape": drop.shape, "options": options}
        )
        known = answer.get("answer") or {"files": [], "scores": [], "remarks": []}
        error = answer.get("error") or known.get("error", "")
        about = {file["path"]: file for file in known["files"]}
        pace = self.bench.state.pace(drop.shape)
        seconds = known.get("seconds", 0.0)
        if pace and known.get("items"):
            seconds = pace * known["items"]
        return self.bench.page(
            request, "understood.html.j2", drop=drop, shapes=SHAPES, shape=SHAPES[drop.shape],
            files=[{"name": name, "path": path, "part": parts.get(name, IGNORED),
                    "guessed": name not in given.choices.get("parts", {}),
                    "about": about.get(path, {}),
                    "mended": drop.choices.get("mended", {}).get(path)}
                   for name, path in files.items()],
            guessed_shape=not given.shape, known=known, error=error, roles=ROLES,
            chosen=drop.choices.get("options", {}), seconds=seconds, paced=bool(pace),
            steps=score_recipe(drop.shape, options, f"{RUNS}/{drop.shape}"), choices=CHOICES,
        )  # fmt: skip

    async def change(self, request: Request) -> Response:
        """Keep what was changed, and look again."""
        fields = await self.bench.form(request)
        self.bench.state.keep_drop(self._changed(self._drop(request), fields))
        return RedirectResponse(f"/drops/{request.path_params['id']}", 303)

    def _changed(self, drop: Drop, fields: dict[str, list[str]]) -> Drop:
        shape = _shape(first(fields, "shape", drop.shape))
        before, files, _ = self._settled(drop)
        if before.shape != shape:  # another shape: what was said of the first does not hold
            return Drop(drop.id, shape, drop.files, {"mended": drop.choices.get("mended", {})})
        parts = {
            name: value
            for at, name in enumerate(files)
            if (value := first(fields, f"part-{at}")) in (*SHAPES[shape].parts, IGNORED)
            and (value != first(fields, f"part-was-{at}") or name in drop.choices.get("parts", {}))
        }
        choices = {**drop.choices, "parts": parts, "options": self._chosen(shape, drop, fields)}
        return self._mended(Drop(drop.id, shape, drop.files, choices), fields)

    def _chosen(self, shape: str, drop: Drop, fields: dict[str, list[str]]) -> dict[str, Any]:
        """The options that the form sets; a value that is none of its choices is left out."""
        allowed = SHAPES[shape].options
        options: dict[str, Any] = {}
        for name in ("language", "encoding"):
            value = first(fields, name).strip()
            if name in allowed and value and NAMED.fullmatch(value):
                options[name] = value
        for name, known in CHOICES.items():
            if name in allowed and first(fields, name) in known[1:]:
                options[name] = first(fields, name)
        for name in FLAGS:
            if name in allowed and first(fields, name) == "on":
                options[name] = True
        if first(fields, "scores") == "some" and fields.get("metric"):
            options["metrics"] = [name for name in fields["metric"] if name.isidentifier()]
        return options | _columns(shape, drop.choices.get("options", {}), fields)

    def _mended(self, drop: Drop, fields: dict[str, list[str]]) -> Drop:
        """The drop with copies of one sheet, or from another header's row, in place of files."""
        files, mended = list(drop.files), dict(drop.choices.get("mended", {}))
        for at, path in enumerate(drop.files):
            sheet, header = first(fields, f"sheet-{at}"), first(fields, f"header-{at}")
            was = mended.get(path)
            if first(fields, f"restore-{at}") and was:
                files[at] = was["of"]
                del mended[path]
                continue
            moved = whole(header) >= 0 and header != first(fields, f"header-was-{at}")
            if not (sheet or moved):
                continue
            number = min(whole(header, 1), 1_000_000)
            source = inside(self.bench.folder, path)
            stem = re.sub(r"[^\w-]+", "_", f"{source.stem}-{sheet}" if sheet else source.stem)[:80]
            place = self.bench.folder / DROPPED / drop.id
            target = place / f"{stem}-from-{number}.csv" if moved else place / f"{stem}.csv"
            mend(source, sheet, number if moved else 1, target)
            files[at] = target.relative_to(self.bench.folder).as_posix()
            mended[files[at]] = {"of": path, "sheet": sheet, "header": number if moved else 1}
        return replace(drop, files=files, choices={**drop.choices, "mended": mended})

    async def start(self, request: Request) -> Response:
        """Queue the run, once what was changed is understood without an error."""
        fields = await self.bench.form(request)
        drop, files, parts = self._settled(self._changed(self._drop(request), fields))
        self.bench.state.keep_drop(drop)
        options = self._options(drop, files, parts)
        answer = await self.bench.reader.ask(
            {"task": "understand", "shape": drop.shape, "options": options}
        )
        known = answer.get("answer") or {"error": answer["error"]}
        if known["error"]:
            return RedirectResponse(f"/drops/{drop.id}", 303)
        runs = self.bench.folder / RUNS
        taken = {job.run for job in self.bench.state.jobs()}
        run, number = default_folder(drop.shape, runs), 1
        while run.relative_to(self.bench.folder).as_posix() in taken:
            number += 1
            run = run.with_name(f"{default_folder(drop.shape, runs).name}-{number}")
        name = run.relative_to(self.bench.folder).as_posix()
        job = self.bench.state.add_job(drop.shape, options, name, known["items"])
        self.bench.queue.wake()
        return RedirectResponse(f"/jobs/{job}", 303)


def _shape(name: str) -> str:
    if name not in SHAPES:
        raise InputError(f"There is no shape '{name[:40]}'. Known: {', '.join(SHAPES)}")
    return name


def _named(files: Sequence[str]) -> dict[str, str]:
    """Paths by the file's name; a name that occurs again is numbered."""
    named: dict[str, str] = {}
    for file in files:
        name, number = PurePosixPath(file).name, 1
        while name in named:
            number += 1
            name = f"{PurePosixPath(file).name} ({number})"
        named[name] = file
    return named


def _columns(shape: str, before: Mapping[str, Any], fields: dict[str, list[str]]) -> dict[str, Any]:
    """The columns that somebody chose; nothing while all is as it was guessed."""
    if shape not in COLUMN_NAMES:
        return {}
    try:
        chosen = parse_json(first(fields, "columns", "{}") or "{}")
    except ValueError:
        raise InputError("This form cannot be read") from None
    roles: dict[str, str] = {}
    changed = bool(before.get("column") or before.get("systems"))
    for key, header in chosen.items() if isinstance(chosen, dict) else ():
        role = first(fields, f"role-{key}")
        changed |= role != first(fields, f"role-was-{key}")
        if role in ROLES and isinstance(header, str):
            roles.setdefault(header, role)
    if not changed:
        return {}
    names = COLUMN_NAMES[shape]
    column = {names[role]: header for header, role in roles.items() if role in names}
    systems = [header for header, role in roles.items() if role == "system"]
    return {"column": column, **({"systems": systems} if systems else {})}
