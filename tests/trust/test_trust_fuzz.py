"""Whatever a file holds, the answer is a score in its range or a message; never anything else.

Files are made of sound ones in two ways: bytes are changed, which most readers refuse, or cells,
words and lines are, so that what comes out still parses and is scored.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import math
import random
import tempfile
import wave
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import polars
import pytest

from book.book_doubles import WordEmbedder
from book.formats.test_pdf import LINES, make_pdf
from gistmeter import Run, load_run, score_book, score_parses, score_speech, score_text
from gistmeter.book.read import read_texts
from gistmeter.core import configuration
from gistmeter.core.errors import GistmeterError
from gistmeter.core.files import printable
from gistmeter.core.signature import seal
from gistmeter.core.table import read_sheets
from gistmeter.languages import get
from gistmeter.models.env_file import filed_keys
from gistmeter.parse.formats.taxonomy import read_taxonomy
from gistmeter.parse.formats.treebank_tools import read_vocabulary
from gistmeter.parse.read import read_weights
from gistmeter.people.ledger import read_ledgers
from gistmeter.people.records import DecisionRecord, LabelRecord, Retraction, Selection
from gistmeter.people.validation import read_labels
from gistmeter.speech.formats.audio import read_audio
from gistmeter.speech.formats.nist_notation import choose as choose_words
from gistmeter.speech.formats.pairing import pair_files
from gistmeter.speech.metrics.fact_prompt import count_facts, fact_schema, facts_from_json
from gistmeter.speech.metrics.meetings import MeetingErrors
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.rates import ErrorRates
from gistmeter.speech.read import read_alternatives
from gistmeter.text.formats.predictions import read_predictions
from gistmeter.text.formats.references import read_references
from gistmeter.text.unwrapping import extract
from text.text_doubles import Given, Letters
from trust import foreign
from trust.payloads import ALL
from trust.scenes import SAMPLES, look_up_once
from trust.test_trust_readers import BODY, HEAD, workbook

TRIES, SAMPLE = 1000, 20
# The least share of changed files that must be scored, by the kind of file.
SCORED = {"xlsx": -1.0, "parquet": -1.0, "csv": 0.2, "tsv": 0.2, "predictions": 0.3, "book": 0.3,
          "books": 0.1, "conllu": 0.05, "json": 0.2, "jsonl": 0.2, "transcripts": 0.2,
          "csv cells": 0.8, "prediction cells": 0.8, "conllu cells": 0.5,
          "book texts": 0.6}  # fmt: skip
WORDS = (
    "", " ", "0", "-1", "1e999", "NaN", "null", "None", "真", "é", "e\u0301", "\ud800", "😀",
    "x" * 3000, "a b c", "||", ";", ",", "\t", '"', "'", "\\", "\r", "\n", "\u2028", "\x00", "٣",
    "ﬀ", "İ", "ß", "\u200d", "\ufeff", "no", "yes", "not", "it rains", "[]", "{}", "%", *ALL,
)  # fmt: skip
CSV = "id,system,expected,got,human\n" + "".join(
    f"{at},{system},it rains on day {at},it rained on day {at % 3},{at % 4}\n"
    for at in range(6)
    for system in "ab"
)
HEARD = "".join(f"{at}\tit rained on day {at}\n" for at in range(6))
PREDICTIONS = "idiom,prediction,reference\n" + "".join(
    f"idiom {at},it rains {at},it pours {at} || it rains\n" for at in range(6)
)
BOOKS = {
    "one": "It rained. We left early. Nobody came.",
    "two": "A dog slept. A cat sat. All was well.",
}
CONLLU = (
    "\n\n".join((SAMPLES / "parse/en-gold.conllu").read_text("utf-8").split("\n\n")[:4]) + "\n\n"
)
TAXONOMY = (SAMPLES / "parse/taxonomy.csv").read_text("utf-8")[:3000].rpartition("\n")[0] + "\n"
CONFIGURATION = 'seed = 3\n[text]\nlanguage = "en"\n[profiles.mine]\nembedder = "x"\n'


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    look_up_once(monkeypatch)


def records(text: str) -> list[dict[str, str]]:
    head, *lines = (line.split(",") for line in text.splitlines())
    return [dict(zip(head, line, strict=False)) for line in lines]


def parquet(rows: list[dict[str, Any]]) -> bytes:
    stream = io.BytesIO()
    polars.DataFrame(rows, strict=False).write_parquet(stream)
    return stream.getvalue()


def bitten(content: bytes, chance: random.Random) -> bytes:
    """Some bytes replaced, inserted or cut out."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(content))
        end = min(len(content), start + chance.randint(0, 8))
        word = chance.choice(WORDS).encode("utf-8", "replace")
        new = chance.choice((chance.randbytes(chance.randint(0, 6)), word))
        content = content[:start] + new + content[end:]
    return content


def reworded(text: str, chance: random.Random, marks: str) -> str:
    """Cells and lines exchanged for others, so that the file stays one of its kind."""
    lines = text.split("\n")
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(1, len(lines))
        kind = chance.randrange(4)
        if kind == 0:
            lines.insert(at, lines[chance.randrange(1, len(lines))])
        elif kind == 1 and len(lines) > 3:
            del lines[at]
        else:
            cells = lines[at].split(marks)
            word = chance.choice(WORDS).replace("\n", " ").replace(marks, " ").replace('"', "")
            cells[chance.randrange(len(cells))] = word
            lines[at] = marks.join(cells)
    return "\n".join(lines)


PLAIN = [
    word
    for word in WORDS
    if word.strip() and min(word) >= " " and max(word) != "\x7f" and "\ud800" not in word
]


def recelled(text: str, chance: random.Random, marks: str, columns: Sequence[int]) -> bytes:
    """Other words in some columns, so that nearly every file is read and scored."""
    lines = text.split("\n")
    filled = [at for at, line in enumerate(lines) if at and line.count(marks) >= max(columns)]
    for _ in range(chance.randint(1, 8)):
        at = chance.choice(filled)
        cells = lines[at].split(marks)
        words = " ".join(chance.choices(PLAIN, k=chance.randint(1, 3)))
        cells[chance.choice(columns)] = words.replace(marks, " ").replace('"', "")
        lines[at] = marks.join(cells)
    return "\n".join(lines).encode()


def retold(chance: random.Random) -> bytes:
    """Books of odd sentences."""
    books = {
        name: " ".join(f"{one}." for one in chance.choices([*PLAIN, text], k=chance.randint(1, 9)))
        for name, text in BOOKS.items()
    }
    return json.dumps(books).encode()


def revalued(document: Any, chance: random.Random) -> Any:
    """A JSON document in which a few values are others, or are missing."""
    document = json.loads(json.dumps(document))
    for _ in range(chance.randint(1, 3)):
        held, key = document, None
        while isinstance(held, dict | list) and held and (key is None or chance.random() < 0.8):
            key = chance.choice(list(held) if isinstance(held, dict) else range(len(held)))
            parent, held = held, held[key]
        if key is None:
            return document
        if chance.random() < 0.1:
            del parent[key]
        else:
            odd = chance.choice((*ODD, chance.choice(WORDS), chance.choice(WORDS)))
            parent[key] = copy.deepcopy(odd)
    return document


ODD = (None, 0, -1, 1e308, "", [], {}, True, "x", [[]])


def odd_lines(chance: random.Random) -> bytes:
    lines = [json.dumps(one).encode() for one in records(CSV)]
    lines[chance.randrange(len(lines))] = changed_json(chance.choice(records(CSV)), chance)
    return b"\n".join(lines)


def odd_cells(chance: random.Random) -> bytes:
    rows = [one for one in revalued(records(CSV), chance) if isinstance(one, dict)]
    return parquet([{name: printable(str(cell)) for name, cell in one.items()} for one in rows])


def changed(text: str, marks: str, chance: random.Random) -> bytes:
    if chance.random() < 0.3:
        return bitten(text.encode(), chance)
    return reworded(text, chance, marks).encode("utf-8", "replace")


def changed_json(document: Any, chance: random.Random) -> bytes:
    content = json.dumps(revalued(document, chance), ensure_ascii=chance.random() < 0.5)
    raw = content.encode("utf-8", "replace")
    return bitten(raw, chance) if chance.random() < 0.2 else raw


def in_range(run: Run) -> None:
    """Every score is in its documented range, as its interval is, or undefined."""
    ranges = {info.name: info for metric in run.metrics.values() for info in metric.scores}
    for held in run.systems.values():
        for name, score in held.scores.items():
            info = ranges[name]
            for value in (score.value, score.low, score.high):
                fits = info.lowest - 1e-9 <= value <= info.highest + 1e-9
                assert math.isnan(value) or (math.isfinite(value) and fits), score
            assert score.n >= 0 and score.unscored >= 0, score


# Each reader: the file's name, its content by chance, and what is done with it.
Case = tuple[str, Callable[[random.Random], bytes], Callable[[Path], Any]]


def speech(path: Path) -> None:
    in_range(score_speech(path, language="en", metrics=["wer", "cer", "alarms"], resamples=10))


def transcripts(path: Path) -> None:
    said = path.with_name("said.txt")
    said.write_text("".join(f"{at}\tit rains on day {at}\n" for at in range(6)), "utf-8")
    in_range(score_speech(said, path, language="en", metrics=["wer"], resamples=10))


def books(path: Path) -> None:
    source = path.with_name("source.json")
    source.write_text(json.dumps(BOOKS), "utf-8")
    if path.suffix == ".txt":
        source = path.with_name("source.txt")
        source.write_text(BOOKS["one"], "utf-8")
    models = {"embedder": WordEmbedder()}
    in_range(
        score_book(source, path, language="en", models=models, coverage_threshold=0.6, resamples=10)
    )


def parses(path: Path) -> None:
    gold = path.with_name("gold.conllu")
    gold.write_text(CONLLU, "utf-8")
    in_range(score_parses(gold, path, resamples=10))
    in_range(score_parses(gold, path, resamples=10, conll18=True))


def texts(path: Path) -> None:
    read_references(path)
    read_predictions([path])
    models = {"embedder": Letters(), "cross_encoder": Given(), "matcher": Given(), "nli": Given()}
    metrics = ["s_acc", "s_logic", "s_info", "alarms"]
    in_range(score_text(path, language="en", metrics=metrics, models=models, resamples=10))


def forged(path: Path) -> None:
    """A run of which this is the document, sealed anew: the old seal would refuse every change."""
    folder = path.parent / "run"
    if not folder.exists():
        run_folder(path.parent)
    content = path.read_bytes()
    with contextlib.suppress(ValueError, RecursionError):
        document = json.loads(content)
        if isinstance(document, dict):
            document.pop("sha256", None)
            content = json.dumps(seal(document)).encode("utf-8", "replace")
    (folder / "run.json").write_bytes(content)
    load_run(folder)


def answered(path: Path) -> None:
    """What a language model says of two texts, as a service's answer and as a cell of a table."""
    text = path.read_bytes().decode("utf-8", "replace")
    counts = count_facts(facts_from_json(text) or ())
    assert math.isnan(counts.ser) or 0 <= counts.ser <= 100
    with contextlib.suppress(ValueError):  # pydantic's, which the asking takes for a wrong answer
        facts = fact_schema().model_validate_json(text).model_dump()["facts"]
        answered = facts_from_json(json.dumps(facts, default=str))
        assert answered is not None and len(answered) == len(facts)


@cache
def run_document() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        document = json.loads((run_folder(Path(folder)) / "run.json").read_text("utf-8"))
    del document["sha256"]
    return document


FACTS = [
    {"subject": "it", "predicate": "rains", "object": "today", "verdict": "both"},
    {"subject": "we", "predicate": "left", "object": "early", "verdict": "expected"},
]


def archive(parts: dict[str, str], chance: random.Random) -> bytes:
    """An archive in which one part is changed, or a byte of the whole."""
    stream = io.BytesIO()
    spoilt = chance.choice([*parts, ""])
    with zipfile.ZipFile(stream, "w", chance.choice((0, 8))) as made:
        for name, text in parts.items():
            made.writestr(name, text if name != spoilt else changed(text, " ", chance))
    return stream.getvalue() if spoilt else bitten(stream.getvalue(), chance)


def heard(path: Path) -> None:
    """A file of transcripts, beside one of segments with speakers and beside one of lines."""
    for name, text in (("said.stm", foreign.STM), ("said.txt", "it rains on day 0\n")):
        said = path.with_name(name)
        said.write_text(text, "utf-8")
        for expected, got in ((said, path), (path, said), (path, path)):
            try:
                clips = pair_files(expected, [got]).clips
            except GistmeterError as error:
                assert str(error)
                continue
            spelling = Normalisation(get("en"))
            MeetingErrors(spelling, ("cpwer", "tcpwer", "der")).measure(clips)
            ErrorRates(spelling).measure(clips)


def sounds(path: Path) -> None:
    decoded = read_audio(path)
    assert len(decoded.pcm) % 2 == 0


def waved(chance: random.Random) -> bytes:
    stream = io.BytesIO()
    with wave.open(stream, "wb") as sound:
        sound.setnchannels(chance.choice((1, 2)))
        sound.setsampwidth(2)
        sound.setframerate(chance.choice((8000, 16000, 44100)))
        sound.writeframes(chance.randbytes(400))
    content = bytearray(stream.getvalue())
    for _ in range(chance.randint(1, 4)):  # mostly in the head, where sizes and rates stand
        content[chance.randrange(48 if chance.random() < 0.9 else len(content))] = chance.randrange(
            256
        )
    return bytes(content)


def keys_filed(path: Path) -> None:
    keys = filed_keys(["OPENAI_API_KEY"], path.parent)
    assert set(keys) <= {"OPENAI_API_KEY"}


def stripped(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "replace")
    answer, removed = extract(text, "en", ("idiom", text[:20]))
    assert removed or answer == text
    choose_words(text, text.split()[:200])


def said(chance: random.Random) -> bytes:
    """What people said, a line each; one of them changed."""
    key = "0123456789abcdef" * 4
    chosen = Selection("stratified", "draw", 3, 2, 9, 0.5, 1, 0.25)
    records = [
        LabelRecord(key, "Anna", "scale", 3.0, (1.0, 5.0), question="q", selection=chosen),
        LabelRecord(key, "Bob", "which", 0.5, other=key[::-1]),
        DecisionRecord(key, "changed", "Anna", "dismiss", "no", {"text": "x"}),
    ]
    taken = Retraction("record-0", "Anna", "label")
    fixed = [
        replace(one, id=f"record-{number}", at="2026-01-01T00:00:00Z")
        for number, one in enumerate((*records, taken))
    ]
    lines = [json.dumps(one.to_dict()).encode() for one in fixed]
    at = chance.randrange(len(lines))
    lines[at] = changed_json(json.loads(lines[at]), chance)
    return b"\n".join(lines)


def people_said(path: Path) -> None:
    content = read_ledgers([path.parent])
    assert all(0 <= label.share <= 1 for label in content.labels)
    assert all(str(line) for line in content.damaged)


CASES: dict[str, Case] = {
    "pdf": ("x.pdf", lambda chance: bitten(make_pdf([LINES, LINES]), chance), read_texts),
    "labels": ("labels.jsonl", said, people_said),
    "stm": ("x.stm", lambda chance: changed(foreign.STM, " ", chance), heard),
    "ctm": ("x.ctm", lambda chance: changed(foreign.CTM, " ", chance), heard),
    "rttm": ("x.rttm", lambda chance: changed(foreign.RTTM, " ", chance), heard),
    "vtt": ("x.vtt", lambda chance: changed(foreign.VTT, " ", chance), heard),
    "srt": ("x.srt", lambda chance: changed(foreign.VTT[8:].replace(".", ","), " ", chance), heard),
    "turns": ("x.txt", lambda chance: changed(foreign.TURNS, " ", chance), heard),
    "trn": ("x.trn", lambda chance: changed(foreign.TRN, " ", chance), heard),
    "services": (
        "x.json",
        lambda chance: changed_json(chance.choice(foreign.SERVED), chance),
        heard,
    ),
    "html": ("x.html", lambda chance: changed(foreign.PAGE, " ", chance), read_texts),
    "fb2": ("x.fb2", lambda chance: changed(foreign.FB2, " ", chance), read_texts),
    "epub": ("x.epub", lambda chance: archive(foreign.EPUB, chance), read_texts),
    "docx": ("x.docx", lambda chance: archive(foreign.DOCX, chance), read_texts),
    "wav": ("x.wav", waved, sounds),
    "env": (".env", lambda chance: changed(foreign.FILED, "=", chance), keys_filed),
    "wrapped": (
        "x.txt",
        lambda chance: bitten(chance.choice(foreign.WRAPPED).encode(), chance),
        stripped,
    ),
    "csv": ("x.csv", lambda chance: changed(CSV, ",", chance), speech),
    "tsv": ("x.tsv", lambda chance: changed(CSV.replace(",", "\t"), "\t", chance), speech),
    "json": ("x.json", lambda chance: changed_json(records(CSV), chance), speech),
    "jsonl": ("x.jsonl", odd_lines, speech),
    "parquet": ("x.parquet", lambda chance: bitten(parquet(records(CSV)), chance), speech),
    "parquet cells": ("x.parquet", odd_cells, speech),
    "xlsx": ("x.xlsx", lambda chance: bitten(workbook(HEAD + BODY), chance), read_sheets),
    "xlsx parts": (
        "x.xlsx",
        lambda chance: workbook(bitten((HEAD + BODY).encode(), chance).decode("utf-8", "replace")),
        read_sheets,
    ),
    "predictions": ("x.csv", lambda chance: changed(PREDICTIONS, ",", chance), texts),
    "transcripts": (
        "heard.txt",
        lambda chance: changed(HEARD, "\t", chance),
        transcripts,
    ),
    "alternatives": (
        "x.txt",
        lambda chance: changed("# c\ncolour = color\none = 1 = un\n", "=", chance),
        read_alternatives,
    ),
    "books": ("x.json", lambda chance: changed_json(BOOKS, chance), books),
    "book": ("x.txt", lambda chance: changed("It rained.\nWe left.\nBye.\n", " ", chance), books),
    "conllu": ("x.conllu", lambda chance: changed(CONLLU, "\t", chance), parses),
    "csv cells": ("x.csv", lambda chance: recelled(CSV, chance, ",", range(2, 4)), speech),
    "prediction cells": (
        "x.csv", lambda chance: recelled(PREDICTIONS, chance, ",", range(1, 3)), texts
    ),
    "conllu cells": (
        "x.conllu", lambda chance: recelled(CONLLU, chance, "\t", (2, 3, 4, 5, 7, 9)), parses
    ),
    "book texts": ("x.json", retold, books),
    "taxonomy": ("x.csv", lambda chance: changed(TAXONOMY, ",", chance), read_taxonomy),
    "weights": (
        "x.json",
        lambda chance: changed_json({"lemma": {"NOUN": 0.7}, "feats": {"Case": 1.0}}, chance),
        lambda path: read_weights(path, "lemma"),
    ),
    "vocabulary": (
        "x.json",
        lambda chance: changed_json({"UPOS": ["NOUN", "VERB"]}, chance),
        read_vocabulary,
    ),
    "run": ("x.json", lambda chance: changed_json(run_document(), chance), forged),
    "answer": (
        "x.json",
        lambda chance: changed_json(chance.choice((FACTS, {"facts": FACTS})), chance),
        answered,
    ),
    "configuration": (
        "x.toml",
        lambda chance: changed(CONFIGURATION, "=", chance),
        lambda path: configuration.profiles(path, trust=True),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_whatever_is_read_is_scored_or_refused(name: str, tmp_path: Path, choose: Any) -> None:
    file, make, use = CASES[name]
    path = tmp_path / file
    through = 0
    tries = choose(range(TRIES), SAMPLE)
    for seed in tries:
        path.write_bytes(make(random.Random(f"{name} {seed}")))
        try:
            use(path)
            through += 1
        except GistmeterError as error:
            assert str(error)
        except Exception as error:
            raise AssertionError(f"{name}, seed {seed}: {path.read_bytes()[:400]!r}") from error
    least = SCORED.get(name, 0.02) if len(tries) > SAMPLE else 0.0
    assert through >= least * len(tries), (
        f"{through} were read: too little is tested behind the reader"
    )


def run_folder(tmp_path: Path) -> Path:
    rows = records(CSV)
    said = [row["expected"] for row in rows[::2]]
    got = {name: [row["got"] for row in rows[::2]] for name in "ab"}
    made = score_speech(said, got, language="en", metrics=["wer"], resamples=10)
    made.save(tmp_path / "run")
    return tmp_path / "run"


def test_whatever_people_judge_is_matched_or_refused(tmp_path: Path, choose: Any) -> None:
    rows = load_run(run_folder(tmp_path)).measured
    path = tmp_path / "labels.csv"
    text = "id,system,human\n" + "".join(
        f"{at},{name},{at % 4}\n" for at in range(6) for name in "ab"
    )
    for seed in choose(range(TRIES), SAMPLE):
        path.write_bytes(changed(text, ",", random.Random(f"labels {seed}")))
        try:
            read_labels(path, rows)
        except GistmeterError as error:
            assert str(error)


def test_the_archive_of_a_workbook_may_hold_anything(tmp_path: Path, choose: Any) -> None:
    path = tmp_path / "x.xlsx"
    for seed in choose(range(TRIES // 3), SAMPLE):
        chance = random.Random(f"archive {seed}")
        source = zipfile.ZipFile(io.BytesIO(workbook(HEAD + BODY)))
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", chance.choice((0, 8))) as book:
            for name in source.namelist():
                if chance.random() > 0.1:
                    content = source.read(name)
                    spoilt = chance.random() < 0.4
                    book.writestr(name, bitten(content, chance) if spoilt else content)
        path.write_bytes(stream.getvalue())
        try:
            read_sheets(path)
        except GistmeterError as error:
            assert str(error)
