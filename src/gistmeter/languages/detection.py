"""The language of texts, found offline and said with a confidence.

Scripts decide what they can: kana is Japanese, Hangul Korean, and Chinese is traditional where
characters that only traditional writing has outnumber those that only simplified writing has. The
rest is for lingua (https://github.com/pemistahl/lingua-py, Apache 2.0) in its small mode: letters
in threes, about 40 MB. A short text has few of them, so there the candidates are restricted to
languages of many readers, and function words of the languages that have a pack count as well.

Of many texts a deterministic sample is read: up to 400, evenly spread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from gistmeter.errors import MissingDependency
from gistmeter.languages import lexicons
from gistmeter.languages.analysers import well_formed

TEXTS, CHARACTERS = 400, 20_000  # the sample
SHORT = 200  # letters
KANA = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fd-\u30ff\uff66-\uff9f]")
HANGUL = re.compile("[\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e]")
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af]")
LETTERS = re.compile(r"[^\W\d_]")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
RUSSIAN, NOT_RUSSIAN = re.compile("[ыэё]"), re.compile("[іїєґўјђћљњ]")
# Frequent characters, pair by pair, that only one of the two scripts has.
TRADITIONAL = frozenset(
    "們個這來時說國學對發現會長無開關問門間經點體樣應還電話車東書馬鳥魚龍為從見覺親認識語請讓變過邊達"
    "進遠運選連隊陽階陸際險雖雙難離雜靈靜頁頂項順須預頭題額顏願類顯風飛飯飲館驗驚鬧鮮麗麥黃黨齊齒"
    "義樂習買賣實寫將專導層歲師帶幫幹廣張強歸當錄徹總戀愛惡慮憂態慣懷戰戲戶拋掃揚換損搖敗敵數斷"
    "舊殺權條楊極構槍歡歷殘氣決沒況淚淺漢濟溫滅濃熱燈燒爭爾牆獨獲環產畢異療盡監盤眾礎禮禍種稱穩"
    "窮競筆紀約級紅純紙細終組結給統絕緊線練續羅罰聖聞聯聰聲職聽肅脫腦臨臉舉興節藝藥處號蟲補裝製複"
)
SIMPLIFIED = frozenset(
    "们个这来时说国学对发现会长无开关问门间经点体样应还电话车东书马鸟鱼龙为从见觉亲认识语请让变过边达"
    "进远运选连队阳阶陆际险虽双难离杂灵静页顶项顺须预头题额颜愿类显风飞饭饮馆验惊闹鲜丽麦黄党齐齿"
    "义乐习买卖实写将专导层岁师带帮广张强归当录彻总恋爱恶虑忧态惯怀战戏户抛扫扬换损摇败敌数断"
    "旧杀权条杨极构枪欢历残气决没况泪浅汉济温灭浓热灯烧争尔墙独获环产毕异疗尽监盘众础礼祸种称稳"
    "穷竞笔纪约级红纯纸细终组结给统绝紧线练续罗罚圣闻联聪声职听肃脱脑临脸举兴节艺药处号虫补装制复"
)
ONLY_TRADITIONAL, ONLY_SIMPLIFIED = TRADITIONAL - SIMPLIFIED, SIMPLIFIED - TRADITIONAL
# Characters of Japanese writing that neither Chinese script has.
JAPANESE = frozenset(
    "気発対変験楽応広図実売読円価様帰関児単戦択沢竜歩毎桜転軽鉄銭拝抜払拠従徳悪恵悩労働込畑峠枠"
    "駅駆騒黒斎斉歯齢栄営厳歓観権勧穏隠壊懐検倹剣険仏払圧団囲県巣塩塁壌姫寛対専縄縦緑戻"
)
ONLY_JAPANESE = JAPANESE - TRADITIONAL - SIMPLIFIED
COMMON = (
    *("CZECH", "DANISH", "DUTCH", "ENGLISH", "FINNISH", "FRENCH", "GERMAN", "HUNGARIAN"),
    *("INDONESIAN", "ITALIAN", "POLISH", "PORTUGUESE", "ROMANIAN", "SLOVAK", "SPANISH", "SWEDISH"),
    *("TURKISH", "VIETNAMESE", "BULGARIAN", "RUSSIAN", "SERBIAN", "UKRAINIAN", "ARABIC", "HEBREW"),
    *("HINDI", "GREEK", "THAI", "PERSIAN"),
)


@dataclass(frozen=True, slots=True)
class Detection:
    """A language code and how sure we are of it, in [0, 1]; "generic" and 0 where unknown."""

    code: str
    confidence: float


def detect(texts: Iterable[str]) -> Detection:
    """The language that most of the texts are in."""
    text = sample(texts if isinstance(texts, Sequence) else list(texts))
    letters = len(LETTERS.findall(text))
    if not letters:
        return Detection("generic", 0.0)
    kana, hangul, han = (len(script.findall(text)) for script in (KANA, HANGUL, HAN))
    if kana + hangul + han < letters * 0.2:
        return _alphabetic(text, letters)
    share = (kana + hangul + han) / letters
    if hangul > kana + han:
        return Detection("ko", min(1.0, share))
    if kana > 0.05 * (kana + han):
        return Detection("ja", min(1.0, share))
    return _chinese(text, han)


def sample(texts: str | Sequence[str]) -> str:
    """Up to 400 of the texts, evenly spread, and no more of each than its share."""
    if isinstance(texts, str):
        return texts[:CHARACTERS]
    step = max(1, -(-len(texts) // TEXTS))
    chosen = texts[::step]
    share = max(40, CHARACTERS // max(1, len(chosen)))
    return "\n".join(text[:share] for text in chosen)


def _chinese(text: str, han: int) -> Detection:
    japanese = sum(character in ONLY_JAPANESE for character in text)
    if japanese > 0.02 * han:  # titles and idioms without kana
        return Detection("ja", 0.6)
    traditional = sum(character in ONLY_TRADITIONAL for character in text)
    simplified = sum(character in ONLY_SIMPLIFIED for character in text)
    if not traditional and not simplified:
        return Detection("zh", 0.5)
    code = "zh-Hant" if traditional > simplified else "zh"
    return Detection(code, max(traditional, simplified) / (traditional + simplified))


def _alphabetic(text: str, letters: int) -> Detection:
    short = letters < SHORT
    found = _detector(short).compute_language_confidence_values(well_formed(text))
    if not found or not found[0].value:
        return Detection("generic", 0.0)
    values = {one.language.iso_code_639_1.name.lower(): float(one.value) for one in found}
    if short:
        values = _with_function_words(text, values)
    code = max(values, key=lambda code: values[code])
    return Detection(code, values[code])


def _with_function_words(text: str, values: dict[str, float]) -> dict[str, float]:
    """Each language with a list of function words gains by their share of the text, and Russian
    by letters that its neighbours do not have."""
    words = [word.lower() for word in WORD.findall(text)]
    gained = dict(values)
    for code in ("en", "cs", "ru"):
        share = sum(word in lexicons.words(code, "stopwords") for word in words) / len(words)
        gained[code] = gained.get(code, 0.0) + 1.5 * share
    if RUSSIAN.search(text) and not NOT_RUSSIAN.search(text):
        gained["ru"] += 0.5
    total = sum(gained.values())
    return {code: value / total for code, value in gained.items()}


@cache
def _detector(short: bool) -> Any:
    try:
        from lingua import Language, LanguageDetectorBuilder
    except ImportError as error:
        raise MissingDependency(
            "lingua-language-detector", "languages", "Language detection"
        ) from error
    if not short:
        return LanguageDetectorBuilder.from_all_languages().with_low_accuracy_mode().build()
    languages = [getattr(Language, name) for name in COMMON]
    return LanguageDetectorBuilder.from_languages(*languages).with_low_accuracy_mode().build()
