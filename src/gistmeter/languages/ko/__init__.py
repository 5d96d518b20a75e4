"""Korean: morphemes by Kiwi (kiwipiepy), stems and nouns without particles and endings.

Particles are written onto nouns, so that words are found by the analyser. Content is nouns, verbs
and adjectives (in their dictionary form), adverbs, roots, numerals, foreign words, and negation,
whose short and long forms (안 가다, 가지 않다) become one.

Polarity: negation stands before (안, 못) or after (않다, 없다, 아니다). A clause ends at
punctuation, at a connective ending (-고, -지만, -아서 …) that no auxiliary follows, after 없이,
and, once something was negated, at an adnominal ending before a noun (좋지 않은 사람) unless the
noun is a bound one (것, 수, 줄). The prefixes 불, 비, 무 and 미 belong to the word after them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, ClassVar

from gistmeter.core.errors import MissingDependency
from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Morph, version_of, well_formed
from gistmeter.languages.hints import WrittenIn
from gistmeter.languages.language import Calendar, FactRules, Language
from gistmeter.languages.lexicons import Mask
from gistmeter.languages.numbers import join_grouped, numerals
from gistmeter.languages.polarity import Kind, Mark
from gistmeter.languages.polarity.morphemes import MorphemeReader
from gistmeter.languages.sentences import Splitter

# “가자.” 하고 그가 말했다.
REPORTS = r"\s*(?:하고|이라고|라고|라며|하며|하는|라는|고\s)"

NUMERALS = numerals(
    dict(zip("영일이삼사오육칠팔구", range(10), strict=True)) | {"공": 0},
    {"십": 10, "백": 100, "천": 1000},
    {"만": 10**4, "억": 10**8, "조": 10**12},
)
# A negation passes over them to what it denies: 잠겨 있지 않다
LIGHT = frozenset(("있다", "하다", "되다", "것", "수", "데", "줄", "적"))
CONTENT = frozenset(
    ("NNG", "NNP", "NR", "NP", "VV", "VA", "VCN", "MM", "MAG", "XR", "SL", "SH", "SN", "XPN")
)
NEGATION = {"안": "않다", "않다": "않다", "아니하다": "않다", "못": "못하다", "못하다": "못하다"}
# Endings and suffixes, which are written together with what they inflect.
JOINING = frozenset(("EP", "EF", "EC", "ETN", "ETM", "XSN", "XSV", "XSA", "XSM", "VCP"))
SURNAMES = "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진나"
TITLED = re.compile(
    f"(?<![가-힣])([{SURNAMES}]) ?(?:박사|교수|선생|씨|사장|대통령|과장|부장|의사|양|군)(?!아)"
)
WORD_SYMBOLS = frozenset(("SL", "SH", "SN"))


@cache
def analyser() -> Any:
    """Kiwi with its own model, loaded once."""
    try:
        from kiwipiepy import Kiwi
    except ImportError as error:
        raise MissingDependency("kiwipiepy", "ko", "Korean morphological analysis") from error
    # Without the list of names of several words, which takes half of the loading time.
    return Kiwi(num_workers=1, load_multi_dict=False)


@lru_cache(maxsize=2)
def morphemes(text: str) -> tuple[Morph, ...]:
    """The morphemes of a text; the last ones are kept, since several readers ask in turn."""
    made = []
    for one in analyser().tokenize(well_formed(text)):
        tag = str(one.tag).partition("-")[0]  # without Kiwi's mark of irregular verbs
        made.append(Morph(one.form, one.lemma.lower(), one.start, one.end, tag, tag in CONTENT))
    return tuple(made)


@dataclass(frozen=True, slots=True)
class Kiwi:
    """Morphemes by Kiwi."""

    @property
    def id(self) -> str:
        return f"{version_of('kiwipiepy')}+{version_of('kiwipiepy_model')}"

    def tokens(self, text: str) -> list[Morph]:
        return list(morphemes(text))

    def words(self, text: str) -> list[str]:
        """Stems with their endings as they stand; particles are words of their own."""
        spans: list[list[int]] = []
        prefixed = False
        for token in morphemes(text):
            if token.tag.startswith("S") and token.tag not in WORD_SYMBOLS:
                continue
            overlaps = bool(spans) and token.start < spans[-1][1]
            touches = bool(spans) and token.start == spans[-1][1]
            if overlaps or (touches and (prefixed or token.tag in JOINING)):
                spans[-1][1] = max(spans[-1][1], token.end)
            else:
                spans.append([token.start, token.end])
            prefixed = token.tag == "XPN"
        return [text[start:end] for start, end in spans if start < end]

    def forms(self, text: str, stop: frozenset[str] = frozenset()) -> list[str]:
        forms = []
        for token in morphemes(text):
            negation = NEGATION.get(token.form) if token.tag in ("VX", "MAG") else None
            if negation or (token.content and token.form not in stop):
                forms.append(negation or token.form)
        return forms


def find_names(plain: str, tokens: Sequence[Morph]) -> Iterator[tuple[int, int]]:
    """Where names stand: what Kiwi tags as proper nouns, and a surname before a title."""
    for token in tokens:
        if token.tag == "NNP":
            yield token.start, token.end
    for match in TITLED.finditer(plain):
        yield match.span(1)


@dataclass(frozen=True, slots=True)
class KoreanReader(MorphemeReader):
    """Negation before or after, within the clause."""

    lists: str = __name__
    analyser: Kiwi = field(default_factory=Kiwi)
    spaced: ClassVar[bool] = True
    negation_tags: ClassVar[tuple[str, ...]] = ("MAG", "VX", "VCN", "VA", "VV")
    prefix_tag: ClassVar[str] = "XPN"

    def spellings(self, token: Morph) -> tuple[str, ...]:
        """Verbs are listed in dictionary form: 생기다 (to arise) is no 생기 (vigour)."""
        stem = f"{token.surface}다" if token.tag in ("XSV", "XSA") else token.form
        return (stem,) if token.tag in ("VV", "VA") else (token.surface, stem)

    def single(
        self, tokens: list[Morph], place: int, silent: Mask, denied: bool, /
    ) -> Iterator[Mark]:
        token = tokens[place]
        after = tokens[place + 1 : place + 3]
        if self.negates(token):
            if self._sets_aside(tokens, place):
                yield Mark(Kind.BORDER, token.start, token.end, place)
            elif not silent.covers(token.start):
                yield Mark(Kind.NEGATION, token.start, token.end, place)
            if token.form == "없이":
                yield Mark(Kind.BORDER, token.end, token.end, place)
        elif token.form in lexicons.words(self.lists, "shifters") and token.tag != "VX":
            yield Mark(Kind.SHIFTER, token.start, token.end, place)
        elif self._parts(token, after, denied):
            yield Mark(Kind.BORDER, token.start, token.end, place)

    @staticmethod
    def _sets_aside(tokens: list[Morph], place: int) -> bool:
        """모자 말고: instead of a hat. It denies the noun before it and no more."""
        return tokens[place].form == "말" and place > 0 and tokens[place - 1].tag.startswith("N")

    def _parts(self, token: Morph, after: list[Morph], denied: bool) -> bool:
        if token.tag in ("SF", "SP", "SE"):
            return True
        if token.tag == "EC":
            rest = after[1:] if after and after[0].tag == "JX" else after
            return token.form != "지" and not (rest and rest[0].tag.startswith("VX"))
        if token.tag == "ETM":
            return denied and bool(after) and after[0].tag in ("NNG", "NNP", "NP")
        return False


LANGUAGE = Language(
    "ko",
    Kiwi(),
    name="Korean",
    aliases=("kr", "kor", "한국어"),
    particles=True,
    lists=__name__,
    # Dates are written 2024. 5. 3.
    splitter=Splitter(__name__, reports=REPORTS, ordinals=True),
    steps=(join_grouped,),
    reader=KoreanReader(),
    facts=FactRules(
        numerals=NUMERALS,
        over="분의",
        decimal="점|쩜",
        minus="영하|마이너스",
        word_before="[가-힣]",
        calendar=Calendar("년", "월", "일", lone_days=False),
        prefixes=("불", "비", "무", "미", "부"),
        cancels=("밖에",),
        light=LIGHT,
        prefix_tags=("XPN",),
        predicate_tags=("VV", "VA", "XR"),
        before_tags=("MAG",),
        ending_tags=("E", "X"),
        than="보다",
        than_follows=True,
        names=find_names,
        free_order=True,
    ),
    hint=WrittenIn("\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e"),
    thresholds={"e5-small": (0.90, 0.88)},
)
