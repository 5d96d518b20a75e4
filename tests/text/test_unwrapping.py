"""What chat models put around an answer is taken off, and nothing of the answer."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gistmeter
from gistmeter.core.types import Pair
from gistmeter.text.unwrapping import MARKED, MARKS, extract, unwrapped

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


TOLD = [  # language, idiom, question, answer, opening phrase, closing phrase, label
    ("en", "spill the beans", "What does “spill the beans” mean?", "To tell a secret too early.",
     "Sure! Here's a clear explanation of the idiom:\n\n",
     "\n\nI hope this helps! Let me know if you have any other questions.", "Answer"),
    ("zh", "雪中送炭", "“雪中送炭”是什么意思？", "在别人最困难的时候给予帮助，而不是锦上添花。",
     "好的，以下是对这个成语的解释：\n\n", "\n\n如果你还有其他问题，欢迎随时问我！", "解释"),
    ("zh-Hant", "亡羊補牢", "「亡羊補牢」是什麼意思？", "出了問題以後想辦法補救，免得再受損失。",
     "當然可以！以下是說明：\n", "\n\n希望這個解釋對你有幫助！", "解釋"),
    ("ja", "猫に小判", "「猫に小判」とはどういう意味ですか？", "価値の分からない人には無駄だ。",
     "はい、ご質問にお答えします。\n", "\n\n他にご質問があれば、お気軽にお尋ねください。", "回答"),
    ("ko", "금상첨화", "금상첨화의 뜻은?", "좋은 일 위에 또 좋은 일이 더해짐을 뜻한다.",
     "네, 설명해 드리겠습니다!\n\n", "\n\n더 궁금한 점이 있으시면 언제든지 물어보세요!", "답변"),
    ("cs", "házet flintu do žita", "Co znamená „házet flintu do žita“?", "Předčasně se vzdát.",
     "Samozřejmě, rád pomohu! ", "\n\nPokud máte další otázky, neváhejte se zeptat.", "Odpověď"),
    ("ru", "бить баклуши", "Что значит «бить баклуши»?", "Бездельничать целыми днями.",
     "Конечно! Вот объяснение этого выражения:\n\n",
     "\n\nЕсли у вас есть вопросы, не стесняйтесь спрашивать!", "Ответ"),
]  # fmt: skip


@pytest.mark.parametrize("told", TOLD, ids=lambda told: told[0])
def test_an_answer_is_found_in_every_wrapping_of_every_language(told: tuple[str, ...]) -> None:
    language, idiom, question, answer, opening, closing, label = told
    wide = {ord(sign): ord(sign) + 0xFEE0 for sign in "0123456789"}
    inside = json.dumps({"answer": answer}, indent=2)
    wrapped = {
        "thoughts": f"<think>\n{question}\n{opening}\n</think>\n\n{answer}",
        "thoughts, then tags": f"<reasoning>{idiom}</reasoning>\n<answer>\n{answer}\n</answer>",
        "thoughts of a template": f"<|channel|>analysis<|message|>{question}<|end|><|start|>"
                                  f"assistant<|channel|>final<|message|>{answer}<|return|>",
        "JSON in JSON": json.dumps({"response": {"answer": answer, "confidence": 0.9}}),
        "JSON of another key": json.dumps({"idiom": idiom, "explanation": answer}),
        "JSON with a final answer": json.dumps({"reasoning": question, "finalAnswer": answer}),
        "printed by Python": str({"answer": answer}),
        "fenced JSON": f"```json\n{inside}\n```",
        "fenced JSON among phrases": f"{opening}```json\n{inside}\n```{closing}",
        "fenced JSON among words": f"The JSON you want:\n```json\n{inside}\n```\nas agreed.",
        "heading": f"## {label}\n\n{answer}",
        "headings": f"# {idiom}\n\n### {label}\n{answer}\n\n---",
        "list": f"* **{idiom}**: {answer}",
        "quotation": f"> {answer}",
        "opening": opening + answer,
        "closing": answer + closing,
        "question": f"**{question}**\n\n{answer}",
        "question on the line": f"{question} {answer}",
        "question and answer": f"Q: {question}\nA: {answer}",
        "emoji": f"💡 **{label}:** {answer} 🎉",
        "emoji in the closing": f"✅ {answer}{closing} 😊",
        "HTML": f"<!DOCTYPE html>\n<html><body><h2>{label}</h2>\n<p>{answer}</p></body></html>",
        "full width": answer.translate(wide),
        "box": f"$\\boxed{{\\text{{{answer}}}}}$",
        "all": f"<think>{question}</think>\n{opening}> **{answer}**{closing} 😊",
    }  # fmt: skip
    found = {kind: extract(text, language, [idiom, question])[0] for kind, text in wrapped.items()}
    assert {kind: text for kind, text in found.items() if text != answer} == {}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "> 5 mg daily"), ("en", "- 5 °C"), ("en", "5*3*2 = 30"), ("en", "I ❤ NY"),
        ("en", "Use <b> to make text bold."), ("en", "Write `<b>x</b>` for bold."),
        ("en", "The <answer> tag holds it."), ("en", "[Analysis] He left."),
        ("en", "Refund possible: ✅"), ("en", "❌ Gifts can be returned."),
        ("en", "__init__ makes it."), ("en", "Hope that he comes!"), ("en", "1. FC Köln won."),
        ("en", "Sure, there are two reasons: rain and snow."),
        ("en", "If you have any questions, call 555-0123."),
        ("en", "Feel free to ask the nurse for water."),
        ("zh", "请保留收据。如有质量问题，七天内可以退货。"), ("zh", "票卖完了。还有票吗？"),
        ("zh", "以下是禁止的：抽烟。"), ("zh", "当然，他没有来。"), ("zh", "你好！很高兴认识你。"),
        ("ja", "こちらが出口です。あちらが入口です。"),
        ("ja", "質問があれば、手を挙げてください。"),
        ("ja", "この章では文法について説明します。例も示します。"),
        ("ko", "네, 환불해 드리겠습니다! 5일 안에 됩니다."), ("ko", "다음은 수요일입니다. 쉽니다."),
        ("ko", "질문이 있으면 손을 드세요."), ("ko", "네, 가능합니다."),
        ("cs", "Ne. Pokud máte dotazy, volejte 555 123."), ("cs", "Dobrý den, hledám nádraží."),
        ("cs", "Přijel lékař. Doufám, že pomohl."), ("de", "Hier ist der Preis: 5 Euro."),
        ("ru", "Мы закрыты. Если есть вопросы, звоните 8-800."), ("ru", "Вот мой дом: он мал."),
        ("fr", "Fermé. N'hésitez pas à nous appeler au 555."), ("es", "Claro que no viene."),
    ],
)  # fmt: skip
def test_an_honest_answer_that_looks_like_a_wrapping_stays(language: str, text: str) -> None:
    assert extract(text, language) == (text, "")


@pytest.mark.parametrize(
    ("name", "candidate", "reference", "left"),
    [
        ("a", "Of course! He will come.", "Of course! She will come.", "Of course! He will come."),
        ("a", "<think>He.</think>Of course! He will.", "Of course! She.", "Of course! He will."),
        ("a", '{"answer": "no"}', '{"answer": "yes"}', '{"answer": "no"}'),
        ("a", "料金は５００円です", "料金は６００円です。", "料金は５００円です"),
        ("a", "**Yes**", "**Yes**", "**Yes**"),
        ("Paris", "Paris – the capital", "Paris", "Paris – the capital"),
        ("rent", "rent: it was too high", "It cost too much.", "it was too high"),
        ("3", "3 - 2 = 1", "One", "3 - 2 = 1"),
        ("B", "B: it rains", "It is raining", "B: it rains"),
    ],
)
def test_what_the_reference_has_too_belongs_to_the_answer(
    name: str, candidate: str, reference: str, left: str
) -> None:
    assert unwrapped(Pair(name, candidate, (reference,), language="en")).candidate == left


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
    "piece",
    [
        "*",
        "<b>",
        "`",
        "_a",
        "sure! ",
        "[a](",
        "here is ",
        "> ",
        "{",
        "<think>",
        "1. a\n",
        "hope this helps ",
        "<!--",
        "<|a|>",
        "```a",
        "\\boxed{",
    ],
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


@given(st.text("#>-*+•_[]()`/ a\n", max_size=40))
def test_no_mark_is_without_a_sign_of_marks(text: str) -> None:
    marked = any(pattern.search(text) for pattern, _ in MARKS)
    assert MARKED.search(text) or not marked
    assert MARKED.search("a b/(c) 1.") is None
