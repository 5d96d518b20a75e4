"""Programs that print the text."""

from __future__ import annotations

import asyncio
import dataclasses
import shlex
import sys
from pathlib import Path

import pytest

from gistmeter.core.errors import InputError
from gistmeter.speech.recognizers.benchmark import Transcript, resolve, transcribe
from gistmeter.speech.recognizers.program import Command
from speech.recognizers.recognizer_doubles import QUICK, clip


def program(code: str) -> str:
    return f"command:{sys.executable} -c {shlex.quote(code)}"


def hear(name: str, folder: Path, **settings: float) -> Transcript:
    [recognizer] = resolve([name]).recognizers.values()
    audio = clip(folder, seconds=0.5).audio or ""
    return asyncio.run(transcribe(recognizer, audio, dataclasses.replace(QUICK, **settings), "ja"))


def test_the_file_is_the_last_argument(tmp_path: Path) -> None:
    code = "import sys, wave; print(wave.open(sys.argv[-1]).getnframes())"
    assert hear(program(code), tmp_path).text == "8000"


def test_places_are_filled_in(tmp_path: Path) -> None:
    code = "import sys; print(sys.argv[1:])"
    text = hear(program(code) + " --file={audio} -l {language} end", tmp_path).text
    assert "clip.wav', '-l', 'ja', 'end']" in text
    assert text.startswith("['--file=/")


def test_other_scripts_come_through(tmp_path: Path) -> None:
    code = "import sys; sys.stdout.buffer.write('  こんにちは 世界\\n'.encode())"
    assert hear(program(code), tmp_path).text == "こんにちは 世界"


def test_a_program_that_fails(tmp_path: Path) -> None:
    code = "import sys; print('half a text'); sys.exit('no model here')"
    transcript = hear(program(code), tmp_path)
    assert (transcript.text, transcript.tries) == ("", 3)
    assert transcript.error.endswith("ended with 1: no model here")


def test_a_program_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "still there"
    late = f"import time, pathlib; time.sleep(1.5); pathlib.Path({str(mark)!r}).touch()"
    child = f"{shlex.quote(sys.executable)} -c {shlex.quote(late)}"
    transcript = hear(
        f"command:sh -c {shlex.quote(child + '; true')}",
        tmp_path, timeout=0.3, timeout_factor=0, tries=1,
    )  # fmt: skip
    assert "no complete answer" in transcript.error
    asyncio.run(asyncio.sleep(2))
    assert not mark.exists()


def test_no_shell_is_involved(tmp_path: Path) -> None:
    mark = tmp_path / "made"
    text = hear(f"command:echo $HOME; touch {mark}", tmp_path).text
    assert text.startswith(f"$HOME; touch {mark}")
    assert not mark.exists()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("command:", "PROGRAM ARGUMENTS"),
        ("command:no-such-program-anywhere x", "no program 'no-such-program-anywhere'"),
        ("command:echo 'unfinished", "cannot be split"),
    ],
)
def test_commands_that_cannot_be_used(name: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        resolve([name])


def test_the_id_names_all_that_could_change_the_text() -> None:
    assert Command(("a b", "--model", "x")).id == "command:'a b' --model x"
