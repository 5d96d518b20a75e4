"""Laws of the guard: identity, mirror, totality; and what it says of single pairs."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmeter.core.cache import Cache
from gistmeter.core.types import Clip, Pair
from gistmeter.languages import get, language
from gistmeter.languages.guard import KINDS, Alarm, Guard, compare, read, remembered
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.transcript_alarms import TranscriptAlarms
from gistmeter.text.metrics.fact_alarms import FactAlarms

CODES = ("zh", "zh-Hant", "ja", "ko", "en", "cs", "ru", "th", "de", "generic")
PIECES = (
    "not", "no", "never", "3", "13", "3.5", "1,000", "1 000", "2,5", "twelve", "half", "a dozen",
    "million", "%", "$", "km", "May", "Monday", "3:15", "15:00", "2024-05-03", "3. 5. 2024", "Anna",
    "all", "some", "more than", "taller than", "unhappy", "happy", "ne", "není", "tři", "сто", "не",
    "половина", "不", "没有", "三百零五", "二〇二四年", "五月", "三分之二", "第",
    "所有", "比", "高", "《红楼梦》",
    "三时", "半", "ない", "より", "午後3時", "『』", "않다", "안", "보다",
    "세 시", "2억 5천만", "3분의 2", "만",
    ".", ",", " ", "\n", "“", "'s", "\ud800", "\0", "İ", "٣", "²", "½", "Ⅳ", "０", "１２",
)  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=9).map(" ".join)
glued = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)
any_text = st.one_of(texts, glued, st.text(max_size=40))


def mirrored(alarm: Alarm) -> Alarm:
    """The same difference, seen from the other text."""
    words = alarm.candidate_words, alarm.reference_words
    return Alarm(alarm.kind, *words, alarm.candidate_span, alarm.reference_span)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(CODES), any_text, any_text)
def test_the_other_way_round_is_the_mirror(code: str, one: str, other: str) -> None:
    there, back = compare(one, other, code), compare(other, one, code)
    assert {mirrored(alarm) for alarm in there} == set(back)
    for alarm in there:
        assert alarm.kind in KINDS
        assert one[slice(*alarm.reference_span)] == alarm.reference_words
        assert other[slice(*alarm.candidate_span)] == alarm.candidate_words


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(CODES), any_text)
def test_identical_texts_have_no_alarm(code: str, text: str) -> None:
    assert not compare(text, text, code)
    facts = read(text, code)
    assert all(0 <= fact.start <= fact.end <= len(text) for fact in facts.found)
    # Nothing is said of a text that only has more white space at its end either.
    assert not compare(text, text + " ", code)


@pytest.mark.parametrize(
    ("code", "reference", "candidate", "said"),
    [
        ("en", "He bought 3 apples.", "He bought 13 apples.", ["number: 3 → 13"]),
        ("en", "He came.", "He did not come.", ["negation: came → not come"]),
        ("en", "It is 5 km away.", "It is 5 miles away.", ["unit: 5 km → 5 miles"]),
        ("zh", "他昨天来了。", "他昨天没来。", ["negation: 来 → 没来"]),
        ("zh-Hant", "他有三隻貓。", "他有四隻貓。", ["number: 三 → 四"]),
        ("cs", "Schůzka je v pondělí.", "Schůzka je v úterý.", ["date: pondělí → úterý"]),
        ("ru", "Ему сорок два года.", "Ему сорок семь лет.",
         ["number: сорок два года → сорок семь лет"]),
        ("ko", "2억 5천만 원", "2억 5천 원", ["number: 2억 5천만 원 → 2억 5천 원"]),
        ("ja", "午後3時に来た。", "午後4時に来た。", ["date: 午後3時 → 午後4時"]),
        ("fr", "Il a 3,5 kg.", "Il a 4,5 kg.", ["number: 3,5 kg → 4,5 kg"]),
        ("de", "Der Hund schläft.", "Die Katze schläft.", []),
    ],
)  # fmt: skip
def test_alarms_have_the_words_of_both_sides(
    code: str, reference: str, candidate: str, said: list[str]
) -> None:
    assert [str(alarm) for alarm in compare(reference, candidate, code)] == said


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("piece", ["9", "no ", "三", "1,000,", "A", "Anna ", "不", "3 ", "half a "])
def test_long_texts_of_one_piece_take_little_time(code: str, piece: str) -> None:
    read("warm", code)
    began = time.process_time()
    compare(piece * (8_000 // len(piece)), piece * (8_000 // len(piece)) + "end", code)
    assert time.process_time() - began < 5


def test_an_item_is_held_against_its_nearest_reference() -> None:
    pairs = [
        Pair("a", "He has 3 cats.", ("He has 4 cats.", "He has three cats."), language="en"),
        Pair("b", "He has 3 cats.", ("He has 4 cats and 2 dogs.", "He has 5 cats."), language="en"),
        Pair("c", "", ("He has 4 cats.",), language="en"),
        Pair("d", "He has 3 cats.", (" ",), language="en"),
    ]
    metric = FactAlarms({"en": Guard("en")})
    rows = metric.measure(pairs)
    assert rows.values("alarms")[:2].tolist() == [0.0, 1.0]
    assert rows.values("alarm_number")[1] == 1.0
    assert rows.values("alarm_date")[1] == 0.0
    assert rows.reasons["alarms"] == {2: "no prediction", 3: "no reference"}
    assert metric.pool(rows)["alarms"] == 0.5
    assert json.loads(rows.texts["alarm_words"][1] or "")["alarms"][0][:3] == ["number", "4", "3"]
    assert rows.texts["alarm_words"][0] is None


def test_transcripts_are_compared_as_they_are_and_by_segment() -> None:
    spelling = Normalisation(get("en"))
    guard = Guard("en")
    clip = Clip("a", "Turn on 3 lights in Paris.", "turn on 30 lights in rome", language="en")
    rows = TranscriptAlarms(spelling, guard).measure([clip, Clip("b", "Hello.", None)])
    assert rows.values("alarm_number")[0] == 1.0
    assert rows.reasons["alarms"] == {1: "no transcript"}
    long = Clip("c", "she has three dogs " * 200, "she has three dogs " * 199 + "she has two dogs")
    cut = TranscriptAlarms(spelling, guard, segmented=True).measure([long])
    assert cut.values("alarms")[:-1].sum() == 0
    assert len(cut) > 1


def test_an_alarm_says_both_sides() -> None:
    assert str(Alarm("number", "3", "13", (0, 1), (4, 6))) == "number: 3 → 13"


def test_a_remembering_guard_answers_the_same_and_is_asked_once(tmp_path, monkeypatch) -> None:
    pairs = [
        ("He bought 3 apples.", "He bought 13 apples."),
        ("\ud800 3 apples", "\ud800 4 apples"),
        ("It rains.", "It rains."),
    ]
    plain = Guard("en")
    cache = Cache(tmp_path / "answers.sqlite")
    readers = {"en": language.RememberingLanguage(get("en"), cache)}
    guard = remembered.make_guards(["en"], cache, readers)["en"]
    assert guard.id == plain.id
    assert guard.compare(pairs) == plain.compare(pairs)
    monkeypatch.setattr("gistmeter.languages.guard.compare", None)
    again = remembered.make_guards(["en"], cache, {})["en"]
    assert guard.compare(pairs[::-1]) == again.compare(pairs)[::-1]
    assert len(again.compare(pairs)[0]) == 1
    texts = [text for pair in pairs for text in pair]
    words = Guard("en").content_words(texts)
    assert guard.reader is readers["en"] and again.reader is None
    assert guard.content_words(texts) == words == again.content_words(texts)
