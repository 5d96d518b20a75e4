"""The answer of speech: meaning first, and what word errors say where they say otherwise."""

from __future__ import annotations

import math

from gistmeter.core.comparison.answer import Standing, answer
from gistmeter.core.comparison.results import Findings
from gistmeter.core.run import Run
from gistmeter.core.views import View, shown
from gistmeter.core.wording import figure, gap

MEANING = ("gist", "alarms", "ser", "sem_dist")  # the first that a run has speaks for meaning
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
ADVICE = (
    "Trust meaning for whether the transcripts can be relied on, word errors for how much there is"
    " to correct."
)


def speech_answer(run: Run, view: View, findings: Findings) -> str:
    """Who is ahead; then what word errors and other normalisers say, where they disagree."""
    standing = Standing(run, view, findings)
    further = [disagreement(standing), depends_on_normalizer(standing)]
    return "\n".join([answer(standing), *filter(None, further)])


def disagreement(standing: Standing) -> str:
    """What meaning and word errors say of the systems they put first, where those differ."""
    meaning = next((name for name in MEANING if standing.has_value(name)), "")
    if not meaning or not standing.has_value("wer"):
        return ""
    by_meaning, by_words = (leader(standing, name) for name in (meaning, "wer"))
    if by_meaning == by_words or not (by_meaning and by_words):
        return ""
    held = {name: standing.held(name) for name in (meaning, "wer")}
    values = [held[name][by_meaning].value - held[name][by_words].value for name in held]
    tested = [standing.findings.on(name) for name in held]
    pairs = [one.between(by_meaning, by_words) for one in tested if one is not None]
    untested = not any(pair and pair.clusters and not pair.has_too_few for pair in pairs)
    if not all(values) or not (untested or any(pair and pair.is_real for pair in pairs)):
        return ""
    unit = held[meaning][by_words].unit
    return (
        f"Word errors and meaning disagree: by {standing.called('wer')} {shown(by_words, 60)} is"
        f" ahead with {figure(held['wer'][by_words].value, '%')},"
        f" {gap(values[1], '%')} below {shown(by_meaning, 60)}; by {standing.called(meaning)}"
        f" {shown(by_meaning, 60)} is, with {figure(held[meaning][by_meaning].value, unit)} against"
        f" {figure(held[meaning][by_words].value, unit)}. {ADVICE}"
    )


def leader(standing: Standing, name: str) -> str:
    """The system with the best value, of those that are ranked."""
    return next(iter(standing.findings.ranking(name, standing.held(name)).ranked), "")


def depends_on_normalizer(standing: Standing) -> str:
    """Which system changes its place most under other rules of normalisation."""
    noted = standing.run.notes.get("normalizers")
    rates = noted if isinstance(noted, dict) else {}
    own = {
        system: score.value
        for system, score in standing.held("wer").items()
        if math.isfinite(score.value)
    }
    moves = []
    for rules, others in rates.items():
        if set(others) != set(own):
            continue
        before, after = sorted(own, key=own.__getitem__), sorted(others, key=others.__getitem__)
        moves += [
            (abs(before.index(system) - after.index(system)), rules, system,
             after.index(system), before.index(system))
            for system in after
        ]  # fmt: skip
    most = max(moves, default=None, key=lambda move: move[0])
    if most is None or most[0] == 0:
        return ""
    _, rules, system, there, here = most
    return (
        f"The order by word errors depends on the normaliser: by {rules}'s rules"
        f" {shown(system, 60)} is {_nth(there)} instead of {_nth(here)}."
    )


def _nth(place: int) -> str:
    return ORDINALS[place] if place < len(ORDINALS) else f"{place + 1}th"
