"""Parses: morphology, syntax and semantics against gold.

Each field of the settings is an option of `gistmeter parse` and an argument in Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from gistmeter.core.errors import InputError
from gistmeter.core.family import Context, Family, Items
from gistmeter.core.files import system_names
from gistmeter.core.settings import OURS, Settings, option
from gistmeter.core.types import Parse, Sheet
from gistmeter.core.views import Opener

if TYPE_CHECKING:
    from gistmeter.core.run import Run

SEMARKUP: Mapping[str, Any] = {
    "flat_classes": False,
    "semantic_only": False,
    "conll18": False,
    "enhanced": False,
    "unknown_tags": "refuse",
}  # what the scorer of the shared task SEMarkup-2023 does

COLUMNS_HELP = (
    "The columns of the files in order, such as 'ID FORM LEMMA UPOS', where neither a"
    " '# global.columns' line nor their number tells."
)


@dataclass(frozen=True, kw_only=True)
class ParseSettings(Settings):
    """Which files, which weights, which scores."""

    title: ClassVar[str] = "parse"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"semarkup": SEMARKUP}

    preset: Literal["gistmeter", "semarkup"] = option(
        OURS,
        "Score as another system does: semarkup is the scorer of the shared task SEMarkup-2023."
        " Options that are given with it take precedence.",
        panel="scores", flag="--as",
    )  # fmt: skip

    gold: Path | None = option(
        None, "The treebank to score against (.conllu, .gz).",
        panel="input", reach="read", argument="only", metavar="GOLD", main=True,
    )  # fmt: skip
    systems: tuple[Path, ...] = option(
        (), "What parsers made of it, one file each, named by its stem.",
        panel="input", reach="read", argument="only", metavar="SYSTEM...", main=True,
    )  # fmt: skip
    columns: str = option("", COLUMNS_HELP, panel="input", reach="nothing", metavar="NAMES")
    metrics: tuple[str, ...] = option(
        (), "Scores to compute, separated by commas; further ones come from installed packages."
        " Default: all.",
        panel="scores", reach="nothing",
    )  # fmt: skip
    taxonomy: Path | None = option(
        None,
        "The forest of semantic classes, as CSV: ID, ParentID, Depth, Name, or child, parent.",
        panel="scores", reach="read", metavar="FILE", main=True,
    )  # fmt: skip
    flat_classes: bool = option(
        False, "Compare semantic classes by equality, without a taxonomy.", panel="scores"
    )
    semantic_only: bool = option(
        False, "Use as the total the mean of uas, semslot and semclass alone.", panel="scores"
    )
    conll18: bool = option(
        False,
        "Align tokens that differ by their characters, and add the scores of the CoNLL 2018 shared"
        " task: clas, mlas, blex and others.",
        panel="scores", main=True,
    )  # fmt: skip
    enhanced: bool = option(
        False,
        "Add the scores of enhanced dependencies (elas, eulas), as the IWPT shared tasks have them,"
        " and of empty nodes.",
        panel="scores",
    )  # fmt: skip
    training: tuple[Path, ...] = option(
        (), "Treebanks that the systems learned from: scores of words and lemmas that they lack are"
        " shown apart.",
        panel="scores", reach="read", metavar="FILE",
    )  # fmt: skip
    weights: Path | None = option(
        None,
        "Weights of lemmas and categories, from gistmeter parse estimate-weights. Name and hash of"
        " the file stand in the signature.",
        panel="scores", reach="read", metavar="FILE",
    )  # fmt: skip
    lemma_weights: Path | None = option(
        None,
        "Weights of lemmas by part of speech, as JSON. By default 0.3 for parts of speech that do"
        " not inflect and 0.7 for others.",
        panel="scores", reach="read", metavar="FILE",
    )  # fmt: skip
    feats_weights: Path | None = option(
        None,
        "Weights of grammatical categories, as JSON. By default those of the SEMarkup treebank.",
        panel="scores", reach="read", metavar="FILE",
    )  # fmt: skip

    unknown_tags: Literal["estimate", "refuse"] = option(
        "estimate",
        "Parts of speech and categories of the gold that have no weight, and classes that the"
        " taxonomy lacks: estimate their weights and compare them by equality, or refuse.",
        panel="scores", advanced=True,
    )  # fmt: skip

    def check(self) -> None:
        if self.weights and (self.lemma_weights or self.feats_weights):
            raise InputError(
                "--weights has all weights: leave --lemma-weights, --feats-weights out"
            )
        if self.flat_classes and self.taxonomy:
            raise InputError("A taxonomy and --flat-classes exclude each other: choose one")

    @property
    def files(self) -> list[Path]:
        """The files beside the treebanks."""
        given = (
            self.taxonomy, self.weights, self.lemma_weights, self.feats_weights, *self.training
        )  # fmt: skip
        return list(dict.fromkeys(path for path in given if path is not None))


class Parses(Family[ParseSettings, Parse]):
    """CoNLL-U and its kin against gold, semantic classes by their distance in a taxonomy."""

    name = "parse"
    noun = "sentence"
    summary = "Parses against gold: morphology, syntax, semantics."
    description = (
        "Scores lemmas, tags, features, heads, relations, semantic slots and classes. The layout of"
        " the files is found: CoNLL-U, SEMarkup, CoBaLD, or CoNLL-U Plus by its '# global.columns'"
        " line. Systems take the gold's layout. Tools for treebanks, as gistmeter parse TOOL:"
        " validate, build-vocabulary, erase, estimate-weights"
    )
    examples = (
        "gistmeter parse gold.conllu parser_a.conllu parser_b.conllu",
        "gistmeter parse gold.conllu parser.conllu --taxonomy classes.csv -o scores.xlsx",
    )
    Settings: ClassVar[type[Settings]] = ParseSettings
    headline = ("total",)
    shows = "gistmeter.parse.views:VIEW"

    def leads(self, settings: Mapping[str, Any]) -> Sequence[str]:
        """Plain CoNLL-U is judged by LAS, as everybody does; semantics by the total."""
        return ("las", "total") if settings.get("layout") == "CoNLL-U" else self.headline

    def read(self, settings: ParseSettings, context: Context) -> Items[Parse]:
        from gistmeter.parse import read as treebanks

        del context
        if settings.gold is None or not settings.systems:
            raise InputError("There is no system to score: give the gold's file, then the systems'")
        named = dict(zip(system_names(settings.systems), settings.systems, strict=True))
        return treebanks.read_named(settings.gold, named, settings)

    def prepare(
        self, read: Items[Parse], settings: ParseSettings, context: Context
    ) -> Items[Parse]:
        """The same items, with what the user should know of their files said."""
        from gistmeter.parse.read import say_how_read

        del settings
        say_how_read(read.items, context)
        return read

    def overview(self, run: Run) -> list[Sheet]:
        """The tables of the official script, where its scores were made."""
        from gistmeter.parse.views import official_tables

        return official_tables(Opener(run))
