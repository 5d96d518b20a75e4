"""Files of predictions and references, as the pairs of a run; and its languages with their lists.

References may be several files, all of which count, or a folder with a file for each language: the
language in the name of a file of predictions then says which one is meant, or else its items do.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gistmeter import languages
from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.family import Context, Items
from gistmeter.core.files import read_bytes, refuse_strays
from gistmeter.core.inputs import decode
from gistmeter.core.item_columns import restored
from gistmeter.core.run import Run
from gistmeter.core.table import SUFFIXES, Table
from gistmeter.core.types import Pair, is_original
from gistmeter.core.views import Row
from gistmeter.core.wiring import Wiring
from gistmeter.core.wording import count
from gistmeter.languages import lexicons
from gistmeter.languages.language import RememberingLanguage
from gistmeter.text import RECOVERED, STRUCTURE
from gistmeter.text.formats import predictions as tables
from gistmeter.text.formats import references as explained
from gistmeter.text.formats.answer_columns import ColumnChoices
from gistmeter.text.formats.predictions import MatchedPairs, Prediction
from gistmeter.text.formats.references import References
from gistmeter.text.metrics.comparisons import stored_references
from gistmeter.text.settings import TextSettings

logger = logging.getLogger(__name__)

SHOWN = 6  # names that are listed; all unmatched items are in the run's notes


def read_pairs(settings: TextSettings, context: Context) -> Items[Pair]:
    """The pairs of the files that the settings name."""
    if not settings.predictions:
        raise InputError(
            "No predictions were given: name a file or folder, or set MODEL_FILE. "
            "See gistmeter text --help"
        )
    splitting = explained.Splitting(settings.reference_separators)
    gathered = tables.gather(settings.predictions)
    for remark in gathered.remarks:
        context.say(remark)
    references = _ReferenceFiles(settings, splitting)
    choices = ColumnChoices(
        settings.column,
        settings.systems,
        settings.sheets,
        references.of if settings.references else None,
        context.say,
    )
    rows = tables.read_predictions(gathered.paths, base=gathered.base, choices=choices)
    systems = list(dict.fromkeys(row.system for row in rows))
    for path in settings.original:
        rows += tables.read_original(path, systems, choices=choices)
    read = len(rows)
    rows = tables.settle_repetitions(rows, settings.repeats)
    if len(rows) < read:
        context.say(f"{read - len(rows)} rows repeat an item and are left out (--repeats first)")
    classes = _classes(settings, context)
    parts: list[MatchedPairs] = []
    files: dict[Path, None] = {}
    named: dict[Path, tuple[str, ...]] = {}  # the only file of references tells the language too
    for known, predictions in references.shared_out(rows):
        files |= dict.fromkeys(known.files if known else ())
        if known and len(known.files) == 1:
            named |= {row.path: (known.files[0].name,) for row in predictions}
        _refuse_other_lines(predictions, known)
        parts.append(tables.match(predictions, known, splitting=splitting, structures=classes))
        guesses = {row.path: row.guessed for row in predictions if row.guessed}
        for path, encoding in (guesses | dict(known.guesses if known else {})).items():
            say_guess(path, encoding, context)
    matched = _joined(parts, rows)
    pairs = matched.pairs
    say_matches(
        dict.fromkeys(pair.system for pair in pairs),
        dict.fromkeys(pair.arrangement for pair in pairs),
        sum(bool(pair.references) for pair in pairs),
        len(pairs),
        context,
    )
    say_unmatched(matched.without_reference, matched.without_prediction, context)
    return Items(
        pairs,
        files=[
            *tables.files_of([*gathered.paths, *settings.original]), *files,
            *([settings.structure] if settings.structure else ()), *settings.lists,
        ],
        signed=signed(settings),
        notes=unmatched_notes(matched.without_reference, matched.without_prediction),
        names=[(row.path.name, *named.get(row.path, ())) for row in rows],
    )  # fmt: skip


def restored_pairs(run: Run) -> Items[Pair]:
    """The pairs of a run from its rows."""
    if run.settings.get("against") == "cell":
        raise InputError(
            "The run compared with whole cells, which it does not keep: score it again"
        )
    pairs = []
    rows = run.measured
    for row in (Row(rows, at) for at in range(len(rows))):
        fields = {STRUCTURE: row.text(STRUCTURE) or ""}
        recovery = row.number("recovery")
        if not math.isnan(recovery):  # only whether it was right is kept
            fields[RECOVERED] = row.key("id") if recovery else "–"
        pairs.append(
            Pair(
                id=row.key("id"),
                candidate=row.text("prediction"),
                references=tuple(stored_references(row)),
                system=row.key("system"),
                arrangement=row.key("group"),
                fields={name: value for name, value in fields.items() if value},
                stripped=row.text("stripped") or "",
                **restored(row, run.notes),
            )
        )
    originals = {pair.system for pair in pairs if is_original(pair.arrangement)}
    return Items(tables.marked(pairs, originals))


def read_table_pairs(table: Table, settings: TextSettings) -> Items[Pair]:
    """The pairs of a table that is no file; its remarks are logged."""
    splitting = explained.Splitting(settings.reference_separators)
    files = _ReferenceFiles(settings, splitting)
    known = files.of(table.path) if settings.references else None
    choices = ColumnChoices(
        settings.column, settings.systems, references=files.of if known else None, say=logger.info
    )
    rows = tables.read_rows(table, choices, table.name, "")
    rows = tables.settle_repetitions(rows, settings.repeats)
    matched = tables.match(rows, known, splitting=splitting)
    unmatched = unmatched_notes(matched.without_reference, matched.without_prediction)
    return Items(matched.pairs, files=known.files if known else (), notes=unmatched)


def signed(settings: TextSettings) -> dict[str, Any]:
    separators = settings.reference_separators
    return {} if separators == explained.DEFAULT_SEPARATORS else {"separators": separators}


def unmatched_notes(
    without_reference: Sequence[str], without_prediction: Sequence[str]
) -> dict[str, Any]:
    return {
        "unmatched": {
            "predicted without reference": without_reference,
            "references without prediction": without_prediction,
        }
    }


def _classes(settings: TextSettings, context: Context) -> Mapping[str, str]:
    if not settings.structure:
        return {}
    classes, several = explained.read_classes(settings.structure)
    if several:
        context.say(
            f"{len(several)} items have several structure classes and count in each: "
            f"{shortened(several)}"
        )
    return classes


@dataclass
class _ReferenceFiles:
    """The references that the settings name, each file read once."""

    settings: TextSettings
    splitting: explained.Splitting
    read: dict[tuple[Path, ...], References] = field(default_factory=dict)
    chosen: dict[Path, tuple[Path, ...]] = field(default_factory=dict)

    def of(self, predictions: Path) -> References:
        """What a file of predictions is compared with; of a folder the file in its language."""
        paths = self._paths(predictions)
        if paths not in self.read:
            self.read[paths] = explained.merged([self._one(path) for path in paths])
        return self.read[paths]

    def _one(self, path: Path) -> References:
        if (path,) not in self.read:
            columns = ColumnChoices(self.settings.column).plain
            self.read[path,] = explained.read_references(
                path, splitting=self.splitting, columns=columns
            )
        return self.read[path,]

    def shared_out(
        self, rows: Sequence[Prediction]
    ) -> list[tuple[References | None, list[Prediction]]]:
        """Predictions with the references that they are compared with."""
        if not self.settings.references:
            return [(None, list(rows))]
        paths = {path: self._paths(path) for path in dict.fromkeys(row.path for row in rows)}
        by_files: dict[tuple[Path, ...], list[Prediction]] = {}
        for row in rows:
            by_files.setdefault(paths[row.path], []).append(row)
        return [(self.of(chosen[0].path), chosen) for chosen in by_files.values()]

    def _paths(self, predictions: Path) -> tuple[Path, ...]:
        if predictions not in self.chosen:
            given = self.settings.references
            files = [path for path in given if not path.is_dir()]
            for folder in (path for path in given if path.is_dir()):
                files += self._of_folder(folder, predictions)
            self.chosen[predictions] = tuple(files)
        return self.chosen[predictions]

    def _of_folder(self, folder: Path, predictions: Path) -> list[Path]:
        """The files of a folder of references that a file of predictions is compared with."""
        files = sorted(file for file in folder.iterdir() if file.suffix.lower() in SUFFIXES)
        refuse_strays(folder, files)
        if not files:
            raise InputError(f"{folder}: has no table of references")
        if len(files) == 1:
            return files
        wanted = languages.of_name(predictions.stem)
        fitting = [file for file in files if wanted and languages.of_name(file.stem) == wanted]
        if len(fitting) == 1:
            return fitting
        fitting = [] if wanted else self._with_items(files, predictions)
        if fitting:
            return fitting
        known = ", ".join(file.name for file in files[:6])
        what = f"no single file for '{wanted}'" if wanted else "several files"
        raise InputError(
            f"{folder}: has {what} ({known}), and neither the name of {predictions.name} nor its"
            " items say which one is meant. Name it such as model_chinese.csv, or give one file"
            " with --references"
        )

    def _with_items(self, files: Sequence[Path], predictions: Path) -> list[Path]:
        """The file that has most of the items, and those that have others; none where two files
        have the same items, for then either could be meant."""
        items = tables.items_in(predictions, ColumnChoices(self.settings.column))
        has = {file: items & self._one(file).by_idiom.keys() for file in files}
        best = max(files, key=lambda file: len(has[file]))
        others = [file for file in files if file != best and has[file] - has[best]]
        covered = [has[file] for file in (best, *others)]
        shared = sum(map(len, covered)) > len(set().union(*covered))
        rivals = [file for file in files if file != best and len(has[file]) == len(has[best])]
        return [] if shared or not has[best] or set(rivals) - set(others) else [best, *others]


def _refuse_other_lines(rows: Sequence[Prediction], references: References | None) -> None:
    """Lines are paired by their number: another number of them is no pairing at all."""
    if references is None:
        return
    sizes = Counter(row.path for row in rows if row.lined)
    for path, size in sizes.items():
        if not references.lines:
            raise InputError(
                f"{path}: is plain lines, and {references.files[0]} is a table. Give both as lines,"
                " or the predictions as a table with the columns id and prediction"
            )
        if size != references.lines:
            raise InputError(
                f"{path} has {count(size, 'line')} and {references.files[0]} has "
                f"{references.lines:,}: one text per line needs the same number in both. Add the "
                "missing lines (an empty one is an answer that is missing), or give both as tables "
                "with a column id"
            )


def _joined(parts: Sequence[MatchedPairs], rows: Sequence[Prediction]) -> MatchedPairs:
    """The pairs of all parts in the order of the rows."""
    if len(parts) == 1:
        return parts[0]
    place = {(row.system, row.arrangement, row.idiom): at for at, row in enumerate(rows)}
    pairs = [pair for part in parts for pair in part.pairs]
    pairs.sort(key=lambda pair: place[pair.system, pair.arrangement, pair.id])
    originals = {row.system for row in rows if is_original(row.arrangement)}
    return MatchedPairs(
        tables.marked(pairs, originals),
        [name for part in parts for name in part.without_reference],
        [name for part in parts for name in part.without_prediction],
    )


def say_guess(path: Path, encoding: str, context: Context) -> None:
    context.say(
        f"{path}: read as {encoding}, which is a guess. Save it as UTF-8, or name the encoding with"
        " --encoding"
    )


def say_matches(
    systems: Iterable[str], arrangements: Iterable[str], matched: int, size: int, context: Context
) -> None:
    context.say(f"Systems: {shortened(systems)}")
    named = list(arrangements)
    if named != [""]:
        context.say(f"Arrangements: {shortened(name or 'unnamed' for name in named)}")
    context.say(f"{matched} of {size} predictions have references")


def say_unmatched(
    without_reference: Sequence[str], without_prediction: Sequence[str], context: Context
) -> None:
    for names, what in (
        (without_reference, "predicted items have no reference"),
        (without_prediction, "items of the references were not predicted"),
    ):
        if names:
            context.say(f"{len(names)} {what}: {shortened(names)}")


def shortened(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:SHOWN]) + (" …" if len(listed) > SHOWN else "")


def read_languages(wiring: Wiring) -> dict[str, RememberingLanguage]:
    """All languages of the run with the user's lists; the cache keeps what they read."""
    settings: TextSettings = wiring.settings
    lists = _own_lists(settings)
    readers = {}
    for code in wiring.languages:
        language = languages.get(code, settings.tokenizer)
        if lists:
            language = language.with_lists(lexicons.register(language.lists, lists))
        if settings.polarity_reading == "words":
            language = replace(language, presence=True)
        readers[code] = RememberingLanguage(language, wiring.context.cache)
        readers[code].require()
    return readers


def _own_lists(settings: TextSettings) -> dict[str, list[str]]:
    """The lists that the user gives in place of a language's own."""
    files = {"stopwords": settings.stopwords, "negations": settings.negations}
    lists = {name: read_words(path) for name, path in files.items() if path}
    if settings.polarity_words:
        signs = explained.read_signs(settings.polarity_words, "word")
        lists["positive"] = [word for word, sign in signs.items() if sign > 0]
        lists["negative"] = [word for word, sign in signs.items() if sign < 0]
    return lists


def read_words(path: Path) -> list[str]:
    """One word per line; lines that begin with # are remarks."""
    lines = [line.strip() for line in decode(read_bytes(path), path)[0].splitlines()]
    words = [line for line in lines if line and not line.startswith("#")]
    if not words:
        raise FormatError("has no words; one per line was expected", path=path)
    return words
