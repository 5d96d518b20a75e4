"""A whole evaluation from one TOML file: what is scored, what it must reach, what it must not lose.

    [evaluation.answers]                  # any number of these
    shape = "text"                        # or book, parse, speech, or one of another package
    predictions = ["model.csv"]           # every option of the shape, by its name
    references = "explanations.csv"
    fail_under = { gist = 0.7 }           # thresholds, for every system
    baseline = "runs/main/answers"        # a run to compare with, system by system
    margin = 0.02                         # non-inferiority; without it, only a shown loss fails

Paths are taken from the file's own folder. All options are checked before anything is scored. Every
evaluation is run, whatever became of the others. One whose first score could not be computed fails:
what was not scored did not pass.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gistmeter.core import registry
from gistmeter.core.errors import GistmeterError, InputError, UnknownName, UntrustedError
from gistmeter.core.family import Family, family_of
from gistmeter.core.options import RunSettings
from gistmeter.core.settings import Settings, aliases_of, option, options_of, split
from gistmeter.core.trust import HELP as TRUST_HELP
from gistmeter.core.types import Score
from gistmeter.version import __version__

if TYPE_CHECKING:
    from gistmeter.core.cache import Cache
    from gistmeter.core.comparison import Contender
    from gistmeter.core.configuration import Configuration
    from gistmeter.core.run import Run

NAME = re.compile(r"[\w][\w.-]*")
PATHS = ("path", "paths")
BELOW = 3  # the exit code of a threshold or gate that did not hold


@dataclass(frozen=True, kw_only=True)
class CheckSettings(Settings):
    """Which evaluations, and where they are kept."""

    title: ClassVar[str] = "check"
    file: Path | None = option(
        None, "The TOML file with the evaluations.",
        panel="input", argument="only", metavar="FILE.toml",
    )  # fmt: skip
    only: tuple[str, ...] = option(
        (), "Run these evaluations only, separated by commas.", panel="input", metavar="NAME,…"
    )
    no_baseline: bool = option(
        False, "Compare with no baseline: for the first run, which becomes one.", panel="statistics"
    )
    llm_url: str = option(
        "", "Where the language model is served, in place of the file's llm_url.",
        panel="models", metavar="URL",
    )  # fmt: skip
    llm_key_env: str = option(
        "", "The environment variable of the key for --llm-url.", panel="models", metavar="NAME"
    )
    recognizer_key_env: Mapping[str, str] = option(
        {},
        "The environment variable of the key for a recogniser's host that is not the vendor's own."
        " May be repeated.",
        panel="models", metavar="HOST=NAME",
    )  # fmt: skip
    folder: Path = option(
        Path("runs/check"),
        "The folder of the runs, one per evaluation. Earlier ones are replaced.",
        panel="output", metavar="FOLDER",
    )  # fmt: skip
    trust: bool = option(False, TRUST_HELP, panel="input", kept=False)

    def check(self) -> None:
        if self.file is None:
            raise InputError("Name the file of the evaluations: gistmeter check FILE.toml")
        if self.llm_key_env and not self.llm_url:
            raise InputError("--llm-key-env names the key for --llm-url; give both")

    def read(self) -> Configuration:
        """The file, with the limits of what it may do."""
        from gistmeter.core.configuration import Configuration

        assert self.file is not None
        return Configuration.read(self.file, trust=self.trust)


@dataclass(frozen=True, kw_only=True)
class GateSettings(Settings):
    """What an evaluation has besides the options of its shape."""

    title: ClassVar[str] = "an evaluation"
    shape: str = option(
        "", "text, book, parse, speech, or a shape that a package adds.", reach="nothing"
    )
    baseline: Path | None = option(None, "The folder of a run to compare with.", reach="read")
    compare: tuple[str, ...] = option(
        (), "The scores to compare; by default the headline.", reach="nothing"
    )
    margin: float | None = option(None, "The loss against the baseline to be excluded.", low=0.0)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One table of the file, checked."""

    name: str
    family: Family[Any, Any]
    settings: Settings
    how: RunSettings
    gate: GateSettings


@dataclass(frozen=True, slots=True)
class Requirement:
    """Something that had to hold, and what was found."""

    name: str
    holds: bool
    told: str


@dataclass(frozen=True, slots=True)
class EvaluationOutcome:
    """What became of an evaluation; an error where it could not be finished."""

    name: str
    run: Run | None = None
    requirements: Sequence[Requirement] = ()
    error: GistmeterError | None = None
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return self.error is None and all(required.holds for required in self.requirements)

    def to_dict(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            "error": str(self.error) if self.error else None,
            "answer": self.run.answer() if self.run else None,
            "requirements": [asdict(required) for required in self.requirements],
            "seconds": round(self.seconds, 3),
            "run": self.run.to_dict() if self.run else None,
        }


@dataclass(frozen=True, slots=True)
class Outcomes:
    """All evaluations of a file."""

    evaluations: Sequence[EvaluationOutcome] = ()

    @property
    def passed(self) -> bool:
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """That of the first error; else 3 where a requirement does not hold; else 0."""
        for outcome in self.evaluations:
            if outcome.error is not None:
                return outcome.error.exit_code
        return 0 if all(outcome.passed for outcome in self.evaluations) else BELOW

    def to_dict(self) -> dict[str, Any]:
        return {
            "gistmeter": __version__,
            "passed": self.passed,
            "evaluations": {outcome.name: outcome.to_dict() for outcome in self.evaluations},
        }


def check(file: str | Path, *, cache: Cache | None = None, **options: Any) -> Outcomes:
    """Run the evaluations of a TOML file. `options` are those of `gistmeter check`."""
    return run_check(CheckSettings.of({"file": file, **options}), cache=cache)


def run_check(
    settings: CheckSettings,
    *,
    cache: Cache | None = None,
    began: Callable[[str], None] | None = None,
    **listeners: Any,
) -> Outcomes:
    """`began` hears the name of each evaluation; `listeners` are those of `score.score`."""
    configuration = settings.read()
    planned = list(plan(settings, configuration))
    options = {"cache": cache, "profiles": configuration.profiles(), **listeners}
    outcomes = []
    for evaluation in planned:
        if began:
            began(evaluation.name)
        outcomes.append(_run(evaluation, options))
    return Outcomes(outcomes)


def plan(settings: CheckSettings, configuration: Configuration) -> Iterator[Evaluation]:
    """The evaluations of the file, each with its settings; a wrong one says which it is."""
    tables = configuration.evaluations()
    if not tables:
        raise InputError(f"{settings.file}: has no evaluation. Write one as [evaluation.NAME]")
    for name in settings.only:
        if name not in tables:
            raise UnknownName(f"evaluation in {settings.file}", name, tables)
    for name, table in tables.items():
        if not settings.only or name in settings.only:
            try:
                yield _evaluation(name, table, settings, configuration)
            except UntrustedError:  # says the table itself
                raise
            except InputError as error:
                raise InputError(f"{settings.file}, [evaluation.{name}]: {error}") from error


def _evaluation(
    name: str, table: Mapping[str, Any], settings: CheckSettings, configuration: Configuration
) -> Evaluation:
    if not NAME.fullmatch(name):
        raise InputError("its name becomes a folder's: use letters, digits, '.', '-' and '_'")
    written = {key.replace("-", "_").lower(): value for key, value in table.items()}
    if not written.get("shape"):
        raise InputError('has no shape. Write shape = "text", or book, parse or speech')
    if written["shape"] not in (shapes := registry.names("gistmeter.families")):
        raise UnknownName("shape", str(written["shape"]), shapes)
    family = family_of(written["shape"])
    kinds = (family.Settings, RunSettings, GateSettings)
    known = {key: one for kind in reversed(kinds) for key, one in options_of(kind).items()}
    base, limits = configuration.path.parent, configuration.limits
    shared = configuration.options(family.name, kinds, base)
    limits.check(written, kinds, base, f", [evaluation.{name}]")
    aliases = {alias: key for kind in kinds for alias, key in aliases_of(kind).items()}
    given = {aliases.get(key, key): value for key, value in {**shared, **written}.items()}
    for key, value in given.items():
        declared = known.get(key)
        if declared and (declared.kind in PATHS or declared.reach in ("read", "write")):
            given[key] = _placed(value, base, several=declared.kind == "paths")
    made, how, gate = split(_typed(settings, given), *kinds, file=given)
    assert isinstance(how, RunSettings) and isinstance(gate, GateSettings)
    folder = settings.folder / name
    if settings.folder == options_of(CheckSettings)["folder"].default:
        limits.check_output(folder)
    if settings.no_baseline:
        gate = replace(gate, baseline=None)
    elif gate.baseline is not None and gate.baseline.resolve() == folder.resolve():
        raise InputError(f"the baseline {folder} would be replaced by the run that is compared")
    how = replace(how, output=(*how.output, folder), overwrite=True)
    return Evaluation(name, family, made, how, gate)


def _typed(settings: CheckSettings, given: Mapping[str, Any]) -> dict[str, Any]:
    """Addresses and keys that the user typed, for an evaluation whose table names such a server."""
    typed: dict[str, Any] = {}
    if settings.llm_url and "llm_url" in given:
        typed |= {"llm_url": settings.llm_url, "llm_key_env": settings.llm_key_env}
    if settings.recognizer_key_env and "recognizers" in given:
        typed |= {"recognizer_key_env": settings.recognizer_key_env}
    return typed


def _placed(value: Any, base: Path, *, several: bool) -> Any:
    """A path of the file, or several, from the file's own folder."""
    if isinstance(value, str):
        return base / Path(value).expanduser()
    listed = several and isinstance(value, list)
    return [_placed(part, base, several=False) for part in value] if listed else value


def _run(evaluation: Evaluation, options: Mapping[str, Any]) -> EvaluationOutcome:
    from gistmeter.core.score import score

    started = time.perf_counter()
    run, requirements, failure = None, [], None
    try:
        how = evaluation.how
        run = score(evaluation.family, evaluation.settings, how=how, **options)
        requirements = [
            *_unscored(run), *_thresholds(run, how.fail_under), *_losses(run, evaluation.gate)
        ]  # fmt: skip
    except GistmeterError as error:
        failure = error
    seconds = time.perf_counter() - started
    return EvaluationOutcome(evaluation.name, run, requirements, failure, seconds)


def _unscored(run: Run) -> Iterator[Requirement]:
    """A system without a value in the score to judge by was not checked, whatever else holds."""
    for system, scored in run.systems.items():
        named = [*(name for name in run.headline if name in scored.scores), *scored.scores]
        score = scored.scores[named[0]] if named else Score("score", float("nan"))
        if math.isnan(score.value):
            reasons = score.reasons or run.unscored
            why = max(reasons, key=reasons.__getitem__) if reasons else "it is undefined"
            yield Requirement(
                f"{system}: {score.name} is computed", False,
                f"{system}: {score.name} could not be computed ({score.unscored} unscored:"
                f" {why}), so nothing was checked",
            )  # fmt: skip


def _thresholds(run: Run, thresholds: Mapping[str, float]) -> Iterator[Requirement]:
    for name, threshold in thresholds.items():
        for system, scored in run.systems.items():
            score = scored.scores.get(name, Score(name, float("nan")))
            sign = "≥" if score.higher_is_better else "≤"
            yield Requirement(
                f"{system}: {name} {sign} {threshold:g}", not score.is_worse_than(threshold),
                f"{system}: {name} is {score.spelled()}, required {sign} {threshold:g}",
            )  # fmt: skip


def _losses(run: Run, gate: GateSettings) -> Iterator[Requirement]:
    """Each system against itself in the baseline."""
    if gate.baseline is None:
        return
    from gistmeter.core import comparison
    from gistmeter.core.runs.saved import load_run

    base = load_run(gate.baseline)
    among = comparison.contenders([run, base])
    earlier = [contender for contender in among if contender.run is base]
    for contender in (contender for contender in among if contender.run is run):
        system = contender.system
        other = _counterpart(contender, earlier)
        if other is None:
            label = f"{system}: against the baseline"
            yield Requirement(label, True, f"{system} is not in the baseline {gate.baseline}")
            continue
        options = comparison.Options(baseline=other.name)
        for compared in comparison.compare([contender, other], gate.compare, options):
            (pair,) = compared.pairs
            change = f"{system}: {compared.metric} changed by {pair.difference:+.4f}"
            interval = f"[{pair.low:+.4f}, {pair.high:+.4f}] against {other.name}"
            lost = comparison.loss(compared, pair, gate.margin)
            label = f"{system}: {compared.metric} against the baseline"
            yield Requirement(label, not lost, lost or f"{change} {interval}")


def _counterpart(contender: Contender, earlier: Sequence[Contender]) -> Contender | None:
    """The system of the same name; or the only one, where there is one on either side."""
    named = [other for other in earlier if other.system == contender.system]
    if not named and len(earlier) == 1 and len(contender.run.systems) == 1:
        return earlier[0]
    return named[0] if named else None
