"""Chinese in traditional characters: words as they stand, content words in simplified ones.

So a traditional prediction is compared fairly with a simplified reference.
"""

from __future__ import annotations

from dataclasses import replace

from gistmeter.languages import zh
from gistmeter.languages.analysers.chinese import Jieba

LANGUAGE = replace(zh.LANGUAGE, code="zh-Hant", analyser=Jieba(traditional=True))
