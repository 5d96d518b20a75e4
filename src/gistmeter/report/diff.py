"""The diff of one pair of texts as a page of its own, and the fragments it is made of.

It gets plain data and computes nothing: statistics as cards, runs of words with their kind
("=", "s", "d", "i"), both texts, and further sections. Insertions are green and underlined with a
plus, deletions red and struck through with a minus, so that neither needs colour. Everything from
outside is escaped, and the page may not run scripts or load anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from gistmeter.core.pages import Card, PairView, Section
from gistmeter.report.html import asset

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
GROUPS = (("both", "Preserved"), ("expected", "Missing from STT"), ("got", "Extra in STT"))


def render_pair(view: PairView) -> str:
    """The whole page."""
    language = f' lang="{escape(view.language, quote=True)}"' if view.language else ""
    title = escape(view.title)
    parts = [
        "<!doctype html>",
        f"<html{language}><head><meta charset='utf-8'>",
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{title}</title><style>\n{asset('diff.css')}</style></head><body>",
        f"<h1>{title}</h1>",
        render_panel("", render_cards(view.cards)),
    ]
    if view.error:
        parts.append(render_panel("No transcript", f"<p>{escape(view.error)}</p>"))
    else:
        legend = (
            "<p class='note'><del>deleted</del> was said and is missing, "
            "<ins>inserted</ins> was not said.</p>"
        )
        body = f"{legend}<p class='text'>{render_diff(view.diff)}</p>"
        parts.append(render_panel("Word diff", body))
    parts += map(render_section, view.sections)
    parts.append(
        "<div class='columns'>"
        + render_panel("Expected", f"<p class='text'>{escape(view.expected)}</p>")
        + render_panel("Got", f"<p class='text'>{escape(view.got)}</p>")
        + "</div></body></html>\n"
    )
    return "\n".join(parts)


def render_panel(heading: str, body: str) -> str:
    head = f"<h2>{escape(heading)}</h2>" if heading else ""
    return f'<section class="panel">{head}{body}</section>'


def render_cards(cards: Iterable[Card]) -> str:
    """Stat cards in a row."""
    shown = "".join(
        f'<div class="stat"><div class="stat-label">{escape(card.label)}</div>'
        f'<div class="stat-value">{escape(card.value)}</div>'
        f'<div class="stat-detail">{escape(card.detail)}</div></div>'
        for card in cards
    )
    return f'<div class="stats">{shown}</div>'


def render_diff(runs: Iterable[tuple[str, str, str]]) -> str:
    """Runs of words: what was lost struck through, what was added underlined."""
    shown = []
    for kind, expected, got in runs:
        if kind == "=":
            shown.append(escape(got))
            continue
        if expected:
            shown.append(f"<del>{escape(expected)}</del>")
        if got:
            shown.append(f"<ins>{escape(got)}</ins>")
    return " ".join(shown)


def render_section(section: Section) -> str:
    """A further section: its own HTML, or its cards, its remark and the folded list of facts."""
    if section.html:
        return section.html
    remark = f"<p class='note'>{escape(section.note)}</p>" if section.note else ""
    folded = ""
    if section.facts is not None:
        folded = f"<details><summary>Fact list</summary>{render_facts(section.facts)}</details>"
    return render_panel(section.title, render_cards(section.cards) + remark + folded)


def render_facts(facts: Sequence[Mapping[str, str]]) -> str:
    """Facts in three groups; a group without any says so."""
    groups = []
    for verdict, heading in GROUPS:
        members = [fact for fact in facts if fact["verdict"] == verdict]
        lines = "".join(
            f"<li>{escape(fact['subject'])} — {escape(fact['predicate'])} — "
            f"{escape(fact['object'])}</li>"
            for fact in members
        )
        body = f"<ul>{lines}</ul>" if members else "<p class='note'>None.</p>"
        groups.append(f"<h3>{heading} ({len(members)})</h3>{body}")
    return "".join(groups)
