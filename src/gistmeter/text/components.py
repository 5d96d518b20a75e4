"""The components of S_Acc and S_Logic by themselves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from gistmeter import languages
from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError
from gistmeter.models.protocols import EntailmentModel, Judgements, Matches, TokenMatcher
from gistmeter.text.formats.references import clean
from gistmeter.text.metrics import polarity
from gistmeter.text.metrics.accuracy import REPRESENTATION, Weights, mean_of_defined, weigh
from gistmeter.text.metrics.lexical import compare_counts, content_counts, negations_of

Words = Sequence[str]  # the content words of a text, where the caller has them


def lexical_cosine(
    candidate: str | Words,
    reference: str | Words | Sequence[Words],
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
    candidate: str | Words,
    reference: str | Words | Sequence[Words],
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
    mode: polarity.Mode = "all",
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
    pack = _pack(language, references)
    rule = polarity.PolarityRule(mode=mode, ratio=ratio)
    found = [
        polarity.conflicts(pack.polarity(clean(candidate)), pack.polarity(clean(one)), clean(one))
        for one in references
    ]
    return rule.holds(sum(found) / len(found))


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
    if not isinstance(model, str):
        return model.match(pairs)
    from gistmeter.models.loading import load_models, require

    store = cache if cache is not None else Cache(None)
    loaded = load_models(["matcher"], names={"matcher": model}, language=language, cache=store)
    matcher: TokenMatcher = require(loaded, "matcher")
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
    if not isinstance(model, str):
        return model.classify(pairs)
    from gistmeter.models.loading import load_models, require

    store = cache if cache is not None else Cache(None)
    names = {"nli": model} if model else {}
    nli: EntailmentModel = require(
        load_models(["nli"], profile=profile, names=names, cache=store), "nli"
    )
    return nli.classify(pairs)


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
        raise InputError(f"'{', '.join(sorted(unknown))}' is no component of S_Acc")
    given = {name: value for name, value in components.items() if not math.isnan(value)}
    values = {name: np.asarray([value]) for name, value in given.items()}
    members = [values[name] for name in REPRESENTATION if name in values]
    if members and "representation" not in values:
        values["representation"] = mean_of_defined(members)
    if not math.isnan(f_beta):
        values["f_beta"] = np.asarray([f_beta])
    return float(weigh(values, weights or Weights())[0])


def _pack(language: str, texts: Sequence[str]) -> languages.Language:
    """The language given, or the one that the texts are surely in."""
    return languages.get(languages.choose(language, texts=[tuple(texts)]).codes[0])


def _compare(
    candidate: str | Words, reference: str | Words | Sequence[Words], language: str, beta: float
) -> list[tuple[float, float]]:
    """Lexical cosine and F-beta with each reference."""
    negations: frozenset[str] = frozenset()
    if isinstance(candidate, str):
        texts = [reference] if isinstance(reference, str) else [str(one) for one in reference]
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
    return [compare_counts(said, one, beta, negations) for one in expected]


def _aggregate(values: Sequence[float], how: str) -> float:
    known = [value for value in values if not math.isnan(value)]
    if how not in ("max", "mean"):
        raise InputError(f"'{how}' is none of max, mean")
    if not known:
        return math.nan
    return max(known) if how == "max" else math.fsum(known) / len(known)


def _parallel(first: str | Sequence[str], second: str | Sequence[str]) -> list[tuple[str, str]]:
    left = [first] if isinstance(first, str) else list(first)
    right = [second] if isinstance(second, str) else list(second)
    if len(left) != len(right):
        raise InputError(f"There are {len(left)} texts on one side and {len(right)} on the other")
    return [(clean(one), clean(other)) for one, other in zip(left, right, strict=True)]
