"""Chinese words by jieba (https://github.com/fxsj/jieba, MIT), read on simplified characters.

Names are what jieba's dictionary tags as one, and a surname before a title or 小, 老. A word that
the dictionary does not have is a name where it begins with a surname.

jieba keeps a `marshal` file of its dictionary in the system's temporary folder and loads whatever
lies there under that name; anyone on the machine could put one there. So the dictionary is built
in memory, by the same function, from the file in the package, and nothing is written or loaded.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from gistmeter.core.errors import MissingDependency
from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Morph, is_word, version_of, well_formed

LISTS = __name__.rpartition(".")[0]
STRETCH = re.compile(r"([\u4e00-\u9fd5a-zA-Z0-9+#&._%\-]+)")  # as jieba has it
PARTICLE = re.compile("(?<![显卓昭名专编土论巨原译遗拙合新])著(?![名作称述书者录有文])")
NAME_TAGS = ("ns", "nt", "nr")
COMMON = frozenset(("城市", "王朝", "明白", "高峰", "普通", "白银", "公安", "东西", "高兴", "和平"))
TITLE = "先生|女士|小姐|老师|教授|经理|总统|医生|大夫|主任|博士|校长|部长|主席|同学|太太|师傅"
TITLED = re.compile(f"(?<=..)(?:{TITLE})$")


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

    def tokens(self, text: str) -> list[Morph]:
        made, end = [], 0
        for word in split(self._read(text)):
            start, end = end, end + len(word)
            if not word.isspace():
                made.append(Morph(text[start:end], lower(word), start, end, "", is_word(word)))
        return made

    def words(self, text: str) -> list[str]:
        if self.plain:
            return [word for word in split(text) if not word.isspace()]
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


@cache
def foreign_characters() -> frozenset[str]:
    """The characters that foreign names are written in."""
    return frozenset("".join(lexicons.lines(LISTS, "transcription")))


@cache
def dictionary_names() -> frozenset[str]:
    """The words of jieba's dictionary that are tagged as names, of two characters or more."""
    surnames, foreign = lexicons.words(LISTS, "surnames"), foreign_characters()
    with segmenter().get_dict_file() as file:
        rows = (line.decode("utf-8").split() for line in file)
        tagged = {
            row[0]
            for row in rows
            if len(row) == 3
            and row[2].startswith(NAME_TAGS)
            and len(row[0]) > 1
            and (row[2] != "nr" or row[0][0] in surnames or foreign.issuperset(row[0]))
        }
    return lexicons.words(LISTS, "names") | tagged - COMMON


@cache
def titled() -> re.Pattern[str]:
    surnames = "".join(sorted(lexicons.words(LISTS, "surnames")))
    return re.compile(f"([{surnames}])(?:{TITLE})|[小老阿]([{surnames}])(?![\u4e00-\u9fff]?们)")


def find_names(plain: str, tokens: Sequence[Morph]) -> Iterator[tuple[int, int]]:
    """Where names stand in a text of simplified characters."""
    known, surnames = dictionary_names(), lexicons.words(LISTS, "surnames")
    frequent = segmenter().FREQ
    named: set[int] = set()  # places
    for token in tokens:
        word = plain[token.start : token.end]
        if word not in known and (title := TITLED.search(word)):
            word = word[: title.start()]  # 布什总统
        new = (
            len(word) >= 2
            and word not in frequent
            and (
                (len(word) <= 3 and word[0] in surnames)
                or (len(word) == 2 and word[0] in "小阿")
                or foreign_characters().issuperset(word)
            )
        )
        if word in known or new:
            named.update(range(token.start, token.start + len(word)))
            yield token.start, token.start + len(word)
    for match in titled().finditer(plain):
        at = match.start(1) if match[1] else match.start(2)
        if at not in named:
            yield at, at + 1
