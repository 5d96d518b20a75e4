"""Numbers written as digits, whichever way they were spoken.

`twenty nine` and `29`, `dva tisíce` and `2000`, `二十九` and `29` then count as equal. Cardinal
numbers in English, Czech and Russian (with their inflected forms), Chinese and Japanese; decimal
digits of every script become 0-9. Two numbers of two digits each, said one after the other, are a
year: `nineteen thirty two` is 1932. Ordinals, fractions and `point` are left as they are.

A word joins the number before it only where the language would say it so: `twenty nine` is 29,
`nine twenty` stays 9 20.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

ENGLISH = """
0 zero|1 one|2 two|3 three|4 four|5 five|6 six|7 seven|8 eight|9 nine|10 ten|11 eleven|12 twelve
13 thirteen|14 fourteen|15 fifteen|16 sixteen|17 seventeen|18 eighteen|19 nineteen|20 twenty
30 thirty|40 forty fourty|50 fifty|60 sixty|70 seventy|80 eighty|90 ninety
*100 hundred|*1000 thousand|*1000000 million|*1000000000 billion
"""
CZECH = """
0 nula nuly nule nulu|1 jeden jedna jedno jednoho jednu jednom jedním jednou|2 dva dvě dvou dvěma
3 tři tří třem třech třemi|4 čtyři čtyř čtyřem čtyřech čtyřmi|5 pět pěti|6 šest šesti|7 sedm sedmi
8 osm osmi|9 devět devíti|10 deset deseti desíti|11 jedenáct jedenácti|12 dvanáct dvanácti
13 třináct třinácti|14 čtrnáct čtrnácti|15 patnáct patnácti|16 šestnáct šestnácti
17 sedmnáct sedmnácti|18 osmnáct osmnácti|19 devatenáct devatenácti|20 dvacet dvaceti
30 třicet třiceti|40 čtyřicet čtyřiceti|50 padesát padesáti|60 šedesát šedesáti
70 sedmdesát sedmdesáti|80 osmdesát osmdesáti|90 devadesát devadesáti
*100 sto stě sta set stem stům|*1000 tisíc tisíce tisíci tisíců tisícům
*1000000 milion milión miliony milióny milionů miliónů milionu|*1000000000 miliarda miliardy miliard
"""
RUSSIAN = """
0 ноль нуль нуля|1 один одна одно одного одну одной одним|2 два две двух двум двумя
3 три трех трем тремя|4 четыре четырех четырем четырьмя|5 пять пяти пятью|6 шесть шести шестью
7 семь семи семью|8 восемь восьми восемью|9 девять девяти девятью|10 десять десяти десятью
11 одиннадцать одиннадцати|12 двенадцать двенадцати|13 тринадцать тринадцати
14 четырнадцать четырнадцати|15 пятнадцать пятнадцати|16 шестнадцать шестнадцати
17 семнадцать семнадцати|18 восемнадцать восемнадцати|19 девятнадцать девятнадцати
20 двадцать двадцати|30 тридцать тридцати|40 сорок сорока|50 пятьдесят пятидесяти
60 шестьдесят шестидесяти|70 семьдесят семидесяти|80 восемьдесят восьмидесяти
90 девяносто девяноста|100 сто ста|200 двести двухсот|300 триста трехсот|400 четыреста четырехсот
500 пятьсот пятисот|600 шестьсот шестисот|700 семьсот семисот|800 восемьсот восьмисот
900 девятьсот девятисот|*1000 тысяча тысячи тысяч тысячу|*1000000 миллион миллиона миллионов
*1000000000 миллиард миллиарда миллиардов
"""
HAN_DIGITS = {
    **dict(zip("零一二三四五六七八九", range(10), strict=True)),
    "〇": 0,
    "两": 2,
    "兩": 2,
}
HAN_TENS = {"十": 10, "百": 100, "千": 1000}
HAN_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
HAN_NUMBER = re.compile(f"[{''.join([*HAN_DIGITS, *HAN_TENS, *HAN_MYRIADS])}]{{2,}}")


@dataclass(frozen=True, slots=True)
class Numerals:
    """A language's number words: values, and words that multiply what stands before them."""

    values: Mapping[str, int]
    multipliers: Mapping[str, int]
    joint: str = ""  # "and" in "one hundred and five"


def _table(text: str, joint: str = "") -> Numerals:
    values: dict[str, int] = {}
    multipliers: dict[str, int] = {}
    for entry in text.strip().replace("\n", "|").split("|"):
        number, *words = entry.split()
        target = multipliers if number.startswith("*") else values
        target.update(dict.fromkeys(words, int(number.lstrip("*"))))
    return Numerals(values, multipliers, joint)


NUMERALS = {"en": _table(ENGLISH, "and"), "cs": _table(CZECH), "ru": _table(RUSSIAN)}


def write_digits(text: str, language: str) -> str:
    """A normalised text with its number words as digits; other languages' words are left."""
    if not text.isascii():
        text = "".join(_decimal(character) for character in text)
    if language in ("zh", "zh-Hant", "ja"):
        return HAN_NUMBER.sub(lambda found: _read_han(found.group()), text)
    if language in NUMERALS:
        return " ".join(_replace(text.split(), NUMERALS[language]))
    return text


def _decimal(character: str) -> str:
    return str(unicodedata.decimal(character)) if character.isdecimal() else character


def _replace(words: list[str], numerals: Numerals) -> list[str]:
    out: list[str] = []
    at = 0
    while at < len(words):
        value, after = _read(words, at, numerals)
        if after == at:
            out.append(words[at])
            at += 1
            continue
        second, later = _read(words, after, numerals)
        if 10 <= value <= 99 and 10 <= second <= 99 and later > after:
            value, after = value * 100 + second, later  # a year, said in two halves
        out.append(str(value))
        at = after
    return out


def _read(words: list[str], at: int, numerals: Numerals) -> tuple[int, int]:
    """The number that starts here and the place after it; the same place where none does."""
    total, current, start = 0, -1, at
    while at < len(words):
        word = words[at]
        value = int(word) if word.isascii() and word.isdigit() else numerals.values.get(word)
        if value is not None and not (len(word) > 1 and word.startswith("0")):
            if not _joins(current, value):
                break
            current = max(current, 0) + value
        elif word in numerals.multipliers and (current != 0 or total == 0):
            scale = numerals.multipliers[word]
            current = max(current, 1) * scale
            if scale >= 1000:
                total, current = total + current, 0
        elif word == numerals.joint and _goes_on(words, at, current, total, numerals):
            pass
        else:
            break
        at += 1
    return (total + max(current, 0), at) if at > start else (0, start)


def _joins(current: int, value: int) -> bool:
    """Whether a value can follow what was said of this number: 20 then 9, but not 9 then 20."""
    if current in (-1, 0):
        return True
    if value < 10:
        return current % 100 == 0 or (current % 10 == 0 and current % 100 >= 20)
    return value < 100 and current % 100 == 0 and current >= 100


def _goes_on(words: list[str], at: int, current: int, total: int, numerals: Numerals) -> bool:
    following = words[at + 1] if at + 1 < len(words) else ""
    said = (current >= 100 and current % 100 == 0) or (current == 0 and total > 0)
    return said and 0 < numerals.values.get(following, 0) < 100


def _read_han(run: str) -> str:
    """二十九 as 29 and 二〇二〇 as 2020."""
    if all(character in HAN_DIGITS for character in run):
        return "".join(str(HAN_DIGITS[character]) for character in run)
    total, section, digit = 0, 0, -1
    for character in run:
        if character in HAN_DIGITS:
            digit = HAN_DIGITS[character]
        elif character in HAN_TENS:
            section += (1 if digit < 0 else digit) * HAN_TENS[character]
            digit = -1
        else:
            section += max(digit, 0)
            total, section, digit = total + max(section, 1) * HAN_MYRIADS[character], 0, -1
    return str(total + section + max(digit, 0))
