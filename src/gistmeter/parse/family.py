"""Parses: morphology, syntax and semantics against gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gistmeter.core.errors import InputError
from gistmeter.core.family import Context, Family, Items, ModelSettings, roles_of
from gistmeter.core.settings import Settings
from gistmeter.core.types import Metric, Parse
from gistmeter.parse.settings import ParseSettings

if TYPE_CHECKING:
    from gistmeter.parse.formats.pairs import ParsePairs
    from gistmeter.parse.metrics.accuracy import ParseAccuracy

__all__ = ["ParseSettings", "Parses"]
OPTIONAL = {"conll18": "the CoNLL 2018 shared task", "enhanced": "enhanced dependencies"}


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
    makers: ClassVar[Mapping[str, str]] = {
        "parsing": "gistmeter.parse.metrics:ParseAccuracy",
        "conll18": "gistmeter.parse.metrics.conll18:Conll18",
        "enhanced": "gistmeter.parse.metrics.enhanced:EnhancedDependencies",
    }

    def leads(self, settings: Mapping[str, Any]) -> Sequence[str]:
        """Plain CoNLL-U is judged by LAS, as everybody does; semantics by the total."""
        return ("las", "total") if settings.get("layout") == "CoNLL-U" else self.headline

    def read(self, settings: ParseSettings, context: Context) -> Items[Parse]:
        from gistmeter.core.files import system_names
        from gistmeter.parse import read as treebanks

        if settings.gold is None or not settings.systems:
            raise InputError("There is no system to score: give the gold's file, then the systems'")
        named = dict(zip(system_names(settings.systems), settings.systems, strict=True))
        read = self.read_named(settings.gold, named, settings)
        for remark in treebanks.remarks(read.items):
            context.say(remark)
        return read

    def read_named(
        self, gold: Path, systems: Mapping[str, Path], settings: ParseSettings
    ) -> Items[Parse]:
        """The parses of systems that are named by the caller."""
        from gistmeter.parse import read as treebanks

        pairs = treebanks.read_pairs(gold, systems, settings)
        return Items(
            pairs,
            files=[gold, *systems.values(), *settings.files],
            found={
                "gold": str(gold),
                "systems": [str(path) for path in systems.values()],
                "taxonomy": str(settings.taxonomy) if settings.taxonomy else None,
                "columns": list(pairs.gold.layout.columns),
                "layout": pairs.gold.layout.name,
            },
        )

    def build(
        self, read: Items[Parse], settings: ParseSettings, context: Context
    ) -> dict[str, Metric]:
        from gistmeter.parse.metrics.conll18 import Conll18
        from gistmeter.parse.metrics.enhanced import EnhancedDependencies

        asked = [name for name in OPTIONAL if getattr(settings, name)]
        names = self.makers_of(settings.metrics) if settings.metrics else ["parsing", *asked]
        for name, scores in OPTIONAL.items():
            if name in names and name not in asked:
                raise InputError(f"The scores of {scores} need the option {name}")
        built: dict[str, Metric] = {}
        for name in names:
            if name == "parsing":
                built[name] = _accuracy(read.items, settings, context)
            elif name == "conll18":
                built[name] = Conll18()
            elif name == "enhanced":
                built[name] = EnhancedDependencies()
            else:
                built[name] = self.plugin(name, _models(roles_of(name), context))
        return built


def _accuracy(pairs: Any, settings: ParseSettings, context: Context) -> ParseAccuracy:
    """The metric with the weights of the files, or of the gold where they know none."""
    from gistmeter.parse import read as treebanks
    from gistmeter.parse.metrics.accuracy import ParseAccuracy
    from gistmeter.parse.metrics.weights import FEATS_WEIGHTS, LEMMA_WEIGHTS, ParseWeights, estimate

    items: ParsePairs = pairs
    taxonomy = (
        treebanks.load_taxonomy(settings.taxonomy, context.cache) if settings.taxonomy else None
    )
    lemma, feats = settings.lemma_weights, settings.feats_weights
    given = ParseWeights(
        treebanks.read_weights(lemma, "lemma") if lemma else LEMMA_WEIGHTS,
        treebanks.read_weights(feats, "feats") if feats else FEATS_WEIGHTS,
    )
    estimated = estimate([items.gold])
    weights = given.completed(estimated)
    for warning in (
        *treebanks.unknown_weights(given, estimated),
        *treebanks.unknown_classes(items.gold, taxonomy),
    ):
        if settings.unknown_tags == "refuse":
            raise InputError(f"{warning}. They are refused (unknown_tags is refuse)")
        context.warn(warning)
    return ParseAccuracy(
        lemma_weights=dict(weights.lemma),
        feats_weights=dict(weights.feats),
        taxonomy=taxonomy,
        flat_classes=settings.flat_classes,
        semantic_only=settings.semantic_only,
        absent=treebanks.absent_scores(items, taxonomy, settings.flat_classes),
        foreign=treebanks.foreign_scores(items),
    )


def _models(roles: list[str], context: Context) -> Any:
    """The embedded models, for another package's metric that asks for some."""
    from gistmeter.core.models import load_by_language

    return load_by_language(roles, [""], ModelSettings(), context, names={})[""]
