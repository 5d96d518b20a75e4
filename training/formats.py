"""The same text in other clothes: what chat models put around an answer, and styles of transcripts.

None of it changes a meaning, so labels stay. The embedder's normaliser already makes full-width
characters plain, so they need no example.
"""

from __future__ import annotations

import html
import json
import random
import re

PREAMBLES = {
    "en": ["Sure! Here is the answer:", "Here's a rephrased version:", "Of course.", "Answer:"],
    "zh": ["好的，以下是答案：", "当然可以！改写如下：", "答案：", "没问题。"],
    "zh-Hant": ["好的，以下是答案：", "當然可以！改寫如下：", "答案：", "沒問題。"],
    "ja": ["もちろんです。以下が回答です。", "はい、こちらです：", "回答：", "承知しました。"],
    "ko": ["물론입니다! 답변은 다음과 같습니다:", "네, 여기 있습니다.", "답:", "알겠습니다."],
    "cs": ["Jistě! Zde je odpověď:", "Samozřejmě.", "Odpověď:", "Tady je přeformulovaná verze:"],
    "ru": ["Конечно! Вот ответ:", "Разумеется.", "Ответ:", "Вот переформулированный вариант:"],
    "de": ["Gerne! Hier ist die Antwort:", "Natürlich.", "Antwort:", "Hier die Umformulierung:"],
    "fr": ["Bien sûr ! Voici la réponse :", "Voici une reformulation :", "Réponse :", "D'accord."],
    "es": ["¡Claro! Aquí tienes la respuesta:", "Por supuesto.", "Respuesta:", "Otra versión:"],
}  # fmt: skip
CLOSINGS = {
    "en": ["I hope this helps!", "Let me know if you have any questions."],
    "zh": ["希望对你有帮助！", "如有疑问，请随时告诉我。"],
    "zh-Hant": ["希望對你有幫助！", "如有疑問，請隨時告訴我。"],
    "ja": ["お役に立てれば幸いです。", "ご不明な点があればお知らせください。"],
    "ko": ["도움이 되셨기를 바랍니다!", "궁금한 점이 있으면 말씀해 주세요."],
    "cs": ["Doufám, že to pomůže!", "Pokud máte dotazy, napište mi."],
    "ru": ["Надеюсь, это поможет!", "Если есть вопросы, обращайтесь."],
    "de": ["Ich hoffe, das hilft!", "Bei Fragen melden Sie sich gern."],
    "fr": ["J'espère que cela vous aide !", "N'hésitez pas si vous avez des questions."],
    "es": ["¡Espero que te sirva!", "Si tienes preguntas, dímelo."],
}
FILLERS = {
    "en": r"\b(?:u+[hm]+|er+m?|hmm+|mm+|you know|i mean)\b",
    "de": r"\b(?:äh+m?|ähm+|hm+)\b",
    "fr": r"\b(?:euh+|heu|hum+|ben|bah)\b",
    "es": r"\b(?:eh+|em+|este|pues)\b(?=,)",
    "cs": r"\b(?:eh+m?|no jo|ehm+|hm+|jako)\b(?=,)",
    "ru": r"\b(?:э+м?|м-м|ну|эм+|как бы)\b(?=,)",
    "ja": r"(?:えーっと|えっと|えーと|ええと|あのー?|うーん|そのー|まあ)、?",
    "ko": r"(?:^|(?<=\s))(?:어+|음+|저기|그+)(?:[,.…]+)\s*",
    "zh": r"(?:嗯+|呃+|那个|这个|哦|啊)[，,、…]+",
}
TAILS = ".。!！?？…"
EMOJI = "👍😊✅📌✨🙂"
SPACELESS = ("zh", "zh-Hant", "ja")
PUNCTUATION = re.compile(
    r"(?<!\d)[.,:](?!\d)|(?<=\d)[.,:](?!\d)|(?<!\d)[.,:](?=\d)|[;!?。，、；：！？…「」『』“”„\"«»()（）—–¿¡]"
)


def wrap(text: str, language: str, chance: random.Random, topic: str = "") -> str:
    """The text as a chat model might hand it over; `topic` is an idiom or question in front."""
    gap = "" if language in SPACELESS else " "
    preamble = chance.choice(PREAMBLES.get(language, PREAMBLES["en"]))
    closing = chance.choice(CLOSINGS.get(language, CLOSINGS["en"]))
    thought = chance.choice(["Let me think about this.", preamble, "…"])
    options = [
        lambda: f"**{text}**",
        lambda: f"- {text}",
        lambda: f"## {text}",
        lambda: f"> {text}",
        lambda: f"1. {text}",
        lambda: f"```\n{text}\n```",
        lambda: f"<p>{html.escape(text, quote=False)}</p>",
        lambda: f"<div><b>{text}</b></div>",
        lambda: json.dumps({"answer": text}, ensure_ascii=False),
        lambda: json.dumps({"text": text, "ok": True}, ensure_ascii=False, indent=1),
        lambda: f"{preamble}{gap}{text}",
        lambda: f"{preamble}\n\n{text}",
        lambda: f"{preamble}{gap}{text}{gap}{closing}",
        lambda: f"{text}{gap}{closing}",
        lambda: f'"{text}"',
        lambda: text.rstrip(TAILS),
        lambda: text if text[-1:] in TAILS else text + ("。" if not gap else "."),
        lambda: f"{text} {chance.choice(EMOJI)}",
        lambda: f"{chance.choice(EMOJI)} {text}",
        lambda: f"<think>{thought}</think>\n{text}",
        lambda: re.sub(r"(?<=[.。!！?？;；])\s*", "\n", text).strip(),
        text.lower,
    ]
    if topic:
        options += [lambda: f"{topic}: {text}", lambda: f"{topic}：{text}"] * 3
    return chance.choice(options)()


def transcribe(text: str, language: str, chance: random.Random) -> str:
    """The text in a random style of transcripts: case, punctuation, fillers."""
    if chance.random() < 0.5:
        pattern = FILLERS.get(language.split("-", maxsplit=1)[0])
        if pattern:
            text = re.sub(pattern + r"[,，、…]*\s*", "", text, flags=re.IGNORECASE).strip() or text
    if chance.random() < 0.6:
        spaced = "" if language in SPACELESS and chance.random() < 0.5 else " "
        text = re.sub(r"\s+", " ", PUNCTUATION.sub(spaced, text)).strip()
    if chance.random() < 0.6:
        text = text.lower()
    return text
