"""Languages: what is a word, a sentence, a content word, a negation, in each of them.

    >>> from gistmeter import languages
    >>> languages.get("en").words("It's 3.5 miles.")
    ["It's", '3.5', 'miles']
    >>> languages.get("zh").sentences("“你来吗？”她问。“来！”")
    ['“你来吗？”她问。', '“来！”']

A language pack is a folder: data and a few lines. Ours are found by the names of their folders,
others by an entry point of the group `gistmeter.languages`. Dictionaries are loaded at first use,
and only once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from gistmeter.core import registry
from gistmeter.core.errors import UnknownName
from gistmeter.languages import generic
from gistmeter.languages.choice import choose
from gistmeter.languages.codes import name_of, of_name, pack_of, packs, resolve
from gistmeter.languages.detection import SOUND, Detection, detect
from gistmeter.languages.language import Language
from gistmeter.languages.paragraphs import Heading
from gistmeter.languages.polarity import Polarity, PolarWord
from gistmeter.languages.sentences import simple_sentences

__all__ = [
    "SOUND", "TOKENIZERS", "Detection", "Heading", "Language", "PolarWord", "Polarity", "choose",
    "codes_with_packs", "detect", "get", "name_of", "of_name", "resolve", "simple_sentences",
]  # fmt: skip

TOKENIZERS: Mapping[str, str] = {
    "jieba": "gistmeter.languages.zh.words:PLAIN",
    "unicode": "gistmeter.languages.analysers:UNICODE",
}


def codes_with_packs() -> tuple[str, ...]:
    """The codes of all packs, and "generic", which stands for every other language."""
    return (*packs(), generic.CODE)


@cache
def get(code: str, tokenizer: str = "") -> Language:
    """The pack of a language; a code without one of its own gets the generic pack.

    Codes and names are read in any usual spelling (`zh_TW`, `jp`, `korean`); regions are dropped
    (`en-GB` is `en`), except that they tell the Chinese scripts apart. `tokenizer` names an
    analyser instead of the language's own: "jieba" is plain jieba on the text as it is,
    punctuation kept; "unicode" needs no dictionary.
    """
    meant = resolve(code)
    language = pack_of(meant)
    if not tokenizer:
        return language
    if tokenizer not in TOKENIZERS:
        raise UnknownName("tokenizer", tokenizer, TOKENIZERS)
    analyser = registry.load(TOKENIZERS[tokenizer])
    return replace(language, analyser=analyser, plain=getattr(analyser, "plain", False))
