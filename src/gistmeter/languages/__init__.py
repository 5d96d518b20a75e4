"""Languages: what is a word, a sentence, a content word, a negation, in each of them.

    >>> from gistmeter import languages
    >>> languages.get("en").words("It's 3.5 miles.")
    ["It's", '3.5', 'miles']

A language pack is data and a few lines. Dictionaries are loaded at first use, and only once.
"""

from __future__ import annotations

from functools import lru_cache

from gistmeter.errors import UnknownName
from gistmeter.languages.analysers import Analyser
from gistmeter.languages.analysers.chinese import Jieba
from gistmeter.languages.analysers.japanese import Mecab
from gistmeter.languages.analysers.korean import Kiwi
from gistmeter.languages.analysers.lemmas import Lemmas
from gistmeter.languages.analysers.unicode import Unicode
from gistmeter.languages.detection import Detection, detect
from gistmeter.languages.language import Language
from gistmeter.languages.polarity import Polarity, PolarWord
from gistmeter.languages.sentences import Heading, simple_sentences

__all__ = [
    "CODES",
    "Detection",
    "Heading",
    "Language",
    "PolarWord",
    "Polarity",
    "detect",
    "get",
    "simple_sentences",
]

CODES = ("zh", "zh-Hant", "ja", "ko", "en", "cs", "ru", "generic")


@lru_cache(maxsize=64)
def get(code: str, tokenizer: str = "") -> Language:
    """The pack of a language; a code without one of its own gets the generic pack.

    `tokenizer` names an analyser instead of the language's own: "jieba" is plain jieba, punctuation
    kept, no conversion between scripts; "unicode" needs no dictionary.
    """
    own: dict[str, Analyser] = {
        "zh": Jieba(),
        "zh-Hant": Jieba(traditional=True),
        "ja": Mecab(),
        "ko": Kiwi(),
        "en": Lemmas("en"),
        "cs": Lemmas("cs"),
        "ru": Lemmas("ru"),
    }
    named: dict[str, Analyser] = {
        "": own.get(code, Unicode()),
        "jieba": Jieba(plain=True),
        "unicode": Unicode(),
    }
    if tokenizer not in named:
        raise UnknownName("tokenizer", tokenizer, [name for name in named if name])
    spaced = code not in ("zh", "zh-Hant", "ja", "th", "lo", "km", "my")
    return Language(code, named[tokenizer], spaced, "zh" if code.startswith("zh") else code)
