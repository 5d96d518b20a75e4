"""Small files that once took hours, or ended in a traceback, are read or refused at once."""

from __future__ import annotations

import json
import math
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gistmeter import score_speech, score_text
from gistmeter.book.read import read_texts
from gistmeter.core import configuration
from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.core.files import DEEPEST, parse_json
from gistmeter.core.rows import Rows
from gistmeter.core.table import read_table
from gistmeter.core.types import MOST_COMPARED, MOST_READ, Clip, Pair
from gistmeter.parse.read import read_weights
from gistmeter.speech.formats.nist_notation import MOST_PATHS, choose, read_slots
from gistmeter.speech.formats.pairing import pair_files
from gistmeter.speech.formats.speakers import Meeting
from gistmeter.speech.formats.timed import TimedText
from gistmeter.speech.formats.utterances import read_transcripts
from gistmeter.speech.metrics.fact_answers import SemanticFact, Verdict, check
from gistmeter.speech.metrics.meetings import TOO_MANY, diarisation
from gistmeter.tools.drift import verdicts_of

BRIEF = 20.0  # processor seconds, of what took hours
NINES = "9" * 5000


@pytest.fixture
def brief() -> Any:
    """Whatever a test does takes little time."""
    began = time.process_time()
    yield
    assert time.process_time() - began < BRIEF


def heard(text: str, name: str = "x.txt") -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        (folder / name).write_text(text, "utf-8")
        return read_transcripts(folder / name)

    return read


def table(text: str, name: str = "x.jsonl") -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        (folder / name).write_text(text, "utf-8")
        return read_table(folder / name)

    return read


def book(text: str, name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        (folder / name).write_text(text, "utf-8")
        return read_texts(folder / name)

    return read


def config(text: str) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        (folder / "x.toml").write_text(text, "utf-8")
        return configuration.profiles(folder / "x.toml", trust=True)

    return read


def weights(folder: Path) -> object:
    (folder / "x.json").write_text(f'{{"NOUN": {"9" * 400}}}', "utf-8")
    return read_weights(folder / "x.json", "lemma")


SEGMENT = {"session_id": "m", "speaker": "a", "words": "x", "start_time": 0}
SERVICE = {"text": "x", "segments": [{"text": "x", "start": 10**400, "end": 1}]}
NESTED = "[" * 950 + "]" * 950


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize(
    "read",
    [
        heard(f"WEBVTT\n\n{NINES}:00:00.000 --> 00:00:01.000\nx\n"),
        heard(f"1\n{'9' * 400}:00:00,000 --> 00:00:01,000\nx\n"),
        heard(f"m 1 a {'9' * 400} {NINES} x\nm 1 a 1 2 y\n"),
        heard(f"{NINES} a\n{NINES}1 b\n"),
        heard(f"[{NINES}:10:10] Anna: a\nBob: b\nAnna: c\nBob: d\n"),
        heard(json.dumps([{**SEGMENT, "end_time": 10**400}]), "x.json"),
        heard(json.dumps([{**SEGMENT, "end_time": math.nan}]), "x.json"),
        heard(json.dumps([{**SEGMENT, "end_time": "inf"}]), "x.json"),
        heard(json.dumps(SERVICE), "x.json"),
        heard(f"a (1)\nb{' ' * 200_000}c\n"),
        heard(f"WEBVTT\n\n00:00.000 --> 00:01.000\n<v{' ' * 100_000}x\n"),
        table(f'{{"id": "1", "messages": {NESTED}}}\n'),
        table(f'{{"id": "1", "text": {NESTED}}}\n'),
        table(f'{{"id": {NINES}}}\n'),
        table(" " * 9 + "\n" * 9, "x.txt"),
        book(f'{{"a": {NINES}}}', "x.json"),
        book('<meta charset="undefined"><p>Some words.', "x.html"),
        book('<meta charset="idna"><p>' + "x" * 90, "x.html"),
        book('<meta charset="punycode">-' + "a" * 200_000, "x.html"),
        config(f"seed = {NINES}"),
        config("seed = " + "[" * 5000 + "]" * 5000),
        config("a." * 100_000 + "a = 1"),
        config("\n".join("a." * keys + "b = 1" for keys in range(1, 3000))),
        weights,
    ],
)
def test_an_odd_file_is_read_or_refused(read: Callable[[Path], object], tmp_path: Path) -> None:
    try:
        read(tmp_path)
    except GistmeterError as error:
        assert str(error)


@pytest.mark.usefixtures("brief")
def test_alternatives_within_alternatives_do_not_multiply() -> None:
    (slot,) = read_slots("{ " + "{ a / b } " * 60 + "}")
    assert len(slot.choices) == MOST_PATHS
    assert len(read_slots("{ " * 20_000)) == 20_000
    assert read_slots("{ " * 5000 + "x" + " }" * 5000)
    assert read_slots("{ a { b }")[-1].choices == (("b",),)
    with pytest.raises(InputError, match="pairs of words"):
        choose("(um) a " * 5000, ["a"] * 10_000)


@pytest.mark.usefixtures("brief")
def test_a_crowd_of_speakers_is_refused(tmp_path: Path) -> None:
    said, got = tmp_path / "said.stm", tmp_path / "got.stm"
    said.write_text("".join(f"m 1 s{at} {at} {at + 1} a\n" for at in range(2000)), "utf-8")
    got.write_text("".join(f"m 1 t{at} {at} {at + 2} a\n" for at in range(2000)), "utf-8")
    with pytest.raises(InputError, match="2,000 speakers"):
        pair_files(said, [got])


@pytest.mark.usefixtures("brief")
def test_many_segments_are_cut_in_one_pass() -> None:
    chain = tuple(TimedText("m", "", at, at + 1.5, "ab"[at % 2]) for at in range(20_000))
    assert len(diarisation(Meeting("m", chain, chain), 0.25)) == len(chain)
    heap = tuple(TimedText("m", "", at, 9e5 - at, "a") for at in range(20_000))
    assert diarisation(Meeting("m", heap, heap), 0.0) == TOO_MANY


def test_times_that_run_backwards_are_a_reason(tmp_path: Path) -> None:
    pytest.importorskip("meeteval")
    said, got = tmp_path / "said.stm", tmp_path / "got.stm"
    said.write_text("m 1 a 0 2 it rains\nm 1 b 3 2.5 we left\n", "utf-8")
    got.write_text("m 1 x 0 2.1 it rains\nm 1 y 2.5 3.1 we left\n", "utf-8")
    run = score_speech(said, got, language="en", metrics=["wer", "tcpwer"], resamples=0)
    assert "a segment ends before it begins" in run.systems["got"]["tcpwer"].reasons


def test_json_is_nested_within_reason() -> None:
    assert parse_json("[" * DEEPEST + "]" * DEEPEST)
    for text in ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), b'{"a":' * 500 + b"1" + b"}" * 500):
        with pytest.raises(ValueError, match="nested too deeply"):
            parse_json(text)


def test_damaged_verdicts_of_an_old_run_are_passed_over() -> None:
    rows = replace(
        Rows.of([Clip("1", "x", "y"), Clip("2", "x", "y")]),
        texts={"facts": ["[1, {}", '[{"verdict": 3}, {"subject": "x", "verdict": "both"}]']},
    )
    assert list(verdicts_of(rows)) == [("system", "2", "x", "", "")]


def test_a_word_without_end_is_looked_up_in_facts() -> None:
    """Its beginnings of every length took the square of it in memory."""
    told = SemanticFact("x" * 20_000, "is", "y", Verdict.BOTH)
    check([told], "it is", "is it")
    tracemalloc.start()
    try:
        checked = check([told], "x" * 20_000 + " is y", "x" * 20_000 + " is not y")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert checked.facts == (told,)


LONG = "rain " * (MOST_READ // 5) + "ends"


@pytest.mark.usefixtures("brief")
def test_an_item_beyond_its_budget_is_unscored_with_the_reason() -> None:
    reason = f"more than {MOST_READ:,} characters to compare"
    run = score_text(
        ["it rains", LONG], [["it rained"], ["rain"]], language="en",
        metrics=["s_info", "alarms"], resamples=0,
    )  # fmt: skip
    assert run.systems["system"]["s_info"].reasons == {reason: 1}
    assert run.systems["system"]["s_info"].value == 0.5
    assert run.measured.texts["prediction"][1] == LONG
    alone = score_speech([LONG], [LONG], language="en", metrics=["wer", "alarms"], resamples=0)
    assert math.isnan(alone.systems["system"]["wer"].value)
    assert alone.unscored == {reason: 1}
    zero = score_text(
        [LONG], [["rain"]], language="en", metrics=["s_info"], resamples=0,
        missing_prediction="zero",
    )  # fmt: skip
    assert math.isnan(zero.systems["system"]["s_info"].value)


def test_the_budget_counts_size_and_operations() -> None:
    text = "a" * 600_000
    assert not Clip("1", text, text[:400_000]).burden.excess
    assert f"{MOST_COMPARED:,} pairs" in Clip("1", text, text).burden.excess
    many = Pair("1", "a" * 10_000, ("b",) * 1000)
    assert f"{MOST_READ:,} characters" in many.burden.excess
    assert not Pair("1", None, ("b",)).burden.excess
