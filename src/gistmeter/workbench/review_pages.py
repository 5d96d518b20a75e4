"""Review: one finding after the other, decided with a key, kept at once with who and when."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gistmeter.core.errors import InputError
from gistmeter.people.item_keys import said_of
from gistmeter.people.ledger import Ledger, ledger_of
from gistmeter.people.records import VERDICTS, DecisionRecord, Retraction
from gistmeter.people.signoff import decision_alpha
from gistmeter.report.html import to_script, trusted
from gistmeter.workbench.forms import first, routes_of, whole
from gistmeter.workbench.result_pages import audio_link
from gistmeter.workbench.review_queue import (
    CONTESTED,
    OPEN,
    ReviewFinding,
    Standings,
    findings_of,
    texts_of,
)

if TYPE_CHECKING:
    from gistmeter.core.run import Run
    from gistmeter.workbench.application import Workbench

SHOWN = ("open", "mine", "contested", "all")


class ReviewPages:
    """The queue of a run, and what reviewers said of it."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        self._last: tuple[Run, list[ReviewFinding]] | None = None

    def routes(self) -> list[Route]:
        return routes_of([
            ("/review/{name:path}", self.page, ["GET"]),
            ("/review/{name:path}", self.decide, ["POST"]),
        ])  # fmt: skip

    def findings(self, run: Run) -> list[ReviewFinding]:
        last = self._last
        if last is None or last[0] is not run:
            self._last = last = run, findings_of(run)
        return last[1]

    def standings(self, run: Run) -> Standings:
        return Standings.of(said_of(run, self.bench.folder).decisions)

    def ledger(self, run: Run) -> Ledger:
        """Where decisions are kept: never above the opened folder."""
        assert run.path is not None
        return ledger_of(run.path, self.bench.folder)

    async def page(self, request: Request) -> Response:
        return await run_in_threadpool(self._page, request)

    def _page(self, request: Request) -> Response:
        name, given = request.path_params["name"], request.query_params
        run, who = self.bench.shelf.load(name), self.bench.who(request)
        found, said = self.findings(run), self.standings(run)
        kind, which = given.get("kind", ""), given.get("show", "open")
        queue = [(at, one) for at, one in enumerate(found)
                 if (not kind or one.kind == kind) and _wanted(one, which, said, who)]  # fmt: skip
        at = whole(given.get("at", ""))
        chosen = next((pair for pair in queue if pair[0] >= at), queue[0] if queue else None)
        if at >= 0 and at < len(found) and given.get("this"):
            chosen = at, found[at]
        texts = texts_of(run, chosen[1], audio_link(self.bench.folder)) if chosen else None
        states = Counter(said.state(one) for one in found)
        return self.bench.page(
            request, "review.html.j2", run=name, here="review", who=who, kind=kind, show=which,
            kinds=Counter(one.kind for one in found), states=states, total=len(found),
            left=len(queue), at=chosen[0] if chosen else -1, finding=chosen[1] if chosen else None,
            blocks=texts.blocks if texts else [],
            drawn=trusted(to_script(texts.drawn)) if texts and texts.drawn else "",
            said=said.decisions.get(chosen[1].subject, ()) if chosen else (),
            state=said.state(chosen[1]) if chosen else "", shows=SHOWN,
            undo=given.get("undo", ""), people=_people(said, found), alpha=_agreement(said, found),
            query=urlencode({"kind": kind, "show": which}),
        )  # fmt: skip

    async def decide(self, request: Request) -> Response:
        fields = await self.bench.form(request)
        return await run_in_threadpool(self._decide, request, fields)

    def _decide(self, request: Request, fields: dict[str, list[str]]) -> Response:
        name, who = request.path_params["name"], self.bench.who(request)
        run = self.bench.shelf.load(name)
        if not who:
            raise InputError("Say who you are first: every decision is kept with a name")
        verdict, comment = first(fields, "verdict"), first(fields, "comment").strip()
        at = first(fields, "at", "0")
        back: dict[str, Any] = {
            "kind": first(fields, "kind"),
            "show": first(fields, "show", "open"),
        }
        ledger, found = self.ledger(run), self.findings(run)
        if verdict == "undo":
            said = said_of(run, self.bench.folder).decisions
            own = [one for one in said if one.reviewer == who]
            last = next((one for one in own if one.id == first(fields, "undo")), None)
            if last is None:
                raise InputError("There is no decision of yours to take back here")
            ledger.append(Retraction(last.id, who, "decision"))
            subject = last.item, last.finding
            at = next((str(n) for n, one in enumerate(found) if one.subject == subject), at)
            return RedirectResponse(_place(name, {**back, "at": at, "this": "1"}), 303)
        number = whole(at)
        if verdict not in VERDICTS or not 0 <= number < len(found):
            raise InputError("This decision is on nothing that the run has. Open the review again")
        finding = found[number]
        if first(fields, "item") != finding.item:
            raise InputError(
                "The run has changed since this page was opened. Open the review again"
            )
        if verdict == "comment" and not comment:
            raise InputError("The comment is empty. Write it first, then keep it")
        place = {"run": name, "system": finding.system, "id": finding.title, "text": finding.reason}
        try:
            record = DecisionRecord(finding.item, finding.kind, who, verdict, comment, place)
            decision = DecisionRecord.of(record.to_dict())  # as it will be read, lengths included
        except ValueError as error:
            raise InputError(str(error)) from error
        ledger.append(decision)
        after = {**back, "at": at, "this": "1", "undo": decision.id}
        if verdict != "comment":
            after |= {"at": str(number + 1), "this": ""}
        return RedirectResponse(_place(name, after), 303)


def _place(name: str, query: dict[str, str]) -> str:
    return f"/review/{quote(name)}?{urlencode({key: text for key, text in query.items() if text})}"


def _wanted(finding: ReviewFinding, which: str, said: Standings, who: str) -> bool:
    """Whether a finding is in the list: open means that this reviewer has not decided on it and
    nobody dismissed it."""
    state = said.state(finding)
    if which == "all":
        return True
    if which == "mine":
        return bool(said.own(finding, who))
    if which == "contested":
        return state == CONTESTED
    return state == OPEN or (state == CONTESTED and not said.own(finding, who))


def _agreement(said: Standings, found: list[ReviewFinding]) -> str:
    """Krippendorff's alpha of the reviewers; empty where it is undefined."""
    alpha = decision_alpha(_decided(said, found))
    return f"{alpha:.2f}" if math.isfinite(alpha) else ""


def _decided(said: Standings, found: list[ReviewFinding]) -> list[DecisionRecord]:
    return [one for finding in found for one in said.decisions.get(finding.subject, ())]


def _people(said: Standings, found: list[ReviewFinding]) -> list[tuple[str, int]]:
    decided = _decided(said, found)
    return sorted(Counter(one.reviewer for one in decided if one.verdict != "comment").items())
