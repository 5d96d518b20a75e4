"""Texts: does a prediction mean what its references mean?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from gistmeter.core.errors import InputError
from gistmeter.core.family import Context, Family, Items, Task, roles_of
from gistmeter.core.settings import Settings
from gistmeter.core.types import Metric, Pair, Sheet
from gistmeter.metrics.gist import building as gist
from gistmeter.text.settings import TOKENS_A_TEXT, TextSettings

if TYPE_CHECKING:
    from gistmeter.core.rows import Rows
    from gistmeter.core.run import Run
    from gistmeter.models.loading import Models

__all__ = ["Text", "TextSettings"]
FROM_S_ACC = ("consistency", "robustness", "structure")
SCORE_OF = {"embedder": "sts", "matcher": "bertscore", "cross_encoder": "cross_encoder"}


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
    headline = ("gist", "s_acc", "s_logic")
    makers: ClassVar[Mapping[str, str]] = {
        "gist": "gistmeter.metrics.gist:Gist",
        "s_acc": "gistmeter.text.metrics.accuracy:SemanticAccuracy",
        "s_logic": "gistmeter.text.metrics.logic:LogicalValidity",
        "consistency": "gistmeter.text.metrics.consistency:Consistency",
        "robustness": "gistmeter.text.metrics.consistency:SequenceRobustness",
        "structure": "gistmeter.text.metrics.consistency:StructuralRobustness",
        "s_info": "gistmeter.text.metrics.information:Information",
        "alarms": "gistmeter.metrics.alarms:FactAlarms",
        "recovery": "gistmeter.text.metrics.information:Recovery",
    }
    shows = "gistmeter.text.views:VIEW"
    adds_up = True
    chunk = 512  # pairs that fit in one block of the matcher, so that no text is encoded twice

    def streams(self, settings: TextSettings, context: Context) -> bool:
        from gistmeter.text.streaming import can_stream

        return can_stream(settings, context)

    def read(self, settings: TextSettings, context: Context) -> Items[Pair]:
        from gistmeter.text.read import read_pairs
        from gistmeter.text.streaming import read_streamed

        read = read_streamed if self.streams(settings, context) else read_pairs
        return read(settings, context)

    def prepare(self, read: Items[Pair], settings: TextSettings, context: Context) -> Items[Pair]:
        """Every pair with its language."""
        from gistmeter.core.language import assign_languages

        if hasattr(read.items, "examples"):  # to be read in the language that was given
            return read
        texts = [pair.references or (pair.candidate or "",) for pair in read.items]
        return assign_languages(read, settings.language, texts, context, read.held or ())

    def build(
        self, read: Items[Pair], settings: TextSettings, context: Context
    ) -> dict[str, Metric]:
        from gistmeter.core.models import load_by_language
        from gistmeter.metrics.by_language import by_language
        from gistmeter.text.lists import readers as readers_of
        from gistmeter.text.remembering import guards_of

        wanted = _in_order(self.makers_of(settings.metrics)) if settings.metrics else None
        pairs = getattr(read.items, "examples", read.items)
        codes = list(dict.fromkeys(pair.language for pair in pairs))
        only = self._only(wanted or (), settings)
        loaded = load_by_language(
            _roles(wanted, only, settings),
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
        names = wanted or possible_metrics(pairs, nli=has_nli, judged=gist.by_default(settings))
        readers = readers_of(codes, settings, context)
        _tell_absent(next(iter(loaded.values())), names, only, settings, context)
        guards = guards_of(codes, context.cache, readers)
        built = {
            code: self._metrics(names, loaded[code], readers, guards, settings) for code in codes
        }
        made = {
            name: by_language({code: built[code][name] for code in codes})
            for name in built[codes[0]]
        }
        if gist.SCORE not in names:
            return made
        first = next(iter(loaded.values()))
        return {gist.SCORE: gist.build("text", codes, context, first, guards), **made}

    def _only(self, names: Sequence[str], settings: TextSettings) -> tuple[str, ...]:
        """The scores of S_Acc's own that were asked for; none where all of them are."""
        from gistmeter.text.metrics.accuracy import SemanticAccuracy

        asked = {one.strip().lower().replace("-", "_") for one in settings.metrics}
        if not asked or "s_acc" in asked or any(name in FROM_S_ACC for name in names):
            return ()
        return tuple(info.name for info in SemanticAccuracy.scores if info.name in asked)

    def _metrics(
        self,
        names: Sequence[str],
        models: Models,
        readers: Mapping[str, Any],
        guards: Mapping[str, Any],
        settings: TextSettings,
    ) -> dict[str, Metric]:
        from gistmeter.metrics import alarms
        from gistmeter.text.lists import polarity_rule
        from gistmeter.text.metrics import accuracy, consistency, information, logic, reading

        if "s_logic" in names and models.nli is None:
            raise InputError(
                "S_Logic needs an NLI model, and there is none. "
                + models.absent.get("nli", "Name one with --nli, or use --profile paper")
            )
        absent = settings.missing_prediction
        builders: dict[str, Any] = {
            "s_acc": lambda: accuracy.SemanticAccuracy(
                readers, models.embedder, models.matcher, models.cross_encoder,
                settings.aggregate, accuracy.Weights(*settings.weights), settings.beta_f,
                settings.use_bertscore, settings.cross_encoder_order, polarity_rule(settings),
                absent, settings.sigmoids,
                _baselines(models, list(readers) if settings.rescaling == "baseline" else []),
                self._only(names, settings),
            ),
            "s_logic": lambda: logic.LogicalValidity(
                models.nli,  # type: ignore[arg-type]
                settings.direction, settings.aggregate, settings.average, absent, settings.against,
            ),
            "s_info": lambda: information.Information(
                readers, settings.aggregate, absent, settings.information_unit, settings.against
            ),
            "alarms": lambda: alarms.FactAlarms(guards),
            "consistency": lambda: consistency.Consistency(by=settings.consistency),
            "robustness": lambda: consistency.SequenceRobustness(on=settings.robustness_on),
            "structure": lambda: consistency.StructuralRobustness(
                spread=settings.structure_spread, on=settings.robustness_on
            ),
            "recovery": lambda: information.Recovery(absent),
        }  # fmt: skip
        made: dict[str, Metric] = {}
        for name in (name for name in names if name != gist.SCORE):
            made[name] = builders[name]() if name in builders else self.plugin(name, models)
            if name in FROM_S_ACC:
                missing = getattr(made["s_acc"], "partial", {}).get("s_acc", ())
                made[name] = replace(made[name], missing=missing)  # type: ignore[type-var]
        if "s_acc" in made and "s_logic" in made:
            made["reading"] = reading.Reading(settings.high_accuracy, settings.high_logic)
        return made

    def base(self, items: Sequence[Pair]) -> Rows:
        from gistmeter.core.rows import Rows
        from gistmeter.text.metrics.references import shown

        return Rows.of(items).with_texts(shown(items))

    def count(self, rows: Rows) -> Mapping[str, Any]:
        """Readings, and texts that a model did not see whole."""
        from gistmeter.text.metrics.reading import count_readings

        notes: dict[str, Any] = {}
        if any(rows.texts.get("reading", [])):
            notes["readings"] = count_readings(rows)
        if "unseen" in rows and (cut := int((rows.values("unseen") > 0).sum())):
            notes["truncated"] = cut
        return notes

    def finish(self, run: Run, task: Task[TextSettings, Pair], context: Context) -> None:
        del task
        for system, counts in run.notes.get("readings", {}).items():
            listed = ", ".join(f"{count} {reading}" for reading, count in counts.items())
            context.say(f"{system}: {listed}")
        if cut := run.notes.get("truncated"):
            context.warn(f"{cut} items are longer than a model could see; the rest was not read")

    def sheets(self, run: Run) -> list[Sheet]:
        from gistmeter.text.sheets import sheets

        return sheets(run)

    def companions(self, run: Run) -> Mapping[str, Sheet]:
        from gistmeter.text.sheets import logic_results

        return logic_results(run)


def possible_metrics(pairs: Sequence[Pair], *, nli: bool, judged: bool = False) -> list[str]:
    """Names of the metrics that these pairs have the inputs for."""
    arranged = any(pair.arrangement for pair in pairs)
    inputs = {
        "gist": judged,
        "s_acc": True,
        "s_logic": nli,
        "consistency": arranged,
        "robustness": arranged,
        "structure": any(pair.fields.get("structure") for pair in pairs),
        "s_info": True,
        "alarms": True,
        "recovery": any(pair.fields.get("recovered") for pair in pairs),
    }
    return [name for name, there in inputs.items() if there]


def _in_order(chosen: Sequence[str]) -> list[str]:
    """S_Acc before what is made from it."""
    first = ["s_acc"] if "s_acc" in chosen or any(name in FROM_S_ACC for name in chosen) else []
    return list(dict.fromkeys([*first, *chosen]))


def _roles(chosen: Sequence[str] | None, only: Sequence[str], settings: TextSettings) -> list[str]:
    """The models to look for: only those that the chosen metrics ask."""
    from gistmeter.text.metrics.accuracy import components_of

    own = set(Text.makers)
    further = {role for name in chosen or () if name not in own for role in roles_of(name)}
    accuracy = chosen is None or "s_acc" in chosen
    needed = components_of(only or ["s_acc"] if accuracy else [])
    wanted = {
        "embedder": "sts" in needed,
        "matcher": "bertscore" in needed and settings.use_bertscore,
        "cross_encoder": "cross_encoder" in needed
        and (settings.weights[0] > 0 or "cross_encoder" in only),
        "nli": chosen is None or "s_logic" in chosen,
    }
    return [role for role, needed in wanted.items() if needed or role in further]


def _baselines(models: Models, codes: Sequence[str]) -> Any:
    """The baselines of models that have one."""
    from gistmeter.models.baselines import baseline
    from gistmeter.text.metrics.accuracy import Baselines

    found: dict[str, dict[str, float]] = {}
    for name, model in (("sts", models.embedder), ("bertscore", models.matcher)):
        for code in codes:
            base = baseline(name, model.id, code) if model is not None else None
            if base is not None:
                found.setdefault(name, {})[code] = base
    return Baselines(**found)


def _tell_absent(
    models: Models,
    names: Sequence[str],
    only: Sequence[str],
    settings: TextSettings,
    context: Context,
) -> None:
    """A component without its model: an error if strict, else a line that says what to do.

    A component that was asked for by its own name is an error in any case.
    """
    if "s_acc" not in names:
        return
    for role in (role for role in models.absent if role != "nli"):
        if only and SCORE_OF[role] in only:
            raise InputError(f"'{SCORE_OF[role]}' needs a model: {models.absent[role]}")
        if settings.strict:
            raise InputError(f"S_Acc would be partial: {models.absent[role]}")
        context.say(f"S_Acc is partial, without {role.replace('_', '-')}: {models.absent[role]}")
