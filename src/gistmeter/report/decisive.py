"""The few scores that decide: what a reader sees first, and where components contradict them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gistmeter.core.views import View, shown
from gistmeter.core.wording import listed
from gistmeter.report.terminal import score_names

if TYPE_CHECKING:
    from gistmeter.core.run import Run


def deciding(run: Run, view: View) -> list[str]:
    """The scores to judge a run by, the first of them first; all where its family names none.

    What the user asked for by name is among them: of a metric that is no score, all its scores.
    """
    names = score_names(run)
    asked = [name for name in run.settings.get("metrics") or () if isinstance(name, str)]
    wanted = {*view.decisive, *names[:1]} if view.decisive else set(names)
    for name in asked:
        metric = run.metrics.get(name)
        wanted |= {name} if name in names or metric is None else {i.name for i in metric.scores}
    order = {name: at for at, name in enumerate(view.decisive)}
    chosen = [name for name in names if name in wanted]
    return [*chosen[:1], *sorted(chosen[1:], key=lambda name: order.get(name, len(order)))]


def contradiction(run: Run, view: View) -> str:
    """Which components put another system first than the score to judge by does, and why."""
    names = score_names(run)
    if len(run.systems) < 2 or not names:
        return ""
    lead = names[0]
    first, tested = _best(run, lead), run.findings
    others: dict[str, dict[str, None]] = {}
    for name in view.blind:
        best = _best(run, name) if name in names and name != lead else None
        if best is None or first is None or best == first:
            continue
        pairs = [one.between(first, best) for one in map(tested.on, (lead, name)) if one]
        if any(pair is not None and pair.is_real for pair in pairs):
            others.setdefault(best, {})[name] = None
    if not others or first is None:
        return ""
    said = [
        f"{listed(list(held), 5)} {'puts' if len(held) == 1 else 'put'} {shown(best, 60)} first"
        for best, held in others.items()
    ]
    held = list(dict.fromkeys(name for held in others.values() for name in held))
    whys = list(dict.fromkeys(view.blind[name] for name in held))
    return (
        f"{'; '.join(said)}: {listed(whys)}. {lead}, by which {shown(first, 60)} leads, is the one"
        " to judge by."
    )


def _best(run: Run, name: str) -> str | None:
    held = {
        system: scored.scores[name]
        for system, scored in run.systems.items()
        if name in scored.scores
    }
    return next(iter(run.findings.ranking(name, held).ranked), None)
