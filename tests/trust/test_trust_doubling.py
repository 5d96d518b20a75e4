"""Twice the text, twice the time: no small input hangs anything that reads or compares texts.

The law is tried on every splitter, analyser and guard rule of every installed language, on every
reader of files and on the metrics, with the nasty strings of `doubling`. What compares all words of
two texts (edit distance, common subsequences) is bounded by the budget of an item instead.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from book.book_doubles import WordEmbedder
from gistmeter import score_book, score_parses
from gistmeter.book.formats.book_text import read_html, read_plain, set_aside
from gistmeter.core.errors import GistmeterError
from gistmeter.core.files import parse_json
from gistmeter.core.table.textual import read_delimited, read_json, read_jsonl
from gistmeter.core.types import Clip, Pair
from gistmeter.languages import codes_with_packs, detect, get
from gistmeter.languages.guard import Guard
from gistmeter.languages.guard.extraction import read_facts
from gistmeter.languages.guard.writing import write_facts
from gistmeter.metrics.gist import PairGist
from gistmeter.models.env_file import filed_keys
from gistmeter.speech.formats.nist_notation import read_slots
from gistmeter.speech.formats.utterances import recognise
from gistmeter.speech.metrics.distance import SemanticDistance, ngram_cosine
from gistmeter.speech.metrics.keywords import Keywords, KeywordScores
from gistmeter.speech.metrics.misheard import transcript_alarms
from gistmeter.speech.metrics.normalizer import NORMALIZERS, Normalisation
from gistmeter.speech.metrics.rates import ErrorRates
from gistmeter.speech.metrics.transcript_gist import TranscriptGist
from gistmeter.text.formats.references import answer_in
from gistmeter.text.metrics.accuracy import SemanticAccuracy
from gistmeter.text.metrics.fact_alarms import FactAlarms
from gistmeter.text.metrics.information import Information
from gistmeter.text.metrics.logic import LogicalValidity
from gistmeter.text.metrics.polarity_conflict import conflicts
from gistmeter.text.unwrapping import extract
from speech.speech_doubles import WordMatcher
from text.text_doubles import Given, Letters
from trust import doubling
from trust.doubling import MARKS, Work, best, repeat, steep, units

HERE = Path("x")
SHORT, LONG = 24, 400  # tries of a language
WHOLE = 60  # tries of the readers, in the short form


def splitters(code: str) -> Mapping[str, Work]:
    """What a language does with one text."""
    pack = get(code)
    normalised = {
        f"normalizer {name}": Normalisation(pack, name).read
        for name in NORMALIZERS
        if name != "whisper"
    }
    return {
        "words": pack.words,
        "content words": pack.content_words,
        "sentences": pack.sentences,
        "simple sentences": pack.simple_sentences,
        "headings": pack.headings,
        "normalise": lambda text: pack.normalise(text, fold=True),
        "number words": pack.number_words,
        "polarity": pack.polarity,
        "facts": lambda text: read_facts(text, pack),
        "written facts": lambda text: write_facts(text, pack),
        "answer": lambda text: extract(text, code, (text[:9],)),
        "detection": detect,
        **normalised,
    }


def comparers(code: str) -> Mapping[str, Work]:
    """What the metrics of a language do with two texts that differ here and there."""
    pack, guard = get(code), {code: Guard(code)}

    def pair(text: str) -> list[Pair]:
        return [Pair("1", text[::2] + " 7 no", (text,), language=code)]

    def clip(text: str) -> list[Clip]:
        return [Clip("1", text, text[::2] + " 7 no", language=code)]

    spelling = Normalisation(pack, "default")
    return {
        "guard": lambda text: Guard(code).compare([(text, text[::2] + " 7 no")]),
        "text alarms": lambda text: FactAlarms(guard).measure(pair(text)),
        "s_info": lambda text: Information({code: pack}).measure(pair(text)),
        "error rates": lambda text: ErrorRates(spelling).measure(clip(text)),
        "conflicts": lambda text: conflicts(
            pack.polarity(text), pack.polarity(text[::2]), text[::2]
        ),
        "transcript alarms": lambda text: transcript_alarms(text, text[::2] + " 7 no", code),
        "n-grams": lambda text: ngram_cosine(text, text[::2]),
    }


def refusing(read: Callable[[str], object]) -> Work:
    """A reader that may refuse what it is given."""

    def work(text: str) -> None:
        try:
            read(text)
        except (GistmeterError, ValueError):
            return

    return work


def readers(folder: Path) -> Mapping[str, Work]:
    def filed(text: str) -> None:
        (folder / ".env").write_text(f"{text}\nX=a{text}b", "utf-8", errors="replace")
        filed_keys(["OPENAI_API_KEY"], folder)

    def encoded(read: Callable[[bytes, Path], object], before: str = "") -> Work:
        return refusing(lambda text: read((before + text).encode("utf-8", "replace"), HERE))

    def delimited(suffix: str, before: str) -> Work:
        path = Path(f"x{suffix}")
        return refusing(lambda text: read_delimited(path, before + text, "", suffix, header=True))

    return {
        "csv": delimited(".csv", "id,text\n1,"),
        "quoted csv": delimited(".csv", 'id,text\n1,"'),
        "tsv": delimited(".tsv", "id\ttext\n1\t"),
        "lines": delimited(".txt", ""),
        "json": refusing(lambda text: read_json(HERE, text, "")),
        "jsonl": refusing(lambda text: read_jsonl(HERE, text, "")),
        "any json": refusing(parse_json),
        "transcripts": refusing(lambda text: recognise(HERE, text)),
        "cues": refusing(
            lambda text: recognise(HERE, f"WEBVTT\n\n00:00.000 --> 00:01.000\n{text}")
        ),
        "voice": refusing(
            lambda text: recognise(HERE, f"WEBVTT\n\n00:00.000 --> 00:01.000\n<v {text}")
        ),
        "rolling cues": refusing(
            lambda text: recognise(
                HERE, f"WEBVTT\n\n00:00.000 --> 00:01.000\n<00:00:00.500><c>a</c>\n{text}"
            )
        ),
        "segments": refusing(lambda text: recognise(HERE, f"m 1 a 0 1 <o> {text}")),
        "trn": refusing(lambda text: recognise(HERE, f"a (1)\n{text}")),
        "turns": refusing(lambda text: recognise(HERE, f"Anna: a\nBob: b\nAnna: {text}")),
        "notation": refusing(read_slots),
        "answers": refusing(answer_in),
        "html": encoded(read_html),
        "html tag": encoded(read_html, "<p "),
        "plain book": encoded(read_plain),
        "book without its pages": refusing(set_aside),
        "keys": filed,
    }


@pytest.mark.parametrize("code", codes_with_packs())
def test_a_language_takes_time_by_the_length(code: str, everything: bool, choose: Any) -> None:
    works = {**splitters(code), **comparers(code)}
    for work in works.values():
        work("It rains. 3 km")  # dictionaries are loaded
    cases = [(name, unit) for name in works for unit in units(code)]
    random.Random(f"doubling {code}").shuffle(cases)
    cases = choose(cases[:LONG], SHORT)
    assert len(cases) == (LONG if everything else SHORT)
    wrong = [f"{name}, {why}" for name, unit in cases if (why := steep(works[name], unit))]
    assert not wrong, wrong


def test_a_reader_takes_time_by_the_length(tmp_path: Path, choose: Any) -> None:
    works = readers(tmp_path)
    cases = [(name, unit) for name in works for unit in MARKS]
    wrong = [
        f"{name}, {why}"
        for name, unit in choose(cases, WHOLE)
        if (why := steep(works[name], unit, 16_000))
    ]
    assert not wrong, wrong


ENGLISH = Normalisation(get("en"))
METRICS: Mapping[str, Any] = {
    "s_acc": SemanticAccuracy({"en": get("en")}, Letters(), Given(), Given()),
    "gist": PairGist(Given(), Letters(), Given()),
    "s_logic": LogicalValidity(Given(), "both"),
    "sem_dist": SemanticDistance(WordMatcher(), ENGLISH),
    "gist of speech": TranscriptGist(Given(), Letters(), Given(), "speech", normalisation=ENGLISH),
    "keywords": KeywordScores(ENGLISH, Keywords(("one", "dog", "a a"))),
}


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_takes_time_by_the_length(name: str) -> None:
    """Over models that are given, so that it is our own time that grows."""
    metric = METRICS[name]

    def work(text: str) -> None:
        got = text[::2] + " 7 no"
        clip, pair = Clip("1", text, got, language="en"), Pair("1", got, (text,), language="en")
        metric.measure([clip if name in ("sem_dist", "gist of speech", "keywords") else pair])

    work("It rains. 3 km")
    for unit in ("a ", "not ", "It rains. ", "Anna ", "x", "3 ", "a\u0301", ", "):
        assert not steep(work, unit)


HEADS: Mapping[str, Callable[[int, int], int]] = {
    "chain": lambda at, size: at - 1,
    "star": lambda at, size: min(at - 1, 1),
    "cycle": lambda at, size: at % size + 1,
    "cycles": lambda at, size: (at * 7919) % size + 1,
    "pairs": lambda at, size: at + 1 if at % 2 else at - 1,
    "below a cycle": lambda at, size: 2 if at == 1 else at - 1,
    "crossing": lambda at, size: 0 if at == 1 else max(1, (at * 7919) % at),
}


@pytest.mark.parametrize("shape", HEADS)
def test_a_treebank_takes_time_by_its_length(shape: str, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"

    def work(text: str) -> None:
        size = len(text)
        for path, names in ((gold, ("obj", "nsubj")), (system, ("obl", "obj"))):
            path.write_text("".join(
                f"{at}\tw\tw\tNOUN\t_\t_\t{HEADS[shape](at, size)}\t{names[at % 2]}\t_\t_\n"
                for at in range(1, size + 1)
            ) + "\n", "utf-8")  # fmt: skip
        score_parses(gold, system, resamples=2)

    work("ab")
    assert not steep(work, "a", 500)


@pytest.mark.parametrize("unit", ["It rains. ", "Cat sat.\n\n", "Chapter 1\n\nIt rains.\n\n", "x "])
def test_a_book_takes_time_by_its_length(unit: str) -> None:
    """Beside an edition that stays; all sentences of two texts are compared, within a budget."""
    edition = repeat(unit, 400)

    def work(text: str) -> None:
        score_book(
            text, edition, language="en", models={"embedder": WordEmbedder()}, no_judge=True,
            coverage_threshold=0.5, resamples=2,
        )  # fmt: skip

    work("It rains. ")
    assert not steep(work, unit, 8_000)


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_the_measure_tells_a_square_from_a_line(
    noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock of its own, which a busy machine cannot slow: works say how long they take, and
    some measurements take up to twice as long."""
    chance, now = random.Random("clock"), [0.0]
    monkeypatch.setattr(doubling, "clock", lambda: now[0])

    def taking(seconds: Callable[[int], float]) -> Work:
        def work(text: str) -> None:
            slowed = 1 + noise * chance.random() * (chance.random() < 0.3)
            now[0] += seconds(len(text)) * slowed

        return work

    for _ in range(50):
        assert steep(taking(lambda size: 1e-8 * size**2), "ab")
        assert steep(taking(lambda size: 1e-12 * size**3), "ab")
        assert not steep(taking(lambda size: 1e-4 * size), "ab")
        assert not steep(taking(lambda size: 1e-5 * size * math.log(size)), "ab")
        assert not steep(taking(lambda size: 1e-11 * size**2), "ab")  # too little to be told


def test_the_measure_measures_work() -> None:
    assert best(lambda text: sum(range(10**6)), "ab", 2) > 0
    assert best(len, "ab", 9) < best(lambda text: sum(range(10**7)), "ab", 1)
    assert repeat("ab", 5) == "ababa"
