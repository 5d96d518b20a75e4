"""Runs of every family for the report's tests, made by hand so that no model is needed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from gistmeter.book.views import VIEW as BOOK
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.run import Run
from gistmeter.core.statistics import count_reasons, summarise
from gistmeter.core.types import Metric, ScoreInfo
from gistmeter.core.views import View
from gistmeter.parse.views import VIEW as PARSE
from gistmeter.speech.views import VIEW as SPEECH
from gistmeter.text.views import VIEW as TEXT

VIEWS = {"text": TEXT, "book": BOOK, "parse": PARSE, "speech": SPEECH}


def views(runs: Iterable[Run]) -> list[View]:
    """What each run's family shows."""
    return [VIEWS.get(run.command, View()) for run in runs]


@dataclass(frozen=True)
class Means:
    """A metric that pools columns as means."""

    names: tuple[str, ...]
    scores: ClassVar[tuple[ScoreInfo, ...]] = ()

    def measure(self, items: Any) -> Rows:
        raise NotImplementedError

    def pool(self, rows: Pool) -> dict[str, Value]:
        return {name: rows.mean(name) for name in self.names}


@dataclass(frozen=True)
class Rates:
    """Word error rate as a ratio of sums."""

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("wer", False, 0, math.inf, "%"),
        ScoreInfo("ser", False, 0, 100, "%"),
    )

    def measure(self, items: Any) -> Rows:
        raise NotImplementedError

    def pool(self, rows: Pool) -> dict[str, Value]:
        return {"wer": 100 * rows.ratio("word_edits", "words_expected"), "ser": rows.mean("ser")}


def finish(
    command: str, rows: Rows, metrics: dict[str, Metric], path: Path | None = None, **more: Any
) -> tuple[Run, dict[str, Metric]]:
    """A run as `evaluate` would leave it."""
    signatures = {name: f"{name}|mode:test|gistmeter:0.1.0|#00000000" for name in metrics}
    systems = summarise(
        metrics, rows, signatures=signatures, seed=1, resamples=200, confidence=0.95
    )
    signature = next(iter(signatures.values()))
    run = Run(
        command, signature, systems, count_reasons(rows), rows=rows, path=path,
        signatures=signatures, metrics=metrics, settings={"language": "zh", "aggregate": "max"},
        timings={"measure_seconds": 1.5}, versions={"python": "3.11"}, **more,
    )  # fmt: skip
    return run, metrics


IDIOMS = (
    ("画蛇添足", "比喻做了多余的事，反而不恰当。", "做多余的事情，反而坏了事。"),
    ("守株待兔", "比喻不主动努力，心存侥幸，希望得到意外的收获。", "不努力，只想靠运气得到好处。"),
    (
        "亡羊补牢",
        "比喻出了问题以后想办法补救，可以防止继续受损失。",
        "出错之后及时补救，还不算晚。",
    ),
    ("井底之蛙", "比喻见识狭小的人。", "指眼界不宽、没有见识的人。"),
)


def text_run(
    path: Path | None = None, *, items: int = 40, systems: int = 3, seed: int = 3
) -> tuple[Run, dict[str, Metric]]:
    """Idioms explained by systems of different quality in three arrangements."""
    random = np.random.default_rng(seed)
    names = ("s_acc", "bertscore", "sts", "lexical_cosine", "representation", "f_beta")
    keys: dict[str, list[str]] = {key: [] for key in ("id", "system", "group", "cluster")}
    numbers: dict[str, list[float]] = {name: [] for name in names}
    texts: dict[str, list[str | None]] = {name: [] for name in ("prediction", "reference", "marks")}
    for system in range(systems):
        for number in range(items):
            for arrangement in ("original", "arrangement2", "arrangement10"):
                idiom, reference, prediction = IDIOMS[number % len(IDIOMS)]
                name = idiom if number < len(IDIOMS) else f"{idiom}{number}"
                keys["id"].append(name)
                keys["cluster"].append(name)
                keys["system"].append(f"model_{'abcdefghijkl'[system]}" if system else "细心的模型")
                keys["group"].append(arrangement)
                middle = 0.8 - 0.12 * system - 0.05 * (arrangement == "arrangement10")
                empty = number == 7 and system == 2
                for column in numbers.values():
                    value = float(np.clip(random.normal(middle, 0.1), 0, 1))
                    column.append(math.nan if empty else value)
                texts["prediction"].append(None if empty else prediction * (1 + number % 5))
                texts["reference"].append(f"{reference} || {idiom}：{reference}")
                texts["marks"].append(
                    json.dumps(
                        {
                            "shared": ["多余", "努力", "补救", "见识"],
                            "prediction": [[0, 1, "negation"], [3, 5, "not positive"]],
                            "references": [[[2, 4, "negative"]], []],
                        }
                    )
                )
    size = len(keys["id"])
    rows = Rows(
        keys, np.arange(size), {name: np.asarray(column) for name, column in numbers.items()}, texts
    )
    rows = rows.with_numbers({"unseen": np.where(np.arange(size) % 37 == 0, 0.2, 0.0)})
    empty_rows = np.flatnonzero(np.isnan(rows.values("s_acc"))).tolist()
    rows = rows.with_reasons("s_acc", dict.fromkeys(empty_rows, "no prediction"))
    return finish("text", rows, {"s_acc": Means(names)}, path)


def speech_run(path: Path | None = None) -> tuple[Run, dict[str, Metric]]:
    """Two recognisers on twelve clips, with diffs and facts."""
    random = np.random.default_rng(5)
    keys: dict[str, list[str]] = {key: [] for key in ("id", "system", "group", "cluster")}
    edits, words, rates, ser = [], [], [], []
    diffs, facts, expected, got = [], [], [], []
    for system, error in (("moonshine", 0.08), ("pocketsphinx", 0.3)):
        for number in range(12):
            total = int(random.integers(18, 40))
            wrong = int(random.binomial(total, error))
            keys["id"].append(f"clip-{number:02}")
            keys["system"].append(system)
            keys["group"].append("meeting" if number % 2 else "reading")
            keys["cluster"].append(f"speaker-{number // 2}")
            edits.append(wrong)
            words.append(total)
            rates.append(100 * wrong / total)
            ser.append(100 * min(1.0, wrong / total * 0.7))
            expected.append("The quick brown fox jumps over the lazy dog on the second of May.")
            got.append("The quick brown box jumps over lazy dog on the second of May today.")
            diffs.append(
                json.dumps(
                    [
                        ["=", "the quick brown", "the quick brown"],
                        ["s", "fox", "box"],
                        ["=", "jumps over", "jumps over"],
                        ["d", "the", ""],
                        ["=", "lazy dog on the second of may", "lazy dog on the second of may"],
                        ["i", "", "today"],
                    ]
                )
            )
            facts.append(
                json.dumps(
                    [
                        fact("the dog", "is", "lazy", "both"),
                        fact("the fox", "jumps over", "the dog", "expected"),
                        fact("it", "happened", "today", "got"),
                    ]
                )
            )
    columns = {"wer": rates, "ser": ser, "word_edits": edits, "words_expected": words}
    numbers = {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    texts = {"diff": diffs, "facts": facts, "expected": expected, "got": got}
    return finish("speech", Rows(keys, np.arange(24), numbers, texts), {"rates": Rates()}, path)


def recording_run(words: int = 3000) -> tuple[Run, dict[str, Metric]]:
    """Two recognisers on one recording, the second with a passage where it heard nothing right."""
    said = [f"w{at}" for at in range(words)]
    keys: dict[str, list[str]] = {key: ["talk"] * 2 for key in ("id", "group", "cluster")}
    keys["system"] = ["careful", "hasty"]
    diffs, edits = [], []
    for spoilt in (range(50, words, 500), range(1200, 1260)):
        places = set(spoilt)
        runs = [["s", word, "oops"] if at in places else ["=", word, word]
                for at, word in enumerate(said)]  # fmt: skip
        diffs.append(json.dumps(runs))
        edits.append(len(places))
    numbers = {
        "word_edits": np.asarray(edits, float),
        "words_expected": np.full(2, float(words)),
        "wer": 100 * np.asarray(edits) / words,
        "ser": np.full(2, np.nan),
    }
    texts: dict[str, list[str | None]] = {"diff": list(diffs), "expected": [" ".join(said)] * 2}
    return finish("speech", Rows(keys, np.arange(2), numbers, texts), {"rates": Rates()})


def fact(subject: str, predicate: str, thing: str, verdict: str) -> dict[str, str]:
    return {"subject": subject, "predicate": predicate, "object": thing, "verdict": verdict}


def book_run(path: Path | None = None) -> tuple[Run, dict[str, Metric]]:
    """Two books with one abridgement each, and their documents."""
    parts, details = [], {}
    for at, (title, source, summary, aligned) in enumerate(BOOKS):
        rows, document = _book(at, title, source, summary, aligned)
        parts.append(rows)
        details[f"{title}.json"] = document
    rows = Rows.concat(parts).with_details(details)
    return finish("book", rows, {"alignment": Means(("coverage", "alignment_confidence"))}, path)


FOX = (
    "Once there lived an old man by the sea.", "Every morning he mended his nets.",
    "One day a great storm came.", "The waves broke his boat.",
    "He sat on the shore and wept.", "A child brought him a plank.",
    "Together they built a new boat.", "From then on they fished together.",
)  # fmt: skip
BOOKS = (
    ("The old man", FOX, (FOX[0], FOX[2], FOX[6], "A dragon appeared."), (0, 2, 6, 6)),
    (
        "渔夫",
        ("从前有一个老渔夫。", "他每天出海。", "有一天来了大风暴。", "船坏了。", "孩子帮助了他。"),
        ("从前有一个渔夫。", "风暴毁了船。", "孩子帮助了他。"),
        (0, 3, 4),
    ),
)


def _book(
    at: int, title: str, source: Any, summary: Any, aligned: Any
) -> tuple[Rows, dict[str, Any]]:
    random = np.random.default_rng(at)
    table = random.uniform(0.2, 0.5, (len(summary), len(source)))
    for row, column in enumerate(aligned):
        table[row, column] = 0.45 if row == 3 else random.uniform(0.85, 1)
    similarity = np.asarray([table[row, column] for row, column in enumerate(aligned)])
    size = len(summary)
    keys = {
        "id": [f"{title}#{row}" for row in range(1, size + 1)], "system": ["abridged"] * size,
        "group": [title] * size, "cluster": [title] * size,
    }  # fmt: skip
    rows = Rows(keys, np.full(size, at)).with_numbers(
        {"coverage": similarity > 0.6, "alignment_confidence": similarity, "scs": similarity}
    )
    rows = rows.with_texts(
        {"sentence": list(summary), "source_sentence": [source[column] for column in aligned]}
    )
    document = {
        "kind": "book", "title": title,
        "path": [[row, column] for row, column in enumerate(aligned)],
        "source": {"sentences": list(source)}, "summary": {"sentences": list(summary)},
        "sentences": [
            {"sentence": words, "aligned_index": column, "aligned_similarity": value,
             "covered": value > 0.6, "place": column if value > 0.6 else None}
            for words, column, value in zip(summary, aligned, similarity.tolist(), strict=True)
        ],
        "heat_map": {"values": table.tolist(), "rows": size, "columns": len(source)},
        "recall_along": [1.0, 0.5, 1.0, 0.0, 0.0, 0.5, 1.0, 1.0, 0.0, 0.0],
        "coverage_along": [1.0, 1.0, 1.0, 1.0, None, 1.0, 1.0, 0.0, 0.0, 0.0],
    }  # fmt: skip
    return rows, document


WORDS = (
    # id, form, gold (lemma, upos, head, deprel, semclass), system
    ("1", "The", ("the", "DET", "2", "det", "_"), ("the", "DET", "2", "det", "_")),
    ("2", "dog", ("dog", "NOUN", "3", "nsubj", "DOG"), ("dog", "NOUN", "3", "nsubj", "ANIMAL")),
    ("3", "saw", ("see", "VERB", "0", "root", "TO_SEE"), ("saw", "NOUN", "0", "root", "TOOL")),
    ("4", "her", ("she", "PRON", "5", "nmod", "_"), ("she", "PRON", "3", "obj", "_")),
    ("5", "duck", ("duck", "NOUN", "3", "obj", "BIRD"), ("duck", "VERB", "3", "xcomp", "TO_MOVE")),
    ("6", ".", (".", "PUNCT", "3", "punct", "_"), (".", "PUNCT", "3", "punct", "_")),
)
FIELDS = ("lemma", "upos", "head", "deprel", "semclass")


def parse_run(path: Path | None = None) -> tuple[Run, dict[str, Metric]]:
    """Thirty sentences parsed by two systems, a few of them documented word by word."""
    random = np.random.default_rng(11)
    names = ("total", "lemma", "upos", "uas", "las", "semclass")
    ids = [f"s{number}" for number in range(30)]
    parts = []
    for system, quality in (("careful", 0.95), ("hasty", 0.8)):
        keys = {
            "id": ids,
            "system": [system] * 30,
            "group": ["news"] * 15 + ["web"] * 15,
            "cluster": ids,
        }
        rows = Rows(keys, np.arange(30))
        columns = {name: np.clip(random.normal(quality, 0.08, 30), 0, 1) for name in names}
        parts.append(rows.with_numbers(columns))
    worst = int(np.argmin(parts[1].values("total")))
    gold: dict[str, list[Any]] = {name: [] for name in FIELDS}
    wrong: dict[str, dict[str, Any]] = {}
    for number, _, ours, theirs in WORDS:
        for name, one, other in zip(FIELDS, ours, theirs, strict=True):
            cells = [int(cell) if name == "head" else cell for cell in (one, other)]
            gold[name].append(cells[0])
            if one != other:
                wrong.setdefault(name, {})[number] = cells[1]
    report = {"line": 12, "lost": 3.0, "wrong": wrong, "missing": [],
              "paths": {"2": "DOG → CANINAE → ANIMAL"}}  # fmt: skip
    right = {"line": 12, "lost": 0.0, "wrong": {}, "missing": [], "paths": {}}
    sentence = {
        "id": f"s{worst}",
        "line": 12,
        "forms": [form for _, form, _, _ in WORDS],
        "gold": gold,
        "systems": {"careful": right, "hasty": report},
    }
    part = {"NOUN": {"words": 40, "las": 0.8}, "VERB": {"words": 30, "las": 0.7}}
    details = {
        "sentences.json": {"sentences": [sentence]},
        "breakdown.json": {name: {"by_pos": part} for name in ("careful", "hasty")},
        "confusions.json": {"hasty": {"UPOS": [{"gold": "VERB", "system": "NOUN", "count": 3}]}},
    }
    rows = Rows.concat(parts).with_details(details)
    return finish("parse", rows, {"parsing": Means(names)}, path)
