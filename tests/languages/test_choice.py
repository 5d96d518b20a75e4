"""The language of each item: spellings, names of files, and the order in which it is found."""

from __future__ import annotations

import time

import pytest

from gistmeter import languages
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.languages.choice import LanguageChoice, choose

ENGLISH = "Success and failure both depend on the same person."
CHINESE = "成功和失败都与同一个人有关。"
KOREAN = "성공과 실패가 모두 같은 사람과 관계가 있다."


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("ZH", "zh"), ("zh-CN", "zh"), ("zh_TW", "zh-Hant"), ("ZH-hant", "zh-Hant"),
        ("zh-Hant-HK", "zh-Hant"), ("Simplified Chinese", "zh"), ("traditional_chinese", "zh-Hant"),
        ("jp", "ja"), ("jpn", "ja"), ("日本語", "ja"), ("kr", "ko"), ("korean", "ko"),
        (" Korean ", "ko"),
        ("cz", "cs"), ("en-US", "en"), ("eng", "en"), ("ru_RU", "ru"), ("fr", "fr"),
        ("fr-CA", "fr"),
        ("german", "de"), ("ger", "de"), ("th", "th"), ("yue", "yue"), ("zh-yue", "yue"),
        ("Cantonese", "yue"), ("nan-hani", "nan-Hani"), ("tlh", "tlh"), ("generic", "generic"),
        ("", "generic"), ("und", "generic"), ("sr-Latn", "sr-Latn"), ("pt_BR.UTF-8", None),
        ("koraen", None), ("xq", None), ("??", None), ("english!x", None), ("zh;rm -rf", None),
    ],
)  # fmt: skip
def test_codes_and_names_are_read_in_their_usual_spellings(asked: str, code: str | None) -> None:
    if code is None:
        with pytest.raises(UnknownName, match=r"Can't find language .*Available: cs, .*ISO 639"):
            languages.get(asked)
    else:
        assert languages.get(asked).code == code


def test_a_misspelt_name_says_what_was_meant() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'korean'"):
        languages.get("koraen")


def test_every_spelling_of_a_pack_leads_to_it() -> None:
    for code in languages.codes_with_packs():
        pack = languages.get(code)
        for spelled in (code, *pack.aliases, *([pack.name] if pack.name else [])):
            assert languages.resolve(spelled) == code, spelled
            assert languages.resolve(spelled.upper()) == code, spelled


@pytest.mark.parametrize(
    ("stem", "code"),
    [
        ("m_chinese", "zh"), ("m_korean", "ko"), ("orderprobe-Traditional_Chinese", "zh-Hant"),
        ("zh_tw_model", "zh-Hant"), ("chinese_traditional", "zh-Hant"), ("JapaneseRefs", "ja"),
        ("czech.v2", "cs"), ("ko", "ko"), ("zh-Hant", "zh-Hant"), ("german_test", "de"),
        ("references", ""), ("my_model", ""), ("is_it_no", ""), ("chinese_to_korean", ""),
        ("frenchpress", ""), ("generic", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_file_may_say_its_language_by_its_name(stem: str, code: str) -> None:
    assert languages.of_name(stem) == code


def test_what_is_given_holds_for_all_and_is_no_guess() -> None:
    assert choose("kr", ["zh", None], ["m_chinese.csv"] * 2, [CHINESE] * 2) == LanguageChoice(
        ("ko", "ko"), ("given", "given")
    )


def test_the_order_is_column_name_texts() -> None:
    found = choose(
        "auto",
        ["ZH_tw", None, "", None],
        ["m_korean.csv", "m_korean.csv", "b.csv", "b.csv"],
        [ENGLISH, KOREAN, ENGLISH, ENGLISH],
    )
    assert found.codes == ("zh-Hant", "ko", "en", "en")
    assert found.found == ("column", "name", "texts", "texts")
    confidence = languages.detect([ENGLISH] * 2).confidence
    assert found.remark == (
        f"Languages: ko, from the name of m_korean.csv; en, from the texts, confidence "
        f"{confidence:.2f}. Set it with language (--language) or a 'language' column"
    )


def test_a_column_for_every_item_leaves_nothing_to_say() -> None:
    assert choose("", ["en", "ko"], (), [KOREAN, ENGLISH]).remark == ""


def test_a_wrong_column_says_where() -> None:
    with pytest.raises(InputError, match=r"Item 2, column 'language': Can't find language 'qx'"):
        choose("", ["en", "qx"], (), ["a", "b"])


def test_several_names_are_asked_in_their_order() -> None:
    names = [("m_a.csv", "refs_korean.csv"), ("m_chinese.csv", "refs_korean.csv")]
    assert choose("", (), names, ["x", "y"]).codes == ("ko", "zh")


@pytest.mark.parametrize(
    ("name", "text", "code", "doubt"),
    [
        ("m_korean.csv", CHINESE, "ko", " (though the texts look like zh)"),
        ("m_korean.csv", ENGLISH, "ko", " (though the texts do not look like it)"),
        ("m_english.csv", KOREAN, "en", " (though the texts look like ko)"),
        ("m_chinese.csv", "他們說這個國家", "zh", ""),
        ("m_korean.csv", "42", "ko", ""),
        ("m_german.csv", ENGLISH, "de", ""),  # not told without statistics
    ],
)
def test_a_name_is_believed_but_a_contradiction_is_said(
    name: str, text: str, code: str, doubt: str
) -> None:
    found = choose(names=[name] * 2, texts=[text] * 2)
    assert found.codes == (code, code)
    assert found.remark.startswith(f"Language: {code}, from the name of {name}{doubt}. Set it")


@pytest.mark.parametrize("title", ["The German Lesson", "The Polish Officer, vol. 2", "Japanese"])
def test_a_title_is_no_file(title: str) -> None:
    assert choose(names=[(title,)], texts=[ENGLISH]).codes == ("en",)


def test_items_in_several_scripts_have_several_languages() -> None:
    found = choose(texts=[CHINESE, KOREAN, ENGLISH, "", "42"] * 3)
    assert found.codes[:3] == ("zh", "ko", "en")
    assert len(set(found.codes[3::5]) | set(found.codes[4::5])) == 1  # without letters: the first
    assert found.remark.startswith("Languages: ")


def test_texts_of_a_file_belong_together() -> None:
    """No text alone would do; some alone would mislead."""
    german = ["Er kam", "Das Haus", "sehr alt", "in der Nacht", "und dann", "mit dem Zug"] * 20
    french = ["il est", "la maison", "très vieux", "dans la nuit", "et puis", "avec le"] * 20
    found = choose("", (), ["a.csv"] * len(german) + ["b.csv"] * len(french), german + french)
    assert found.codes == ("de",) * len(german) + ("fr",) * len(french)


def test_a_kanji_only_item_is_japanese_among_japanese() -> None:
    assert set(choose(texts=["日本語の文章です。"] * 9 + ["東京大学"]).codes) == {"ja"}


def test_a_few_words_among_others_follow_them() -> None:
    assert set(choose(texts=[CHINESE] * 9 + ["OK", "hello"]).codes) == {"zh"}


def test_a_small_file_is_helped_by_the_others() -> None:
    texts = [ENGLISH] * 50 + ["hello world"]
    assert set(choose("", (), ["a.csv"] * 50 + ["b.csv"], texts).codes) == {"en"}


def test_a_guess_that_is_not_sound_is_refused_with_the_way_out() -> None:
    with pytest.raises(InputError) as error:
        choose(texts=["hello world"], names=["a.csv"])
    said = str(error.value)
    assert "a.csv: The language of the texts is not clear: they look like English (en)" in said
    assert "(0.60 is needed)" in said
    assert "language=\"en\" (--language en) or a 'language' column" in said


def test_a_guess_that_says_nothing_is_not_said() -> None:
    with pytest.raises(
        InputError, match=r"^The language of the texts cannot be determined\. Set it with"
    ):
        choose(texts=["xq"])


def test_two_languages_of_one_script_in_one_file_are_not_clear() -> None:
    german = "Das Wetter war schlecht, und niemand kam an diesem Tag"
    with pytest.raises(InputError, match="is not clear"):
        choose(
            texts=[f"{ENGLISH} {at}" for at in range(200)] + [f"{german} {at}" for at in range(200)]
        )


def test_texts_without_letters_have_no_language_to_be_wrong_about() -> None:
    found = choose(texts=["123", "", "?"])
    assert found.codes == ("generic",) * 3
    assert found.remark == ""


def test_nothing_has_no_languages() -> None:
    assert choose() == LanguageChoice((), ())


def test_fifty_thousand_items_are_no_burden() -> None:
    texts = [(f"{CHINESE}{at}", f"参考答案{at}") for at in range(25_000)]
    texts += [(f"{KOREAN}{at}", "좋은 사람") for at in range(25_000)]
    start = time.perf_counter()
    found = choose(texts=texts)
    assert time.perf_counter() - start < 10
    assert found.codes == ("zh",) * 25_000 + ("ko",) * 25_000


def test_chinese_beside_japanese_is_not_japanese() -> None:
    chinese = [
        "只要有恒心，再难的事情也能够成功",
        "形容做事没有耐心，半途而废",
        "比喻做了多余的事反而坏事",
    ]
    japanese = [
        "物事が順調に進むこと",
        "余計なことをして失敗する",
        "努力すれば必ず成功する",
        "一石二鳥",
    ]
    found = choose(texts=[*chinese, *japanese])
    assert found.codes == ("zh", "zh", "zh", "ja", "ja", "ja", "ja")
    assert choose(texts=[*japanese, "不可能"]).codes == ("ja",) * 5  # too short to be Chinese


def test_short_chinese_beside_japanese_is_told_by_its_characters() -> None:
    short = ["我们明天开会", "他昨天没有来", "今天天气很好"]  # the first has characters of its own
    japanese = ["会議は明日です", "彼は昨日来なかった", "今日は天気がいい", "一石二鳥", "東京大学"]
    assert choose(texts=[*short, *japanese]).codes == ("zh",) * 3 + ("ja",) * 5
    assert choose(texts=["我们开会", *japanese]).codes == ("zh",) + ("ja",) * 5
