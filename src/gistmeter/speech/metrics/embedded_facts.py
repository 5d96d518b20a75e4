"""The table of facts without a language model: clauses, judged by the embedded judge.

What was said is cut into clauses, and the transcript along the alignment of the words. A clause
that both texts tell in the same words, or of which the judge says that it follows from what was
heard there, is told in `both`, unless an alarm is raised between the two. Any other was lost
(`expected`), and what was heard in its place was put in (`got`) where it does not follow from the
clause. Clauses without a word of content tell nothing.

This is a stand-in for the question to a language model: a clause may hold several facts, and one
that is told elsewhere in the text counts as lost. `benchmarks/fact_tables.py` says how well its
tables agree with those that people wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gistmeter.core.signature import digest
from gistmeter.languages import Language, lexicons
from gistmeter.languages.guard import Guard
from gistmeter.models.protocols import JudgeModel
from gistmeter.speech.formats.speakers import cut_along
from gistmeter.speech.metrics.fact_answers import Judgement
from gistmeter.speech.metrics.fact_prompt import SemanticFact, Verdict
from gistmeter.speech.metrics.misheard import transcript_alarms
from gistmeter.speech.metrics.normalizer import Normalisation

REVISION = 1  # to be raised when the rules below change
FOLLOWS = 0.5  # entailment from which on a clause is told
SAME = 0.75  # and similarity, where no alarm is raised
SHORTEST = 3  # words of a clause that stands for itself
PARTS = re.compile(r"(?<=[,;:—–，、；：])\s*")
NOTE = "facts by the embedded judge"


class Clause(NamedTuple):
    """A clause of what was said, and what was heard of it."""

    said: str
    heard: str


@dataclass(frozen=True, slots=True)
class EmbeddedFacts:
    """Facts of pairs of texts by clauses and the judge. Its `id` stands in signatures."""

    judge: JudgeModel

    @property
    def id(self) -> str:
        rules = digest((self.judge.id, FOLLOWS, SAME))[:8]
        return f"embedded-facts-{REVISION}/{rules}"

    def tables(
        self, pairs: Sequence[tuple[str, str]], normalisation: Normalisation
    ) -> list[Judgement]:
        """The facts of each pair of (expected, got); none where nothing of content was said."""
        language = normalisation.language
        clauses = [list(cut_clauses(expected, got, language)) for expected, got in pairs]
        asked = [
            clause
            for one in clauses
            for clause in one
            if clause.heard and not self._alike(clause, normalisation)
        ]
        verdicts = self.judge.judge([(clause.said, clause.heard) for clause in asked])
        columns = verdicts.entails, verdicts.entailment, verdicts.similarity
        told = dict(zip(asked, zip(*columns, strict=True), strict=True))
        tables = []
        for one in clauses:
            facts = tuple(
                fact
                for clause in one
                for fact in facts_of_clause(clause, told.get(clause), language)
            )
            tables.append(Judgement(facts, claimed=len(facts), record={"by": self.id}))
        return tables

    def _alike(self, clause: Clause, normalisation: Normalisation) -> bool:
        return normalisation.read(clause.said).words == normalisation.read(clause.heard).words


def facts_of_clause(
    clause: Clause, told: tuple[float, float, float] | None, language: Language
) -> Iterator[SemanticFact]:
    """A clause as a fact of one or both texts; `told` are entailments there and back, similarity.

    `told` is None where nothing was heard, or the same.
    """
    if told is None:
        verdict = Verdict.BOTH if clause.heard else Verdict.EXPECTED
        yield SemanticFact("", "", clause.said, verdict)
        return
    back, forth, similarity = told
    alarmed = Guard(language.code).reads and bool(
        transcript_alarms(clause.said, clause.heard, language.code)
    )
    if not alarmed and (back >= FOLLOWS or similarity >= SAME):
        yield SemanticFact("", "", clause.said, Verdict.BOTH)
        return
    yield SemanticFact("", "", clause.said, Verdict.EXPECTED)
    if language.content_words(clause.heard) and (alarmed or forth < FOLLOWS):
        yield SemanticFact("", "", clause.heard, Verdict.GOT)


def cut_clauses(expected: str, got: str, language: Language) -> Iterator[Clause]:
    """The clauses of what was said that have content, each with what was heard of it."""
    said = clauses_of(expected, language)
    if not said:
        return
    for clause, heard in zip(said, cut_along(said, got), strict=True):
        if language.content_words(clause):
            yield Clause(clause, heard if language.content_words(heard) else "")


def clauses_of(text: str, language: Language) -> list[str]:
    """A text by sentences, commas and words that begin a clause; none shorter than three words.

    >>> from gistmeter import languages
    >>> clauses_of("He came on Monday, but she had left before him.", languages.get("en"))
    ['He came on Monday,', 'but she had left before him.']
    """
    made: list[str] = []
    for sentence in language.sentences(text):
        pieces = [piece for part in PARTS.split(sentence) for piece in _at_borders(part, language)]
        own: list[str] = []
        for piece in pieces:
            if own and min(_size(own[-1], language), _size(piece, language)) < SHORTEST:
                own[-1] = f"{own[-1]}{' ' if language.spaced else ''}{piece}"
            else:
                own.append(piece)
        made += own
    return made


def _at_borders(part: str, language: Language) -> Iterator[str]:
    """A part without commas, cut before words that begin a clause (but, because)."""
    if not language.spaced:
        yield part
        return
    borders = lexicons.words(language.lists, "borders")
    words: list[str] = []
    for word in part.split():
        if word.lower() in borders and len(words) >= SHORTEST:
            yield " ".join(words)
            words = []
        words.append(word)
    if words:
        yield " ".join(words)


def _size(text: str, language: Language) -> int:
    return len(text.split()) if language.spaced else len(text) // 2
