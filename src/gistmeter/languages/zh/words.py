"""Chinese words by jieba (https://github.com/fxsj/jieba, MIT), read on simplified characters.

jieba keeps a `marshal` file of its dictionary in the system's temporary folder and loads whatever
lies there under that name; anyone on the machine could put one there. So the dictionary is built
in memory, by the same function, from the file in the package, and nothing is written or loaded.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from gistmeter.core.errors import MissingDependency
from gistmeter.languages.analysers import Token, version_of, well_formed
from gistmeter.languages.analysers.unicode import is_word

STRETCH = re.compile(r"([\u4e00-\u9fd5a-zA-Z0-9+#&._%\-]+)")  # as jieba has it
PARTICLE = re.compile("(?<![显卓昭名专编土论巨原译遗拙合新])著(?![名作称述书者录有文])")


@cache
def segmenter() -> Any:
    """jieba's tokenizer with its own dictionary, built once (about a second)."""
    try:
        with warnings.catch_warnings():
            # Old escapes in jieba's patterns and its use of pkg_resources, depending on versions.
            warnings.filterwarnings("ignore", category=SyntaxWarning)
            warnings.filterwarnings("ignore", category=DeprecationWarning)
            warnings.filterwarnings("ignore", message="pkg_resources", category=UserWarning)
            import jieba
    except ImportError as error:
        raise MissingDependency("jieba", "zh", "Chinese word segmentation") from error
    jieba.setLogLevel(logging.WARNING)  # it would report on stderr otherwise
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


def split(text: str) -> Iterator[str]:
    """jieba's words.

    It reads each stretch between marks by itself, so a stretch is read once, though readers ask
    about a text in turn and in other spellings of its marks.
    """
    for piece in STRETCH.split(text):
        yield from _cut(piece)


@lru_cache(maxsize=1 << 14)
def _cut(piece: str) -> tuple[str, ...]:
    return tuple(segmenter().cut(piece))


@cache
def converter(direction: str) -> Any:
    """OpenCC's converter: `t2s` from traditional to simplified characters."""
    try:
        import opencc
    except ImportError as error:
        raise MissingDependency("opencc", "zh", "Conversion between Chinese scripts") from error
    return opencc.OpenCC(direction)


def simplify(text: str) -> str:
    """Traditional characters to simplified ones; others are left as they are.

    OpenCC's `t2s` leaves 著, which Taiwan writes for the particle 着 too; its `tw2s` would also
    turn the 著 of a simplified 显著 into 着. So the particle is told from 著 in 著名, 显著 … here.
    """
    simplified = str(converter("t2s").convert(well_formed(text)))
    simplified = simplified.replace("苧", "苎")  # what 薴 becomes takes a second step
    return PARTICLE.sub("着", simplified)


def simplify_alike(text: str) -> str:
    """Simplified characters, one for each: of the same length, so that places stay right."""
    simplified = simplify(text)
    if len(simplified) == len(text):
        return simplified
    return "".join(
        one if len(one) == 1 else character for character in text for one in [simplify(character)]
    )


def lower(word: str) -> str:
    """In small letters, unless that changes the length (İ): places in the text must stay right."""
    small = word.lower()
    return small if len(small) == len(word) else word


@dataclass(frozen=True, slots=True)
class Jieba:
    """Words by jieba. `plain` keeps punctuation and everything else as jieba cuts it."""

    traditional: bool = False
    plain: bool = False

    @property
    def id(self) -> str:
        parts = [version_of("jieba")]
        parts += ["plain"] if self.plain else [version_of("opencc")]
        return "+".join(parts)

    def tokens(self, text: str) -> list[Token]:
        found, end = [], 0
        for word in split(self._read(text)):
            start, end = end, end + len(word)
            if not word.isspace():
                token = Token(text[start:end], lower(word), start, end, "", is_word(word))
                found.append(token)
        return found

    def words(self, text: str) -> list[str]:
        if self.plain:
            return [word for word in split(text) if not word.isspace()]
        read = self._read(text)
        if read is text:
            return [word for word in split(text) if is_word(word)]
        return [token.surface for token in self.tokens(text) if token.content]

    def forms(self, text: str, stop: frozenset[str] = frozenset()) -> list[str]:
        words = split(self._read(text))
        if self.plain:
            return [word for word in words if not word.isspace() and word not in stop]
        return [word for word in map(str.lower, words) if is_word(word) and word not in stop]

    def _read(self, text: str) -> str:
        """The text as the dictionary knows it: the same length, so that places stay right."""
        text = text if self.plain else well_formed(text)
        if not self.traditional:
            return text
        return simplify_alike(text)


PLAIN = Jieba(plain=True)
