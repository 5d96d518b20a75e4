"""The semantic error rate as a metric: one structured question per pair, repeated where asked.

With several repeats a pair's rate is that of the median answer (the lower of the two in the middle
for an even number), so its counts are those of a real answer; the spread is largest minus smallest
rate, and a verdict *flips* when the same fact gets different verdicts in different answers. With
`verify` a second question shows the texts the other way round and asks where each fact is told; a
fact whose two verdicts differ is disputed and not counted.

The corpus rate is the ratio of sums over pairs. Where a single pair is cut into segments, its
facts are dealt out to the segments one after the other, so that resampling segments resamples
facts.
"""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from gistmeter.core.rows import Pool, Rows, Value, divide
from gistmeter.core.types import Clip, ScoreInfo
from gistmeter.core.wiring import Wiring, given, setting
from gistmeter.metrics.gist import judge_of
from gistmeter.models.protocols import Answer, LanguageModel
from gistmeter.speech.metrics import fact_prompt
from gistmeter.speech.metrics.edits import Columns, align, clip_rows, is_segmented, why_unscored
from gistmeter.speech.metrics.embedded_facts import NOTE, EmbeddedFacts
from gistmeter.speech.metrics.fact_answers import (
    Judgement,
    dispute,
    flips,
    median_judgement,
    read_answer,
)
from gistmeter.speech.metrics.normalizer import Normalisation, all_normalisations, normalisation_of

SHORT = 20  # words; with fewer, too few facts for a rate to mean much
COUNTED = ("facts_both", "facts_missing", "facts_extra")
NUMBERS = (
    "ser", *COUNTED, "ser_short", "ser_spread", "ser_answers", "ser_mean", "ser_variance",
    "verdict_flips", "facts_corrected", "facts_unsupported", "facts_untold", "facts_disputed",
    "facts_unverified",
)  # fmt: skip
TEXTS = ("facts", "ser_note", "diff")


def language_model_of(wiring: Wiring) -> LanguageModel | EmbeddedFacts | None:
    """What is asked about facts: the embedded judge where it was named, else a language model;
    None where there is none."""
    from gistmeter.speech.consent import fact_model_of, may_ask

    if wiring.settings.facts == "embedded":
        judge = judge_of(wiring)
        if judge is None:
            return None
        wiring.context.say(
            "ser: facts are clauses, judged by the embedded judge and not by a language model"
        )
        return EmbeddedFacts(judge)
    model = fact_model_of(wiring.settings, wiring.context)
    if model is None or not may_ask(model, wiring.once(all_normalisations), wiring):
        return None
    llm: LanguageModel = model.llm
    return llm


@dataclass(frozen=True, slots=True)
class SemanticErrorRate:
    """Share of the expected facts that a transcript has lost, in percent, by a language model or,
    with `--facts embedded`, by clauses and the embedded judge.

    Range [0, 100]; `ser`, `missing` and `extra` are better when lower, `understanding` when higher.
    No facts, no answer, or an invalid one: unscored with the reason.
    """

    llm: LanguageModel | EmbeddedFacts = given(language_model_of, shared=True, required=True)
    normalisation: Normalisation = given(normalisation_of)
    repeats: int = setting(1)
    verify: bool = setting(False)
    segmented: bool = given(is_segmented, False, shared=True)
    occurrence: Literal["report", "strict"] = setting("report")  # for facts that do not occur
    prompt: str = field(default_factory=fact_prompt.prompt_hash)
    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("ser", False, 0, 100, "%", title="facts lost"),
        ScoreInfo("understanding", True, 0, 100, "%", "ser", "facts understood"),
        ScoreInfo("missing", False, 0, 100, "%", "ser", "facts lost"),
        ScoreInfo("extra", False, 0, 100, "%", "ser", "facts invented"),
    )

    def measure(self, clips: Sequence[Clip]) -> Rows:
        expected = [self.normalisation.read(clip.expected) for clip in clips]
        table = clip_rows(clips, expected, segmented=self.segmented)
        asked = [
            at
            for at, (clip, form) in enumerate(zip(clips, expected, strict=True))
            if clip.got is not None and form.words
        ]
        pairs = [(clips[at].expected, clips[at].got or "") for at in asked]
        judged = dict(zip(asked, self.judge(pairs), strict=True))
        columns = Columns.of(len(table.rows), NUMBERS, TEXTS)
        reasons: dict[int, str] = {}
        details: dict[str, Any] = {}
        for at, (clip, places) in enumerate(zip(clips, table.places, strict=True)):
            if at in judged:
                chosen = median_judgement(judged[at])
                short = len(expected[at].words) < SHORT
                self._record(columns, places, judged[at], chosen, short)
                # What a reader compares the facts with, also where nobody asked for word errors.
                heard = self.normalisation.read(clip.got or "")
                parts = align(expected[at].words, heard.words).cut(table.bounds[at])
                for place, part in zip(places, parts, strict=True):
                    columns.note(place, diff=part.to_json())
                details[detail_name(clip)] = _document(clip, judged[at])
                why = chosen.reason
            else:
                why = why_unscored(clip)
            if why:
                reasons.update(dict.fromkeys(places, why))
        return columns.added_to(table.rows).with_reasons("ser", reasons).with_details(details)

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[list[Judgement]]:
        """All answers about each pair of (expected, got), one for each repeat."""
        if isinstance(self.llm, EmbeddedFacts):
            return [[table] for table in self.llm.tables(pairs, self.normalisation)]
        code = self.normalisation.code
        prompts = [fact_prompt.build_prompt(expected, got, code) for expected, got in pairs]
        rounds: list[list[Judgement]] = []
        for sample in range(self.repeats):
            judged = self.read(pairs, fact_prompt.FACTS.ask(self.llm, prompts, sample))
            rounds.append(self._verified(pairs, judged, sample) if self.verify else judged)
        return [list(answers) for answers in zip(*rounds, strict=True)]

    def read(
        self, pairs: Sequence[tuple[str, str]], answers: Sequence[Answer[Any]]
    ) -> list[Judgement]:
        """What the answers say of each pair."""
        plain = Normalisation(self.normalisation.language, "default").normalise
        lemmas = self.normalisation.language.analyser.forms
        strict = self.occurrence == "strict"
        return [
            read_answer(*pair, answer, plain, lemmas=lemmas, strict=strict)
            for pair, answer in zip(pairs, answers, strict=True)
        ]

    def verifications(
        self, pairs: Sequence[tuple[str, str]], judged: Sequence[Judgement]
    ) -> dict[int, str]:
        """The second questions, by the place of the pair they are about."""
        return {
            at: fact_prompt.build_verification(*pairs[at], judgement.facts, self.normalisation.code)
            for at, judgement in enumerate(judged)
            if judgement.facts
        }

    def _verified(
        self, pairs: Sequence[tuple[str, str]], judged: Sequence[Judgement], sample: int
    ) -> list[Judgement]:
        """The same judgements without the facts that a second question disputes."""
        questions = self.verifications(pairs, judged)
        assert not isinstance(self.llm, EmbeddedFacts)  # `judge` asks it no second question
        answers = fact_prompt.VERDICTS.ask(self.llm, list(questions.values()), sample)
        verified = list(judged)
        for at, answer in zip(questions, answers, strict=True):
            verified[at] = dispute(judged[at], answer)
        return verified

    def _record(
        self,
        columns: Columns,
        places: range,
        all_answers: Sequence[Judgement],
        chosen: Judgement,
        short: bool,
    ) -> None:
        valid = [answer.counts.ser for answer in all_answers if not answer.reason]
        first = places[0]
        columns.set(
            first,
            ser_short=short,
            ser_spread=max(valid) - min(valid) if valid else math.nan,
            ser_answers=len(valid),
            ser_mean=statistics.fmean(valid) if valid else math.nan,
            ser_variance=statistics.variance(valid) if len(valid) > 1 else math.nan,
            verdict_flips=flips(all_answers),
            facts_corrected=chosen.corrected,
            facts_unsupported=chosen.dropped,
            facts_untold=chosen.untold,
            facts_disputed=chosen.disputed,
            facts_unverified=len(chosen.facts) if chosen.unverified else 0,
        )
        remarks = [NOTE] if isinstance(self.llm, EmbeddedFacts) else []
        remarks += [f"fewer than {SHORT} words: unreliable"] if short else []
        doubted = chosen.corrected + chosen.dropped
        if doubted and self.occurrence == "report":
            remarks.append(
                f"{doubted} of {chosen.claimed} facts: the texts do not support the verdict"
            )
        if chosen.untold:
            remarks.append(f"{chosen.untold} words that were lost are in no fact")
        if chosen.disputed:
            remarks.append(f"{chosen.disputed} facts are disputed and not counted")
        if chosen.unverified:
            remarks.append(f"not verified: {chosen.unverified}")
        note = "; ".join(remarks) or None
        columns.note(first, facts=fact_prompt.facts_to_json(chosen.facts), ser_note=note)
        if chosen.reason:
            return
        for part, at in enumerate(places):
            # All facts of the pair for a single row; dealt out in turn where there are segments.
            counts = fact_prompt.count_facts(chosen.facts[part :: len(places)])
            columns.set(at, ser=counts.ser if len(places) == 1 else chosen.counts.ser)
            columns.set(
                at, **dict(zip(COUNTED, (counts.both, counts.missing, counts.extra), strict=True))
            )

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        """Ratios of sums of facts."""
        both, missing = rows.sum("facts_both"), rows.sum("facts_missing")
        extra = rows.sum("facts_extra")
        ser = 100 * divide(missing, both + missing)
        return {
            "ser": ser,
            "understanding": 100 - ser,
            "missing": ser,
            "extra": 100 * divide(extra, both + extra),
        }


def detail_name(clip: Clip) -> str:
    """The file of a pair's raw answers; a digest keeps names apart that look alike on disk."""
    digest = hashlib.sha256(f"{clip.system}\0{clip.id}".encode("utf-8", "surrogatepass"))
    return f"facts-{clip.system[:60]}-{clip.id[:60]}-{digest.hexdigest()[:8]}.json"


def _document(clip: Clip, answers: Sequence[Judgement]) -> dict[str, Any]:
    return {
        "id": clip.id,
        "system": clip.system,
        "answers": [
            {
                **judgement.record,
                "failure": judgement.reason,
                "facts": [fact.to_dict() for fact in judgement.facts],
                "corrected": judgement.corrected,
                "unsupported": judgement.dropped,
                "untold": judgement.untold,
                "disputed": judgement.disputed,
            }
            for judgement in answers
        ],
    }
