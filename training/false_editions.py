"""Editions with known faults, made of fair abridgements by rule: to fit alarms and to measure them.

A number, a name, a negation, who did what or an event is changed in a sentence, a sentence of
another novel (with the names of this one) is put in, or a block of sentences moves. Words for
events and novels to take from have two halves: nothing is measured with the words or sentences that
it was fitted with. English only.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gistmeter import languages
from gistmeter.book.metrics.segmentation import Segments, segment
from gistmeter.languages import Heading

ENGLISH = languages.get("en")
NOVELS, OTHERS = "book/ablit_novels.jsonl.gz", "book/ablit_dev_rows.jsonl"
KINDS = ("number", "name", "negation", "roles", "event", "invented")
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve",
           "fifteen", "twenty", "thirty", "forty", "fifty", "sixty")  # fmt: skip
NUMBER = re.compile(rf"\b({'|'.join(NUMBERS)}|\d+)\b")
AUXILIARY = re.compile(
    r"\b(was|is|were|had|could|would|should|did|has|will|must|can|are)\b(?! not)"
)
DENIED = re.compile(
    r"\b(was|is|were|had|could|would|should|did|has|will|must|can|are) not\b|\bnever "
)
NAME = re.compile(
    r"(?<=[a-z,;] )(?:(?:Mr|Mrs|Miss|Dr|Sir|Lady|Captain|Rev)\b\.? )?([A-Z][a-z]{3,})\b"
)
TITLE = re.compile(r"(?:(?:Mr|Mrs|Miss|Dr|Sir|Lady|Captain)\b\.? )$")
NO_NAMES = {"Miss", "Lady", "Lord", "Captain", "General", "Major", "Sunday", "Monday", "English",
            "French", "German", "Christmas", "Heaven", "Providence", "Madam", "Sir", "Missis",
            "Mamma", "Papa", "Aunt", "Uncle", "Jewish", "Rector", "Madame", "Mademoiselle",
            "Doctor", "Colonel", "Duke", "Prince", "King", "Queen", "This", "That", "What",
            "There", "They", "When", "Well", "Dear", "Church", "Christian", "House", "Hall",
            "Street", "Square", "Grand", "Baronet", "Reverend", "Nature", "Bible"}  # fmt: skip
EVENTS = {
    "fit": """
        came went | bought sold | loved hated | opened closed | began ceased | rich poor
        remembered forgot | arrived departed | accepted refused | young old | happy wretched
        morning evening | summer winter | husband brother | found lost | smiled frowned
        strong weak | early late
        warm cold | friend enemy | stood sat | entered left | gave took | light dark | near far
        large small | before after | more less | true false | whispered shouted | hand foot
        eyes ears | door window | town village | month year | clergyman lawyer | cousin servant
        pretty plain | easy difficult | better worse | long short""",
    "test": """laughed wept | praised blamed | kissed struck | rose fell | died recovered
        pleased annoyed | kind cruel | beautiful hideous | tall tiny | father uncle | mother aunt
        daughter niece | son nephew | night noon | letter parcel | horse donkey | wine water
        silent noisy | proud humble | brave timid | quickly slowly | always seldom | lent borrowed
        believed doubted | walked rode | white black | good bad | sad merry | hope fear
        received returned | house shop | table bed | garden cellar | red blue | liked disliked
        gentleman beggar | wife sister | answered asked | dinner breakfast | school church
        ladies officers | heard read | seemed ceased | carriage boat | full empty | great slight""",
}  # fmt: skip
SIZES = (1, 2, 3, 5, 10)  # sentences of a block that moves


@dataclass(frozen=True, slots=True)
class Novel:
    """A novel, or some of its chapters, beside its abridgement, both as sentences."""

    name: str
    source: Segments
    summary: Segments
    kept: tuple[bool | None, ...]  # whether the abridgement has a source sentence, by gold rows
    content: tuple[tuple[int, int], ...]  # by chapter: content words that it has by them, and all

    @property
    def names(self) -> list[str]:
        counts = Counter(name for text in self.source.sentences for name in NAME.findall(text))
        return sorted(name for name, count in counts.items() if count >= 4 and name not in NO_NAMES)


@dataclass(frozen=True, slots=True)
class MadeEdition:
    """An edition and what was done to each of its sentences; "" where nothing was."""

    summary: Segments
    faults: tuple[str, ...]


def read_novels(data: Path, every: int = 8) -> dict[str, Novel]:
    """The novels, of each every so many chapters, beginning with the second."""
    with gzip.open(data / NOVELS, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    names = dict.fromkeys(row["book"] for row in rows)
    return {
        name: _novel(name, [row for row in rows
                            if row["book"] == name and row["chapter"] % every == 1 % every])
        for name in names
    }  # fmt: skip


def _novel(name: str, rows: Sequence[Mapping[str, Any]]) -> Novel:
    texts = ["\n\n".join(f"Chapter {row['chapter'] + 1}\n\n{row[side]}" for row in rows)
             for side in ("original", "abridged")]  # fmt: skip
    source, summary = (segment(text, ENGLISH) for text in texts)
    kept: list[bool | None] = []
    number, end = 0, 0
    for sentence in source.sentences:
        start = rows[number]["original"].find(sentence, end)
        if start < 0 and number + 1 < len(rows):
            later = rows[number + 1]["original"].find(sentence)
            if 0 <= later < 400:
                number, start = number + 1, later
        if start < 0:
            kept.append(None)
            continue
        end = start + len(sentence)
        gold = [b[1] > b[0] for a, b in rows[number]["gold_rows"] if a[0] < end and start < a[1]]
        kept.append(any(gold) if gold else None)
    return Novel(name, source, summary, tuple(kept), tuple(map(_content, rows)))


def _content(row: Mapping[str, Any]) -> tuple[int, int]:
    """How many content words of a chapter its gold rows have on both sides, and how many in all."""
    kept = every = 0
    for (start, end), (first, last) in row["gold_rows"]:
        words = ENGLISH.content_words(row["original"][start:end])
        there = set(ENGLISH.content_words(row["abridged"][first:last]))
        kept, every = kept + sum(word in there for word in words), every + len(words)
    return kept, every


def other_sentences(data: Path, half: str) -> list[str]:
    """Abridged sentences of ten further novels: five for the fit, five for the test."""
    lines = (data / OTHERS).read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines[half == "test" :: 2]]
    return [row["abridged"][a:b].strip() for row in rows for a, b in row["abr_sents"]]


def falsify(
    novel: Novel, share: float, foreign: Sequence[str], half: str, chance: random.Random,
    moves: Sequence[int] = (),
) -> MadeEdition:  # fmt: skip
    """An edition with a share of its sentences falsified, each kind as often as can be; `half` of
    the words for events: fit or test."""
    fair = novel.summary.sentences
    wanted = max(len(KINDS), round(share * len(fair))) if share else 0
    edits = editors(novel, half, chance)
    order = chance.sample(range(len(fair)), len(fair))
    changed: dict[int, tuple[str, str]] = {}
    for number in range(wanted):
        kind = KINDS[number % len(KINDS)]
        if kind == "invented":
            continue
        for at in order:
            made = None if at in changed else edits[kind](fair[at])
            if made is not None and made != fair[at]:
                changed[at] = (made, kind)
                break
    fitting = [text for text in foreign if 50 < len(text) < 250]
    put_in = {at: named_anew(text, novel.names, chance)
              for at, text in zip(order[::-1], chance.sample(fitting, len(fitting)), strict=False)
              } if wanted else {}  # fmt: skip
    put_in = dict(list(put_in.items())[: wanted // len(KINDS)])
    lines: list[tuple[int, str, str]] = []
    for at, text in enumerate(fair):
        lines.append((at, *changed.get(at, (text, ""))))
        if at in put_in:
            lines.append((at, put_in[at], "invented"))
    for size in moves:
        start = chance.randrange(len(lines) - size)
        block, rest = lines[start : start + size], lines[:start] + lines[start + size :]
        to = (start + chance.randrange(len(rest) // 5, 4 * len(rest) // 5)) % len(rest)
        lines = rest[:to] + [(at, text, "moved") for at, text, _ in block] + rest[to:]
    placed = {at: number for number, (at, _, _) in reversed(list(enumerate(lines)))}
    headings = [Heading(one.text, placed.get(one.sentence, 0)) for one in novel.summary.headings]
    made_of = Segments(tuple(text for _, text, _ in lines), () if moves else tuple(headings))
    return MadeEdition(made_of, tuple(kind for _, _, kind in lines))


def editors(
    novel: Novel, half: str, chance: random.Random
) -> dict[str, Callable[[str], str | None]]:
    names = novel.names
    beside = {
        frozenset(pair)
        for text in novel.source.sentences
        for pair in re.findall(r"\b([A-Z][a-z]+) (?=([A-Z][a-z]+))", text)
    }  # George Osborne: in place of each other they change nothing
    return {
        "number": lambda text: change_number(text, chance),
        "name": lambda text: change_name(text, names, beside, chance),
        "negation": lambda text: change_negation(text, chance),
        "roles": lambda text: swap_names(text, names, beside),
        "event": lambda text: change_event(text, half),
    }


def change_number(text: str, chance: random.Random) -> str | None:
    match = NUMBER.search(text)
    if match is None:
        return None
    word = match[1]
    other = (str(int(word) + chance.choice((2, 3, 10))) if word.isdigit()
             else chance.choice([one for one in NUMBERS if one != word]))  # fmt: skip
    return text[: match.start()] + other + text[match.end() :]


def change_name(
    text: str, names: Sequence[str], beside: set[frozenset[str]], chance: random.Random
) -> str | None:
    own = [name for name in names if re.search(rf"\b{name}\b", text)]
    others = [name for name in names if name not in text
              and not any(frozenset((name, one)) in beside for one in own)]  # fmt: skip
    if not own or not others:
        return None
    return re.sub(rf"\b{own[0]}\b", chance.choice(others), text)


def change_negation(text: str, chance: random.Random) -> str | None:
    denied = DENIED.search(text)
    if denied is not None:
        return text[: denied.start()] + (denied[1] or "") + text[denied.end() :]
    match = AUXILIARY.search(text) if chance.random() < 0.4 else None
    if match is None or re.search(r"\b(no|not|nor|never|none|nothing|only|but)\b|n't", text):
        return None
    return f"{text[: match.end()]} not{text[match.end() :]}"


def swap_names(text: str, names: Sequence[str], beside: set[frozenset[str]]) -> str | None:
    """Two people, with their titles, change places, where something is said between them."""
    own = sorted((name for name in names if text.count(name) == 1), key=text.find)
    if len(own) < 2 or frozenset(own[:2]) in beside:
        return None
    spans = []
    for name in own[:2]:
        start = text.find(name)
        title = TITLE.search(text[:start])
        spans.append((title.start() if title else start, start + len(name)))
    (a, b), (c, d) = spans
    between = text[b:c]
    if len([word for word in between.split() if word.islower() and len(word) > 3]) < 2:
        return None
    return text[:a] + text[c:d] + between + text[a:b] + text[d:]


def change_event(text: str, half: str) -> str | None:
    pairs = [pair.split() for pair in re.split(r"[|\n]", EVENTS[half]) if pair.strip()]
    other = {one: two for pair in pairs for one, two in (pair, pair[::-1])}
    for match in re.finditer(r"\b[a-z]+\b", text):
        if match[0] in other:
            return text[: match.start()] + other[match[0]] + text[match.end() :]
    return None


def named_anew(text: str, names: Sequence[str], chance: random.Random) -> str:
    """A sentence of another novel with the names of this one."""
    for name in dict.fromkeys(NAME.findall(text)):
        if name not in NO_NAMES and names:
            text = re.sub(rf"\b{name}\b", chance.choice(names), text)
    return text


def moved_blocks(count: int) -> Iterator[int]:
    return (SIZES[at % len(SIZES)] for at in range(count))
