"""The forms in which speech teams keep transcripts: each is read as it is, and that is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gistmeter.cli import app
from gistmeter.core.errors import FormatError
from gistmeter.speech.formats.pairing import pair_files
from gistmeter.speech.formats.utterances import read_transcripts

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


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_lines_with_ids_are_clips(tmp_path: Path) -> None:
    found = read_transcripts(write(tmp_path, "a.txt", "x1\tHello there\r\n\nx2\t\nx3\ta\tb\n"))
    assert found.keyed
    assert found.texts == {"x1": "Hello there", "x2": "", "x3": "a\tb"}


@pytest.mark.parametrize("text", ["\tHello\n", "Hello"])
def test_a_single_line_is_one_text(tmp_path: Path, text: str) -> None:
    found = read_transcripts(write(tmp_path, "a.txt", text))
    assert not found.keyed
    assert found.texts == {"a": text.strip()}


def test_a_separator_inside_of_a_text_does_not_end_it(tmp_path: Path) -> None:
    found = read_transcripts(write(tmp_path, "a.txt", "x1\tone\u2028two\x85three\nx2\tfour\n"))
    assert found.texts == {"x1": "one\u2028two\x85three", "x2": "four"}


def test_an_id_twice_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"line 3.*'x1' twice"):
        read_transcripts(write(tmp_path, "a.txt", "x1\ta\nx2\tb\nx1\tc\n"))


def test_encodings_are_found_and_guesses_said(tmp_path: Path) -> None:
    text = "Příliš žluťoučký kůň úpěl ďábelské ódy, a nikdo ho neslyšel."
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert read_transcripts(write(tmp_path, "a.txt", text.encode(encoding))).texts["a"] == text
    assert read_transcripts(write(tmp_path, "a.txt", text.encode("cp1250"))).guessed
