"""Sentences and headings, as books have them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gistmeter import languages
from gistmeter.languages import generic
from gistmeter.languages.sentences import CLOSERS
from languages.pack_examples import CODES

# As the generic pack reads them; packs have examples of their own.
PARAGRAPHS = {
    "fr": ["« Quoi ? » dit M. Dupont.", "Il partit.", "« Non ! »", "Elle rit."],
    "hi": ["यह एक वाक्य है।", "यह दूसरा है।"],
}


@pytest.mark.parametrize("code", PARAGRAPHS)
def test_sentences_of_a_paragraph(code: str) -> None:
    assert generic.pack(code).sentences(" ".join(PARAGRAPHS[code])) == PARAGRAPHS[code]


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


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("text", ["", "  ", "\n\n\u3000"])
def test_no_text_has_no_sentences(code: str, text: str) -> None:
    assert languages.get(code).sentences(text) == []
    assert languages.get(code).simple_sentences(text) == []


MARKS = "。！？!?.…；;，,\"'“”‘’「」『』（）()»«—– \n\u3000\r\t"
BOOKISH = st.text(st.sampled_from(MARKS + "aAbB你好です가나1一第章"), max_size=80)


@pytest.mark.parametrize("code", CODES)
@given(text=BOOKISH | st.text(max_size=60))
@example(text=". . . A\x1c”")
def test_only_white_space_is_lost(code: str, text: str) -> None:
    language = languages.get(code)
    bare = "".join(text.split())
    assert "".join("".join(language.sentences(text)).split()) == bare
    assert "".join("".join(language.simple_sentences(text)).split()) == bare
    spans = language.splitter.spans(text)
    assert all(one.end <= other.start for one, other in pairwise(spans))


@pytest.mark.parametrize("code", CODES)
@given(text=BOOKISH)
def test_no_sentence_is_only_a_closing_quote(code: str, text: str) -> None:
    sentences = languages.get(code).sentences(text)
    if len(sentences) > 1:
        assert all(set(sentence) - set(CLOSERS) for sentence in sentences)


def test_the_simple_rule() -> None:
    text = "Mr. X came; he left! “好。”他说；走了\nEnd. 3.5"
    assert languages.simple_sentences(text) == [
        "Mr. X came; he left!",
        "“好。",
        "”他说；走了 End. 3.5",
    ]


def test_headings_of_a_language_without_a_pack() -> None:
    found = generic.pack("de").headings("Kapitel 3\n\nText.\n\n## Ende\n\nText.")
    assert [heading.text for heading in found] == ["Kapitel 3", "## Ende"]
