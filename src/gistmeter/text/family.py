"""Texts: does a prediction mean what its references mean?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from gistmeter.core.family import Context, Family, Items, Task
from gistmeter.core.item_columns import assign_languages
from gistmeter.core.settings import Settings
from gistmeter.core.types import Pair, Sheet
from gistmeter.text.settings import TOKENS_A_TEXT, TextSettings
from gistmeter.text.unwrapping import VERSION, unwrapped

if TYPE_CHECKING:
    from gistmeter.core.rows import Rows
    from gistmeter.core.run import Run
    from gistmeter.core.wiring import Wiring
    from gistmeter.models.settings import BackEndSettings

__all__ = ["Text", "TextSettings"]
UNKNOWN = ("", "auto")  # languages
HELD_BYTES = 32 << 20  # of tables in one process, from which their pairs are made when needed


class Text(Family[TextSettings, Pair]):
    """S_Acc, S_Logic, and the measures of consistency and robustness around them."""

    name = "text"
    noun = "text"
    summary = "Texts against references: do they mean the same?"
    description = (
        "Scores S_Acc, S_Logic, consistency and robustness. Rows are matched by id. A prediction"
        " or reference that is missing leaves its item unscored."
    )
    examples = (
        "gistmeter text model_a.csv model_b.csv --references explanations.csv",
        "gistmeter text answers.xlsx --language ko --metrics s_acc -o scores.xlsx",
    )
    Settings: ClassVar[type[Settings]] = TextSettings
    headline = ("gist", "s_acc", "s_logic")
    roles: ClassVar[Mapping[str, str]] = {
        "embedder": "embedder",
        "matcher": "token_encoder",
        "cross_encoder": "cross_encoder",
        "nli": "nli",
    }
    shows = "gistmeter.text.views:VIEW"
    adds_up = True
    chunk = 512  # pairs that fit in one block of the matcher, so that no text is encoded twice

    def streams(self, settings: TextSettings, context: Context) -> bool:
        engine, files = context.engine, settings.predictions
        if engine is None or not files or settings.language.lower() in UNKNOWN:
            return False
        local = not engine.apart and all(path.is_file() for path in files)
        if local and sum(path.stat().st_size for path in files) <= HELD_BYTES:
            return False
        from gistmeter.text.streaming import can_stream

        return can_stream(settings, engine)

    def read(self, settings: TextSettings, context: Context) -> Items[Pair]:
        if self.streams(settings, context):
            from gistmeter.text.streaming import read_streamed

            return read_streamed(settings, context)
        from gistmeter.text.read import read_pairs

        return read_pairs(settings, context)

    def prepare(self, read: Items[Pair], settings: TextSettings, context: Context) -> Items[Pair]:
        """Every pair with its language, and its answer alone."""
        extracts = settings.extract == "auto"
        if extracts:
            read = replace(read, signed={**read.signed, "extract": VERSION})
        if self.streams(settings, context):  # to be read in the language that was given
            return read
        texts = [pair.references or (pair.candidate or "",) for pair in read.items]
        read = assign_languages(read, settings.language, texts, context, read.names)
        return replace(read, items=[unwrapped(pair) for pair in read.items]) if extracts else read

    def restore(self, run: Run) -> Items[Pair]:
        from gistmeter.text.read import restored_pairs

        return restored_pairs(run)

    def expected(self, item: Pair) -> str:
        return item.references[0] if item.references else ""

    def answered(self, item: Pair, answer: str, system: str) -> Pair:
        return Pair(item.id, answer, item.references[:1], system, language=item.language)

    def model_settings(self, settings: TextSettings) -> BackEndSettings:
        batch = settings.batch_size or settings.batch_size_emb * TOKENS_A_TEXT
        return replace(super().model_settings(settings), batch_size=batch)

    def readers(self, wiring: Wiring) -> Mapping[str, Any]:
        from gistmeter.text.read import read_languages

        return read_languages(wiring)

    def base(self, items: Sequence[Pair]) -> Rows:
        from gistmeter.text.metrics.comparisons import base_rows

        return base_rows(items)

    def count(self, rows: Rows) -> Mapping[str, Any]:
        """Readings, and texts that a model did not see whole."""
        from gistmeter.text.metrics.logic import count_readings

        notes: dict[str, Any] = {}
        if any(rows.texts.get("reading", [])):
            notes["readings"] = count_readings(rows)
        if removed := rows.texts.get("stripped"):
            notes["stripped"] = sum(map(bool, removed))
        if "unseen" in rows and (cut := int((rows.values("unseen") > 0).sum())):
            notes["truncated"] = cut
        return notes

    def finish(self, run: Run, task: Task[TextSettings, Pair], context: Context) -> None:
        del task
        for system, counts in run.notes.get("readings", {}).items():
            listed = ", ".join(f"{count} {reading}" for reading, count in counts.items())
            context.say(f"{system}: {listed}")
        if stripped := run.notes.get("stripped"):
            context.say(
                f"{stripped} answers stood in a wrapping (Markdown, JSON, opening phrases …), which"
                " was taken off; each item shows it, and --extract none leaves it"
            )
        if cut := run.notes.get("truncated"):
            context.warn(f"{cut} items are longer than a model could see; the rest was not read")

    def sheets(self, run: Run) -> list[Sheet]:
        from gistmeter.text.sheets import sheets

        return sheets(run)

    def companions(self, run: Run) -> Mapping[str, Sheet]:
        from gistmeter.text.sheets import logic_results

        return logic_results(run)
