"""Manifests, SegLST, Kaldi's data folders, and subtitles that roll."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gistmeter import score_speech
from gistmeter.core.errors import FormatError, InputError
from gistmeter.speech.formats.pairing import pair_files
from gistmeter.speech.formats.utterances import read_transcripts

NEMO = [
    {"audio_filepath": "wavs/a.wav", "duration": 1.5, "text": "turn on the light",
     "pred_text": "turn on a light"},
    {"audio_filepath": "wavs/b.wav", "duration": 1.2, "text": "call my mother",
     "pred_text": "call my brother"},
]  # fmt: skip


def lines(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_nemo_manifests_on_both_sides(tmp_path: Path) -> None:
    said = lines(tmp_path / "test.json", [{**row, "pred_text": ""} for row in NEMO])
    heard = lines(tmp_path / "conformer.json", NEMO[::-1])
    found = pair_files(said, [heard])
    assert [(clip.id, clip.expected, clip.got) for clip in found.clips] == [
        ("a", "turn on the light", "turn on a light"),
        ("b", "call my mother", "call my brother"),
    ]
    assert found.clips[0].audio == str(tmp_path / "wavs/a.wav")
    assert "a manifest of utterances of NeMo, 2 utterances" in "\n".join(found.remarks)


@pytest.mark.parametrize("suffix", [".jsonl", ".json"])
def test_one_nemo_manifest_is_a_table(tmp_path: Path, suffix: str) -> None:
    manifest = lines(tmp_path / f"conformer{suffix}", NEMO)
    run = score_speech(table=manifest, language="en", metrics=["wer"])
    assert run["wer"].value == pytest.approx(100 * 2 / 7)


def test_an_utterance_twice_is_an_error_with_its_line(tmp_path: Path) -> None:
    manifest = lines(tmp_path / "a.json", [NEMO[0], NEMO[1], NEMO[0]])
    with pytest.raises(FormatError, match=r"line 3.*'a' twice"):
        read_transcripts(manifest)


def test_a_kaldi_folder_has_texts_and_speakers(tmp_path: Path) -> None:
    data = tmp_path / "test"
    data.mkdir()
    (data / "text").write_text("ada-1 turn on the light\nben-1 call my mother\n", "utf-8")
    (data / "utt2spk").write_text("ada-1 ada\nben-1 ben\n", "utf-8")
    (data / "wav.scp").write_text("ada-1 wavs/1.wav\nben-1 sph2pipe x.sph |\n", "utf-8")
    hyp = tmp_path / "hyp.txt"
    hyp.write_text("ben-1 call my brother\nada-1 turn on a light\n", "utf-8")
    clips = pair_files(data, [hyp]).clips
    assert [(clip.id, clip.got, clip.speaker) for clip in clips] == [
        ("ada-1", "turn on a light", "ada"), ("ben-1", "call my brother", "ben"),
    ]  # fmt: skip
    assert [clip.audio for clip in clips] == [str(data / "wavs/1.wav"), None]


def test_seglst_keeps_times_and_speakers(tmp_path: Path) -> None:
    parts = [
        {"session_id": "m", "speaker": "ada", "words": "turn on", "start_time": "0.5",
         "end_time": 1.5},
        {"session_id": "m", "speaker": "ben", "words": "call me", "start_time": 2, "end_time": 3},
    ]  # fmt: skip
    path = tmp_path / "ref.json"
    path.write_text(json.dumps(parts), "utf-8")
    pieces = read_transcripts(path).pieces
    assert [(piece.speaker, piece.start, piece.text) for piece in pieces] == [
        ("ada", 0.5, "turn on"), ("ben", 2.0, "call me"),
    ]  # fmt: skip
    path.write_text(json.dumps([{**parts[0], "start_time": "soon"}]), "utf-8")
    with pytest.raises(FormatError, match="not a number of seconds"):
        read_transcripts(path)


YOUTUBE = """\
WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.230 align:start position:0%
 
turn<00:00:00.400><c> on</c><00:00:00.640><c> the</c><00:00:01.000><c> light</c>

00:00:02.230 --> 00:00:02.240 align:start position:0%
turn on the light
 

00:00:02.240 --> 00:00:04.000 align:start position:0%
turn on the light
call<00:00:02.500><c> my</c><00:00:02.900><c> mother</c>

00:00:04.000 --> 00:00:04.010 align:start position:0%
call my mother
 

00:00:04.010 --> 00:00:06.000 align:start position:0%
call my mother
call<00:00:04.300><c> her</c><00:00:04.500><c> now</c>
"""  # noqa: W293


def test_rolling_captions_are_read_once(tmp_path: Path) -> None:
    heard = tmp_path / "video.vtt"
    heard.write_text(YOUTUBE, "utf-8")
    said = tmp_path / "said.txt"
    said.write_text("turn on the light call my mother call her now", "utf-8")
    run = score_speech(said, heard, language="en", metrics=["wer"])
    assert run["wer"].value == 0
    assert any("YouTube's rolling captions" in remark for remark in run.remarks)
    assert [piece.start for piece in read_transcripts(heard).pieces] == [0.16, 2.24, 4.01]


def test_rolling_captions_are_known_without_the_times_of_words(tmp_path: Path) -> None:
    """As tools make SRT of them."""
    lines = ["turn on the light", "call my mother", "call her now"]
    cues = [[lines[0]], [lines[0]], lines[:2], [lines[1]], lines[1:], [lines[2]]]
    heard, said = tmp_path / "video.srt", tmp_path / "said.txt"
    heard.write_text("".join(
        f"{at}\n00:00:{at:02},000 --> 00:00:{at + 1:02},000\n" + "\n".join(shown) + "\n\n"
        for at, shown in enumerate(cues, 1)
    ), "utf-8")  # fmt: skip
    said.write_text(" ".join(lines), "utf-8")
    run = score_speech(said, heard, language="en", metrics=["wer"])
    assert run["wer"].value == 0
    plain = [["no"], ["no way"], ["no"], ["no"], ["you did"]]  # said twice, and not rolling
    heard.write_text("".join(
        f"{at}\n00:00:{at:02},000 --> 00:00:{at + 1:02},000\n{shown[0]}\n\n"
        for at, shown in enumerate(plain, 1)
    ), "utf-8")  # fmt: skip
    assert read_transcripts(heard).whole == "no no way no no you did"


def test_voices_of_a_vtt_are_speakers(tmp_path: Path) -> None:
    path = tmp_path / "a.vtt"
    path.write_text(
        "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ada>turn on\n\n00:01.000 --> 00:02.500\n"
        "<v.loud Ben Nowak>call me</v>\n",
        "utf-8",
    )
    assert [(p.speaker, p.text, p.end) for p in read_transcripts(path).pieces] == [
        ("Ada", "turn on", 1.0), ("Ben Nowak", "call me", 2.5),
    ]  # fmt: skip


def test_an_rttm_against_words_is_an_error(tmp_path: Path) -> None:
    rttm = tmp_path / "a.rttm"
    rttm.write_text("SPEAKER m 1 0.0 2.0 <NA> <NA> ada <NA> <NA>\n", "utf-8")
    said = tmp_path / "said.txt"
    said.write_text("turn on", "utf-8")
    with pytest.raises(InputError, match="no speakers to compare with"):
        pair_files(said, [rttm])
