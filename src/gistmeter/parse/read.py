"""Treebanks, weights and taxonomies as the parse family needs them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.family import Context, Items
from gistmeter.core.files import read_bytes
from gistmeter.core.types import Parse
from gistmeter.core.wiring import Wiring
from gistmeter.core.wording import listed
from gistmeter.parse.family import ParseSettings
from gistmeter.parse.formats.pairs import ParsePairs, pair
from gistmeter.parse.formats.taxonomy import Taxonomy, read_taxonomy
from gistmeter.parse.formats.treebank import (
    CONLLU,
    EMPTY,
    Bools,
    Layout,
    Treebank,
    compose,
    declare,
)
from gistmeter.parse.formats.treebank_reader import read_treebank
from gistmeter.parse.formats.trees import not_trees, problems_of, tree_parents
from gistmeter.parse.formats.word_alignment import align
from gistmeter.parse.metrics.conll18 import COLUMNS
from gistmeter.parse.metrics.points import NEEDED, SEVEN
from gistmeter.parse.metrics.weighting import (
    FEATS_WEIGHTS,
    LEMMA_WEIGHTS,
    ParseWeights,
    estimate,
    seen,
)

SCORED = ("LEMMA", "UPOS", "FEATS", "HEAD", "DEPREL", "SEMSLOT", "SEMCLASS")
SHOWN = 8  # names in a remark


def read_pairs(gold_path: Path, systems: Mapping[str, Path], settings: ParseSettings) -> ParsePairs:
    """The gold and the systems, with shared vocabularies; systems take the gold's layout."""
    conll18 = settings.conll18
    columns = (*SCORED, *(["XPOS"] if conll18 else []), *(["DEPS"] if settings.enhanced else []))
    layout = declare(settings.columns, name="--columns") if settings.columns else None
    gold = read_treebank(gold_path, columns=columns, layout=layout)
    parsed = {
        name: read_treebank(
            path, columns=columns, layout=layout, fallback=gold.layout,
            vocabularies=gold.vocabularies,
        )
        for name, path in systems.items()
    }  # fmt: skip
    training = _training(gold, settings.training, layout)
    if not conll18:
        return replace(pair(gold, parsed), training=training)
    for treebank in (gold, *parsed.values()):
        missing = [column for column in COLUMNS if column not in treebank]
        if missing:
            needed = f"--conll18 needs the columns {' '.join(missing)} too"
            raise InputError(f"{treebank.path}: {needed}")
        tree_parents(treebank)
    return replace(align(gold, parsed), training=training)


def _training(gold: Treebank, paths: Sequence[Path], layout: Layout | None) -> dict[str, Bools]:
    """Which strings of the gold's forms and lemmas occur in the treebanks of training."""
    known: dict[str, set[str]] = {"FORM": set(), "LEMMA": set()}
    for path in paths:
        treebank = read_treebank(path, columns=("LEMMA",), layout=layout, fallback=gold.layout)
        for column, strings in known.items():
            strings.update(map(compose, seen(treebank, column)))
    return {
        column: gold.vocabularies[column].flags(lambda one: compose(one) in strings)  # noqa: B023
        for column, strings in known.items()
        if strings and column in gold
    }


def read_named(gold: Path, systems: Mapping[str, Path], settings: ParseSettings) -> Items[Parse]:
    """The parses of systems that are named by the caller."""
    pairs = read_pairs(gold, systems, settings)
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
        if not number or not 0 <= weight < 1e100 or (not weight and kind == "feats"):
            least = "0 or more" if kind == "lemma" else "more than 0"
            raise FormatError(f"the weight of '{name}' is {weight!r}, expected {least}", path=path)
        weights[name] = float(weight)
    return weights


def estimate_weights(paths: Sequence[Path], columns: str = "") -> ParseWeights:
    """The weights of what treebanks contain."""
    layout = declare(columns, name="--columns") if columns else None
    return estimate(read_treebank(path, columns=SCORED, layout=layout) for path in paths)


def taxonomy_of(wiring: Wiring) -> Taxonomy | None:
    """The taxonomy that the settings name."""
    path = wiring.settings.taxonomy
    if path is None:
        return None
    taxonomy = read_taxonomy(path, wiring.context.cache)
    if taxonomy.repeated:
        several = listed(taxonomy.repeated, SHOWN)
        wiring.context.warn(f"{path}: of a name used twice the last node counts: {several}")
    return taxonomy


def weights_of(wiring: Wiring) -> ParseWeights:
    """The weights of the files, or of the gold where they know none."""
    settings, gold = wiring.settings, wiring.items.gold  # type: ignore[attr-defined]
    lemma = settings.weights or settings.lemma_weights
    feats = settings.weights or settings.feats_weights
    given = ParseWeights(
        read_weights(lemma, "lemma") if lemma else LEMMA_WEIGHTS,
        read_weights(feats, "feats") if feats else FEATS_WEIGHTS,
    )
    estimated = estimate([gold])
    unknown = unknown_classes(gold, wiring.once(taxonomy_of))
    for warning in (*unknown_weights(given, estimated), *unknown):
        if settings.unknown_tags == "refuse":
            raise InputError(f"{warning}. They are refused (unknown_tags is refuse)")
        wiring.context.warn(warning)
    return given.completed(estimated)


def named_weights(wiring: Wiring) -> str:
    """The name of the file of weights, with the hash of what it holds."""
    path = wiring.settings.weights
    return f"{path.name}@{hashlib.sha256(read_bytes(path)).hexdigest()[:12]}" if path else ""


def absent_scores(wiring: Wiring) -> tuple[str, ...]:
    """Scores that a missing column or taxonomy makes impossible, for one system at least."""
    pairs: ParsePairs = wiring.items  # type: ignore[assignment]
    taxonomy, flat_classes = wiring.once(taxonomy_of), wiring.settings.flat_classes
    treebanks = (pairs.gold, *(match.system for match in pairs.matches))
    return tuple(
        score
        for score in SEVEN
        if any(column not in one for column in NEEDED[score] for one in treebanks)
        or (score == "semclass" and taxonomy is None and not flat_classes)
    )


def foreign_scores(wiring: Wiring) -> tuple[str, ...]:
    """Scores that a plain CoNLL-U gold has no columns for: no system can lack them."""
    gold: Treebank = wiring.items.gold  # type: ignore[attr-defined]
    if gold.layout is not CONLLU:
        return ()
    return tuple(score for score in SEVEN if any(column not in gold for column in NEEDED[score]))


def say_how_read(pairs: Sequence[Parse], context: Context) -> None:
    """What the user should know of the files."""
    if isinstance(pairs, ParsePairs):
        for remark in remarks(pairs):
            context.say(remark)
        for warning in broken_trees(pairs):
            context.warn(warning)


def remarks(pairs: ParsePairs) -> list[str]:
    """How the files were read."""
    gold = pairs.gold
    why = ""
    if gold.guessed:
        cells = "enhanced dependencies or nothing" if gold.layout is CONLLU else "semantic slots"
        why = f"; column 9 holds {cells}"
    found = [f"{gold.path}: read as {gold.layout}{why}"]
    systems = [match.system for match in pairs.matches]
    found += [f"{one.path}: read as {one.layout}" for one in systems if one.layout != gold.layout]
    if len(gold.nodes) and "DEPS" not in gold:
        found.append(
            f"{gold.path}: {len(gold.nodes):,} empty nodes are not scored; --enhanced scores them"
        )
    return found


def broken_trees(pairs: ParsePairs) -> list[str]:
    """Which sentences of each file are not trees; they are scored as they stand."""
    found = []
    for treebank in (pairs.gold, *(match.system for match in pairs.matches)):
        sentences = not_trees(treebank)
        problems = [one for at in sentences[:SHOWN] for one in problems_of(treebank, at)]
        several = [f"line {problem.line}: {problem.message}" for problem in problems[:3]]
        if sentences:
            one = len(sentences) == 1
            number = (
                "1 sentence is not a tree" if one else f"{len(sentences):,} sentences are not trees"
            )
            found.append(
                f"{treebank.path}: {number}, and scored all the same: "
                f"{'; '.join(several)}. gistmeter parse validate lists all"
            )
    return found


def unknown_weights(given: ParseWeights, estimated: ParseWeights) -> list[str]:
    lacking = given.lacking(estimated)
    names = [f"{name} {weight:g}" for name, weight in sorted(lacking.items())]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    listed = ", ".join(names[:SHOWN]) + more
    remark = f"the weights do not know some tags; estimated from the gold: {listed}"
    return [remark] if lacking else []


def unknown_classes(gold: Treebank, taxonomy: Taxonomy | None) -> list[str]:
    if taxonomy is None:
        return []
    classes = [name for name in seen(gold, "SEMCLASS") if name not in EMPTY]
    nodes = taxonomy.find(classes).tolist()
    unknown = [name for name, node in zip(classes, nodes, strict=True) if node < 0]
    listed = ", ".join(unknown[:SHOWN]) + ("…" if len(unknown) > SHOWN else "")
    remark = (
        f"{len(unknown):,} of the gold's {len(classes):,} classes are not in the taxonomy and are "
        f"compared by equality: {listed}"
    )
    return [remark] if unknown else []
