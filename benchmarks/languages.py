"""How fast the language packs are, and how sure: `python benchmarks/languages.py`.

Prints, within one run: content words and polarity of 48,000 explanations beside plain jieba on the
same texts; sentences of two million characters beside the simple rule; sentence borders against the
gold spans of real novels; how often one explanation of an idiom has more content words in common
with another of the same idiom than with a stranger's; and how often the language of a word, two
words, five words and a sentence is found, beside other detectors that are installed.
`python benchmarks/languages.py detection` prints only the last.
"""

from __future__ import annotations

import csv
import gzip
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gistmeter import languages

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
EXPLANATIONS = 48_000
TESTED = 200  # texts of each language
TESTED_CODES = ("en", "ru", "cs", "hu", "fr", "de", "pl", "es", "id", "it", "hi")
Detector = Callable[[str], tuple[str, float]]


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


def rows(name: str) -> Iterator[dict[str, str]]:
    with gzip.open(SHARED / "train" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def samples() -> dict[str, list[str]]:
    """Sentences of eleven languages in Latin, Cyrillic and Devanagari letters."""
    found: dict[str, list[str]] = {code: [] for code in TESTED_CODES}
    for code in ("en", "ru"):
        with (SHARED / "sts" / f"stsb-{code}-dev.csv").open(encoding="utf-8", newline="") as file:
            found[code] += [row[0] for row in csv.reader(file)]
    found["cs"], found["hu"] = treebank("cs_pud-ud-test.conllu"), treebank("cobald-hun.conllu")
    with (SHARED / "people" / "hats-dev.tsv").open(encoding="utf-8", newline="") as file:
        found["fr"] += [next(iter(row.values())) for row in csv.DictReader(file, delimiter="\t")]
    for code in ("de", "pl"):
        found[code] += [row["a"] for row in rows(f"sts/stsb_{code}")]
    found["es"] += [row["a"] for row in rows("para/pawsx") if row["lang"] == "es"]
    found["id"] += [row["premise"] for row in rows("nli/indonli")]
    sources = {(row["src_lang"], row["src"]) for row in rows("edits/demetr")}
    for code, name in (("it", "italian"), ("hi", "hindi")):
        found[code] += sorted(text for spoken, text in sources if spoken == name)
    for texts in found.values():
        random.Random(1).shuffle(texts)
    return {code: texts[:TESTED] for code, texts in found.items()}


def detectors() -> Iterator[tuple[str, Detector]]:
    """Ours, and lingua in its two modes where it is installed, among the same languages."""
    from gistmeter.languages.detection import COMMON

    def ours(text: str) -> tuple[str, float]:
        found = languages.detect([text])
        return found.code, found.confidence

    yield "gistmeter", ours
    try:
        from lingua import IsoCode639_1, LanguageDetectorBuilder
    except ImportError:
        return
    codes = [getattr(IsoCode639_1, "NB" if code == "no" else code.upper()) for code in COMMON]
    for name in ("lingua, small mode", "lingua"):
        builder = LanguageDetectorBuilder.from_iso_codes_639_1(*codes)
        detector = (builder.with_low_accuracy_mode() if "small" in name else builder).build()

        def asked(text: str, detector: Any = detector) -> tuple[str, float]:
            best = detector.compute_language_confidence_values(text)[0]
            return best.language.iso_code_639_1.name.lower(), best.value

        yield name, asked


def detection() -> None:
    """Right answers, and what a floor of confidence leaves of them."""
    texts = samples()
    for name, detect in detectors():
        detect("a first text loads the model")
        for words in (1, 2, 5, 0):
            answers = []
            start = time.perf_counter()
            for code, sentences in texts.items():
                for at, sentence in enumerate(sentences):
                    cut = sentence.split()
                    begin = random.Random(at).randrange(max(1, len(cut) - words + 1))
                    asked = " ".join(cut[begin : begin + words]) if words else sentence
                    found, sure = detect(asked)
                    answers.append((found == code, sure))
            took = (time.perf_counter() - start) / len(answers)
            taken = [right for right, sure in answers if sure >= languages.SOUND]
            right, sound = sum(right for right, _ in answers), len(taken) / len(answers)
            print(
                f"{name}, {f'{words} words' if words else 'a sentence'}: "
                f"{right / len(answers):.3f} right, {took * 1e6:.0f} µs a text; "
                f"{sound:.2f} of them with a confidence of {languages.SOUND} or more, "
                f"{sum(taken) / max(1, len(taken)):.3f} of these right"
            )


def main() -> None:
    if not SHARED.is_dir():
        print(f"The data is not here: {SHARED}")
        return
    if sys.argv[1:] == ["detection"]:
        detection()
        return
    speed("Simplified_Chinese", "zh")
    speed("Traditional_Chinese", "zh-Hant")
    speed("Korean", "ko")
    discrimination("Simplified_Chinese", "zh")
    discrimination("Traditional_Chinese", "zh-Hant")
    discrimination("Korean", "ko")
    sentences()
    detection()


if __name__ == "__main__":
    main()
