"""What holds for every pack that is registered: its examples, codes, lists and light imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gistmeter import languages
from gistmeter.core.errors import MissingDependency, UnknownName
from gistmeter.core.signature import describe
from gistmeter.languages import ja as japanese
from gistmeter.languages import ko as korean
from gistmeter.languages import lexicons
from gistmeter.languages.codes import folders
from gistmeter.languages.lexicons import GENERIC
from gistmeter.languages.paragraphs import heading_pattern
from gistmeter.languages.zh import words as chinese
from languages.pack_examples import CODES, PACKS, cases, examples, joined

FOLDER = Path(languages.__file__).parent
OURS = [languages.get(code) for code in folders()]
POLAR = [
    pack for pack in OURS if pack.reader is not None and lexicons.words(pack.lists, "positive")
]
LISTED = sorted({pack.lists for pack in POLAR})
# (positive, negative, negated)
POLARITIES = {
    "praise": (True, False, False),
    "blame": (False, True, False),
    "not_good": (False, True, True),  # praise denied: it blames
    "not_bad": (True, False, True),  # blame denied: it praises
    "denied": (False, False, True),  # a predicate without colour is denied
    "neutral": (False, False, False),
    "mixed": (True, True, False),
    "mixed_denied": (True, True, True),
}


def test_every_folder_of_a_language_is_found() -> None:
    present = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    named = {package.rpartition(".")[2] for package in folders().values()}
    assert present == named | {"generic", "polarity", "guard"}
    assert {pack.code for pack in OURS} == set(folders())
    documentation = (Path(__file__).parents[2] / "docs" / "languages.md").read_text("utf-8")
    assert not [code for code in folders() if f"`{code}`" not in documentation]


@pytest.mark.parametrize("code", PACKS)
def test_a_pack_has_examples_of_all_that_it_does(code: str) -> None:
    pack, held = languages.get(code), examples(code)
    wanted = {"texts", "sentences", "words", "content_words"}
    wanted |= {"polarity"} if pack.reader is not None else set()
    wanted |= {"normalised"} if pack.steps else set()
    headings = pack.splitter.heading or heading_pattern(pack.splitter.lists)
    wanted |= {"headings", "not_headings"} if headings != heading_pattern(GENERIC) else set()
    wanted |= {"number_words"} if lexicons.pairs(pack.lists, "numbers") else set()
    assert wanted <= {section for section, found in held.items() if found}
    assert set(held.get("polarity", {})) <= set(POLARITIES)


@pytest.mark.parametrize(("code", "_", "text"), cases("texts"))
def test_its_language_is_found(code: str, _: int, text: str) -> None:
    found = languages.detect([text])
    assert found.code == code
    assert languages.SOUND <= found.confidence <= 1
    assert languages.detect([text] * 5000).code == code


@pytest.mark.parametrize(("code", "text", "words"), cases("words"))
def test_words_stand_as_they_are_written(code: str, text: str, words: list[str]) -> None:
    assert languages.get(code).words(text) == words


@pytest.mark.parametrize(("code", "text", "words"), cases("content_words"))
def test_content_words_are_forms_without_stop_words(code: str, text: str, words: list[str]) -> None:
    assert languages.get(code).content_words(text) == words


@pytest.mark.parametrize(("code", "text", "expected"), cases("normalised"))
def test_normalise(code: str, text: str, expected: str) -> None:
    assert languages.get(code).normalise(text) == expected


@pytest.mark.parametrize(("code", "text", "expected"), cases("number_words"))
def test_number_words_become_digits(code: str, text: str, expected: str) -> None:
    assert languages.get(code).number_words(text) == expected


@pytest.mark.parametrize(("code", "_", "expected"), cases("sentences"))
def test_sentences_of_a_paragraph(code: str, _: int, expected: list[str]) -> None:
    language = languages.get(code)
    assert language.sentences(joined(language, expected)) == expected


@pytest.mark.parametrize("code", PACKS)
def test_headings_are_marked_with_their_sentence(code: str) -> None:
    language, expected = languages.get(code), examples(code).get("headings", [])
    text = "".join(f"{heading}\nText 1。\n" for heading in expected)
    found, sentences = language.headings(text), language.sentences(text)
    assert [heading.text for heading in found] == expected
    assert [sentences[heading.sentence] for heading in found] == expected


@pytest.mark.parametrize(("code", "_", "line"), cases("not_headings"))
def test_lines_that_only_look_like_headings(code: str, _: int, line: str) -> None:
    assert languages.get(code).headings(f"{line}\n\nText.") == []


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        pytest.param(code, text, POLARITIES[kind], id=f"{code}:{text}")
        for code in PACKS
        for kind, texts in examples(code).get("polarity", {}).items()
        for text in texts
    ],
)
def test_polarity_reads_negation_with_its_scope(
    code: str, text: str, expected: tuple[bool, bool, bool]
) -> None:
    found = languages.get(code).polarity(text)
    assert (found.positive, found.negative, found.negated) == expected, found


@pytest.mark.parametrize("code", CODES)
def test_a_pack_says_what_it_is(code: str) -> None:
    language = languages.get(code)
    assert language.code == code
    assert language.id.startswith(f"{code}(")
    assert "absent" not in language.id
    assert languages.get(code) is language
    assert describe(language) == language.id
    assert hash(language)
    assert code == "generic" or language.name


def test_which_languages_have_no_spaces() -> None:
    unspaced = {pack.code for pack in OURS if not pack.spaced}
    assert unspaced >= {"zh", "zh-Hant", "ja", "th"}
    for code in ("yue", "wuu", "lo", "km", "my", "bo", "nan-Hani", "zh-HK"):
        assert not languages.get(code).spaced, code
    for code in ("fr", "nan", "ko", "generic", "tlh"):
        assert languages.get(code).spaced, code


def test_ids_differ_wherever_answers_may() -> None:
    packs = [languages.get(code) for code in CODES]
    packs += [languages.get("zh", tokenizer=name) for name in languages.TOKENIZERS]
    assert len({pack.id for pack in packs}) == len(packs)


def test_an_unknown_tokenizer_says_which_exist() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'jieba'"):
        languages.get("zh", tokenizer="jeiba")


@pytest.mark.parametrize(
    "file", sorted(FOLDER.rglob("*.txt")), ids=lambda file: f"{file.parent.name}/{file.stem}"
)
def test_a_list_names_its_source_and_licence_and_repeats_nothing(file: Path) -> None:
    first, *lines = file.read_text(encoding="utf-8").splitlines()
    assert first.startswith("# ")
    assert "MIT" in first
    assert lines
    paired = ("abbreviations", "numbers", "alphabets", "counts", "units", "times", "quantities")
    columns = 2 if file.stem in (*paired, "comparisons", "clocks") else 1
    words = {line.rsplit(maxsplit=1)[0] if columns == 2 else line for line in lines}
    assert len(words) == len(lines)
    assert all(line == line.strip() and line for line in lines)


@pytest.mark.parametrize("lists", LISTED)
def test_polar_words_are_many_and_of_one_kind(lists: str) -> None:
    positive, negative = (lexicons.words(lists, name) for name in ("positive", "negative"))
    assert min(len(positive), len(negative)) > 400
    assert not positive & negative
    assert not lexicons.words(lists, "stopwords") & lexicons.words(lists, "negations")


@pytest.mark.parametrize(
    ("module", "load", "extra"),
    [
        ("jieba", chinese.segmenter, "zh"),
        ("opencc", lambda: chinese.converter("t2s"), "zh"),
        ("fugashi", japanese.tagger, "ja"),
        ("kiwipiepy", korean.analyser, "ko"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    module: str, load: object, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loader in (chinese.segmenter, chinese.converter, japanese.tagger, korean.analyser):
        loader.cache_clear()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependency, match=rf"'{module}'.*gistmeter\[{extra}\]"):
        load()  # type: ignore[operator]


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )


def test_nothing_heavy_is_imported_until_it_is_used() -> None:
    code = """
import sys
from gistmeter import languages
for code in languages.codes_with_packs():
    pack = languages.get(code)
    pack.id, pack.sentences("One. Two."), pack.headings("Chapter I")
languages.detect(["成功和失败都与同一个人有关"])
heavy = {"numpy", "jieba", "opencc", "fugashi", "kiwipiepy", "simplemma", "py3langid"}
print(sorted(heavy & set(sys.modules)))
"""
    assert run(code).stdout == "[]\n"


def test_jieba_neither_reads_nor_writes_the_temporary_folder_nor_speaks(tmp_path: Path) -> None:
    import marshal

    poison = {"不": 0, "不可": 0, "可能": 9}
    (tmp_path / "jieba.cache").write_bytes(marshal.dumps((poison, 9)))
    before = (tmp_path / "jieba.cache").read_bytes()
    code = "from gistmeter import languages; print(*languages.get('zh').words('成功和失败'))"
    done = run(code, TMPDIR=str(tmp_path), PYTHONIOENCODING="utf-8")
    assert done.stdout.split() == ["成功", "和", "失败"]
    assert done.stderr == ""
    assert [path.name for path in tmp_path.iterdir()] == ["jieba.cache"]
    assert (tmp_path / "jieba.cache").read_bytes() == before


def test_plain_jieba_is_jieba(tmp_path: Path) -> None:
    text = "他来到了网易杭研大厦，比喻成功与失败都由于同一个人"
    code = f"""
import logging, jieba
jieba.setLogLevel(logging.ERROR)
print(jieba.lcut({text!r}))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
    )
    assert str(languages.get("zh", tokenizer="jieba").words(text)) == done.stdout.strip()
