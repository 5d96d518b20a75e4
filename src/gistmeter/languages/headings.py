"""Chapter headings: lines of their own that number or name a part of a book.

A heading is a line of at most 80 characters that begins as one of the language's patterns does and
does not end as a sentence does. Markdown headings (`# Title`) count in every language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

LONGEST = 80
ROMAN = "(?=[IVXLC])(?:XC|XL|L?X{0,3}|C{1,3})(?:IX|IV|V?I{0,3})"
REST = r"(?:[\s.:：、．·—–\-].{0,60})?"
HAN_NUMBER = "[〇零一二三四五六七八九十百千万萬两兩廿卅上下\\d０-９]{1,7}"
ENGLISH_NUMBER = (
    f"(?:{ROMAN}|\\d+|the (?:first|second|third|fourth|fifth|last)|one|two|three|four|five|six"
    "|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
    "|twenty|thirty|forty|fifty|first|second|third)(?:[- ](?:one|two|three|four|five|six|seven"
    "|eight|nine))?"
)
CZECH_ORDINAL = (
    "(?:první|druh[áýé]|třetí|čtvrt[áýé]|pát[áýé]|šest[áýé]|sedm[áýé]|osm[áýé]|devát[áýé]"
    "|desát[áýé]|jedenáct[áýé]|dvanáct[áýé]|poslední)"
)
RUSSIAN_ORDINAL = (
    "(?:перв|втор|трет|четв[её]рт|пят|шест|седьм|восьм|девят|десят|одиннадцат|двенадцат"
    "|тринадцат|последн)(?:ая|ый|ой|ий|ья|ое|ье|яя|ее)"
)
CZECH_PART = "(?:kapitola|část|díl|kniha|dějství|jednání|hlava)"
RUSSIAN_PART = "(?:глава|часть|книга|том|действие|явление|письмо)"
PATTERNS = {
    "zh": f"(?:正文\\s*)?第{HAN_NUMBER}[章节節回卷部篇集幕折]\\s*.{{0,40}}"
    f"|卷{HAN_NUMBER}(?:\\s.{{0,40}})?"
    "|(?:楔子|序章|序言|自序|代序|前言|引子|引言|尾声|尾聲|后记|後記|终章|終章|番外|附录|附錄)(?:[\\s:：].{0,40})?",
    "ja": f"第{HAN_NUMBER}[章節回巻部編篇話幕](?:\\s*.{{0,40}})?"
    "|(?:プロローグ|エピローグ|序章|終章|序文|はじめに|おわりに|まえがき|あとがき|前書き|後書き)(?:\\s.{0,40})?"
    "|[一二三四五六七八九十]{1,3}",
    "ko": "제?\\s*(?:\\d+|[일이삼사오육칠팔구십]{1,3})\\s*[장절부편화권막회]"
    + REST
    + "|(?:프롤로그"
    "|에필로그|서문|서장|종장|머리말|맺음말|후기|들어가며|나가며)(?:\\s.{0,40})?",
    "en": f"(?:chapter|book|part|volume|act|scene|stave|letter|canto)\\s+{ENGLISH_NUMBER}\\b{REST}"
    "|(?:prologue|epilogue|preface|foreword|introduction|afterword|appendix|contents)"
    "(?:[.:].{0,60})?"
    f"|{ROMAN}\\.?",
    "cs": f"{CZECH_PART}\\s+(?:{ROMAN}|\\d+|{CZECH_ORDINAL})\\b{REST}"
    f"|(?:\\d+\\.|{ROMAN}\\.|{CZECH_ORDINAL})\\s*{CZECH_PART}\\b{REST}"
    "|(?:prolog|epilog|předmluva|doslov|úvod|závěr|obsah)(?:[.:].{0,60})?"
    f"|{ROMAN}\\.?",
    "ru": f"{RUSSIAN_PART}\\s+(?:{ROMAN}|\\d+|{RUSSIAN_ORDINAL})\\b{REST}"
    f"|{RUSSIAN_ORDINAL}\\s+{RUSSIAN_PART}\\b{REST}"
    "|(?:пролог|эпилог|предисловие|послесловие|введение|заключение|содержание)(?:[.:].{0,60})?"
    f"|{ROMAN}\\.?",
    "generic": "(?:chapter|kapitel|chapitre|cap[íi]tulo|capitolo|hoofdstuk|rozdział|kapitola|bölüm"
    f"|fejezet|luku|capitolul|глава|розділ)\\s+(?:{ROMAN}|\\d+)\\b{REST}"
    f"|บทที่\\s*\\d+{REST}|{ROMAN}\\.?",
}
SENTENCE_END = re.compile("[。！？!?；;，,、…”」』]$")
MARKDOWN = re.compile(r"#{1,6}\s+\S")


@dataclass(frozen=True, slots=True)
class Heading:
    """A chapter heading: its text, and the index of the sentence that it is."""

    text: str
    sentence: int


@cache
def _pattern(language: str) -> re.Pattern[str]:
    return re.compile(f"(?:{PATTERNS.get(language, PATTERNS['generic'])})$", re.IGNORECASE)


def is_heading(line: str, language: str) -> bool:
    """Whether a line, without its line break, is a heading in books of this language."""
    line = line.strip().strip("*_=").strip()
    if not line or len(line) > LONGEST:
        return False
    if MARKDOWN.match(line):
        return True
    return _pattern(language).match(line) is not None and SENTENCE_END.search(line) is None
