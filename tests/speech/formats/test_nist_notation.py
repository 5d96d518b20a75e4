"""STM and CTM with sclite's meaning; where sclite is installed, its own numbers."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gistmeter import score_speech
from gistmeter.speech.formats.nist_notation import choose, read_slots
from gistmeter.speech.formats.pairing import pair_files

SCLITE = shutil.which("sclite") or shutil.which("/usr/lib/sctk/bin/sclite")

# Every word is right: alternatives, an optional hesitation, a fragment, two channels, a passage
# that is not to be scored. sclite -D -F counts 15 words and no error but the last.
STM = """\
;; two channels of one call
call A ada 0.0 4.0 <o,f0,female> we met in { nineteen / 19 } rooms { um / @ } today
call A ada 6.0 8.0 <o,,> ignore_time_segment_in_scoring
call A ada 9.0 12.0 <o,f0,female> (uh) nothing more
call B ben 0.5 4.5 <o,f0,male> (%hesitation) yes the budg- was fine
"""
CTM = """\
call A 0.1 0.2 we
call A 0.5 0.2 met
call A 1.0 0.2 in
call A 1.5 0.2 19
call A 2.0 0.2 rooms
call A 3.0 0.2 today
call A 6.5 0.2 noise
call A 7.0 0.2 more
call A 9.1 0.2 nothing
call A 11.0 0.2 more
call A 13.0 0.2 tail
call B 1.0 0.2 yes
call B 1.5 0.2 the
call B 2.0 0.2 budget
call B 2.5 0.2 was
call B 3.0 0.2 fine
"""


def files(folder: Path, said: str, heard: str) -> tuple[Path, Path]:
    paths = folder / "ref.stm", folder / "hyp.ctm"
    for path, text in zip(paths, (said, heard), strict=True):
        path.write_text(text, "utf-8")
    return paths


def edits(said: Path, heard: Path) -> dict[str, int]:
    run = score_speech(said, heard, language="en", metrics=["wer"], normalizer="none")
    found: dict[str, int] = run.notes["edits"]["hyp"]
    return found


def test_channels_alternatives_optional_words_and_ignored_regions(tmp_path: Path) -> None:
    said, heard = files(tmp_path, STM, CTM)
    clips = pair_files(said, [heard]).clips
    assert {clip.id: (clip.expected, clip.got, clip.speaker) for clip in clips} == {
        "call-0-4": ("we met in 19 rooms today", "we met in 19 rooms today", "ada"),
        "call-9-12": ("nothing more", "nothing more tail", "ada"),
        "call-0.5-4.5": ("yes the budget was fine", "yes the budget was fine", "ben"),
    }
    assert edits(said, heard) == {
        "words_expected": 15, "matches": 15, "insertions": 1, "deletions": 0, "substitutions": 0,
    }  # fmt: skip


def test_how_the_files_were_read_is_said(tmp_path: Path) -> None:
    said, heard = files(tmp_path, STM, CTM)
    remarks = "\n".join(pair_files(said, [heard]).remarks)
    assert "read as STM segments, with 2 speakers, 2 channels, times, 1 segments that" in remarks
    assert "read as CTM words, with 2 channels, times" in remarks
    assert "words by their times, as sclite does" in remarks


@pytest.mark.parametrize(
    ("text", "heard", "expected", "excused"),
    [
        ("{ nineteen / 19 / @ } rooms", "19 rooms", "19 rooms", 0),
        ("{ nineteen / 19 / @ } rooms", "rooms", "rooms", 0),
        ("{ going to / gonna } leave", "gonna leave", "gonna leave", 0),
        ("{ { a / b } c / d } e", "b c e", "b c e", 0),
        ("(um) yes (uh)", "yes", "yes", 2),
        ("(um) yes", "um yes", "um yes", 0),
        ("{ um / @ } yes", "Yes,", "yes", 0),
        ("a { b c", "a b c", "a { b c", 0),  # braces that never close are words
    ],
)
def test_the_nearest_reading_counts(text: str, heard: str, expected: str, excused: int) -> None:
    chosen = choose(text, heard.split())
    assert (chosen.text, chosen.excused) == (expected, excused)


def test_slots_of_a_text() -> None:
    assert [slot.choices for slot in read_slots("a { b / @ } (c)")] == [
        (("a",),), (("b",), ()), (("c",), ()),
    ]  # fmt: skip


def sclite(said: Path, heard: Path) -> tuple[int, int]:
    """Words and errors, summed over sclite's utterances."""
    command = [str(SCLITE), "-r", said, "stm", "-h", heard, "ctm", "-D", "-F", "-o", "pralign",
               "stdout"]  # fmt: skip
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^Scores: \(#C #S #D #I\) (\d+) (\d+) (\d+) (\d+)$", shown, re.MULTILINE)
    right, changed, lost, more = (sum(int(row[at]) for row in rows) for at in range(4))
    return right + changed + lost, changed + lost + more


@pytest.mark.skipif(SCLITE is None, reason="sclite is not installed (Debian package sctk)")
@pytest.mark.parametrize("seed", range(8))
def test_counts_are_those_of_sclite(tmp_path: Path, seed: int) -> None:
    """Calls of two channels with few errors: there sclite's weights do not change their number."""
    draw = random.Random(seed)
    words = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    ]
    stm, ctm = [], []
    for channel in "AB":
        time = draw.random()
        for number in range(12):
            end = time + 5
            spoken = draw.sample(words, 6)
            if number == 5:
                written = ["IGNORE_TIME_SEGMENT_IN_SCORING"]
            else:
                written = [*spoken[:3], f"{{ {spoken[3]} / @ }}", f"({spoken[4]})", spoken[5]]
            stm.append(f"call {channel} {channel} {time:.2f} {end:.2f} {' '.join(written)}")
            for at, word in enumerate(spoken):
                if draw.random() > 0.15:
                    heard = "wrong" if draw.random() < 0.1 else word
                    ctm.append(f"call {channel} {time + at * 0.8:.2f} 0.3 {heard}")
            time = end + draw.random() * 2
            if draw.random() < 0.3:
                ctm.append(f"call {channel} {time - 0.2:.2f} 0.1 gap")
    said, heard_file = files(tmp_path, "\n".join(stm), "\n".join(ctm))
    own = edits(said, heard_file)
    wrong = sum(own[name] for name in ("substitutions", "deletions", "insertions"))
    assert (own["words_expected"], wrong) == sclite(said, heard_file)
