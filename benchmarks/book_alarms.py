"""Books: what the alarms find in made editions of a novel that they were not fitted on.

    python -m benchmarks book_alarms [--every 8] [--seeds 3]

For each of three novels (AbLit) the alarms are fitted on the other two (`training.alarms`). Then
its published abridgement is read as it is: an alarm for something invented, changed or moved is
false there, a cut is right where the gold rows have nothing of most of its sentences. And made
editions are read: 2% of the sentences falsified, and 10%, with words for events and sentences to be
put in that were not used for the fit; without its second half; without some chapters, which must
be named; another book. Intervals are over stretches of 50 sentences. `--every 8`: of each novel
every eighth chapter.

What was kept is compared, chapter by chapter, with the content words of the original that stand in
the abridgement's part of their gold row. `--kept`: that alone, which needs no judge.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from training.alarms import fit_alarms, label, metric_of
from training.false_editions import (
    KINDS,
    MadeEdition,
    Novel,
    falsify,
    other_sentences,
    read_novels,
)

from benchmarks.harness import shared
from gistmeter.book.book_document import BookDocument
from gistmeter.book.metrics.book_alignment import BookAlignment
from gistmeter.book.metrics.segmentation import Segments
from gistmeter.book.verdict import missing_chapters
from gistmeter.core.cache import Cache, cache_file
from gistmeter.core.types import Book
from gistmeter.languages import Heading
from gistmeter.models.loading import load_judge, load_models

LEVELS = ("sure", "balanced", "all")
STRETCH, RESAMPLES, SEED = 50, 2000, 1
STRANGE = 60  # sentences of another book
FEW, MANY = 0.02, 0.10
CLOSE = 0.05  # how far what was kept may be from the gold rows
Count = tuple[float, float]  # hits, of


@dataclass(frozen=True)
class ReadEdition:
    """An edition with its faults, what was found, and its fidelity."""

    name: str  # fair, few, many, half, gone or other
    novel: str
    faults: Sequence[str]
    document: BookDocument
    fidelity: float
    kept: float


def read_edition(
    metric: BookAlignment, novel: Novel, edition: MadeEdition, name: str
) -> ReadEdition:
    rows = metric.measure_sentences(
        Book(novel.name, "", "", name, "en"), novel.source, edition.summary
    )
    scores = metric.pool(rows)
    document = BookDocument.from_dict(next(iter(rows.details.values())))
    return ReadEdition(
        name, novel.name, edition.faults, document, float(scores["fidelity"]),
        float(scores["source_recall"]),
    )  # fmt: skip


def editions_of(
    metric: BookAlignment, novel: Novel, other: Novel, foreign: Sequence[str], seeds: int
) -> list[ReadEdition]:
    fair = novel.summary.sentences
    half = len(fair) // 2
    made = [("fair", MadeEdition(novel.summary, ("",) * len(fair)))]
    for seed in range(seeds):
        chance = random.Random(f"{novel.name} {seed}")
        made.append(("few", falsify(novel, FEW, foreign, "test", chance)))
    made.append(("many", falsify(novel, MANY, foreign, "test", random.Random(novel.name))))
    made.append(("half", MadeEdition(Segments(fair[:half]), ("",) * half)))
    made.append(("gone", without(novel, *gone_chapters(novel))))
    strange = other.summary.sentences[:STRANGE]
    made.append(("other", MadeEdition(Segments(strange), ("foreign",) * len(strange))))
    return [read_edition(metric, novel, edition, name) for name, edition in made]


def gone_chapters(novel: Novel) -> tuple[int, int]:
    """The first and the last chapter that are left out of an edition: of nine, 5 to 8."""
    count = len(novel.summary.headings)
    return count // 2, count - 2


def without(novel: Novel, first: int, last: int) -> MadeEdition:
    """The abridgement without some chapters."""
    headings = novel.summary.headings
    start, end = headings[first].sentence, headings[last + 1].sentence
    texts = novel.summary.sentences[:start] + novel.summary.sentences[end:]
    later = [Heading(one.text, one.sentence - end + start) for one in headings[last + 1 :]]
    return MadeEdition(Segments(texts, (*headings[:first], *later)), ("",) * len(texts))


def counted(editions: Sequence[ReadEdition]) -> dict[str, dict[tuple[str, int], Count]]:
    """Of each figure, hits and how many could be, by stretch of a novel."""
    found: dict[str, dict[tuple[str, int], Count]] = {}

    def add(figure: str, novel: str, at: int, hit: bool, of: int = 1) -> None:
        stretches = found.setdefault(figure, {})
        hits, every = stretches.get((novel, at // STRETCH), (0, 0))
        stretches[novel, at // STRETCH] = hits + int(hit), every + of

    for one in editions:
        if one.name not in {"fair", "few", "many"}:
            continue
        size = len(one.faults)
        for level in LEVELS:
            shown = [alarm for alarm in one.document.alarms if alarm.is_shown(level)]
            alarms = [(alarm.first, alarm.kind) for alarm in shown if alarm.first is not None]
            there = {first for first, _ in alarms}
            if one.name == "fair":
                for at in range(size):
                    add(f"false alarms, {level}", one.novel, at, False)
                    for kind in ("invented", "changed", "moved"):
                        hit = (at, kind) in alarms
                        add(f"  {kind}, {level}", one.novel, at, hit)
                        if hit:
                            add(f"false alarms, {level}", one.novel, at, True, 0)
            elif one.name == "few":
                for first, _ in alarms:
                    right = one.faults[first] != ""
                    add(f"precision at {FEW:.0%}, {level}", one.novel, first, right)
            for at, fault in enumerate(one.faults):
                if fault:
                    add(f"recall {fault}, {level}", one.novel, at, at in there)
    return found


def cuts_of(edition: ReadEdition, novel: Novel) -> dict[str, dict[tuple[str, int], Count]]:
    """Whether cuts are right by the gold rows."""
    found: dict[str, dict[tuple[str, int], Count]] = {}
    for level in LEVELS:
        stretches = found.setdefault(f"cuts that are right, {level}", {})
        for alarm in edition.document.alarms:
            if alarm.kind != "cut" or not alarm.is_shown(level):
                continue
            assert alarm.start is not None
            assert alarm.end is not None
            known = [one for one in novel.kept[alarm.start : alarm.end + 1] if one is not None]
            hits, every = stretches.get((novel.name, alarm.start // STRETCH), (0, 0))
            right = bool(known) and sum(known) < len(known) / 2
            stretches[novel.name, alarm.start // STRETCH] = hits + right, every + bool(known)
    return found


def interval(counts: Sequence[Count], scale: float) -> str:
    table = np.array(counts, float)
    random_ = np.random.default_rng(SEED)
    drawn = random_.integers(0, len(table), (RESAMPLES, len(table)))
    sums = table[drawn].sum(axis=1)
    rates = scale * sums[:, 0] / np.maximum(sums[:, 1], 1)
    low, high = np.quantile(rates, (0.025, 0.975))
    whole = table.sum(axis=0)
    digits = 1 if scale > 1 else 2
    return (f"{scale * whole[0] / max(whole[1], 1):.{digits}f} ({low:.{digits}f} to"
            f" {high:.{digits}f})")  # fmt: skip


def show(found: dict[str, dict[tuple[str, int], Count]]) -> None:
    names = dict.fromkeys(name.rpartition(", ")[0] for name in found)
    print(f"| | {' | '.join(LEVELS)} | of |\n|---|---|---|---|---|")
    for name in names:
        scale = 1000.0 if name.startswith(("false", "  ")) else 1.0
        cells, sizes = [], []
        for level in LEVELS:
            counts = list(found.get(f"{name}, {level}", {}).values())
            cells.append(interval(counts, scale) if counts else "–")
            sizes.append(str(sum(of for _, of in counts)))
        size = " / ".join(dict.fromkeys(sizes))
        unit = " in 1,000 sentences" if scale > 1 else ""
        print(f"| {name.strip()}{unit} | {' | '.join(cells)} | {size} |", flush=True)


def show_orders(editions: Sequence[ReadEdition]) -> None:
    """Pairs of editions of a novel that fidelity orders rightly."""
    ranks = ("fair", "few", "many", "half", "other")
    for better, worse in [*pairwise(ranks), ("fair", "many"), ("few", "half")]:
        pairs = [one.fidelity > two.fidelity for one in editions for two in editions
                 if one.novel == two.novel and (one.name, two.name) == (better, worse)]  # fmt: skip
        print(f"fidelity, {better} before {worse}: {sum(pairs)} of {len(pairs)} pairs")
    for one in editions:
        print(f"  {one.novel} {one.name}: fidelity {one.fidelity:.3f}, kept {one.kept:.3f}")


def show_kept(editions: Sequence[ReadEdition], novels: Mapping[str, Novel]) -> None:
    """What was kept beside the gold rows, and whether the chapters that are gone are named."""
    print("| | kept | by gold rows | missing |\n|---|---|---|---|")
    apart: dict[str, list[tuple[float, float]]] = {"there": [], "gone": []}
    for one in editions:
        if one.name not in {"fair", "gone"}:
            continue
        novel = novels[one.novel]
        first, last = gone_chapters(novel) if one.name == "gone" else (1, 0)
        gold = [
            (0 if first <= at <= last else kept, every)
            for at, (kept, every) in enumerate(novel.content)
        ]
        for at, (chapter, (kept, every)) in enumerate(
            zip(one.document.chapters, gold, strict=True)
        ):
            if one.name == "fair" or first <= at <= last:
                group = "there" if one.name == "fair" else "gone"
                apart[group].append((abs(chapter.kept - kept / every), 1.0))
        whole = sum(kept for kept, _ in gold) / sum(every for _, every in gold)
        named = "; ".join(missing_chapters(one.document)) or "–"
        print(f"| {one.novel} {one.name} | {one.kept:.1%} | {whole:.1%} | {named} |", flush=True)
    for group, gaps in apart.items():
        close = sum(gap <= CLOSE for gap, _ in gaps)
        print(f"chapters {group}: {interval(gaps, 100.0)} points from the gold rows on average,"
              f" {100 * max(gap for gap, _ in gaps):.1f} at most; within {100 * CLOSE:.0f}:"
              f" {close} of {len(gaps)}")  # fmt: skip


def read_kept(metric: BookAlignment, novels: Mapping[str, Novel]) -> list[ReadEdition]:
    """The published abridgement of each novel, whole and without some chapters."""
    return [
        read_edition(metric, novel, edition, name)
        for novel in novels.values()
        for name, edition in (
            ("fair", MadeEdition(novel.summary, ("",) * len(novel.summary.sentences))),
            ("gone", without(novel, *gone_chapters(novel))),
        )
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=8, help="chapters of which one is read")
    parser.add_argument("--seeds", type=int, default=3, help="editions with 2%% falsified")
    parser.add_argument("--kept", action="store_true", help="only what was kept")
    options = parser.parse_args()
    cache = Cache(cache_file())
    judge = None if options.kept else load_judge(cache)
    metric = metric_of(load_models(["embedder"], cache=cache).embedder, judge)
    data = shared("data")
    novels, foreign = read_novels(data, options.every), other_sentences(data, "test")
    if options.kept:
        show_kept(read_kept(metric, novels), novels)
        return
    for_fit = other_sentences(data, "fit")
    labelled = {name: label(metric, novel, for_fit) for name, novel in novels.items()}
    editions: list[ReadEdition] = []
    cuts: dict[str, dict[tuple[str, int], Count]] = {}
    for (name, novel), other in zip(
        novels.items(), [*list(novels.values())[1:], next(iter(novels.values()))], strict=True
    ):
        fit = fit_alarms([book for title, book in labelled.items() if title != name])
        own = replace(metric, fit={"languages": ["en"], **fit})
        editions += editions_of(own, novel, other, foreign, options.seeds)
        fair = next(one for one in editions if (one.novel, one.name) == (name, "fair"))
        for figure, stretches in cuts_of(fair, novel).items():
            cuts.setdefault(figure, {}).update(stretches)
        print(f"{name}: {len(novel.summary.sentences)} sentences", flush=True)
    found = counted(editions)
    order = ["false alarms", "  invented", "  changed", "  moved", f"precision at {FEW:.0%}"]
    order += [f"recall {kind}" for kind in KINDS]
    show({f"{name}, {level}": found.get(f"{name}, {level}", {})
          for name in order for level in LEVELS} | cuts)  # fmt: skip
    show_orders(editions)
    show_kept(editions, novels)


if __name__ == "__main__":
    main()
