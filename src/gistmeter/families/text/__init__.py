"""Texts: does a prediction mean what its references mean?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from gistmeter.errors import InputError
from gistmeter.families.family import Context, Family, Items, Task, roles_of
from gistmeter.families.text.settings import TOKENS_A_TEXT, TextSettings
from gistmeter.settings import Settings
from gistmeter.types import Metric, Pair, Sheet

if TYPE_CHECKING:
    from gistmeter.formats.predictions import Matched, Prediction
    from gistmeter.formats.references import References
    from gistmeter.models.loading import Models
    from gistmeter.rows import Rows
    from gistmeter.run import Run

__all__ = ["Text", "TextSettings"]
SHOWN = 6  # names that are listed; all unmatched idioms are in the run's notes
FROM_S_ACC = ("consistency", "robustness", "structure")


class Text(Family[TextSettings, Pair]):
    """S_Acc, S_Logic, and the measures of consistency and robustness around them."""

    name = "text"
    noun = "text"
    summary = "Texts against references: do they mean the same?"
    description = (
        "Scores S_Acc, S_Logic, consistency and robustness. Rows are matched by idiom. A prediction"
        " or reference that is missing leaves its item unscored."
    )
    examples = (
        "gistmeter text model_a.csv model_b.csv --references explanations.csv",
        "gistmeter text answers.xlsx --language ko --metrics s_acc -o scores.xlsx",
    )
    Settings: ClassVar[type[Settings]] = TextSettings
    headline = ("s_acc", "s_logic")
    makers: ClassVar[Mapping[str, str]] = {
        "s_acc": "gistmeter.metrics.accuracy:SemanticAccuracy",
        "s_logic": "gistmeter.metrics.logic:LogicalValidity",
        "consistency": "gistmeter.metrics.consistency:Consistency",
        "robustness": "gistmeter.metrics.consistency:SequenceRobustness",
        "structure": "gistmeter.metrics.consistency:StructuralRobustness",
        "s_info": "gistmeter.metrics.information:Information",
        "recovery": "gistmeter.metrics.information:Recovery",
    }
    shows = "gistmeter.families.text.blocks:VIEW"
    chunk = 512  # pairs that fit in one block of the matcher, so that no text is encoded twice

    def read(self, settings: TextSettings, context: Context) -> Items[Pair]:
        from gistmeter.formats import predictions as tables
        from gistmeter.formats import references as explained

        if not settings.predictions:
            raise InputError(
                "No predictions were given: name a file or folder, or set MODEL_FILE. "
                "See gistmeter text --help"
            )
        splitting = explained.Splitting(settings.reference_separators)
        rows = tables.read_predictions(settings.predictions, columns=settings.column)
        systems = list(dict.fromkeys(row.system for row in rows))
        for path in settings.original:
            rows += tables.read_original(path, systems, columns=settings.column)
        tables.refuse_repetitions(rows)
        references = (
            explained.read_references(
                settings.references, splitting=splitting, columns=settings.column
            )
            if settings.references
            else None
        )
        classes = (
            explained.read_by_idiom(settings.structure, "structure", explained.STRUCTURE)
            if settings.structure
            else {}
        )
        matched = tables.match(rows, references, splitting=splitting, structures=classes)
        _tell_guesses(rows, references, settings, context)
        _tell_matches(matched, context)
        explained_in = (settings.references.name,) if settings.references else ()
        names = [(row.path.name, *explained_in) for row in rows]
        single = [settings.references, settings.structure, settings.polarity_overrides]
        separators = settings.reference_separators
        return Items(
            matched.pairs,
            files=[
                *tables.files_of([*settings.predictions, *settings.original]),
                *(path for path in single if path),
            ],
            signed={} if separators == explained.DEFAULT_SEPARATORS else {"separators": separators},
            notes={
                "unmatched": {
                    "predicted without reference": matched.without_reference,
                    "references without prediction": matched.without_prediction,
                }
            },
            held=names,
        )

    def prepare(self, read: Items[Pair], settings: TextSettings, context: Context) -> Items[Pair]:
        """Every pair with its language."""
        from gistmeter.families.language import assign_languages

        texts = [pair.references or (pair.candidate or "",) for pair in read.items]
        return assign_languages(read, settings.language, texts, context, read.held or ())

    def build(
        self, read: Items[Pair], settings: TextSettings, context: Context
    ) -> dict[str, Metric]:
        from gistmeter.families.models import load_by_language
        from gistmeter.metrics.by_language import by_language

        wanted = _in_order(self.makers_of(settings.metrics)) if settings.metrics else None
        codes = list(dict.fromkeys(pair.language for pair in read.items))
        loaded = load_by_language(
            _roles(wanted, settings),
            codes,
            settings,
            context,
            names={
                "embedder": settings.embedder,
                "matcher": settings.token_encoder,
                "cross_encoder": settings.cross_encoder,
                "nli": settings.nli,
            },
            batch_size=settings.batch_size or settings.batch_size_emb * TOKENS_A_TEXT,
            layer=settings.layer,
        )
        has_nli = all(models.nli is not None for models in loaded.values())
        names = wanted or possible_metrics(read.items, nli=has_nli)
        readers = _readers(codes, settings, context)
        _tell_absent(next(iter(loaded.values())), names, settings, context)
        built = {code: self._metrics(names, loaded[code], readers, settings) for code in codes}
        return {
            name: by_language({code: built[code][name] for code in codes})
            for name in built[codes[0]]
        }

    def _metrics(
        self,
        names: Sequence[str],
        models: Models,
        readers: Mapping[str, Any],
        settings: TextSettings,
    ) -> dict[str, Metric]:
        from gistmeter.metrics import accuracy, consistency, information, logic, reading

        if "s_logic" in names and models.nli is None:
            raise InputError(
                "S_Logic needs an NLI model, and there is none. "
                + models.absent.get("nli", "Name one with --nli, or use --profile paper")
            )
        builders: dict[str, Any] = {
            "s_acc": lambda: accuracy.SemanticAccuracy(
                readers, models.embedder, models.matcher, models.cross_encoder,
                settings.aggregate, accuracy.Weights(*settings.weights), settings.beta_f,
                settings.use_bertscore, settings.cross_encoder_order, _polarity(settings),
                _baselines(models, list(readers)),
            ),
            "s_logic": lambda: logic.LogicalValidity(
                models.nli, settings.direction, settings.aggregate, settings.average  # type: ignore[arg-type]
            ),
            "s_info": lambda: information.Information(readers, settings.aggregate),
            "consistency": consistency.Consistency,
            "robustness": consistency.SequenceRobustness,
            "structure": consistency.StructuralRobustness,
            "recovery": information.Recovery,
        }  # fmt: skip
        made: dict[str, Metric] = {}
        for name in names:
            made[name] = builders[name]() if name in builders else self.plugin(name, models)
            if name in FROM_S_ACC:
                missing = getattr(made["s_acc"], "partial", {}).get("s_acc", ())
                made[name] = replace(made[name], missing=missing)  # type: ignore[type-var]
        if "s_acc" in made and "s_logic" in made:
            made["reading"] = reading.Reading(settings.high_accuracy, settings.high_logic)
        return made

    def base(self, items: Sequence[Pair]) -> Rows:
        from gistmeter.metrics.references import shown
        from gistmeter.rows import Rows

        return Rows.of(items).with_texts(shown(items))

    def notes(self, rows: Rows, task: Task[TextSettings, Pair]) -> Mapping[str, Any]:
        """Readings, and texts that a model did not see whole."""
        from gistmeter.metrics.reading import count_readings

        notes: dict[str, Any] = {}
        if any(rows.texts.get("reading", [])):
            notes["readings"] = count_readings(rows)
        if "unseen" in rows and (cut := int((rows.values("unseen") > 0).sum())):
            notes["truncated"] = cut
        return {**notes, **task.read.notes}

    def finish(self, run: Run, task: Task[TextSettings, Pair], context: Context) -> None:
        del task
        for system, counts in run.notes.get("readings", {}).items():
            listed = ", ".join(f"{count} {reading}" for reading, count in counts.items())
            context.say(f"{system}: {listed}")
        if cut := run.notes.get("truncated"):
            context.warn(f"{cut} items are longer than a model could see; the rest was not read")

    def sheets(self, run: Run) -> list[Sheet]:
        from gistmeter.families.text.sheets import sheets

        return sheets(run)

    def companions(self, run: Run) -> Mapping[str, Sheet]:
        from gistmeter.families.text.sheets import logic_results

        sheet = logic_results(run)
        return {"s_log_results.csv": sheet} if sheet else {}


def possible_metrics(pairs: Sequence[Pair], *, nli: bool) -> list[str]:
    """Names of the metrics that these pairs have the inputs for."""
    arranged = any(pair.arrangement for pair in pairs)
    inputs = {
        "s_acc": True,
        "s_logic": nli,
        "consistency": arranged,
        "robustness": arranged,
        "structure": any(pair.fields.get("structure") for pair in pairs),
        "s_info": True,
        "recovery": any(pair.fields.get("recovered") for pair in pairs),
    }
    return [name for name, there in inputs.items() if there]


def _in_order(chosen: Sequence[str]) -> list[str]:
    """S_Acc before what is made from it."""
    first = ["s_acc"] if "s_acc" in chosen or any(name in FROM_S_ACC for name in chosen) else []
    return list(dict.fromkeys([*first, *chosen]))


def _roles(chosen: Sequence[str] | None, settings: TextSettings) -> list[str]:
    """The models to look for: only those that the chosen metrics ask."""
    own = set(Text.makers)
    further = {role for name in chosen or () if name not in own for role in roles_of(name)}
    accuracy = chosen is None or "s_acc" in chosen
    wanted = {
        "embedder": accuracy,
        "matcher": accuracy and settings.use_bertscore,
        "cross_encoder": accuracy and settings.weights[0] > 0,
        "nli": chosen is None or "s_logic" in chosen,
    }
    return [role for role, needed in wanted.items() if needed or role in further]


def _readers(codes: Sequence[str], settings: TextSettings, context: Context) -> dict[str, Any]:
    """All languages of the run, each remembering in the cache what it read."""
    from gistmeter import languages
    from gistmeter.families.text.remembering import RememberingLanguage

    readers = {
        code: RememberingLanguage(languages.get(code, settings.tokenizer), context.cache)
        for code in codes
    }
    for reader in readers.values():
        reader.require()
    return readers


def _baselines(models: Models, codes: Sequence[str]) -> Any:
    """The baselines of models that have one."""
    from gistmeter.metrics.accuracy import Baselines
    from gistmeter.models.baselines import baseline

    found: dict[str, dict[str, float]] = {}
    for name, model in (("sts", models.embedder), ("bertscore", models.matcher)):
        for code in codes if model is not None else ():
            base = baseline(name, model.id, code)
            if base is not None:
                found.setdefault(name, {})[code] = base
    return Baselines(**found)


def _polarity(settings: TextSettings) -> Any:
    from gistmeter.formats.references import POLARITY, read_by_idiom
    from gistmeter.metrics.polarity import PolarityRule, parse_sign

    overrides: dict[str, int] = {}
    if settings.polarity_overrides:
        given = read_by_idiom(settings.polarity_overrides, "polarity", POLARITY)
        try:
            overrides = {idiom: parse_sign(sign) for idiom, sign in given.items()}
        except InputError as error:
            raise InputError(f"{settings.polarity_overrides}: {error}") from error
    return PolarityRule(
        settings.polarity_penalty, settings.polarity_mode, settings.polarity_ratio, overrides
    )


def _tell_absent(
    models: Models, names: Sequence[str], settings: TextSettings, context: Context
) -> None:
    """A component without its model: an error if strict, else a line that says what to do."""
    if "s_acc" not in names:
        return
    for role in (role for role in models.absent if role != "nli"):
        if settings.strict:
            raise InputError(f"S_Acc would be partial: {models.absent[role]}")
        context.say(f"S_Acc is partial, without {role.replace('_', '-')}: {models.absent[role]}")


def _tell_guesses(
    rows: Sequence[Prediction],
    references: References | None,
    settings: TextSettings,
    context: Context,
) -> None:
    guesses = {row.path: row.guessed for row in rows if row.guessed}
    if references and references.guessed and settings.references:
        guesses[settings.references] = references.guessed
    for path, encoding in guesses.items():
        context.say(f"{path}: read as {encoding}, which is a guess. Save it as UTF-8")


def _tell_matches(matched: Matched, context: Context) -> None:
    systems = list(dict.fromkeys(pair.system for pair in matched.pairs))
    arrangements = list(dict.fromkeys(pair.arrangement for pair in matched.pairs))
    context.say(f"Systems: {_shortened(systems)}")
    if arrangements != [""]:
        context.say(f"Arrangements: {_shortened(name or 'unnamed' for name in arrangements)}")
    context.say(f"{matched.matched} of {len(matched.pairs)} predictions have references")
    for idioms, what in (
        (matched.without_reference, "predicted idioms have no reference"),
        (matched.without_prediction, "idioms of the references were not predicted"),
    ):
        if idioms:
            context.say(f"{len(idioms)} {what}: {_shortened(idioms)}")


def _shortened(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:SHOWN]) + (" …" if len(listed) > SHOWN else "")
