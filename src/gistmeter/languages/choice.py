"""The language of each item: from what the user gives, its own `language` column, its file's name,
or its texts, in this order.

Texts of one file belong together and are looked at together, as long as they are in one script: a
single text is short, and a thousand of them are not. Japanese is apart from Chinese there: a text
of some length without kana is not Japanese, whatever stands beside it. A guess that is not sound is
refused; every guess is reported, in one wording.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import NamedTuple

from gistmeter.core.errors import InputError, UnknownName
from gistmeter.languages import generic
from gistmeter.languages.codes import name_of, of_name, resolve
from gistmeter.languages.detection import SOUND, Detection, detect, hinted, sample
from gistmeter.languages.hints import ENOUGH, HAN, KANA, LETTER, writing_of

UNKNOWN = frozenset(("", "auto"))  # no language is given
BEGINNING = 120  # characters of a text that show its script
FILE = re.compile(r"\.[A-Za-z]\w{0,7}$")  # a name with a suffix is a file's
SEEN = 400  # items of a file that show whether its name is right
SCRIPTS = {
    "Latin": "A-Za-z\u00aa-\u024f\u1e00-\u1eff",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u052f",
    "Hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "Han": "\u2e80-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af",  # with kana
}
SCRIPT = re.compile("|".join(f"(?P<{name}>[{letters}])" for name, letters in SCRIPTS.items()))
UNCLEAR = "Han or kana"
PHRASE = 4  # characters of what is often written without kana: 一石二鳥
TELLING = 10  # characters of a text that has no kana and is not Japanese
WORTH_SAYING = 0.2  # the confidence from which on a guess helps the user
HOW = "Set it with language (--language) or a 'language' column"

Item = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LanguageChoice:
    """A language for each item, and how it was found: "given", "column", "name" or "texts"."""

    codes: tuple[str, ...]
    found: tuple[str, ...]
    remark: str = ""  # what was guessed, to be shown to the user; empty where nothing was


class _Pick(NamedTuple):
    """The language of one item."""

    code: str
    found: str
    why: str = ""  # of a guess


def choose(
    given: str = "",
    column: Sequence[str | None] = (),
    names: Sequence[str | Sequence[str]] = (),
    texts: Sequence[str | Sequence[str]] = (),
) -> LanguageChoice:
    """The language of each item.

    `column` has what the items' own `language` says, `names` the files they come from (one or
    several, the most telling first), `texts` what shows their language: references where there are
    any, since a prediction may be in a wrong one. Each is empty or has an entry for every item.
    A name without a suffix is no file's but a title (The German Lesson): it says nothing but which
    items belong together.
    """
    size = max(len(column), len(names), len(texts))
    if given.lower() not in UNKNOWN:
        return LanguageChoice((resolve(given),) * size, ("given",) * size)
    files, items = list(map(_several, names)), list(map(_several, texts))
    picks = {
        at: _Pick(_of_column(spelled, at), "column")
        for at, spelled in enumerate(column)
        if spelled and spelled.strip().lower() not in UNKNOWN
    }
    for by in (_by_names, _by_texts):
        places = [at for at in range(size) if at not in picks]
        picks |= dict(by(places, files, items))
    default = _Pick(generic.CODE, "")
    chosen = [picks.get(at, default) for at in range(size)]
    codes, found = tuple(pick.code for pick in chosen), tuple(pick.found for pick in chosen)
    return LanguageChoice(codes, found, _remark(picks.values()))


def _several(entry: str | Sequence[str]) -> Item:
    return (entry,) if isinstance(entry, str) else tuple(entry)


def _of_column(spelled: str, at: int) -> str:
    try:
        return resolve(spelled)
    except UnknownName as error:
        raise InputError(f"Item {at + 1}, column 'language': {error}") from error


def _by_names(
    places: Iterable[int], names: Sequence[Item], texts: Sequence[Item]
) -> Iterator[tuple[int, _Pick]]:
    """What the names of files say; texts in another script do not change it, but are mentioned."""
    named: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at in places if names else ():
        files = [PurePath(name) for name in names[at] if FILE.search(name)]
        telling = next((file for file in files if of_name(file.stem)), None)
        if telling:
            named[of_name(telling.stem), telling.name].append(at)
    for (code, name), group in named.items():
        why = f"from the name of {name}{_doubt(code, group, texts)}"
        yield from ((at, _Pick(code, "name", why)) for at in group)


def _doubt(code: str, places: Sequence[int], texts: Sequence[Item]) -> str:
    """What to say of a name where the texts are in another script."""
    text = sample([text for at in places[:SEEN] for text in (texts[at] if texts else ())])
    primary = code.partition("-")[0]
    sure = hinted(text)
    kin = {other for other in sure if other.partition("-")[0] == primary}
    stranger = max(sure.keys() - kin, key=lambda other: sure[other])
    if sure[stranger] >= SOUND:
        return f" (though the texts look like {stranger})"
    unlike = kin and not any(sure[other] for other in kin) and LETTER.search(text)
    return " (though the texts do not look like it)" if unlike else ""


def _by_texts(
    places: Iterable[int], names: Sequence[Item], texts: Sequence[Item]
) -> Iterator[tuple[int, _Pick]]:
    """Find the language of what is still open, file by file and script by script."""
    files: dict[Item, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at in places if texts else ():
        files[names[at] if names else ()][script(texts[at])].append(at)
    for scripts in files.values():
        unclear = scripts.pop(UNCLEAR, [])
        most = max(("Kana", "Han"), key=lambda one: len(scripts.get(one, ())))
        chinese = bool(scripts.get("Han"))
        for at in unclear:  # longer than a phrase in a file with Chinese; else as most others are
            longer = chinese and len(HAN.findall(" ".join(texts[at])[:BEGINNING])) > PHRASE
            scripts["Han" if longer else most].append(at)

    def detected(some: Iterable[int]) -> Detection:
        return detect([text for at in some for text in texts[at]])

    for file, scripts in files.items():
        main = ""  # the language of the script of most items, for what is not clear
        for written, group in sorted(scripts.items(), key=lambda one: (not one[0], -len(one[1]))):
            guess = detected(group) if written else Detection(generic.CODE, 0.0)
            if written and guess.confidence < SOUND and not main:
                guess = detected(at for each in files.values() for at in each.get(written, ()))
                if guess.confidence < SOUND:
                    raise InputError(_refusal(guess, file))
            sound = guess.confidence >= SOUND
            main = main or (guess.code if sound else "")
            why = f"from the texts, confidence {guess.confidence:.2f}" if sound else ""
            code = guess.code if sound else main or generic.CODE
            yield from ((at, _Pick(code, "texts", why)) for at in group)


def script(texts: Item) -> str:
    """The script that texts begin in, "" without letters; a fifth of it is enough beside Latin."""
    beginning = " ".join(texts)[:BEGINNING]
    if beginning.isascii():
        return "Latin" if LETTER.search(beginning) else ""
    counts = Counter(map(_script_of, beginning))
    del counts[""]
    other = max((one for one in counts if one != "Latin"), key=lambda one: counts[one], default="")
    if other and counts[other] >= ENOUGH * counts.total():
        return _of_han(beginning) if other == "Han" else other
    return "Latin" if counts["Latin"] else ""


def _of_han(text: str) -> str:
    """Whether a text in Chinese characters is Japanese by its kana, Chinese by characters that
    Japanese does not have (nor the Japanese encodings), or too short to tell."""
    kana, han = len(KANA.findall(text)), len(HAN.findall(text))
    writing, _ = writing_of(text, kana, han)
    if writing == "japanese":
        return "Kana"
    unknown = len(HAN.findall(text.encode("cp932", "ignore").decode("cp932"))) < han
    return "Han" if unknown or han >= TELLING else UNCLEAR


@cache
def _script_of(character: str) -> str:
    """The script of a letter, or its block of 128 characters; "" for anything else."""
    if not character.isalpha():
        return ""
    known = SCRIPT.match(character)
    return (known.lastgroup or "") if known else f"U+{ord(character) >> 7 << 7:04X}"


def _refusal(guess: Detection, file: Item) -> str:
    where = f"{PurePath(file[0]).name}: " if file and file[0] else ""
    if guess.confidence < WORTH_SAYING:
        return f"{where}The language of the texts cannot be determined. {HOW}"
    name = name_of(guess.code)
    looks = f"{name} ({guess.code})" if name else guess.code
    return (
        f"{where}The language of the texts is not clear: they look like {looks}, but only with a "
        f'confidence of {guess.confidence:.2f} ({SOUND:.2f} is needed). Say it with language="'
        f"{guess.code}\" (--language {guess.code}) or a 'language' column"
    )


def _remark(picks: Iterable[_Pick]) -> str:
    """What was guessed, in the one wording that is used everywhere."""
    guesses: dict[str, str] = {}
    for pick in picks:
        if pick.why:
            guesses.setdefault(pick.code, pick.why)
    if not guesses:
        return ""
    listed = "; ".join(f"{code}, {why}" for code, why in guesses.items())
    return f"Language{'s' if len(guesses) > 1 else ''}: {listed}. {HOW}"
