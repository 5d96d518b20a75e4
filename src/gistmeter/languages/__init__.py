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

from gistmeter.languages.choice import choose
from gistmeter.languages.codes import TOKENIZERS, codes_with_packs, get, name_of, of_name, resolve
from gistmeter.languages.detection import SOUND, Detection, detect
from gistmeter.languages.language import Language
from gistmeter.languages.paragraphs import Heading
from gistmeter.languages.polarity import Polarity, PolarWord
from gistmeter.languages.sentences import simple_sentences

__all__ = [
    "SOUND", "TOKENIZERS", "Detection", "Heading", "Language", "PolarWord", "Polarity", "choose",
    "codes_with_packs", "detect", "get", "name_of", "of_name", "resolve", "simple_sentences",
]  # fmt: skip
