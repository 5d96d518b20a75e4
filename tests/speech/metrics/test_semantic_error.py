"""Semantic error rate: facts, verdicts, repeats, and models that misbehave."""

from __future__ import annotations

import json
import math

import pytest

from gistmeter.core.evaluation import evaluate
from gistmeter.core.rows import Rows
from gistmeter.core.types import Clip
from gistmeter.languages import get
from gistmeter.speech.metrics.fact_prompt import (
    prompt_hash,
)
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.semantic_error import SemanticErrorRate
from speech.speech_doubles import (
    HEARD,
    SAID,
    Scripted,
    fact,
    honest,
    sentence_facts,
    texts_of,
)


def metric(llm: Scripted, code: str = "en", **settings: object) -> SemanticErrorRate:
    return SemanticErrorRate(llm, Normalisation(get(code)), **settings)


def measure(llm: Scripted, said: str = SAID, heard: str | None = HEARD, **settings: object) -> Rows:
    return metric(llm, **settings).measure([Clip("1", said, heard)])


def told(*facts: tuple[str, str, str, str]) -> Scripted:
    return Scripted(lambda *_: {"facts": [fact(*one) for one in facts]})


def test_the_rate_by_hand() -> None:
    # Two facts kept, two lost (houses, Prague), one added (horses).
    one = metric(honest())
    pooled = one.pool(one.measure([Clip("1", SAID, HEARD)]))
    assert pooled == {
        "ser": 50.0,
        "understanding": 50.0,
        "missing": 50.0,
        "extra": pytest.approx(100 / 3),
    }


def test_corpus_rate_is_the_ratio_of_sums() -> None:
    run = evaluate(
        [Clip("1", SAID, HEARD), Clip("2", "Eva likes tea.", "Eva likes tea.")],
        {"facts": metric(honest())},
    )
    assert run["ser"].value == pytest.approx(100 * 2 / 5)
    assert run["ser"].n == 2
    assert not run["ser"].higher_is_better and run["understanding"].higher_is_better


def test_the_facts_and_the_raw_answer_are_kept() -> None:
    rows = measure(honest())
    facts = json.loads(rows.texts["facts"][0])
    assert fact("Clara", "left", "Prague", "expected") in facts
    [(name, document)] = rows.details.items()
    assert name.startswith("facts-system-1-") and name.endswith(".json")
    assert json.loads(document["answers"][0]["raw"]) == sentence_facts(SAID, HEARD)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"facts": []}, "no facts in the expected text"),
        ({"facts": [fact("Mars", "has", "moons", "both")]}, "no fact of the answer occurs"),
        ({"facts": [fact("Anna", "met", "Boris", "sideways")]}, "does not fit the schema"),
        ({"facts": [{"subject": "Anna"}]}, "does not fit the schema"),
        ("I would rather not.", "does not fit the schema"),
        (TimeoutError("no answer after 60 s"), "no answer after 60 s"),
    ],
)
def test_no_rate_without_facts_and_never_0(reply: object, reason: str) -> None:
    rows = measure(Scripted(lambda *_: reply), occurrence="strict")
    assert math.isnan(rows.values("ser")[0])
    assert reason in rows.reasons["ser"][0]
    assert math.isnan(metric(honest()).pool(rows)["ser"])


def test_facts_only_in_the_transcript_give_no_rate() -> None:
    rows = measure(told(("Dana", "wrote", "books", "got")), said="Um er hello there.")
    assert rows.reasons["ser"] == {0: "no facts in the expected text"}


def test_nothing_is_asked_about_empty_or_missing_texts() -> None:
    llm = honest()
    rows = metric(llm).measure([Clip("1", "", HEARD), Clip("2", SAID, None)])
    assert llm.prompts == []
    assert rows.reasons["ser"] == {0: "empty expected text", 1: "no transcript"}


def test_an_empty_transcript_has_lost_everything() -> None:
    rows = measure(honest(), heard="")
    assert rows.values("ser").tolist() == [100.0]


def test_short_texts_are_marked() -> None:
    rows = measure(honest())
    assert rows.values("ser_short").tolist() == [1.0]
    assert "unreliable" in rows.texts["ser_note"][0]
    long = SAID * 3
    assert measure(honest(), long, long).values("ser_short").tolist() == [0.0]


def test_the_language_is_passed_on() -> None:
    llm = honest()
    metric(llm, "cs").measure([Clip("1", SAID, HEARD)])
    metric(llm, "tlh").measure([Clip("1", SAID, HEARD)])
    assert "in Czech" in llm.prompts[0] and "code tlh" in llm.prompts[1]
    for word in ("quotes", "attributions", "events", "entities", "inflection", "word order"):
        assert word in llm.instructions[0]


def test_repeats_report_the_median_the_spread_and_the_flips() -> None:
    base = [("Anna", "met", "Boris"), ("Dana", "wrote", "books"), ("Boris", "sold", "houses")]
    verdicts = [("both", "both", "expected"), ("both", "both", "both"), ("both",) * 3]

    def reply(_: str, sample: int) -> dict[str, object]:
        return {"facts": [fact(*one, v) for one, v in zip(base, verdicts[sample], strict=True)]}

    rows = measure(Scripted(reply), heard=HEARD + " Boris sold houses.", repeats=3)
    assert rows.values("ser").tolist() == [0.0]  # the median of 33.3, 0 and 0
    assert rows.values("ser_spread")[0] == pytest.approx(100 / 3)
    assert rows.values("verdict_flips").tolist() == [1.0]
    assert rows.values("ser_answers").tolist() == [3.0]


def test_of_two_answers_the_lower_and_of_failed_ones_none_counts() -> None:
    def reply(_: str, sample: int) -> object:
        if sample == 1:
            return RuntimeError("429")
        return sentence_facts(SAID, HEARD)

    rows = measure(Scripted(reply), repeats=2)
    assert rows.values("ser").tolist() == [50.0]
    assert rows.values("ser_answers").tolist() == [1.0]


def test_verification_asks_the_other_way_round_and_drops_what_is_disputed() -> None:
    def reply(prompt: str, _: int) -> object:
        parts = texts_of(prompt)
        if len(parts) == 2:
            return sentence_facts(*parts)
        heard, said, listed = parts
        assert (heard, said) == (HEARD, SAID)
        numbers = [line.split(". ")[0] for line in listed.splitlines()]
        answers = {"1": "both", "2": "second", "3": "both", "4": "both", "5": "first"}
        return {"verdicts": [{"number": int(n), "told": answers[n]} for n in numbers]}

    llm = Scripted(reply)
    rows = measure(llm, verify=True)
    assert len(llm.prompts) == 2
    # Clara's leaving is said to be in both: disputed. Left: two kept, one lost, one added.
    assert rows.values("facts_disputed").tolist() == [1.0]
    assert rows.values("ser")[0] == pytest.approx(100 / 3)


def test_a_failed_verification_changes_no_verdict_and_is_counted() -> None:
    def reply(prompt: str, _: int) -> object:
        parts = texts_of(prompt)
        return sentence_facts(*parts) if len(parts) == 2 else "nonsense"

    rows = measure(Scripted(reply), verify=True)
    assert rows.values("ser").tolist() == [50.0]
    assert rows.values("facts_unverified")[0] > 0
    assert "not verified" in (rows.texts["ser_note"][0] or "")


def test_one_long_pair_has_an_interval_over_its_facts() -> None:
    said = " ".join(f"Person{n} met Friend{n}." for n in range(60))
    heard = " ".join(f"Person{n} met Friend{n}." for n in range(60) if n % 3 or n > 40)
    run = evaluate([Clip("1", said, heard)], {"facts": metric(honest(), segmented=True)})
    assert run["ser"].value == pytest.approx(100 * 14 / 60)
    assert run["ser"].low < run["ser"].value < run["ser"].high


def test_the_prompt_is_in_the_signature() -> None:
    run = evaluate([Clip("1", SAID, HEARD)], {"facts": metric(honest())})
    assert prompt_hash() in run.signature and "scripted" in run.signature
