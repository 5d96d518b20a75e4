"""What chat models put around an answer is taken off, and nothing of the answer."""

from __future__ import annotations

import json
import time

import pytest

import gistmeter
from gistmeter.text.unwrapping import extract

ANSWER = "He left the city because the rent was too high."
WRAPPINGS = {
    "bold": f"**{ANSWER}**",
    "bullet": f"- {ANSWER}",
    "HTML": f"<div><p>{ANSWER}</p></div>",
    "JSON": json.dumps({"answer": ANSWER, "confidence": 0.9}),
    "preamble": f"Sure! Here is the answer: {ANSWER}",
    "closing": f"{ANSWER}\n\nI hope this helps!",
    "thoughts": f"<think>The rent, I suppose.</think>\n\n{ANSWER}",
    "prompted thoughts": f"The rent, I suppose.</think>\n{ANSWER}",
    "emoji": f"{ANSWER} 👍",
    "topic": f"rent-1: {ANSWER}",
    "fence": f"```text\n{ANSWER}\n```",
    "quoted": f"“{ANSWER}”",
    "several": f"Certainly!\n\n> **{ANSWER}**\n\nLet me know if you have any questions.",
}


@pytest.mark.parametrize("name", WRAPPINGS)
def test_the_answer_alone_is_left(name: str) -> None:
    answer, removed = extract(WRAPPINGS[name], "en", ["rent-1"])
    assert answer == ANSWER
    assert removed


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("zh", "好的，以下是答案：画蛇添足：比喻做了多余的事。希望对你有帮助！",
         "比喻做了多余的事。"),
        ("zh-Hant", "當然可以！**比喻做了多餘的事。**", "比喻做了多餘的事。"),
        ("ja", "承知しました。余計なことをするという意味です。お役に立てれば幸いです。",
         "余計なことをするという意味です。"),
        ("ko", "물론입니다! 쓸데없는 일을 한다는 뜻이다. 도움이 되셨기를 바랍니다!",
         "쓸데없는 일을 한다는 뜻이다."),
        ("cs", "Jistě! Zde je odpověď: Dělá zbytečnou práci.", "Dělá zbytečnou práci."),
        ("ru", "Конечно! Вот ответ: Он делает лишнее.", "Он делает лишнее."),
    ],
)  # fmt: skip
def test_phrases_of_languages(language: str, text: str, answer: str) -> None:
    assert extract(text, language, ["画蛇添足"])[0] == answer


@pytest.mark.parametrize(
    "text",
    [
        ANSWER, "Sure enough, he came.", "Of course he did not come.", "5 * 3 * 2 = 30",
        "snake_case_name", "1. ledna začala válka.", '{"a": 1, "b": 2}', "a < b and b > c",
        "He said: “no”, then “yes”.", "👍", "**", "", "[1, 2]", '{"answer": ""}',
    ],
)  # fmt: skip
def test_a_plain_answer_stays_as_it_is(text: str) -> None:
    assert extract(text, "en") == (text, "")


def test_unfinished_thoughts_are_no_answer() -> None:
    answer, removed = extract("<think>The rent, I suppose, but then", "en")
    assert answer == ""
    assert removed.startswith("unfinished thoughts")


def test_numbers_of_a_list_go_and_those_of_a_date_stay() -> None:
    assert extract("1. eins\n2. zwei", "de")[0] == "eins zwei"
    assert extract("3. května přišel.\n4. května odešel.", "cs")[1] == ""


@pytest.mark.parametrize(
    "piece", ["*", "<b>", "`", "_a", "sure! ", "[a](", "here is ", "> ", "{", "<think>", "1. a\n"]
)
def test_time_grows_with_the_length(piece: str) -> None:
    def seconds(size: int) -> float:
        start = time.process_time()
        extract(piece * size, "en")
        return time.process_time() - start

    seconds(10)
    assert min(seconds(8000) for _ in range(3)) < 8 * max(0.02, min(seconds(4000) for _ in "abc"))


def test_scores_do_not_depend_on_the_wrapping() -> None:
    reference = "He moved out of town since he could not afford the rent."
    run = gistmeter.score_text(
        {name: [text] for name, text in {"plain": ANSWER, **WRAPPINGS}.items()}, [reference],
        ids=["rent-1"], language="en", metrics=["gist", "s_acc"], resamples=0,
    )  # fmt: skip
    frame = run.to_polars()
    assert dict(zip(frame["system"], frame["stripped"], strict=True))["plain"] is None
    for name in ("gist", "s_acc"):
        assert frame[name].n_unique() == 1


def test_nothing_is_taken_off_where_that_is_asked_for() -> None:
    run = gistmeter.score_text(
        [WRAPPINGS["bold"]],
        [ANSWER],
        language="en",
        metrics=["s_info"],
        extract="none",
        resamples=0,
    )
    assert "stripped" not in run.to_polars().columns
    assert run.to_polars()["prediction"].to_list() == [WRAPPINGS["bold"]]
    assert "extract" not in run.signature


def test_references_are_never_changed() -> None:
    run = gistmeter.score_text(
        [ANSWER], [WRAPPINGS["bold"]], language="en", metrics=["s_info"], resamples=0
    )
    assert run.to_polars()["reference"].to_list() == [WRAPPINGS["bold"]]
    assert "extract" in run.signature
