"""Score the texts of a run again, with the models and rules of today, into a new folder.

A new judge changes every gist, and runs that were measured differently are not compared. The texts
come from the run itself, so its files need not be there any more.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gistmeter.core.cache import Cache
from gistmeter.core.family import Items, Progress, family_of
from gistmeter.core.item_columns import BY, columns_of
from gistmeter.core.options import RunSettings
from gistmeter.core.run import Run
from gistmeter.core.runs.saved import load_run
from gistmeter.core.score import score
from gistmeter.core.settings import Settings
from gistmeter.core.trust import permitted
from gistmeter.people.item_keys import item_keys
from gistmeter.people.ledger import carry

MARK = "-rescored"


def rescore(
    run: Run | str | Path,
    output: str | Path | None = None,
    *,
    overwrite: bool = False,
    trust: bool = False,
    cache: Cache | None = None,
    progress: Progress | None = None,
    hear: Callable[[str, bool], None] | None = None,
) -> Run:
    """A run's texts scored with its own settings and the models of today.

    With `output` the new run is kept in that folder; settings that no longer exist are left out.
    `trust` is the caller's word that a folder's settings may load what they name.
    """
    old = run if isinstance(run, Run) else load_run(run)
    family = family_of(old.command)
    items = family.restore(old)
    how = RunSettings(
        output=(Path(output),) if output else (),
        seed=old.seed,
        resamples=old.resamples,
        confidence=old.confidence,
        by=tuple(columns_of(old.notes, BY)),
        overwrite=overwrite,
    )
    new = score(
        family, restored_settings(old, items, trust=trust), items=items, how=how, cache=cache,
        progress=progress, hear=hear,
    )  # fmt: skip
    if old.path and new.path:  # what people said of the texts goes with them
        carry(old.path, new.path, {key for key in item_keys(new) if key})
    return new


def restored_settings(run: Run, items: Items[Any], *, trust: bool = False) -> Settings:
    """The settings of a run as far as they exist today; its items have their languages."""
    kind = family_of(run.command).Settings
    kept = permitted(run.settings, run.document, kind, trust=trust)
    if not isinstance(kept.get("language"), str) or any(item.language for item in items.items):
        kept.pop("language", None)
    return kind.of({**kept, **items.found})
