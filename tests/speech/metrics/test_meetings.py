"""Meetings: values by hand, MeetEval's own numbers, and md-eval's where they are installed."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gistmeter import score_speech
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.run import Run
from gistmeter.core.slices import slice_run
from gistmeter.speech.formats.pairing import pair_files
from gistmeter.speech.formats.speakers import Meeting, assign, match_streams
from gistmeter.speech.formats.timed import TimedText
from gistmeter.speech.metrics.meetings import diarisation

MD_EVAL = Path("/usr/lib/sctk/bin/md-eval.pl")

# Ada and Ben speak over each other; the system has other names for them and other segments.
SAID = [("ada", 0.0, 3.0, "we should ship on friday"), ("ben", 1.0, 4.0, "no it is not ready yet"),
        ("ada", 5.0, 7.0, "then monday"), ("ben", 7.5, 9.0, "monday is fine")]  # fmt: skip
HEARD = [("spk1", 1.0, 4.1, "no it is not ready yet"), ("spk1", 7.4, 9.0, "monday is fine"),
         ("spk0", 0.1, 7.0, "we should ship on friday then monday")]  # fmt: skip


def seglst(path: Path, pieces: list[tuple[str, float, float, str]], session: str = "m") -> Path:
    parts = [
        {"session_id": session, "speaker": who, "words": text, "start_time": start, "end_time": end}
        for who, start, end, text in pieces
    ]
    path.write_text(json.dumps(parts), "utf-8")
    return path


def score(folder: Path, said: Any, heard: Any, *metrics: str) -> Run:
    files = seglst(folder / "said.json", said), seglst(folder / "heard.json", heard)
    return score_speech(*files, language="en", normalizer="none", metrics=list(metrics))


def test_other_names_and_other_segments_are_no_errors(tmp_path: Path) -> None:
    run = score(tmp_path, SAID, HEARD, "wer", "cpwer", "der")
    assert (run["wer"].value, run["cpwer"].value) == (0, 0)
    clips = pair_files(tmp_path / "said.json", [tmp_path / "heard.json"])
    assert [(clip.speaker, clip.got) for clip in clips.clips] == [
        (who, text) for who, _, _, text in SAID
    ]
    assert "each speaker with the one of the system that fits best" in "\n".join(clips.remarks)


def test_words_given_to_the_wrong_speaker_are_errors(tmp_path: Path) -> None:
    swapped = [*HEARD[:1], ("spk0", 7.4, 9.0, "monday is fine"), HEARD[2]]
    run = score(tmp_path, SAID, swapped, "cpwer")
    assert run["cpwer"].value == pytest.approx(100 * 6 / 16)  # three lost, three too many


def test_a_speaker_who_was_nobody_is_insertions(tmp_path: Path) -> None:
    more = [*HEARD, ("spk9", 9.0, 9.5, "bye bye")]
    run = score(tmp_path, SAID, more, "wer", "cpwer")
    assert run["cpwer"].value == run["wer"].value == pytest.approx(100 * 2 / 16)


def test_words_with_times_are_read_as_their_turns(tmp_path: Path) -> None:
    """Two hundred thousand is one number, in JSON with a time for every word too."""
    said = [("ada", 0.0, 3.0, "the budget is two hundred thousand euros"),
            ("ben", 3.5, 6.0, "send it at nine thirty")]  # fmt: skip
    words = [
        (f"spk{at}", start + number / 4, start + number / 4 + 0.2, word)
        for at, (_, start, _, text) in enumerate(said)
        for number, word in enumerate(text.split())
    ]
    files = seglst(tmp_path / "said.json", said), seglst(tmp_path / "heard.json", words)
    run = score_speech(*files, language="en", metrics=["wer", "cpwer"])
    assert (run["wer"].value, run["cpwer"].value) == (0, 0)
    if importlib.util.find_spec("meeteval"):
        run = score_speech(*files, language="en", metrics=["tcpwer", "orcwer"])
        assert (run["tcpwer"].value, run["orcwer"].value) == (0, 0)


def test_turns_of_named_speakers_need_no_times(tmp_path: Path) -> None:
    said, heard = tmp_path / "said.txt", tmp_path / "heard.txt"
    said.write_text("Ada: ship on friday\nBen: not ready yet\nAda: then monday\n", "utf-8")
    heard.write_text("Speaker 1: Ship on Friday.\nSpeaker 2: not ready yet\n"
                     "Speaker 1: then Sunday\n", "utf-8")  # fmt: skip
    run = score_speech(said, heard, language="en", metrics=["wer", "cpwer"])
    assert run["cpwer"].value == pytest.approx(100 * 1 / 8)
    assert any("turns of speakers" in remark for remark in run.remarks)


def test_systems_without_speakers_have_the_same_clips_and_it_is_said(tmp_path: Path) -> None:
    said, heard, plain = tmp_path / "said.txt", tmp_path / "a.txt", tmp_path / "b.txt"
    said.write_text("Ada: ship on friday\nBen: not ready yet\nAda: then monday\n", "utf-8")
    heard.write_text("Speaker 1: ship on friday\nSpeaker 2: not ready yet\n"
                     "Speaker 2: then monday\n", "utf-8")  # fmt: skip
    plain.write_text("ship on friday not ready yet then sunday", "utf-8")
    run = score_speech(said, [heard, plain], language="en", metrics=["wer", "cpwer"])
    assert run.systems["a"]["wer"].value == pytest.approx(100 * 4 / 8)
    assert run.systems["b"]["wer"].value == pytest.approx(100 * 1 / 8)
    assert run.systems["a"]["wer"].n == run.systems["b"]["wer"].n == 3
    assert any(
        "errors of a and not of b, without speakers" in " ".join(remark.split())
        for remark in run.remarks
    )
    assert run.unscored["the system tells no speakers apart"] == 3


def test_labels_are_left_out_where_one_side_has_them(tmp_path: Path) -> None:
    said, heard = tmp_path / "said.txt", tmp_path / "heard.txt"
    said.write_text("ship on friday not ready yet then monday", "utf-8")
    heard.write_text("Ada: ship on friday\nBen: not ready yet\nAda: then monday\n", "utf-8")
    assert score_speech(said, heard, language="en", metrics=["wer"])["wer"].value == 0


def test_a_list_of_remarks_is_no_dialogue(tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    said.write_text("Note: buy milk\nWarning: it is hot\nTip: use gloves\n", "utf-8")
    assert len(pair_files(said, [said]).clips) == 3


def test_an_rttm_has_diarisation_errors_only(tmp_path: Path) -> None:
    said, heard = tmp_path / "said.rttm", tmp_path / "heard.rttm"
    said.write_text("SPEAKER m 1 0.0 4.0 <NA> <NA> ada <NA> <NA>\n"
                    "SPEAKER m 1 4.0 4.0 <NA> <NA> ben <NA> <NA>\n", "utf-8")  # fmt: skip
    heard.write_text("SPEAKER m 1 0.0 5.0 <NA> <NA> x <NA> <NA>\n"
                     "SPEAKER m 1 5.0 4.0 <NA> <NA> y <NA> <NA>\n", "utf-8")  # fmt: skip
    run = score_speech(said, heard, language="en", metrics=["der"])
    assert run["der"].value == pytest.approx(100 * 2 / 8)  # a second of the wrong one, one too many
    with pytest.raises(InputError, match="--metrics der"):
        score_speech(said, heard, language="en")


def test_scores_of_meetings_need_speakers(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="speakers on both sides"):
        score_speech(["turn on"], ["turn on"], language="en", metrics=["cpwer"])


def test_the_assignment_is_the_cheapest() -> None:
    scipy = pytest.importorskip("scipy.optimize")
    draw = random.Random(3)
    for _ in range(50):
        rows, columns = draw.randint(1, 5), draw.randint(5, 7)
        costs = [[draw.randint(-9, 9) for _ in range(columns)] for _ in range(rows)]
        chosen = assign(costs)
        best = scipy.linear_sum_assignment(costs)
        assert len(set(chosen)) == rows
        assert sum(costs[at][to] for at, to in enumerate(chosen)) == sum(
            costs[at][to] for at, to in zip(*best, strict=True)
        )
    assert match_streams([["a"]], []) == [0]


def made(draw: random.Random) -> tuple[list[Any], list[Any]]:
    """A meeting of three, and what a poor system makes of it."""
    words = ["one", "two", "three", "four", "five", "six", "seven"]
    said, heard, time = [], [], 0.0
    for _ in range(14):
        who = draw.choice(["ada", "ben", "cyd"])
        text = [draw.choice(words) for _ in range(draw.randint(1, 6))]
        length = 0.4 * len(text)
        said.append((who, round(time, 2), round(time + length, 2), " ".join(text)))
        stream = {"ada": "s2", "ben": "s0", "cyd": "s1"}[who]
        stream = draw.choice(["s0", "s1", "s2", "s3"]) if draw.random() < 0.2 else stream
        kept = [draw.choice(words) if draw.random() < 0.2 else word for word in text
                if draw.random() > 0.1]  # fmt: skip
        if kept:
            shift = draw.uniform(-0.5, 0.5)
            start = max(0.0, round(time + shift, 2))
            heard.append((stream, start, round(start + length, 2), " ".join(kept)))
        time += length + draw.uniform(-0.3, 1.0)
    return said, heard


@pytest.mark.parametrize("seed", range(6))
def test_rates_are_those_of_meeteval(tmp_path: Path, seed: int) -> None:
    meeteval = pytest.importorskip("meeteval")
    said, heard = made(random.Random(seed))
    run = score(tmp_path, said, heard, "cpwer", "tcpwer", "orcwer", "wer")
    files = [
        meeteval.io.asseglst(json.loads((tmp_path / name).read_text("utf-8")))
        for name in ("said.json", "heard.json")
    ]
    expected = {
        "cpwer": meeteval.wer.combine_error_rates(meeteval.wer.cpwer(*files)),
        "tcpwer": meeteval.wer.combine_error_rates(meeteval.wer.tcpwer(*files, collar=5)),
        "orcwer": meeteval.wer.combine_error_rates(meeteval.wer.orcwer(*files)),
    }
    for name, rate in expected.items():
        assert run[name].value == pytest.approx(100 * rate.error_rate), name
    assert run["wer"].value == pytest.approx(run["cpwer"].value)


def test_long_meetings_have_the_rate_of_meetevals_greedy_search(tmp_path: Path) -> None:
    meeteval = pytest.importorskip("meeteval")
    parts = [made(random.Random(seed)) for seed in range(8)]
    said, heard = (
        [(who, start + 60 * at, end + 60 * at, text)
         for at, part in enumerate(parts) for who, start, end, text in part[side]]
        for side in (0, 1)
    )  # fmt: skip
    run = score(tmp_path, said, heard, "orcwer", "cpwer")
    files = [
        meeteval.io.asseglst(json.loads((tmp_path / name).read_text("utf-8")))
        for name in ("said.json", "heard.json")
    ]
    rate = meeteval.wer.combine_error_rates(meeteval.wer.greedy_orcwer(*files))
    assert run["orcwer"].value == pytest.approx(100 * rate.error_rate)
    assert run["orcwer"].value < run["cpwer"].value


@pytest.mark.skipif(
    not MD_EVAL.is_file() or not shutil.which("perl"), reason="md-eval is not installed (sctk)"
)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("collar", [0.0, 0.25])
def test_diarisation_errors_are_those_of_md_eval(tmp_path: Path, seed: int, collar: float) -> None:
    sides = made(random.Random(seed))
    for name, pieces in zip(("ref", "hyp"), sides, strict=True):
        lines = [f"SPEAKER m 1 {start:.2f} {end - start:.2f} <NA> <NA> {who} <NA> <NA>\n"
                 for who, start, end, _ in pieces]  # fmt: skip
        (tmp_path / f"{name}.rttm").write_text("".join(lines), "utf-8")
    # Without it md-eval does not see what is heard before and after all that was said.
    (tmp_path / "all.uem").write_text("m 1 0.00 100.00\n", "utf-8")
    command = ["perl", str(MD_EVAL), "-c", str(collar), "-u", "all.uem", "-r", "ref.rttm",
               "-s", "hyp.rttm"]  # fmt: skip
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    found = re.search(r"OVERALL SPEAKER DIARIZATION ERROR = ([\d.]+) percent", shown)
    assert found
    pieces = [tuple(TimedText("m", "", start, end, who) for who, start, end, _ in side)
              for side in sides]  # fmt: skip
    shares = diarisation(Meeting("m", pieces[0], pieces[1], words=False), collar)
    rate = 100 * sum(error for error, _ in shares) / sum(size for _, size in shares)
    assert rate == pytest.approx(float(found[1]), abs=0.011)


def test_the_report_has_a_timeline(tmp_path: Path) -> None:
    files = seglst(tmp_path / "said.json", SAID), seglst(tmp_path / "heard.json", HEARD)
    run = score_speech(*files, language="en", metrics=["cpwer"], output=[tmp_path / "run"])
    assert run.path is not None
    timeline = json.loads((run.path / "details" / "meetings.json").read_text("utf-8"))["heard"]["m"]
    assert timeline["said"][0] == ["ada", 0.0, 3.0, 0.0, 5.0]
    assert timeline["heard"][0] == ["spk0", 0.1, 7.0]
    assert '"k":"timeline"' in (run.path / "report.html").read_text("utf-8")


def test_the_timeline_says_which_systems_tell_no_speakers_apart(tmp_path: Path) -> None:
    said = seglst(tmp_path / "said.json", SAID)
    heard = seglst(tmp_path / "heard.json", HEARD)
    plain = tmp_path / "plain.ctm"
    plain.write_text("m 1 0.0 1.0 hello\n", encoding="utf-8")
    run = score_speech(said, [heard, plain], language="en", metrics=["wer"],
                       output=[tmp_path / "run"])  # fmt: skip
    assert run.path is not None
    page = (run.path / "report.html").read_text("utf-8")
    assert "Drawn: heard. Without speakers: plain." in page


def test_a_meeting_is_shown_by_speaker(tmp_path: Path) -> None:
    files = seglst(tmp_path / "said.json", SAID), seglst(tmp_path / "heard.json", HEARD)
    run = score_speech(*files, language="en", metrics=["wer"])
    assert "ada" in slice_run(run, "speaker").parts
    alone = score_speech(["one two"] * 3, {"a": ["one two"] * 3}, language="en", metrics=["wer"])
    with pytest.raises(UnknownName, match="speaker"):
        slice_run(alone, "speaker")
