"""A run's rows gathered by clip: the table of results, the page of each clip, and its notes.

A clip that was scored in segments has several rows; here they are one again. Its rates are what
the run's own metrics make of its rows.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from gistmeter import languages
from gistmeter.core.family import Context, Task
from gistmeter.core.item_columns import shared_by
from gistmeter.core.pages import (
    Card,
    PairView,
    Section,
    custom_section,
    percent,
    understanding_section,
)
from gistmeter.core.rows import Rows
from gistmeter.core.types import Clip, Metric, Sheet
from gistmeter.languages.analysers import version_of
from gistmeter.speech.judge_variance import variance_components
from gistmeter.speech.metrics.edits import DiffRun, align, diff_from_json
from gistmeter.speech.metrics.fact_prompt import SemanticFact, facts_from_json
from gistmeter.speech.metrics.normalizer import OTHERS, Normalisation
from gistmeter.speech.recordings import playable
from gistmeter.speech.settings import SpeechSettings

if TYPE_CHECKING:
    from gistmeter.core.run import Run

EDITS = ("insertions", "deletions", "substitutions")
COUNTED = ("chars_expected", "chars_got", "words_expected", "words_got")
SUMMED = (*COUNTED, "word_edits", "char_edits", "matches", *EDITS)
RATES = ("wer", "cer", "match_percent")
# Scores that have their column already, or say of a clip what another one says.
SHOWN = {
    *RATES, "mer", "wer_file_mean", "cer_file_mean", "latency", "latency_first", "real_time_factor",
    "ser", "understanding", "missing", "extra", "custom_metric",
}  # fmt: skip
MOST_PAGES = 1000  # of a run; nobody opens more
MOST_READ = 2_000_000  # characters that are read once more by other normalisers
WHISPER = "whisper-normalizer"
LOST_WORDS = 50  # kept for each system


@dataclass(frozen=True, slots=True)
class ClipResult:
    """One clip of one system. A number that was not measured is NaN."""

    item: int  # its number in the input
    id: str
    system: str
    expected: str
    got: str | None
    language: str
    numbers: Mapping[str, float]  # counts and scores
    diff: tuple[DiffRun, ...] = ()
    facts: tuple[SemanticFact, ...] = ()
    note: str = ""
    custom_html: str = ""
    reasons: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float:
        return self.numbers.get(name, math.nan)


def worst(rows: Rows, most: int) -> list[int]:
    """The items that have a transcript, those with most errors first, and no more than so many."""
    got = rows.texts.get("got", [None] * len(rows))
    heard = {item for item, text in zip(rows.item.tolist(), got, strict=True) if text is not None}
    edits = rows.numbers.get("word_edits", np.zeros(len(rows)))
    errors = np.bincount(rows.item, np.nan_to_num(edits))
    return sorted(heard, key=lambda item: (-errors[item], item))[:most]


def gather(
    rows: Rows, metrics: Mapping[str, Metric], items: Iterable[int] | None = None
) -> list[ClipResult]:
    """The rows' clips in input order, with the scores that the metrics give each.

    `items` names those that are wanted, where not all are.
    """
    wanted = None if items is None else set(items)
    places: dict[int, list[int]] = {}
    for at, item in enumerate(rows.item.tolist()):
        if wanted is None or item in wanted:
            places.setdefault(item, []).append(at)
    bare, sums = replace(rows, texts={}, reasons={}, details={}), _sums(rows)
    reasons: dict[int, dict[str, None]] = {}
    for cells in rows.reasons.values():
        for at, why in cells.items():
            reasons.setdefault(at, {})[why] = None
    return [
        ClipResult(
            item=item,
            id=_first(rows, "file", own) or rows.keys["id"][own[0]],
            system=rows.keys["system"][own[0]],
            expected=_first(rows, "expected", own) or "",
            got=_first(rows, "got", own),
            language=_first(rows, "language", own) or "",
            numbers={
                **{name: column[item] for name, column in sums.items()},
                **_scores(bare.take(own), metrics),
            },
            diff=tuple(_diffs(_texts(rows, "diff", own))),
            facts=tuple(
                fact for text in _texts(rows, "facts", own) for fact in facts_from_json(text) or ()
            ),
            note="; ".join(_texts(rows, "ser_note", own)),
            custom_html="".join(_texts(rows, "custom_html", own)),
            reasons=tuple(dict.fromkeys(why for at in own for why in reasons.get(at, ()))),
        )
        for item, own in sorted(places.items())
    ]


def _sums(rows: Rows) -> dict[str, list[float]]:
    """Each item's counts, NaN where none of its rows has one."""
    sums = {}
    for name in SUMMED:
        if name in rows:
            column = rows.values(name)
            seen = np.bincount(rows.item, ~np.isnan(column))
            total = np.bincount(rows.item, np.nan_to_num(column))
            sums[name] = np.where(seen > 0, total, np.nan).tolist()
    return sums


def _scores(own: Rows, metrics: Mapping[str, Metric]) -> dict[str, float]:
    """What the metrics make of a clip's rows."""
    if not metrics and len(own) == 1:  # of a run whose metrics are not all installed here
        return {name: float(own.values(name)[0]) for name in own.names}
    return {
        name: float(value)
        for metric in metrics.values()
        for name, value in metric.pool(own).items()
    }


def _first(rows: Rows, name: str, own: Sequence[int]) -> str | None:
    """A text of the clip, which stands in the first of its rows."""
    column = rows.texts.get(name)
    return column[own[0]] if column is not None else None


def _texts(rows: Rows, name: str, own: Sequence[int]) -> list[str]:
    column = rows.texts.get(name)
    return [text for at in own if (text := column[at])] if column is not None else []


def _diffs(texts: Iterable[str | None]) -> Iterator[DiffRun]:
    return (run for text in texts for run in diff_from_json(text) or ())


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
                ser=clip["ser"],
                extra=clip["extra"],
                facts=[fact.to_dict() for fact in clip.facts],
                note=clip.note,
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


def notes_of(rows: Rows, task: Task[SpeechSettings, Clip]) -> Mapping[str, Any]:
    """Edits and lost words of each system, and what a language model was asked."""
    kept: dict[str, Any] = {**task.read.notes, "edits": edit_totals(rows)}
    kept["lost_words"] = lost_words(rows)
    kept["confused_words"] = confused_words(rows)
    if "word_edits" in rows and (rates := rates_by_normalizer(rows, task.settings.normalizer)):
        kept["normalizers"] = rates
    if "facts" in task.metrics:
        if task.settings.facts == "embedded":
            kept["facts_by"] = shared_by(task.metrics["facts"]).llm.id
        kept["short_texts"] = int(rows.sum("ser_short"))
        kept["verdict_flips"] = int(rows.sum("verdict_flips"))
        kept["unsupported_facts"] = int(rows.sum("facts_corrected") + rows.sum("facts_unsupported"))
        kept["untold_texts"] = int((rows.values("facts_untold") > 0).sum())
        kept["disputed_facts"] = int(rows.sum("facts_disputed"))
        kept["unverified_texts"] = int((rows.values("facts_unverified") > 0).sum())
        kept |= {"variance": parts} if (parts := variance_of_answers(rows)) else {}
        usage = getattr(shared_by(task.metrics["facts"]).llm, "usage", None)
        kept |= {"usage": asdict(usage)} if usage is not None else {}
    if recordings := playable((clip.audio for clip in task.read.items), task.read.files):
        kept["recordings"] = recordings
    if task.read.interrupted:
        kept["interrupted"] = task.read.interrupted
    return kept


def variance_of_answers(rows: Rows) -> dict[str, Any]:
    """Each system's variance of ser, by clips and by answers; none where nothing was repeated."""
    columns = ("ser_mean", "ser_variance", "ser_answers")
    parts = {
        system: variance_components(*(part.values(name) for name in columns))
        for system, part in rows.by("system").items()
    }
    return {system: part.to_dict() for system, part in parts.items() if part is not None}


def report_doubts(run: Run, settings: SpeechSettings, context: Context) -> None:
    """Say what is doubtful in the language model's answers, and how much they vary.

    An invention, or a model that obeyed a transcript, must not change a score unseen.
    """
    if count := run.notes.get("unsupported_facts"):
        what = "overridden" if settings.occurrence == "strict" else "still scored"
        hint = "" if settings.occurrence == "strict" else "; --occurrence strict overrides them"
        context.warn(
            f"unsupported facts: {count} verdicts of the language model are not supported by the"
            f" words of the texts and were {what}{hint}. See the column facts_unsupported"
        )
    if count := run.notes.get("untold_texts"):
        context.warn(
            f"missed losses: for {count} transcripts, the language model's facts mention hardly any"
            " of the lost words, so their rates may be too low. See the column facts_untold"
        )
    if count := run.notes.get("disputed_facts"):
        context.warn(
            f"disputed facts: {count} are not counted, because the second question saw them"
            " elsewhere. See the column facts_disputed"
        )
    if count := run.notes.get("unverified_texts"):
        context.warn(
            f"not verified: for {count} transcripts the second question of --verify got no valid"
            " answer, so their facts count as the first answer has them. See the column"
            " facts_unverified"
        )
    usage = run.notes.get("usage", {})
    if usage.get("failed"):
        context.warn(
            f"failed calls: {usage['failed']} of {usage['calls']} calls to the language model gave"
            " no valid answer; what came of them is in the bill. Invalid answers are kept and not"
            " asked for again (--no-cache asks); the same command asks the others again"
        )
    for system, variance in run.notes.get("variance", {}).items():
        context.say(
            f"{system}: {variance['judge_share']:.0%} of the variance of ser between answers is the"
            f" judge's; standard error by clips {variance['error_of_items']:.2f}, by the judge"
            f" {variance['error_of_judge']:.2f} points"
        )


def rates_by_normalizer(rows: Rows, normalizer: str) -> dict[str, dict[str, float]]:
    """Each system's word error rate by the other normalisers, where several systems are ranked.

    Of whole clips, each by its language; a normaliser that is not installed is left out.
    """
    systems = list(dict.fromkeys(rows.keys["system"]))
    said, got, codes = (rows.texts.get(name, []) for name in ("expected", "got", "language"))
    if len(systems) < 2 or not said or sum(len(text or "") for text in said) > MOST_READ:
        return {}
    rates: dict[str, dict[str, float]] = {}
    for other in OTHERS:
        if other == normalizer or (other == "whisper" and "absent" in version_of(WHISPER)):
            continue
        totals = {system: [0, 0] for system in systems}
        clips = zip(rows.keys["system"], said, got, codes, strict=True)
        for system, expected, heard, code in clips:
            if expected and heard is not None:
                rules = Normalisation(languages.get(code or "generic"), other)
                words = rules.read(expected).words
                totals[system][0] += align(words, rules.read(heard).words).distance
                totals[system][1] += len(words)
        rates[other] = {
            system: 100 * wrong / words for system, (wrong, words) in totals.items() if words
        }
    return rates


def lost_words(rows: Rows) -> dict[str, list[dict[str, Any]]]:
    """For each system the words most often lost, with how often they were said."""
    by_system: dict[str, list[dict[str, Any]]] = {}
    for system, own in rows.by("system").items():
        lost: Counter[str] = Counter()
        said: Counter[str] = Counter()
        for kind, expected, _ in _diffs(own.texts.get("diff", ())):
            words = expected.split()
            said.update(words)
            if kind in ("s", "d"):
                lost.update(words)
        most = sorted(lost.items(), key=lambda entry: (-entry[1], entry[0]))[:LOST_WORDS]
        by_system[system] = [{"word": word, "lost": n, "said": said[word]} for word, n in most]
    return by_system


def confused_words(rows: Rows) -> dict[str, dict[str, list[list[Any]]]]:
    """For each system the words most often heard as others, lost and put in, with how often."""
    made: dict[str, dict[str, list[list[Any]]]] = {}
    for system, own in rows.by("system").items():
        counts: dict[str, Counter[tuple[str, str]]] = {kind: Counter() for kind in "sdi"}
        for kind, expected, got in _diffs(own.texts.get("diff", ())):
            if kind in counts:
                pairs = zip_longest(expected.split(), got.split(), fillvalue="")
                counts[kind].update(pairs)
        made[system] = {
            name: [[*pair, n] for pair, n in sorted(
                counts[kind].items(), key=lambda entry: (-entry[1], entry[0])
            )[:LOST_WORDS]]
            for kind, name in (("s", "substituted"), ("d", "deleted"), ("i", "inserted"))
        }  # fmt: skip
    return made


def edit_totals(rows: Rows) -> dict[str, dict[str, int]]:
    """For each system how many words were matched, inserted, deleted and substituted."""
    return {
        system: {
            name: int(own.sum(name))
            for name in ("words_expected", "matches", *EDITS)
            if name in own
        }
        for system, own in rows.by("system").items()
    }
