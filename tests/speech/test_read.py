"""Tables and folders of clips."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gistmeter import score_speech
from gistmeter.cli import app
from gistmeter.core.errors import FormatError, InputError
from gistmeter.speech.read import read_alternatives, read_assets, read_clip_table


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_wide_table(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "File,Expected,alpha,beta,latency\na,one two,one,one two,3\n")
    clips = read_clip_table(path).clips
    assert [(clip.id, clip.got, clip.system) for clip in clips] == [
        ("a", "one", "alpha"),
        ("a", "one two", "beta"),
    ]


def test_a_long_table(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "t.tsv",
        "file\tprovider\treference\thypothesis\tspeaker\n"
        "a\talpha\tone\tone\tAda\na\tbeta\tone\t\tAda\n",
    )
    clips = read_clip_table(path).clips
    assert [(clip.id, clip.system, clip.got, clip.cluster) for clip in clips] == [
        ("a", "alpha", "one", "Ada"),
        ("a", "beta", "", "Ada"),
    ]


def test_a_table_of_one_system_is_named_by_its_file(tmp_path: Path) -> None:
    path = write(tmp_path, "whisper.csv", "expected,got\none,one\ntwo,too\n")
    clips = read_clip_table(path).clips
    assert [(clip.id, clip.system) for clip in clips] == [("1", "whisper"), ("2", "whisper")]


def test_a_missing_cell_is_no_transcript(tmp_path: Path) -> None:
    path = write(
        tmp_path, "t.jsonl", '{"expected": "one", "a": null}\n{"expected": "x", "a": ""}\n'
    )
    assert [clip.got for clip in read_clip_table(path).clips] == [None, ""]


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "Gold text,alpha\none,one\n")
    with pytest.raises(FormatError, match=r"no column 'expected'.*'Gold text', 'alpha'"):
        read_clip_table(path)
    assert read_clip_table(path, {"expected": "Gold text"}).clips[0].expected == "one"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,expected\na,one\n", "no column with a system's transcripts"),
        ("file,system,expected\na,x,one\n", "none named 'got'"),
        ("file,expected,x\na,one,one\na,two,two\n", "'a' of 'x' twice"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_clip_table(write(tmp_path, "t.csv", text))


def test_assets_are_sounds_with_texts(tmp_path: Path) -> None:
    for name in ("b.wav", "a.flac", "c.wav"):
        write(tmp_path, name, b"RIFF")
    write(tmp_path, "b.txt", "bee\tbuzz\n")
    write(tmp_path, "a.txt", "")
    found = read_assets(tmp_path)
    assert [(clip.id, clip.expected) for clip in found.clips] == [("a", ""), ("b", "bee\tbuzz")]
    assert found.remarks == ("c.wav: left out, c.txt with its text is not beside it",)


def test_assets_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        read_assets(tmp_path / "x")
    with pytest.raises(InputError, match="no sound files"):
        read_assets(tmp_path)
    write(tmp_path, "b.wav", b"RIFF")
    with pytest.raises(InputError, match="has its text beside it"):
        read_assets(tmp_path)


def test_alternatives(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "# British\ncolour = color\n\ndvakrát = 2x = 2 x  # twice\n")
    assert read_alternatives(path) == (("colour", "color"), ("dvakrát", "2x", "2 x"))
    with pytest.raises(FormatError, match="line 2"):
        read_alternatives(write(tmp_path, "b.txt", "a = b\ncolour\n"))
    with pytest.raises(InputError, match="names no alternatives"):
        read_alternatives(write(tmp_path, "c.txt", "# nothing\n"))


def test_beside_other_systems_every_column_keeps_its_name(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "file,expected,output,whisper\n1,one,won,one\n")
    assert [clip.system for clip in read_clip_table(path).clips] == ["output", "whisper"]


# Seven words were said, two are wrong: 28.57%, whatever the form. Ids counted as words gave 22.22%.
SAID = {"c1": "turn on the light", "c2": "call my mother"}


HEARD = {"c1": "turn on a light", "c2": "call my brother"}


FAST = ("--metrics", "wer", "--language", "en", "--no-report", "--format", "json")


def kaldi(texts: dict[str, str]) -> str:
    return "".join(f"{key} {text}\n" for key, text in texts.items())


def score(*arguments: str | Path) -> tuple[Any, str]:
    result = CliRunner().invoke(app, ["speech", *map(str, arguments), *FAST])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["systems"], result.stderr


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


def test_times_of_a_table_are_scored(tmp_path: Path) -> None:
    table = tmp_path / "results.tsv"
    table.write_text(
        "provider\tfile\texpected\tgot\tlatency\n"
        "a\t1\tturn on\tturn on\t0.5\na\t2\tturn off\tturn off\t1.5\n",
        "utf-8",
    )
    run = score_speech(table=table, language="en", metrics=["latency"])
    assert run["latency"].value == 1.0
    table.write_text(table.read_text("utf-8").replace("1.5", "fast"), "utf-8")
    with pytest.raises(FormatError, match=r"line 3, column latency: has 'fast'"):
        score_speech(table=table, language="en", metrics=["latency"])


def test_times_that_nobody_took_are_refused_with_what_to_do() -> None:
    with pytest.raises(InputError, match="column 'latency' in seconds"):
        score_speech(["turn on"], ["turn on"], language="en", metrics=["latency"])


def test_silent_and_hopeless_systems_do_not_vanish(tmp_path: Path) -> None:
    table = write(
        tmp_path, "t.csv",
        "file,expected,good,silent,bad,notes,mood\n"
        "a,turn on the light,turn on the light,,banana pear apple kiwi,noisy street outside,ok\n"
        "b,call my mother,call my mother,,plum grape lemon,,fine\n",
    )  # fmt: skip
    found = read_clip_table(table)
    assert list(dict.fromkeys(clip.system for clip in found.clips)) == ["good", "silent", "bad"]
    remarks = "\n".join(found.remarks)
    assert "silent is empty: it heard nothing, and is read as a system" in remarks
    assert "bad shares hardly a word with what was said" in remarks
    assert "left out: notes" in remarks or "notes" in remarks
