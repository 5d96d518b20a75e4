"""The sign-off as a page that prints well, and as DOCX: the same sections in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gistmeter.core.views import shown
from gistmeter.core.wording import count, figure, span
from gistmeter.report.docx import DocHeading, DocParagraph, DocPart, DocTable, docx
from gistmeter.report.html import render
from gistmeter.report.people_text import summary_lines

if TYPE_CHECKING:
    from gistmeter.people.signoff import SignOff

LONGEST = 400  # characters of a finding's text
VERDICTS = {"accept": "accepted", "dismiss": "dismissed", "contested": "contested"}


def signoff_page(signoff: SignOff) -> str:
    """One HTML file, without script."""
    return render("signoff.html.j2", parts=[(type(part).__name__, part) for part in parts(signoff)])


def signoff_docx(signoff: SignOff) -> bytes:
    """A Word document."""
    return docx(parts(signoff))


def parts(signoff: SignOff) -> list[DocPart]:
    """The document, section by section."""
    found: list[DocPart] = [
        DocHeading(f"Sign-off: {shown(signoff.run, 200)}", top=True),
        DocParagraph(shown(signoff.verdict)),
        DocTable(
            ("system", "score", "value", "interval", "n"),
            [
                (shown(one.system, 100), one.score, figure(one.value), span(one.low, one.high),
                 f"{one.n:,}")
                for one in signoff.scores
            ],
        ),
    ]  # fmt: skip
    if signoff.remark:
        found.append(DocParagraph(shown(signoff.remark)))
    return [*found, *_decisions(signoff), *_open(signoff), *_people(signoff), *_grounds(signoff)]


def _decisions(signoff: SignOff) -> list[DocPart]:
    if not signoff.decided:
        return [DocHeading("Decisions"), DocParagraph("None was made.")]
    rows = [
        (one.finding, shown(one.text, LONGEST), VERDICTS[one.verdict], ", ".join(one.reviewers),
         shown("\n".join(one.comments), LONGEST))
        for one in signoff.decided
    ]  # fmt: skip
    return [
        DocHeading("Decisions"),
        DocTable(("finding", "text", "verdict", "by", "comment"), rows),
    ]


def _open(signoff: SignOff) -> list[DocPart]:
    if not signoff.still_open:
        return [DocHeading("What stays open"), DocParagraph("Nothing that was asked about.")]
    rows = [(one.finding, shown(one.text, LONGEST)) for one in signoff.still_open]
    said = f"{count(len(rows), 'finding')} without a decision that all share."
    return [DocHeading("What stays open"), DocParagraph(said), DocTable(("finding", "text"), rows)]


def _people(signoff: SignOff) -> list[DocPart]:
    lines = []
    if signoff.reviewers:
        lines.append(f"Reviewers: {_named(signoff.reviewers)}.")
    if math.isfinite(signoff.reviewer_alpha):
        lines.append(
            f"Reviewers agree by Krippendorff's alpha {figure(signoff.reviewer_alpha)}."
        )  # fmt: skip
    if signoff.raters:
        lines.append(f"Raters: {_named(signoff.raters)}.")
    if signoff.labels:
        lines += summary_lines(signoff.labels)
    return [DocHeading("People"), *map(DocParagraph, lines or ["Nobody rated or reviewed."])]


def _grounds(signoff: SignOff) -> list[DocPart]:
    """What it rests on, so that it can be made again."""
    signed = [f"Signed by {signoff.signed_by}, {signoff.signed_at}"] if signoff.signed_by else []
    facts = [
        f"Run: gistmeter {signoff.command}, {signoff.signature}",
        f"Records: SHA-256 {signoff.basis}, the last of {signoff.latest or 'none'}",
        *(f"Input: {shown(name, 200)}, SHA-256 {digest}" for name, digest in signoff.inputs),
    ]
    small: list[DocPart] = [DocParagraph(fact, small=True) for fact in facts]
    return [DocHeading("Grounds"), *map(DocParagraph, signed), *small]


def _named(counted: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{shown(name, 100)} ({number:,})" for name, number in counted)
