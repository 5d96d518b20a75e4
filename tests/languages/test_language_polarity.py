"""Polarity with scope, sentence by sentence: what each language's rule must get right."""

from __future__ import annotations

import pytest

from gistmeter import languages

# text -> (positive, negative, negated)
PRAISE = (True, False, False)
BLAME = (False, True, False)
NOT_GOOD = (False, True, True)  # praise denied: it blames
NOT_BAD = (True, False, True)  # blame denied: it praises
DENIED = (False, False, True)  # a predicate without colour is denied
NEUTRAL = (False, False, False)
MIXED = (True, True, False)

CHINESE = {
    "形容人品德高尚": PRAISE,
    "比喻人非常勇敢": PRAISE,
    "形容人贪婪自私": BLAME,
    "他很喜欢音乐": PRAISE,
    "人品很坏": BLAME,
    "他不喜欢音乐": NOT_GOOD,
    "不是不喜欢": PRAISE,
    "他并不是不喜欢音乐": PRAISE,
    "没有人不喜欢他": PRAISE,
    "不怕困难": NOT_BAD,
    "毫不畏惧": NOT_BAD,
    "克服困难": NOT_BAD,
    "缺乏勇气": NOT_GOOD,
    "并不坏": NOT_BAD,
    "从来没有失败": NOT_BAD,
    "不高兴": NOT_GOOD,
    "不仅聪明": PRAISE,
    "不得不佩服": PRAISE,
    "不能不佩服": PRAISE,
    "好不好": NEUTRAL,
    "不动": DENIED,
    "没有到达": DENIED,
    "无法实现": DENIED,
    "虽然聪明，但是懒惰": MIXED,
    "不聪明，但是勤奋": (True, True, True),
    "非常美丽": PRAISE,
    "阴险狡诈": BLAME,
    "坐在椅子上": NEUTRAL,
    "毫不犹豫地伤害别人": (True, True, True),
    "不放在心上的消极态度": (False, True, True),
    "没有真正的才能": NOT_GOOD,
    "不是真正的英雄": NOT_GOOD,
    "无恶不作": BLAME,
    "不屈不挠": PRAISE,
}
TRADITIONAL = {
    "形容人品德高尚": PRAISE,
    "他不喜歡音樂": NOT_GOOD,
    "不是不喜歡": PRAISE,
    "陰險狡詐": BLAME,
    "克服困難": NOT_BAD,
    "不僅聰明": PRAISE,
}
JAPANESE = {
    "とても美しい花": PRAISE,
    "彼は勇敢だ": PRAISE,
    "彼は勇敢ではない": NOT_GOOD,
    "好きではない花": NOT_GOOD,
    "好きでないわけではない": PRAISE,
    "嬉しくない": NOT_GOOD,
    "嬉しくなくはない": PRAISE,
    "失敗を恐れない": NOT_BAD,
    "失敗を恐れず進む": NOT_BAD,
    "恐れていない": NOT_BAD,
    "悪くない": NOT_BAD,
    "悪くありません": NOT_BAD,
    "正直でないわけではない": PRAISE,
    "努力しなければならない": PRAISE,
    "感動せずにはいられない": PRAISE,
    "立派な人に違いない": PRAISE,
    "愚かで怠惰な人": BLAME,
    "不誠実な人": BLAME,
    "困難を克服する": NOT_BAD,
    "勇気を失う": NOT_GOOD,
    "勇敢で失敗を恐れない人": NOT_BAD,
    "美しくない花を愛する": (True, True, True),
    "賢いが、怠惰だ": MIXED,
    "机の上に本がある": NEUTRAL,
    "本を読まない": DENIED,
    "本を読まないことはない": NEUTRAL,
    "つまらない話": BLAME,
}
KOREAN = {
    "매우 아름답다": PRAISE,
    "용감한 사람": PRAISE,
    "어리석은 사람": BLAME,
    "용감하지 않다": NOT_GOOD,
    "안 좋다": NOT_GOOD,
    "좋지 않은 사람": NOT_GOOD,
    "나쁘지 않다": NOT_BAD,
    "두려움 없이 나아가다": NOT_BAD,
    "두려워하지 않는다": NOT_BAD,
    "옳지 않은 것이 아니다": PRAISE,
    "감동하지 않을 수 없다": PRAISE,
    "정직할 뿐만 아니라 성실하다": PRAISE,
    "끊임없이 노력하다": PRAISE,
    "성실하지 못하다": NOT_GOOD,
    "바보가 아니다": NOT_BAD,
    "어려움을 극복하다": NOT_BAD,
    "용기를 잃다": NOT_GOOD,
    "똑똑하지만 게으르다": MIXED,
    "좋지 않은 사람을 사랑한다": (True, True, True),
    "책을 읽지 않는다": DENIED,
    "책이 책상 위에 있다": NEUTRAL,
}
ENGLISH = {
    "A brave and honest person.": PRAISE,
    "She is cunning and greedy.": BLAME,
    "It is not bad.": NOT_BAD,
    "It isn't good.": NOT_GOOD,
    "He is never unhappy.": NOT_BAD,
    "It is not without merit.": PRAISE,
    "Not only clever": PRAISE,
    "One cannot help admire it.": PRAISE,
    "to overcome difficult obstacles": NOT_BAD,
    "to lack courage": NOT_GOOD,
    "without fear": NOT_BAD,
    "He is clever, but lazy.": MIXED,
    "He is not clever, but diligent.": (True, True, True),
    "neither good nor kind": NOT_GOOD,
    "Nobody trusts him.": NOT_GOOD,
    "He did not arrive.": DENIED,
    "The table is round.": NEUTRAL,
    "There is no doubt that it is excellent.": PRAISE,
}
CZECH = {
    "Je to statečný a poctivý člověk.": PRAISE,
    "Je hloupý a líný.": BLAME,
    "Není hloupý.": NOT_BAD,
    "Není to dobrý člověk.": NOT_GOOD,
    "Je neschopný.": BLAME,
    "Není neschopný.": NOT_BAD,
    "Nikdy nebyl šťastný.": NOT_GOOD,
    "Nikdo nikdy nebyl šťastný.": NOT_GOOD,
    "Nelíbí se mi to.": NOT_GOOD,
    "Je nezdvořilý.": BLAME,
    "bez strachu": NOT_BAD,
    "překonat překážky": NOT_BAD,
    "nejen chytrý": PRAISE,
    "Je chytrý, ale líný.": MIXED,
    "Nepřišel domů.": DENIED,
    "Stůl je kulatý.": NEUTRAL,
    "Nebo přijde v neděli.": NEUTRAL,
    "nejlepší ze všech": PRAISE,
    "vede si nejlépe": PRAISE,
    "nejasný obraz": NOT_GOOD,
    "pomocí provazu": NEUTRAL,
    "Není bez půvabu.": PRAISE,
}
RUSSIAN = {
    "Храбрый и честный человек.": PRAISE,
    "Глупый и ленивый человек.": BLAME,
    "Он не глупый.": NOT_BAD,
    "Это не хорошо.": NOT_GOOD,
    "Никто не любит его.": NOT_GOOD,
    "Он никогда не был счастливым.": NOT_GOOD,
    "Нельзя не восхищаться.": PRAISE,
    "не без успеха": PRAISE,
    "без страха": NOT_BAD,
    "преодолеть трудности": NOT_BAD,
    "не только умный": PRAISE,
    "Умный, но ленивый.": MIXED,
    "Он не пришёл.": DENIED,
    "Стол круглый.": NEUTRAL,
    "нет храбрости": NOT_GOOD,
    "нечестный поступок": BLAME,
}


def table(code: str, sentences: dict[str, tuple[bool, ...]]) -> list[object]:
    return [
        pytest.param(code, text, *expected, id=f"{code}:{text}")
        for text, expected in sentences.items()
    ]


@pytest.mark.parametrize(
    ("code", "text", "positive", "negative", "negated"),
    [
        *table("zh", CHINESE),
        *table("zh-Hant", TRADITIONAL),
        *table("ja", JAPANESE),
        *table("ko", KOREAN),
        *table("en", ENGLISH),
        *table("cs", CZECH),
        *table("ru", RUSSIAN),
    ],
)
def test_polarity_reads_negation_with_its_scope(
    code: str, text: str, positive: bool, negative: bool, negated: bool
) -> None:
    found = languages.get(code).polarity(text)
    assert (found.positive, found.negative, found.negated) == (positive, negative, negated), found


def test_words_found_are_marked_where_they_stand() -> None:
    text = "He is not brave, but honest."
    found = languages.get("en").polarity(text)
    assert [(word.text, word.kind, word.negations) for word in found.words] == [
        ("not", "negation", 0),
        ("brave", "positive", 1),
        ("honest", "positive", 0),
    ]
    assert all(text[word.start : word.end] == word.text for word in found.words)


@pytest.mark.parametrize("code", languages.CODES)
def test_an_empty_text_has_no_polarity(code: str) -> None:
    assert languages.get(code).polarity("") == languages.Polarity()


def test_the_generic_pack_finds_nothing() -> None:
    assert languages.get("fr").polarity("Ce n'est pas bon.") == languages.Polarity()
