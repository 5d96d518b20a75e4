"""How fast the language packs are, and how sure: `python benchmarks/languages.py`.

Prints, within one run: content words and polarity of 48,000 explanations beside plain jieba on the
same texts; sentences of two million characters beside the simple rule; detection; sentence borders
against the gold spans of real novels; and how often one explanation of an idiom has more content
words in common with another of the same idiom than with a stranger's.
"""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable
from pathlib import Path

from gistmeter import languages

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
EXPLANATIONS = 48_000


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def explanations(name: str) -> list[list[str]]:
    """The distinct explanations of each idiom."""
    path = SHARED / "idiom" / f"orderprobe-{name}.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        cells = [row[1] for row in csv.reader(file) if len(row) > 1]
    return [list(dict.fromkeys(part.strip() for part in cell.split("||"))) for cell in cells]


def speed(name: str, code: str) -> None:
    texts = [text for group in explanations(name) for text in group]
    texts = (texts * (EXPLANATIONS // len(texts) + 1))[:EXPLANATIONS]
    language = languages.get(code)
    load = timed(lambda: language.content_words(texts[0]))
    content = timed(lambda: [language.content_words(text) for text in texts])
    polar = timed(lambda: [language.polarity(text) for text in texts[: EXPLANATIONS // 10]])
    characters = sum(map(len, texts))
    print(
        f"{code}: load {load:.1f} s; content words of {len(texts)} explanations "
        f"({characters} characters) {content:.1f} s; polarity of a tenth of them {polar:.1f} s"
    )
    if code == "zh":
        plain = languages.get("zh", tokenizer="jieba")
        plain.words(texts[0])
        jieba = timed(lambda: [plain.words(text) for text in texts])
        print(f"    {content / jieba:.2f} times plain jieba on the same texts ({jieba:.1f} s)")
    print(f"    detected: {languages.detect(texts)}")


def overlap(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def discrimination(name: str, code: str) -> None:
    """Each first explanation against the second of its idiom and the seconds of all others."""
    language = languages.get(code)
    pairs = [group[:2] for group in explanations(name) if len(group) > 1]
    sides = [[set(language.content_words(pair[side])) for pair in pairs] for side in (0, 1)]
    won = ties = total = 0
    for place, own in enumerate(sides[0]):
        right = overlap(own, sides[1][place])
        for other, stranger in enumerate(sides[1]):
            if other != place:
                wrong = overlap(own, stranger)
                won, ties, total = won + (right > wrong), ties + (right == wrong), total + 1
    rate = (won + ties / 2) / total if total else float("nan")
    print(f"{code}: an idiom's own explanation shares more content words: {rate:.4f} of {total}")


def treebank(name: str) -> list[str]:
    lines = (SHARED / "parse" / name).read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("# text =").strip() for line in lines if line.startswith("# text =")]


def joined(code: str, gold: list[str]) -> None:
    """A treebank's sentences put together with spaces and split again."""
    text, ends = " ".join(gold), set()
    for sentence in gold:
        ends.add(max(ends, default=-1) + 1 + len(sentence))
    found = {span.end for span in languages.get(code).splitter.spans(text)}
    agreed = len(found & ends)
    print(
        f"{code}: sentence ends of a treebank put together: precision {agreed / len(found):.4f}, "
        f"recall {agreed / len(ends):.4f} of {len(ends)}"
    )


def sentences() -> None:
    rows = (SHARED / "book" / "ablit_dev_rows.jsonl").read_text(encoding="utf-8").splitlines()
    chapters = [json.loads(row) for row in rows]
    language = languages.get("en")
    found = agreed = gold = 0
    for chapter in chapters:
        text = chapter["original"]
        ends = {span.end for span in language.splitter.spans(text)}
        wanted = {start + len(text[start:end].rstrip()) for start, end in chapter["orig_sents"]}
        found, gold, agreed = found + len(ends), gold + len(wanted), agreed + len(ends & wanted)
    print(
        f"en: sentence ends of ten chapters: precision {agreed / found:.4f}, "
        f"recall {agreed / gold:.4f} of {gold} gold ends"
    )
    joined("cs", treebank("cs_pud-ud-test.conllu"))
    joined("hu", treebank("cobald-hun.conllu"))
    text = "\n\n".join(chapter["original"] for chapter in chapters)
    for code, book in (
        ("en", (text * (2_000_000 // len(text) + 1))[:2_000_000]),
        (
            "zh",
            ("“你来吗？”她问。他想了很久……终于点了点头。那年他二十四岁，还很年轻！\n" * 60_000)[
                :2_000_000
            ],
        ),
    ):
        language = languages.get(code)
        own = timed(lambda: language.sentences(book))  # noqa: B023
        simple = timed(lambda: language.simple_sentences(book))  # noqa: B023
        print(
            f"{code}: sentences of 2 million characters {own:.2f} s, "
            f"{own / simple:.1f} times the simple rule ({simple:.2f} s)"
        )


def main() -> None:
    if not SHARED.is_dir():
        print(f"The data is not here: {SHARED}")
        return
    speed("Simplified_Chinese", "zh")
    speed("Traditional_Chinese", "zh-Hant")
    speed("Korean", "ko")
    discrimination("Simplified_Chinese", "zh")
    discrimination("Traditional_Chinese", "zh-Hant")
    discrimination("Korean", "ko")
    sentences()


if __name__ == "__main__":
    main()
