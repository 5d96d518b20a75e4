"""What counts as the same text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import shared_path
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.types import Clip
from gistmeter.languages import codes_with_packs, get
from gistmeter.speech.metrics.normalizer import Normalisation, merge_alternatives
from gistmeter.speech.metrics.rates import ErrorRates
from gistmeter.speech.settings import SpeechSettings


def read(text: str, code: str = "en", **settings: object) -> tuple[str, ...]:
    return Normalisation(get(code), **settings).read(text).words


def test_golden_texts_are_met() -> None:
    normalisation = Normalisation(get("cs"))
    for case in json.loads(shared_path("golden/speech.json").read_text("utf-8")):
        assert normalisation.normalise(case["expected"]) == case["normalized_expected"]
        assert normalisation.normalise(case["got"]) == case["normalized_got"]
        assert len(normalisation.read(case["expected"]).words) == case["words_expected"]
        assert len(normalisation.read(case["got"]).words) == case["words_got"]


@pytest.mark.parametrize(
    ("normalizer", "text", "words"),
    [
        ("seed", "Nobody’s here—really…now.", "nobodys here really now"),
        ("seed", "touch-tone, A.M. and/or 5%", "touchtone am andor 5"),
        ("default", "touch-tone [laughter] <s> Ａ/b (%hesitation)", "touch tone a b"),
        ("default", "nobody's Straße", "nobodys strasse"),
        ("default", "2.5 mg, 3.5% and $1.50; it's -5", "2.5 mg 3.5 % and 1.5 $ it is -5"),
        (
            "default",
            "Um, the U.S.B. and U S B port isn't gonna work",
            "the usb and usb port is not going to work",
        ),
        ("none", "Oh,  No!", "Oh, No!"),
    ],
)
def test_normalizers(normalizer: str, text: str, words: str) -> None:
    assert " ".join(read(text, normalizer=normalizer)) == words


@pytest.mark.parametrize(
    ("code", "said", "written"),
    [
        ("fr", "trois virgule cinq pour cent des patients", "3,5 % des patients"),
        ("es", "el veintidós por ciento", "el 22 %"),
        ("en", "it costs twenty three dollars and fifty cents", "It costs $23.50."),
        ("fr", "deux euros cinquante", "2,50 €"),
        ("de", "zwei euro fünfzig", "2,50 €"),
        ("en", "eight point eight dollars million", "$8.8 million"),
        ("en", "two dollars and twenty five cents", "$2.25 cents"),
        ("en", "call five five five one two three four", "Call 555-1234."),
        ("cs", "sedm set třicet tři sto dvacet dva osm set", "733 122 800"),
        ("en", "on march fourteenth twenty twenty four", "On March 14, 2024."),
        ("en", "two thirds of the class", "2/3 of the class"),
        ("en", "ten a m", "10 AM"),
        ("en", "the colour of the centre", "the color of the center"),
        ("de", "fünfzehn uhr dreißig", "15:30 Uhr"),
        ("fr", "à dix-huit heures trente", "à 18h30"),
        ("fr", "le dix-sept mars", "le 17 mars"),
        ("cs", "v devět třicet", "v 9:30"),
        ("es", "las siete y media", "las 7:30"),
        ("ru", "полвосьмого", "7:30"),
        ("ko", "삼월 십사일", "3월 14일"),
        ("zh", "二零二四年三月十四号", "2024年3月14号"),
    ],
)
def test_what_is_said_and_written_is_the_same(code: str, said: str, written: str) -> None:
    if not get(code).spaced or code == "ko":
        pytest.importorskip({"ko": "kiwipiepy", "zh": "jieba"}[code])
    assert read(said, code, normalizer="default") == read(written, code, normalizer="default")


def test_units_of_small_numbers_and_other_amounts_stay() -> None:
    said = read("zero point five milligrams", normalizer="default")
    assert said == ("0.5", "mg") != read("zero point five micrograms", normalizer="default")
    assert read("il y a dix ans", "fr", normalizer="default")[:3] == ("il", "y", "a")
    assert read("$5 20 people", normalizer="default") == ("5", "$", "20", "people")
    assert read("in 2019 2020", normalizer="default") == ("in", "2019", "2020")
    assert read("from 30 to 40", normalizer="default") == ("from", "30", "to", "40")


def test_czech_diacritics_stay_and_both_unicode_forms_are_one() -> None:
    assert read("dráha", "cs") != read("drahá", "cs")
    assert read("dra\u0301ha", "cs") == read("dráha", "cs")


def test_russian_yo_is_ye() -> None:
    assert read("Ёлка всё", "ru") == ("елка", "все")


def test_script_variants_are_one_in_chinese() -> None:
    pytest.importorskip("jieba")
    pytest.importorskip("opencc")
    one = Normalisation(get("zh")).read("龍馬精神,很好")
    other = Normalisation(get("zh")).read("龙马精神，很好！")
    assert one.characters == other.characters == "龙马精神很好"


def test_unspaced_languages_count_characters_without_spaces_and_korean_with() -> None:
    pytest.importorskip("kiwipiepy")
    assert Normalisation(get("zh")).read("你好 世界").characters == "你好世界"
    assert Normalisation(get("ko")).read("안녕 세계").characters == "안녕 세계"


def test_words_of_unspaced_languages_come_from_an_analyser() -> None:
    pytest.importorskip("jieba")
    assert Normalisation(get("zh")).read("今天天气很好").words != ("今天天气很好",)
    pytest.importorskip("fugashi")
    assert len(Normalisation(get("ja")).read("東京に行きました").words) > 2


def test_thai_words_come_from_a_dictionary() -> None:
    pytest.importorskip("pythainlp")
    normalisation = Normalisation(get("th"))
    assert normalisation.read("ผมรักเมืองไทย").words == ("ผม", "รัก", "เมือง", "ไทย")
    assert "pythainlp" in normalisation.id


@pytest.mark.parametrize(
    ("code", "expected", "got", "edits", "words"),
    [
        ("yue", "佢哋今日好開心", "佢哋尋日好高心", 2, 7),
        ("wuu", "侬好伐", "侬好哦", 1, 3),
        ("lo", "ນ້ຳໃຈດີ", "ນ້ຳໃຈຍີ", 1, 3),
        ("km", "ខ្ញុំស្រលាញ់", "ខ្ញុំស្រលាញ", 1, 4),
        ("my", "မြန်မာစာ", "မြန်မာစု", 1, 4),
        ("bo", "བོད་ཡིག་ཡག་པོ།", "བོད་ཡིག་ཡག་མོ།", 1, 4),
        ("nan-Hani", "你好無", "你好嘸", 1, 3),
    ],
)
def test_languages_without_spaces_need_no_pack(
    code: str, expected: str, got: str, edits: int, words: int
) -> None:
    """A changed character or cluster is an edit, not a sentence all wrong."""
    metric = ErrorRates(Normalisation(get(code)))
    rows = metric.measure([Clip("1", expected, got)])
    assert rows.values("words_expected").tolist() == [words]
    assert rows.values("word_edits").tolist() == [edits]
    assert " " not in Normalisation(get(code)).read(f"{expected} {got}").characters


def test_every_pack_says_how_its_words_are_found() -> None:
    by_analyser = {code for code in codes_with_packs() if Normalisation(get(code)).analysed}
    assert by_analyser >= {"zh", "zh-Hant", "ja", "ko", "th"}
    for code in codes_with_packs():
        pack, normalisation = get(code), Normalisation(get(code))
        assert normalisation.spaced == pack.spaced
        assert normalisation.analysed == (pack.particles or not pack.spaced)


def test_a_language_without_a_pack_is_read_by_spaces() -> None:
    assert read("Hej, világ!", "hu") == ("hej", "világ")


def test_alternatives_count_as_equal_and_longer_ones_first() -> None:
    equal = (("colour", "color"), ("dvakrát", "2x"), ("going to", "gonna", "gon na"))
    assert read("The color", alternatives=equal) == read("the colour", alternatives=equal)
    assert read("2x", "cs", alternatives=equal) == ("dvakrát",)
    assert read("I'm gonna go", alternatives=equal) == ("im", "going", "to", "go")
    # Only whole words: "colored" is no "color".
    assert read("colored", alternatives=equal) == ("colored",)


def test_alternatives_that_share_a_spelling_are_one_set() -> None:
    merged = merge_alternatives([("grey", "gray"), ("a", "b"), ("gray", "graye")])
    assert merged == (("a", "b"), ("grey", "gray", "graye"))


def test_alternatives_work_inside_unspaced_text() -> None:
    pytest.importorskip("jieba")
    normalisation = Normalisation(get("zh"), alternatives=(("公共汽车", "公车"),))
    assert normalisation.read("坐公车去").characters == "坐公共汽车去"


@pytest.mark.parametrize(
    ("code", "spoken", "digits"),
    [
        ("en", "twenty nine people", "29 people"),
        ("en", "in nineteen thirty two", "in 1932"),
        ("en", "one hundred and five dogs", "105 dogs"),
        ("en", "three point five percent", "3.5 %"),
        ("en", "call five five five one two three four", "call 5551234"),
        ("en", "on May third, twenty twenty-four", "on 3 may 2024"),
        ("en", "minus five degrees", "-5 degrees"),
        ("cs", "tři celé pět procenta", "3.5 %"),
        ("ru", "три с половиной", "3.5"),
        ("fr", "quatre-vingt-dix-sept euros", "97 €"),
        ("de", "zweihundertfünfzig Euro", "250 €"),
        ("es", "treinta y uno", "31"),
        ("cs", "dva tisíce dvacet jedna", "2021"),
        ("en", "five million dollars", "5000000 $"),
        ("ru", "двести тридцать пять тысяч", "235000"),
        ("hu", "húsz", "húsz"),
    ],
)
def test_numbers_as_digits(code: str, spoken: str, digits: str) -> None:
    assert " ".join(read(spoken, code, normalizer="default")) == digits
    assert " ".join(read(digits, code, normalizer="default")) == digits


def test_digits_with_a_multiplier_are_the_number_in_words() -> None:
    one = read("5 million dollars for 20 thousand people", normalizer="default")
    assert one == read("five million dollars for twenty thousand people", normalizer="default")


def test_digits_of_every_script_are_the_same() -> None:
    assert read("٢٠٢٠", "ar", normalizer="default") == ("2020",)


@pytest.mark.parametrize(
    ("said", "heard"), [("2.5 mg", "25 mg"), ("3.5%", "35%"), ("1.50", "150"), ("-5", "5")]
)
def test_a_lost_mark_is_an_error(said: str, heard: str) -> None:
    assert read(said, normalizer="default") != read(heard, normalizer="default")


def whispered() -> Iterator[str]:
    """Sentences in which Whisper's rules find work: numbers, short forms, money, spelling."""
    random = Random(0)
    parts = [
        ("He's", "They won't", "I'd", "Mr. Smith can't", "Dr. Jones has", "We're", "It ain't"),
        ("paying", "counting", "colouring", "organising", "um, getting", "[noise] seeing"),
        ("$20 million", "three point five percent", "twenty-five", "$4.50", "five hundred and six",
         "nineteen ninety nine", "one hundred", "2,000", "£3", "double oh seven", "the 21st"),
        ("cents", "dollars", "times", "centres", "(laughs) people", "per cent", "of them"),
    ]  # fmt: skip
    return (" ".join(random.choice(part) for part in parts) for _ in range(2000))


def test_whispers_rules_are_whispers() -> None:
    pytest.importorskip("whisper_normalizer")
    original = pytest.importorskip("transformers.models.whisper.english_normalizer")
    from whisper_normalizer.english import EnglishSpellingNormalizer

    english = original.EnglishTextNormalizer(EnglishSpellingNormalizer().mapping)
    ours = Normalisation(get("en"), "whisper")
    texts = list(whispered())
    pairs = list(zip(texts[::2], texts[1::2], strict=True))
    assert len(pairs) == 1000
    wrong = [pair for pair in pairs
             if [ours.normalise(text) for text in pair]
             != [" ".join(english(text).split()) for text in pair]]  # fmt: skip
    assert wrong == []
    basic = original.BasicTextNormalizer()
    assert Normalisation(get("cs"), "whisper").normalise("Žluťoučký (kůň), 3,5!") == " ".join(
        basic("Žluťoučký (kůň), 3,5!").split()
    )


def test_unknown_settings_say_what_there_is() -> None:
    with pytest.raises(UnknownName, match="whisper"):
        Normalisation(get("en"), "sed")
    with pytest.raises(InputError, match="basic is retired: use default"):
        SpeechSettings(normalizer="basic")
    with pytest.raises(InputError, match="--numbers is retired: --normalizer default"):
        SpeechSettings(numbers="digits")
    with pytest.raises(UnknownName, match="Did you mean 'seed'"):
        SpeechSettings(normalizer="sed")


def test_every_setting_is_in_the_signature() -> None:
    normalisations = [
        Normalisation(get("en")),
        Normalisation(get("cs")),
        Normalisation(get("en"), "default"),
        Normalisation(get("en"), "whisper"),
        Normalisation(get("en"), alternatives=(("a", "b"),)),
        Normalisation(get("en"), alternatives=(("a", "c"),)),
    ]
    assert len({normalisation.id for normalisation in normalisations}) == len(normalisations)


@given(st.text(max_size=60), st.sampled_from(["seed", "none"]))
def test_normalising_twice_changes_nothing(text: str, normalizer: str) -> None:
    normalisation = Normalisation(get("en"), normalizer)
    once = normalisation.normalise(text)
    assert normalisation.normalise(once) == once
    assert once == " ".join(once.split())
