"""What was said and what was heard, brought together by id, by line, by time or as one text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gistmeter.cli import app
from gistmeter.core.errors import InputError
from gistmeter.core.files import system_names
from gistmeter.speech.formats.pairing import pair_files


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_pairs_are_matched_by_id_and_the_rest_is_said(tmp_path: Path) -> None:
    said = write(tmp_path, "ref.txt", "1\tone\n2\ttwo\n3\tthree\n")
    heard = write(tmp_path, "hyp.txt", "3\ttree\n1\tone\n9\tnine\n")
    found = pair_files(said, [heard])
    assert [(clip.id, clip.expected, clip.got, clip.system) for clip in found.clips] == [
        ("1", "one", "one", "hyp"),
        ("2", "two", None, "hyp"),
        ("3", "three", "tree", "hyp"),
    ]
    assert "1 clips (2)" in found.remarks[0] and "1 clips (9)" in found.remarks[1]


def test_ids_cannot_steer_the_terminal(tmp_path: Path) -> None:
    said = write(tmp_path, "ref.txt", "1\tone\n\x1b[2J\u202e2\ttwo\n")
    [remark] = pair_files(said, [write(tmp_path, "hyp.txt", "1\tone\n")]).remarks
    assert "\x1b" not in remark and "\u202e" not in remark


def test_single_texts_are_a_pair_whatever_their_names(tmp_path: Path) -> None:
    said, heard = write(tmp_path, "a.txt", "one two"), write(tmp_path, "b.txt", "one too")
    [clip] = pair_files(said, [heard]).clips
    assert (clip.id, clip.expected, clip.got, clip.system) == ("a", "one two", "one too", "b")


def test_an_empty_transcript_file_is_silence(tmp_path: Path) -> None:
    said, heard = write(tmp_path, "a.txt", "one two"), write(tmp_path, "b.txt", "\n")
    assert pair_files(said, [heard]).clips[0].got == ""
    keyed = write(tmp_path, "c.txt", "1\tone\n2\ttwo\n")
    assert [clip.got for clip in pair_files(keyed, [heard]).clips] == ["", ""]


def test_files_that_do_not_fit_are_errors(tmp_path: Path) -> None:
    keyed, one = write(tmp_path, "a.txt", "1\tone\n"), write(tmp_path, "b.txt", "one two")
    other, empty = write(tmp_path, "c.txt", "7\tone\n"), write(tmp_path, "d.txt", " ")
    for said, heard, message in (
        (keyed, one, "is one text"),
        (one, keyed, "has clips with ids"),
        (keyed, other, "no id in common"),
        (empty, one, "is empty"),
        (tmp_path / "absent.txt", one, "no such file"),
    ):
        with pytest.raises(InputError, match=message):
            pair_files(said, [heard])


def test_systems_are_named_by_stems_and_folders_where_they_repeat(tmp_path: Path) -> None:
    names = system_names([tmp_path / "x" / "out.txt", tmp_path / "y" / "out.txt", Path("z.txt")])
    assert names == ["x/out", "y/out", "z"]
    with pytest.raises(InputError, match="twice"):
        system_names([Path("z.txt"), Path("z.txt")])


# Seven words were said, two are wrong: 28.57%, whatever the form. Ids counted as words gave 22.22%.
SAID = {"c1": "turn on the light", "c2": "call my mother"}


HEARD = {"c1": "turn on a light", "c2": "call my brother"}


FAST = ("--metrics", "wer", "--language", "en", "--no-report", "--format", "json")


def kaldi(texts: dict[str, str]) -> str:
    return "".join(f"{key} {text}\n" for key, text in texts.items())


def plain(texts: dict[str, str]) -> str:
    return "".join(f"{text}\n" for text in texts.values())


def stm(texts: dict[str, str]) -> str:
    lines = [f"call 1 ada {at}.0 {at + 1}.0 <o,f0> {t}" for at, t in enumerate(texts.values())]
    return ";; comment\n" + "\n".join(lines) + "\n"


def ctm(texts: dict[str, str]) -> str:
    return "".join(
        f"call 1 {at + number / 10:.2f} 0.1 {word} 0.9\n"
        for at, text in enumerate(texts.values())
        for number, word in enumerate(text.split())
    )


def srt(texts: dict[str, str]) -> str:
    return "\n".join(
        f"{at + 1}\n00:00:0{at},000 --> 00:00:0{at + 1},500\n<i>{text}</i>\n"
        for at, text in enumerate(texts.values())
    )


def files(folder: Path, said: str, heard: str) -> tuple[Path, Path]:
    paths = folder / "ref.txt", folder / "hyp.txt"
    for path, text in zip(paths, (said, heard), strict=True):
        path.write_text(text, "utf-8")
    return paths


def score(*arguments: str | Path) -> tuple[Any, str]:
    result = CliRunner().invoke(app, ["speech", *map(str, arguments), *FAST])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["systems"], result.stderr


def test_subtitles_against_one_text(in_folder: Path) -> None:
    ref, hyp = files(in_folder, "turn on the light call my mother", srt(HEARD))
    assert score("--expected", ref, "--got", hyp)[0]["hyp"]["scores"]["wer"][
        "value"
    ] == pytest.approx(100 * 2 / 7)


def test_words_with_times_go_to_their_segments(tmp_path: Path) -> None:
    ref, hyp = files(tmp_path, stm(SAID), ctm(HEARD))
    clips = pair_files(ref, [hyp]).clips
    assert [(clip.expected, clip.got, clip.speaker) for clip in clips] == [
        ("turn on the light", "turn on a light", "ada"),
        ("call my mother", "call my brother", "ada"),
    ]


def test_unequal_numbers_of_lines_are_an_error_with_both(in_folder: Path) -> None:
    ref, hyp = files(in_folder, "one two\nthree\nfour\n", "one two\nthree four\n")
    with pytest.raises(InputError, match=r"has 3 lines and .*hyp.txt has 2.*--whole"):
        pair_files(ref, [hyp])
    # The advice, followed to the letter.
    [clip] = pair_files(ref, [hyp], "whole").clips
    assert clip.expected.split() == clip.got.split()  # type: ignore[union-attr]


def test_an_empty_line_is_an_utterance_that_was_not_heard(tmp_path: Path) -> None:
    ref, hyp = files(tmp_path, "one\ntwo\nthree\n", "one\n\nthree\n")
    assert [clip.got for clip in pair_files(ref, [hyp]).clips] == ["one", "", "three"]


def test_lines_and_whole_decide(in_folder: Path) -> None:
    ref, hyp = files(in_folder, kaldi(SAID), kaldi(HEARD))
    wrong = 100 * 2 / 9
    for option in ("--lines", "--whole"):
        systems, _ = score("--expected", ref, "--got", hyp, option, "--normalizer", "seed")
        assert systems["hyp"]["scores"]["wer"]["value"] == pytest.approx(wrong)
    result = CliRunner().invoke(
        app, ["speech", "--expected", "ref.txt", "--got", "hyp.txt", "--lines", "--whole"]
    )
    assert result.exit_code == 2 and "contradict" in result.stderr


def test_ids_in_one_file_only_are_refused(tmp_path: Path) -> None:
    ref, hyp = files(tmp_path, kaldi(SAID), plain(HEARD))
    with pytest.raises(InputError, match=r"begin every line with an id \('c1'\).*--lines"):
        pair_files(ref, [hyp])
    ref, hyp = files(tmp_path, kaldi(SAID), kaldi({"d1": "turn on", "d2": "call"}))
    with pytest.raises(InputError, match="no id in common"):
        pair_files(ref, [hyp])


def test_folders_on_both_sides_are_matched_by_stem(in_folder: Path) -> None:
    for folder, texts in (("said", SAID), ("base", HEARD), ("big.v2", SAID)):
        Path(folder).mkdir()
        for key, text in texts.items():
            Path(folder, f"{key}.txt").write_text(text)
    systems, _ = score("--expected", "said", "--got", "base", "--got", "big.v2")
    assert list(systems) == ["base", "big.v2"]
    assert systems["base"]["scores"]["wer"]["value"] == pytest.approx(100 * 2 / 7)
    assert systems["big.v2"]["scores"]["wer"]["value"] == 0
