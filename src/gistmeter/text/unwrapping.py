"""The answer inside what a chat model wrote.

Models put things around an answer that say nothing of its meaning: thoughts in tags, JSON, HTML,
Markdown, "Sure! Here is …", "I hope this helps!", the question or idiom in front, emoji. They are
taken off predictions, never off references, and the item says what was taken off. An answer of
which nothing would be left stays as it is, except that unfinished thoughts are no answer.

Opening and closing phrases are the lists `preambles` and `closings` of a language's pack; in them
`*` stands for a few words. English phrases count in every language.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from gistmeter import languages
from gistmeter.core.types import Pair
from gistmeter.languages import lexicons
from gistmeter.languages.codes import headers

VERSION = "1"  # part of the signature: another number where other things are taken off
LONGEST = 200_000  # characters; a longer text is no answer in a wrapping
ROUNDS = 4  # wrappings inside each other
SHOWN = 60  # characters of what was taken off
THOUGHTS = "think|thinking|thought|reasoning|reflection|scratchpad"
ANSWER_KEYS = (
    "answer", "final_answer", "response", "output", "result", "text", "content", "explanation",
    "meaning", "translation", "summary", "paraphrase", "prediction", "completion",
    *headers("answer"),
)  # fmt: skip
TAGS = re.compile(
    r"</?(?:p|br|b|i|em|strong|u|s|div|span|ul|ol|li|h[1-6]|code|pre|blockquote|a|mark|small|sub"
    r"|sup|html|body|section|article|font|answer|output|response|final)(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
BLOCK_TAGS = re.compile(r"</?(?:p|br|div|li|h[1-6]|ul|ol|blockquote|section|article)\b", re.I)
EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u26ff\u2705\u2714\u2728\u274c\u274e\u2764\u2b50\u2b55\ufe0f\u200d\u20e3]+"
)
MARKS = (
    (re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*[-*+•][ \t]+(?=\S)", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*(?:[-*_][ \t]?){3,}$", re.MULTILINE), ""),
    (re.compile(r"!?\[([^\[\]\n]{1,300})\]\((?:https?:|mailto:|/|#)[^()\s]{0,300}\)"), r"\1"),
    (re.compile(r"(\*{1,3})(?=\S)([^*\n]{1,2000}?)(?<=\S)\1(?!\*)"), r"\2"),
    (re.compile(r"(?<!\w)(_{1,3})(?=\S)([^_\n]{1,2000}?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"(`{1,2})([^`\n]{1,2000}?)\1"), r"\2"),
)
NUMBERED = re.compile(r"^[ \t]*(\d{1,2})[.)、][ \t]+", re.MULTILINE)
QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "「": "」", "『": "』", "《": "》", "'": "'"}
BETWEEN = r"\s*(?:[:：=]|[-–—]+\s|\n)\s*"
WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code).isalnum()}
SPACELESS = ("zh", "ja", "th")


@dataclass
class Unwrapping:
    """A text while its wrappings are taken off, and what they were."""

    text: str
    removed: dict[str, str] = field(default_factory=dict)  # what kind, and how it began

    def keep(self, text: str, kind: str, removed: str = "", *, empty: bool = False) -> None:
        """Go on with the text inside, if anything is left."""
        text = text.strip()
        if text != self.text and (text or empty):
            self.text = text
            self.removed.setdefault(kind, " ".join(removed.split())[:SHOWN])

    def cut(self, match: re.Match[str] | None, kind: str, *, empty: bool = False) -> None:
        """Take off what was found at the beginning or at the end."""
        if match:
            rest = self.text[: match.start()] + self.text[match.end() :]
            self.keep(rest, kind, match.group(), empty=empty)


def extract(text: str, language: str = "", topics: Sequence[str] = ()) -> tuple[str, str]:
    """The answer in a text, and what was taken off: kinds, and how each began.

    `topics` are texts that a model repeats in front: the idiom, the question.
    """
    if len(text) > LONGEST or not text.strip():
        return text, ""
    held = Unwrapping(text.strip())
    for _ in range(ROUNDS):
        before = held.text
        for step in STEPS:
            step(held)
        take_phrases(held, language)
        take_topic(held, topics)
        if held.text == before:
            break
    if not held.removed:
        return text, ""
    joiner = "" if language.partition("-")[0] in SPACELESS else " "
    answer = joiner.join(part.strip() for part in held.text.splitlines() if part.strip())
    told = (f"{kind} ({begun})" if begun else kind for kind, begun in held.removed.items())
    return answer, "; ".join(told)


def take_thoughts(held: Unwrapping) -> None:
    """Up to the last closing tag: the opening one often stands in the prompt."""
    low = held.text.lower()
    if "<" not in low:
        return
    closings = list(re.finditer(rf"</(?:{THOUGHTS})>", low))
    if closings:
        end = closings[-1].end()
        held.keep(held.text[end:], "thoughts", held.text[:end], empty=True)
    elif opening := re.match(rf"<(?:{THOUGHTS})>", low):
        held.keep("", "unfinished thoughts", held.text[opening.end() :], empty=True)


def take_fence(held: Unwrapping) -> None:
    """Line breaks may be gone: a table's cell has none."""
    fence = held.text[:3]
    inner = held.text[3:-3]
    if fence in ("```", "~~~") and held.text.endswith(fence) and fence not in inner:
        held.keep(
            re.sub(r"^(?:text|txt|plaintext|json|html|markdown|md)?\s", "", inner), "code fence"
        )


def take_json(held: Unwrapping) -> None:
    """The one answer of an object or list."""
    if held.text[:1] + held.text[-1:] not in ("{}", "[]"):
        return
    try:
        value = json.loads(held.text)
    except (ValueError, RecursionError):
        return
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        named = {key: one for key, one in value.items() if key.lower() in ANSWER_KEYS}
        texts = [one for one in (named or value).values() if isinstance(one, str)]
        value = texts[0] if len(texts) == 1 and (named or len(value) == 1) else None
    if isinstance(value, str):
        held.keep(value, "JSON", held.text)


def take_tags(held: Unwrapping) -> None:
    if not TAGS.search(held.text):
        return
    first = held.text
    text = TAGS.sub(lambda tag: "\n" if BLOCK_TAGS.match(tag.group()) else "", first)
    held.keep(html.unescape(text), "HTML", "")


def take_marks(held: Unwrapping) -> None:
    text = held.text
    for pattern, replacement in MARKS:
        text = pattern.sub(replacement, text)
    numbers = [int(number) for number in NUMBERED.findall(text)]
    if len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1)):  # no date, no ordinal
        text = NUMBERED.sub("", text)
    held.keep(text, "Markdown")


def take_emoji(held: Unwrapping) -> None:
    if found := EMOJI.search(held.text):
        held.keep(re.sub(r"[ \t]{2,}", " ", EMOJI.sub("", held.text)), "emoji", found.group())


def take_width(held: Unwrapping) -> None:
    held.keep(held.text.translate(WIDE), "full width")


def take_quotes(held: Unwrapping) -> None:
    text = held.text
    closing = QUOTES.get(text[:1])
    inner = text[1:-1]
    if len(text) > 2 and closing == text[-1] and text[0] not in inner and closing not in inner:
        held.keep(inner, "quotation marks", text[0])


STEPS: tuple[Callable[[Unwrapping], None], ...] = (
    take_thoughts, take_fence, take_json, take_tags, take_marks, take_emoji, take_width,
    take_quotes,
)  # fmt: skip


def take_phrases(held: Unwrapping, language: str) -> None:
    """Opening and closing phrases, as long as there are any."""
    opening, closing = phrases(language)
    held.cut(opening.match(held.text), "preamble")
    tail = held.text[-400:]
    if found := closing.search(tail):
        held.keep(held.text[: len(held.text) - len(tail) + found.start()], "closing", found.group())


def take_topic(held: Unwrapping, topics: Sequence[str]) -> None:
    for topic in filter(None, topics):
        if held.text.casefold().find(topic.casefold(), 0, len(topic) + 4) >= 0:
            quoted = rf"[\"“„«「『《【\[(（']?{re.escape(topic)}[\"”“»」』》】\])）']?"
            held.cut(re.match(quoted + BETWEEN, held.text, re.IGNORECASE), "topic")


@cache
def phrases(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What matches opening phrases at the beginning and closing ones at the end."""
    packages = dict.fromkeys(languages.get(code).lists for code in (language or "en", "en"))

    def listed(name: str) -> Iterable[str]:
        every = {line for package in packages for line in lexicons.lines(package, name)}
        return sorted(every, key=len, reverse=True)

    def pattern(line: str) -> str:
        return re.escape(line).replace(r"\ ", r"\s+").replace(r"\*", r"[^.:!?。：！？\n]{1,40}?")

    opening = "|".join(map(pattern, listed("preambles"))) or "(?!)"
    closing = "|".join(map(pattern, listed("closings"))) or "(?!)"
    return (
        re.compile(rf"(?:(?:{opening})\s*)+", re.IGNORECASE),
        re.compile(rf"(?:(?:^|(?<=[\s.。!！?？…~]))(?:{closing})\s*)+$", re.IGNORECASE),
    )


def unwrapped(pair: Pair) -> Pair:
    """The pair with its answer alone."""
    if pair.candidate is None:
        return pair
    topics = (pair.id, *(pair.fields.get(name, "") for name in ("question", "idiom", "prompt")))
    answer, removed = extract(pair.candidate, pair.language, topics)
    return replace(pair, candidate=answer, stripped=removed) if removed else pair
