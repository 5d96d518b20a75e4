"""Speech: the word diff, and the facts in three groups."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gistmeter.core.views import Block, Opener, Row, View, mark, marked, shown, valid
from gistmeter.metrics.views import NAMES as ALARMS
from gistmeter.metrics.views import evidence_blocks, shown_alarms
from gistmeter.speech.readings import Edit, changes, cut, edits_of, share_readings, wrong

DIFF, TEXT = 4000, 1500  # characters shown of a diff, and of a text beside it
GROUPS = (
    ("both", "In both", "both"),
    ("expected", "Missing from the transcript", "missing"),
    ("got", "Only in the transcript", "extra"),
)


NAMES = {
    "gist": "meaning kept",
    "wer": "word errors", "cer": "character errors", "match_percent": "words right",
    "mer": "word errors, bounded by 100%", "keyword_recall": "keywords heard",
    "keyword_precision": "keywords not invented", "keyword_f1": "keywords, F1",
    "wer_file_mean": "word errors, mean of clips",
    "cer_file_mean": "character errors, mean of clips",
    "ser": "facts lost", "understanding": "facts understood",
    "missing": "facts lost", "extra": "facts invented", "sem_dist": "distance in meaning",
    "latency": "time waited", "latency_first": "time to the first word",
    "real_time_factor": "time per second of speech",
    **ALARMS,
}  # fmt: skip


class SpeechView(View):
    """Diff, facts, and the two texts as they came."""

    def opening(self, opener: Opener) -> list[Block]:
        """Recordings to read along; items point to their place in them."""
        return share_readings(opener)

    def blocks(self, row: Row, opener: Opener) -> list[Block]:
        if "diff" not in row.rows.texts and "facts" not in row.rows.texts:
            return []
        found: list[Block] = []
        edits = edits_of(row.text("diff"))
        if edits is not None:
            found.append(_diff_block(edits, row))
        elif "got" in row.rows.texts and row.text("got") is None:
            found.append({"k": "note", "n": "Transcript", "x": "(none)"})
        places = opener.kept.get("places", {})
        if row.at in places:
            name, piece = places[row.at]
            found.append({"k": "along", "of": name, "h": piece, "y": shown(row.key("system"), 200)})
        found += evidence_blocks(row)
        facts = row.document("facts")
        if isinstance(facts, list):
            found.append({"k": "facts", "n": "Facts", "g": fact_groups(facts)})
        note = row.text("ser_note")
        if note:
            found.append({"k": "note", "x": shown(note)})
        alarms = shown_alarms(row)
        found += alarms.blocks()
        for name, label, spans in (
            ("expected", "Expected", alarms.expected),
            ("got", "Transcript", alarms.said),
        ):
            text = row.text(name)
            if text and (len(text) <= TEXT or row.at not in places):
                lang = row.lang(text[:400])
                runs = mark(text[:TEXT], (), valid(spans, len(text[:TEXT])))
                cut = len(text) - TEXT
                runs += [(f" … (+{cut:,} characters)", "")] if cut > 0 else []
                found.append(marked(label, runs, lang))
        return found


VIEW = SpeechView(
    heading="Speech: what was heard of what was said",
    noun="clip",
    part="segment",
    cluster="speaker",
    names=NAMES,
    texts=("got", "expected"),
    reference="expected",
    against=(("wer", "ser"), ("wer", "sem_dist")),
)


def _diff_block(edits: list[Edit], row: Row) -> Block:
    """The alignment, or where it is long the passages with most errors, worst first."""
    lang = row.lang(str(edits[:20])[:400])
    if sum(len(expected) + len(got) for _, expected, got in edits) <= 2 * DIFF:
        return marked("Word by word", diff_runs(edits), lang)
    runs: list[tuple[str, str]] = []
    size = 0
    for piece in sorted(cut(edits), key=lambda piece: -wrong(changes(piece))):
        size += sum(len(expected) + len(got) for _, expected, got in piece)
        if runs and (size > DIFF or not wrong(changes(piece))):
            break
        runs += [("\n\n", ""), *diff_runs(piece)] if runs else diff_runs(piece)
    return marked("The worst passages, word by word", runs, lang)


def diff_runs(edits: Iterable[Edit]) -> list[tuple[str, str]]:
    """Runs of the diff: what was lost, then what stands in its place."""
    runs: list[tuple[str, str]] = []
    for kind, expected, got in edits:
        if kind == "=":
            runs.append((shown(got or expected), ""))
        else:
            runs += [(shown(expected), "deleted")] if expected else []
            runs += [(shown(got), "inserted")] if got else []
    spaced: list[tuple[str, str]] = []
    for at, run in enumerate(runs):
        spaced += [(" ", ""), run] if at else [run]
    return spaced


def fact_groups(facts: list[Any]) -> list[list[Any]]:
    """Title, kind and sentences of the three groups."""
    sentences: dict[str, list[str]] = {verdict: [] for verdict, _, _ in GROUPS}
    for fact in facts:
        if isinstance(fact, dict) and fact.get("verdict") in sentences:
            parts = (str(fact.get(part, "")) for part in ("subject", "predicate", "object"))
            sentences[fact["verdict"]].append(shown(" ".join(part for part in parts if part), 400))
    return [[title, kind, sentences[verdict]] for verdict, title, kind in GROUPS]
