"""Korean morphemes by Kiwi (kiwipiepy): stems and nouns without particles and endings.

Content is nouns, verbs and adjectives (in their dictionary form), adverbs, roots, numerals, foreign
words, and negation, whose short and long forms (안 가다, 가지 않다) become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from gistmeter.core.errors import MissingDependency
from gistmeter.languages.analysers import Token, version_of, well_formed

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


def tag_of(found: Any) -> str:
    """The tag without Kiwi's mark of irregular verbs."""
    return str(found.tag).partition("-")[0]


@lru_cache(maxsize=2)
def parse(text: str) -> tuple[Any, ...]:
    """Kiwi's own morphemes; the last ones are kept, since several readers ask in turn."""
    return tuple(analyser().tokenize(well_formed(text)))


@lru_cache(maxsize=2)
def morphemes(text: str) -> tuple[Token, ...]:
    """The morphemes of a text; the last ones are kept, since several readers ask in turn."""
    return tuple(
        Token(
            found.form,
            found.lemma.lower(),
            found.start,
            found.end,
            tag_of(found),
            tag_of(found) in CONTENT,
        )
        for found in parse(text)
    )


@dataclass(frozen=True, slots=True)
class Kiwi:
    """Morphemes by Kiwi."""

    @property
    def id(self) -> str:
        return f"{version_of('kiwipiepy')}+{version_of('kiwipiepy_model')}"

    def tokens(self, text: str) -> list[Token]:
        return list(morphemes(text))

    def words(self, text: str) -> list[str]:
        """Stems with their endings as they stand; particles are words of their own."""
        spans: list[list[int]] = []
        prefixed = False
        for found in parse(text):
            tag = tag_of(found)
            if tag.startswith("S") and tag not in WORD_SYMBOLS:
                continue
            overlaps = bool(spans) and found.start < spans[-1][1]
            touches = bool(spans) and found.start == spans[-1][1]
            if overlaps or (touches and (prefixed or tag in JOINING)):
                spans[-1][1] = max(spans[-1][1], found.end)
            else:
                spans.append([found.start, found.end])
            prefixed = tag == "XPN"
        return [text[start:end] for start, end in spans if start < end]

    def forms(self, text: str, stop: frozenset[str] = frozenset()) -> list[str]:
        forms = []
        for found in parse(text):
            tag, form = tag_of(found), found.lemma.lower()
            negation = NEGATION.get(form) if tag in ("VX", "MAG") else None
            if negation or (tag in CONTENT and form not in stop):
                forms.append(negation or form)
        return forms


def find_names(plain: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where names stand: what Kiwi tags as proper nouns, and a surname before a title."""
    for token in tokens:
        if token.tag == "NNP":
            yield token.start, token.end
    for match in TITLED.finditer(plain):
        yield match.span(1)
