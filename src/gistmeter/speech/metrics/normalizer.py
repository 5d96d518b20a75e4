"""What counts as the same text, before anything is counted.

default  numbers, dates, times, money and units in one way of writing (`languages.guard.writing`):
         "three point five percent" is "3.5 %", and 2.5 stays 2.5; NFKC and case folding; markup of
         what is no speech ([laughter], <s>, (%hesitation)) and hesitations (um) vanish; short forms
         are written out (don't, gonna); letters that are spelled are one word (U S B); hyphens part
         words; signs before numbers stay, all other punctuation becomes a space.
whisper  Whisper's own rules (Radford et al. 2022), by the package whisper-normalizer: English ones
         for English, the basic ones for every other language.
seed     NFC; dashes and ellipses become a space; lower case; quotes, apostrophes, hyphens and all
         other punctuation and symbols vanish; white space is collapsed ("nobody's" is "nobodys",
         "2.5" is "25"). Diacritics stay: in Czech or Vietnamese they tell words apart.
none     the text as it is, but for white space.

A fifth is for `sem_dist`, which asks what is meant and not which words were heard:

meaning  NFKC and case folding; apostrophes within words, decimal marks within numbers, signs before
         numbers and percent signs stay (he'll is not hell, 3.14 not 314, -5 not 5); every other
         punctuation mark or symbol, hyphens too, becomes a space.

What is true of a language is asked of its pack: spellings that are optional are folded (ё is е in
Russian); where spaces do not part words its analyser finds them, and script variants and full-width
forms are unified before; where nothing is written apart a punctuation mark leaves a space, so that
it still parts words. An *alternatives* list names spellings that count as equal.

Words are what stands between spaces, or what the analyser finds. Characters are counted with single
spaces between words, as jiwer does, but without any where the language has none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from gistmeter import languages
from gistmeter.core import registry
from gistmeter.core.errors import MissingDependency, UnknownName
from gistmeter.core.signature import digest
from gistmeter.core.wiring import Wiring
from gistmeter.languages import Language, lexicons
from gistmeter.languages.analysers import version_of
from gistmeter.languages.guard.writing import write_facts
from gistmeter.languages.normal_forms import normal_form, orderly
from gistmeter.speech.read import read_alternatives
from gistmeter.speech.settings import SpeechSettings

NORMALIZERS = ("default", "whisper", "seed", "none", "meaning")
OTHERS = ("default", "whisper", "seed")  # by which the order of systems is looked at
MEANT = re.compile(r"(?<=\w)'(?=\w)|(?<=\d)[.,:](?=\d)|(?<![^\s(])[-+\u2212](?=\d)|(?<=\d)%")
KEPT = re.compile(r"(?<=\d)[.:](?=\d)|(?<![^\s(])[-+](?=\d)|[%$€£¥₩₽°](?!\w)")
PAUSES = re.compile(r"[\u2012-\u2015\u2E3A\u2E3B\u2026]|\.{2,}")  # dashes and ellipses part words
APOSTROPHES = "'’‘ʼ`´＇"
ANNOTATIONS = re.compile(r"\[[^\[\]]*\]|<[^<>]*>|\(%\w+\)")
ELIDED = re.compile(r"(?<=\w)'(?=\w)")
SPELLED = re.compile(r"(?<![\w'])[a-z](?:(?:\. ?|[ -])[a-z])+\.?(?![\w'])")

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
    alternatives: Alternatives = ()

    def __post_init__(self) -> None:
        if self.normalizer not in NORMALIZERS:
            raise UnknownName("normalizer", self.normalizer, NORMALIZERS)

    @property
    def id(self) -> str:
        """All that decides what is compared, short enough to read in a signature."""
        written = self.analysed or self.normalizer == "default"
        parts = [self.language.id if written else self.code, self.normalizer]
        if self.normalizer == "default":
            parts.append(lexicons.fingerprint(self.language.lists, lexicons.FACT_LISTS))
        elif self.normalizer == "whisper":
            parts[-1] = version_of("whisper-normalizer")
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
        return self.language.analysed and self.normalizer != "whisper"

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
        if self.normalizer == "whisper":
            return " ".join(str(whisper_rules(self.code, self.spaced)(text)).split())
        if self.normalizer == "default":
            text = write_facts(ANNOTATIONS.sub(" ", text), self.language)
        if self.analysed:
            text = self.language.normalise(text)
        if self.normalizer == "meaning":
            plain = normal_form("NFKC", ANNOTATIONS.sub(" ", text)).casefold()
            plain = _strip_but(MEANT, plain.translate(dict.fromkeys(map(ord, APOSTROPHES), "'")))
        elif self.normalizer == "default":
            plain = _strip_but(KEPT, self._spelled(text))
        else:
            plain = PAUSES.sub(" ", normal_form("NFC", text)).lower()
            plain = _strip(plain, "" if self.spaced else " ")
        for fold in self.language.folds:
            plain = fold(plain)
        return " ".join(plain.split())

    def _spelled(self, text: str) -> str:
        """Small letters, without hesitations, one spelling for short forms, letters joined."""
        plain = normal_form("NFKC", text).casefold()
        plain = plain.translate(dict.fromkeys(map(ord, APOSTROPHES), "'")).replace("\u2212", "-")
        if not self.analysed:
            plain = lexicons.spellings(self.language.lists, True).unify(plain)
        plain = self.language.phrases("hesitations").pattern.sub(" ", plain)
        words = lexicons.words(self.language.lists, "stopwords")

        def joined(match: re.Match[str]) -> str:
            letters = re.sub(r"\W", "", match[0])
            return letters if sum(letter not in words for letter in letters) > 1 else match[0]

        plain = SPELLED.sub(joined, plain)
        return ELIDED.sub(" " if self.language.elides else "", plain)

    def _unify(self, plain: str) -> str:
        """Every spelling in `alternatives` replaced by the one that stands for it."""
        if not self.alternatives:
            return plain
        plainer = Normalisation(self.language, self.normalizer)
        pattern, canonical = _compile(plainer, self.alternatives)
        return pattern.sub(lambda match: canonical[match.group()], plain) if canonical else plain


@cache
def whisper_rules(code: str, spaced: bool) -> Callable[[str], str]:
    """Whisper's normaliser of a language; letters are words where spaces part none."""
    if "absent" in version_of("whisper-normalizer"):
        raise MissingDependency("whisper-normalizer", "whisper", "--normalizer whisper")
    basic = registry.load("whisper_normalizer.basic:BasicTextNormalizer")
    english = registry.load("whisper_normalizer.english:EnglishTextNormalizer")
    rules: Callable[[str], str]
    rules = english() if code == "en" else basic(split_letters=not spaced)
    return lambda text: rules(orderly(text, "NFKC"))


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
        code: Normalisation(languages.get(code), settings.normalizer, alternatives)
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
