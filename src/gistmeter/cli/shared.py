"""What the scoring commands share: their common options, and the session that does the work.

`scoring_command` adds the shared options to a command's signature and hands it a `Session`. The
command reads its files and options; `Session.score` evaluates, keeps the run, writes the files
asked for, prints, and checks `--fail-under`.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
import os
import shlex
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from gistmeter.cli.options import (
    Format,
    SharedOptions,
    cache_file,
    cache_folder,
    parse_columns,
    parse_thresholds,
)
from gistmeter.errors import InputError, UnknownName
from gistmeter.types import Score

if TYPE_CHECKING:
    from gistmeter.cache import Cache
    from gistmeter.cli.progress import ProgressBars
    from gistmeter.report.tables import Layout
    from gistmeter.runs import Plan, RunFolder
    from gistmeter.types import Item, Metric, Run

__all__ = ["Session", "cache_file", "cache_folder", "parse_columns", "scoring_command"]
BELOW_THRESHOLD = 3


def scoring_command(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the shared options and a `Session` as its first argument."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        hints = typing.get_type_hints(SharedOptions, include_extras=True)
        shared = [
            inspect.Parameter(
                option, inspect.Parameter.KEYWORD_ONLY,
                default=getattr(SharedOptions, option), annotation=hints[option],
            )
            for option in hints
        ]  # fmt: skip
        own_hints = typing.get_type_hints(function, include_extras=True)
        signature = inspect.signature(function)
        own = [
            parameter.replace(
                annotation=own_hints.get(parameter.name, parameter.annotation),
                kind=inspect.Parameter.KEYWORD_ONLY,
            )
            for parameter in list(signature.parameters.values())[1:]
        ]

        @functools.wraps(function)
        def command(**values: Any) -> None:
            options = SharedOptions(**{option: values.pop(option) for option in hints})
            with Session(name, options) as session:
                function(session, **values)

        command.__signature__ = signature.replace(parameters=[*own, *shared])  # type: ignore[attr-defined]
        command.__annotations__ = {part.name: part.annotation for part in [*own, *shared]}
        return command

    return decorate


# Suffixes of files that we do not write: a run's folder is hardly ever called so.
DOCUMENTS = (
    ".xls", ".xlsm", ".ods", ".doc", ".docx", ".odt", ".pdf", ".txt", ".tex", ".htm", ".xml",
    ".yaml", ".yml", ".jsonl", ".zip", ".png", ".svg",
)  # fmt: skip


@dataclass
class Session:
    """One call of a scoring command: where to print, what to keep, how to end."""

    command: str
    options: SharedOptions
    arguments: Sequence[str] = field(default_factory=lambda: list(sys.argv[1:]))
    _cache: Cache | None = None
    _bars: ProgressBars | None = None
    _folder: Path | None = None

    def __post_init__(self) -> None:
        self.stdout = Console()
        self.stderr = Console(stderr=True, quiet=self.options.quiet, highlight=False)
        self.files, self.folder = self._outputs()
        self.thresholds = parse_thresholds(self.options.fail_under or [])

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._bars:
            self._bars.stop()
        if self._cache:
            self._cache.close()
        # The demo runs commands that nobody typed: how to go on with one is no use.
        typed = self.command in self.arguments
        if typed and kind is not None and issubclass(kind, KeyboardInterrupt) and self._folder:
            given = [part for part in self.arguments if part != "--resume"]
            folder = [] if self.folder else ["-o", str(self._folder)]
            line = shlex.join(["gistmeter", *given, *folder, "--resume"])
            Console(stderr=True, highlight=False).print(
                f"Interrupted. What is done is kept; go on with:\n  {line}", soft_wrap=True
            )

    @property
    def cache(self) -> Cache:
        """The cache of model answers, or one in memory with --no-cache."""
        if self._cache is None:
            from gistmeter.cache import Cache

            self._cache = Cache(None if self.options.no_cache else cache_file())
        return self._cache

    def say(self, message: str) -> None:
        """A remark on stderr."""
        self.stderr.print(message, markup=False, soft_wrap=True)

    def warn(self, message: str) -> None:
        self.stderr.print(f"Warning: {message}", markup=False, soft_wrap=True, style="yellow")

    def progress(self, stage: str, done: int, total: int) -> None:
        """Progress of a stage on stderr, with rate and time left."""
        if self.options.quiet:
            return
        if self._bars is None:
            from gistmeter.cli.progress import ProgressBars

            self._bars = ProgressBars(self.stderr)
        self._bars.update(stage, done, total)

    def score(
        self,
        items: Sequence[Item],
        metrics: Mapping[str, Metric] | Sequence[Metric],
        *,
        inputs: Sequence[Path] = (),
        settings: Mapping[str, Any] | None = None,
        reading: Mapping[str, Any] | None = None,
        layout: Layout | None = None,
        chunk: int = 1024,
        notes: Any = None,
        finish: Callable[[Run], None] | None = None,
        stage: str = "Scoring",
    ) -> Run:
        """Evaluate, keep, write, print; exits with 3 when a score is below its threshold.

        `finish` writes what a family adds to the finished run, before anything is printed;
        `stage` is what the progress bar says.
        """
        from gistmeter.evaluate import evaluate, input_digests

        self._know_thresholds(metrics)
        self.spare(inputs, self.files)
        run = evaluate(
            items,
            metrics,
            command=self.command,
            settings=settings,
            reading=reading,
            inputs=input_digests(inputs),
            open_folder=self._open_folder,
            seed=self.options.seed,
            resamples=self.options.resamples,
            confidence=self.options.confidence,
            chunk=chunk,
            progress=lambda _, done, total: self.progress(stage, done, total),
            notes=notes,
        )
        if self._bars:
            self._bars.stop()
        if finish:
            finish(run)
        self._write(run, layout)
        self._print(run)
        self._check_thresholds(run)
        return run

    @staticmethod
    def spare(inputs: Sequence[Path], outputs: Sequence[Path]) -> None:
        """No output may take the place of an input."""
        read = {path.resolve() for path in inputs}
        for path in outputs:
            if path.resolve() in read:
                raise InputError(f"{path}: is read by this command; choose another file to write")

    def output_to(self, paths: Sequence[Path]) -> None:
        """Take outputs that were named otherwise than by -o."""
        self.options = replace(self.options, output=list(paths))
        self.files, self.folder = self._outputs()

    def _outputs(self) -> tuple[list[Path], Path | None]:
        """The files among the outputs, and the folder, of which there may be one."""
        from gistmeter.report.suffixes import SUFFIXES

        given = list(self.options.output or [])
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

    def _open_folder(self, plan: Plan) -> RunFolder:
        from gistmeter.runs import RunFolder, default_folder, newest_unfinished

        root = Path("runs")
        path = self.folder
        if self.options.resume:
            path = path or newest_unfinished(self.command, root)
            resumed = RunFolder.resume(path, plan) if path else None
            if resumed is not None:
                self._folder = resumed.path
                left = len(resumed.missing())
                self.say(f"Resuming {path}: {plan.items - left} of {plan.items} items are done")
                return resumed
            self.say("Nothing to resume: starting afresh")
        path = path or default_folder(self.command, root)
        self._folder = path
        return RunFolder.start(path, plan, overwrite=self.options.overwrite)

    def _write(self, run: Run, layout: Layout | None) -> None:
        from gistmeter.report.tables import write_table

        for path in self.files:
            written = (
                [self._write_report(run, path)] if path.suffix.lower() == ".html"
                else write_table(run, path, layout)
            )  # fmt: skip
            for file in written:
                self.say(f"Wrote {file}")
        if run.path and not self.options.no_report:
            self._write_report(run, run.path / "report.html")

    def _write_report(self, run: Run, path: Path) -> Path:
        from gistmeter.cli.reporting import write_run_report

        write_run_report([run], path)
        return path

    def _print(self, run: Run) -> None:
        if self.options.format is Format.json:
            from gistmeter.version import __version__

            text = json.dumps(
                run.to_dict(__version__), ensure_ascii=False, indent=2, allow_nan=False
            )
            sys.stdout.write(text + "\n")
            return
        from gistmeter.report.terminal import print_run

        print_run(run, self.stdout)

    def _know_thresholds(self, metrics: Mapping[str, Metric] | Sequence[Metric]) -> None:
        """A threshold on a score that will not be computed is a mistake to report at once."""
        listed = metrics.values() if isinstance(metrics, Mapping) else metrics
        known = {info.name for metric in listed for info in metric.scores}
        for name in self.thresholds:
            if name not in known:
                raise UnknownName("score for --fail-under", name, known)

    def _check_thresholds(self, run: Run) -> None:
        failed = [
            f"{system}: {name} is {score.value:.4f}, worse than {threshold:g}"
            for name, threshold in self.thresholds.items()
            for system, held in run.systems.items()
            if (score := held.scores.get(name, Score(name, math.nan))).is_worse_than(threshold)
        ]
        if failed:
            Console(stderr=True, highlight=False).print("\n".join(failed), markup=False)
            raise typer.Exit(BELOW_THRESHOLD)
