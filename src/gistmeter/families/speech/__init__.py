"""Speech: how much of what was said does a transcript still tell?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gistmeter.errors import InputError
from gistmeter.families.family import Context, Family, Items, Task
from gistmeter.families.speech.settings import SpeechSettings
from gistmeter.settings import Settings
from gistmeter.types import Clip, Metric, Sheet

if TYPE_CHECKING:
    from gistmeter.families.speech.judge import CostEstimate
    from gistmeter.pages import PairView
    from gistmeter.rows import Rows
    from gistmeter.run import Run

__all__ = ["Speech", "SpeechSettings"]
SOURCES = (
    "Give one of: a table; --expected FILE with --got FILE; --assets FOLDER with --recognizers "
    "NAME,… or with --got FILE"
)
MOST_FILES = 200  # that a run reports one by one, beside the whole


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
        from gistmeter.families.speech.metrics import ready_of
        from gistmeter.families.speech.recognition import hear

        # Whatever is wrong with the scores must not be found after a benchmark that costs money.
        ready = ready_of(self, read.items, settings, context)
        heard = hear(read.items, settings, context)
        # The transcripts are what is resumed; their scores are computed again.
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
        from gistmeter.families.speech.metrics import ready_of

        ready = read.held or ready_of(self, read.items, settings, context)
        if ready.judge is not None:
            limit_cost(ready.judge, read.items, ready.normalisations, settings, context)
        if not ready.metrics:
            left = [remark for remark in context.remarks if "is left out" in remark]
            raise InputError(" ".join(["There is nothing to compute.", *left]))
        return dict(ready.metrics)

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
        from gistmeter.families.speech.notes import notes_of

        return notes_of(rows, task)

    def documents(self, read: Items[Clip]) -> Mapping[str, Any]:
        """What recognisers heard, where no folder keeps it yet: `Run.save` does."""
        from gistmeter.families.speech.metrics import Ready

        journal = read.held.journal if isinstance(read.held, Ready) else None
        return journal.document() if journal is not None else {}

    def finish(self, run: Run, task: Task[SpeechSettings, Clip], context: Context) -> None:
        from gistmeter.families.speech.notes import tell_unsupported, tell_variance
        from gistmeter.families.speech.pages import MOST_PAGES

        tell_unsupported(run, task.settings, context)
        tell_variance(run, context)
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
        from gistmeter.families.speech.asking import unheard
        from gistmeter.families.speech.choices import normalisations_of
        from gistmeter.families.speech.judge import judge_of

        read = _with_languages(read, settings, context)
        judge = judge_of(settings, context)
        if judge is None:
            raise InputError(
                "Nothing can be estimated: there is no language model. Set GEMINI_API_KEY or name "
                "one by --llm"
            )
        clips = unheard(read.items, settings)
        return judge.total(
            clips, normalisations_of(clips, settings), settings.repeats, settings.verify
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
