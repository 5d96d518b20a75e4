"""`gistmeter parse GOLD SYSTEM...`: parses against a treebank; and its tools for treebanks."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from gistmeter.cli import console
from gistmeter.cli.commands import SettingsCommand, ToolGroup
from gistmeter.cli.scoring import scoring_command
from gistmeter.core.errors import InputError
from gistmeter.core.files import write_atomically
from gistmeter.core.settings import Settings, option
from gistmeter.parse.family import COLUMNS_HELP

FOUND = 2  # the exit code where a treebank has problems


@dataclass(frozen=True, kw_only=True)
class TreebankTool(Settings):
    """The treebanks that a tool works on."""

    title: ClassVar[str] = "parse"
    files: tuple[Path, ...] = option(
        (), "Treebanks.", panel="input", argument="only", metavar="FILE..."
    )
    columns: str = option("", COLUMNS_HELP, panel="input", metavar="NAMES")

    def check(self) -> None:
        if not self.files:
            raise InputError("Name a treebank")

    @property
    def file(self) -> Path:
        if len(self.files) > 1:
            raise InputError("This tool takes one treebank at a time")
        return self.files[0]


@dataclass(frozen=True, kw_only=True)
class ValidationRules(Settings):
    """What a treebank is held to."""

    vocabulary: Path | None = option(
        None, "Known tags, from build-vocabulary; other tags are reported.", panel="input"
    )
    ud: str = option(
        "",
        "Also run the official validator of Universal Dependencies with the rules of a language,"
        " such as cs, or with those of all languages: ud.",
        panel="input", metavar="LANGUAGE",
    )  # fmt: skip
    level: int = option(
        5,
        "How far the official validator goes: 2 form, 3 guidelines of all languages, 4 and 5 those"
        " of the language.",
        panel="input", low=1, high=5,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TreebankOutput(Settings):
    """Where a tool writes."""

    output: Path | None = option(
        None, "The file to write; without it, stdout.",
        panel="output", flags=("-o",), metavar="FILE",
    )  # fmt: skip


def validate(tool: TreebankTool, rules: ValidationRules) -> int:
    from gistmeter.parse.formats import treebank_tools

    file = tool.file
    tags = treebank_tools.read_vocabulary(rules.vocabulary) if rules.vocabulary else None
    problems = treebank_tools.find_problems(file, _layout(tool), tags)
    if rules.ud:
        problems += treebank_tools.find_official_problems(file, rules.ud, rules.level)
    for problem in sorted(problems):
        console.show(f"{file}:{problem.line}: {problem.message}")
    count = sum(problem.is_error for problem in problems)
    if count:
        console.say(f"{count:,} problem{'s' if count > 1 else ''}")
        return FOUND
    console.say(f"{file}: no problems")
    return 0


def build_vocabulary(tool: TreebankTool, written: TreebankOutput) -> None:
    from gistmeter.parse.formats import treebank_tools

    vocabulary = treebank_tools.build_vocabulary(tool.files, _layout(tool))
    _write(written.output, _json(vocabulary))


def erase(tool: TreebankTool, written: TreebankOutput) -> None:
    from gistmeter.parse.formats.treebank_tools import erase as erase_annotation

    output, file = written.output, tool.file
    if output is not None and output.resolve() == file.resolve():
        raise InputError(f"{output}: is the treebank itself; choose another file")
    _write(output, erase_annotation(file, _layout(tool)))


def estimate_weights(tool: TreebankTool, written: TreebankOutput) -> None:
    from gistmeter.parse.read import estimate_weights as estimate

    weights = estimate(tool.files, tool.columns)
    _write(written.output, _json({"lemma": dict(weights.lemma), "feats": dict(weights.feats)}))


def _layout(tool: TreebankTool):  # type: ignore[no-untyped-def]
    from gistmeter.parse.formats.treebank import declare

    return declare(tool.columns, name="--columns") if tool.columns else None


def _json(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _write(path: Path | None, content: str) -> None:
    if path is None:
        console.write(content)
        return
    packed = gzip.compress(content.encode("utf-8")) if path.suffix == ".gz" else content
    write_atomically(path, packed)
    console.say(f"Wrote {path}")


command = ToolGroup(
    "parse",
    [
        SettingsCommand(
            "validate", (TreebankTool, ValidationRules), validate, table="parse",
            summary="Check a treebank: IDs, heads, one root, no cycles, features, and tags against"
            " a vocabulary.",
            description="Lists all problems with their lines; the exit code is 2 if there are any.",
        ),
        SettingsCommand(
            "build-vocabulary", (TreebankTool, TreebankOutput), build_vocabulary, table="parse",
            summary="Collect the tags, features, relations, slots and classes of treebanks, for"
            " validate.",
        ),
        SettingsCommand(
            "erase", (TreebankTool, TreebankOutput), erase, table="parse",
            summary="Make a blind copy of a treebank, for systems to fill: only ID and FORM stay.",
        ),
        SettingsCommand(
            "estimate-weights", (TreebankTool, TreebankOutput), estimate_weights, table="parse",
            summary="Estimate weights: lemmas 0.3 or 0.7 by part of speech, features by their"
            " number of values.",
            description="The file serves both --lemma-weights and --feats-weights.",
        ),
    ],
    summary="Parses against gold: morphology, syntax, semantics.",
    default=scoring_command("parse"),
)  # fmt: skip
