"""The answer inside what a chat model wrote.

Models put things around an answer that say nothing of its meaning: thoughts in tags, JSON, HTML,
Markdown, "Sure! Here is …", "I hope this helps!", the question or idiom in front, emoji. They are
taken off predictions, never off references, and the item says what was taken off. An answer of
which nothing would be left stays as it is, except that unfinished thoughts are no answer. What a
reference has as well belongs to the answer: a greeting to be translated, JSON that was asked for.

Opening and closing phrases are the lists `preambles` and `closings` of a language's pack; in them
`*` stands for a few words or none, `{a|b}` for either, and what ends in a colon may be a heading
instead. English phrases count in every language.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from gistmeter import languages
from gistmeter.core.types import Pair
from gistmeter.languages import lexicons
from gistmeter.languages.codes import headers
from gistmeter.text.formats.answer_columns import QUESTION
from gistmeter.text.formats.references import IDIOM

VERSION = "2"  # part of the signature: another number where other things are taken off
LONGEST = 200_000  # characters; a longer text is no answer in a wrapping
ROUNDS = 6  # wrappings inside each other
SHOWN = 60  # characters of what was taken off
ASKED = {*QUESTION, *IDIOM}  # columns whose text a model repeats in front
ASIDE = ("thoughts", "unfinished thoughts", "Markdown", "emoji")  # never what a task asks for
THOUGHTS = "(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis)"
THOUGHTS_END = re.compile(rf"(?:</|◁/|\[/){THOUGHTS}[>▷\]]", re.IGNORECASE)
UNFINISHED = re.compile(rf"<{THOUGHTS}>|◁think▷|\[think\]", re.IGNORECASE)
ANSWERED = re.compile(r"<(answer|final_answer|response|output)>(.*?)</\1>", re.DOTALL | re.I)
TEMPLATE = re.compile(r"<\|[a-z_]{1,30}\|>|</s>$")  # what a chat's template separates turns by
BOXED = re.compile(r"\$*\\boxed\{(?:\\text\{(.*)\}|(.*))\}\$*", re.DOTALL)
FENCE = re.compile(
    r"(```|~~~)(?:(?:text|txt|plaintext|json|html|markdown|md)?\s)?(.*?)\1", re.DOTALL | re.I
)
PRINTED = re.compile(r"\{\s*'(\w{1,30})'\s*:\s*(['\"])(.*)\2\s*\}", re.DOTALL)  # by Python
ANSWER_KEYS = (
    "answer", "finalanswer", "response", "output", "result", "text", "content", "explanation",
    "meaning", "translation", "summary", "paraphrase", "prediction", "completion",
    *headers("answer"),
)  # fmt: skip
PAIRED = "b|i|em|strong|u|s|span|code|a|mark|small|sub|sup|answer|output|response|final"
TAGS = re.compile(
    rf"<(/?)({PAIRED}|p|br|div|ul|ol|li|h[1-6]|pre|blockquote|html|head|meta|body|main|section"
    r"|article|font|table|thead|tbody|tr|th|td|hr)(?:\s[^<>]{0,300})?"
    r"/?>|<!doctype[^<>]{0,200}>|<!--[^<>]{0,500}-->|<title>[^<>]{0,300}</title>",
    re.IGNORECASE,
)
BLOCK_TAGS = re.compile(r"</?(?:p|br|div|li|h\d|ul|ol|blockquote|section|article|t[rdh])\b", re.I)
SPEAKING = "⛔❌❎❤👎💔🙅🚫\U0001f1e6-\U0001f1ff"  # no, love and flags stand for words
EMOJI = re.compile(
    rf"(?:(?![{SPEAKING}])[\U0001f000-\U0001faff\u2600-\u26ff✅✔✨⭐⭕\ufe0f\u200d\u20e3])+"
)
MARKS = (
    (re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*(?:>[ \t]?)+(?![ \t]*[\d>])", re.MULTILINE), ""),  # > 5 is more than 5
    (re.compile(r"^[ \t]*[-*+•][ \t]+(?=\S)", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*(?:[-*_][ \t]?){3,}$", re.MULTILINE), ""),
    (re.compile(r"!?\[([^\[\]\n]{1,300})\]\((?:https?:|mailto:|/|#)[^()\s]{0,300}\)"), r"\1"),
    (
        re.compile(r"(?<![a-z\d*])(\*{1,3})(?=\S)([^*\n]{1,2000}?)(?<=\S)\1(?![a-z\d*])", re.I),
        r"\2",
    ),
    (re.compile(r"(?<!\w)(?!__[a-z_]+__)(_{1,3})(?=\S)([^_\n]{1,2000}?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"(`{1,2})([^`<\n]{1,2000}?)\1"), r"\2"),
)
MARKED = re.compile(r"[#>*+•_\[`-]")  # what each of these begins with
SIGNED = re.compile(r"[-+][ \t]+\d[^\n]*")  # - 5 °C
NUMBERED = re.compile(r"^[ \t]*(\d{1,2})[.)、][ \t]+", re.MULTILINE)
QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "「": "」", "『": "』", "《": "》", "'": "'"}
MEANT = {r"\ ": r"\s+", r"\*": r"[^.:!?。：！？\n]{0,60}?", r"\{": "(?:", r"\|": "|", r"\}": ")"}
BETWEEN = r"\s*(?:[:：=]|[-–—]+\s|\n)\s*"
WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code).isalnum()}
SPACELESS = ("zh", "ja", "th")


@dataclass
class Unwrapping:
    """A text while its wrappings are taken off, and what they were."""

    text: str
    own: frozenset[str] = frozenset()  # kinds that belong to the answer
    removed: dict[str, str] = field(default_factory=dict)  # what kind, and how it began

    def keep(self, text: str, kind: str, removed: str = "", *, empty: bool = False) -> None:
        """Go on with the text inside, if anything is left."""
        text = text.strip()
        if text != self.text and (text or empty) and kind not in self.own:
            self.text = text
            self.removed.setdefault(kind, " ".join(removed.split())[:SHOWN])

    def cut(self, match: re.Match[str] | None, kind: str) -> None:
        """Take off what was found at the beginning or at the end."""
        if match:
            rest = self.text[: match.start()] + self.text[match.end() :]
            self.keep(rest, kind, match.group())


def extract(
    text: str, language: str = "", topics: Sequence[str] = (), own: frozenset[str] = frozenset()
) -> tuple[str, str]:
    """The answer in a text, and what was taken off: kinds, and how each began.

    `topics` are texts that a model repeats in front: the idiom, the question. `own` are kinds
    that stay.
    """
    held = unwrap(text, language, topics, own)
    if not held.removed:
        return text, ""
    joiner = "" if language.partition("-")[0] in SPACELESS else " "
    answer = joiner.join(part.strip() for part in held.text.splitlines() if part.strip())
    told = (f"{kind} ({begun})" if begun else kind for kind, begun in held.removed.items())
    return answer, "; ".join(told)


def unwrap(
    text: str, language: str, topics: Sequence[str], own: frozenset[str] = frozenset()
) -> Unwrapping:
    """A text with its wrappings taken off, as long as there are any."""
    held = Unwrapping(text.strip(), own)
    for _ in range(ROUNDS if 0 < len(held.text) <= LONGEST else 0):
        before = held.text
        for step in STEPS:
            step(held)
        take_phrases(held, language)
        take_topic(held, topics)
        if held.text == before:
            break
    return held


def take_thoughts(held: Unwrapping) -> None:
    """Up to the last closing tag: the opening one often stands in the prompt."""
    closings = list(THOUGHTS_END.finditer(held.text))
    if closings:
        end = closings[-1].end()
        held.keep(held.text[end:], "thoughts", held.text[:end], empty=True)
    elif opening := UNFINISHED.match(held.text):
        held.keep("", "unfinished thoughts", held.text[opening.end() :], empty=True)
    elif len(answers := ANSWERED.findall(held.text)) == 1:
        held.keep(answers[0][1], "answer tags", held.text)


def take_template(held: Unwrapping) -> None:
    """The last turn of a chat as its template writes it."""
    turns = TEMPLATE.split(held.text.partition("<|endoftext|>")[0])
    held.keep(next((turn for turn in reversed(turns) if turn.strip()), ""), "template")


def take_box(held: Unwrapping) -> None:
    boxed = BOXED.fullmatch(held.text)
    if boxed and "\\boxed" not in (inner := boxed[1] or boxed[2] or ""):
        held.keep(inner, "box")


def take_fence(held: Unwrapping) -> None:
    """The only one, where it is all or has an answer in JSON; a table's cell has no line breaks."""
    fences = list(FENCE.finditer(held.text))
    if len(fences) == 1 and (fences[0].group() == held.text or json_answer(fences[0][2].strip())):
        held.keep(fences[0][2], "code fence", held.text)


def take_json(held: Unwrapping) -> None:
    held.keep(json_answer(held.text), "JSON", held.text)


def json_answer(text: str) -> str:
    """The one answer of an object or list, however deep; empty where there is none."""
    if text[:1] + text[-1:] not in ("{}", "[]"):
        return ""
    try:
        value: Any = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        printed = PRINTED.fullmatch(text)
        value = {printed[1]: printed[3]} if printed and printed[2] not in printed[3] else None
    named: list[Any] = []
    while isinstance(value, dict | list):
        named = []
        if isinstance(value, dict):
            keys = {re.sub(r"[\W_]", "", key).lower(): one for key, one in value.items()}
            named = [one for key, one in keys.items() if key in ANSWER_KEYS and one is not None]
            value = list(value.values())
        value = (named or value)[0] if len(named or value) == 1 else None
    if named and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""


def take_tags(held: Unwrapping) -> None:
    """Of HTML; not where the answer speaks about tags."""
    if not (tags := list(TAGS.finditer(held.text))):
        return
    closed = Counter(tag[2].lower() for tag in tags if tag[2] and tag[1])
    opened = Counter(tag[2].lower() for tag in tags if tag[2] and not tag[1])
    if any(opened[name] != closed[name] for name in PAIRED.split("|")) or "`<" in held.text:
        return
    text = TAGS.sub(lambda tag: "\n" if BLOCK_TAGS.match(tag.group()) else "", held.text)
    held.keep(html.unescape(text), "HTML")


def take_marks(held: Unwrapping) -> None:
    if SIGNED.fullmatch(held.text):
        return
    text = held.text
    for pattern, replacement in MARKS if MARKED.search(text) else ():
        text = pattern.sub(replacement, text)
    numbers = [int(number) for number in NUMBERED.findall(text)]
    if len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1)):  # no date, no ordinal
        text = NUMBERED.sub("", text)
    held.keep(text, "Markdown")


def take_emoji(held: Unwrapping) -> None:
    """Not what alone follows a colon: there it is the answer."""
    if not held.text.isascii() and (found := EMOJI.search(held.text)):
        text = EMOJI.sub("", held.text)
        if not re.search(r"[:：][ \t]*$", text, re.MULTILINE):
            held.keep(re.sub(r"[ \t]{2,}", " ", text), "emoji", found.group())


def take_width(held: Unwrapping) -> None:
    if not held.text.isascii():
        held.keep(held.text.translate(WIDE), "full width")


def take_quotes(held: Unwrapping) -> None:
    text = held.text
    closing = QUOTES.get(text[:1])
    inner = text[1:-1]
    if len(text) > 2 and closing == text[-1] and text[0] not in inner and closing not in inner:
        held.keep(inner, "quotation marks", text[0])


STEPS: tuple[Callable[[Unwrapping], None], ...] = (
    take_thoughts, take_template, take_box, take_fence, take_json, take_tags, take_marks,
    take_emoji, take_width, take_quotes,
)  # fmt: skip


def take_phrases(held: Unwrapping, language: str) -> None:
    """Opening and closing phrases, as long as there are any."""
    opening, closing = phrases(language)
    held.cut(opening.match(held.text), "preamble")
    for _ in range(ROUNDS):  # one by one: several at once could be divided in too many ways
        tail = held.text[-400:]
        found = closing.search(tail)
        if not found:
            break
        held.keep(held.text[: len(held.text) - len(tail) + found.start()], "closing", found.group())


def take_topic(held: Unwrapping, topics: Sequence[str]) -> None:
    """With a label before it (Q: …); after a question nothing need stand between."""
    for topic in topics:
        if held.text.casefold().find(topic.casefold(), 0, len(topic) + 16) >= 0:
            quoted = rf"[\"“„«「『《【\[(（']?{re.escape(topic)}[\"”“»」』》】\])）']?"
            between = r"\s*" if topic[-1:] in "?？" else BETWEEN
            found = re.match(rf"(?:\w{{1,12}}\s?[:：]\s*)?{quoted}{between}", held.text, re.I)
            held.cut(found, "topic")


@cache
def phrases(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What matches opening phrases at the beginning and closing ones at the end."""
    packages = dict.fromkeys(languages.get(code).lists for code in (language or "en", "en"))

    def listed(name: str) -> str:
        every = {line for package in packages for line in lexicons.lines(package, name)}
        return "|".join(map(pattern, sorted(every, key=len, reverse=True))) or "(?!)"

    def pattern(line: str) -> str:
        words = line.rstrip(".!。！?？:：")
        text = re.escape(words)
        for mark, meant in MEANT.items():
            text = text.replace(mark, meant)
        end = line[len(words) :]
        if end in (":", "："):
            return rf"{text}\s*(?:[:：]|\n)" if len(words) > 1 else rf"{text}\s*[:：]"
        return text + (r"[.!。！?？~…]+" if end else "")

    opening, closing = listed("preambles"), listed("closings").replace("…]+", "…]*")
    return (
        re.compile(rf"(?:(?:{opening})\s*)+", re.IGNORECASE),
        re.compile(rf"(?:^|(?<=[\s.。!！?？…~]))(?:{closing})\s*$", re.IGNORECASE),
    )


def unwrapped(pair: Pair) -> Pair:
    """The pair with its answer alone."""
    if pair.candidate is None or pair.candidate in pair.references:
        return pair
    asked = (cell for header, cell in pair.columns.items() if header.casefold() in ASKED)
    topics = [name for name in (pair.id, *asked) if is_topic(name, pair.references)]
    answer, removed = extract(pair.candidate, pair.language, topics)
    if removed:
        seen = [unwrap(text, pair.language, topics).removed for text in pair.references]
        own = frozenset(kind for kinds in seen for kind in kinds if kind not in ASIDE)
        answer, removed = extract(pair.candidate, pair.language, topics, own)
    return replace(pair, candidate=answer, stripped=removed) if removed else pair


def is_topic(name: str, references: Sequence[str]) -> bool:
    """A number or letter is none, nor is what belongs to the answer."""
    word = any(map(str.isalpha, name)) and (len(name) > 1 or not name.isascii())
    return word and not any(name.casefold() in text.casefold() for text in references)
