"""A report carries recordings of the folder that was given, and no other file."""

from __future__ import annotations

import base64
import io
import wave
from dataclasses import replace
from pathlib import Path

import pytest

from gistmeter import load_run
from gistmeter.cli import app

SECRET = b"-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXktdjE"


def sound(value: int) -> bytes:
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(bytes([value]) * 400)
    return stream.getvalue()


def said(content: bytes) -> str:
    return base64.b64encode(content).decode()


@pytest.fixture
def project(in_folder: Path) -> Path:
    """A cloned folder beside what is private."""
    (in_folder / "private").mkdir()
    (in_folder / "private" / "key.wav").write_bytes(SECRET)
    (in_folder / "private" / "memo.wav").write_bytes(sound(7))
    (in_folder / "project" / "clips").mkdir(parents=True)
    (in_folder / "project" / "clips" / "0.wav").write_bytes(sound(1))
    return in_folder / "project"


def report_of(project: Path, audio: str) -> str:
    table = f"file,expected,got,audio\n1,it rains,it rains,{audio}\n2,hello,hello,clips/0.wav\n"
    (project / "clips.csv").write_text(table)
    arguments = ["speech", str(project / "clips.csv"), "-o", "run", "--metrics", "wer", "-q"]
    arguments += ["--language", "en", "--resamples", "0", "--overwrite"]
    assert app.main(arguments, standalone_mode=False) == 0
    return Path("run/report.html").read_text(encoding="utf-8")


def link(project: Path, name: str, target: str) -> None:
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).symlink_to(target)


WAYS = {
    "a link to a key": ("clips/1.wav", "../../private/key.wav"),
    "a link to a recording": ("clips/1.wav", "../../private/memo.wav"),
    "a link within the folder": ("clips/1.wav", "0.wav"),
    "a folder that is a link": ("more", "../private"),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_link_is_followed(way: str, project: Path) -> None:
    name, target = WAYS[way]
    link(project, name, target)
    page = report_of(project, name if name.endswith("wav") else f"{name}/memo.wav")
    assert page.count("data:audio/wav;base64,") == 1
    assert said(sound(1)) in page
    assert said(SECRET)[:40] not in page
    assert said(sound(7)) not in page


@pytest.mark.parametrize("way", ["above", "absolute", "through a link and back"])
def test_nothing_outside_is_taken(way: str, project: Path) -> None:
    link(project, "aside", "../private")
    (project.parent / "x.wav").write_bytes(sound(7))
    names = {
        "above": "../private/memo.wav", "absolute": str(project.parent / "private" / "memo.wav"),
        "through a link and back": "aside/../x.wav",
    }  # fmt: skip
    page = report_of(project, names[way])
    assert said(sound(7)) not in page
    assert "memo.wav" not in page.replace(names[way], "")
    assert page.count("data:audio/wav;base64,") == 1


@pytest.mark.parametrize("content", [SECRET, b"RIFF" + SECRET, b"", sound(3)[:-9], b"fLaC" * 99])
def test_what_does_not_play_is_not_carried(content: bytes, project: Path) -> None:
    (project / "clips" / "1.wav").write_bytes(content)
    page = report_of(project, "clips/1.wav")
    assert page.count("data:audio/wav;base64,") == 1
    assert not content or said(content)[:-4] not in page


def test_a_report_made_later_carries_only_what_the_run_heard(project: Path) -> None:
    """Neither a file that took the place of a recording, nor one that a forger names."""
    report_of(project, "clips/0.wav")
    (project / "clips" / "0.wav").write_bytes(sound(9))
    assert app.main(["report", "run", "-o", "late.html"], standalone_mode=False) == 0
    page = Path("late.html").read_text(encoding="utf-8")
    assert "data:audio" not in page

    run = load_run(Path("run"))
    assert run.rows is not None
    names = [str(project.parent / "private" / "memo.wav")] * len(run.rows)
    forged = run.rows.with_texts({"audio": names})
    replace(run, rows=forged).report("forged.html")
    assert said(sound(7)) not in Path("forged.html").read_text(encoding="utf-8")
