"""What a run of speech keeps beside its scores, and what is said of it at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from gistmeter.core.family import Context, Task
from gistmeter.core.rows import Rows
from gistmeter.core.types import Clip
from gistmeter.speech.clips import edit_totals, lost_words
from gistmeter.speech.components import variance_components
from gistmeter.speech.settings import SpeechSettings

if TYPE_CHECKING:
    from gistmeter.core.run import Run


def notes_of(rows: Rows, task: Task[SpeechSettings, Clip]) -> Mapping[str, Any]:
    """Edits and lost words of each system, and what a language model was asked."""
    kept: dict[str, Any] = {"edits": edit_totals(rows), "lost_words": lost_words(rows)}
    if "facts" in task.metrics:
        kept["short_texts"] = int(rows.sum("ser_short"))
        kept["verdict_flips"] = int(rows.sum("verdict_flips"))
        kept["unsupported_facts"] = int(rows.sum("facts_corrected") + rows.sum("facts_unsupported"))
        kept["untold_texts"] = int((rows.values("facts_untold") > 0).sum())
        kept["disputed_facts"] = int(rows.sum("facts_disputed"))
        kept |= {"variance": found} if (found := judged_apart(rows)) else {}
        facts: Any = task.metrics["facts"]
        usage = getattr(getattr(facts, "first", facts).llm, "usage", None)
        kept |= {"usage": asdict(usage)} if usage is not None else {}
    if task.read.interrupted:
        kept["interrupted"] = task.read.interrupted
    return kept


def judged_apart(rows: Rows) -> dict[str, Any]:
    """Each system's variance of ser, the judge's apart; empty where nothing was asked twice."""
    found: dict[str, Any] = {}
    systems = np.asarray(rows.keys["system"])
    for system in dict.fromkeys(rows.keys["system"]):
        own = [rows.values(name)[systems == system]
               for name in ("ser_mean", "ser_variance", "ser_answers")]  # fmt: skip
        components = variance_components(*own)
        if components is not None:
            found[system] = components.to_dict()
    return found


def tell_variance(run: Run, context: Context) -> None:
    for system, one in run.notes.get("variance", {}).items():
        context.say(
            f"{system}: {one['judge_share']:.0%} of the variance of ser between answers is the"
            f" judge's; standard error by clips {one['error_of_items']:.2f}, by the judge"
            f" {one['error_of_judge']:.2f} points"
        )


def tell_unsupported(run: Run, settings: SpeechSettings, context: Context) -> None:
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
