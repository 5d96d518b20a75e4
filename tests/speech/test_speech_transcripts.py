"""Transcripts in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import system_names
from gistmeter.speech.formats.pairing import pair_files
from gistmeter.speech.formats.utterances import read_transcripts
from gistmeter.speech.read import read_alternatives, read_assets, read_clip_table


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
