"""A run on the page: the report's own sections, and any of its items by filter.

Sections of a run are made once and kept beside the queue, so that a large run opens at once; the
run's digest is part of their name. Items are filtered where they are, over all rows.
"""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import polars
from markupsafe import Markup

from gistmeter.core.comparison import gather
from gistmeter.core.errors import FormatError, GistmeterError, InputError
from gistmeter.core.family import family_of
from gistmeter.core.files import parse_json, write_atomically
from gistmeter.core.folders import Folder, temporary_folder
from gistmeter.core.item_columns import columns_of
from gistmeter.core.runs import JOURNAL, RUN
from gistmeter.core.runs.layout import NONSENSE
from gistmeter.core.runs.saved import load_run
from gistmeter.core.views import Opener, shown
from gistmeter.report.html import overview, to_script, trusted
from gistmeter.report.html.items import Link, Recordings, facets, item_data
from gistmeter.report.html.page import build_sections
from gistmeter.version import __version__
from gistmeter.workbench.state import state_place

if TYPE_CHECKING:
    from gistmeter.core.run import Run

RUNS = "runs"
KEPT = "sections"
NAME = re.compile(r"[^/\\\x00-\x1f]{1,200}")
PAGE = 50  # items of a page
HELD = 4  # runs in memory
MARK = "__drawing__"
FORMATS = ("xlsx", "csv", "json", "md", "html", "parquet", "tex")
COMPARED = re.compile(r"([\w.@-]+)(<=|>=|<|>|=)(-?[0-9]{1,20}(?:\.[0-9]{1,20})?)")


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in the list of the first page."""

    name: str  # its path below the opened folder
    shape: str
    when: str
    answer: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which items of a run are wanted, and in which order."""

    words: str = ""
    system: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    sort: str = ""
    down: bool = False
    page: int = 1


@dataclass
class RunShelf:
    """The runs of the opened folder, the last few in memory."""

    folder: Path
    _held: dict[tuple[str, float], Run] = field(default_factory=dict)
    # The run that was filtered last, its table, and the values to filter its columns by
    _table: tuple[Run, Any, dict[str, list[str]]] | None = None

    def place(self, name: str) -> Path:
        """A run's folder by its name; one that is gone, or was never below, is refused."""
        parts = name.split("/")
        bad = (
            len(parts) > 4 or not all(map(NAME.fullmatch, parts)) or any(p[0] == "." for p in parts)
        )
        path = self.folder.joinpath(*parts) if not bad else self.folder
        if bad or not self._is_own(path):
            raise InputError(
                f"The run {shown(name, 120)} is not in the folder any more: it was moved, renamed"
                " or deleted. Labels and decisions on its texts are kept"
            )
        return path

    def _is_own(self, run: Path) -> bool:
        """Whether a run lies below the opened folder, reached through no link."""
        steps = (run, *run.parents)[: len(run.relative_to(self.folder).parts)]
        return not any(step.is_symlink() for step in steps) and Folder(run).has(RUN)

    def load(self, name: str) -> Run:
        """A run, from memory where its file did not change."""
        path = self.place(name)
        key = name, (path / RUN).stat().st_mtime
        if key not in self._held:
            run = _load(path)
            while len(self._held) >= HELD:
                self._held.pop(next(iter(self._held)))
            self._held[key] = run
        return self._held[key]

    def lines(self) -> list[RunLine]:
        """All runs, the newest first, with their verdicts."""
        files = [
            file for depth in ("*", "*/*", "*/*/*") for file in self.folder.glob(f"{depth}/{RUN}")
            if not (file.parent / JOURNAL).exists() and "/." not in file.as_posix()
            and self._is_own(file.parent)
        ]  # fmt: skip
        files.sort(key=lambda file: -file.stat().st_mtime)
        return [self._line(file) for file in files[:100]]

    def _line(self, file: Path) -> RunLine:
        name = file.parent.relative_to(self.folder).as_posix()
        when = f"{datetime.datetime.fromtimestamp(file.stat().st_mtime):%Y-%m-%d %H:%M}"
        try:
            kept = self._kept(file.parent, "line")
            if not kept.exists():
                run = _load(file.parent)
                line = {"shape": run.command, "answer": shown(run.answer(), 600)}
                _keep(kept, json.dumps(line))
            line = parse_json(kept.read_bytes())
            return RunLine(name, str(line["shape"]), when, str(line["answer"]))
        except (GistmeterError, OSError, *NONSENSE) as error:
            return RunLine(name, "", when, "", shown(str(error), 300))

    def _kept(self, path: Path, what: str) -> Path:
        return kept_file(self.folder, path, what)

    def sections(self, name: str) -> str:
        """The report's sections of one run as JSON of template values."""
        path = self.place(name)
        kept = self._kept(path, "section")
        if kept.exists():
            return kept.read_text("utf-8")
        return prepare(self.load(name), self.folder)

    def compared(self, name: str, other: str) -> list[dict[str, Any]]:
        """The sections of two runs: one where they measured the same items in the same way."""
        return sections_of([self.load(name), self.load(other)], audio_link(self.folder))

    def slices(self, name: str, column: str) -> dict[str, Any]:
        """The run by the values of a column, as the report draws it."""
        return overview.heat_map(self.load(name).by(column))

    def items(self, name: str, wanted: Filter) -> dict[str, Any]:
        """A page of the items that fit, with all that the report's table needs to open them."""
        run = self.load(name)
        rows = run.measured
        table = self._table
        if table is None or table[0] is not run:
            self._table = table = run, rows.to_polars(), facets(rows, columns_of(run.notes))
        places = _fitting(table[1], wanted)
        pages = max(1, math.ceil(len(places) / PAGE))
        number = min(max(1, wanted.page), pages)
        chosen = places[(number - 1) * PAGE : number * PAGE]
        part = rows.take(chosen)
        data = item_page(run, part, audio_link(self.folder))
        return {"data": data, "count": len(places), "total": len(rows), "page": number,
                "pages": pages, "facets": table[2].items()}  # fmt: skip

    def download(self, name: str, kind: str) -> tuple[bytes, str]:
        """A run as a file of some kind, or as an archive where it becomes several."""
        if kind not in FORMATS:
            raise InputError(
                f"A run cannot be written as .{shown(kind, 20)}. Known: {' '.join(FORMATS)}"
            )
        run = self.load(name)
        stem = re.sub(r"[^\w.-]+", "_", name.rsplit("/", 1)[-1])
        with temporary_folder() as place:
            files = run.write(place / f"{stem}.{kind}")
            if len(files) == 1:
                return files[0].read_bytes(), files[0].name
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for file in files:
                    archive.write(file, file.name)
            return packed.getvalue(), f"{stem}.zip"


def _load(path: Path) -> Run:
    try:
        return load_run(path)
    except NONSENSE as error:
        raise FormatError(
            f"the run cannot be used ({error!r}). Score it again", path=path
        ) from error


def kept_file(folder: Path, path: Path, what: str) -> Path:
    """Where something made of a run is kept: named by what the run is and who made it."""
    content = Folder(path).sha256(RUN) + __version__ + what
    digest = hashlib.sha256(content.encode()).hexdigest()
    return state_place(folder) / KEPT / f"{digest[:40]}.json"


def prepare(run: Run, folder: Path) -> str:
    """Make a run's sections, and keep them for whoever opens it."""
    sections = sections_of([run], audio_link(folder))
    shown_run = run.shown
    columns = facets(shown_run.rows, columns_of(run.notes)) if shown_run.rows is not None else {}
    spelled = to_script({"sections": sendable(sections), "columns": list(columns)})
    assert run.path is not None
    _keep(kept_file(folder, Path(run.path), "section"), spelled)
    line = {"shape": run.command, "answer": shown(run.answer(), 600)}
    _keep(kept_file(folder, Path(run.path), "line"), json.dumps(line))
    return spelled


def _keep(file: Path, content: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, content)


def sendable(value: Any) -> Any:
    """Template values as JSON; drawings, which are our own, are marked to be trusted again."""
    if isinstance(value, Markup):
        return {MARK: str(value)}
    if isinstance(value, Mapping):  # a column or a system may be called as the mark is
        return {f"\\{key}" if MARK in key else key: sendable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [sendable(one) for one in value]
    return value


def restored(spelled: str) -> dict[str, Any]:
    """The sections as they were before `prepare` wrote them, and the columns to slice by."""

    def hook(value: dict[str, Any]) -> Any:
        if MARK in value:
            return trusted(value[MARK])
        return {key[1:] if MARK in key else key: one for key, one in value.items()}

    kept: dict[str, Any] = json.loads(spelled, object_hook=hook)
    return kept


def sections_of(runs: Sequence[Run], link: Link) -> list[dict[str, Any]]:
    """Runs as the report's template shows them."""
    gathered = [run.shown for run in gather([run.shown for run in runs])]
    return build_sections(
        gathered,
        views=[family_of(run.command).view() for run in gathered],
        findings=[run.findings for run in gathered],
        answers=[run.answer() for run in gathered],
        link=link,
    )


def audio_link(folder: Path) -> Link:
    """The address of a recording below the opened folder; none for any other."""

    def link(path: Path) -> str | None:
        place = (folder / path).absolute()
        if not place.is_relative_to(folder.absolute()) or place.is_symlink() or not place.is_file():
            return None
        return "/sound/" + quote(place.relative_to(folder.absolute()).as_posix())

    return link


def item_page(run: Run, rows: Any, link: Link) -> dict[str, Any]:
    """Some rows of a run as the report's script takes them."""
    view = family_of(run.command).view()
    part = replace(run, rows=rows, excerpt=None)
    (subject,) = overview.subjects([part], [view], [run.findings])
    data = item_data(
        subject, Opener(part), Recordings(link=link), everything=True, only=range(len(rows))
    ).data
    return {**data, "opening": [], "sort": ""}


def _fitting(frame: Any, wanted: Filter) -> list[int]:
    """Row numbers that a filter leaves, in its order."""
    kept = frame.with_row_index("__place__")
    texts = [name for name in frame.columns if frame[name].dtype == polars.String]
    for word in wanted.words.split():
        score = COMPARED.fullmatch(word)
        if score and score[1] in frame.columns and frame[score[1]].dtype.is_numeric():
            kept = kept.filter(_compare(polars.col(score[1]), score[2], float(score[3])))
        else:
            pattern = f"(?i){re.escape(word)}"
            kept = kept.filter(
                polars.any_horizontal(
                    polars.col(name).str.contains(pattern).fill_null(False) for name in texts
                )
            )
    if wanted.system:
        kept = kept.filter(polars.col("system") == wanted.system)
    for name, value in wanted.columns.items():
        if name in frame.columns:
            kept = kept.filter(polars.col(name) == value)
    if wanted.sort in frame.columns:
        kept = kept.sort(wanted.sort, descending=wanted.down, nulls_last=True, maintain_order=True)
    places: list[int] = kept["__place__"].to_list()
    return places


def _compare(column: Any, sign: str, value: float) -> Any:
    signs = {"<": column < value, ">": column > value, "<=": column <= value,
             ">=": column >= value, "=": column == value}  # fmt: skip
    return signs[sign] & column.is_not_nan()
