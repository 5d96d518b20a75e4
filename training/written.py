"""Groups of texts written for the judge (`written/*.jsonl.gz`) as training rows.

Words must not give the answer away. So what survives and what does not are drawn in pairs that
share as many words with the text: minimal edits that change nothing beside minimal edits that do
(near), paraphrases in quite other words beside another meaning in quite other words (far). Edits
that change something are never drawn near where the group has none that change nothing. Formats
and styles of transcripts are put on either side at random.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from training.edits import noise, reword
from training.formats import transcribe, wrap
from training.held_out import bucket
from training.rows import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    NOT_ENTAILMENT,
    UNKNOWN,
    Group,
    Row,
)

FOLDER = Path(__file__).parent / "written"
ASIDE = 1 / 6
ONE_WAY = (  # a changed text of such a kind may still follow from the other, or the other from it
    "quantifier", "scope", "modality", "certainty", "degree", "generality", "condition",
    "限定", "確実さ", "条件", "程度",
)  # fmt: skip
WRAPPED = 0.15  # share of rows whose candidate stands in a format
SLIPS = 0.6  # share of harmful transcripts with slips of the pen, which harmless ones have anyway
Written = dict[str, Any]


@cache
def groups() -> tuple[Written, ...]:
    """Every group; `close` edits join the contrast group of their text."""
    read: list[Written] = []
    for path in sorted(FOLDER.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            read += [json.loads(line) for line in file if line.strip()]
    alone = {one["text"]: one for one in read if shape(one) == "close"}
    whole = [one for one in read if shape(one) != "close"]
    for one in whole:
        if shape(one) == "contrast" and one["text"] in alone:
            one.setdefault("close", alone[one["text"]]["close"])
    return tuple(whole)


def shape(group: Written) -> str:
    for name, field in (
        ("contrast", "same"),
        ("idiom", "right"),
        ("speech", "harmless"),
        ("claims", "supported"),
        ("abridged", "fair"),
        ("degrees", "versions"),
        ("close", "close"),
    ):
        if field in group:
            return name
    raise ValueError(f"a written group of no known shape: {sorted(group)}")


def is_aside(group: Written) -> bool:
    """Whether a group is kept for measuring; it depends on its text, passage or idiom alone."""
    key = group.get("idiom") or group.get("passage") or group["text"]
    return bucket(f"aside {key}") < ASIDE


def kept_aside() -> list[Written]:
    return [group for group in groups() if is_aside(group)]


def for_training() -> list[Written]:
    return [group for group in groups() if not is_aside(group)]


def text_of(entry: str | dict[str, Any]) -> str:
    return entry if isinstance(entry, str) else entry["text"]


def draw(group: Written, chance: random.Random) -> Group:
    """One draw of rows from a group, as training sees it."""
    made = DRAWS[shape(group)](group, chance)
    rows = [dress(row, group, chance) for row in made.rows]
    return replace(made, rows=tuple(rows))


def dress(row: Row, group: Written, chance: random.Random) -> Row:
    """Format or style of the candidate, and of a transcript's reference, whatever the label."""
    language = group["language"]
    if "harmless" in group:
        row = replace(row, second=transcribe(row.second, language, chance))
        if chance.random() < 0.5:
            row = replace(row, first=transcribe(row.first, language, chance))
    if chance.random() < WRAPPED:
        wrapped = wrap(row.second, language, chance, group.get("idiom", ""))
        row = replace(row, second=wrapped)
    return row


def kept(first: str, second: str, degree: float, kind: str, label: int = ENTAILMENT) -> Row:
    return Row(first, second, label, degree, 0.0, kind, label, 1.0)


def lost(first: str, second: str, kind: str, label: int = NOT_ENTAILMENT) -> Row:
    return Row(first, second, label, changed=1.0, kind=kind, backward=label, survives=0.0)


def ranked(source: str, good: Sequence[Row], bad: Sequence[Row], more: Sequence[Row]) -> Group:
    """What survives above what does not, and above what leaves something out."""
    rows = (*good, *bad, *more)
    ranks = tuple((i, j) for i in range(len(good)) for j in range(len(good), len(rows)))
    return Group(source, rows, ranks)


def contrast(group: Written, chance: random.Random) -> Group:
    text, same, far = group["text"], group["same"], group["far_changed"]
    close, changed = group.get("close", []), group["changed"]
    good = [kept(text, one, 0.99, "near") for one in close[:2]]
    bad = [lose(text, one, "near") for one in changed[: len(good)]]
    if bad and chance.random() < 0.7:  # as far apart as two harmless edits are from the text
        bad[1] = lose(chance.choice(close), changed[1], "near")
    good += [kept(text, one, 0.96, "far") for one in same[:2]]
    bad += [lose(text, one, "far") for one in far[:2]]
    if close and chance.random() < 0.5:
        edit = chance.choice(close)
        bad.append(lose(edit, chance.choice(far), "far"))
        good.append(kept(edit, same[1], 0.96, "far"))
    else:
        entry = chance.choice(changed)
        bad.append(replace(lose(entry["text"], entry, "far"), second=chance.choice(same)))
        good.append(kept(*same[:2], 0.96, "far"))
    if len(far) == 1:  # one text of another meaning, so one paraphrase less
        good.remove(chance.choice(good[-3:-1]))
    more = []
    if chance.random() < 0.5:
        part = group["partial"][0]
        more.append(Row(text, part, ENTAILMENT, 0.5, 0.0, "partial", NOT_ENTAILMENT, 0.25))
    return ranked("contrast", good, bad, more)


def lose(text: str, entry: dict[str, Any], kind: str) -> Row:
    label = UNKNOWN if entry["kind"] in ONE_WAY else NOT_ENTAILMENT
    return lost(text, entry["text"], kind, label)


def idiom(group: Written, chance: random.Random) -> Group:
    text, right = group["text"], group["right"]
    good = [kept(text, one, 0.9, "idiom", UNKNOWN) for one in right]
    good.append(kept(*chance.sample(right, 2), 0.9, "idiom", UNKNOWN))
    wrong = chance.sample(group["wrong"], 3)
    if group["wrong"][0] in wrong:  # mostly the text itself with a word changed
        good.append(kept(text, loosely(text, group["language"], chance), 0.98, "idiom"))
    bad = [lost(text, one["text"], "idiom", NOT_ENTAILMENT) for one in wrong]
    others = chance.choice(of_language("idiom", group["language"]))  # right, but of another idiom
    if others["idiom"] != group["idiom"]:
        bad += [lost(text, one, "idiom") for one in chance.sample(others["right"], 2)]
    more = [Row(text, one, degree=0.45, survives=0.2, kind="partial") for one in group["partial"]]
    return ranked("idiom", good, bad, more)


def speech(group: Written, chance: random.Random) -> Group:
    text = group["text"]
    good = [kept(text, one, 0.97, "speech") for one in group["harmless"]]
    bad = []
    for one in group["harmful"]:
        heard = one["text"]
        if chance.random() < SLIPS and " " in heard and not re.search(r"\d[.,:]\d", heard):
            heard = noise(group["language"], heard, chance, chance.randint(1, 3))
        bad.append(lost(text, heard, "speech", UNKNOWN))
    return ranked("speech", good, bad, ())


def claims(group: Written, chance: random.Random) -> Group:
    """Of a claim only part of the passage can survive: it teaches labels and changed facts.

    The last contradicted claim is mostly a sentence of the passage with a word changed, and no
    supported one is: it is drawn less often, and sentences as they stand are supported claims, too.
    """
    passage = group["passage"]
    copies = chance.sample(sentences(passage), 2) if len(sentences(passage)) > 2 else []
    copies = [*copies[:1], *(loosely(one, group["language"], chance) for one in copies[1:])]
    rows = [
        Row(passage, one, ENTAILMENT, changed=0.0, kind="claims", backward=NOT_ENTAILMENT)
        for one in [*group["supported"], *copies]
    ]
    contradicted = group["contradicted"][: 3 if copies and chance.random() < 0.6 else 2]
    rows += [
        Row(passage, one["text"], CONTRADICTION, changed=1.0, kind="claims", backward=CONTRADICTION)
        for one in contradicted
    ]
    rows += [Row(passage, one, NEUTRAL, kind="unmentioned") for one in group["unmentioned"]]
    return Group("claims", tuple(rows))


def abridged(group: Written, _: random.Random) -> Group:
    """As claims; and a fair abridgement keeps more than a false one, however much that is."""
    passage = group["passage"]
    fair = [
        Row(passage, one, ENTAILMENT, changed=0.0, kind="abridged", backward=NOT_ENTAILMENT)
        for one in group["fair"]
    ]
    false = [
        Row(passage, one["text"], CONTRADICTION, changed=1.0, kind="abridged",
            backward=NOT_ENTAILMENT)
        for one in group["false"]
    ]  # fmt: skip
    more = [Row(passage, one, NEUTRAL, kind="invented") for one in group["invented"]]
    made = ranked("abridged", fair, false, ())
    return replace(made, rows=(*made.rows, *more))


def degrees(group: Written, _: random.Random) -> Group:
    versions = group["versions"]
    rows = []
    for one in versions:
        share = float(one["kept"])
        survives = 1.0 if share >= 0.95 else 0.0 if share <= 0.4 else float("nan")
        label = ENTAILMENT if share >= 0.98 else UNKNOWN
        rows.append(
            Row(group["text"], one["text"], label, share, float("nan"), "degrees", label, survives)
        )
    order = tuple(
        (i, j)
        for i, high in enumerate(versions)
        for j, low in enumerate(versions)
        if high["kept"] - low["kept"] >= 0.15
    )
    return Group("degrees", tuple(rows), order, order)


def sentences(passage: str) -> list[str]:
    """Sentences of a passage, those that stand well alone."""
    parts = re.split(r"(?<=[.!?])\s+|(?<=[。！？])", passage)
    return [part.strip() for part in parts if len(part.strip()) >= 12 and '"' not in part]


def loosely(text: str, language: str, chance: random.Random) -> str:
    """A sentence with a synonym, another ending or a slip of the pen."""
    options = [made for _, made in reword(language.split("-", maxsplit=1)[0], text, chance)]
    options.append(wrap(text, language, chance))
    if " " in text and not re.search(r"\d[.,:]\d", text):
        options.append(noise(language, text, chance))
    return chance.choice(options)


@cache
def of_language(name: str, language: str) -> list[Written]:
    return [one for one in for_training() if shape(one) == name and one["language"] == language]


DRAWS = {
    "contrast": contrast,
    "idiom": idiom,
    "speech": speech,
    "claims": claims,
    "abridged": abridged,
    "degrees": degrees,
}
