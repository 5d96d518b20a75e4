"""What counts as the same text, before anything is counted.

Three normalisers:

seed    NFC; dashes and ellipses become a space; lower case; quotes, apostrophes, hyphens and all
        other punctuation and symbols vanish; white space is collapsed ("nobody's" is "nobodys").
        Diacritics stay: in Czech or Vietnamese they tell words apart.
basic   NFKC and case folding; annotations in [] and <> vanish; apostrophes vanish, every other
        punctuation mark or symbol becomes a space ("touch-tone" is two words).
none    the text as it is, but for white space.

A fourth is for `sem_dist`, which asks what is meant and not which words were heard:

meaning NFKC and case folding; apostrophes within words, decimal marks within numbers, signs before
        numbers and percent signs stay (he'll is not hell, 3.14 not 314, -5 not 5); every other
        punctuation mark or symbol, hyphens too, becomes a space.

What is true of a language is asked of its pack: spellings that are optional are folded (ё is е in
Russian); where spaces do not part words its analyser finds them, and script variants and full-width
forms are unified before; where nothing is written apart a punctuation mark leaves a space, so that
it still parts words. Numbers can be written as digits (`numbers`), and an *alternatives* list names
spellings that count as equal.

Words are what stands between spaces, or what the analyser finds. Characters are counted with single
spaces between words, as jiwer does, but without any where the language has none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gistmeter import languages
from gistmeter.core.errors import UnknownName
from gistmeter.core.signature import digest
from gistmeter.core.wiring import Wiring
from gistmeter.languages import Language
from gistmeter.speech.read import read_alternatives
from gistmeter.speech.settings import SpeechSettings

NORMALIZERS = ("seed", "basic", "none", "meaning")
MEANT = re.compile(r"(?<=\w)'(?=\w)|(?<=\d)[.,:](?=\d)|(?<![^\s(])[-+\u2212](?=\d)|(?<=\d)%")
NUMBERS = ("keep", "digits")
PAUSES = re.compile(r"[\u2012-\u2015\u2E3A\u2E3B\u2026]|\.{2,}")  # dashes and ellipses part words
APOSTROPHES = "'’‘ʼ`´＇"
MULTIPLIED = re.compile(r"\b(\d{1,3}) (1000|1000000|1000000000)\b")
ANNOTATIONS = re.compile(r"\[[^\[\]]*\]|<[^<>]*>")

Alternatives = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class TextForm:
    """A text as it is compared: its words, and its characters."""

    words: tuple[str, ...]
    characters: str


@dataclass(frozen=True, slots=True)
class Normalisation:
    """How texts are read before they are compared.

    Each tuple of `alternatives` holds spellings that count as equal; the first stands for all.
    """

    language: Language
    normalizer: str = "seed"
    numbers: str = "keep"
    alternatives: Alternatives = ()

    def __post_init__(self) -> None:
        if self.normalizer not in NORMALIZERS:
            raise UnknownName("normalizer", self.normalizer, NORMALIZERS)
        if self.numbers not in NUMBERS:
            raise UnknownName("way of writing numbers", self.numbers, NUMBERS)

    @property
    def id(self) -> str:
        """All that decides what is compared, short enough to read in a signature."""
        parts = [self.language.id if self.analysed else self.code, self.normalizer]
        parts += ["digits"] if self.numbers == "digits" else []
        parts += [f"alternatives-{digest(self.alternatives)[:8]}"] if self.alternatives else []
        return "/".join(parts)

    @property
    def code(self) -> str:
        return self.language.code

    @property
    def spaced(self) -> bool:
        """Whether spaces are characters that count."""
        return self.language.spaced

    @property
    def analysed(self) -> bool:
        """Whether words are found by the language's analyser and not by spaces."""
        return self.language.analysed

    def normalise(self, text: str) -> str:
        """The text with everything taken out that must not count as an error."""
        return self._unify(self._clean(text))

    def read(self, text: str) -> TextForm:
        """The words and characters that are compared. An empty text has none."""
        plain = self.normalise(text)
        words = self.language.words(plain) if self.analysed else plain.split()
        return TextForm(tuple(words), plain if self.spaced else "".join(plain.split()))

    def _clean(self, text: str) -> str:
        if self.normalizer == "none":
            return " ".join(text.split())
        if self.analysed:
            text = self.language.normalise(text)
        if self.normalizer == "meaning":
            plain = unicodedata.normalize("NFKC", ANNOTATIONS.sub(" ", text)).casefold()
            plain = _strip_but(MEANT, plain.translate(dict.fromkeys(map(ord, APOSTROPHES), "'")))
        elif self.normalizer == "basic":
            plain = ANNOTATIONS.sub(" ", unicodedata.normalize("NFKC", text)).casefold()
            plain = _strip(plain, " ")
        else:
            plain = PAUSES.sub(" ", unicodedata.normalize("NFC", text)).lower()
            plain = _strip(plain, "" if self.spaced else " ")
        for fold in self.language.folds:
            plain = fold(plain)
        plain = " ".join(plain.split())
        return self._write_digits(plain) if self.numbers == "digits" else plain

    def _write_digits(self, plain: str) -> str:
        """Number words as digits, and `5 million` as five million: one number either way."""
        digits = "".join(
            str(unicodedata.decimal(character)) if character.isdecimal() else character
            for character in self.language.number_words(plain)
        )
        return MULTIPLIED.sub(lambda match: str(int(match[1]) * int(match[2])), digits)

    def _unify(self, plain: str) -> str:
        """Every spelling in `alternatives` replaced by the one that stands for it."""
        if not self.alternatives:
            return plain
        plainer = Normalisation(self.language, self.normalizer, self.numbers)
        pattern, canonical = _compile(plainer, self.alternatives)
        return pattern.sub(lambda match: canonical[match.group()], plain) if canonical else plain


def _strip(text: str, mark: str) -> str:
    """Without punctuation, symbols and control characters; white space and marks stay."""
    table: dict[int, str] = {}
    for character in set(text):
        if character in APOSTROPHES:
            table[ord(character)] = ""
        elif unicodedata.category(character)[0] in "PS":
            table[ord(character)] = mark
        elif unicodedata.category(character) in ("Cc", "Cf") and not character.isspace():
            table[ord(character)] = ""
    return text.translate(table)


def _strip_but(kept: re.Pattern[str], text: str) -> str:
    """Punctuation as spaces, but for what a pattern finds."""
    parts, place = [], 0
    for match in kept.finditer(text):
        parts += [_spaced(text[place : match.start()]), match[0].replace("\u2212", "-")]
        place = match.end()
    return "".join([*parts, _spaced(text[place:])])


def _spaced(text: str) -> str:
    return _strip(text.translate(dict.fromkeys(map(ord, APOSTROPHES), " ")), " ")


def _compile(
    plainer: Normalisation, alternatives: Alternatives
) -> tuple[re.Pattern[str], dict[str, str]]:
    prepared = tuple(tuple(plainer.normalise(form) for form in forms) for forms in alternatives)
    return _pattern(prepared, plainer.analysed)


@lru_cache(maxsize=64)
def _pattern(classes: Alternatives, inside: bool) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern that finds all spellings, longest first, and what stands for each.

    Classes that share a spelling are one class. `inside` finds spellings within a run of
    characters too, for scripts that do not part words.
    """
    canonical: dict[str, str] = {}
    for forms in _merge(classes):
        canonical.update(dict.fromkeys(forms, forms[0]))
    listed = "|".join(re.escape(form) for form in sorted(canonical, key=len, reverse=True))
    bounded = listed if inside else rf"(?<!\S)(?:{listed})(?!\S)"
    return re.compile(bounded), canonical


def _merge(classes: Alternatives) -> list[list[str]]:
    merged: list[list[str]] = []
    for forms in classes:
        wanted = [form for form in dict.fromkeys(forms) if form]
        touching = [other for other in merged if set(other) & set(wanted)]
        joined = list(dict.fromkeys([form for other in touching for form in other] + wanted))
        merged = [other for other in merged if other not in touching]
        if joined:
            merged.append(joined)
    return merged


def merge_alternatives(lists: Sequence[Sequence[str]]) -> Alternatives:
    """Lists of equal spellings as a setting, in an order that does not depend on the file's."""
    return tuple(sorted(tuple(forms) for forms in _merge(tuple(map(tuple, lists)))))


def normalisations_of(codes: Iterable[str], settings: SpeechSettings) -> dict[str, Normalisation]:
    """How the texts of each language are read; a missing analyser is an error at once."""
    equal = settings.alternatives or ()
    if isinstance(equal, str | Path):
        equal = merge_alternatives(read_alternatives(Path(equal)))
    alternatives = tuple(tuple(forms) for forms in equal)
    normalisations = {
        code: Normalisation(
            languages.get(code), settings.normalizer, settings.numbers, alternatives
        )
        for code in dict.fromkeys(codes)
    }
    for normalisation in normalisations.values():
        normalisation.read("check")
    return normalisations


def all_normalisations(wiring: Wiring) -> dict[str, Normalisation]:
    return normalisations_of(wiring.languages, wiring.settings)


def normalisation_of(wiring: Wiring) -> Normalisation:
    """How the texts of the language are read."""
    normalisations: dict[str, Normalisation] = wiring.once(all_normalisations)
    return normalisations[wiring.language]
