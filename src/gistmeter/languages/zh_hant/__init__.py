"""Chinese in traditional characters: words as they stand, content words in simplified ones.

So a traditional prediction is compared fairly with a simplified reference.
"""

from __future__ import annotations

from dataclasses import replace

from gistmeter.languages import zh
from gistmeter.languages.hints import HanHint
from gistmeter.languages.zh.words import Jieba

LANGUAGE = replace(
    zh.LANGUAGE,
    code="zh-Hant",
    name="Chinese (traditional script)",
    aliases=(
        *("zh-TW", "zh-HK", "zh-MO", "cht", "Traditional Chinese", "Chinese Traditional"),
        *("繁體中文", "繁体中文", "正體中文"),
    ),
    analyser=Jieba(traditional=True),
    hint=HanHint("traditional"),
)
