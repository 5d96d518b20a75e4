"""The table of results in the usual columns, and what the page of each clip shows."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gistmeter.core.family import summary_sheet
from gistmeter.core.pages import (
    Card,
    PairView,
    Section,
    percent,
)
from gistmeter.core.types import Sheet
from gistmeter.speech.clips import EDITS, ClipResult, gather, worst

if TYPE_CHECKING:
    from gistmeter.core.run import Run

COUNTED = ("chars_expected", "chars_got", "words_expected", "words_got")
RATES = ("wer", "cer", "match_percent")
# Scores that have their column already, or say of a clip what another one says.
SHOWN = {
    *RATES, "mer", "wer_file_mean", "cer_file_mean", "latency", "latency_first", "real_time_factor",
    "ser", "understanding", "missing", "extra", "custom_metric",
}  # fmt: skip
MOST_PAGES = 1000  # of a run; nobody opens more


def understanding_section(
    *, ser: float, extra: float, facts: Sequence[Mapping[str, str]], note: str = ""
) -> Section:
    """The Semantic Understanding section: four cards and the list of facts."""
    cards = [
        Card(
            "Semantic Error Rate", percent(ser), "missing facts of those expected; lower is better"
        ),
        Card("Understanding", percent(100 - ser), "expected facts preserved"),
        Card("Missing", percent(ser), "expected facts absent from the transcript"),
        Card("Extra", percent(extra), "facts of the transcript that were not said"),
    ]
    return Section("Semantic Understanding", cards, note, facts)


def custom_section(score: float, detail: str = "", html: str = "") -> Section:
    """A custom metric: its own HTML where it brings some."""
    return Section("Custom metric", [Card("Score", percent(score), detail)], html=html)


def page_name(system: str, clip: str) -> str:
    """The file of a clip's diff; a digest keeps names apart that look alike on disk."""
    digest = hashlib.sha256(f"{system}\0{clip}".encode("utf-8", "surrogatepass"))
    plain = re.sub(r"[^\w.-]+", "_", f"{system}-{clip}")[:120]
    return f"diff-{plain}-{digest.hexdigest()[:8]}.html"


def pages(run: Run) -> Iterator[tuple[str, PairView]]:
    """The diffs of a run, each with its file's name."""
    if run.settings.get("diffs", True):
        for clip in gather(run.measured, run.metrics, worst(run.measured, MOST_PAGES)):
            yield page_name(clip.system, clip.id), view(clip)


def sheets(run: Run) -> list[Sheet]:
    """The clips, and the scores."""
    return [results_sheet(run), summary_sheet(run)]


def results_sheet(run: Run, most: int = MOST_PAGES) -> Sheet:
    """One line per clip: provider, file, counts, rates, edits, latency, scores, diff, texts.

    `custom_metric` is there where a metric of the user's own or the semantic error rate is.
    """
    rows = run.measured
    clips = gather(rows, run.metrics)
    linked = run.path is not None and run.settings.get("diffs", True)
    written = set(worst(rows, most)) if linked else set()
    custom = next((name for name in ("custom_metric", "ser") if name in rows), "")
    made = dict.fromkeys(name for held in run.systems.values() for name in held.scores)
    further = [name for name in made if name not in SHOWN]
    columns = ["provider", "file", *COUNTED, *RATES, *EDITS, "latency"]
    columns += [*(["custom_metric"] if custom else []), *further, "diff_report", "error"]
    cells: list[list[object]] = []
    for clip in clips:
        line: list[object] = [clip.system, clip.id]
        line += [_whole(clip[name]) for name in COUNTED]
        line += [clip[name] for name in RATES]
        line += [_whole(clip[name]) for name in EDITS]
        line += [clip[name] for name in ("latency", *([custom] if custom else []), *further)]
        page = f"details/{page_name(clip.system, clip.id)}"
        line += [page if clip.item in written else None, "; ".join(clip.reasons) or None]
        cells.append([*line, clip.expected, clip.got])
    return Sheet("items", [*columns, "expected", "got"], cells, links=("diff_report",))


def view(clip: ClipResult, sections: Sequence[Section] = ()) -> PairView:
    """What the page of a clip shows; `sections` come after those of its numbers."""
    return PairView(
        title=f"{clip.system}: {clip.id}",
        cards=_cards(clip),
        diff=clip.diff,
        expected=clip.expected,
        got=clip.got or "",
        sections=[*_sections(clip), *sections],
        language="" if clip.language == "generic" else clip.language,
        error="; ".join(clip.reasons) if clip.got is None else "",
    )


def _cards(clip: ClipResult) -> list[Card]:
    edits = ", ".join(f"{_count(clip[name])} {name}" for name in EDITS)
    cards = [
        Card("Word error rate", percent(clip["wer"]), edits),
        Card("Character error rate", percent(clip["cer"]), _of(clip, "char_edits", "chars")),
        Card("Match", percent(clip["match_percent"]), _of(clip, "matches", "words")),
        Card("Words", _count(clip["words_got"]), f"{_count(clip['words_expected'])} expected"),
    ]
    if not math.isnan(clip["sem_dist"]):
        cards.append(Card("Semantic distance", percent(clip["sem_dist"]), "0 equal, 100 unrelated"))
    if not math.isnan(clip["latency"]):
        cards.append(Card("Latency", f"{clip['latency']:.2f} s", "last sound to last text"))
    return cards


def _sections(clip: ClipResult) -> list[Section]:
    sections = []
    if clip.facts or not math.isnan(clip["ser"]):
        sections.append(
            understanding_section(
                ser=clip["ser"], extra=clip["extra"], facts=clip.facts, note=clip.note
            )
        )
    if clip.custom_html or not math.isnan(clip["custom_metric"]):
        sections.append(custom_section(clip["custom_metric"], html=clip.custom_html))
    return sections


def _whole(value: float) -> int | None:
    return None if math.isnan(value) else int(value)


def _count(value: float) -> str:
    return "–" if math.isnan(value) else f"{int(value):,}"


def _of(clip: ClipResult, part: str, unit: str) -> str:
    return f"{_count(clip[part])} of {_count(clip[f'{unit}_expected'])} {unit}"
