"""What `gistmeter text` does once its options are parsed: read, match, load, score, write."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.cli.options import configured_profiles
from gistmeter.cli.shared import Session
from gistmeter.errors import InputError

if TYPE_CHECKING:
    from gistmeter.formats.predictions import Matched, Prediction
    from gistmeter.formats.references import References, Splitting
    from gistmeter.models.loading import Models
    from gistmeter.texts.choice import TextSettings
    from gistmeter.types import Run

# A name that contains one of these is in that language; the longer ones come first.
NAMED_LANGUAGES = {
    "traditional_chinese": "zh-Hant", "traditional-chinese": "zh-Hant", "chinese_traditional":
    "zh-Hant", "zh-hant": "zh-Hant", "zh_hant": "zh-Hant", "zh_tw": "zh-Hant", "zh-tw": "zh-Hant",
    "chinese": "zh", "japanese": "ja", "korean": "ko", "english": "en", "czech": "cs",
    "russian": "ru",
}  # fmt: skip
SHOWN = 6  # names that are listed; all unmatched idioms are in the run's notes


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one call, checked to be there."""

    predictions: list[Path]
    references: Path | None
    original: list[Path]
    structure: Path | None
    overrides: Path | None

    @classmethod
    def of(
        cls,
        predictions: Sequence[Path],
        references: Path | None,
        original: Sequence[Path],
        structure: Path | None,
        overrides: Path | None,
    ) -> Files:
        found = list(predictions)
        environment = os.environ
        if not found and environment.get("MODEL_FILE"):
            found = [Path(environment["MODEL_FILE"])]
        if not found:
            raise InputError(
                "No predictions were given: name a file or folder, or set MODEL_FILE. "
                "See gistmeter text --help"
            )
        if references is None and environment.get("ORIGINAL_FILE"):
            references = Path(environment["ORIGINAL_FILE"])
        return cls(found, references, list(original), structure, overrides)

    def all(self) -> list[Path]:
        from gistmeter.formats.predictions import files_of

        single = [path for path in (self.references, self.structure, self.overrides) if path]
        return [*files_of([*self.predictions, *self.original]), *single]

    def read_overrides(self) -> dict[str, int]:
        from gistmeter.formats.references import POLARITY, read_by_idiom
        from gistmeter.metrics.polarity import parse_sign

        if self.overrides is None:
            return {}
        given = read_by_idiom(self.overrides, "polarity", POLARITY)
        try:
            return {idiom: parse_sign(sign) for idiom, sign in given.items()}
        except InputError as error:
            raise InputError(f"{self.overrides}: {error}") from error


@dataclass(frozen=True)
class TextScoring:
    """The work of one call, step by step."""

    session: Session
    files: Files
    settings: TextSettings
    profile: str
    names: Mapping[str, str | None]
    model_settings: Any
    strict: bool

    def run(
        self,
        language: str,
        metrics: Sequence[str] | None,
        separators: str,
        columns: Mapping[str, str],
    ) -> None:
        from gistmeter.formats.references import DEFAULT_SEPARATORS
        from gistmeter.report.text_sheets import text_layout
        from gistmeter.texts.choice import (
            build_metrics,
            language_readers,
            makers_of,
            possible_metrics,
            roles_for,
        )
        from gistmeter.texts.scoring import CHUNK, text_notes

        wanted = None if metrics is None else makers_of(metrics)
        matched, code = self._read(language, separators, columns)
        models = self._load(roles_for(wanted, self.settings), code)
        names = wanted or possible_metrics(matched.pairs, nli=models.nli is not None)
        readers = language_readers(matched.pairs, self.settings, self.session.cache)
        for reader in readers.values():
            reader.require()
        built = build_metrics(names, models, readers, self.settings)
        self._tell_absent(models, names)
        runs: list[Run] = []

        def layout(run: Run) -> Any:
            runs.append(run)
            return text_layout(run)

        unmatched = {
            "predicted without reference": matched.without_reference,
            "references without prediction": matched.without_prediction,
        }
        try:
            run = self.session.score(
                matched.pairs,
                built,
                inputs=self.files.all(),
                settings={"language": code, "profile": self.profile, "separators": separators},
                reading={} if separators == DEFAULT_SEPARATORS else {"separators": separators},
                layout=layout,
                chunk=CHUNK,
                notes=lambda rows: {**text_notes(rows), "unmatched": unmatched},
            )
            self._tell_notes(run)
        finally:
            # A threshold that is missed ends the command, and the files are written all the same.
            self._write_logic_results(runs)

    def _read(
        self, language: str, separators: str, columns: Mapping[str, str]
    ) -> tuple[Matched, str]:
        from gistmeter.formats.predictions import (
            match,
            read_original,
            read_predictions,
            refuse_repetitions,
        )
        from gistmeter.formats.references import (
            STRUCTURE,
            Splitting,
            read_by_idiom,
            read_references,
        )

        splitting = Splitting(separators)
        predictions = read_predictions(self.files.predictions, columns=columns)
        systems = list(dict.fromkeys(row.system for row in predictions))
        for path in self.files.original:
            predictions += read_original(path, systems, columns=columns)
        refuse_repetitions(predictions)
        references = (
            read_references(self.files.references, splitting=splitting, columns=columns)
            if self.files.references
            else None
        )
        classes = (
            read_by_idiom(self.files.structure, "structure", STRUCTURE)
            if self.files.structure
            else {}
        )
        code = self._language(language, predictions, references, splitting)
        matched = match(
            predictions, references, splitting=splitting, structures=classes, language=code
        )
        guesses = {row.path: row.guessed for row in predictions if row.guessed}
        if references and references.guessed and self.files.references:
            guesses[self.files.references] = references.guessed
        for path, encoding in guesses.items():
            self.session.say(f"{path}: read as {encoding}, which is a guess. Save it as UTF-8")
        self._tell_matches(matched)
        return matched, code

    def _language(
        self,
        given: str,
        predictions: Sequence[Prediction],
        references: References | None,
        splitting: Splitting,
    ) -> str:
        if given.lower() != "auto":
            known = {code.lower(): code for code in ("zh", "zh-Hant", "ja", "ko", "en", "cs", "ru")}
            return known.get(given.lower(), given)
        paths = [self.files.references, *self.files.predictions]
        for path in paths:
            if path and (code := language_of_name(path)):
                self.session.say(f"Language: {code}, from the name of {path.name}")
                return code
        from gistmeter import languages

        told = references.by_idiom.values() if references else ()
        texts = [text for own in told for text in own][:500]
        texts = texts or [
            text
            for row in predictions[:500]
            for text in splitting.split([row.references, row.text])
        ]
        found = languages.detect(texts)
        self.session.say(
            f"Language: {found.code}, from the texts (confidence {found.confidence:.2f}). "
            "Set it with --language"
        )
        return found.code

    def _load(self, roles: Sequence[str], code: str) -> Models:
        from gistmeter.models.loading import load_models

        return load_models(
            roles,
            profile=self.profile,
            names={role: name for role, name in self.names.items() if name},
            language=code,
            settings=self.model_settings,
            cache=self.session.cache,
            profiles=configured_profiles(self.session.options.config),
            progress=self.session.progress,
        )

    def _tell_absent(self, models: Models, names: Sequence[str]) -> None:
        """A component without its model: an error if strict, else a line that says what to do."""
        if "s_acc" not in names:
            return
        absent = [role for role in models.absent if role != "nli"]
        for role in absent:
            if self.strict:
                raise InputError(f"S_Acc would be partial: {models.absent[role]}")
            self.session.say(
                f"S_Acc is partial, its weights rescaled without {role.replace('_', '-')}: "
                f"{models.absent[role]}"
            )

    def _tell_matches(self, matched: Matched) -> None:
        say = self.session.say
        systems = list(dict.fromkeys(pair.system for pair in matched.pairs))
        arrangements = list(dict.fromkeys(pair.arrangement for pair in matched.pairs))
        say(f"Systems: {_shortened(systems)}")
        if arrangements != [""]:
            say(f"Arrangements: {_shortened(name or 'unnamed' for name in arrangements)}")
        say(f"{matched.matched} of {len(matched.pairs)} predictions have references")
        for idioms, what in (
            (matched.without_reference, "predicted idioms have no reference"),
            (matched.without_prediction, "idioms of the references were not predicted"),
        ):
            if idioms:
                say(f"{len(idioms)} {what}: {_shortened(idioms)}")

    def _tell_notes(self, run: Run) -> None:
        for system, counts in run.notes.get("readings", {}).items():
            listed = ", ".join(f"{count} {reading}" for reading, count in counts.items())
            self.session.say(f"{system}: {listed}")
        if cut := run.notes.get("truncated"):
            self.session.warn(
                f"{cut} items are longer than a model could see; the rest was not read"
            )

    def _write_logic_results(self, runs: Sequence[Run]) -> None:
        """`s_log_results.csv` over models, beside the tables that were asked for."""
        from gistmeter.files import write_atomically
        from gistmeter.report.tables import delimited
        from gistmeter.report.text_sheets import logic_results

        sheet = logic_results(runs[-1]) if runs else None
        tables = [path for path in self.session.files if path.suffix.lower() in (".csv", ".xlsx")]
        if sheet and tables:
            target = tables[0].with_name("s_log_results.csv")
            write_atomically(target, delimited(sheet, ","))
            self.session.say(f"Wrote {target}")


def _shortened(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:SHOWN]) + (" …" if len(listed) > SHOWN else "")


def language_of_name(path: Path) -> str:
    """The language that a file's name says, or nothing."""
    name = path.stem.lower().replace(" ", "_")
    return next((code for part, code in NAMED_LANGUAGES.items() if part in name), "")
