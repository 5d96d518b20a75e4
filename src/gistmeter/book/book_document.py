"""What is kept of a book for people to look at: typed here, JSON in the `details/` of a run.

Places are indices of sentences, from 0. Files on disk may hold anything: `from_dict` refuses what
has another shape, and places that the texts do not have.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from gistmeter.book.edition_alarms import ALARM_KINDS, ALARM_LEVELS, EditionAlarm, Person, Span
from gistmeter.book.metrics.moves import MovedBlock
from gistmeter.book.metrics.segmentation import Chapter, Segments
from gistmeter.core.errors import FormatError
from gistmeter.core.views import Details

if TYPE_CHECKING:
    from gistmeter.core.run import Run

Numbers = tuple[float | None, ...]
KIND = "book"


@dataclass(frozen=True, slots=True)
class FactMarks:
    """Where the words stand that differ, in the source sentence and in the sentence."""

    source: tuple[Span, ...]
    sentence: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class EditionSentence:
    """What was measured of a sentence of the summary; None where it is undefined."""

    index: int = 0
    sentence: str = ""
    best_source_index: int = 0
    best_similarity: float | None = None
    coverage_hit: bool | None = None
    covered: bool | None = None  # whether it has a source
    aligned_index: int | None = None  # on the path
    aligned_similarity: float | None = None
    position_deviation: float | None = None
    scs: float | None = None
    order_violation: bool | None = None
    topk: tuple[tuple[int, float], ...] = ()  # source sentences with their similarities
    place: int | None = None  # where it comes from; None without a source
    home: int | None = None  # the place it stands at
    evidence: float | None = None
    moved: bool | None = None
    changed: tuple[str, ...] = ()  # what differs, in words
    marks: FactMarks | None = None
    verdict: str = ""  # of a summary's claim: supported, contradicted or not found
    probability: float | None = None  # of the verdict
    passages: tuple[Span, ...] = ()  # that a claim was read beside: first and last sentence

    @property
    def finding(self) -> str:
        """What was found of it, in a word."""
        if self.covered is False:
            return "invented"
        if self.changed:
            return "changed"
        return "moved" if self.moved else "kept"


@dataclass(frozen=True, slots=True)
class SourceSupport:
    """For each source sentence, the evidence of its best supporting summary sentence."""

    similarity: Numbers = ()
    index: tuple[int, ...] = ()  # that summary sentence; −1: none
    kept: tuple[bool | None, ...] = ()  # whether the evidence is enough
    words: tuple[int, ...] = ()  # content words of the source sentence


@dataclass(frozen=True, slots=True)
class ChapterFindings(Chapter):
    """A chapter of the source: what of it was kept, and what came of it."""

    words: int
    kept_words: float | None
    cut: float | None  # sentences
    sentences: int  # of the summary, that come from it
    unsupported: float | None
    moved: int
    changed: int | None

    @property
    def kept(self) -> float:
        """The share of its content words that were kept; NaN where that is not known."""
        return math.nan if self.kept_words is None else self.kept_words / max(1, self.words)


@dataclass(frozen=True, slots=True)
class Cut:
    """A stretch of one chapter of the source that was cut."""

    first: int
    last: int
    words: int
    chapter: int
    whole: bool  # whether the whole chapter was


@dataclass(frozen=True, slots=True)
class DescribedMove(MovedBlock):
    """A block that moved, and what to say of it: "Chapter IV stands before Chapter III"."""

    text: str


@dataclass(frozen=True, slots=True)
class UsedThresholds:
    coverage: float | None = None
    support: float | None = None


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The largest similarities in cells of the table, summary down and source across."""

    values: tuple[tuple[float, ...], ...] = ()
    rows: int = 0  # sentences on either side
    columns: int = 0


@dataclass(frozen=True, slots=True)
class BookDocument:
    """One edition of one book."""

    kind: str = KIND
    title: str = ""
    algorithm: str = ""
    bandwidth: int | None = None
    widened: bool = False
    source: Segments = Segments()
    summary: Segments = Segments()
    path: tuple[tuple[int, int], ...] = ()  # summary sentence, source sentence
    sentences: tuple[EditionSentence, ...] = ()
    support: SourceSupport = SourceSupport()
    chapters: tuple[ChapterFindings, ...] = ()  # of the source
    cuts: tuple[Cut, ...] = ()
    moves: tuple[DescribedMove, ...] = ()
    coverage_threshold: float | None = None  # the mean best similarity, for `coverage`
    thresholds: UsedThresholds = UsedThresholds()  # the calibrated ones
    coverage_along: Numbers = ()  # coverage_at in each tenth of the summary
    recall_along: Numbers = ()  # source_recall in each tenth of the source
    heat_map: HeatMap = HeatMap()
    system: str = ""
    language: str = ""
    model: str = ""
    edition: str = "abridgement"  # or summary: its sentences are claims
    alarms: tuple[EditionAlarm, ...] = ()  # of every level, the most probable first
    alarm_level: str = "balanced"  # of the alarms that are shown
    people: tuple[Person, ...] = ()  # who is who, learned from the source

    @property
    def is_summary(self) -> bool:
        return self.edition == "summary"

    @property
    def shown_alarms(self) -> list[EditionAlarm]:
        """The alarms of the chosen level; the others are counted."""
        return [alarm for alarm in self.alarms if alarm.is_shown(self.alarm_level)]

    @property
    def invented(self) -> list[EditionSentence]:
        return [entry for entry in self.sentences if entry.covered is False]

    @property
    def changed(self) -> list[EditionSentence]:
        return [entry for entry in self.sentences if entry.changed]

    @property
    def largest_cuts(self) -> list[Cut]:
        return sorted(self.cuts, key=lambda cut: (-cut.words, cut.first))

    @property
    def summary_sentences(self) -> list[str]:
        return [entry.sentence for entry in self.sentences]

    def source_text(self, place: int | None) -> str:
        return "" if place is None else self.source.sentences[place]

    def chapter_title(self, place: int | None) -> str:
        """The title of the chapter that a source sentence stands in."""
        inside = (
            chapter.title
            for chapter in self.chapters
            if place is not None and chapter.first <= place <= chapter.last
        )
        return next(inside, "")

    def source_with_titles(self) -> str:
        """The source as a text: a paragraph for each sentence, chapters with their titles."""
        titles = {chapter.first: chapter.title for chapter in self.chapters}
        parts = [
            part
            for place, sentence in enumerate(self.source.sentences)
            for part in (titles.get(place, ""), sentence)
        ]
        return "\n\n".join(filter(None, parts))

    def to_dict(self) -> dict[str, Any]:
        document: dict[str, Any] = _to_json(self)
        return document

    @classmethod
    def from_dict(cls, content: Any) -> Self:
        """The document of what JSON holds; an error where it is none."""
        document: Self = _decode(cls, content, "the document")
        source, summary = len(document.source.sentences), len(document.sentences)
        for entry in document.sentences:
            places = (entry.best_source_index, entry.aligned_index, entry.place, entry.home)
            _check((place for place in places if place is not None), source, "sentences")
            _check((place for place, _ in entry.topk), source, "topk")
            _check((place for span in entry.passages for place in span), source, "passages")
        _check((row for row, _ in document.path), summary, "path")
        _check((column for _, column in document.path), source, "path")
        for chapter in document.chapters:
            _check((chapter.first, chapter.last), source, "chapters")
        for cut in document.cuts:
            _check((cut.first, cut.last), source, "cuts")
        for move in document.moves:
            _check((move.first, move.last), summary, "moves")
            _check((move.start, move.end, move.other), source, "moves")
        for alarm in document.alarms:
            inside = (place for place in (alarm.first, alarm.last) if place is not None)
            _check(inside, summary, "alarms")
            reasons = [reason.place for reason in alarm.reasons]
            beside = (alarm.start, alarm.end, *reasons)
            _check((place for place in beside if place is not None), source, "alarms")
            if alarm.kind not in ALARM_KINDS or alarm.level not in ALARM_LEVELS:
                raise FormatError(f"alarms: there is no '{alarm.kind}' of level '{alarm.level}'")
        if document.alarm_level not in ALARM_LEVELS:
            raise FormatError(f"alarm_level: there is no '{document.alarm_level}'")
        return document


def _check(places: Iterable[int], size: int, name: str) -> None:
    for place in places:
        if not 0 <= place < size:
            raise FormatError(f"{name}: there is no sentence {place} of {size}")


def _to_json(value: Any) -> Any:
    if is_dataclass(value):
        return {part.name: _to_json(getattr(value, part.name)) for part in fields(value)}
    return [_to_json(part) for part in value] if isinstance(value, tuple) else value


PLAIN = {str: (str,), bool: (bool,), int: (int,), float: (int, float)}


def _decode(hint: Any, value: Any, name: str) -> Any:
    """A JSON value as a type hint has it; an error where it is something else."""
    if hint in PLAIN:
        if type(value) in PLAIN[hint] and (type(value) is not float or math.isfinite(value)):
            return value
    elif is_dataclass(hint):
        kind: Any = hint
        hints, required = _fields(kind)
        if isinstance(value, Mapping) and required <= value.keys():
            known = {key: part for key, part in hints.items() if key in value}
            return kind(**{key: _decode(part, value[key], key) for key, part in known.items()})
    elif isinstance(hint, types.UnionType):
        return None if value is None else _decode(typing.get_args(hint)[0], value, name)
    elif isinstance(value, list):
        parts = typing.get_args(hint)
        parts = parts[:1] * len(value) if parts[-1] is Ellipsis else parts
        if len(parts) == len(value):
            return tuple(_decode(*both, name) for both in zip(parts, value, strict=True))
    raise FormatError(f"{name} is {type(value).__name__}; expected {hint}")


@cache
def _fields(kind: Any) -> tuple[dict[str, Any], set[str]]:
    """The type hints of a dataclass, and the fields without a default."""
    required = {part.name for part in fields(kind) if part.default is MISSING}
    return typing.get_type_hints(kind), required


@dataclass(frozen=True, slots=True)
class Edition:
    """One summary of one book, with the document that describes it."""

    system: str
    name: str  # of the document
    book: BookDocument


def editions(run: Run, details: Mapping[str, Any] | None = None) -> list[Edition]:
    """Every edition of a run in the order of its systems; one without a document is left out."""
    books: dict[str, BookDocument] = {}
    contents = Details(run) if details is None else details
    for name in contents:
        content = contents[name]
        if isinstance(content, Mapping) and content.get("kind") == KIND:
            try:
                books[name] = BookDocument.from_dict(content)
            except FormatError:  # a broken document counts as none
                continue
    return [
        Edition(system, name, book)
        for system in run.systems
        for name, book in books.items()
        if _belongs(name, book.system or system, system, run)
    ]


def _belongs(name: str, made_by: str, system: str, run: Run) -> bool:
    """Whether a document is of a system; gathered runs keep theirs under a folder's name."""
    folder = name.rpartition("/")[0]
    if not folder:
        return made_by == system or len(run.systems) == 1
    return system in (folder, f"{folder}/{made_by}") or (
        made_by == system and not any(name.startswith(folder) for name in run.systems)
    )
