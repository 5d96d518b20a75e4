"""Detection of languages."""

from __future__ import annotations

import pytest

from gistmeter import languages

TEXTS = {
    "zh": "成功和失败都与同一个人有关，说明这个人很重要。",
    "zh-Hant": "成功和失敗都與同一個人有關，說明這個人很重要。",
    "ja": "成功も失敗も同じ人に関係がある。",
    "ko": "성공과 실패가 모두 같은 사람과 관계가 있다.",
    "en": "Success and failure both depend on the same person.",
    "cs": "Úspěch i neúspěch závisí na stejném člověku.",
    "ru": "И успех, и неудача зависят от одного и того же человека.",
    "fr": "Le succès et l'échec dépendent tous deux de la même personne.",
    "de": "Erfolg und Misserfolg hängen beide von derselben Person ab.",
    "th": "ความสำเร็จและความล้มเหลวขึ้นอยู่กับคนคนเดียวกัน",
    "uk": "Успіх і невдача залежать від однієї й тієї ж людини.",
}


@pytest.mark.parametrize("code", TEXTS)
def test_a_sentence_is_enough(code: str) -> None:
    found = languages.detect([TEXTS[code]])
    assert found.code == code
    assert 0.5 < found.confidence <= 1


@pytest.mark.parametrize("code", TEXTS)
def test_many_texts_are_sampled(code: str) -> None:
    assert languages.detect([TEXTS[code]] * 5000).code == code


def test_the_majority_decides() -> None:
    texts = [TEXTS["zh"]] * 90 + [TEXTS["en"]] * 10
    assert languages.detect(texts).code == "zh"


@pytest.mark.parametrize("texts", [[], [""], ["123 !?"], ["  ", "\n"]])
def test_without_letters_nothing_is_claimed(texts: list[str]) -> None:
    assert languages.detect(texts) == languages.Detection("generic", 0.0)


def test_characters_that_both_scripts_share_are_chinese_without_certainty() -> None:
    assert languages.detect(["上山下水"]) == languages.Detection("zh", 0.5)


def test_any_iterable_will_do() -> None:
    assert languages.detect(text for text in [TEXTS["ko"]]).code == "ko"


def test_the_same_texts_give_the_same_answer() -> None:
    texts = list(TEXTS.values()) * 300
    assert languages.detect(texts) == languages.detect(texts)
