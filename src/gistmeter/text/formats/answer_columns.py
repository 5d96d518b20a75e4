"""Which columns of a table are a system's answers, what they are compared with, and whose they are.

A column is found by its name, in the languages of our users. Where none has such a name, several
text columns beside one reference, or a file of references, are systems, each named by its header;
in doubt the user is asked.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gistmeter.core.errors import FormatError
from gistmeter.core.item_columns import SAMPLES
from gistmeter.core.settings import AGAIN
from gistmeter.core.table import Table, name_in
from gistmeter.core.table.wide import chosen_columns, is_text, sort_columns
from gistmeter.core.wording import count
from gistmeter.languages.codes import headers
from gistmeter.text.formats.references import (
    EXPLANATION,
    IDIOM,
    METADATA,
    REFERENCE,
    STRUCTURE,
    References,
    usable,
)

PREDICTION = (
    "predictions", "candidate", "output", "response", "generated", "completion", "explanation",
    "answer", "hypothesis", *headers("prediction"),
)  # fmt: skip
ARRANGEMENT = ("arrangements", "permutation", "order", "sheet", *headers("arrangement"))
SYSTEM = ("systems", "model", "model_name", "model name", *headers("system"))
LANGUAGE = ("lang", *headers("language"))
RECOVERED = ("recovery", "restored", "recovered_form", "restored_form")
OPTIONAL = {"structure": STRUCTURE, "recovered": RECOVERED, "language": LANGUAGE}
# What a system was asked, the first of which a reader wants to see above its answer.
QUESTION = ("question", "prompt", "instruction", "query", "input", "task", "context", "passage",
            "document", "source_text", *headers("question"))  # fmt: skip
_ORDERED = re.compile(
    r"original|arrangement.*|perm.*|order.*|shuffled.*|scrambled.*|排列.*|原文|原词", re.IGNORECASE
)
_UNNAMED = re.compile(r"(?:sheet|tabelle|list|лист|工作表|シート|시트)\s*\d*", re.IGNORECASE)
MODEL = re.compile(
    r"gpt|qwen|llama|claude|gemini|gemma|mi[sx]tral|deepseek|glm|ernie|baichuan|internlm|phi|yi-|"
    r"\bo[134]\b|command-r|grok|kimi|falcon|olmo|bert|t5|nllb|whisper|model|system|baseline|模型|モデル|모델|модел|\d+b\b|v\d",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ColumnChoices:
    """What the user said of columns and sheets, and where remarks go."""

    columns: Mapping[str, str] = field(default_factory=dict)
    systems: Sequence[str] = ()  # headers of a wide table
    sheets: str = "auto"  # what a workbook's sheets are: systems or arrangements
    # The references of a file of predictions, where they come in files of their own.
    references: Callable[[Path], References] | None = None
    say: Callable[[str], None] | None = None

    def tell(self, remark: str) -> None:
        if self.say:
            self.say(remark)

    @property
    def plain(self) -> dict[str, str]:
        """The choices of single columns."""
        return {name: header for name, header in self.columns.items() if AGAIN not in header}

    def by_line(self, table: Table) -> bool:
        """Whether rows without ids meet their references by number: these are plain lines."""
        known = self.references(table.path) if self.references else None
        if known is None or not known.lines:
            return False
        file, size = known.files[0].name, len(table.rows)
        if known.lines != size:
            raise FormatError(
                f"has {count(size, 'row')} and no column of ids, and {file} has "
                f"{count(known.lines, 'line')}: rows and lines need the same number. Or give the "
                "references as a table, and ids in both, in a column 'id'",
                path=table.path,
            )
        self.tell(f"{table.path}: row by row with the lines of {file}")
        return True

    def wanted(self) -> list[str]:
        """The headers of systems that were named."""
        again = self.columns.get("prediction", "")
        return [*self.systems, *(again.split(AGAIN) if AGAIN in again else [])]


@dataclass(frozen=True, slots=True)
class AnswerColumns:
    """The columns of answers, each with its system's name where the header is one."""

    answers: Mapping[str, str]
    reference: str | None = None
    remark: str = ""


def find_answers(table: Table, choices: ColumnChoices) -> AnswerColumns:
    """Where a table's answers and references are; what cannot be told is an error that asks."""
    if not table.headed and table.lined:
        return AnswerColumns({table.columns[0]: ""})
    named = choices.wanted()
    chosen = usable(table, choices.plain)
    if named:
        headers = chosen_columns(table, named)
        return AnswerColumns({name: name for name in headers}, _reference(table, chosen, headers))
    single = prediction_column(table, choices.plain)
    reference = table.find("reference", REFERENCE, chosen)
    ours = "prediction" in chosen or (single or "").casefold() not in _names(EXPLANATION)
    if single and (ours or reference or choices.references):
        remark = "" if "prediction" in chosen else _unread(table, chosen, single, choices)
        return AnswerColumns({single: ""}, reference, remark)
    systems = _wide(table, chosen, reference, choices)
    if systems is not None:
        return systems
    if single:
        return AnswerColumns({single: ""}, reference)
    raise FormatError(
        f"has no column 'prediction'. Columns found: {_listed(table.columns)}. Name it with "
        "--column prediction=HEADER, or with --systems HEADER,HEADER the columns of several "
        "systems",
        path=table.path,
    )


def has_answers(table: Table, choices: ColumnChoices) -> bool:
    """Whether a sheet holds answers at all, or is a summary or a remark between them."""
    if prediction_column(table, {}) is not None:
        return True
    return _wide(table, {}, table.find("reference", REFERENCE), choices, ask=False) is not None


def _unread(table: Table, chosen: Mapping[str, str], single: str, choices: ColumnChoices) -> str:
    """A remark on columns beside the prediction that answer as it does, and are not scored."""
    beside = _reference(table, chosen, (single,))
    rest = _unnamed(table, (single, beside, *chosen.values()))
    if not rest or table.find("system", SYSTEM):
        return ""
    expected, _ = _expected(table, chosen, beside, choices)
    systems = sort_columns(table, rest, expected, MODEL).systems if any(expected) else ()
    if not systems:
        return ""
    return (
        f"{table.path}: only '{single}' is scored, and {_listed(systems)} look like systems "
        f"too. --systems {','.join((single, *systems))} scores all of them"
    )


def _unnamed(table: Table, but: Sequence[str | None]) -> list[str]:
    """The columns of texts that no name explains."""
    known = _KNOWN | _names([name.strip() for name in but if name])
    return [
        column
        for column in table.columns
        if column.strip().casefold() not in known and is_text(table.column(column))
    ]


def _wide(
    table: Table,
    chosen: Mapping[str, str],
    reference: str | None,
    choices: ColumnChoices,
    *,
    ask: bool = True,
) -> AnswerColumns | None:
    """Several text columns beside one reference, or beside a file of references, as systems."""
    beside = reference or _reference(table, chosen, ())
    if table.find("system", SYSTEM):
        return None
    expected, source = _expected(table, chosen, beside, choices)
    if not any(expected):
        return None
    rest = _unnamed(table, (beside, *chosen.values()))
    columns = sort_columns(table, rest, expected, MODEL)
    if columns.doubtful and not ask:
        return AnswerColumns(dict.fromkeys(rest, ""), beside)
    if columns.doubtful:
        texts = [name for name in rest if name not in columns.others]
        raise FormatError(
            f"has no column 'prediction', and it is not clear which columns are systems that "
            f"answer {source}: {_listed(texts)}. Name them with --systems HEADER,HEADER, such as "
            f"--systems {shlex.quote(','.join(texts))}",
            path=table.path,
        )
    systems = columns.systems
    if not systems:
        return None
    several = len(systems) > 1  # a single one is called as its file is
    listed = f"systems {', '.join(systems)}" if several else f"column '{systems[0]}'"
    remark = f"{table.path}: {listed}, compared with {source}; --systems names others"
    return AnswerColumns({name: name if several else "" for name in systems}, beside, remark)


def _expected(
    table: Table, chosen: Mapping[str, str], beside: str | None, choices: ColumnChoices
) -> tuple[Sequence[str | None], str]:
    """What each row should have said, and where that stands."""
    if choices.references is None:
        return (table.column(beside) if beside else []), f"'{beside}'"
    known = choices.references(table.path)
    idiom = table.find("idiom", IDIOM, chosen)
    keys = (
        [name_in(cell) for cell in table.column(idiom)]
        if idiom
        else [str(number) for number in range(1, len(table.rows) + 1)]
    )
    source = known.files[0].name if known.files else "the references"
    return [" ".join(known.by_idiom.get(key, ())) for key in keys], source


def _reference(table: Table, chosen: Mapping[str, str], but: Sequence[str]) -> str | None:
    """The column to compare with: a reference by name, else an explanation."""
    names = [name for name in (*REFERENCE, *EXPLANATION) if name.casefold() not in _names(but)]
    column = table.find("reference", names, chosen)
    return None if column in but else column


def prediction_column(table: Table, columns: Mapping[str, str]) -> str | None:
    """`Prediction`, else the one column whose name contains it, else a synonym."""
    exact = table.find("prediction", (), columns)
    if exact is not None:
        return exact
    containing = [name for name in table.columns if "prediction" in name.casefold()]
    if len(containing) > 1:
        raise FormatError(
            f"has several columns of predictions ({', '.join(containing)}). Choose one with "
            f"--column prediction=HEADER, or compare them with --systems {','.join(containing)}",
            path=table.path,
        )
    return containing[0] if containing else table.find("prediction", PREDICTION)


def sheets_are_systems(names: Sequence[str], choices: ColumnChoices, file: str) -> bool:
    """Whether a workbook's sheets are systems: as told, else by their names, and said."""
    if choices.sheets != "auto":
        return choices.sheets == "systems"
    named = [name for name in names if not _UNNAMED.fullmatch(name.strip())]
    ordered = any(map(is_ordered, names))
    systems = not ordered and len(named) == len(names) and any(map(MODEL.search, names))
    other, what = ("arrangements", "systems") if systems else ("systems", "arrangements")
    choices.tell(f"{file}: its sheets are read as {what}; --sheets {other} says otherwise")
    return systems


def is_ordered(sheet: str) -> bool:
    """Whether a sheet is named as arrangements are; the name of an only sheet says nothing else."""
    return bool(_ORDERED.fullmatch(sheet.strip()))


def _names(names: Sequence[str]) -> set[str]:
    return {name.casefold() for name in names}


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(f"'{column}'" for column in columns)


HEADERS = _names(
    ("idiom", "prediction", "reference", *IDIOM, *PREDICTION, *REFERENCE, *EXPLANATION)
)
_KNOWN = _names(
    ["idiom", "system", "arrangement", "sample", *IDIOM, *METADATA, *ARRANGEMENT, *SYSTEM,
     *LANGUAGE, *SAMPLES, *QUESTION, *STRUCTURE, *RECOVERED, "structure", "recovered",
     *headers("remark")]
)  # fmt: skip
