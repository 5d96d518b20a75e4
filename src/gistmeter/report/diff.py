"""The diff of one pair of texts as a page of its own, and the fragments it is made of.

It gets plain data and computes nothing: statistics as cards, runs of words with their kind
("=", "s", "d", "i"), both texts, and further sections. Insertions are green and
underlined with a plus, deletions red and struck through with a minus, so that neither needs
colour. Everything from outside is escaped, and the page may not run scripts or load anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from gistmeter.core.pages import Card, PairView, Section

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
GROUPS = (("both", "Preserved"), ("expected", "Missing from STT"), ("got", "Extra in STT"))

STYLE = """
:root { color-scheme: light dark; --page: #fff; --ink: #1b1b1b; --panel: #f4f5f7; --line: #d5d8dd;
  --plus: #0a6b2d; --plus-back: #dcf5e3; --minus: #a3122a; --minus-back: #fde3e6; --soft: #5c6370; }
@media (prefers-color-scheme: dark) { :root { --page: #16181c; --ink: #e8e8e8; --panel: #22252b;
  --line: #3a3f47; --plus: #7fe3a0; --plus-back: #123d22; --minus: #ff9aa8; --minus-back: #4a1620;
  --soft: #a3abb8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 70rem; background: var(--page); color: var(--ink);
  font: 16px/1.6 system-ui, "Noto Sans", "Noto Sans CJK JP", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; margin: 0 0 .5rem; } h3 { font-size: 1rem; }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem;
  padding: 1rem; margin: 1rem 0; }
.stats { display: flex; flex-wrap: wrap; gap: .75rem; }
.stat { background: var(--page); border: 1px solid var(--line); border-radius: .5rem;
  padding: .5rem .75rem; min-width: 8rem; flex: 1; }
.stat-label { color: var(--soft); font-size: .85rem; }
.stat-value { font-size: 1.4rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.stat-detail { color: var(--soft); font-size: .8rem; }
.text { white-space: pre-wrap; }
h1, p, li, ins, del, .stat { unicode-bidi: isolate; } /* an override ends with its own text */
ins { color: var(--plus); background: var(--plus-back); text-decoration: underline; }
del { color: var(--minus); background: var(--minus-back); text-decoration: line-through; }
ins::before { content: "+"; } del::before { content: "\\2212"; }
ins, del { padding: 0 .2em; border-radius: .2em; }
.columns { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); }
summary { cursor: pointer; } .note { color: var(--soft); }
@media print { body { max-width: none; } }
"""


def render_pair(view: PairView) -> str:
    """The whole page."""
    language = f' lang="{escape(view.language, quote=True)}"' if view.language else ""
    title = escape(view.title)
    parts = [
        "<!doctype html>",
        f"<html{language}><head><meta charset='utf-8'>",
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{title}</title><style>{STYLE}</style></head><body>",
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
        own = [fact for fact in facts if fact["verdict"] == verdict]
        lines = "".join(
            f"<li>{escape(fact['subject'])} — {escape(fact['predicate'])} — "
            f"{escape(fact['object'])}</li>"
            for fact in own
        )
        body = f"<ul>{lines}</ul>" if own else "<p class='note'>None.</p>"
        groups.append(f"<h3>{heading} ({len(own)})</h3>{body}")
    return "".join(groups)
