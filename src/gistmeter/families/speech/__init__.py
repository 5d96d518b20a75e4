"""Speech: how much of what was said does a transcript still tell?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gistmeter.errors import InputError, MissingDependency, MissingModel
from gistmeter.families import gist
from gistmeter.families.family import Context, Family, Items, Task, roles_of
from gistmeter.families.speech.settings import SpeechSettings
from gistmeter.settings import Settings
from gistmeter.types import Clip, Metric, Sheet

if TYPE_CHECKING:
    from gistmeter.families.speech.judge import CostEstimate, Judge
    from gistmeter.families.speech.recognition import Journal
    from gistmeter.metrics.transcription import Normalisation
    from gistmeter.models.loading import Models
    from gistmeter.pages import PairView
    from gistmeter.rows import Rows
    from gistmeter.run import Run

__all__ = ["Speech", "SpeechSettings"]
SOURCES = (
    "Give one of: a table; --expected FILE with --got FILE; --assets FOLDER with --recognizers "
    "NAME,… or with --got FILE"
)
MOST_FILES = 200  # that a run reports one by one, beside the whole


@dataclass(frozen=True)
class Ready:
    """What is settled before anything is heard or scored, and then where the transcripts are."""

    metrics: Mapping[str, Metric]
    normalisations: Mapping[str, Normalisation]
    judge: Judge | None
    journal: Journal | None = None


LONGEST = 2000  # letters of a text that the judge reads without being asked


class Speech(Family[SpeechSettings, Clip]):
    """Word, character and semantic error rates of transcripts; recognisers side by side."""

    name = "speech"
    noun = "clip"
    summary = "Transcripts against what was said; recognisers side by side."
    description = (
        "Scores word, character and semantic error rates, in percent. Transcripts come from a"
        " table, from files, or from recognisers that are run on sound. A clip without a transcript"
        " is unscored; an empty transcript is 100% wrong."
    )
    examples = (
        "gistmeter speech --expected said.txt --got heard.txt --got other.txt",
        "gistmeter speech --assets clips --recognizers moonshine,pocketsphinx -o scores.xlsx",
    )
    Settings: ClassVar[type[Settings]] = SpeechSettings
    headline = ("wer", "gist", "cer", "sem_dist", "ser")
    shows = "gistmeter.families.speech.blocks:VIEW"
    makers: ClassVar[Mapping[str, str]] = {
        "transcription": "gistmeter.metrics.transcription:ErrorRates",
        "gist": "gistmeter.metrics.gist:Gist",
        "alarms": "gistmeter.metrics.alarms:TranscriptAlarms",
        "sem_dist": "gistmeter.metrics.distance:SemanticDistance",
        "facts": "gistmeter.metrics.facts:SemanticErrorRate",
        "keywords": "gistmeter.metrics.keywords:KeywordScores",
    }
    chunk = 256

    def read(self, settings: SpeechSettings, context: Context) -> Items[Clip]:
        """The clips of the one source that was named."""
        from gistmeter.formats import transcripts

        table, expected, got, assets = (
            settings.table, settings.expected, settings.got, settings.assets,
        )  # fmt: skip
        heard = bool(got) + bool(settings.recognizers)
        if bool(table) + bool(expected or assets or heard) != 1 or heard > 1:
            raise InputError(SOURCES)
        if table:
            found = transcripts.read_clip_table(table, settings.column, settings.systems)
            files = [table]
        elif not (expected or assets):
            given = "--got" if got else "--recognizers"
            raise InputError(f"What was said is missing beside {given}. {SOURCES}")
        elif not heard:
            given = "--expected" if expected else "--assets"
            raise InputError(f"What was heard is missing beside {given}. {SOURCES}")
        elif settings.recognizers:
            if not assets:
                raise InputError("--assets and --recognizers belong together")
            found, files = transcripts.read_assets(assets), [assets]
        elif assets and expected:
            raise InputError("--assets has the expected texts already; leave --expected out")
        elif assets:
            found, files = transcripts.pair_assets(assets, got), [assets, *got]
        else:
            assert expected is not None
            found = transcripts.pair_files(expected, got, settings.reading)
            files = [expected, *got]
        for remark in found.remarks:
            context.say(remark)
        return Items(found.clips, files=files, held=[(files[0].name,)] * len(found.clips))

    def prepare(self, read: Items[Clip], settings: SpeechSettings, context: Context) -> Items[Clip]:
        """Every clip with its language and its group, through the recognisers where they run."""
        read = _with_languages(read, settings, context)
        if not settings.recognizers:
            return replace(read, items=grouped_by_file(read.items), held=None)
        from gistmeter.families.speech.recognition import hear

        # Whatever is wrong with the scores must not be found after a benchmark that costs money.
        ready = self._ready(read.items, settings, context)
        heard = hear(read.items, settings, context)
        # The transcripts are what is resumed; their scores are computed anew.
        return replace(
            read,
            items=grouped_by_file(heard.clips),
            anew=True,
            interrupted=heard.interrupted,
            held=replace(ready, journal=heard.journal),
        )

    def build(
        self, read: Items[Clip], settings: SpeechSettings, context: Context
    ) -> dict[str, Metric]:
        from gistmeter.families.speech.judge import limit_cost

        ready = read.held or self._ready(read.items, settings, context)
        if ready.judge is not None:
            limit_cost(ready.judge, read.items, ready.normalisations, settings, context)
        if not ready.metrics:
            left = [remark for remark in context.remarks if "is left out" in remark]
            raise InputError(" ".join(["There is nothing to compute.", *left]))
        return dict(ready.metrics)

    def _ready(self, clips: Sequence[Clip], settings: SpeechSettings, context: Context) -> Ready:
        """The metrics asked for, ours in their order; one without its model is left out."""
        from gistmeter.families.speech.choices import (
            further_metrics,
            is_segmented,
            normalisations_of,
        )
        from gistmeter.families.speech.judge import judge_of
        from gistmeter.metrics.by_language import by_language

        chosen = self.makers_of(settings.metrics) if settings.metrics else list(self.makers)
        if settings.metrics and "keywords" in chosen and not settings.keywords:
            raise InputError("Scores of keywords need the keywords: --keywords FILE, one per line")
        if settings.keywords and "keywords" not in chosen:
            chosen.append("keywords")
        names = sorted(chosen, key=[*self.makers, *chosen].index)
        if not settings.metrics and not _gist_by_default(clips, settings, context):
            names.remove(gist.SCORE)
        normalisations = normalisations_of(clips, settings)
        further = further_metrics(clips, settings)
        judge = judge_of(settings, context) if "facts" in names else None
        models = self._models(names, list(normalisations), settings, context)
        segmented = is_segmented(clips, normalisations, settings, context)
        made = {
            code: self._metrics(
                names,
                normalisation,
                settings,
                models=models.get(code),
                judge=judge,
                segmented=segmented,
            )
            for code, normalisation in normalisations.items()
        }
        shared = {
            name: by_language({code: own[name] for code, own in made.items()})
            for name in next(iter(made.values()))
        }
        if gist.SCORE in names:
            codes, first = list(normalisations), next(iter(models.values()), None)
            shared[gist.SCORE] = gist.build("speech", codes, context, first)
        return Ready({**shared, **further}, normalisations, judge)

    def _models(
        self, names: Sequence[str], codes: Sequence[str], settings: SpeechSettings, context: Context
    ) -> dict[str, Models]:
        """The token encoder and what plug-ins ask; without one the distance is left out."""
        from gistmeter.families.models import load_by_language

        roles = ["matcher"] if "sem_dist" in names else []
        roles += [role for name in names if name not in self.makers for role in roles_of(name)]
        try:
            return load_by_language(
                list(dict.fromkeys(roles)), codes, settings, context,
                names={"matcher": settings.token_encoder}, layer=settings.layer,
            )  # fmt: skip
        except (MissingDependency, MissingModel) as error:
            if settings.metrics or settings.token_encoder:
                raise
            context.warn(f"The semantic distance (sem_dist) is left out. {error}")
            return {}

    def _metrics(
        self,
        names: Sequence[str],
        normalisation: Normalisation,
        settings: SpeechSettings,
        *,
        models: Models | None,
        judge: Judge | None,
        segmented: bool,
    ) -> dict[str, Metric]:
        from gistmeter.families.speech.choices import keywords_of, rates_of
        from gistmeter.metrics.alarms import TranscriptAlarms, guards_of
        from gistmeter.metrics.distance import SemanticDistance
        from gistmeter.metrics.facts import SemanticErrorRate
        from gistmeter.metrics.keywords import KeywordScores
        from gistmeter.metrics.transcription import ErrorRates

        matcher = models.matcher if models else None
        if "sem_dist" in names and settings.metrics and models and matcher is None:
            raise InputError(f"sem_dist: {models.absent.get('matcher', 'no token encoder')}")
        made: dict[str, Metric] = {}
        for name in names:
            if name == "transcription":
                made[name] = ErrorRates(normalisation, rates_of(settings.metrics), segmented)
            elif name == "alarms":
                code = normalisation.language.code
                made[name] = TranscriptAlarms(normalisation, guards_of([code])[code], segmented)
            elif name == "sem_dist" and matcher is not None:
                made[name] = SemanticDistance(matcher, normalisation, segmented)
            elif name == "keywords" and settings.keywords:
                made[name] = KeywordScores(normalisation, keywords_of(settings))
            elif name == "facts" and judge is not None:
                made[name] = SemanticErrorRate(
                    judge.llm, normalisation, settings.repeats, settings.verify, segmented,
                    settings.occurrence,
                )  # fmt: skip
            elif name not in self.makers and models is not None:
                made[name] = self.plugin(name, models)
        return made

    def base(self, items: Sequence[Clip]) -> Rows:
        from gistmeter.rows import Rows

        return Rows.of(items).with_texts(
            {
                "file": [clip.id for clip in items],
                "expected": [clip.expected for clip in items],
                "got": [clip.got for clip in items],
                "audio": [clip.audio for clip in items],
                "language": [clip.language for clip in items],
            }
        )

    def notes(self, rows: Rows, task: Task[SpeechSettings, Clip]) -> Mapping[str, Any]:
        """Edits and lost words of each system, and what a language model was asked."""
        from gistmeter.families.speech.clips import edit_totals, lost_words

        kept: dict[str, Any] = {"edits": edit_totals(rows), "lost_words": lost_words(rows)}
        if "facts" in task.metrics:
            kept["short_texts"] = int(rows.sum("ser_short"))
            kept["verdict_flips"] = int(rows.sum("verdict_flips"))
            kept["unsupported_facts"] = int(
                rows.sum("facts_corrected") + rows.sum("facts_unsupported")
            )
            kept["untold_texts"] = int((rows.values("facts_untold") > 0).sum())
            kept["disputed_facts"] = int(rows.sum("facts_disputed"))
            kept |= {"variance": found} if (found := judged_apart(rows)) else {}
            facts: Any = task.metrics["facts"]
            usage = getattr(getattr(facts, "first", facts).llm, "usage", None)
            kept |= {"usage": asdict(usage)} if usage is not None else {}
        if task.read.interrupted:
            kept["interrupted"] = task.read.interrupted
        return kept

    def documents(self, read: Items[Clip]) -> Mapping[str, Any]:
        """What recognisers heard, where no folder keeps it yet: `Run.save` does."""
        journal = read.held.journal if isinstance(read.held, Ready) else None
        return journal.document() if journal is not None else {}

    def finish(self, run: Run, task: Task[SpeechSettings, Clip], context: Context) -> None:
        from gistmeter.families.speech.pages import MOST_PAGES

        _tell_unsupported(run, task.settings, context)
        _tell_variance(run, context)
        if run.path is None:
            return
        shown = sum(clip.got is not None for clip in task.read.items)
        if task.settings.diffs and shown > MOST_PAGES:
            context.say(f"HTML diffs: the {MOST_PAGES:,} pairs with the most errors")
        if task.read.held is not None:
            task.read.held.journal.move_into(run.path, unfinished=task.read.interrupted)

    def sheets(self, run: Run) -> list[Sheet]:
        from gistmeter.families.speech.pages import sheets

        return sheets(run)

    def pages(self, run: Run) -> Iterable[tuple[str, PairView]]:
        from gistmeter.families.speech.pages import pages

        return pages(run)

    def estimate(self, settings: SpeechSettings, context: Context) -> str:
        """What the semantic error rate would cost; nothing is run."""
        return str(self.cost(self.read(settings, context), settings, context))

    def cost(self, read: Items[Clip], settings: SpeechSettings, context: Context) -> CostEstimate:
        """The same as numbers, of clips from anywhere."""
        from gistmeter.families.speech.choices import normalisations_of
        from gistmeter.families.speech.judge import judge_of

        read = _with_languages(read, settings, context)
        judge = judge_of(settings, context)
        if judge is None:
            raise InputError(
                "Nothing can be estimated: there is no language model. Set GEMINI_API_KEY or name "
                "one by --llm"
            )
        clips = read.items
        if settings.recognizers:  # not heard yet: a transcript is about as long as what was said
            clips = [
                replace(clip, got=clip.expected, recognizer=name)
                for name in settings.recognizers
                for clip in clips
            ]
        return judge.total(
            clips, normalisations_of(clips, settings), settings.repeats, settings.verify
        )


def judged_apart(rows: Rows) -> dict[str, Any]:
    """Each system's variance of ser, the judge's apart; empty where nothing was asked twice."""
    import numpy as np

    from gistmeter.statistics.components import variance_components

    found: dict[str, Any] = {}
    systems = np.asarray(rows.keys["system"])
    for system in dict.fromkeys(rows.keys["system"]):
        own = [rows.values(name)[systems == system]
               for name in ("ser_mean", "ser_variance", "ser_answers")]  # fmt: skip
        components = variance_components(*own)
        if components is not None:
            found[system] = components.to_dict()
    return found


def _tell_variance(run: Run, context: Context) -> None:
    for system, one in run.notes.get("variance", {}).items():
        context.say(
            f"{system}: {one['judge_share']:.0%} of the variance of ser between answers is the"
            f" judge's; standard error by clips {one['error_of_items']:.2f}, by the judge"
            f" {one['error_of_judge']:.2f} points"
        )


def _tell_unsupported(run: Run, settings: SpeechSettings, context: Context) -> None:
    """An invention, or a model that obeyed a transcript, must not change a score unseen."""
    if count := run.notes.get("unsupported_facts"):
        what = "overridden" if settings.occurrence == "strict" else "scored all the same"
        hint = "" if settings.occurrence == "strict" else "; --occurrence strict overrides them"
        context.warn(
            f"unsupported facts: {count} verdicts of the language model are not borne out by the"
            f" words of the texts and were {what}{hint}. See the column facts_unsupported"
        )
    if count := run.notes.get("untold_texts"):
        context.warn(
            f"untold losses: of {count} transcripts the language model tells hardly any of the"
            " words that were lost, so their rates may be too low. See the column facts_untold"
        )
    if count := run.notes.get("disputed_facts"):
        context.warn(
            f"disputed facts: {count} are not counted, because the second question saw them"
            " elsewhere. See the column facts_disputed"
        )


def grouped_by_file(clips: Sequence[Clip]) -> list[Clip]:
    """Clips that name no group are reported by file, unless there are too many files to look at."""
    if len({clip.id for clip in clips}) > MOST_FILES:
        return list(clips)
    return [replace(clip, group=clip.group or clip.id) for clip in clips]


def _with_languages(read: Items[Clip], settings: SpeechSettings, context: Context) -> Items[Clip]:
    from gistmeter.families.language import assign_languages

    if not read.items:
        raise InputError("There is nothing to score: no clips were given")
    texts = [(clip.expected,) for clip in read.items]
    found = assign_languages(read, settings.language, texts, context, read.held or ())
    given = (settings.alternatives, settings.keywords)
    files = [Path(one) for one in given if isinstance(one, str | Path) and one]
    return replace(found, files=[*read.files, *files])


def _gist_by_default(clips: Sequence[Clip], settings: SpeechSettings, context: Context) -> bool:
    """Whether the judge is asked without being named: not about recordings of many minutes."""
    if not gist.by_default(settings):
        return False
    longest = max((len(clip.expected) for clip in clips), default=0)
    if longest <= LONGEST:
        return True
    context.say(
        "gist is left out: some texts are too long to be judged quickly. Ask for it with --metrics"
    )
    return False
