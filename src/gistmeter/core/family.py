"""What a family *is*, said in one place: its settings, how its files become items, its metrics,
its headline, its tables and what it shows of an item.

`score.score` asks these questions in this order, for the command line, Python, a cluster or a test.
A family never prints; what the user should know goes through the `Context`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from gistmeter.core import registry
from gistmeter.core.errors import InputError
from gistmeter.core.options import ModelSettings
from gistmeter.core.settings import Settings
from gistmeter.core.types import Item, Sheet, Statistics
from gistmeter.core.views import View

if TYPE_CHECKING:
    from gistmeter.core.cache import Cache
    from gistmeter.core.comparison import Findings
    from gistmeter.core.engines import Engine
    from gistmeter.core.pages import PairView
    from gistmeter.core.rows import Rows
    from gistmeter.core.run import Run
    from gistmeter.core.types import Metric
    from gistmeter.core.wiring import Wiring
    from gistmeter.models.settings import BackEndSettings

logger = logging.getLogger(__name__)

ItemT = TypeVar("ItemT", bound=Item)
SettingsT = TypeVar("SettingsT", bound=Settings)
Progress = Callable[[str, int, int], None]  # stage, done, total
DETAILS = "details"  # in a run's folder: what a family adds
TRANSCRIPTS = ".transcripts.jsonl"  # behind the folder's name: what recognisers heard so far
EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class Items(Generic[ItemT]):
    """What a family read, and what there is to know of it."""

    items: Sequence[ItemT]
    files: Sequence[Path] = ()  # that were read: their content is part of the plan
    found: Mapping[str, Any] = field(default_factory=dict)  # settings that reading settled
    signed: Mapping[str, Any] = field(default_factory=dict)  # of these, what can change a score
    notes: Mapping[str, Any] = field(default_factory=dict)  # kept with the run
    digests: Mapping[str, str] = field(default_factory=dict)  # of inputs, by name
    anew: bool = False  # a resumed run scores all items again: reading them was the work
    interrupted: str = ""  # what stopped the reading midway
    names: Sequence[Sequence[str]] = ()  # of the files that each item comes from


@dataclass
class Context:
    """What a family may use while it works, and how it reaches the user."""

    cache: Cache
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    progress: Progress | None = None
    hear: Callable[[str, bool], None] | None = None  # a remark, and whether it is a warning
    confirm: Callable[[str], bool] | None = None  # a question that costs money
    folder: Path | None = None  # of the run, where it is kept
    resume: bool = False
    overwrite: bool = False
    remarks: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    engine: Engine | None = None  # where the work runs

    def say(self, remark: str, *, warning: bool = False) -> None:
        self.remarks.append(remark)
        if self.hear:
            self.hear(remark, warning)
        else:
            logger.log(logging.WARNING if warning else logging.INFO, "%s", remark)

    def warn(self, remark: str) -> None:
        self.say(remark, warning=True)

    def leave_out(self, remark: str) -> None:
        """Warn that something is not computed; it is said again where nothing is left."""
        self.left_out.append(remark)
        self.warn(remark)


@dataclass(frozen=True)
class Task(Generic[SettingsT, ItemT]):
    """Everything that one scoring has settled before it measures."""

    settings: SettingsT
    read: Items[ItemT]
    metrics: Mapping[str, Metric]
    statistics: Statistics


class Family(Generic[SettingsT, ItemT]):
    """The contract of a family; what is not overridden serves as it is."""

    name: str  # of the command
    noun: ClassVar[str] = "item"
    summary: ClassVar[str] = ""  # the command's line in the list of commands
    description: ClassVar[str] = ""  # what its help says beneath the summary
    examples: ClassVar[Sequence[str]] = ()
    Settings: ClassVar[type[Settings]] = ModelSettings
    headline: ClassVar[Sequence[str]] = ()  # the scores to judge by, the first that a run has
    metrics: ClassVar[Mapping[str, str]] = {}  # "module:Class" by name, where no registry has them
    beside: ClassVar[Sequence[str]] = ()  # metrics made beside those asked for, if they apply
    roles: ClassVar[Mapping[str, str]] = {}  # model role -> the option that names the model
    shows: ClassVar[str] = ""  # its `View`, as "module:attribute"
    chunk: int = 1024  # items that are measured at once
    adds_up: bool = False  # whether a large run is pooled part by part, from sums
    stage: ClassVar[str] = "Scoring"

    def streams(self, settings: SettingsT, context: Context) -> bool:
        """Whether workers read the items that they measure, wherever the files are."""
        del settings, context
        return False

    def read(self, settings: SettingsT, context: Context) -> Items[ItemT]:
        """The items of the files that the settings name."""
        raise NotImplementedError

    def restore(self, run: Run) -> Items[ItemT]:
        """The items of a run from the texts that it keeps."""
        del run
        raise InputError(
            f"A run of {self.name} does not keep what it was made of: score its files again"
        )

    def expected(self, item: ItemT) -> str:
        """What should have been said; empty where that is no single text."""
        del item
        return ""

    def answered(self, item: ItemT, answer: str, system: str) -> ItemT:
        """The item with another answer to what was expected."""
        del answer, system
        return item

    def prepare(self, read: Items[ItemT], settings: SettingsT, context: Context) -> Items[ItemT]:
        """Items as they are scored, wherever they come from: languages found, groups named."""
        del settings, context
        return read

    def profile(self, settings: SettingsT) -> str:
        """The profile that models are taken from."""
        chosen = getattr(settings, "profile", EMBEDDED)
        plain = chosen == EMBEDDED and getattr(settings, "no_judge", False)
        return "embedded-plain" if plain else str(chosen)

    def model_settings(self, settings: SettingsT) -> BackEndSettings:
        """How models are loaded."""
        from gistmeter.models.settings import BackEndSettings

        known = {name: getattr(settings, name) for name in ("device", "max_length", "layer")
                 if hasattr(settings, name)}  # fmt: skip
        return BackEndSettings(**known)

    def collect(
        self,
        read: Items[ItemT],
        metrics: Mapping[str, Metric],
        settings: SettingsT,
        context: Context,
    ) -> Items[ItemT]:
        """Items complete for scoring: what costs money or time comes after all else is settled."""
        del metrics, settings, context
        return read

    def readers(self, wiring: Wiring) -> Mapping[str, Any]:
        """The languages of a run by code, where the family reads their words for all metrics."""
        del wiring
        return {}

    def estimate(self, read: Items[ItemT], settings: SettingsT, context: Context) -> Any:
        """What scoring would cost; an error where nothing of it costs anything."""
        del read, settings, context
        raise InputError(f"There is nothing to estimate: scoring a {self.noun} costs nothing")

    def base(self, items: Sequence[ItemT]) -> Rows:
        """A row for each item with what a reader wants to see beside any score."""
        from gistmeter.core.rows import Rows

        return Rows.of(items)

    def notes(self, rows: Rows, task: Task[SettingsT, ItemT]) -> Mapping[str, Any]:
        """What the run keeps beside its scores."""
        del rows
        return task.read.notes

    def count(self, rows: Rows) -> Mapping[str, Any]:
        """Numbers for the notes of a family that adds up: those of parts are added."""
        del rows
        return {}

    def documents(self, read: Items[ItemT]) -> Mapping[str, Any]:
        """What is kept among the run's details beside that of the metrics, by file name."""
        del read
        return {}

    def finish(self, run: Run, task: Task[SettingsT, ItemT], context: Context) -> None:
        """Write the files that the family keeps beside the run, and what is left to say."""

    def sheets(self, run: Run) -> list[Sheet]:
        """The tables of a file: the items first, the summary last."""
        return [items_sheet(run), summary_sheet(run)]

    def companions(self, run: Run) -> Mapping[str, Sheet]:
        """Further tables, by the name of the file that stands beside the one asked for."""
        del run
        return {}

    def overview(self, run: Run) -> list[Sheet]:
        """Tables that the terminal shows after the scores."""
        del run
        return []

    def pages(self, run: Run) -> Iterable[tuple[str, PairView]]:
        """Pages of single items, each with the name of its file among the run's details."""
        del run
        return ()

    def leads(self, settings: Mapping[str, Any]) -> Sequence[str]:
        """The scores to judge a run by that has these settings."""
        del settings
        return self.headline

    def answer(self, run: Run, findings: Findings) -> str:
        """What the user came for, in a sentence or two; the terminal and the report both say it.

        `findings` are the paired tests of the run's systems, none for a single system.
        """
        from gistmeter.core.comparison.answer import Standing, answer

        return answer(Standing(run, self.view(), findings))

    def view(self) -> View:
        """How a report shows its runs."""
        view: View = registry.load(self.shows) if self.shows else View(noun=self.noun)
        return view


def items_sheet(run: Run) -> Sheet:
    """The run's rows as they are."""
    from gistmeter.core.rows import KEYS

    # Sparse counts are for programs: a cell of a table cannot hold them.
    frame = run.to_polars().drop("item", *run.measured.counts)
    names = [name for name in frame.columns if name not in KEYS or any(frame[name].to_list())]
    return Sheet("items", names, frame.select(names).rows())


def summary_sheet(run: Run) -> Sheet:
    """Every score of every system with its interval."""
    columns = ["system", "score", "value", "low", "high", "n", "unscored", "partial", "signature"]
    rows = [
        [system, name, score.value, score.low, score.high, score.n, score.unscored,
         ", ".join(score.partial), score.signature or run.signature]
        for system, scored in run.systems.items()
        for name, score in scored.scores.items()
    ]  # fmt: skip
    return Sheet("summary", columns, rows)


GROUP = "gistmeter.families"


def family_of(name: str) -> Family[Any, Any]:
    """The family of a name; a run of no family (one of `evaluate`) gets what all have."""
    if name not in registry.names(GROUP):
        return Family()
    family: Family[Any, Any] = registry.find(GROUP, name)()
    return family
