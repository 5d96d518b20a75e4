"""Sentences and headings, as books have them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gistmeter import languages
from gistmeter.languages.sentences import CLOSERS

# A sentence an entry; joined they are the text.
BOOKS: dict[str, list[list[str]]] = {
    "zh": [
        ["“你来吗？”她问。", "“我来！”他说。", "“走吧。”", "“好。”"],
        ["我……我不知道。", "他想起了那个遥远的夜晚……", "那时他还年轻。"],
        ["他读了《你好吗？》这本书。", "价格是3.5元。", "真的！！！", "他（真的吗？）走了。"],
        ['他说："好。"', "她走了。", "“行吗？”。", "他说：“不行！”，然后走了。"],
        ["选择A!", "编辑。", "他买了！", "iPhone很好。", "“可是……”", "她低下头。"],
    ],
    "zh-Hant": [["「你來嗎？」她問。", "「我來！」他說。", "他走了。"]],
    "ja": [
        ["「行くぞ！」と彼は言った。", "「今日は雨だ。", "明日は晴れる。」", "彼は黙った。"],
        ["えっ……それは。", "そうか？", "本当だ。", "3.14は円周率。"],
    ],
    "ko": [
        ["“가자.” 하고 그가 말했다.", "그는 갔다.", '"정말?"이라고 물었다.'],
        ["빨간 문이 있는 집.", "두 사람이 있다.", "그렇게 생각한다.", '"posh" 라는 단어다.'],
        ["회의는 2024. 5. 3. 열렸다.", "J. K. 롤링은 작가다.", "3.5배다!"],
    ],
    "en": [
        ["Mr. Smith paid $3.50 to J. R. R. Tolkien, e.g. for No. 5.", "He left."],
        ['"Why?" he asked.', '"I do not know."', "She left...", "Then he came back."],
        ["It is in the U.S. Army.", "It was I.", "He wept.", "“Stop!” cried Tom.", "“No."],
        ["They live in the U.S.", "He knows.", "The end, etc.", "Then (really?) he left."],
        [
            "They watch T.V.",
            "A man left.",
            "It was her father's.",
            "I know Deronda--Mr. Deronda.",
            "At 5 p.m. we left.",
        ],
        ["“No. 5 is alive!”", "‘Indeed?’", "Dr. A. Smith, Ph.D., vs. Prof. B. Jones."],
    ],
    "cs": [
        ["Narodil se 5. května 1932 v Brně, např. v ul. Nové.", "Karel IV. vládl ve 14. století."],
        ["„Kam jdeš?“ zeptal se.", "„Domů.“", "Bylo to tzv. Pražské jaro atd.", "Pak odešel."],
        ["Dne 5. 6. 1990 přišel prof. Novák.", "Bylo mu 25.", "Potom odešel."],
        [
            "Bylo to roku 700 př. n. l.",
            "Potom odešel.",
            "Vzal si s sebou mj. Karla IV. Lucemburského.",
            "Str. 12 chybí.",
        ],
    ],
    "ru": [
        ["— Привет! — крикнул он.", "— Как дела?", "Завод им. Ленина, т.е. тот, что в г. Москве."],
        ["А. С. Пушкин родился в 1799 г.", "Он был поэтом и т.д.", "Потом умер."],
        ["«Куда?» — спросил он.", "Текст…", "Дальше."],
    ],
    "fr": [["« Quoi ? » dit M. Dupont.", "Il partit.", "« Non ! »", "Elle rit."]],
    "hi": [["यह एक वाक्य है।", "यह दूसरा है।"]],
}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param(code, sentences, id=f"{code}-{place}")
        for code, paragraphs in BOOKS.items()
        for place, sentences in enumerate(paragraphs)
    ],
)
def test_sentences_of_a_paragraph(code: str, expected: list[str]) -> None:
    language = languages.get(code)
    joint = " " if language.spaced else ""
    assert language.sentences(joint.join(expected)) == expected


def test_wrapped_lines_are_one_paragraph_and_blank_lines_part() -> None:
    text = (
        "It was the best of times, it was the worst of times, it was\n"
        "the age of wisdom, it was the age of foolishness, it was the\n"
        "epoch of belief.\n\nNo full stop here\n\nNext"
    )
    assert languages.get("en").sentences(text) == [
        "It was the best of times, it was the worst of times, it was the age of wisdom, "
        "it was the age of foolishness, it was the epoch of belief.",
        "No full stop here",
        "Next",
    ]


def test_lines_of_dialogue_are_sentences_of_their_own() -> None:
    lines = [
        "「昨日の夜はどこへ行っていたのか、それを聞きたいのだ」",
        "「どこへも行きません、家でずっと本を読んでいました」",
    ]
    assert languages.get("ja").sentences("\n".join(lines)) == lines


def test_short_lines_are_sentences_of_their_own() -> None:
    assert languages.get("en").sentences("Roses are red\nViolets are blue") == [
        "Roses are red",
        "Violets are blue",
    ]
    assert languages.get("zh").sentences("床前明月光\n疑是地上霜") == ["床前明月光", "疑是地上霜"]


def test_a_lone_closing_quote_belongs_to_the_sentence_before() -> None:
    assert languages.get("en").sentences("“Yes,” he said. ”\n\n* * *\n\nEnd.") == [
        "“Yes,” he said. ” * * *",
        "End.",
    ]
    assert languages.get("zh").sentences("……“好。”") == ["……“好。”"]
    assert languages.get("zh").sentences("……") == ["……"]


@pytest.mark.parametrize("code", languages.CODES)
@pytest.mark.parametrize("text", ["", "  ", "\n\n\u3000"])
def test_no_text_has_no_sentences(code: str, text: str) -> None:
    assert languages.get(code).sentences(text) == []
    assert languages.get(code).simple_sentences(text) == []


MARKS = "。！？!?.…；;，,\"'“”‘’「」『』（）()»«—– \n\u3000\r\t"
BOOKISH = st.text(st.sampled_from(MARKS + "aAbB你好です가나1一第章"), max_size=80)


@pytest.mark.parametrize("code", languages.CODES)
@given(text=BOOKISH | st.text(max_size=60))
@example(text=". . . A\x1c”")
def test_only_white_space_is_lost(code: str, text: str) -> None:
    language = languages.get(code)
    bare = "".join(text.split())
    assert "".join("".join(language.sentences(text)).split()) == bare
    assert "".join("".join(language.simple_sentences(text)).split()) == bare
    spans = language.splitter.spans(text)
    assert all(one.end <= other.start for one, other in pairwise(spans))


@pytest.mark.parametrize("code", languages.CODES)
@given(text=BOOKISH)
def test_no_sentence_is_only_a_closing_quote(code: str, text: str) -> None:
    sentences = languages.get(code).sentences(text)
    if len(sentences) > 1:
        assert all(set(sentence) - set(CLOSERS) for sentence in sentences)


def test_the_simple_rule() -> None:
    text = "Mr. X came; he left! “好。”他说；走了\nEnd. 3.5"
    assert languages.simple_sentences(text) == [
        "Mr.",
        "X came;",
        "he left!",
        "“好。”",
        "他说；",
        "走了",
        "End.",
        "3.5",
    ]


HEADINGS = {
    "zh": ["第一章 风雪", "第十二回甄士隐梦幻识通灵", "楔子", "卷三 归途", "第3节", "# 标题"],
    "zh-Hant": ["第一節 風雪", "尾聲"],
    "ja": ["第一章　始まり", "プロローグ", "第３話"],
    "ko": ["제1장 시작", "제 2 부", "프롤로그", "3장"],
    "en": ["CHAPTER I. The Beginning", "Chapter 12", "Chapter Twenty-One", "XIV.", "Epilogue"],
    "cs": ["1. kapitola", "KAPITOLA PRVNÍ", "Část II", "Prolog", "Druhá část"],
    "ru": ["ГЛАВА ПЕРВАЯ", "Глава 3. Дорога", "Часть вторая", "Эпилог"],
    "de": ["Kapitel 3", "## Ende"],
}
NO_HEADINGS = {
    "zh": ["第一章讲了很多事情。", "第一次见面", "他读完了第一章"],
    "ja": ["第一章を読んだ。", "一人で"],
    "ko": ["제1장을 읽었다."],
    "en": ["Chapter and verse", "Introduction to the matter was made by her,", "Did he?"],
    "cs": ["Kapitola byla dlouhá", "Část lidí odešla."],
    "ru": ["Глава семьи ушёл", "Часть людей ушла."],
}


@pytest.mark.parametrize("code", HEADINGS)
def test_headings_are_marked_with_their_sentence(code: str) -> None:
    language = languages.get(code)
    text = "".join(f"{heading}\nText 1。\n" for heading in HEADINGS[code])
    found = language.headings(text)
    sentences = language.sentences(text)
    assert [heading.text for heading in found] == HEADINGS[code]
    assert [sentences[heading.sentence] for heading in found] == HEADINGS[code]


@pytest.mark.parametrize("code", NO_HEADINGS)
def test_lines_that_only_look_like_headings(code: str) -> None:
    lines = NO_HEADINGS[code]
    assert languages.get(code).headings("\n\n".join(lines)) == []
