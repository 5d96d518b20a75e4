"""Word and character error rates."""

from __future__ import annotations

import json
import math

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import shared_path
from gistmeter.core.evaluation import evaluate
from gistmeter.core.types import Clip
from gistmeter.languages import get
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.rates import ErrorRates

SYSTEMS = (
    "amazon", "google", "kaldi_librispeech", "microsoft", "rev_espnet", "rev_kaldi", "speechmatics",
)  # fmt: skip
TEXT = st.text("abc .", max_size=30)


def rates(*pairs: tuple[str, str | None], segmented: bool = False, code: str = "en") -> dict:
    metric = ErrorRates(Normalisation(get(code)), segmented=segmented)
    clips = [Clip(str(at), said, heard) for at, (said, heard) in enumerate(pairs)]
    return dict(metric.pool(metric.measure(clips)))


def lines(name: str) -> dict[str, str]:
    path = shared_path(f"data/speech/earnings21_eval10/{name}.txt")
    return dict(line.split("\t", 1) for line in path.read_text("utf-8").splitlines())


def test_golden_rates_are_met() -> None:
    metric = ErrorRates(Normalisation(get("cs")))
    cases = json.loads(shared_path("golden/speech.json").read_text("utf-8"))
    rows = metric.measure([Clip(str(at), c["expected"], c["got"]) for at, c in enumerate(cases)])
    assert rows.values("word_edits").tolist() == [case["word_edits"] for case in cases]
    for at, case in enumerate(cases):
        value = rows.values("wer")[at]
        if case["words_expected"]:
            assert value == pytest.approx(case["wer_percent"], abs=0.05)
        else:
            assert math.isnan(value)
            assert rows.reasons["wer"][at] == "empty expected text"


@pytest.mark.parametrize("system", SYSTEMS)
def test_jiwer_agrees_on_the_earnings_calls(system: str) -> None:
    said, heard = lines("ref"), lines(system)
    metric = ErrorRates(Normalisation(get("en")))
    rows = metric.measure([Clip(key, text, heard[key], system) for key, text in said.items()])
    plain = metric.normalisation.normalise
    references, hypotheses = [plain(said[key]) for key in said], [plain(heard[key]) for key in said]
    words = jiwer.process_words(references, hypotheses)
    pooled = metric.pool(rows)
    assert pooled["wer"] == pytest.approx(100 * words.wer, abs=1e-9)
    assert rows.sum("substitutions") == words.substitutions
    assert rows.sum("insertions") == words.insertions
    assert rows.sum("deletions") == words.deletions
    assert rows.sum("words_expected") == words.hits + words.substitutions + words.deletions
    if system == "google":  # one is enough: jiwer takes seconds for characters
        expected = 100 * jiwer.cer(references, hypotheses)
        assert pooled["cer"] == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=6))
def test_jiwer_agrees_on_anything(pairs: list[tuple[str, str]]) -> None:
    plain = Normalisation(get("en")).normalise
    kept = [(said, heard) for said, heard in pairs if plain(said)]
    if not kept:
        return
    references, hypotheses = ([plain(text) for text in side] for side in zip(*kept, strict=True))
    pooled = rates(*kept)
    assert pooled["wer"] == pytest.approx(100 * jiwer.wer(references, hypotheses), abs=1e-9)
    assert pooled["cer"] == pytest.approx(100 * jiwer.cer(references, hypotheses), abs=1e-9)


@given(TEXT.filter(lambda text: text.strip(" .")))
def test_equal_texts_have_no_errors(text: str) -> None:
    pooled = rates((text, text))
    assert (pooled["wer"], pooled["cer"], pooled["match_percent"]) == (0, 0, 100)


@given(TEXT.filter(lambda text: text.strip(" .")), TEXT)
def test_segments_give_the_same_rates_as_the_whole(said: str, heard: str) -> None:
    long, heard = said * 30, heard * 30
    whole, cut = rates((long, heard)), rates((long, heard), segmented=True)
    for name in ("wer", "cer", "match_percent"):
        assert cut[name] == pytest.approx(whole[name], abs=1e-9)


def test_an_empty_transcript_is_100_percent() -> None:
    pooled = rates(("some words here", ""))
    assert (pooled["wer"], pooled["cer"]) == (100, 100)


def test_insertions_into_silence_count_in_the_corpus_rate_alone() -> None:
    pooled = rates(("a b c d", "a b c d"), ("", "x y"))
    assert pooled["wer"] == 50.0
    assert pooled["wer_file_mean"] == 0.0


def test_corpus_rate_and_mean_over_files_differ() -> None:
    pooled = rates(("a b c d", "a b c d"), ("a", "b"))
    assert pooled["wer"] == 20.0
    assert pooled["wer_file_mean"] == 50.0


def test_a_missing_transcript_is_unscored_with_its_reason() -> None:
    metric = ErrorRates(Normalisation(get("en")))
    rows = metric.measure([Clip("1", "a b", None), Clip("2", "a b", "a b")])
    assert math.isnan(rows.values("wer")[0]) and math.isnan(rows.values("cer")[0])
    assert rows.reasons["wer"] == {0: "no transcript"}
    assert metric.pool(rows)["wer"] == 0.0


def test_only_what_is_asked_for_is_computed() -> None:
    metric = ErrorRates(Normalisation(get("en")), rates=("cer",))
    rows = metric.measure([Clip("1", "a b", "a c")])
    assert "wer" not in rows
    assert set(metric.pool(rows)) == {"cer", "cer_file_mean"}


def test_chinese_characters_are_the_headline_and_spaces_do_not_count() -> None:
    pytest.importorskip("jieba")
    assert rates(("今天 天气很好", "今天天气 很坏"), code="zh")["cer"] == pytest.approx(100 / 6)


def test_one_long_text_has_an_interval_over_its_segments() -> None:
    said = " ".join(f"word{number}" for number in range(400))
    heard = " ".join(f"word{number}" for number in range(400) if number % 7)
    metric = ErrorRates(Normalisation(get("en")), segmented=True)
    run = evaluate([Clip("talk", said, heard)], {"transcription": metric})
    score = run["wer"]
    assert score.n == 10 and score.unscored == 0
    assert score.low < score.value < score.high
    assert run.rows is not None
    assert run.rows.keys["cluster"][:2] == ["talk#1", "talk#2"]


def test_rows_do_not_depend_on_the_order_or_the_chunk() -> None:
    pairs = [(f"some {at} words here", f"some words {at}") for at in range(9)]
    clips = [Clip(str(at), said, heard) for at, (said, heard) in enumerate(pairs)]
    metric = {"transcription": ErrorRates(Normalisation(get("en")))}
    one = evaluate(clips, metric, chunk=2, resamples=50)
    other = evaluate(clips[::-1], metric, resamples=50)
    assert one["wer"].value == other["wer"].value
    assert one["cer"].value == other["cer"].value
