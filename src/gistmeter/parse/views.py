"""Parse: gold and system trees with what differs, sentences by what went wrong, and breakdowns.

The trees come from the document `sentences.json`; the pictures and tables from `breakdown.json`,
`confusions.json` and, where they were made, `conll18.json` and `enhanced.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gistmeter.core.types import Sheet
from gistmeter.core.views import Block, Chart, Dots, Finder, Opener, Point, Row, View, shown
from gistmeter.parse.run_documents import SentenceReport, SystemReport

PARTED = ("las", "uas", "lemma", "upos")
TAGS = ("upos", "semslot", "semclass")  # shown under every word; other cells where they differ
DOCUMENT = "sentences.json"
LONGEST = 60  # words of a sentence that is drawn
PARTS = {
    "by_length": "length of the sentence", "by_arc_length": "distance from the head",
    "by_direction": "side of the head", "by_depth": "depth in the tree", "by_projectivity": "arc",
    "by_form": "word", "by_lemma": "lemma", "by_pos": "part of speech", "by_relation": "relation",
}  # fmt: skip
DRAWN = ("by_pos", "by_relation", "by_length", "by_arc_length", "by_depth")
MOST_PARTS, MOST_ROWS = 14, 60
NAMES = {
    "total": "all levels", "lemma": "lemmas", "upos": "parts of speech",
    "xpos": "language's own tags", "feats": "features", "uas": "heads", "las": "labelled heads",
    "semslot": "semantic roles", "semclass": "semantic classes",
    "complete": "complete matches",
}  # fmt: skip


class ParseView(View):
    """Trees of any sentence, what was taken for what, and where."""

    def blocks(self, row: Row, opener: Opener) -> list[Block]:
        if not {"uas", "upos"} & set(row.rows.numbers):
            return []
        row.used |= set(row.rows.numbers)  # scores are in the table, the rest is bookkeeping
        system = row.key("system")
        sentence = sentences(opener).get((system, row.key("id")))
        if sentence is None:
            kept = "Sentences are kept word by word where systems lose most: this one was not."
            return [{"k": "note", "x": kept}]
        report = sentence.systems[system]
        row.extra["w"] = report.lost
        row.extra["x"] = shown(" ".join(sentence.forms), 160)
        row.extra["q"] = [shown(one, 80) for one in dict.fromkeys(errors(sentence, report))]
        name = f"tree\n{sentence.line}\n{sentence.id}"
        if name not in opener.shared and not opener.share(name, [tree(sentence)]):
            full = "There is no room for its tree here: gistmeter report RUN --all has every tree."
            return [{"k": "note", "x": full}]
        row.extra["a"] = name
        return []

    def charts(self, opener: Opener) -> list[Chart]:
        """A score by part of speech, relation, length, distance and depth."""
        documents = opener.documents("breakdown.json")
        charts: list[Chart] = []
        for key in DRAWN:
            tables = {system: _by_label(parts, key) for system, parts in documents.items()}
            tables = {system: table for system, table in tables.items() if table}
            first = next(iter(tables.values()), {})
            known = {name for scores in first.values() for name in scores}
            score = next((name for name in PARTED if name in known), "")
            points = [
                Point(system, table[part][score], part)
                for part in list(first)[:MOST_PARTS]
                for system, table in tables.items()
                if score in table.get(part, {})
            ]
            if len(points) > 1:
                name = f"{NAMES[score]} ({score}) by {PARTS[key]}"
                note = "the most frequent" if len(first) > MOST_PARTS else ""
                charts.append(Dots(name, points, "higher is better", note))
        return charts

    def tables(self, opener: Opener) -> list[Sheet]:
        """The official table, scores by kind of word, features, enhancements and confusions."""
        breakdowns = opener.documents("breakdown.json")
        features = {
            system: parts.get("by_feature")
            for system, parts in breakdowns.items()
            if isinstance(parts, Mapping)
        }
        enhanced = opener.documents("enhanced.json")
        types = {
            system: parts.get("by_type")
            for system, parts in enhanced.items()
            if isinstance(parts, Mapping)
        }
        sheets = [
            *official_tables(opener),
            _kinds(breakdowns),
            _precisions("Features: precision and recall", "feature", features),
            _precisions("Enhanced dependencies by type", "type", types),
            *_confusions(opener),
        ]
        return [sheet for sheet in sheets if sheet.rows]


VIEW = ParseView(
    heading="Parse: morphology, syntax, semantics",
    noun="sentence",
    names=NAMES,
    decisive=("total", "las", "uas", "upos", "semslot", "semclass"),
    methods={
        "las": "the labelled attachment score", "uas": "the unlabelled attachment score",
        "total": "the mean of the layers' scores",
    },
)  # fmt: skip


def official_tables(opener: Opener) -> list[Sheet]:
    """Precision, recall, F1 and aligned accuracy in percent, as the official script prints them."""
    heads = ["Metric", "Precision", "Recall", "F1 Score", "AligndAcc"]
    rows: dict[str, list[Sequence[object]]] = {}
    for ending, key in (("conll18.json", "official"), ("enhanced.json", "official")):
        for system, parts in opener.documents(ending).items():
            table = parts.get(key) if isinstance(parts, Mapping) else None
            for metric, numbers in table.items() if isinstance(table, Mapping) else ():
                cells = [_percent(numbers, name) for name in ("precision", "recall", "f1")]
                accuracy = _percent(numbers, "aligned_accuracy")
                rows.setdefault(system, []).append([str(metric), *cells, accuracy])
    return [Sheet(f"{system}: as the official script prints it", heads, lines)
            for system, lines in rows.items()]  # fmt: skip


def _percent(numbers: Any, name: str) -> str:
    value = numbers.get(name) if isinstance(numbers, Mapping) else None
    return f"{100 * value:.2f}" if isinstance(value, int | float) else ""


def _by_label(parts: Any, key: str) -> dict[str, dict[str, float]]:
    """The defined scores of each label, of a system's breakdown."""
    table = parts.get(key) if isinstance(parts, Mapping) else None
    return {
        str(label): {name: float(value) for name, value in scores.items() if value is not None}
        for label, scores in (table.items() if isinstance(table, Mapping) else ())
        if isinstance(scores, Mapping)
    }


def _kinds(breakdowns: Mapping[str, Any]) -> Sheet:
    """Every score of every kind of word, a column for each system's heads and labelled heads."""
    scores = [(system, name) for system in breakdowns for name in ("uas", "las")]
    heads = ["by", "of the gold", "words", *(f"{system} {name}" for system, name in scores)]
    rows: list[Sequence[object]] = []
    for key, title in PARTS.items():
        tables = {system: _by_label(parts, key) for system, parts in breakdowns.items()}
        for label in next(iter(tables.values()), {}):
            own = {system: table.get(label, {}) for system, table in tables.items()}
            words = next((int(one["words"]) for one in own.values() if "words" in one), 0)
            rows.append([title, label, words, *(own[system].get(name) for system, name in scores)])
    return Sheet("Heads and labels by kind of word, arc and sentence", heads, rows)


def _precisions(title: str, what: str, tables: Mapping[str, Any]) -> Sheet:
    """Precision, recall and F1 of each label, three columns for each system."""
    known = {name: table for name, table in tables.items() if isinstance(table, Mapping)}
    columns = [(system, name) for system in known for name in ("precision", "recall", "f1")]
    heads = [what, "in the gold", *(f"{system} {name}" for system, name in columns)]
    rows: list[Sequence[object]] = []
    for label in list(dict.fromkeys(one for table in known.values() for one in table))[:MOST_ROWS]:
        own = {
            system: numbers if isinstance(numbers := table.get(label), Mapping) else {}
            for system, table in known.items()
        }
        gold = next((numbers["gold"] for numbers in own.values() if "gold" in numbers), None)
        rows.append([str(label), gold, *(own[system].get(name) for system, name in columns)])
    return Sheet(title, heads, rows)


def _confusions(opener: Opener) -> list[Sheet]:
    """What was taken for what, a table for each column; each count finds its sentences."""
    counts: dict[str, dict[tuple[str, str], dict[str, int]]] = {}
    documents = opener.documents("confusions.json")
    for system, columns in documents.items():
        for column, entries in columns.items() if isinstance(columns, Mapping) else ():
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, Mapping) and {"gold", "system", "count"} <= entry.keys():
                    pair = str(entry["gold"]), str(entry["system"])
                    times = counts.setdefault(str(column), {}).setdefault(pair, {})
                    times[str(system)] = int(entry["count"])
    sheets = []
    for column, pairs in counts.items():
        often = sorted(pairs.items(), key=lambda one: -sum(one[1].values()))[:MOST_ROWS]
        rows: list[Sequence[object]] = [
            [
                *pair,
                *(
                    Finder(times[name], f"{column.lower()}:{pair[0]}>{pair[1]}", name)
                    if name in times
                    else None
                    for name in documents
                ),
            ]
            for pair, times in often
        ]
        title = f"{column}: what was taken for what"
        sheets.append(Sheet(title, ["gold", "given", *documents], rows))
    return sheets


def sentences(opener: Opener) -> dict[tuple[str, str], SentenceReport]:
    """The documented sentences by system and id."""
    if "sentences" not in opener.kept:
        document = opener.details.get(DOCUMENT)
        entries = document.get("sentences") if isinstance(document, Mapping) else None
        opener.kept["sentences"] = {
            (system, report.id): report
            for entry in (entries if isinstance(entries, list) else ())
            if (report := SentenceReport.of(entry))
            for system in report.systems
        }
    reports: dict[tuple[str, str], SentenceReport] = opener.kept["sentences"]
    return reports


def errors(sentence: SentenceReport, report: SystemReport) -> Iterator[str]:
    """What went wrong in a sentence, in words that can be searched for: deprel:obl>nmod."""
    for column, cells in report.wrong.items():
        gold = sentence.gold.get(column, ())
        for at, theirs in cells.items():
            ours = gold[at - 1] if at <= len(gold) else "_"
            if column == "head":
                yield f"head:{sentence.gold.get('deprel', ['_'] * at)[at - 1]}"
            elif column == "feats":
                one, other = (set(str(cell).split("|")) - {"_"} for cell in (ours, theirs))
                yield from (f"feats:{part}" for part in sorted(one ^ other))
            else:
                yield f"{column}:{ours}>{theirs}"
    if report.missing:
        yield "missing"


def tree(sentence: SentenceReport) -> Block:
    """The gold's words, heads and tags, and what each system has otherwise, by place from 0."""
    size = len(sentence.forms) if len(sentence.forms) <= LONGEST else 0
    tags = [tag for tag in TAGS if any(one not in ("_", "") for one in sentence.gold.get(tag, ()))]
    sparse = [name for name in ("lemma", "feats") if name in sentence.gold]
    differing = {
        name: sorted({at for one in sentence.systems.values() for at in one.wrong.get(name, ())})
        for name in sparse
    }
    return {
        "k": "tree",
        "w": [shown(form, 40) for form in sentence.forms],
        "drawn": bool(size),
        "line": sentence.line,
        "h": sentence.gold.get("head", []),
        "r": [shown(str(one), 24) for one in sentence.gold.get("deprel", ())],
        "t": {tag: [shown(str(one), 28) for one in sentence.gold[tag]] for tag in tags},
        "o": {
            name: {at - 1: shown(str(sentence.gold[name][at - 1]), 80) for at in places}
            for name, places in differing.items()
        },
        "s": {
            shown(system, 200): {
                "line": report.line,
                "m": [at - 1 for at in report.missing],
                "d": {
                    column: {
                        at - 1: cell if column == "head" else shown(str(cell), 80)
                        for at, cell in cells.items()
                    }
                    for column, cells in report.wrong.items()
                },
                "p": [
                    shown(f"{sentence.forms[at - 1]}: {way}", 300)
                    for at, way in report.paths.items()
                ],
            }
            for system, report in sentence.systems.items()
        },
    }
