"""Classical Chinese histories and later abridgements of them: clauses cut, merged, retold, moved.

One history is a passage of the Shiji (`classical.txt`), the other made annals of 1,800 clauses,
which repeat themselves as annals do.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

STATES = "齐楚秦晋燕赵魏韩吴越鲁宋卫郑陈蔡"
FAMILIES = "李王张赵田屈范荀栾管鲍晏伍孙庞乐廉蔺白蒙"
GIVEN = "牧婴起武错雎仲叔完固胜文信忌章平良吉广通成昭夷衍敖"
TOWNS = (
    "宜阳",
    "长平",
    "阏与",
    "上党",
    "河东",
    "南阳",
    "邯郸",
    "大梁",
    "临淄",
    "即墨",
    "鄢陵",
    "城濮",
)
SEASONS = "春夏秋冬"
EVENTS = """
{a}王使{p}伐{b}，取{t}，斩首{n}级。
{a}侯会{b}侯于{t}，盟而还。
{p}谏曰：{b}强而我弱，不可与战。王不听，遂兴师。
大旱，{a}饥，人相食。
{p}卒，子{q}代立为相。
{b}人围{t}，{n}日不下，引兵去。
{a}王召{p}问曰：寡人欲伐{b}，何如？{p}对曰：未可也，民劳而仓廪虚。
王大怒，逐{p}，{p}奔{b}。
彗星见于东方，{n}日乃灭。
{p}少贫，尝贩缯于{t}，乡人贱之。
{a}与{b}战于{t}，{a}师败绩，{p}死之。
王以{p}为将军，赐金{n}斤，封于{t}。
{p}与{q}有隙，乃谮之于王。
{b}遣使献马{n}匹，请和，王许之。
{a}筑城于{t}，{n}月而成。
{q}夜袭{t}，焚其积聚，虏其将。
太后崩，葬{t}，诸侯皆来会。
{p}为政三年，道不拾遗，门不夜闭。
河决{t}，坏民田{n}顷，发卒塞之。
{a}王疾，召{p}受遗诏，立太子。
"""
RETOLD = {"使": "遣", "伐": "攻", "曰": "言", "卒": "死", "奔": "亡走", "乃": "", "遂": "",
          "大怒": "怒甚", "围": "攻围", "还": "归", "寡人": "吾", "何如": "可乎", "引兵去": "解去",
          "谮": "谗", "虏": "获", "崩": "薨", "召": "呼", "赐": "与", "请和": "求成",
          "皆": "尽"}  # fmt: skip
CUT, MERGED, RETELLING = 0.35, 0.25, 0.5


def clauses_of(text: str) -> list[str]:
    return [part.strip() for part in re.split("(?<=[。！？；，：])", text) if part.strip()]


def history() -> list[str]:
    """A passage of the Shiji, clause by clause."""
    return clauses_of((Path(__file__).parent / "classical.txt").read_text(encoding="utf-8"))


def annals(clauses: int = 1800, seed: int = 0) -> list[str]:
    """Made annals of so many clauses."""
    chance = random.Random(seed)
    events = EVENTS.split()
    people = [one + two for one in FAMILIES for two in GIVEN]
    found: list[str] = []
    year = 0
    while len(found) < clauses:
        year += 1
        first, second = chance.sample(STATES, 2)
        names = chance.sample(people, 2)
        text = f"{first}王{year}年{chance.choice(SEASONS)}，" + "".join(
            event.format(
                a=first, b=second, p=names[0], q=names[1], t=chance.choice(TOWNS),
                n=chance.choice("三五七八十百千") + chance.choice(["", "十", "余"]),
            )
            for event in chance.sample(events, 3)
        )  # fmt: skip
        found += clauses_of(text)
    return found[:clauses]


def made_edition(
    clauses: list[str], seed: int, blocks: int = 6
) -> tuple[list[str], list[set[int]]]:
    """A later abridgement, and for each of its sentences the clauses that it comes from."""
    chance = random.Random(seed)
    texts: list[str] = []
    gold: list[set[int]] = []
    at = 0
    while at < len(clauses):
        own, size = clauses[at], 1
        if chance.random() < CUT:
            at += 1
            continue
        if chance.random() < MERGED and at + 1 < len(clauses):
            own, size = f"{own[:-1]}，{clauses[at + 1]}", 2
        texts.append(_retold(own, chance))
        gold.append(set(range(at, at + size)))
        at += size
    for _ in range(blocks):
        length = chance.choice([1, 2, 3, 5, 8])
        start = chance.randrange(len(texts) - length)
        block, places = texts[start : start + length], gold[start : start + length]
        del texts[start : start + length], gold[start : start + length]
        end = chance.randrange(len(texts))
        texts[end:end], gold[end:end] = block, places
    return texts, gold


def _retold(clause: str, chance: random.Random) -> str:
    """In other words, or shortened, or as it was."""
    if chance.random() < RETELLING:
        for old, new in RETOLD.items():
            clause = clause.replace(old, new)
    if len(clause) > 8 and chance.random() < 0.5:
        clause = clause[chance.randrange(2, len(clause) // 2) :]
    return clause


def places_right(found: list[int], gold: list[set[int]]) -> float:
    """The share of sentences on a clause that they come from."""
    return sum(one in own for one, own in zip(found, gold, strict=True)) / len(gold)
