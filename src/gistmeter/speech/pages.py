"""The table of results in the usual columns, and the HTML diff of each pair."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from pathlib import Path

from gistmeter.files import write_atomically
from gistmeter.report.diff import (
    Card,
    PairView,
    percent,
    render_custom,
    render_pair,
    render_understanding,
)
from gistmeter.report.tables import Sheet, summary_sheet
from gistmeter.speech.pairs import PairResult, gather
from gistmeter.types import Clip, Run

COUNTS = ("chars_expected", "chars_got", "words_expected", "words_got")
RATES = ("wer", "cer", "match_percent")
EDITS = ("insertions", "deletions", "substitutions")
MOST_PAGES = 1000  # of a run; nobody opens more


def page_name(clip: Clip) -> str:
    """The file of a pair's diff; a digest keeps names apart that look alike on disk."""
    digest = hashlib.sha256(f"{clip.system}\0{clip.id}".encode("utf-8", "surrogatepass"))
    plain = re.sub(r"[^\w.-]+", "_", f"{clip.system}-{clip.id}")[:120]
    return f"diff-{plain}-{digest.hexdigest()[:8]}.html"


def worth_a_page(pairs: Sequence[PairResult], most: int = MOST_PAGES) -> frozenset[str]:
    """The names of the pages to write: all pairs with a transcript, or those with most errors."""
    shown = [pair for pair in pairs if pair.clip.got is not None]
    worst = sorted(shown, key=lambda pair: -pair.numbers.get("word_edits", 0.0))
    return frozenset(page_name(pair.clip) for pair in worst[:most])


def results_sheet(
    pairs: Sequence[PairResult], *, custom: str = "", pages: frozenset[str] = frozenset()
) -> Sheet:
    """One line a pair: provider, file, counts, rates, edits, latency, the custom metric, the diff.

    `custom` names the score that the column custom_metric holds; without one it is left out, and
    so is every rate that was not asked for.
    """
    columns = ["provider", "file", *COUNTS, *RATES, *EDITS, "latency"]
    columns += ["custom_metric"] if custom else []
    columns += ["diff_report", "error"]
    rows: list[list[object]] = []
    for pair in pairs:
        cells: list[object] = [pair.clip.system, pair.clip.id]
        cells += [_whole(pair[name]) for name in COUNTS]
        cells += [rate_of(pair, name) for name in RATES]
        cells += [_whole(pair[name]) for name in EDITS]
        cells.append(getattr(pair.clip, "latency", math.nan))
        if custom:
            cells.append(rate_of(pair, custom))
        name = page_name(pair.clip)
        cells.append(f"details/{name}" if name in pages else None)
        cells.append("; ".join(pair.reasons) or None)
        rows.append(cells)
    return Sheet("items", columns, rows)


def layout(run: Run, clips: Sequence[Clip], *, custom: str = "", pages: bool = True) -> list[Sheet]:
    """The sheets of a run's files: the pairs, and the scores."""
    assert run.rows is not None
    pairs = gather(run.rows, clips)
    written = worth_a_page(pairs) if pages else frozenset()
    return [results_sheet(pairs, custom=custom, pages=written), summary_sheet(run)]


def write_pages(pairs: Sequence[PairResult], folder: Path, language: str = "") -> int:
    """An HTML diff for each pair that is worth one; returns how many."""
    wanted = worth_a_page(pairs)
    for pair in pairs:
        if page_name(pair.clip) in wanted:
            write_atomically(folder / page_name(pair.clip), render_pair(view(pair, language)))
    return len(wanted)


def view(pair: PairResult, language: str = "", sections: Sequence[str] = ()) -> PairView:
    """What the page of a pair shows; `sections` are fragments beside those of its numbers."""
    return PairView(
        title=f"{pair.clip.system}: {pair.clip.id}",
        cards=_cards(pair),
        diff=pair.diff,
        expected=pair.clip.expected,
        got=pair.clip.got or "",
        sections=[*_sections(pair), *sections],
        language="" if language == "generic" else language,
        error=getattr(pair.clip, "failure", "") if pair.clip.got is None else "",
    )


def _cards(pair: PairResult) -> list[Card]:
    edits = ", ".join(f"{_count(pair[name])} {name}" for name in EDITS)
    letters = _of(pair, "char_edits", "chars")
    cards = [
        Card("Word error rate", percent(rate_of(pair, "wer")), edits),
        Card("Character error rate", percent(rate_of(pair, "cer")), letters),
        Card("Match", percent(rate_of(pair, "match_percent")), _of(pair, "matches", "words")),
        Card("Words", _count(pair["words_got"]), f"{_count(pair['words_expected'])} expected"),
    ]  # fmt: skip
    distance = pair["sem_dist_sum"] / pair["sem_dist_words"]
    if not math.isnan(distance):
        cards.append(Card("Semantic distance", percent(distance), "0 equal, 100 unrelated"))
    latency = getattr(pair.clip, "latency", math.nan)
    if not math.isnan(latency):
        cards.append(Card("Latency", f"{latency:.2f} s", "last sound to last text"))
    return cards


def _sections(pair: PairResult) -> list[str]:
    sections = []
    if pair.facts or not math.isnan(pair["ser"]):
        both, missing = pair["facts_both"], pair["facts_missing"]
        ser = 100 * missing / (both + missing) if both + missing > 0 else math.nan
        total = both + pair["facts_extra"]
        extra = 100 * pair["facts_extra"] / total if total > 0 else math.nan
        sections.append(
            render_understanding(
                ser=ser, understanding=100 - ser, extra=extra, facts=pair.facts, note=pair.note
            )
        )
    if pair.custom_html:
        sections.append(pair.custom_html)
    elif not math.isnan(pair["custom_metric"]):
        sections.append(render_custom(pair["custom_metric"], ""))
    return sections


def rate_of(pair: PairResult, name: str) -> float:
    """A clip's rate; rates of segments are put together from their sums."""
    if name == "wer":
        return pair.rate("word_edits", "words_expected")
    if name == "cer":
        return pair.rate("char_edits", "chars_expected")
    if name == "match_percent":
        return pair.rate("matches", "words_expected")
    return pair[name]


def _whole(value: float) -> int | None:
    return None if math.isnan(value) else int(value)


def _count(value: float) -> str:
    return "–" if math.isnan(value) else f"{int(value):,}"


def _of(pair: PairResult, part: str, unit: str) -> str:
    return f"{_count(pair[part])} of {_count(pair[f'{unit}_expected'])} {unit}"
