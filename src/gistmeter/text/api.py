"""Texts from Python: columns in and a `Run` out; and the components of S_Acc and S_Logic alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gistmeter import languages
from gistmeter.core import api as given
from gistmeter.core.api import ROLES, Column, Files, score_shape, settle
from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError
from gistmeter.core.family import Items
from gistmeter.core.run import Run
from gistmeter.core.table import Table
from gistmeter.core.types import Pair, is_original
from gistmeter.models.protocols import EntailmentModel, Judgements, Matches, TokenMatcher
from gistmeter.text import RECOVERED, STRUCTURE
from gistmeter.text.formats.predictions import marked
from gistmeter.text.formats.references import answer_in, clean
from gistmeter.text.metrics.accuracy import REPRESENTATION, Weights, representation_of, weigh
from gistmeter.text.metrics.comparisons import AGGREGATES, Comparisons, require_known
from gistmeter.text.metrics.lexical import compare_counts, content_counts, negations_of
from gistmeter.text.metrics.polarity_conflict import Mode, PolarityRule
from gistmeter.text.read import read_table_pairs
from gistmeter.text.settings import TextSettings

ContentWords = Sequence[str]  # of a text, where the caller has them


def score_text(
    candidates: Column | Mapping[str, Column] | Files,
    references: Column | Files | None = None,
    *,
    ids: Column | None = None,
    systems: Column | str | None = None,
    arrangements: Column | str | None = None,
    structures: Column | None = None,
    recovered: Column | None = None,
    samples: Column | None = None,
    columns: Mapping[str, Column] | None = None,
    language: Column | str | None = None,
    settings: TextSettings | None = None,
    models: Mapping[str, Any] | None = None,
    cache: Cache | Files | None = None,
    **options: Any,
) -> Run:
    """Score candidates against their references, each one text or several.

    `candidates` is a column of texts, a mapping from systems to columns, the path of a file of
    predictions, or a data frame, of which the other arguments name columns; `language` one code or
    a column of codes. `samples` tell several answers to one id apart, `columns` are kept with the
    items, to be shown and sliced by. `options` are those of `gistmeter text` (metrics, aggregate,
    profile, embedder, seed, output …); `models` may name or be models by role.

    >>> run = score_text(["坚持做一件事就会成功"], ["只要有恒心，事情就能成功"], language="zh",
    ...                  metrics=["s_info"])
    >>> run["s_info"].value > 0, run["s_info"].n
    (True, 1)
    """
    named = {ROLES.get(role, role): model for role, model in (models or {}).items()}
    options = {**named, **options}
    if given.is_path(candidates):
        options |= {"predictions": candidates, "references": references}
        options |= {} if language is None else {"language": language}
        return score_shape("text", settings, options, cache)
    table = given.table_in(candidates)
    if table is not None:
        named = {
            "reference": references, "idiom": ids, "arrangement": arrangements,
            "structure": structures, "recovered": recovered, "sample": samples,
            "language": language,
        }  # fmt: skip
        return _score_table(table, named, systems, settings, options, cache=cache)
    parallel = {
        "references": references, "ids": ids, "arrangements": arrangements,
        "structures": structures, "recovered": recovered, "samples": samples,
        "language": None if isinstance(language, str) else language,
    }  # fmt: skip
    kept = {name: given.reusable(column) for name, column in (columns or {}).items()}
    by_system = candidates if isinstance(candidates, Mapping) else {"": candidates}
    if not by_system:
        raise InputError("There is nothing to score: no candidates were given")
    if len(by_system) > 1:  # a generator serves once
        parallel = {name: given.reusable(column) for name, column in parallel.items()}
    pairs: list[Pair] = []
    for system, texts in by_system.items():
        pairs += _pairs(texts, kept, systems=str(system) or systems, **parallel)
    if isinstance(language, str):
        options["language"] = language
    given.refuse_repeated(pairs)
    originals = {pair.system for pair in pairs if is_original(pair.arrangement)}
    return score_shape("text", settings, options, cache, Items(marked(pairs, originals)))


def _score_table(
    table: Table,
    named: Mapping[str, Any],
    systems: Any,
    settings: TextSettings | None,
    options: dict[str, Any],
    *,
    cache: Cache | Files | None,
) -> Run:
    """The run of a data frame; arguments that are no column's name are options."""
    chosen = {name: header for name, header in named.items() if header in table.columns}
    for name in ("arrangement", "structure", "recovered", "sample", "idiom"):
        if named[name] is not None and name not in chosen:
            raise InputError(
                f"{name}: '{named[name]}' is not a column of the data frame. Columns found: "
                f"{', '.join(table.columns)}"
            )
    for option, name in (("references", "reference"), ("language", "language")):
        if named[name] is not None and name not in chosen:
            options[option] = named[name]
    if isinstance(systems, str) and systems in table.columns:
        chosen["system"] = systems
    elif systems is not None:
        options["systems"] = systems
    options["column"] = {**chosen, **options.get("column", {})}
    own, _ = settle("text", settings, options)
    assert isinstance(own, TextSettings)
    return score_shape("text", settings, options, cache, read_table_pairs(table, own))


def _pairs(
    candidates: Any,
    kept: Mapping[str, Any],
    *,
    references: Any,
    systems: Any,
    **columns: Any,
) -> list[Pair]:
    """Pairs from parallel columns; a column of another length is an error."""
    predictions = given.texts(candidates, "candidates")
    if not predictions:
        raise InputError("There is nothing to score: no candidates were given")
    if references is None:
        raise InputError("There are no references: give a column of them")
    expected = given.several(references, "references")
    count = len(predictions)
    given.same_length(expected, count, "references", "candidates")
    if columns["ids"] is None:
        columns["ids"] = [str(number) for number in range(1, count + 1)]
    repeated = {name: given.repeated(column, name, count) for name, column in columns.items()}
    repeated["systems"] = given.repeated(systems, "systems", count, "system")
    further = [
        dict(zip(kept, row, strict=True))
        for row in zip(*(given.repeated(kept[name], name, count) for name in kept), strict=True)
    ] or [{}] * count
    cells = zip(*repeated.values(), strict=True)
    rows = [dict(zip(repeated, row, strict=True)) for row in cells]
    return [
        Pair(
            id=row["ids"],
            candidate=answer_in(text),
            references=tuple(dict.fromkeys(filter(None, map(clean, texts)))),
            system=row["systems"],
            arrangement=row["arrangements"],
            language=row["language"],
            fields={
                field: row[column]
                for field, column in ((STRUCTURE, "structures"), (RECOVERED, "recovered"))
                if row[column]
            },
            sample=row["samples"],
            columns={name: text for name, text in own.items() if text},
        )
        for text, texts, row, own in zip(predictions, expected, rows, further, strict=True)
    ]


def lexical_cosine(
    candidate: str | ContentWords,
    reference: str | ContentWords | Sequence[ContentWords],
    *,
    language: str = "",
    aggregate: str = "max",
) -> float:
    """Cosine between counts of content words: range [0, 1], NaN where a text has no words.

    Both texts (several references as a list), or both as lists of words.

    >>> round(lexical_cosine("a fine day", "a fine day at sea", language="en"), 4)
    0.8165
    >>> lexical_cosine(["fine", "day"], ["fine", "night"])
    0.5
    """
    compared = _compare(candidate, reference, language, beta=1.0)
    return _aggregate([cosine for cosine, _ in compared], aggregate)


def content_fbeta(
    candidate: str | ContentWords,
    reference: str | ContentWords | Sequence[ContentWords],
    *,
    language: str = "",
    beta: float = 2.0,
    aggregate: str = "max",
) -> float:
    """F-beta over sets of content words: range [0, 1], NaN where a text has no words.

    >>> content_fbeta(["fine", "day"], ["fine", "night"])
    0.5
    >>> round(content_fbeta("a fine day at sea", "a fine day", language="en"), 4)
    0.9091
    """
    compared = _compare(candidate, reference, language, beta)
    return _aggregate([overlap for _, overlap in compared], aggregate)


def polarity_conflict(
    candidate: str,
    reference: str | Sequence[str],
    *,
    language: str = "",
    mode: Mode = "all",
    ratio: float = 0.5,
) -> bool:
    """Whether a candidate praises what its references blame, or the other way round.

    >>> polarity_conflict("形容人品低劣", "形容人品优秀", language="zh")
    True
    >>> polarity_conflict("不是不喜欢", "非常喜欢", language="zh")
    False
    """
    references = [reference] if isinstance(reference, str) else list(reference)
    if not references:
        raise InputError("There is no reference to compare with")
    texts = tuple(clean(text) for text in references)
    comparisons = Comparisons.of([Pair("", clean(candidate), texts)])
    rule = PolarityRule(mode=mode, ratio=ratio)
    return bool(rule.decide([""], [_pack(language, references)], comparisons)[0] > 0)


def bertscore(
    candidates: str | Sequence[str],
    references: str | Sequence[str],
    *,
    language: str = "",
    model: str | TokenMatcher = "e5-small",
    cache: Cache | None = None,
) -> Matches:
    """BERTScore precision, recall and F1 of each candidate against its reference.

    `model` is a name as `--token-encoder` takes it, or a matcher. Identical texts score 1.

    >>> bertscore("持之以恒", "持之以恒", language="zh").f1.round(4).tolist()
    [1.0]
    """
    pairs = _parallel(candidates, references)
    matcher: TokenMatcher = _model("matcher", model, cache, language=language)
    return matcher.match(pairs)


def entailment(
    premises: str | Sequence[str],
    hypotheses: str | Sequence[str],
    *,
    model: str | EntailmentModel = "",
    profile: str = "paper",
    cache: Cache | None = None,
) -> Judgements:
    """Probabilities that each hypothesis follows from, is open under, or contradicts its premise.

    `model` is a name as `--nli` takes it (empty for the profile's own), or an object that
    classifies pairs itself:

    >>> import numpy as np
    >>> from gistmeter.models.protocols import Judgements
    >>> class Coin:
    ...     id = "coin"
    ...     def classify(self, pairs):
    ...         half, none = np.full(len(pairs), 0.5), np.zeros(len(pairs))
    ...         return Judgements(half, none, half, unseen=none)
    >>> entailment("He fell ill and stayed at home.", "He stayed at home.", model=Coin()).entailment
    array([0.5])
    """
    pairs = _parallel(premises, hypotheses)
    nli: EntailmentModel = _model("nli", model, cache, profile=profile)
    return nli.classify(pairs)


def _model(role: str, model: Any, cache: Cache | None, **options: Any) -> Any:
    """The model of a name, or the one that was given."""
    if not isinstance(model, str):
        return model
    from gistmeter.models.loading import load_models, require

    names = {role: model} if model else {}
    store = cache if cache is not None else Cache(None)
    return require(load_models([role], names=names, cache=store, **options), role)


def semantic_accuracy(
    *, weights: Weights | None = None, f_beta: float = math.nan, **components: float
) -> float:
    """S_Acc from its components: cross_encoder, bertscore, sts, lexical_cosine and f_beta.

    A component that is not given (or NaN) is left out, and the weights of those that are there
    are rescaled; `representation` may be given in place of the three that make it.

    >>> semantic_accuracy(cross_encoder=0.8, bertscore=0.7, sts=0.6, lexical_cosine=0.5, f_beta=0.5)
    0.68
    """
    known = {"cross_encoder", "representation", *REPRESENTATION}
    if unknown := set(components) - known:
        raise InputError(f"'{', '.join(sorted(unknown))}' is not a component of S_Acc")
    defined = {name: value for name, value in components.items() if not math.isnan(value)}
    values = {name: np.asarray([value]) for name, value in defined.items()}
    if "representation" not in values:
        values |= representation_of(values)
    if not math.isnan(f_beta):
        values["f_beta"] = np.asarray([f_beta])
    return float(weigh(values, weights or Weights())[0])


def _pack(language: str, texts: Sequence[str]) -> languages.Language:
    """The language given, or the one that the texts are surely in."""
    return languages.get(languages.choose(language, texts=[tuple(texts)]).codes[0])


def _compare(
    candidate: str | ContentWords,
    reference: str | ContentWords | Sequence[ContentWords],
    language: str,
    beta: float,
) -> list[tuple[float, float]]:
    """Lexical cosine and F-beta with each reference."""
    negations: frozenset[str] = frozenset()
    if isinstance(candidate, str):
        texts = [reference] if isinstance(reference, str) else list(map(str, reference))
        pack = _pack(language, texts)
        negations = negations_of(pack)
        said, *expected = (content_counts(pack, clean(text)) for text in (candidate, *texts))
    elif isinstance(reference, str):
        raise InputError(
            "The candidate is a list of words and the reference a text: give both alike"
        )
    else:
        single = all(isinstance(word, str) for word in reference)
        lists = [list(map(str, reference))] if single else [list(words) for words in reference]
        said, *expected = (Counter(words) for words in (candidate, *lists))
    return [compare_counts(said, words, beta, negations) for words in expected]


def _aggregate(values: Sequence[float], how: str) -> float:
    require_known("Aggregation", how, AGGREGATES)
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return math.nan
    return max(known) if how == "max" else math.fsum(known) / len(known)


def _parallel(first: str | Sequence[str], second: str | Sequence[str]) -> list[tuple[str, str]]:
    left = [first] if isinstance(first, str) else list(first)
    right = [second] if isinstance(second, str) else list(second)
    if len(left) != len(right):
        raise InputError(f"There are {len(left)} texts on one side and {len(right)} on the other")
    return list(zip(map(clean, left), map(clean, right), strict=True))
