"""Parses: morphology, syntax and semantics against gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from gistmeter.core.errors import InputError
from gistmeter.core.family import Context, Family, Items
from gistmeter.core.settings import Settings
from gistmeter.core.types import Parse
from gistmeter.parse.settings import ParseSettings

__all__ = ["ParseSettings", "Parses"]


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
        from gistmeter.core.files import system_names
        from gistmeter.parse import read as treebanks

        if settings.gold is None or not settings.systems:
            raise InputError("There is no system to score: give the gold's file, then the systems'")
        named = dict(zip(system_names(settings.systems), settings.systems, strict=True))
        read = treebanks.read_named(settings.gold, named, settings)
        for remark in treebanks.remarks(read.items):
            context.say(remark)
        return read
