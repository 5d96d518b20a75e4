"""Files of predictions and references, as the pairs of a run.

References may be several files, all of which count, or a folder with a file for each language: the
language in the name of a file of predictions then says which one is meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gistmeter.core.errors import InputError
from gistmeter.core.family import Context, Items
from gistmeter.core.table import SUFFIXES
from gistmeter.core.types import Pair
from gistmeter.core.wording import count
from gistmeter.languages import of_name
from gistmeter.text.formats import predictions as tables
from gistmeter.text.formats import references as explained
from gistmeter.text.formats.answers import Choices
from gistmeter.text.formats.predictions import Matched, Prediction
from gistmeter.text.formats.references import References
from gistmeter.text.settings import TextSettings

SHOWN = 6  # names that are listed; all unmatched idioms are in the run's notes


def read_pairs(settings: TextSettings, context: Context) -> Items[Pair]:
    """The pairs of the files that the settings name."""
    if not settings.predictions:
        raise InputError(
            "No predictions were given: name a file or folder, or set MODEL_FILE. "
            "See gistmeter text --help"
        )
    splitting = explained.Splitting(settings.reference_separators)
    found = tables.gather(settings.predictions)
    for remark in found.remarks:
        context.say(remark)
    references = _Shelf(settings, splitting)
    choices = Choices(
        settings.column,
        settings.systems,
        settings.sheets,
        references.of if settings.references else None,
        context.say,
    )
    rows = tables.read_predictions(found.paths, base=found.base, choices=choices)
    systems = list(dict.fromkeys(row.system for row in rows))
    for path in settings.original:
        rows += tables.read_original(path, systems, choices=choices)
    tables.refuse_repetitions(rows)
    classes = _classes(settings, context)
    parts: list[Matched] = []
    files: list[Path] = []
    for known, own in references.shared_out(rows):
        files += known.files if known else []
        _refuse_other_lines(own, known)
        parts.append(tables.match(own, known, splitting=splitting, structures=classes))
        _tell_guesses(own, known, context)
    matched = _joined(parts, rows)
    _tell_matches(matched, context)
    names = tuple(file.name for file in dict.fromkeys(files))
    given = [settings.structure, settings.polarity_overrides, settings.stopwords,
             settings.negations, settings.polarity_words]  # fmt: skip
    return Items(
        matched.pairs,
        files=[
            *tables.files_of([*found.paths, *settings.original]),
            *dict.fromkeys(files),
            *(path for path in given if path),
        ],
        signed=signed(settings),
        notes={
            "unmatched": {
                "predicted without reference": matched.without_reference,
                "references without prediction": matched.without_prediction,
            }
        },
        names=[(row.path.name, *(names if len(names) == 1 else ())) for row in rows],
    )


def signed(settings: TextSettings) -> dict[str, Any]:
    separators = settings.reference_separators
    return {} if separators == explained.DEFAULT_SEPARATORS else {"separators": separators}


def _classes(settings: TextSettings, context: Context) -> Mapping[str, str]:
    if not settings.structure:
        return {}
    classes, several = explained.read_classes(settings.structure)
    if several:
        context.say(
            f"{len(several)} idioms have several structure classes and count in each: "
            f"{shortened(several)}"
        )
    return classes


@dataclass
class _Shelf:
    """The references that the settings name, each file read once."""

    settings: TextSettings
    splitting: explained.Splitting
    read: dict[tuple[Path, ...], References] = field(default_factory=dict)

    def of(self, predictions: Path) -> References:
        """What a file of predictions is compared with; of a folder the file in its language."""
        paths = self._paths(predictions)
        if paths not in self.read:
            columns = Choices(self.settings.column).plain
            parts = [
                explained.read_references(path, splitting=self.splitting, columns=columns)
                for path in paths
            ]
            self.read[paths] = explained.merged(parts)
        return self.read[paths]

    def shared_out(
        self, rows: Sequence[Prediction]
    ) -> list[tuple[References | None, list[Prediction]]]:
        """Predictions with the references that they are compared with."""
        if not self.settings.references:
            return [(None, list(rows))]
        paths = {path: self._paths(path) for path in dict.fromkeys(row.path for row in rows)}
        chosen: dict[tuple[Path, ...], list[Prediction]] = {}
        for row in rows:
            chosen.setdefault(paths[row.path], []).append(row)
        return [(self.of(own[0].path), own) for own in chosen.values()]

    def _paths(self, predictions: Path) -> tuple[Path, ...]:
        given = self.settings.references
        files = [path for path in given if not path.is_dir()]
        return (*files, *(file_of(path, predictions) for path in given if path.is_dir()))


def file_of(folder: Path, predictions: Path) -> Path:
    """The file of a folder of references that is in the language of a file of predictions."""
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in SUFFIXES)
    if not files:
        raise InputError(f"{folder}: has no table of references")
    if len(files) == 1:
        return files[0]
    wanted = of_name(predictions.stem)
    own = [file for file in files if wanted and of_name(file.stem) == wanted]
    if len(own) == 1:
        return own[0]
    known = ", ".join(file.name for file in files[:6])
    what = f"no single file for '{wanted}'" if wanted else "several files"
    raise InputError(
        f"{folder}: has {what} ({known}), and {predictions.name} must say by its name which one is"
        " meant, such as model_chinese.csv. Or give one file with --references"
    )


def _refuse_other_lines(rows: Sequence[Prediction], references: References | None) -> None:
    """Lines are paired by their number: another number of them is no pairing at all."""
    if references is None:
        return
    sizes = Counter(row.path for row in rows if row.lined)
    for path, size in sizes.items():
        if not references.lines:
            raise InputError(
                f"{path}: is plain lines, and {references.files[0]} is a table. Give both as lines,"
                " or the predictions as a table with the columns idiom and prediction"
            )
        if size != references.lines:
            raise InputError(
                f"{path} has {count(size, 'line')} and {references.files[0]} has "
                f"{references.lines:,}: one text per line needs the same number in both. Add the "
                "missing lines (an empty one is an answer that is missing), or give both as tables "
                "with a column id"
            )


def _joined(parts: Sequence[Matched], rows: Sequence[Prediction]) -> Matched:
    """The pairs of all parts in the order of the rows."""
    if len(parts) == 1:
        return parts[0]
    place = {(row.system, row.arrangement, row.idiom): at for at, row in enumerate(rows)}
    pairs = [pair for part in parts for pair in part.pairs]
    pairs.sort(key=lambda pair: place[pair.system, pair.arrangement, pair.id])
    originals = {row.system for row in rows if row.arrangement.lower() == tables.ORIGINAL}
    return Matched(
        tables.marked([replace(pair) for pair in pairs], originals),
        [name for part in parts for name in part.without_reference],
        [name for part in parts for name in part.without_prediction],
    )


def _tell_guesses(
    rows: Sequence[Prediction], references: References | None, context: Context
) -> None:
    guesses = {row.path: row.guessed for row in rows if row.guessed}
    guesses |= references.guesses if references else {}
    for path, encoding in guesses.items():
        context.say(guess_of(path, encoding))


def guess_of(path: Path, encoding: str) -> str:
    return (
        f"{path}: read as {encoding}, which is a guess. Save it as UTF-8, or name the encoding with"
        " --encoding"
    )


def _tell_matches(matched: Matched, context: Context) -> None:
    systems = list(dict.fromkeys(pair.system for pair in matched.pairs))
    arrangements = list(dict.fromkeys(pair.arrangement for pair in matched.pairs))
    context.say(f"Systems: {shortened(systems)}")
    if arrangements != [""]:
        context.say(f"Arrangements: {shortened(name or 'unnamed' for name in arrangements)}")
    context.say(f"{matched.matched} of {len(matched.pairs)} predictions have references")
    for idioms, what in (
        (matched.without_reference, "predicted idioms have no reference"),
        (matched.without_prediction, "idioms of the references were not predicted"),
    ):
        if idioms:
            context.say(f"{len(idioms)} {what}: {shortened(idioms)}")


def shortened(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:SHOWN]) + (" …" if len(listed) > SHOWN else "")
