"""Predictions and their references, as pairs.

Predictions come as one table per system, with a column `arrangement` or without; as a table with
one column per system; as a workbook with one sheet per arrangement or per system; as files
`<model>_<arrangement>.csv` in a folder; or as plain lines. A system is named by its file's stem,
unless a column `system` or `model`, a header or a sheet names it. A row meets its references by its
id, trimmed, never by its position; one that meets none keeps those of its own column
`Reference`, if it has one, or is there without. All further columns are kept. Several answers of a
system to one item are told apart by a column `sample` (`seed`, `run` …); where they are not, what
they are is asked.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import refuse_strays, stem_of, suffix_of
from gistmeter.core.item_columns import SAMPLES
from gistmeter.core.table import SUFFIXES, Table, name_in, read_sheets
from gistmeter.core.types import ORIGINAL, Pair, is_original
from gistmeter.text import CELL, HAS_ORIGINAL, STRUCTURE
from gistmeter.text.formats.answer_columns import (
    ARRANGEMENT,
    HEADERS,
    OPTIONAL,
    SYSTEM,
    ColumnChoices,
    find_answers,
    has_answers,
    is_ordered,
    sheets_are_systems,
)
from gistmeter.text.formats.references import IDIOM, References, Splitting, answer_in, usable, whole

logger = logging.getLogger(__name__)

_NUMBERED = re.compile(r"(?P<model>.+)_(?P<arrangement>arrangement[_-]?\d+)", re.IGNORECASE)
_ARRANGEMENT = re.compile(r"arrangement[_-]?\d+", re.IGNORECASE)
REPEATS = (
    "Several answers to one item are told apart by a column 'sample' or by --repeats samples; "
    "--repeats first keeps the first and leaves out the others"
)


@dataclass(frozen=True, slots=True)
class Prediction:
    """One row of a system's output, with the place it came from."""

    idiom: str
    text: str | None
    system: str
    arrangement: str
    path: Path
    line: int
    references: str | None = None  # of its own column
    fields: Mapping[str, str] = field(default_factory=dict)
    sample: str = ""  # which of several answers to the item
    columns: Mapping[str, str] = field(default_factory=dict)  # all others, by their headers
    guessed: str = ""  # the file's encoding, where it was a guess
    lined: bool = False  # whether its file is plain lines, and its number all it is known by


@dataclass(frozen=True, slots=True)
class MatchedPairs:
    """Pairs, and what did not find its other half."""

    pairs: list[Pair]
    without_reference: list[str]  # items that were predicted and have no reference
    without_prediction: list[str]  # items that have references and were not predicted


@dataclass(frozen=True, slots=True)
class Gathered:
    """The files of predictions, and those that are arrangements of a base file."""

    paths: list[Path]
    base: Mapping[Path, str]  # file -> the system it belongs to
    remarks: list[str]


def gather(paths: Sequence[Path]) -> Gathered:
    """The files that were named; where base.csv was, its arrangements base_<arrangement>.csv.

    Those stand in for base.csv where they are numbered (base_arrangement1.csv), or where there is
    no base.csv: as users of OrderProbe have them.
    """
    files, base, remarks = [], {}, []
    for path in paths:
        beside = [] if path.is_dir() else _arrangements_of(path)
        if not beside:
            files.append(path)
            continue
        files += [file for file in beside if file not in files]
        base.update(dict.fromkeys(beside, path.stem))
        listed = ", ".join(file.name for file in beside[:3])
        more = " …" if len(beside) > 3 else ""
        also = f"; {path.name} itself is not read" if path.exists() else ""
        remarks.append(f"{path.name}: its arrangements are {listed}{more}{also}")
    return Gathered(files, base, remarks)


def _arrangements_of(path: Path) -> list[Path]:
    head = f"{path.stem}_"
    if path.suffix.lower() not in (".csv", ".tsv") or not path.parent.is_dir():
        return []
    files = sorted(
        file
        for file in path.parent.iterdir()
        if file.name.startswith(head) and file.suffix.lower() == path.suffix.lower()
    )
    refuse_strays(path.parent, set(files) - {path})
    names = {file: file.stem.removeprefix(head) for file in files}
    numbered = {file for file, name in names.items() if _ARRANGEMENT.fullmatch(name)}
    if numbered:
        return [file for file in files if file in numbered or names[file] == ORIGINAL]
    return [] if path.exists() else [file for file in files if names[file].lower() != "summary"]


def read_predictions(
    paths: Sequence[Path],
    *,
    base: Mapping[Path, str] | None = None,
    choices: ColumnChoices | None = None,
) -> list[Prediction]:
    """All predictions of files and folders, in their order.

    `base` names the system of files that are its arrangements.
    """
    choices, systems = choices or ColumnChoices(), base or {}
    return [
        row
        for path in paths
        for file in files_of([path])
        for row in _read_file(file, choices, in_folder=path.is_dir(), base=systems.get(file, ""))
    ]


def read_original(
    path: Path, systems: Sequence[str], *, choices: ColumnChoices | None = None
) -> list[Prediction]:
    """Predictions for the unscrambled forms: of the system that the file or a column names.

    A file whose stem is no system's, or its name with `_original`, serves the only system.
    """
    rows = read_predictions([path], choices=choices)
    named = {row.system for row in rows}
    if not named <= set(systems):
        short = {name: re.sub(r"[_-]?original$", "", name, flags=re.IGNORECASE) for name in named}
        if set(short.values()) <= set(systems):
            rows = [replace(row, system=short[row.system]) for row in rows]
        elif len(systems) == 1 and len(named) == 1:
            rows = [replace(row, system=systems[0]) for row in rows]
        else:
            raise InputError(
                f"{path}: is for '{', '.join(sorted(named))}', and the systems are "
                f"{', '.join(systems)}. Name the file after its system (SYSTEM_original.csv), or "
                "add a column 'system'"
            )
    return [replace(row, arrangement=ORIGINAL) for row in rows]


def files_of(paths: Iterable[Path]) -> list[Path]:
    """The files behind files and folders."""
    return [file for path in paths for file in (_files_of(path) if path.is_dir() else [path])]


def _files_of(folder: Path) -> list[Path]:
    # A .txt in a folder is a note more often than a table; named by itself it is read.
    suffixes = set(SUFFIXES) - {".txt"}
    tables = [file for file in folder.iterdir() if suffix_of(file) in suffixes]
    files = sorted(file for file in tables if file.is_file() and file.name[0] not in ".~")
    refuse_strays(folder, files)
    if not files:
        raise InputError(f"{folder}: has no table. Known: {', '.join(SUFFIXES)}")
    return files


def _read_file(
    path: Path, choices: ColumnChoices, *, in_folder: bool, base: str = ""
) -> list[Prediction]:
    sheets = read_sheets(path)
    workbook = suffix_of(path) == ".xlsx"
    sheets = _sheets_of_predictions(sheets, choices) if workbook and len(sheets) > 1 else sheets
    stem = stem_of(path)
    system, arrangement = stem, ""
    if in_folder and not workbook:
        system, arrangement = split_stem(stem)
    if base:
        system, arrangement = base, stem.removeprefix(f"{base}_")
    several = workbook and len(sheets) > 1
    if several and sheets_are_systems(list(sheets), choices, path.name):
        owners = {name: (name, "") for name in sheets}
    else:
        owners = {
            name: (system, name if several or (workbook and is_ordered(name)) else arrangement)
            for name in sheets
        }
    return [row for name in sheets for row in read_rows(sheets[name], choices, *owners[name])]


def items_in(path: Path, choices: ColumnChoices) -> set[str]:
    """The items that a file of predictions names, in any of its sheets."""
    found: set[str] = set()
    for table in read_sheets(path).values():
        header = table.find("idiom", IDIOM, usable(table, choices.plain))
        found |= {name_in(cell) for cell in table.column(header)} if header else set()
    return found - {""}


def _sheets_of_predictions(sheets: Mapping[str, Table], choices: ColumnChoices) -> dict[str, Table]:
    """The sheets that hold predictions; a summary or a remark between them is passed over."""
    single = {key.casefold(): header for key, header in choices.plain.items()}.get("prediction")
    chosen = {name.strip().casefold() for name in (*choices.wanted(), *filter(None, [single]))}
    kept = {
        name: table
        for name, table in sheets.items()
        if chosen & {column.strip().casefold() for column in table.columns}
        or (not chosen and has_answers(table, choices))
    }
    for name in sheets if kept else ():
        if name not in kept:
            logger.warning("Sheet '%s' has no column of predictions and is passed over", name)
    return kept or dict(sheets)


def split_stem(stem: str) -> tuple[str, str]:
    """`<model>_<arrangement>` at its last underscore; a stem without one is a model's name.

    >>> split_stem("model_a_arrangement1")
    ('model_a', 'arrangement1')
    """
    numbered = _NUMBERED.fullmatch(stem)
    if numbered:
        return numbered["model"], numbered["arrangement"]
    model, mark, arrangement = stem.rpartition("_")
    return (model, arrangement) if mark and model and arrangement else (stem, "")


def read_rows(
    table: Table, choices: ColumnChoices, system: str, arrangement: str, *, before: int = 0
) -> list[Prediction]:
    """The answers of a sheet, or of its rows after `before`: one per item and column of answers."""
    columns = choices.plain
    answers = find_answers(table, choices)
    if answers.remark:
        choices.tell(answers.remark)
    if table.above:
        choices.tell(f"{table.path}: not read above the header: {'; '.join(table.above)}")
    idiom = table.find("idiom", IDIOM, usable(table, columns))
    reference = answers.reference
    if idiom is None and reference is None and not (table.lined or choices.by_line(table)):
        idiom = table.need("idiom", IDIOM, columns)
    others = {"system": SYSTEM, "arrangement": ARRANGEMENT, "sample": SAMPLES, **OPTIONAL}
    headers = {name: table.find(name, known, columns) for name, known in others.items()}
    headers |= {"idiom": idiom, "reference": reference}
    places = {name: table.columns.index(header) for name, header in headers.items() if header}
    taken = {*places.values(), *map(table.columns.index, answers.answers)}
    further = {name: at for at, name in enumerate(table.columns) if at not in taken}
    rows = []
    for header, owner in answers.answers.items():
        place = table.columns.index(header)
        numbered = zip(table.rows, table.lines, strict=True)
        for number, (row, line) in enumerate(numbered, before + 1):
            cells = {name: (row[at] or "").strip() for name, at in places.items()}
            named = [row[place], cells.get("idiom"), cells.get("reference")]
            _refuse_header(named, table, line)
            key = name_in(cells["idiom"]) if idiom else str(number)
            if not key:
                raise FormatError("names no item", path=table.path, row=line, column=idiom)
            rows.append(
                Prediction(
                    idiom=key,
                    text=answer_in(row[place]),
                    system=owner or cells.get("system") or system,
                    arrangement=cells.get("arrangement") or arrangement,
                    path=table.path,
                    line=line,
                    references=cells.get("reference") or None,
                    fields={name: cells[name] for name in OPTIONAL if cells.get(name)},
                    sample=cells.get("sample", ""),
                    columns={name: cell for name, at in further.items() if (cell := row[at])},
                    guessed=table.guessed,
                    lined=table.lined,
                )
            )
    return rows


def _refuse_header(cells: Sequence[str | None], table: Table, line: int) -> None:
    """A row that names columns is the header, below a title or a merged one."""
    filled = [cell.strip().casefold() for cell in cells if cell and cell.strip()]
    if len(filled) > 1 and all(cell in HEADERS for cell in filled):
        raise FormatError(
            "looks like the header of the table. Remove the rows above it, so that it stands first",
            path=table.path,
            row=line,
        )


def settle_repetitions(rows: Sequence[Prediction], how: str = "ask") -> list[Prediction]:
    """Rows of which no two are the same system's, arrangement's, item's and sample's.

    `how` says what the others are: further samples, or to be left out; in doubt that is asked.
    """
    groups: dict[tuple[str, str, str, str], list[Prediction]] = {}
    for row in rows:
        groups.setdefault((row.system, row.arrangement, row.idiom, row.sample), []).append(row)
    if len(groups) == len(rows):
        return list(rows)
    if how == "first":
        return [group[0] for group in groups.values()]
    if how == "samples":
        numbers = Counter[tuple[str, str, str]]()
        numbered = []
        for row in rows:
            key = row.system, row.arrangement, row.idiom
            numbers[key] += 1
            numbered.append(replace(row, sample=str(numbers[key])))
        return numbered
    first, again = next(group[:2] for group in groups.values() if len(group) > 1)
    arrangement = f", arrangement '{again.arrangement}'" if again.arrangement else ""
    raise FormatError(
        f"repeats the item '{again.idiom}' of system '{again.system}'{arrangement}, first in "
        f"{first.path}, line {first.line}. {REPEATS}",
        path=again.path,
        row=again.line,
    )


def match(
    predictions: Sequence[Prediction],
    references: References | None,
    *,
    splitting: Splitting | None = None,
    structures: Mapping[str, str] | None = None,
    language: str = "",
) -> MatchedPairs:
    """Pairs of predictions and their references, by id. No row in common is an error."""
    pairs = pairs_of(predictions, references, splitting or Splitting(), structures, language)
    if not any(pair.references for pair in pairs):
        _refuse_nothing_in_common(predictions, references)
    predicted = {row.idiom for row in predictions}
    return MatchedPairs(
        marked(pairs, {row.system for row in predictions if is_original(row.arrangement)}),
        list(dict.fromkeys(pair.id for pair in pairs if not pair.references)),
        [name for name in (references.by_idiom if references else ()) if name not in predicted],
    )


def pairs_of(
    predictions: Sequence[Prediction],
    references: References | None,
    splitting: Splitting,
    structures: Mapping[str, str] | None = None,
    language: str = "",
) -> list[Pair]:
    """Each prediction with its references; without where it meets none."""
    known = references or References({})
    classes = {**known.structures, **(structures or {})}
    pairs = []
    for row in predictions:
        given, cell = known.by_idiom.get(row.idiom) or (), known.cells.get(row.idiom, "")
        if not given and row.references:
            given, cell = splitting.split([row.references]), whole([row.references])
        extra = dict(row.fields)
        if given and cell and (cell,) != given:
            extra[CELL] = cell
        if row.idiom in classes:
            extra.setdefault(STRUCTURE, classes[row.idiom])
        pairs.append(
            Pair(
                id=row.idiom,
                candidate=row.text,
                references=given,
                system=row.system,
                arrangement=row.arrangement,
                language=extra.pop("language", language),
                fields=extra,
                sample=row.sample,
                columns={**known.kept.get(row.idiom, {}), **row.columns},
            )
        )
    return pairs


def marked(pairs: Sequence[Pair], originals: set[str]) -> list[Pair]:
    """Pairs that say whether their system has the unscrambled forms; "no" once per system."""
    first = {pair.system: at for at, pair in reversed(list(enumerate(pairs)))}
    marked_pairs = []
    for at, pair in enumerate(pairs):
        fields = {key: value for key, value in pair.fields.items() if key != HAS_ORIGINAL}
        if pair.system in originals:
            fields[HAS_ORIGINAL] = "yes"
        elif first[pair.system] == at:
            fields[HAS_ORIGINAL] = "no"
        marked_pairs.append(pair if fields == pair.fields else replace(pair, fields=fields))
    return marked_pairs


def _refuse_nothing_in_common(
    predictions: Sequence[Prediction], references: References | None
) -> None:
    predicted = ", ".join(f"'{row.idiom}'" for row in predictions[:3])
    if references is None:
        column = "" if predictions[0].lined else ", or a column 'reference'"
        raise InputError(f"There are no references: give a file with --references FILE{column}")
    expected = ", ".join(f"'{name}'" for name in list(references.by_idiom)[:3])
    raise InputError(
        f"Predictions and references have no item in common: predictions are for {predicted} …, "
        f"references for {expected} …"
    )
