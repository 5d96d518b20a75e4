"""Parses scored from Python: `score_parses(gold, systems)`.

Reading, pairing, weights and taxonomy come together here; the command line uses the same steps.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gistmeter.errors import FormatError, InputError
from gistmeter.evaluate import evaluate, input_digests
from gistmeter.files import read_bytes, system_names
from gistmeter.formats import taxonomy as taxonomies
from gistmeter.formats.conllu.alignment import align, tree_parents
from gistmeter.formats.conllu.layout import CONLLU, Layout, declare
from gistmeter.formats.conllu.pairs import ParsePairs, pair
from gistmeter.formats.conllu.reading import read_treebank
from gistmeter.formats.conllu.treebank import EMPTY, Treebank
from gistmeter.formats.taxonomy import Taxonomy
from gistmeter.metrics.conll18 import COLUMNS, Conll18
from gistmeter.metrics.parsing.accuracy import ParseAccuracy
from gistmeter.metrics.parsing.points import NEEDED, SEVEN
from gistmeter.metrics.parsing.weights import (
    FEATS_WEIGHTS,
    LEMMA_WEIGHTS,
    ParseWeights,
    estimate,
    seen,
)
from gistmeter.statistics import SEED

if TYPE_CHECKING:
    from gistmeter.cache import Cache
    from gistmeter.types import Metric, Run

SCORED = ("LEMMA", "UPOS", "FEATS", "HEAD", "DEPREL", "SEMSLOT", "SEMCLASS")
SHOWN = 8  # names in a remark


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """What can be chosen when parses are scored."""

    taxonomy: Path | None = None
    lemma_weights: Path | None = None
    feats_weights: Path | None = None
    columns: str = ""
    semantic_only: bool = False
    conll18: bool = False
    flat_classes: bool = False

    @property
    def files(self) -> list[Path]:
        """The files among them."""
        given = (self.taxonomy, self.lemma_weights, self.feats_weights)
        return list(dict.fromkeys(path for path in given if path is not None))

    @property
    def layout(self) -> Layout | None:
        return declare(self.columns, name="--columns") if self.columns else None


@dataclass(frozen=True, slots=True)
class ParseTask:
    """Everything that is needed to score, and what the user should know about it."""

    pairs: ParsePairs
    metrics: Mapping[str, Metric]
    remarks: Sequence[str] = field(default_factory=tuple)
    warnings: Sequence[str] = field(default_factory=tuple)


def score_parses(
    gold: str | Path,
    systems: str | Path | Sequence[str | Path],
    *,
    taxonomy: str | Path | None = None,
    lemma_weights: str | Path | None = None,
    feats_weights: str | Path | None = None,
    columns: str = "",
    semantic_only: bool = False,
    conll18: bool = False,
    flat_classes: bool = False,
    cache: Cache | None = None,
    seed: int = SEED,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Run:
    """Score systems' parses against the gold's; a system is named by its file's stem.

    The run holds a row a sentence and the intervals; nothing is written. With a `cache` a large
    taxonomy is parsed only once.
    """
    listed = [systems] if isinstance(systems, str | Path) else systems
    paths = [Path(gold), *(Path(path) for path in listed)]
    options = ParseOptions(
        taxonomy=Path(taxonomy) if taxonomy else None,
        lemma_weights=Path(lemma_weights) if lemma_weights else None,
        feats_weights=Path(feats_weights) if feats_weights else None,
        columns=columns,
        semantic_only=semantic_only,
        conll18=conll18,
        flat_classes=flat_classes,
    )
    task = prepare(paths[0], paths[1:], options, cache)
    return evaluate(
        task.pairs,
        task.metrics,
        command="parse",
        inputs=input_digests([*paths, *options.files]),
        seed=seed,
        resamples=resamples,
        confidence=confidence,
    )


def prepare(
    gold_path: Path, system_paths: Sequence[Path], options: ParseOptions, cache: Cache | None = None
) -> ParseTask:
    """Read the files and choose the metrics; whatever is wrong with them is said here."""
    if options.flat_classes and options.taxonomy:
        raise InputError("A taxonomy and --flat-classes exclude each other: choose one")
    taxonomy = load_taxonomy(options.taxonomy, cache) if options.taxonomy else None
    given = ParseWeights(
        read_weights(options.lemma_weights, "lemma") if options.lemma_weights else LEMMA_WEIGHTS,
        read_weights(options.feats_weights, "feats") if options.feats_weights else FEATS_WEIGHTS,
    )
    gold, systems = read_files(gold_path, system_paths, options)
    pairs = align(gold, systems) if options.conll18 else pair(gold, systems)
    estimated = estimate([gold])
    weights = given.completed(estimated)
    metrics: dict[str, Metric] = {
        "parsing": ParseAccuracy(
            lemma_weights=dict(weights.lemma),
            feats_weights=dict(weights.feats),
            taxonomy=taxonomy,
            flat_classes=options.flat_classes,
            semantic_only=options.semantic_only,
            absent=absent_scores(pairs, taxonomy, options.flat_classes),
        )
    }
    if options.conll18:
        for treebank in (gold, *systems.values()):
            tree_parents(treebank)
        metrics["conll18"] = Conll18()
    return ParseTask(
        pairs,
        metrics,
        remarks=_remarks(pairs),
        warnings=[*_unknown_weights(given, estimated), *_unknown_classes(gold, taxonomy)],
    )


def read_files(
    gold_path: Path, system_paths: Sequence[Path], options: ParseOptions
) -> tuple[Treebank, dict[str, Treebank]]:
    """The gold and the systems, with shared vocabularies; systems take the gold's layout."""
    if not system_paths:
        raise InputError("There is no system to score: give the gold's file, then the systems'")
    columns = (*SCORED, "XPOS") if options.conll18 else SCORED
    gold = read_treebank(gold_path, columns=columns, layout=options.layout)
    if options.conll18:
        _need_columns(gold)
    systems = {}
    for name, path in zip(system_names(system_paths), system_paths, strict=True):
        systems[name] = read_treebank(
            path,
            columns=columns,
            layout=options.layout,
            fallback=gold.layout,
            vocabularies=gold.vocabularies,
        )
        if options.conll18:
            _need_columns(systems[name])
    return gold, systems


def _need_columns(treebank: Treebank) -> None:
    missing = [column for column in COLUMNS if column not in treebank]
    if missing:
        raise InputError(f"{treebank.path}: --conll18 needs the columns {' '.join(missing)} too")


def load_taxonomy(path: Path, cache: Cache | None = None) -> Taxonomy:
    """A taxonomy, compiled in the cache so that a large one is parsed only once."""
    content = taxonomies.read_content(path)
    identity = taxonomies.identify(path, content)
    if cache is None:
        return taxonomies.parse_taxonomy(path, content, identity)
    from gistmeter.cache import keys

    (key,) = keys("taxonomy", [taxonomies.content_digest(content)])
    stored = cache.get_many([key]).get(key)
    taxonomy = Taxonomy.from_bytes(stored, identity) if stored else None
    if taxonomy is None:
        taxonomy = taxonomies.parse_taxonomy(path, content, identity)
        cache.put_many({key: taxonomy.to_bytes()})
    return taxonomy


def read_weights(path: Path, kind: str) -> dict[str, float]:
    """Weights by name, from a JSON object, or from its part `kind` ("lemma" or "feats")."""
    try:
        document = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is not JSON ({error})", path=path) from None
    if isinstance(document, dict) and isinstance(document.get(kind), dict):
        document = document[kind]
    if not isinstance(document, dict) or not document:
        raise FormatError(
            'expected an object of weights, such as {"NOUN": 0.7, "ADP": 0.3}', path=path
        )
    weights: dict[str, float] = {}
    for name, weight in document.items():
        number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if (
            not number
            or not math.isfinite(weight)
            or weight < 0
            or (not weight and kind == "feats")
        ):
            least = "0 or more" if kind == "lemma" else "more than 0"
            raise FormatError(f"the weight of '{name}' is {weight!r}, expected {least}", path=path)
        weights[name] = float(weight)
    return weights


def estimate_weights(paths: Sequence[Path], columns: str = "") -> ParseWeights:
    """The weights of what treebanks contain."""
    layout = declare(columns, name="--columns") if columns else None
    return estimate(read_treebank(path, columns=SCORED, layout=layout) for path in paths)


def absent_scores(
    pairs: ParsePairs, taxonomy: Taxonomy | None, flat_classes: bool
) -> tuple[str, ...]:
    """Scores that a missing column or taxonomy makes impossible, for one system at least."""
    treebanks = (pairs.gold, *(match.system for match in pairs.matches))
    return tuple(
        score
        for score in SEVEN
        if any(column not in one for column in NEEDED[score] for one in treebanks)
        or (score == "semclass" and taxonomy is None and not flat_classes)
    )


def _remarks(pairs: ParsePairs) -> list[str]:
    gold = pairs.gold
    why = ""
    if gold.guessed:
        cells = "enhanced dependencies or nothing" if gold.layout is CONLLU else "semantic slots"
        why = f"; column 9 holds {cells}"
    found = [f"{gold.path}: read as {gold.layout}{why}"]
    systems = [match.system for match in pairs.matches]
    found += [f"{one.path}: read as {one.layout}" for one in systems if one.layout != gold.layout]
    if gold.empty_nodes:
        found.append(f"{gold.path}: {gold.empty_nodes:,} empty nodes are not scored")
    return found


def _unknown_weights(given: ParseWeights, estimated: ParseWeights) -> list[str]:
    lacking = given.lacking(estimated)
    if not lacking:
        return []
    listed = ", ".join(f"{name} {weight:g}" for name, weight in sorted(lacking.items())[:SHOWN])
    more = f" and {len(lacking) - SHOWN} more" if len(lacking) > SHOWN else ""
    return [f"the weights do not know some tags; estimated from the gold: {listed}{more}"]


def _unknown_classes(gold: Treebank, taxonomy: Taxonomy | None) -> list[str]:
    if taxonomy is None:
        return []
    classes = [name for name in seen(gold, "SEMCLASS") if name not in EMPTY]
    nodes = taxonomy.find(classes)
    unknown = [name for name, node in zip(classes, nodes.tolist(), strict=True) if node < 0]
    if not unknown:
        return []
    listed = ", ".join(unknown[:SHOWN]) + ("…" if len(unknown) > SHOWN else "")
    return [
        f"{len(unknown):,} of the gold's {len(classes):,} classes are not in the taxonomy and are "
        f"compared by equality: {listed}"
    ]
