"""The forms in which speech teams keep transcripts: each is read as it is, and that is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gistmeter.cli import app
from gistmeter.core.errors import InputError
from gistmeter.speech.formats.pairing import pair_files
from gistmeter.speech.formats.utterances import read_transcripts
from gistmeter.speech.read import read_clip_table

# Seven words were said, two are wrong: 28.57%, whatever the form. Ids counted as words gave 22.22%.
SAID = {"c1": "turn on the light", "c2": "call my mother"}
HEARD = {"c1": "turn on a light", "c2": "call my brother"}
FAST = ("--metrics", "wer", "--language", "en", "--no-report", "--format", "json")


def kaldi(texts: dict[str, str]) -> str:
    return "".join(f"{key} {text}\n" for key, text in texts.items())


def trn(texts: dict[str, str]) -> str:
    return "".join(f"{text} ({key})\n" for key, text in texts.items())


def tab(texts: dict[str, str]) -> str:
    return "".join(f"{key}\t{text}\n" for key, text in texts.items())


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


def vtt(texts: dict[str, str]) -> str:
    cues = (f"00:0{at}.000 --> 00:0{at + 1}.000\n{t}\n" for at, t in enumerate(texts.values()))
    return "WEBVTT\n\nNOTE made by hand\n\n" + "\n".join(cues)


def files(folder: Path, said: str, heard: str) -> tuple[Path, Path]:
    paths = folder / "ref.txt", folder / "hyp.txt"
    for path, text in zip(paths, (said, heard), strict=True):
        path.write_text(text, "utf-8")
    return paths


def score(*arguments: str | Path) -> tuple[Any, str]:
    result = CliRunner().invoke(app, ["speech", *map(str, arguments), *FAST])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["systems"], result.stderr


@pytest.mark.parametrize(
    ("said", "heard", "told"),
    [
        (kaldi, kaldi, "Kaldi lines"),
        (trn, trn, "NIST trn"),
        (kaldi, trn, "Kaldi lines"),
        (tab, kaldi, "Kaldi lines"),
        (plain, plain, "one utterance per line, 2 utterances"),
        (stm, ctm, "STM segments"),
        (stm, stm, "STM segments"),
        (ctm, ctm, "CTM words"),
        (srt, srt, "SRT cues"),
        (vtt, srt, "WebVTT cues"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_every_form_gives_the_same_rate_and_says_what_it_is(
    in_folder: Path, said: Any, heard: Any, told: str
) -> None:
    ref, hyp = files(in_folder, said(SAID), heard(HEARD))
    systems, remarks = score("--expected", ref, "--got", hyp)
    assert systems["hyp"]["scores"]["wer"]["value"] == pytest.approx(100 * 2 / 7)
    assert told in remarks


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
        systems, _ = score("--expected", ref, "--got", hyp, option)
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


@pytest.mark.parametrize(
    "text",
    [
        "two people came\nthree people left\n",
        "5 people came\n3 people left\n",  # numbers that do not count the lines
        "mp3 players are sold here",
    ],
)
def test_words_are_not_taken_for_ids(tmp_path: Path, text: str) -> None:
    ref, _ = files(tmp_path, text, "")
    assert not read_transcripts(ref).leading


def test_a_text_that_an_editor_wrapped_is_one_text(tmp_path: Path) -> None:
    line = "the quick brown fox jumps over the lazy dog and runs away into the dark"
    ref, hyp = files(tmp_path, "\n".join([line] * 5), "\n".join([line] * 5))
    found = pair_files(ref, [hyp])
    assert len(found.clips) == 1
    assert "read as one text" in found.remarks[0]


def test_folders_on_both_sides_are_matched_by_stem(in_folder: Path) -> None:
    for folder, texts in (("said", SAID), ("base", HEARD), ("big.v2", SAID)):
        Path(folder).mkdir()
        for key, text in texts.items():
            Path(folder, f"{key}.txt").write_text(text)
    systems, _ = score("--expected", "said", "--got", "base", "--got", "big.v2")
    assert list(systems) == ["base", "big.v2"]
    assert systems["base"]["scores"]["wer"]["value"] == pytest.approx(100 * 2 / 7)
    assert systems["big.v2"]["scores"]["wer"]["value"] == 0


def test_assets_with_transcripts_that_are_there(in_folder: Path) -> None:
    Path("clips").mkdir()
    for key, text in SAID.items():
        Path("clips", f"{key}.wav").write_bytes(b"RIFF")
        Path("clips", f"{key}.txt").write_text(text)
    Path("hyp.txt").write_text(kaldi(HEARD))
    systems, _ = score("--assets", "clips", "--got", "hyp.txt")
    assert systems["hyp"]["scores"]["wer"]["value"] == pytest.approx(100 * 2 / 7)


WIDE = (
    "id,reference,whisper,vosk,duration_s,notes,audio,lang\n"
    "c1,turn on the light,turn on a light,turn of the light,3.4,the door is open,c1.wav,en\n"
    "c2,call my mother,call my brother,call mother,2.0,noisy,c2.wav,en\n"
)


def test_further_columns_of_a_wide_table_are_no_systems(in_folder: Path) -> None:
    Path("t.csv").write_text(WIDE)
    systems, remarks = score("t.csv")
    assert list(systems) == ["whisper", "vosk"]
    assert "left out: notes" in remarks and "--systems" in remarks
    systems, _ = score("t.csv", "--systems", "whisper,notes")
    assert list(systems) == ["whisper", "notes"]
    systems, _ = score("t.csv", "--column", "got=vosk", "--column", "got=whisper")
    assert list(systems) == ["vosk", "whisper"]


def test_a_column_that_names_sounds_is_played(tmp_path: Path) -> None:
    (tmp_path / "c1.wav").write_bytes(b"RIFF")
    path = tmp_path / "t.csv"
    path.write_text(WIDE)
    clips = read_clip_table(path).clips
    assert [clip.audio for clip in clips[:2]] == [str(tmp_path / "c1.wav"), None]


def test_columns_that_cannot_be_told_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("expected,a,b\nturn on the light,xx yy,zz\n")
    with pytest.raises(InputError, match="--systems HEADER"):
        read_clip_table(path)
    assert {clip.system for clip in read_clip_table(path, systems=["a", "b"]).clips} == {"a", "b"}
    with pytest.raises(InputError, match="column of a system"):
        read_clip_table(path, systems=["c"])
