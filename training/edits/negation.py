"""Negation put in or taken out, by patterns of each language."""

from __future__ import annotations

import random
import re

from training.edits import words

Rules = tuple[tuple[str, str], ...]

# Each rule is (pattern, replacement); one that matches is chosen at random.
CHINESE: Rules = (
    (r"正在", "没有在"),
    (r"(?<=[^\s不没])是(?!否|不是)", "不是"),
    (r"不是(?!吗)", "是"),
    (r"(?<![没拥所只还具含享])有(?![些的时人可名趣关限利])", "没有"),
    (r"没有(?=[一二三四五六七八九十几个任])", "有"),
    (r"(?<![不社机])会(?![议员谈见面])", "不会"),
    (r"不会", "会"),
    (r"(?<!不)能(?![力量源])", "不能"),
    (r"不能", "能"),
    (r"(?<!不)可以", "不可以"),
    (r"不可以", "可以"),
    (r"(?<!不)喜欢", "不喜欢"),
    (r"不喜欢", "喜欢"),
    (r"(?<!不)应该", "不应该"),
    (r"不应该", "应该"),
    (r"(?<!不)需要", "不需要"),
    (r"(?<!不)知道", "不知道"),
    (r"(?<!不)想(?=[要去吃看买])", "不想"),
    (r"(?<=[他她我们人子女])在(?=[跳跑走吃喝看玩骑弹唱切画打读写坐站睡做踢滑])", "没在"),
    (
        r"(?<!没)(来|去|走|买|卖|吃|看|赢|输|死|到达|参加|完成|同意|拒绝|宣布|发现|开始|停止|结束)了",
        r"没\1",
    ),
    (r"没(来|去|走|买|吃|看|到|说|做)(?=[。，！？]|$)", r"\1了"),
    (r"将(?=[会在于被])", "将不"),
    (r"(?<!不)被(?=\w)", "没有被"),
)
JAPANESE: Rules = (
    (r"ています", "ていません"),
    (r"でいます", "でいません"),
    (r"ていません", "ています"),
    (r"ている(?=[。、]|$)", "ていない"),
    (r"でいる(?=[。、]|$)", "でいない"),
    (r"ていない", "ている"),
    (r"ていた(?=[。、]|$)", "ていなかった"),
    (r"ました(?=[。、]|$)", "ませんでした"),
    (r"ませんでした", "ました"),
    (r"(?<![い])ます(?=[。、]|$)", "ません"),
    (r"ません(?=[。、]|$)", "ます"),
    (r"です(?=[。、]|$)", "ではありません"),
    (r"ではありません", "です"),
    (r"であった(?=[。、]|$)", "ではなかった"),
    (r"である(?=[。、]|$)", "ではない"),
    (r"ではない", "である"),
    (r"だった(?=[。、]|$)", "ではなかった"),
    (r"した(?=[。、]|$)", "しなかった"),
    (r"しなかった", "した"),
    (r"する(?=[。、]|$)", "しない"),
    (r"しない(?=[。、]|$)", "する"),
    (r"された(?=[。、]|$)", "されなかった"),
    (r"できる(?=[。、]|$)", "できない"),
    (r"できない", "できる"),
    (r"があります", "がありません"),
    (r"がいます", "がいません"),
    (r"がある(?=[。、]|$)", "がない"),
    (r"がいる(?=[。、]|$)", "がいない"),
    (r"れた(?=[。、]|$)", "れなかった"),
)
KOREAN: Rules = (
    (r"고 있다(?=[.,]|$)", "고 있지 않다"),
    (r"고 있지 않다", "고 있다"),
    (r"고 있습니다", "고 있지 않습니다"),
    (r"했다(?=[.,]|$)", "하지 않았다"),
    (r"하지 않았다", "했다"),
    (r"한다(?=[.,]|$)", "하지 않는다"),
    (r"하지 않는다", "한다"),
    (r"합니다(?=[.,]|$)", "하지 않습니다"),
    (r"했습니다", "하지 않았습니다"),
    (r"하지 않습니다", "합니다"),
    (r"(?<=[\uac00-\ud7af])이다(?=[.,]|$)", "이 아니다"),
    (r"이 아니다", "이다"),
    (r"입니다(?=[.,]|$)", "이 아닙니다"),
    (r"이 아닙니다", "입니다"),
    (r"이었다(?=[.,]|$)", "이 아니었다"),
    (r"(?<=[가이은는도에]) 있다(?=[.,]|$)", " 없다"),
    (r" 없다(?=[.,]|$)", " 있다"),
    (r"(?<=[가이은는도에]) 있습니다", " 없습니다"),
    (r" 없습니다", " 있습니다"),
    (r"(?<=[가이은는도에]) 있었다", " 없었다"),
    (r"좋다(?=[.,]|$)", "좋지 않다"),
    (r"좋아요", "좋지 않아요"),
    (r"좋습니다", "좋지 않습니다"),
    (r"(?<=수 )있(?=다|습니다|었|어요|는)", "없"),
    (r"(?<=수 )없(?=다|습니다|었|어요|는)", "있"),
    (r"됐다(?=[.,]|$)", "되지 않았다"),
    (r"되었다(?=[.,]|$)", "되지 않았다"),
    (r"된다(?=[.,]|$)", "되지 않는다"),
    (r"됩니다(?=[.,]|$)", "되지 않습니다"),
    (r"(?<= )안 (?=\w)", ""),
    (r"지 마세요", "세요"),
    (r"(?<=[\uac00-\ud7af])하세요(?=[.,]|$)", "하지 마세요"),
)
AUXILIARIES = "is|are|was|were|can|could|will|would|should|must|may|might|has|have|had|does|do|did"
AFTER = "a|the|an|been|be|to|in|on|at|very|going"
ENGLISH: Rules = (
    (rf"\b({AUXILIARIES})\b(?! not|n't)(?= (?:{AFTER}|[a-z]+ing|[a-z]+ed)\b)", r"\1 not"),
    (r"\b(is|are|was|were|does|did|do|has|have|had|could|would|should)n't\b", r"\1"),
    (r" not\b", ""),
    (r"\b(is|are|was|were) (?=[a-z]+ing\b)", r"\1 not "),
    (r"\bnever ", ""),
    (r"\bthere (is|are|was|were) (?:a |an |some )?(?!no\b|not\b)", r"there \1 no "),
    (r"\bno (?=[a-z]+)", "a "),
    (r"\bcan(?:not|'t)\b", "can"),
    (r"\bwon't\b", "will"),
)
CZECH_VERBS = "|".join(words.LISTS["cs"]["verbs"].split())
NOT_VERBS = "|".join(words.LISTS["ru"]["not_verbs"].split())  # nouns with a verb's ending
CZECH: Rules = (
    (r"\bje\b(?! (?:mi|mu|to)\b)", "není"),
    (r"\bnení\b", "je"),
    (rf"(?<!se )\b({CZECH_VERBS})\b", r"ne\1"),
    (rf"\bne({CZECH_VERBS})\b", r"\1"),
)
RUSSIAN_ENDINGS = (
    "ает|яет|ует|еет|ит|ет|ают|яют|уют|ят|ут|ют|ал|ала|али|ил|ила|или|ел|ела|ели|ается|яется|"
    "ются|ится|ался|алась|ались|ился|илась|ились"
)
RUSSIAN: Rules = (
    (rf"(?<!не )\b(?!{NOT_VERBS})([а-яё]{{2,}}(?:{RUSSIAN_ENDINGS}))\b", r"не \1"),
    (r"\bне (?=[а-яё]+)", ""),
    (r"\b(был|была|было|были|будет|будут|может|могут|мог|могла|могли|есть)\b", r"не \1"),
    (r"\bесть\b", "нет"),
)
GERMAN: Rules = (
    (r"\b(ist|sind|war|waren|wird|werden|kann|können|hat|haben)\b(?! nicht)", r"\1 nicht"),
    (r" nicht\b", ""),
    (r"\bkeine\b", "eine"),
    (r"\beine?\b", "kein"),
)
FRENCH: Rules = (
    (r"\b(est|sont|était|peut|peuvent|joue|jouent|fait|font)\b(?! pas)", r"ne \1 pas"),
    (r"\bn(?:e |')(\w+) pas\b", r"\1"),
)
RULES = {
    "zh": CHINESE,
    "ja": JAPANESE,
    "ko": KOREAN,
    "en": ENGLISH,
    "cs": CZECH,
    "ru": RUSSIAN,
    "de": GERMAN,
    "fr": FRENCH,
}
COMPILED = {
    language: [
        (
            re.compile(pattern, re.IGNORECASE if language in {"en", "cs", "ru", "de", "fr"} else 0),
            new,
        )
        for pattern, new in rules
    ]
    for language, rules in RULES.items()
}


def negate(language: str, text: str, chance: random.Random) -> str:
    """The text with its claim turned round; empty where no rule fits."""
    found = [
        (match, new)
        for pattern, new in COMPILED.get(language, ())
        for match in pattern.finditer(text)
    ]
    if language in {"ja", "ko"} and found:  # the main verb stands last
        last = max(match.end() for match, _ in found)
        found = [one for one in found if one[0].end() == last]
    if not found:
        return ""
    match, new = chance.choice(found)
    made = match.expand(new)
    if match.group()[:1].isupper():
        made = made[:1].upper() + made[1:].lower()
    return " ".join((text[: match.start()] + made + text[match.end() :]).split(" ")).replace(
        "  ", " "
    )
