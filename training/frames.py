"""Sentences from frames: the same said in other words, and the same words saying something else.

Rules can change a word, but seldom who did what to whom, and their paraphrases share most words
with the original. So `frames/<language>.txt` holds sentences written for this purpose. A line is a
frame: sentences between `|` say the same; those after `!` deny it. A and B are people, whose places
are exchanged for a change (A2, A3, A4, A7: their Czech or Russian cases; `[..]` an ending that
women take, by the gender of A, `{..}` of B, `/` where theirs is another word); T and N are times
and numbers with several spellings.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from training.rows import CONTRADICTION, ENTAILMENT, NOT_ENTAILMENT, Group, Row

FOLDER = Path(__file__).parent / "frames"
LANGUAGES = ("en", "zh", "ja", "ko", "cs", "ru")
CASES = {"": 0, "1": 0, "2": 1, "3": 2, "4": 3, "7": 4}
SLOT = {"en": r"\b([AB])()\b", "cs": r"\b([AB])([2347]?)\b", "ru": r"\b([AB])([2347]?)\b"}
BESIDE = 0.25  # share of groups whose texts have a second sentence
PARTICLES = re.compile(r"(.)(이/가|을/를|은/는|과/와|이었다/였다)")


@dataclass(frozen=True)
class Frames:
    """What a language's file holds."""

    language: str
    people: list[tuple[str, list[str]]] = field(default_factory=list)  # gender, cases
    values: dict[str, list[list[str]]] = field(default_factory=dict)
    frames: list[tuple[list[str], list[str]]] = field(default_factory=list)  # kept, denied


def read(language: str) -> Frames:
    found = Frames(language)
    part = ""
    for line in (FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            part = line[2:]
        elif part == "people":
            gender, name = line.split(" ", 1)
            found.people.append((gender, name.split(",")))
        elif part.startswith("values"):
            found.values.setdefault(part[-1], []).append(line.split(" = "))
        elif line:
            kept, _, denied = line.partition(" ! ")
            found.frames.append((kept.split(" | "), denied.split(" | ") if denied else []))
    return found


@dataclass(frozen=True)
class Scene:
    """Who and how many a frame speaks of."""

    frames: Frames
    people: tuple[tuple[str, list[str]], tuple[str, list[str]]]
    values: dict[str, list[str]]

    def swapped(self) -> Scene:
        return Scene(self.frames, (self.people[1], self.people[0]), self.values)

    def other(self, chance: random.Random) -> Scene:
        """The same with other times and numbers."""
        values = {
            slot: chance.choice([one for one in self.frames.values[slot] if one is not value])
            for slot, value in self.values.items()
        }
        return Scene(self.frames, self.people, values)

    def tell(self, sentence: str, chance: random.Random) -> str:
        code = self.frames.language

        def fill(match: re.Match[str]) -> str:
            cases = self.people["AB".index(match[1])][1]
            return cases[CASES[match[2]]] if len(cases) > 1 else cases[0]

        told = re.sub(SLOT.get(code, "([AB])()"), fill, sentence)
        for slot, forms in self.values.items():
            told = re.sub(
                rf"(?<![A-Za-z]){slot}(?![A-Za-z])", lambda _, f=forms: chance.choice(f), told
            )
        told = re.sub(r"(\w+)\[([^\]]*)\]", lambda m: agree(m, self.people[0][0]), told)
        told = re.sub(r"(\w+)\{([^}]*)\}", lambda m: agree(m, self.people[1][0]), told)
        if code == "ko":
            told = PARTICLES.sub(particle, told)
        return told[:1].upper() + told[1:]


def agree(match: re.Match[str], gender: str) -> str:
    """A word in the form for a man or a woman."""
    word, added = match[1], match[2]
    if gender == "m":
        return word
    return added[1:] if added.startswith("/") else word + added


def particle(match: re.Match[str]) -> str:
    """The Korean particle's form after a syllable with or without a final consonant."""
    after, open_ = match[2].split("/")
    closed = "가" <= match[1] <= "힣" and (ord(match[1]) - 0xAC00) % 28 > 0
    return match[1] + (after if closed else open_)


def groups(language: str, count: int, chance: random.Random) -> Iterator[Group]:
    """Contrast groups: a sentence, the same in other words, and what is not the same."""
    frames = read(language)
    for _ in range(count):
        for group in contrast(*draw(frames, chance), chance):
            yield beside(group, frames, chance) if chance.random() < BESIDE else group


def draw(frames: Frames, chance: random.Random) -> tuple[Scene, list[str], list[str]]:
    """A frame and those it speaks of."""
    kept, denied = chance.choice(frames.frames)
    values = {
        slot: chance.choice(lines)
        for slot, lines in frames.values.items()
        if re.search(rf"(?<![A-Za-z]){slot}(?![A-Za-z])", " ".join(kept))
    }
    first, second = chance.sample(frames.people, 2)
    return Scene(frames, (first, second), values), kept, denied


def beside(group: Group, frames: Frames, chance: random.Random) -> Group:
    """The same group where every text goes on with, or follows, one more sentence."""
    scene, kept, _ = draw(frames, chance)
    more, glue = scene.tell(kept[0], chance), "" if frames.language in {"zh", "ja"} else " "
    first = chance.random() < 0.5

    def longer(text: str) -> str:
        return glue.join((more, text) if first else (text, more))

    rows = (replace(row, first=longer(row.first), second=longer(row.second)) for row in group.rows)
    return Group(group.source, tuple(rows), group.ranks)


def contrast(
    scene: Scene, kept: list[str], denied: list[str], chance: random.Random
) -> Iterator[Group]:
    """One sentence against one of its own meaning and one or two of another."""
    name = f"frames-{scene.frames.language}"
    both = any("B" in sentence for sentence in kept)
    if denied and chance.random() < 0.4:
        kept, denied = denied, kept
    text = chance.choice(kept)
    base = scene.tell(text, chance)
    rest = [sentence for sentence in kept if sentence != text] or kept
    same = scene.tell(chance.choice(rest), chance)
    changed: list[tuple[str, int]] = []
    if both:
        swapped = scene.swapped()
        changed.append((swapped.tell(text, chance), NOT_ENTAILMENT))
        changed.append((swapped.tell(chance.choice(rest), chance), NOT_ENTAILMENT))
    elif scene.values and not denied:
        changed.append((scene.other(chance).tell(text, chance), CONTRADICTION))
        changed.append((scene.other(chance).tell(chance.choice(rest), chance), CONTRADICTION))
    if denied:
        changed += [
            (scene.tell(one, chance), CONTRADICTION)
            for one in chance.sample(denied, min(2, len(denied)))
        ]
    rows = [Row(base, same, ENTAILMENT, math.nan, 0.0, "frame", ENTAILMENT, 1.0)]
    rows += [Row(base, one, label, math.nan, 1.0, "frame", label, 0.0) for one, label in changed]
    if chance.random() < 0.5:
        rows = [row.turned() for row in rows]
    if base != same:
        yield Group(name, tuple(rows), tuple((0, at) for at in range(1, len(rows))))
