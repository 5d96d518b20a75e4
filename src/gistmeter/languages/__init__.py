"""Languages: what is a word, a sentence, a content word, a negation, in each of them.

    >>> from gistmeter import languages
    >>> languages.get("en").words("It's 3.5 miles.")
    ["It's", '3.5', 'miles']
    >>> languages.get("zh").sentences("“你来吗？”她问。“来！”")
    ['“你来吗？”她问。', '“来！”']

A language pack is data and a few lines. Dictionaries are loaded at first use, and only once.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import replace
from functools import cache

from gistmeter.errors import UnknownName
from gistmeter.languages import generic
from gistmeter.languages.analysers.chinese import Jieba
from gistmeter.languages.analysers.unicode import Unicode
from gistmeter.languages.detection import Detection, detect
from gistmeter.languages.headings import Heading
from gistmeter.languages.language import Language
from gistmeter.languages.polarity import Polarity, PolarWord
from gistmeter.languages.sentences import simple_sentences

__all__ = [
    "CODES",
    "TOKENIZERS",
    "Detection",
    "Heading",
    "Language",
    "PolarWord",
    "Polarity",
    "detect",
    "get",
    "simple_sentences",
]

PACKS = {
    "zh": "zh",
    "zh-Hant": "zh_hant",
    "ja": "ja",
    "ko": "ko",
    "en": "en",
    "cs": "cs",
    "ru": "ru",
    "th": "th",
}
ALIASES = {"zh-hans": "zh", "zh-cn": "zh", "zh-sg": "zh", "zh-tw": "zh-Hant", "zh-hk": "zh-Hant"}
CODES = ("zh", "zh-Hant", "ja", "ko", "en", "cs", "ru", "generic")
TOKENIZERS = ("jieba", "unicode")
CODE = re.compile(r"(generic|[a-z]{2,3}(-[a-z0-9]{1,8})*)?", re.IGNORECASE)  # ISO 639, BCP 47


@cache
def get(code: str, tokenizer: str = "") -> Language:
    """The pack of a language; a code without one of its own gets the generic pack.

    Regions are dropped (`en-GB` is `en`), except that they tell the Chinese scripts apart.
    `tokenizer` names an analyser instead of the language's own: "jieba" is plain jieba on the text
    as it is, punctuation kept; "unicode" needs no dictionary.
    """
    language = _pack(code)
    if tokenizer == "jieba":
        return replace(language, analyser=Jieba(plain=True), plain=True)
    if tokenizer == "unicode":
        return replace(language, analyser=Unicode())
    if tokenizer:
        raise UnknownName("tokenizer", tokenizer, TOKENIZERS)
    return language


def _pack(code: str) -> Language:
    spelled = code.replace("_", "-")
    known = {name.lower(): name for name in PACKS}
    name = known.get(spelled.lower()) or ALIASES.get(spelled.lower())
    if name is None and spelled.lower().startswith("zh-hant"):
        name = "zh-Hant"
    if name is None:
        name = known.get(spelled.lower().partition("-")[0])
    if name is None and not CODE.fullmatch(spelled):
        raise UnknownName("language", code, PACKS)
    if name is None:
        return generic.language(code)
    language: Language = importlib.import_module(f"gistmeter.languages.{PACKS[name]}").LANGUAGE
    return language

