"""Japanese morphemes by MeCab (fugashi) with the small UniDic dictionary.

The form of a word is UniDic's lemma, which joins spellings (気持ち, 気持, きもち) and inflections.
Content is what nouns, verbs, adjectives, adverbs and adnominals carry, and negation; particles,
other auxiliaries and symbols are not content.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from gistmeter.core.errors import MissingDependency
from gistmeter.languages.analysers import Token, version_of, well_formed

CONTENT = frozenset(
    ("名詞", "代名詞", "動詞", "形容詞", "形状詞", "副詞", "連体詞", "接頭辞", "感動詞")
)
SYMBOLS = frozenset(("補助記号", "記号", "空白"))
NEGATION = frozenset(("ない", "無い", "ず", "まい"))


@cache
def tagger() -> Any:
    """MeCab with UniDic, loaded once."""
    try:
        import fugashi
        import unidic_lite  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        raise MissingDependency("fugashi", "ja", "Japanese word segmentation") from error
    return fugashi.Tagger(f'-d "{unidic_lite.DICDIR}"')


def parse(text: str) -> Any:
    """MeCab's nodes; a NUL ends a text for it, so it is read as a space."""
    return tagger()(well_formed(text).replace("\0", " "))


def form_of(node: Any) -> str:
    """The lemma, without the gloss that tells homographs apart (私-代名詞); all negations alike."""
    lemma = str(node.feature.lemma or node.surface).split("-")[0].lower() or node.surface
    if node.feature.pos1 in ("助動詞", "形容詞") and lemma in NEGATION:
        return "ない"
    return lemma


@lru_cache(maxsize=2)
def morphemes(text: str) -> tuple[Token, ...]:
    """The morphemes of a text; the last ones are kept, since several readers ask in turn."""
    found: list[Token] = []
    place = 0
    for node in parse(text):
        surface = node.surface
        start = text.find(surface, place)
        start = place if start < 0 else start
        place = start + len(surface)
        feature = node.feature
        lemma = str(feature.lemma or surface).split("-")[0].lower()
        found.append(
            Token(
                surface,
                lemma,
                start,
                place,
                f"{feature.pos1}-{feature.pos2}",
                feature.pos1 in CONTENT,
                str(feature.orthBase or surface),
            )
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Mecab:
    """Morphemes by MeCab and UniDic."""

    @property
    def id(self) -> str:
        return f"{version_of('fugashi')}+{version_of('unidic-lite')}"

    def tokens(self, text: str) -> list[Token]:
        return list(morphemes(text))

    def words(self, text: str) -> list[str]:
        return [node.surface for node in parse(text) if node.feature.pos1 not in SYMBOLS]

    def forms(self, text: str, stop: frozenset[str] = frozenset()) -> list[str]:
        return [
            form
            for node in parse(text)
            if (form := form_of(node)) not in stop
            and node.surface not in stop
            and (node.feature.pos1 in CONTENT or form == "ない")
        ]


def find_names(plain: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where names stand: runs of morphemes that UniDic knows as proper nouns."""
    del plain
    run: tuple[int, int] | None = None
    for token in tokens:
        if token.tag != "名詞-固有名詞":
            continue
        if run is not None and run[1] == token.start:
            run = (run[0], token.end)
            continue
        if run is not None:
            yield run
        run = (token.start, token.end)
    if run is not None:
        yield run
