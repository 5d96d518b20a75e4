"""What a transcript tells otherwise: pairs written for the tests, harmless and harmful."""

from __future__ import annotations

import pytest

from gistmeter.languages.guard import Guard
from gistmeter.speech.metrics.misheard import transcript_alarms

HARMFUL = [
    ("en", "ask doctor patel about it", "ask doctor battle about it", "word: patel → battle"),
    ("en", "She is hypoglycemic.", "she is hyperglycemic", "word: hypoglycemic → hyperglycemic"),
    ("en", "The tumour is benign.", "the tumor is malignant", "word: benign → malignant"),
    ("en", "the left knee hurts", "the right knee hurts", "word: left → right"),
    ("en", "it is -5 degrees", "it is 5 degrees", "number: -5 degrees → 5 degrees"),
    ("en", "five milligrams", "five micrograms", "unit: five milligrams → five micrograms"),
    ("en", "you can eat this", "you cant eat this", "negation: can → cant"),
    ("en", "take it before meals", "take it after meals", "word: before → after"),
    ("cs", "jedu do brna", "jedu do prahy", "word: brna → prahy"),
    (
        "fr",
        "ne prenez pas ce médicament",
        "prenez ce médicament",
        "negation: pas → (nothing)",
    ),
    ("fr", "prenez deux comprimés", "prenez douze comprimés", "number: deux → douze"),
    ("de", "das dürfen Sie nicht essen", "das dürfen sie essen", "negation: nicht → (nothing)"),
    ("de", "zwanzig Tropfen", "zwölf tropfen", "number: zwanzig → zwölf"),
    ("es", "tome dos pastillas", "tome doce pastillas", "number: dos → doce"),
    (
        "ru",
        "синюю куртку верните а зелёную оставлю",
        "зелёную куртку верните а синюю оставлю",
        "word: синюю → зелёную",
    ),
    ("en", "Anna told Mark", "Mark told Anna", "word: Anna → Mark"),
    ("zh", "前面左转", "前面右转", "word: 左转 → 右转"),
    ("ja", "高橋先生です", "高梨先生です", "name: 高橋 → 高梨"),
    ("ja", "薬を二錠飲んでください", "薬を十二錠飲んでください", "number: 二 → 十二"),
    ("ko", "약을 두 알 드세요", "약을 열두 알 드세요", "number: 두 → 열두"),
    ("cs", "to je hypoglykemie", "to je hyperglykemie", "word: hypoglykemie → hyperglykemie"),
    ("es", "no tome esta pastilla", "tome esta pastilla", "negation: no → (nothing)"),
]
HARMLESS = [
    ("en", "I think, I think it costs nineteen pounds ninety-nine.", "I think it costs £19.99"),
    ("en", "No, I haven't, I thought I would ask.", "no i haven't i thought i would ask"),
    ("en", "Take the temperature now.", "take the temprature now"),
    ("es", "son veintiséis", "son veinti seis"),
    ("es", "si huele a gas", "si uele a gas"),
    ("fr", "il ne l'a pas fait", "il l'a pas fait"),
    (
        "de",
        "Die Sitzung ist am Montag, nein, Entschuldigung, am Mittwoch.",
        "die sitzung ist am mittwoch",
    ),
    ("ja", "注射は〇・五ミリグラムです", "注射は0.5mgです"),
    ("ja", "雨が降ったら", "雨がふったら"),
    ("ko", "심박수는 백십이고", "심박수는 110이고"),
    ("ko", "약을 두 알 드세요", "약을 2알 드세요"),
    ("ja", "薬を二錠飲んでください", "薬を2錠飲んでください"),
    ("zh", "房租每个月四千五", "房租每个月4500"),
    ("zh", "气温降到零下十二度", "气温降到-12℃"),
    ("en", "It rose by three point five percent.", "it rose by 3.5 percent"),
    ("en", "Call five five five one two three four.", "call 555-1234"),
    ("en", "Um, the colour is, you know, grey.", "the color is gray"),
    ("en", "Doctor Smith isn't here.", "dr smith is not here"),
    ("en", "The U S B stick", "the USB stick"),
    ("en", "a touch-tone phone", "a touchtone phone"),
    ("en", "We leave at ten forty.", "we leave at 10:40"),
    ("cs", "tři celé pět procenta", "3,5 procenta"),
    ("ru", "три с половиной часа", "3,5 часа"),
    ("fr", "C'est à quinze heures.", "c'est à 15 h"),
    ("fr", "ce n'est pas grave", "c'est pas grave"),
    ("de", "zweihundertfünfzig Euro", "250 €"),
    ("es", "el tres de mayo de dos mil veinticuatro", "el 3 de mayo de 2024"),
    ("zh", "他在電話裡說了三點五", "他在电话里说了3.5"),
]


@pytest.mark.parametrize(("code", "said", "heard", "alarm"), HARMFUL)
def test_what_harms_raises_an_alarm(code: str, said: str, heard: str, alarm: str) -> None:
    assert alarm in [str(one) for one in transcript_alarms(said, heard, code)]


@pytest.mark.parametrize(("code", "said", "heard"), HARMLESS)
def test_other_writing_raises_none(code: str, said: str, heard: str) -> None:
    assert [str(one) for one in transcript_alarms(said, heard, code)] == []


def test_where_nothing_was_heard_all_facts_are_lost() -> None:
    alarms = transcript_alarms("Do not take 20 pills on Monday.", "", "en")
    assert {alarm.kind for alarm in alarms} >= {"number", "date", "negation", "word"}
    assert "number: 20 → (nothing)" in [str(alarm) for alarm in alarms]


def test_a_language_without_a_reader_has_none() -> None:
    assert not Guard("it").reads
    assert Guard("it").why_not == "no reader of numbers, negation and dates for Italian"
    assert all(Guard(code).reads for code in ("en", "cs", "zh", "ja", "ko", "ru", "fr", "de", "es"))
