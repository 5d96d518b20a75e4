"""The tables of a run of texts, with the columns that its users know.

CSV holds every item, a file for each arrangement where there are several, and the summary; a
workbook has one sheet per arrangement and the summary.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gistmeter.core.item_columns import LANGUAGE, SAMPLE, columns_of
from gistmeter.core.rows import Rows
from gistmeter.core.types import Sheet

if TYPE_CHECKING:
    from gistmeter.core.run import Run

DELIMITED = (".csv", ".tsv")
COLUMNS: Mapping[str, str] = {
    "cross_encoder": "Cross_Encoder",
    "bertscore": "BERTScore",
    "sts": "STS",
    "lexical_cosine": "Lexical_Cosine",
    "representation": "Representation",
    "f_beta": "F_Beta",
    "s_acc": "S_Acc",
    "polarity_conflict": "Polarity_Conflict",
}
LOGIC: Mapping[str, str] = {
    "s_logic": "S_Log",
    "neutral": "Neutral",
    "contradiction": "Contradiction",
    "reference_to_prediction_entailment": "S_Log_Reference_To_Prediction",
    "reference_to_prediction_neutral": "Neutral_Reference_To_Prediction",
    "reference_to_prediction_contradiction": "Contradiction_Reference_To_Prediction",
    "prediction_to_reference_entailment": "S_Log_Prediction_To_Reference",
    "prediction_to_reference_neutral": "Neutral_Prediction_To_Reference",
    "prediction_to_reference_contradiction": "Contradiction_Prediction_To_Reference",
}
FURTHER: Mapping[str, str] = {"s_info": "S_Info", "recovery": "Recovery"}


def sheets(run: Run) -> list[Sheet]:
    """Items, arrangements where there are several, and the summary last."""
    columns = _item_columns(run)
    cells = [list(row) for row in zip(*columns.values(), strict=True)]
    head, groups = list(columns), list(dict.fromkeys(columns["arrangement"]))
    if len(groups) < 2:
        return [Sheet("items", head, cells), summary(run)]
    place = head.index("arrangement")
    arrangements = [
        Sheet(str(group or "unnamed"), head, [row for row in cells if row[place] == group])
        for group in groups
    ]
    return [Sheet("items", head, cells, DELIMITED), *arrangements, summary(run)]


def _item_columns(run: Run) -> dict[str, Sequence[object]]:
    """One line per item: the known columns first, then other scores, system, arrangement."""
    rows = run.measured
    empty: Sequence[object] = [None] * len(rows)
    columns: dict[str, Sequence[object]] = {
        "idiom": rows.keys["id"],
        "Reference": rows.texts.get("reference", empty),
        "Prediction": rows.texts.get("prediction", empty),
    }
    if "s_acc" in rows:
        columns |= {title: _numbers(rows, name) for name, title in COLUMNS.items()}
    others = {name: title for name, title in {**LOGIC, **FURTHER}.items() if name in rows}
    columns |= {title: _numbers(rows, name) for name, title in others.items()}
    columns |= _other_scores(run)
    for text in ("reading", "structure"):
        if text in rows.texts:
            columns[text.capitalize()] = rows.texts[text]
    columns |= {"system": rows.keys["system"], "arrangement": rows.keys["group"]}
    taken = {name.casefold() for name in (*columns, "unscored")}
    for name in (LANGUAGE, SAMPLE, *columns_of(run.notes)):
        if name in rows.texts:
            columns[f"{name} (input)" if name.casefold() in taken else name] = rows.texts[name]
    return columns | {"Unscored": _reasons(rows, _scores(run))}


def _other_scores(run: Run) -> dict[str, Sequence[object]]:
    """Scores of further metrics, under their own names."""
    rows, known = run.measured, {*COLUMNS, *LOGIC, *FURTHER}
    return {
        name: _numbers(rows, name) for name in _scores(run) if name in rows and name not in known
    }


def _scores(run: Run) -> list[str]:
    return list(dict.fromkeys(name for system in run.systems.values() for name in system.scores))


def _numbers(rows: Rows, name: str) -> Sequence[object]:
    if name not in rows:
        return [None] * len(rows)
    values = rows.values(name).tolist()
    if name == "polarity_conflict":
        return [None if math.isnan(value) else bool(value) for value in values]
    return [None if math.isnan(value) else value for value in values]


def _reasons(rows: Rows, scores: Sequence[str]) -> list[object]:
    """Why an item has no S_Acc, or else no S_Logic, or else no other score of its own."""
    first = ("s_acc", "s_logic", "s_info")
    names = dict.fromkeys((*first, *(name for name in scores if name in rows)))
    main = [rows.reasons.get(name, {}) for name in names]
    return [next((cells[at] for cells in main if at in cells), None) for at in range(len(rows))]


def summary(run: Run) -> Sheet:
    """A line for each arrangement of each system, and its overall scores with intervals."""
    names = _scores(run)
    titles = {"s_logic": "Average_S_Log", **COLUMNS}
    bounded = [name for name in names if name in ("s_acc", "s_logic")]
    readings: Mapping[str, Mapping[str, int]] = run.notes.get("readings", {})
    kinds = list(dict.fromkeys(kind for counts in readings.values() for kind in counts))
    columns = ["system", "Sheet", *(titles.get(name, name) for name in names)]
    columns += [f"{titles.get(name, name)}_{end}" for name in bounded for end in ("low", "high")]
    columns += ["n", "unscored", "partial", *kinds]
    lines: list[list[object]] = []
    for system, held in run.systems.items():
        blank: list[object] = [None] * (len(columns) - 2 - len(names))
        for group, values in held.groups.items():
            lines.append([system, group, *(values.get(name) for name in names), *blank])
        scores = held.scores
        overall: list[object] = [system, "Overall", *(scores[name].value for name in names)]
        overall += [end for name in bounded for end in scores[name].interval]
        first = scores[names[0]]
        overall += [first.n, first.unscored, ", ".join(first.partial)]
        lines.append([*overall, *(readings.get(system, {}).get(kind) for kind in kinds)])
    return Sheet("summary", columns, lines)


def logic_results(run: Run) -> dict[str, Sheet]:
    """S_Logic as its users know it: `s_log_results.csv` over models, and for each model
    `MODEL_s_log.csv` with its items and `MODEL_s_log_summary.csv` with its arrangements."""
    systems = {name: held for name, held in run.systems.items() if "s_logic" in held.scores}
    if not systems:
        return {}
    lines: list[list[object]] = [
        [system, held.scores["s_logic"].value, *held.scores["s_logic"].interval]
        for system, held in systems.items()
    ]
    found = {
        "s_log_results.csv": Sheet(
            "s_log_results", ["Model Name", "S_Log", "low", "high"], lines, grows=True
        )
    }
    rows = run.measured.by("system")
    for system, held in systems.items():
        name = f"{file_name(system)}_s_log"
        own = rows[system]
        columns = [own.keys["group"], own.keys["id"], own.texts["reference"],
                   own.texts["prediction"], _numbers(own, "s_logic")]  # fmt: skip
        cells = [list(row) for row in zip(*columns, strict=True)]
        head = ["Sheet", "Idiom", "Reference", "Prediction", "S_Log"]
        found[f"{name}.csv"] = Sheet(name, head, cells)
        averages: list[list[object]] = [
            [group, values.get("s_logic")] for group, values in held.groups.items()
        ]
        averages.append(["Overall", held.scores["s_logic"].value])
        summary_name = f"{name}_summary"
        found[f"{summary_name}.csv"] = Sheet(summary_name, ["Sheet", "Average_S_Log"], averages)
    return found


def file_name(system: str) -> str:
    """A system's name as part of a file's."""
    return re.sub(r"[^\w.-]+", "_", system).strip("._") or "system"
