"""From inputs to a run: Python, the command line, a cluster and plug-ins all come through here.

`score` asks a family for its items, builds the metrics, and hands both to `evaluate_task`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from gistmeter.core.cache import Cache
from gistmeter.core.configuration import Configuration
from gistmeter.core.engines import engine_of
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.evaluation import evaluate, evaluate_task
from gistmeter.core.family import Context, Family, Items, Progress, Task
from gistmeter.core.files import sha256
from gistmeter.core.inputs import Noted, fetch_inputs, noting, reading_as
from gistmeter.core.item_columns import BY, column_named, columns_of
from gistmeter.core.options import RunSettings
from gistmeter.core.run import Run
from gistmeter.core.runs import REPORT, RunFolder, hold, open_folder
from gistmeter.core.settings import OURS, PRESET, Settings
from gistmeter.core.signature import digest
from gistmeter.core.types import Metric, Statistics
from gistmeter.core.wiring import build

LISTED = 6  # systems named in a remark


def score(
    family: Family[Any, Any],
    settings: Settings,
    *,
    items: Items[Any] | None = None,
    how: RunSettings | None = None,
    cache: Cache | None = None,
    profiles: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
    hear: Callable[[str, bool], None] | None = None,
    confirm: Callable[[str], bool] | None = None,
) -> Run:
    """Score what the settings name, or the given items, and keep the run where that is asked for.

    `hear` gets every remark and whether it is a warning; without it they are logged, and they are
    in `run.remarks` in any case. `profiles` of models are those of the configuration file unless
    others are given.
    """
    how = how or RunSettings()
    if profiles is None and how.config:
        profiles = Configuration.read(how.config, trust=how.trust).profiles()
    files, folder = split_outputs(how.output)
    engine = engine_of(how, getattr(settings, "device", "auto"))
    with contextlib.ExitStack() as stack:
        if folder:
            stack.enter_context(hold(folder))
            RunFolder.check_free(folder, overwrite=how.overwrite or how.resume)
        stack.enter_context(engine.open())
        memory = stack.enter_context(contextlib.closing(Cache(None)))
        store = memory if cache is None or how.no_cache else cache
        context = Context(
            store, profiles or {}, progress, hear, confirm, folder, how.resume, how.overwrite,
            engine=engine,
        )  # fmt: skip
        with noting() as noted:
            settings, read = _read(family, settings, items, stack, context)
            tell_preset(settings, context)
            spare(read.files, files)
            metrics = build(family, read, settings, context)
        read = replace(read, digests={**input_digests(read.files, noted), **read.digests})
        know_thresholds(how.fail_under, metrics)
        read = _sliced(read, how.by, family)
        read = family.collect(read, metrics, settings, context)
        noticed = None
        is_apart = engine.apart or family.streams(settings, context)
        if "gist" in metrics and not (how.no_selftest or is_apart):
            from gistmeter.core.alterations import glance

            noticed = glance(family, metrics, read)
        if noticed:
            read = replace(read, notes={**read.notes, "selftest": noticed.to_dict()})
        statistics = Statistics(seed=how.seed, resamples=how.resamples, confidence=how.confidence)
        task = Task(settings, read, metrics, statistics)
        begin = partial(
            open_folder, folder, resume=how.resume and not read.anew,
            overwrite=how.overwrite or read.anew, say=context.say,
        ) if folder else None  # fmt: skip
        run = evaluate_task(family, task, begin, progress, engine)
        family.finish(run, task, context)
        if noticed and (line := noticed.line()):
            context.say(line)
        tell_uneven(run, context)
        return _written(run, files, how, context)


def _read(
    family: Family[Any, Any],
    settings: Settings,
    items: Items[Any] | None,
    stack: contextlib.ExitStack,
    context: Context,
) -> tuple[Settings, Items[Any]]:
    """The items with their languages, and the settings with inputs that were fetched."""
    if items is None and not family.streams(settings, context):
        settings = fetch_inputs(settings, stack, context.say)
    with reading_as(getattr(settings, "encoding", "")):
        read = items if items is not None else family.read(settings, context)
    return settings, family.prepare(read, settings, context)


def look_at(family: Family[Any, Any], settings: Settings, context: Context) -> Items[Any]:
    """The items that a run would score; nothing is scored."""
    with contextlib.ExitStack() as stack:
        return _read(family, settings, None, stack, context)[1]


def estimate(
    family: Family[Any, Any], settings: Settings, context: Context, items: Items[Any] | None = None
) -> Any:
    """What a run would cost, as the family tells it; nothing is scored."""
    with contextlib.ExitStack() as stack:
        settings, read = _read(family, settings, items, stack, context)
        return family.estimate(read, settings, context)


@dataclass
class Scorer:
    """Scores items that come one after another, with metrics that stay loaded."""

    family: Family[Any, Any]
    context: Context
    _built: dict[Any, Mapping[str, Metric]] = field(default_factory=dict)

    def score(self, items: Items[Any], settings: Any) -> Run:
        """A run of a few items in one language, without intervals; nothing is kept."""
        with contextlib.ExitStack() as stack:
            settings, read = _read(self.family, settings, items, stack, self.context)
        key = read.items[0].language, settings.metrics
        if key not in self._built:
            self._built[key] = build(self.family, read, settings, self.context)
        return evaluate(
            read.items, self._built[key], command=self.family.name, resamples=0,
            base=self.family.base, settings={"language": key[0]}, headline=settings.metrics,
        )  # fmt: skip


def _written(run: Run, files: Sequence[Path], how: RunSettings, context: Context) -> Run:
    """The run with its remarks, once its files, its pages and its report are written."""
    run = replace(run, remarks=tuple(context.remarks))
    for path in files:
        for file in run.write(path, bom=not how.no_bom):
            context.say(f"Wrote {file}")
    run = replace(run, remarks=tuple(context.remarks))  # the last: it keeps its findings
    if run.path:
        run.write_pages()
    # Only a run that was finished already has its report when it is resumed.
    is_there = run.path and how.resume and not how.heading and (run.path / REPORT).is_file()
    if run.path and not how.no_report and not is_there:
        run.report(title=how.heading)
    return run


def tell_preset(settings: Settings, context: Context) -> None:
    """Say whose system is followed, and where the user departs from it."""
    chosen = getattr(settings, PRESET, OURS)
    if chosen == OURS:
        return
    preset = settings.presets[chosen]
    changed = [name for name, value in preset.items() if getattr(settings, name) != value]
    but = f", but for {', '.join(changed)}" if changed else ""
    context.say(f"Scored as {chosen} does{but}; see docs/differences.md")


def tell_uneven(run: Run, context: Context) -> None:
    """Warn where systems are ranked on different items: one that skips hard items would win."""
    for name in run.headline:
        held = [(system, scored.scores[name]) for system, scored in run.systems.items()
                if name in scored.scores]  # fmt: skip
        if len({score.unscored for _, score in held}) > 1:
            listed = ", ".join(f"{system} {score.unscored}" for system, score in held[:LISTED])
            context.warn(
                f"{name}: systems left different numbers of items unscored ({listed}"
                f"{' …' if len(held) > LISTED else ''}), so their scores are of different items."
                " gistmeter compare takes the items that they share"
            )
            return


def _sliced(read: Items[Any], columns: Sequence[str], family: Family[Any, Any]) -> Items[Any]:
    """The items with the columns that they are sliced by; one that is not there is a mistake to
    report at once."""
    if not columns:
        return read
    first = family.base(read.items[:1])
    first = first.with_texts({**{name: [""] for name in columns_of(read.notes)}, **first.texts})
    return replace(read, notes={**read.notes, BY: [column_named(name, first) for name in columns]})


def know_thresholds(thresholds: Mapping[str, float], metrics: Mapping[str, Metric]) -> None:
    """A threshold on a score that will not be computed is a mistake to report at once."""
    known = {info.name for metric in metrics.values() for info in metric.scores}
    for name in thresholds:
        if name not in known:
            raise UnknownName("score for fail_under", name, known)


def spare(inputs: Sequence[Path], outputs: Sequence[Path]) -> None:
    """No output may take the place of an input."""
    read = {path.resolve() for path in inputs}
    for path in outputs:
        if path.resolve() in read:
            raise InputError(f"{path}: is read by this command; choose another file to write")


# Suffixes of files that we do not write: a run's folder is hardly ever called so.
DOCUMENTS = (
    ".xls", ".xlsm", ".ods", ".doc", ".docx", ".odt", ".pdf", ".txt", ".htm", ".xml",
    ".yaml", ".yml", ".jsonl", ".zip", ".png", ".svg",
)  # fmt: skip


def split_outputs(given: Sequence[Path]) -> tuple[list[Path], Path | None]:
    """The files among the outputs, and the folder, of which there may be one."""
    from gistmeter.report import SUFFIXES

    files = [path for path in given if path.suffix.lower() in SUFFIXES and not path.is_dir()]
    folders = [path for path in given if path not in files]
    for path in folders:
        if path.suffix.lower() in DOCUMENTS and not path.is_dir():
            known = ", ".join(SUFFIXES)
            raise InputError(f"{path}: cannot write '{path.suffix}'. Known: {known}")
    if len(folders) > 1:
        listed = ", ".join(str(path) for path in folders)
        raise InputError(f"-o names several run folders ({listed}); give one")
    for path in files:
        if path.parent.exists() and not os.access(path.parent, os.W_OK):
            raise InputError(f"{path}: its folder cannot be written to")
    return files, folders[0] if folders else None


def input_digests(paths: Sequence[Path], noted: Noted) -> dict[str, str]:
    """The content of the input files, so that a changed file is not resumed by mistake.

    It is that which was read, see `inputs`. Files are named without their folder, since a run may
    be resumed from another one; a name that occurs again is numbered.
    """
    digests: dict[str, str] = {}
    for path in paths:
        name, number = path.name, 1
        while name in digests:
            number += 1
            name = f"{path.name} ({number})"
        digests[name] = _digest(path, noted)
    return digests


def _digest(path: Path, noted: Noted) -> str:
    if not path.is_dir():
        return noted.get(path) or sha256(path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return digest({file.relative_to(path).as_posix(): _digest(file, noted) for file in files})
