"""Speech: how much of what was said does a transcript still tell?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gistmeter.core import registry
from gistmeter.core.errors import InputError
from gistmeter.core.family import Context, Family, Items, Task, summary_sheet
from gistmeter.core.item_columns import assign_languages, kept_texts, restored, shared_by
from gistmeter.core.settings import Settings
from gistmeter.core.types import Clip, Metric, Sheet
from gistmeter.core.views import Row
from gistmeter.languages.guard import Guard
from gistmeter.speech.formats.speakers import SegmentClip
from gistmeter.speech.settings import SpeechSettings

if TYPE_CHECKING:
    from gistmeter.core.comparison import Findings
    from gistmeter.core.pages import PairView
    from gistmeter.core.rows import Rows
    from gistmeter.core.run import Run
    from gistmeter.speech.costs import CostEstimate

__all__ = ["Speech", "SpeechSettings"]
SOURCES = (
    "Give one of: a table; --expected FILE with --got FILE; --assets FOLDER with --recognizers "
    "NAME,… or with --got FILE"
)


class Speech(Family[SpeechSettings, Clip]):
    """Word, character and semantic error rates of transcripts; recognisers side by side."""

    name = "speech"
    noun = "clip"
    summary = "Transcripts against what was said; recognisers side by side."
    description = (
        "Scores word, character and semantic error rates, in percent. Transcripts come from a"
        " table, from files, or from recognisers that are run on sound. A clip whose transcript was"
        " not delivered (a missing row, file or null) is unscored; an empty transcript (cell, line"
        " or file) is a recogniser that heard nothing: 100% wrong, gist 0."
    )
    examples = (
        "gistmeter speech --expected said.txt --got heard.txt --got other.txt",
        "gistmeter speech --assets clips --recognizers moonshine,pocketsphinx -o scores.xlsx",
    )
    Settings: ClassVar[type[Settings]] = SpeechSettings
    headline = ("gist", "wer", "cer", "sem_dist", "ser")
    shows = "gistmeter.speech.views:VIEW"
    beside = ("keywords", "meetings", "latency", "custom_metric")
    roles: ClassVar[Mapping[str, str]] = {"matcher": "token_encoder"}
    chunk = 256

    def read(self, settings: SpeechSettings, context: Context) -> Items[Clip]:
        """The clips of the one source that was named."""
        from gistmeter.speech.formats.pairing import pair_files
        from gistmeter.speech.read import pair_assets, read_assets, read_clip_table

        table, expected, got, assets = (
            settings.table, settings.expected, settings.got, settings.assets,
        )  # fmt: skip
        heard = bool(got) + bool(settings.recognizers)
        if bool(table) + bool(expected or assets or heard) != 1 or heard > 1:
            raise InputError(SOURCES)
        if table:
            source = read_clip_table(table, settings.column, settings.systems)
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
            source, files = read_assets(assets), [assets]
        elif assets and expected:
            raise InputError("--assets has the expected texts already; leave --expected out")
        elif assets:
            source, files = pair_assets(assets, got), [assets, *got]
        else:
            assert expected is not None
            source = pair_files(expected, got, settings.reading)
            files = [expected, *got]
        for remark in source.remarks:
            context.say(remark)
        if set(settings.metrics) != {"der"} and any(
            isinstance(clip, SegmentClip) and clip.meeting and not clip.meeting.words
            for clip in source.clips
        ):
            raise InputError(
                f"{files[0]} or {files[1]} says who spoke when and has no words, so diarisation"
                " errors are all that can be scored: add --metrics der"
            )
        return Items(source.clips, files=files, names=[(files[0].name,)] * len(source.clips))

    def restore(self, run: Run) -> Items[Clip]:
        """What was said and heard, without the sound: latency is not measured again."""
        rows = (Row(run.measured, at) for at in range(len(run.measured)))
        clips = [
            Clip(
                row.key("id"),
                row.text("expected") or "",
                row.text("got"),
                row.key("system"),
                speaker=row.key("cluster") if row.key("cluster") != row.key("id") else "",
                group=row.key("group"),
                **restored(row, run.notes),
            )
            for row in rows
        ]
        return Items(clips, found={"recognizers": ()})

    def expected(self, item: Clip) -> str:
        return item.expected

    def answered(self, item: Clip, answer: str, system: str) -> Clip:
        return replace(item, got=answer, recognizer=system)

    def prepare(self, read: Items[Clip], settings: SpeechSettings, context: Context) -> Items[Clip]:
        """Every clip with its language and its group."""
        from gistmeter.speech.read import grouped_by_file

        if not read.items:
            raise InputError("There is nothing to score: no clips were given")
        texts = [(clip.expected,) for clip in read.items]
        assigned = assign_languages(read, settings.language, texts, context, read.names)
        if not settings.metrics or "alarms" in settings.metrics:
            for code in sorted({clip.language for clip in assigned.items}):
                if not (guard := Guard(code)).reads:
                    context.say(f"alarms are unscored: {guard.why_not}")
        given = (settings.alternatives, settings.keywords)
        files = [Path(value) for value in given if isinstance(value, str | Path) and value]
        items = assigned.items if settings.recognizers else grouped_by_file(assigned.items)
        return replace(assigned, items=items, files=[*read.files, *files])

    def collect(
        self,
        read: Items[Clip],
        metrics: Mapping[str, Metric],
        settings: SpeechSettings,
        context: Context,
    ) -> Items[Clip]:
        """Clips through the recognisers where they run; then the limit of what is spent."""
        if settings.recognizers:
            from gistmeter.speech.recognition import hear

            read = hear(read, settings, context)
        if "facts" in metrics and settings.facts != "embedded":
            from gistmeter.speech.consent import limit_cost
            from gistmeter.speech.costs import FactModel
            from gistmeter.speech.metrics.normalizer import normalisations_of

            model = FactModel(shared_by(metrics["facts"]).llm, settings.occurrence)
            codes = [clip.language for clip in read.items]
            limit_cost(model, read.items, normalisations_of(codes, settings), settings, context)
        return read

    def base(self, items: Sequence[Clip]) -> Rows:
        from gistmeter.core.rows import Rows

        return Rows.of(items).with_texts(
            {
                "file": [clip.id for clip in items],
                "expected": [clip.expected for clip in items],
                "got": [clip.got for clip in items],
                "audio": [clip.audio for clip in items],
                **kept_texts(items),
                "language": [clip.language for clip in items],
            }
        )

    def notes(self, rows: Rows, task: Task[SpeechSettings, Clip]) -> Mapping[str, Any]:
        from gistmeter.speech.clip_results import notes_of

        return notes_of(rows, task)

    def answer(self, run: Run, findings: Findings) -> str:
        said: str = registry.load("gistmeter.speech.standing:speech_answer")(
            run, self.view(), findings
        )
        return said

    def documents(self, read: Items[Clip]) -> Mapping[str, Any]:
        """What recognisers heard, where no folder keeps it yet: `Run.save` does."""
        from gistmeter.speech.recognition import HeardItems

        return read.journal.document() if isinstance(read, HeardItems) else {}

    def finish(self, run: Run, task: Task[SpeechSettings, Clip], context: Context) -> None:
        from gistmeter.speech.clip_results import MOST_PAGES, report_doubts
        from gistmeter.speech.recognition import HeardItems

        report_doubts(run, task.settings, context)
        if run.path is None:
            return
        shown = sum(clip.got is not None for clip in task.read.items)
        if task.settings.diffs and shown > MOST_PAGES:
            context.say(f"HTML diffs: the {MOST_PAGES:,} pairs with the most errors")
        if isinstance(task.read, HeardItems):
            task.read.journal.move_into(run, unfinished=task.read.interrupted)

    def sheets(self, run: Run) -> list[Sheet]:
        from gistmeter.speech.clip_results import results_sheet

        return [results_sheet(run), summary_sheet(run)]

    def pages(self, run: Run) -> Iterable[tuple[str, PairView]]:
        from gistmeter.speech.clip_results import pages

        return pages(run)

    def estimate(
        self, read: Items[Clip], settings: SpeechSettings, context: Context
    ) -> CostEstimate:
        """What the semantic error rate would cost; nothing is run."""
        from gistmeter.speech.consent import fact_model_of, unheard
        from gistmeter.speech.metrics.normalizer import normalisations_of

        if settings.facts == "embedded":
            raise InputError("--facts embedded asks no language model: there is nothing to pay for")
        # Nothing is asked, so no key is needed: this one is never sent.
        stand_in = None if settings.llm_url else "not-needed-for-an-estimate"
        model = fact_model_of(settings, context, api_key=stand_in)
        if model is None:
            raise InputError(
                "Nothing can be estimated: there is no language model. Name one by --llm"
            )
        clips = unheard(read.items, settings)
        normalisations = normalisations_of([clip.language for clip in clips], settings)
        return model.total(clips, normalisations, settings.repeats, settings.verify)
