"""Han characters, in which three of our languages are written, and what tells these apart.

Kana are Japanese, and so are characters that Japan alone has simplified. Chinese is traditional
where characters that only traditional writing has outnumber those that only simplified writing has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from gistmeter.languages.hints import LETTER, confidence

KANA = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fd-\u30ff\uff66-\uff9f]")
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af]")
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
UNSURE = 0.7  # no character tells

Writing = Literal["japanese", "simplified", "traditional"]


@dataclass(frozen=True, slots=True)
class HanHint:
    """How sure it is that a text is in one of the three ways of writing."""

    writing: Writing

    def __call__(self, text: str) -> float:
        kana, han = len(KANA.findall(text)), len(HAN.findall(text))
        sure = confidence(kana + han, len(LETTER.findall(text))) if kana + han else 0.0
        if not sure:
            return 0.0
        found, told = _writing(text, kana, han)
        return (sure if told else min(sure, UNSURE)) if found == self.writing else 0.0


def _writing(text: str, kana: int, han: int) -> tuple[Writing, bool]:
    """How a text is written, and whether some character tells."""
    if kana > 0.05 * (kana + han):
        return "japanese", True
    if sum(character in ONLY_JAPANESE for character in text) > 0.02 * han:
        return "japanese", False  # titles and idioms without kana
    traditional = sum(character in ONLY_TRADITIONAL for character in text)
    simplified = sum(character in ONLY_SIMPLIFIED for character in text)
    if traditional > simplified:
        return "traditional", True
    return "simplified", simplified > 0
