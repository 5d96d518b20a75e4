"""What the scores notice on the user's own references.

Each reference is altered by rule: denied, a number or a name changed, cut in half, exchanged for
another item's, or put into the wrapping of a chat model. A score notices an alteration of the
meaning where the altered copy falls at least half way from the score of the reference itself to
that of an unrelated text; half a text need only fall a fifth of the way. A wrapping must cost less
than a fiftieth. So shares can be set side by side, whatever the scale of a score.

The judge was trained on texts with changed numbers and names: its figures for these flatter.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gistmeter import languages
from gistmeter.core.evaluation import evaluate
from gistmeter.core.family import Family, Items
from gistmeter.core.noticed import ALTERATIONS, Noticed, Selftest
from gistmeter.core.run import Run
from gistmeter.core.settings import options_of
from gistmeter.core.types import SEED, Metric, ScoreInfo
from gistmeter.languages import guard, lexicons

SAME, UNRELATED = "same", "unrelated"
MOST = 5000  # items of a run that are looked through
GLANCED, SAMPLE = 20, 8  # references that a run needs for a quick look, and that are altered then
LONGEST = 1000  # characters of a reference, for a quick look
WRAPPING = "**Sure! Here is the answer:**\n\n> {}\n"
DIGITS = re.compile(r"\d+")


def glance(
    family: Family[Any, Any], metrics: Mapping[str, Metric], read: Items[Any]
) -> Selftest | None:
    """A quick look with the metrics of a run at a few of its references; none where these are few
    or where nothing judges what a text says."""
    items = [item for item in read.items[:MOST] if 0 < len(family.expected(item)) <= LONGEST]
    asked = {
        name: metric
        for name, metric in metrics.items()
        if any(info.name in family.headline for info in metric.scores)
    }
    if "gist" not in asked or len({item.id for item in items}) < GLANCED:
        return None
    probes = [probe for probe in altered(family, items, SAMPLE, SEED) if probe.system != "wrapped"]
    return seen(evaluate(probes, asked, resamples=0), family.headline)


def seen(run: Run, names: Sequence[str]) -> Selftest:
    """How often each score notices, from a run whose systems are the kinds."""
    infos = {info.name: info for metric in run.metrics.values() for info in metric.scores}
    wanted = [name for name in names if name in infos and name in run.measured.numbers]
    noticed = [one for name in wanted for one in _noticed(run, infos[name])]
    return Selftest(tuple(noticed), len(set(run.measured.keys["id"])))


def _noticed(run: Run, info: ScoreInfo) -> list[Noticed]:
    rows = run.measured
    values: dict[str, dict[str, float]] = {}
    for system, name, value in zip(
        rows.keys["system"], rows.keys["id"], rows.numbers[info.name].tolist(), strict=True
    ):
        values.setdefault(system, {})[name] = value if info.higher_is_better else -value
    noticed = []
    for kind, (_, needed) in ALTERATIONS.items():
        falls = []
        for name, value in values.get(kind, {}).items():
            top, bottom = values[SAME].get(name, np.nan), values[UNRELATED].get(name, np.nan)
            falls.append((top - value) / (top - bottom) if top > bottom else np.nan)
        kept = [fall for fall in falls if np.isfinite(fall)]
        if kept:
            right = [fall <= needed if kind == "wrapped" else fall >= needed for fall in kept]
            noticed.append(Noticed(info.name, kind, float(np.mean(right)), len(kept)))
    return noticed


def altered(family: Family[Any, Any], items: Sequence[Any], sample: int, seed: int) -> list[Any]:
    """Items whose answer is an altered copy of what was expected; their system is the kind."""
    chance = random.Random(seed)  # noqa: S311
    texts = {item.id: family.expected(item) for item in items}
    first = {item.id: item for item in reversed(items) if texts[item.id].strip()}
    chosen = [first[name] for name in chance.sample(sorted(first), min(sample, len(first)))]
    names: dict[str, list[str]] = {}
    for item in chosen:
        text = texts[item.id]
        facts = guard.read(text, item.language).of("name")
        names.setdefault(item.language, []).extend(text[one.start : one.end] for one in facts)
    made = []
    for at, item in enumerate(chosen):
        text, code = texts[item.id], item.language
        others = [texts[one.id] for one in chosen[at + 1 :] + chosen[:at]]
        copies = {
            SAME: text,
            UNRELATED: next((one for one in others if one != text), ""),
            "denied": denied(text, code),
            "number": another_number(text),
            "name": another_name(text, code, sorted(set(names[code])), chance),
            "half": half(text),
            "wrapped": WRAPPING.format(text) if "extract" in options_of(family.Settings) else "",
        }
        made += [family.answered(item, copy, kind) for kind, copy in copies.items() if copy]
    return made


def denied(text: str, language: str) -> str:
    """The text as a statement that is not true; empty where the language has no such phrase."""
    phrases = lexicons.lines(languages.get(language).lists, "denials")
    if not phrases:
        return ""
    spaced = phrases[0].endswith(" *")
    inner = text[:1].lower() + text[1:] if spaced and text[1:2].islower() else text
    made = phrases[0].replace("*", inner.strip().rstrip(".。"))
    return made[:1].upper() + made[1:]


def another_number(text: str) -> str:
    """Another value in the place of the first number in digits; empty where there is none."""
    digits = DIGITS.search(text)
    if not digits or len(digits.group()) > 15:
        return ""
    value = int(digits.group())
    return f"{text[: digits.start()]}{value + max(1, value // 2)}{text[digits.end() :]}"


def another_name(text: str, language: str, names: Sequence[str], chance: random.Random) -> str:
    """A name of another reference in the place of the first one; empty where there is none."""
    own = guard.read(text, language).of("name")
    others = [name for name in names if name not in text]
    if not own or not others:
        return ""
    return f"{text[: own[0].start]}{chance.choice(others)}{text[own[0].end :]}"


def half(text: str) -> str:
    """The first half, by words where there are spaces."""
    words = text.split()
    if len(words) > 3:
        return " ".join(words[: len(words) // 2])
    return text[: len(text) // 2] if len(text) > 7 else ""
