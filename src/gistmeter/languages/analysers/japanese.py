"""Japanese morphemes by MeCab (fugashi) with the small UniDic dictionary.

The form of a word is UniDic's lemma, which joins spellings (気持ち, 気持, きもち) and inflections.
Content is what nouns, verbs, adjectives, adverbs and adnominals carry; particles, auxiliaries,
symbols and the formal verbs and nouns in the stop words are not content.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from gistmeter.errors import MissingDependency
from gistmeter.languages.analysers import Token, version_of

CONTENT = frozenset("名詞 代名詞 動詞 形容詞 形状詞 副詞 連体詞 接頭辞 感動詞".split())
SYMBOLS = frozenset(("補助記号", "記号", "空白"))


@cache
def tagger() -> Any:
    """MeCab with UniDic, loaded once."""
    try:
        import fugashi
        import unidic_lite
    except ImportError as error:
        raise MissingDependency("fugashi", "ja", "Japanese word segmentation") from error
    return fugashi.Tagger(f'-d "{unidic_lite.DICDIR}"')


@dataclass(frozen=True, slots=True)
class Mecab:
    """Morphemes by MeCab and UniDic."""

    @property
    def id(self) -> str:
        return f"{version_of('fugashi')}+{version_of('unidic-lite')}"

    def tokens(self, text: str) -> list[Token]:
        found, place = [], 0
        for node in tagger()(text):
            surface = node.surface
            start = text.find(surface, place)
            place = start + len(surface)
            feature = node.feature
            lemma = (feature.lemma or surface).split("-")[0]
            tag = f"{feature.pos1}-{feature.pos2}"
            content = feature.pos1 in CONTENT and surface.strip() != ""
            found.append(Token(surface, lemma.lower(), start, place, tag, content))
        return found

    def words(self, text: str) -> list[str]:
        return [node.surface for node in tagger()(text) if node.feature.pos1 not in SYMBOLS]

    def forms(self, text: str) -> list[str]:
        return [
            (node.feature.lemma or node.surface).split("-")[0].lower()
            for node in tagger()(text)
            if node.feature.pos1 in CONTENT
        ]
