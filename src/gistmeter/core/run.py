"""A run that is whole: its scores, the rows and metrics they come from, and what it can do.

A `Run` made in memory and one loaded from its folder are the same thing: both can be saved,
compared, reported and written as tables.
"""

from __future__ import annotations

import html
import importlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.core.errors import InputError, ThresholdError, UnknownName
from gistmeter.core.family import DETAILS, family_of
from gistmeter.core.options import CompareSettings
from gistmeter.core.rows import Rows
from gistmeter.core.runs import REPORT, RUN, claim, save_run, write_beside
from gistmeter.core.runs.layout import read_items
from gistmeter.core.types import SEED, Metric, Score, SystemScores
from gistmeter.version import __version__

if TYPE_CHECKING:
    from gistmeter.core.comparison import Comparison, Findings
    from gistmeter.core.repeats import Repeats
    from gistmeter.core.slices import Slices
    from gistmeter.people.records import DecisionRecord, LabelRecord
    from gistmeter.people.validation import Validation
    from gistmeter.report.html.plot import Plot

SHOWN = 16  # lines of scores in a repr


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What a run carries of rows that are too many to be held: they are in its folder."""

    rows: Rows  # an even sample of the items, the same of all systems
    findings: Findings  # the paired tests of all items
    items: int  # of each system, at most


@dataclass(frozen=True, slots=True)
class Run:
    """The outcome of one scoring: by the command line, from Python or from a folder."""

    command: str
    signature: str
    systems: Mapping[str, SystemScores]
    unscored: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)  # by metric
    notes: Mapping[str, Any] = field(default_factory=dict)  # what a family adds: usage, truncation
    path: Path | None = None
    rows: Rows | None = None
    metrics: Mapping[str, Metric] = field(default_factory=dict)  # what pools the rows
    inputs: Mapping[str, str] = field(default_factory=dict)  # file -> SHA-256
    headline: Sequence[str] = ()  # the scores to judge by, where the first is not the one
    remarks: Sequence[str] = ()  # what was said to the user during the run
    seed: int = SEED
    resamples: int = 1000
    confidence: float = 0.95
    excerpt: Excerpt | None = None  # of a large run, in place of its rows
    _findings: list[Findings] = field(default_factory=list, init=False, repr=False, compare=False)
    _slices: list[list[Slices]] = field(default_factory=list, init=False, repr=False, compare=False)

    def __getitem__(self, name: str) -> Score:
        """The score of the only system; with several, ask `run.systems[system][name]`."""
        if len(self.systems) != 1:
            names = ", ".join(self.systems)
            raise InputError(f"This run has several systems ({names}): use run.systems[name]")
        return next(iter(self.systems.values()))[name]

    def to_dict(self) -> dict[str, Any]:
        """The shape of `--format json`; it never changes without notice."""
        slices = [one.to_dict() for one in self.slices]
        repeats = {one.system: one.to_dict() for one in self.repeats}
        beside = {"slices": slices, "repeats": repeats}
        return {**self.outline(), **{name: value for name, value in beside.items() if value}}

    def outline(self) -> dict[str, Any]:
        """The same without what is computed of the rows: what `run.json` keeps."""
        return {
            "gistmeter": __version__,
            "command": self.command,
            "signature": self.signature,
            "run": str(self.path) if self.path else None,
            "systems": {name: system.to_dict() for name, system in self.systems.items()},
            "unscored": dict(self.unscored),
        }

    def to_polars(self) -> Any:
        """All statistics, one row per item, as a polars DataFrame."""
        return self.measured.to_polars()

    def to_pandas(self) -> Any:
        """All statistics as a pandas DataFrame; needs pandas and nothing of pyarrow."""
        frame, pandas = self.to_polars(), _package("pandas", "A pandas DataFrame")
        return pandas.DataFrame({name: frame[name].to_list() for name in frame.columns})

    def to_arrow(self) -> Any:
        """All statistics as an Arrow table; needs pyarrow."""
        _package("pyarrow", "An Arrow table")
        return self.to_polars().to_arrow()

    @property
    def document(self) -> Path | None:
        """The file that says all about the run, once it is in a folder."""
        return self.path and self.path / RUN

    @property
    def measured(self) -> Rows:
        """The rows, those of a large run read from its folder; an error where there are none."""
        if self.excerpt and self.path:
            return read_items(self.path)
        if self.rows is None:
            raise InputError("This run carries no rows: load it from its folder")
        return self.rows

    @property
    def shown(self) -> Run:
        """The run as a report shows it: a large one with a sample of its rows."""
        return replace(self, rows=self.excerpt.rows) if self.excerpt else self

    def save(self, folder: str | Path, *, overwrite: bool = False, report: bool = True) -> Run:
        """Keep the run in a folder, as the command line does; returns the run with its place."""
        kept = replace(self, path=Path(folder), rows=self.measured, excerpt=None)
        save_run(kept, overwrite=overwrite, source=self.path)
        kept.write_pages()
        if report:
            kept.report()
        return kept

    def report(
        self, path: str | Path | None = None, *, title: str = "", everything: bool = False
    ) -> Path:
        """Write the HTML report, by default into the run's folder; returns its place."""
        if path is None and self.path is None:
            raise InputError("This run has no folder yet: name the report's file, or save it first")
        if path is None and self.path:
            claim(self.path, [REPORT])
        target = Path(path) if path is not None else Path(str(self.path), REPORT)
        write_report([self.shown], target, title=title, everything=everything)
        return target

    def plot(self, name: str | None = None) -> Plot:
        """The report's charts, for a notebook: all of them, or one by its name.

        Every run has `intervals`; others have `differences`, `distribution`, `groups`, `scores`,
        `length`, and what their family adds. `run.plot().names` lists them.
        """
        from gistmeter.report.html.plot import plot

        return plot(self.shown, family_of(self.command).view(), self.findings, name)

    def write_pages(self) -> None:
        """Write the family's pages of single items into the run's details."""
        from gistmeter.report.diff import render_pair

        pages = family_of(self.command).pages(self)
        self.keep({name: render_pair(view).encode("utf-8", "replace") for name, view in pages})

    def keep(self, documents: Mapping[str, bytes]) -> None:
        """Write files into the details of the run's folder, which `run.json` lists then."""
        named = {f"{DETAILS}/{name}": content for name, content in documents.items()}
        write_beside(Path(str(self.path)), named)

    def write(self, path: str | Path, *, bom: bool = True) -> list[Path]:
        """Write a table, JSON or report by the file's suffix; returns all files written.

        CSV has a byte-order mark, without which spreadsheets show no CJK, unless `bom` is False.
        """
        from gistmeter.report.export import write_table

        target = Path(path)
        if target.suffix.lower() == ".html":
            return [self.report(target)]
        family = family_of(self.command)
        return write_table(
            self, target, family.sheets, family.companions, view=family.view(), mark=bom
        )

    def compare(self, *others: Run, **options: Any) -> Comparison:
        """Test the difference between this run's systems, or between them and those of others.

        `options` are those of `gistmeter compare`: metric, baseline, test, seed …
        """
        return compare([self, *others], **options)

    def validate(
        self,
        human: str | Path | None = None,
        column: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Validation:
        """Set the scores against people's judgements in a file, or in `labels.jsonl`.

        `column` names columns of the file (`{"human": "Rating"}`); `options` are `columns` (the
        scores to look at), `components`, `resamples`, `confidence` and `seed`.
        """
        from gistmeter.people.validation import validate

        given = _later("people.beside").human_labels(self, Path(human) if human else None, column)
        return validate(self, given, **options)

    @property
    def labels(self) -> list[LabelRecord]:
        """What people said of this run's items, here or in a run of the same texts."""
        said: list[LabelRecord] = _later("people.item_keys").labels_of(self)
        return said

    @property
    def decisions(self) -> list[DecisionRecord]:
        """What reviewers decided on findings of this run's items."""
        decided: list[DecisionRecord] = _later("people.item_keys").decisions_of(self)
        return decided

    def by(self, column: str, score: str = "") -> Slices:
        """The run by the values of a column of its input: scores, intervals and paired tests.

        Each slice is a run: `run.by("category")["law"]`.
        """
        sliced: Slices = _later("core.slices").slice_run(self, column, score)
        return sliced

    @property
    def slices(self) -> list[Slices]:
        """The slices that the run was asked for (`by`), and its languages where it has several."""
        if not self._slices:
            self._slices.append(_later("core.slices").sliced(self))
        return self._slices[0]

    @property
    def repeats(self) -> list[Repeats]:
        """What several answers to one item say of each system, by the score to judge by."""
        several: list[Repeats] = _later("core.slices").repeated(self)
        return several

    @property
    def findings(self) -> Findings:
        """The paired tests of this run's systems, computed when first asked for."""
        from gistmeter.core.comparison import findings_of

        if self.excerpt:
            return self.excerpt.findings
        if not self._findings:
            self._findings.append(findings_of(self))
        return self._findings[0]

    def answer(self) -> str:
        """Who is ahead, by how much, and is it real: the sentence of terminal and report."""
        return family_of(self.command).answer(self.shown, self.findings)

    def require(self, thresholds: Mapping[str, float]) -> None:
        """Raise where a score of any system is worse than its threshold."""
        known = {name for scored in self.systems.values() for name in scored.scores}
        for name in thresholds:
            if name not in known:
                raise UnknownName("score for fail_under", name, known)
        failed = [
            f"{system}: {name} is {score.value:.4f}, worse than {threshold:g}"
            for name, threshold in thresholds.items()
            for system, scored in self.systems.items()
            if (score := scored.scores.get(name, Score(name, math.nan))).is_worse_than(threshold)
        ]
        if failed:
            raise ThresholdError("\n".join(failed))

    def __repr__(self) -> str:
        lines = [
            f"{system}  {score.name}{'*' if score.partial else ''}  {score.spelled()}  n={score.n}"
            + (f"  unscored={score.unscored}" if score.unscored else "")
            for system, scored in self.systems.items()
            for score in scored.scores.values()
        ]
        if len(lines) > SHOWN:
            lines = [*lines[: SHOWN - 1], f"… {len(lines) - SHOWN + 1} more: run.systems"]
        head = f"{self.command}: {len(self.systems)} system{'s' * (len(self.systems) != 1)}"
        place = f", kept in {self.path}" if self.path else ""
        return "\n  ".join([f"Run of {head}, {100 * self.confidence:g}% intervals{place}", *lines])

    def _repr_html_(self) -> str:
        """A table in a notebook; partial scores are marked and said."""
        head = (
            f"<tr><th>system<th>score<th>value<th>{100 * self.confidence:g}% interval"
            "<th>n<th>unscored</tr>"
        )
        body = "".join(
            f"<tr><td>{html.escape(name)}<td>{html.escape(score.name)}{'*' * bool(score.partial)}"
            f"<td>{score.number(score.value)}<td>{score.number(score.low)} – "
            f"{score.number(score.high)}<td>{score.n}<td>{score.unscored}</tr>"
            for name, system in self.systems.items()
            for score in system.scores.values()
        )
        foot = f"<p>* partial, without: {html.escape(', '.join(missing))}</p>" if (
            missing := self.missing
        ) else ""  # fmt: skip
        return f"<table>{head}{body}</table>{foot}"

    @property
    def missing(self) -> list[str]:
        """What partial scores were made without."""
        scores = (score for scored in self.systems.values() for score in scored.scores.values())
        return sorted({part for score in scores for part in score.partial})


def _later(name: str) -> Any:
    """A module of ours that few runs need."""
    return importlib.import_module(f"gistmeter.{name}")


def _package(name: str, purpose: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise InputError(
            f"{purpose} needs the package '{name}', which is not installed. Install it with: pip "
            f"install {name}. run.to_polars() needs nothing else"
        ) from error


def compare(runs: Sequence[Run], **options: Any) -> Comparison:
    """Test the differences between all systems of some runs, on the items that they share.

    `options` are those of `gistmeter compare`; of several scores the first is answered.
    """
    from gistmeter.core.comparison import compare_all

    settings = CompareSettings.of(options)
    if settings.by:
        raise InputError(f'by: a run is sliced with run.by("{settings.by[0]}")')
    return compare_all(runs, settings)[0]


def write_report(
    runs: Sequence[Run], path: Path, *, title: str = "", everything: bool = False
) -> None:
    """One HTML page over runs, with their comparisons.

    Runs of the same items measured in the same way share a section, so that their systems are
    compared with each other.
    """
    from gistmeter.core.comparison import gather
    from gistmeter.report.html import page

    gathered = gather(runs)
    page.write_report(
        gathered,
        path,
        views=[family_of(run.command).view() for run in gathered],
        comparisons=[run.findings for run in gathered],
        answers=[run.answer() for run in gathered],
        title=title,
        everything=everything,
    )
