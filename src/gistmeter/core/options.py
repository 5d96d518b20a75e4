"""Options that commands share: models, how a run is kept, and how differences are tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from gistmeter.core.settings import Settings, option
from gistmeter.core.trust import HELP as TRUST_HELP
from gistmeter.core.types import SEED


@dataclass(frozen=True, kw_only=True)
class ModelSettings(Settings):
    """The models of a run; each may be given by name or, in Python, as an object."""

    profile: str = option(
        "embedded",
        "Which models: embedded (offline), paper (exactly those of the papers), or one of the"
        " configuration's own.",
        panel="models", reach="model", harmless=("embedded", "embedded-plain"), main=True,
    )  # fmt: skip
    encoding: str = option(
        "", "The files' encoding, such as gb18030. By default it is found.",
        panel="input", reach="nothing", kept=False, advanced=True,
    )  # fmt: skip
    no_judge: bool = option(
        False, "Leave out the judge that comes with gistmeter: S_Acc is then partial, S_Logic and"
        " gist are not made.",
        panel="models", advanced=True,
    )  # fmt: skip
    device: str = option(
        "auto",
        "Where torch runs: auto, cpu, cuda or mps.",
        panel="models",
        reach="nothing",
        kept=False,
    )
    max_length: int = option(
        0,
        "Tokens a model reads at once; 0: its own maximum.",
        panel="models", low=0, flags=("--max-len",), advanced=True, variable="MAX_LEN",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class RunSettings(Settings):
    """How a run is kept and its intervals are found: the same for every family."""

    title: ClassVar[str] = "a run"
    output: tuple[Path, ...] = option(
        (),
        "Where to write: a file by its suffix (.json .csv .tsv .xlsx .parquet .md .tex .html), or"
        " the run's folder. May be repeated. The command always keeps its run, by default in"
        " runs/COMMAND-TIME.",
        panel="output", reach="write", flags=("-o",), metavar="PATH", main=True,
        variable="OUTPUT_FILE",
    )  # fmt: skip
    seed: int = option(SEED, "Seed of the intervals; part of the signature.", panel="statistics")
    resamples: int = option(
        1000, "Bootstrap resamples for the intervals; 0 for none.",
        panel="statistics", low=0, high=1_000_000,
    )  # fmt: skip
    confidence: float = option(
        0.95, "Confidence of the intervals.", panel="statistics", low=0.5, high=0.9999
    )
    by: tuple[str, ...] = option(
        (),
        "Show scores and paired tests by the values of this column of the input, such as category."
        " May be repeated; several languages are shown apart without asking.",
        panel="statistics", reach="nothing", metavar="COLUMN",
    )  # fmt: skip
    fail_under: Mapping[str, float] = option(
        {},
        "Exit with 3 when a score of any system is worse than this. May be repeated.",
        panel="statistics", metavar="SCORE=VALUE",
    )  # fmt: skip
    resume: bool = option(
        False,
        "Continue the unfinished run in the folder given by -o, or with the command's newest"
        " one.",
        panel="output",
    )  # fmt: skip
    overwrite: bool = option(False, "Replace the run in the folder given by -o.", panel="output")
    heading: str = option(
        "",
        "The title of the report.",
        panel="output",
        reach="nothing",
        flag="--title",
        metavar="TEXT",
    )
    no_cache: bool = option(
        False, "Neither read nor write the cache of model answers.", panel="output", advanced=True
    )
    no_bom: bool = option(
        False, "No byte-order mark in CSV; TSV never has one.", panel="output", advanced=True
    )
    no_report: bool = option(
        False, "Do not write report.html into the run's folder.", panel="output", advanced=True
    )
    no_selftest: bool = option(
        False, "Do not try the scores on a few altered references at the end; see selftest.",
        panel="output", advanced=True, kept=False,
    )  # fmt: skip
    engine: str = option(
        "local", "Where the work runs: local (here) or ray (on a cluster, see docs/cluster.md).",
        panel="output", reach="network", model=True, kept=False,
    )  # fmt: skip
    address: str = option(
        "", "The cluster that --engine ray joins: auto (the one this machine belongs to) or"
        " ray://HOST:10001. By default it starts one here.",
        panel="output", reach="network", advanced=True, kept=False,
    )  # fmt: skip
    workers: int = option(
        0, "How many workers --engine ray uses; 0: one for each processor of the cluster, or GPU"
        " with --device cuda.",
        panel="output", low=0, high=100_000, advanced=True, kept=False,
    )  # fmt: skip
    config: Path | None = option(
        None,
        "Options from a TOML file: those at the top for every command, those in [COMMAND] for"
        " one. Flags win over the environment, that over the file.",
        panel="output", reach="read", metavar="FILE.toml", advanced=True,
    )  # fmt: skip
    trust: bool = option(False, TRUST_HELP, panel="output", advanced=True, kept=False)


@dataclass(frozen=True, kw_only=True)
class TestingSettings(Settings):
    """How differences between runs are tested, wherever they are."""

    resamples: int = option(
        10_000, "Resamples of the tests and intervals.",
        panel="statistics", low=100, high=1_000_000,
    )  # fmt: skip
    confidence: float = option(
        0.95,
        "Confidence of the intervals; what is left to 1 is the level of the tests.",
        panel="statistics", low=0.5, high=0.9999,
    )  # fmt: skip
    seed: int = option(SEED, "Seed of the resamples.", panel="statistics")


@dataclass(frozen=True, kw_only=True)
class CompareSettings(TestingSettings):
    """How systems are compared: options of `gistmeter compare` and of `Run.compare`."""

    title: ClassVar[str] = "compare"
    metric: tuple[str, ...] = option(
        (), "The score to compare, such as s_acc. May be repeated. Default: the runs' first.",
        panel="scores", metavar="SCORE", main=True,
    )  # fmt: skip
    by: tuple[str, ...] = option(
        (),
        "Compare by the values of this column of the input, such as category. May be repeated.",
        panel="scores", reach="nothing", metavar="COLUMN",
    )  # fmt: skip
    baseline: str = option(
        "", "Compare all others with this run or system only.", panel="scores", metavar="RUN"
    )
    test: Literal["permutation", "bootstrap", "wilcoxon"] = option(
        "permutation",
        "How p-values are found; intervals are always by paired bootstrap.",
        panel="statistics",
    )  # fmt: skip
    correction: Literal["bh", "holm", "none"] = option(
        "bh", "Correction for many pairs: Benjamini-Hochberg, Holm, or none.", panel="statistics"
    )
    difference: float | None = option(
        None,
        "Say how many items would show a true difference of this size, from the variance of these"
        " (of rates in points).",
        panel="statistics", low=1e-9,
    )  # fmt: skip
    force: bool = option(
        False, "Compare although the signatures differ; the difference is reported.",
        panel="statistics",
    )  # fmt: skip
