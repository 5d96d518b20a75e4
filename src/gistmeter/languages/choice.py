"""The language of each item: from what the user gives, its own `language` column, its file's name,
or its texts, in this order.

Texts of one file belong together and are looked at together, as long as they are in one script: a
single text is short, and a thousand of them are not. A guess that is not sound is refused; every
guess is said, in one wording.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath

from gistmeter.core.errors import InputError, UnknownName
from gistmeter.languages import generic
from gistmeter.languages.codes import name_of, of_name, resolve
from gistmeter.languages.detection import SOUND, Detection, detect, hinted, sample
from gistmeter.languages.hints import ENOUGH, LETTER

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
SCRIPT = re.compile("|".join(f"(?P<{name}>[{held}])" for name, held in SCRIPTS.items()))
WORTH_SAYING = 0.2  # the confidence from which on a guess helps the user
HOW = "Set it with language (--language) or a 'language' column"

Item = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A language for each item, and how it was found: "given", "column", "name" or "texts"."""

    codes: tuple[str, ...]
    found: tuple[str, ...]
    remark: str = ""  # what was guessed, to be told to the user; empty where nothing was


@dataclass(slots=True)
class _Open:
    """What is chosen so far; None where a language is still open."""

    codes: list[str | None]
    found: list[str]
    guesses: dict[str, str] = field(default_factory=dict)  # code -> why

    def set(self, at: int, code: str, found: str, why: str = "") -> None:
        self.codes[at], self.found[at] = code, found
        if why:
            self.guesses.setdefault(code, why)


def choose(
    given: str = "",
    column: Sequence[str | None] = (),
    names: Sequence[str | Sequence[str]] = (),
    texts: Sequence[str | Sequence[str]] = (),
) -> Choice:
    """The language of each item.

    `column` has what the items' own `language` says, `names` the files they come from (one or
    several, the most telling first), `texts` what shows their language: references where there are
    any, since a prediction may be in a wrong one. Each is empty or has an entry for every item.
    A name without a suffix is no file's but a title (The German Lesson): it says nothing but which
    items belong together.
    """
    size = max(len(column), len(names), len(texts))
    chosen = _Open([None] * size, [""] * size)
    if given.lower() not in UNKNOWN:
        code = resolve(given)
        return Choice((code,) * size, ("given",) * size)
    for at, own in enumerate(column):
        if own and own.strip().lower() not in UNKNOWN:
            chosen.set(at, _of_column(own, at), "column")
    files, held = [_several(own) for own in names], [_several(own) for own in texts]
    _by_names(chosen, files, held)
    _by_texts(chosen, files, held)
    codes = tuple(code or generic.CODE for code in chosen.codes)
    return Choice(codes, tuple(chosen.found), _remark(chosen.guesses))


def _several(one: str | Sequence[str]) -> Item:
    return (one,) if isinstance(one, str) else tuple(one)


def _of_column(spelled: str, at: int) -> str:
    try:
        return resolve(spelled)
    except UnknownName as error:
        raise InputError(f"Item {at + 1}, column 'language': {error}") from error


def _by_names(chosen: _Open, names: Sequence[Item], texts: Sequence[Item]) -> None:
    """What the names of files say; texts in another script do not change it, but are told."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, files in enumerate(names):
        if chosen.codes[at] is None:
            named = [PurePath(file) for file in files if FILE.search(file)]
            said = ((of_name(file.stem), file.name) for file in named)
            code, name = next((one for one in said if one[0]), ("", ""))
            if code:
                places[code, name].append(at)
    for (code, name), own in places.items():
        why = f"from the name of {name}{_doubt(code, own, texts)}"
        for at in own:
            chosen.set(at, code, "name", why)


def _doubt(code: str, places: Sequence[int], texts: Sequence[Item]) -> str:
    text = sample([text for at in places[:SEEN] for text in (texts[at] if texts else ())])
    primary = code.partition("-")[0]
    told = hinted(text)
    kin = {other: sure for other, sure in told.items() if other.partition("-")[0] == primary}
    stranger = max(told.keys() - kin.keys(), key=lambda other: told[other])
    if told[stranger] >= SOUND:
        return f" (though the texts look like {stranger})"
    unlike = kin and not any(kin.values()) and LETTER.search(text)
    return " (though the texts do not look like it)" if unlike else ""


def _by_texts(chosen: _Open, names: Sequence[Item], texts: Sequence[Item]) -> None:
    """Find the language of what is still open, file by file and script by script."""
    files: dict[Item, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, own in enumerate(texts):
        if chosen.codes[at] is None:
            files[names[at] if names else ()][script(own)].append(at)
    everywhere: dict[str, list[int]] = defaultdict(list)
    for scripts in files.values():
        for written, places in scripts.items():
            everywhere[written] += places
    for file, scripts in files.items():
        _of_file(chosen, file, scripts, everywhere, texts)


def _of_file(
    chosen: _Open,
    file: Item,
    scripts: Mapping[str, list[int]],
    everywhere: Mapping[str, list[int]],
    texts: Sequence[Item],
) -> None:
    """The languages of one file; the script of most items decides where another is not sure."""
    main = ""
    for written, places in sorted(scripts.items(), key=lambda one: (not one[0], -len(one[1]))):
        found = _detect(places, texts) if written else Detection(generic.CODE, 0.0)
        if written and found.confidence < SOUND and not main:
            found = _detect(everywhere[written], texts)
            if found.confidence < SOUND:
                raise InputError(_refusal(found, file))
        sound = found.confidence >= SOUND
        main = main or (found.code if sound else "")
        why = f"from the texts, confidence {found.confidence:.2f}" if sound else ""
        for at in places:
            chosen.set(at, found.code if sound else main or generic.CODE, "texts", why)


def _detect(places: Sequence[int], texts: Sequence[Item]) -> Detection:
    return detect([text for at in places for text in texts[at]])


def script(texts: Item) -> str:
    """The script that texts begin in, "" without letters; a fifth of it is enough beside Latin."""
    beginning = " ".join(texts)[:BEGINNING]
    if beginning.isascii():
        return "Latin" if LETTER.search(beginning) else ""
    counts = Counter(map(_script_of, beginning))
    del counts[""]
    other = max((one for one in counts if one != "Latin"), key=lambda one: counts[one], default="")
    if other and counts[other] >= ENOUGH * counts.total():
        return other
    return "Latin" if counts["Latin"] else ""


@cache
def _script_of(character: str) -> str:
    """The script of a letter, or its block of 128 characters; "" for anything else."""
    if not character.isalpha():
        return ""
    found = SCRIPT.match(character)
    return (found.lastgroup or "") if found else f"U+{ord(character) >> 7 << 7:04X}"


def _refusal(found: Detection, file: Item) -> str:
    where = f"{PurePath(file[0]).name}: " if file and file[0] else ""
    if found.confidence < WORTH_SAYING:
        return f"{where}The language of the texts cannot be told. {HOW}"
    name = name_of(found.code)
    looks = f"{name} ({found.code})" if name else found.code
    return (
        f"{where}The language of the texts is not clear: they look like {looks}, but only with a "
        f'confidence of {found.confidence:.2f} ({SOUND:.2f} is needed). Say it with language="'
        f"{found.code}\" (--language {found.code}) or a 'language' column"
    )


def _remark(guesses: Mapping[str, str]) -> str:
    """What was guessed, in the one wording that is used everywhere."""
    if not guesses:
        return ""
    listed = "; ".join(f"{code}, {why}" for code, why in guesses.items())
    return f"Language{'s' if len(guesses) > 1 else ''}: {listed}. {HOW}"
