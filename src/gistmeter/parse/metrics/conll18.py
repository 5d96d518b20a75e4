"""The scores of the CoNLL 2018 shared task, for systems that tokenise by themselves.

Each score is an F1: correct / mean of the gold's and the system's count (Zeman et al. 2018,
"CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal Dependencies").

    tokens, sentences, words   spans of characters that both have; words as aligned
    upos xpos ufeats alltags lemmas   of aligned words; features of the universal list only; a gold
                               lemma `_` is always met
    uas, las                   head aligned with the gold's head; and universal relation equal
    clas                       las over words whose relation is a content relation
    mlas                       clas, with equal upos and features, and the same function words
                               attached by the same relations with equal upos and features
    blex                       clas, with equal lemmas

Relations are compared without their subtypes (`acl:relcl` is `acl`). Names that the parsing scores
have already get a prefix: conll18_upos, conll18_uas, conll18_las.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gistmeter.core.errors import InputError
from gistmeter.core.rows import Floats, Pool, Rows, Value
from gistmeter.core.types import ScoreInfo
from gistmeter.core.wiring import setting
from gistmeter.parse.formats.pairs import Match, ParsePairs, Segment
from gistmeter.parse.formats.treebank import Bools, Codes, Ints, Treebank
from gistmeter.parse.formats.trees import tree_parents
from gistmeter.parse.formats.word_alignment import Spans

CONTENT = frozenset((
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated",
    "advcl", "advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed",
    "flat", "compound", "list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep",
))  # fmt: skip
FUNCTION = frozenset(("aux", "cop", "mark", "det", "clf", "case", "cc"))
UNIVERSAL = frozenset((
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number",
    "Case", "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident",
    "Polarity", "Person", "Polite",
))  # fmt: skip
COLUMNS = ("LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL")
OF_WORDS = ("words", "upos", "xpos", "ufeats", "alltags", "lemmas", "uas", "las")
OF_CONTENT = ("clas", "mlas", "blex")
ALL = ("tokens", "sentences", *OF_WORDS, *OF_CONTENT)
TAKEN = ("upos", "uas", "las")  # names that the parsing scores have
TITLES = {
    "tokens": "Tokens",
    "sentences": "Sentences",
    "words": "Words",
    "upos": "UPOS",
    "xpos": "XPOS",
    "ufeats": "UFeats",
    "alltags": "AllTags",
    "lemmas": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
}  # the names that the official script prints


def score_name(score: str) -> str:
    return f"conll18_{score}" if score in TAKEN else score


def denominator(score: str, side: str = "both") -> str:
    """The column with the gold's count, the system's, or the mean of both."""
    kind = "words" if score in OF_WORDS else "content" if score in OF_CONTENT else score
    return f"conll18_{kind}_{side}"


def official_scores(correct: float, gold: float, system: float, aligned: float) -> dict[str, Any]:
    """Precision, recall, F1 and the accuracy on aligned words, as the official script has them.

    Where there is nothing to count they are 0, and without aligned words there is no accuracy.
    """
    return {
        "precision": correct / system if system else 0.0,
        "recall": correct / gold if gold else 0.0,
        "f1": 2 * correct / (gold + system) if gold + system else 0.0,
        "aligned_accuracy": correct / aligned if aligned else None,
        "correct": int(correct),
        "gold": int(gold),
        "system": int(system),
        "aligned": int(aligned) if aligned else None,
    }


@dataclass(frozen=True, slots=True)
class Conll18:
    """F1 of tokens, sentences, words and what stands with them; in [0, 1], higher is better.

    Needs items made by `alignment.align`. Identical files score 1; where there is nothing to be
    found, a score is undefined.
    """

    wanted: bool = setting(True, "conll18", signed=False)
    scores: ClassVar[tuple[ScoreInfo, ...]] = tuple(
        ScoreInfo(score_name(score), basis=f"conll18_{score}") for score in ALL
    )

    def applies(self, items: Sequence[Any]) -> bool:  # noqa: ARG002
        return self.wanted

    def requires(self, items: Sequence[Any]) -> str:  # noqa: ARG002
        """The option, for it decides how files are read."""
        needed = "The scores of the CoNLL 2018 shared task need the option conll18"
        return "" if self.wanted else needed

    def measure(self, items: Sequence[Any]) -> Rows:
        """One row per item: what is correct, and the mean of the gold's and the system's count."""
        if not isinstance(items, ParsePairs):
            raise InputError("The CoNLL 2018 scores need aligned treebanks: use alignment.align")
        parts = [
            {name: column[one.first : one.last] for name, column in _columns(items, one).items()}
            for one in items.segments()
        ]
        rows = Rows(items.keys(), np.arange(len(items), dtype=np.int64))
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return rows.with_numbers(columns)

    def documents(self, rows: Rows, items: Sequence[Any]) -> dict[str, Any]:
        """The table of the official script, by system."""
        del items
        found = {}
        for system, own in rows.by("system").items():
            total = {name: float(np.nansum(column)) for name, column in own.numbers.items()}
            aligned = dict.fromkeys(OF_WORDS[1:], total["conll18_words"])
            aligned |= dict.fromkeys(OF_CONTENT, total["conll18_content_aligned"])
            table = {
                TITLES[score]: official_scores(
                    total[f"conll18_{score}"],
                    total[denominator(score, "gold")],
                    total[denominator(score, "system")],
                    aligned.get(score, 0),
                )
                for score in ALL
            }
            found[system] = {"official": table}
        return {"conll18.json": found}

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {
            score_name(score): rows.ratio(f"conll18_{score}", denominator(score)) for score in ALL
        }


@dataclass(frozen=True, slots=True, eq=False)
class _Analysis:
    """A treebank as this evaluation sees it."""

    treebank: Treebank
    spans: Spans
    parents: Ints
    relation: Codes  # universal, without subtypes
    features: Codes  # universal ones only
    is_content: Bools
    is_function: Bools

    @classmethod
    def of(cls, treebank: Treebank, pairs: ParsePairs) -> _Analysis:
        for column in COLUMNS:
            if column not in treebank:
                raise InputError(f"{treebank.path}: --conll18 needs the column {column}")
        relations = treebank.vocabularies["DEPREL"]
        deprel = treebank.columns["DEPREL"]
        return cls(
            treebank,
            Spans.of(treebank),
            tree_parents(treebank),
            pairs.spelling("DEPREL", universal_relation)[deprel],
            pairs.spelling("FEATS", universal_features)[treebank.columns["FEATS"]],
            relations.flags(lambda one: universal_relation(one) in CONTENT)[deprel],
            relations.flags(lambda one: universal_relation(one) in FUNCTION)[deprel],
        )

    @property
    def sentence_starts(self) -> Ints:
        return np.concatenate([np.zeros(1, np.int64), self.spans.sentence_ends[:-1]])


def universal_relation(relation: str) -> str:
    return relation.partition(":")[0]


def universal_features(cell: str) -> str:
    """The features of the universal list, in one order."""
    kept = (part for part in cell.split("|") if part.partition("=")[0] in UNIVERSAL)
    return "|".join(sorted(kept))


def _columns(pairs: ParsePairs, segment: Segment) -> dict[str, Floats]:
    """All columns of a system, worked out once for all slices of its items."""
    match = segment.match
    if not match.aligned:
        raise InputError("The CoNLL 2018 scores need aligned treebanks: use alignment.align")
    gold = pairs.derive("conll18 gold", lambda: _Analysis.of(pairs.gold, pairs))
    return pairs.derive(f"conll18 columns of {match.name}", lambda: _counts(pairs, match, gold))


def _counts(pairs: ParsePairs, match: Match, gold: _Analysis) -> dict[str, Floats]:
    system = _Analysis.of(match.system, pairs)
    size, whole = pairs.size, pairs.whole(match)
    item, theirs = pairs.gold_items(whole), pairs.system_items(whole)
    ours = pairs.gold_words(whole)
    found = {
        f"conll18_{score}": _sum(item, size, right[ours])
        for score, right in _correct(pairs, gold, system, match).items()
    }
    found |= _span_counts(pairs, gold, system)
    assert match.words is not None
    content = gold.is_content[ours]
    found["conll18_content_aligned"] = _sum(item, size, content & (match.words[ours] >= 0))
    found |= _both("words", *(np.bincount(one, minlength=size) for one in (item, theirs)))
    return found | _both(
        "content", _sum(item, size, content), _sum(theirs, size, system.is_content)
    )


def _both(kind: str, gold: Floats | Ints, system: Floats | Ints) -> dict[str, Floats]:
    """Counts of the gold and the system, and their mean."""
    ours, theirs = gold.astype(np.float64), system.astype(np.float64)
    sides = {"gold": ours, "system": theirs, "both": (ours + theirs) / 2}
    return {f"conll18_{kind}_{side}": column for side, column in sides.items()}


def _sum(item: Ints, size: int, flags: Bools) -> Floats:
    return np.bincount(item[flags], minlength=size).astype(np.float64)


def _correct(
    pairs: ParsePairs, gold: _Analysis, system: _Analysis, match: Match
) -> dict[str, Bools]:
    """For each score the gold words that are right in it."""
    words = match.words
    assert words is not None
    aligned = words >= 0
    other = np.maximum(words, 0)
    if not system.treebank.words:
        return dict.fromkeys((*OF_WORDS, *OF_CONTENT), aligned)

    def same(ours: Codes | Ints, theirs: Codes | Ints) -> Bools:
        equal: Bools = aligned & (ours == theirs[other])
        return equal

    def cells(column: str) -> Bools:
        spelling = pairs.spelling(column)
        left, right = gold.treebank.columns[column], system.treebank.columns[column]
        return same(spelling[left], spelling[right])

    lemmas = gold.treebank.columns["LEMMA"]
    no_lemma = lemmas == gold.treebank.vocabularies["LEMMA"].find("_")
    lemma = cells("LEMMA") | (aligned & no_lemma)
    upos, xpos, features = cells("UPOS"), cells("XPOS"), same(gold.features, system.features)
    # The head that the system should have given; -2 where it has no such word.
    expected = np.where(gold.parents < 0, -1, words[gold.parents])
    expected[(gold.parents >= 0) & (expected < 0)] = -2
    uas = same(expected, system.parents)
    relation = same(gold.relation, system.relation)
    las = uas & relation
    clas = las & gold.is_content
    children = _same_function_words(gold, system, match, relation & upos & features)
    return {
        "words": aligned,
        "upos": upos,
        "xpos": xpos,
        "ufeats": features,
        "alltags": upos & xpos & features,
        "lemmas": lemma,
        "uas": uas,
        "las": las,
        "clas": clas,
        "mlas": clas & upos & features & children,
        "blex": clas & lemma,
    }


def _same_function_words(gold: _Analysis, system: _Analysis, match: Match, alike: Bools) -> Bools:
    """Whether a gold word and the system's have the same function words attached, all alike.

    Alignment keeps the order of words, so two lists are equal when they are equally long and every
    gold child stands, alike, under the word that stands for its head.
    """
    assert match.words is not None
    words, size = match.words, gold.treebank.words
    other = np.maximum(words, 0)
    ours = gold.is_function & (gold.parents >= 0)
    theirs = system.is_function & (system.parents >= 0)
    expected = np.where(gold.parents < 0, -2, words[gold.parents])
    met = ours & alike & theirs[other] & (expected == system.parents[other])
    number = np.bincount(gold.parents[ours], minlength=size)
    found = np.bincount(gold.parents[met], minlength=size)
    attached = np.bincount(system.parents[theirs], minlength=system.treebank.words)
    same: Bools = (words >= 0) & (number == found) & (number == attached[other])
    return same


def _span_counts(pairs: ParsePairs, gold: _Analysis, system: _Analysis) -> dict[str, Floats]:
    """Tokens and sentences that both files have as the same stretch of characters."""
    ends = gold.spans.sentence_ends
    bounds = np.where(pairs.units > 0, ends[np.maximum(pairs.units - 1, 0)], 0)
    found = {}
    for name, ours, theirs in (
        ("tokens", _tokens(gold), _tokens(system)),
        ("sentences", _sentences(gold), _sentences(system)),
    ):
        common = ours[np.isin(ours, theirs)]
        counts = []
        for spans in (common, ours, theirs):
            # A span belongs to the item in which it ends.
            item = np.searchsorted(bounds, spans & 0xFFFFFFFF) - 1
            inside = item[(item >= 0) & (item < pairs.size)]
            counts.append(np.bincount(inside, minlength=pairs.size).astype(np.float64))
        found[f"conll18_{name}"] = counts[0]
        found |= _both(name, counts[1], counts[2])
    return found


def _tokens(analysis: _Analysis) -> Ints:
    """Start and end of each token in one number."""
    return (analysis.spans.token_starts << 32) | analysis.spans.token_ends


def _sentences(analysis: _Analysis) -> Ints:
    starts, ends = analysis.sentence_starts, analysis.spans.sentence_ends
    spans = (starts << 32) | ends
    return spans[starts < ends]
