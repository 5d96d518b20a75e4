"""The pairs that `gist` is fitted on: texts beside their reference, and how much of it survived.

None of them was trained on by the judge. `kept` is the share of the meaning that survived:

| set | pairs | kept |
|---|---|---|
| near, far, partial | contrast groups kept aside | 1 or, changed, .1; .5 |
| idiom | explanations kept aside: right, wrong, partial, of another idiom | .95, .1, .5, .03 |
| claims, abridged | beside their passage: true, false, not in it | 1, 0 to .2, 0 to .1 |
| speech | transcripts kept aside: harmless, harmful | 1, .1 |
| degrees | versions kept aside | as estimated |
| graded | machine translations kept aside | people's adequacy |
| sts | dev sets | people's similarity |
| rules, triples | dev texts changed by rule; `written.tsv` | 1, .05 |
| contradiction, unrelated, identity | NLI; other texts; the reference itself | 0, 0, 1 |
| dictionary | two explanations of an idiom; of two idioms | .85, 0 |
| choices | French transcripts | how many people chose it |
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from training import devsets, measure, written
from training.rows import CONTRADICTION

WRITTEN = Path(__file__).parent / "written.tsv"
DICTIONARIES = {"Simplified_Chinese": "zh", "Korean": "ko"}
SIMILAR, GRADED, RULES, OPPOSED, EXPLAINED, UNRELATED, EQUAL = 300, 200, 110, 90, 220, 40, 20


@dataclass(frozen=True, slots=True)
class GistRow:
    first: str
    second: str
    language: str
    kept: float
    set: str
    group: str  # what must stand on one side of a split
    kind: str = ""


def gist_rows(data: Path, seed: int = 5) -> list[GistRow]:
    chance = random.Random(seed)
    made = [*from_written(chance), *from_people(data, chance), *from_rules(data, chance)]
    every = [*made, *explanations(data, chance), *choices(data)]
    equal = chance.sample(made, EQUAL * 10)
    return [
        *every,
        *(GistRow(row.first, row.first, row.language, 1.0, "identity", row.group) for row in equal),
    ]


def from_written(chance: random.Random) -> Iterator[GistRow]:
    """Groups kept aside."""
    aside = written.kept_aside()
    idioms = [group for group in aside if written.shape(group) == "idiom"]
    for group in aside:
        shape, language = written.shape(group), group["language"]
        base = group.get("passage") or group["text"]
        key = group.get("idiom") or base
        if shape == "idiom":
            others = [one for one in idioms if one["language"] == language and one is not group]
            group = {**group, "other": chance.choice(others)["right"][:2]}  # noqa: PLW2901
        if shape in {"claims", "abridged"}:
            group = {**group, "copied": written.sentences(base)[:2]}  # noqa: PLW2901
        for field, kept, name in FIELDS[shape]:
            for entry in group.get(field, []):
                share = float(entry["kept"]) if field == "versions" else kept
                kind = f"{field}: {entry['kind']}" if "kind" in entry else field
                yield GistRow(base, written.text_of(entry), language, share, name, key, kind)


FIELDS = {  # of a group's shape: field, share that is kept, set
    "contrast": (
        ("same", 1.0, "far"), ("far_changed", 0.1, "far"), ("close", 1.0, "near"),
        ("changed", 0.1, "near"), ("partial", 0.5, "partial"),
    ),
    "idiom": (
        ("right", 0.95, "idiom"), ("wrong", 0.1, "idiom"), ("partial", 0.5, "idiom"),
        ("other", 0.03, "idiom"),
    ),
    "speech": (("harmless", 1.0, "speech"), ("harmful", 0.1, "speech")),
    "claims": (
        ("supported", 1.0, "claims"), ("contradicted", 0.0, "claims"),
        ("unmentioned", 0.1, "claims"), ("copied", 1.0, "claims"),
    ),
    "abridged": (
        ("fair", 1.0, "abridged"), ("false", 0.2, "abridged"), ("invented", 0.0, "abridged"),
        ("copied", 1.0, "abridged"),
    ),
    "degrees": (("versions", 0.0, "degrees"),),
    "close": (),
}  # fmt: skip


def from_people(data: Path, chance: random.Random) -> Iterator[GistRow]:
    """Adequacy, similarity, and texts that have nothing to do with each other."""
    for name, rows in measure.graded_rows(data, GRADED).items():
        for row in rows:
            code = name.split("_")[-1]
            yield GistRow(row.first, row.second, code, row.degree, "graded", row.first, name)
    for code, every in devsets.similarity_sets(data).items():
        rows = measure.thin(every, SIMILAR)
        for row in rows:
            yield GistRow(row.first, row.second, code, row.degree, "sts", row.first)
        others = chance.sample(rows, len(rows))
        for row, other in list(zip(rows, others, strict=True))[:UNRELATED]:
            if row is not other:
                yield GistRow(row.first, other.second, code, 0.0, "unrelated", row.first)


def from_rules(data: Path, chance: random.Random) -> Iterator[GistRow]:
    """Texts changed or reworded by rule, sentences by hand, and contradictions of NLI sets."""
    for code, rows in devsets.contrast_sets(data).items():
        for row in chance.sample(rows, min(RULES, len(rows))):
            kept = 0.05 if row.changed else 1.0
            yield GistRow(row.first, row.second, code, kept, "rules", row.first, row.kind)
    with WRITTEN.open(encoding="utf-8", newline="") as stream:
        for one in csv.DictReader(stream, delimiter="\t"):
            for kind, kept in (("same", 1.0), ("changed", 0.05)):
                yield GistRow(
                    one["text"], one[kind], one["lang"], kept, "triples", one["text"], kind
                )
    sets, aside = devsets.entailment_sets(data), devsets.calibration_set(data)
    for code, rows in {
        "ko": sets["kornli"],
        "ja": sets["jnli"],
        "zh": [row for row in aside if not row.first.isascii()],
        "en": [row for row in aside if row.first.isascii()],
    }.items():
        opposed = [row for row in rows if row.label == CONTRADICTION]
        for row in chance.sample(opposed, min(OPPOSED, len(opposed))):
            yield GistRow(row.first, row.second, code, 0.0, "contradiction", row.first)


def explanations(data: Path, chance: random.Random) -> Iterator[GistRow]:
    """Another explanation of the same idiom, and one of another idiom."""
    for name, code in DICTIONARIES.items():
        text = (data / "idiom" / f"orderprobe-{name}.csv").read_text("utf-8-sig")
        found = []
        for row in csv.reader(text.splitlines()):
            parts = [part.strip() for part in row[1].split("||")] if len(row) > 1 else []
            distinct = list(dict.fromkeys(part for part in parts if part))
            if len(distinct) > 1:
                found.append((row[0].strip(), distinct))
        picked = chance.sample(found, min(EXPLAINED, len(found)))
        for at, (idiom, (first, second, *_)) in enumerate(picked):
            other = picked[(at + 1) % len(picked)][1][1]
            yield GistRow(first, second, code, 0.85, "dictionary", idiom, "own")
            yield GistRow(first, other, code, 0.0, "dictionary", idiom, "other")


def choices(data: Path) -> Iterator[GistRow]:
    """Both transcripts of each choice, one after the other."""
    with (data / "people" / "hats-dev.tsv").open(encoding="utf-8", newline="") as stream:
        for at, one in enumerate(csv.DictReader(stream, delimiter="\t")):
            for side, votes in (("hypA", "nbrA"), ("hypB", "nbrB")):
                said = one["reference"], one[side]
                yield GistRow(*said, "fr", float(one[votes]), "choices", str(at), side)
