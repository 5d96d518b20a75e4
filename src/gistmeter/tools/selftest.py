"""`gistmeter selftest`: what scores notice on the references of a run or of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gistmeter import languages
from gistmeter.core.alterations import altered, seen
from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError
from gistmeter.core.family import Family, Items, family_of
from gistmeter.core.noticed import FEWEST, Selftest
from gistmeter.core.options import RunSettings
from gistmeter.core.run import Run
from gistmeter.core.runs.saved import load_run
from gistmeter.core.score import score
from gistmeter.core.settings import Settings
from gistmeter.core.types import SEED, Pair
from gistmeter.text.formats.references import read_references
from gistmeter.text.settings import TextSettings
from gistmeter.tools.rescore import restored_settings


def selftest(
    source: Run | str | Path,
    *,
    sample: int = 40,
    metrics: Sequence[str] = (),
    language: str = "auto",
    seed: int = SEED,
    trust: bool = False,
    cache: Cache | None = None,
) -> Selftest:
    """What scores notice on the references of a run, of its folder, or of a file."""
    if isinstance(source, str | Path) and not Path(source).is_dir():
        pairs = read_pairs(Path(source), language)
        names = tuple(metrics or ("gist", "s_acc", "s_logic"))
        family = family_of("text")
        probes = altered(family, pairs, sample, seed)
        return _scored(family, TextSettings(metrics=names), probes, names, cache)
    run = source if isinstance(source, Run) else load_run(source)
    family = family_of(run.command)
    restored = family.restore(run)
    settings: Any = restored_settings(run, restored, trust=trust)
    if metrics:
        settings = replace(settings, metrics=tuple(metrics))
    given = run.settings.get("language")
    items = [
        item if item.language or not isinstance(given, str) else replace(item, language=given)
        for item in restored.items
    ]
    probes = altered(family, items, sample, seed)
    settings = replace(settings, language="auto")  # each item has its own
    return _scored(family, settings, probes, metrics or run.headline, cache)


def read_pairs(path: Path, language: str) -> list[Pair]:
    """The references of a file, without answers."""
    known = {name: texts for name, texts in read_references(path).by_idiom.items() if texts}
    texts = list(known.values())
    codes = languages.choose(language, [""] * len(texts), [(path.name,)] * len(texts), texts).codes
    return [
        Pair(name, "", texts, language=code)
        for (name, texts), code in zip(known.items(), codes, strict=True)
    ]


def _scored(
    family: Family[Any, Any],
    settings: Settings,
    probes: Sequence[Any],
    names: Sequence[str],
    cache: Cache | None,
) -> Selftest:
    if len({probe.id for probe in probes}) < FEWEST:
        raise InputError(f"There are fewer than {FEWEST} references: too few to say anything")
    how = RunSettings(resamples=0, no_selftest=True)
    run = score(family, settings, items=Items(probes), how=how, cache=cache, hear=lambda *_: None)
    return seen(run, names)
