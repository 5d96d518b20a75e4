"""What holds for every pack: codes, ids, lists, light imports and missing packages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gistmeter import languages
from gistmeter.errors import MissingDependency, UnknownName
from gistmeter.languages import lexicons
from gistmeter.languages.analysers import chinese, japanese, korean, lemmas
from gistmeter.signature import describe

DATA = Path(languages.__file__).parent / "data"
LISTED = ("zh", "ja", "ko", "en", "cs", "ru")


@pytest.mark.parametrize("code", languages.CODES)
def test_a_pack_says_what_it_is(code: str) -> None:
    language = languages.get(code)
    assert language.code == code
    assert language.id.startswith(f"{code}(")
    assert "absent" not in language.id
    assert languages.get(code) is language
    assert describe(language) == language.id


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("zh-CN", "zh"),
        ("zh_TW", "zh-Hant"),
        ("ZH-hant", "zh-Hant"),
        ("zh-Hant-HK", "zh-Hant"),
        ("en-GB", "en"),
        ("ru_RU", "ru"),
        ("fr", "fr"),
        ("th", "th"),
    ],
)
def test_codes_are_read_in_their_usual_spellings(asked: str, given: str) -> None:
    assert languages.get(asked).code == given


def test_spaces() -> None:
    spaced = {code: languages.get(code).spaced for code in (*languages.CODES, "th", "fr")}
    assert [code for code, has in spaced.items() if not has] == ["zh", "zh-Hant", "ja", "th"]


def test_ids_differ_wherever_answers_may() -> None:
    packs = [languages.get(code) for code in languages.CODES]
    packs += [languages.get("zh", tokenizer=name) for name in languages.TOKENIZERS]
    assert len({pack.id for pack in packs}) == len(packs)


def test_an_unknown_tokenizer_says_which_exist() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'jieba'"):
        languages.get("zh", tokenizer="jeiba")


@pytest.mark.parametrize("file", sorted(DATA.rglob("*.txt")), ids=lambda file: file.parent.name)
def test_a_list_names_its_source_and_licence_and_repeats_nothing(file: Path) -> None:
    first, *lines = file.read_text(encoding="utf-8").splitlines()
    assert first.startswith("# ")
    assert "MIT" in first
    assert lines
    columns = 2 if file.stem in ("abbreviations", "numbers") else 1
    words = {line.rsplit(maxsplit=1)[0] if columns == 2 else line for line in lines}
    assert len(words) == len(lines)
    assert all(line == line.strip() and line for line in lines)


@pytest.mark.parametrize("code", LISTED)
def test_polar_words_are_many_and_of_one_kind(code: str) -> None:
    positive, negative = (lexicons.words(code, name) for name in ("positive", "negative"))
    assert min(len(positive), len(negative)) > 400
    assert not positive & negative
    assert not lexicons.words(code, "stopwords") & lexicons.words(code, "negations")


@pytest.mark.parametrize(
    ("module", "name", "load", "extra"),
    [
        ("jieba", "segmenter", chinese.segmenter, "zh"),
        ("opencc", "converter", lambda: chinese.converter("t2s"), "zh"),
        ("fugashi", "tagger", japanese.tagger, "ja"),
        ("kiwipiepy", "analyser", korean.analyser, "ko"),
        ("simplemma", "lemmatizer", lambda: lemmas.lemmatizer("cs"), "cs"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    module: str, name: str, load: object, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loader in (chinese.segmenter, chinese.converter, japanese.tagger, korean.analyser):
        loader.cache_clear()
    lemmas.lemmatizer.cache_clear()
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
for code in languages.CODES:
    pack = languages.get(code)
    pack.id, pack.sentences("One. Two."), pack.headings("Chapter I")
heavy = {"numpy", "jieba", "opencc", "fugashi", "kiwipiepy", "simplemma", "lingua"}
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
