"""Detection of languages; those with a pack have texts among their examples."""

from __future__ import annotations

import pytest

from gistmeter import languages

TEXTS = {
    "fr": "Le succès et l'échec dépendent tous deux de la même personne.",
    "de": "Erfolg und Misserfolg hängen beide von derselben Person ab.",
    "es": "El éxito y el fracaso dependen de la misma persona.",
    "pl": "Sukces i porażka zależą od tej samej osoby.",
    "hu": "A siker és a kudarc is ugyanazon az emberen múlik.",
    "vi": "Thành công và thất bại đều phụ thuộc vào cùng một người.",
    "uk": "Успіх і невдача залежать від однієї й тієї ж людини.",
    "bg": "Успехът и провалът зависят от един и същи човек.",
    "el": "Η επιτυχία και η αποτυχία εξαρτώνται από το ίδιο πρόσωπο.",
    "ar": "النجاح والفشل يعتمدان على نفس الشخص.",
    "lo": "ຄວາມສຳເລັດແລະຄວາມລົ້ມເຫຼວຂຶ້ນກັບຄົນດຽວກັນ",
    "km": "ជោគជ័យនិងបរាជ័យអាស្រ័យលើមនុស្សតែមួយ",
    "my": "အောင်မြင်မှုနှင့်ကျရှုံးမှုသည်လူတစ်ဦးတည်းပေါ်တွင်မူတည်သည်",
    "bo": "གྲུབ་འབྲས་དང་ཕམ་ཁ་གཉིས་ཀ་མི་གཅིག་ལ་རག་ལས།",
}


@pytest.mark.parametrize("code", TEXTS)
def test_a_sentence_is_enough(code: str) -> None:
    found = languages.detect([TEXTS[code]])
    assert found.code == code
    assert languages.SOUND <= found.confidence <= 1


@pytest.mark.parametrize("code", TEXTS)
def test_many_texts_are_sampled(code: str) -> None:
    assert languages.detect([TEXTS[code]] * 5000).code == code


@pytest.mark.parametrize("text", ["hello world", "OK", "Berlin Paris", "a b c", "Привет мир"])
def test_what_could_be_in_many_languages_is_not_claimed(text: str) -> None:
    assert languages.detect([text]).confidence < languages.SOUND


def test_texts_that_are_much_alike_are_no_less_clear() -> None:
    texts = [f"The weather was bad on day {day}, and nobody came." for day in range(5000)]
    found = languages.detect(texts)
    assert (found.code, found.confidence > 0.9) == ("en", True)


def test_the_majority_decides() -> None:
    texts = ["成功和失败都与同一个人有关。"] * 90 + ["Success depends on one person."] * 10
    assert languages.detect(texts).code == "zh"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("他用 Python 写 machine learning 的代码", "zh"),
        ("Kubernetes 클러스터를 deployment 로 업데이트", "ko"),
        ("気分転換", "ja"),
        ("開門見山", "zh-Hant"),
        ("中国学生会", "zh"),
        ("The Japanese word 気 means spirit, and nobody can translate it well.", "en"),
    ],
)
def test_scripts_are_weighed(text: str, code: str) -> None:
    found = languages.detect([text])
    assert found.code == code
    assert found.confidence >= languages.SOUND


def test_a_mix_of_chinese_scripts_is_chinese_all_the_same() -> None:
    found = languages.detect(["他们说这个国家", "他們說這個國家"])
    assert found.code in ("zh", "zh-Hant")
    assert found.confidence >= languages.SOUND


def test_capitals_say_nothing() -> None:
    text = "Success and failure both depend on the same person, who knew it well."
    assert languages.detect([text.upper()]).code == "en"


@pytest.mark.parametrize("texts", [[], [""], ["123 !?"], ["  ", "\n"]])
def test_without_letters_nothing_is_claimed(texts: list[str]) -> None:
    assert languages.detect(texts) == languages.Detection("generic", 0.0)


def test_characters_that_both_scripts_share_are_chinese_without_certainty() -> None:
    assert languages.detect(["上山下水"]) == languages.Detection("zh", 0.7)


def test_any_iterable_will_do() -> None:
    assert languages.detect(text for text in ["성공과 실패"]).code == "ko"


def test_the_same_texts_give_the_same_answer() -> None:
    texts = list(TEXTS.values()) * 300
    assert languages.detect(texts) == languages.detect(texts)
