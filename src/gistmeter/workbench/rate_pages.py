"""Rate: what a design drew, blind, in an order of each rater's own; and what labels say.

Raters see the texts and the question. Which system said what, its score, and what others said are
on the owner's page alone.
"""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from gistmeter.core.errors import InputError
from gistmeter.core.types import SEED
from gistmeter.core.views import plain, script_language, shown, visible
from gistmeter.core.wording import figure, signed
from gistmeter.models.credentials import is_own_machine
from gistmeter.people.designs import DESIGNS, Design, draw_sample
from gistmeter.people.item_keys import labels_of
from gistmeter.people.ledger import LabelFollower, ledger_folders, ledger_of
from gistmeter.people.rating_sheet import (
    RatingQuestion,
    RatingSheet,
    ToRate,
    rated_columns,
    rating_sheet,
    sheet_of,
)
from gistmeter.people.records import IDENTIFIER, KINDS, LONGEST_COMMENT, LabelRecord, new_id
from gistmeter.people.statements import LabelSummary, summarise_labels
from gistmeter.report.export import workbook
from gistmeter.report.rating_page import answers, rating_page
from gistmeter.workbench.drops import new_drop, take_in
from gistmeter.workbench.forms import first, routes_of, whole
from gistmeter.workbench.gate import OWNER, TOKEN
from gistmeter.workbench.interface import say
from gistmeter.workbench.recipes import label_recipe
from gistmeter.workbench.result_pages import audio_link, item_page
from gistmeter.workbench.server import address_of
from gistmeter.workbench.state import Round

if TYPE_CHECKING:
    from gistmeter.core.run import Run
    from gistmeter.workbench.application import Workbench

OFTEN = 10  # labels after which the page says what they say
MOST = 100_000  # to rate
HELD = 8  # sheets in memory
GIVEN = {"yes": 1.0, "no": 0.0, "1": 1.0, "=": 0.5, "2": 0.0}  # what buttons with words stand for
FILES = {
    "html": "text/html; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class RatePages:
    """Rounds of rating: what is asked, what was said, what follows from it."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        self._sheets: dict[int, RatingSheet] = {}
        self._followers: dict[Path, LabelFollower] = {}
        self._turn = threading.Lock()  # of who reads and writes labels

    def routes(self) -> list[Route]:
        return routes_of([
            ("/rate", self.rounds, ["GET"]),
            ("/rate/{name:path}", self.page, ["GET"]),
            ("/rate/{name:path}", self.rate, ["POST"]),
            ("/labels/{name:path}", self.labels, ["GET"]),
            ("/labels/{name:path}", self.begin, ["POST"]),
            ("/rating/{kind}/{name:path}", self.file, ["GET"]),
            ("/rated/{name:path}", self.read_back, ["POST"]),
        ])  # fmt: skip

    # What raters see

    async def rounds(self, request: Request) -> Response:
        return self.bench.page(request, "rounds.html.j2", rounds=self.bench.state.rounds())

    async def page(self, request: Request) -> Response:
        return await run_in_threadpool(self._page, request)

    def _page(self, request: Request) -> Response:
        name, who = request.path_params["name"], self.bench.who(request)
        given = request.query_params
        run, asked = self.bench.shelf.load(name), self._round(name)
        sheet = self._sheet(run, asked)
        if not who:
            return self.bench.page(request, "rate.html.j2", run=name, who="", **self._asked(asked))
        rows, said = sheet.order_for(who), self._said(run, sheet, who)
        done = [_subject(row) in said for row in rows]
        at = whole(given.get("at", ""))
        if not 0 <= at < len(rows):
            start = max(0, whole(given.get("from", "")))
            places = [*range(start, len(rows)), *range(min(start, len(rows)))]
            at = next((place for place in places if not done[place]), -1)
        row = rows[at] if at >= 0 else None
        return self.bench.page(
            request, "rate.html.j2", run=name, who=who, round=asked.id, row=row, at=at, id=new_id(),
            done=sum(done), total=len(rows), blocks=self._blocks(run, row) if row else [],
            before=said.get(_subject(row)) if row else None, given=GIVEN, **self._asked(asked),
        )  # fmt: skip

    async def rate(self, request: Request) -> Response:
        fields = await self.bench.form(request)
        return await run_in_threadpool(self._rate, request, fields)

    def _rate(self, request: Request, fields: dict[str, list[str]]) -> Response:
        name, who = request.path_params["name"], self.bench.who(request)
        run, asked = self.bench.shelf.load(name), self._round(name)
        if not who:
            raise InputError("Say who you are first: every rating is kept with a name")
        sheet, subject = self._sheet(run, asked), (first(fields, "item"), first(fields, "other"))
        rows = sheet.order_for(who)
        at = next((at for at, row in enumerate(rows) if _subject(row) == subject), -1)
        if whole(first(fields, "round")) != asked.id or at < 0:
            raise InputError("Another round has begun since this page was opened. Open it again")
        given = first(fields, "id")
        try:
            label = sheet.label(
                rows[at], first(fields, "rating"), who, question=sheet.question.spelled,
                comment=first(fields, "comment").strip()[:LONGEST_COMMENT], place={"run": name},
                id=given if IDENTIFIER.fullmatch(given) else new_id(),
            )  # fmt: skip
            label = LabelRecord.of(label.to_dict())  # as it will be read, lengths included
        except ValueError as error:
            raise InputError(str(error)) from error
        with self._turn:
            known = any(label.id in follower.ids for follower in self._follow(run))
            if not known:  # sent twice: kept once
                ledger_of(self._path(run), self.bench.folder).append(label)
        said = self._said(run, sheet, who)
        owner = request.scope["session"].role == OWNER
        if not known and owner and len(said) % OFTEN == 0:
            return RedirectResponse(f"/labels/{quote(name)}", 303)
        return RedirectResponse(f"/rate/{quote(name)}?from={at + 1}", 303)

    # What the owner sees

    async def labels(self, request: Request) -> Response:
        return await run_in_threadpool(self._labels, request)

    def _labels(self, request: Request) -> Response:
        name = request.path_params["name"]
        run, asked = self.bench.shelf.load(name), self.bench.state.rounds().get(name)
        known: dict[str, Any] = {"sheet": None, "problem": ""}
        try:
            rated_columns(run)
        except InputError as error:  # trees of parses
            known["problem"] = str(error)
        if asked:
            sheet = self._sheet(run, asked)
            summary = self._summary(run, sheet)
            base = str(request.base_url).rstrip("/")
            if self.bench.password and is_own_machine(request.url.hostname or ""):
                base = address_of(self.bench.host, self.bench.port, others=True)
            known |= {
                "sheet": sheet, "summary": summary, "steps": label_recipe(name, sheet.sample.design,
                                                                          sheet.question),
                "link": f"{base}/rate/{quote(name)}?{TOKEN}={self.bench.gate.rater_token}",
                "reached": bool(self.bench.password), "files": FILES, **self._asked(asked),
            }  # fmt: skip
        return self.bench.page(
            request, "labels.html.j2", run=name, here="labels", designs=DESIGNS, kinds=KINDS,
            systems=len(run.systems), figure=figure, signed=signed, **known,
        )  # fmt: skip

    async def begin(self, request: Request) -> Response:
        fields = await self.bench.form(request)
        return await run_in_threadpool(self._begin, request, fields)

    def _begin(self, request: Request, fields: dict[str, list[str]]) -> Response:
        name = request.path_params["name"]
        run = self.bench.shelf.load(name)
        text = first(fields, "question").strip()
        if len(text) > LONGEST_COMMENT:
            raise InputError(f"The instructions are longer than {LONGEST_COMMENT:,} characters")
        try:
            scale = float(first(fields, "low", "1")), float(first(fields, "high", "5"))
        except ValueError:
            raise InputError("scale: expected two numbers, the lower first, such as 1-5") from None
        question = RatingQuestion(first(fields, "kind"), scale, visible(text))
        size = whole(first(fields, "size"))
        if not 2 <= size <= MOST:
            raise InputError(f"Between 2 and {MOST:,} outputs can be drawn")
        before = self.bench.state.rounds().get(name)
        seed = SEED + (before.id if before else 0)
        sample = draw_sample(run, Design(first(fields, "design"), size, seed))
        sheet = rating_sheet(run, sample, question)
        self.bench.state.add_round(name, sheet.token, question.text)
        return RedirectResponse(f"/labels/{quote(name)}", 303)

    async def file(self, request: Request) -> Response:
        return await run_in_threadpool(self._file, request)

    def _file(self, request: Request) -> Response:
        """What is asked as one page without a server, or as a spreadsheet."""
        name, kind = request.path_params["name"], request.path_params["kind"]
        sheet = self._sheet(self.bench.shelf.load(name), self._round(name))
        if kind not in FILES:
            raise InputError(f"A sample cannot be written as .{shown(kind, 20)}")
        content = rating_page(sheet).encode() if kind == "html" else workbook([sheet.sheet()])
        told = {"content-disposition": f'attachment; filename="rating.{kind}"'}
        return Response(content, media_type=FILES[kind], headers=told)

    async def read_back(self, request: Request) -> Response:
        """A file that a rater elsewhere filled in; checked and kept by the process that reads."""
        name, given, folder = request.path_params["name"], request.query_params, self.bench.folder
        self.bench.shelf.place(name)
        drop = new_drop(folder)
        path = await take_in(folder, drop, given.get("name", ""), request.stream())
        answer = await self.bench.reader.ask(
            {"task": "labels", "run": name, "file": path, "rater": given.get("rater", "").strip()}
        )
        if "answer" not in answer:
            raise InputError(answer["error"])
        return JSONResponse({"said": say(self.bench.language(request), "labels.read",
                                         **answer["answer"])})  # fmt: skip

    # What is asked, and what was said

    def _round(self, name: str) -> Round:
        asked = self.bench.state.rounds().get(name)
        if asked is None:
            raise InputError("Nobody asks for ratings of this run now")
        return asked

    def _sheet(self, run: Run, asked: Round) -> RatingSheet:
        if asked.id not in self._sheets:
            try:
                sheet = sheet_of(run, asked.sheet, asked.question)
            except ValueError as error:
                raise InputError(str(error)) from error
            while len(self._sheets) >= HELD:
                self._sheets.pop(next(iter(self._sheets)))
            self._sheets[asked.id] = sheet
        return self._sheets[asked.id]

    def _asked(self, asked: Round) -> dict[str, Any]:
        kind, low, high = asked.sheet.partition("|")[0].split(":")
        scale = float(low), float(high)
        return {"kind": kind, "low": low, "high": high, "answers": answers(kind, scale),
                "question": asked.question}  # fmt: skip

    def _blocks(self, run: Run, row: ToRate) -> list[Any]:
        """The texts, and the sound where there is one."""
        texts = [("expected", row.expected), ("got", row.got)]
        if row.other:
            texts[1:] = [("first", row.got), ("second", row.second)]
        sound: list[Any] = []
        if run.command == "speech":
            item = item_page(run, run.measured.take([row.row]), audio_link(self.bench.folder))
            sound = [block for block in item["items"][0]["b"] if block["k"] == "audio"]
        return [*sound, *(
            plain(name, text, script_language(text), longest=len(text)) for name, text in texts
        )]  # fmt: skip

    def _path(self, run: Run) -> Path:
        assert run.path is not None
        return Path(run.path)

    def _follow(self, run: Run) -> list[LabelFollower]:
        """The labels of the folders that a run sees, as they are now."""
        folders = ledger_folders(self._path(run), self.bench.folder)
        followers = [self._followers.setdefault(one, LabelFollower(one)) for one in folders]
        for follower in followers:
            follower.update()
        return followers

    def _said(self, run: Run, sheet: RatingSheet, who: str) -> dict[tuple[str, str], LabelRecord]:
        """What a rater said in this round, by what it is about."""
        kind, question = sheet.question.kind, sheet.question.spelled
        with self._turn:
            followers = self._follow(run)
            found = {}
            for row in sheet.rows:
                for follower in followers:
                    label = follower.standing.get((*_subject(row), who, kind, question))
                    if label:
                        found[_subject(row)] = label
            return found

    def _summary(self, run: Run, sheet: RatingSheet) -> LabelSummary | None:
        """What the labels to this question say; None before there are two."""
        question = sheet.question
        asked = question.kind, question.spelled
        labels = [one for one in labels_of(run, self.bench.folder)
                  if (one.kind, one.question) == asked]  # fmt: skip
        if len(labels) < 2:
            return None
        summary = summarise_labels(run, labels, score=sheet.sample.score)
        return dataclasses.replace(summary, misleading=summary.misleading[:8])


def _subject(row: ToRate) -> tuple[str, str]:
    return row.item, row.other
