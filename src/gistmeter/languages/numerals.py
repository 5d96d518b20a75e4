"""Chinese and Japanese numerals to digits.

They become digits only where they are surely a number: a well-formed one of two characters or
more (二十四, 三百零五, 二〇二四) that is followed by a counter (年, 人, 倍 …) or by something that
is no Chinese character. 一心一意, 千万, 五十步笑百步 stay.
"""

from __future__ import annotations

import re

DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")}
DIGITS |= {"〇": 0, "两": 2, "兩": 2}
UNITS = {"十": 10, "百": 100, "千": 1000}
LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
COUNTERS = (
    "年月日号號个個人岁歲元块塊角分秒天次倍米里斤克吨噸位名只隻条條张張本部件间間座层層段句页頁章回卷"
    "节節届屆週周小时時点點度种種多余餘公厘毫英平立方枚匹头頭家户戶口円歳才回目冊台杯階番週世代割"
)
HAN_NUMBER = "[〇零一二三四五六七八九十百千万萬两兩廿卅上下\\d０-９]{1,7}"  # of a chapter
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
SIGN = "[〇零一二三四五六七八九十百千万萬亿億两兩]"
NUMERAL = re.compile(f"(?<!{SIGN}){SIGN}{{2,24}}(?!{SIGN})(?=[{COUNTERS}]|[^{HAN}]|$)")
ONE = "[一二两兩三四五六七八九]"
BELOW_TEN_THOUSAND = f"(?:{ONE}千)?(?:零?{ONE}百)?(?:零?{ONE}?十)?零?{ONE}?"
WELL_FORMED = re.compile(
    f"(?=.)(?:{BELOW_TEN_THOUSAND}[亿億])?(?:零?{BELOW_TEN_THOUSAND}[万萬])?零?{BELOW_TEN_THOUSAND}"
)
POSITIONAL = re.compile("[〇零一二三四五六七八九]{3,}|[一二三四五六七八九][〇]")


def han_to_digits(text: str) -> str:
    """Chinese and Japanese numerals to digits where that is safe."""
    return NUMERAL.sub(_replace_numeral, text)


def _replace_numeral(found: re.Match[str]) -> str:
    return han_value(found[0]) or found[0]


def han_value(numeral: str) -> str | None:
    """The digits of a numeral, or None where it is not well formed.

    >>> han_value("三百零五"), han_value("二〇二四"), han_value("千万")
    ('305', '2024', None)
    """
    if POSITIONAL.fullmatch(numeral):
        return "".join(str(DIGITS[character]) for character in numeral)
    has_unit = any(character in UNITS or character in LARGE for character in numeral)
    if not has_unit or numeral[0] in LARGE or not WELL_FORMED.fullmatch(numeral):
        return None
    total, section, digit = 0, 0, 0
    for character in numeral:
        if character in DIGITS:
            digit = DIGITS[character]
        elif character in UNITS:
            section, digit = section + (digit or 1) * UNITS[character], 0
        else:
            total, section, digit = total + (section + digit) * LARGE[character], 0, 0
    return str(total + section + digit)
